/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-cluster-map.h"
#include "shardwise-palette.h"

G_BEGIN_DECLS

/* By what the GPUs of a strategy are told apart: stages, else replicas, else nothing (count 1). */
typedef struct {
  ShardwiseColor category;
  guint index, count; /* of one GPU: number of its stage or replica, and how many there are */
} ShardwiseClusterShade;

void shardwise_cluster_shade (const SwStrategy *strategy, const ShardwiseRank *rank,
                              ShardwiseClusterShade *out);
void
shardwise_cluster_shade_color (const ShardwiseClusterShade *shade, gboolean dark, GdkRGBA *out);
void shardwise_cluster_group_color (ShardwiseGroups groups, gboolean dark, GdkRGBA *out);

G_END_DECLS
