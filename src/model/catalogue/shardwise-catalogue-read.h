/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>
#include "sw-problem.h"

G_BEGIN_DECLS

/* One record of models.json. */
typedef struct {
  SwModelSpec spec;
  double reported_parameters; /* 0: none */
  double computed_parameters; /* the catalog's own sum of the dimensions; 0: none */
  char *hybrid;               /* "mamba2": layers other than attention; NULL: none */
} ShardwiseModelRecord;

/* One record of gpus.json. */
typedef struct {
  SwGpu gpu;
  gboolean is_usual; /* the GPU that most people mean by "a GPU of that memory": NVIDIA, SXM, on
                        sale */
} ShardwiseGpuRecord;

JsonNode *shardwise_catalogue_load (const char *name); /* (transfer full): a file of the catalog */
void shardwise_catalogue_read_model (JsonObject *object, ShardwiseModelRecord *out);
void shardwise_catalogue_read_gpu (JsonObject *object, SwGpu *gpu);
gboolean
shardwise_catalogue_read_calibration (JsonObject *object, SwCalibration *out, GError **error);

double shardwise_json_number (JsonObject *object, const char *name, double fallback);
const char *shardwise_json_text (JsonObject *object, const char *name);
JsonObject *shardwise_json_object (JsonObject *object, const char *name);

G_END_DECLS
