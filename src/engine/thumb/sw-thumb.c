/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-thumb.h"

/* If any framework is allowed, the first in this list that supports the strategy unchanged; the
 * list follows the frequency in published runs on many GPUs. sw_usual_frameworks() has the order of
 * the frameworks that are usual for a job. */
static const SwFramework frameworks[] = {
  SW_FRAMEWORK_MEGATRON_CORE, SW_FRAMEWORK_FSDP2,    SW_FRAMEWORK_DEEPSPEED,
  SW_FRAMEWORK_FSDP,          SW_FRAMEWORK_NANOTRON,
};

/**
 * sw_thumb_allows:
 * @problem: the question
 * @dimension: a dimension
 * @value: of it
 *
 * Returns: whether no other value is pinned
 */
gboolean
sw_thumb_allows (const SwProblem *problem, SwDimension dimension, guint value)
{
  return !sw_pins_has (&problem->pins, dimension)
         || sw_strategy_get (&problem->pins.value, dimension) == value;
}

/**
 * sw_thumb_init:
 * @problem: the question
 * @out: (out caller-allocates): one GPU with the methods' micro-batch, full recomputation and the
 *   pinned values
 */
void
sw_thumb_init (const SwProblem *problem, SwStrategy *out)
{
  const SwPins *pins = &problem->pins;

  sw_strategy_init_default (out);
  sw_thumb_set_micro_batch (problem, out);
  out->recompute = SW_RECOMPUTE_FULL;
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (sw_pins_has (pins, (SwDimension) i))
      sw_strategy_set (out, (SwDimension) i, sw_strategy_get (&pins->value, (SwDimension) i));
  if (!sw_pins_has (pins, SW_DIM_RECOMPUTE))
    return;
  out->full_layers = pins->value.full_layers;
  out->recompute_modules = pins->value.recompute_modules;
}

/**
 * sw_thumb_split:
 * @problem: the question
 * @strategy: (inout): gets the parallel sizes and, unless pinned, the dependent values: sequence
 *   parallelism with TP, shards over all replicas
 * @tp: tensor-parallel ranks
 * @pp: pipeline stages
 * @dp: replicas
 */
void
sw_thumb_split (const SwProblem *problem, SwStrategy *strategy, guint tp, guint pp, guint dp)
{
  const SwPins *pins = &problem->pins;

  strategy->tp = tp;
  strategy->pp = pp;
  strategy->dp = dp;
  if (!sw_pins_has (pins, SW_DIM_ETP))
    strategy->etp = tp;
  if (!sw_pins_has (pins, SW_DIM_SP))
    strategy->sequence_parallel = tp > 1;
  if (!sw_pins_has (pins, SW_DIM_SHARD_GROUP))
    strategy->shard_group = dp;
}

/**
 * sw_thumb_micro_batch:
 * @problem: the question
 * @dp: replicas
 *
 * Returns: the stated micro-batch, or the methods' 4; less if only that divides a replica's share;
 * 0 if the replicas do not divide the batch
 */
guint
sw_thumb_micro_batch (const SwProblem *problem, guint dp)
{
  const guint stated = sw_problem_stated_micro_batch (problem);
  const guint batch = problem->training.global_batch;

  if (stated > 0)
    return batch % ((guint64) dp * stated) == 0 ? stated : 0;
  for (guint size = SW_THUMB_MICRO_BATCH; size > 0; size /= 2)
    if (batch % ((guint64) dp * size) == 0)
      return size;
  return 0;
}

/**
 * sw_thumb_set_micro_batch:
 * @problem: the question
 * @strategy: (inout): gets the micro-batch with which its replicas divide the batch; if they do
 *   not, the stated one or 1
 */
void
sw_thumb_set_micro_batch (const SwProblem *problem, SwStrategy *strategy)
{
  const guint size = sw_thumb_micro_batch (problem, strategy->dp);

  strategy->micro_batch = size > 0 ? size : MAX (1, sw_problem_stated_micro_batch (problem));
}

