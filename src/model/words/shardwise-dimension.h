/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-strategy.h"

G_BEGIN_DECLS

/* The dimensions of a strategy: their names, and where each is worth mentioning. All texts are
 * translated; char * is newly allocated. */

/* The purposes for which a dimension may matter. */
typedef enum {
  SHARDWISE_MATTERS_BESIDE, /* it depends on the other dimensions what it means */
  SHARDWISE_MATTERS_IN_USE, /* a comparison of strategies mentions it */
  SHARDWISE_MATTERS_CHIP,   /* it has a chip of its own */
  SHARDWISE_MATTERS_SAID,   /* a line about the strategy mentions it, because it is not obvious */
  SHARDWISE_N_MATTERS
} ShardwiseMatters;

gboolean shardwise_dimension_matters (const SwStrategy *strategy, SwDimension dimension,
                                      ShardwiseMatters where);
/* a difference in it follows from other dimensions */
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
