/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dimensions of a strategy: a row for each with its names and where it matters. */
#include "shardwise-dimension.h"

#include <glib/gi18n.h>

/* Conditions for a dimension to matter; all must hold. */
enum {
  ABOVE_ONE = 1 << 0, /* its value is above one */
  ZERO = 1 << 1,
  NOT_ZERO = 1 << 2,
  UNLIKE_TP = 1 << 3,
  UNLIKE_DP = 1 << 4,
  TENSOR = 1 << 5, /* of the strategy: layers are split */
  PIPELINE = 1 << 6,
  CONTEXT = 1 << 7,
  EXPERTS = 1 << 8,
  SHARDED = 1 << 9,   /* ZeRO */
  REPLICAS = 1 << 10, /* more than one */
  GROUPS = 1 << 11,   /* the shard group is smaller than the replicas */
  UNUSUAL = 1 << 12,  /* not the schedule that the virtual stages imply */
  NEVER = 1 << 13
};

enum { MAX_WORDS = 4 };

static const struct {
  const char *title;
  const char *label;  /* with its value */
  const char *degree; /* (nullable): for those that split the model: the common abbreviation */
  const char *chip, *tooltip;
  const char *context;          /* (nullable): message context of the words */
  const char *words[MAX_WORDS]; /* its named values, in order; none: numbers */
  guint matters[SHARDWISE_N_MATTERS];
} dimensions[SW_N_DIMENSIONS] = {
  [SW_DIM_TP] = {
    .title = N_ ("Tensor parallel"),
    /* Translators: a dimension with its value, often at the beginning of a sentence */
    .label = N_ ("TP %s"),
    .degree = "TP",
    .chip = NC_ ("parallelism", "TP"),
    .tooltip = N_ ("Tensor parallelism: this many GPUs share every matrix multiplication of a layer"),
  },
  [SW_DIM_ETP] = {
    .title = N_ ("Expert tensor parallel"),
    /* Translators: a dimension with its value */
    .label = N_ ("ETP %s"),
    .chip = NC_ ("parallelism", "ETP"),
    .tooltip = N_ ("Expert tensor parallelism: this many GPUs share each expert’s matrices"),
    .matters = { EXPERTS, EXPERTS, EXPERTS | UNLIKE_TP, EXPERTS | UNLIKE_TP },
  },
  [SW_DIM_PP] = {
    .title = N_ ("Pipeline parallel"),
    /* Translators: a dimension with its value */
    .label = N_ ("PP %s"),
    .degree = "PP",
    .chip = NC_ ("parallelism", "PP"),
    .tooltip = N_ ("Pipeline parallelism: the layers are split into this many stages, which pass activations on"),
  },
  [SW_DIM_VPP] = {
    .title = N_ ("Virtual stages"),
    /* Translators: a dimension with its value */
    .label = N_ ("VPP %s"),
    .chip = NC_ ("parallelism", "VPP"),
    .tooltip = N_ ("Virtual pipeline stages: each GPU holds this many separate chunks of layers, which shrinks the bubble"),
    .matters = { PIPELINE, ABOVE_ONE, ABOVE_ONE, ABOVE_ONE },
  },
  [SW_DIM_DP] = {
    .title = N_ ("Data parallel"),
    /* Translators: a dimension with its value */
    .label = N_ ("DP %s"),
    .chip = NC_ ("parallelism", "DP"),
    .tooltip = N_ ("Data parallelism: this many copies of the model each train on a part of the batch"),
  },
  [SW_DIM_CP] = {
    .title = N_ ("Context parallel"),
    /* Translators: a dimension with its value */
    .label = N_ ("CP %s"),
    .degree = "CP",
    .chip = NC_ ("parallelism", "CP"),
    .tooltip = N_ ("Context parallelism: this many GPUs share each sequence"),
    .matters = { 0, ABOVE_ONE, ABOVE_ONE, ABOVE_ONE },
  },
  [SW_DIM_CP_METHOD] = {
    .title = N_ ("Context-parallel method"),
    /* Translators: a dimension with its value */
    .label = N_ ("CP method: %s"),
    .chip = NC_ ("parallelism", "CP method"),
    .tooltip = N_ ("How the GPUs that share a sequence exchange keys and values"),
    .matters = { CONTEXT, CONTEXT, NEVER, CONTEXT | NOT_ZERO },
    .words = { N_ ("ring"), N_ ("all-gather"), N_ ("Ulysses") },
  },
  [SW_DIM_EP] = {
    .title = N_ ("Expert parallel"),
    /* Translators: a dimension with its value */
    .label = N_ ("EP %s"),
    .degree = "EP",
    .chip = NC_ ("parallelism", "EP"),
    .tooltip = N_ ("Expert parallelism: the experts of a layer are spread over this many GPUs"),
    .matters = { 0, ABOVE_ONE, ABOVE_ONE, ABOVE_ONE },
  },
  [SW_DIM_SP] = {
    .title = N_ ("Sequence parallel"),
    /* Translators: a dimension with its value */
    .label = N_ ("SP %s"),
    .chip = NC_ ("parallelism", "SP"),
    .tooltip = N_ ("Sequence parallelism: also splits the operations between matrix multiplications along the sequence, which saves activation memory"),
    .matters = { TENSOR, NOT_ZERO, TENSOR, TENSOR | ZERO },
  },
  [SW_DIM_ZERO] = {
    .title = N_ ("ZeRO stage"),
    /* Translators: a dimension with its value */
    .label = N_ ("ZeRO %s"),
    .chip = NC_ ("parallelism", "ZeRO"),
    .tooltip = N_ ("What the data-parallel GPUs shard instead of replicate: 1 optimizer states, 2 also gradients, 3 also parameters"),
  },
  [SW_DIM_SHARD_GROUP] = {
    .title = N_ ("Shard group"),
    /* Translators: a dimension with its value */
    .label = N_ ("Shard group %s"),
    .chip = NC_ ("parallelism", "shard group"),
    .tooltip = N_ ("ZeRO shards over groups of this many data-parallel GPUs; each group holds a full replica"),
    .matters = { SHARDED | REPLICAS, UNLIKE_DP, SHARDED | GROUPS, SHARDED | GROUPS },
  },
  [SW_DIM_MICRO_BATCH] = {
    .title = N_ ("Micro-batch"),
    /* Translators: a dimension with its value */
    .label = N_ ("Micro-batch %s"),
    .chip = NC_ ("parallelism", "µ-batch"),
    .tooltip = N_ ("Sequences that one GPU processes at a time"),
  },
  [SW_DIM_RECOMPUTE] = {
    .title = N_ ("Recomputation"),
    /* Translators: a dimension with its value */
    .label = N_ ("Recomputation: %s"),
    .chip = NC_ ("parallelism", "recompute"),
    .tooltip = N_ ("Activations that are recomputed in the backward pass instead of kept in memory"),
    .matters = { 0, 0, 0, NOT_ZERO },
    .context = "recomputation",
    .words = { NC_ ("recomputation", "none"), NC_ ("recomputation", "selective"), NC_ ("recomputation", "full"), NC_ ("recomputation", "first layers") },
  },
  [SW_DIM_SCHEDULE] = {
    .title = N_ ("Schedule"),
    /* Translators: a dimension with its value */
    .label = N_ ("Schedule: %s"),
    .chip = NC_ ("parallelism", "schedule"),
    .tooltip = N_ ("The order of the forward and backward passes in the pipeline"),
    .matters = { PIPELINE, PIPELINE, PIPELINE, PIPELINE | UNUSUAL },
    .words = { N_ ("GPipe"), N_ ("1F1B"), N_ ("interleaved"), N_ ("zero-bubble") },
  },
  [SW_DIM_OFFLOAD] = {
    .title = N_ ("Offload"),
    /* Translators: a dimension with its value */
    .label = N_ ("Offload: %s"),
    .chip = NC_ ("parallelism", "offload"),
    .tooltip = N_ ("What is kept in host memory instead of GPU memory"),
    .matters = { 0, NOT_ZERO, NOT_ZERO, NOT_ZERO },
    .context = "offload",
    .words = { NC_ ("offload", "none"), NC_ ("offload", "optimizer"), NC_ ("offload", "optimizer and parameters"), NC_ ("offload", "activations") },
  },
};

