/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contextual recommendations: the published texts for the quick score; for the analytical model
 * each with its own figure and the effect of following it, which is searched. */
#include "shardwise-texts-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-absence.h"

/**
 * shardwise_advice_severity:
 * @code: a recommendation
 *
 * Returns: how serious it is
 */
ShardwiseSeverity
shardwise_advice_severity (SwAdviceCode code)
{
  switch ((int) code)
    {
    case SW_ADVICE_DOES_NOT_FIT: return SHARDWISE_SEVERITY_ERROR;
    case SW_ADVICE_TP_ACROSS_NODES:
    case SW_ADVICE_MEMORY_HIGH:
    case SW_ADVICE_BUBBLE_LARGE:
    case SW_ADVICE_COMMUNICATION_HIGH: return SHARDWISE_SEVERITY_WARNING;
    default: return SHARDWISE_SEVERITY_INFO;
    }
}

/**
 * shardwise_text_quick_advice:
 * @problem: the question
 * @result: of the quick score
 * @code: one of sw_quick_score_advice()
 *
 * Returns: (transfer full): the method's text
 */
char *
shardwise_text_quick_advice (const SwProblem *problem, const SwQuickScoreResult *result,
                             SwAdviceCode code)
{
  const SwQuickScore *best = &result->best;
  g_autofree char *need = shardwise_format_significant (best->memory_gb);
  g_autofree char *have = shardwise_format_significant (problem->cluster.gpu.memory_gb);
  g_autofree char *used = shardwise_format_percent (best->memory_utilisation);
  g_autofree char *overhead = shardwise_format_percent (best->tp_overhead);

  switch ((int) code)
    {
    case SW_ADVICE_DOES_NOT_FIT:
      return g_strdup_printf (
          /* Translators: two amounts of memory in GB */
          _ ("Model requires %s GB per GPU but GPU only has %s GB. Consider more GPUs or different "
             "hardware."),
          need, have);
    case SW_ADVICE_RAISE_TP:
      return g_strdup (_ ("Increase tensor parallelism to reduce per-GPU memory."));
    case SW_ADVICE_BIGGER_GPU: return g_strdup (_ ("Consider H100 80 GB or H200 141 GB."));
    case SW_ADVICE_TP_OVERHEAD:
      return g_strdup_printf (
          /* Translators: a percentage */
          _ ("Tensor parallelism has a significant communication overhead "
             "(%s). Consider reducing TP "
             "and increasing PP or DP."),
          overhead);
    case SW_ADVICE_MEMORY_HIGH:
      return g_strdup_printf (
          /* Translators: a percentage */
          _ ("Memory use is high (%s). Consider gradient checkpointing or ZeRO-3 offloading for "
             "stability."),
          used);
    case SW_ADVICE_MEMORY_LOW:
      return g_strdup_printf (
          /* Translators: a percentage */
          _ ("Memory use is low (%s). A larger batch or less parallelism would use it."), used);
    case SW_ADVICE_DP_ONE:
      return g_strdup (
          _ ("DP 1 limits throughput scaling. Consider configurations with higher DP."));
    default: return g_strdup ("");
    }
}

gboolean
shardwise_text_evaluate_pins (const SwProblem *problem, const SwStrategy *present,
                              SwFramework framework, const SwPins *pins, SwEstimate *out)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem changed = *problem, open = *problem;
  SwStrategy broken;
  SwSearchResult result;

  open.pins.mask = 0; /* what would be without a pin is no breach of it */
  changed.training.framework = framework;
  open.training.framework = framework;
  changed.pins.mask |= pins->mask;
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (sw_pins_has (pins, (SwDimension) i))
      sw_strategy_set (&changed.pins.value, (SwDimension) i,
                       sw_strategy_get (&pins->value, (SwDimension) i));
  sw_search (&changed, &options, &result);
  if (result.n_best + result.n_nearest > 0)
    sw_estimate (&open, &(result.n_best > 0 ? result.best : result.nearest)[0].strategy, out);
  else
    {
      broken = shardwise_absence_complete (problem, present, pins);
      sw_estimate (&changed, &broken, out);
    }
  sw_search_result_clear (&result);
  return out->fits;
}

