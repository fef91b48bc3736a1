/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-measurement.h"
#include "sw-problem.h"

G_BEGIN_DECLS

/* The layer that a step probe (data/probe) runs: its LAYER, one number per field. Sizes are those
 * of the whole layer, except for experts, which are one rank's. */
typedef enum {
  SHARDWISE_LAYER_HIDDEN,
  SHARDWISE_LAYER_INTERMEDIATE,
  SHARDWISE_LAYER_HEADS,
  SHARDWISE_LAYER_KV_HEADS,
  SHARDWISE_LAYER_HEAD_SIZE,
  SHARDWISE_LAYER_GATED,
  SHARDWISE_LAYER_ROTARY,
  SHARDWISE_LAYER_RMS_NORM,
  SHARDWISE_LAYER_EXPERTS,
  SHARDWISE_LAYER_TOP_K,
  SHARDWISE_LAYER_EXPERT_SIZE,
  SHARDWISE_LAYER_SHARED_SIZE,
  SHARDWISE_LAYER_KV_LORA_RANK,
  SHARDWISE_LAYER_Q_LORA_RANK,
  SHARDWISE_LAYER_NOPE_SIZE,
  SHARDWISE_LAYER_ROPE_SIZE,
  SHARDWISE_LAYER_VALUE_SIZE,
  SHARDWISE_LAYER_TOKENS,
  SHARDWISE_LAYER_SEQUENCES,
  SHARDWISE_LAYER_TP,
  SHARDWISE_LAYER_CP,
  SHARDWISE_LAYER_ETP,
  SHARDWISE_LAYER_SEQUENCE_PARALLEL,
  SHARDWISE_LAYER_RING,
  SHARDWISE_LAYER_ULYSSES,
  SHARDWISE_LAYER_FUSED,
  SHARDWISE_LAYER_RECOMPUTE, /* the whole layer; then by operator, then by module */
  SHARDWISE_LAYER_RECOMPUTE_OPERATORS,
  SHARDWISE_LAYER_RECOMPUTE_CORE,
  SHARDWISE_LAYER_RECOMPUTE_NORMS,
  SHARDWISE_LAYER_RECOMPUTE_UP,
  SHARDWISE_LAYER_RECOMPUTE_MLP,
  SHARDWISE_LAYER_RECOMPUTE_EXPERTS,
  SHARDWISE_LAYER_RECOMPUTE_ACTIVATION,
  SHARDWISE_LAYER_RECOMPUTE_SHARED,
  SHARDWISE_N_LAYER_FIELDS
} ShardwiseLayerField;

/* Measurements of the layer: seconds of each kind, forward (even) and backward (odd), then
 * bytes. */
typedef enum {
  SHARDWISE_STEP_ATTENTION,
  SHARDWISE_STEP_LINEAR = 2,
  SHARDWISE_STEP_EXPERTS = 4,
  SHARDWISE_STEP_ELEMENTWISE = 6,
  SHARDWISE_STEP_TENSOR = 8,
  SHARDWISE_STEP_CONTEXT = 10,
  SHARDWISE_STEP_RECOMPUTATION = 12, /* backward only */
  SHARDWISE_STEP_LAYER = 14,
  SHARDWISE_STEP_KEPT = 16, /* bytes kept from forward to backward */
  SHARDWISE_STEP_PEAK,      /* peak bytes in backward, without weight gradients */
  SHARDWISE_N_STEP_ROWS
} ShardwiseStepRowId;

/* A measured layer: "step" in the "measured" section of an object in cluster.gpu. */
typedef struct {
  char gpu[64];    /* the driver's name, or "CPU"; "": not measured */
  guint framework; /* SwFramework that the layer belongs to */
  guint layer[SHARDWISE_N_LAYER_FIELDS];
  ShardwiseMeasurement row[SHARDWISE_N_STEP_ROWS];
} ShardwiseMeasuredStep;

typedef struct {
  ShardwiseStepRowId id;
  double measured, spread, predicted;
} ShardwiseStepRow;

const char *shardwise_step_layer_name (ShardwiseLayerField field); /* in the files */
guint shardwise_step_layer_most (ShardwiseLayerField field);
gboolean shardwise_step_has_layer (const guint layer[SHARDWISE_N_LAYER_FIELDS]);
const char *shardwise_step_kind (ShardwiseStepRowId id);         /* in the files: "element-wise" */
const char *shardwise_step_pass (ShardwiseStepRowId id);         /* (nullable): "forward" */
char *shardwise_step_title (ShardwiseStepRowId id);              /* "Attention, forward" */
char *shardwise_step_text (ShardwiseStepRowId id, double value); /* "1.42 ms" */
char *shardwise_step_describe (const ShardwiseMeasuredStep *self, const char *framework);

void shardwise_step_from_strategy (const SwProblem *problem, const SwStrategy *strategy,
                                   ShardwiseMeasuredStep *out);
guint shardwise_step_rows (const ShardwiseMeasuredStep *self, const SwProblem *base,
                           ShardwiseStepRow out[SHARDWISE_N_STEP_ROWS]);
gboolean shardwise_step_read (JsonNode *node, ShardwiseMeasuredStep *out, GError **error);
JsonObject *shardwise_step_to_json (const ShardwiseMeasuredStep *self);

G_END_DECLS
