/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-text-strategy.h"
#include "shardwise-key.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-error.h"
#include "shardwise-json.h"
#include "shardwise-format.h"
#include "sw-model.h"
#include "sw-types.h"

static const char *const precision_choices[] = { "bf16",        "fp16",  "fp8",   "fp8-tensorwise",
                                                 "fp8-rowwise", "mxfp8", "nvfp4", NULL };
static const char *const wide_choices[] = { "fp32", "bf16", NULL };
static const char *const master_choices[] = { "fp32", "none", NULL };
static const char *const moment_choices[] = { "fp32", "bf16", "8bit", NULL };
static const char *const base_choices[] = { "bf16", "fp8", "nf4", NULL };
static const char *const lora_target_choices[] = { "all-linear", "attention", NULL };
static const char *const attention_choices[] = { "flash", "unfused", "sdpa", "eager", NULL };
static const char *const dispatcher_choices[] = { "alltoall", "deepep", "hybridep", NULL };
static const char *const offload_device_choices[] = { "host", "nvme", NULL };
static const char *const adapter_choices[] = { "none", "lora", "qlora", NULL };

/* Links between GPUs and between nodes. */
static const ShardwiseWord links[] = {
  { "nvlink", N_ ("NVLink") },
  { "infiniband", N_ ("InfiniBand") },
  { "roce", N_ ("RoCE") },
  { "pcie", N_ ("PCIe") },
  { "ethernet", N_ ("Ethernet") },
  { "efa", N_ ("EFA") },
  { NULL, NULL },
};

/* A row; the key's words may follow its help. The spellings of model-layer choices come from the
 * engine's tables, so that they cannot differ. */
#define KEY(i, p, k, lo, hi, c, t, u, m, ...)                                                      \
  [SHARDWISE_KEY_##i] = { .id = SHARDWISE_KEY_##i,                                                 \
                          .path = p,                                                               \
                          .kind = SHARDWISE_KIND_##k,                                              \
                          .minimum = lo,                                                           \
                          .maximum = hi,                                                           \
                          .choices = c,                                                            \
                          .title = t,                                                              \
                          .unit = u,                                                               \
                          .topic = m,                                                              \
                          .help = __VA_ARGS__ }
#define INT(i, p, lo, hi, t, u, m, ...) KEY (i, p, INTEGER, lo, hi, NULL, t, u, m, __VA_ARGS__)
#define NUM(i, p, lo, hi, t, u, m, ...) KEY (i, p, NUMBER, lo, hi, NULL, t, u, m, __VA_ARGS__)
#define BOOL(i, p, t, m, ...) KEY (i, p, BOOLEAN, 0, 0, NULL, t, NULL, m, __VA_ARGS__)
#define TEXT(i, p, t, m, ...) KEY (i, p, STRING, 0, 0, NULL, t, NULL, m, __VA_ARGS__)
#define WORD(i, p, c, t, m, ...) KEY (i, p, CHOICE, 0, 0, c, t, NULL, m, __VA_ARGS__)
#define NAMES(...)                                                                                 \
  .words = (const ShardwiseWord[])                                                                 \
  {                                                                                                \
    __VA_ARGS__, { NULL, NULL }                                                                    \
  }

