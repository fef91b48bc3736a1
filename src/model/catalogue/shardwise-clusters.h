/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The library of the user's measured clusters: objects for cluster.gpu, each in a file of its own. */
typedef struct {
  char *name, *object; /* "H100 SXM5 80 GB, measured 2026-11-28"; JSON text */
} ShardwiseKeptCluster;

char *shardwise_cluster_name (const char *object); /* (transfer full) (nullable) */
GPtrArray *shardwise_clusters_list (void);
gboolean shardwise_clusters_keep (const char *object, GError **error);

G_END_DECLS
