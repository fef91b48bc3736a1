/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advice-private.h"

G_DEFINE_FINAL_TYPE (ShardwiseAdvice, shardwise_advice, G_TYPE_OBJECT)

const char *const shardwise_method_names[] = { "analytical", "playbook", "quick-score", NULL };
const char *const shardwise_severity_names[] = { "info", "warning", "error", NULL };

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

  g_array_unref (self->alternatives);
  g_ptr_array_unref (self->rationale);
  g_ptr_array_unref (self->recommendations);
  g_clear_pointer (&self->steps, g_ptr_array_unref);
  g_clear_pointer (&self->notes, g_ptr_array_unref);
  g_ptr_array_unref (self->ways_out);
  g_ptr_array_unref (self->misses);
  g_array_unref (self->way_problems);
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
  self->alternatives = g_array_new (FALSE, TRUE, sizeof (SwEstimate));
  self->way_problems = g_array_new (FALSE, TRUE, sizeof (SwProblem));
  self->rationale = g_ptr_array_new_with_free_func (rationale_free);
  self->recommendations = g_ptr_array_new_with_free_func (recommendation_free);
  self->ways_out = g_ptr_array_new_with_free_func (way_out_free);
  self->misses = g_ptr_array_new_with_free_func (miss_free);
}

static void
copy_search (const SwSearchResult *search, SwSearchResult *out)
{
  *out = *search;
  out->best = g_memdup2 (search->best, search->n_best * sizeof *search->best);
  out->all = g_memdup2 (search->all, search->n_all * sizeof *search->all);
}

/**
 * shardwise_advice_copy:
 *
 * Returns: (transfer full): an advice that shares what never changes, and to which reasons, ways
 *   out and sizes may be added
 */
ShardwiseAdvice *
shardwise_advice_copy (ShardwiseAdvice *self)
{
  ShardwiseAdvice *copy = g_object_new (SHARDWISE_TYPE_ADVICE, NULL);

  copy->method = self->method;
  copy->problem = self->problem;
  copy->fits = self->fits;
  copy->recommended = self->recommended;
  copy->validated = self->validated;
  copy->has_validated = self->has_validated;
  g_array_unref (copy->alternatives);
  copy->alternatives = g_array_ref (self->alternatives);
  g_ptr_array_unref (copy->recommendations);
  copy->recommendations = g_ptr_array_ref (self->recommendations);
  copy->steps = g_ptr_array_ref (self->steps);
  copy->notes = g_ptr_array_ref (self->notes);
  copy_search (&self->search, &copy->search);
  copy->playbook = self->playbook;
  copy->quick_score = self->quick_score;
  copy->nearest_run = shardwise_nearest_run_copy (self->nearest_run);
  copy->verdict = g_strdup (self->verdict);
  copy->currency = g_strdup (self->currency);
  copy->days = self->days;
  copy->cost = self->cost;
  return copy;
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
 * Returns: (transfer none): the recommended strategy; where nothing fits, the one that lacks least;
 *   where the rules leave none, one with the pinned values, whose rule says what it breaks
 */
const SwEstimate *
shardwise_advice_get_recommended (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return &self->recommended;
}

/**
 * shardwise_advice_get_validated:
 *
 * Returns: (transfer none) (nullable): where the recommended strategy offloads, and no run that
 *   does was measured: the best one that keeps everything on the GPUs, if its kind was
 */
const SwEstimate *
shardwise_advice_get_validated (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->has_validated ? &self->validated : NULL;
}

/**
 * shardwise_advice_get_n_alternatives:
 *
 * Returns: how many alternatives there are, the recommended strategy not among them
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
 * shardwise_advice_get_ways_out:
 *
 * Returns: (transfer none) (element-type ShardwiseWayOut): the smallest changes that fit; empty
 * where it fits
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
 * Returns: (transfer none) (element-type ShardwiseMiss): the changes that were tried and alone do
 * not suffice; empty where it fits
 */
GPtrArray *
shardwise_advice_get_misses (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->misses;
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
 * shardwise_advice_get_nearest_run:
 *
 * Returns: (transfer none) (nullable): the published measured run most like this job
 */
const ShardwiseNearestRun *
shardwise_advice_get_nearest_run (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), NULL);

  return self->nearest_run;
}

/**
 * shardwise_advice_get_least_gpus:
 *
 * Returns: the least number of GPUs on which anything fits; 0: none found, or not asked for
 */
guint
shardwise_advice_get_least_gpus (ShardwiseAdvice *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), 0);

  return self->least_gpus;
}

/**
 * shardwise_advice_get_sensible_gpus:
 *
 * Returns: the least number of GPUs that is not memory-starved (see sw_sensible_gpus()); 0: none
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
 * Returns: days to train the tokens, checkpoints and interruptions counted; 0: no token count, or
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
 * Returns: price of those days on all GPUs of the cluster; 0: no price or no token count
 */
double
shardwise_advice_get_cost (ShardwiseAdvice *self, const char **currency)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (self), 0);

  if (currency != NULL)
    *currency = self->currency;
  return self->cost;
}