static const ShardwiseKey keys[SHARDWISE_N_KEYS] = {
  TEXT (NAME, "name", N_ ("Name"), "scenario-file",
        N_ ("The name of the scenario in the window and in reports.")),
  TEXT (NOTES, "notes", N_ ("Notes"), "scenario-file",
        N_ ("Free text that is stored in the file.")),

  TEXT (MODEL_PRESET, "model.preset", N_ ("Model"), "inputs#model",
        N_ ("A model from the catalog, with its published architecture.")),
  NUM (MODEL_PARAMETERS_B, "model.parameters_b", 0.1, 10000, N_ ("Model size"),
       N_ ("billion parameters"), "inputs#model",
       N_ ("The number of parameters. Shardwise derives a Llama-like architecture of this size.")),
  WORD (MODEL_KIND, "model.kind", sw_model_kind_names, N_ ("Kind of model"), "inputs#model",
        N_ ("A language model, or a vision or diffusion transformer. Transformers other than "
            "language models are approximated as decoders without a causal mask.")),
  INT (MODEL_LAYERS, "model.layers", 1, 10000, N_ ("Layers"), NULL, "formula-parameters",
       N_ ("The number of transformer layers. Pipeline stages are split between layers.")),
  INT (MODEL_HIDDEN_SIZE, "model.hidden_size", 1, 1048576, N_ ("Hidden size"), NULL,
       "formula-parameters", N_ ("The width of the residual stream between layers.")),
  INT (MODEL_INTERMEDIATE_SIZE, "model.intermediate_size", 1, 16777216, N_ ("MLP size"), NULL,
       "formula-parameters", N_ ("The inner width of the MLP of a layer.")),
  INT (MODEL_ATTENTION_HEADS, "model.attention_heads", 1, 65536, N_ ("Attention heads"), NULL,
       "formula-parameters",
       N_ ("The number of query heads. It must be divisible by the tensor parallel size.")),
  INT (MODEL_KV_HEADS, "model.kv_heads", 1, 65536, N_ ("Key/value heads"), NULL,
       "formula-parameters",
       N_ ("The number of key and value heads; fewer than query heads with grouped-query "
           "attention. Default: the number of query heads.")),
  INT (MODEL_HEAD_DIM, "model.head_dim", 1, 65536, N_ ("Head dimension"), NULL,
       "formula-parameters", N_ ("The width of a head. Default: hidden size / attention heads.")),
  INT (MODEL_VOCAB_SIZE, "model.vocab_size", 1, 16777216, N_ ("Vocabulary"), N_ ("tokens"),
       "formula-parameters",
       N_ ("The number of tokens in the vocabulary. It sets the size of the embedding, head and "
           "logits.")),
  INT (MODEL_MAX_POSITION_EMBEDDINGS, "model.max_position_embeddings", 1, 1073741824,
       N_ ("Maximum sequence length of the model"), N_ ("tokens"), "inputs#model",
       N_ ("The longest sequence that the model is designed for. Longer sequences are computed, "
           "with a note.")),
  BOOL (MODEL_GATED_MLP, "model.gated_mlp", N_ ("Gated MLP"), "formula-parameters",
        N_ ("Uses three matrices in the MLP (SwiGLU and similar) instead of two.")),
  BOOL (MODEL_TIED_EMBEDDINGS, "model.tied_embeddings", N_ ("Tied embeddings"),
        "formula-parameters", N_ ("The head shares the weights of the embedding.")),
  WORD (MODEL_NORM, "model.norm", sw_norm_names, N_ ("Normalization"), "formula-parameters",
        N_ ("RMSNorm has a weight; LayerNorm has a weight and a bias.")),
  INT (MODEL_NORMS_PER_LAYER, "model.norms_per_layer", 0, 16, N_ ("Norms per layer"), NULL,
       "formula-parameters",
       N_ ("The number of norms in a layer. Each has weights and keeps its input.")),
  WORD (MODEL_QK_NORM, "model.qk_norm", sw_qk_norm_names, N_ ("Query/key normalization"),
        "formula-parameters",
        N_ ("Normalizes queries and keys, per head or over their whole width.")),
  BOOL (MODEL_BIAS_QKV, "model.bias.qkv", N_ ("Query, key and value bias"), "formula-parameters",
        N_ ("The query, key and value projections have a bias.")),
  BOOL (MODEL_BIAS_ATTN_OUT, "model.bias.attn_out", N_ ("Attention output bias"),
        "formula-parameters", N_ ("The output projection of attention has a bias.")),
  BOOL (MODEL_BIAS_MLP, "model.bias.mlp", N_ ("MLP bias"), "formula-parameters",
        N_ ("The MLP matrices have a bias.")),
  WORD (MODEL_POSITION_EMBEDDING, "model.position_embedding", sw_position_names,
        N_ ("Position embedding"), "formula-parameters",
        N_ ("Learned positions are parameters; rotary positions are not.")),
  BOOL (MODEL_PARALLEL_BLOCK, "model.parallel_block", N_ ("Parallel attention and MLP"),
        "formula-overlap#tensor",
        N_ ("Attention and MLP read the same input, so each layer needs one tensor-parallel "
            "exchange instead of two.")),
  INT (MODEL_SLIDING_WINDOW, "model.sliding_window", 1, 1073741824, N_ ("Sliding window"),
       N_ ("tokens"), "formula-attention",
       N_ ("The number of previous tokens that a query attends to. Without a window, it attends to "
           "all of them.")),
  WORD (MODEL_SLIDING_WINDOW_PATTERN, "model.sliding_window_pattern", sw_window_pattern_names,
        N_ ("Layers with a sliding window"), "formula-attention",
        N_ ("The layers that use the sliding window.")),
  INT (MODEL_MTP_LAYERS, "model.mtp_layers", 0, 100, N_ ("Multi-token prediction layers"), NULL,
       "formula-parameters", N_ ("Multi-token prediction layers at the end of the last stage.")),
  INT (MODEL_MOE_EXPERTS, "model.moe.experts", 1, 65536, N_ ("Experts"), NULL, "formula-experts",
       N_ ("The number of routed experts per layer.")),
  INT (MODEL_MOE_TOP_K, "model.moe.top_k", 1, 65536, N_ ("Experts per token"), NULL,
       "formula-experts", N_ ("The number of experts that process each token.")),
  INT (MODEL_MOE_INTERMEDIATE_SIZE, "model.moe.intermediate_size", 1, 16777216, N_ ("Expert size"),
       NULL, "formula-experts", N_ ("The inner width of one expert.")),
  INT (MODEL_MOE_SHARED_INTERMEDIATE_SIZE, "model.moe.shared_intermediate_size", 0, 16777216,
       N_ ("Shared expert size"), NULL, "formula-experts",
       N_ ("The total width of the experts that process every token. 0: no shared experts.")),
  INT (MODEL_MOE_FIRST_DENSE_LAYERS, "model.moe.first_dense_layers", 0, 10000,
       N_ ("First dense layers"), NULL, "formula-experts",
       N_ ("The number of layers at the start that have an MLP instead of experts.")),
  INT (MODEL_MOE_LAYER_FREQUENCY, "model.moe.layer_frequency", 1, 10000,
       N_ ("Experts in every n-th layer"), NULL, "formula-experts",
       N_ ("1: experts in every layer; 2: experts in every second layer.")),
  INT (MODEL_MLA_Q_LORA_RANK, "model.mla.q_lora_rank", 0, 1048576, N_ ("Query rank"), NULL,
       "formula-parameters", N_ ("The compressed width of queries. 0: not compressed.")),
  INT (MODEL_MLA_KV_LORA_RANK, "model.mla.kv_lora_rank", 1, 1048576, N_ ("Key/value rank"), NULL,
       "formula-parameters",
       N_ ("The compressed width of keys and values (multi-head latent attention).")),
  INT (MODEL_MLA_QK_NOPE_HEAD_DIM, "model.mla.qk_nope_head_dim", 0, 65536,
       N_ ("Query/key width without rotary"), NULL, "formula-parameters",
       N_ ("The width of queries and keys per head without rotary position embedding.")),
  INT (MODEL_MLA_QK_ROPE_HEAD_DIM, "model.mla.qk_rope_head_dim", 0, 65536,
       N_ ("Query/key width with rotary"), NULL, "formula-parameters",
       N_ ("The width of queries and keys per head with rotary position embedding.")),
  INT (MODEL_MLA_V_HEAD_DIM, "model.mla.v_head_dim", 1, 65536, N_ ("Value width"), NULL,
       "formula-parameters", N_ ("The width of values per head.")),

  KEY (CLUSTER_GPU, "cluster.gpu", GPU, 0, 0, NULL, N_ ("GPU"), NULL, "inputs#cluster",
       N_ ("Sets memory, peak compute rates, the link within a node and the usual price of a "
           "GPU-hour.")),
  INT (CLUSTER_GPUS, "cluster.gpus", 1, 131072, N_ ("Number of GPUs"), N_ ("GPUs"),
       "inputs#cluster",
       N_ ("The number of GPUs that the job can use. A strategy can leave some idle, and shows how "
           "many.")),
  INT (CLUSTER_GPUS_PER_NODE, "cluster.gpus_per_node", 1, 1024, N_ ("GPUs per node"), N_ ("GPUs"),
       "inputs#cluster",
       N_ ("The number of GPUs in a host. Tensor parallelism should stay within a node.")),
  NUM (CLUSTER_GPU_MEMORY_GB, "cluster.gpu_memory_gb", 8, 320, N_ ("GPU memory"), N_ ("GB"),
       "formula-states#usable",
       N_ ("The nominal memory. Usable memory is slightly less, in the same proportion as for the "
           "selected GPU.")),
  INT (CLUSTER_NVLINK_DOMAIN, "cluster.nvlink_domain", 1, 131072, N_ ("GPUs per scale-up domain"),
       N_ ("GPUs"), "formula-collectives",
       N_ ("The number of GPUs connected by the fast link (such as NVLink): a node or a whole "
           "rack.")),
  TEXT (CLUSTER_INTRA_NODE, "cluster.intra_node", N_ ("Link within a node"), "formula-collectives",
        N_ ("The link between the GPUs of a node. Default: the link of the GPU."), .words = links),
  NUM (CLUSTER_INTRA_NODE_GB_S, "cluster.intra_node_gb_s", 0.001, 100000,
       N_ ("Bandwidth within a node"), N_ ("GB/s"), "formula-collectives",
       N_ ("Per GPU, in one direction. Default: the rate of the link.")),
  TEXT (CLUSTER_INTER_NODE, "cluster.inter_node", N_ ("Network"), "formula-collectives",
        N_ ("The network between nodes. Default: the usual network for nodes with this GPU "
            "(InfiniBand, RoCE, or 100 or 10 Gb/s Ethernet)."),
        .words = links),
  NUM (CLUSTER_INTER_NODE_GB_S, "cluster.inter_node_gb_s", 0.001, 100000,
       N_ ("Network bandwidth per GPU"), N_ ("GB/s"), "formula-collectives",
       N_ ("Each GPU’s share of the network, in one direction. 400 Gbit/s is 50 GB/s.")),
  NUM (CLUSTER_OVERSUBSCRIPTION, "cluster.oversubscription", 1, 100, N_ ("Oversubscription"), NULL,
       "formula-collectives",
       N_ ("Reduction of bandwidth beyond a pod. 1: full bandwidth; 2: half the bandwidth between "
           "pods.")),
  INT (CLUSTER_POD_GPUS, "cluster.pod_gpus", 0, 131072, N_ ("GPUs per pod"), N_ ("GPUs"),
       "formula-collectives",
       N_ ("The number of GPUs behind one switch with full bandwidth. 0: the GPUs of a node.")),
  NUM (CLUSTER_HOST_RAM_GB, "cluster.host_ram_gb", 1, 1000000, N_ ("Host memory per node"),
       N_ ("GB"), "formula-offload",
       N_ ("The host memory of each node, which must hold offloaded states. Default: the usual "
           "amount per GPU.")),
  NUM (CLUSTER_NVME_GB_S, "cluster.nvme_gb_s", 0.01, 10000, N_ ("NVMe bandwidth per node"),
       N_ ("GB/s"), "formula-offload",
       N_ ("The combined read or write rate of the drives of a node, for all its GPUs.")),

  WORD (TRAINING_TYPE, "training.type", sw_training_choices, N_ ("Type"), "jobs",
        N_ ("Pre-training and full fine-tuning train all parameters. LoRA and QLoRA train adapters "
            "on frozen weights. Reinforcement learning also generates and scores answers. "
            "Preferences and rewards train on pairs of answers. Distillation trains on the outputs "
            "of a teacher."),
        NAMES ({ "pretrain", N_ ("Pre-training") }, { "finetune", N_ ("Full fine-tuning") },
               { "lora", N_ ("LoRA") }, { "qlora", N_ ("QLoRA") }, { "rlhf", N_ ("RLHF") },
               { "dpo", N_ ("Preferences (DPO)") }, { "reward", N_ ("Reward model") },
               { "distill", N_ ("Distillation") })),
  INT (TRAINING_SEQUENCE_LENGTH, "training.sequence_length", 1, 1073741824, N_ ("Sequence length"),
       N_ ("tokens"), "formula-attention", N_ ("Tokens per sequence. Default: 4,096.")),
  INT (TRAINING_GLOBAL_BATCH_SIZE, "training.global_batch_size", 1, 1e9, N_ ("Global batch"),
       N_ ("sequences"), "formula-pipeline",
       N_ ("Sequences per optimizer step, over all replicas. Default: about a million tokens for "
           "pre-training, 32 sequences for fine-tuning; more on many GPUs, rounded so that the "
           "GPUs divide it. To convert from tokens, divide by the sequence length.")),
  INT (TRAINING_MICRO_BATCH_SIZE, "training.micro_batch_size", 1, 65536, N_ ("Micro-batch"),
       N_ ("sequences"), "formula-activations",
       N_ ("Sequences that a GPU processes at once. Larger values give more efficient kernels, but "
           "need more memory and increase the pipeline bubble.")),
  WORD (TRAINING_PRECISION, "training.precision", precision_choices, N_ ("Precision"),
        "formula-gemm",
        N_ ("The precision of matrix products. Below 16 bits, master weights and attention keep "
            "their precision."),
        NAMES ({ "bf16", N_ ("BF16") }, { "fp16", N_ ("FP16") },
               { "fp8", N_ ("FP8, one scale per tensor") },
               { "fp8-tensorwise", N_ ("FP8, one scale per tensor") },
               { "fp8-rowwise", N_ ("FP8, one scale per row") }, { "mxfp8", N_ ("MXFP8") },
               { "nvfp4", N_ ("NVFP4") })),
  WORD (TRAINING_OPTIMIZER, "training.optimizer", sw_optimizer_names, N_ ("Optimizer"),
        "formula-states",
        N_ ("Sets the optimizer states per parameter and the duration of the optimizer step."),
        NAMES ({ "adamw", N_ ("AdamW") }, { "adam8bit", N_ ("8-bit Adam") },
               { "adafactor", N_ ("Adafactor") }, { "muon", N_ ("Muon") },
               { "sgd", N_ ("SGD with momentum") },
               { "paged-adamw-8bit", N_ ("Paged 8-bit AdamW") }, { "lion", N_ ("Lion") })),
  WORD (TRAINING_STATES_PARAMETERS, "training.states.parameters", wide_choices,
        N_ ("Stored parameters"), "formula-states#precision",
        N_ ("The precision of the parameters that FSDP shards and the optimizer updates. Default: "
            "fp32. Megatron and DeepSpeed store 16-bit parameters and separate master weights."),
        NAMES ({ "fp32", N_ ("FP32") }, { "bf16", N_ ("BF16") })),
  WORD (TRAINING_STATES_GRADIENTS, "training.states.gradients", wide_choices,
        N_ ("Accumulated gradients"), "formula-states#precision",
        N_ ("The precision in which Megatron and Nanotron accumulate and reduce gradients. "
            "Default: as the framework does."),
        NAMES ({ "fp32", N_ ("FP32") }, { "bf16", N_ ("BF16") })),
  WORD (TRAINING_STATES_MASTER, "training.states.master", master_choices, N_ ("Master weights"),
        "formula-states#precision",
        N_ ("Whether the optimizer updates an fp32 copy of the weights. Without it, the optimizer "
            "updates the 16-bit weights."),
        NAMES ({ "fp32", N_ ("FP32") }, { "none", N_ ("None") })),
  WORD (TRAINING_STATES_MOMENTS, "training.states.moments", moment_choices,
        N_ ("Optimizer moments"), "formula-states#precision",
        N_ ("The precision of the optimizer moments. Default: fp32, or the precision of the "
            "parameters without master weights."),
        NAMES ({ "fp32", N_ ("FP32") }, { "bf16", N_ ("BF16") }, { "8bit", N_ ("8 bits") })),
  BOOL (TRAINING_OPTIMIZER_IN_BACKWARD, "training.optimizer_in_backward",
        N_ ("Optimizer in the backward pass"), "formula-states#precision",
        N_ ("Updates each layer as soon as its gradients are ready, so only the gradients of one "
            "layer are in memory. No gradient accumulation. Available with PyTorch FSDP without a "
            "pipeline.")),
  WORD (
      TRAINING_ATTENTION, "training.attention", attention_choices, N_ ("Attention kernel"),
      "formula-attention",
      N_ ("Flash attention stores no attention scores; the unfused kernel stores the full matrix. "
          "“sdpa” is the FlashAttention 2 kernel of PyTorch. “eager” is another name for unfused."),
      NAMES ({ "flash", N_ ("FlashAttention") }, { "unfused", N_ ("Unfused") },
             { "sdpa", N_ ("PyTorch SDPA") }, { "eager", N_ ("Eager") })),
  WORD (TRAINING_FRAMEWORK, "training.framework", sw_framework_choices, N_ ("Framework"),
        "inputs#training",
        N_ ("The framework whose rules, memory use and overlap apply. “auto” compares the usual "
            "frameworks for the job and chooses one; “any” uses the best of all frameworks."),
        NAMES ({ "auto", N_ ("Auto") })),
  KEY (TRAINING_SOFTWARE_DATE, "training.software_date", DATE, 0, 0, NULL, N_ ("Software date"),
       NULL, "inputs#training",
       N_ ("The month of the framework release, which sets the available features. Default: the "
           "newest known release.")),
  BOOL (TRAINING_SOFTWARE_COMPILE, "training.software.compile", N_ ("Compile with torch.compile"),
        "inputs#software",
        N_ ("torch.compile or XLA fuses the element-wise operations between matrix products.")),
  BOOL (TRAINING_SOFTWARE_FUSED_KERNELS, "training.software.fused_kernels", N_ ("Fused kernels"),
        "inputs#software",
        N_ ("Hand-written kernels for norms, rotary embedding and activations, such as Transformer "
            "Engine, Apex, Liger or Unsloth. Compiled layers do not need them.")),
  KEY (TRAINING_SOFTWARE_FLASH_ATTENTION, "training.software.flash_attention", VERSION, 1, 3, NULL,
       N_ ("FlashAttention version"), NULL, "inputs#software",
       N_ ("Version 3 requires Hopper and also covers the cuDNN kernels. None: the kernel is not "
           "fused."),
       NAMES ({ "0", N_ ("None") }, { "1", N_ ("FlashAttention 1") },
              { "2", N_ ("FlashAttention 2") }, { "3", N_ ("FlashAttention 3") })),
  BOOL (TRAINING_SOFTWARE_ASYNC_TP, "training.software.async_tp",
        N_ ("Asynchronous tensor parallelism"), "inputs#software",
        N_ ("Tensor-parallel communication runs in chunks that overlap with the matrix products.")),
  BOOL (TRAINING_SOFTWARE_DP_OVERLAP, "training.software.dp_overlap",
        N_ ("Gradient communication overlap"), "inputs#software",
        N_ ("The exchange of gradients between replicas overlaps with the backward pass.")),
  BOOL (TRAINING_SOFTWARE_FLAT_BUFFERS, "training.software.flat_buffers", N_ ("Gradient buckets"),
        "inputs#software",
        N_ ("Gradients and parameters are exchanged in large buckets instead of one by one.")),
  BOOL (TRAINING_SOFTWARE_CUDA_GRAPHS, "training.software.cuda_graphs",
        N_ ("CUDA graphs for the router"), "inputs#software",
        N_ ("CUDA graphs capture the router and the expert dispatch, so the host launches them all "
            "at once.")),
  BOOL (TRAINING_SOFTWARE_MOE_OVERLAP, "training.software.moe_overlap",
        N_ ("Expert communication overlap"), "inputs#software",
        N_ ("Tokens move to experts on other nodes while other micro-batches compute.")),
  BOOL (TRAINING_SOFTWARE_FUSED_CROSS_ENTROPY, "training.software.fused_cross_entropy",
        N_ ("Fused cross-entropy"), "inputs#software",
        N_ ("The loss uses the 16-bit logits, without 32-bit copies.")),
  BOOL (TRAINING_SOFTWARE_CHUNKED_CROSS_ENTROPY, "training.software.chunked_cross_entropy",
        N_ ("Chunked cross-entropy"), "inputs#software",
        N_ ("The loss is computed for one eighth of the tokens at a time, so only their logits are "
            "in memory. torchtune, Liger and Unsloth do this.")),
  BOOL (TRAINING_SOFTWARE_FUSED_CASTS, "training.software.fused_casts", N_ ("Fused casts"),
        "inputs#software",
        N_ ("Kernels cast their outputs to precisions below 16 bits themselves.")),
  BOOL (TRAINING_SOFTWARE_BLOCKING_LAUNCHES, "training.software.blocking_launches",
        N_ ("Blocking kernel launches"), "inputs#software",
        N_ ("The host waits for each kernel to finish, as with CUDA_LAUNCH_BLOCKING=1. This is "
            "slow and never the default.")),
  BOOL (TRAINING_SOFTWARE_REENTRANT_CHECKPOINTING, "training.software.reentrant_checkpointing",
        N_ ("Re-entrant checkpointing"), "inputs#software",
        N_ ("The older recomputation mode of PyTorch (use_reentrant). With frozen weights that "
            "FSDP shards, it keeps the layer inputs until the backward pass ends.")),
  BOOL (TRAINING_SOFTWARE_UNSHARDED_ACCUMULATION, "training.software.unsharded_accumulation",
        N_ ("Unsharded accumulation"), "inputs#software",
        N_ ("FSDP reduces the gradients only after the last micro-batch (no_sync). Until then, "
            "each GPU holds all gradients.")),
  BOOL (TRAINING_SOFTWARE_LOSS_UPCAST, "training.software.loss_upcast", N_ ("32-bit logits"),
        "inputs#software",
        N_ ("The model converts its logits to 32 bits for the loss, as Hugging Face models do.")),
  BOOL (TRAINING_SOFTWARE_FUSED_ADAPTERS, "training.software.fused_adapters", N_ ("Fused adapters"),
        "inputs#software",
        N_ ("With other fused kernels, the adapters also have fused kernels, as in Unsloth: no "
            "casts between adapters and base.")),
  WORD (TRAINING_SOFTWARE_MOE_DISPATCHER, "training.software.moe_dispatcher", dispatcher_choices,
        N_ ("Expert dispatcher"), "inputs#software",
        N_ ("A plain all-to-all sends a copy of a token for each of its experts; DeepEP, and "
            "HybridEP in larger scale-up domains, send it once to each node and each GPU that has "
            "some. By default the recipes’ own: within eight GPUs the plain one."),
        NAMES ({ "alltoall", N_ ("All-to-all") }, { "deepep", N_ ("DeepEP") },
               { "hybridep", N_ ("HybridEP") })),
  WORD (TRAINING_OVERLAP, "training.overlap", sw_overlap_names, N_ ("Communication overlap"),
        "formula-overlap", N_ ("Without overlap, all communication delays the step."),
        NAMES ({ "auto", N_ ("As the framework does") }, { "none", N_ ("None") })),
  WORD (TRAINING_OFFLOAD_DEVICE, "training.offload_device", offload_device_choices,
        N_ ("Offload to"), "formula-offload",
        N_ ("Where offloaded states and parameters are kept: in host memory, or on the drives of "
            "the node (ZeRO-Infinity; only with ZeRO 3 of DeepSpeed)."),
        NAMES ({ "host", N_ ("Host memory") }, { "nvme", N_ ("NVMe drives") })),
  NUM (TRAINING_MEMORY_TARGET, "training.memory_target", 0.05, 1, N_ ("Memory target"), NULL,
       "formula-states#usable",
       N_ ("The share of usable memory that a strategy can fill. Default: 0.9, or 0.8 for the "
           "quick score.")),
  BOOL (TRAINING_ALLOW_UNTRIED, "training.allow_untried", N_ ("Consider untried strategies"),
        "advice#level",
        N_ ("Includes strategies that recipes avoid or that no measured run has validated: "
            "offload, uneven stages, tensor parallelism beyond a node.")),
  NUM (TRAINING_TOKENS, "training.tokens", 1, 1e18, N_ ("Tokens to train on"), N_ ("tokens"),
       "formula-cost", N_ ("The number of tokens to train on. Duration and cost depend on it.")),
  NUM (TRAINING_EXAMPLES, "training.examples", 1, 1e15, N_ ("Examples"), NULL, "formula-cost",
       N_ ("The number of examples in the data set (examples, pairs or prompts). Without a number "
           "of tokens, duration and cost use examples × epochs.")),
  NUM (TRAINING_EPOCHS, "training.epochs", 0.001, 1e6, N_ ("Epochs"), NULL, "formula-cost",
       N_ ("How often training uses each example. Default: once.")),
  KEY (TRAINING_DEADLINE, "training.deadline", DATE, 0, 0, NULL, N_ ("Deadline"), NULL,
       "cost#deadline",
       N_ ("The date by which training must finish. The Plan page shows the smallest cluster that "
           "meets it.")),
  WORD (TRAINING_ADAPTERS, "training.adapters", adapter_choices, N_ ("Adapters"), "formula-lora",
        N_ ("Train adapters on frozen weights for preferences, rewards or distillation. The frozen "
            "weights also serve as the reference."),
        NAMES ({ "none", N_ ("None") }, { "lora", N_ ("LoRA") }, { "qlora", N_ ("QLoRA") })),
  INT (TRAINING_LORA_RANK, "training.lora.rank", 1, 65536, N_ ("LoRA rank"), NULL, "formula-lora",
       N_ ("The inner width of the adapters. A higher rank trains more parameters. Default: 16.")),
  WORD (TRAINING_LORA_TARGETS, "training.lora.targets", lora_target_choices, N_ ("LoRA targets"),
        "formula-lora",
        N_ ("The layers with adapters: all linear layers or only those of attention."),
        NAMES ({ "all-linear", N_ ("All linear layers") }, { "attention", N_ ("Attention only") })),
  KEY (TRAINING_LORA_MODULES, "training.lora.modules", STRINGS, 0, 0, sw_lora_module_names,
       N_ ("LoRA modules"), NULL, "formula-lora",
       N_ ("The linear layers with adapters, by name. Overrides the targets: query, key, value and "
           "output projections; gate, up and down projections of the MLP.")),
  NUM (TRAINING_LORA_ALPHA, "training.lora.alpha", 0.001, 1e6, N_ ("LoRA alpha"), NULL,
       "formula-lora",
       N_ ("The scale of the adapters, divided by the rank. It affects neither memory nor time, "
           "but exports include it.")),
  NUM (TRAINING_LORA_DROPOUT, "training.lora.dropout", 0, 0.99, N_ ("LoRA dropout"), NULL,
       "formula-lora",
       N_ ("The dropout probability of the adapter inputs. Above 0, each adapter keeps its own "
           "input. Default: 0.")),
  BOOL (TRAINING_LORA_DORA, "training.lora.dora", N_ ("DoRA"), "formula-lora",
        N_ ("Decomposes weights into magnitude and direction. Each pass computes the full adapter "
            "products for their norms.")),
  BOOL (TRAINING_LORA_EMBEDDINGS, "training.lora.embeddings", N_ ("Train embedding and head"),
        "formula-lora",
        N_ ("Trains copies of the embedding and the head in addition to the adapters "
            "(modules_to_save).")),
  WORD (TRAINING_BASE_PRECISION, "training.base_precision", base_choices, N_ ("Frozen base"),
        "formula-lora",
        N_ ("The precision of the frozen weights. Default: bf16, or NF4 with QLoRA."),
        NAMES ({ "bf16", N_ ("BF16") }, { "fp8", N_ ("FP8") }, { "nf4", N_ ("NF4") })),
  BOOL (TRAINING_DOUBLE_QUANTIZATION, "training.double_quantization", N_ ("Double quantization"),
        "formula-lora",
        N_ ("Also quantizes the scales of a 4-bit base: 4.13 bits per weight instead of 4.5. "
            "Default: on.")),
  WORD (TRAINING_RLHF_ALGORITHM, "training.rlhf.algorithm", sw_algorithm_names, N_ ("Algorithm"),
        "formula-rlhf",
        N_ ("PPO also trains a critic; GRPO and RLOO do not. For preferences, DPO, IPO and KTO use "
            "a reference model; ORPO and SimPO do not."),
        NAMES ({ "ppo", N_ ("PPO") }, { "grpo", N_ ("GRPO") }, { "rloo", N_ ("RLOO") },
               { "dpo", N_ ("DPO") }, { "ipo", N_ ("IPO") }, { "kto", N_ ("KTO") },
               { "orpo", N_ ("ORPO") }, { "simpo", N_ ("SimPO") })),
  BOOL (
      TRAINING_RLHF_REFERENCE, "training.rlhf.reference", N_ ("Reference model"), "formula-rlhf",
      N_ ("Runs a frozen copy of the model forward. With adapters, the model without its adapters "
          "is the reference and needs no extra weights. Default: as the algorithm requires.")),
  INT (TRAINING_RLHF_GROUP_SIZE, "training.rlhf.group_size", 1, 65536, N_ ("Answers per prompt"),
       NULL, "formula-rlhf",
       N_ ("Sequences in the batch that answer the same prompt (GRPO, RLOO). The prompt is "
           "processed once for all of them. Default: 1.")),
  NUM (TRAINING_RLHF_CRITIC_PARAMETERS_B, "training.rlhf.critic_parameters_b", 0.001, 10000,
       N_ ("Critic size"), N_ ("billion parameters"), "formula-rlhf",
       N_ ("The size of the critic and the reward model. Default: the size of the policy.")),
  INT (TRAINING_RLHF_RESPONSE_LENGTH, "training.rlhf.response_length", 1, 1073741824,
       N_ ("Response length"), N_ ("tokens"), "formula-rlhf",
       N_ ("The number of generated tokens per sequence. The rest is the prompt.")),
  BOOL (TRAINING_RLHF_COLOCATED, "training.rlhf.colocated", N_ ("Generation on the same GPUs"),
        "formula-rlhf",
        N_ ("On: the training GPUs also generate, in turn. Off: the GPUs that are not used for "
            "training generate.")),
  NUM (TRAINING_DISTILL_TEACHER_PARAMETERS_B, "training.distill.teacher_parameters_b", 0.001, 10000,
       N_ ("Teacher size"), N_ ("billion parameters"), "jobs",
       N_ ("The size of the frozen model that the student learns from. Default: the size of the "
           "student.")),
  INT (TRAINING_PACKING_MEAN_DOCUMENT, "training.packing.mean_document", 1, 1073741824,
       N_ ("Mean document length (packed)"), N_ ("tokens"), "formula-attention",
       N_ ("The mean length of documents packed into one sequence. A token attends only to its own "
           "document.")),
  INT (TRAINING_PADDING_MEAN_LENGTH, "training.padding.mean_length", 1, 1073741824,
       N_ ("Mean example length (padded)"), N_ ("tokens"), "formula-attention",
       N_ ("The mean length of examples that are each padded to the full sequence length. Padding "
           "tokens are computed but do not count.")),

  INT (STRATEGY_TP, "strategy.tp", 1, 131072, N_ ("Tensor parallel"), NULL, "dimensions#tp",
       N_ ("The number of GPUs that share the matrices of every layer.")),
  INT (STRATEGY_ETP, "strategy.etp", 1, 131072, N_ ("Expert tensor parallel"), NULL,
       "dimensions#ep",
       N_ ("The number of GPUs that share the matrices of each expert. Default: the tensor "
           "parallel size.")),
  INT (STRATEGY_PP, "strategy.pp", 1, 10000, N_ ("Pipeline parallel"), NULL, "dimensions#pp",
       N_ ("The number of stages that the layers are split into.")),
  INT (STRATEGY_VPP, "strategy.vpp", 1, 10000, N_ ("Virtual stages"), NULL, "dimensions#pp",
       N_ ("The number of chunks of layers per GPU in an interleaved pipeline. More chunks shrink "
           "the bubble but add transfers.")),
  INT (STRATEGY_DP, "strategy.dp", 1, 131072, N_ ("Data parallel"), NULL, "dimensions#dp",
       N_ ("The number of replicas. Each processes its part of the batch.")),
  INT (STRATEGY_CP, "strategy.cp", 1, 131072, N_ ("Context parallel"), NULL, "dimensions#cp",
       N_ ("The number of GPUs that share each sequence.")),
  WORD (STRATEGY_CP_METHOD, "strategy.cp_method", sw_cp_method_names,
        N_ ("Context-parallel method"), "formula-overlap#context",
        N_ ("How these GPUs exchange keys and values: in a ring, by all-gather, or by heads "
            "(Ulysses)."),
        NAMES ({ "ring", N_ ("Ring") }, { "allgather", N_ ("All-gather") },
               { "ulysses", N_ ("Ulysses") })),
  INT (STRATEGY_EP, "strategy.ep", 1, 131072, N_ ("Expert parallel"), NULL, "dimensions#ep",
       N_ ("The number of GPUs that the experts are spread over.")),
  BOOL (STRATEGY_SEQUENCE_PARALLEL, "strategy.sequence_parallel", N_ ("Sequence parallel"),
        "dimensions#tp",
        N_ ("Shards the activations between tensor-parallel matrix products over the same GPUs, at "
            "no extra cost.")),
  INT (STRATEGY_ZERO_STAGE, "strategy.zero_stage", 0, 3, N_ ("ZeRO stage"), NULL, "dimensions#dp",
       N_ ("What replicas shard instead of replicate. 1: optimizer states; 2: also gradients; 3: "
           "also parameters (FSDP)."),
       NAMES ({ "0", N_ ("0 – no sharding") }, { "1", N_ ("1 – optimizer states") },
              { "2", N_ ("2 – also gradients") }, { "3", N_ ("3 – also parameters") })),
  INT (STRATEGY_SHARD_GROUP, "strategy.shard_group", 1, 131072, N_ ("Shard group size"),
       N_ ("GPUs"), "dimensions#dp",
       N_ ("The number of replicas to shard over. Fewer than all replicas is hybrid sharding.")),
  INT (STRATEGY_MICRO_BATCH_SIZE, "strategy.micro_batch_size", 1, 65536, N_ ("Micro-batch"),
       N_ ("sequences"), "formula-activations",
       N_ ("Sequences that a GPU processes at once. Overrides the micro-batch of the training "
           "settings.")),
  KEY (STRATEGY_RECOMPUTE, "strategy.recompute", RECOMPUTE, 0, 0, NULL, N_ ("Recomputation"), NULL,
       "formula-activations#recompute",
       N_ ("Activations that are dropped and recomputed in the backward pass."),
       NAMES ({ "none", N_ ("None") }, { "selective", N_ ("Selective") }, { "full", N_ ("Full") })),
  KEY (STRATEGY_RECOMPUTE_MODULES, "strategy.recompute_modules", STRINGS, 0, 0,
       sw_recompute_module_names, N_ ("Modules to recompute"), NULL,
       "formula-activations#recompute",
       N_ ("The parts of a layer that “selective” recomputes, by their Megatron-Core names.")),
  WORD (STRATEGY_SCHEDULE, "strategy.schedule", sw_schedule_names, N_ ("Pipeline schedule"),
        "formula-pipeline", N_ ("The order of forward and backward passes through the stages."),
        NAMES ({ "gpipe", N_ ("GPipe") }, { "1f1b", N_ ("1F1B") },
               { "interleaved", N_ ("Interleaved 1F1B") },
               { "zero-bubble", N_ ("Zero bubble (ZB-H1)") })),
  WORD (STRATEGY_OFFLOAD, "strategy.offload", sw_offload_names, N_ ("Offload"), "formula-offload",
        N_ ("What is kept in host memory."),
        NAMES ({ "none", N_ ("None") }, { "optimizer", N_ ("Optimizer") },
               { "optimizer+params", N_ ("Optimizer and parameters") },
               { "activations", N_ ("Activations") })),

  NUM (COST_PRICE, "cost.price", 0, 1e6, N_ ("Price"), N_ ("per GPU-hour"), "formula-cost",
       N_ ("The rental price of one GPU-hour. Default: the lowest price in the catalog, with its "
           "date.")),
  KEY (COST_CURRENCY, "cost.currency", CURRENCY, 0, 0, NULL, N_ ("Currency"), NULL, "formula-cost",
       N_ ("The currency of all prices. Prices are not converted.")),
  KEY (COST_PRICE_DATE, "cost.price_date", DATE, 0, 0, NULL, N_ ("Price date"), NULL,
       "formula-cost", N_ ("The date of the price, shown next to it.")),
  KEY (COST_CAPEX_PER_GPU, "cost.capex_per_gpu", NUMBER, 0, 1e6, NULL,
       N_ ("Purchase price per GPU"), NULL, "formula-cost",
       N_ ("For owned hardware: the price of a GPU with its share of node and network.")),
  KEY (COST_DEPRECIATION_YEARS, "cost.depreciation_years", NUMBER, 0.1, 100, NULL,
       N_ ("Depreciation"), N_ ("years"), "formula-cost",
       N_ ("The number of years over which the purchase is spread evenly. Default: 4, an "
           "assumption.")),
  KEY (COST_POWER_W, "cost.power_w", NUMBER, 0, 1e6, NULL, N_ ("Power per GPU"), N_ ("W"),
       "formula-cost",
       N_ ("The power that a GPU draws under load, with its share of the node. Default: its rated "
           "power, an upper bound.")),
  KEY (COST_PUE, "cost.pue", NUMBER, 1, 10, NULL, N_ ("Power usage effectiveness"), NULL,
       "formula-cost",
       N_ ("The power of the whole building divided by the power of its computers. Default: 1.56, "
           "the mean of a survey.")),
  KEY (COST_KWH_PRICE, "cost.kwh_price", NUMBER, 0, 1e6, NULL, N_ ("Price per kWh"), NULL,
       "formula-cost",
       N_ ("The price of electricity. Default: the industrial price in the United States.")),
  KEY (COST_GRID_KG_CO2_PER_KWH, "cost.grid_kg_co2_per_kwh", NUMBER, 0, 100, NULL,
       N_ ("CO₂ per kWh"), N_ ("kg"), "formula-cost",
       N_ ("The emissions of your grid. Default: the world average.")),
  KEY (COST_OVERHEAD_SHARE, "cost.overhead_share", NUMBER, 0, 100, NULL, N_ ("Overheads"), NULL,
       "formula-cost",
       N_ ("Staff, network and buildings, as a share of hardware and electricity. Default: 0.2, an "
           "assumption.")),
  KEY (COST_MTBF_GPU_HOURS, "cost.mtbf_gpu_hours", NUMBER, 1, 1e9, NULL,
       N_ ("Time between failures"), N_ ("GPU-hours"), "formula-goodput",
       N_ ("The mean time between interruptions of one GPU, in hours. A job on N GPUs is "
           "interrupted N times as often.")),
  KEY (COST_STORAGE_GB_S, "cost.storage_gb_s", NUMBER, 0.001, 1e6, NULL, N_ ("Storage bandwidth"),
       N_ ("GB/s"), "formula-goodput",
       N_ ("The rate at which the whole job writes checkpoints. Default: proportional to the "
           "number of GPUs.")),
  KEY (COST_RESTART_S, "cost.restart_s", NUMBER, 0, 1e6, NULL, N_ ("Restart"), N_ ("seconds"),
       "formula-goodput",
       N_ ("The time from an interruption until training continues, without the lost work.")),

};

