/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* The JSON of answers, as printed by `advise --json` and `estimate --json`. Programs depend on it:
 * keys, codes and numbers are never translated or rounded; sentences ("text", "verdict", "notes")
 * are translated. Memory is in GiB ("…_gib"), time in seconds ("…_s"); unknown values are null.
 *
 * Returns: (transfer full): {"method", "fits", "verdict", "recommended": an estimate, "rationale",
 * "recommendations", "steps", "alternatives", "least_gpus", "sensible_gpus", "searched", "nearest",
 * "insufficient", "notes"}, and "quick_score" for that method. */
JsonNode *shardwise_advice_to_json (ShardwiseAdvice *self);
JsonArray *shardwise_least_to_array (const SwLeastGpus *least, guint n);
/* Returns: (transfer full): {"tp", "etp", …, "gpus_used", "gpus_idle"} */
JsonObject *shardwise_strategy_to_object (const SwProblem *problem, const SwEstimate *estimate);
/* notes: (nullable): of char*
 * Returns: (transfer full): {"fits", "rule", "strategy", "memory", "time", "utilisation", "phases",
 * "communication", …, "nearest_run"} */
JsonNode *
shardwise_estimate_to_json (const SwProblem *problem, const SwEstimate *estimate, GPtrArray *notes);
/* The same with the tensors of each stage and, if it does not fit, what would. */
JsonNode *
shardwise_estimate_scenario_to_json (ShardwiseScenario *scenario, const SwProblem *problem,
                                     const SwEstimate *estimate, GPtrArray *notes);

G_END_DECLS