char *
shardwise_text_misfit (const SwProblem *problem, const char *way, const SwEstimate *misfit)
{
  g_autofree char *why = shardwise_text_rule (problem, &misfit->strategy, misfit->rule,
                                              misfit->missing_bytes);

  if (misfit->rule == SW_RULE_GPU_MEMORY || misfit->rule == SW_RULE_HOST_MEMORY)
    return g_strdup_printf (
        /* Translators: "TP 4", "it lacks 3.1 GiB per GPU" */
        _ ("%s does not fit here: %s"), way, why);
  return g_strdup_printf (
      /* Translators: "TP 4", "30 attention heads cannot be split over TP 4" */
      _ ("%s is not possible here: %s"), way, why);
}

gboolean
shardwise_text_evaluate (const SwProblem *problem, const SwEstimate *estimate,
                         SwDimension dimension, guint value, SwEstimate *out)
{
  SwPins pins = { .mask = 1u << dimension };

  sw_strategy_set (&pins.value, dimension, value);
  return shardwise_text_evaluate_pins (problem, &estimate->strategy,
                                       (SwFramework) estimate->strategy.framework, &pins, out);
}

/* Data parallelism takes what the other degrees leave: where it is pinned to that, it follows them.
 * `label` then names it too: "TP 4 (with DP 2)". FALSE: nothing fits. */
static gboolean
evaluate_with_dp (const SwProblem *problem, const SwEstimate *now, SwDimension dimension,
                  guint value, SwEstimate *out, char **label)
{
  g_autofree char *rest = NULL, *alone = NULL;
  SwProblem freed = *problem;

  freed.pins.mask &= ~(1u << SW_DIM_DP | 1u << SW_DIM_SHARD_GROUP);
  if (dimension == SW_DIM_DP || freed.pins.mask == problem->pins.mask
      || !shardwise_text_evaluate (&freed, now, dimension, value, out))
    return FALSE;
  rest = shardwise_text_differences (&now->strategy, &out->strategy, dimension);
  if (rest == NULL)
    return TRUE;
  alone = g_steal_pointer (label);
  *label = g_strdup_printf (
      /* Translators: "TP 4", then what changes with it: "PP 8, DP 1" */
      _ ("%s (with %s)"), alone, rest);
  return TRUE;
}

/* "TP 4 would give 3.1 % less throughput with 70.2 GiB per GPU." */
static char *
effect (const SwProblem *problem, const SwEstimate *now, SwDimension dimension, guint value)
{
  g_autofree char *label = shardwise_text_label (dimension, value);
  g_autofree char *figure = NULL, *memory = NULL, *misfit = NULL;
  SwEstimate then;
  double gain;

  if (!shardwise_text_evaluate (problem, now, dimension, value, &then)
      && !evaluate_with_dp (problem, now, dimension, value, &then, &label))
    {
      misfit = shardwise_text_misfit (problem, label, &then);
      return g_strdup_printf (
          /* Translators: ends a sentence */
          _ ("%s."), misfit);
    }
  memory = shardwise_format_bytes (then.memory.peak.total);
  if (!now->fits)
    return g_strdup_printf (
        /* Translators: "TP 8", memory per GPU */
        _ ("%s fits, with %s per GPU."), label, memory);
  gain = now->time.step_s / then.time.step_s - 1.0;
  figure = shardwise_format_percent (fabs (gain));
  if (gain >= 0.0)
    return g_strdup_printf (
        /* Translators: "TP 4", a percentage, memory per GPU */
        _ ("%s would give %s more throughput with %s per GPU."), label, figure, memory);
  return g_strdup_printf (
      /* Translators: "TP 4", a percentage, memory per GPU */
      _ ("%s would give %s less throughput with %s per GPU."), label, figure, memory);
}

