/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-cost.h"

G_BEGIN_DECLS

/* The share of time spent training: failures, checkpoints and restarts, in days and money. A chart
 * of the shares, and a list of their causes: the time between interruptions, the size and interval
 * of checkpoints, the restart time and the storage bandwidth.
 *
 * Figures that are also in the bill come from the bill, so that they agree. */
#define SHARDWISE_TYPE_GOODPUT_CARD (shardwise_goodput_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseGoodputCard, shardwise_goodput_card, SHARDWISE, GOODPUT_CARD, AdwBin)

void shardwise_goodput_card_show (ShardwiseGoodputCard *self, ShardwiseScenario *scenario,
                                  const SwProblem *problem, const ShardwiseCost *cost);

G_END_DECLS
