/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A strategy in words. */
#include "shardwise-texts-private.h"

#include <glib/gi18n.h>

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
