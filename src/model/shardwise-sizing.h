/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-cost.h"

G_BEGIN_DECLS

/* One cluster size with its own best strategy. */
typedef struct {
  guint gpus;
  SwEstimate estimate; /* fits is FALSE where nothing does */
  ShardwiseCost bill;  /* with checkpoints and interruptions */
  double days, cost;   /* of it; 0 where no token count or price is known */
} ShardwiseSizingPoint;

/* Returns (transfer full): GPtrArray of ShardwiseSizingPoint, one per entry of gpus, in its order. gpus NULL: sizes around the scenario's. */
GPtrArray *shardwise_sizing_compute (ShardwiseScenario *scenario, const guint *gpus, guint n_gpus,
                                     void (*progress) (double fraction, gpointer data), gpointer progress_data,
                                     GCancellable *cancellable, GError **error);

/* A model size on a number of nodes, with its own best strategy. */
typedef struct {
  double parameters_b; /* billions of parameters */
  guint nodes, gpus;
  SwEstimate estimate; /* fits is FALSE where nothing does */
} ShardwiseAtlasCell;

/* Returns (transfer full): GPtrArray of ShardwiseAtlasCell, size by size. sizes_b or nodes NULL: twelve and eight of our own. */
GPtrArray *shardwise_atlas_compute (ShardwiseScenario *scenario, const double *sizes_b, guint n_sizes,
                                    const guint *nodes, guint n_nodes,
                                    void (*progress) (double fraction, gpointer data), gpointer progress_data,
                                    GCancellable *cancellable, GError **error);

G_END_DECLS
