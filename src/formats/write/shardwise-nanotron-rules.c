/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-nanotron.h"

#include <glib/gi18n.h>

#include "shardwise-rule-conditions.h"

/* What Nanotron 0.4 refuses, or accepts and cannot run: its configuration classes, the asserts of
 * config.py and of the models. */

/**
 * shardwise_nanotron_has_window:
 * @problem: the question
 *
 * Returns: whether the sliding window is shorter than the sequences, so that it changes anything
 */
gboolean
shardwise_nanotron_has_window (const SwProblem *problem)
{
  guint window = problem->model.sliding_window;

  return window > 0 && window < problem->training.sequence_length;
}

/**
 * shardwise_nanotron_is_qwen2:
 * @problem: the question
 *
 * Returns: whether the model needs Nanotron's Qwen2 (biases, windows, experts) rather than its
 * Llama
 */
gboolean
shardwise_nanotron_is_qwen2 (const SwProblem *problem)
{
  return problem->model.qkv_bias || problem->model.moe.experts > 0
         || shardwise_nanotron_has_window (problem);
}

static gboolean
other_schedule (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && s->schedule != SW_SCHEDULE_1F1B && s->schedule != SW_SCHEDULE_GPIPE;
}

static gboolean
part_group (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage > 0 && s->shard_group < s->dp;
}

static gboolean
tp_kv_heads (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.kv_heads % s->tp != 0;
}

static gboolean
kv_heads (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.kv_heads == 0
         || problem->model.attention_heads % problem->model.kv_heads != 0;
}

static gboolean
other_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer != SW_OPTIMIZER_ADAMW
         && problem->training.optimizer != SW_OPTIMIZER_SGD;
}

static gboolean
other_kind (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->kind != SW_MODEL_DECODER || model->approximated || model->mla.kv_lora_rank > 0
         || model->mtp_layers > 0 || model->parallel_block || model->attention_output_gate;
}

static gboolean
other_layers (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->norm != SW_NORM_RMSNORM || model->norms_per_layer != 2
         || model->qk_norm != SW_QK_NORM_NONE || model->position != SW_POSITION_ROPE
         || !model->gated_mlp;
}

static gboolean
other_biases (const SwProblem *problem, const SwStrategy *s)
{
  return problem->model.attn_out_bias || problem->model.mlp_bias;
}

static gboolean
other_head_size (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  return model->attention_heads * sw_model_query_head_dim (model) != model->hidden_size;
}

static gboolean
other_window (const SwProblem *problem, const SwStrategy *s)
{
  return shardwise_nanotron_has_window (problem) && problem->model.window_pattern != SW_WINDOW_ALL;
}

static gboolean
other_experts (const SwProblem *problem, const SwStrategy *s)
{
  const SwMoe *moe = &problem->model.moe;

  return moe->experts > 0 && moe->router_bias;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

const ShardwiseFormatRule shardwise_nanotron_rules[SHARDWISE_NANOTRON_N_RULES] = {
  { "strategy.cp", D (CP), shardwise_rule_has_cp,
    N_ ("Nanotron starts no new training with context parallelism: CP is 1") },
  { "strategy.ep", D (EP), shardwise_rule_has_ep,
    N_ ("Nanotron’s world-size check leaves expert parallelism out, so that no number of GPUs "
        "passes: EP is 1") },
  { "strategy.vpp", D (VPP), shardwise_rule_has_vpp,
    N_ ("Nanotron has no interleaved pipeline: one stage per GPU") },
  { "strategy.schedule", D (PP) | D (SCHEDULE), other_schedule,
    N_ ("Nanotron’s pipeline runs 1F1B or all forward passes first (GPipe)") },
  { "strategy.zero_stage", D (ZERO), shardwise_rule_has_high_zero,
    N_ ("Nanotron shards the optimizer only: ZeRO 0 and 1") },
  { "strategy.shard_group", D (SHARD_GROUP) | D (ZERO) | D (DP), part_group,
    N_ ("Nanotron’s ZeRO 1 shards over all of DP") },
  { "strategy.offload", D (OFFLOAD), shardwise_rule_offloads,
    N_ ("Nanotron offloads nothing to the host") },
  { "strategy.recompute", D (RECOMPUTE), shardwise_rule_has_partial_recompute,
    N_ ("Nanotron recomputes all layers or none") },
  { "strategy.tp", D (TP), shardwise_rule_odd_heads,
    N_ ("Nanotron wants attention heads that TP divides") },
  { "strategy.tp", D (TP), tp_kv_heads,
    N_ ("Nanotron wants at least as many KV heads as TP, and a multiple of it") },
  { "model.kv_heads", 0, kv_heads,
    N_ ("Nanotron wants attention heads that are a multiple of the KV heads") },
  { "strategy.tp", D (TP), shardwise_rule_splits_experts,
    N_ ("Nanotron copies every expert to all tensor-parallel ranks; a mixture of experts is "
        "written for TP 1") },
  { "training.precision", 0, shardwise_rule_is_not_bf16,
    N_ ("Nanotron’s trainer scales no loss and has no 8-bit layers: it trains in bf16") },
  { "training.optimizer", 0, other_optimizer, N_ ("Nanotron’s optimizers are AdamW and SGD") },
  { "training.type", 0, shardwise_rule_is_not_full_training,
    N_ ("Nanotron trains all parameters of one model: pre-training and full fine-tuning") },
  { "model", 0, other_kind,
    N_ ("Nanotron’s models are Llama and Qwen2: decoders without latent attention, hybrid or "
        "parallel blocks, and multi-token prediction") },
  { "model", 0, other_layers,
    N_ ("Nanotron’s Llama and Qwen2 have RMSNorm twice a layer, rotary positions, a gated MLP and "
        "no norm of queries and keys") },
  { "model.bias", 0, other_biases,
    N_ ("Nanotron’s Llama and Qwen2 have biases on queries, keys and values only") },
  { "model.head_dim", 0, other_head_size,
    N_ ("Nanotron takes the head size as hidden size / attention heads") },
  { "model.sliding_window_pattern", 0, other_window,
    N_ ("Nanotron slides the window in every layer or in none") },
  { "model.moe", 0, other_experts, N_ ("Nanotron’s router has no bias") },
};
