/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-error.h"
#include "shardwise-quantity.h"

G_BEGIN_DECLS

/* The condition of a rule on a job and its strategy: "tp=8 pp=2.. | zero=3". Alternatives are
 * separated by "|"; all terms of an alternative must hold. A term requires a value or a range
 * ("2..8", "2..", "..domain") of a quantity; a bound is a number or another quantity. An empty
 * condition always holds. Immutable. */
typedef struct _ShardwiseCondition ShardwiseCondition;

typedef struct {
  const ShardwiseQuantity *quantity;
  double value, low, high;                /* low, high: -INFINITY, INFINITY if open */
  gboolean low_is_figure, high_is_figure; /* the bound is another quantity's value, not a number */
  gboolean holds;
} ShardwiseTerm;

ShardwiseCondition *shardwise_condition_parse (const char *text, GError **error);
void shardwise_condition_free (ShardwiseCondition *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseCondition, shardwise_condition_free)
gboolean shardwise_condition_check (const ShardwiseCondition *self, const SwProblem *problem,
                                    const SwEstimate *estimate, GArray *terms);
char *shardwise_term_describe_range (const ShardwiseTerm *term);

G_END_DECLS
