/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the search finds where something of the question is another: a value, a pin, the GPU. */
#include "shardwise-what-if.h"
#include "shardwise-catalogue.h"
#include "sw-search.h"

static void
copy_degrees (const SwPins *degrees, SwStrategy *strategy)
{
  for (guint mask = degrees->mask; mask != 0; mask &= mask - 1)
    {
      SwDimension dimension = (SwDimension) g_bit_nth_lsf (mask, -1);

      sw_strategy_set (strategy, dimension, sw_strategy_get (&degrees->value, dimension));
    }
}

/**
 * shardwise_what_if_complete:
 * @problem: the question
 * @recommended: a strategy of it
 * @degrees: other values of some dimensions
 *
 * Returns: @recommended with these degrees; what was not asked for follows them
 */
SwStrategy
shardwise_what_if_complete (const SwProblem *problem, const SwStrategy *recommended,
                            const SwPins *degrees)
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
 * @present: a strategy of it
 * @framework: whose strategies, or ANY: those of the best
 * @pins: values of some dimensions
 * @out: (out): what is found
 *
 * Returns: whether a strategy with these values fits; else @out is the nearest one, or the present
 * one with these values, and its rule says why it does not
 */
gboolean
shardwise_what_if_pins (const SwProblem *problem, const SwStrategy *present, SwFramework framework,
                        const SwPins *pins, SwEstimate *out)
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
      broken = shardwise_what_if_complete (problem, present, pins);
      sw_estimate (&changed, &broken, out);
    }
  sw_search_result_clear (&result);
  return out->fits;
}

/**
 * shardwise_what_if:
 * @problem: the question
 * @estimate: of a strategy of it
 * @dimension: one of its dimensions
 * @value: another value of it
 * @out: (out): the best strategy with that value, as sw_explain() finds it
 *
 * Returns: whether it fits; see shardwise_what_if_pins()
 */
gboolean
shardwise_what_if (const SwProblem *problem, const SwEstimate *estimate, SwDimension dimension,
                   guint value, SwEstimate *out)
{
  SwPins pins = { .mask = 1u << dimension };

  sw_strategy_set (&pins.value, dimension, value);
  return shardwise_what_if_pins (problem, &estimate->strategy,
                                 (SwFramework) estimate->strategy.framework, &pins, out);
}

/**
 * shardwise_what_if_bigger_gpu:
 * @problem: the question
 *
 * Returns: (transfer none) (nullable): the first of the usual larger GPUs on which the question has
 * an answer; %NULL: on none
 */
const SwGpu *
shardwise_what_if_bigger_gpu (const SwProblem *problem)
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

/**
 * shardwise_what_if_freed:
 * @problem: the question
 * @chosen: a strategy of it
 * @dimension: one whose value is fixed
 * @out: (out): the best strategy without that
 *
 * Returns: whether the search finds one
 */
gboolean
shardwise_what_if_freed (const SwProblem *problem, const SwEstimate *chosen, SwDimension dimension,
                         SwEstimate *out)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem freed = *problem;
  SwSearchResult result;
  gboolean found;

  freed.pins.mask &= ~(1u << dimension);
  freed.training.framework = (SwFramework) chosen->strategy.framework;
  if (dimension == SW_DIM_MICRO_BATCH)
    freed.training.micro_batch = 0;
  sw_search (&freed, &options, &result);
  found = result.n_best > 0;
  if (found)
    sw_estimate (&freed, &result.best[0].strategy, out);
  sw_search_result_clear (&result);
  return found;
}

/**
 * shardwise_what_if_unpinned:
 * @problem: a question without an answer that fits
 *
 * Returns: whether it has pinned values, and an answer without them
 */
gboolean
shardwise_what_if_unpinned (const SwProblem *problem)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem freed = *problem;
  SwSearchResult result;
  gboolean fits;

  if (problem->pins.mask == 0)
    return FALSE;
  freed.pins.mask = 0;
  sw_search (&freed, &options, &result);
  fits = result.n_best > 0;
  sw_search_result_clear (&result);
  return fits;
}
