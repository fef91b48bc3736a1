/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decision tree of the Ultra-Scale Playbook: a rule of thumb beside the analytical model. GB
 * are 1e9 bytes and memory is nominal, as there. */
#include "sw-playbook.h"

#include "sw-thumb.h"

#include <string.h>

/* Bytes per parameter: 2 weights, 2 gradients, 12 master weights and Adam moments, in the
 * playbook's count. */
#define WEIGHT_BYTES 2.0
#define GRADIENT_BYTES 2.0
#define OPTIMIZER_BYTES 12.0

/* With adapters, only these are trained: 1 % of the parameters, as in the quick score. */
#define ADAPTER_SHARE 0.01
#define NF4_BYTES 0.5

enum { MOST_TP = 8, LONG_SEQUENCE = 32768 };

/* Bytes of frozen weights and of sharded states, per parameter of the model. */
static double
frozen_bytes (const SwProblem *problem)
{
  const SwTrainingType states = sw_training_states (&problem->training);

  return states == SW_TRAINING_QLORA ? NF4_BYTES : states == SW_TRAINING_LORA ? WEIGHT_BYTES : 0.0;
}

/* Layers of the fullest stage; the other stages may have fewer. */
static guint
stage_layers (const SwProblem *problem, const SwStrategy *strategy)
{
  return (problem->model.layers + strategy->pp - 1) / strategy->pp;
}

/* Model states of one GPU of the fullest stage; `zero` 0: unsharded. */
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
  const double share = (double) stage_layers (problem, strategy) / problem->model.layers;

  return sw_problem_named_parameters (problem) * per_parameter * share / strategy->tp;
}

/* The inputs of the layers of a stage, for the micro-batches in flight, under full recomputation.
 */
static double
activation_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  const double tokens = (double) problem->training.sequence_length / strategy->cp
                        * strategy->micro_batch;
  const guint in_flight = MIN (strategy->pp, sw_strategy_micro_batches (problem, strategy));

  return 2.0 * tokens * problem->model.hidden_size / strategy->tp * stage_layers (problem, strategy)
         * MAX (1, in_flight);
}

/* Gives a split as many replicas as the GPUs allow, with any micro-batch that divides the batch. */
static void
split (const SwProblem *problem, SwStrategy *strategy, guint tp, guint pp)
{
  const guint dp = sw_pins_has (&problem->pins, SW_DIM_DP)
                       ? problem->pins.value.dp
                       : problem->cluster.gpus / (tp * pp * strategy->cp);

  sw_thumb_split (problem, strategy, tp, pp, MAX (1, dp));
  sw_thumb_set_micro_batch (problem, strategy);
}

/* Context parallelism divides the part of a long sequence on one GPU. */
static void
choose_context (const SwProblem *problem, SwStrategy *strategy)
{
  if (sw_pins_has (&problem->pins, SW_DIM_CP))
    return;
  while (problem->training.sequence_length > (guint64) LONG_SEQUENCE * strategy->cp
         && problem->cluster.gpus % (strategy->cp * 2) == 0)
    {
      SwStrategy trial = *strategy;

      trial.cp *= 2;
      split (problem, &trial, 1, 1);
      if (!sw_thumb_can_run (problem, &trial))
        return;
      *strategy = trial;
    }
}

static guint
most_tensor (const SwProblem *problem)
{
  const guint node = MIN (problem->cluster.gpus_per_node, problem->cluster.gpus);

  return sw_pins_has (&problem->pins, SW_DIM_TP) ? MAX (1, problem->pins.value.tp)
                                                 : CLAMP (node, 1, MOST_TP);
}

/* Whether there are enough GPUs for these ranks and stages, and a framework supports them. */
static gboolean
is_possible (const SwProblem *problem, const SwStrategy *strategy, guint tp, guint pp)
{
  SwStrategy trial = *strategy;

  if (!sw_thumb_allows (problem, SW_DIM_TP, tp) || !sw_thumb_allows (problem, SW_DIM_PP, pp)
      || (problem->cluster.gpus % (tp * pp * strategy->cp) != 0
          && !sw_pins_has (&problem->pins, SW_DIM_TP) && !sw_pins_has (&problem->pins, SW_DIM_PP)))
    return FALSE;
  split (problem, &trial, tp, pp);
  return sw_thumb_can_run (problem, &trial);
}