static gpointer
index_keys (gpointer data)
{
  GHashTable *index = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    g_hash_table_insert (index, (gpointer) keys[i].path, (gpointer) &keys[i]);
  return index;
}

/**
 * shardwise_key_get:
 * @id: a key
 *
 * Returns: (transfer none): its row of the table
 */
const ShardwiseKey *
shardwise_key_get (ShardwiseKeyId id)
{
  g_return_val_if_fail (id > SHARDWISE_KEY_NONE && id < SHARDWISE_N_KEYS, NULL);

  return &keys[id];
}

/**
 * shardwise_key_path:
 * @id: a key
 *
 * Returns: (transfer none) (nullable): its path: "training.sequence_length"; %NULL for
 * SHARDWISE_KEY_NONE
 */
const char *
shardwise_key_path (ShardwiseKeyId id)
{
  return keys[id].path;
}

/**
 * shardwise_key_find:
 * @path: "training.sequence_length"
 *
 * Returns: (transfer none) (nullable): the key; %NULL if there is none with that path
 */
const ShardwiseKey *
shardwise_key_find (const char *path)
{
  static GOnce index = G_ONCE_INIT;

  g_return_val_if_fail (path != NULL, NULL);

  return g_hash_table_lookup (g_once (&index, index_keys, NULL), path);
}

