/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* What the user prefers, for all windows: the color scheme, the unit of memory, whether a scenario is
 * evaluated by itself, and the cluster that a new one begins with, which is taken from the scenario
 * of the window below (win.keep-cluster) and can be forgotten.
 *
 * settings: what they are bound to. The program has one such window at most; it goes with the one it
 * stands over. */
#define SHARDWISE_TYPE_PREFERENCES (shardwise_preferences_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePreferences, shardwise_preferences, SHARDWISE, PREFERENCES,
                      AdwWindow)

/* (transfer floating) */
GtkWidget *shardwise_preferences_new (GSettings *settings);

/* What the preferences say of scenarios that begin. */
ShardwiseScenario *shardwise_new_scenario (GSettings *settings); /* (transfer full) */
void shardwise_new_scenario_take_cluster (ShardwiseScenario *scenario, GSettings *settings);
gboolean shardwise_new_scenario_has_cluster (GSettings *settings);
void shardwise_new_scenario_keep_cluster (ShardwiseScenario *scenario, GSettings *settings);
char *shardwise_new_scenario_describe_cluster (GSettings *settings); /* (transfer full) */

G_END_DECLS
