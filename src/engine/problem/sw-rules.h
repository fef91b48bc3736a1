/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-framework.h"
#include "sw-problem.h"

G_BEGIN_DECLS

/* Why a strategy cannot run: the first broken rule. The names are the codes in JSON output. */
typedef enum {
  SW_RULE_OK,
  SW_RULE_WORLD_SIZE,  /* tp * pp * cp * dp exceeds the GPUs */
  SW_RULE_TP_HEADS,    /* attention heads % tp */
  SW_RULE_TP_KV_HEADS, /* neither KV heads nor tp divides the other, or the framework requires a
                          multiple */
  SW_RULE_TP_WIDTH,    /* hidden or MLP width % tp */
  SW_RULE_ETP,         /* etp is neither tp nor 1, or expert width % etp */
  SW_RULE_PP_LAYERS,   /* more stages than layers, or layers % pp if the framework requires it */
  SW_RULE_VPP_LAYERS,  /* layers per stage % vpp, or vpp without pp */
  SW_RULE_VPP_MICRO_BATCHES, /* interleaving requires micro-batches % pp == 0 */
  SW_RULE_CP_SEQUENCE,       /* sequence % (2 cp), or % (tp) with sequence parallelism */
  SW_RULE_CP_HEADS,          /* Ulysses: heads % (tp cp) */
  SW_RULE_EP_EXPERTS,        /* experts % ep, ep on a dense model */
  SW_RULE_EP_WORLD,          /* etp * ep does not divide tp * cp * dp */
  SW_RULE_BATCH,             /* global batch % (dp * micro-batch) */
  SW_RULE_SHARD_GROUP,       /* dp % shard_group */
  SW_RULE_SEQUENCE_PARALLEL, /* sequence parallelism without tp */
  SW_RULE_FRAMEWORK_TP,
  SW_RULE_FRAMEWORK_PP,
  SW_RULE_FRAMEWORK_CP,
  SW_RULE_FRAMEWORK_EP,
  SW_RULE_FRAMEWORK_ZERO, /* e.g. DeepSpeed pipelines reject ZeRO 2 and 3 */
  SW_RULE_FRAMEWORK_SCHEDULE,
  SW_RULE_FRAMEWORK_RECOMPUTE,
  SW_RULE_FRAMEWORK_OFFLOAD,
  SW_RULE_FRAMEWORK_SP,
  SW_RULE_FRAMEWORK_GPUS,     /* the framework runs on one GPU only */
  SW_RULE_FRAMEWORK_TRAINING, /* the framework does not support this kind of training */
  SW_RULE_PRECISION,          /* the GPU or the framework does not support this precision */
  SW_RULE_PIN,                /* another value is pinned */
  SW_RULE_GPU_MEMORY,         /* over the memory target */
  SW_RULE_HOST_MEMORY,        /* offloaded bytes exceed the host memory */
  SW_N_RULES
} SwRule;
extern const char *const sw_rule_names[];

/* Conditions that make a strategy invalid; each returns TRUE if it applies. The engine's rules and
 * the rule tables of the exporters, which word them, share these. "lacks" means that the framework
 * does not support it. */

/* The strategy has a pipeline, which the framework does not support. */
static inline gboolean
sw_rule_lacks_pp (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && !sw_framework_rules (s->framework)->pp;
}

/* A GPU holds several pipeline stages, which the framework does not support. */
static inline gboolean
sw_rule_lacks_vpp (const SwProblem *problem, const SwStrategy *s)
{
  return s->vpp > 1 && !sw_framework_rules (s->framework)->vpp;
}

/* Sequences are split, which the framework does not support. */
static inline gboolean
sw_rule_lacks_cp (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && !sw_framework_rules (s->framework)->cp;
}

/* Sequences are split by a method that the framework does not support. */
static inline gboolean
sw_rule_lacks_cp_method (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1
         && !sw_framework_allows (sw_framework_rules (s->framework)->cp_method_mask, s->cp_method);
}

/* Experts are on different GPUs, which the framework does not support. */
static inline gboolean
sw_rule_lacks_ep (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && !sw_framework_rules (s->framework)->ep;
}

/* The strategy uses sequence parallelism, which the framework does not support. */
static inline gboolean
sw_rule_lacks_sp (const SwProblem *problem, const SwStrategy *s)
{
  return s->sequence_parallel && !sw_framework_rules (s->framework)->sp;
}