/* Step 1: the smallest TP with which a replica's model states fit; otherwise the largest. */
static void
choose_tensor (const SwProblem *problem, SwPlaybook *out)
{
  const guint most = most_tensor (problem);
  const guint pp = out->decided.pp; /* 1, or pinned */

  for (guint tp = sw_pins_has (&problem->pins, SW_DIM_TP) ? most : 1; tp <= most && !out->tp_fits;
       tp *= 2)
    {
      SwStrategy trial = out->decided;
      double bytes;

      if (!is_possible (problem, &trial, tp, pp))
        continue;
      split (problem, &trial, tp, pp);
      bytes = state_bytes (problem, &trial, 0);
      out->tp_fits = bytes <= out->limit_bytes;
      out->tp_before = out->tp_taken;
      out->tp_taken = (SwPlaybookValue){ .value = tp, .bytes = bytes };
      out->decided = trial;
    }
}

/* Step 2: pipeline stages, only if training spans several nodes; the largest possible number if
 * none suffices. Stages of unequal length are a second choice. */
static void
choose_stages (const SwProblem *problem, SwPlaybook *out)
{
  const guint tp = out->decided.tp, layers = problem->model.layers;
  const guint rest = MAX (1, problem->cluster.gpus / (tp * out->decided.cp));
  const gboolean is_pinned = sw_pins_has (&problem->pins, SW_DIM_PP);
  const guint most = is_pinned                                   ? out->decided.pp
                     : sw_cluster_nodes (&problem->cluster) <= 1 ? 1
                                                                 : MIN (rest, layers);

  for (guint uneven = 0; uneven < 2 && !out->pp_fits; uneven++)
    for (guint pp = is_pinned ? most : 1; pp <= most && !out->pp_fits; pp++)
      {
        SwStrategy trial = out->decided;
        double bytes;

        if ((layers % pp != 0) != (uneven > 0) || !is_possible (problem, &trial, tp, pp))
          continue;
        split (problem, &trial, tp, pp);
        bytes = state_bytes (problem, &trial, 0) + activation_bytes (problem, &trial);
        out->pp_fits = bytes <= out->limit_bytes;
        if (!out->pp_fits && pp < out->pp_taken.value)
          continue;
        /* Fewer stages may suffice if they are unequal. */
        out->pp_before = pp > out->pp_taken.value ? out->pp_taken : (SwPlaybookValue){ 0 };
        out->pp_taken = (SwPlaybookValue){ .value = pp, .bytes = bytes };
        out->decided = trial;
      }
}

/* Step 3: the rest are replicas. If they do not divide the batch, they are traded for TP, then for
 * PP; if that does not help, some GPUs stay idle. */
static void
choose_replicas (const SwProblem *problem, SwPlaybook *out)
{
  const SwStrategy before = out->decided;
  const guint most_pp = sw_cluster_nodes (&problem->cluster) <= 1 ? before.pp
                                                                  : problem->model.layers;
  guint dp = before.dp;

  if (sw_thumb_micro_batch (problem, dp) > 0)
    return;
  out->dp_before = dp;
  for (guint pp = before.pp; pp <= most_pp; pp++)
    for (guint tp = before.tp; tp <= most_tensor (problem); tp *= 2)
      if (is_possible (problem, &before, tp, pp))
        {
          split (problem, &out->decided, tp, pp);
          if (sw_thumb_micro_batch (problem, out->decided.dp) > 0)
            return;
        }
  out->decided = before;
  while (dp > 1 && sw_thumb_micro_batch (problem, dp) == 0)
    dp--;
  if (!sw_thumb_allows (problem, SW_DIM_DP, dp) || sw_thumb_micro_batch (problem, dp) == 0)
    return; /* a stated micro-batch or DP that is not possible */
  sw_thumb_split (problem, &out->decided, before.tp, before.pp, dp);
  sw_thumb_set_micro_batch (problem, &out->decided);
}

/* The greatest common divisor of experts and DP x CP, or the largest divisor of it that a framework
 * supports. */
static void
choose_experts (const SwProblem *problem, SwStrategy *strategy)
{
  const guint experts = problem->model.moe.experts;
  guint ep;

  if (experts == 0 || sw_pins_has (&problem->pins, SW_DIM_EP))
    return;
  for (ep = sw_greatest_common_divisor (experts, strategy->dp * strategy->cp); ep > 1; ep--)
    {
      strategy->ep = ep;
      if (experts % ep == 0 && sw_thumb_can_run (problem, strategy))
        return;
    }
  strategy->ep = 1;
}

