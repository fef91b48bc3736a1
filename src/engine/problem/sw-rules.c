/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-rules.h"

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
                                      "framework-gpus",
                                      "framework-training",
                                      "precision",
                                      "pin",
                                      "gpu-memory",
                                      "host-memory",
                                      NULL };

/**
 * sw_rule_odd_chunks:
 * @problem: a prepared question
 * @s: a strategy
 *
 * Returns: whether the layers of a stage do not divide into equal virtual stages, apart from the
 * ends if stages may be uneven
 */
gboolean
sw_rule_odd_chunks (const SwProblem *problem, const SwStrategy *s)
{
  SwSplit split;

  sw_split (problem, s, &split);
  return s->vpp > 1 && s->pp > 1 && !sw_split_has_chunks (&split, s->vpp);
}

static SwRule
check_pins (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwPins *pins = &problem->pins;

  if (pins->mask == 0)
    return SW_RULE_OK;
  for (guint d = 0; d < SW_N_DIMENSIONS; d++)
    if (sw_framework_allows (pins->mask, d)
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

/* Whether the ranks divide heads, widths and experts, and the replicas divide the batch. */
static SwRule
check_division (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;
  const SwMoe *moe = &model->moe;

  if (sw_rule_has_sp_alone (problem, s))
    return SW_RULE_SEQUENCE_PARALLEL;
  if (s->tp > 1)
    {
      if (sw_rule_odd_heads (problem, s))
        return SW_RULE_TP_HEADS;
      if (sw_rule_odd_kv_heads (problem, s))
        return SW_RULE_TP_KV_HEADS;
      if (model->hidden_size % s->tp != 0 || moe->shared_intermediate_size % s->tp != 0
          || (sw_model_moe_layers (model) < model->layers && model->intermediate_size % s->tp != 0))
        return SW_RULE_TP_WIDTH;
    }
  if ((s->etp != s->tp && s->etp != 1)
      || (moe->experts > 0 && moe->intermediate_size % s->etp != 0))
    return SW_RULE_ETP;
  if (sw_rule_odd_experts (problem, s))
    return SW_RULE_EP_EXPERTS;
  if (moe->experts > 0 && (guint64) s->tp * s->cp * s->dp % ((guint64) s->etp * s->ep) != 0)
    return SW_RULE_EP_WORLD;
  if (s->micro_batch == 0 || s->micro_batch % MAX (problem->training.together, 1) != 0
      || problem->training.global_batch % ((guint64) s->dp * s->micro_batch) != 0)
    return SW_RULE_BATCH;
  if (s->shard_group == 0 || s->shard_group > s->dp || s->dp % s->shard_group != 0)
    return SW_RULE_SHARD_GROUP;
  return SW_RULE_OK;
}

static SwRule
check_pipeline (const SwProblem *problem, const SwFrameworkRules *rules, const SwStrategy *s)
{
  const guint layers = problem->model.layers;

  if (s->pp > layers || (layers % s->pp != 0 && !rules->uneven_pp))
    return SW_RULE_PP_LAYERS;
  if (s->framework == SW_FRAMEWORK_NANOTRON)
    {
      SwSplit split;

      /* Its split by cost may leave no layer for the last stage if the head is expensive. */
      sw_split (problem, s, &split);
      if (split.last == 0)
        return SW_RULE_PP_LAYERS;
    }
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
check_framework_sharding (const SwProblem *problem, const SwStrategy *s)
{
  if (sw_rule_lacks_zero_stage (problem, s))
    return SW_RULE_FRAMEWORK_ZERO;
  /* DeepSpeed's hybrid sharding (MiCS, hpZ) is part of stage 3, of data parallelism alone. */
  if (sw_rule_lacks_groups (problem, s)
      || (sw_engine (s->framework) == SW_FRAMEWORK_DEEPSPEED
          && (sw_rule_has_groups_below_zero_three (problem, s)
              || sw_rule_groups_others (problem, s))))
    return SW_RULE_SHARD_GROUP;
  return SW_RULE_OK;
}

/**
 * sw_rules_check_offload:
 * @problem: a prepared question
 * @strategy: a strategy that breaks none of the rules of levels 1 and 2
 *
 * Checks offload together with the framework, the stages and the ZeRO stage.
 *
 * Returns: the broken rule, or OK
 */
SwRule
sw_rules_check_offload (const SwProblem *problem, const SwStrategy *s)
{
  const SwFramework framework = sw_engine (s->framework);

  if (s->offload == SW_OFFLOAD_NONE)
    return SW_RULE_OK;
  if (!sw_framework_allows (sw_framework_rules (s->framework)->offload_mask, s->offload)
      || sw_rule_misplaces_activations (problem, s) || sw_rule_offloads_whole (problem, s)
      || sw_rule_misplaces_drives (problem, s))
    return SW_RULE_FRAMEWORK_OFFLOAD;
  /* CPU optimizers of Megatron-Core and DeepSpeed are AdamW, with states that ZeRO shards. */
  if ((framework == SW_FRAMEWORK_MEGATRON_CORE || framework == SW_FRAMEWORK_DEEPSPEED)
      && (sw_rule_offloads_unsharded (problem, s) || sw_rule_offloads_other_optimizer (problem, s)))
    return SW_RULE_FRAMEWORK_OFFLOAD;
  return framework == SW_FRAMEWORK_MEGATRON_CORE
                 && problem->training.software_year < problem->calibration->since.megatron_offload
             ? SW_RULE_FRAMEWORK_OFFLOAD
             : SW_RULE_OK;
}

static SwRule
check_framework (const SwProblem *problem, const SwFrameworkRules *rules, const SwStrategy *s)
{
  /* A DeepSpeed PipelineModule supports neither context parallelism nor expert groups. */
  const gboolean is_deepspeed = sw_engine (s->framework) == SW_FRAMEWORK_DEEPSPEED;
  const gboolean is_early = rules->framework == SW_FRAMEWORK_MEGATRON_2021
                            && problem->training.software_year
                                   < problem->calibration->since.sequence_parallel;
  /* Adapters wrap a whole Hugging Face model: neither AutoTP nor a pipeline splits it. FSDP can
   * shard 4-bit weights (bitsandbytes, torchao's NF4Tensor), but they cannot be split. */
  const gboolean is_whole = is_deepspeed
                            || (sw_framework_is_fsdp (s->framework)
                                && sw_base_bytes (&problem->training) < 1);
  SwRule rule;

  if (rules->types != 0
      && (!sw_framework_allows (rules->types, problem->training.type)
          || !sw_framework_allows (rules->types, sw_training_states (&problem->training))))
    return SW_RULE_FRAMEWORK_TRAINING;
  if (rules->one_gpu && sw_strategy_gpus (s) > 1)
    return SW_RULE_FRAMEWORK_GPUS;
  if ((s->tp > 1 && !rules->tp)
      || (rules->splits_no_experts && sw_rule_splits_experts (problem, s)))
    return SW_RULE_FRAMEWORK_TP;
  if (sw_rule_lacks_pp (problem, s) || sw_rule_lacks_vpp (problem, s))
    return SW_RULE_FRAMEWORK_PP;
  if (sw_rule_lacks_cp (problem, s) || sw_rule_lacks_cp_method (problem, s))
    return SW_RULE_FRAMEWORK_CP;
  if (sw_rule_lacks_ep (problem, s))
    return SW_RULE_FRAMEWORK_EP;
  if (is_whole && sw_rule_splits_adapters (problem, s))
    return SW_RULE_FRAMEWORK_TP;
  if (is_whole && sw_rule_pipes_adapters (problem, s))
    return SW_RULE_FRAMEWORK_PP;
  if (is_deepspeed && sw_rule_has_cp_beside_pp (problem, s))
    return SW_RULE_FRAMEWORK_CP;
  if (is_deepspeed
      && (sw_rule_has_ep_beside_pp (problem, s) || sw_rule_has_ep_beside_tp (problem, s)))
    return SW_RULE_FRAMEWORK_EP;
  rule = check_framework_sharding (problem, s);
  if (rule != SW_RULE_OK)
    return rule;
  /* Experts split differently from the rest, even without expert parallelism. */
  if (problem->model.moe.experts > 0 && s->etp != s->tp && !rules->etp)
    return SW_RULE_FRAMEWORK_EP;
  if (sw_rule_lacks_recompute (problem, s))
    return SW_RULE_FRAMEWORK_RECOMPUTE;
  rule = sw_rules_check_offload (problem, s);
  if (rule != SW_RULE_OK)
    return rule;
  if (s->recompute == SW_RECOMPUTE_SELECTIVE && is_early)
    return SW_RULE_FRAMEWORK_RECOMPUTE;
  if (sw_rule_lacks_sp (problem, s) || (s->sequence_parallel && is_early)
      || (rules->ep_wants_sp && sw_rule_has_ep_without_sp (problem, s)))
    return SW_RULE_FRAMEWORK_SP;
  return SW_RULE_OK;
}

/**
 * sw_rules_check_sharding:
 * @problem: a prepared question
 * @strategy: a strategy that breaks none of the rules of levels 1 and 2
 *
 * Checks the ZeRO stage, the shard group and offload.
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
  return rule == SW_RULE_OK ? sw_rules_check_offload (problem, strategy) : rule;
}

/**
 * sw_rules_check:
 * @problem: a prepared question
 * @strategy: a strategy; its framework runs it, ANY means the union
 *
 * Checks all rules except memory, the cheapest first.
 *
 * Returns: the first broken rule, or OK
 */
SwRule
sw_rules_check (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwFrameworkRules *rules = sw_framework_rules (strategy->framework);
  const SwStrategy *s = strategy;
  const guint ranks = s->tp * s->cp, kv_heads = problem->model.kv_heads;
  SwRule rule;

  if (s->tp == 0 || s->pp == 0 || s->cp == 0 || s->dp == 0 || s->ep == 0 || s->etp == 0
      || s->vpp == 0 || sw_strategy_gpus (s) > problem->cluster.gpus)
    return SW_RULE_WORLD_SIZE;
  /* If separate GPUs generate, training must leave some for them. */
  if (problem->training.type == SW_TRAINING_RLHF && sw_rlhf_generating_gpus (problem, s) == 0)
    return SW_RULE_WORLD_SIZE;
  rule = check_division (problem, s);
  if (rule == SW_RULE_OK)
    rule = check_pipeline (problem, rules, s);
  if (rule != SW_RULE_OK)
    return rule;
  if (sw_rule_odd_sequence (problem, s))
    return SW_RULE_CP_SEQUENCE;
  if (s->cp > 1 && s->cp_method == SW_CP_ULYSSES
      && (problem->model.attention_heads % ranks != 0
          || (kv_heads % ranks != 0 && ranks % kv_heads != 0)))
    return SW_RULE_CP_HEADS;
  if (s->sequence_parallel && problem->training.sequence_length / s->cp % s->tp != 0)
    return SW_RULE_CP_SEQUENCE;
  rule = check_framework (problem, rules, s);
  if (rule != SW_RULE_OK)
    return rule;
  if (!sw_framework_allows (rules->precision_mask, problem->training.precision)
      || !sw_cluster_has_precision (&problem->cluster, problem->training.precision))
    return SW_RULE_PRECISION;
  /* Checked last before pins: if no other rule is broken, the strategy's memory is known. */
  return sw_rule_lacks_schedule (problem, s) ? SW_RULE_FRAMEWORK_SCHEDULE : check_pins (problem, s);
}
