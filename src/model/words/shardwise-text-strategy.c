/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A strategy in words: its dimensions, their values, and in what it differs from another. */
#include "shardwise-text-strategy.h"
#include <glib/gi18n.h>
#include "shardwise-format.h"

/**
 * shardwise_text_dimension:
 * @dimension: a dimension of a strategy
 *
 * Returns: (transfer full): its name: "Tensor parallel"
 */
char *
shardwise_text_dimension (SwDimension dimension)
{
  static const char *const names[SW_N_DIMENSIONS] = {
    N_ ("Tensor parallel"),
    N_ ("Expert tensor parallel"),
    N_ ("Pipeline parallel"),
    N_ ("Virtual stages"),
    N_ ("Data parallel"),
    N_ ("Context parallel"),
    N_ ("Context-parallel method"),
    N_ ("Expert parallel"),
    N_ ("Sequence parallel"),
    N_ ("ZeRO stage"),
    N_ ("Shard group"),
    N_ ("Micro-batch"),
    N_ ("Recomputation"),
    N_ ("Schedule"),
    N_ ("Offload"),
  };

  g_return_val_if_fail (dimension < SW_N_DIMENSIONS, NULL);
  return g_strdup (_ (names[dimension]));
}

static const char *
recompute_name (guint value)
{
  static const char *const names[] = { NC_ ("recomputation", "none"),
                                       NC_ ("recomputation", "selective"),
                                       NC_ ("recomputation", "full"),
                                       NC_ ("recomputation", "first layers") };

  return value < G_N_ELEMENTS (names) ? g_dpgettext2 (NULL, "recomputation", names[value]) : "";
}

static const char *
schedule_name (guint value)
{
  static const char *const names[] = { N_ ("GPipe"), N_ ("1F1B"), N_ ("interleaved"),
                                       N_ ("zero-bubble") };

  return value < G_N_ELEMENTS (names) ? _ (names[value]) : "";
}

static const char *
offload_name (guint value)
{
  static const char *const names[] = { NC_ ("offload", "none"), NC_ ("offload", "optimizer"),
                                       NC_ ("offload", "optimizer and parameters"),
                                       NC_ ("offload", "activations") };

  return value < G_N_ELEMENTS (names) ? g_dpgettext2 (NULL, "offload", names[value]) : "";
}

static const char *
cp_method_name (guint value)
{
  static const char *const names[] = { N_ ("ring"), N_ ("all-gather"), N_ ("Ulysses") };

  return value < G_N_ELEMENTS (names) ? _ (names[value]) : "";
}

/**
 * shardwise_text_dimension_value:
 * @dimension: a dimension of a strategy
 * @value: its value, as sw_strategy_get() gives it
 *
 * Returns: (transfer full): "8", "selective", "on"
 */
char *
shardwise_text_dimension_value (SwDimension dimension, guint value)
{
  switch ((int) dimension)
    {
    case SW_DIM_SP: return g_strdup (value ? _ ("on") : _ ("off"));
    case SW_DIM_RECOMPUTE: return g_strdup (recompute_name (value));
    case SW_DIM_SCHEDULE: return g_strdup (schedule_name (value));
    case SW_DIM_OFFLOAD: return g_strdup (offload_name (value));
    case SW_DIM_CP_METHOD: return g_strdup (cp_method_name (value));
    default: return g_strdup_printf ("%u", value);
    }
}

/**
 * shardwise_text_label:
 * @dimension: a dimension of a strategy
 * @value: its value
 *
 * Returns: (transfer full): how a sentence names a dimension with a value: "TP 8", "Micro-batch 4"
 */
char *
shardwise_text_label (SwDimension dimension, guint value)
{
  static const char *const formats[SW_N_DIMENSIONS] = {
    /* Translators: a dimension with its value, often at the beginning of a sentence */
    N_ ("TP %s"),
    /* Translators: a dimension with its value */
    N_ ("ETP %s"),
    /* Translators: a dimension with its value */
    N_ ("PP %s"),
    /* Translators: a dimension with its value */
    N_ ("VPP %s"),
    /* Translators: a dimension with its value */
    N_ ("DP %s"),
    /* Translators: a dimension with its value */
    N_ ("CP %s"),
    /* Translators: a dimension with its value */
    N_ ("CP method: %s"),
    /* Translators: a dimension with its value */
    N_ ("EP %s"),
    /* Translators: a dimension with its value */
    N_ ("SP %s"),
    /* Translators: a dimension with its value */
    N_ ("ZeRO %s"),
    /* Translators: a dimension with its value */
    N_ ("Shard group %s"),
    /* Translators: a dimension with its value */
    N_ ("Micro-batch %s"),
    /* Translators: a dimension with its value */
    N_ ("Recomputation: %s"),
    /* Translators: a dimension with its value */
    N_ ("Schedule: %s"),
    /* Translators: a dimension with its value */
    N_ ("Offload: %s"),
  };
  g_autofree char *text = shardwise_text_dimension_value (dimension, value);

  g_return_val_if_fail (dimension < SW_N_DIMENSIONS, NULL);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  return g_strdup_printf (_ (formats[dimension]), text);
#pragma GCC diagnostic pop
}

