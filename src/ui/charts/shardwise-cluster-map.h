/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-communication.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* Where a GPU stands in the strategy. Rank order: tp, cp, ep, dp, pp, innermost first. */
typedef struct {
  gboolean idle;
  guint tp, cp, dp, pp, ep;
} ShardwiseRank;

typedef enum {
  SHARDWISE_GROUP_NONE = 0,
  SHARDWISE_GROUP_TENSOR = 1 << 0,
  SHARDWISE_GROUP_CONTEXT = 1 << 1,
  SHARDWISE_GROUP_EXPERT = 1 << 2,
  SHARDWISE_GROUP_DATA = 1 << 3,
  SHARDWISE_GROUP_PIPELINE = 1 << 4,
} ShardwiseGroups;

/* A run of neighbouring nodes of which all hold the same stages and groups in the same places. */
typedef struct {
  guint first, count;
} ShardwiseNodeRun;

void shardwise_rank_of_gpu (const SwStrategy *strategy, guint gpu, ShardwiseRank *out);
ShardwiseGroups shardwise_rank_common_groups (const SwStrategy *strategy, guint gpu_a, guint gpu_b);
guint shardwise_rank_coordinate (const ShardwiseRank *rank, SwCommunicationGroup group);
GArray *shardwise_cluster_map_runs (const SwStrategy *strategy, guint gpus, guint gpus_per_node,
                                    SwCommunicationGroup group); /* of ShardwiseNodeRun */
gboolean shardwise_cluster_map_generates (const SwTraining *training);
/* In each, `generates`: the GPUs that training leaves over generate answers; else they are idle. */
/* (transfer full): "stage 0", "stages 0–1", "replicas 0–3", "idle" */
char *shardwise_cluster_map_node_content (const SwStrategy *strategy, guint gpus,
                                          guint gpus_per_node, gboolean generates, guint node);
/* (transfer full): the GPU's place and its coordinates in words: "GPU 9 (node 1, slot 1), stage 0
 * of 4" */
char *
shardwise_cluster_map_coordinates (const SwStrategy *strategy, guint gpus_per_node, guint gpu);
/* (transfer full): the GPU's place and its groups in words */
char *shardwise_cluster_map_describe (const SwStrategy *strategy, guint gpus, guint gpus_per_node,
                                      gboolean generates, guint gpu);
/* (transfer full): the whole picture in one sentence */
char *shardwise_cluster_map_summary (const SwStrategy *strategy, guint gpus, guint gpus_per_node,
                                     gboolean generates);

G_END_DECLS
