/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to a scenario: a strategy as in scenario files, and which values a job keeps on another
 * GPU or network. */
#include "shardwise-changes.h"
#include "shardwise-resolve.h"

/**
 * shardwise_changes_insert:
 * @changes: for shardwise_scenario_apply()
 * @id: a key
 * @format: format of its value, as for g_variant_new()
 *
 * Adds a change; a text of "" resets the key.
 */
void
shardwise_changes_insert (GVariantDict *changes, ShardwiseKeyId id, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_variant_dict_insert_value (changes, shardwise_key_path (id),
                               g_variant_new_va (format, NULL, &args));
  va_end (args);
}

/**
 * shardwise_dimension_key:
 * @dimension: a dimension of a strategy
 *
 * Returns: the key that pins it
 */
ShardwiseKeyId
shardwise_dimension_key (SwDimension dimension)
{
  static const ShardwiseKeyId keys[SW_N_DIMENSIONS] = {
    [SW_DIM_TP] = SHARDWISE_KEY_STRATEGY_TP,
    [SW_DIM_ETP] = SHARDWISE_KEY_STRATEGY_ETP,
    [SW_DIM_PP] = SHARDWISE_KEY_STRATEGY_PP,
    [SW_DIM_VPP] = SHARDWISE_KEY_STRATEGY_VPP,
    [SW_DIM_DP] = SHARDWISE_KEY_STRATEGY_DP,
    [SW_DIM_CP] = SHARDWISE_KEY_STRATEGY_CP,
    [SW_DIM_CP_METHOD] = SHARDWISE_KEY_STRATEGY_CP_METHOD,
    [SW_DIM_EP] = SHARDWISE_KEY_STRATEGY_EP,
    [SW_DIM_SP] = SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL,
    [SW_DIM_ZERO] = SHARDWISE_KEY_STRATEGY_ZERO_STAGE,
    [SW_DIM_SHARD_GROUP] = SHARDWISE_KEY_STRATEGY_SHARD_GROUP,
    [SW_DIM_MICRO_BATCH] = SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE,
    [SW_DIM_RECOMPUTE] = SHARDWISE_KEY_STRATEGY_RECOMPUTE,
    [SW_DIM_SCHEDULE] = SHARDWISE_KEY_STRATEGY_SCHEDULE,
    [SW_DIM_OFFLOAD] = SHARDWISE_KEY_STRATEGY_OFFLOAD,
  };

  return keys[dimension];
}

/**
 * shardwise_dimension_to_variant:
 * @dimension: a dimension of a strategy
 * @value: its value, as from sw_strategy_get()
 *
 * Returns: (transfer floating): its number, word or boolean
 */
GVariant *
shardwise_dimension_to_variant (SwDimension dimension, guint value)
{
  switch ((int) dimension)
    {
    case SW_DIM_SP: return g_variant_new_boolean (value != 0);
    case SW_DIM_CP_METHOD: return g_variant_new_string (sw_cp_method_names[value]);
    case SW_DIM_RECOMPUTE: return g_variant_new_string (sw_recompute_names[value]);
    case SW_DIM_SCHEDULE: return g_variant_new_string (sw_schedule_names[value]);
    case SW_DIM_OFFLOAD: return g_variant_new_string (sw_offload_names[value]);
    default: return g_variant_new_int64 (value);
    }
}

/**
 * shardwise_strategy_changes:
 * @strategy: values to pin
 * @dimensions: which of them, bit 1 << SwDimension
 *
 * Returns: (transfer floating): a{sv} for shardwise_scenario_apply() and win.apply
 */
GVariant *
shardwise_strategy_changes (const SwStrategy *strategy, guint dimensions)
{
  GVariantDict dict;

  g_return_val_if_fail (strategy != NULL, NULL);

  g_variant_dict_init (&dict, NULL);
  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    if ((dimensions & (1u << i)) != 0)
      {
        const char *key = shardwise_key_path (shardwise_dimension_key (i));

        if (i == SW_DIM_RECOMPUTE && strategy->recompute == SW_RECOMPUTE_FULL_LAYERS)
          g_variant_dict_insert_value (&dict, key,
                                       g_variant_new_take_string (g_strdup_printf (
                                           "full_layers:%u", strategy->full_layers)));
        else
          g_variant_dict_insert_value (
              &dict, key, shardwise_dimension_to_variant (i, sw_strategy_get (strategy, i)));
      }
  return g_variant_dict_end (&dict);
}

/* Keys that a job keeps on another GPU or network, and keys that it does not. */

