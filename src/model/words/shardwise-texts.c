/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of dimensions and values, and the sentence of each rule. */
#include "shardwise-texts-private.h"

#include "sw-framework.h"

#include <glib/gi18n.h>

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

/* How a sentence names a dimension with a value. */
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

/* Appends a sentence, with a space between two; takes ownership of `sentence`. */
void
shardwise_text_append (GString *text, char *sentence)
{
  if (text->len > 0 && sentence != NULL && *sentence != '\0')
    g_string_append_c (text, ' ');
  if (sentence != NULL)
    g_string_append (text, sentence);
  g_free (sentence);
}

guint
shardwise_text_domain (const SwProblem *problem)
{
  return MAX (1, MAX (problem->cluster.nvlink_domain, problem->cluster.gpus_per_node));
}

/* What of an offload a framework lacks. */
static const char *
offload_lacks (const SwProblem *problem, const SwStrategy *s)
{
  const SwFrameworkRules *rules = sw_framework_rules (s->framework);

  if ((rules->offload_mask & 1u << s->offload) == 0)
    return _ ("this offload");
  if (s->offload == SW_OFFLOAD_ACTIVATIONS && s->framework == SW_FRAMEWORK_DEEPSPEED)
    return _ ("offload of activations other than the checkpoints of recomputed pipeline layers");
  if (s->offload == SW_OFFLOAD_ACTIVATIONS && (s->pp > 1 || s->recompute != SW_RECOMPUTE_NONE))
    return _ ("offload of activations beside recomputation or a pipeline");
  if (s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS && s->zero_stage != 3)
    return _ ("offload of parameters without ZeRO 3");
  if (s->offload != SW_OFFLOAD_ACTIVATIONS
      && (s->zero_stage == 0 || problem->training.optimizer != SW_OPTIMIZER_ADAMW))
    return _ ("offload of the optimizer without ZeRO, or of another one than AdamW");
  return _ ("this offload");
}

/* What a framework lacks, by the rule that says so. */
static const char *
framework_lacks (const SwProblem *problem, const SwStrategy *strategy, SwRule rule)
{
  switch ((int) rule)
    {
    case SW_RULE_FRAMEWORK_TP: return _ ("tensor parallelism");
    case SW_RULE_FRAMEWORK_PP: return _ ("pipeline parallelism");
    case SW_RULE_FRAMEWORK_CP: return _ ("this context parallelism");
    case SW_RULE_FRAMEWORK_EP: return _ ("expert parallelism");
    case SW_RULE_FRAMEWORK_ZERO:
      return strategy->pp > 1 ? _ ("this ZeRO stage with a pipeline") : _ ("this ZeRO stage");
    case SW_RULE_FRAMEWORK_SCHEDULE: return _ ("this schedule");
    case SW_RULE_FRAMEWORK_RECOMPUTE: return _ ("this recomputation");
    case SW_RULE_FRAMEWORK_OFFLOAD: return offload_lacks (problem, strategy);
    default: return _ ("sequence parallelism set so");
    }
}

static char *
degree_rule (const SwProblem *problem, const SwStrategy *s, SwRule rule)
{
  const SwModelSpec *model = &problem->model;

  switch ((int) rule)
    {
    case SW_RULE_TP_HEADS:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("%u attention heads cannot be split over TP %u"), model->attention_heads, s->tp);
    case SW_RULE_TP_KV_HEADS:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("%u key-value heads cannot be split over TP %u"), model->kv_heads, s->tp);
    case SW_RULE_TP_WIDTH:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("the hidden size %'u or MLP width %'u cannot be split over TP %u"), model->hidden_size,
          model->intermediate_size, s->tp);
    case SW_RULE_ETP:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("the experts cannot be split over ETP %u beside TP %u"), s->etp, s->tp);
    case SW_RULE_PP_LAYERS:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("%u layers cannot be split over PP %u"), model->layers, s->pp);
    case SW_RULE_VPP_LAYERS:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("%u layers cannot be split over PP %u with %u virtual stages"), model->layers, s->pp,
          s->vpp);
    case SW_RULE_CP_SEQUENCE:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("a sequence of %'u tokens cannot be split over CP %u and TP %u"),
          problem->training.sequence_length, s->cp, s->tp);
    case SW_RULE_CP_HEADS:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("%u attention heads cannot be split over TP %u × CP %u"), model->attention_heads,
          s->tp, s->cp);
    case SW_RULE_EP_EXPERTS:
      if (model->moe.experts == 0)
        return g_strdup (_ ("a dense model has no experts to spread"));
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("%u experts cannot be spread over EP %u"), model->moe.experts, s->ep);
    default: return NULL;
    }
}

