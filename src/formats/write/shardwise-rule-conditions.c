/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-rule-conditions.h"

/**
 * shardwise_rule_has_vpp:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether a GPU holds several stages of the pipeline
 */
gboolean
shardwise_rule_has_vpp (const SwProblem *problem, const SwStrategy *s)
{
  return s->vpp > 1;
}

/**
 * shardwise_rule_has_cp:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether sequences are split
 */
gboolean
shardwise_rule_has_cp (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1;
}

/**
 * shardwise_rule_has_ulysses:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether sequences are split by heads
 */
gboolean
shardwise_rule_has_ulysses (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->cp_method == SW_CP_ULYSSES;
}

/**
 * shardwise_rule_has_ep:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether experts are on different GPUs
 */
gboolean
shardwise_rule_has_ep (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1;
}

/**
 * shardwise_rule_splits_experts:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether tensor parallelism splits a model with experts
 */
gboolean
shardwise_rule_splits_experts (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.moe.experts > 0 && s->tp > 1;
}

/**
 * shardwise_rule_splits_adapters:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether tensor parallelism splits a model with adapters
 */
gboolean
shardwise_rule_splits_adapters (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_export_has_adapters (problem) && s->tp > 1;
}

/**
 * shardwise_rule_odd_heads:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether the attention heads are not a multiple of TP
 */
gboolean
shardwise_rule_odd_heads (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.attention_heads % s->tp != 0;
}

/**
 * shardwise_rule_has_zero_one:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether ZeRO 1 has something to shard
 */
gboolean
shardwise_rule_has_zero_one (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage == 1 && (s->dp > 1 || s->cp > 1);
}

/**
 * shardwise_rule_has_high_zero:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether more than the optimizer is sharded
 */
gboolean
shardwise_rule_has_high_zero (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage > 1;
}

/**
 * shardwise_rule_is_zero_bubble:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether the pipeline runs without a bubble
 */
gboolean
shardwise_rule_is_zero_bubble (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && s->schedule == SW_SCHEDULE_ZERO_BUBBLE;
}

/**
 * shardwise_rule_has_partial_recompute:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether some of the activations are recomputed, not all
 */
gboolean
shardwise_rule_has_partial_recompute (const SwProblem *problem, const SwStrategy *s)
{
  return s->recompute == SW_RECOMPUTE_SELECTIVE || s->recompute == SW_RECOMPUTE_FULL_LAYERS;
}

/**
 * shardwise_rule_offloads:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether anything lies in the host's memory
 */
gboolean
shardwise_rule_offloads (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload != SW_OFFLOAD_NONE;
}

/**
 * shardwise_rule_offloads_whole:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether parameters that are not sharded lie in the host's memory
 */
gboolean
shardwise_rule_offloads_whole (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS && s->zero_stage != 3;
}

/**
 * shardwise_rule_is_not_bf16:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether the precision is another than BF16
 */
gboolean
shardwise_rule_is_not_bf16 (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.precision != SW_PRECISION_BF16;
}

/**
 * shardwise_rule_is_not_adamw:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether the optimizer is another than AdamW
 */
gboolean
shardwise_rule_is_not_adamw (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer != SW_OPTIMIZER_ADAMW;
}

/**
 * shardwise_rule_is_not_full_training:
 * @problem: the question
 * @s: a strategy
 *
 * Returns: whether the job is neither pretraining nor fine-tuning of all parameters
 */
gboolean
shardwise_rule_is_not_full_training (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type != SW_TRAINING_PRETRAIN
         && problem->training.type != SW_TRAINING_FINETUNE;
}
