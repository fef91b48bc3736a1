/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-strategy-words.h"

#include <glib/gi18n.h>

#include "shardwise-cost.h"
#include "shardwise-degree-chip.h"
#include "shardwise-texts.h"

/**
 * shardwise_strategy_value:
 * @strategy: a strategy
 * @dimension: one of its dimensions
 *
 * Returns: (transfer full): its value in words; of recomputation, how many layers too
 */
char *
shardwise_strategy_value (const SwStrategy *strategy, SwDimension dimension)
{
  g_return_val_if_fail (strategy != NULL && dimension < SW_N_DIMENSIONS, NULL);
  if (dimension == SW_DIM_RECOMPUTE && strategy->recompute == SW_RECOMPUTE_FULL_LAYERS)
    /* Translators: how many layers of each stage are computed again in the backward pass */
    return g_strdup_printf (ngettext ("first %u layer", "first %u layers", strategy->full_layers),
                            strategy->full_layers);
  return shardwise_text_dimension_value (dimension, sw_strategy_get (strategy, dimension));
}

/**
 * shardwise_strategy_difference:
 * @base: what is compared with
 * @other: what differs
 *
 * Returns: (transfer full): the dimensions that differ with both values; "" where none does
 */
char *
shardwise_strategy_difference (const SwStrategy *base, const SwStrategy *other)
{
  GString *text = g_string_new (NULL);

  g_return_val_if_fail (base != NULL && other != NULL, g_string_free (text, FALSE));
  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    {
      g_autofree char *was = shardwise_strategy_value (base, i),
                      *is = shardwise_strategy_value (other, i);

      if (g_str_equal (was, is) || shardwise_dimension_is_implied (base, other, i))
        continue;
      if (text->len > 0)
        g_string_append (text, " · ");
      /* Translators: a dimension, its value here, its value in the strategy compared with: "TP 4,
       * not 8" */
      g_string_append_printf (text, _ ("%s %s, not %s"), shardwise_dimension_short_name (i), is,
                              was);
    }
  return g_string_free (text, FALSE);
}

static char *
layers_text (const SwProblem *problem, const SwStrategy *strategy)
{
  guint least = G_MAXUINT, most = 0;

  for (guint stage = 0; stage < strategy->pp; stage++)
    {
      guint layers = sw_stage_layers (problem, strategy, stage);

      least = MIN (least, layers);
      most = MAX (most, layers);
    }
  if (least == most)
    return g_strdup_printf (ngettext ("%u layer per stage", "%u layers per stage", most), most);
  /* Translators: least and most layers of a pipeline stage */
  return g_strdup_printf (_ ("%u–%u layers per stage"), least, most);
}

/**
 * shardwise_strategy_facts:
 * @problem: the question
 * @estimate: a strategy
 *
 * Returns: (transfer full): layers, accumulation, GPUs used and idle, and the software profile
 */
char *
shardwise_strategy_facts (const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *layers = NULL, *accumulation = NULL, *used = NULL, *idle = NULL;

  g_return_val_if_fail (problem != NULL && estimate != NULL, NULL);
  layers = layers_text (problem, &estimate->strategy);
  accumulation = g_strdup_printf (
    ngettext ("%u micro-batch a step", "%u micro-batches a step", estimate->gradient_accumulation),
    estimate->gradient_accumulation);
  used = g_strdup_printf (ngettext ("%'u GPU used", "%'u GPUs used", estimate->gpus_used),
                          estimate->gpus_used);
  idle = estimate->gpus_idle > 0 ? g_strdup_printf (
             ngettext ("%'u idle", "%'u idle", estimate->gpus_idle), estimate->gpus_idle)
                                 : g_strdup (_ ("none idle"));
  /* Translators: layers per stage, micro-batches, GPUs used, GPUs idle, name of the software */
  return g_strdup_printf (_ ("%s · %s · %s, %s · %s"), layers, accumulation, used, idle,
                          shardwise_text_framework (estimate->strategy.framework));
}

/**
 * shardwise_strategy_verdict:
 * @advice: an answer
 * @scenario: what it answers
 * @selected: (nullable): the strategy that is looked at, with its own days and cost
 *
 * Returns: (transfer full): the answer in a sentence
 */
char *
shardwise_strategy_verdict (ShardwiseAdvice *advice,
                            ShardwiseScenario *scenario,
                            const SwEstimate *selected)
{
  const SwEstimate *recommended;
  const SwProblem *problem;
  ShardwiseCostInputs inputs;
  ShardwiseCost cost;

  g_return_val_if_fail (SHARDWISE_IS_ADVICE (advice) && SHARDWISE_IS_SCENARIO (scenario), NULL);
  recommended = shardwise_advice_get_recommended (advice);
  if (selected == NULL || sw_strategy_equal (&selected->strategy, &recommended->strategy))
    return g_strdup (shardwise_advice_get_verdict (advice));
  problem = shardwise_advice_get_problem (advice);
  if (!selected->fits) /* of others nothing is said: they may fit */
    return shardwise_text_refusal (problem, selected);
  shardwise_cost_inputs_read (scenario, problem, &inputs);
  shardwise_cost_compute (&inputs, problem, selected, &cost);
  return shardwise_text_verdict (problem, selected, cost.days,
                                 shardwise_cost_stated_total (&inputs, &cost), inputs.currency);
}

static GVariant *
pinned_value (const SwStrategy *strategy, SwDimension dimension)
{
  guint value = sw_strategy_get (strategy, dimension);

  switch (dimension)
    {
    case SW_DIM_SP:
      return g_variant_new_boolean (value != 0);
    case SW_DIM_CP_METHOD:
      return g_variant_new_string (sw_cp_method_names[value]);
    case SW_DIM_SCHEDULE:
      return g_variant_new_string (sw_schedule_names[value]);
    case SW_DIM_OFFLOAD:
      return g_variant_new_string (sw_offload_names[value]);
    case SW_DIM_RECOMPUTE:
      if (value == SW_RECOMPUTE_FULL_LAYERS)
        return g_variant_new_take_string (
          g_strdup_printf ("full_layers:%u", strategy->full_layers));
      return g_variant_new_string (sw_recompute_names[value]);
    case SW_DIM_TP:
    case SW_DIM_ETP:
    case SW_DIM_PP:
    case SW_DIM_VPP:
    case SW_DIM_DP:
    case SW_DIM_CP:
    case SW_DIM_EP:
    case SW_DIM_ZERO:
    case SW_DIM_SHARD_GROUP:
    case SW_DIM_MICRO_BATCH:
    case SW_N_DIMENSIONS:
    default:
      return g_variant_new_int64 (value);
    }
}

/**
 * shardwise_strategy_changes:
 * @strategy: values to pin
 * @dimensions: which of them, bit 1 << SwDimension
 *
 * Returns: (transfer floating): a{sv} for win.apply
 */
GVariant *
shardwise_strategy_changes (const SwStrategy *strategy, guint dimensions)
{
  GVariantBuilder builder;

  g_return_val_if_fail (strategy != NULL, NULL);
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (dimensions & (1u << i))
      {
        g_autofree char *key = g_strconcat ("strategy.", sw_dimension_names[i], NULL);

        g_variant_builder_add (&builder, "{sv}", key, pinned_value (strategy, i));
      }
  return g_variant_builder_end (&builder);
}
