/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-strategy.h"

G_BEGIN_DECLS

/* The dimensions of a strategy: their names, and where each is worth speaking of. All texts are
 * translated; char * is newly allocated. */

/* For what a dimension matters, or does not. */
typedef enum {
  SHARDWISE_MATTERS_BESIDE, /* it has more than one meaning beside the other dimensions */
  SHARDWISE_MATTERS_IN_USE, /* a comparison of strategies names it */
  SHARDWISE_MATTERS_CHIP,   /* among the large figures */
  SHARDWISE_MATTERS_SAID,   /* in a line that says the strategy: it does not go without saying */
  SHARDWISE_N_MATTERS
} ShardwiseMatters;

gboolean shardwise_dimension_matters (const SwStrategy *strategy, SwDimension dimension,
                                      ShardwiseMatters where);
/* a difference in it follows from the others */
gboolean
shardwise_dimension_is_implied (const SwStrategy *a, const SwStrategy *b, SwDimension dimension);

char *shardwise_text_dimension (SwDimension dimension);             /* "Tensor parallel" */
const char *shardwise_dimension_degree (SwDimension dimension);     /* "TP", not translated */
const char *shardwise_dimension_short_name (SwDimension dimension); /* "TP", "µ-batch" */
const char *shardwise_dimension_tooltip (SwDimension dimension);
char *
shardwise_text_dimension_value (SwDimension dimension, guint value); /* "8", "selective", "on" */
char *
shardwise_text_label (SwDimension dimension, guint value); /* "TP 8", "Micro-batch 4", "SP on" */

G_END_DECLS
