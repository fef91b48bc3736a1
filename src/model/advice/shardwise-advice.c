/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a scenario to an advice: search, both rules of thumb, reasons, ways out and texts. */
#include "shardwise-advice.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-catalogue.h"
#include "shardwise-cost.h"
#include "shardwise-work.h"
#include "shardwise-changes.h"

#include "shardwise-text-estimate.h"
#include "shardwise-text-method.h"
#include "shardwise-text-reasons.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "shardwise-trade.h"
#include "shardwise-prediction.h"
#include "shardwise-estimate.h"
#include "shardwise-resolve.h"

#define EXPLAINING_THREADS 4
#define WORTH_MORE 0.01 /* smaller differences in speed are ignored */

struct _ShardwiseAdvice {
  GObject parent_instance;
  ShardwiseMethod method;
  SwProblem problem; /* of the method */
  SwProblem asked;   /* the same with the constraints of the search that found the strategy */
  SwStrategy start;  /* that search's result, if anything fits */
  gboolean fits;
  SwEstimate recommended;
  SwEstimate fastest; /* if it differs */
  gboolean has_fastest;
  gboolean fits_unpinned; /* if it does not fit: without the pinned values */
  GArray *frameworks;     /* of ShardwiseFrameworkChoice */
  GArray *alternatives;   /* of SwEstimate */
  GPtrArray *rationale, *recommendations, *steps, *notes, *assumptions, *ways_out, *misses;
  GPtrArray *usual;        /* of ShardwiseUsual */
  ShardwiseVerify *verify; /* (nullable) */
  SwSearchResult search;
  SwPlaybook playbook;
  SwQuickScoreResult quick_score;
  SwEstimate quick_estimate; /* of its best */
  ShardwiseNearestRun *nearest_run;
  SwLeastGpus least[SW_N_MEANS]; /* n_least of them */
  guint n_least, sensible_gpus;
  char *verdict, *currency;
  double days, cost;
  gboolean cost_is_stated; /* else the catalog's price */
};

G_DEFINE_FINAL_TYPE (ShardwiseAdvice, shardwise_advice, G_TYPE_OBJECT)

const char *const shardwise_method_names[] = { "analytical", "playbook", "quick-score", NULL };

static void
rationale_free (gpointer data)
{
  ShardwiseRationale *rationale = data;

  g_free (rationale->title);
  g_free (rationale->value);
  g_free (rationale->text);
  g_clear_pointer (&rationale->rows, g_ptr_array_unref);
  g_free (rationale);
}

static void
recommendation_free (gpointer data)
{
  ShardwiseRecommendation *recommendation = data;

  g_free (recommendation->text);
  g_clear_pointer (&recommendation->changes, g_variant_unref);
  g_free (recommendation);
}

static void
miss_free (gpointer data)
{
  ShardwiseMiss *miss = data;

  g_free (miss->text);
  g_free (miss);
}

static void
way_out_free (gpointer data)
{
  ShardwiseWayOut *way = data;

  g_free (way->name);
  g_free (way->change);
  g_clear_pointer (&way->changes, g_variant_unref);
  g_free (way);
}

static void
shardwise_advice_finalize (GObject *object)
{
  ShardwiseAdvice *self = SHARDWISE_ADVICE (object);

  g_array_unref (self->frameworks);
  g_array_unref (self->alternatives);
  g_ptr_array_unref (self->rationale);
  g_ptr_array_unref (self->recommendations);
  g_clear_pointer (&self->steps, g_ptr_array_unref);
  g_clear_pointer (&self->notes, g_ptr_array_unref);
  g_clear_pointer (&self->verify, shardwise_verify_unref);
  g_clear_pointer (&self->assumptions, g_ptr_array_unref);
  g_ptr_array_unref (self->ways_out);
  g_ptr_array_unref (self->misses);
  g_clear_pointer (&self->usual, g_ptr_array_unref);
  sw_search_result_clear (&self->search);
  shardwise_nearest_run_free (self->nearest_run);
  g_free (self->verdict);
  g_free (self->currency);
  G_OBJECT_CLASS (shardwise_advice_parent_class)->finalize (object);
}

static void
shardwise_advice_class_init (ShardwiseAdviceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_advice_finalize;
}

static void
shardwise_advice_init (ShardwiseAdvice *self)
{
  self->frameworks = g_array_new (FALSE, TRUE, sizeof (ShardwiseFrameworkChoice));
  self->alternatives = g_array_new (FALSE, TRUE, sizeof (SwEstimate));
  self->rationale = g_ptr_array_new_with_free_func (rationale_free);
  self->recommendations = g_ptr_array_new_with_free_func (recommendation_free);
  self->ways_out = g_ptr_array_new_with_free_func (way_out_free);
  self->misses = g_ptr_array_new_with_free_func (miss_free);
}

/**
 * shardwise_advice_get_method:
 *
 * Returns: the method that made the recommendation
 */
ShardwiseMethod
shardwise_advice_get_method (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), SHARDWISE_METHOD_ANALYTICAL);

  return self->method;
}

/**
 * shardwise_advice_get_problem:
 *
 * Returns: (transfer none): the question that was answered, with all defaults
 */
const SwProblem *
shardwise_advice_get_problem (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return &self->problem;
}

/**
 * shardwise_advice_get_asked:
 *
 * Returns: (transfer none): the question with the memory target and the exclusion of untried
 *   strategies for which the recommended strategy is the best
 */
const SwProblem *
shardwise_advice_get_asked (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return &self->asked;
}

/**
 * shardwise_advice_get_fits:
 *
 * Returns: whether the method found a strategy that fits
 */
gboolean
shardwise_advice_get_fits (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), FALSE);

  return self->fits;
}

/**
 * shardwise_advice_get_recommended:
 *
 * Returns: (transfer none): the recommended strategy. If nothing fits, the one closest to its
 * limits. If the rules allow none, one with the pinned values and the rule that it violates
 */
const SwEstimate *
shardwise_advice_get_recommended (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return &self->recommended;
}

/**
 * shardwise_advice_get_fastest:
 *
 * Returns: (transfer none) (nullable): a faster strategy that is untried or may not fit; %NULL:
 *   none
 */
const SwEstimate *
shardwise_advice_get_fastest (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->has_fastest ? &self->fastest : NULL;
}

/**
 * shardwise_advice_get_frameworks:
 *
 * Returns: (transfer none) (element-type ShardwiseFrameworkChoice): the results in each usual
 *   framework of the job, that of the answer first; empty if the scenario sets a framework
 */
GArray *
shardwise_advice_get_frameworks (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->frameworks;
}

/**
 * shardwise_advice_get_n_alternatives:
 *
 * Returns: the number of alternatives, without the recommended strategy
 */
guint
shardwise_advice_get_n_alternatives (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), 0);

  return self->alternatives->len;
}

/**
 * shardwise_advice_get_alternative:
 * @index: 0 is the best
 *
 * Returns: (transfer none) (nullable): one alternative
 */
