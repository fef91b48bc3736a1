/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a scenario to an advice: search, both rules of thumb, reasons and texts. */
#include "shardwise-cost.h"
#include "shardwise-changes.h"
#include "shardwise-work.h"
#include "shardwise-resolve.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "shardwise-text-reasons.h"
#include "shardwise-text-advice.h"
#include "shardwise-text-estimate.h"

#include <glib/gi18n.h>

#define QUICK_SCORE_TARGET 0.8
#define RULE_OF_THUMB_MICRO_BATCH 4
#define EXPLAINING_THREADS 4

/* The work of one call. */
typedef struct {
  ShardwiseScenario *scenario;
  const ShardwiseAdviceOptions *options;
  int cancelled; /* atomic; what the engine looks at */
  ShardwiseAdvice *advice;
} Job;

static gboolean
is_cancelled (Job *job)
{
  return g_atomic_int_get (&job->cancelled) != 0;
}

/* The rules of thumb were published with a micro-batch of 4, the quick score with a target of 80
 * %. */
static void
question_of (Job *job, ShardwiseMethod method, SwProblem *out)
{
  *out = job->advice->problem;
  if (method == SHARDWISE_METHOD_ANALYTICAL)
    return;
  if (out->training.micro_batch == 0)
    out->training.micro_batch = MIN (RULE_OF_THUMB_MICRO_BATCH, out->training.global_batch);
  if (method == SHARDWISE_METHOD_QUICK_SCORE
      && !shardwise_scenario_is_set (job->scenario, "training.memory_target"))
    out->training.memory_target = QUICK_SCORE_TARGET;
}

/* An answer with reasons tells how many strategies were evaluated. That depends on how many are
 * kept: the same words are the same number, however few of them are asked for. */
static void
run_search (Job *job)
{
  const guint top = MAX (job->options->top, job->options->explain ? SHARDWISE_ADVICE_TOP : 0);
  SwSearchOptions options = {
    .top = top + 1, /* one more: the recommended strategy is among them */
    .complete = job->options->complete,
    .threads = g_get_num_processors (),
    .cancelled = &job->cancelled,
    .progress = job->options->progress,
    .progress_data = job->options->progress_data,
  };

  sw_search (&job->advice->problem, &options, &job->advice->search);
}

/* Ranking asks for throughput alone; whoever would rather trust a figure has that choice too. */
static void
find_validated (Job *job)
{
  ShardwiseAdvice *advice = job->advice;
  const SwSearchOptions options = { .top = 1, .threads = 1, .cancelled = &job->cancelled };
  SwProblem problem = advice->problem;
  SwSearchResult result = { 0 };

  if (advice->method != SHARDWISE_METHOD_ANALYTICAL || !advice->fits
      || (advice->recommended.unmeasured & SW_UNMEASURED_OFFLOAD) == 0
      || sw_pins_has (&problem.pins, SW_DIM_OFFLOAD))
    return;
  problem.pins.mask |= 1u << SW_DIM_OFFLOAD;
  sw_strategy_set (&problem.pins.value, SW_DIM_OFFLOAD, SW_OFFLOAD_NONE);
  sw_search (&problem, &options, &result);
  if (result.n_best > 0)
    {
      sw_estimate (&advice->problem, &result.best[0].strategy, &advice->validated);
      advice->has_validated = sw_estimate_is_validated (&advice->validated);
    }
  sw_search_result_clear (&result);
}

static void
run_rules_of_thumb (Job *job)
{
  SwProblem problem;

  question_of (job, SHARDWISE_METHOD_PLAYBOOK, &problem);
  sw_playbook (&problem, &job->advice->playbook);
  question_of (job, SHARDWISE_METHOD_QUICK_SCORE, &problem);
  /* Where no global batch is given the score counts 8 micro-batches, not those of our default. */
  if (!shardwise_scenario_is_set (job->scenario, "training.global_batch_size"))
    problem.training.global_batch = 0;
  sw_quick_score (&problem, &job->advice->quick_score);
}

