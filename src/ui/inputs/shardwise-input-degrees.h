/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "shardwise-key.h"
#include "sw-problem.h"

G_BEGIN_DECLS

/* 110,880 GPUs: 144 divisors, and 11 powers of two beside them */
#define SHARDWISE_INPUT_MAX_DEGREES 192

/* What the dimensions of a strategy may be fixed to in a given question: powers of two and divisors,
 * as options of which those that break a rule whatever the others are cannot be chosen and say
 * why. */
gboolean shardwise_input_dimension (ShardwiseKeyId id, SwDimension *dimension);
guint shardwise_input_degree_values (const SwProblem *problem, SwDimension dimension,
                                     guint out[SHARDWISE_INPUT_MAX_DEGREES]);
GListModel *
shardwise_input_degrees (const SwProblem *problem, SwDimension dimension, ShardwiseKeyId id);

G_END_DECLS