const SwEstimate *
shardwise_advice_get_alternative (ShardwiseAdvice *self, guint index)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return index < self->alternatives->len ? &g_array_index (self->alternatives, SwEstimate, index)
                                         : NULL;
}

/**
 * shardwise_advice_get_rationale:
 *
 * Returns: (transfer none) (element-type ShardwiseRationale): why each dimension has its value
 */
GPtrArray *
shardwise_advice_get_rationale (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->rationale;
}

/**
 * shardwise_advice_get_recommendations:
 *
 * Returns: (transfer none) (element-type ShardwiseRecommendation): contextual recommendations and
 * warnings
 */
GPtrArray *
shardwise_advice_get_recommendations (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->recommendations;
}

/**
 * shardwise_advice_get_steps:
 *
 * Returns: (transfer none) (element-type ShardwiseStep): the three steps for this input
 */
GPtrArray *
shardwise_advice_get_steps (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->steps;
}

/**
 * shardwise_advice_get_verify:
 *
 * Returns: (transfer none) (nullable): how to check the prediction on the cluster; %NULL if the
 * recommended strategy does not fit
 */
const ShardwiseVerify *
shardwise_advice_get_verify (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->verify;
}

/**
 * shardwise_advice_get_notes:
 *
 * Returns: (transfer none) (element-type utf8): what is approximated or has no effect
 */
GPtrArray *
shardwise_advice_get_notes (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->notes;
}

/**
 * shardwise_advice_get_assumptions:
 *
 * Returns: (transfer none) (element-type ShardwiseAssumption): values that the user did not set and
 *   that affect the recommended strategy
 */
GPtrArray *
shardwise_advice_get_assumptions (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->assumptions;
}

/**
 * shardwise_advice_get_ways_out:
 *
 * Returns: (transfer none) (element-type ShardwiseWayOut): the smallest changes with which it fits;
 * empty if it fits
 */
GPtrArray *
shardwise_advice_get_ways_out (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->ways_out;
}

/**
 * shardwise_advice_get_misses:
 *
 * Returns: (transfer none) (element-type ShardwiseMiss): changes that are not enough by themselves;
 * empty if it fits
 */
GPtrArray *
shardwise_advice_get_misses (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->misses;
}

/**
 * shardwise_advice_get_usual:
 *
 * Returns: (transfer none) (element-type ShardwiseUsual): the conventional strategy of the
 *   framework, then published recipes for this model and GPU, each evaluated for this question
 */
GPtrArray *
shardwise_advice_get_usual (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->usual;
}

/**
 * shardwise_advice_get_search:
 *
 * Returns: (transfer none): what the search tried and found
 */
const SwSearchResult *
shardwise_advice_get_search (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return &self->search;
}

/**
 * shardwise_advice_get_playbook:
 *
 * Returns: (transfer none): the decision tree's answer to the same question
 */
const SwPlaybook *
shardwise_advice_get_playbook (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return &self->playbook;
}

/**
 * shardwise_advice_get_quick_score:
 *
 * Returns: (transfer none): the weighted score's answer to the same question
 */
const SwQuickScoreResult *
shardwise_advice_get_quick_score (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return &self->quick_score;
}

/**
 * shardwise_advice_get_quick_estimate:
 *
 * Returns: (transfer none): the analytical model's estimate of the weighted score's answer
 */
const SwEstimate *
shardwise_advice_get_quick_estimate (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return &self->quick_estimate;
}

/**
 * shardwise_advice_get_nearest_run:
 *
 * Returns: (transfer none) (nullable): the published measured run most similar to this job
 */
const ShardwiseNearestRun *
shardwise_advice_get_nearest_run (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->nearest_run;
}

/**
 * shardwise_advice_get_least:
 * @n: (out): their number
 *
 * Returns: (transfer none) (array length=n): the smallest numbers of GPUs on which it fits, each
 *   with further means than the one before; none if none was found or requested
 */
const SwLeastGpus *
shardwise_advice_get_least (ShardwiseAdvice *self, guint *n)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self) && n != NULL, NULL);

  *n = self->n_least;
  return self->least;
}

/**
 * shardwise_advice_get_least_gpus:
 *
 * Returns: the first entry of shardwise_advice_get_least(): if anything fits without additional
 * means, it uses none. 0: none found or requested
 */
guint
shardwise_advice_get_least_gpus (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), 0);

  return self->n_least > 0 ? self->least[0].gpus : 0;
}

/**
 * shardwise_advice_get_sensible_gpus:
 *
 * Returns: the smallest number of GPUs that is not memory-starved (see sw_sensible_gpus()); 0: none
 * found
 */
guint
shardwise_advice_get_sensible_gpus (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), 0);

  return self->sensible_gpus;
}

/**
 * shardwise_advice_get_verdict:
 *
 * Returns: (transfer none): the answer in one sentence, translated
 */
const char *
shardwise_advice_get_verdict (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->verdict;
}

/**
 * shardwise_advice_get_days:
 *
 * Returns: days to train the tokens, including checkpoints and interruptions; 0: tokens not set, or
 * nothing fits
 */
double
shardwise_advice_get_days (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), 0);

  return self->days;
}

/**
 * shardwise_advice_get_cost:
 * @currency: (out) (transfer none) (optional): of the scenario
 *
 * Returns: price of those days on all GPUs of the cluster; 0: no price, or tokens not set
 */
double
shardwise_advice_get_cost (ShardwiseAdvice *self, const char **currency)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), 0);

  if (currency != NULL)
    *currency = self->currency;
  return self->cost;
}

/* The same question for all frameworks that were searched. */
static SwProblem
open_question (const SwProblem *problem)
{
  SwProblem open = *problem;

  if (open.training.usual_frameworks)
    open.training.framework = SW_FRAMEWORK_ANY;
  return open;
}

/* ---- what would fit if nothing does ---- */

