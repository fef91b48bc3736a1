/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-framework.h"

#include "sw-problem.h"

#define BIT(value) (1u << (value))

enum {
  BF16_FP16 = BIT (SW_PRECISION_BF16) | BIT (SW_PRECISION_FP16),
  NONE_FULL = BIT (SW_RECOMPUTE_NONE) | BIT (SW_RECOMPUTE_FULL),
  EVERY_RECOMPUTE = NONE_FULL | BIT (SW_RECOMPUTE_SELECTIVE) | BIT (SW_RECOMPUTE_FULL_LAYERS),
};

/* ---- models ---- */

/* Catalog IDs of the models that torchtune.models builds (its recipes/configs). */
static const char *const torchtune_models[] = {
  "llama-2-7b",    "llama-2-13b",     "llama-2-70b",    "llama-3-8b",   "llama-3-70b",
  "llama-3.1-8b",  "llama-3.1-70b",   "llama-3.1-405b", "llama-3.2-1b", "llama-3.2-3b",
  "llama-3.3-70b", "mistral-7b-v0.1", "gemma-2b",       "gemma-7b",     "gemma-2-2b",
  "gemma-2-9b",    "gemma-2-27b",     "phi-3-mini",     "phi-4",        "qwen2-0.5b",
  "qwen2-1.5b",    "qwen2-7b",        "qwen2.5-0.5b",   "qwen2.5-1.5b", "qwen2.5-3b",
  "qwen2.5-7b",    "qwen2.5-14b",     "qwen2.5-32b",    "qwen2.5-72b",  "qwen3-0.6b",
  "qwen3-1.7b",    "qwen3-4b",        "qwen3-8b",       "qwen3-14b",    "qwen3-32b",
};

static gboolean
is_of_torchtune (const SwModelSpec *model)
{
  for (guint i = 0; i < G_N_ELEMENTS (torchtune_models); i++)
    if (g_str_equal (torchtune_models[i], model->id))
      return TRUE;
  return FALSE;
}

/**
 * sw_model_is_plain_decoder:
 * @model: a model
 *
 * Returns: whether it is a decoder with attention and then MLP in each layer that predicts one token
 */
gboolean
sw_model_is_plain_decoder (const SwModelSpec *model)
{
  return model->kind == SW_MODEL_DECODER && !model->approximated && model->mla.kv_lora_rank == 0
         && model->mtp_layers == 0 && !model->parallel_block && !model->attention_output_gate;
}

/**
 * sw_model_has_llama_layers:
 * @model: a model
 *
 * Returns: whether its layers have the same parts as Llama's
 */
gboolean
sw_model_has_llama_layers (const SwModelSpec *model)
{
  return model->norm == SW_NORM_RMSNORM && model->norms_per_layer == 2
         && model->qk_norm == SW_QK_NORM_NONE && model->position == SW_POSITION_ROPE
         && model->gated_mlp;
}

/**
 * sw_model_has_usual_heads:
 * @model: a model
 *
 * Returns: whether the attention heads together are as wide as the model
 */
gboolean
sw_model_has_usual_heads (const SwModelSpec *model)
{
  return model->attention_heads * sw_model_query_head_dim (model) == model->hidden_size;
}

/* Nanotron supports Llama and Qwen2, with a router without bias. */
static gboolean
is_of_nanotron (const SwModelSpec *model)
{
  return sw_model_is_plain_decoder (model) && sw_model_has_llama_layers (model)
         && sw_model_has_usual_heads (model) && !model->attn_out_bias && !model->mlp_bias
         && !model->moe.router_bias;
}

/* Unsloth has kernels for Llama and models of the same structure. */
static gboolean
is_like_llama (const SwModelSpec *model)
{
  return sw_model_is_plain_decoder (model) && model->moe.experts == 0 && model->gated_mlp
         && model->norm == SW_NORM_RMSNORM && model->position == SW_POSITION_ROPE;
}