/* The closest supported stage: the next lower one, but with some sharding if that was requested and
 * there is something to shard. */
static guint
nearest_zero_stage (const SwStrategy *strategy, guint asked)
{
  SwStrategy trial = *strategy;

  for (guint i = 0; i <= 3; i++)
    {
      const guint below = asked - MIN (i, asked), above = asked + i;

      trial.zero_stage = (guint8) below;
      if ((below > 0 || asked == 0 || strategy->dp == 1)
          && !sw_rule_lacks_zero_stage (NULL, &trial))
        return below;
      trial.zero_stage = (guint8) above;
      if (below == 0 && above <= 3 && !sw_rule_lacks_zero_stage (NULL, &trial))
        return above;
    }
  return 0;
}

/* The stated framework, or the candidates, an expert's first choice first. */
static guint
frameworks_in_question (const SwProblem *problem, SwFramework list[SW_N_FRAMEWORKS])
{
  if (problem->training.usual_frameworks)
    return sw_usual_frameworks (problem, list);
  if (problem->training.framework != SW_FRAMEWORK_ANY)
    {
      list[0] = problem->training.framework;
      return 1;
    }
  for (guint i = 0; i < G_N_ELEMENTS (frameworks); i++)
    list[i] = frameworks[i];
  return G_N_ELEMENTS (frameworks);
}

/* Whether the framework runs it unchanged, or with adapted values. */
static gboolean
try_framework (const SwProblem *problem, SwFramework framework, gboolean change,
               SwStrategy *strategy)
{
  const SwFrameworkRules *rules = sw_framework_rules (framework);
  const guint methods = strategy->cp > 1 && change ? SW_CP_ULYSSES : SW_CP_RING;

  strategy->framework = (guint8) framework;
  if (change && sw_rule_lacks_zero_stage (problem, strategy))
    strategy->zero_stage = (guint8) nearest_zero_stage (strategy, strategy->zero_stage);
  for (guint i = 0; i < 2; i++)
    {
      for (guint method = SW_CP_RING; method <= methods; method++)
        {
          if (change && !sw_pins_has (&problem->pins, SW_DIM_CP_METHOD))
            strategy->cp_method = (guint8) method;
          if (sw_rules_check (problem, strategy) == SW_RULE_OK)
            return TRUE;
        }
      if (!change || !strategy->sequence_parallel || rules->ep_wants_sp)
        return FALSE;
      strategy->sequence_parallel = FALSE;
    }
  return FALSE;
}

/**
 * sw_thumb_adapt:
 * @problem: the question
 * @strategy: (inout): a method's result; this function chooses its framework
 *
 * Without a stated framework, chooses the first usual one that can run it unchanged. For a stated
 * framework, or the first if none can, adapts the ZeRO stage, the context parallelism method and
 * sequence parallelism to what it supports.
 *
 * Returns: whether a framework can run it
 */
gboolean
sw_thumb_adapt (const SwProblem *problem, SwStrategy *strategy)
{
  SwFramework list[SW_N_FRAMEWORKS];
  const guint n = frameworks_in_question (problem, list);

  for (guint change = 0; change < 2; change++)
    for (guint i = 0; i < n; i++)
      {
        SwStrategy trial = *strategy;

        if (!try_framework (problem, list[i], change > 0, &trial))
          continue;
        *strategy = trial;
        return TRUE;
      }
  strategy->framework = (guint8) list[0];
  return FALSE;
}

/**
 * sw_thumb_can_run:
 * @problem: the question
 * @strategy: a method's candidate
 *
 * Returns: whether a framework can run it, for some batch
 */
gboolean
sw_thumb_can_run (const SwProblem *problem, const SwStrategy *strategy)
{
  SwProblem any_batch = *problem;
  SwStrategy trial = *strategy;

  any_batch.training.global_batch = 0;
  return sw_thumb_adapt (&any_batch, &trial);
}
