/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-cost.h"

G_BEGIN_DECLS

/* How much of the time trains: failures, checkpoints and restarts, in days and money.
 * A chart of the shares, and a list of what they follow from: the time between two interruptions,
 * one checkpoint, how often it is written, a restart, and the bandwidth of the storage.
 *
 * What the bill says of the same is taken from the bill, so that no two figures differ. */
#define SHARDWISE_TYPE_GOODPUT_CARD (shardwise_goodput_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseGoodputCard, shardwise_goodput_card, SHARDWISE, GOODPUT_CARD, AdwBin)

void shardwise_goodput_card_show (ShardwiseGoodputCard *self, ShardwiseScenario *scenario,
                                  const SwProblem *problem, const ShardwiseCost *cost);

G_END_DECLS
