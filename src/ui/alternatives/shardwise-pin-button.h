/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-comparison.h"

G_BEGIN_DECLS

/* Pinned (pressed) while its strategy is part of the comparison; toggles that. Insensitive, with an
 * explanation, while the comparison is full.
 *
 * CSS class: .pin */
#define SHARDWISE_TYPE_PIN_BUTTON (shardwise_pin_button_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePinButton, shardwise_pin_button, SHARDWISE, PIN_BUTTON,
                      GtkToggleButton)

GtkWidget *shardwise_pin_button_new (ShardwiseComparison *comparison);
void shardwise_pin_button_set_strategy (ShardwisePinButton *self, const SwStrategy *strategy,
                                        const char *name);

G_END_DECLS
