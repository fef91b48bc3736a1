/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* One strategy as a row of a list; its figures are properties for GtkColumnView lookups and
 * sorters. */
#define SHARDWISE_TYPE_STRATEGY (shardwise_strategy_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseStrategy, shardwise_strategy, SHARDWISE, STRATEGY, GObject)
/* Properties (read-only): "rank" (uint, 1 = best), "tp", "pp", "vpp", "dp", "cp", "ep", "zero",
 * "micro-batch" (uint), "gpus" (uint), "recompute", "schedule", "offload", "framework", "summary"
 * (string), "memory-gib", "step-seconds", "tokens-per-s", "tokens-per-s-per-gpu", "mfu" (double),
 * "difference" (string: how it differs from the best and what that costs) */
ShardwiseStrategy *shardwise_strategy_new (ShardwiseAdvice *advice, guint candidate);
ShardwiseStrategy *shardwise_strategy_new_awaited (void);
void shardwise_strategy_set (ShardwiseStrategy *self, ShardwiseAdvice *advice, guint candidate,
                             guint variants);
char *shardwise_strategy_speed_text (ShardwiseStrategy *self);
guint shardwise_strategy_get_variants (ShardwiseStrategy *self);
void shardwise_strategy_await (ShardwiseStrategy *self);
gboolean shardwise_strategy_is_awaited (ShardwiseStrategy *self);
const SwEstimate *shardwise_strategy_get_estimate (ShardwiseStrategy *self);

G_END_DECLS
