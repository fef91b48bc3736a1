/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-megatron.h"

#include <glib/gi18n.h>

#include "shardwise-rule-conditions.h"
#include "sw-split.h"

/* What Megatron-LM (core 0.20.0) refuses: the checks of validate_args() and of TransformerConfig,
 * and what it has no argument for. */

static gboolean
other_schedule (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && s->schedule != SW_SCHEDULE_1F1B && s->schedule != SW_SCHEDULE_INTERLEAVED;
}

static gboolean
vpp_without_pp (const SwProblem *problem, const SwStrategy *s)
{
  return s->vpp > 1 && s->pp == 1;
}

/* Only with p2p overlap, which is the default, may two stages interleave. */
static gboolean
vpp_two_stages (const SwProblem *problem, const SwStrategy *s)
{
  return s->vpp > 1 && s->pp == 2 && problem->training.overlap == SW_OVERLAP_NONE;
}

static gboolean
vpp_uneven (const SwProblem *problem, const SwStrategy *s)
{
  SwSplit split;

  sw_split (problem, s, &split);
  return s->vpp > 1 && s->pp > 1 && !sw_split_has_chunks (&split, s->vpp);
}

static gboolean
tp_groups (const SwProblem *problem, const SwStrategy *s)
{
  guint groups = problem->model.kv_heads;

  return problem->model.mla.kv_lora_rank == 0
         && (groups == 0 || (groups % s->tp != 0 && s->tp % groups != 0));
}

static gboolean
cp_sequence (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1 && problem->training.sequence_length % (2 * s->cp) != 0;
}

static gboolean
ep_experts (const SwProblem *problem, const SwStrategy *s)
{
  return s->ep > 1 && (problem->model.moe.experts == 0 || problem->model.moe.experts % s->ep != 0);
}

static gboolean
sp_tp (const SwProblem *problem, const SwStrategy *s)
{
  return s->sequence_parallel && s->tp == 1;
}

static gboolean
ep_sp (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.moe.experts > 0 && s->tp > 1 && !s->sequence_parallel && s->ep > 1;
}

static gboolean
offload_parameters (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS;
}

static gboolean
offload_activations (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_ACTIVATIONS && (s->pp > 1 || s->recompute != SW_RECOMPUTE_NONE);
}

static gboolean
offload_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_OPTIMIZER
         && (problem->training.optimizer != SW_OPTIMIZER_ADAMW || s->zero_stage == 0);
}

static gboolean
layers_per_chunk (const SwProblem *problem, const SwStrategy *s)
{
  return s->recompute == SW_RECOMPUTE_FULL_LAYERS && s->vpp > 1 && s->full_layers % s->vpp != 0;
}

static gboolean
other_modules (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;
  guint modules = s->recompute == SW_RECOMPUTE_SELECTIVE ? s->recompute_modules : 0;

  return ((modules & SW_MODULE_MLA_UP_PROJ) != 0 && model->mla.kv_lora_rank == 0)
         || ((modules & (SW_MODULE_MOE | SW_MODULE_MOE_ACT)) != 0 && model->moe.experts == 0)
         || ((modules & SW_MODULE_SHARED_EXPERTS) != 0 && model->moe.shared_intermediate_size == 0);
}

static gboolean
other_precision (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.precision == SW_PRECISION_FP8_ROWWISE;
}

static gboolean
other_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  SwOptimizer optimizer = problem->training.optimizer;

  return optimizer == SW_OPTIMIZER_ADAM8BIT || optimizer == SW_OPTIMIZER_ADAFACTOR;
}

static gboolean
other_kind (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->kind != SW_MODEL_DECODER || model->approximated || model->parallel_block
         || model->attention_output_gate;
}

static gboolean
other_norms (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return (model->norm != SW_NORM_RMSNORM && model->norm != SW_NORM_LAYERNORM)
         || model->norms_per_layer != 2 || model->qk_norm == SW_QK_NORM_FULL_WIDTH;
}

static gboolean
other_positions (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->position != SW_POSITION_ROPE && model->position != SW_POSITION_LEARNED
         && model->position != SW_POSITION_NONE;
}

static gboolean
other_biases (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->attn_out_bias != model->mlp_bias || (model->mlp_bias && !model->qkv_bias);
}