/* A strategy in a framework that can run it, and its estimate. */
static void
settle (const SwProblem *problem, const SwStrategy *strategy, SwPlaybook *out)
{
  out->strategy = *strategy;
  sw_thumb_adapt (problem, &out->strategy);
  out->activation_bytes = activation_bytes (problem, &out->strategy);
  out->total_bytes = state_bytes (problem, &out->strategy, out->strategy.zero_stage)
                     + out->activation_bytes;
  out->fits = out->total_bytes <= out->limit_bytes;
}

/* Step 4: ZeRO 1 by default, higher stages when memory is still short. */
static void
choose_zero (const SwProblem *problem, SwPlaybook *out)
{
  const gboolean is_pinned = sw_pins_has (&problem->pins, SW_DIM_ZERO);

  for (guint zero = is_pinned ? problem->pins.value.zero_stage : 1; zero <= 3; zero++)
    {
      if (zero > 1 && !is_pinned)
        out->zero_before = (SwPlaybookValue){ .value = zero - 1, .bytes = out->total_bytes };
      out->decided.zero_stage = (guint8) zero;
      settle (problem, &out->decided, out);
      if (out->fits || is_pinned)
        return;
    }
}

/* Whether it exceeds the memory by the tree's estimate or by that of the analytical model. */
static gboolean
is_short (const SwProblem *problem, const SwStrategy *strategy, SwPlaybook *out)
{
  settle (problem, strategy, out);
  sw_estimate (problem, &out->strategy, &out->estimate);
  return !out->fits || out->estimate.rule == SW_RULE_GPU_MEMORY;
}

/* Memory pressure, in the published order: checkpointing, which is always on; a micro-batch of 2
 * instead of 4; ZeRO 3; then the smallest micro-batch. */
static void
relieve (const SwProblem *problem, SwPlaybook *out)
{
  SwStrategy strategy = out->decided;
  const gboolean is_free = sw_problem_stated_micro_batch (problem) == 0;

  if (is_short (problem, &strategy, out) && is_free && strategy.micro_batch > 2)
    {
      strategy.micro_batch = 2;
      out->lowered = TRUE;
    }
  if (is_short (problem, &strategy, out) && strategy.zero_stage < 3 && strategy.dp > 1
      && !sw_pins_has (&problem->pins, SW_DIM_ZERO))
    {
      SwStrategy trial = strategy;

      trial.zero_stage = 3;
      out->raised = sw_thumb_adapt (problem, &trial) && trial.zero_stage == 3;
      strategy.zero_stage = out->raised ? 3 : strategy.zero_stage;
    }
  if (is_short (problem, &strategy, out) && is_free && strategy.micro_batch > 1)
    {
      strategy.micro_batch = 1;
      out->lowered = TRUE;
      is_short (problem, &strategy, out);
    }
}

/**
 * sw_playbook:
 * @problem: the question; `training.memory_target` applies to the nominal memory
 * @out: (out caller-allocates): the tree's strategy, and its estimate by the analytical model
 *
 * 1. TP: the smallest power of two up to min (8, GPUs per node) with which 16 bytes per parameter
 * fit. 2. PP, only across nodes: the smallest divisor of layers and GPUs with which states and the
 * activations of full recomputation, 2 s b h / TP bytes a layer, fit; otherwise of the GPUs only.
 * 3. DP: the rest, as far as it divides the batch. 4. ZeRO 1, then 2, then 3. CP: sequences beyond
 * 32,768 a GPU; SP with TP; EP: the greatest common divisor of experts and DP x CP. All as far as a
 * framework supports them.
 */
void
sw_playbook (const SwProblem *problem, SwPlaybook *out)
{
  memset (out, 0, sizeof *out);
  out->limit_bytes = problem->cluster.gpu.memory_gb * SW_GB * problem->training.memory_target;
  sw_thumb_init (problem, &out->decided);
  choose_context (problem, &out->decided);
  choose_tensor (problem, out);
  choose_stages (problem, out);
  choose_replicas (problem, out);
  choose_experts (problem, &out->decided);
  choose_zero (problem, out);
  relieve (problem, out);
  out->weights_bytes = WEIGHT_BYTES * sw_problem_named_parameters (problem);
  out->weights_bytes_per_tp_rank = out->weights_bytes / out->strategy.tp;
  out->state_bytes = state_bytes (problem, &out->strategy, 0);
}