static void
add_alternative (ShardwiseAdvice *advice, const SwStrategy *strategy)
{
  SwEstimate estimate;

  if (sw_strategy_equal (strategy, &advice->recommended.strategy))
    return;
  sw_estimate (&advice->problem, strategy, &estimate);
  g_array_append_val (advice->alternatives, estimate);
}

static void
add_best (ShardwiseAdvice *advice, guint top)
{
  for (guint i = 0; i < advice->search.n_best && advice->alternatives->len < top; i++)
    add_alternative (advice, &advice->search.best[i].strategy);
}

/* What the pins say, one GPU elsewhere: for the rule that forbids it, where every candidate breaks
 * one. */
static void
estimate_pinned (ShardwiseAdvice *advice)
{
  SwStrategy strategy;

  sw_strategy_init_default (&strategy);
  strategy.micro_batch = MAX (1, advice->problem.training.micro_batch);
  strategy.framework = (guint8) (advice->problem.training.framework == SW_FRAMEWORK_ANY
                                     ? SW_FRAMEWORK_MEGATRON_CORE
                                     : advice->problem.training.framework);
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (sw_pins_has (&advice->problem.pins, (SwDimension) i))
      sw_strategy_set (&strategy, (SwDimension) i,
                       sw_strategy_get (&advice->problem.pins.value, (SwDimension) i));
  sw_estimate (&advice->problem, &strategy, &advice->recommended);
}

static void
recommend_analytical (ShardwiseAdvice *advice)
{
  const SwSearchResult *search = &advice->search;

  advice->fits = search->n_best > 0;
  if (advice->fits)
    sw_estimate (&advice->problem, &search->best[0].strategy, &advice->recommended);
  else if (search->n_nearest > 0)
    sw_estimate (&advice->problem, &search->nearest[0].strategy, &advice->recommended);
  else
    estimate_pinned (advice);
}

static void
recommend_quick_score (ShardwiseAdvice *advice)
{
  const SwQuickScoreResult *result = &advice->quick_score;
  SwStrategy strategy;

  sw_quick_score_strategy (&advice->problem, &result->best, &strategy);
  sw_estimate (&advice->problem, &strategy, &advice->recommended);
  advice->fits = result->fits;
  for (guint i = 0; i < result->n_alternatives; i++)
    {
      SwEstimate estimate;

      sw_quick_score_strategy (&advice->problem, &result->alternatives[i], &strategy);
      sw_estimate (&advice->problem, &strategy, &estimate);
      g_array_append_val (advice->alternatives, estimate);
    }
}

/* A rule of thumb and the model may disagree on what fits: the method's word stands, the model's is
 * noted. */
static void
note_disagreement (ShardwiseAdvice *advice)
{
  const SwEstimate *estimate = &advice->recommended;
  g_autofree char *reason = NULL;

  if (advice->fits == estimate->fits)
    return;
  if (estimate->fits)
    {
      g_ptr_array_add (advice->notes, g_strdup (_ ("By the analytical model this strategy fits, "
                                                   "although the method says that it does not.")));
      return;
    }
  reason = shardwise_text_rule (&advice->problem, &estimate->strategy, estimate->rule,
                                estimate->missing_bytes);
  /* Translators: %s is a reason, a phrase or sentence */
  g_ptr_array_add (
      advice->notes,
      g_strdup_printf (_ ("By the analytical model this strategy does not run: %s"), reason));
}

static void
recommend (Job *job)
{
  ShardwiseAdvice *advice = job->advice;

  advice->method = job->options->method;
  switch (job->options->method)
    {
    case SHARDWISE_METHOD_PLAYBOOK:
      question_of (job, SHARDWISE_METHOD_PLAYBOOK, &advice->problem);
      advice->recommended = advice->playbook.estimate;
      advice->fits = advice->playbook.fits;
      add_best (advice, job->options->top);
      note_disagreement (advice);
      break;
    case SHARDWISE_METHOD_QUICK_SCORE:
      question_of (job, SHARDWISE_METHOD_QUICK_SCORE, &advice->problem);
      recommend_quick_score (advice);
      note_disagreement (advice);
      break;
    case SHARDWISE_METHOD_ANALYTICAL:
    default: recommend_analytical (advice); add_best (advice, job->options->top);
    }
}

