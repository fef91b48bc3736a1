/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-text-strategy.h"
#include "shardwise-dimension.h"
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

/* Of what joins GPUs, and nodes. */
static const ShardwiseWord links[] = {
  { "nvlink", N_ ("NVLink") },
  { "infiniband", N_ ("InfiniBand") },
  { "roce", N_ ("RoCE") },
  { "pcie", N_ ("PCIe") },
  { "ethernet", N_ ("Ethernet") },
  { "efa", N_ ("EFA") },
  { NULL, NULL },
};

/* A row: after its help may stand its words. The spellings of model-layer choices come from the
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
        N_ ("What the scenario is called, in the window and in reports.")),
  TEXT (NOTES, "notes", N_ ("Notes"), "scenario-file",
        N_ ("Text of your own that the file keeps.")),

  TEXT (MODEL_PRESET, "model.preset", N_ ("Model"), "inputs#model",
        N_ ("A model of the catalogue, with its published architecture.")),
  NUM (MODEL_PARAMETERS_B, "model.parameters_b", 0.1, 10000, N_ ("Model size"),
       N_ ("billion parameters"), "inputs#model",
       N_ ("A bare size. A Llama-like architecture of as many parameters is derived from it.")),
  WORD (MODEL_KIND, "model.kind", sw_model_kind_names, N_ ("Kind of model"), "inputs#model",
        N_ ("A language model, or a vision or diffusion transformer, which is approximated as a "
            "decoder without causal mask.")),
  INT (MODEL_LAYERS, "model.layers", 1, 10000, N_ ("Layers"), NULL, "formula-parameters",
       N_ ("Transformer layers. Pipeline stages are cut between them.")),
  INT (MODEL_HIDDEN_SIZE, "model.hidden_size", 1, 1048576, N_ ("Hidden size"), NULL,
       "formula-parameters", N_ ("Width of the residual stream between the layers.")),
  INT (MODEL_INTERMEDIATE_SIZE, "model.intermediate_size", 1, 16777216, N_ ("MLP size"), NULL,
       "formula-parameters", N_ ("Width inside the MLP of a layer.")),
  INT (MODEL_ATTENTION_HEADS, "model.attention_heads", 1, 65536, N_ ("Attention heads"), NULL,
       "formula-parameters", N_ ("Query heads. Tensor parallelism has to divide them.")),
  INT (MODEL_KV_HEADS, "model.kv_heads", 1, 65536, N_ ("Key/value heads"), NULL,
       "formula-parameters",
       N_ ("Heads of keys and values: fewer than query heads with grouped-query attention. By "
           "default as many as query heads.")),
  INT (MODEL_HEAD_DIM, "model.head_dim", 1, 65536, N_ ("Head dimension"), NULL,
       "formula-parameters", N_ ("Width of a head. By default hidden size over attention heads.")),
  INT (MODEL_VOCAB_SIZE, "model.vocab_size", 1, 16777216, N_ ("Vocabulary"), N_ ("tokens"),
       "formula-parameters", N_ ("Tokens of the vocabulary: size of embedding, head and logits.")),
  INT (MODEL_MAX_POSITION_EMBEDDINGS, "model.max_position_embeddings", 1, 1073741824,
       N_ ("Longest sequence of the model"), N_ ("tokens"), "inputs#model",
       N_ ("The longest sequence that the model was made for. A longer one is computed, with a "
           "note.")),
  BOOL (MODEL_GATED_MLP, "model.gated_mlp", N_ ("Gated MLP"), "formula-parameters",
        N_ ("Three matrices in the MLP (SwiGLU and its like) instead of two.")),
  BOOL (MODEL_TIED_EMBEDDINGS, "model.tied_embeddings", N_ ("Tied embeddings"),
        "formula-parameters", N_ ("The head uses the weights of the embedding.")),
  WORD (MODEL_NORM, "model.norm", sw_norm_names, N_ ("Normalisation"), "formula-parameters",
        N_ ("RMSNorm has a weight, LayerNorm a weight and a bias.")),
  INT (MODEL_NORMS_PER_LAYER, "model.norms_per_layer", 0, 16, N_ ("Normalisations per layer"), NULL,
       "formula-parameters", N_ ("Norms in a layer. Each has weights and keeps its input.")),
  WORD (MODEL_QK_NORM, "model.qk_norm", sw_qk_norm_names, N_ ("Query/key normalisation"),
        "formula-parameters",
        N_ ("Whether queries and keys are normalised, by head or over their whole width.")),
  BOOL (MODEL_BIAS_QKV, "model.bias.qkv", N_ ("Bias of query, key and value"), "formula-parameters",
        N_ ("Whether the projections of query, key and value have a bias.")),
  BOOL (MODEL_BIAS_ATTN_OUT, "model.bias.attn_out", N_ ("Bias of the attention output"),
        "formula-parameters", N_ ("Whether the output projection of attention has a bias.")),
  BOOL (MODEL_BIAS_MLP, "model.bias.mlp", N_ ("Bias of the MLP"), "formula-parameters",
        N_ ("Whether the matrices of the MLP have a bias.")),
  WORD (MODEL_POSITION_EMBEDDING, "model.position_embedding", sw_position_names,
        N_ ("Position embedding"), "formula-parameters",
        N_ ("Learned positions are parameters; rotary ones are not.")),
  BOOL (MODEL_PARALLEL_BLOCK, "model.parallel_block", N_ ("Attention and MLP in parallel"),
        "formula-overlap#tensor",
        N_ ("Attention and MLP read the same input: one tensor-parallel exchange a layer instead "
            "of two.")),
  INT (MODEL_SLIDING_WINDOW, "model.sliding_window", 1, 1073741824, N_ ("Sliding window"),
       N_ ("tokens"), "formula-attention",
       N_ ("Tokens that a query looks back on. Without one it sees all before it.")),
  WORD (MODEL_SLIDING_WINDOW_PATTERN, "model.sliding_window_pattern", sw_window_pattern_names,
        N_ ("Layers with a sliding window"), "formula-attention",
        N_ ("Which layers have the sliding window.")),
  INT (MODEL_MTP_LAYERS, "model.mtp_layers", 0, 100, N_ ("Multi-token-prediction layers"), NULL,
       "formula-parameters",
       N_ ("Layers for multi-token prediction at the end of the last stage.")),
  INT (MODEL_MOE_EXPERTS, "model.moe.experts", 1, 65536, N_ ("Experts"), NULL, "formula-experts",
       N_ ("Routed experts of a layer.")),
  INT (MODEL_MOE_TOP_K, "model.moe.top_k", 1, 65536, N_ ("Experts per token"), NULL,
       "formula-experts", N_ ("Experts that each token is sent to.")),
  INT (MODEL_MOE_INTERMEDIATE_SIZE, "model.moe.intermediate_size", 1, 16777216, N_ ("Expert size"),
       NULL, "formula-experts", N_ ("Width inside one expert.")),
  INT (MODEL_MOE_SHARED_INTERMEDIATE_SIZE, "model.moe.shared_intermediate_size", 0, 16777216,
       N_ ("Size of the shared experts"), NULL, "formula-experts",
       N_ ("Width of the experts that every token passes, together. 0: there are none.")),
  INT (MODEL_MOE_FIRST_DENSE_LAYERS, "model.moe.first_dense_layers", 0, 10000,
       N_ ("First dense layers"), NULL, "formula-experts",
       N_ ("Layers at the start that have an MLP in place of experts.")),
  INT (MODEL_MOE_LAYER_FREQUENCY, "model.moe.layer_frequency", 1, 10000,
       N_ ("Experts in every n-th layer"), NULL, "formula-experts",
       N_ ("1: experts in every layer; 2: in every second one.")),
  INT (MODEL_MLA_Q_LORA_RANK, "model.mla.q_lora_rank", 0, 1048576, N_ ("Query rank"), NULL,
       "formula-parameters", N_ ("Width to which queries are compressed. 0: they are not.")),
  INT (MODEL_MLA_KV_LORA_RANK, "model.mla.kv_lora_rank", 1, 1048576, N_ ("Key/value rank"), NULL,
       "formula-parameters",
       N_ ("Width to which keys and values are compressed (multi-head latent attention).")),
  INT (MODEL_MLA_QK_NOPE_HEAD_DIM, "model.mla.qk_nope_head_dim", 0, 65536,
       N_ ("Query/key width without rotation"), NULL, "formula-parameters",
       N_ ("Width of queries and keys, by head, that is not rotated.")),
  INT (MODEL_MLA_QK_ROPE_HEAD_DIM, "model.mla.qk_rope_head_dim", 0, 65536,
       N_ ("Query/key width with rotation"), NULL, "formula-parameters",
       N_ ("Width of queries and keys, by head, that carries the position.")),
  INT (MODEL_MLA_V_HEAD_DIM, "model.mla.v_head_dim", 1, 65536, N_ ("Value width"), NULL,
       "formula-parameters", N_ ("Width of values, by head.")),

  KEY (
      CLUSTER_GPU, "cluster.gpu", GPU, 0, 0, NULL, N_ ("GPU"), NULL, "inputs#cluster",
      N_ ("Decides memory, peak rates, the link inside a node and what a GPU-hour usually costs.")),
  INT (CLUSTER_GPUS, "cluster.gpus", 1, 131072, N_ ("Number of GPUs"), N_ ("GPUs"),
       "inputs#cluster",
       N_ ("How many GPUs the job may use. A strategy may leave some idle, and says so.")),
  INT (CLUSTER_GPUS_PER_NODE, "cluster.gpus_per_node", 1, 1024, N_ ("GPUs per node"), N_ ("GPUs"),
       "inputs#cluster", N_ ("GPUs that share a host. Tensor parallelism should stay within.")),
  NUM (CLUSTER_GPU_MEMORY_GB, "cluster.gpu_memory_gb", 8, 320, N_ ("GPU memory"), N_ ("GB"),
       "formula-states#usable",
       N_ ("Nominal memory. What can be used is a little less, in the proportion of the GPU "
           "chosen.")),
  INT (CLUSTER_NVLINK_DOMAIN, "cluster.nvlink_domain", 1, 131072,
       N_ ("GPUs that the fast link joins"), N_ ("GPUs"), "formula-collectives",
       N_ ("GPUs that the fast link joins: a node, or a whole rack.")),
  TEXT (CLUSTER_INTRA_NODE, "cluster.intra_node", N_ ("Link inside a node"), "formula-collectives",
        N_ ("What joins the GPUs of a node. By default that of the GPU."), .words = links),
  NUM (CLUSTER_INTRA_NODE_GB_S, "cluster.intra_node_gb_s", 0.001, 100000,
       N_ ("Bandwidth inside a node"), N_ ("GB/s"), "formula-collectives",
       N_ ("Of each GPU, in one direction. By default the rate of the link.")),
  TEXT (CLUSTER_INTER_NODE, "cluster.inter_node", N_ ("Network"), "formula-collectives",
        N_ ("What joins the nodes. By default what is usual between nodes of the GPU: InfiniBand, "
            "RoCE, or Ethernet of 100 or 10 Gb/s."),
        .words = links),
  NUM (CLUSTER_INTER_NODE_GB_S, "cluster.inter_node_gb_s", 0.001, 100000,
       N_ ("Network bandwidth per GPU"), N_ ("GB/s"), "formula-collectives",
       N_ ("Each GPU’s part of the network, in one direction: 400 Gbit/s are 50 GB/s.")),
  NUM (CLUSTER_OVERSUBSCRIPTION, "cluster.oversubscription", 1, 100, N_ ("Oversubscription"), NULL,
       "formula-collectives",
       N_ ("How much thinner the network is beyond a pod: 1 is a full one, 2 has half the "
           "bandwidth between pods.")),
  INT (CLUSTER_POD_GPUS, "cluster.pod_gpus", 0, 131072, N_ ("GPUs in a pod"), N_ ("GPUs"),
       "formula-collectives",
       N_ ("GPUs behind one switch with full bandwidth. 0: those of a node.")),
  NUM (CLUSTER_HOST_RAM_GB, "cluster.host_ram_gb", 1, 1000000, N_ ("Host memory per node"),
       N_ ("GB"), "formula-offload",
       N_ ("What offloaded states have to fit into, on each node. By default what is usual for "
           "each GPU that the job has there.")),
  NUM (CLUSTER_NVME_GB_S, "cluster.nvme_gb_s", 0.01, 10000, N_ ("NVMe bandwidth per node"),
       N_ ("GB/s"), "formula-offload",
       N_ ("What the drives of a node read or write together, for all of its GPUs.")),

  WORD (TRAINING_TYPE, "training.type", sw_training_choices, N_ ("Type"), "jobs",
        N_ ("Pre-training and full fine-tuning train all parameters; LoRA and QLoRA adapters "
            "beside frozen ones; reinforcement learning generates and scores answers too. "
            "Preferences and rewards are learnt from pairs of answers, distillation from a "
            "teacher."),
        NAMES ({ "pretrain", N_ ("Pre-training") }, { "finetune", N_ ("Full fine-tuning") },
               { "lora", N_ ("LoRA") }, { "qlora", N_ ("QLoRA") }, { "rlhf", N_ ("RLHF") },
               { "dpo", N_ ("Preferences (DPO)") }, { "reward", N_ ("Reward model") },
               { "distill", N_ ("Distillation") })),
  INT (TRAINING_SEQUENCE_LENGTH, "training.sequence_length", 1, 1073741824, N_ ("Sequence length"),
       N_ ("tokens"), "formula-attention", N_ ("Tokens of one sequence. By default 4,096.")),
  INT (TRAINING_GLOBAL_BATCH_SIZE, "training.global_batch_size", 1, 1e9, N_ ("Global batch"),
       N_ ("sequences"), "formula-pipeline",
       N_ ("Sequences of one optimizer step, over all replicas. By default about a million tokens, "
           "or 32 sequences where a trained model is tuned; more on many GPUs, and a number that "
           "they divide. For tokens divide by the sequence length.")),
  INT (TRAINING_MICRO_BATCH_SIZE, "training.micro_batch_size", 1, 65536, N_ ("Micro-batch"),
       N_ ("sequences"), "formula-activations",
       N_ ("Sequences that a GPU processes at once. Larger: better kernels, more memory, a larger "
           "bubble.")),
  WORD (TRAINING_PRECISION, "training.precision", precision_choices, N_ ("Precision"),
        "formula-gemm",
        N_ ("Of the matrix products. Below 16 bits master weights and attention stay as they are."),
        NAMES ({ "bf16", N_ ("BF16") }, { "fp16", N_ ("FP16") },
               { "fp8", N_ ("FP8, one scale per tensor") },
               { "fp8-tensorwise", N_ ("FP8, one scale per tensor") },
               { "fp8-rowwise", N_ ("FP8, one scale per row") }, { "mxfp8", N_ ("MXFP8") },
               { "nvfp4", N_ ("NVFP4") })),
  WORD (TRAINING_OPTIMIZER, "training.optimizer", sw_optimizer_names, N_ ("Optimizer"),
        "formula-states",
        N_ ("Decides the bytes of state for each parameter, and the time of the step’s end."),
        NAMES ({ "adamw", N_ ("AdamW") }, { "adam8bit", N_ ("8-bit Adam") },
               { "adafactor", N_ ("Adafactor") }, { "muon", N_ ("Muon") },
               { "sgd", N_ ("SGD with momentum") },
               { "paged-adamw-8bit", N_ ("Paged 8-bit AdamW") }, { "lion", N_ ("Lion") })),
  WORD (TRAINING_STATES_PARAMETERS, "training.states.parameters", wide_choices,
        N_ ("Stored parameters"), "formula-states#precision",
        N_ ("What FSDP shards and its optimizer updates. By default fp32; Megatron and DeepSpeed "
            "have 16 bits beside master weights."),
        NAMES ({ "fp32", N_ ("FP32") }, { "bf16", N_ ("BF16") })),
  WORD (TRAINING_STATES_GRADIENTS, "training.states.gradients", wide_choices,
        N_ ("Accumulated gradients"), "formula-states#precision",
        N_ ("Gradients as Megatron and Nanotron accumulate and reduce them. By default as the "
            "framework does."),
        NAMES ({ "fp32", N_ ("FP32") }, { "bf16", N_ ("BF16") })),
  WORD (
      TRAINING_STATES_MASTER, "training.states.master", master_choices, N_ ("Master weights"),
      "formula-states#precision",
      N_ ("A copy of the weights in fp32 that the optimizer updates, or none: it updates those in "
          "16 bits."),
      NAMES ({ "fp32", N_ ("FP32") }, { "none", N_ ("None") })),
  WORD (TRAINING_STATES_MOMENTS, "training.states.moments", moment_choices,
        N_ ("Moments of the optimizer"), "formula-states#precision",
        N_ ("By default fp32, or as the parameters where there are no master weights."),
        NAMES ({ "fp32", N_ ("FP32") }, { "bf16", N_ ("BF16") }, { "8bit", N_ ("8 bits") })),
  BOOL (
      TRAINING_OPTIMIZER_IN_BACKWARD, "training.optimizer_in_backward",
      N_ ("Optimizer in the backward pass"), "formula-states#precision",
      N_ ("Each layer is updated as soon as its gradients are there, which are those of one layer "
          "at a time; nothing accumulates. With PyTorch’s FSDP, without a pipeline.")),
  WORD (TRAINING_ATTENTION, "training.attention", attention_choices, N_ ("Attention kernel"),
        "formula-attention",
        N_ ("Flash attention keeps no scores; the unfused kernel keeps the whole square. “sdpa” is "
            "PyTorch’s own flash kernel, of version 2; “eager” another name for unfused."),
        NAMES ({ "flash", N_ ("FlashAttention") }, { "unfused", N_ ("Unfused") },
               { "sdpa", N_ ("PyTorch SDPA") }, { "eager", N_ ("Eager") })),
  WORD (
      TRAINING_FRAMEWORK, "training.framework", sw_framework_choices, N_ ("Framework"),
      "inputs#training",
      N_ ("Whose rules, memory and overlap hold. “auto” compares those that are usual for the job "
          "and names one, “any” takes the best of all."),
      NAMES ({ "auto", N_ ("Auto") })),
  KEY (TRAINING_SOFTWARE_DATE, "training.software_date", DATE, 0, 0, NULL, N_ ("Software of"), NULL,
       "inputs#training",
       N_ ("Release of the framework, by its month: what it could do then. By default the newest "
           "one known.")),
  BOOL (TRAINING_SOFTWARE_COMPILE, "training.software.compile", N_ ("Compile with torch.compile"),
        "inputs#software",
        N_ ("torch.compile, or XLA, fuses the element-wise work between the matrix products.")),
  BOOL (TRAINING_SOFTWARE_FUSED_KERNELS, "training.software.fused_kernels", N_ ("Fused kernels"),
        "inputs#software",
        N_ ("Hand-written kernels for norms, rotary embedding and activations: Transformer Engine, "
            "Apex, Liger, Unsloth. Compiled layers need none.")),
  KEY (TRAINING_SOFTWARE_FLASH_ATTENTION, "training.software.flash_attention", VERSION, 1, 3, NULL,
       N_ ("FlashAttention version"), NULL, "inputs#software",
       N_ ("3 needs Hopper, and stands for cuDNN’s kernels too. None: the kernel is not fused."),
       NAMES ({ "0", N_ ("None") }, { "1", N_ ("FlashAttention 1") },
              { "2", N_ ("FlashAttention 2") }, { "3", N_ ("FlashAttention 3") })),
  BOOL (TRAINING_SOFTWARE_ASYNC_TP, "training.software.async_tp",
        N_ ("Asynchronous tensor parallelism"), "inputs#software",
        N_ ("Tensor-parallel communication runs in chunks beside the matrix products.")),
  BOOL (TRAINING_SOFTWARE_DP_OVERLAP, "training.software.dp_overlap",
        N_ ("Overlap of gradient exchange"), "inputs#software",
        N_ ("Gradients are exchanged between replicas beside the backward pass.")),
  BOOL (TRAINING_SOFTWARE_FLAT_BUFFERS, "training.software.flat_buffers",
        N_ ("Gradients in buckets"), "inputs#software",
        N_ ("Gradients and parameters are exchanged in large buckets instead of one by one.")),
  BOOL (
      TRAINING_SOFTWARE_CUDA_GRAPHS, "training.software.cuda_graphs",
      N_ ("CUDA graphs for the router"), "inputs#software",
      N_ ("Router and dispatch of experts are captured in CUDA graphs, which the host launches at "
          "once.")),
  BOOL (TRAINING_SOFTWARE_MOE_OVERLAP, "training.software.moe_overlap",
        N_ ("Overlap of expert communication"), "inputs#software",
        N_ ("Tokens travel to experts on other nodes while other micro-batches compute.")),
  BOOL (TRAINING_SOFTWARE_FUSED_CROSS_ENTROPY, "training.software.fused_cross_entropy",
        N_ ("Fused cross-entropy"), "inputs#software",
        N_ ("The loss works on the 16-bit logits, without copies of them in 32 bits.")),
  BOOL (TRAINING_SOFTWARE_CHUNKED_CROSS_ENTROPY, "training.software.chunked_cross_entropy",
        N_ ("Cross-entropy in chunks"), "inputs#software",
        N_ ("The loss is computed for an eighth of the tokens at a time, and only their logits are "
            "in memory: torchtune, Liger and Unsloth do so.")),
  BOOL (TRAINING_SOFTWARE_FUSED_CASTS, "training.software.fused_casts", N_ ("Fused casts"),
        "inputs#software", N_ ("Operands below 16 bits are cast by the kernels that make them.")),
  BOOL (TRAINING_SOFTWARE_BLOCKING_LAUNCHES, "training.software.blocking_launches",
        N_ ("Blocking kernel launches"), "inputs#software",
        N_ ("The host waits for the end of each kernel, as with CUDA_LAUNCH_BLOCKING=1. Slow, and "
            "never the default.")),
  BOOL (TRAINING_SOFTWARE_REENTRANT_CHECKPOINTING, "training.software.reentrant_checkpointing",
        N_ ("Re-entrant checkpointing"), "inputs#software",
        N_ ("PyTorch’s older way to recompute activations (use_reentrant). Beside frozen weights "
            "that FSDP shards it keeps the layers’ inputs until the backward pass is over.")),
  BOOL (TRAINING_SOFTWARE_UNSHARDED_ACCUMULATION, "training.software.unsharded_accumulation",
        N_ ("Unsharded accumulation"), "inputs#software",
        N_ ("FSDP reduces the gradients of the last micro-batch alone (no_sync), and keeps all of "
            "them on each GPU until then.")),
  BOOL (TRAINING_SOFTWARE_LOSS_UPCAST, "training.software.loss_upcast", N_ ("Logits in 32 bits"),
        "inputs#software",
        N_ ("The model turns its logits into 32 bits for the loss, as those of Hugging Face do.")),
  BOOL (TRAINING_SOFTWARE_FUSED_ADAPTERS, "training.software.fused_adapters", N_ ("Fused adapters"),
        "inputs#software",
        N_ ("Beside other fused kernels adapters have some, too, as in Unsloth: no casts between "
            "them and their base.")),
  WORD (TRAINING_SOFTWARE_MOE_DISPATCHER, "training.software.moe_dispatcher", dispatcher_choices,
        N_ ("Dispatcher of experts"), "inputs#software",
        N_ ("A plain all-to-all sends a copy of a token for each of its experts; DeepEP, and "
            "HybridEP in larger scale-up domains, send it once to each node and each GPU that has "
            "some. By default the recipes’ own: within eight GPUs the plain one."),
        NAMES ({ "alltoall", N_ ("All-to-all") }, { "deepep", N_ ("DeepEP") },
               { "hybridep", N_ ("HybridEP") })),
  WORD (TRAINING_OVERLAP, "training.overlap", sw_overlap_names, N_ ("Overlap of communication"),
        "formula-overlap", N_ ("Without overlap all communication delays the step."),
        NAMES ({ "auto", N_ ("As the framework does") }, { "none", N_ ("None") })),
  WORD (TRAINING_OFFLOAD_DEVICE, "training.offload_device", offload_device_choices,
        N_ ("Offload to"), "formula-offload",
        N_ ("Where states and parameters that are offloaded lie: in the memory of the host, or on "
            "the drives of the node (ZeRO-Infinity), with DeepSpeed’s ZeRO 3 alone."),
        NAMES ({ "host", N_ ("Host memory") }, { "nvme", N_ ("NVMe drives") })),
  NUM (TRAINING_MEMORY_TARGET, "training.memory_target", 0.05, 1, N_ ("Memory target"), NULL,
       "formula-states#usable",
       N_ ("Share of the usable memory that a strategy may fill: 0.9, or 0.8 in the quick score.")),
  BOOL (TRAINING_ALLOW_UNTRIED, "training.allow_untried", N_ ("Consider what nobody has measured"),
        "advice#level",
        N_ ("Also strategies that recipes go without, or whose figures no measured run has "
            "checked: offload, uneven stages, tensor parallelism beyond a node.")),
  NUM (TRAINING_TOKENS, "training.tokens", 1, 1e18, N_ ("Tokens to train on"), N_ ("tokens"),
       "formula-cost", N_ ("How many the model is to see: what days and cost are computed for.")),
  NUM (TRAINING_EXAMPLES, "training.examples", 1, 1e15, N_ ("Examples"), NULL, "formula-cost",
       N_ ("Examples of the data set, pairs or prompts: with the epochs what days and cost are "
           "computed for, where no tokens are stated.")),
  NUM (TRAINING_EPOCHS, "training.epochs", 0.001, 1e6, N_ ("Epochs"), NULL, "formula-cost",
       N_ ("How often each example is seen. By default once.")),
  KEY (TRAINING_DEADLINE, "training.deadline", DATE, 0, 0, NULL, N_ ("Deadline"), NULL,
       "cost#deadline",
       N_ ("When training is to be done. The Plan page finds the smallest cluster that is in "
           "time.")),
  WORD (TRAINING_ADAPTERS, "training.adapters", adapter_choices, N_ ("Adapters"), "formula-lora",
        N_ ("Whether preferences, rewards or a teacher train adapters beside frozen weights, which "
            "are a reference, too."),
        NAMES ({ "none", N_ ("None") }, { "lora", N_ ("LoRA") }, { "qlora", N_ ("QLoRA") })),
  INT (TRAINING_LORA_RANK, "training.lora.rank", 1, 65536, N_ ("LoRA rank"), NULL, "formula-lora",
       N_ ("Inner width of the adapters: more of it, more trained parameters. By default 16.")),
  WORD (TRAINING_LORA_TARGETS, "training.lora.targets", lora_target_choices, N_ ("LoRA targets"),
        "formula-lora",
        N_ ("Adapters beside all linear layers, or beside those of attention alone."),
        NAMES ({ "all-linear", N_ ("All linear layers") }, { "attention", N_ ("Attention only") })),
  KEY (TRAINING_LORA_MODULES, "training.lora.modules", STRINGS, 0, 0, sw_lora_module_names,
       N_ ("LoRA modules"), NULL, "formula-lora",
       N_ ("Named linear layers that have adapters, instead of the targets: query, key, value and "
           "output projection, gate, up and down of the MLP.")),
  NUM (TRAINING_LORA_ALPHA, "training.lora.alpha", 0.001, 1e6, N_ ("LoRA alpha"), NULL,
       "formula-lora",
       N_ ("Scale of the adapters over their rank. It changes neither memory nor time; exports "
           "write it.")),
  NUM (TRAINING_LORA_DROPOUT, "training.lora.dropout", 0, 0.99, N_ ("LoRA dropout"), NULL,
       "formula-lora",
       N_ ("Share of the adapters’ inputs that is dropped. Above 0 each adapter keeps an input of "
           "its own. By default 0.")),
  BOOL (TRAINING_LORA_DORA, "training.lora.dora", N_ ("DoRA"), "formula-lora",
        N_ ("Weights are decomposed into magnitude and direction: each pass makes the adapters’ "
            "products whole for their norms.")),
  BOOL (TRAINING_LORA_EMBEDDINGS, "training.lora.embeddings", N_ ("Train embedding and head"),
        "formula-lora",
        N_ ("Copies of embedding and head are trained beside the adapters (modules_to_save).")),
  WORD (TRAINING_BASE_PRECISION, "training.base_precision", base_choices, N_ ("Frozen base"),
        "formula-lora",
        N_ ("How the weights beside adapters are stored. By default bf16, and NF4 with QLoRA."),
        NAMES ({ "bf16", N_ ("BF16") }, { "fp8", N_ ("FP8") }, { "nf4", N_ ("NF4") })),
  BOOL (TRAINING_DOUBLE_QUANTIZATION, "training.double_quantization", N_ ("Double quantization"),
        "formula-lora",
        N_ ("The scales of a 4-bit base are quantized, too: 4.13 bits for each weight instead of "
            "4.5. On by default.")),
  WORD (TRAINING_RLHF_ALGORITHM, "training.rlhf.algorithm", sw_algorithm_names, N_ ("Algorithm"),
        "formula-rlhf",
        N_ ("PPO trains a critic too; GRPO and RLOO have none. Of preferences DPO, IPO and KTO "
            "compare with a reference, ORPO and SimPO do not."),
        NAMES ({ "ppo", N_ ("PPO") }, { "grpo", N_ ("GRPO") }, { "rloo", N_ ("RLOO") },
               { "dpo", N_ ("DPO") }, { "ipo", N_ ("IPO") }, { "kto", N_ ("KTO") },
               { "orpo", N_ ("ORPO") }, { "simpo", N_ ("SimPO") })),
  BOOL (TRAINING_RLHF_REFERENCE, "training.rlhf.reference", N_ ("Reference model"), "formula-rlhf",
        N_ ("A frozen copy of the model runs forward beside it; adapters that are switched off are "
            "one without weights of its own. By default as the algorithm has it.")),
  INT (TRAINING_RLHF_GROUP_SIZE, "training.rlhf.group_size", 1, 65536, N_ ("Answers to a prompt"),
       NULL, "formula-rlhf",
       N_ ("Sequences of the batch that answer the same prompt (GRPO, RLOO): it is read once for "
           "all. By default 1.")),
  NUM (TRAINING_RLHF_CRITIC_PARAMETERS_B, "training.rlhf.critic_parameters_b", 0.001, 10000,
       N_ ("Critic size"), N_ ("billion parameters"), "formula-rlhf",
       N_ ("Size of critic and reward model. By default that of the policy.")),
  INT (TRAINING_RLHF_RESPONSE_LENGTH, "training.rlhf.response_length", 1, 1073741824,
       N_ ("Response length"), N_ ("tokens"), "formula-rlhf",
       N_ ("Tokens of each sequence that are generated; the rest is the prompt.")),
  BOOL (TRAINING_RLHF_COLOCATED, "training.rlhf.colocated", N_ ("Generation on the same GPUs"),
        "formula-rlhf",
        N_ ("On: the GPUs that train also generate, one after the other. Off: those that training "
            "leaves over do.")),
  NUM (TRAINING_DISTILL_TEACHER_PARAMETERS_B, "training.distill.teacher_parameters_b", 0.001, 10000,
       N_ ("Teacher size"), N_ ("billion parameters"), "jobs",
       N_ ("The frozen model whose logits are learnt. By default as large as the student.")),
  INT (TRAINING_PACKING_MEAN_DOCUMENT, "training.packing.mean_document", 1, 1073741824,
       N_ ("Mean document when packed"), N_ ("tokens"), "formula-attention",
       N_ ("Where documents are packed into a sequence a token sees its own one only: their mean "
           "length.")),
  INT (TRAINING_PADDING_MEAN_LENGTH, "training.padding.mean_length", 1, 1073741824,
       N_ ("Mean example when padded"), N_ ("tokens"), "formula-attention",
       N_ ("Where each example is a sequence of its own, padded to the full length: its mean "
           "length. Padding is computed as any token is, and does not count.")),

  INT (STRATEGY_TP, "strategy.tp", 1, 131072, N_ ("Tensor parallel"), NULL, "dimensions#tp",
       N_ ("GPUs that share the matrices of every layer.")),
  INT (STRATEGY_ETP, "strategy.etp", 1, 131072, N_ ("Expert tensor parallel"), NULL,
       "dimensions#ep",
       N_ ("GPUs that share the matrices of each expert. By default those of tensor parallelism.")),
  INT (STRATEGY_PP, "strategy.pp", 1, 10000, N_ ("Pipeline parallel"), NULL, "dimensions#pp",
       N_ ("Stages that the layers are cut into.")),
  INT (STRATEGY_VPP, "strategy.vpp", 1, 10000, N_ ("Virtual stages"), NULL, "dimensions#pp",
       N_ ("Chunks of layers on each GPU of an interleaved pipeline: a smaller bubble, more "
           "transfers.")),
  INT (STRATEGY_DP, "strategy.dp", 1, 131072, N_ ("Data parallel"), NULL, "dimensions#dp",
       N_ ("Replicas, each with its part of the batch.")),
  INT (STRATEGY_CP, "strategy.cp", 1, 131072, N_ ("Context parallel"), NULL, "dimensions#cp",
       N_ ("GPUs that share each sequence.")),
  WORD (STRATEGY_CP_METHOD, "strategy.cp_method", sw_cp_method_names,
        N_ ("Context-parallel method"), "formula-overlap#context",
        N_ ("How they exchange keys and values: round a ring, gathered at once, or by heads "
            "(Ulysses)."),
        NAMES ({ "ring", N_ ("Ring") }, { "allgather", N_ ("All-gather") },
               { "ulysses", N_ ("Ulysses") })),
  INT (STRATEGY_EP, "strategy.ep", 1, 131072, N_ ("Expert parallel"), NULL, "dimensions#ep",
       N_ ("GPUs over which the experts are spread.")),
  BOOL (STRATEGY_SEQUENCE_PARALLEL, "strategy.sequence_parallel", N_ ("Sequence parallel"),
        "dimensions#tp",
        N_ ("Cuts the activations between the matrices of tensor parallelism over the same GPUs; "
            "costs nothing more.")),
  INT (STRATEGY_ZERO_STAGE, "strategy.zero_stage", 0, 3, N_ ("ZeRO stage"), NULL, "dimensions#dp",
       N_ ("What replicas share instead of repeating: 1 optimizer states, 2 gradients too, 3 "
           "parameters too (FSDP)."),
       NAMES ({ "0", N_ ("0 – nothing sharded") }, { "1", N_ ("1 – optimizer sharded") },
              { "2", N_ ("2 – and gradients") }, { "3", N_ ("3 – and parameters") })),
  INT (STRATEGY_SHARD_GROUP, "strategy.shard_group", 1, 131072, N_ ("GPUs to shard over"),
       N_ ("GPUs"), "dimensions#dp",
       N_ ("Over how many of the replicas. Fewer than all is hybrid sharding.")),
  INT (STRATEGY_MICRO_BATCH_SIZE, "strategy.micro_batch_size", 1, 65536, N_ ("Micro-batch"),
       N_ ("sequences"), "formula-activations",
       N_ ("Sequences that a GPU processes at once. This wins over the value of the training.")),
  KEY (STRATEGY_RECOMPUTE, "strategy.recompute", RECOMPUTE, 0, 0, NULL, N_ ("Recomputation"), NULL,
       "formula-activations#recompute",
       N_ ("Activations that are dropped and computed again in the backward pass."),
       NAMES ({ "none", N_ ("None") }, { "selective", N_ ("Selective") }, { "full", N_ ("Full") })),
  KEY (STRATEGY_RECOMPUTE_MODULES, "strategy.recompute_modules", STRINGS, 0, 0,
       sw_recompute_module_names, N_ ("Modules to recompute"), NULL,
       "formula-activations#recompute",
       N_ ("Which parts of a layer “selective” computes again, by the names of Megatron-Core.")),
  WORD (STRATEGY_SCHEDULE, "strategy.schedule", sw_schedule_names, N_ ("Pipeline schedule"),
        "formula-pipeline", N_ ("Order of forward and backward passes through the stages."),
        NAMES ({ "gpipe", N_ ("GPipe") }, { "1f1b", N_ ("1F1B") },
               { "interleaved", N_ ("Interleaved 1F1B") },
               { "zero-bubble", N_ ("Zero bubble (ZB-H1)") })),
  WORD (STRATEGY_OFFLOAD, "strategy.offload", sw_offload_names, N_ ("Offload"), "formula-offload",
        N_ ("What lives in the memory of the host."),
        NAMES ({ "none", N_ ("None") }, { "optimizer", N_ ("Optimizer") },
               { "optimizer+params", N_ ("Optimizer and parameters") },
               { "activations", N_ ("Activations") })),

  NUM (COST_PRICE, "cost.price", 0, 1e6, N_ ("Price"), N_ ("per GPU-hour"), "formula-cost",
       N_ ("What an hour of one GPU costs, rented. By default the lowest of the catalogue, with "
           "its date.")),
  KEY (COST_CURRENCY, "cost.currency", CURRENCY, 0, 0, NULL, N_ ("Currency"), NULL, "formula-cost",
       N_ ("Of all prices. None is converted.")),
  KEY (COST_PRICE_DATE, "cost.price_date", DATE, 0, 0, NULL, N_ ("Date of the price"), NULL,
       "formula-cost", N_ ("When the price was asked for; shown beside it.")),
  KEY (COST_CAPEX_PER_GPU, "cost.capex_per_gpu", NUMBER, 0, 1e6, NULL,
       N_ ("Purchase price per GPU"), NULL, "formula-cost",
       N_ ("Owned hardware: a GPU with its share of node and network.")),
  KEY (COST_DEPRECIATION_YEARS, "cost.depreciation_years", NUMBER, 0.1, 100, NULL,
       N_ ("Depreciation"), N_ ("years"), "formula-cost",
       N_ ("Years over which the purchase is spread evenly. By default 4, an assumption.")),
  KEY (COST_POWER_W, "cost.power_w", NUMBER, 0, 1e6, NULL, N_ ("Power per GPU"), N_ ("W"),
       "formula-cost",
       N_ ("What a GPU at work draws, with its share of the node. By default its rated power, an "
           "upper bound.")),
  KEY (COST_PUE, "cost.pue", NUMBER, 1, 10, NULL, N_ ("Power usage effectiveness"), NULL,
       "formula-cost",
       N_ ("Power of the whole building over that of its computers. By default 1.56, the mean of a "
           "survey.")),
  KEY (COST_KWH_PRICE, "cost.kwh_price", NUMBER, 0, 1e6, NULL, N_ ("Price of a kWh"), NULL,
       "formula-cost", N_ ("Of electricity. By default that of industry in the United States.")),
  KEY (COST_GRID_KG_CO2_PER_KWH, "cost.grid_kg_co2_per_kwh", NUMBER, 0, 100, NULL,
       N_ ("CO₂ of a kWh"), N_ ("kg"), "formula-cost",
       N_ ("Of your grid. By default the mean of the world.")),
  KEY (COST_OVERHEAD_SHARE, "cost.overhead_share", NUMBER, 0, 100, NULL, N_ ("Overheads"), NULL,
       "formula-cost",
       N_ ("Staff, network and buildings, as a share of hardware and electricity. By default 0.2, "
           "an assumption.")),
  KEY (COST_MTBF_GPU_HOURS, "cost.mtbf_gpu_hours", NUMBER, 1, 1e9, NULL,
       N_ ("Time between failures"), N_ ("GPU-hours"), "formula-goodput",
       N_ ("Hours between interruptions of one GPU; a job of N GPUs meets them N times as often.")),
  KEY (COST_STORAGE_GB_S, "cost.storage_gb_s", NUMBER, 0.001, 1e6, NULL, N_ ("Storage bandwidth"),
       N_ ("GB/s"), "formula-goodput",
       N_ ("Rate at which checkpoints are written, of the whole job. By default in proportion to "
           "the GPUs.")),
  KEY (COST_RESTART_S, "cost.restart_s", NUMBER, 0, 1e6, NULL, N_ ("Restart"), N_ ("seconds"),
       "formula-goodput",
       N_ ("From an interruption until the job trains again, without the work that is lost.")),

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
 * Returns: (transfer none) (nullable): how the file spells it: "training.sequence_length"; %NULL of
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
 * Returns: (transfer none) (nullable): the key, or %NULL where there is none of that path
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
 * Returns: (transfer full): what @key accepts, translated: "1 to 131,072 GPUs", "bf16, fp16 or fp8"
 */
