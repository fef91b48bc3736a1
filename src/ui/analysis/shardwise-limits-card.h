/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advice.h"

G_BEGIN_DECLS

/* The card that says which resource limits a strategy. It asks the engine on a worker thread when
 * it is told another strategy, and drops what it asked before. */
#define SHARDWISE_TYPE_LIMITS_CARD (shardwise_limits_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseLimitsCard, shardwise_limits_card, SHARDWISE, LIMITS_CARD, AdwBin)

void shardwise_limits_card_set_strategy (ShardwiseLimitsCard *self, ShardwiseAdvice *advice,
                                         const SwEstimate *estimate);
void shardwise_limits_card_await (ShardwiseLimitsCard *self);

G_END_DECLS
