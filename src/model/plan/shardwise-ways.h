/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* A variant of a job, for which memory or numbers of GPUs are computed as well. */
typedef struct {
  const char *name;    /* "LoRA" */
  const char *title;   /* N_() marked; used in the middle of a sentence */
  const char *changes; /* an a{sv}, as text */
  gboolean is_whole;   /* the baseline: saves nothing */
  gboolean is_adapter, is_offload;
} ShardwiseWay;

enum { SHARDWISE_N_WAYS = 7 };
extern const ShardwiseWay shardwise_ways[SHARDWISE_N_WAYS]; /* most memory first */

/* Returns: (transfer full) (nullable): NULL if the job already is so, or would save nothing */
ShardwiseScenario *shardwise_way_apply (const ShardwiseWay *self, ShardwiseScenario *scenario);
void shardwise_keep_off_host (ShardwiseScenario *scenario);
guint shardwise_least_gpus (ShardwiseScenario *scenario); /* 0: none of those tried */

G_END_DECLS
