/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a strategy cannot run; what a search tried, what it excluded and why, and what strategies are
 * checked or ranked by. */
#include "shardwise-text-search.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "sw-framework.h"
#include "sw-rejection.h"
#include <glib/gi18n.h>

/* Unsupported features, by the rule that reports them. */
static const char *
framework_lacks (const SwProblem *problem, const SwStrategy *s, SwRule rule)
{
  switch ((int) rule)
    {
    case SW_RULE_FRAMEWORK_TP: return _ ("tensor parallelism");
    case SW_RULE_FRAMEWORK_PP: return _ ("pipeline parallelism");
    case SW_RULE_FRAMEWORK_CP: return _ ("this kind of context parallelism");
    case SW_RULE_FRAMEWORK_EP: return _ ("expert parallelism");
    case SW_RULE_FRAMEWORK_ZERO:
      return s->pp > 1 ? _ ("this ZeRO stage with a pipeline") : _ ("this ZeRO stage");
    case SW_RULE_FRAMEWORK_SCHEDULE: return _ ("this pipeline schedule");
    case SW_RULE_FRAMEWORK_RECOMPUTE: return _ ("this kind of recomputation");
    case SW_RULE_FRAMEWORK_OFFLOAD:
      if ((sw_framework_rules (s->framework)->offload_mask & 1u << s->offload) == 0)
        return _ ("this kind of offload");
      if (s->offload == SW_OFFLOAD_ACTIVATIONS
          && sw_engine (s->framework) == SW_FRAMEWORK_DEEPSPEED)
        return _ (
            "activation offload other than for the checkpoints of recomputed pipeline layers");
      if (s->offload == SW_OFFLOAD_ACTIVATIONS && (s->pp > 1 || s->recompute != SW_RECOMPUTE_NONE))
        return _ ("activation offload together with recomputation or a pipeline");
      if (s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS && s->zero_stage != 3)
        return _ ("parameter offload without ZeRO 3");
      if (s->offload != SW_OFFLOAD_ACTIVATIONS
          && (s->zero_stage == 0 || problem->training.optimizer != SW_OPTIMIZER_ADAMW))
        return _ ("optimizer offload without ZeRO or with an optimizer other than AdamW");
      return _ ("this kind of offload");
    case SW_RULE_FRAMEWORK_GPUS: return _ ("more than one GPU");
    case SW_RULE_FRAMEWORK_TRAINING: return _ ("this type of training");
    default: return _ ("this sequence parallelism setting");
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
          _ ("the experts cannot be split over ETP %u with TP %u"), s->etp, s->tp);
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
        return g_strdup (_ ("a dense model has no experts to distribute"));
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("%u experts cannot be distributed over EP %u"), model->moe.experts, s->ep);
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
          ngettext ("TP %u × PP %u × CP %u × DP %u = %'u exceeds %'u GPU",
                    "TP %u × PP %u × CP %u × DP %u = %'u exceeds %'u GPUs", problem->cluster.gpus),
          s->tp, s->pp, s->cp, s->dp, sw_strategy_gpus (s), problem->cluster.gpus);
    case SW_RULE_VPP_MICRO_BATCHES:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("interleaving needs a number of micro-batches that PP %u divides, not %u"), s->pp,
          sw_strategy_micro_batches (problem, s));
    case SW_RULE_EP_WORLD:
      return g_strdup_printf (
          /* Translators: part of a sentence: why a strategy cannot run */
          _ ("ETP %u × EP %u does not divide the %u ranks of a stage"), s->etp, s->ep,
          s->tp * s->cp * s->dp);
    case SW_RULE_BATCH:
      if (s->micro_batch % MAX (problem->training.together, 1) != 0)
        return g_strdup_printf (
            /* Translators: part of a sentence: why a strategy cannot run; of preferences, which are
             * learnt from pairs of answers */
            _ ("micro-batch %u splits a pair of answers"), s->micro_batch);
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
 * @missing_bytes: missing bytes, for the memory rules
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
        _ ("it needs %s more per GPU"), missing);
  if (rule == SW_RULE_HOST_MEMORY)
    return g_strdup_printf (
        /* Translators: %s is an amount of memory, "31.2 GiB" */
        _ ("it needs %s more host memory per node"), missing);
  if ((text = degree_rule (problem, strategy, rule)) != NULL
      || (text = layout_rule (problem, strategy, rule)) != NULL)
    return text;
  return g_strdup_printf (
      /* Translators: the first %s is the name of a framework, the second what it lacks */
      _ ("%s does not support %s"), shardwise_text_framework (strategy->framework),
      framework_lacks (problem, strategy, rule));
}

