/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

#define SHARDWISE_HAND_MAX_VALUES 200

/* A strategy that is set by hand, one dimension after the other, whatever the search would take. */

gboolean shardwise_hand_applies (const SwProblem *problem, const SwStrategy *strategy,
                                 SwDimension dimension);
guint shardwise_hand_values (const SwProblem *problem, const SwStrategy *strategy,
                             SwDimension dimension, guint out[SHARDWISE_HAND_MAX_VALUES]);
void shardwise_hand_set (const SwProblem *problem, SwStrategy *strategy, SwDimension dimension,
                         guint value);
gboolean
shardwise_hand_estimate (const SwProblem *problem, const SwStrategy *strategy, SwEstimate *out);

G_END_DECLS