/* Shortest text of a bound: "131,072" but "0.1" and "1e+18". */
static char *
format_bound (double value)
{
  if (value == floor (value) && value < 1e10)
    return shardwise_format_whole (value);
  return g_strdup_printf ("%.6g", value);
}

/**
 * shardwise_key_describe_range:
 * @key: a key
 *
 * Returns: (transfer full): the allowed values of @key, translated: "1 to 131,072 GPUs", "bf16,
 * fp16 or fp8"
 */
char *
shardwise_key_describe_range (const ShardwiseKey *key)
{
  g_autofree char *low = NULL, *high = NULL;

  switch (key->kind)
    {
    case SHARDWISE_KIND_BOOLEAN: return g_strdup (_ ("true or false"));
    case SHARDWISE_KIND_DATE: return g_strdup (_ ("a date as YYYY-MM or YYYY-MM-DD"));
    case SHARDWISE_KIND_CHOICE: return shardwise_text_enumerate (key->choices);
    case SHARDWISE_KIND_STRINGS:
      low = shardwise_text_enumerate (key->choices);
      /* Translators: %s is a list of words that a file may hold */
      return g_strdup_printf (_ ("an array of %s"), low);
    case SHARDWISE_KIND_RECOMPUTE:
      return g_strdup (_ ("none, selective, full or {\"full_layers\": N}"));
    case SHARDWISE_KIND_GPU:
      return g_strdup (_ (
          "a GPU in the catalog, or an object with a “base” and the values that differ from it"));
    case SHARDWISE_KIND_VERSION:
      low = format_bound (key->minimum);
      high = format_bound (key->maximum);
      /* Translators: a range of whole numbers, or the word of a file for "none of them" */
      return g_strdup_printf (_ ("%s to %s, or false"), low, high);
    case SHARDWISE_KIND_CURRENCY:
      return g_strdup (_ ("a three-letter code (ISO 4217), such as USD or EUR"));
    case SHARDWISE_KIND_STRING: return g_strdup (_ ("text"));
    case SHARDWISE_KIND_INTEGER:
    case SHARDWISE_KIND_NUMBER:
    default: break;
    }
  low = format_bound (key->minimum);
  high = format_bound (key->maximum);
  if (key->unit == NULL)
    /* Translators: a range of numbers */
    return g_strdup_printf (_ ("%s to %s"), low, high);
  /* Translators: a range of numbers and its unit: 1 to 131,072 GPUs */
  return g_strdup_printf (_ ("%s to %s %s"), low, high, _ (key->unit));
}

