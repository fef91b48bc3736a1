/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* A way to train, for which memory or a number of GPUs is worked out beside that of a job. */
typedef struct {
  const char *name;    /* "LoRA" */
  const char *title;   /* N_() marked, in the middle of a sentence */
  const char *changes; /* of a{sv}, as text */
  gboolean is_whole;   /* it saves nothing */
  gboolean is_adapter, is_offload;
} ShardwiseWay;

enum { SHARDWISE_N_WAYS = 7 };
extern const ShardwiseWay shardwise_ways[SHARDWISE_N_WAYS]; /* what takes most memory first */

/* (transfer full) (nullable): it is so already, or saves nothing of it */
ShardwiseScenario *shardwise_way_apply (const ShardwiseWay *self, ShardwiseScenario *scenario);
void shardwise_keep_off_host (ShardwiseScenario *scenario);
guint shardwise_least_gpus (ShardwiseScenario *scenario); /* 0: none that was tried */

G_END_DECLS