/* One part of a change, as scenario keys. */
static void
insert_part (GVariantDict *dict, const SwProblem *problem, const SwChangePart *part)
{
  const SwDimension dimension = sw_change_dimension (part->kind);
  const SwTraining *training = &problem->training;

  switch ((int) part->kind)
    {
    case SW_CHANGE_GPUS:
      shardwise_changes_insert (dict, SHARDWISE_KEY_CLUSTER_GPUS, "x", (gint64) part->value);
      return;
    case SW_CHANGE_OPTIMIZER_8BIT:
      shardwise_changes_insert (dict, SHARDWISE_KEY_TRAINING_OPTIMIZER, "s",
                                sw_optimizer_names[SW_OPTIMIZER_ADAM8BIT]);
      return;
    case SW_CHANGE_LORA:
    case SW_CHANGE_QLORA:
      shardwise_changes_insert (
          dict, SHARDWISE_KEY_TRAINING_TYPE, "s",
          sw_training_type_names[part->kind == SW_CHANGE_LORA ? SW_TRAINING_LORA
                                                              : SW_TRAINING_QLORA]);
      return;
    case SW_CHANGE_SEQUENCE: /* keeps the batch in tokens, as the engine did */
      shardwise_changes_insert (dict, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, "x",
                                (gint64) part->value);
      shardwise_changes_insert (
          dict, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, "x",
          (gint64) (training->global_batch * (training->sequence_length / part->value)));
      return;
    case SW_CHANGE_MEMORY_TARGET:
      shardwise_changes_insert (dict, SHARDWISE_KEY_TRAINING_MEMORY_TARGET, "d", part->value);
      return;
    case SW_CHANGE_FRAMEWORK:
      shardwise_changes_insert (dict, SHARDWISE_KEY_TRAINING_FRAMEWORK, "s",
                                sw_framework_names[(guint) part->value]);
      return;
    case SW_CHANGE_HOST_MEMORY:
      shardwise_changes_insert (dict, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB, "d", part->value);
      return;
    case SW_CHANGE_UNPIN: shardwise_pins_drop (dict); return;
    default: break;
    }
  if (!sw_change_is_unpinned (problem, part->kind))
    {
      g_autofree char *path = g_strdup (shardwise_key_path (shardwise_dimension_key (dimension)));

      g_variant_dict_insert_value (dict, path,
                                   shardwise_dimension_to_variant (dimension, (guint) part->value));
      return;
    }
  shardwise_changes_insert (dict, shardwise_dimension_key (dimension), "s", "");
  if (part->kind == SW_CHANGE_RECOMPUTE)
    shardwise_changes_insert (dict, SHARDWISE_KEY_STRATEGY_RECOMPUTE_MODULES, "s", "");
  else if (part->kind == SW_CHANGE_MICRO_BATCH)
    shardwise_changes_insert (dict, SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE, "s", "");
  else if (part->kind == SW_CHANGE_TP || part->kind == SW_CHANGE_PP || part->kind == SW_CHANGE_CP)
    {
      shardwise_changes_insert (dict, shardwise_dimension_key (SW_DIM_DP), "s", "");
      shardwise_changes_insert (dict, shardwise_dimension_key (SW_DIM_SHARD_GROUP), "s", "");
    }
}

/* The scenario's changes that correspond to an engine's change, and the changed question; %NULL if
 * the scenario cannot be changed this way. The number of GPUs may affect other values, such as the
 * batch: then the changed question is searched again. */
static GVariant *
changes_of_change (ShardwiseAdvice *advice, ShardwiseScenario *scenario, SwChange *change,
                   SwProblem *problem)
{
  const SwSearchOptions options = { .top = 1 };
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (scenario);
  g_autoptr (GVariant) changes = NULL;
  SwSearchResult found;
  SwProblem asked;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (guint i = 0; i < change->n_parts; i++)
    insert_part (&dict, &advice->problem, &change->parts[i]);
  changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  if (!shardwise_scenario_apply (changed, changes, NULL)
      || !shardwise_scenario_resolve (changed, problem, NULL, NULL))
    return NULL;
  if (problem->cluster.gpus == advice->problem.cluster.gpus)
    return g_steal_pointer (&changes);
  asked = *problem;
  asked.cancelled = advice->problem.cancelled;
  sw_search_start (&asked, &options, &found);
  if (found.n_best > 0)
    sw_estimate (problem, &found.best[0].strategy, &change->result);
  change->result.fits = found.n_best > 0;
  sw_search_result_clear (&found);
  return change->result.fits ? g_steal_pointer (&changes) : NULL;
}

static void
add_way_out (ShardwiseAdvice *advice, ShardwiseScenario *scenario, SwChange *change)
{
  SwProblem problem;
  GVariant *changes = changes_of_change (advice, scenario, change, &problem);
  ShardwiseWayOut *way;

  if (changes == NULL)
    return;
  way = g_new0 (ShardwiseWayOut, 1);
  way->changes = changes;
  way->problem = problem;
  way->name = shardwise_text_change_name (&advice->problem, change);
  way->change = shardwise_text_change (&advice->problem, change);
  way->result = change->result;
  g_ptr_array_add (advice->ways_out, way);
}

/* ---- computing it ---- */

/* The state of one call. */
typedef struct {
  ShardwiseScenario *scenario;
  const ShardwiseAdviceOptions *options;
  int cancelled; /* atomic; the engine checks it */
  ShardwiseAdvice *advice;
} Job;

static gboolean
is_cancelled (Job *job)
{
  return g_atomic_int_get (&job->cancelled) != 0;
}

/* The quick score was published with a target of 80 %. The default, which is displayed if the
 * target is not set, counts as not set: entering the same number changes nothing. */
static void
question_of (Job *job, ShardwiseMethod method, SwProblem *out)
{
  *out = job->advice->problem;
  if (method == SHARDWISE_METHOD_QUICK_SCORE
      && out->training.memory_target == shardwise_defaults_get ("training.memory_target"))
    out->training.memory_target = shardwise_defaults_get ("training.quick_score_memory_target");
}

/* The answer includes what was tried in all frameworks. */
static void
add_counts (const SwSearchResult *from, SwSearchResult *to)
{
  to->tried += from->tried;
  to->timed += from->timed;
  to->fit += from->fit;
  to->evaluated += from->evaluated;
  to->bounded += from->bounded;
  to->seconds += from->seconds;
  to->was_cancelled |= from->was_cancelled;
  for (guint i = 0; i < SW_N_RULES; i++)
    to->rejected[i] += from->rejected[i];
}

static void
add_framework (ShardwiseAdvice *advice, const SwStart *start)
{
  const SwSearchResult *search = &start->search;
  ShardwiseFrameworkChoice choice = { .framework = start->framework, .class = start->class };
  SwProblem problem = advice->problem;

  choice.has_strategy = search->n_best + search->n_nearest > 0;
  problem.training.framework = start->framework;
  if (choice.has_strategy)
    sw_estimate (&problem, &(search->n_best > 0 ? search->best : search->nearest)[0].strategy,
                 &choice.estimate);
  g_array_append_val (advice->frameworks, choice);
}

/* The recommended strategy of each framework in question, and the alternatives: after a complete
 * search, all that fit. */
static void
search (Job *job, const SwSearchOptions *options)
{
  ShardwiseAdvice *advice = job->advice;
  SwSearchOptions live = *options;
  SwStart starts[SW_N_FRAMEWORKS];
  SwProblem open;
  guint n;

  live.complete = FALSE;
  live.progress = NULL;
  if (options->complete)
    live.top = SHARDWISE_ADVICE_TOP;
  n = sw_start_frameworks (&advice->problem, &live, starts);
  if (advice->problem.training.usual_frameworks)
    for (guint i = 0; i < n; i++)
      add_framework (advice, &starts[i]);
  advice->asked = starts[0].asked;
  advice->problem.training.framework = starts[0].framework;
  if (starts[0].search.n_best > 0)
    advice->start = starts[0].search.best[0].strategy;
  if (!options->complete)
    {
      advice->search = starts[0].search;
      for (guint i = 1; i < n; i++)
        add_counts (&starts[i].search, &advice->search);
      sw_start_clear (starts + 1, n - 1);
      return;
    }
  open = open_question (&advice->problem);
  if (!is_cancelled (job))
    sw_search (&open, options, &advice->search);
  for (guint i = 0; i < n; i++)
    sw_search_result_add (&advice->search, starts[i].search.best, starts[i].search.n_best);
  sw_start_clear (starts, n);
}

