/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-rules.h"

#include "sw-framework.h"
#include "sw-rlhf.h"
#include "sw-split.h"

const char *const sw_rule_names[] = { "ok",
                                      "world-size",
                                      "tp-heads",
                                      "tp-kv-heads",
                                      "tp-width",
                                      "etp",
                                      "pp-layers",
                                      "vpp-layers",
                                      "vpp-micro-batches",
                                      "cp-sequence",
                                      "cp-heads",
                                      "ep-experts",
                                      "ep-world",
                                      "batch",
                                      "shard-group",
                                      "sequence-parallel",
                                      "framework-tp",
                                      "framework-pp",
                                      "framework-cp",
                                      "framework-ep",
                                      "framework-zero",
                                      "framework-schedule",
                                      "framework-recompute",
                                      "framework-offload",
                                      "framework-sp",
                                      "precision",
                                      "pin",
                                      "gpu-memory",
                                      "host-memory",
                                      NULL };

static gboolean
allows (guint mask, guint value)
{
  return value < 32 && (mask >> value & 1) != 0;
}

static gboolean
is_megatron (guint framework)
{
  return framework == SW_FRAMEWORK_MEGATRON_2021 || framework == SW_FRAMEWORK_MEGATRON_CORE;
}

/**
 * sw_rule_lacks_pp:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether there is a pipeline, which the framework has not
 */
gboolean
sw_rule_lacks_pp (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && !sw_framework_rules (s->framework)->pp;
}

/**
 * sw_rule_lacks_vpp:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether a GPU holds several stages of the pipeline, which the framework has not
 */
gboolean
sw_rule_lacks_vpp (const SwProblem *problem, const SwStrategy *s)
{
  return s->vpp > 1 && !sw_framework_rules (s->framework)->vpp;
}

/**
 * sw_rule_lacks_cp:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether sequences are split, which the framework does not
 */
gboolean
sw_rule_lacks_cp (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && !sw_framework_rules (s->framework)->cp;
}

/**
 * sw_rule_lacks_cp_method:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether sequences are split in a way that the framework has not
 */
gboolean
sw_rule_lacks_cp_method (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && !allows (sw_framework_rules (s->framework)->cp_method_mask, s->cp_method);
}

/**
 * sw_rule_lacks_ep:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether experts are on different GPUs, which the framework does not do
 */
gboolean
sw_rule_lacks_ep (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && !sw_framework_rules (s->framework)->ep;
}

/**
 * sw_rule_lacks_sp:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether there is sequence parallelism, which the framework has not
 */
gboolean
sw_rule_lacks_sp (const SwProblem *problem, const SwStrategy *s)
{
  return s->sequence_parallel && !sw_framework_rules (s->framework)->sp;
}

/**
 * sw_rule_lacks_zero_stage:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether the framework has no such ZeRO stage, or not beside a pipeline
 */
gboolean
sw_rule_lacks_zero_stage (const SwProblem *problem, const SwStrategy *s)
{
  const SwFrameworkRules *rules = sw_framework_rules (s->framework);

  return !allows (s->pp > 1 ? rules->zero_mask_pp : rules->zero_mask, s->zero_stage);
}

/**
 * sw_rule_lacks_schedule:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether a pipeline runs by a schedule that the framework has not
 */
gboolean
sw_rule_lacks_schedule (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && !allows (sw_framework_rules (s->framework)->schedule_mask, s->schedule);
}

/**
 * sw_rule_lacks_recompute:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether the framework does not recompute that much
 */
gboolean
sw_rule_lacks_recompute (const SwProblem *problem, const SwStrategy *s)
{
  return !allows (sw_framework_rules (s->framework)->recompute_mask, s->recompute);
}

/**
 * sw_rule_lacks_groups:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether the shards are those of a part of the replicas, which the framework has not
 */
gboolean
sw_rule_lacks_groups (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage > 0 && s->shard_group < s->dp && !sw_framework_rules (s->framework)->hsdp;
}

