/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-cost.h"

G_BEGIN_DECLS

/* What the job costs: rented and owned, item by item, with energy, CO2 and what all of it
 * assumes. */
#define SHARDWISE_TYPE_COST_CARD (shardwise_cost_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseCostCard, shardwise_cost_card, SHARDWISE, COST_CARD, AdwBin)

void shardwise_cost_card_show (ShardwiseCostCard *self, ShardwiseScenario *scenario,
                               const SwProblem *problem, const SwEstimate *estimate);
const ShardwiseCost *shardwise_cost_card_get_cost (ShardwiseCostCard *self); /* what is shown */

G_END_DECLS