/* ---- features of the software ---- */

static gboolean
is_power_of_two (guint number)
{
  return number != 0 && (number & (number - 1)) == 0;
}

/* Tensor-parallel communication in chunks beside the GEMMs (--tp-comm-overlap) requires sequence
 * parallelism and buffers that the GPUs of one node share (Transformer Engine), and does not exist in
 * latent attention. Without sequence parallelism, the all-reduce of the backward pass always runs beside
 * the gradients of the weights. */
static gboolean
core_overlaps_tensor (const SwProblem *problem, const SwStrategy *s)
{
  const SwCluster *cluster = &problem->cluster;

  return !s->sequence_parallel
         || (s->tp <= MAX (cluster->gpus_per_node, cluster->nvlink_domain)
             && problem->model.mla.kv_lora_rank == 0
             && cluster->gpu.generation >= SW_GENERATION_AMPERE
             && cluster->gpu.generation <= SW_GENERATION_RUBIN);
}

static gboolean
recomputes_experts (const SwStrategy *s)
{
  return s->recompute == SW_RECOMPUTE_FULL || s->recompute == SW_RECOMPUTE_FULL_LAYERS
         || (s->recompute == SW_RECOMPUTE_SELECTIVE && (s->recompute_modules & SW_MODULE_MOE) != 0);
}

/* Expert communication that overlaps with other micro-batches (TransformerConfig,
 * overlap_moe_expert_parallel_comm): a pipeline requires virtual stages, experts are not recomputed, and
 * before Blackwell, tensor and context parallelism require a single work queue, this overlap
 * several. */
static gboolean
core_overlaps_experts (const SwProblem *problem, const SwStrategy *s)
{
  return (s->pp == 1 || s->vpp > 1) && !recomputes_experts (s) && problem->model.mtp_layers <= 1
         && ((s->tp == 1 && s->cp == 1)
             || problem->cluster.gpu.generation == SW_GENERATION_BLACKWELL
             || problem->cluster.gpu.generation == SW_GENERATION_RUBIN);
}

/* DeepEP and HybridEP run on Ampere, Hopper and Blackwell GPUs that fast links join (Megatron-Bridge,
 * flex_dispatcher_backend.py), and between nodes only where kernels can write to the other node.
 * HybridEP covers wide scale-up domains; DeepEP's kernels are compiled for nodes of eight GPUs, and
 * for 2, 4, 8 or 16 of these (csrc/kernels/launch.cuh). Recipes go without within eight GPUs. */
static gboolean
core_forwards (const SwProblem *problem, const SwStrategy *s)
{
  const SwCluster *cluster = &problem->cluster;
  const SwGeneration generation = cluster->gpu.generation;
  const guint ranks = (guint) s->ep * s->etp, domain = MAX (cluster->nvlink_domain, 1);

  if ((generation != SW_GENERATION_AMPERE && generation != SW_GENERATION_HOPPER
       && generation != SW_GENERATION_BLACKWELL)
      || cluster->intra.is_pcie || (ranks > domain && cluster->inter.lacks_verbs)
      || (ranks <= domain && ranks <= problem->calibration->plain_dispatch_ranks))
    return FALSE;
  return domain > SW_DEEPEP_DOMAIN
         || (domain == SW_DEEPEP_DOMAIN && ranks % domain == 0 && is_power_of_two (ranks / domain)
             && ranks / domain <= 16);
}

/* CUDA graphs of router and dispatch (--cuda-graph-impl, --cuda-graph-modules). */
static gboolean
core_captures_routing (const SwProblem *problem, const SwStrategy *s)
{
  return !recomputes_experts (s);
}

/* What Megatron-LM (core 0.20) requires (megatron/training/arguments.py, TransformerConfig). */
static const SwFeatureRule core_features[SW_N_FEATURES] = {
  [SW_FEATURE_ASYNC_TP] = core_overlaps_tensor,
  [SW_FEATURE_MOE_OVERLAP] = core_overlaps_experts,
  [SW_FEATURE_CUDA_GRAPHS] = core_captures_routing,
  [SW_FEATURE_MOE_FORWARDING] = core_forwards,
  [SW_FEATURE_MOE_FORWARDING_INSIDE] = core_forwards,
};

