/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "shardwise-scenario.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* The compared ways to fine-tune, most memory first. */
typedef enum {
  SHARDWISE_TUNING_FULL,
  SHARDWISE_TUNING_FULL_8BIT, /* with 8-bit Adam */
  SHARDWISE_TUNING_LORA,
  SHARDWISE_TUNING_QLORA,
  SHARDWISE_N_TUNINGS
} ShardwiseTuning;
extern const char *const shardwise_tuning_names[]; /* "full", "full-8bit", "lora", "qlora" */

/* One model, fine-tuned one way, on one cluster. */
typedef struct {
  ShardwiseTuning tuning;
  SwEstimate
      estimate; /* of the strategy to start with; if `fits` is FALSE, nothing fits and it is the
                   nearest */
  guint gpus;   /* of the cluster; 0: the model fits on no number */
  guint sequence_length, longest_sequence; /* tokens; longest_sequence: the longest that fits, by
                                              doubling; 0: none */
  double price_per_hour;                   /* of all GPUs; 0: unknown */
  char currency[16], price_date[24];       /* of the price; "": unknown */
  GVariant *changes;                       /* a{sv} that turn the given scenario into this one */
} ShardwiseCapacityCell;

/* All ways to fine-tune one model on one machine or one type of GPU. */
typedef struct {
  char *id, *name;   /* of the model or GPU in the catalog */
  double parameters; /* of the model */
  ShardwiseCapacityCell cells[SHARDWISE_N_TUNINGS];
} ShardwiseCapacityRow;

const char *shardwise_tuning_title (ShardwiseTuning tuning);

/* The result. Immutable. */
typedef struct {
  SwProblem problem; /* of the first row: has the machine's cluster, or the model */
  gboolean of_gpus;  /* rows are GPUs with their smallest number; else models */
  GPtrArray *rows;   /* of ShardwiseCapacityRow */
} ShardwiseCapacity;

void shardwise_capacity_free (ShardwiseCapacity *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseCapacity, shardwise_capacity_free)

ShardwiseCapacity *
shardwise_capacity_of_machine (ShardwiseScenario *scenario, const char *const *models,
                               void (*progress) (double fraction, gpointer data),
                               gpointer progress_data, GCancellable *cancellable, GError **error);
ShardwiseCapacity *
shardwise_capacity_for_model (ShardwiseScenario *scenario,
                              void (*progress) (double fraction, gpointer data),
                              gpointer progress_data, GCancellable *cancellable, GError **error);
gboolean shardwise_capacity_fits (const ShardwiseCapacity *self);
GPtrArray *shardwise_capacity_by_price (const ShardwiseCapacity *self, ShardwiseTuning tuning);
JsonNode *shardwise_capacity_to_json (const ShardwiseCapacity *self);
char *shardwise_capacity_text (const ShardwiseCapacityCell *cell);

G_END_DECLS
