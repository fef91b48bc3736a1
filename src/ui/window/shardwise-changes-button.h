/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* What a scenario sets otherwise than it would be by itself has its default again, all as one step
 * of undo; how many values that were. */
guint shardwise_input_changes_reset (ShardwiseScenario *scenario);

/* Says how many such values there are, and opens to their list; not seen where there is none. */
#define SHARDWISE_TYPE_CHANGES_BUTTON (shardwise_changes_button_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseChangesButton, shardwise_changes_button, SHARDWISE, CHANGES_BUTTON,
                      GtkWidget)

/* (nullable) */
void
shardwise_changes_button_set_scenario (ShardwiseChangesButton *self, ShardwiseScenario *scenario);

G_END_DECLS