/* The part of communication that takes most of the step. */
static char *
communication_sentence (const SwEstimate *e)
{
  g_autofree char *total = shardwise_format_percent (e->communication_overhead);
  g_autofree char *share = NULL;
  ShardwiseTimePart parts[SHARDWISE_N_TIME_PARTS];
  guint most = 2;

  shardwise_time_parts (&e->time, parts);
  for (guint i = 2; i <= 6; i++)
    if (parts[i].seconds > parts[most].seconds)
      most = i;
  share = shardwise_format_percent (parts[most].seconds / e->time.step_s);
  return g_strdup_printf (
      /* Translators: a percentage, a kind of communication, its percentage */
      _ ("%s of the step waits for communication, most of it %s (%s). Computing ten times as long "
         "as "
         "communicating needs a larger batch, a faster link or more gradient accumulation."),
      total, _ (parts[most].name), share);
}

static char *
misfit_sentence (const SwProblem *problem, const SwEstimate *e)
{
  const guint least = sw_least_gpus (problem);
  g_autofree char *need = shardwise_format_bytes (e->memory.peak.total);
  g_autofree char *limit = shardwise_format_bytes (e->memory_limit_bytes);
  g_autofree char *usable = shardwise_format_bytes (e->usable_bytes);
  GString *text = g_string_new (NULL);

  if (e->rule == SW_RULE_GPU_MEMORY)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: memory needed, memory allowed, memory usable */
                  _ ("The model requires %s per GPU, but only %s of the GPU’s %s may be used."),
                  need, limit, usable));
  else
    {
      g_autofree char *rule = shardwise_text_rule (problem, &e->strategy, e->rule,
                                                   e->missing_bytes);

      shardwise_text_append (text, g_strdup_printf (
                                       /* Translators: why a strategy cannot run */
                                       _ ("The strategy cannot run: %s."), rule));
    }
  if (shardwise_text_fits_unpinned (problem))
    shardwise_text_append (text, g_strdup (_ ("Without the pinned values it fits on these GPUs.")));
  else if (least > problem->cluster.gpus)
    shardwise_text_append (text,
                           g_strdup_printf (
                               /* Translators: a number of GPUs, the name of the GPU */
                               _ ("It fits on %'u or more %s; or consider different hardware."),
                               least, problem->cluster.gpu.name));
  else if (e->rule == SW_RULE_PRECISION)
    shardwise_text_append (text, g_strdup (_ ("Consider another precision, framework or GPU.")));
  else if (e->rule == SW_RULE_GPU_MEMORY || e->rule == SW_RULE_HOST_MEMORY)
    shardwise_text_append (text, g_strdup (_ ("Consider more GPUs or different hardware.")));
  return g_string_free (text, FALSE);
}

/* The first of the usual larger GPUs on which the question has an answer; NULL: on none. */
const SwGpu *
shardwise_text_bigger_gpu (const SwProblem *problem)
{
  static const char *const ids[] = { "h100-80-sxm", "h200-141-sxm", "b200-180-sxm" };

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      const SwSearchOptions options = { .top = 1 };
      const SwGpu *gpu = shardwise_catalogue_find_gpu (shardwise_catalogue_get (), ids[i]);
      SwProblem changed = *problem;
      SwSearchResult result;
      gboolean fits;

      if (gpu == NULL || gpu->memory_gb <= problem->cluster.gpu.memory_gb)
        continue;
      changed.cluster.gpu = *gpu;
      changed.cluster.usable_bytes = gpu->usable_bytes;
      sw_search (&changed, &options, &result);
      fits = result.n_best > 0;
      sw_search_result_clear (&result);
      if (fits)
        return gpu;
    }
  return NULL;
}

