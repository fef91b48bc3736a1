/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-dimension.h"

G_BEGIN_DECLS

/* Strategies in words; translated and, where not static, newly allocated. */

/* The value of a dimension: "8", "first 3 layers"; and with its name: "TP 8". */
char *shardwise_text_value (const SwStrategy *strategy, SwDimension dimension);
char *shardwise_text_part (const SwStrategy *strategy, SwDimension dimension);
/* The dimensions that are in use: "TP 8 · PP 4 · DP 1 · ZeRO 1 · …" */
char *shardwise_text_strategy (const SwStrategy *strategy);
/* Whose memory a sentence speaks of: "a GPU of stage 3", "every GPU" without a pipeline. */
char *shardwise_text_gpu_of_stage (const SwStrategy *strategy, guint stage);
/* Of an SwFramework: "Megatron-Core"; static. */
const char *shardwise_text_framework (guint framework);
/* What else differs: "PP 8, ZeRO 1"; at most three. NULL: nothing. */
char *
shardwise_text_differences (const SwStrategy *chosen, const SwStrategy *other, SwDimension except);

G_END_DECLS
