/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a dimension has its value: repeats the search with a neighboring value pinned and everything
 * else that the user left open optimized again. */
#include "sw-explain.h"
#include "sw-search-nodes.h"
#include "sw-search.h"

#include <stdlib.h>
#include <string.h>

struct _SwExplainer {
  SwProblem problem; /* with the framework of the chosen strategy */
  SwEstimate chosen;
  SwNodes *nodes; /* the level-1 points of the problem; NULL: not listed yet */
};

static void
add (SwValues *values, guint value)
{
  for (guint i = 0; i < values->n; i++)
    if (values->values[i] == value)
      return;
  if (values->n < SW_MAX_NEIGHBOURS)
    values->values[values->n++] = value;
}

static int
compare_values (gconstpointer a, gconstpointer b)
{
  const guint left = *(const guint *) a, right = *(const guint *) b;

  return (left > right) - (left < right);
}

static void
add_mask (SwValues *values, guint mask)
{
  for (guint i = 0; i < 8; i++)
    if ((mask & (1u << i)) != 0)
      add (values, i);
}

/* Half, double, and the next divisor on either side if these are not divisors. */
static void
add_degrees (const SwProblem *problem, SwDimension dimension, guint value, SwValues *values)
{
  guint number = problem->training.global_batch;
  SwValues divisors;

  /* The number whose divisors are the values of a parallel size. */
  if (dimension == SW_DIM_TP || dimension == SW_DIM_ETP)
    number = problem->model.attention_heads;
  else if (dimension == SW_DIM_PP || dimension == SW_DIM_VPP)
    number = problem->model.layers;
  else if (dimension == SW_DIM_EP)
    number = problem->model.moe.experts;
  else if (dimension == SW_DIM_CP)
    number = problem->training.sequence_length / 2;
  number = MAX (1, number);
  if (value > 1)
    add (values, value % 2 == 0 ? value / 2 : MAX (1, value / 3));
  add (values, value * 2);
  sw_values_divisors (&divisors, number, MIN (number, value * 4));
  for (guint i = 0; i < divisors.n; i++)
    if ((i + 1 < divisors.n && divisors.values[i + 1] == value)
        || (i > 0 && divisors.values[i - 1] == value))
      add (values, divisors.values[i]);
}

static void
list_values (const SwProblem *problem, const SwStrategy *chosen, SwDimension dimension,
             SwValues *values)
{
  const SwFrameworkRules *rules = sw_framework_rules ((SwFramework) chosen->framework);
  const guint value = sw_strategy_get (chosen, dimension);

  sw_values_single (values, value);
  switch (dimension)
    {
    case SW_DIM_SP: add_mask (values, 3); break;
    case SW_DIM_ZERO: add_mask (values, 15); break;
    case SW_DIM_RECOMPUTE:
      add_mask (values, rules->recompute_mask | 1u << SW_RECOMPUTE_NONE);
      break;
    case SW_DIM_SCHEDULE: add_mask (values, rules->schedule_mask); break;
    case SW_DIM_OFFLOAD: add_mask (values, rules->offload_mask | 1u << SW_OFFLOAD_NONE); break;
    case SW_DIM_CP_METHOD: add_mask (values, rules->cp_method_mask); break;
    case SW_DIM_ETP:
      add (values, 1);
      add (values, chosen->tp);
      break;
    case SW_DIM_SHARD_GROUP:
      add (values, chosen->dp);
      add_degrees (problem, dimension, value, values);
      break;
    case SW_DIM_TP:
    case SW_DIM_PP:
    case SW_DIM_VPP:
    case SW_DIM_DP:
    case SW_DIM_CP:
    case SW_DIM_EP:
    case SW_DIM_MICRO_BATCH: add_degrees (problem, dimension, value, values); break;
    case SW_N_DIMENSIONS:
    default: g_assert_not_reached ();
    }
  qsort (values->values, values->n, sizeof values->values[0], compare_values);
}