static char *
layout_rule (const SwProblem *problem, const SwStrategy *s, SwRule rule)
{
  switch ((int) rule)
    {
    case SW_RULE_WORLD_SIZE:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          ngettext ("TP %u × PP %u × CP %u × DP %u = %'u does not go into %'u GPU",
                    "TP %u × PP %u × CP %u × DP %u = %'u does not go into %'u GPUs",
                    problem->cluster.gpus),
          s->tp, s->pp, s->cp, s->dp, sw_strategy_gpus (s), problem->cluster.gpus);
    case SW_RULE_VPP_MICRO_BATCHES:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("interleaving needs micro-batches in multiples of PP %u, not %u"), s->pp,
          sw_strategy_micro_batches (problem, s));
    case SW_RULE_EP_WORLD:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("ETP %u × EP %u does not divide the %u ranks of a stage"), s->etp, s->ep,
          s->tp * s->cp * s->dp);
    case SW_RULE_BATCH:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("a global batch of %'u sequences cannot be split over DP %u × micro-batch %u"),
          problem->training.global_batch, s->dp, s->micro_batch);
    case SW_RULE_SHARD_GROUP:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("DP %u cannot be split into shard groups of %u"), s->dp, s->shard_group);
    case SW_RULE_SEQUENCE_PARALLEL:
      return g_strdup (_ ("sequence parallelism needs tensor parallelism"));
    case SW_RULE_PRECISION:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run; a framework, a number
             format ("fp8") and a GPU */
          _ ("%s does not train in %s on %s"), shardwise_text_framework (s->framework),
          sw_precision_names[problem->training.precision], problem->cluster.gpu.name);
    case SW_RULE_PIN: return g_strdup (_ ("another value is pinned"));
    default: return NULL;
    }
}

/**
 * shardwise_text_rule:
 * @problem: the question
 * @strategy: the strategy that breaks a rule
 * @rule: the rule
 * @missing_bytes: for the memory rules: what is missing
 *
 * Returns: (transfer full): why it cannot run, as part of a sentence: "64 attention heads cannot be
 * split …"
 */
char *
shardwise_text_rule (const SwProblem *problem, const SwStrategy *strategy, SwRule rule,
                     double missing_bytes)
{
  g_autofree char *missing = shardwise_format_bytes (missing_bytes);
  char *text;

  if (rule == SW_RULE_OK)
    return g_strdup (_ ("it can run"));
  if (rule == SW_RULE_GPU_MEMORY)
    return g_strdup_printf (
        /* Translators: %s is an amount of memory, "31.2 GiB" */
        _ ("it lacks %s per GPU"), missing);
  if (rule == SW_RULE_HOST_MEMORY)
    return g_strdup_printf (
        /* Translators: %s is an amount of memory, "31.2 GiB" */
        _ ("it lacks %s of host memory per node"), missing);
  if ((text = degree_rule (problem, strategy, rule)) != NULL
      || (text = layout_rule (problem, strategy, rule)) != NULL)
    return text;
  return g_strdup_printf (
      /* Translators: the first %s is the name of a framework, the second what it lacks */
      _ ("%s does not support %s"), shardwise_text_framework (strategy->framework),
      framework_lacks (problem, strategy, rule));
}
