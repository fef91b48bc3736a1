/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-accelerate.h"

#include <glib/gi18n.h>

#include "shardwise-rule-conditions.h"

/* What Hugging Face Accelerate 1.15 refuses or cannot say, by the engine that it is to drive: FSDP
 * (1 and 2), DeepSpeed or Megatron-LM. Its YAML is a closed list of keys. */

/* The class of a layer in transformers, by the start of the catalogue id. */
static const struct {
  const char *prefix, *class;
} layer_classes[] = {
  { "llama-4", "Llama4TextDecoderLayer" },
  { "llama", "LlamaDecoderLayer" },
  { "codellama", "LlamaDecoderLayer" },
  { "tinyllama", "LlamaDecoderLayer" },
  { "smollm3", "SmolLM3DecoderLayer" },
  { "smollm", "LlamaDecoderLayer" },
  { "yi-", "LlamaDecoderLayer" },
  { "deepseek-llm", "LlamaDecoderLayer" },
  { "mistral", "MistralDecoderLayer" },
  { "mixtral", "MixtralDecoderLayer" },
  { "qwen3-30b", "Qwen3MoeDecoderLayer" },
  { "qwen3-235b", "Qwen3MoeDecoderLayer" },
  { "qwen3-next", "Qwen3NextDecoderLayer" },
  { "qwen3", "Qwen3DecoderLayer" },
  { "qwen2-57b", "Qwen2MoeDecoderLayer" },
  { "qwen", "Qwen2DecoderLayer" },
  { "deepseek-v3", "DeepseekV3DecoderLayer" },
  { "deepseek-v2", "DeepseekV2DecoderLayer" },
  { "gemma-2-", "Gemma2DecoderLayer" }, /* not gemma-2b */
  { "gemma-3", "Gemma3DecoderLayer" },
  { "gemma", "GemmaDecoderLayer" },
  { "phi-3", "Phi3DecoderLayer" },
  { "phi-4", "Phi3DecoderLayer" },
  { "phi-2", "PhiDecoderLayer" },
  { "olmo-2", "Olmo2DecoderLayer" },
  { "olmoe", "OlmoeDecoderLayer" },
  { "olmo", "OlmoDecoderLayer" },
  { "gpt2", "GPT2Block" },
  { "starcoder2", "Starcoder2DecoderLayer" },
  { "starcoder", "GPTBigCodeBlock" },
  { "baichuan2", "DecoderLayer" },
  { "internlm2", "InternLM2DecoderLayer" },
  { "gpt-neox", "GPTNeoXLayer" },
  { "pythia", "GPTNeoXLayer" },
  { "gpt-oss", "GptOssDecoderLayer" },
  { "glm-4.5", "Glm4MoeDecoderLayer" },
  { "falcon3", "LlamaDecoderLayer" },
  { "falcon", "FalconDecoderLayer" },
  { "bloom", "BloomBlock" },
  { "opt", "OPTDecoderLayer" },
};

/**
 * shardwise_accelerate_layer_class:
 * @problem: the question
 *
 * Returns: (nullable): what transformers calls a layer of the model, where it is known
 */
const char *
shardwise_accelerate_layer_class (const SwProblem *problem)
{
  for (guint i = 0; i < G_N_ELEMENTS (layer_classes); i++)
    if (g_str_has_prefix (problem->model.id, layer_classes[i].prefix))
      return layer_classes[i].class;

  return NULL;
}

static gboolean
by_fsdp (const SwStrategy *s)
{
  return s->framework == SW_FRAMEWORK_FSDP || s->framework == SW_FRAMEWORK_FSDP2;
}

static gboolean
by_megatron (const SwStrategy *s)
{
  return s->framework == SW_FRAMEWORK_MEGATRON_CORE;
}

static gboolean
by_deepspeed (const SwStrategy *s)
{
  return s->framework == SW_FRAMEWORK_DEEPSPEED;
}

static gboolean
pipeline (const SwProblem *problem, const SwStrategy *s)
{
  return !by_megatron (s) && s->pp > 1;
}

static gboolean
uneven_stages (const SwProblem *problem, const SwStrategy *s)
{
  return by_megatron (s) && problem->model.layers % s->pp != 0;
}

/* Accelerate goes by the model's type, which is a family's: another one of the same dimensions is
 * refused. One that has no type of its own is trained as the family whose dimensions it has. */