/**
 * shardwise_dimension_matters:
 * @strategy: a strategy
 * @dimension: one of its dimensions
 * @where: the purpose
 *
 * Returns: whether the dimension matters there
 */
gboolean
shardwise_dimension_matters (const SwStrategy *strategy, SwDimension dimension,
                             ShardwiseMatters where)
{
  const guint value = sw_strategy_get (strategy, dimension);
  const guint conditions = dimensions[dimension].matters[where];
  const guint usual = strategy->vpp > 1 ? SW_SCHEDULE_INTERLEAVED : SW_SCHEDULE_1F1B;
  const guint hold = (value > 1 ? ABOVE_ONE : 0) | (value == 0 ? ZERO : NOT_ZERO)
                     | (value != strategy->tp ? UNLIKE_TP : 0)
                     | (value != strategy->dp ? UNLIKE_DP : 0) | (strategy->tp > 1 ? TENSOR : 0)
                     | (strategy->pp > 1 ? PIPELINE : 0) | (strategy->cp > 1 ? CONTEXT : 0)
                     | (strategy->ep > 1 ? EXPERTS : 0) | (strategy->zero_stage > 0 ? SHARDED : 0)
                     | (strategy->dp > 1 ? REPLICAS : 0)
                     | (value > 0 && value < strategy->dp ? GROUPS : 0)
                     | (value != usual ? UNUSUAL : 0);

  return (conditions & ~hold) == 0;
}