static void
row_free (gpointer data)
{
  ShardwiseNeighbourRow *row = data;

  g_free (row->value);
  g_free (row->reason);
  g_free (row);
}

static GPtrArray *
rows_of (const ShardwiseAdvice *advice, const SwReason *reason)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);

  for (guint i = 0; i < reason->n_neighbours; i++)
    {
      const SwNeighbour *neighbour = &reason->neighbours[i];
      ShardwiseNeighbourRow *row = g_new0 (ShardwiseNeighbourRow, 1);

      row->neighbour = *neighbour;
      row->value = shardwise_text_dimension_value (reason->dimension, neighbour->value);
      row->reason = shardwise_text_neighbour (&advice->problem, &advice->recommended, neighbour);
      row->beside = shardwise_text_beside (reason, -1) == (int) i
                    || shardwise_text_beside (reason, 1) == (int) i;
      g_ptr_array_add (rows, row);
    }
  return rows;
}

/* On any thread: its text takes searches, too. */
static ShardwiseRationale *
rationale_new (const ShardwiseAdvice *advice, const SwReason *reason)
{
  ShardwiseRationale *rationale = g_new0 (ShardwiseRationale, 1);

  rationale->dimension = reason->dimension;
  rationale->title = shardwise_text_dimension (reason->dimension);
  rationale->value = shardwise_text_dimension_value (reason->dimension, reason->value);
  rationale->text = shardwise_text_rationale (&advice->problem, &advice->recommended, reason);
  rationale->rows = rows_of (advice, reason);
  return rationale;
}

/* What takes searches of its own, by several threads: sizes of the cluster, and reasons. */
typedef struct {
  Job *job;
  SwDimension dimensions[SW_N_DIMENSIONS];
  ShardwiseRationale *rationale[SW_N_DIMENSIONS]; /* (nullable): of each of them */
  guint n;
  int next; /* atomic: 0: the sizes, which take longest; else a dimension, from 1 on */
} Reasons;

/* What a GPU does in a larger cluster is known only with the network between its nodes. */
static gboolean
has_network (Job *job)
{
  const SwCluster *cluster = &job->advice->problem.cluster;
  SwProblem larger;

  return shardwise_scenario_resolve_on (
      job->scenario, MAX (cluster->gpus, cluster->gpus_per_node + 1), &larger, NULL);
}

static void
find_sizes (Job *job)
{
  ShardwiseAdvice *advice = job->advice;

  advice->least_gpus = sw_least_gpus (&advice->problem);
  if (!is_cancelled (job) && has_network (job))
    advice->sensible_gpus = sw_sensible_gpus (&advice->problem);
}

/* An explainer is used by one thread. */
static gpointer
find_reasons (gpointer data)
{
  Reasons *self = data;
  const ShardwiseAdvice *advice = self->job->advice;
  SwExplainer *explainer = sw_explainer_new (&advice->problem, &advice->recommended);
  SwReason *reason = g_new (SwReason, 1);

  while (!is_cancelled (self->job))
    {
      const guint i = (guint) g_atomic_int_add (&self->next, 1);

      if (i > self->n)
        break;
      if (i == 0)
        {
          find_sizes (self->job);
          continue;
        }
      sw_explainer_explain (explainer, self->dimensions[i - 1], reason);
      if (!is_cancelled (self->job))
        self->rationale[i - 1] = rationale_new (advice, reason);
    }
  g_free (reason);
  sw_explainer_free (explainer);
  return NULL;
}