/**
 * shardwise_text_shortfall:
 * @problem: the question
 * @estimate: of a strategy that a search for certain fits rejected
 * @rule: the rule that rejected it
 *
 * Returns: (transfer full): why it was rejected, as shardwise_text_rule(); if it is within the
 *   limit of @problem itself, the upper end of its memory
 */
char *
shardwise_text_shortfall (const SwProblem *problem, const SwEstimate *estimate, SwRule rule)
{
  const double limit = problem->cluster.usable_bytes * problem->training.memory_target;
  g_autofree char *high = shardwise_format_bytes (estimate->memory_high_bytes);

  if (rule == SW_RULE_GPU_MEMORY && estimate->memory.peak.total > 0
      && estimate->memory.peak.total <= limit)
    return g_strdup_printf (
        /* Translators: an amount of memory */
        _ ("it may not fit: peak memory may reach %s"), high);
  return shardwise_text_rule (problem, &estimate->strategy, rule, estimate->missing_bytes);
}

/**
 * shardwise_text_misfit:
 * @problem: the question
 * @way: the requested value: "TP 4"
 * @misfit: the nearest strategy with it
 *
 * Returns: (transfer full): what does not fit, and why: "TP 4 does not fit here: it needs 3.1 GiB
 * per GPU"
 */
char *
shardwise_text_misfit (const SwProblem *problem, const char *way, const SwEstimate *misfit)
{
  g_autofree char *why = shardwise_text_rule (problem, &misfit->strategy, misfit->rule,
                                              misfit->missing_bytes);

  if (misfit->rule == SW_RULE_GPU_MEMORY || misfit->rule == SW_RULE_HOST_MEMORY)
    return g_strdup_printf (
        /* Translators: "TP 4", "it needs 3.1 GiB more per GPU" */
        _ ("%s does not fit here: %s"), way, why);
  return g_strdup_printf (
      /* Translators: "TP 4", "30 attention heads cannot be split over TP 4" */
      _ ("%s is not possible here: %s"), way, why);
}

/**
 * shardwise_text_host_lack:
 * @problem: the question
 * @estimate: of a strategy that exceeds a GPU's memory
 *
 * Returns: (transfer full): the host memory that it needs above that of a node, as a sentence; ""
 * if the host has enough
 */
char *
shardwise_text_host_lack (const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *need = shardwise_format_bytes (estimate->memory.host_bytes);
  const double host_bytes = sw_cluster_host_bytes (&problem->cluster);
  g_autofree char *there = shardwise_format_bytes (host_bytes);

  if (host_bytes <= 0 || estimate->memory.host_bytes <= host_bytes)
    return g_strdup ("");
  /* Translators: host memory that is needed, and that there is */
  return g_strdup_printf (_ ("Its offload needs %s of host memory per node, but a node has %s."),
                          need, there);
}

/**
 * shardwise_text_refusal:
 * @problem: the question
 * @estimate: of one strategy that cannot run
 *
 * Returns: (transfer full): why it cannot run, as a sentence
 */
char *
shardwise_text_refusal (const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *strategy = shardwise_text_strategy (&estimate->strategy);
  g_autofree char *rule = shardwise_text_rule (problem, &estimate->strategy, estimate->rule,
                                               estimate->missing_bytes);

  return g_strdup_printf (
      /* Translators: model, strategy, then why it cannot run */
      _ ("%s cannot be trained with %s: %s."), problem->model.name, strategy, rule);
}

/* Why candidates were excluded; see shardwise_text_rule() for the exact numbers of one
 * candidate. */
