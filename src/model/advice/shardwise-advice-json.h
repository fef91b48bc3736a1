/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* The JSON of answers: what `advise --json` and `estimate --json` print, a contract. */
JsonNode *shardwise_advice_to_json (ShardwiseAdvice *self);
JsonNode *
shardwise_estimate_to_json (const SwProblem *problem, const SwEstimate *estimate, GPtrArray *notes);
/* The same with the tensors of each stage and, where it does not fit, what would. */
JsonNode *
shardwise_estimate_scenario_to_json (ShardwiseScenario *scenario, const SwProblem *problem,
                                     const SwEstimate *estimate, GPtrArray *notes);
/* An object for each row of the table of communication. */

G_END_DECLS
