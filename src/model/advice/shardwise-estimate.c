/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates besides the advice: of the strategy in a scenario, and the results of searches with
 * another value, pin, GPU or resource. */
#include "shardwise-estimate.h"

#include <glib/gi18n.h>

#include "shardwise-catalogue.h"
#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-resolve.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-reasons.h"
#include "shardwise-work.h"
#include "sw-level.h"
#include "sw-search.h"
#include "sw-start.h"

static gboolean
missing (ShardwiseKeyId id, char *text, GError **error)
{
  g_propagate_error (
      error, shardwise_error_new (SHARDWISE_ERROR_MISSING, shardwise_key_path (id), "%s", text));
  g_free (text);
  return FALSE;
}

/* TP x PP x CP x DP = GPUs: one of TP, PP and DP follows from the others; CP is 1 if it is not
 * set. */
static gboolean
derive_degrees (const SwProblem *problem, SwStrategy *strategy, GError **error)
{
  static const SwDimension factors[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_DP };
  const guint gpus = problem->cluster.gpus;
  guint known = strategy->cp, n_unknown = 0, unknown = 0;

  for (guint i = G_N_ELEMENTS (factors); i-- > 0;)
    if (sw_pins_has (&problem->pins, factors[i]))
      known *= sw_strategy_get (strategy, factors[i]);
    else
      {
        n_unknown++;
        unknown = i;
      }
  if (n_unknown == 0 || known == gpus) /* the missing sizes are 1 already */
    return TRUE;
  if (n_unknown > 1)
    return missing (shardwise_dimension_key (factors[unknown]),
                    g_strdup (_ ("is required; set two of tp, pp and dp (the third follows from "
                                 "the GPUs), or use “advise” to search")),
                    error);
  /* DP may leave GPUs idle, TP and PP may not. */
  if (factors[unknown] != SW_DIM_DP && gpus % known != 0)
    return missing (shardwise_dimension_key (factors[unknown]),
                    g_strdup_printf (_ ("is required because it does not follow from the others: "
                                        "%'u GPUs are not a multiple of %'u"),
                                     gpus, known),
                    error);
  sw_strategy_set (strategy, factors[unknown], MAX (1, gpus / known));
  return TRUE;
}

/* The stated strategy in one framework. */
static gboolean
derive_in (const SwProblem *problem, SwFramework framework, SwStrategy *strategy, GError **error)
{
  const SwPins *pins = &problem->pins;
  const SwFrameworkRules *rules = sw_framework_rules (framework);

  *strategy = pins->value;
  strategy->framework = (guint8) framework;

  strategy->micro_batch = problem->training.micro_batch;
  if (!derive_degrees (problem, strategy, error))
    return FALSE;
  if (strategy->micro_batch == 0)
    return missing (
        SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE,
        g_strdup (_ ("is required; set 1 to 65,536 sequences, or use “advise” to search")), error);
  if (strategy->schedule == SW_SCHEDULE_INTERLEAVED && sw_pins_has (pins, SW_DIM_SCHEDULE)
      && !sw_pins_has (pins, SW_DIM_VPP))
    return missing (
        SHARDWISE_KEY_STRATEGY_VPP,
        g_strdup (_ ("is required for an interleaved schedule; allowed: 2 or more virtual stages")),
        error);

  /* Values that follow from the parallel sizes, or that the framework determines. */
  if (!sw_pins_has (pins, SW_DIM_ETP))
    strategy->etp = strategy->tp;
  if (!sw_pins_has (pins, SW_DIM_SP))
    strategy->sequence_parallel = strategy->tp > 1 && rules->sp;
  if (!sw_pins_has (pins, SW_DIM_ZERO))
    strategy->zero_stage = strategy->framework == SW_FRAMEWORK_MEGATRON_2021 || rules->one_gpu ? 0
                           : sw_framework_is_fsdp (strategy->framework)                        ? 3
                                                                                               : 1;
  if (!sw_pins_has (pins, SW_DIM_SHARD_GROUP))
    strategy->shard_group = strategy->dp;
  if (!sw_pins_has (pins, SW_DIM_CP_METHOD))
    strategy->cp_method = rules->cp_method_mask != 0
                              ? (guint8) g_bit_nth_lsf (rules->cp_method_mask, -1)
                              : SW_CP_RING;
  if (!sw_pins_has (pins, SW_DIM_SCHEDULE))
    strategy->schedule = strategy->vpp > 1 ? SW_SCHEDULE_INTERLEAVED : SW_SCHEDULE_1F1B;
  return TRUE;
}