/**
 * shardwise_dimension_is_implied:
 * @a: a strategy
 * @b: another
 * @dimension: one of their dimensions
 *
 * ETP has no effect without expert parallelism, nor has the method with CP 1; a plain shard group
 * follows DP.
 *
 * Returns: whether a difference in it follows from the others or has no meaning
 */
gboolean
shardwise_dimension_is_implied (const SwStrategy *a, const SwStrategy *b, SwDimension dimension)
{
  const gboolean of_a = shardwise_dimension_matters (a, dimension, SHARDWISE_MATTERS_BESIDE),
                 of_b = shardwise_dimension_matters (b, dimension, SHARDWISE_MATTERS_BESIDE);

  if (dimension == SW_DIM_ETP)
    return !of_a && !of_b;
  if (dimension == SW_DIM_CP_METHOD)
    return !of_a || !of_b;
  return dimension == SW_DIM_SHARD_GROUP && a->shard_group == a->dp && b->shard_group == b->dp;
}

/**
 * shardwise_text_dimension:
 * @dimension: a dimension of a strategy
 *
 * Returns: (transfer full): its name: "Tensor parallel"
 */
char *
shardwise_text_dimension (SwDimension dimension)
{
  g_return_val_if_fail (dimension < SW_N_DIMENSIONS, NULL);

  return g_strdup (_ (dimensions[dimension].title));
}

/**
 * shardwise_dimension_degree:
 * @dimension: tensor, pipeline, context or expert parallelism
 *
 * Returns: its common abbreviation, "TP"; %NULL for the others
 */
const char *
shardwise_dimension_degree (SwDimension dimension)
{
  return dimensions[dimension].degree;
}

/**
 * shardwise_dimension_short_name:
 * @dimension: a dimension
 *
 * Returns: (transfer none): its usual abbreviation, translated: "TP", "µ-batch"
 */
const char *
shardwise_dimension_short_name (SwDimension dimension)
{
  g_return_val_if_fail (dimension < SW_N_DIMENSIONS, NULL);

  return g_dpgettext2 (NULL, "parallelism", dimensions[dimension].chip);
}

/**
 * shardwise_dimension_tooltip:
 * @dimension: a dimension
 *
 * Returns: its definition in one sentence, translated
 */
const char *
shardwise_dimension_tooltip (SwDimension dimension)
{
  g_return_val_if_fail (dimension < SW_N_DIMENSIONS, NULL);

  return _ (dimensions[dimension].tooltip);
}

/**
 * shardwise_text_dimension_value:
 * @dimension: a dimension of a strategy
 * @value: its value, as from sw_strategy_get()
 *
 * Returns: (transfer full): "8", "selective", "on"
 */
char *
shardwise_text_dimension_value (SwDimension dimension, guint value)
{
  const char *const *words = dimension < SW_N_DIMENSIONS ? dimensions[dimension].words : NULL;
  const char *context = words != NULL ? dimensions[dimension].context : NULL;

  if (dimension == SW_DIM_SP)
    return g_strdup (value ? _ ("on") : _ ("off"));
  if (words == NULL || words[0] == NULL)
    return g_strdup_printf ("%u", value);
  if (value >= MAX_WORDS || words[value] == NULL)
    return g_strdup ("");
  return g_strdup (context != NULL ? g_dpgettext2 (NULL, context, words[value]) : _ (words[value]));
}

/**
 * shardwise_text_label:
 * @dimension: a dimension of a strategy
 * @value: its value
 *
 * Returns: (transfer full): a dimension with its value: "TP 8", "Micro-batch 4"
 */
char *
shardwise_text_label (SwDimension dimension, guint value)
{
  g_autofree char *text = shardwise_text_dimension_value (dimension, value);

  g_return_val_if_fail (dimension < SW_N_DIMENSIONS, NULL);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  return g_strdup_printf (_ (dimensions[dimension].label), text);
#pragma GCC diagnostic pop
}
