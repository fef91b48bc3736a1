/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to a scenario: a strategy as the scenario file spells it, and what a job on another GPU or
 * network takes along. */
#include "shardwise-changes.h"
#include "shardwise-resolve.h"

/**
 * shardwise_dimension_to_variant:
 * @dimension: a dimension of a strategy
 * @value: its value, as sw_strategy_get() gives it
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
        g_autofree char *key = g_strconcat ("strategy.", sw_dimension_names[i], NULL);

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

/* What a job on another GPU or network takes along, and what it does not. */

/* What a scenario says of its own GPU: memory and links, prices, power and failures. */
static const char *const of_gpu[] = {
  "cluster.gpu_memory_gb",
  "cluster.nvlink_domain",
  "cluster.intra_node",
  "cluster.intra_node_gb_s",
  "cost.price",
  "cost.price_date",
  "cost.capex_per_gpu",
  "cost.power_w",
  "cost.mtbf_gpu_hours",
};

/* What it says of the nodes around it. */
static const char *const of_nodes[] = { "cluster.gpus_per_node", "cluster.inter_node",
                                        "cluster.inter_node_gb_s" };

static void
reset (GVariantDict *changes, const char *path)
{
  if (!g_variant_dict_contains (changes, path))
    g_variant_dict_insert (changes, path, "s", "");
}

/**
 * shardwise_other_cluster_forget_gpu:
 * @changes: for shardwise_scenario_apply(); they name a GPU
 * @scenario: (nullable): resets only what it sets, and nothing where the GPU is its own; %NULL: all
 *
 * Adds resets of what does not hold for another GPU, except where @changes say it anew. The nodes
 * and the network stay.
 */
void
shardwise_other_cluster_forget_gpu (GVariantDict *changes, ShardwiseScenario *scenario)
{
  const char *gpu;

  if (scenario != NULL && g_variant_dict_lookup (changes, "cluster.gpu", "&s", &gpu)
      && g_strcmp0 (gpu, shardwise_scenario_peek_string (scenario, "cluster.gpu")) == 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (of_gpu); i++)
    if (scenario == NULL || shardwise_scenario_is_set (scenario, of_gpu[i]))
      reset (changes, of_gpu[i]);
}

/**
 * shardwise_other_cluster_add_gpu:
 * @changes: for shardwise_scenario_apply()
 * @gpu: an id of the catalogue
 *
 * Adds what puts a job on another GPU, in nodes and with the links that are usual for it.
 */
void
shardwise_other_cluster_add_gpu (GVariantDict *changes, const char *gpu)
{
  shardwise_other_cluster_forget_gpu (changes, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (of_nodes); i++)
    reset (changes, of_nodes[i]);
  g_variant_dict_insert (changes, "cluster.gpu", "s", gpu);
}

/**
 * shardwise_other_cluster_add_network:
 * @changes: for shardwise_scenario_apply()
 * @network: a network of the catalogue, or a word as cluster.inter_node accepts it
 *
 * Adds what puts a job on another network.
 */
void
shardwise_other_cluster_add_network (GVariantDict *changes, const char *network)
{
  g_variant_dict_insert (changes, "cluster.inter_node_gb_s", "s", "");
  g_variant_dict_insert (changes, "cluster.inter_node", "s", network);
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
 * @gpu: an id of the catalogue
 *
 * Returns: (transfer full): a copy after shardwise_other_cluster_add_gpu(); %NULL with @error where
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
 * @network: a network of the catalogue, or a word as cluster.inter_node accepts it
 *
 * Returns: (transfer full): the same job over another network; %NULL with @error where there is
 *   no such network
 */
ShardwiseScenario *
shardwise_other_cluster_of_network (ShardwiseScenario *scenario, const char *network,
                                    GError **error)
{
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario) && network != NULL, NULL);

  return other_cluster (scenario, shardwise_other_cluster_add_network, network, error);
}
