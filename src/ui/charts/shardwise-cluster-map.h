/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-palette.h"
#include <graphene.h>
#include "sw-communication.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* The position of a GPU in the strategy. Rank order: tp, cp, ep, dp, pp, innermost first. */
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

/* Consecutive nodes with the same stages and groups in the same slots. */
typedef struct {
  guint first, count;
} ShardwiseNodeRun;

void shardwise_rank_of_gpu (const SwStrategy *strategy, guint gpu, ShardwiseRank *out);
ShardwiseGroups shardwise_rank_common_groups (const SwStrategy *strategy, guint gpu_a, guint gpu_b);
guint shardwise_rank_coordinate (const ShardwiseRank *rank, SwCommunicationGroup group);
gboolean shardwise_cluster_map_generates (const SwTraining *training);
/* generates: GPUs not used for training generate answers; else they are idle. */
/* Returns: (transfer full): "stage 0", "stages 0–1", "replicas 0–3", "idle" */
char *shardwise_cluster_map_node_content (const SwStrategy *strategy, guint gpus,
                                          guint gpus_per_node, gboolean generates, guint node);
/* Returns: (transfer full): the GPU's position and coordinates: "GPU 9 (node 1, slot 1), stage 0 of
 * 4" */
char *
shardwise_cluster_map_coordinates (const SwStrategy *strategy, guint gpus_per_node, guint gpu);
/* Returns: (transfer full): the GPU's position and groups in words */
char *shardwise_cluster_map_describe (const SwStrategy *strategy, guint gpus_per_node,
                                      gboolean generates, guint gpu);
/* Returns: (transfer full): the whole picture in one sentence */
char *shardwise_cluster_map_summary (const SwStrategy *strategy, guint gpus, guint gpus_per_node,
                                     gboolean generates);

/* Sizes in the picture of a cluster, in pixels. */
enum {
  SHARDWISE_CLUSTER_SQUARE = 20,       /* minimum, unless that needs many lines */
  SHARDWISE_CLUSTER_TIGHT_SQUARE = 16, /* minimum if it saves a line */
  SHARDWISE_CLUSTER_LEAST_SQUARE = 10,
  SHARDWISE_CLUSTER_LARGEST_SQUARE = 40,
  SHARDWISE_CLUSTER_GAP = 4,
  SHARDWISE_CLUSTER_BAR = 3,
  SHARDWISE_CLUSTER_PADDING = 10,
  SHARDWISE_CLUSTER_LABEL_HEIGHT = 20,
  SHARDWISE_CLUSTER_TILE_GAP = 12,
};

typedef enum {
  SHARDWISE_TILE_NODE,       /* one node */
  SHARDWISE_TILE_RUN,        /* one node drawn for `count` identical ones */
  SHARDWISE_TILE_MORE_ALIKE, /* not drawn: `count` more identical nodes */
  SHARDWISE_TILE_MORE,       /* not drawn: `count` more nodes of other stages */
} ShardwiseTileKind;

typedef struct {
  ShardwiseTileKind kind;
  guint node, count;
} ShardwiseTile;

/* Which nodes are drawn, and where. width and mirrored (right to left) belong to the widget.
 * generates: GPUs not used for training generate answers. */
typedef struct {
  SwStrategy strategy;
  guint gpus, gpus_per_node;
  GArray *tiles; /* of ShardwiseTile; owned */
  int width;
  int room; /* height in pixels available for larger squares; 0: as low as possible */
  gboolean mirrored, generates;
} ShardwiseClusterLayout;

void shardwise_cluster_layout_set (ShardwiseClusterLayout *layout, const SwStrategy *strategy,
                                   guint gpus, guint gpus_per_node, SwCommunicationGroup group);
void shardwise_cluster_layout_clear (ShardwiseClusterLayout *layout);
gboolean shardwise_cluster_layout_is_drawn (const ShardwiseTile *tile);
guint shardwise_cluster_layout_squares (const ShardwiseClusterLayout *layout);  /* of one node */
guint shardwise_cluster_layout_columns (const ShardwiseClusterLayout *layout);  /* of one node */
int shardwise_cluster_layout_tile_width (const ShardwiseClusterLayout *layout); /* minimum */
int shardwise_cluster_layout_height (const ShardwiseClusterLayout *layout, int width);
void shardwise_cluster_layout_tile (const ShardwiseClusterLayout *layout, guint index,
                                    graphene_rect_t *out);
void
shardwise_cluster_layout_square (const ShardwiseClusterLayout *layout, const graphene_rect_t *tile,
                                 guint slot, graphene_rect_t *out);
int shardwise_cluster_layout_gpu_at (const ShardwiseClusterLayout *layout, double x,
                                     double y); /* -1: none */
gboolean shardwise_cluster_layout_place (const ShardwiseClusterLayout *layout, guint gpu,
                                         graphene_rect_t *out);
char *
shardwise_cluster_layout_label (const ShardwiseClusterLayout *layout, const ShardwiseTile *tile);

/* What distinguishes the GPUs of a strategy by color: stages, else replicas, else nothing (count
 * 1). */
typedef struct {
  ShardwiseColor category;
  guint index, count; /* of one GPU: its stage or replica, and their number */
} ShardwiseClusterShade;

void shardwise_cluster_shade (const SwStrategy *strategy, const ShardwiseRank *rank,
                              ShardwiseClusterShade *out);
ShardwiseColor shardwise_cluster_shade_ink (const ShardwiseClusterShade *shade);
void
shardwise_cluster_shade_color (const ShardwiseClusterShade *shade, gboolean dark, GdkRGBA *out);
void shardwise_cluster_group_color (ShardwiseGroups groups, gboolean dark, GdkRGBA *out);

G_END_DECLS