/* If no framework is set: the most common first choice among those that can run the job, even if it
 * is not usual for it. */
static gboolean
derive (const SwProblem *problem, SwStrategy *strategy, GError **error)
{
  SwFramework frameworks[2 * SW_N_FRAMEWORKS];
  guint n;

  if (problem->training.framework != SW_FRAMEWORK_ANY)
    return derive_in (problem, problem->training.framework, strategy, error);
  n = sw_usual_frameworks (problem, frameworks);
  for (guint i = SW_FRAMEWORK_MEGATRON_CORE; i < SW_N_ENGINES; i++)
    frameworks[n++] = (SwFramework) i;
  for (guint i = 0; i < n; i++)
    {
      if (!derive_in (problem, frameworks[i], strategy, error))
        return FALSE;
      if (sw_rules_check (problem, strategy) == SW_RULE_OK)
        return TRUE;
    }
  return derive_in (problem, frameworks[0], strategy, error);
}

/**
 * shardwise_estimate_scenario:
 * @problem: (out): the question
 * @estimate: (out): of the strategy that @scenario states
 * @notes: (out) (transfer full) (optional): approximations, keys without effect and assumptions
 *
 * Returns: whether the scenario is consistent and states a strategy; whether it fits is in
 * @estimate
 */
gboolean
shardwise_estimate_scenario (ShardwiseScenario *scenario, SwProblem *problem, SwEstimate *estimate,
                             GPtrArray **notes, GError **error)
{
  g_autoptr (GPtrArray) collected = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  SwStrategy strategy;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), FALSE);

  if (!shardwise_scenario_resolve (scenario, problem, &collected, error)
      || !derive (problem, &strategy, error))
    return FALSE;

  if (!sw_pins_has (&problem->pins, SW_DIM_RECOMPUTE))
    shardwise_text_items (text, "recompute %s", sw_recompute_names[strategy.recompute]);
  if (!sw_pins_has (&problem->pins, SW_DIM_ZERO) && strategy.dp > 1)
    shardwise_text_items (text, "zero_stage %u", strategy.zero_stage);
  if (!sw_pins_has (&problem->pins, SW_DIM_SP) && strategy.tp > 1)
    shardwise_text_items (text, "sequence_parallel %s",
                          strategy.sequence_parallel ? "true" : "false");
  if (problem->training.framework == SW_FRAMEWORK_ANY)
    shardwise_text_items (text, "framework %s", sw_framework_names[strategy.framework]);
  problem->training.framework = (SwFramework) strategy.framework;
  if (text->len > 0)
    g_ptr_array_add (collected,
                     /* Translators: a list of keys and values */
                     g_strdup_printf (_ ("Assumed, because not set: %s."), text->str));
  sw_estimate (problem, &strategy, estimate);
  shardwise_note_estimate (collected, problem, estimate);
  if (notes != NULL)
    *notes = g_steal_pointer (&collected);
  return TRUE;
}

/* ---- what if ---- */

static void
copy_degrees (const SwPins *degrees, SwStrategy *strategy)
{
  for (guint mask = degrees->mask; mask != 0; mask &= mask - 1)
    {
      SwDimension dimension = (SwDimension) g_bit_nth_lsf (mask, -1);

      sw_strategy_set (strategy, dimension, sw_strategy_get (&degrees->value, dimension));
    }
}

/* A strategy with other parallel sizes; dimensions that were not requested follow. */
static SwStrategy
complete (const SwProblem *problem, const SwStrategy *recommended, const SwPins *degrees)
{
  SwStrategy strategy = *recommended;

  copy_degrees (degrees, &strategy);
  if (!sw_pins_has (degrees, SW_DIM_ETP))
    strategy.etp = strategy.tp;
  if (!sw_pins_has (degrees, SW_DIM_DP))
    strategy.dp = MAX (1, problem->cluster.gpus / MAX (1, strategy.tp * strategy.pp * strategy.cp));
  if (!sw_pins_has (degrees, SW_DIM_SHARD_GROUP))
    strategy.shard_group = strategy.dp;
  if (!sw_pins_has (degrees, SW_DIM_SP))
    strategy.sequence_parallel = strategy.sequence_parallel && strategy.tp > 1;
  if (!sw_pins_has (degrees, SW_DIM_VPP) && strategy.pp != recommended->pp)
    {
      strategy.vpp = 1;
      strategy.schedule = SW_SCHEDULE_1F1B;
    }
  return strategy;
}

