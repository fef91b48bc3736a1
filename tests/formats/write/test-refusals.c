/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every rule of every export target: a strategy that breaks it is refused with that rule, the
 * product and its version; a rule without a strategy here fails. */
#include "export-fixture.h"
#include "shardwise-export-job.h"

typedef struct {
  SwDimension dimension;
  guint value;
} Setting;

typedef struct {
  ShardwiseFormat format;
  const char *rule; /* a part of its text */
  const char *model;
  guint tp, pp, dp, zero;
  Setting settings[3];
  SwTrainingType type;
  SwPrecision precision;
  SwOptimizer optimizer;
  SwFramework framework; /* ANY: the target's own */
  guint modules;         /* that are recomputed */
  void (*change) (SwProblem *problem);
} Row;

/* A problem with one value of its own. */
#define GIVE(name, place, value)                                                                   \
  static void give_##name (SwProblem *problem) { problem->place = value; }

GIVE (odd_kv_heads, model.kv_heads, 3)
GIVE (gaudi, cluster.gpu.generation, SW_GENERATION_GAUDI)
GIVE (no_experts, model.moe.experts, 0)
GIVE (mlp_bias, model.mlp_bias, TRUE)
GIVE (router_bias, model.moe.router_bias, TRUE)
GIVE (optimizer_in_backward, training.optimizer_in_backward, TRUE)
GIVE (fp8_base, training.base, SW_BASE_FP8)
GIVE (no_master, training.no_master, TRUE)
GIVE (bf16_gradients, training.gradient_bytes, 2)
GIVE (bf16_moments, training.moment_bytes, 2)
GIVE (odd_sequence, training.sequence_length, 8190)
GIVE (no_overlap, training.overlap, SW_OVERLAP_NONE)
GIVE (seven_layers, model.layers, 7)
GIVE (fp32_master, training.master_bytes, 4)
GIVE (teacher, training.method, SW_METHOD_DISTILL)
GIVE (drives, training.offloads_to_nvme, TRUE)
GIVE (dora, training.lora_dora, TRUE)
GIVE (modules, training.lora_modules, SW_LORA_Q | SW_LORA_UP)
GIVE (vocabulary, training.lora_vocabulary, TRUE)
GIVE (dropout, training.lora_dropout, 0.1)

static void
give_same_teacher (SwProblem *problem)
{
  problem->training.method = SW_METHOD_DISTILL;
  problem->training.frozen_copies = 1;
}

static void
untie (SwProblem *problem)
{
  problem->model.tied_embeddings = FALSE;
}

static void
give_some_windows (SwProblem *problem)
{
  problem->model.sliding_window = 4096;
  problem->model.window_pattern = SW_WINDOW_EVERY_SECOND;
}

static void
give_grpo (SwProblem *problem)
{
  problem->training.rlhf_ppo = FALSE;
  problem->training.algorithm = SW_ALGORITHM_GRPO;
}

static void
give_apart (SwProblem *problem)
{
  problem->training.rlhf_colocated = FALSE;
}

static void
give_grpo_apart (SwProblem *problem)
{
  give_grpo (problem);
  give_apart (problem);
}

static void
give_single_answers (SwProblem *problem)
{
  give_grpo (problem);
  problem->training.rlhf_group = 1;
}

static void
give_large_groups (SwProblem *problem)
{
  give_grpo (problem);
  problem->training.rlhf_group = problem->training.global_batch;
}

static void
give_dpo (SwProblem *problem)
{
  problem->training.method = SW_METHOD_PREFERENCE;
  problem->training.algorithm = SW_ALGORITHM_DPO;
  problem->training.forward_passes = 1;
}

static void
give_orpo (SwProblem *problem)
{
  problem->training.method = SW_METHOD_PREFERENCE;
  problem->training.algorithm = SW_ALGORITHM_ORPO;
}

static void
give_kto (SwProblem *problem)
{
  problem->training.method = SW_METHOD_PREFERENCE;
  problem->training.algorithm = SW_ALGORITHM_KTO;
  problem->training.forward_passes = 3;
}

static void
give_reference (SwProblem *problem)
{
  give_orpo (problem);
  problem->training.forward_passes = 1;
}

#define DS SHARDWISE_FORMAT_DEEPSPEED
#define F1 SHARDWISE_FORMAT_FSDP1
#define F2 SHARDWISE_FORMAT_FSDP2
#define NA SHARDWISE_FORMAT_NANOTRON
#define ME SHARDWISE_FORMAT_MEGATRON
#define TT SHARDWISE_FORMAT_TORCHTITAN
#define TM SHARDWISE_FORMAT_TORCHTITAN_MAIN
#define AC SHARDWISE_FORMAT_ACCELERATE
#define BR SHARDWISE_FORMAT_MEGATRON_BRIDGE
#define NE SHARDWISE_FORMAT_NEMO
#define TR SHARDWISE_FORMAT_TRL
#define AX SHARDWISE_FORMAT_AXOLOTL
#define LF SHARDWISE_FORMAT_LLAMA_FACTORY
#define TU SHARDWISE_FORMAT_TORCHTUNE
#define UN SHARDWISE_FORMAT_UNSLOTH
#define VE SHARDWISE_FORMAT_VERL
#define OR SHARDWISE_FORMAT_OPENRLHF
#define FULL SW_TRAINING_FINETUNE
#define RL SW_TRAINING_RLHF
#define L70 "llama-3-70b"
#define L8 "llama-3-8b"
#define MIX "mixtral-8x7b"
#define SET(name, value)                                                                           \
  {                                                                                                \
    SW_DIM_##name, value                                                                           \
  }

