/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advisor.h"

G_BEGIN_DECLS

/* The calculator by hand: every degree can be set, and what the engine says of it stands beside the
 * recommendation, which stays as it is.
 *
 * actions: hand.reset, hand.show */
#define SHARDWISE_TYPE_HAND_CARD (shardwise_hand_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseHandCard, shardwise_hand_card, SHARDWISE, HAND_CARD, AdwBin)

void shardwise_hand_card_set_advisor (ShardwiseHandCard *self, ShardwiseAdvisor *advisor);
void
shardwise_hand_card_set_dimension (ShardwiseHandCard *self, SwDimension dimension, guint value);
const SwEstimate *shardwise_hand_card_get_estimate (ShardwiseHandCard *self);

G_END_DECLS