/**
 * shardwise_what_if_pins:
 * @problem: the question
 * @present: one of its strategies
 * @framework: the framework; ANY: the best one
 * @pins: values of some dimensions
 * @out: (out): the result
 *
 * Returns: whether a strategy with these values fits; otherwise @out is the nearest one, or the
 * present one with these values and the broken rule
 */
gboolean
shardwise_what_if_pins (const SwProblem *problem, const SwStrategy *present, SwFramework framework,
                        const SwPins *pins, SwEstimate *out)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem changed = *problem, open = *problem, asked;
  SwStrategy broken;
  SwSearchResult result;

  open.pins.mask = 0; /* the strategy without a pin does not violate the pin */
  changed.training.framework = framework;
  open.training.framework = framework;
  changed.pins.mask |= pins->mask;
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (sw_pins_has (pins, (SwDimension) i))
      sw_strategy_set (&changed.pins.value, (SwDimension) i,
                       sw_strategy_get (&pins->value, (SwDimension) i));
  asked = changed;
  sw_search_start (&asked, &options, &result);
  g_debug ("with pins %#x: %s", pins->mask, result.n_best > 0 ? "fits" : "does not fit");
  if (result.n_best + result.n_nearest > 0)
    sw_estimate (&open, &(result.n_best > 0 ? result.best : result.nearest)[0].strategy, out);
  else
    {
      broken = complete (problem, present, pins);
      sw_estimate (&changed, &broken, out);
    }
  sw_search_result_clear (&result);
  return out->fits;
}

/* The best strategy with `dimension` at `value`, as sw_explain() finds it. FALSE: none fits. */
static gboolean
what_if_value (const SwProblem *problem, const SwEstimate *estimate, SwDimension dimension,
               guint value, SwEstimate *out)
{
  SwPins pins = { .mask = 1u << dimension };

  sw_strategy_set (&pins.value, dimension, value);
  return shardwise_what_if_pins (problem, &estimate->strategy,
                                 (SwFramework) estimate->strategy.framework, &pins, out);
}

/* The best strategy of a question; FALSE: none fits. */
static gboolean
find_best (const SwProblem *problem, SwCandidate *best)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem asked = *problem;
  SwSearchResult result;
  gboolean found;

  sw_search_start (&asked, &options, &result);
  found = result.n_best > 0;
  if (found)
    *best = result.best[0];
  sw_search_result_clear (&result);
  return found;
}

/* The first of the usual larger GPUs on which the question has an answer; NULL: none. */
static const SwGpu *
bigger_gpu (const SwProblem *problem)
{
  static const char *const ids[] = { "h100-80-sxm", "h200-141-sxm", "b200-180-sxm" };

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      const SwGpu *gpu = shardwise_catalogue_find_gpu (shardwise_catalogue_get (), ids[i]);
      SwProblem changed = *problem;
      SwCandidate best;

      if (gpu == NULL || gpu->memory_gb <= problem->cluster.gpu.memory_gb)
        continue;
      changed.cluster.gpu = *gpu;
      changed.cluster.usable_bytes = gpu->usable_bytes;
      if (find_best (&changed, &best))
        return gpu;
    }
  return NULL;
}

/**
 * shardwise_what_if_freed:
 * @problem: the question
 * @chosen: one of its strategies
 * @dimension: a pinned dimension; SW_N_DIMENSIONS: all pinned ones
 * @out: (out): the best strategy without this pin and the pins that depend on it
 *
 * Returns: whether the search finds one
 */