static const Row rows[] = {
  { DS, "ZeRO 2 and 3", L70, 4, 4, 2, 3 },
  { DS,
    "NVMe drives with ZeRO 3",
    L8,
    1,
    1,
    32,
    1,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) },
    .change = give_drives },
  { DS, "parallelism does not support sequence", L70, 8, 1, 4, 1, { SET (SP, 1) } },
  { DS, "support virtual stages", L70, 8, 4, 1, 1, { SET (VPP, 2) } },
  { DS, "supports 1F1B only", L70, 8, 4, 1, 1, { SET (SCHEDULE, SW_SCHEDULE_GPIPE) } },
  { DS, "all layers or none", L70, 8, 1, 4, 1, { SET (RECOMPUTE, SW_RECOMPUTE_SELECTIVE) } },
  { DS, "not with ring attention or all-gather", L8, 1, 1, 8, 3, { SET (CP, 4) } },
  { DS, "Ulysses requires TP 1", L8, 2, 1, 4, 3, { SET (CP, 4), SET (CP_METHOD, SW_CP_ULYSSES) } },
  { DS, "Ulysses requires PP 1", L8, 1, 2, 4, 1, { SET (CP, 4), SET (CP_METHOD, SW_CP_ULYSSES) } },
  { DS,
    "CP above 1, EP",
    MIX,
    1,
    1,
    8,
    3,
    { SET (CP, 4), SET (CP_METHOD, SW_CP_ULYSSES), SET (EP, 2) } },
  { DS, "AutoEP supports the experts", "dbrx-132b", 1, 1, 32, 1, { SET (EP, 4) } },
  { DS, "combined with AutoTP", MIX, 2, 1, 16, 1, { SET (EP, 4), SET (ETP, 1) } },
  { DS, "experts; expert", MIX, 1, 1, 32, 1, { SET (EP, 4), SET (ETP, 2) } },
  { DS, "a pipeline, EP", MIX, 1, 4, 8, 1, { SET (EP, 4), SET (ETP, 1) } },
  { DS, "ZeRO 3 (MiCS) only", L8, 1, 1, 32, 2, { SET (SHARD_GROUP, 8) } },
  { DS, "MiCS requires", L8, 2, 1, 16, 3, { SET (SHARD_GROUP, 8) } },
  { DS, "with ZeRO 1 to 3 only", L8, 1, 1, 32, 0, { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) } },
  { DS,
    "parameters with ZeRO 3 only",
    L8,
    1,
    1,
    32,
    2,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER_PARAMS) } },
  { DS, "no other activations", L8, 1, 1, 32, 2, { SET (OFFLOAD, SW_OFFLOAD_ACTIVATIONS) } },
  { DS, "does not split LoRA adapters", L8, 2, 1, 16, 2, .type = SW_TRAINING_LORA },
  { DS, "wrap a whole Hugging Face model", L8, 1, 4, 8, 1, .type = SW_TRAINING_LORA },
  { DS,
    "on the host is AdamW",
    L8,
    1,
    1,
    32,
    2,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) },
    .optimizer = SW_OPTIMIZER_SGD },

  { DS, "supports Muon", L8, 1, 1, 32, 0, .optimizer = SW_OPTIMIZER_MUON },
  { DS, "supports Muon", L8, 1, 4, 8, 1, .optimizer = SW_OPTIMIZER_MUON },
  { DS, "flat pieces of many", L8, 1, 1, 32, 2, .optimizer = SW_OPTIMIZER_ADAFACTOR },

  { F1, "FSDP has no pipeline parallelism", L70, 8, 4, 1, 3 },
  { F1, "does not split sequences", L8, 1, 1, 8, 3, { SET (CP, 4) } },
  { F1, "no expert parallelism", MIX, 1, 1, 32, 3, { SET (EP, 4) } },
  { F1, "do not split experts", MIX, 2, 1, 16, 3 },
  { F1, "has no ZeRO 1", L8, 1, 1, 32, 1 },
  { F1, "one-dimensional mesh", L8, 2, 1, 16, 3, { SET (SHARD_GROUP, 4) } },
  { F1, "the optimizer alone", L8, 1, 1, 32, 3, { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) } },
  { F1,
    "parameters only, which requires ZeRO 3",
    L8,
    1,
    1,
    32,
    2,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER_PARAMS) } },
  { F1, "separate projections", "gpt2-xl", 5, 1, 6, 3 },
  { F1, "separate projections", "phi-4", 2, 1, 16, 3 },
  { F1, "at least two replicas", L8, 8, 1, 1, 3 },
  { F1, "at least two replicas", L8, 8, 1, 4, 0 },
  { F1, "FSDP 1 leaves", L8, 1, 1, 32, 3, .optimizer = SW_OPTIMIZER_ADAFACTOR },
  { F1, "do not split LoRA adapters", L8, 2, 1, 16, 3, .type = SW_TRAINING_LORA },
  { F1, "PyTorch does not include Muon", L8, 1, 1, 32, 3, .optimizer = SW_OPTIMIZER_MUON },
  { F1, "8-bit layers require FSDP 2", L8, 1, 1, 32, 3, .precision = SW_PRECISION_FP8 },
  { F1, "no virtual stages", L8, 1, 1, 32, 3, { SET (VPP, 2) } },

  { F2, "not Ulysses", L8, 1, 1, 8, 3, { SET (CP, 4), SET (CP_METHOD, SW_CP_ULYSSES) } },
  { F2, "no expert parallelism", MIX, 1, 1, 32, 3, { SET (EP, 4) } },
  { F2, "do not split experts", MIX, 2, 1, 16, 3 },
  { F2, "has no ZeRO 1", L8, 1, 1, 32, 1 },
  { F2, "over the ranks of context parallelism", L8, 1, 1, 8, 0, { SET (CP, 4) } },
  { F2, "zero-bubble schedules", L70, 8, 4, 1, 3, { SET (SCHEDULE, SW_SCHEDULE_ZERO_BUBBLE) } },
  { F2, "the optimizer alone", L8, 1, 1, 32, 3, { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) } },
  { F2,
    "parameters only, which requires ZeRO 3",
    L8,
    1,
    1,
    32,
    2,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER_PARAMS) } },
  { F2, "separate projections", "deepseek-v2-lite", 2, 1, 16, 3, .change = give_no_experts },
  { F2, "a model with", "llama-3.2-3b", 1, 2, 16, 3 },
  { F2, "own forward pass", "opt-13b", 1, 2, 16, 3, .change = untie },
  { F2, "into a whole", L8, 1, 2, 16, 3, .type = SW_TRAINING_LORA },
  { F2, "wrong steps", L8, 1, 1, 32, 0, .optimizer = SW_OPTIMIZER_ADAFACTOR },
  { F2, "do not split LoRA adapters", L8, 2, 1, 16, 3, .type = SW_TRAINING_LORA },
  { F2, "scale the loss", L8, 1, 4, 8, 3, .precision = SW_PRECISION_FP16 },
  { F2, "from bitsandbytes", L8, 1, 1, 32, 3, .optimizer = SW_OPTIMIZER_LION },
  { F2, "from bitsandbytes", L8, 1, 1, 32, 3, .optimizer = SW_OPTIMIZER_PAGED_ADAM8BIT },
  { F2, "PyTorch does not include Muon", L8, 1, 1, 32, 3, .optimizer = SW_OPTIMIZER_MUON },
  { F2, "torchao", L8, 1, 1, 32, 3, .precision = SW_PRECISION_MXFP8 },

  { NA, "context parallelism; CP must be 1", L8, 1, 1, 8, 1, { SET (CP, 4) } },
  { NA, "check of the world size", MIX, 1, 1, 32, 1, { SET (EP, 4) } },
  { NA, "no interleaved pipeline", L8, 1, 4, 8, 1, { SET (VPP, 2) } },
  { NA, "all forward passes first", L8, 1, 4, 8, 1, { SET (SCHEDULE, SW_SCHEDULE_ZERO_BUBBLE) } },
  { NA, "optimizer only: ZeRO 0 or 1", L8, 1, 1, 32, 2 },
  { NA, "over all of DP", L8, 1, 1, 32, 1, { SET (SHARD_GROUP, 8) } },
  { NA, "Nanotron does", L8, 1, 1, 32, 1, { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) } },
  { NA, "all layers or none", L8, 1, 1, 32, 1, { SET (RECOMPUTE, SW_RECOMPUTE_SELECTIVE) } },
  { NA, "attention heads that is divisible", L8, 5, 1, 8, 1 },
  { NA, "is a multiple of TP", L8, 16, 1, 2, 1 },
  { NA, "multiple of the KV heads", L8, 1, 1, 32, 1, .change = give_odd_kv_heads },
  { NA, "copies every expert", MIX, 2, 1, 16, 1 },
  { NA, "it trains in bf16", L8, 1, 1, 32, 1, .precision = SW_PRECISION_FP16 },
  { NA, "AdamW and SGD", L8, 1, 1, 32, 1, .optimizer = SW_OPTIMIZER_MUON },
  { NA, "pre-training and full fine-tuning", L8, 1, 1, 32, 1, .type = SW_TRAINING_LORA },
  { NA, "supports Llama and Qwen2", "deepseek-v3", 1, 1, 32, 1 },
  { NA, "RMSNorm twice per layer", "qwen3-8b", 1, 1, 32, 1 },
  { NA, "biases on queries, keys and values", L8, 1, 1, 32, 1, .change = give_mlp_bias },
  { NA, "hidden size / attention heads", "mistral-nemo-12b", 1, 1, 32, 1 },
  { NA, "every layer or to none", L8, 1, 1, 32, 1, .change = give_some_windows },
  { NA, "router has no bias", MIX, 1, 1, 32, 1, .change = give_router_bias },

  { ME, "ZeRO 0 or 1; Shardwise", L8, 1, 1, 32, 3 },
  { ME, "supports 1F1B and interleaved", L8, 1, 4, 8, 1, { SET (SCHEDULE, SW_SCHEDULE_GPIPE) } },
  { ME, "only with more than one", L8, 1, 1, 32, 1, { SET (VPP, 2) } },
  { ME,
    "interleaves two stages",
    L8,
    1,
    2,
    16,
    1,
    { SET (VPP, 2), SET (SCHEDULE, SW_SCHEDULE_INTERLEAVED) },
    .change = give_no_overlap },
  { ME,
    "into virtual stages",
    L8,
    1,
    4,
    8,
    1,
    { SET (VPP, 3), SET (SCHEDULE, SW_SCHEDULE_INTERLEAVED) } },
  { ME, "attention heads that is divisible", L8, 5, 1, 4, 1 },
  { ME, "multiple or a divisor of TP", L8, 4, 1, 8, 1, .change = give_odd_kv_heads },
  { ME, "multiple of 2 × CP", L8, 1, 1, 8, 1, { SET (CP, 4) }, .change = give_odd_sequence },
  { ME, "a dense model requires EP 1", L8, 1, 1, 32, 1, { SET (EP, 2) } },
  { ME, "if TP is 1", L8, 1, 1, 32, 1, { SET (SP, 1) } },
  { ME, "above 1 and EP", MIX, 2, 1, 16, 1, { SET (EP, 2) } },
  { ME, "not the parameters", L8, 1, 1, 32, 1, { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER_PARAMS) } },
  { ME,
    "without a pipeline and without",
    L8,
    1,
    4,
    8,
    1,
    { SET (OFFLOAD, SW_OFFLOAD_ACTIVATIONS) } },
  { ME, "divide the experts’ replicas", MIX, 1, 1, 32, 1, { SET (EP, 8), SET (SHARD_GROUP, 4) } },
  { ME, "offloads Adam", L8, 1, 1, 32, 0, { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) } },
  { ME,
    "per virtual stage",
    L8,
    1,
    4,
    8,
    1,
    { SET (VPP, 2), SET (SCHEDULE, SW_SCHEDULE_INTERLEAVED),
      SET (RECOMPUTE, SW_RECOMPUTE_FULL_LAYERS) } },
  { ME,
    "modules that the model has",
    L8,
    1,
    1,
    32,
    1,
    { SET (RECOMPUTE, SW_RECOMPUTE_SELECTIVE) },
    .modules = SW_MODULE_MOE },
  { ME, "not by row", L8, 1, 1, 32, 1, .precision = SW_PRECISION_FP8_ROWWISE },
  { ME, "Adafactor and Lion", L8, 1, 1, 32, 1, .optimizer = SW_OPTIMIZER_LION },
  { ME, "not 8-bit Adam", L8, 1, 1, 32, 1, .optimizer = SW_OPTIMIZER_ADAM8BIT },
  { ME, "trains all parameters", L8, 1, 1, 32, 1, .type = SW_TRAINING_LORA },
  { ME, "one after the other", "gpt-j-6b", 1, 1, 32, 1 },
  { ME, "RMSNorm or LayerNorm twice", "gemma-2-9b", 1, 1, 32, 1 },
  { ME, "rotary, learned or no positions", "bloom-7b1", 1, 1, 32, 1 },
  { ME, "biases on all linear layers", L8, 1, 1, 32, 1, .change = give_mlp_bias },
  { ME, "experts have no biases", "gpt-oss-20b", 1, 1, 32, 1 },

  { TT, "models of its registry", MIX, 1, 1, 32, 3 },
  { TT, "not Qwen3 and gpt-oss", "qwen3-8b", 1, 4, 8, 3 },
  { TT, "not for the flexible attention", "deepseek-v2-lite", 1, 1, 8, 3, { SET (CP, 4) } },
  { TT,
    "one scale per tensor",
    "deepseek-v2-lite",
    2,
    1,
    16,
    3,
    { SET (SP, 1) },
    .precision = SW_PRECISION_FP8 },
  { TT, "always includes sequence", L8, 2, 1, 16, 3 },
  { TT, "has no loss", L8, 1, 1, 32, 3, .precision = SW_PRECISION_FP16 },
  { TT, "has no ZeRO 1", L8, 1, 1, 32, 1 },
  { TT, "other parallelism", L8, 2, 1, 16, 0, { SET (SP, 1) } },
  { TT, "multiple of TP × 2 × CP", L8, 1, 1, 8, 3, { SET (CP, 4) }, .change = give_odd_sequence },
  { TT, "not Ulysses", L8, 1, 1, 8, 3, { SET (CP, 4), SET (CP_METHOD, SW_CP_ULYSSES) } },
  { TT, "zero-bubble schedules", L8, 1, 4, 8, 3, { SET (SCHEDULE, SW_SCHEDULE_ZERO_BUBBLE) } },
  { TT,
    "same number of virtual stages",
    L8,
    1,
    4,
    8,
    3,
    { SET (VPP, 2), SET (SCHEDULE, SW_SCHEDULE_INTERLEAVED) },
    .change = give_seven_layers },
  { TT, "groups from the shards", "qwen3-30b-a3b", 1, 1, 4, 3, { SET (EP, 8) } },
  { TT, "supports a", "qwen3-30b-a3b", 2, 1, 16, 3, { SET (ETP, 1), SET (SP, 1) } },
  { TT,
    "all selectively, or none",
    L8,
    1,
    1,
    32,
    3,
    { SET (RECOMPUTE, SW_RECOMPUTE_FULL_LAYERS) } },
  { TT,
    "optimizer together, with ZeRO 3",
    L8,
    1,
    1,
    32,
    2,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) } },
  { TT, "Adam and AdamW", L8, 1, 1, 32, 3, .optimizer = SW_OPTIMIZER_SGD },
  { TT, "trains all parameters", L8, 1, 1, 32, 3, .type = SW_TRAINING_LORA },

  { TM, "has configurations for", MIX, 1, 1, 32, 3 },
  { TM, "stages; PP", "qwen3-1.7b", 1, 4, 8, 3 },
  { TM, "attention of its gpt-oss", "gpt-oss-20b", 1, 1, 8, 3, { SET (CP, 4) } },
  { TM, "tensor parallelism of experts", "qwen3-30b-a3b", 2, 1, 16, 3, { SET (EP, 2) } },
  { TM, "no setting for ring", L8, 1, 1, 8, 3, { SET (CP, 4) } },
  { TM, "in the model’s own configuration", L8, 1, 1, 32, 3, .precision = SW_PRECISION_FP8 },

  { AC, "pipelines through Megatron-LM only", L8, 1, 4, 8, 3 },
  { AC,
    "no key for virtual stages",
    L8,
    1,
    4,
    8,
    1,
    { SET (VPP, 2) },
    .framework = SW_FRAMEWORK_MEGATRON_CORE },
  { AC, "layers that is divisible by PP", L8, 1, 3, 8, 1, .framework = SW_FRAMEWORK_MEGATRON_CORE },
  { AC, "GPT-2, Llama and GLM-4.5", "qwen3-8b", 1, 1, 32, 1,
    .framework = SW_FRAMEWORK_MEGATRON_CORE },
  /* of Llama's dimensions, and a type of its own */
  { AC, "GPT-2, Llama and GLM-4.5", "mistral-7b-v0.3", 1, 1, 32, 1,
    .framework = SW_FRAMEWORK_MEGATRON_CORE },
  { AC, "no expert dimension", MIX, 1, 1, 32, 3, { SET (EP, 2) } },
  { AC, "does not split experts; a", MIX, 2, 1, 16, 3 },
  { AC, "keys do not support tensor parallelism", L8, 2, 1, 16, 3,
    .framework = SW_FRAMEWORK_DEEPSPEED },
  { AC, "a separate length", L8, 1, 1, 8, 3, { SET (CP, 4) }, .framework = SW_FRAMEWORK_DEEPSPEED },
  { AC, "FSDP 2; with", L8, 2, 1, 16, 3, .framework = SW_FRAMEWORK_FSDP },
  { AC, "replicas that", L8, 2, 1, 16, 3, { SET (SHARD_GROUP, 1) } },
  { AC,
    "ring attention or all-gather",
    L8,
    1,
    1,
    8,
    3,
    { SET (CP, 4), SET (CP_METHOD, SW_CP_ULYSSES) } },
  { AC, "AdamW require", L8, 1, 1, 32, 3, .optimizer = SW_OPTIMIZER_MUON },
  { AC, "FSDP’s tensor parallelism", L8, 2, 1, 16, 3, { SET (SP, 1) } },
  { AC, "parameters too (ZeRO 3)", L8, 1, 1, 32, 1 },
  { AC, "reshards after the forward pass", L8, 1, 1, 32, 0 },
  { AC, "optimizer only: ZeRO 0 or 1", L8, 1, 1, 32, 2, .framework = SW_FRAMEWORK_MEGATRON_CORE },
  { AC, "all FSDP layers or none", L8, 1, 1, 32, 3, { SET (RECOMPUTE, SW_RECOMPUTE_SELECTIVE) } },
  { AC,
    "none or selective",
    L8,
    1,
    1,
    32,
    1,
    { SET (RECOMPUTE, SW_RECOMPUTE_SELECTIVE) },
    .framework = SW_FRAMEWORK_MEGATRON_CORE },
  { AC,
    "over a part of the replicas",
    L8,
    1,
    1,
    32,
    3,
    { SET (SHARD_GROUP, 4) },
    .framework = SW_FRAMEWORK_DEEPSPEED },
  { AC,
    "offloads all sharded states of FSDP",
    L8,
    1,
    1,
    32,
    2,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) } },
  { AC, "writes bf16 and fp16", L8, 1, 1, 32, 3, .precision = SW_PRECISION_FP8 },
  { AC, "trains one model", L8, 1, 1, 32, 3, .type = SW_TRAINING_RLHF },

  { BR, "Megatron-Bridge has recipes", MIX, 1, 1, 32, 1 },
  { BR, "for QLoRA and", L8, 1, 1, 32, 1, .type = SW_TRAINING_QLORA },
  { BR, "for QLoRA and", "deepseek-v3", 1, 1, 32, 1, .type = SW_TRAINING_FINETUNE },
  { BR, "supports Adam only", L8, 1, 1, 32, 1, .optimizer = SW_OPTIMIZER_MUON },
  { BR, "recipe supports fp32 moments", L8, 1, 1, 32, 1, .change = give_bf16_moments },
  { TR, "starts from trained weights", L8, 1, 1, 32, 3 },
  { TR, "catalog has no model of the teacher", L8, 1, 1, 32, 3, .type = FULL,
    .change = give_teacher },
  { TR, "leaves the teacher on the host", L8, 1, 1, 32, 3, .type = FULL,
    .change = give_same_teacher },
  { AX, "does not keep a teacher", L8, 1, 1, 32, 3, .type = FULL, .change = give_same_teacher },
  { LF, "does not keep a teacher", L8, 1, 1, 32, 3, .type = FULL, .change = give_same_teacher },
  { UN, "does not keep a teacher", L8, 1, 1, 32, 3, .type = FULL, .change = give_same_teacher },
  { VE, "does not keep a teacher", L8, 1, 1, 32, 3, .type = FULL, .change = give_same_teacher },
  { OR, "does not keep a teacher", L8, 1, 1, 32, 3, .type = FULL, .change = give_same_teacher },
  { TR, "the tools offer no", L8, 1, 1, 32, 3, .type = FULL, .change = give_reference },
  { TR,
    "do not split sequences; CP",
    L8,
    1,
    1,
    8,
    3,
    { SET (CP, 4) },
    .type = FULL,
    .change = give_dpo },
  { TR, "Adapters on a part of", "phi-3-mini", 1, 1, 32, 3, .type = SW_TRAINING_LORA,
    .change = give_modules },
  { TR,
    "compares each answer with the",
    L8,
    1,
    1,
    32,
    3,
    { SET (MICRO_BATCH, 1) },
    .type = FULL,
    .change = give_kto },
  { TR, "not write training", L8, 1, 1, 32, 3, .type = SW_TRAINING_LORA,
    .change = give_vocabulary },
  { F2, "adapters without dropout", L8, 1, 1, 32, 3, .type = SW_TRAINING_LORA,
    .change = give_dropout },
  { VE, "adapters do not support dropout", L8, 1, 1, 32, 3, .type = SW_TRAINING_LORA,
    .change = give_dropout },
  { TR, "have no pipeline parallelism; PP", L8, 1, 4, 8, 3, .type = FULL },
  { TR, "no virtual stages", L8, 1, 1, 32, 3, { SET (VPP, 2) }, .type = FULL },
  { TR, "without expert parallelism", MIX, 1, 1, 32, 3, { SET (EP, 2) }, .type = FULL },
  { TR, "for some models", L8, 2, 1, 16, 3, .type = FULL },
  { TR,
    "whole layers: all or none",
    L8,
    1,
    1,
    32,
    3,
    { SET (RECOMPUTE, SW_RECOMPUTE_SELECTIVE) },
    .type = FULL },
  { TR, "has no ZeRO 1", L8, 1, 1, 32, 1, .type = FULL },
  { TR, "1 requires ZeRO 2 or 3", L8, 1, 1, 8, 0, { SET (CP, 4) }, .type = FULL },
  { TR,
    "part of the replicas, FSDP",
    L8,
    1,
    1,
    32,
    3,
    { SET (SHARD_GROUP, 4) },
    .type = FULL,
    .framework = SW_FRAMEWORK_DEEPSPEED },
  { TR,
    "offload all sharded states of FSDP",
    L8,
    1,
    1,
    32,
    3,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) },
    .type = FULL },
  { TR, "their 8-bit layers", L8, 1, 1, 32, 3, .type = FULL, .precision = SW_PRECISION_FP8 },
  { TR, "SGD has no momentum", L8, 1, 1, 32, 3, .type = FULL, .optimizer = SW_OPTIMIZER_SGD },
  { TR, "does not support the sharded tensors", L8, 1, 1, 32, 3, .type = FULL,
    .optimizer = SW_OPTIMIZER_LION },
  { TR, "which sharding", L8, 1, 1, 32, 3, .type = FULL, .optimizer = SW_OPTIMIZER_ADAFACTOR },
  { TR, "precision of the trained weights", L8, 1, 1, 32, 3, .type = FULL,
    .change = give_bf16_moments },
  { TR, "runs after the backward pass", L8, 1, 1, 32, 3, .type = FULL,
    .change = give_optimizer_in_backward },
  { TR, "keeps fp32 weights", L8, 1, 1, 32, 3, .type = FULL, .framework = SW_FRAMEWORK_DEEPSPEED,
    .change = give_no_master },
  { TR, "reference and reward model whole", L8, 1, 1, 32, 3, .type = RL },
  { TR,
    "splits sequences with Accelerate’s",
    L8,
    1,
    1,
    8,
    3,
    { SET (CP, 4), SET (CP_METHOD, SW_CP_ULYSSES) },
    .type = FULL },
  { TR,
    "activations with GRPO",
    L8,
    1,
    1,
    32,
    3,
    { SET (OFFLOAD, SW_OFFLOAD_ACTIVATIONS), SET (RECOMPUTE, SW_RECOMPUTE_FULL) },
    .type = RL,
    .change = give_grpo },
  { UN, "is written with GRPO", L8, 1, 1, 1, 3, .type = RL },
  { UN, "on the GPU that trains", L8, 1, 1, 1, 3, .type = RL, .change = give_grpo_apart },
  { UN, "trainers for supervised fine-tuning, DPO", L8, 1, 1, 1, 3, .type = FULL,
    .change = give_orpo },
  { UN, "kernels support LoRA; for", L8, 1, 1, 1, 3, .type = SW_TRAINING_LORA,
    .change = give_dora },
  { UN, "for one GPU", L8, 1, 1, 32, 3, .type = FULL },
  { UN, "projections, as", "deepseek-v2-lite", 1, 1, 1, 3, .type = FULL },
  { UN,
    "not weights or the optimizer",
    L8,
    1,
    1,
    1,
    3,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER_PARAMS) },
    .type = FULL },
  { AX, "Axolotl has GRPO", L8, 1, 1, 32, 3, .type = RL },
  { AX, "one group of answers for each", L8, 1, 1, 32, 3, .type = RL, .change = give_large_groups },
  { AX,
    "GRPO offloads no activations",
    L8,
    1,
    1,
    1,
    3,
    { SET (OFFLOAD, SW_OFFLOAD_ACTIVATIONS), SET (RECOMPUTE, SW_RECOMPUTE_FULL) },
    .type = RL,
    .change = give_single_answers },
  { AX,
    "is ring attention with",
    L8,
    1,
    1,
    8,
    3,
    { SET (CP, 4), SET (CP_METHOD, SW_CP_ALLGATHER) },
    .type = FULL },
  { AX, "FSDP and DeepSpeed keep fp32", L8, 1, 1, 32, 3, .type = FULL, .change = give_no_master },
  { AX, "has no fp32 master weights", L8, 1, 1, 32, 0, .type = FULL, .change = give_fp32_master },
  { AX,
    "8-bit AdamW when FSDP 1",
    L8,
    1,
    1,
    32,
    3,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER_PARAMS) },
    .type = FULL,
    .optimizer = SW_OPTIMIZER_ADAM8BIT,
    .framework = SW_FRAMEWORK_FSDP },
  { LF, "a head of the policy", L8, 1, 1, 32, 3, .type = RL },
  { LF, "trainer does not split sequences", L8, 1, 1, 8, 3, { SET (CP, 4) }, .type = FULL },
  { LF,
    "checkpointing only",
    L8,
    1,
    1,
    32,
    3,
    { SET (OFFLOAD, SW_OFFLOAD_ACTIVATIONS), SET (RECOMPUTE, SW_RECOMPUTE_FULL) },
    .type = FULL },
  { TU, "are for development", L8, 1, 1, 32, 3, .type = RL },
  { TU, "torchtune has DPO", L8, 1, 1, 32, 3, .type = FULL, .change = give_orpo },
  { TU, "recipe of several GPUs", L8, 1, 1, 1, 3, .type = FULL, .change = give_dpo },
  { TU,
    "DPO and distillation shard over",
    L8,
    1,
    1,
    32,
    3,
    { SET (SHARD_GROUP, 8) },
    .type = FULL,
    .change = give_dpo },
  { TU, "distills into adapters", L8, 1, 1, 32, 3, .type = FULL, .change = give_same_teacher },
  { TU, "no model of the teacher", L8, 1, 1, 32, 3, .type = SW_TRAINING_LORA,
    .change = give_teacher },
  { TU,
    "does not offload activations",
    L8,
    1,
    1,
    32,
    3,
    { SET (OFFLOAD, SW_OFFLOAD_ACTIVATIONS), SET (RECOMPUTE, SW_RECOMPUTE_FULL) },
    .type = SW_TRAINING_LORA,
    .change = give_same_teacher },
  { TU, "adapts all of the MLP", L8, 1, 1, 32, 3, .type = SW_TRAINING_LORA,
    .change = give_modules },
  { TU, "its own models", MIX, 1, 1, 32, 3, .type = FULL },
  { TU, "rejects fp16", L8, 1, 1, 32, 3, .type = FULL, .precision = SW_PRECISION_FP16 },
  { TU, "without fp32 master weights", L8, 1, 1, 32, 3, .type = FULL, .change = give_fp32_master },
  { TU, "replicas with FSDP: ZeRO", L8, 1, 1, 32, 0, .type = FULL },
  { TU,
    "uses PyTorch’s context parallelism",
    L8,
    1,
    1,
    8,
    3,
    { SET (CP, 4), SET (CP_METHOD, SW_CP_ULYSSES) },
    .type = FULL },
  { TU, "optimizer_in_bwd requires", L8, 1, 1, 32, 3, .type = SW_TRAINING_LORA,
    .change = give_optimizer_in_backward },
  { TU, "torchtune supports it on one GPU", L8, 1, 1, 32, 3, .type = FULL,
    .optimizer = SW_OPTIMIZER_ADAFACTOR },
  { VE, "support 4-bit weights", L8, 1, 1, 32, 3, .type = SW_TRAINING_QLORA },
  { VE, "no trainer for preferences", L8, 1, 1, 32, 3, .type = FULL, .change = give_dpo },
  { VE, "verl supports LoRA adapters", L8, 1, 1, 32, 3, .type = SW_TRAINING_LORA,
    .change = give_dora },
  { VE, "Shardwise writes verl in bf16 only", L8, 1, 1, 32, 3, .type = FULL,
    .precision = SW_PRECISION_FP16 },
  { VE, "on the training GPUs", L8, 1, 1, 16, 3, .type = RL, .change = give_apart },
  { VE, "verl also shards parameters", L8, 1, 1, 32, 2, .type = FULL },
  { VE,
    "supervised fine-tuning shards over all",
    L8,
    1,
    1,
    32,
    3,
    { SET (SHARD_GROUP, 4) },
    .type = FULL },
  { VE, "verl splits sequences with Ulysses", L8, 1, 1, 8, 3, { SET (CP, 4) }, .type = FULL },
  { VE,
    "and activations in reinforcement",
    L8,
    1,
    1,
    32,
    3,
    { SET (OFFLOAD, SW_OFFLOAD_ACTIVATIONS), SET (RECOMPUTE, SW_RECOMPUTE_FULL) },
    .type = FULL },
  { VE, "verl with AdamW", L8, 1, 1, 32, 3, .type = FULL, .optimizer = SW_OPTIMIZER_LION },
  { OR, "DPO and IPO", L8, 1, 1, 32, 3, .type = FULL, .change = give_orpo },
  { OR, "OpenRLHF supports LoRA adapters", L8, 1, 1, 32, 3, .type = SW_TRAINING_LORA,
    .change = give_dora },
  { OR,
    "offloads to host",
    L8,
    1,
    1,
    32,
    3,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) },
    .type = FULL,
    .change = give_drives },
  { OR, "not model OpenRLHF’s ring attention", L8, 1, 1, 8, 3, { SET (CP, 4) }, .type = FULL },
  { OR,
    "offloads the optimizer only",
    L8,
    1,
    1,
    32,
    3,
    { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER_PARAMS) },
    .type = FULL },
  { OR, "Shardwise writes OpenRLHF with AdamW", L8, 1, 1, 32, 3, .type = FULL,
    .optimizer = SW_OPTIMIZER_ADAM8BIT },
  { F2, "Gaudi requires Intel’s", L8, 1, 1, 32, 3, .change = give_gaudi },
  { F2, "runs after the backward pass", L8, 1, 1, 32, 3, .change = give_optimizer_in_backward },
  { DS, "keep the frozen base", L8, 1, 1, 32, 3, .type = SW_TRAINING_LORA,
    .change = give_fp8_base },
  { F1, "train in mixed precision", L8, 1, 1, 32, 3, .change = give_no_master },
  { NA, "reduce gradients in bf16", L8, 1, 1, 32, 1, .change = give_bf16_gradients },
  { ME, "Moments are fp32", L8, 1, 1, 32, 0, .change = give_bf16_moments },
  { BR, "precision is bf16", L8, 1, 1, 32, 1, .precision = SW_PRECISION_FP8 },
  { BR, "ZeRO 0 or 1; Shardwise", L8, 1, 1, 32, 3 },
  { NE, "a pre-training", L8, 1, 1, 32, 1, .type = SW_TRAINING_FINETUNE },
  { NE, "recipes of Llama", "olmoe-7b-a1b", 1, 1, 32, 1 },
  { NE, "without offload", L8, 1, 1, 32, 1, { SET (OFFLOAD, SW_OFFLOAD_OPTIMIZER) } },

  { F2, "the next token", L8, 1, 1, 32, 3, .type = FULL, .change = give_dpo },
  { F2, "use LoRA adapters", L8, 1, 1, 32, 3, .type = SW_TRAINING_LORA, .change = give_dora },
  { SHARDWISE_FORMAT_TORCHRUN, "same number of processes", L8, 1, 1, 9, 3 },
  { SHARDWISE_FORMAT_SLURM, "same number of processes", L8, 1, 1, 9, 3 },
  { SHARDWISE_FORMAT_KUBERNETES, "same number of processes", L8, 1, 1, 9, 3 },
};