/* ---- what they run ---- */

/* What each framework can run, according to its argument parser and its source (DeepSpeed 0.19,
 * PyTorch 2.6 and TorchTitan 0.2, Nanotron 0.4, Megatron-LM core 0.20). sw-rules.c rejects features
 * before the year in which they were added. */
const SwFrameworkRules sw_frameworks[SW_N_FRAMEWORKS] = {
  [SW_FRAMEWORK_ANY] = {
    .framework = SW_FRAMEWORK_ANY,
    .zero_mask = 0xf, .zero_mask_pp = 0xf, .schedule_mask = 0xf, .recompute_mask = EVERY_RECOMPUTE,
    .offload_mask = 0xf, .cp_method_mask = 0x7, .precision_mask = 0x3f,
    .tp = TRUE, .pp = TRUE, .vpp = TRUE, .cp = TRUE, .ep = TRUE, .sp = TRUE, .etp = TRUE,
    .hsdp = TRUE,
    .uneven_pp = TRUE,
  },
  /* Narayanan et al. 2021; Korthikanti et al. 2022 added sequence parallelism and selective
   * recomputation. */
  [SW_FRAMEWORK_MEGATRON_2021] = {
    .framework = SW_FRAMEWORK_MEGATRON_2021,
    .zero_mask = BIT (0) | BIT (1), .zero_mask_pp = BIT (0) | BIT (1),
    .schedule_mask = BIT (SW_SCHEDULE_1F1B) | BIT (SW_SCHEDULE_INTERLEAVED),
    .recompute_mask = EVERY_RECOMPUTE, .offload_mask = BIT (SW_OFFLOAD_NONE),
    .precision_mask = BF16_FP16,
    .tp = TRUE, .pp = TRUE, .vpp = TRUE, .sp = TRUE,
  },
  /* --use-distributed-optimizer is ZeRO 1; the fsdp profiles cover its FSDP modes. Uneven stages
   * with --pipeline-model-parallel-layout, hybrid sharding with
   * --num-distributed-optimizer-instances. Megatron-Bridge has adapters for 16-bit bases
   * (peft/lora.py). */
  [SW_FRAMEWORK_MEGATRON_CORE] = {
    .framework = SW_FRAMEWORK_MEGATRON_CORE,
    .zero_mask = BIT (0) | BIT (1), .zero_mask_pp = BIT (0) | BIT (1),
    .schedule_mask = BIT (SW_SCHEDULE_1F1B) | BIT (SW_SCHEDULE_INTERLEAVED),
    .recompute_mask = EVERY_RECOMPUTE,
    .offload_mask = BIT (SW_OFFLOAD_NONE) | BIT (SW_OFFLOAD_OPTIMIZER)
                    | BIT (SW_OFFLOAD_ACTIVATIONS),
    .cp_method_mask = BIT (SW_CP_RING) | BIT (SW_CP_ALLGATHER) | BIT (SW_CP_ULYSSES),
    .precision_mask = BF16_FP16 | BIT (SW_PRECISION_FP8) | BIT (SW_PRECISION_MXFP8)
                      | BIT (SW_PRECISION_NVFP4),
    .tp = TRUE, .pp = TRUE, .vpp = TRUE, .cp = TRUE, .ep = TRUE, .sp = TRUE, .etp = TRUE,
    .hsdp = TRUE,
    .uneven_pp = TRUE, .ep_wants_sp = TRUE,
    .types = BIT (SW_TRAINING_PRETRAIN) | BIT (SW_TRAINING_FINETUNE) | BIT (SW_TRAINING_LORA)
             | BIT (SW_TRAINING_RLHF),
    .features = core_features,
  },
  /* FULL_SHARD, SHARD_GRAD_OP, NO_SHARD and their hybrids; TP through a device mesh. CPUOffload
   * offloads parameters and gradients, and with them the optimizer. */
  [SW_FRAMEWORK_FSDP] = {
    .framework = SW_FRAMEWORK_FSDP,
    .zero_mask = BIT (0) | BIT (2) | BIT (3), .zero_mask_pp = 0,
    .schedule_mask = BIT (SW_SCHEDULE_1F1B),
    .recompute_mask = EVERY_RECOMPUTE,
    .offload_mask = BIT (SW_OFFLOAD_NONE) | BIT (SW_OFFLOAD_OPTIMIZER_PARAMS)
                    | BIT (SW_OFFLOAD_ACTIVATIONS),
    .precision_mask = BF16_FP16 | BIT (SW_PRECISION_FP8) | BIT (SW_PRECISION_FP8_ROWWISE),
    .tp = TRUE, .sp = TRUE, .hsdp = TRUE, .kv_heads_at_least_tp = TRUE,
  },
  /* fully_shard with DTensor TP, torch.distributed.pipelining and TorchTitan's CP and EP. Under
   * a pipeline stages 2 and 3 are the same: parameters stay gathered between micro-batches
   * (reshard_after_forward "default"). */
  [SW_FRAMEWORK_FSDP2] = {
    .framework = SW_FRAMEWORK_FSDP2,
    .zero_mask = BIT (0) | BIT (2) | BIT (3), .zero_mask_pp = BIT (0) | BIT (2) | BIT (3),
    .schedule_mask = BIT (SW_SCHEDULE_GPIPE) | BIT (SW_SCHEDULE_1F1B)
                     | BIT (SW_SCHEDULE_INTERLEAVED)
                     | BIT (SW_SCHEDULE_ZERO_BUBBLE),
    .recompute_mask = EVERY_RECOMPUTE,
    .offload_mask = BIT (SW_OFFLOAD_NONE) | BIT (SW_OFFLOAD_OPTIMIZER_PARAMS)
                    | BIT (SW_OFFLOAD_ACTIVATIONS),
    .cp_method_mask = BIT (SW_CP_RING) | BIT (SW_CP_ALLGATHER),
    .precision_mask = BF16_FP16 | BIT (SW_PRECISION_FP8) | BIT (SW_PRECISION_FP8_ROWWISE)
                      | BIT (SW_PRECISION_MXFP8),
    .zero_lacks_ep = BIT (0), .recompute_lacks_ep = BIT (SW_RECOMPUTE_FULL_LAYERS),
    .tp = TRUE, .pp = TRUE, .vpp = TRUE, .cp = TRUE, .ep = TRUE, .sp = TRUE, .etp = TRUE,
    .hsdp = TRUE,
    .uneven_pp = TRUE, .kv_heads_at_least_tp = TRUE,
  },
  /* AutoTP or an mpu, PipelineModule (1F1B, rejects ZeRO 2 and 3), Ulysses, AutoEP, MiCS. */
  [SW_FRAMEWORK_DEEPSPEED] = {
    .framework = SW_FRAMEWORK_DEEPSPEED,
    .zero_mask = 0xf, .zero_mask_pp = BIT (0) | BIT (1), .schedule_mask = BIT (SW_SCHEDULE_1F1B),
    .recompute_mask = NONE_FULL,
    .offload_mask = BIT (SW_OFFLOAD_NONE) | BIT (SW_OFFLOAD_OPTIMIZER)
                    | BIT (SW_OFFLOAD_OPTIMIZER_PARAMS)
                    | BIT (SW_OFFLOAD_ACTIVATIONS),
    .cp_method_mask = BIT (SW_CP_ULYSSES), .precision_mask = BF16_FP16,
    .tp = TRUE, .pp = TRUE, .cp = TRUE, .ep = TRUE, .etp = TRUE, .hsdp = TRUE, .uneven_pp = TRUE,
  },
  /* No interleaving; expert_parallel_size > 1, and a fresh start with context_parallel_size > 1,
   * fail at startup. */
  [SW_FRAMEWORK_NANOTRON] = {
    .framework = SW_FRAMEWORK_NANOTRON,
    .zero_mask = BIT (0) | BIT (1), .zero_mask_pp = BIT (0) | BIT (1),
    .schedule_mask = BIT (SW_SCHEDULE_GPIPE) | BIT (SW_SCHEDULE_1F1B), .recompute_mask = NONE_FULL,
    .offload_mask = BIT (SW_OFFLOAD_NONE), .precision_mask = BF16_FP16,
    .tp = TRUE, .pp = TRUE, .sp = TRUE, .uneven_pp = TRUE,
    .kv_heads_at_least_tp = TRUE, .builds = is_of_nanotron,
    .splits_no_experts = TRUE,
  },
  /* Hugging Face's Trainer and TRL over Accelerate's plain replicas or FSDP (fsdp_config; SHARD_GRAD_OP
   * and HYBRID_SHARD among its strategies), with PEFT and bitsandbytes; Axolotl and LLaMA-Factory run
   * on it. TRL's SFTConfig has activation_offloading. With a DeepSpeed configuration it is the
   * deepspeed profile. */
  [SW_FRAMEWORK_HF_TRAINER] = {
    .framework = SW_FRAMEWORK_HF_TRAINER, .engine = SW_FRAMEWORK_FSDP,
    .zero_mask = BIT (0) | BIT (2) | BIT (3), .schedule_mask = BIT (SW_SCHEDULE_1F1B),
    .recompute_mask = NONE_FULL,
    .offload_mask = BIT (SW_OFFLOAD_NONE) | BIT (SW_OFFLOAD_OPTIMIZER_PARAMS)
                    | BIT (SW_OFFLOAD_ACTIVATIONS),
    .precision_mask = BF16_FP16, .hsdp = TRUE, .kv_heads_at_least_tp = TRUE,
  },
  /* One GPU, with its own kernels; use_gradient_checkpointing "unsloth" moves the checkpoints to
   * the host (unsloth/models/_utils.py). */
  [SW_FRAMEWORK_UNSLOTH] = {
    .framework = SW_FRAMEWORK_UNSLOTH, .engine = SW_FRAMEWORK_FSDP,
    .zero_mask = BIT (0), .schedule_mask = BIT (SW_SCHEDULE_1F1B), .recompute_mask = NONE_FULL,
    .offload_mask = BIT (SW_OFFLOAD_NONE) | BIT (SW_OFFLOAD_ACTIVATIONS),
    .precision_mask = BF16_FP16, .kv_heads_at_least_tp = TRUE, .one_gpu = TRUE,
    .builds = is_like_llama,
  },
  /* recipes/full_finetune_distributed.py and lora_finetune_distributed.py: fully_shard, its
   * tensor-parallel plans, context parallelism, fsdp_cpu_offload, enable_activation_offloading,
   * enable_fp8_training. Starts from pretrained weights, and cannot generate on several GPUs. */
  [SW_FRAMEWORK_TORCHTUNE] = {
    .framework = SW_FRAMEWORK_TORCHTUNE, .engine = SW_FRAMEWORK_FSDP2,
    .zero_mask = BIT (0) | BIT (2) | BIT (3), .schedule_mask = BIT (SW_SCHEDULE_1F1B),
    .recompute_mask = NONE_FULL,
    .offload_mask = BIT (SW_OFFLOAD_NONE) | BIT (SW_OFFLOAD_OPTIMIZER_PARAMS)
                    | BIT (SW_OFFLOAD_ACTIVATIONS),
    .cp_method_mask = BIT (SW_CP_RING) | BIT (SW_CP_ALLGATHER),
    .precision_mask = BIT (SW_PRECISION_BF16) | BIT (SW_PRECISION_FP8),
    .tp = TRUE, .cp = TRUE, .sp = TRUE, .hsdp = TRUE, .kv_heads_at_least_tp = TRUE,
    .types = BIT (SW_TRAINING_FINETUNE) | BIT (SW_TRAINING_LORA) | BIT (SW_TRAINING_QLORA),
    .builds = is_of_torchtune,
  },
  /* actor.strategy fsdp or fsdp2 with param_offload and optimizer_offload, over
   * ulysses_sequence_parallel_size (verl/workers/config); vLLM or SGLang generate the answers. The
   * megatron-core profile covers its Megatron workers. */
  [SW_FRAMEWORK_VERL] = {
    .framework = SW_FRAMEWORK_VERL, .engine = SW_FRAMEWORK_FSDP2,
    .zero_mask = BIT (3), .schedule_mask = BIT (SW_SCHEDULE_1F1B), .recompute_mask = NONE_FULL,
    .offload_mask = BIT (SW_OFFLOAD_NONE) | BIT (SW_OFFLOAD_OPTIMIZER_PARAMS),
    .cp_method_mask = BIT (SW_CP_ULYSSES), .precision_mask = BF16_FP16,
    .cp = TRUE, .hsdp = TRUE, .kv_heads_at_least_tp = TRUE,
    .types = BIT (SW_TRAINING_FINETUNE) | BIT (SW_TRAINING_LORA) | BIT (SW_TRAINING_RLHF),
  },
  /* DeepSpeed's stages (--zero_stage) and --adam_offload; its ring attention is not part of
   * DeepSpeed and is not modeled. vLLM generates the answers (openrlhf/cli). */
  [SW_FRAMEWORK_OPENRLHF] = {
    .framework = SW_FRAMEWORK_OPENRLHF, .engine = SW_FRAMEWORK_DEEPSPEED,
    .zero_mask = 0xf, .schedule_mask = BIT (SW_SCHEDULE_1F1B), .recompute_mask = NONE_FULL,
    .offload_mask = BIT (SW_OFFLOAD_NONE) | BIT (SW_OFFLOAD_OPTIMIZER),
    .precision_mask = BF16_FP16,
    .types = BIT (SW_TRAINING_FINETUNE) | BIT (SW_TRAINING_LORA) | BIT (SW_TRAINING_QLORA)
             | BIT (SW_TRAINING_RLHF),
  },
};

