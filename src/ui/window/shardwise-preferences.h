/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* Preferences for all windows: color scheme, unit of memory, automatic evaluation, and the cluster
 * of new scenarios, which win.keep-cluster takes from the parent window's scenario and which can be
 * cleared.
 *
 * settings: bound to the controls. The program has at most one such window, which closes with its
 * parent. */
#define SHARDWISE_TYPE_PREFERENCES (shardwise_preferences_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePreferences, shardwise_preferences, SHARDWISE, PREFERENCES,
                      AdwWindow)

/* (transfer floating) */
GtkWidget *shardwise_preferences_new (GSettings *settings);

/* New scenarios according to the preferences. */
ShardwiseScenario *shardwise_new_scenario (GSettings *settings); /* (transfer full) */
void shardwise_new_scenario_take_cluster (ShardwiseScenario *scenario, GSettings *settings);
gboolean shardwise_new_scenario_has_cluster (GSettings *settings);
void shardwise_new_scenario_keep_cluster (ShardwiseScenario *scenario, GSettings *settings);
char *shardwise_new_scenario_describe_cluster (GSettings *settings); /* (transfer full) */

G_END_DECLS
