/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* What the preferences say of scenarios that begin. */
ShardwiseScenario *shardwise_new_scenario (GSettings *settings); /* (transfer full) */
void shardwise_new_scenario_take_cluster (ShardwiseScenario *scenario, GSettings *settings);
void shardwise_new_scenario_keep_cluster (ShardwiseScenario *scenario, GSettings *settings);
char *shardwise_new_scenario_describe_cluster (GSettings *settings); /* (transfer full) */

G_END_DECLS
