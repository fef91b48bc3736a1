/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "shardwise-scenario.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* The ways to fine-tune that are set side by side, what takes most memory first. */
typedef enum {
  SHARDWISE_TUNING_FULL,
  SHARDWISE_TUNING_FULL_8BIT, /* with 8-bit Adam */
  SHARDWISE_TUNING_LORA,
  SHARDWISE_TUNING_QLORA,
  SHARDWISE_N_TUNINGS
} ShardwiseTuning;
extern const char *const shardwise_tuning_names[]; /* "full", "full-8bit", "lora", "qlora" */

/* One model, tuned one way, on one cluster. */
typedef struct {
  ShardwiseTuning tuning;
  SwEstimate
      estimate; /* of what to start with; fits is FALSE: nothing does, and this is the nearest */
  guint gpus;   /* of the cluster; 0: the model fits on none */
  guint sequence_length, longest_sequence; /* tokens; the longest that fits, by doubling; 0: none */
  double price_per_hour;                   /* of all GPUs; 0: not known */
  char currency[16], price_date[24];       /* of that price; "": not known */
  GVariant *changes; /* a{sv} of the scenario that was asked, which make it this one */
} ShardwiseCapacityCell;

/* All ways to tune one model on one machine, or one model on one kind of GPU. */
typedef struct {
  char *id, *name;   /* of the model or GPU, of the catalogue */
  double parameters; /* of the model */
  ShardwiseCapacityCell cells[SHARDWISE_N_TUNINGS];
} ShardwiseCapacityRow;

const char *shardwise_tuning_title (ShardwiseTuning tuning);

/* The answer. Immutable. */
typedef struct {
  SwProblem problem; /* of the first row: its cluster is the machine, or its model the one */
  gboolean of_gpus;  /* rows are GPUs, each with the least number of them, else models */
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