gboolean
shardwise_what_if_freed (const SwProblem *problem, const SwEstimate *chosen, SwDimension dimension,
                         SwEstimate *out)
{
  SwProblem freed = *problem;
  SwCandidate best;

  freed.pins.mask &= dimension == SW_N_DIMENSIONS
                         ? 0
                         : ~(1u << dimension | sw_dimension_followers (dimension));
  freed.training.framework = (SwFramework) chosen->strategy.framework;
  if (dimension == SW_DIM_MICRO_BATCH || dimension == SW_N_DIMENSIONS)
    freed.training.micro_batch = 0;
  if (!find_best (&freed, &best))
    return FALSE;
  sw_estimate (&freed, &best.strategy, out);
  return TRUE;
}

/**
 * shardwise_what_if_unpinned:
 * @problem: a question without an answer that fits
 *
 * Returns: whether it has pins, and has an answer without them
 */
gboolean
shardwise_what_if_unpinned (const SwProblem *problem)
{
  SwProblem freed = *problem;
  SwCandidate best;

  if (problem->pins.mask == 0)
    return FALSE;
  freed.pins.mask = 0;
  return find_best (&freed, &best);
}

/* Twice or half of the batch. */
static void
try_batch (const SwProblem *problem, const SwEstimate *estimate, gboolean large,
           ShardwiseEffect *out)
{
  SwProblem changed = *problem;
  SwCandidate best;

  out->batch = large ? MAX (1, problem->training.global_batch / 2)
                     : problem->training.global_batch * 2;
  if (!estimate->fits)
    return;
  changed.training.global_batch = out->batch;
  if (find_best (&changed, &best))
    out->seconds_per_token = best.seconds_per_token;
}

/* A pinned data parallel size follows the parallel sizes with which enough GPUs remain, and other
 * sizes if those do not fit. */
static void
try_value (const SwProblem *problem, const SwEstimate *estimate, SwDimension dimension, guint value,
           ShardwiseEffect *out)
{
  const guint data = 1u << SW_DIM_DP | 1u << SW_DIM_SHARD_GROUP;
  SwProblem freed = *problem;
  SwStrategy kept;
  gboolean found;

  out->dimension = dimension;
  out->value = value;
  freed.pins.mask &= ~sw_dimension_followers (dimension);
  found = what_if_value (&freed, estimate, dimension, value, &out->then);
  if (!found && dimension != SW_DIM_DP && (freed.pins.mask & data) != 0)
    {
      freed.pins.mask &= ~data;
      found = what_if_value (&freed, estimate, dimension, value, &out->then);
    }
  kept = out->then.strategy;
  copy_degrees (&(SwPins){ problem->pins.mask & data, problem->pins.value }, &kept);
  out->frees = found && !sw_strategy_equal (&kept, &out->then.strategy);
  out->fits = found && !out->frees;
}

/* Twice the batch and, if that helps again, four times the batch. */
static void
try_larger_batches (const SwProblem *problem, const SwEstimate *estimate, ShardwiseEffect *out)
{
  const SwTraining *training = &problem->training;
  const double tokens = (double) training->global_batch * training->sequence_length;
  const gboolean pretrain = training->type == SW_TRAINING_PRETRAIN;
  double best_s = 1 / estimate->tokens_per_s;

  for (guint factor = 2; factor <= 4 && !(pretrain && factor * tokens > SW_BATCH_LARGE_TOKENS);
       factor *= 2)
    {
      SwProblem changed = *problem;
      SwCandidate best;

      changed.training.global_batch *= factor;
      if (!find_best (&changed, &best)
          || best.seconds_per_token * (1 + SW_WORTH_ANOTHER_BATCH) > best_s)
        continue;
      out->batch = changed.training.global_batch;
      out->seconds_per_token = best_s = best.seconds_per_token;
    }
}

/* Among the nearest batches, larger and smaller, that replicas on all GPUs divide (replicas like
 * the recommended ones, or of one GPU each): the one that uses the most GPUs, if that is faster. */