static char *
bigger_gpu_sentence (const SwProblem *problem)
{
  const SwGpu *gpu = shardwise_text_bigger_gpu (problem);

  if (gpu == NULL)
    return g_strdup (_ ("No larger GPU of the catalogue alone makes it fit on as many GPUs; it "
                        "takes more of them."));
  return g_strdup_printf (
      /* Translators: the name of a GPU */
      _ ("On as many %s it fits: consider that GPU."), gpu->name);
}

/* What another batch does to the rate; NULL where no strategy has it. */
static char *
batch_effect (const SwProblem *problem, const SwEstimate *e, guint batch)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem changed = *problem;
  SwSearchResult result;
  char *change = NULL;

  changed.training.global_batch = batch;
  sw_search (&changed, &options, &result);
  if (result.n_best > 0)
    change =
        shardwise_format_change (1.0 / (result.best[0].seconds_per_token * e->tokens_per_s) - 1.0);
  sw_search_result_clear (&result);
  return change;
}

/* Twice or half of the batch, and what that does. */
static char *
batch_sentence (const SwProblem *problem, const SwEstimate *e, gboolean large)
{
  const double tokens = (double) problem->training.global_batch * problem->training.sequence_length;
  const guint batch = large ? MAX (1, problem->training.global_batch / 2)
                            : problem->training.global_batch * 2;
  g_autofree char *count = shardwise_format_count (tokens);
  g_autofree char *change = e->fits ? batch_effect (problem, e, batch) : NULL;
  GString *text = g_string_new (NULL);

  shardwise_text_append (
      text, large ? g_strdup_printf (
                /* Translators: tokens of a batch */
                _ ("A batch of %s tokens is large: beyond the critical batch size more "
                   "tokens per step train little more."),
                count)
                  : g_strdup_printf (
                      /* Translators: tokens of a batch */
                      _ ("A batch of %s tokens is small for pre-training and leaves GPUs little "
                         "work per step."),
                      count));
  if (change != NULL)
    shardwise_text_append (text,
                           g_strdup_printf (
                               /* Translators: sequences, signed change of throughput */
                               _ ("%'u sequences would change throughput by %s."), batch, change));
  return g_string_free (text, FALSE);
}

static char *
idle_sentence (const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *replica = shardwise_format_gpus (e->gpus_used / MAX (1, e->strategy.dp));

  return g_strdup_printf (
      /* Translators: idle GPUs, all GPUs, what a replica takes ("8 GPUs"), sequences of a batch */
      ngettext ("%'u of the %'u GPUs stays idle: replicas of %s and a global batch of %'u leave it "
                "over.",
                "%'u of the %'u GPUs stay idle: replicas of %s and a global batch of %'u leave "
                "them over.",
                e->gpus_idle),
      e->gpus_idle, problem->cluster.gpus, replica, problem->training.global_batch);
}

