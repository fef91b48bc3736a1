/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-error.h"
#include "shardwise-quantity.h"

G_BEGIN_DECLS

/* What a rule asks of a job and its strategy: "tp=8 pp=2.. | zero=3". Terms beside one another must
 * all hold, of the alternatives one. A term gives a quantity its value or range ("2..8", "2..",
 * "..domain"); a bound is a number or another quantity. An empty condition holds always. Immutable.
 */
typedef struct _ShardwiseCondition ShardwiseCondition;

typedef struct {
  const ShardwiseQuantity *quantity;
  double value, low, high;                /* low, high: -INFINITY, INFINITY where open */
  gboolean low_is_figure, high_is_figure; /* of another quantity, not a number of the rule */
  gboolean holds;
} ShardwiseTerm;

ShardwiseCondition *shardwise_condition_parse (const char *text, GError **error);
void shardwise_condition_free (ShardwiseCondition *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseCondition, shardwise_condition_free)
gboolean shardwise_condition_check (const ShardwiseCondition *self, const SwProblem *problem,
                                    const SwEstimate *estimate, GArray *terms);
char *shardwise_term_describe_range (const ShardwiseTerm *term);

G_END_DECLS