static void
try_whole_batch (const SwProblem *problem, const SwEstimate *estimate, ShardwiseEffect *out)
{
  const guint gpus = problem->cluster.gpus, batch = problem->training.global_batch;
  const guint replicas[] = {
    gpus / MAX (1, estimate->gpus_used / MAX (1, estimate->strategy.dp)),
    gpus,
  };
  double best_s = 1 / estimate->tokens_per_s;

  if (!estimate->fits || batch > G_MAXUINT / 2)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (replicas); i++)
    for (guint up = 0; up <= 1; up++)
      {
        SwProblem changed = *problem;
        SwCandidate best;

        changed.training.global_batch = (batch / replicas[i] + up) * replicas[i];
        if (changed.training.global_batch == batch || changed.training.global_batch > 2 * batch
            || 2 * changed.training.global_batch < batch || !find_best (&changed, &best)
            || sw_strategy_gpus (&best.strategy) <= estimate->gpus_used
            || best.seconds_per_token >= best_s)
          continue;
        out->batch = changed.training.global_batch;
        out->seconds_per_token = best_s = best.seconds_per_token;
      }
}

/**
 * shardwise_what_if_advised:
 * @problem: the question
 * @estimate: of the shown strategy
 * @code: one of sw_estimate_advice()
 * @out: (out): the effect of following it, from a search with that value; if nothing fits, only
 *   changes that may help are searched
 */
void
shardwise_what_if_advised (const SwProblem *problem, const SwEstimate *estimate, SwAdviceCode code,
                           ShardwiseEffect *out)
{
  const SwStrategy *s = &estimate->strategy;
  SwProblem open = *problem;

  *out = (ShardwiseEffect){ .dimension = SW_N_DIMENSIONS };
  if (problem->training.usual_frameworks)
    open.training.framework = SW_FRAMEWORK_ANY;
  switch ((int) code)
    {
    case SW_ADVICE_DOES_NOT_FIT:
      out->n_least = sw_least_gpus_by (&open, out->least);
      out->fits_unpinned = shardwise_what_if_unpinned (problem);
      return;
    case SW_ADVICE_BIGGER_GPU: out->gpu = bigger_gpu (problem); return;
    case SW_ADVICE_COMMUNICATION_HIGH: return;
    case SW_ADVICE_GPUS_IDLE: try_whole_batch (&open, estimate, out); return;
    case SW_ADVICE_BATCH_LARGE:
    case SW_ADVICE_BATCH_SMALL:
      try_batch (problem, estimate, code == SW_ADVICE_BATCH_LARGE, out);
      return;
    case SW_ADVICE_BATCH_DEFAULT:
      if (estimate->fits)
        try_larger_batches (problem, estimate, out);
      return;
    case SW_ADVICE_RAISE_TP: try_value (problem, estimate, SW_DIM_TP, s->tp * 2, out); return;
    case SW_ADVICE_TP_ACROSS_NODES:
      try_value (problem, estimate, SW_DIM_TP, sw_cluster_tp_together (&problem->cluster, s->tp),
                 out);
      return;
    default: break;
    }
  if (!estimate->fits)
    return;
  switch ((int) code)
    {
    case SW_ADVICE_TP_OVERHEAD: try_value (problem, estimate, SW_DIM_TP, s->tp / 2, out); break;
    case SW_ADVICE_MEMORY_HIGH:
      if (s->recompute == SW_RECOMPUTE_FULL)
        try_value (problem, estimate, SW_DIM_OFFLOAD, SW_OFFLOAD_OPTIMIZER, out);
      else
        try_value (problem, estimate, SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL, out);
      break;
    case SW_ADVICE_MEMORY_LOW:
      try_value (problem, estimate, SW_DIM_MICRO_BATCH, s->micro_batch * 2, out);
      break;
    case SW_ADVICE_DP_ONE: try_value (problem, estimate, SW_DIM_DP, 2, out); break;
    default: try_value (problem, estimate, SW_DIM_PP, MAX (1, s->pp / 2), out);
    }
}

/* ---- why something is not listed ---- */

/* Found by a search among the strategies with these parallel sizes: the rule that the nearest one
 * breaks, or its missing memory. If no strategy has them, the other dimensions are as
 * recommended. */