static gboolean
fail (const ShardwiseKey *key, ShardwiseError code, GVariant *value, GError **error)
{
  g_autofree char *accepted = shardwise_key_describe_range (key);
  g_autofree char *text = NULL;
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  /* As a person wrote it: 8.5, not 8.5000000000000000, and texts in quotes. */
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    text = g_strdup_printf ("“%.60s”", g_variant_get_string (value, NULL));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    text =
        g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.15g", g_variant_get_double (value)));
  else
    text = g_variant_print (value, FALSE);
  if (code == SHARDWISE_ERROR_TYPE
      && (key->kind == SHARDWISE_KIND_INTEGER || key->kind == SHARDWISE_KIND_VERSION)
      && g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    /* Translators: a number with a fraction, then what is accepted */
    g_propagate_error (error, shardwise_error_new (code, key->path,
                                                   _ ("%s is not a whole number; allowed: %s"),
                                                   text, accepted));
  else if (code == SHARDWISE_ERROR_TYPE)
    /* Translators: a value of a wrong type, then what is accepted */
    g_propagate_error (error, shardwise_error_new (code, key->path,
                                                   _ ("%s has the wrong type; allowed: %s"), text,
                                                   accepted));
  else if (code == SHARDWISE_ERROR_RANGE)
    /* Translators: a number outside its range, then the range */
    g_propagate_error (error,
                       shardwise_error_new (code, key->path, _ ("%s is out of range; allowed: %s"),
                                            text, accepted));
  else
    /* Translators: a word that is none of the known ones, then these */
    g_propagate_error (
        error,
        shardwise_error_new (code, key->path, _ ("%s is unknown; allowed: %s"), text, accepted));
  return FALSE;
}

static gboolean
check_number (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  double number;

  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BYTE: number = g_variant_get_byte (value); break;
    case G_VARIANT_CLASS_INT16: number = g_variant_get_int16 (value); break;
    case G_VARIANT_CLASS_UINT16: number = g_variant_get_uint16 (value); break;
    case G_VARIANT_CLASS_INT32: number = g_variant_get_int32 (value); break;
    case G_VARIANT_CLASS_UINT32: number = g_variant_get_uint32 (value); break;
    case G_VARIANT_CLASS_INT64: number = (double) g_variant_get_int64 (value); break;
    case G_VARIANT_CLASS_UINT64: number = (double) g_variant_get_uint64 (value); break;
    case G_VARIANT_CLASS_DOUBLE: number = g_variant_get_double (value); break;
    case G_VARIANT_CLASS_BOOLEAN:
    case G_VARIANT_CLASS_HANDLE:
    case G_VARIANT_CLASS_STRING:
    case G_VARIANT_CLASS_OBJECT_PATH:
    case G_VARIANT_CLASS_SIGNATURE:
    case G_VARIANT_CLASS_VARIANT:
    case G_VARIANT_CLASS_MAYBE:
    case G_VARIANT_CLASS_ARRAY:
    case G_VARIANT_CLASS_TUPLE:
    case G_VARIANT_CLASS_DICT_ENTRY:
    default: return fail (key, SHARDWISE_ERROR_TYPE, value, error);
    }

  if (!(number >= key->minimum && number <= key->maximum)) /* also rejects NaN */
    return fail (key, SHARDWISE_ERROR_RANGE, value, error);
  if (key->kind == SHARDWISE_KIND_NUMBER)
    *out = g_variant_new_double (number);
  else if (number == floor (number))
    *out = g_variant_new_int64 ((gint64) number);
  else
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  return TRUE;
}

