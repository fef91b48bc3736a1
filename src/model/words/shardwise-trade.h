/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* The advantages of one strategy over another: a set of bits. */
typedef enum {
  SHARDWISE_TRADE_FASTER = 1 << 0,
  SHARDWISE_TRADE_SAFER = 1 << 1, /* fits even at the upper end of its memory */
  SHARDWISE_TRADE_MEMORY = 1 << 2,
  SHARDWISE_TRADE_GPUS = 1 << 3, /* leaves fewer GPUs idle */
  SHARDWISE_TRADE_RECOMPUTE = 1 << 4,
  SHARDWISE_TRADE_BUBBLE = 1 << 5,
  SHARDWISE_TRADE_WAITING = 1 << 6, /* waits less for communication */
  SHARDWISE_TRADE_NO_PP = 1 << 7,
  SHARDWISE_TRADE_NO_TP = 1 << 8,
  SHARDWISE_TRADE_NO_CP = 1 << 9,
  SHARDWISE_TRADE_NO_EP = 1 << 10,
} ShardwiseTrade;
#define SHARDWISE_N_TRADES 11
extern const char *const shardwise_trade_names[];

guint shardwise_trades (const SwEstimate *from, const SwEstimate *to);
char *shardwise_text_trades (const SwEstimate *from, const SwEstimate *to); /* (nullable) */

G_END_DECLS