static const char *const rule_titles[SW_N_RULES] = {
  [SW_RULE_OK] = NULL,
  [SW_RULE_WORLD_SIZE] = N_ ("TP × PP × CP × DP exceeds the number of GPUs"),
  [SW_RULE_TP_HEADS] = N_ ("TP does not divide the attention heads"),
  [SW_RULE_TP_KV_HEADS] = N_ ("TP does not match the KV heads"),
  [SW_RULE_TP_WIDTH] = N_ ("TP does not divide the layer width"),
  [SW_RULE_ETP] = N_ ("Expert TP does not match TP or the expert width"),
  [SW_RULE_PP_LAYERS] = N_ ("The layers cannot be split into this many stages"),
  [SW_RULE_VPP_LAYERS] = N_ ("Virtual stages do not divide the layers of a stage"),
  [SW_RULE_VPP_MICRO_BATCHES] = N_ ("Interleaving needs micro-batches in multiples of PP"),
  [SW_RULE_CP_SEQUENCE] = N_ ("CP does not divide the sequence"),
  [SW_RULE_CP_HEADS] = N_ ("TP × CP does not divide the attention heads"),
  [SW_RULE_EP_EXPERTS] = N_ ("EP does not divide the experts"),
  [SW_RULE_EP_WORLD] = N_ ("EP does not divide the GPUs of a stage"),
  [SW_RULE_BATCH] = N_ ("DP × micro-batch does not divide the global batch"),
  [SW_RULE_SHARD_GROUP] = N_ ("The shard group size does not divide DP"),
  [SW_RULE_SEQUENCE_PARALLEL] = N_ ("Sequence parallelism needs TP"),
  [SW_RULE_FRAMEWORK_TP] = N_ ("The framework does not support tensor parallelism"),
  [SW_RULE_FRAMEWORK_PP] = N_ ("The framework does not support this pipeline"),
  [SW_RULE_FRAMEWORK_CP] = N_ ("The framework does not support this context parallelism"),
  [SW_RULE_FRAMEWORK_EP] = N_ ("The framework does not support expert parallelism"),
  [SW_RULE_FRAMEWORK_ZERO] = N_ ("The framework does not support this ZeRO stage"),
  [SW_RULE_FRAMEWORK_SCHEDULE] = N_ ("The framework does not support this schedule"),
  [SW_RULE_FRAMEWORK_RECOMPUTE] = N_ ("The framework does not support this recomputation"),
  [SW_RULE_FRAMEWORK_OFFLOAD] = N_ ("The framework does not support this offload"),
  [SW_RULE_FRAMEWORK_SP] = N_ ("The framework sets sequence parallelism differently"),
  [SW_RULE_FRAMEWORK_GPUS] = N_ ("The framework runs on one GPU only"),
  [SW_RULE_FRAMEWORK_TRAINING] = N_ ("The framework does not support this training type"),
  [SW_RULE_PRECISION] = N_ ("The GPU or framework does not support this precision"),
  [SW_RULE_PIN] = N_ ("Another value is pinned"),
  [SW_RULE_GPU_MEMORY] = N_ ("Above the memory target"),
  [SW_RULE_HOST_MEMORY] = N_ ("Above the host memory"),
};

static const char *const limit_titles[SW_N_LIMITS] = {
  [SW_LIMIT_GPUS] = N_ ("number of GPUs"),
  [SW_LIMIT_DIVISIBILITY] = N_ ("divisibility"),
  [SW_LIMIT_FRAMEWORK] = N_ ("framework support"),
  [SW_LIMIT_PINS] = N_ ("pinned values"),
  [SW_LIMIT_MEMORY_TARGET] = N_ ("memory target"),
  [SW_LIMIT_HOST_MEMORY] = N_ ("host memory"),
  [SW_LIMIT_IDLE_GPUS] = N_ ("GPUs left over"),
  [SW_LIMIT_SCALE_UP_DOMAIN] = N_ ("tensor parallelism beyond a node"),
  [SW_LIMIT_BUBBLE] = N_ ("pipeline bubble"),
  [SW_LIMIT_COMMUNICATION] = N_ ("communication"),
  [SW_LIMIT_SIMPLICITY] = N_ ("simplicity"),
  [SW_LIMIT_HEADROOM] = N_ ("free memory"),
};

/**
 * shardwise_text_rule_title:
 * @rule: a rule that rejected strategies; not OK
 *
 * Returns: (transfer none): the rule in a few words, without the numbers of any one strategy
 */
const char *
shardwise_text_rule_title (SwRule rule)
{
  g_return_val_if_fail (rule > SW_RULE_OK && rule < SW_N_RULES, "");

  return _ (rule_titles[rule]);
}

/**
 * shardwise_text_limits:
 * @filters: the rules that reject a strategy; otherwise those that only rank it lower
 *
 * Returns: (transfer full): a sentence with the limits, in the order of the engine
 */
char *
shardwise_text_limits (gboolean filters)
{
  g_autofree char *list = NULL;
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < SW_N_LIMITS; i++)
    if (!sw_limit_filters ((SwLimit) i) == !filters)
      shardwise_text_items (text, "%s", _ (limit_titles[i]));
  list = g_string_free (text, FALSE);
  if (filters)
    /* Translators: a list of limits */
    return g_strdup_printf (_ ("Strategies that exceed one of these limits are excluded: %s."),
                            list);
  /* Translators: a list of limits */
  return g_strdup_printf (_ ("These only affect the ranking: %s."), list);
}

