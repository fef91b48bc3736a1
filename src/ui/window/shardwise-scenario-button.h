/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-comparison.h"

G_BEGIN_DECLS

/* Adds another scenario to a comparison: a file, the one of another window, or the current inputs.
 * The scenario of its page provides what the configuration of a job does not state. */
#define SHARDWISE_TYPE_SCENARIO_BUTTON (shardwise_scenario_button_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseScenarioButton, shardwise_scenario_button, SHARDWISE,
                      SCENARIO_BUTTON, GtkWidget)

void shardwise_scenario_button_set_comparison (ShardwiseScenarioButton *self,
                                               ShardwiseComparison *comparison);
void shardwise_scenario_button_add_file (ShardwiseScenarioButton *self, GFile *file);
gboolean shardwise_scenario_button_is_adding (ShardwiseScenarioButton *self);

G_END_DECLS