static gboolean
megatron_model (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;
  const char *class = shardwise_accelerate_layer_class (problem);
  gboolean llama = model->norm == SW_NORM_RMSNORM && model->gated_mlp && model->moe.experts == 0
                   && (class == NULL || g_str_equal (class, "LlamaDecoderLayer"));
  gboolean gpt2 = model->norm == SW_NORM_LAYERNORM && model->position == SW_POSITION_LEARNED
                  && model->moe.experts == 0 && (class == NULL || g_str_equal (class, "GPT2Block"));

  return by_megatron (s)
         && ((!llama && !gpt2) || model->qk_norm != SW_QK_NORM_NONE || model->qkv_bias != gpt2
             || model->norms_per_layer != 2 || model->mla.kv_lora_rank > 0 || model->parallel_block
             || model->kind != SW_MODEL_DECODER || model->approximated);
}

static gboolean
deepspeed_degrees (const SwProblem *problem, const SwStrategy *s)
{
  return by_deepspeed (s) && s->tp > 1;
}

static gboolean
deepspeed_context (const SwProblem *problem, const SwStrategy *s)
{
  return by_deepspeed (s) && s->cp > 1;
}

static gboolean
fsdp1_mesh (const SwProblem *problem, const SwStrategy *s)
{
  return s->framework == SW_FRAMEWORK_FSDP && (s->tp > 1 || s->cp > 1);
}

static gboolean
replicated_mesh (const SwProblem *problem, const SwStrategy *s)
{
  guint group = s->zero_stage == 0 ? 1 : s->shard_group;

  return by_fsdp (s) && (s->tp > 1 || s->cp > 1) && s->dp > 1 && group == 1;
}

static gboolean
ring_backend (const SwProblem *problem, const SwStrategy *s)
{
  return s->cp > 1
         && (s->cp_method == SW_CP_ULYSSES || (by_megatron (s) && s->cp_method != SW_CP_RING));
}

static gboolean
tensor_without_sequence (const SwProblem *problem, const SwStrategy *s)
{
  return by_fsdp (s) && s->sequence_parallel;
}

static gboolean
fsdp_zero_one (const SwProblem *problem, const SwStrategy *s)
{
  return by_fsdp (s) && s->dp > 1 && s->zero_stage == 1;
}

static gboolean
fsdp_unsharded (const SwProblem *problem, const SwStrategy *s)
{
  return s->framework == SW_FRAMEWORK_FSDP2 && s->zero_stage == 0;
}

static gboolean
partial_recompute (const SwProblem *problem, const SwStrategy *s)
{
  return !by_megatron (s)
         && (s->recompute == SW_RECOMPUTE_SELECTIVE || s->recompute == SW_RECOMPUTE_FULL_LAYERS);
}

/* Accelerate's MegatronLMPlugin sets full recomputation by "uniform" where nothing is said, and
 * keeps that method beside the granularity "selective", which Megatron-LM then refuses. */
static gboolean
megatron_recompute (const SwProblem *problem, const SwStrategy *s)
{
  return by_megatron (s)
         && (s->recompute == SW_RECOMPUTE_NONE || s->recompute == SW_RECOMPUTE_SELECTIVE);
}

/* FSDP 1's hybrid sharding takes the GPUs of a node, FSDP 2's any group. */
static gboolean
group_of_others (const SwProblem *problem, const SwStrategy *s)
{
  if (s->framework == SW_FRAMEWORK_FSDP2 || s->zero_stage == 0 || s->shard_group == s->dp)
    return FALSE;

  return s->framework != SW_FRAMEWORK_FSDP || s->shard_group != problem->cluster.gpus_per_node;
}

static gboolean
megatron_zero (const SwProblem *problem, const SwStrategy *s)
{
  return by_megatron (s) && s->zero_stage > 1;
}

static gboolean
other_offload (const SwProblem *problem, const SwStrategy *s)
{
  SwOffload offload = (SwOffload) s->offload;

  if (offload == SW_OFFLOAD_NONE)
    return FALSE;
  if (by_fsdp (s))
    return offload != SW_OFFLOAD_OPTIMIZER_PARAMS || s->zero_stage != 3;
  if (by_megatron (s))
    return offload != SW_OFFLOAD_OPTIMIZER || s->zero_stage == 0;

  return offload == SW_OFFLOAD_ACTIVATIONS || s->zero_stage == 0
         || (offload == SW_OFFLOAD_OPTIMIZER_PARAMS && s->zero_stage != 3);
}

static gboolean
other_precision (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.precision != SW_PRECISION_BF16
         && problem->training.precision != SW_PRECISION_FP16;
}