static gboolean
other_router (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->moe.experts > 0 && (model->mlp_bias || model->moe.top_k > model->moe.experts);
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

const ShardwiseFormatRule shardwise_megatron_rules[SHARDWISE_MEGATRON_N_RULES] = {
  { "strategy.zero_stage", D (ZERO), shardwise_rule_has_high_zero,
    N_ ("Megatron-LM’s distributed optimizer shards the optimizer only: ZeRO 0 and 1; its FSDP "
        "modes "
        "are not written here") },
  { "strategy.schedule", D (PP) | D (SCHEDULE), other_schedule,
    N_ ("Megatron-LM’s pipeline runs 1F1B, plain or interleaved") },
  { "strategy.vpp", D (PP) | D (VPP), vpp_without_pp,
    N_ ("Megatron-LM interleaves with a pipeline of more than one stage only") },
  { "strategy.vpp", D (PP) | D (VPP), vpp_two_stages,
    N_ ("Megatron-LM interleaves two stages only while their sends overlap with compute; without "
        "overlap it wants PP above 2") },
  { "strategy.vpp", D (PP) | D (VPP), vpp_uneven,
    N_ ("Megatron-LM wants the layers of each pipeline stage to divide into equal virtual "
        "stages") },
  { "strategy.tp", D (TP), shardwise_rule_odd_heads,
    N_ ("Megatron-LM wants attention heads that TP divides") },
  { "strategy.tp", D (TP), tp_groups,
    N_ ("Megatron-LM wants KV heads that are a multiple or a divisor of TP") },
  { "strategy.cp", D (CP), cp_sequence,
    N_ ("Megatron-LM wants sequences that are a multiple of 2 × CP") },
  { "strategy.ep", D (EP), ep_experts,
    N_ ("Megatron-LM wants a number of experts that EP divides; a dense model has EP 1") },
  { "strategy.sequence_parallel", D (TP) | D (SP), sp_tp,
    N_ ("Megatron-LM switches sequence parallelism off where TP is 1") },
  { "strategy.sequence_parallel", D (TP) | D (SP) | D (EP), ep_sp,
    N_ ("Megatron-LM trains experts with TP above 1 and EP above 1 under sequence parallelism "
        "only") },
  { "strategy.offload", D (OFFLOAD), offload_parameters,
    N_ ("Megatron-LM offloads the optimizer or activations, not the parameters") },
  { "strategy.offload", D (OFFLOAD) | D (PP) | D (RECOMPUTE), offload_activations,
    N_ ("Megatron-LM offloads activations without a pipeline and without recomputation only") },
  { "strategy.offload", D (OFFLOAD) | D (ZERO), offload_optimizer,
    N_ ("Megatron-LM offloads Adam with the distributed optimizer (ZeRO 1) only") },
  { "strategy.recompute", D (RECOMPUTE) | D (VPP), layers_per_chunk,
    N_ ("Megatron-LM counts recomputed layers for each virtual stage: their number must be a "
        "multiple "
        "of the virtual stages") },
  { "strategy.recompute_modules", D (RECOMPUTE), other_modules,
    N_ ("Megatron-LM recomputes modules that the model has: latent attention’s projection, experts "
        "and "
        "shared experts only where there are any") },
  { "training.precision", 0, other_precision,
    N_ ("Megatron-LM’s 8-bit recipes scale by tensor or by block (MXFP8), not by row") },
  { "training.optimizer", 0, other_optimizer,
    N_ ("Megatron-LM’s optimizers include Adam, SGD and Muon, not 8-bit Adam and Adafactor") },
  { "training.type", 0, shardwise_rule_is_not_full_training,
    N_ ("pretrain_gpt.py trains all parameters of one model: pre-training and full fine-tuning") },
  { "model", 0, other_kind,
    N_ ("Megatron-LM’s GPT has attention and MLP one after the other; hybrid, parallel and vision "
        "models are others") },
  { "model", 0, other_norms,
    N_ ("Megatron-LM’s GPT has RMSNorm or LayerNorm twice a layer, and norms of queries and keys "
        "by "
        "head only") },
  { "model.position_embedding", 0, other_positions,
    N_ ("Megatron-LM’s GPT has rotary, learned or no positions") },
  { "model.bias", 0, other_biases,
    N_ ("Megatron-LM puts biases on all linear layers, on none, or on queries, keys and values "
        "only") },
  { "model.moe", 0, other_router, N_ ("Megatron-LM’s grouped experts have no biases") },
};