/* The faster strategy remains available to users who want the last percent. */
static void
find_fastest (Job *job)
{
  ShardwiseAdvice *advice = job->advice;
  const SwSearchOptions options = { .top = 1, .threads = 1, .cancelled = &job->cancelled };
  SwProblem problem = open_question (&advice->problem);
  SwSearchResult result = { 0 };

  if (advice->method != SHARDWISE_METHOD_ANALYTICAL || !advice->fits)
    return;
  problem.training.left_out = 0;
  sw_search (&problem, &options, &result);
  if (result.n_best > 0)
    {
      sw_estimate (&advice->problem, &result.best[0].strategy, &advice->fastest);
      /* An equally certain strategy is an alternative: it is only less simple, or from another
       * framework, which the choice of the framework mentions. */
      advice->has_fastest =
          advice->fastest.time.step_s * (1 + WORTH_MORE) < advice->recommended.time.step_s
          && (advice->fastest.level == SW_LEVEL_UNTRIED || advice->fastest.fit == SW_FIT_MAY_NOT);
    }
  sw_search_result_clear (&result);
}

static void
add_best (ShardwiseAdvice *advice, guint top)
{
  for (guint i = 0; i < advice->search.n_best && advice->alternatives->len < top; i++)
    {
      const SwStrategy *strategy = &advice->search.best[i].strategy;
      SwEstimate estimate;

      if (sw_strategy_equal (strategy, &advice->recommended.strategy))
        continue;
      sw_estimate (&advice->problem, strategy, &estimate);
      g_array_append_val (advice->alternatives, estimate);
    }
}

/* A rule of thumb recommends a strategy that is within its own limit and can run: it needs both its
 * own verdict and that of the analytical model. */
static void
follow_rule (Job *job, gboolean fits, const SwStrategy *decided, const SwEstimate *estimate)
{
  ShardwiseAdvice *advice = job->advice;

  question_of (job, job->options->method, &advice->problem);
  advice->problem.training.micro_batch = estimate->strategy.micro_batch;
  if (advice->problem.training.usual_frameworks)
    advice->problem.training.framework = estimate->strategy.framework;
  g_array_set_size (advice->frameworks, 0); /* the method makes its own choice */
  advice->recommended = *estimate;
  advice->fits = fits && estimate->fits;
  shardwise_text_add_changes (advice->notes, &advice->problem, decided, &estimate->strategy);
}

