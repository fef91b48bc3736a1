/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-dimension.h"

G_BEGIN_DECLS

/* Strategies in words; translated and, where not static, newly allocated. */
/* Of a strategy: "8", "first 3 layers"; "TP 8"; "TP 8 · PP 4 · DP 1 · ZeRO 1 · …" */
char *shardwise_text_value (const SwStrategy *strategy, SwDimension dimension);
char *shardwise_text_part (const SwStrategy *strategy, SwDimension dimension);
char *shardwise_text_strategy (const SwStrategy *strategy);
char *shardwise_text_gpu_of_stage (const SwStrategy *strategy, guint stage);
const char *shardwise_text_framework (guint framework); /* "Megatron-Core"; static */
/* "PP 8, ZeRO 1": what else differs; at most three. NULL: nothing. */
char *
shardwise_text_differences (const SwStrategy *chosen, const SwStrategy *other, SwDimension except);

G_END_DECLS