static int
by_count (gconstpointer a, gconstpointer b, gpointer data)
{
  const guint64 *rejected = data;
  const guint64 x = rejected[*(const guint *) a], y = rejected[*(const guint *) b];

  return x < y ? 1 : x > y ? -1 : 0;
}

/**
 * shardwise_search_rejections:
 * @search: a finished search
 * @rules: (out caller-allocates): the rules that rejected strategies, most frequent first
 * @total: (out): the total number of rejected strategies
 *
 * Returns: the number of rules
 */
guint
shardwise_search_rejections (const SwSearchResult *search, guint rules[SW_N_RULES], guint64 *total)
{
  guint n = 0;

  *total = 0;
  for (guint rule = SW_RULE_OK + 1; rule < SW_N_RULES; rule++)
    if (search->rejected[rule] > 0)
      {
        rules[n++] = rule;
        *total += search->rejected[rule];
      }
  g_qsort_with_data (rules, (int) n, sizeof rules[0], by_count, (gpointer) search->rejected);
  return n;
}

/**
 * shardwise_text_rejections:
 * @search: a finished search
 *
 * Returns: (transfer full): a line for each reason why strategies were rejected, with their number,
 * most frequent first
 */
char *
shardwise_text_rejections (const SwSearchResult *search)
{
  GString *text = g_string_new (NULL);
  guint rules[SW_N_RULES];
  guint64 total;
  const guint n = shardwise_search_rejections (search, rules, &total);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%'" G_GUINT64_FORMAT "  %s", i > 0 ? "\n" : "",
                            search->rejected[rules[i]],
                            shardwise_text_rule_title ((SwRule) rules[i]));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_searched:
 * @search: a finished search
 *
 * Returns: (transfer full): how many strategies were tried, timed and fit, and how long it took
 */
char *
shardwise_text_searched (const SwSearchResult *search)
{
  g_autofree char *tried = shardwise_format_whole ((double) search->tried),
                  *timed = shardwise_format_whole ((double) search->timed);
  g_autofree char *fit = shardwise_format_whole ((double) search->fit);
  g_autofree char *seconds = shardwise_format_seconds (search->seconds);

  /* Translators: counts of strategies (tried, timed by the model, fitting), and a duration */
  return g_strdup_printf (_ ("%s tried, %s timed, %s fit, in %s"), tried, timed, fit, seconds);
}

/**
 * shardwise_text_search_kind:
 * @search: a finished search
 *
 * Returns: (transfer full): whether every strategy was tried, or how often a bound cut off a part
 */
char *
shardwise_text_search_kind (const SwSearchResult *search)
{
  g_autofree char *bounded = shardwise_format_whole ((double) search->bounded);

  if (search->all != NULL)
    return g_strdup (_ ("The search tried every strategy."));
  return g_strdup_printf (
      /* Translators: a count */
      ngettext ("The live search skips strategies that cannot be among the best: a bound pruned "
                "part of the search space %s time.",
                "The live search skips strategies that cannot be among the best: a bound pruned "
                "part of the search space %s times.",
                (gulong) search->bounded),
      bounded);
}

/**
 * shardwise_text_absence:
 * @absence: of shardwise_absence_finish()
 *
 * Returns: (transfer full): why no strategy with certain parallel sizes is listed
 */
char *
shardwise_text_absence (const ShardwiseAbsence *absence)
{
  g_autofree char *name = shardwise_text_strategy (&absence->strategy), *rule = NULL, *text = NULL;

  if (absence->kind == SHARDWISE_ABSENCE_FIXED)
    return g_strdup (_ ("Another value is pinned in the inputs."));
  if (absence->kind == SHARDWISE_ABSENCE_HIDDEN)
    /* Translators: a strategy ("TP 8 · PP 4 …") */
    return g_strdup_printf (_ ("%s fits; the other filters hide it."), name);
  if (absence->why.rule == SW_RULE_OK)
    text = g_strdup (_ ("No strategy with these parallel sizes was found."));
  else
    {
      rule = shardwise_text_rule (&absence->problem, &absence->strategy, absence->why.rule,
                                  absence->why.missing_bytes);
      /* Translators: a strategy ("TP 8 · PP 4 …"), then why it cannot run */
      text = g_strdup_printf (_ ("%s: %s."), name, rule);
    }
  if (absence->kind == SHARDWISE_ABSENCE_REJECTED)
    return g_steal_pointer (&text);
  /* Translators: a strategy and why it cannot run */
  return g_strdup_printf (_ ("None fits. Nearest strategy: %s"), text);
}
