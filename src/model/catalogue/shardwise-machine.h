/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "shardwise-step.h"
#include "sw-compute.h"

G_BEGIN_DECLS

/* Measurements of a machine: rates, times or bytes. */
typedef enum {
  SHARDWISE_FIGURE_GEMM,         /* FLOP/s of 16-bit GEMMs, long inner dimension, whole waves */
  SHARDWISE_FIGURE_GEMM_FP8,     /* the same for 8 bits */
  SHARDWISE_FIGURE_ATTENTION,    /* FLOP/s of PyTorch's flash kernel, head size 128, long
                                    sequence */
  SHARDWISE_FIGURE_MEMORY,       /* bytes/s of a kernel that only reads and writes */
  SHARDWISE_FIGURE_LAUNCH,       /* host seconds per eager forward pass of a layer */
  SHARDWISE_FIGURE_HOST_COPY,    /* bytes/s, one direction, all GPUs of a node at once */
  SHARDWISE_FIGURE_INTRA,        /* bus bandwidth of large messages inside the node */
  SHARDWISE_FIGURE_INTER,        /* the same per GPU between nodes */
  SHARDWISE_FIGURE_CONTEXT,      /* bytes that a process holds before its first allocation */
  SHARDWISE_FIGURE_COMMUNICATOR, /* bytes per communicator */
  SHARDWISE_N_FIGURES
} ShardwiseFigureId;

/* A measured machine: the "measured" section of an object in cluster.gpu. */
typedef struct {
  char date[16];                                    /* YYYY-MM-DD; "": not measured */
  ShardwiseMeasurement figure[SHARDWISE_N_FIGURES]; /* in the units above */
  ShardwiseMeasuredStep step;
} ShardwiseMachine;

/* A measurement beside the catalog's value and the one that the model uses. */
typedef struct {
  double measured, spread, expected, used;
} ShardwiseMachineRow;

const char *shardwise_figure_title (ShardwiseFigureId id);        /* translated */
char *shardwise_figure_text (ShardwiseFigureId id, double value); /* "687 TFLOP/s" */
gboolean shardwise_figure_is_rate (ShardwiseFigureId id);

gboolean shardwise_machine_read (JsonObject *object, ShardwiseMachine *out, GError **error);
JsonNode *shardwise_machine_to_json (const ShardwiseMachine *self);
void shardwise_machine_rates (const SwProblem *problem, gboolean fp8, SwRates *rates);
double shardwise_machine_expected (const SwProblem *problem, ShardwiseFigureId id);
gboolean shardwise_machine_row (const ShardwiseMachine *self, const SwProblem *base,
                                ShardwiseFigureId id, ShardwiseMachineRow *out);
void
shardwise_machine_apply (const ShardwiseMachine *self, const SwProblem *base, SwCalibration *out);
void
shardwise_machine_add_notes (const ShardwiseMachine *self, const SwProblem *base, GPtrArray *notes);

/* The user's library of measured clusters: one file for each, with an object for cluster.gpu. */
typedef struct {
  char *name, *object; /* "H100 SXM5 80 GB, measured 2026-11-28"; JSON text */
} ShardwiseKeptCluster;

char *shardwise_cluster_name (const char *object); /* (transfer full) (nullable) */
GPtrArray *shardwise_clusters_list (void);
gboolean shardwise_clusters_keep (const char *object, GError **error);

G_END_DECLS