/* Keys about the scenario's own GPU: memory and links, prices, power and failures. */
static const ShardwiseKeyId of_gpu[] = {
  SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB,
  SHARDWISE_KEY_CLUSTER_NVLINK_DOMAIN,
  SHARDWISE_KEY_CLUSTER_INTRA_NODE,
  SHARDWISE_KEY_CLUSTER_INTRA_NODE_GB_S,
  SHARDWISE_KEY_COST_PRICE,
  SHARDWISE_KEY_COST_PRICE_DATE,
  SHARDWISE_KEY_COST_CAPEX_PER_GPU,
  SHARDWISE_KEY_COST_POWER_W,
  SHARDWISE_KEY_COST_MTBF_GPU_HOURS,
};

/* Keys about the nodes around the GPU. */
static const ShardwiseKeyId of_nodes[] = { SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE,
                                           SHARDWISE_KEY_CLUSTER_INTER_NODE,
                                           SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S };

static void
reset (GVariantDict *changes, ShardwiseKeyId id)
{
  if (!g_variant_dict_contains (changes, shardwise_key_path (id)))
    shardwise_changes_insert (changes, id, "s", "");
}

/**
 * shardwise_other_cluster_forget_gpu:
 * @changes: for shardwise_scenario_apply(); they set a GPU
 * @scenario: (nullable): resets only its set values, and nothing if the GPU is the same; %NULL: all
 *
 * Adds resets of values that do not apply to another GPU, except those that @changes set. The nodes
 * and the network stay.
 */
void
shardwise_other_cluster_forget_gpu (GVariantDict *changes, ShardwiseScenario *scenario)
{
  const char *gpu;

  if (scenario != NULL
      && g_variant_dict_lookup (changes, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPU), "&s", &gpu)
      && g_strcmp0 (gpu, shardwise_scenario_peek_string (scenario, SHARDWISE_KEY_CLUSTER_GPU)) == 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (of_gpu); i++)
    if (scenario == NULL || shardwise_scenario_is_set (scenario, of_gpu[i]))
      reset (changes, of_gpu[i]);
}

/**
 * shardwise_other_cluster_add_gpu:
 * @changes: for shardwise_scenario_apply()
 * @gpu: an id of the catalog
 *
 * Adds changes that move a job to another GPU, with its usual nodes and links.
 */
void
shardwise_other_cluster_add_gpu (GVariantDict *changes, const char *gpu)
{
  shardwise_other_cluster_forget_gpu (changes, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (of_nodes); i++)
    reset (changes, of_nodes[i]);
  shardwise_changes_insert (changes, SHARDWISE_KEY_CLUSTER_GPU, "s", gpu);
}

/**
 * shardwise_other_cluster_add_network:
 * @changes: for shardwise_scenario_apply()
 * @network: a network of the catalog, or a word for cluster.inter_node
 *
 * Adds changes that move a job to another network.
 */
void
shardwise_other_cluster_add_network (GVariantDict *changes, const char *network)
{
  shardwise_changes_insert (changes, SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S, "s", "");
  shardwise_changes_insert (changes, SHARDWISE_KEY_CLUSTER_INTER_NODE, "s", network);
}

static ShardwiseScenario *
other_cluster (ShardwiseScenario *scenario, void (*add) (GVariantDict *changes, const char *id),
               const char *id, GError **error)
{
  g_autoptr (ShardwiseScenario) other = shardwise_scenario_copy (scenario);
  GVariantDict changes;
  SwProblem problem;

  g_variant_dict_init (&changes, NULL);
  add (&changes, id);
  if (!shardwise_scenario_apply (other, g_variant_dict_end (&changes), error)
      || !shardwise_scenario_resolve (other, &problem, NULL, error))
    return NULL;
  return g_steal_pointer (&other);
}

/**
 * shardwise_other_cluster_of_gpu:
 * @scenario: a question
 * @gpu: an id of the catalog
 *
 * Returns: (transfer full): a copy after shardwise_other_cluster_add_gpu(); %NULL with @error if
 *   there is no such GPU
 */
ShardwiseScenario *
shardwise_other_cluster_of_gpu (ShardwiseScenario *scenario, const char *gpu, GError **error)
{
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario) && gpu != NULL, NULL);

  return other_cluster (scenario, shardwise_other_cluster_add_gpu, gpu, error);
}

/**
 * shardwise_other_cluster_of_network:
 * @scenario: a question
 * @network: a network of the catalog, or a word for cluster.inter_node
 *
 * Returns: (transfer full): the same job over another network; %NULL with @error if there is
 *   no such network
 */
ShardwiseScenario *
shardwise_other_cluster_of_network (ShardwiseScenario *scenario, const char *network,
                                    GError **error)
{
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario) && network != NULL, NULL);

  return other_cluster (scenario, shardwise_other_cluster_add_network, network, error);
}
