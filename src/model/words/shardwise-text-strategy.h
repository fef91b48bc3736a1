/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-dimension.h"

G_BEGIN_DECLS

/* Strategies in words; translated, and newly allocated unless static. */

/* The value of a dimension, "8" or "first 3 layers"; and with its name, "TP 8". */
char *shardwise_text_value (const SwStrategy *strategy, SwDimension dimension);
char *shardwise_text_part (const SwStrategy *strategy, SwDimension dimension);
/* The dimensions in use: "TP 8 · PP 4 · DP 1 · ZeRO 1 · …" */
char *shardwise_text_strategy (const SwStrategy *strategy);
/* The GPU that a sentence about memory refers to: "a GPU of stage 3"; without a pipeline "every
 * GPU". */
char *shardwise_text_gpu_of_stage (const SwStrategy *strategy, guint stage);
/* The name of an SwFramework: "Megatron-Core"; static. */
const char *shardwise_text_framework (guint framework);
/* The other differences: "PP 8, ZeRO 1"; at most three. NULL: none. */
char *
shardwise_text_differences (const SwStrategy *chosen, const SwStrategy *other, SwDimension except);

G_END_DECLS