/* The figure of a recommendation. */
static char *
advice_figure (const SwProblem *problem, const SwEstimate *e, SwAdviceCode code)
{
  g_autofree char *tp = shardwise_format_percent (e->time.tp_exposed_s / e->time.step_s);
  g_autofree char *memory = shardwise_format_percent (e->memory_utilisation);
  g_autofree char *bubble = shardwise_format_percent (e->bubble_fraction);

  switch ((int) code)
    {
    case SW_ADVICE_RAISE_TP:
      return g_strdup (_ ("More tensor parallelism reduces the memory of a GPU."));
    case SW_ADVICE_TP_OVERHEAD:
      return g_strdup_printf (
          /* Translators: TP degree, a percentage */
          _ ("TP %u leaves %s of the step waiting for tensor-parallel "
             "communication; less TP with more "
             "PP or DP is the alternative."),
          e->strategy.tp, tp);
    case SW_ADVICE_MEMORY_HIGH:
      return g_strdup_printf (
          /* Translators: a percentage */
          _ ("Memory use is high (%s of what is usable). Recomputation or "
             "ZeRO-3 offloading would make "
             "it more stable."),
          memory);
    case SW_ADVICE_MEMORY_LOW:
      return g_strdup_printf (
          /* Translators: a percentage */
          _ ("Memory use is low (%s of what is usable). A larger micro-batch "
             "or less parallelism would "
             "use it."),
          memory);
    case SW_ADVICE_DP_ONE:
      return g_strdup (
          _ ("DP 1: all GPUs serve one copy of the model, and one sequence after another passes "
             "through it."));
    case SW_ADVICE_TP_ACROSS_NODES:
      return g_strdup_printf (
          /* Translators: TP degree, a percentage */
          _ ("TP %u crosses nodes: %s of the step waits for tensor-parallel communication."),
          e->strategy.tp, tp);
    default:
      return g_strdup_printf (
          /* Translators: a percentage, number of micro-batches, number of stages */
          _ ("The pipeline bubble takes %s of the step: %u micro-batches are few for %u stages."),
          bubble, e->gradient_accumulation, e->strategy.pp);
    }
}

/* What doing it would change, from a search with that value. */
static char *
advice_effect (const SwProblem *problem, const SwEstimate *e, SwAdviceCode code)
{
  const SwStrategy *s = &e->strategy;

  switch ((int) code)
    {
    case SW_ADVICE_RAISE_TP: return effect (problem, e, SW_DIM_TP, s->tp * 2);
    case SW_ADVICE_TP_OVERHEAD: return effect (problem, e, SW_DIM_TP, s->tp / 2);
    case SW_ADVICE_MEMORY_HIGH:
      return s->recompute == SW_RECOMPUTE_FULL
                 ? effect (problem, e, SW_DIM_OFFLOAD, SW_OFFLOAD_OPTIMIZER)
                 : effect (problem, e, SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL);
    case SW_ADVICE_MEMORY_LOW: return effect (problem, e, SW_DIM_MICRO_BATCH, s->micro_batch * 2);
    case SW_ADVICE_DP_ONE: return effect (problem, e, SW_DIM_DP, 2);
    case SW_ADVICE_TP_ACROSS_NODES:
      return effect (problem, e, SW_DIM_TP, sw_cluster_tp_together (&problem->cluster, s->tp));
    default: return effect (problem, e, SW_DIM_PP, MAX (1, s->pp / 2));
    }
}

/**
 * shardwise_text_advice:
 * @problem: the question
 * @estimate: of the strategy that is shown
 * @code: one of sw_estimate_advice()
 *
 * Returns: (transfer full): the recommendation with the model's figure and the effect of following
 * it
 */
char *
shardwise_text_advice (const SwProblem *problem, const SwEstimate *estimate, SwAdviceCode code)
{
  GString *text;

  switch ((int) code)
    {
    case SW_ADVICE_DOES_NOT_FIT: return misfit_sentence (problem, estimate);
    case SW_ADVICE_BIGGER_GPU: return bigger_gpu_sentence (problem);
    case SW_ADVICE_COMMUNICATION_HIGH: return communication_sentence (estimate);
    case SW_ADVICE_BATCH_LARGE:
    case SW_ADVICE_BATCH_SMALL:
      return batch_sentence (problem, estimate, code == SW_ADVICE_BATCH_LARGE);
    case SW_ADVICE_GPUS_IDLE: return idle_sentence (problem, estimate);
    default:
      text = g_string_new (NULL);
      shardwise_text_append (text, advice_figure (problem, estimate, code));
      /* Where nothing fits, only what may mend that is worth a search. */
      if (estimate->fits || code == SW_ADVICE_RAISE_TP)
        shardwise_text_append (text, advice_effect (problem, estimate, code));
      return g_string_free (text, FALSE);
    }
}

/**
 * shardwise_text_change_name:
 * @problem: the question to which nothing fits
 * @change: of sw_changes_tried()
 *
 * Returns: (transfer full): the change alone: "64 GPUs instead of 32"
 */
