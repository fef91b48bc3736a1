/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* The estimate of the strategy that a scenario states, nothing searched: keys that are not given
 * must follow from the others (dp from the GPUs). `notes` (out) (transfer full) (nullable): also
 * what was taken for granted. */
gboolean shardwise_estimate_scenario (ShardwiseScenario *scenario, SwProblem *problem,
                                      SwEstimate *estimate, GPtrArray **notes, GError **error);
/* The object of `estimate --json`: with the nearest run and, where it does not fit, what would. */
JsonNode *
shardwise_estimate_scenario_to_json (ShardwiseScenario *scenario, const SwProblem *problem,
                                     const SwEstimate *estimate, GPtrArray *notes);

G_END_DECLS
