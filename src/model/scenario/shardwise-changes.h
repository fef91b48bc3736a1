/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"
#include "sw-strategy.h"
G_BEGIN_DECLS

#define SHARDWISE_ALL_DIMENSIONS ((1u << SW_N_DIMENSIONS) - 1)

/* Changes are an a{sv} of key path to value; "" resets the key. */
void shardwise_changes_insert (GVariantDict *changes, ShardwiseKeyId id, const char *format, ...);

ShardwiseKeyId shardwise_dimension_key (SwDimension dimension);
GVariant *shardwise_dimension_to_variant (SwDimension dimension, guint value);
GVariant *shardwise_strategy_changes (const SwStrategy *strategy, guint dimensions);

/* The same job on another GPU or network: as a copy, or as changes (key path to value; ""
 * resets). */
void shardwise_other_cluster_forget_gpu (GVariantDict *changes, ShardwiseScenario *scenario);
void shardwise_other_cluster_add_gpu (GVariantDict *changes, const char *gpu);
void shardwise_other_cluster_add_network (GVariantDict *changes, const char *network);
ShardwiseScenario *
shardwise_other_cluster_of_gpu (ShardwiseScenario *scenario, const char *gpu, GError **error);
ShardwiseScenario *shardwise_other_cluster_of_network (ShardwiseScenario *scenario,
                                                       const char *network, GError **error);

G_END_DECLS