/* The rule with that text of a writer or of those whose rules hold, too. */
static const ShardwiseFormatRule *
find_rule (const ShardwiseFormatWriter *writer, const char *part)
{
  for (; writer != NULL; writer = writer->base)
    for (gsize i = 0; i < writer->n_rules; i++)
      if (strstr (writer->rules[i].text, part) != NULL)
        return &writer->rules[i];
  for (writer = &shardwise_states_writer; writer != NULL; writer = writer->base)
    for (gsize i = 0; i < writer->n_rules; i++)
      if (strstr (writer->rules[i].text, part) != NULL)
        return &writer->rules[i];

  g_error ("no rule says “%s”", part);
}

static void
make_case (const Row *row, SwProblem *problem, SwStrategy *strategy)
{
  SwFramework own = shardwise_format_info (row->format)->framework;

  fixture_problem (row->model, 32, problem);
  problem->training.type = row->type;
  problem->training.precision = row->precision;
  problem->training.optimizer = row->optimizer;
  if (row->change != NULL)
    row->change (problem);
  fixture_strategy (row->tp, row->pp, row->dp, strategy);
  strategy->zero_stage = (guint8) row->zero;
  for (guint i = 0; i < G_N_ELEMENTS (row->settings); i++)
    if (row->settings[i].dimension != SW_DIM_TP) /* the first one: not set */
      sw_strategy_set (strategy, row->settings[i].dimension, row->settings[i].value);
  if (strategy->recompute == SW_RECOMPUTE_FULL_LAYERS)
    strategy->full_layers = 3;
  strategy->recompute_modules = row->modules;
  problem->training.framework = row->framework != SW_FRAMEWORK_ANY ? row->framework : own;
  strategy->framework = (guint8) problem->training.framework;
}

