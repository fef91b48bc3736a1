/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-machine.h"
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* Turns a document into the engine's question: presets, sizes and architectures become a model,
 * GPUs of the catalog or objects based on one become a cluster, unset keys get their defaults, and
 * pins are checked for consistency. Errors are SHARDWISE_ERROR and state the key, what is wrong and
 * what is allowed; translated.
 *
 * notes: (out) (transfer full) (optional): of char*: translated sentences about approximations and
 * keys without effect. Returns: FALSE with an error */
gboolean shardwise_scenario_resolve (ShardwiseScenario *self, SwProblem *out, GPtrArray **notes,
                                     GError **error);
/* The same question on another number of GPUs. */
gboolean
shardwise_scenario_resolve_on (ShardwiseScenario *self, guint gpus, SwProblem *out, GError **error);
/* Returns: (transfer floating) (nullable): the default of a key */
GVariant *shardwise_resolve_default (const SwProblem *problem, ShardwiseKeyId id);
/* Returns: (transfer floating) (nullable): changes that remove all pins, if the pins are the
 * error */
GVariant *shardwise_scenario_get_unpinning (ShardwiseScenario *self);

gboolean shardwise_scenario_get_machine (ShardwiseScenario *self, ShardwiseMachine *machine,
                                         SwProblem *base);

G_END_DECLS
