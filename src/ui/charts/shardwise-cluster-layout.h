/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <graphene.h>
#include "shardwise-cluster-map.h"

G_BEGIN_DECLS

/* Sizes in the picture of a cluster, pixels. */
enum {
  SHARDWISE_CLUSTER_SQUARE = 20, /* at least, unless that makes many lines */
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
  SHARDWISE_TILE_RUN,        /* one node drawn for `count` that look the same */
  SHARDWISE_TILE_MORE_ALIKE, /* no drawing: that many more look the same */
  SHARDWISE_TILE_MORE,       /* no drawing: that many more, of other stages */
} ShardwiseTileKind;

typedef struct {
  ShardwiseTileKind kind;
  guint node, count;
} ShardwiseTile;

/* Which nodes are drawn, and where. `width` and `mirrored` (right to left) are the widget's,
 * `generates` is the question's: the GPUs that training leaves over generate answers. */
typedef struct {
  SwStrategy strategy;
  guint gpus, gpus_per_node;
  GArray *tiles; /* of ShardwiseTile; owned */
  int width;
  int room; /* pixels: a height that it may take for larger squares; 0: it is as low as it can be */
  gboolean mirrored, generates;
} ShardwiseClusterLayout;

void shardwise_cluster_layout_set (ShardwiseClusterLayout *layout, const SwStrategy *strategy,
                                   guint gpus, guint gpus_per_node, SwCommunicationGroup group);
void shardwise_cluster_layout_clear (ShardwiseClusterLayout *layout);
gboolean shardwise_cluster_layout_is_drawn (const ShardwiseTile *tile);
guint shardwise_cluster_layout_squares (const ShardwiseClusterLayout *layout);  /* of one node */
guint shardwise_cluster_layout_columns (const ShardwiseClusterLayout *layout);  /* of one node */
int shardwise_cluster_layout_tile_width (const ShardwiseClusterLayout *layout); /* at least */
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

G_END_DECLS