/* The framework does not support this ZeRO stage, or not with a pipeline. */
static inline gboolean
sw_rule_lacks_zero_stage (const SwProblem *problem, const SwStrategy *s)
{
  const SwFrameworkRules *rules = sw_framework_rules (s->framework);

  return !sw_framework_allows (sw_framework_zero (rules, s->pp, s->ep), s->zero_stage);
}

/* The framework does not support this schedule. Applies to a single stage too: an explicitly
 * requested schedule is either supported or rejected. */
static inline gboolean
sw_rule_lacks_schedule (const SwProblem *problem, const SwStrategy *s)
{
  return !sw_framework_allows (sw_framework_rules (s->framework)->schedule_mask, s->schedule);
}

/* A pipeline uses a schedule that the framework does not support. Without a pipeline, a file does
 * not state the schedule. */
static inline gboolean
sw_rule_pipes_unknown_schedule (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && sw_rule_lacks_schedule (problem, s);
}

/* The framework does not support this recomputation. */
static inline gboolean
sw_rule_lacks_recompute (const SwProblem *problem, const SwStrategy *s)
{
  const SwFrameworkRules *rules = sw_framework_rules (s->framework);

  return !sw_framework_allows (sw_framework_recompute (rules, s->ep), s->recompute);
}

/* The shard group is smaller than the replicas, which the framework does not support. */
static inline gboolean
sw_rule_lacks_groups (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage > 0 && s->shard_group < s->dp && !sw_framework_rules (s->framework)->hsdp;
}

/* The framework cannot give each tensor-parallel rank its KV heads. Latent attention has no KV
 * heads: it computes keys and values for every query head. */
static inline gboolean
sw_rule_odd_kv_heads (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->mla.kv_lora_rank == 0 && model->kv_heads % s->tp != 0
         && (sw_framework_rules (s->framework)->kv_heads_at_least_tp
             || s->tp % model->kv_heads != 0);
}

/* Context parallelism cannot give each rank two equal parts of a sequence. */
static inline gboolean
sw_rule_odd_sequence (const SwProblem *problem, const SwStrategy *s)
{
  const guint sequence = problem->training.sequence_length;

  return s->cp > 1 && (s->cp > sequence / 2 || sequence % (2 * s->cp) != 0);
}

/* Experts are split over GPUs, but the model has none or EP does not divide them. */
static inline gboolean
sw_rule_odd_experts (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && (problem->model.moe.experts == 0 || problem->model.moe.experts % s->ep != 0);
}

/* Virtual stages without a pipeline. */
static inline gboolean
sw_rule_has_vpp_alone (const SwProblem *problem, const SwStrategy *s)
{
  return s->vpp > 1 && s->pp == 1;
}

/* Sequence parallelism without tensor parallelism. */
static inline gboolean
sw_rule_has_sp_alone (const SwProblem *problem, const SwStrategy *s)
{
  return s->sequence_parallel && s->tp == 1;
}

/* Expert and tensor parallelism without sequence parallelism. */
static inline gboolean
sw_rule_has_ep_without_sp (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && s->tp > 1 && !s->sequence_parallel;
}

/* Context parallelism with a pipeline. */
static inline gboolean
sw_rule_has_cp_beside_pp (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && s->pp > 1;
}

/* Expert parallelism with a pipeline. */
static inline gboolean
sw_rule_has_ep_beside_pp (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && s->pp > 1;
}

/* Experts are spread over GPUs in addition to tensor parallelism. */
static inline gboolean
sw_rule_has_ep_beside_tp (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && s->tp > 1;
}

/* ZeRO 1 or 2 shards over only a part of the replicas. */
static inline gboolean
sw_rule_has_groups_below_zero_three (const SwProblem *problem, const SwStrategy *s)
{
  return s->shard_group < s->dp && s->zero_stage != 3 && s->zero_stage != 0;
}

/* Parameters are sharded over a part of the replicas in addition to other parallelism. */
static inline gboolean
sw_rule_groups_others (const SwProblem *problem, const SwStrategy *s)
{
  return s->shard_group < s->dp && s->zero_stage == 3 && (s->tp > 1 || s->ep > 1 || s->cp > 1);
}

