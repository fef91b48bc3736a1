/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision tree of the Ultra-Scale Playbook: a rule of thumb beside the analytical model. GB
 * are 1e9 bytes and memory is nominal, as there. */
#include "sw-playbook.h"

#include <string.h>

/* Bytes per parameter: 2 weights, 2 gradients, 12 master weights and Adam moments, in the
 * playbook's count. */
#define WEIGHT_BYTES 2.0
#define GRADIENT_BYTES 2.0
#define OPTIMIZER_BYTES 12.0

/* With adapters only these are trained; 1 % of the parameters, as in the quick score. */
#define ADAPTER_SHARE 0.01
#define NF4_BYTES 0.5

enum { MOST_TP = 8, LONG_SEQUENCE = 32768, DEFAULT_MICRO_BATCH = 4 };

/* Bytes of frozen weights and of what ZeRO shards, per parameter of the model. */
static double
frozen_bytes (const SwProblem *problem)
{
  if (problem->training.type == SW_TRAINING_QLORA)
    return NF4_BYTES;
  return problem->training.type == SW_TRAINING_LORA ? WEIGHT_BYTES : 0.0;
}

/* Model states of one GPU; `zero` 0: unsharded. */
static double
state_bytes (const SwProblem *problem, const SwStrategy *strategy, guint zero)
{
  const double dp = strategy->dp;
  const double weights = WEIGHT_BYTES / (zero >= 3 ? dp : 1.0);
  const double gradients = GRADIENT_BYTES / (zero >= 2 ? dp : 1.0);
  const double optimizer = OPTIMIZER_BYTES / (zero >= 1 ? dp : 1.0);
  const double per_parameter = frozen_bytes (problem)
                               + (frozen_bytes (problem) > 0.0 ? ADAPTER_SHARE : 1.0)
                                     * (weights + gradients + optimizer);

  return problem->count.total * per_parameter / ((double) strategy->tp * strategy->pp);
}

/* The inputs of the layers of a stage, for the micro-batches in flight, under full recomputation.
 */
static double
activation_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  const double tokens = (double) problem->training.sequence_length / strategy->cp
                        * strategy->micro_batch;
  const guint layers = (problem->model.layers + strategy->pp - 1) / strategy->pp;
  const guint in_flight = MIN (strategy->pp, sw_strategy_micro_batches (problem, strategy));

  return 2.0 * tokens * problem->model.hidden_size / strategy->tp * layers * MAX (1, in_flight);
}

/* Step 1: the smallest TP with which the model states of a replica fit. */
static void
choose_tensor (const SwProblem *problem, double limit, SwStrategy *strategy)
{
  const guint node = MIN (problem->cluster.gpus_per_node, problem->cluster.gpus);
  const guint most = MIN (MOST_TP, MAX (1, node));

  strategy->pp = 1;
  for (guint tp = 1; tp <= most; tp *= 2)
    {
      if (problem->model.attention_heads % tp != 0
          || problem->cluster.gpus % (tp * strategy->cp) != 0)
        continue;
      strategy->tp = strategy->etp = tp;
      if (state_bytes (problem, strategy, 0) <= limit)
        return;
    }
}

static void
choose_replicas (const SwProblem *problem, SwStrategy *strategy)
{
  strategy->dp = MAX (1, problem->cluster.gpus / (strategy->tp * strategy->pp * strategy->cp));
  strategy->shard_group = strategy->dp;
}

/* Step 2: pipeline stages, only when training spans several nodes; as many as can be where none
 * suffice. */
static void
choose_stages (const SwProblem *problem, double limit, SwStrategy *strategy)
{
  const guint rest = problem->cluster.gpus / (strategy->tp * strategy->cp);

  if (sw_cluster_nodes (&problem->cluster) <= 1)
    return;
  for (guint pp = 1; pp <= rest; pp++)
    {
      if (problem->model.layers % pp != 0 || rest % pp != 0)
        continue;
      strategy->pp = pp;
      choose_replicas (problem, strategy);
      if (state_bytes (problem, strategy, 0) + activation_bytes (problem, strategy) <= limit)
        return;
    }
}

/**
 * sw_playbook:
 * @problem: the question; `training.memory_target` is taken of the nominal memory
 * @out: (out caller-allocates): the strategy of the tree, and what the analytical model says of it
 *
 * 1. TP: the smallest power of two up to min (8, GPUs per node) with which 16 bytes per parameter
 * fit.
 * 2. PP, only across nodes: the smallest divisor of layers and GPUs with which states and the
 * activations of full recomputation, 2 s b h / TP bytes a layer, fit. 3. DP: the rest. 4. ZeRO 1,
 * then 2, then 3. CP: sequences beyond 32,768 a GPU; SP with TP; EP: the greatest common divisor of
 * experts and DP x CP.
 */
void
sw_playbook (const SwProblem *problem, SwPlaybook *out)
{
  const double limit = problem->cluster.gpu.memory_gb * SW_GB * problem->training.memory_target;
  const SwFramework framework = problem->training.framework;
  const guint stated = sw_problem_stated_micro_batch (problem);
  SwStrategy *strategy = &out->strategy;

  memset (out, 0, sizeof *out);
  sw_strategy_init_default (strategy);
  strategy->framework = (guint8) (framework == SW_FRAMEWORK_ANY ? SW_FRAMEWORK_MEGATRON_CORE
                                                                : framework);
  strategy->micro_batch = stated > 0 ? stated : DEFAULT_MICRO_BATCH;
  strategy->recompute = SW_RECOMPUTE_FULL;
  /* Context parallelism shortens what one GPU holds of a long sequence. */
  while (problem->training.sequence_length > (guint64) LONG_SEQUENCE * strategy->cp
         && problem->cluster.gpus % (strategy->cp * 2) == 0)
    strategy->cp *= 2;
  choose_tensor (problem, limit, strategy);
  choose_stages (problem, limit, strategy);
  choose_replicas (problem, strategy);
  out->activation_bytes = activation_bytes (problem, strategy);
  /* Step 4: ZeRO 1 by default, higher stages when memory is still short. */
  for (guint zero = 1; zero <= 3 && !out->fits; zero++)
    {
      strategy->zero_stage = (guint8) zero;
      out->fits = state_bytes (problem, strategy, zero) + out->activation_bytes <= limit;
    }
  strategy->sequence_parallel = strategy->tp > 1;
  if (problem->model.moe.experts > 0)
    strategy->ep = sw_greatest_common_divisor (problem->model.moe.experts,
                                               strategy->dp * strategy->cp);
  out->weights_bytes = WEIGHT_BYTES * problem->count.total;
  out->weights_bytes_per_tp_rank = out->weights_bytes / strategy->tp;
  out->state_bytes = state_bytes (problem, strategy, 0);
  out->limit_bytes = limit;
  sw_estimate (problem, strategy, &out->estimate);
}
