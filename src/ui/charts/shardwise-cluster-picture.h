/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-cluster-map.h"

G_BEGIN_DECLS

/* Nodes and GPUs as small squares, coloured by pipeline stage (else by replica, else by tensor
 * group). Hovering, or the arrow keys, light up the groups of a GPU; "readout" says them in words.
 * Large clusters are summarised. */
#define SHARDWISE_TYPE_CLUSTER_PICTURE (shardwise_cluster_picture_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseClusterPicture, shardwise_cluster_picture, SHARDWISE,
                      CLUSTER_PICTURE, GtkWidget)
/* property "readout" (string, read-only) */

GtkWidget *shardwise_cluster_picture_new (void);
void
shardwise_cluster_picture_set_strategy (ShardwiseClusterPicture *self, const SwStrategy *strategy,
                                        guint gpus, guint gpus_per_node, gboolean generates);
/* Where a GPU is drawn at the present size; FALSE: it is only summarised. */
gboolean shardwise_cluster_picture_get_place (ShardwiseClusterPicture *self, guint gpu,
                                              graphene_rect_t *out);

/* How the picture of a cluster is painted. */
enum { SHARDWISE_CLUSTER_LEGEND_HEIGHT = 26 }; /* pixels below the nodes */

gboolean shardwise_cluster_has_legend (const ShardwiseClusterLayout *layout);

G_END_DECLS