/* An unsharded optimizer is offloaded to the host. */
static inline gboolean
sw_rule_offloads_unsharded (const SwProblem *problem, const SwStrategy *s)
{
  return (s->offload == SW_OFFLOAD_OPTIMIZER || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
         && s->zero_stage == 0;
}

/* An optimizer other than AdamW is offloaded to the host. */
static inline gboolean
sw_rule_offloads_other_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  return (s->offload == SW_OFFLOAD_OPTIMIZER || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
         && problem->training.optimizer != SW_OPTIMIZER_ADAMW;
}

/* The strategy offloads activations that the framework cannot offload. Megatron-Core offloads them
 * only without a pipeline and without recomputation; DeepSpeed only offloads the checkpoints of a
 * pipeline's layers. */
static inline gboolean
sw_rule_misplaces_activations (const SwProblem *problem, const SwStrategy *s)
{
  if (s->offload != SW_OFFLOAD_ACTIVATIONS)
    return FALSE;
  if (s->framework == SW_FRAMEWORK_MEGATRON_2021 || s->framework == SW_FRAMEWORK_MEGATRON_CORE)
    return s->pp > 1 || s->recompute != SW_RECOMPUTE_NONE;
  return sw_engine (s->framework) == SW_FRAMEWORK_DEEPSPEED
         && (s->pp == 1 || s->recompute != SW_RECOMPUTE_FULL);
}

/* A GPU holds several pipeline stages. */
static inline gboolean
sw_rule_has_vpp (const SwProblem *problem, const SwStrategy *s)
{
  return s->vpp > 1;
}

/* Sequences are split. */
static inline gboolean
sw_rule_has_cp (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1;
}

/* Experts are on different GPUs. */
static inline gboolean
sw_rule_has_ep (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1;
}

/* Tensor parallelism splits a model with experts. */
static inline gboolean
sw_rule_splits_experts (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.moe.experts > 0 && s->tp > 1;
}

/* Tensor parallelism splits a model with adapters. */
static inline gboolean
sw_rule_splits_adapters (const SwProblem *problem, const SwStrategy *s)
{
  return sw_training_is_adapter (&problem->training) && s->tp > 1;
}

/* A model with adapters has a pipeline. */
static inline gboolean
sw_rule_pipes_adapters (const SwProblem *problem, const SwStrategy *s)
{
  return sw_training_is_adapter (&problem->training) && s->pp > 1;
}

/* TP does not divide the attention heads. */
static inline gboolean
sw_rule_odd_heads (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.attention_heads % s->tp != 0;
}

/* ZeRO 1 has something to shard. */
static inline gboolean
sw_rule_has_zero_one (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage == 1 && (s->dp > 1 || s->cp > 1);
}

/* The pipeline uses a zero-bubble schedule. */
static inline gboolean
sw_rule_is_zero_bubble (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && s->schedule == SW_SCHEDULE_ZERO_BUBBLE;
}

/* Some activations are recomputed, but not all. */
static inline gboolean
sw_rule_has_partial_recompute (const SwProblem *problem, const SwStrategy *s)
{
  return s->recompute == SW_RECOMPUTE_SELECTIVE || s->recompute == SW_RECOMPUTE_FULL_LAYERS;
}

/* Something is in host memory. */
static inline gboolean
sw_rule_offloads (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload != SW_OFFLOAD_NONE;
}

/* Parameters are offloaded although they are not sharded. */
static inline gboolean
sw_rule_offloads_whole (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS && s->zero_stage != 3;
}

/* States are on drives without DeepSpeed ZeRO 3, the only combination that supports it
 * (ZeRO-Infinity; github deepspeedai/DeepSpeed, runtime/zero/offload_config.py). */
static inline gboolean
sw_rule_misplaces_drives (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.offloads_to_nvme
         && (s->offload == SW_OFFLOAD_OPTIMIZER || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
         && (sw_engine (s->framework) != SW_FRAMEWORK_DEEPSPEED || s->zero_stage != 3);
}

/* The precision is not BF16. */
static inline gboolean
sw_rule_is_not_bf16 (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.precision != SW_PRECISION_BF16;
}

/* The optimizer is not AdamW. */
static inline gboolean
sw_rule_is_not_adamw (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer != SW_OPTIMIZER_ADAMW;
}

/* The job is neither pre-training nor fine-tuning of all parameters. */
static inline gboolean
sw_rule_is_not_full_training (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type != SW_TRAINING_PRETRAIN
         && problem->training.type != SW_TRAINING_FINETUNE;
}

gboolean sw_rule_odd_chunks (const SwProblem *problem, const SwStrategy *s);
SwRule sw_rules_check (const SwProblem *problem, const SwStrategy *strategy);
SwRule sw_rules_check_offload (const SwProblem *problem, const SwStrategy *strategy);
SwRule sw_rules_check_sharding (const SwProblem *problem, const SwStrategy *strategy);

G_END_DECLS