/**
 * sw_rule_odd_kv_heads:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Latent attention has no KV heads of its own: they are made anew for every query head.
 *
 * Returns: whether the framework cannot give each tensor-parallel rank its KV heads
 */
gboolean
sw_rule_odd_kv_heads (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->mla.kv_lora_rank == 0 && model->kv_heads % s->tp != 0
         && (sw_framework_rules (s->framework)->kv_heads_at_least_tp
             || s->tp % model->kv_heads != 0);
}

/**
 * sw_rule_odd_sequence:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether context parallelism cannot give each rank two equal parts of a sequence
 */
gboolean
sw_rule_odd_sequence (const SwProblem *problem, const SwStrategy *s)
{
  const guint sequence = problem->training.sequence_length;

  return s->cp > 1 && (s->cp > sequence / 2 || sequence % (2 * s->cp) != 0);
}

/**
 * sw_rule_odd_experts:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether experts are on different GPUs, but there are none or EP does not divide them
 */
gboolean
sw_rule_odd_experts (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && (problem->model.moe.experts == 0 || problem->model.moe.experts % s->ep != 0);
}

/**
 * sw_rule_odd_chunks:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether the layers of a stage do not divide into virtual stages of one size, but for the
 * ends where stages may be uneven
 */
gboolean
sw_rule_odd_chunks (const SwProblem *problem, const SwStrategy *s)
{
  SwSplit split;

  sw_split (problem, s, &split);
  return s->vpp > 1 && s->pp > 1 && !sw_split_has_chunks (&split, s->vpp);
}

/**
 * sw_rule_has_vpp_alone:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether there are virtual stages without a pipeline
 */
gboolean
sw_rule_has_vpp_alone (const SwProblem *problem, const SwStrategy *s)
{
  return s->vpp > 1 && s->pp == 1;
}

/**
 * sw_rule_has_sp_alone:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether there is sequence parallelism without tensor parallelism
 */
gboolean
sw_rule_has_sp_alone (const SwProblem *problem, const SwStrategy *s)
{
  return s->sequence_parallel && s->tp == 1;
}

/**
 * sw_rule_has_ep_without_sp:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether experts and tensors are split, but not sequences with the tensors
 */
gboolean
sw_rule_has_ep_without_sp (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && s->tp > 1 && !s->sequence_parallel;
}

/**
 * sw_rule_has_cp_beside_pp:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether sequences are split beside a pipeline
 */
gboolean
sw_rule_has_cp_beside_pp (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->pp > 1;
}

/**
 * sw_rule_has_ep_beside_pp:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether experts are on different GPUs beside a pipeline
 */
gboolean
sw_rule_has_ep_beside_pp (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && s->pp > 1;
}

/**
 * sw_rule_has_groups_below_zero_three:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether less than the parameters is sharded, over a part of the replicas
 */
gboolean
sw_rule_has_groups_below_zero_three (const SwProblem *problem, const SwStrategy *s)
{
  return s->shard_group < s->dp && s->zero_stage != 3 && s->zero_stage != 0;
}

/**
 * sw_rule_offloads_unsharded:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether an optimizer that is not sharded is to be on the host
 */