/* Chunks and schedule determine each other. */
static void
set_pipeline (const SwProblem *open, gboolean is_chunked, SwStrategy *strategy)
{
  SwStrategy cut = *strategy;

  if (!is_chunked)
    strategy->vpp = 1;
  else if (strategy->vpp == 1)
    {
      /* The smallest number of chunks, at least two, that the stages can be split into; two if that
       * is impossible. */
      strategy->vpp = 2;
      cut.schedule = SW_SCHEDULE_INTERLEAVED;
      for (cut.vpp = 2; cut.vpp * cut.pp <= open->model.layers; cut.vpp++)
        if (sw_rules_check (open, &cut) != SW_RULE_VPP_LAYERS)
          {
            strategy->vpp = cut.vpp;
            break;
          }
    }
  if (is_chunked != (strategy->schedule == SW_SCHEDULE_INTERLEAVED))
    strategy->schedule = is_chunked ? SW_SCHEDULE_INTERLEAVED : SW_SCHEDULE_1F1B;
}

/* Sets a value together with the dependent values that restrict it least: a rule that they break is
 * not broken because of the value. */
static void
set_value (const SwProblem *open, SwStrategy *strategy, SwDimension dimension, guint value)
{
  const SwFrameworkRules *rules = sw_framework_rules ((SwFramework) strategy->framework);

  sw_strategy_set (strategy, dimension, value);
  switch ((int) dimension)
    {
    case SW_DIM_TP:
      strategy->etp = rules->etp ? 1 : value;
      strategy->sequence_parallel = strategy->sequence_parallel && value > 1;
      break;
    case SW_DIM_PP: set_pipeline (open, FALSE, strategy); break;
    case SW_DIM_VPP: set_pipeline (open, value > 1, strategy); break;
    case SW_DIM_SCHEDULE: set_pipeline (open, value == SW_SCHEDULE_INTERLEAVED, strategy); break;
    case SW_DIM_CP:
      strategy->cp_method = (guint8) MAX (g_bit_nth_lsf (rules->cp_method_mask, -1), 0);
      break;
    case SW_DIM_DP: strategy->shard_group = value; break;
    case SW_DIM_OFFLOAD:
      if (value == SW_OFFLOAD_OPTIMIZER_PARAMS)
        strategy->zero_stage = 3;
      else if (value == SW_OFFLOAD_OPTIMIZER)
        strategy->zero_stage = MAX (strategy->zero_stage, 1);
      break;
    default: break;
    }
}

/* The rule that the value breaks regardless of the other dimensions; OK: none. @alone: the strategy
 * that breaks it. */
static SwRule
own_rule (const SwProblem *open, const SwStrategy *chosen, SwDimension dimension, guint value,
          SwStrategy *alone)
{
  SwRule rule;

  sw_strategy_init_default (alone);
  alone->framework = chosen->framework;
  if (dimension == SW_DIM_VPP || dimension == SW_DIM_SCHEDULE)
    {
      alone->pp = chosen->pp;
      alone->schedule = chosen->schedule;
      alone->vpp = chosen->vpp;
    }
  else if (dimension == SW_DIM_CP_METHOD)
    alone->cp = chosen->cp;
  else if (dimension == SW_DIM_ETP)
    alone->tp = chosen->tp;
  set_value (open, alone, dimension, value);
  alone->sequence_parallel = alone->tp > 1 && chosen->sequence_parallel;
  rule = sw_rules_check (open, alone);
  /* These rules depend on combinations. */
  return rule == SW_RULE_EP_WORLD || rule == SW_RULE_BATCH || rule == SW_RULE_SHARD_GROUP
             ? SW_RULE_OK
             : rule;
}

/* The rule that the value breaks by itself; otherwise the one that the chosen strategy breaks with
 * this value and the user's pins; otherwise the rule that rejected most strategies with this value.
 * @broken: the strategy that breaks it. */
static SwRule
rule_of (const SwProblem *problem, const SwStrategy *chosen, SwDimension dimension, guint value,
         const SwSearchResult *result, SwStrategy *broken)
{
  SwProblem open = *problem;
  SwRule rule;
  guint most = SW_RULE_PIN;

  open.pins.mask = 0;
  rule = own_rule (&open, chosen, dimension, value, broken);
  if (rule != SW_RULE_OK)
    return rule;
  *broken = *chosen;
  set_value (&open, broken, dimension, value);
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (i != dimension && sw_pins_has (&problem->pins, (SwDimension) i)
        && (sw_dimension_followers (dimension) & 1u << i) == 0)
      sw_strategy_set (broken, (SwDimension) i, sw_strategy_get (chosen, (SwDimension) i));
  rule = sw_rules_check (&open, broken);
  if (rule != SW_RULE_OK)
    return rule;
  for (guint i = SW_RULE_OK + 1; i < SW_N_RULES; i++)
    if (result->rejected[i] > result->rejected[most])
      most = i;
  return (SwRule) most;
}

