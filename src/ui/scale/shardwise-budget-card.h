/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* What an amount of money buys: for each size of the cluster the tokens and the days, found on
 * worker threads. The amount is asked for and not part of the scenario; what it buys can be made
 * so, by win.apply.
 *
 * Four digits of a number of tokens are offered, and never more than the money buys. */
#define SHARDWISE_TYPE_BUDGET_CARD (shardwise_budget_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseBudgetCard, shardwise_budget_card, SHARDWISE, BUDGET_CARD, AdwBin)

void shardwise_budget_card_show (ShardwiseBudgetCard *self, ShardwiseScenario *scenario,
                                 ShardwiseAdvice *advice);

G_END_DECLS