gboolean
sw_rule_offloads_unsharded (const SwProblem *problem, const SwStrategy *s)
{
  return (s->offload == SW_OFFLOAD_OPTIMIZER || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
         && s->zero_stage == 0;
}

/**
 * sw_rule_offloads_other_optimizer:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether another optimizer than AdamW is to be on the host
 */
gboolean
sw_rule_offloads_other_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  return (s->offload == SW_OFFLOAD_OPTIMIZER || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
         && problem->training.optimizer != SW_OPTIMIZER_ADAMW;
}

/**
 * sw_rule_misplaces_activations:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Megatron-Core has kept activations on the host in no pipeline and beside no recomputation,
 * DeepSpeed the checkpoints of a pipeline's layers.
 *
 * Returns: whether activations are to be on the host where the framework keeps none there
 */
gboolean
sw_rule_misplaces_activations (const SwProblem *problem, const SwStrategy *s)
{
  if (s->offload != SW_OFFLOAD_ACTIVATIONS)
    return FALSE;
  if (is_megatron (s->framework))
    return s->pp > 1 || s->recompute != SW_RECOMPUTE_NONE;
  return s->framework == SW_FRAMEWORK_DEEPSPEED
         && (s->pp == 1 || s->recompute != SW_RECOMPUTE_FULL);
}

/**
 * sw_rule_has_vpp:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether a GPU holds several stages of the pipeline
 */
gboolean
sw_rule_has_vpp (const SwProblem *problem, const SwStrategy *s)
{
  return s->vpp > 1;
}

/*
 * sw_rule_has_ulysses:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether sequences are split by heads
 */
static gboolean
sw_rule_has_ulysses (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->cp_method == SW_CP_ULYSSES;
}

/**
 * sw_rule_has_ep:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether experts are on different GPUs
 */
gboolean
sw_rule_has_ep (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1;
}

/**
 * sw_rule_splits_experts:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether tensor parallelism splits a model with experts
 */
gboolean
sw_rule_splits_experts (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.moe.experts > 0 && s->tp > 1;
}

/**
 * sw_rule_splits_adapters:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether tensor parallelism splits a model with adapters
 */
gboolean
sw_rule_splits_adapters (const SwProblem *problem, const SwStrategy *s)
{
  return sw_training_is_adapter (&problem->training) && s->tp > 1;
}

/**
 * sw_rule_odd_heads:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether the attention heads are not a multiple of TP
 */
gboolean
sw_rule_odd_heads (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.attention_heads % s->tp != 0;
}

/**
 * sw_rule_has_zero_one:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether ZeRO 1 has something to shard
 */
gboolean
sw_rule_has_zero_one (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage == 1 && (s->dp > 1 || s->cp > 1);
}

/**
 * sw_rule_is_zero_bubble:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether the pipeline runs without a bubble
 */
gboolean
sw_rule_is_zero_bubble (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && s->schedule == SW_SCHEDULE_ZERO_BUBBLE;
}

/**
 * sw_rule_has_partial_recompute:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether some of the activations are recomputed, not all
 */
gboolean
sw_rule_has_partial_recompute (const SwProblem *problem, const SwStrategy *s)
{
  return s->recompute == SW_RECOMPUTE_SELECTIVE || s->recompute == SW_RECOMPUTE_FULL_LAYERS;
}

/**
 * sw_rule_offloads:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether anything lies in the host's memory
 */
gboolean
sw_rule_offloads (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload != SW_OFFLOAD_NONE;
}

/**
 * sw_rule_offloads_whole:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether parameters that are not sharded lie in the host's memory
 */
gboolean
sw_rule_offloads_whole (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS && s->zero_stage != 3;
}

/**
 * sw_rule_is_not_bf16:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether the precision is another than BF16
 */
gboolean
sw_rule_is_not_bf16 (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.precision != SW_PRECISION_BF16;
}

/**
 * sw_rule_is_not_adamw:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether the optimizer is another than AdamW
 */
gboolean
sw_rule_is_not_adamw (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer != SW_OPTIMIZER_ADAMW;
}

/**
 * sw_rule_is_not_full_training:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether the job is neither pretraining nor fine-tuning of all parameters
 */
gboolean
sw_rule_is_not_full_training (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type != SW_TRAINING_PRETRAIN
         && problem->training.type != SW_TRAINING_FINETUNE;
}

static SwRule
check_pins (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwPins *pins = &problem->pins;

  if (pins->mask == 0)
    return SW_RULE_OK;
  for (guint d = 0; d < SW_N_DIMENSIONS; d++)
    if (allows (pins->mask, d)
        && sw_strategy_get (strategy, (SwDimension) d)
               != sw_strategy_get (&pins->value, (SwDimension) d))
      return SW_RULE_PIN;
  if (sw_pins_has (pins, SW_DIM_RECOMPUTE)
      && ((strategy->recompute == SW_RECOMPUTE_FULL_LAYERS
           && strategy->full_layers != pins->value.full_layers)
          || (pins->value.recompute_modules != 0
              && strategy->recompute_modules != pins->value.recompute_modules)))
    return SW_RULE_PIN;
  return SW_RULE_OK;
}

static SwRule
check_world (const SwProblem *problem, const SwStrategy *s)
{
  if (s->tp == 0 || s->pp == 0 || s->cp == 0 || s->dp == 0 || s->ep == 0 || s->etp == 0
      || s->vpp == 0 || sw_strategy_gpus (s) > problem->cluster.gpus)
    return SW_RULE_WORLD_SIZE;
  /* Where others generate, training has to leave them some. */
  if (problem->training.type == SW_TRAINING_RLHF && sw_rlhf_generating_gpus (problem, s) == 0)
    return SW_RULE_WORLD_SIZE;
  return SW_RULE_OK;
}

static SwRule
check_tensor (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  if (sw_rule_has_sp_alone (problem, s))
    return SW_RULE_SEQUENCE_PARALLEL;
  if (s->tp == 1)
    return SW_RULE_OK;
  if (sw_rule_odd_heads (problem, s))
    return SW_RULE_TP_HEADS;
  if (sw_rule_odd_kv_heads (problem, s))
    return SW_RULE_TP_KV_HEADS;
  if (model->hidden_size % s->tp != 0 || model->moe.shared_intermediate_size % s->tp != 0
      || (sw_model_moe_layers (model) < model->layers && model->intermediate_size % s->tp != 0))
    return SW_RULE_TP_WIDTH;
  return SW_RULE_OK;
}

static SwRule
check_experts (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  if (s->etp != s->tp && s->etp != 1)
    return SW_RULE_ETP;
  if (model->moe.experts == 0)
    return sw_rule_odd_experts (problem, s) ? SW_RULE_EP_EXPERTS : SW_RULE_OK;
  if (model->moe.intermediate_size % s->etp != 0)
    return SW_RULE_ETP;
  if (sw_rule_odd_experts (problem, s))
    return SW_RULE_EP_EXPERTS;
  if ((guint64) s->tp * s->cp * s->dp % ((guint64) s->etp * s->ep) != 0)
    return SW_RULE_EP_WORLD;
  return SW_RULE_OK;
}

static SwRule
check_batch (const SwProblem *problem, const SwStrategy *s)
{
  if (s->micro_batch == 0
      || problem->training.global_batch % ((guint64) s->dp * s->micro_batch) != 0)
    return SW_RULE_BATCH;
  if (s->shard_group == 0 || s->shard_group > s->dp || s->dp % s->shard_group != 0)
    return SW_RULE_SHARD_GROUP;
  return SW_RULE_OK;
}

/* Nanotron's split by cost may leave no layer for the last stage where the head is worth many. */
static gboolean
last_is_empty (const SwProblem *problem, const SwStrategy *s)
{
  SwSplit split;

  if (s->framework != SW_FRAMEWORK_NANOTRON)
    return FALSE;
  sw_split (problem, s, &split);
  return split.last == 0;
}

static SwRule
check_pipeline (const SwProblem *problem, const SwFrameworkRules *rules, const SwStrategy *s)
{
  guint layers = problem->model.layers;

  if (s->pp > layers || (layers % s->pp != 0 && !rules->uneven_pp))
    return SW_RULE_PP_LAYERS;
  if (last_is_empty (problem, s))
    return SW_RULE_PP_LAYERS;
  if ((s->vpp > 1) != (s->schedule == SW_SCHEDULE_INTERLEAVED))
    return SW_RULE_VPP_LAYERS;
  if (s->vpp == 1)
    return SW_RULE_OK;
  if (sw_rule_has_vpp_alone (problem, s) || s->vpp > layers / s->pp)
    return SW_RULE_VPP_LAYERS;
  if (rules->uneven_pp ? sw_rule_odd_chunks (problem, s) : layers % (s->pp * s->vpp) != 0)
    return SW_RULE_VPP_LAYERS;
  return sw_strategy_micro_batches (problem, s) % s->pp != 0 ? SW_RULE_VPP_MICRO_BATCHES
                                                             : SW_RULE_OK;
}

static SwRule
check_context (const SwProblem *problem, const SwStrategy *s)
{
  guint sequence = problem->training.sequence_length;
  guint kv_heads = problem->model.kv_heads, ranks = s->tp * s->cp;

  if (sw_rule_odd_sequence (problem, s))
    return SW_RULE_CP_SEQUENCE;
  if (sw_rule_has_ulysses (problem, s)
      && (problem->model.attention_heads % ranks != 0
          || (kv_heads % ranks != 0 && ranks % kv_heads != 0)))
    return SW_RULE_CP_HEADS;
  if (s->sequence_parallel && sequence / s->cp % s->tp != 0)
    return SW_RULE_CP_SEQUENCE;
  return SW_RULE_OK;
}

static SwRule
check_framework_degrees (const SwProblem *problem, const SwStrategy *s)
{
  const SwFrameworkRules *rules = sw_framework_rules (s->framework);
  /* A DeepSpeed PipelineModule is neither cut along the sequence nor over expert groups. */
  const gboolean is_deepspeed = s->framework == SW_FRAMEWORK_DEEPSPEED;

  if (s->tp > 1 && !rules->tp)
    return SW_RULE_FRAMEWORK_TP;
  if (sw_rule_lacks_pp (problem, s) || sw_rule_lacks_vpp (problem, s))
    return SW_RULE_FRAMEWORK_PP;
  if (sw_rule_lacks_cp (problem, s) || sw_rule_lacks_cp_method (problem, s))
    return SW_RULE_FRAMEWORK_CP;
  if (sw_rule_lacks_ep (problem, s))
    return SW_RULE_FRAMEWORK_EP;
  if (is_deepspeed && sw_rule_has_cp_beside_pp (problem, s))
    return SW_RULE_FRAMEWORK_CP;
  return is_deepspeed && sw_rule_has_ep_beside_pp (problem, s) ? SW_RULE_FRAMEWORK_EP : SW_RULE_OK;
}

static SwRule
check_framework_sharding (const SwProblem *problem, const SwStrategy *s)
{
  if (sw_rule_lacks_zero_stage (problem, s))
    return SW_RULE_FRAMEWORK_ZERO;
  /* DeepSpeed's hybrid sharding (MiCS, hpZ) is part of stage 3. */
  if (sw_rule_lacks_groups (problem, s)
      || (s->framework == SW_FRAMEWORK_DEEPSPEED
          && sw_rule_has_groups_below_zero_three (problem, s)))
    return SW_RULE_SHARD_GROUP;
  return SW_RULE_OK;
}

static SwRule
check_framework_offload (const SwProblem *problem, const SwStrategy *s)
{
  const SwFramework framework = (SwFramework) s->framework;

  if (s->offload == SW_OFFLOAD_NONE)
    return SW_RULE_OK;
  if (!allows (sw_framework_rules (framework)->offload_mask, s->offload)
      || sw_rule_misplaces_activations (problem, s) || sw_rule_offloads_whole (problem, s))
    return SW_RULE_FRAMEWORK_OFFLOAD;
  /* The optimizers that Megatron-Core and DeepSpeed have for hosts are AdamW, over states that ZeRO
   * shards. */
  if ((framework == SW_FRAMEWORK_MEGATRON_CORE || framework == SW_FRAMEWORK_DEEPSPEED)
      && (sw_rule_offloads_unsharded (problem, s) || sw_rule_offloads_other_optimizer (problem, s)))
    return SW_RULE_FRAMEWORK_OFFLOAD;
  return framework == SW_FRAMEWORK_MEGATRON_CORE
                 && problem->training.software_year < problem->calibration->since.megatron_offload
             ? SW_RULE_FRAMEWORK_OFFLOAD
             : SW_RULE_OK;
}

static SwRule
check_framework_sequence (const SwProblem *problem, const SwFrameworkRules *rules,
                          const SwStrategy *s)
{
  gboolean is_early = rules->framework == SW_FRAMEWORK_MEGATRON_2021
                      && problem->training.software_year
                             < problem->calibration->since.sequence_parallel;

  if (s->recompute == SW_RECOMPUTE_SELECTIVE && is_early)
    return SW_RULE_FRAMEWORK_RECOMPUTE;
  if (sw_rule_lacks_sp (problem, s) || (s->sequence_parallel && is_early))
    return SW_RULE_FRAMEWORK_SP;
  return rules->ep_wants_sp && sw_rule_has_ep_without_sp (problem, s) ? SW_RULE_FRAMEWORK_SP
                                                                      : SW_RULE_OK;
}

static SwRule
check_framework (const SwProblem *problem, const SwFrameworkRules *rules, const SwStrategy *s)
{
  SwRule rule = check_framework_degrees (problem, s);

  if (rule == SW_RULE_OK)
    rule = check_framework_sharding (problem, s);
  if (rule != SW_RULE_OK)
    return rule;
  /* Experts cut otherwise than the rest, even where none is sent away. */
  if (problem->model.moe.experts > 0 && s->etp != s->tp && !rules->etp)
    return SW_RULE_FRAMEWORK_EP;
  if (!allows (rules->schedule_mask, s->schedule))
    return SW_RULE_FRAMEWORK_SCHEDULE;
  if (sw_rule_lacks_recompute (problem, s))
    return SW_RULE_FRAMEWORK_RECOMPUTE;
  rule = check_framework_offload (problem, s);
  return rule == SW_RULE_OK ? check_framework_sequence (problem, rules, s) : rule;
}

static SwRule
check_precision (const SwProblem *problem, const SwFrameworkRules *rules)
{
  SwPrecision precision = problem->training.precision;

  if (!allows (rules->precision_mask, precision)
      || !sw_cluster_has_precision (&problem->cluster, precision))
    return SW_RULE_PRECISION;
  return SW_RULE_OK;
}

/**
 * sw_rules_check_offload:
 * @problem: a prepared question
 * @strategy: a strategy that breaks none of the rules of levels 1 and 2
 *
 * Checks what offload decides together with the framework, the stages and the ZeRO stage.
 *
 * Returns: the broken rule, or OK
 */
SwRule
sw_rules_check_offload (const SwProblem *problem, const SwStrategy *strategy)
{
  return check_framework_offload (problem, strategy);
}

/**
 * sw_rules_check_sharding:
 * @problem: a prepared question
 * @strategy: a strategy that breaks none of the rules of levels 1 and 2
 *
 * Checks what the ZeRO stage, the shard group and offload decide.
 *
 * Returns: the first broken rule, or OK
 */
SwRule
sw_rules_check_sharding (const SwProblem *problem, const SwStrategy *strategy)
{
  SwRule rule;

  if (strategy->shard_group == 0 || strategy->dp % strategy->shard_group != 0)
    return SW_RULE_SHARD_GROUP;
  rule = check_framework_sharding (problem, strategy);
  return rule == SW_RULE_OK ? check_framework_offload (problem, strategy) : rule;
}

/**
 * sw_rules_check:
 * @problem: a prepared question
 * @strategy: a strategy; its framework names what runs it, ANY stands for the union
 *
 * Checks everything but memory, the cheapest first.
 *
 * Returns: the first broken rule, or OK
 */
SwRule
sw_rules_check (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwFrameworkRules *rules = sw_framework_rules (strategy->framework);
  SwRule rule = check_world (problem, strategy);

  if (rule == SW_RULE_OK)
    rule = check_tensor (problem, strategy);
  if (rule == SW_RULE_OK)
    rule = check_experts (problem, strategy);
  if (rule == SW_RULE_OK)
    rule = check_batch (problem, strategy);
  if (rule == SW_RULE_OK)
    rule = check_pipeline (problem, rules, strategy);
  if (rule == SW_RULE_OK)
    rule = check_context (problem, strategy);
  if (rule == SW_RULE_OK)
    rule = check_framework (problem, rules, strategy);
  if (rule == SW_RULE_OK)
    rule = check_precision (problem, rules);
  return rule == SW_RULE_OK ? check_pins (problem, strategy) : rule;
}
