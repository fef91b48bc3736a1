/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* The keys of which one replaces the others: a model is a preset, a size or an architecture. */
typedef enum {
  SHARDWISE_MODEL_NONE,
  SHARDWISE_MODEL_PRESET,
  SHARDWISE_MODEL_SIZE,
  SHARDWISE_MODEL_ARCHITECTURE
} ShardwiseModelForm;

/* An array with one slot per key of the table; NULL: not set. */
GPtrArray *shardwise_values_new (void);
GPtrArray *shardwise_values_copy (GPtrArray *values); /* of references */
gboolean shardwise_value_equal (GVariant *a, GVariant *b);
gboolean shardwise_values_equal (GPtrArray *a, GPtrArray *b);
/* (nullable) value */
void shardwise_values_set (GPtrArray *values, const ShardwiseKey *key, GVariant *value);
/* (transfer none) (nullable) */
GVariant *shardwise_values_get (GPtrArray *values, const char *path);
void shardwise_values_drop_other_models (GPtrArray *values, ShardwiseModelForm keep);
/* the only key that differs; "": several; NULL: none */
const char *shardwise_values_difference (GPtrArray *a, GPtrArray *b);

ShardwiseModelForm shardwise_model_form_of_path (const char *path);
/* (transfer none) (nullable): only what was set */
GVariant *shardwise_scenario_peek (ShardwiseScenario *self, const char *path);
double shardwise_scenario_peek_number (ShardwiseScenario *self, const char *path, double fallback);
const char *shardwise_scenario_peek_string (ShardwiseScenario *self, const char *path);
/* no undo, no signal */
gboolean shardwise_scenario_load (ShardwiseScenario *self, const char *path, GVariant *value,
                                  GError **error);

GError *shardwise_unknown_key_error (const char *path);
/* Steps of shardwise_scenario_resolve(), a file each. */
/* takes text; FALSE */
gboolean shardwise_resolve_fail (GError **error, ShardwiseError code, const char *path, char *text);
guint shardwise_resolve_word (ShardwiseScenario *self, const char *path, const char *const *names,
                              guint fallback);
gboolean shardwise_resolve_gpu (ShardwiseScenario *self, SwGpu *out, GError **error);
void shardwise_resolve_pins (ShardwiseScenario *self, SwPins *out);
gboolean shardwise_resolve_check (const SwProblem *problem, GError **error);
gboolean shardwise_resolve_model (ShardwiseScenario *self, SwModelSpec *out, GPtrArray *notes,
                                  GError **error);
GVariant *shardwise_resolve_default (const SwProblem *problem, const char *path);

G_END_DECLS
