/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-cluster-layout.h"

G_BEGIN_DECLS

/* How the picture of a cluster is painted. */
enum { SHARDWISE_CLUSTER_LEGEND_HEIGHT = 26 }; /* pixels below the nodes */

gboolean shardwise_cluster_has_legend (const ShardwiseClusterLayout *layout);
GskRenderNode *shardwise_cluster_draw (GtkWidget *widget, const ShardwiseClusterLayout *layout);
void shardwise_cluster_draw_light (GtkWidget *widget, const ShardwiseClusterLayout *layout,
                                   guint lit, GtkSnapshot *snapshot);

G_END_DECLS
