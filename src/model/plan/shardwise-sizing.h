/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-cost.h"

G_BEGIN_DECLS

/* The global batch for other numbers of GPUs: unchanged, or proportional to the GPUs. */
typedef enum { SHARDWISE_BATCH_FIXED, SHARDWISE_BATCH_PER_GPU } ShardwiseBatchRule;
extern const char *const shardwise_batch_rule_names[]; /* fixed, per-gpu */

/* One cluster size with its own best strategy. */
typedef struct {
  guint gpus;
  guint global_batch;  /* sequences */
  SwEstimate estimate; /* fits is FALSE if nothing fits */
  ShardwiseCost bill;  /* with checkpoints and interruptions */
  double days, cost;   /* from the bill; 0: tokens or price unknown */
} ShardwiseSizingPoint;

GArray *shardwise_sizing_sizes (guint first, guint present); /* (transfer full) of guint */
void shardwise_sizing_sort (GArray *sizes);
gboolean shardwise_sizing_parse (const char *text, GArray **out, char **why);

/* Returns: (transfer full): of ShardwiseSizingPoint, one per entry of gpus, in its order; NULL with
 * an error. gpus NULL: 8 to 131,072. */
GPtrArray *
shardwise_sizing_compute (ShardwiseScenario *scenario, const guint *gpus, guint n_gpus,
                          void (*progress) (double fraction, gpointer data), gpointer progress_data,
                          GCancellable *cancellable, GError **error);
GPtrArray *
shardwise_sizing_compute_with (ShardwiseScenario *scenario, const guint *gpus, guint n_gpus,
                               ShardwiseBatchRule rule,
                               void (*progress) (double fraction, gpointer data),
                               gpointer progress_data, GCancellable *cancellable, GError **error);
/* Whether the first n points are enough. */
typedef gboolean (*ShardwiseSizingEnough) (GPtrArray *points, guint n, gpointer data);
GPtrArray *
shardwise_sizing_compute_until (ShardwiseScenario *scenario, const guint *gpus, guint n_gpus,
                                ShardwiseSizingEnough enough, gpointer enough_data,
                                void (*progress) (double fraction, gpointer data),
                                gpointer progress_data, GCancellable *cancellable, GError **error);

/* A model size on a number of nodes, with its own best strategy. */
typedef struct {
  double parameters_b; /* billions of parameters */
  guint nodes, gpus;
  SwEstimate estimate; /* fits is FALSE if nothing fits */
} ShardwiseAtlasCell;

extern const guint shardwise_atlas_nodes[];
enum {
  SHARDWISE_ATLAS_SIZES = 12,
  SHARDWISE_ATLAS_NODES = 12,
  SHARDWISE_ATLAS_BENCHMARK_NODES = 7
};

ShardwiseScenario *shardwise_atlas_benchmark (const char *gpu, GError **error);
gboolean shardwise_atlas_cell_scenario (ShardwiseScenario *scenario, const ShardwiseAtlasCell *cell,
                                        GError **error);

/* Returns: (transfer full): of ShardwiseAtlasCell, sorted by size; NULL with an error. sizes_b or
 * nodes NULL: the default set. */
GPtrArray *
shardwise_atlas_compute (ShardwiseScenario *scenario, const double *sizes_b, guint n_sizes,
                         const guint *nodes, guint n_nodes,
                         void (*progress) (double fraction, gpointer data), gpointer progress_data,
                         GCancellable *cancellable, GError **error);

G_END_DECLS