/* none | selective | full | full_layers:N with 0 <= N <= 10000 */
static gboolean
is_recompute (const char *text)
{
  guint64 layers;

  if (g_str_equal (text, "none") || g_str_equal (text, "selective") || g_str_equal (text, "full"))
    return TRUE;
  return g_str_has_prefix (text, "full_layers:")
         && g_ascii_string_to_unsigned (text + strlen ("full_layers:"), 10, 0, 10000, &layers,
                                        NULL);
}

/* An ISO 4217 code, converted to capitals: "eur" is EUR. The set of codes changes, so only the form
 * is checked. */
static gboolean
check_currency (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  g_autofree char *code = NULL;

  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  code = g_strstrip (g_ascii_strup (g_variant_get_string (value, NULL), -1));
  if (strlen (code) != 3 || strspn (code, G_CSET_A_2_Z) != 3)
    return fail (key, SHARDWISE_ERROR_CHOICE, value, error);
  *out = g_variant_new_take_string (g_steal_pointer (&code));
  return TRUE;
}

static gboolean
check_text (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  const char *text;
  GDate date;

  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  text = g_variant_get_string (value, NULL);
  if (key->kind == SHARDWISE_KIND_CHOICE && !g_strv_contains (key->choices, text))
    return fail (key, SHARDWISE_ERROR_CHOICE, value, error);
  if (key->kind == SHARDWISE_KIND_DATE && !shardwise_date_parse (text, &date))
    return fail (key, SHARDWISE_ERROR_RANGE, value, error);
  if (key->kind == SHARDWISE_KIND_RECOMPUTE && !is_recompute (text))
    return fail (key, SHARDWISE_ERROR_CHOICE, value, error);
  *out = g_variant_ref (value);
  return TRUE;
}