/* A batch that is not set follows the number of GPUs, and may not divide over the GPUs that remain
 * when a dimension has another value. The best strategy with a batch that divides is then used if
 * it is faster. */
static void
try_batch (SwExplainer *self, const SwProblem *pinned, SwDimension dimension, SwNeighbour *out)
{
  const SwSearchOptions options = { .top = 1 };
  const SwTraining *training = &self->problem.training;
  const guint gpus = self->problem.cluster.gpus;
  SwProblem other = *pinned;
  SwSearchResult result;
  SwEstimate estimate;
  double change;

  other.training.global_batch = sw_problem_usual_batch (
      pinned, dimension == SW_DIM_DP                    ? out->value
              : sw_dimension_followers (dimension) != 0 ? MAX (1, gpus / out->value)
                                                        : gpus);
  if (!training->batch_is_open || other.training.global_batch == training->global_batch)
    return;
  sw_search (&other, &options, &result);
  if (result.n_best > 0)
    {
      other.pins.mask = 0;
      sw_estimate (&other, &result.best[0].strategy, &estimate);
      change = estimate.time.step_s / other.training.global_batch
                   / (self->chosen.time.step_s / training->global_batch)
               - 1.0;
      if (!out->estimate.fits
          || (change < out->change && estimate.gpus_idle < out->estimate.gpus_idle))
        {
          out->estimate = estimate;
          out->rule = estimate.rule;
          out->global_batch = other.training.global_batch;
          out->change = change;
        }
    }
  sw_search_result_clear (&result);
}

static void
evaluate (SwExplainer *self, SwDimension dimension, guint value, SwNeighbour *out)
{
  const SwSearchOptions options = { .top = 1 };
  const SwEstimate *chosen = &self->chosen;
  const guint followers = sw_dimension_followers (dimension);
  SwProblem pinned = self->problem, open = self->problem;
  SwSearchResult result;

  memset (out, 0, sizeof *out);
  out->value = value;
  out->global_batch = self->problem.training.global_batch;
  open.pins.mask = 0; /* the neighbor of a pinned value does not violate that pin */
  pinned.pins.mask |= 1u << dimension;
  pinned.pins.mask &= ~followers;
  sw_strategy_set (&pinned.pins.value, dimension, value);
  if (dimension == SW_DIM_RECOMPUTE)
    pinned.pins.value.full_layers = 0; /* solved by the search */
  /* Problems with the user's open dimensions share level-1 points; those with pins do not. */
  if ((self->problem.pins.mask & (1u << dimension | followers)) != 0
      || (dimension == SW_DIM_MICRO_BATCH && self->problem.training.micro_batch > 0))
    sw_search (&pinned, &options, &result);
  else
    {
      if (self->nodes == NULL)
        {
          /* Including neighbors that are themselves untried. */
          SwProblem all = self->problem;

          all.training.left_out = 0;
          self->nodes = sw_nodes_new (&all, TRUE, NULL);
        }
      sw_search_prepared (&pinned, &options, self->nodes, &result);
    }
  if (result.n_best > 0)
    {
      sw_estimate (&open, &result.best[0].strategy, &out->estimate);
      if (dimension != SW_DIM_RECOMPUTE)
        {
          /* The search accepts a simpler strategy for up to one percent of time, so it may find one
           * other than the chosen strategy with only this value changed, which is faster. Only the
           * search can determine the number of recomputed layers. */
          SwStrategy alone = chosen->strategy;
          SwEstimate estimate;

          sw_strategy_set (&alone, dimension, value);
          sw_estimate (&pinned, &alone, &estimate);
          if (estimate.fits && estimate.time.step_s < out->estimate.time.step_s)
            sw_estimate (&open, &alone, &out->estimate);
        }
      out->change = out->estimate.time.step_s / chosen->time.step_s - 1.0;
    }
  else if (result.n_nearest > 0)
    {
      sw_estimate (&open, &result.nearest[0].strategy, &out->estimate);
      out->rule = out->estimate.rule;
    }
  else
    out->rule = rule_of (&self->problem, &chosen->strategy, dimension, value, &result,
                         &out->estimate.strategy);
  if (out->estimate.fits ? out->estimate.gpus_idle > chosen->gpus_idle : result.n_nearest == 0)
    try_batch (self, &pinned, dimension, out);
  sw_search_result_clear (&result);
}