static void
test_rows (void)
{
  g_autoptr (GHashTable) covered = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info (rows[i].format);
      const ShardwiseFormatRule *rule = find_rule (shardwise_format_writer (info), rows[i].rule);
      const char *path = rule->section != NULL ? rule->section : shardwise_key_path (rule->key);
      g_autofree char *version = g_strdup_printf ("(%s %s)", info->product, info->version);
      g_autoptr (GError) error = NULL;
      SwProblem problem;
      SwStrategy strategy;

      make_case (&rows[i], &problem, &strategy);
      g_test_message ("%s: %s", info->title, rows[i].rule);
      g_assert_false (shardwise_export_check_rules (info, &problem, &strategy, ~0u, &error));
      g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
      g_assert_cmpstr (shardwise_error_path (error), ==, path);
      g_assert_nonnull (strstr (error->message, rule->text));
      g_assert_true (g_str_has_suffix (error->message, version));
      g_hash_table_add (covered, (gpointer) rule);

      /* What was asked for is not changed into something else; Accelerate has other routes. */
      problem.pins.mask = ~0u;
      if (info->format != AC)
        fixture_assert_refused (info->format, &problem, &strategy, path);
    }

  for (guint f = 0; f < SHARDWISE_N_FORMATS; f++)
    for (const ShardwiseFormatWriter *writer = shardwise_format_writer (shardwise_format_info (f));
         writer != NULL; writer = writer->base)
      for (gsize i = 0; i < writer->n_rules; i++)
        if (!g_hash_table_contains (covered, &writer->rules[i]))
          g_error ("no strategy here breaks “%s”", writer->rules[i].text);
  for (gsize i = 0; i < shardwise_states_writer.n_rules; i++)
    g_assert_true (g_hash_table_contains (covered, &shardwise_states_writer.rules[i]));
}

/* What a rule refuses is stated by the dimensions that it looks at: without them it is passed
 * over, so that a search can ask about some of them alone. */
static void
test_dimensions (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info (rows[i].format);
      const ShardwiseFormatRule *rule = find_rule (shardwise_format_writer (info), rows[i].rule);
      g_autoptr (GError) error = NULL;
      SwProblem problem;
      SwStrategy strategy;

      if (rule->dimensions == 0)
        continue;
      make_case (&rows[i], &problem, &strategy);
      if (!shardwise_export_check_rules (info, &problem, &strategy, ~rule->dimensions, &error))
        g_assert_null (strstr (error->message, rule->text));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/refusals/every-rule", test_rows);
  g_test_add_func ("/refusals/dimensions", test_dimensions);

  return g_test_run ();
}