/**
 * shardwise_text_framework:
 * @framework: a SwFramework
 *
 * Returns: (transfer none): the name of the software as its makers write it, translated where it
 * is not a name
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
  };

  g_return_val_if_fail (framework < G_N_ELEMENTS (names), NULL);
  return _ (names[framework]);
}

/**
 * shardwise_text_value:
 * @strategy: a strategy
 * @dimension: one of its dimensions
 *
 * Returns: (transfer full): its value in words; of recomputation, how many layers too
 */
char *
shardwise_text_value (const SwStrategy *strategy, SwDimension dimension)
{
  g_return_val_if_fail (strategy != NULL && dimension < SW_N_DIMENSIONS, NULL);
  if (dimension == SW_DIM_RECOMPUTE && strategy->recompute == SW_RECOMPUTE_FULL_LAYERS)
    /* Translators: how many layers of each stage are computed again in the backward pass */
    return g_strdup_printf (ngettext ("first %u layer", "first %u layers", strategy->full_layers),
                            strategy->full_layers);
  return shardwise_text_dimension_value (dimension, sw_strategy_get (strategy, dimension));
}

/**
 * shardwise_text_part:
 * @strategy: any strategy
 * @dimension: one of its dimensions
 *
 * Returns: (transfer full): the dimension with its value, as shardwise_text_strategy() says it:
 *   "TP 8"; of recomputation, how many layers too
 */
char *
shardwise_text_part (const SwStrategy *strategy, SwDimension dimension)
{
  const guint layers = strategy->full_layers;

  if (dimension != SW_DIM_RECOMPUTE || strategy->recompute != SW_RECOMPUTE_FULL_LAYERS)
    return shardwise_text_label (dimension, sw_strategy_get (strategy, dimension));
  if (layers == 1)
    return g_strdup (_ ("Recomputation: first layer"));
  return g_strdup_printf (
      /* Translators: number of layers that are recomputed, never 1 */
      ngettext ("Recomputation: first %u layer", "Recomputation: first %u layers", layers), layers);
}

/* The value of a dimension that goes without saying in this strategy: the usual one, or one without
 * meaning beside the other dimensions. */
static guint
unsaid_value (const SwStrategy *strategy, SwDimension dimension)
{
  const guint value = sw_strategy_get (strategy, dimension);
  const gboolean in_groups = strategy->zero_stage > 0 && value > 0 && value < strategy->dp;

  switch (dimension)
    {
    case SW_DIM_VPP:
    case SW_DIM_CP:
    case SW_DIM_EP: return 1;
    case SW_DIM_ETP: return strategy->ep > 1 ? strategy->tp : value;
    case SW_DIM_SP: return strategy->tp > 1 ? TRUE : value;
    case SW_DIM_SHARD_GROUP: return in_groups ? 0 : value;
    case SW_DIM_CP_METHOD: return SW_CP_RING;
    case SW_DIM_RECOMPUTE: return SW_RECOMPUTE_NONE;
    case SW_DIM_SCHEDULE:
      if (strategy->pp == 1)
        return value;
      return strategy->vpp > 1 ? SW_SCHEDULE_INTERLEAVED : SW_SCHEDULE_1F1B;
    case SW_DIM_OFFLOAD: return SW_OFFLOAD_NONE;
    case SW_DIM_TP:
    case SW_DIM_PP:
    case SW_DIM_DP:
    case SW_DIM_ZERO:
    case SW_DIM_MICRO_BATCH:
    case SW_N_DIMENSIONS:
    default: return G_MAXUINT; /* always said */
    }
}

/**
 * shardwise_text_strategy:
 * @strategy: any strategy
 *
 * Returns: (transfer full): the dimensions that are in use: "TP 8 · PP 4 · DP 1 · ZeRO 1 ·
 * Micro-batch 4"
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
      g_autofree char *part = shardwise_text_part (strategy, order[i]);

      if (sw_strategy_get (strategy, order[i]) == unsaid_value (strategy, order[i]))
        continue;
      g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", part);
    }
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_gpu_of_stage:
 * @strategy: any strategy
 * @stage: of its pipeline, from 0
 *
 * Returns: (transfer full): whose memory a sentence speaks of: "a GPU of stage 3"; "every GPU"
 * where there is no pipeline
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
 * shardwise_dimension_is_implied:
 * @a: a strategy
 * @b: another
 * @dimension: one of their dimensions
 *
 * Without expert parallelism ETP says nothing, nor the method of a context of one; a plain shard
 * group follows DP.
 *
 * Returns: whether a difference in it follows from the others, or is none
 */
gboolean
shardwise_dimension_is_implied (const SwStrategy *a, const SwStrategy *b, SwDimension dimension)
{
  if (dimension == SW_DIM_ETP)
    return a->ep <= 1 && b->ep <= 1;
  if (dimension == SW_DIM_CP_METHOD)
    return a->cp <= 1 || b->cp <= 1;
  return dimension == SW_DIM_SHARD_GROUP && a->shard_group == a->dp && b->shard_group == b->dp;
}

/**
 * shardwise_text_differences:
 * @chosen: a strategy
 * @other: another one
 * @except: a dimension that is named elsewhere; SW_N_DIMENSIONS: none
 *
 * Returns: (transfer full) (nullable): "PP 8, ZeRO 1", in which @other differs; at most three;
 *   %NULL where it does not
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
      g_string_append_printf (text, "%s%s", n++ > 0 ? ", " : "", label);
    }
  return n > 0 ? g_strdup (text->str) : NULL;
}
