/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-strategy.h"

#include "sw-framework.h"

#include <stddef.h>
#include <string.h>

const char *const sw_dimension_names[] = { "tp",         "etp",         "pp",
                                           "vpp",        "dp",          "cp",
                                           "cp_method",  "ep",          "sequence_parallel",
                                           "zero_stage", "shard_group", "micro_batch_size",
                                           "recompute",  "schedule",    "offload",
                                           NULL };

/**
 * sw_strategy_gpus:
 * @strategy: a strategy
 *
 * Returns: GPUs used, tp * pp * cp * dp; G_MAXUINT if the product is greater than that
 */
guint
sw_strategy_gpus (const SwStrategy *strategy)
{
  double product = (double) strategy->tp * strategy->pp * strategy->cp * strategy->dp;

  return product < G_MAXUINT ? (guint) product : G_MAXUINT;
}

/**
 * sw_strategy_edp:
 * @strategy: a strategy
 *
 * Returns: the data parallel size of the experts, tp * cp * dp / (etp * ep), at least 1
 */
guint
sw_strategy_edp (const SwStrategy *strategy)
{
  double ranks = (double) strategy->tp * strategy->cp * strategy->dp;
  double edp = ranks / MAX ((double) strategy->etp * strategy->ep, 1);

  return edp >= G_MAXUINT ? G_MAXUINT : MAX ((guint) edp, 1);
}

/**
 * sw_strategy_get:
 * @strategy: a strategy
 * @dimension: a dimension
 *
 * Returns: the value of the dimension; enumerations and booleans as numbers. For recomputation of
 *   the first N layers, N is not included: see `full_layers`.
 */
guint
sw_strategy_get (const SwStrategy *strategy, SwDimension dimension)
{
  switch (dimension)
    {
    case SW_DIM_TP: return strategy->tp;
    case SW_DIM_ETP: return strategy->etp;
    case SW_DIM_PP: return strategy->pp;
    case SW_DIM_VPP: return strategy->vpp;
    case SW_DIM_DP: return strategy->dp;
    case SW_DIM_CP: return strategy->cp;
    case SW_DIM_CP_METHOD: return strategy->cp_method;
    case SW_DIM_EP: return strategy->ep;
    case SW_DIM_SP: return strategy->sequence_parallel;
    case SW_DIM_ZERO: return strategy->zero_stage;
    case SW_DIM_SHARD_GROUP: return strategy->shard_group;
    case SW_DIM_MICRO_BATCH: return strategy->micro_batch;
    case SW_DIM_RECOMPUTE: return strategy->recompute;
    case SW_DIM_SCHEDULE: return strategy->schedule;
    case SW_DIM_OFFLOAD: return strategy->offload;
    case SW_N_DIMENSIONS:
    default: g_return_val_if_reached (0);
    }
}

/**
 * sw_strategy_set:
 * @strategy: (inout): a strategy
 * @dimension: a dimension
 * @value: its new value
 */
void
sw_strategy_set (SwStrategy *strategy, SwDimension dimension, guint value)
{
  switch (dimension)
    {
    case SW_DIM_TP: strategy->tp = value; break;
    case SW_DIM_ETP: strategy->etp = value; break;
    case SW_DIM_PP: strategy->pp = value; break;
    case SW_DIM_VPP: strategy->vpp = value; break;
    case SW_DIM_DP: strategy->dp = value; break;
    case SW_DIM_CP: strategy->cp = value; break;
    case SW_DIM_CP_METHOD: strategy->cp_method = (guint8) value; break;
    case SW_DIM_EP: strategy->ep = value; break;
    case SW_DIM_SP: strategy->sequence_parallel = value != 0; break;
    case SW_DIM_ZERO: strategy->zero_stage = (guint8) value; break;
    case SW_DIM_SHARD_GROUP: strategy->shard_group = value; break;
    case SW_DIM_MICRO_BATCH: strategy->micro_batch = value; break;
    case SW_DIM_RECOMPUTE: strategy->recompute = (guint8) value; break;
    case SW_DIM_SCHEDULE: strategy->schedule = (guint8) value; break;
    case SW_DIM_OFFLOAD: strategy->offload = (guint8) value; break;
    case SW_N_DIMENSIONS:
    default: g_return_if_reached ();
    }
}

