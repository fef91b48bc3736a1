/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A strategy in words, and in what it differs from another. */
#include "shardwise-text-strategy.h"
#include <glib/gi18n.h>
#include "shardwise-format.h"

/**
 * shardwise_text_framework:
 * @framework: a SwFramework
 *
 * Returns: (transfer none): the name of the software as its makers write it, translated if it is
 * not a name
 */
const char *
shardwise_text_framework (guint framework)
{
  static const char *const names[SW_N_FRAMEWORKS] = {
    N_ ("Any"),
    N_ ("Megatron-LM of 2021"),
    N_ ("Megatron-Core"),
    N_ ("PyTorch FSDP 1"),
    N_ ("PyTorch FSDP 2"),
    N_ ("DeepSpeed"),
    N_ ("Nanotron"),
    N_ ("Hugging Face Trainer"),
    N_ ("Unsloth"),
    N_ ("torchtune"),
    N_ ("verl"),
    N_ ("OpenRLHF"),
  };

  g_return_val_if_fail (framework < G_N_ELEMENTS (names), NULL);
  return _ (names[framework]);
}

/* The modules that a strategy names to recompute, in words; NULL: none. */
static char *
modules_of (const SwStrategy *strategy)
{
  /* In the order of sw_recompute_module_names, which are Megatron's. */
  static const char *const names[] = {
    NC_ ("recomputed", "core attention"),
    NC_ ("recomputed", "layer norms"),
    NC_ ("recomputed", "MLA up-projections"),
    NC_ ("recomputed", "MLP"),
    NC_ ("recomputed", "experts"),
    NC_ ("recomputed", "expert activations"),
    NC_ ("recomputed", "shared experts"),
  };
  GString *text;

  if (strategy->recompute != SW_RECOMPUTE_SELECTIVE || strategy->recompute_modules == 0)
    return NULL;
  text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if ((strategy->recompute_modules & 1u << i) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? " + " : "",
                              g_dpgettext2 (NULL, "recomputed", names[i]));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_value:
 * @strategy: a strategy
 * @dimension: one of its dimensions
 *
 * Returns: (transfer full): its value in words; for recomputation also the number of layers or the
 *   modules
 */
char *
shardwise_text_value (const SwStrategy *strategy, SwDimension dimension)
{
  char *modules;

  g_return_val_if_fail (strategy != NULL && dimension < SW_N_DIMENSIONS, NULL);
  if (dimension == SW_DIM_RECOMPUTE && strategy->recompute == SW_RECOMPUTE_FULL_LAYERS)
    /* Translators: how many layers of each stage are computed again in the backward pass */
    return g_strdup_printf (ngettext ("first %u layer", "first %u layers", strategy->full_layers),
                            strategy->full_layers);
  modules = dimension == SW_DIM_RECOMPUTE ? modules_of (strategy) : NULL;
  if (modules != NULL)
    return modules;
  return shardwise_text_dimension_value (dimension, sw_strategy_get (strategy, dimension));
}

/**
 * shardwise_text_part:
 * @strategy: any strategy
 * @dimension: one of its dimensions
 *
 * Returns: (transfer full): the dimension with its value, as in shardwise_text_strategy(): "TP 8";
 *   for recomputation also the number of layers or the modules
 */
char *
shardwise_text_part (const SwStrategy *strategy, SwDimension dimension)
{
  const guint layers = strategy->full_layers;
  g_autofree char *modules = dimension == SW_DIM_RECOMPUTE ? modules_of (strategy) : NULL;

  if (modules != NULL)
    /* Translators: what of each layer is recomputed: "layer norms + expert activations" */
    return g_strdup_printf (_ ("Recomputation: %s"), modules);
  if (dimension != SW_DIM_RECOMPUTE || strategy->recompute != SW_RECOMPUTE_FULL_LAYERS)
    return shardwise_text_label (dimension, sw_strategy_get (strategy, dimension));
  if (layers == 1)
    return g_strdup (_ ("Recomputation: first layer"));
  return g_strdup_printf (
      /* Translators: number of layers that are recomputed, never 1 */
      ngettext ("Recomputation: first %u layer", "Recomputation: first %u layers", layers), layers);
}

/**
 * shardwise_text_strategy:
 * @strategy: any strategy
 *
 * Returns: (transfer full): the dimensions in use: "TP 8 · PP 4 · DP 1 · ZeRO 1 · Micro-batch 4"
 */
char *
shardwise_text_strategy (const SwStrategy *strategy)
{
  static const SwDimension order[] = {
    SW_DIM_TP,          SW_DIM_SP,          SW_DIM_PP,        SW_DIM_VPP,      SW_DIM_DP,
    SW_DIM_CP,          SW_DIM_CP_METHOD,   SW_DIM_EP,        SW_DIM_ETP,      SW_DIM_ZERO,
    SW_DIM_SHARD_GROUP, SW_DIM_MICRO_BATCH, SW_DIM_RECOMPUTE, SW_DIM_SCHEDULE, SW_DIM_OFFLOAD,
  };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    {
      g_autofree char *part = NULL;

      if (!shardwise_dimension_matters (strategy, order[i], SHARDWISE_MATTERS_SAID))
        continue;
      part = shardwise_text_part (strategy, order[i]);
      g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", part);
    }
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_gpu_of_stage:
 * @strategy: any strategy
 * @stage: of its pipeline, from 0
 *
 * Returns: (transfer full): the GPU that a sentence about memory refers to: "a GPU of stage 3";
 * "every GPU" without a pipeline
 */
char *
shardwise_text_gpu_of_stage (const SwStrategy *strategy, guint stage)
{
  if (strategy->pp == 1)
    return g_strdup (_ ("every GPU"));
  /* Translators: within a sentence; the number of a pipeline stage, counted from 0 */
  return g_strdup_printf (_ ("a GPU of stage %u"), stage);
}

/**
 * shardwise_text_differences:
 * @chosen: a strategy
 * @other: another one
 * @except: a dimension to skip; SW_N_DIMENSIONS: none
 *
 * Returns: (transfer full) (nullable): "PP 8, ZeRO 1", in which @other differs; at most three;
 *   %NULL if it does not
 */
char *
shardwise_text_differences (const SwStrategy *chosen, const SwStrategy *other, SwDimension except)
{
  static const SwDimension order[] = { SW_DIM_TP,   SW_DIM_PP,          SW_DIM_DP,
                                       SW_DIM_CP,   SW_DIM_EP,          SW_DIM_OFFLOAD,
                                       SW_DIM_ZERO, SW_DIM_MICRO_BATCH, SW_DIM_RECOMPUTE,
                                       SW_DIM_VPP,  SW_DIM_SCHEDULE };
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (order) && n < 3; i++)
    {
      const guint value = sw_strategy_get (other, order[i]);
      g_autofree char *label = NULL;

      if (order[i] == except || value == sw_strategy_get (chosen, order[i]))
        continue;
      label = shardwise_text_label (order[i], value);
      shardwise_text_items (text, "%s", label);
      n++;
    }
  return n > 0 ? g_strdup (text->str) : NULL;
}