char *
shardwise_key_describe_range (const ShardwiseKey *key)
{
  g_autofree char *low = NULL, *high = NULL;

  switch (key->kind)
    {
    case SHARDWISE_KIND_BOOLEAN: return g_strdup (_ ("true or false"));
    case SHARDWISE_KIND_DATE: return g_strdup (_ ("a date as YYYY-MM or YYYY-MM-DD"));
    case SHARDWISE_KIND_CHOICE: return g_strjoinv (", ", (char **) key->choices);
    case SHARDWISE_KIND_STRINGS:
      low = g_strjoinv (", ", (char **) key->choices);
      /* Translators: %s is a list of words that a file may hold */
      return g_strdup_printf (_ ("an array of %s"), low);
    case SHARDWISE_KIND_RECOMPUTE:
      return g_strdup (_ ("none, selective, full or {\"full_layers\": N}"));
    case SHARDWISE_KIND_GPU:
      return g_strdup (
          _ ("a GPU of the catalogue, or an object with a “base” and what differs from it"));
    case SHARDWISE_KIND_VERSION:
      low = format_bound (key->minimum);
      high = format_bound (key->maximum);
      /* Translators: a range of whole numbers, or the word of a file for "none of them" */
      return g_strdup_printf (_ ("%s to %s, or false"), low, high);
    case SHARDWISE_KIND_CURRENCY:
      return g_strdup (_ ("a code of three letters (ISO 4217), such as USD or EUR"));
    case SHARDWISE_KIND_STRING: return g_strdup (_ ("a text"));
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
                                                   _ ("%s is not a whole number, accepted: %s"),
                                                   text, accepted));
  else if (code == SHARDWISE_ERROR_TYPE)
    /* Translators: a value of a wrong type, then what is accepted */
    g_propagate_error (error, shardwise_error_new (code, key->path,
                                                   _ ("%s is of the wrong type, accepted: %s"),
                                                   text, accepted));
  else if (code == SHARDWISE_ERROR_RANGE)
    /* Translators: a number outside its range, then the range */
    g_propagate_error (error,
                       shardwise_error_new (code, key->path, _ ("%s is out of range, accepted: %s"),
                                            text, accepted));
  else
    /* Translators: a word that is none of the known ones, then these */
    g_propagate_error (
        error,
        shardwise_error_new (code, key->path, _ ("%s is not known, accepted: %s"), text, accepted));
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

  if (!(number >= key->minimum && number <= key->maximum)) /* also refuses NaN */
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

/* A code of ISO 4217, in capitals whatever was typed: "eur" is EUR. Which codes exist changes, so
 * that only their form is checked. */
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

/* An object is kept in one layout, so that the same object is the same value. */
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
    return check_number (key, value, out, error); /* which refuses true, too */
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
 * Returns: (transfer full): @value in the key's own type (x, d, b, s or as), or %NULL with @error
 * naming the path and what is accepted
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
 * Returns: whether @key accepts @value; else @error names the path and what is accepted
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
 * Returns: (transfer none): the name that the user reads, translated; @word itself where it has
 * none
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
 * @usual: (nullable): its default here, as the user reads it
 *
 * Returns: (transfer full): what @key means, what it accepts and its default, a line each
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
      g_string_append_printf (text, _ ("Accepted: %s"), range);
    }
  if (usual != NULL && *usual != '\0')
    {
      g_string_append_c (text, '\n');
      /* Translators: the value of an input that was not set */
      g_string_append_printf (text, _ ("Default here: %s"), usual);
    }
  return g_string_free (text, FALSE);
}
