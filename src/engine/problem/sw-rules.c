/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-rules.h"

#include "sw-cost.h"
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

/* Korthikanti et al., "Reducing activation recomputation in large transformer models", May 2022. */
static const double sequence_parallel_year = 2022.4;
/* Megatron-Core 0.10 and later: --optimizer-cpu-offload. */
static const double megatron_offload_year = 2025;

static gboolean
allows (guint mask, guint value)
{
  return value < 32 && (mask >> value & 1) != 0;
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
check_tensor (const SwModelSpec *model, const SwFrameworkRules *rules, const SwStrategy *s)
{
  if (s->tp == 1)
    return s->sequence_parallel ? SW_RULE_SEQUENCE_PARALLEL : SW_RULE_OK;
  if (model->attention_heads % s->tp != 0)
    return SW_RULE_TP_HEADS;
  /* Latent attention has no KV heads of its own: they are made anew for every query head. */
  if (model->mla.kv_lora_rank == 0 && model->kv_heads % s->tp != 0
      && (rules->kv_heads_at_least_tp || s->tp % model->kv_heads != 0))
    return SW_RULE_TP_KV_HEADS;
  if (model->hidden_size % s->tp != 0 || model->moe.shared_intermediate_size % s->tp != 0
      || (sw_model_moe_layers (model) < model->layers && model->intermediate_size % s->tp != 0))
    return SW_RULE_TP_WIDTH;
  return SW_RULE_OK;
}

static SwRule
check_experts (const SwModelSpec *model, const SwStrategy *s)
{
  if (s->etp != s->tp && s->etp != 1)
    return SW_RULE_ETP;
  if (model->moe.experts == 0)
    return s->ep > 1 ? SW_RULE_EP_EXPERTS : SW_RULE_OK;
  if (model->moe.intermediate_size % s->etp != 0)
    return SW_RULE_ETP;
  if (model->moe.experts % s->ep != 0)
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

/* Interleaved stages need chunks of one size, but for the ends where stages may be uneven. */
static gboolean
chunks_are_even (const SwProblem *problem, const SwFrameworkRules *rules, const SwStrategy *s)
{
  SwSplit split;

  if (!rules->uneven_pp)
    return problem->model.layers % (s->pp * s->vpp) == 0;
  sw_split (problem, s, &split);
  return sw_split_has_chunks (&split, s->vpp);
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
  if (s->pp == 1 || s->vpp > layers / s->pp || !chunks_are_even (problem, rules, s))
    return SW_RULE_VPP_LAYERS;
  return sw_strategy_micro_batches (problem, s) % s->pp != 0 ? SW_RULE_VPP_MICRO_BATCHES
                                                             : SW_RULE_OK;
}

static SwRule
check_context (const SwProblem *problem, const SwStrategy *s)
{
  guint sequence = problem->training.sequence_length;
  guint kv_heads = problem->model.kv_heads, ranks = s->tp * s->cp;

  if (s->cp > 1)
    {
      if (s->cp > sequence / 2 || sequence % (2 * s->cp) != 0)
        return SW_RULE_CP_SEQUENCE;
      if (s->cp_method == SW_CP_ULYSSES
          && (problem->model.attention_heads % ranks != 0
              || (kv_heads % ranks != 0 && ranks % kv_heads != 0)))
        return SW_RULE_CP_HEADS;
    }
  if (s->sequence_parallel && sequence / s->cp % s->tp != 0)
    return SW_RULE_CP_SEQUENCE;
  return SW_RULE_OK;
}

static SwRule
check_framework_degrees (const SwFrameworkRules *rules, const SwStrategy *s)
{
  if (s->tp > 1 && !rules->tp)
    return SW_RULE_FRAMEWORK_TP;
  if (s->pp > 1 && (!rules->pp || (s->vpp > 1 && !rules->vpp)))
    return SW_RULE_FRAMEWORK_PP;
  if (s->cp > 1 && (!rules->cp || !allows (rules->cp_method_mask, s->cp_method)))
    return SW_RULE_FRAMEWORK_CP;
  if (s->ep > 1 && !rules->ep)
    return SW_RULE_FRAMEWORK_EP;
  /* A DeepSpeed PipelineModule is neither cut along the sequence nor over expert groups. */
  if (rules->framework == SW_FRAMEWORK_DEEPSPEED && s->pp > 1 && (s->cp > 1 || s->ep > 1))
    return s->cp > 1 ? SW_RULE_FRAMEWORK_CP : SW_RULE_FRAMEWORK_EP;
  return SW_RULE_OK;
}

static SwRule
check_framework_sharding (const SwFrameworkRules *rules, const SwStrategy *s)
{
  if (!allows (s->pp > 1 ? rules->zero_mask_pp : rules->zero_mask, s->zero_stage))
    return SW_RULE_FRAMEWORK_ZERO;
  if (s->zero_stage > 0 && s->shard_group < s->dp && !rules->hsdp)
    return SW_RULE_SHARD_GROUP;
  /* DeepSpeed's hybrid sharding (MiCS, hpZ) is part of stage 3. */
  if (rules->framework == SW_FRAMEWORK_DEEPSPEED && s->shard_group < s->dp && s->zero_stage != 3
      && s->zero_stage != 0)
    return SW_RULE_SHARD_GROUP;
  return SW_RULE_OK;
}

/* Megatron-Core has kept activations on the host in no pipeline and beside no recomputation,
 * DeepSpeed the checkpoints of a pipeline's layers. */
static gboolean
keeps_activations_on_host (SwFramework framework, const SwStrategy *s)
{
  if (framework == SW_FRAMEWORK_MEGATRON_CORE)
    return s->pp == 1 && s->recompute == SW_RECOMPUTE_NONE;
  return framework != SW_FRAMEWORK_DEEPSPEED || (s->pp > 1 && s->recompute == SW_RECOMPUTE_FULL);
}

/* The optimizers that Megatron-Core and DeepSpeed have for hosts are AdamW, over states that ZeRO
 * shards. */
static gboolean
keeps_optimizer_on_host (const SwProblem *problem, SwFramework framework, const SwStrategy *s)
{
  if (framework != SW_FRAMEWORK_MEGATRON_CORE && framework != SW_FRAMEWORK_DEEPSPEED)
    return TRUE;
  return s->zero_stage > 0 && problem->training.optimizer == SW_OPTIMIZER_ADAMW;
}

static SwRule
check_framework_offload (const SwProblem *problem, const SwFrameworkRules *rules,
                         const SwStrategy *s)
{
  gboolean has;

  if (s->offload == SW_OFFLOAD_NONE)
    return SW_RULE_OK;
  if (s->offload == SW_OFFLOAD_ACTIVATIONS)
    has = keeps_activations_on_host (rules->framework, s);
  else
    has = keeps_optimizer_on_host (problem, rules->framework, s)
          && (s->offload == SW_OFFLOAD_OPTIMIZER || s->zero_stage == 3);
  if (rules->framework == SW_FRAMEWORK_MEGATRON_CORE)
    has &= problem->training.software_year >= megatron_offload_year;
  return has && allows (rules->offload_mask, s->offload) ? SW_RULE_OK : SW_RULE_FRAMEWORK_OFFLOAD;
}

static SwRule
check_framework_sequence (const SwProblem *problem, const SwFrameworkRules *rules,
                          const SwStrategy *s)
{
  gboolean is_early = rules->framework == SW_FRAMEWORK_MEGATRON_2021
                      && problem->training.software_year < sequence_parallel_year;

  if (s->recompute == SW_RECOMPUTE_SELECTIVE && is_early)
    return SW_RULE_FRAMEWORK_RECOMPUTE;
  if (s->sequence_parallel && (!rules->sp || is_early))
    return SW_RULE_FRAMEWORK_SP;
  if (s->tp > 1 && !s->sequence_parallel && rules->ep_wants_sp && s->ep > 1)
    return SW_RULE_FRAMEWORK_SP;
  return SW_RULE_OK;
}

static SwRule
check_framework (const SwProblem *problem, const SwFrameworkRules *rules, const SwStrategy *s)
{
  SwRule rule = check_framework_degrees (rules, s);

  if (rule == SW_RULE_OK)
    rule = check_framework_sharding (rules, s);
  if (rule != SW_RULE_OK)
    return rule;
  /* Experts cut otherwise than the rest, even where none is sent away. */
  if (problem->model.moe.experts > 0 && s->etp != s->tp && !rules->etp)
    return SW_RULE_FRAMEWORK_EP;
  if (!allows (rules->schedule_mask, s->schedule))
    return SW_RULE_FRAMEWORK_SCHEDULE;
  if (!allows (rules->recompute_mask, s->recompute))
    return SW_RULE_FRAMEWORK_RECOMPUTE;
  rule = check_framework_offload (problem, rules, s);
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
  return check_framework_offload (problem, sw_framework_rules (strategy->framework), strategy);
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
  const SwFrameworkRules *rules = sw_framework_rules (strategy->framework);
  SwRule rule;

  if (strategy->shard_group == 0 || strategy->dp % strategy->shard_group != 0)
    return SW_RULE_SHARD_GROUP;
  rule = check_framework_sharding (rules, strategy);
  return rule == SW_RULE_OK ? check_framework_offload (problem, rules, strategy) : rule;
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
    rule = check_tensor (&problem->model, rules, strategy);
  if (rule == SW_RULE_OK)
    rule = check_experts (&problem->model, strategy);
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
