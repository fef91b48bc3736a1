/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advisor.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

#define SHARDWISE_HAND_MAX_VALUES 200

/* A strategy set by hand, dimension by dimension, including values that the search would not
 * choose. */

guint shardwise_hand_values (const SwProblem *problem, const SwStrategy *strategy,
                             SwDimension dimension, guint out[SHARDWISE_HAND_MAX_VALUES]);
void shardwise_hand_set (const SwProblem *problem, SwStrategy *strategy, SwDimension dimension,
                         guint value);
gboolean
shardwise_hand_estimate (const SwProblem *problem, const SwStrategy *strategy, SwEstimate *out);

/* The figures of a strategy beside those of another, with the differences. */
#define SHARDWISE_TYPE_HAND_TABLE (shardwise_hand_table_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseHandTable, shardwise_hand_table, SHARDWISE, HAND_TABLE,
                      ShardwiseContainer)

/* The calculator: sets any parallel size by hand and shows the engine's result beside the
 * recommendation, which does not change.
 *
 * Actions: hand.reset, hand.show */
#define SHARDWISE_TYPE_HAND_CARD (shardwise_hand_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseHandCard, shardwise_hand_card, SHARDWISE, HAND_CARD, AdwBin)

void shardwise_hand_card_set_advisor (ShardwiseHandCard *self, ShardwiseAdvisor *advisor);
void
shardwise_hand_card_set_dimension (ShardwiseHandCard *self, SwDimension dimension, guint value);
const SwEstimate *shardwise_hand_card_get_estimate (ShardwiseHandCard *self);

G_END_DECLS