/**
 * sw_explainer_new:
 * @problem: the question; copied
 * @chosen: the strategy to explain; copied
 *
 * Returns: (transfer full): free with sw_explainer_free()
 */
SwExplainer *
sw_explainer_new (const SwProblem *problem, const SwEstimate *chosen)
{
  SwExplainer *self = g_new0 (SwExplainer, 1);

  self->problem = *problem;
  self->problem.training.framework = (SwFramework) chosen->strategy.framework;
  self->chosen = *chosen;
  return self;
}

/**
 * sw_explainer_free:
 * @self: (transfer full): of sw_explainer_new()
 */
void
sw_explainer_free (SwExplainer *self)
{
  g_clear_pointer (&self->nodes, sw_nodes_free);
  g_free (self);
}

/**
 * sw_explainer_explain:
 * @self: of sw_explainer_new()
 * @dimension: one of sw_explain_dimensions()
 * @out: (out caller-allocates): the neighboring values in ascending order, including the chosen one
 *
 * Each neighbor is the best strategy with that value in the chosen framework: the user's pins
 * apply, except for dimensions that follow this one (sw_dimension_followers()); all other
 * dimensions and a default batch are searched again. The chosen strategy with only that value
 * changed is preferred to a simpler but slower one. If none fits, the estimate is the nearest one,
 * with its `rule` and `missing_bytes`; if no strategy with that value is valid, the estimate only
 * has a strategy that breaks the `rule`.
 */
void
sw_explainer_explain (SwExplainer *self, SwDimension dimension, SwReason *out)
{
  const SwEstimate *chosen = &self->chosen;
  SwValues values;

  memset (out, 0, sizeof *out);
  out->dimension = dimension;
  out->value = sw_strategy_get (&chosen->strategy, dimension);
  list_values (&self->problem, &chosen->strategy, dimension, &values);
  for (guint i = 0; i < values.n; i++)
    {
      SwNeighbour *neighbour = &out->neighbours[out->n_neighbours++];

      if (values.values[i] == out->value)
        *neighbour = (SwNeighbour){
          .value = out->value,
          .chosen = TRUE,
          .rule = chosen->rule,
          .estimate = *chosen,
          .global_batch = self->problem.training.global_batch,
        };
      else
        evaluate (self, dimension, values.values[i], neighbour);
    }
}

/**
 * sw_explain_dimensions:
 * @problem: the question
 * @chosen: the strategy to explain
 * @dimensions: (out): the dimensions worth explaining, in order
 *
 * Returns: their number
 */
guint
sw_explain_dimensions (const SwProblem *problem, const SwEstimate *chosen,
                       SwDimension dimensions[SW_N_DIMENSIONS])
{
  const SwStrategy *s = &chosen->strategy;
  const SwFrameworkRules *rules = sw_framework_rules ((SwFramework) s->framework);
  const gboolean moe = problem->model.moe.experts > 0;
  const gboolean says[SW_N_DIMENSIONS] = {
    [SW_DIM_TP] = TRUE,
    [SW_DIM_ETP] = moe && s->tp > 1,
    [SW_DIM_PP] = TRUE,
    [SW_DIM_VPP] = s->vpp > 1,
    [SW_DIM_DP] = TRUE,
    [SW_DIM_CP] = rules->cp,
    [SW_DIM_CP_METHOD] = s->cp > 1,
    [SW_DIM_EP] = moe,
    [SW_DIM_SP] = s->tp > 1 && rules->sp,
    [SW_DIM_ZERO] = TRUE,
    [SW_DIM_SHARD_GROUP] = (rules->hsdp || s->shard_group != s->dp) && s->zero_stage > 0
                           && s->dp > 1,
    [SW_DIM_MICRO_BATCH] = TRUE,
    [SW_DIM_RECOMPUTE] = TRUE,
    [SW_DIM_SCHEDULE] = s->pp > 1,
    [SW_DIM_OFFLOAD] = (rules->offload_mask & ~(1u << SW_OFFLOAD_NONE)) != 0
                       || sw_pins_has (&problem->pins, SW_DIM_OFFLOAD),
  };
  guint n = 0;

  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (says[i])
      dimensions[n++] = (SwDimension) i;
  return n;
}
