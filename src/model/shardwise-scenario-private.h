/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* The keys of which one replaces the others: a model is a preset, a size or an architecture. */
typedef enum { SHARDWISE_MODEL_NONE, SHARDWISE_MODEL_PRESET, SHARDWISE_MODEL_SIZE, SHARDWISE_MODEL_ARCHITECTURE } ShardwiseModelForm;

ShardwiseModelForm shardwise_model_form_of_path (const char *path);
GVariant *shardwise_scenario_peek (ShardwiseScenario *self, const char *path); /* (transfer none) (nullable): only what was set */
double shardwise_scenario_peek_number (ShardwiseScenario *self, const char *path, double fallback);
const char *shardwise_scenario_peek_string (ShardwiseScenario *self, const char *path);
gboolean shardwise_scenario_load (ShardwiseScenario *self, const char *path, GVariant *value, GError **error); /* no undo, no signal */

GError *shardwise_unknown_key_error (const char *path);
gboolean shardwise_resolve_model (ShardwiseScenario *self, SwModelSpec *out, GPtrArray *notes, GError **error);
GVariant *shardwise_resolve_default (const SwProblem *problem, const char *path);

G_END_DECLS
