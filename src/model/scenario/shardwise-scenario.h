/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>
#include "shardwise-catalogue.h"
#include "shardwise-error.h"
#include "shardwise-factors.h"
#include "shardwise-key.h"

G_BEGIN_DECLS

/* A scenario document: the values that were set, by key; all other keys have their defaults.
 * Setters check type and range; they reject an invalid value and keep the old one. */
#define SHARDWISE_TYPE_SCENARIO (shardwise_scenario_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseScenario, shardwise_scenario, SHARDWISE, SCENARIO, GObject)

/* Signal "changed" (scenario, const char *path), detailed by the path: "changed::cluster.gpus";
 * path "": several keys. Properties: "name" (string), "modified" (boolean), "can-undo",
 * "can-redo" */

ShardwiseScenario *shardwise_scenario_new (void); /* valid and complete: llama-3-8b on 8
                                                     h100-80-sxm */
ShardwiseScenario *shardwise_scenario_copy (ShardwiseScenario *self);
ShardwiseScenario *shardwise_scenario_from_json (const char *text, gssize length, GError **error);
char *shardwise_scenario_to_json (ShardwiseScenario *self);
/* undoable */
gboolean shardwise_scenario_replace (ShardwiseScenario *self, ShardwiseScenario *other);

/* sinks value */
gboolean shardwise_scenario_set (ShardwiseScenario *self, ShardwiseKeyId id, GVariant *value,
                                 GError **error);
/* changes: a{sv}; "" resets; applies all changes or none */
gboolean shardwise_scenario_apply (ShardwiseScenario *self, GVariant *changes, GError **error);
void shardwise_scenario_reset (ShardwiseScenario *self, ShardwiseKeyId id);
gboolean shardwise_scenario_is_set (ShardwiseScenario *self, ShardwiseKeyId id);
/* Returns: (transfer full) (nullable): the value that was set, else the current default, else
 * NULL */
GVariant *shardwise_scenario_get (ShardwiseScenario *self, ShardwiseKeyId id);
char *shardwise_scenario_get_string (ShardwiseScenario *self, ShardwiseKeyId id);
double shardwise_scenario_get_number (ShardwiseScenario *self, ShardwiseKeyId id, double fallback);

/* (transfer none) (nullable): only a value that was set */
GVariant *shardwise_scenario_peek (ShardwiseScenario *self, ShardwiseKeyId id);
double shardwise_scenario_peek_number (ShardwiseScenario *self, ShardwiseKeyId id, double fallback);
const char *shardwise_scenario_peek_string (ShardwiseScenario *self, ShardwiseKeyId id);

gboolean shardwise_scenario_get_modified (ShardwiseScenario *self);
void shardwise_scenario_set_saved_as (ShardwiseScenario *self, ShardwiseScenario *written);
void shardwise_scenario_undo (ShardwiseScenario *self);
void shardwise_scenario_redo (ShardwiseScenario *self);

/* Factors from the user's runs, which are not part of the document; neutral by default. */
void shardwise_scenario_set_factors (ShardwiseScenario *self, const ShardwiseFactors *factors);
ShardwiseFactors shardwise_scenario_get_factors (ShardwiseScenario *self);

/* Returns: whether it can be evaluated */
gboolean shardwise_scenario_get_resolves (ShardwiseScenario *self);

G_END_DECLS
