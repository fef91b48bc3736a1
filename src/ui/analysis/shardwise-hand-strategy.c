/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-hand-card.h"

#include "shardwise-dimension.h"
#include "shardwise-input-degrees.h"

/**
 * shardwise_hand_applies:
 * @problem: the question
 * @strategy: what is set so far
 * @dimension: one of its dimensions
 *
 * Returns: whether the dimension has more than one meaning beside the others
 */
gboolean
shardwise_hand_applies (const SwProblem *problem, const SwStrategy *strategy, SwDimension dimension)
{
  g_return_val_if_fail (dimension < SW_N_DIMENSIONS, FALSE);

  if (dimension == SW_DIM_EP)
    return problem->model.moe.experts > 0 || strategy->ep > 1; /* kept of another model */
  return shardwise_dimension_matters (strategy, dimension, SHARDWISE_MATTERS_BESIDE);
}

/* The last value of a dimension of which the values are words or stages, all of them offered. */
static guint
last_word (const SwStrategy *strategy, SwDimension dimension)
{
  switch ((guint) dimension)
    {
    case SW_DIM_SP: return TRUE;
    case SW_DIM_ZERO: return 3;
    case SW_DIM_RECOMPUTE: /* how many layers are the first ones is not set here */
      return strategy->full_layers > 0 ? SW_RECOMPUTE_FULL_LAYERS : SW_RECOMPUTE_FULL;
    case SW_DIM_SCHEDULE: return SW_SCHEDULE_ZERO_BUBBLE;
    case SW_DIM_OFFLOAD: return SW_OFFLOAD_ACTIVATIONS;
    case SW_DIM_CP_METHOD: return SW_CP_ULYSSES;
    default: return 0;
    }
}

/* Keeps the list in order. */
static guint
insert_value (guint *values, guint n, guint value)
{
  guint at = n;

  for (guint i = 0; i < n; i++)
    if (values[i] == value)
      return n;
  for (; at > 0 && values[at - 1] > value; at--)
    values[at] = values[at - 1];
  values[at] = value;
  return n + 1;
}

/**
 * shardwise_hand_values:
 * @problem: the question
 * @strategy: what is set so far
 * @dimension: one of its dimensions
 * @out: (out): the values to choose from, in order; the present one is among them
 *
 * Returns: how many they are
 */
guint
shardwise_hand_values (const SwProblem *problem, const SwStrategy *strategy, SwDimension dimension,
                       guint out[SHARDWISE_HAND_MAX_VALUES])
{
  guint last = last_word (strategy, dimension), n = 0;

  G_STATIC_ASSERT (SHARDWISE_HAND_MAX_VALUES > SHARDWISE_INPUT_MAX_DEGREES);
  if (last == 0)
    n = shardwise_input_degree_values (problem, dimension, out);
  else
    for (guint value = 0; value <= last; value++)
      out[n++] = value;
  return insert_value (out, n, sw_strategy_get (strategy, dimension));
}

/* The replicas that the GPUs are enough for. */
static guint
replicas (const SwProblem *problem, const SwStrategy *strategy)
{
  return MAX (problem->cluster.gpus / MAX (strategy->tp * strategy->pp * strategy->cp, 1), 1);
}

static void
set_schedule (SwStrategy *strategy, SwDimension dimension)
{
  if (dimension == SW_DIM_VPP)
    strategy->schedule = strategy->vpp > 1                               ? SW_SCHEDULE_INTERLEAVED
                         : strategy->schedule == SW_SCHEDULE_INTERLEAVED ? SW_SCHEDULE_1F1B
                                                                         : strategy->schedule;
  else if (dimension == SW_DIM_SCHEDULE)
    strategy->vpp = strategy->schedule == SW_SCHEDULE_INTERLEAVED ? MAX (strategy->vpp, 2) : 1;
  if (strategy->pp > 1)
    return;
  strategy->vpp = 1;
  strategy->schedule = SW_SCHEDULE_1F1B;
}

/**
 * shardwise_hand_set:
 * @problem: the question
 * @strategy: (inout): what is set so far
 * @dimension: one of its dimensions
 * @value: of it, allowed or not
 *
 * Sets a dimension, and those that follow from it: as many replicas as the GPUs are enough for, as
 * TP, PP or CP change; sequence parallelism with TP; chunks with the schedule; what loses its
 * meaning goes back to what is usual.
 */
void
shardwise_hand_set (const SwProblem *problem, SwStrategy *strategy, SwDimension dimension,
                    guint value)
{
  gboolean whole_groups = strategy->shard_group == strategy->dp,
           same_tp = strategy->etp == strategy->tp;
  gboolean was_single = strategy->tp == 1;

  sw_strategy_set (strategy, dimension, value);
  if (dimension == SW_DIM_TP || dimension == SW_DIM_PP || dimension == SW_DIM_CP)
    strategy->dp = replicas (problem, strategy);
  if (strategy->tp == 1 || (dimension == SW_DIM_TP && was_single))
    strategy->sequence_parallel = strategy->tp > 1;
  if (dimension != SW_DIM_ETP && (same_tp || strategy->ep == 1))
    strategy->etp = strategy->tp;
  if (dimension != SW_DIM_SHARD_GROUP && (whole_groups || strategy->shard_group > strategy->dp))
    strategy->shard_group = strategy->dp;
  if (strategy->zero_stage == 0)
    strategy->shard_group = strategy->dp;
  if (strategy->cp == 1)
    strategy->cp_method = SW_CP_RING;
  set_schedule (strategy, dimension);
}

/**
 * shardwise_hand_estimate:
 * @problem: the question
 * @strategy: what is set
 * @out: (out): what the engine says of it, whatever is pinned in the question
 *
 * Returns: whether the figures hold: nothing is broken, or nothing but the memory
 */
gboolean
shardwise_hand_estimate (const SwProblem *problem, const SwStrategy *strategy, SwEstimate *out)
{
  SwProblem free_problem = *problem;

  free_problem.pins.mask = 0;
  sw_estimate (&free_problem, strategy, out);
  return out->fits || out->rule == SW_RULE_GPU_MEMORY || out->rule == SW_RULE_HOST_MEMORY;
}
