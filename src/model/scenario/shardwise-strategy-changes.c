/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A strategy as the scenario file spells it. */
#include "shardwise-strategy-changes.h"

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

static GVariant *
pinned_value (const SwStrategy *strategy, SwDimension dimension)
{
  if (dimension == SW_DIM_RECOMPUTE && strategy->recompute == SW_RECOMPUTE_FULL_LAYERS)
    return g_variant_new_take_string (g_strdup_printf ("full_layers:%u", strategy->full_layers));
  return shardwise_dimension_to_variant (dimension, sw_strategy_get (strategy, dimension));
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

        g_variant_dict_insert_value (&dict, key, pinned_value (strategy, i));
      }
  return g_variant_dict_end (&dict);
}
