/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* One cluster size with its own best strategy. */
typedef struct {
  guint gpus;
  SwEstimate estimate; /* fits is FALSE where nothing does */
  double days, cost;   /* 0 where no token count or price is set */
} ShardwiseSizingPoint;

/* Returns (transfer full): GPtrArray of ShardwiseSizingPoint, one per entry of gpus, in its order. gpus NULL: sizes around the scenario's. */
GPtrArray *shardwise_sizing_compute (ShardwiseScenario *scenario, const guint *gpus, guint n_gpus,
                                     void (*progress) (double fraction, gpointer data), gpointer progress_data,
                                     GCancellable *cancellable, GError **error);

G_END_DECLS