static void
recommend (Job *job)
{
  ShardwiseAdvice *advice = job->advice;
  const SwSearchResult *search = &advice->search;
  const SwQuickScoreResult *result = &advice->quick_score;
  const SwPins *pins = &advice->problem.pins;
  SwStrategy strategy, decided;
  SwEstimate estimate;
  SwProblem problem;

  advice->method = job->options->method;
  switch (job->options->method)
    {
    case SHARDWISE_METHOD_PLAYBOOK:
      follow_rule (job, advice->playbook.fits, &advice->playbook.decided,
                   &advice->playbook.estimate);
      add_best (advice, job->options->top);
      break;
    case SHARDWISE_METHOD_QUICK_SCORE:
      question_of (job, SHARDWISE_METHOD_QUICK_SCORE, &problem);
      sw_quick_score_describe (&problem, &result->best, &decided);
      follow_rule (job, result->fits, &decided, &advice->quick_estimate);
      for (guint i = 0; i < result->n_alternatives; i++)
        {
          sw_quick_score_strategy (&problem, &result->alternatives[i], &strategy);
          sw_estimate (&problem, &strategy, &estimate);
          g_array_append_val (advice->alternatives, estimate);
        }
      break;
    case SHARDWISE_METHOD_ANALYTICAL:
    default:
      advice->fits = search->n_best > 0;
      if (advice->fits)
        sw_estimate (&advice->problem, &advice->start, &advice->recommended);
      else if (search->n_nearest > 0)
        sw_estimate (&advice->problem, &search->nearest[0].strategy, &advice->recommended);
      else
        {
          /* The pinned values, with data parallelism on the remaining GPUs: to report the rule that
           * forbids them if every candidate breaks one. */
          sw_strategy_init_default (&strategy);
          strategy.micro_batch = MAX (1, advice->problem.training.micro_batch);
          strategy.framework = (guint8) (advice->problem.training.framework == SW_FRAMEWORK_ANY
                                             ? SW_FRAMEWORK_MEGATRON_CORE
                                             : advice->problem.training.framework);
          for (guint i = 0; i < SW_N_DIMENSIONS; i++)
            if (sw_pins_has (pins, (SwDimension) i))
              sw_strategy_set (&strategy, (SwDimension) i,
                               sw_strategy_get (&pins->value, (SwDimension) i));
          if (!sw_pins_has (pins, SW_DIM_DP))
            strategy.dp = MAX (1, advice->problem.cluster.gpus
                                      / MAX (1, strategy.tp * strategy.cp * strategy.pp));
          if (!sw_pins_has (pins, SW_DIM_SHARD_GROUP))
            strategy.shard_group = strategy.dp;
          sw_estimate (&advice->problem, &strategy, &advice->recommended);
        }
      add_best (advice, job->options->top);
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

/* Parts that need additional searches, on several threads: cluster sizes, and reasons. */
typedef struct {
  Job *job;
  SwDimension dimensions[SW_N_DIMENSIONS];
  ShardwiseRationale *rationale[SW_N_DIMENSIONS]; /* (nullable): of each of them */
  guint n;
  int next; /* atomic; 0: the sizes, which take longest; otherwise a dimension, from 1 */
} Reasons;

/* One explainer per thread. */
static gpointer
find_reasons (gpointer data)
{
  Reasons *self = data;
  ShardwiseAdvice *advice = self->job->advice;
  const SwCluster *cluster = &advice->problem.cluster;
  SwProblem larger;

  SwExplainer *explainer = sw_explainer_new (&advice->asked, &advice->recommended);
  SwReason *reason = g_new (SwReason, 1);

  while (!is_cancelled (self->job))
    {
      const guint i = (guint) g_atomic_int_add (&self->next, 1);

      if (i > self->n)
        break;
      if (i == 0)
        {
          larger = open_question (&advice->problem);
          if (advice->n_least == 0)
            advice->n_least = sw_least_gpus_by (&larger, advice->least);
          /* The behavior of a GPU in a larger cluster is unknown without the network between its
           * nodes. */
          if (!is_cancelled (self->job)
              && shardwise_scenario_resolve_on (self->job->scenario,
                                                MAX (cluster->gpus, cluster->gpus_per_node + 1),
                                                &larger, NULL))
            {
              larger = open_question (&advice->problem);
              sw_means_apply (&larger, SW_MEANS_NONE);
              advice->sensible_gpus = sw_sensible_gpus (&larger);
              if (advice->sensible_gpus > 0 && advice->n_least > 0)
                advice->sensible_gpus = MAX (advice->sensible_gpus, advice->least[0].gpus);
            }
          continue;
        }
      sw_explainer_explain (explainer, self->dimensions[i - 1], reason);
      if (!is_cancelled (self->job))
        {
          /* In any thread: the result without a pin is searched, too. */
          ShardwiseRationale *rationale = g_new0 (ShardwiseRationale, 1);

          rationale->dimension = reason->dimension;
          rationale->title = shardwise_text_dimension (reason->dimension);
          rationale->value = shardwise_text_dimension_value (reason->dimension, reason->value);
          rationale->is_pinned = shardwise_text_is_pinned (&advice->problem, reason->dimension);
          rationale->has_freed = rationale->is_pinned
                                 && shardwise_what_if_freed (&advice->problem, &advice->recommended,
                                                             reason->dimension, &rationale->freed);
          rationale->text =
              shardwise_text_rationale (&advice->problem, &advice->recommended, reason,
                                        rationale->has_freed ? &rationale->freed : NULL);
          rationale->rows = rows_of (advice, reason);
          self->rationale[i - 1] = rationale;
        }
    }
  g_free (reason);
  sw_explainer_free (explainer);
  return NULL;
}

/* A rule of thumb gives its own reasons, from the given inputs; the analytical model's reasons are
 * about other strategies. */
static void
add_rule_reasons (ShardwiseAdvice *advice)
{
  const SwStrategy *strategy = &advice->recommended.strategy;

  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    {
      char *text = advice->method == SHARDWISE_METHOD_PLAYBOOK
                       ? shardwise_text_playbook_reason (&advice->asked, &advice->playbook, i)
                       : shardwise_text_quick_reason (&advice->asked, &advice->quick_score,
                                                      strategy, i);
      ShardwiseRationale *rationale;

      if (text == NULL)
        continue;
      rationale = g_new0 (ShardwiseRationale, 1);
      rationale->dimension = i;
      rationale->title = shardwise_text_dimension (i);
      rationale->value = shardwise_text_dimension_value (i, sw_strategy_get (strategy, i));
      rationale->text = text;
      rationale->rows = g_ptr_array_new_with_free_func (row_free);
      g_ptr_array_add (advice->rationale, rationale);
    }
}

static void
explain (Job *job)
{
  ShardwiseAdvice *advice = job->advice;
  GThread *threads[EXPLAINING_THREADS - 1];
  const guint n_threads = MIN (EXPLAINING_THREADS, g_get_num_processors ()) - 1;
  Reasons reasons = { .job = job };

  if (advice->fits && advice->method == SHARDWISE_METHOD_ANALYTICAL)
    reasons.n = sw_explain_dimensions (&advice->problem, &advice->recommended, reasons.dimensions);
  for (guint i = 0; i < n_threads; i++)
    threads[i] = g_thread_new ("reasons", find_reasons, &reasons);
  find_reasons (&reasons);
  for (guint i = 0; i < n_threads; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < reasons.n; i++)
    if (reasons.rationale[i] != NULL)
      g_ptr_array_add (advice->rationale, reasons.rationale[i]);
  if (advice->method != SHARDWISE_METHOD_ANALYTICAL)
    add_rule_reasons (advice);
}

static GVariant *
change_number (ShardwiseKeyId id, guint value)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  shardwise_changes_insert (&dict, id, "x", (gint64) value);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

static GVariant *
change_gpu (const char *gpu)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  shardwise_changes_insert (&dict, SHARDWISE_KEY_CLUSTER_GPU, "s", gpu);
  shardwise_other_cluster_forget_gpu (&dict, NULL);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* The action of the button beside a recommendation, as its text describes; NULL: none. The quick
 * score does not check whether something fits, neither for a TP nor for the GPUs that it
 * mentions. */
static GVariant *
changes_of (const ShardwiseAdvice *advice, SwAdviceCode code, const ShardwiseEffect *effect)
{
  const SwProblem *problem = &advice->problem;
  const guint tp = 2 * advice->recommended.strategy.tp;
  gboolean quick = advice->method == SHARDWISE_METHOD_QUICK_SCORE;

  if (!quick && (code == SW_ADVICE_RAISE_TP || code == SW_ADVICE_TP_ACROSS_NODES))
    return effect->fits ? change_number (SHARDWISE_KEY_STRATEGY_TP, effect->value) : NULL;
  if (code == SW_ADVICE_RAISE_TP)
    return tp <= problem->cluster.gpus && problem->model.attention_heads % tp == 0
               ? change_number (SHARDWISE_KEY_STRATEGY_TP, tp)
               : NULL;
  if (code == SW_ADVICE_BATCH_DEFAULT || (code == SW_ADVICE_GPUS_IDLE && effect->batch > 0))
    return change_number (SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, effect->batch);
  if (code != SW_ADVICE_BIGGER_GPU)
    return NULL;
  if (quick)
    return problem->cluster.gpu.memory_gb < 141 ? change_gpu ("h200-141-sxm") : NULL;
  return effect->gpu != NULL ? change_gpu (effect->gpu->id) : NULL;
}

/* If the strategy may not fit, or fits only with untried means: the smallest change with which it
 * certainly fits. */
static void
recommend_safety (Job *job)
{
  ShardwiseAdvice *advice = job->advice;
  ShardwiseRecommendation *self;
  GVariant *changes = NULL;
  SwProblem after, open = open_question (&advice->problem);
  const gboolean is_untried = advice->recommended.level == SW_LEVEL_UNTRIED
                              && open.training.left_out != 0;
  SwChange change;

  if (advice->method != SHARDWISE_METHOD_ANALYTICAL || !advice->fits
      || (advice->recommended.fit != SW_FIT_MAY_NOT && !is_untried))
    return;
  if (is_untried ? sw_change_to_proven (&open, &change) : sw_change_for_safety (&open, &change))
    changes = changes_of_change (advice, job->scenario, &change, &after);
  self = g_new0 (ShardwiseRecommendation, 1);
  self->severity = SHARDWISE_SEVERITY_WARNING;
  self->code = is_untried ? "untried" : "may-not-fit";
  self->text = shardwise_text_safety (&advice->problem, &advice->recommended,
                                      changes != NULL ? &change : NULL);
  self->changes = changes;
  /* What may stop the job comes before what only makes it faster. */
  g_ptr_array_insert (advice->recommendations, 0, self);
}

/* A strategy that fits but should not be started, because its GPUs wait most of the time. */
static void
recommend_work (Job *job)
{
  ShardwiseAdvice *advice = job->advice;
  ShardwiseRecommendation *self;
  GVariant *changes = NULL;
  SwProblem after, open = open_question (&advice->problem);
  SwChange change;

  if (advice->method != SHARDWISE_METHOD_ANALYTICAL
      || !sw_estimate_hardly_works (&advice->recommended))
    return;
  if (sw_change_to_work (&open, &advice->recommended, &change))
    changes = changes_of_change (advice, job->scenario, &change, &after);
  self = g_new0 (ShardwiseRecommendation, 1);
  self->severity = SHARDWISE_SEVERITY_WARNING;
  self->code = "hardly-works";
  self->text = shardwise_text_waiting (&advice->problem, &advice->recommended,
                                       changes != NULL ? &change : NULL);
  self->changes = changes;
  g_ptr_array_add (advice->recommendations, self);
}

/* The recommendations that a method has. */
static guint
advice_set (const ShardwiseAdvice *advice)
{
  const SwProblem *problem = &advice->problem;
  guint set = advice->fits ? 0 : 1u << SW_ADVICE_DOES_NOT_FIT;

  switch (advice->method)
    {
    case SHARDWISE_METHOD_QUICK_SCORE:
      set |= sw_quick_score_advice (problem, &advice->quick_score);
      /* A job that lacks memory by either estimate gets no advice to use more memory or to split
       * less. */
      return advice->fits ? set : set & ~(1u << SW_ADVICE_MEMORY_LOW | 1u << SW_ADVICE_TP_OVERHEAD);
    case SHARDWISE_METHOD_PLAYBOOK: return set | sw_playbook_advice (problem, &advice->recommended);
    case SHARDWISE_METHOD_ANALYTICAL:
    default: return sw_estimate_advice (problem, &advice->recommended);
    }
}

/* By the estimate that exceeds its limit: the method's own, otherwise the analytical model's. */
static char *
rule_advice (const ShardwiseAdvice *advice, SwAdviceCode code)
{
  const SwProblem *problem = &advice->problem;
  const SwPlaybook *playbook = &advice->playbook;
  const SwEstimate *estimate = &advice->recommended;

  if (advice->method == SHARDWISE_METHOD_QUICK_SCORE
      && (code != SW_ADVICE_DOES_NOT_FIT || !advice->quick_score.best.fits))
    return shardwise_text_quick_advice (problem, &advice->quick_score, code);
  if (advice->method == SHARDWISE_METHOD_PLAYBOOK && code == SW_ADVICE_DOES_NOT_FIT
      && !playbook->fits)
    return shardwise_text_count_misfit (problem, playbook->total_bytes / SW_GB,
                                        playbook->limit_bytes / SW_GB);
  return shardwise_text_advice (problem, estimate, code, NULL);
}

/* Whether the change of a recommendation was tried and does not help. */
static gboolean
is_no_gain (const ShardwiseAdvice *advice, SwAdviceCode code, const ShardwiseEffect *effect)
{
  static const SwAdviceCode of_speed[] = { SW_ADVICE_TP_OVERHEAD, SW_ADVICE_MEMORY_LOW,
                                           SW_ADVICE_DP_ONE };

  for (guint i = 0; i < G_N_ELEMENTS (of_speed); i++)
    if (code == of_speed[i])
      return advice->fits && effect->fits
             && effect->then.tokens_per_s <= advice->recommended.tokens_per_s;
  return FALSE;
}

static void
add_recommendations (ShardwiseAdvice *advice)
{
  const SwProblem *problem = &advice->problem;
  const gboolean is_rule = advice->method != SHARDWISE_METHOD_ANALYTICAL;
  guint set = advice_set (advice);
  SwProblem open;

  /* Another batch is tried with the best strategy for it, which cannot be compared with another
   * method's. */
  if (advice->method != SHARDWISE_METHOD_ANALYTICAL)
    set &= ~(1u << SW_ADVICE_BATCH_DEFAULT);
  for (SwAdviceCode code = 0; code < SW_N_ADVICE; code++)
    if ((set & (1u << code)) != 0)
      {
        ShardwiseRecommendation *self = g_new0 (ShardwiseRecommendation, 1);

        self->severity = shardwise_advice_severity (code);
        self->code = sw_advice_names[code];
        if (is_rule)
          self->text = rule_advice (advice, code);
        else
          {
            shardwise_what_if_advised (problem, &advice->recommended, code, &self->effect);
            self->text = shardwise_text_advice (problem, &advice->recommended, code, &self->effect);

            if (code == SW_ADVICE_DOES_NOT_FIT)
              {
                advice->fits_unpinned = self->effect.fits_unpinned;
                advice->n_least = self->effect.n_least;
                memcpy (advice->least, self->effect.least, sizeof advice->least);
              }
          }
        if ((code == SW_ADVICE_BATCH_DEFAULT && self->effect.batch == 0)
            || (!is_rule && is_no_gain (advice, code, &self->effect)))
          { /* good enough unchanged */
            recommendation_free (self);
            continue;
          }
        self->changes = changes_of (advice, code, &self->effect);
        g_ptr_array_add (advice->recommendations, self);
      }
  if (!advice->recommended.fits && advice->n_least == 0)
    {
      open = open_question (problem);
      advice->n_least = sw_least_gpus_by (&open, advice->least);
    }
}

/* The answer in one or two sentences, with the framework to use. If a rule of thumb finds nothing,
 * it states whose estimate this is. */
static char *
verdict_of (const ShardwiseAdvice *advice)
{
  g_autofree char *sentence = NULL, *framework = NULL;

  if (advice->method == SHARDWISE_METHOD_PLAYBOOK)
    sentence = shardwise_text_playbook_verdict (&advice->problem, &advice->playbook);
  else if (advice->method == SHARDWISE_METHOD_QUICK_SCORE)
    sentence = shardwise_text_quick_verdict (&advice->problem, &advice->quick_score,
                                             &advice->recommended);
  if (sentence == NULL)
    sentence = shardwise_text_verdict (
        &advice->problem, &advice->recommended, advice->fits_unpinned, advice->least,
        advice->n_least, advice->days, advice->cost, advice->cost_is_stated, advice->currency);
  framework = shardwise_text_framework_choice ((gpointer) advice->frameworks->data,
                                               advice->frameworks->len);
  /* Translators: two sentences */
  return framework != NULL ? g_strdup_printf (_ ("%s %s"), sentence, framework)
                           : g_steal_pointer (&sentence);
}

/* The answer itself. */
static void
answer (Job *job)
{
  ShardwiseAdvice *advice = job->advice;
  /* An answer with reasons states how many strategies were evaluated, which depends on how many are
   * kept: always keep the same number, so that the text does not depend on how many are
   * requested. */
  const guint top = MAX (job->options->top, job->options->explain ? SHARDWISE_ADVICE_TOP : 0);
  SwSearchOptions options = {
    .top = top + 1, /* one more: the recommended strategy is among them */
    .complete = job->options->complete,
    .threads = g_get_num_processors (),
    .cancelled = &job->cancelled,
    .progress = job->options->progress,
    .progress_data = job->options->progress_data,
  };
  ShardwiseCostInputs inputs;
  ShardwiseCost cost;
  SwProblem problem;
  SwStrategy strategy;

  search (job, &options);
  g_debug ("searched %u GPUs: %" G_GUINT64_FORMAT " tried, %" G_GUINT64_FORMAT " fit, %.3f s",
           advice->problem.cluster.gpus, advice->search.tried, advice->search.fit,
           advice->search.seconds);
  if (is_cancelled (job))
    return;
  question_of (job, SHARDWISE_METHOD_PLAYBOOK, &problem);
  sw_playbook (&problem, &job->advice->playbook);
  question_of (job, SHARDWISE_METHOD_QUICK_SCORE, &problem);
  sw_quick_score (&problem, &advice->quick_score);
  sw_quick_score_strategy (&problem, &advice->quick_score.best, &strategy);
  sw_estimate (&problem, &strategy, &advice->quick_estimate);
  recommend (job);
  if (job->options->bare)
    return;
  find_fastest (job);
  shardwise_note_estimate (advice->notes, &advice->problem, &advice->recommended);
  recommend_work (job);
  recommend_safety (job);
  add_recommendations (advice);
  advice->usual = shardwise_usual_find (&advice->problem, &advice->recommended);
  advice->assumptions = shardwise_assumptions_list (job->scenario, &advice->problem,
                                                    &advice->recommended);
  advice->nearest_run = shardwise_nearest_run_find (&advice->problem,
                                                    &advice->recommended.strategy);
  if (advice->fits)
    { /* as in `cost` */
      shardwise_cost_inputs_read (job->scenario, &advice->problem, &inputs);
      shardwise_cost_compute (&inputs, &advice->problem, &advice->recommended, &cost);
      advice->days = cost.days;
      advice->cost = shardwise_cost_total (&inputs, &cost, &advice->cost_is_stated);
    }
  advice->currency = shardwise_scenario_get_string (job->scenario, SHARDWISE_KEY_COST_CURRENCY);
  if (advice->recommended.fits)
    advice->verify = shardwise_verify_new (&advice->problem, &advice->recommended);
  advice->steps = shardwise_text_steps (&advice->problem, &advice->recommended, &advice->search,
                                        advice->method == SHARDWISE_METHOD_PLAYBOOK);
  advice->verdict = verdict_of (advice);
}

/* Keeps @estimate unless a faster strategy of its split is listed, or it has untried parts that the
 * recommended strategy lacks. */
static void
add_split (ShardwiseAdvice *advice, GArray *splits, const SwEstimate *estimate)
{
  if (!estimate->fits || sw_same_split (&estimate->strategy, &advice->recommended.strategy)
      || (estimate->untried & ~advice->recommended.untried) != 0)
    return;
  for (guint i = 0; i < splits->len; i++)
    {
      SwEstimate *listed = &g_array_index (splits, SwEstimate, i);

      if (!sw_same_split (&listed->strategy, &estimate->strategy))
        continue;
      if (estimate->time.step_s < listed->time.step_s)
        *listed = *estimate;
      return;
    }
  g_array_append_vals (splits, estimate, 1);
}

static int
compare_steps (gconstpointer a, gconstpointer b)
{
  const SwEstimate *left = a, *right = b;

  return (left->time.step_s > right->time.step_s) - (left->time.step_s < right->time.step_s);
}

/* Alternatives with an advantage over the recommended strategy come first; a strategy that is only
 * slower is not an alternative. */
static void
put_trades_first (ShardwiseAdvice *advice, GArray *splits)
{
  guint n = 0;

  for (guint i = 0; i < splits->len; i++)
    {
      const SwEstimate split = g_array_index (splits, SwEstimate, i);

      if (shardwise_trades (&advice->recommended, &split) == 0)
        continue;
      g_array_remove_index (splits, i);
      g_array_insert_val (splits, n++, split);
    }
}

/* The next best strategies are other splits among those that the search and the reasons found:
 * variants of the recommended strategy are not alternatives. If there are none, all strategies
 * found are listed. */
static void
choose_splits (ShardwiseAdvice *advice)
{
  GArray *splits = g_array_new (FALSE, TRUE, sizeof (SwEstimate));
  const guint most = advice->alternatives->len;

  for (guint i = 0; i < advice->alternatives->len; i++)
    add_split (advice, splits, &g_array_index (advice->alternatives, SwEstimate, i));
  for (guint i = 0; i < advice->rationale->len; i++)
    {
      const ShardwiseRationale *rationale = g_ptr_array_index (advice->rationale, i);

      /* A pinned dimension has no alternatives. */
      if (rationale->is_pinned)
        continue;
      for (guint j = 0; j < rationale->rows->len; j++)
        {
          const ShardwiseNeighbourRow *row = g_ptr_array_index (rationale->rows, j);

          if (row->neighbour.rule == SW_RULE_OK
              && row->neighbour.global_batch == advice->problem.training.global_batch)
            add_split (advice, splits, &row->neighbour.estimate);
        }
    }
  for (guint i = 0; i < advice->frameworks->len; i++)
    {
      const ShardwiseFrameworkChoice *choice = &g_array_index (advice->frameworks,
                                                               ShardwiseFrameworkChoice, i);

      if (choice->has_strategy)
        add_split (advice, splits, &choice->estimate);
    }
  if (splits->len == 0)
    {
      g_array_unref (splits);
      return;
    }
  g_array_sort (splits, compare_steps);
  put_trades_first (advice, splits);
  g_array_set_size (splits, MIN (splits->len, most));
  g_array_unref (advice->alternatives);
  advice->alternatives = splits;
}

/* The cost of a pin comes first. */
static void
warn_of_pins (ShardwiseAdvice *advice)
{
  ShardwiseEffect effects[SHARDWISE_MOST_PIN_COSTS];
  const guint n = shardwise_pin_costs (&advice->problem, &advice->recommended, effects);

  for (guint i = 0; i < n; i++)
    {
      const SwAdviceCode code = effects[i].dimension == SW_N_DIMENSIONS ? SW_ADVICE_PINS_COST
                                                                        : SW_ADVICE_PIN_COSTS;
      ShardwiseRecommendation *self = g_new0 (ShardwiseRecommendation, 1);

      self->severity = shardwise_advice_severity (code);
      self->code = sw_advice_names[code];
      self->effect = effects[i];
      self->text = shardwise_text_advice (&advice->problem, &advice->recommended, code,
                                          &self->effect);
      self->changes = shardwise_pin_changes (effects[i].dimension);
      g_ptr_array_insert (advice->recommendations, (int) i, self);
    }
}

/* A stated framework is a pin, too: applies if another framework is faster by more than a pin may
 * cost. */
static void
warn_of_framework (ShardwiseAdvice *advice)
{
  const SwSearchOptions options = { .top = 1, .cancelled = advice->problem.cancelled };
  ShardwiseRecommendation *self;
  SwProblem asked = advice->problem;
  SwSearchResult found = { 0 };
  GVariantDict changes;
  SwEstimate other;

  if (asked.training.usual_frameworks || asked.training.framework == SW_FRAMEWORK_ANY)
    return;
  asked.training.usual_frameworks = TRUE;
  asked.training.framework = SW_FRAMEWORK_ANY;
  sw_search_start (&asked, &options, &found);
  if (found.n_best > 0 && !found.was_cancelled
      && asked.training.framework != advice->problem.training.framework)
    {
      sw_estimate (&asked, &found.best[0].strategy, &other);
      if (advice->recommended.time.step_s > other.time.step_s * (1 + SHARDWISE_PIN_WORTH_A_WARNING))
        {
          self = g_new0 (ShardwiseRecommendation, 1);
          self->severity = SHARDWISE_SEVERITY_WARNING;
          self->code = "framework-costs";
          self->text = shardwise_text_framework_cost (&advice->recommended, &other);
          g_variant_dict_init (&changes, NULL);
          shardwise_changes_insert (&changes, SHARDWISE_KEY_TRAINING_FRAMEWORK, "s", "");
          self->changes = g_variant_ref_sink (g_variant_dict_end (&changes));
          g_ptr_array_insert (advice->recommendations, 0, self);
        }
    }
  sw_search_result_clear (&found);
}

static gpointer
recommendation_copy (gconstpointer item, gpointer data)
{
  ShardwiseRecommendation *copy = g_memdup2 (item, sizeof *copy);

  copy->text = g_strdup (copy->text);
  copy->changes = copy->changes != NULL ? g_variant_ref (copy->changes) : NULL;
  return copy;
}

/* The parts that need additional searches: reasons, ways out, sizes. */
static void
give_reasons (Job *job)
{
  ShardwiseAdvice *advice = job->advice;
  g_autofree SwChange *changes = NULL;
  SwProblem open;
  guint n;

  explain (job);
  if (is_cancelled (job))
    return;
  if (advice->fits)
    {
      if (advice->method == SHARDWISE_METHOD_ANALYTICAL && !job->options->complete)
        choose_splits (advice);
      if (advice->method == SHARDWISE_METHOD_ANALYTICAL)
        {
          warn_of_framework (advice);
          warn_of_pins (advice);
        }
      return;
    }
  /* If the analytical model finds strategies that fit, they are the way out for a rule of thumb. */
  if (advice->search.n_best > 0)
    return;
  /* Each change that suffices is a way out, the others are misses. */
  changes = g_new0 (SwChange, SW_MOST_CHANGES);
  open = open_question (&advice->problem);
  n = sw_changes_tried (&open, changes);
  for (guint i = 0; i < n; i++)
    if (changes[i].result.fits)
      add_way_out (advice, job->scenario, &changes[i]);
    else
      {
        ShardwiseMiss *miss = g_new0 (ShardwiseMiss, 1);

        miss->text = shardwise_text_miss (&advice->problem, &changes[i]);
        miss->change = changes[i];
        g_ptr_array_add (advice->misses, miss);
      }
}

/* Runs @work so that the engine checks @cancellable. */
static gboolean
run (Job *job, GCancellable *cancellable, void (*work) (Job *job), GError **error)
{
  const gulong handler = shardwise_parallel_watch (cancellable, &job->cancelled);

  job->advice->problem.cancelled = job->advice->asked.cancelled = &job->cancelled;
  work (job);
  g_cancellable_disconnect (cancellable, handler);
  /* Points into the caller's memory. */
  job->advice->problem.cancelled = job->advice->asked.cancelled = NULL;
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

/**
 * shardwise_advice_compute:
 * @scenario: the inputs; not changed. Another thread must not change it meanwhile: pass a copy
 * @options: what to compute
 * @cancellable: (nullable): stops it between two strategies
 *
 * Returns: (transfer full): the answer, even if nothing fits; %NULL with @error if the scenario is
 * incomplete or inconsistent, or the work was cancelled
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
 * Returns: (transfer full): @base with its reasons, ways out and sizes; %NULL with @error if the
 * work was cancelled
 */
ShardwiseAdvice *
shardwise_advice_explain (ShardwiseAdvice *base, ShardwiseScenario *scenario,
                          GCancellable *cancellable, GError **error)
{
  const ShardwiseAdviceOptions options = { .method = base->method, .explain = TRUE };
  g_autoptr (ShardwiseAdvice) advice = g_object_new (SHARDWISE_TYPE_ADVICE, NULL);
  Job job = { .scenario = scenario, .options = &options, .advice = advice };

  /* Shares the parts that never change; reasons, ways out and sizes may be added. */

  advice->method = base->method;
  advice->problem = base->problem;
  advice->asked = base->asked;
  advice->start = base->start;
  g_array_unref (advice->frameworks);
  advice->frameworks = g_array_ref (base->frameworks);
  advice->fits = base->fits;
  advice->recommended = base->recommended;
  advice->fastest = base->fastest;
  advice->has_fastest = base->has_fastest;
  advice->fits_unpinned = base->fits_unpinned;
  g_array_unref (advice->alternatives);
  advice->alternatives = g_array_ref (base->alternatives);
  g_ptr_array_unref (advice->recommendations);
  advice->recommendations = g_ptr_array_copy (base->recommendations, recommendation_copy, NULL);
  memcpy (advice->least, base->least, sizeof advice->least);
  advice->n_least = base->n_least;
  if (base->verify != NULL)
    advice->verify = shardwise_verify_ref (base->verify);
  advice->steps = g_ptr_array_ref (base->steps);
  advice->notes = g_ptr_array_ref (base->notes);
  advice->usual = g_ptr_array_ref (base->usual);
  advice->assumptions = g_ptr_array_ref (base->assumptions);
  advice->search = base->search;
  advice->search.best = g_memdup2 (base->search.best,
                                   base->search.n_best * sizeof *base->search.best);
  advice->search.all = g_memdup2 (base->search.all, base->search.n_all * sizeof *base->search.all);
  advice->playbook = base->playbook;
  advice->quick_score = base->quick_score;
  advice->quick_estimate = base->quick_estimate;
  advice->nearest_run = shardwise_nearest_run_copy (base->nearest_run);
  advice->verdict = g_strdup (base->verdict);
  advice->currency = g_strdup (base->currency);
  advice->days = base->days;
  advice->cost = base->cost;
  return run (&job, cancellable, give_reasons, error) ? g_steal_pointer (&advice) : NULL;
}
