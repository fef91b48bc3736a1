/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* What an amount of money buys: tokens and days for each cluster size, computed in worker threads.
 * The amount is not part of the scenario; win.apply can put the result into it.
 *
 * Offers numbers of tokens with four digits, rounded down so that they never exceed the budget. */
#define SHARDWISE_TYPE_BUDGET_CARD (shardwise_budget_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseBudgetCard, shardwise_budget_card, SHARDWISE, BUDGET_CARD, AdwBin)

void shardwise_budget_card_show (ShardwiseBudgetCard *self, ShardwiseScenario *scenario,
                                 ShardwiseAdvice *advice);

G_END_DECLS