static void
find_absence (ShardwiseAbsence *self, const SwStrategy *recommended, const SwPins *degrees)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem question = self->problem;
  SwSearchResult search;

  for (guint mask = degrees->mask & self->problem.pins.mask; mask != 0; mask &= mask - 1)
    {
      SwDimension dimension = (SwDimension) g_bit_nth_lsf (mask, -1);

      self->kind = SHARDWISE_ABSENCE_FIXED;
      if (sw_strategy_get (&self->problem.pins.value, dimension)
          != sw_strategy_get (&degrees->value, dimension))
        return;
    }
  question.pins.mask |= degrees->mask;
  copy_degrees (degrees, &question.pins.value);
  sw_search (&question, &options, &search);
  if (search.n_best > 0)
    {
      self->kind = SHARDWISE_ABSENCE_HIDDEN;
      self->strategy = search.best[0].strategy;
    }
  else if (search.n_nearest > 0)
    {
      self->kind = SHARDWISE_ABSENCE_NEAREST;
      self->strategy = search.nearest[0].strategy;
    }
  else
    {
      self->kind = SHARDWISE_ABSENCE_REJECTED;
      self->strategy = complete (&self->problem, recommended, degrees);
    }
  sw_why_rejected (&self->problem, &self->strategy, &self->why);
  sw_search_result_clear (&search);
  g_debug ("absence of degrees %#x: kind %d, rule %s", degrees->mask, (int) self->kind,
           sw_rule_names[self->why.rule]);
}

/* On a worker thread */

typedef struct {
  SwProblem problem;
  SwStrategy recommended;
  SwPins degrees;
} Question;

static void
thread_cb (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;
  ShardwiseAbsence *absence = g_new0 (ShardwiseAbsence, 1);

  absence->problem = question->problem;
  find_absence (absence, &question->recommended, &question->degrees);
  g_task_return_pointer (task, absence, g_free);
}

/**
 * shardwise_absence_async:
 * @problem: the question; copied
 * @recommended: the strategy that is recommended; copied
 * @degrees: the requested parallel sizes; copied
 * @cancellable: (nullable): cancels it
 * @callback: called on the caller's main context
 *
 * Searches the strategies with these parallel sizes in a worker thread.
 */
void
shardwise_absence_async (const SwProblem *problem, const SwStrategy *recommended,
                         const SwPins *degrees, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Question *question = g_new (Question, 1);

  *question = (Question){ *problem, *recommended, *degrees };
  g_task_set_source_tag (task, shardwise_absence_async);
  g_task_set_task_data (task, question, g_free);
  g_task_run_in_thread (task, thread_cb);
}

/**
 * shardwise_absence_finish:
 *
 * Returns: (transfer full) (nullable): why none of them is listed; %NULL: canceled
 */
ShardwiseAbsence *
shardwise_absence_finish (GAsyncResult *result)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), NULL);
}

/* ---- more of a resource ---- */

/* The state of one call. */
typedef struct {
  SwProblem problem;
  const SwEstimate *estimate;
  double factor;
  GPtrArray *gains;
  int cancelled; /* atomic */
} Sensitivity;

static void
compute_one (guint index, gpointer data)
{
  Sensitivity *work = data;

  sw_sensitivity_of (&work->problem, work->estimate, (SwResource) index, work->factor,
                     g_ptr_array_index (work->gains, index));
}

/**
 * shardwise_sensitivity_compute:
 * @problem: a prepared question
 * @estimate: of the selected strategy
 * @factor: factor for each resource; 1.25: a quarter more
 * @progress: (nullable): called after each resource
 * @progress_data: for @progress
 * @cancellable: (nullable): stops it at once
 * @error: %G_IO_ERROR_CANCELLED if it was stopped
 *
 * sw_sensitivity() on all cores.
 *
 * Returns: (transfer full) (element-type SwSensitivity): by #SwResource; %NULL with @error
 */
GPtrArray *
shardwise_sensitivity_compute (const SwProblem *problem, const SwEstimate *estimate, double factor,
                               void (*progress) (double fraction, gpointer data),
                               gpointer progress_data, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) gains = g_ptr_array_new_full (SW_N_RESOURCES, g_free);
  Sensitivity work = { *problem, estimate, factor, gains, 0 };
  const gulong handler = shardwise_parallel_watch (cancellable, &work.cancelled);

  for (guint i = 0; i < SW_N_RESOURCES; i++)
    g_ptr_array_add (gains, g_new0 (SwSensitivity, 1));
  work.problem.cancelled = &work.cancelled;
  shardwise_parallel_run (gains->len, compute_one, &work, progress, progress_data, &work.cancelled);
  g_cancellable_disconnect (cancellable, handler);
  return g_cancellable_set_error_if_cancelled (cancellable, error) ? NULL
                                                                   : g_steal_pointer (&gains);
}

