/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* Resolves presets, defaults and links into the engine's question. `notes` (transfer full) (out)
 * (nullable): translated sentences on what is approximated or has no effect. */
gboolean shardwise_scenario_resolve (ShardwiseScenario *self, SwProblem *out, GPtrArray **notes,
                                     GError **error);
gboolean
shardwise_scenario_resolve_on (ShardwiseScenario *self, guint gpus, SwProblem *out, GError **error);
GVariant *shardwise_resolve_default (const SwProblem *problem, const char *path);

GVariant *shardwise_scenario_get_unpinning (ShardwiseScenario *self); /* (nullable) */

G_END_DECLS