/**
 * sw_same_split:
 * @a: a strategy
 * @b: another one
 *
 * Returns: whether both divide the GPUs in the same way and only differ in chunks, methods and
 * switches
 */
gboolean
sw_same_split (const SwStrategy *a, const SwStrategy *b)
{
  /* Sharding the optimizer costs nothing, so it does not distinguish splits; with one rank nothing
   * is sharded. */
  const gboolean is_sharded = a->dp * a->cp > 1;

  return a->framework == b->framework && a->tp == b->tp && a->pp == b->pp && a->dp == b->dp
         && a->cp == b->cp && a->ep == b->ep
         && (!is_sharded || MAX (a->zero_stage, 1) == MAX (b->zero_stage, 1));
}

/**
 * sw_strategy_equal:
 * @a: a strategy
 * @b: another one
 *
 * Returns: whether they are the same in every dimension, in what is recomputed and in the framework
 */
gboolean
sw_strategy_equal (const SwStrategy *a, const SwStrategy *b)
{
  /* Called often by searches: compares all members up to the last, the framework, without the
   * padding. */
  return memcmp (a, b, offsetof (SwStrategy, framework) + sizeof a->framework) == 0;
}

/**
 * sw_strategy_complexity:
 * @strategy: a strategy
 *
 * Orders strategies of equal speed: without offload first, because no measured run uses it; then
 * without recomputation, with fewer dimensions in use, a lower ZeRO stage, and fewer of the smaller
 * switches (hybrid sharding, schedules).
 *
 * Returns: a number, lower is simpler
 */
guint
sw_strategy_complexity (const SwStrategy *strategy)
{
  static const guint again[] = {
    [SW_RECOMPUTE_NONE] = 0,
    [SW_RECOMPUTE_SELECTIVE] = 1,
    [SW_RECOMPUTE_FULL_LAYERS] = 2,
    [SW_RECOMPUTE_FULL] = 3,
  };
  guint dimensions = (strategy->tp > 1) + (strategy->pp > 1) + (strategy->vpp > 1)
                     + (strategy->cp > 1) + (strategy->ep > 1) + (strategy->dp > 1);
  guint switches = (strategy->shard_group < strategy->dp && strategy->zero_stage > 0)
                   + (strategy->schedule == SW_SCHEDULE_ZERO_BUBBLE)
                   + (strategy->ep > 1 && strategy->etp != strategy->tp);
  guint zero = strategy->zero_stage;

  /* Every Megatron-Core recipe with replicas uses its distributed optimizer. */
  if (strategy->framework == SW_FRAMEWORK_MEGATRON_CORE && zero <= 1)
    zero = strategy->dp > 1 ? 1 - zero : 0;
  /* Full sharding is the purpose of FSDP, so it is not an additional complexity. */
  if (sw_framework_is_fsdp (strategy->framework))
    zero = 0;
  return 10000 * (strategy->offload != SW_OFFLOAD_NONE) + 1000 * again[strategy->recompute]
         + 100 * dimensions + 10 * zero + switches;
}

/**
 * sw_strategy_init_default:
 * @strategy: (out): one GPU, one sequence at a time, nothing sharded or recomputed, Megatron-Core
 */
void
sw_strategy_init_default (SwStrategy *strategy)
{
  *strategy = (SwStrategy){
    .tp = 1,
    .etp = 1,
    .pp = 1,
    .vpp = 1,
    .dp = 1,
    .cp = 1,
    .ep = 1,
    .shard_group = 1,
    .micro_batch = 1,
    .recompute = SW_RECOMPUTE_NONE,
    .schedule = SW_SCHEDULE_1F1B,
    .offload = SW_OFFLOAD_NONE,
    .cp_method = SW_CP_RING,
    .framework = SW_FRAMEWORK_MEGATRON_CORE,
  };
}

/**
 * sw_dimension_followers:
 * @dimension: a dimension
 *
 * Data parallelism uses the GPUs that the other parallel sizes leave: if it is pinned and another
 * size changes, GPUs are idle or missing.
 *
 * Returns: the dimensions that follow it, bits 1 << SwDimension: their pins do not apply if its
 *   value changes
 */
guint
sw_dimension_followers (SwDimension dimension)
{
  return dimension == SW_DIM_TP || dimension == SW_DIM_PP || dimension == SW_DIM_CP
             ? 1u << SW_DIM_DP | 1u << SW_DIM_SHARD_GROUP
             : 0;
}