static gboolean
other_training (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type == SW_TRAINING_RLHF
         || (by_megatron (s) && shardwise_export_has_adapters (problem))
         || (s->tp > 1 && shardwise_export_has_adapters (problem));
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

const ShardwiseFormatRule shardwise_accelerate_rules[SHARDWISE_ACCELERATE_N_RULES] = {
  { "strategy.pp", D (PP), pipeline,
    N_ ("Accelerate has pipelines through Megatron-LM only; its FSDP and DeepSpeed run PP 1") },
  { "strategy.vpp", D (VPP), shardwise_rule_has_vpp,
    N_ ("Accelerate’s file has no key for virtual stages; there is 1 per GPU") },
  { "strategy.pp", D (PP), uneven_stages,
    N_ ("Megatron-LM, as Accelerate drives it, wants layers that PP divides") },
  { "model", 0, megatron_model,
    N_ ("Accelerate drives Megatron-LM for GPT-2, Llama and GLM-4.5 models only; of these, GPT-2 "
        "and Llama are written") },
  { "strategy.ep", D (EP), shardwise_rule_has_ep,
    N_ ("Accelerate’s meshes have no expert dimension; EP is 1") },
  { "strategy.tp", D (TP), shardwise_rule_splits_experts,
    N_ ("Accelerate’s tensor parallelism takes the plan that the model brings, which splits no "
        "experts; a mixture of experts is written for TP 1") },
  { "strategy.tp", D (TP), deepspeed_degrees,
    N_ ("Accelerate’s own DeepSpeed keys have no tensor parallelism; there TP is 1") },
  { "strategy.cp", D (CP), deepspeed_context,
    N_ ("Accelerate gives DeepSpeed’s sequence parallelism a length of its own, which is not "
        "written; "
        "there CP is 1") },
  { "strategy.tp", D (TP) | D (CP), fsdp1_mesh,
    N_ ("Accelerate’s parallelism_config needs FSDP 2; with FSDP 1 the job is refused when it "
        "starts") },
  { "strategy.shard_group", D (TP) | D (CP) | D (DP) | D (ZERO) | D (SHARD_GROUP), replicated_mesh,
    N_ ("Accelerate refuses TP or CP above 1 with replicas that shard nothing") },
  { "strategy.cp_method", D (CP) | D (CP_METHOD), ring_backend,
    N_ ("Accelerate’s context parallelism is ring attention or all-gather with FSDP 2, and the "
        "ring "
        "with Megatron-LM") },
  { "strategy.sequence_parallel", D (SP), tensor_without_sequence,
    N_ ("Accelerate’s file has no sequence parallelism beside FSDP’s tensor parallelism") },
  { "strategy.zero_stage", D (ZERO) | D (DP), fsdp_zero_one,
    N_ ("FSDP shards gradients with the optimizer (ZeRO 2), parameters too (ZeRO 3), or nothing; "
        "ZeRO "
        "1 does not exist there") },
  { "strategy.zero_stage", D (ZERO), fsdp_unsharded,
    N_ ("FSDP 2 in Accelerate reshards after the forward pass or not: ZeRO 3 or 2") },
  { "strategy.zero_stage", D (ZERO), megatron_zero,
    N_ ("Megatron-LM’s distributed optimizer shards the optimizer only: ZeRO 0 and 1") },
  { "strategy.recompute", D (RECOMPUTE), partial_recompute,
    N_ ("Accelerate recomputes all layers of FSDP’s or none, and leaves DeepSpeed’s to the "
        "script") },
  { "strategy.recompute", D (RECOMPUTE), megatron_recompute,
    N_ ("Accelerate always makes Megatron-LM recompute: all layers, or the first of each stage; "
        "its keys say neither none nor selective") },
  { "strategy.shard_group", D (SHARD_GROUP) | D (ZERO) | D (DP), group_of_others,
    N_ ("Accelerate shards over a part of the replicas with FSDP 2, and with FSDP 1 over those of "
        "a "
        "node") },
  { "strategy.offload", D (OFFLOAD) | D (ZERO), other_offload,
    N_ ("Accelerate offloads all of FSDP’s sharded states (ZeRO 3), DeepSpeed’s optimizer and, "
        "with "
        "ZeRO 3, parameters, or Megatron-LM’s optimizer (ZeRO 1)") },
  { "training.precision", 0, other_precision,
    N_ ("Accelerate’s 8-bit precision leaves the recipe to its backend; bf16 and fp16 are "
        "written") },
  { "training.type", 0, other_training,
    N_ ("Accelerate starts one model’s training: adapters with TP 1 through FSDP or DeepSpeed, no "
        "RLHF") },
};
