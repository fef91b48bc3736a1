/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-report.h"

G_BEGIN_DECLS

/* Everything of a scenario: verdict, strategy, charts, reasons, cost, assumptions. */
ShardwiseReport *shardwise_report_of_scenario (ShardwiseScenario *scenario, ShardwiseAdvice *advice,
                                               const SwEstimate *estimate, GPtrArray *clusters);

/* ---- its part on cost ---- */
void shardwise_report_add_cost (ShardwiseReport *self, ShardwiseScenario *scenario,
                                ShardwiseAdvice *advice, const SwEstimate *estimate,
                                GPtrArray *clusters); /* clusters (nullable) */

G_END_DECLS