/* ---- what pins cost: each, and all of them together, by a search without ---- */

/* The share of the throughput that a pin costs. */
static double
cost_of (const SwEstimate *chosen, const SwEstimate *freed)
{
  return 1.0 - freed->time.step_s / chosen->time.step_s;
}

static int
compare_costs (gconstpointer a, gconstpointer b)
{
  const ShardwiseEffect *left = a, *right = b;

  return (left->then.time.step_s > right->then.time.step_s)
         - (left->then.time.step_s < right->then.time.step_s);
}

/* Whether another pin, with its dependent dimensions, leads to the same strategy. */
static gboolean
is_listed (const ShardwiseEffect *listed, guint n, const SwEstimate *freed)
{
  for (guint i = 0; i < n; i++)
    if (sw_strategy_equal (&listed[i].then.strategy, &freed->strategy))
      return TRUE;
  return FALSE;
}

/**
 * shardwise_pin_costs:
 * @problem: the question
 * @chosen: its best strategy
 * @out: (out): for each pin that costs more than 2 % of the throughput, the `dimension` and the
 *   best strategy `then`, most expensive first; then, with SW_N_DIMENSIONS, for all pins together
 *   if they cost that much more than the most expensive
 *
 * Returns: their number
 */
guint
shardwise_pin_costs (const SwProblem *problem, const SwEstimate *chosen,
                     ShardwiseEffect out[SHARDWISE_MOST_PIN_COSTS])
{
  double dearest = 0.0;
  guint n = 0, n_pins = 0;

  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    {
      ShardwiseEffect *effect = &out[n];

      *effect = (ShardwiseEffect){ .dimension = i };
      if (!shardwise_text_is_pinned (problem, i))
        continue;
      n_pins++;
      effect->fits = shardwise_what_if_freed (problem, chosen, i, &effect->then);
      if (effect->fits && cost_of (chosen, &effect->then) > SHARDWISE_PIN_WORTH_A_WARNING
          && !is_listed (out, n, &effect->then))
        {
          dearest = MAX (dearest, cost_of (chosen, &effect->then));
          n++;
        }
    }
  qsort (out, n, sizeof *out, compare_costs);
  if (n_pins < 2)
    return n;
  out[n] = (ShardwiseEffect){ .dimension = SW_N_DIMENSIONS };
  out[n].fits = shardwise_what_if_freed (problem, chosen, SW_N_DIMENSIONS, &out[n].then);
  return n
         + (out[n].fits
            && cost_of (chosen, &out[n].then) > dearest + SHARDWISE_PIN_WORTH_A_WARNING);
}

/* The search chooses a value that is not pinned. */
static void
drop (GVariantDict *changes, ShardwiseKeyId key)
{
  shardwise_changes_insert (changes, key, "s", "");
}

/**
 * shardwise_pins_drop:
 * @changes: resets of the whole strategy are added to it
 */
void
shardwise_pins_drop (GVariantDict *changes)
{
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (g_str_has_prefix (shardwise_key_path (i), "strategy."))
      drop (changes, i);
}

/**
 * shardwise_pin_changes:
 * @dimension: a pinned dimension; SW_N_DIMENSIONS: all
 *
 * Returns: (transfer full): a{sv} that removes its pin and those of dependent dimensions
 */
GVariant *
shardwise_pin_changes (SwDimension dimension)
{
  GVariantDict changes;

  g_variant_dict_init (&changes, NULL);
  if (dimension == SW_N_DIMENSIONS)
    shardwise_pins_drop (&changes);
  else
    {
      drop (&changes, shardwise_dimension_key (dimension));
      for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
        if ((sw_dimension_followers (dimension) & 1u << i) != 0)
          drop (&changes, shardwise_dimension_key (i));
    }
  if (dimension == SW_DIM_RECOMPUTE)
    drop (&changes, SHARDWISE_KEY_STRATEGY_RECOMPUTE_MODULES);
  if (dimension == SW_DIM_MICRO_BATCH || dimension == SW_N_DIMENSIONS)
    drop (&changes, SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE);
  return g_variant_ref_sink (g_variant_dict_end (&changes));
}