static void
explain (Job *job)
{
  ShardwiseAdvice *advice = job->advice;
  GThread *threads[EXPLAINING_THREADS - 1];
  const guint n_threads = MIN (EXPLAINING_THREADS, g_get_num_processors ()) - 1;
  Reasons reasons = { .job = job };

  if (advice->fits)
    reasons.n = sw_explain_dimensions (&advice->problem, &advice->recommended, reasons.dimensions);
  for (guint i = 0; i < n_threads; i++)
    threads[i] = g_thread_new ("reasons", find_reasons, &reasons);
  find_reasons (&reasons);
  for (guint i = 0; i < n_threads; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < reasons.n; i++)
    if (reasons.rationale[i] != NULL)
      g_ptr_array_add (advice->rationale, reasons.rationale[i]);
}

/* The quick score names GPUs without looking whether it fits on them. */
static const char *
bigger_gpu (const ShardwiseAdvice *advice)
{
  const SwGpu *gpu;

  if (advice->method == SHARDWISE_METHOD_QUICK_SCORE)
    return advice->problem.cluster.gpu.memory_gb < 141 ? "h200-141-sxm" : NULL;
  gpu = shardwise_what_if_bigger_gpu (&advice->problem);
  return gpu != NULL ? gpu->id : NULL;
}

/* Whether a strategy has that TP, and fits; the quick score does not ask that. */
static gboolean
can_have_tp (const ShardwiseAdvice *advice, guint tp)
{
  SwEstimate then;

  if (advice->method == SHARDWISE_METHOD_QUICK_SCORE)
    return tp <= advice->problem.cluster.gpus && advice->problem.model.attention_heads % tp == 0;
  return shardwise_what_if (&advice->problem, &advice->recommended, SW_DIM_TP, tp, &then);
}

static GVariant *
change_tp (const ShardwiseAdvice *advice, guint tp)
{
  GVariantDict dict;

  if (!can_have_tp (advice, tp))
    return NULL;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "strategy.tp", "x", (gint64) tp);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

static GVariant *
change_gpu (const char *gpu)
{
  GVariantDict dict;

  if (gpu == NULL)
    return NULL;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "cluster.gpu", "s", gpu);
  shardwise_other_cluster_forget_gpu (&dict, NULL);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* What the button beside a recommendation does: what its text says; NULL: nothing can be done with
 * one click. */
static GVariant *
changes_of (const ShardwiseAdvice *advice, SwAdviceCode code)
{
  guint tp = advice->recommended.strategy.tp;

  if (code == SW_ADVICE_RAISE_TP)
    return change_tp (advice, 2 * tp);
  if (code == SW_ADVICE_TP_ACROSS_NODES)
    return change_tp (advice, sw_cluster_tp_together (&advice->problem.cluster, tp));
  return code == SW_ADVICE_BIGGER_GPU ? change_gpu (bigger_gpu (advice)) : NULL;
}

static void
add_recommendations (ShardwiseAdvice *advice)
{
  gboolean quick = advice->method == SHARDWISE_METHOD_QUICK_SCORE;
  guint set = quick ? sw_quick_score_advice (&advice->problem, &advice->quick_score)
                    : sw_estimate_advice (&advice->problem, &advice->recommended);

  for (guint code = 0; code < SW_N_ADVICE; code++)
    if ((set & (1u << code)) != 0)
      {
        ShardwiseRecommendation *recommendation = g_new0 (ShardwiseRecommendation, 1);

        recommendation->severity = shardwise_advice_severity ((SwAdviceCode) code);
        recommendation->code = sw_advice_names[code];
        recommendation->text = quick
                                   ? shardwise_text_quick_advice (
                                       &advice->problem, &advice->quick_score, (SwAdviceCode) code)
                                   : shardwise_text_advice (&advice->problem, &advice->recommended,
                                                            (SwAdviceCode) code);
        recommendation->changes = changes_of (advice, (SwAdviceCode) code);
        g_ptr_array_add (advice->recommendations, recommendation);
      }
}