char *
shardwise_text_change_name (const SwProblem *problem, const SwChange *change)
{
  g_autofree char *percent = shardwise_format_percent (change->value);
  g_autofree char *label = NULL;

  switch (change->kind)
    {
    case SW_CHANGE_GPUS:
      return g_strdup_printf (
          /* Translators: two numbers of GPUs */
          ngettext ("%'u GPU instead of %'u", "%'u GPUs instead of %'u", (guint) change->value),
          (guint) change->value, problem->cluster.gpus);
    case SW_CHANGE_RECOMPUTE:
      label = shardwise_text_label (SW_DIM_RECOMPUTE, (guint) change->value);
      return g_steal_pointer (&label);
    case SW_CHANGE_ZERO:
      label = shardwise_text_label (SW_DIM_ZERO, (guint) change->value);
      return g_steal_pointer (&label);
    case SW_CHANGE_OFFLOAD:
      label = shardwise_text_label (SW_DIM_OFFLOAD, (guint) change->value);
      return g_steal_pointer (&label);
    case SW_CHANGE_MICRO_BATCH:
      label = shardwise_text_label (SW_DIM_MICRO_BATCH, (guint) change->value);
      return g_steal_pointer (&label);
    case SW_CHANGE_OPTIMIZER_8BIT: return g_strdup (_ ("8-bit Adam instead of AdamW"));
    case SW_CHANGE_LORA: return g_strdup (_ ("LoRA instead of full training"));
    case SW_CHANGE_QLORA: return g_strdup (_ ("QLoRA: adapters on a 4-bit base"));
    case SW_CHANGE_SEQUENCE:
      return g_strdup_printf (
          /* Translators: two lengths of a sequence, in tokens */
          _ ("Sequences of %'u tokens instead of %'u, with the same tokens per batch"),
          (guint) change->value, problem->training.sequence_length);
    case SW_CHANGE_MEMORY_TARGET:
      return g_strdup_printf (
          /* Translators: a percentage */
          _ ("A memory target of %s"), percent);
    case SW_CHANGE_UNPIN:
    case SW_N_CHANGES:
    default: return g_strdup (_ ("No pinned values"));
    }
}

/**
 * shardwise_text_change:
 * @problem: the question to which nothing fits
 * @change: of sw_changes_tried(), one that fits
 *
 * Returns: (transfer full): the change and what it gives: "64 GPUs instead of 32: 61.2 GiB per GPU,
 * …"
 */
char *
shardwise_text_change (const SwProblem *problem, const SwChange *change)
{
  g_autofree char *name = shardwise_text_change_name (problem, change);
  g_autofree char *memory = shardwise_format_bytes (change->result.memory.peak.total);
  g_autofree char *rate = shardwise_format_significant (change->result.tokens_per_s_per_gpu);

  return g_strdup_printf (
      /* Translators: the change, memory per GPU, tokens per second and GPU */
      _ ("%s: %s per GPU, %s tokens/s per GPU"), name, memory, rate);
}

/**
 * shardwise_text_miss:
 * @problem: the question to which nothing fits
 * @change: of sw_changes_tried(), one that does not fit
 *
 * Returns: (transfer full): the change and what is still missing: "Recomputation: full (it lacks
 * 231 GiB per GPU)"
 */
char *
shardwise_text_miss (const SwProblem *problem, const SwChange *change)
{
  const SwEstimate *nearest = &change->result;
  g_autofree char *name = shardwise_text_change_name (problem, change);
  g_autofree char *lack = shardwise_text_rule (problem, &nearest->strategy, nearest->rule,
                                               nearest->missing_bytes);

  /* Translators: a change, and why it does not suffice: "it lacks 31.2 GiB per GPU" */
  return g_strdup_printf (_ ("%s (%s)"), name, lack);
}
