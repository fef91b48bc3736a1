/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-estimate.h"

G_BEGIN_DECLS

/* A share of the throughput from which a pin is the first thing to be told. */
#define SHARDWISE_PIN_WORTH_A_WARNING 0.02

enum { SHARDWISE_MOST_PIN_COSTS = SW_N_DIMENSIONS + 1 };

guint shardwise_pin_costs (const SwProblem *problem, const SwEstimate *chosen,
                           ShardwiseEffect out[SHARDWISE_MOST_PIN_COSTS]);
void shardwise_pins_drop (GVariantDict *changes);
GVariant *shardwise_pin_changes (SwDimension dimension);

G_END_DECLS
