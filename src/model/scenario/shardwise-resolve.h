/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-machine.h"
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* From a document to the engine's question: presets, sizes and architectures become a model, a GPU of
 * the catalogue or an object over one becomes a cluster, what is not set has its default, and what is
 * pinned must be able to hold together. Errors are of SHARDWISE_ERROR and name the key, what is wrong
 * with it and what it accepts, translated.
 *
 * `notes` (out) (transfer full) (optional), of char*: translated sentences on what is approximated or
 * has no effect. */
gboolean shardwise_scenario_resolve (ShardwiseScenario *self, SwProblem *out, GPtrArray **notes,
                                     GError **error);
/* The same question on another number of GPUs. */
gboolean
shardwise_scenario_resolve_on (ShardwiseScenario *self, guint gpus, SwProblem *out, GError **error);
/* (transfer floating) (nullable): what the key at `path` is where it is not set. */
GVariant *shardwise_resolve_default (const SwProblem *problem, ShardwiseKeyId id);
/* (transfer floating) (nullable): changes that take all pins away, where they are what is wrong. */
GVariant *shardwise_scenario_get_unpinning (ShardwiseScenario *self);

gboolean shardwise_scenario_get_machine (ShardwiseScenario *self, ShardwiseMachine *machine,
                                         SwProblem *base);

G_END_DECLS