/**
 * sw_selected_modules:
 * @strategy: a strategy, with or without selective recomputation
 *
 * Without named modules, Megatron and similar frameworks recompute the attention core (Korthikanti
 * et al. 2022, section 5); PyTorch's policies recompute layers or operations that have no names
 * here.
 *
 * Returns: the set of #SwRecomputeModules that "selective" recomputes
 */
guint
sw_selected_modules (const SwStrategy *strategy)
{
  if (strategy->recompute_modules != 0)
    return strategy->recompute_modules;
  return sw_framework_is_fsdp (strategy->framework) ? 0 : SW_MODULE_CORE_ATTN;
}

/**
 * sw_framework_enables:
 * @problem: a prepared question
 * @strategy: a strategy, with what runs it
 * @feature: of its software
 *
 * Returns: whether a release of the framework that has the feature has it for this strategy
 */
gboolean
sw_framework_enables (const SwProblem *problem, const SwStrategy *strategy, SwFeature feature)
{
  const SwFeatureRule *rules = sw_framework_rules (strategy->framework)->features;

  return rules == NULL || rules[feature] == NULL || rules[feature](problem, strategy);
}

/**
 * sw_framework_builds:
 * @framework: a software profile
 * @model: a model
 *
 * Returns: whether the framework supports the model
 */
gboolean
sw_framework_builds (SwFramework framework, const SwModelSpec *model)
{
  const SwFrameworkRules *rules = sw_framework_rules (framework);

  return rules->builds == NULL || rules->builds (model);
}
