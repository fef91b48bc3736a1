/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "shardwise-key.h"
#include "sw-problem.h"

G_BEGIN_DECLS

/* 110,880 GPUs: 144 divisors and 11 other powers of two */
#define SHARDWISE_INPUT_MAX_DEGREES 192

/* The values that a strategy's dimensions can be pinned to for a question: powers of two and
 * divisors, as options. Values that break a rule regardless of the other dimensions are insensitive
 * and state why. */
gboolean shardwise_input_dimension (ShardwiseKeyId id, SwDimension *dimension);
guint shardwise_input_degree_values (const SwProblem *problem, SwDimension dimension,
                                     guint out[SHARDWISE_INPUT_MAX_DEGREES]);
GListModel *
shardwise_input_degrees (const SwProblem *problem, SwDimension dimension, ShardwiseKeyId id);

G_END_DECLS