/* Days and cost as `cost` has them; without a price of the scenario the verdict names none. */
static void
set_days_and_cost (Job *job)
{
  ShardwiseAdvice *advice = job->advice;
  ShardwiseCostInputs inputs;
  ShardwiseCost cost;

  shardwise_cost_inputs_read (job->scenario, &advice->problem, &inputs);
  shardwise_cost_compute (&inputs, &advice->problem, &advice->recommended, &cost);
  advice->days = cost.days;
  advice->cost = shardwise_cost_stated_total (&inputs, &cost);
}

static void
finish_texts (Job *job)
{
  ShardwiseAdvice *advice = job->advice;

  if (advice->fits)
    set_days_and_cost (job);
  advice->currency = shardwise_scenario_get_string (job->scenario, "cost.currency");
  advice->steps = shardwise_text_steps (&advice->problem, &advice->recommended, &advice->search);
  advice->verdict = shardwise_text_verdict (&advice->problem, &advice->recommended, advice->days,
                                            advice->cost, advice->currency);
}

/* The answer itself. */
static void
answer (Job *job)
{
  ShardwiseAdvice *advice = job->advice;

  run_search (job);
  if (is_cancelled (job))
    return;
  run_rules_of_thumb (job);
  recommend (job);
  if (job->options->bare)
    return;
  find_validated (job);
  shardwise_note_estimate (advice->notes, &advice->problem, &advice->recommended);
  add_recommendations (advice);
  advice->nearest_run = shardwise_nearest_run_find (&advice->problem,
                                                    &advice->recommended.strategy);
  finish_texts (job);
}

/* What takes searches of its own: reasons, ways out, sizes. */
static void
give_reasons (Job *job)
{
  explain (job);
  if (!is_cancelled (job))
    shardwise_advice_find_ways_out (job->advice, job->scenario);
}

/* Runs @work with the engine looking at @cancellable. */
static gboolean
run (Job *job, GCancellable *cancellable, void (*work) (Job *job), GError **error)
{
  const gulong handler = shardwise_parallel_watch (cancellable, &job->cancelled);

  job->advice->problem.cancelled = &job->cancelled;
  work (job);
  g_cancellable_disconnect (cancellable, handler);
  job->advice->problem.cancelled = NULL; /* it points into the caller */
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

/**
 * shardwise_advice_compute:
 * @scenario: the inputs; not changed. Another thread must not change it meanwhile: hand in a copy
 * @options: what to compute
 * @cancellable: (nullable): stops it between two strategies
 *
 * Returns: (transfer full): the answer, also where nothing fits; %NULL with @error where the
 * scenario is incomplete or contradicts itself, or the work was cancelled
 */
ShardwiseAdvice *
shardwise_advice_compute (ShardwiseScenario *scenario, const ShardwiseAdviceOptions *options,
                          GCancellable *cancellable, GError **error)
{
  g_autoptr (ShardwiseAdvice) advice = g_object_new (SHARDWISE_TYPE_ADVICE, NULL);
  Job job = { .scenario = scenario, .options = options, .advice = advice };

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario) && options != NULL, NULL);

  if (!shardwise_scenario_resolve (scenario, &advice->problem, &advice->notes, error)
      || !run (&job, cancellable, answer, error))
    return NULL;
  if (options->explain && !run (&job, cancellable, give_reasons, error))
    return NULL;
  return g_steal_pointer (&advice);
}

/**
 * shardwise_advice_explain:
 * @base: an advice without reasons
 * @scenario: the inputs that it answers
 * @cancellable: (nullable): stops it
 *
 * Returns: (transfer full): @base with its reasons, ways out and sizes; %NULL with @error where the
 * work was cancelled
 */
ShardwiseAdvice *
shardwise_advice_explain (ShardwiseAdvice *base, ShardwiseScenario *scenario,
                          GCancellable *cancellable, GError **error)
{
  const ShardwiseAdviceOptions options = { .method = base->method, .explain = TRUE };
  g_autoptr (ShardwiseAdvice) advice = shardwise_advice_copy (base);
  Job job = { .scenario = scenario, .options = &options, .advice = advice };

  return run (&job, cancellable, give_reasons, error) ? g_steal_pointer (&advice) : NULL;
}
