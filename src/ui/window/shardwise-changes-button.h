/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* Resets all values that differ from their defaults, as one undo step. Returns: how many there
 * were */
guint shardwise_input_changes_reset (ShardwiseScenario *scenario);

/* Shows the number of such values and opens their list. Hidden if there are none. */
#define SHARDWISE_TYPE_CHANGES_BUTTON (shardwise_changes_button_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseChangesButton, shardwise_changes_button, SHARDWISE, CHANGES_BUTTON,
                      GtkWidget)

/* (nullable) */
void
shardwise_changes_button_set_scenario (ShardwiseChangesButton *self, ShardwiseScenario *scenario);

G_END_DECLS
