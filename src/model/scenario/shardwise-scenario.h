/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>
#include "shardwise-catalogue.h"
#include "shardwise-error.h"
#include "shardwise-factors.h"
#include "shardwise-key.h"

G_BEGIN_DECLS

/* A scenario document: the values that were set, by key path; everything else has its default.
 * Setting a value checks it against the key's type and range; an invalid value is refused and the
 * old one kept. */
#define SHARDWISE_TYPE_SCENARIO (shardwise_scenario_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseScenario, shardwise_scenario, SHARDWISE, SCENARIO, GObject)

/* signal "changed" (scenario, const char *path) detailed by the path: "changed::cluster.gpus"; path
 * "" = many. properties: "name" (string), "modified" (boolean), "can-undo", "can-redo" */

ShardwiseScenario *shardwise_scenario_new (void); /* valid and complete: llama-3-8b on 8
                                                     h100-80-sxm */
ShardwiseScenario *shardwise_scenario_copy (ShardwiseScenario *self);
ShardwiseScenario *shardwise_scenario_from_json (const char *text, gssize length, GError **error);
char *shardwise_scenario_to_json (ShardwiseScenario *self);
/* undoable */
gboolean shardwise_scenario_replace (ShardwiseScenario *self, ShardwiseScenario *other);

/* sinks */
gboolean shardwise_scenario_set (ShardwiseScenario *self, ShardwiseKeyId id, GVariant *value,
                                 GError **error);
/* a{sv}, all or nothing; a value of "" resets */
gboolean shardwise_scenario_apply (ShardwiseScenario *self, GVariant *changes, GError **error);
void shardwise_scenario_reset (ShardwiseScenario *self, ShardwiseKeyId id);
gboolean shardwise_scenario_is_set (ShardwiseScenario *self, ShardwiseKeyId id);
/* (transfer full) (nullable): set value, else the default that applies now, else NULL */
GVariant *shardwise_scenario_get (ShardwiseScenario *self, ShardwiseKeyId id);
char *shardwise_scenario_get_string (ShardwiseScenario *self, ShardwiseKeyId id);
double shardwise_scenario_get_number (ShardwiseScenario *self, ShardwiseKeyId id, double fallback);

/* (transfer none) (nullable): only what was set */
GVariant *shardwise_scenario_peek (ShardwiseScenario *self, ShardwiseKeyId id);
double shardwise_scenario_peek_number (ShardwiseScenario *self, ShardwiseKeyId id, double fallback);
const char *shardwise_scenario_peek_string (ShardwiseScenario *self, ShardwiseKeyId id);
/* no undo, no signal */

gboolean shardwise_scenario_get_modified (ShardwiseScenario *self);
void shardwise_scenario_set_saved_as (ShardwiseScenario *self, ShardwiseScenario *written);
void shardwise_scenario_undo (ShardwiseScenario *self);
void shardwise_scenario_redo (ShardwiseScenario *self);

/* The factors of the user's runs, which are no part of the document: neutral until they are set. */
void shardwise_scenario_set_factors (ShardwiseScenario *self, const ShardwiseFactors *factors);
ShardwiseFactors shardwise_scenario_get_factors (ShardwiseScenario *self);

/* whether it can be evaluated */
gboolean shardwise_scenario_get_resolves (ShardwiseScenario *self);

G_END_DECLS
