/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-cluster-map.h"

G_BEGIN_DECLS

/* Nodes and GPUs as small squares, colored by pipeline stage, else by replica, else by tensor
 * group. Pointing at a GPU, or the arrow keys, highlights its groups; "readout" describes them.
 * Large clusters are summarized. */
#define SHARDWISE_TYPE_CLUSTER_PICTURE (shardwise_cluster_picture_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseClusterPicture, shardwise_cluster_picture, SHARDWISE,
                      CLUSTER_PICTURE, GtkWidget)
/* Property "readout" (string, read-only) */

GtkWidget *shardwise_cluster_picture_new (void);
void
shardwise_cluster_picture_set_strategy (ShardwiseClusterPicture *self, const SwStrategy *strategy,
                                        guint gpus, guint gpus_per_node, gboolean generates);
/* Gets where a GPU is currently drawn. Returns: FALSE if it is only summarized */
gboolean shardwise_cluster_picture_get_place (ShardwiseClusterPicture *self, guint gpu,
                                              graphene_rect_t *out);

/* ---- drawing ---- */
enum { SHARDWISE_CLUSTER_LEGEND_HEIGHT = 26 }; /* pixels below the nodes */

gboolean shardwise_cluster_has_legend (const ShardwiseClusterLayout *layout);

G_END_DECLS
