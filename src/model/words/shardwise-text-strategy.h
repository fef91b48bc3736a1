/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-strategy.h"

G_BEGIN_DECLS

/* Names of dimensions and of their values, and strategies in words; translated and, where not
 * static, newly allocated. */
char *shardwise_text_dimension (SwDimension dimension); /* "Tensor parallel" */
char *
shardwise_text_dimension_value (SwDimension dimension, guint value); /* "8", "selective", "on" */
char *
shardwise_text_label (SwDimension dimension, guint value); /* "TP 8", "Micro-batch 4", "SP on" */
/* Of a strategy: "8", "first 3 layers"; "TP 8"; "TP 8 · PP 4 · DP 1 · ZeRO 1 · …" */
char *shardwise_text_value (const SwStrategy *strategy, SwDimension dimension);
char *shardwise_text_part (const SwStrategy *strategy, SwDimension dimension);
char *shardwise_text_strategy (const SwStrategy *strategy);
char *shardwise_text_gpu_of_stage (const SwStrategy *strategy, guint stage);
const char *shardwise_text_framework (guint framework); /* "Megatron-Core"; static */
gboolean
shardwise_dimension_is_implied (const SwStrategy *a, const SwStrategy *b, SwDimension dimension);
/* "PP 8, ZeRO 1": what else differs; at most three. NULL: nothing. */
char *
shardwise_text_differences (const SwStrategy *chosen, const SwStrategy *other, SwDimension except);

G_END_DECLS