static gboolean
check_strings (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  g_autofree const char **words = NULL;

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_ARRAY) && g_variant_n_children (value) == 0)
    {
      *out = g_variant_new_strv (NULL, 0);
      return TRUE;
    }
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING_ARRAY))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  words = g_variant_get_strv (value, NULL);
  for (guint i = 0; words[i] != NULL; i++)
    if (!g_strv_contains (key->choices, words[i]))
      return fail (key, SHARDWISE_ERROR_CHOICE, value, error);
  *out = g_variant_ref (value);
  return TRUE;
}

/* An object is stored in one layout, so that equal objects are equal values. */
static gboolean
check_gpu (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  g_autoptr (JsonNode) node = NULL;
  const char *text;

  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  text = g_variant_get_string (value, NULL);
  if (text[0] != '{')
    {
      *out = g_variant_ref (value);
      return TRUE;
    }
  node = shardwise_json_parse (text, strlen (text), error);
  if (node == NULL)
    {
      g_prefix_error (error, "%s: ", key->path);
      return FALSE;
    }
  *out = g_variant_new_take_string (g_strstrip (shardwise_json_to_string (node)));
  return TRUE;
}

/* A version; 0 and false: none. */
static gboolean
check_version (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  const gboolean is_none =
      (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN) && !g_variant_get_boolean (value))
      || (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64) && g_variant_get_int64 (value) == 0)
      || (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE) && g_variant_get_double (value) == 0);

  if (!is_none)
    return check_number (key, value, out, error); /* which also rejects true */
  *out = g_variant_new_int64 (0);
  return TRUE;
}

static gboolean
check_boolean (const ShardwiseKey *key, GVariant *value, GVariant **out, GError **error)
{
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return fail (key, SHARDWISE_ERROR_TYPE, value, error);
  *out = g_variant_ref (value);
  return TRUE;
}

/**
 * shardwise_key_normalise:
 * @key: a key
 * @value: sunk if floating; of any natural type: integers of every width and doubles are numbers;
 * strings are never numbers
 *
 * Returns: (transfer full): @value in the key's own type (x, d, b, s or as), or %NULL with @error,
 * which states the path and the allowed values
 */
GVariant *
shardwise_key_normalise (const ShardwiseKey *key, GVariant *value, GError **error)
{
  static gboolean (*const checks[]) (const ShardwiseKey *, GVariant *, GVariant **, GError **) = {
    [SHARDWISE_KIND_INTEGER] = check_number,  [SHARDWISE_KIND_NUMBER] = check_number,
    [SHARDWISE_KIND_BOOLEAN] = check_boolean, [SHARDWISE_KIND_STRINGS] = check_strings,
    [SHARDWISE_KIND_GPU] = check_gpu,         [SHARDWISE_KIND_CURRENCY] = check_currency,
    [SHARDWISE_KIND_STRING] = check_text,     [SHARDWISE_KIND_CHOICE] = check_text,
    [SHARDWISE_KIND_DATE] = check_text,       [SHARDWISE_KIND_RECOMPUTE] = check_text,
    [SHARDWISE_KIND_VERSION] = check_version,
  };
  g_autoptr (GVariant) held = g_variant_ref_sink (value);
  GVariant *out = NULL;

  return checks[key->kind](key, held, &out, error) ? g_variant_take_ref (out) : NULL;
}

/**
 * shardwise_key_check:
 * @key: a key
 * @value: a value for it; sunk if floating
 *
 * Returns: whether @key allows @value; otherwise @error states the path and the allowed values
 */
gboolean
shardwise_key_check (const ShardwiseKey *key, GVariant *value, GError **error)
{
  g_autoptr (GVariant) normalised = shardwise_key_normalise (key, value, error);

  return normalised != NULL;
}

/**
 * shardwise_key_word_title:
 * @id: a key
 * @word: one of its words
 *
 * Returns: (transfer none): its display name, translated; @word itself if it has none
 */
const char *
shardwise_key_word_title (ShardwiseKeyId id, const char *word)
{
  int framework = sw_name_index (sw_framework_names, word);

  if (id == SHARDWISE_KEY_TRAINING_FRAMEWORK && framework >= 0)
    return shardwise_text_framework (framework);
  for (const ShardwiseWord *i = keys[id].words; i != NULL && i->word != NULL; i++)
    if (g_str_equal (i->word, word))
      return _ (i->title);
  return word;
}

/**
 * shardwise_key_describe_help:
 * @usual: (nullable): its displayed default
 *
 * Returns: (transfer full): the meaning of @key, its allowed values and its default, one line each
 */
char *
shardwise_key_describe_help (const ShardwiseKey *key, const char *usual)
{
  g_autofree char *range = NULL;
  GString *text;

  g_return_val_if_fail (key != NULL, NULL);

  text = g_string_new (_ (key->help));
  if (key->kind == SHARDWISE_KIND_INTEGER || key->kind == SHARDWISE_KIND_NUMBER
      || key->kind == SHARDWISE_KIND_DATE || key->kind == SHARDWISE_KIND_CURRENCY)
    {
      range = shardwise_key_describe_range (key);
      g_string_append_c (text, '\n');
      /* Translators: what an input accepts: "Accepted: 1 to 131,072 GPUs" */
      g_string_append_printf (text, _ ("Allowed: %s"), range);
    }
  if (usual != NULL && *usual != '\0')
    {
      g_string_append_c (text, '\n');
      /* Translators: the value of an input that was not set */
      g_string_append_printf (text, _ ("Default here: %s"), usual);
    }
  return g_string_free (text, FALSE);
}
