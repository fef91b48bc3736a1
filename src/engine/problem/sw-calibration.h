/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-cluster.h"
#include "sw-software.h"

G_BEGIN_DECLS

/* The error |ln (predicted / measured)| that nine in ten runs of one kind do not exceed. It
 * includes the uncertainty of the constants, differences between labs and the spread within one
 * lab. */
typedef struct {
  guint rows, sources; /* measured runs and their sources */
  double time_p90, memory_p90;
} SwResidual;

/* Cross-validated error: the constants are fitted on one half of the sources and checked on the
 * other. Mean over sources of |ln (predicted / measured)|: the median and the 90th percentile. */
typedef struct {
  double time_median, time_p90, memory_median, memory_p90;
} SwAccuracy;
extern const char *const sw_accuracy_names[]; /* "training", "fine-tuning" */

/* How well a framework runs, apart from the features of its release; fitted or from its
 * documentation. */
typedef struct {
  double gemm_factor; /* of the GPU's sustained GEMM rate */
  double tp_exposed, dp_exposed, ep_exposed, cp_exposed, pp_exposed,
      fsdp_exposed;         /* share of the communication that stays exposed where it can overlap
                               with compute */
  double tp_exposed_packed; /* tp_exposed on packed sequences if it differs; else 0 */
  double selective_share;   /* share of a layer's forward pass that "selective" repeats besides
                               core attention */
  double allocator_factor;  /* reserved / allocated bytes (fragmentation) */
  double gradient_bytes;    /* per parameter while accumulating: 2 or 4 */
  double straggler_per_doubling; /* slowdown per doubling of the number of nodes */
} SwProfile;

#define SW_MAX_MEASURED_GPUS 24

/* An output tile that GEMM libraries choose from; rate: of its inner loop relative to the largest
 * tile's. */
typedef struct {
  double per_row, per_column, rate; /* 1 / rows and 1 / columns: powers of two, so exact */
} SwTile;

#define SW_N_TILES 5

/* When software gained a feature; a year, 2026.5 = June 2026. */
typedef struct {
  double mla_rope_fused; /* rotary embedding of latent attention in one kernel */
  double permute_fused;  /* permutation of tokens */
  double experts_fused;  /* grouped GEMMs that apply activations and cast, on Blackwell */
  /* experts' outputs are multiplied by their probabilities before the second projection, so that no
   * outputs are kept */
  double probabilities_in_activation;
  /* selective checkpointing by operator; before, every second layer was recomputed whole */
  double operator_policy;
  /* before, DeepSpeed means Megatron-DeepSpeed and GPT-like models with dropout */
  double deepspeed_hugging_face;
  /* default of questions without a date: the newest software among the measured runs */
  double newest, newest_megatron_2021;
  double sequence_parallel;   /* sequence parallelism and selective recomputation in Megatron */
  double megatron_offload;    /* optimizer states and activations on the host */
  double nemo_2;              /* before, NeMo's recipes stepped with fp32 moments */
  double frozen_inputs_freed; /* bitsandbytes: a frozen 4-bit layer no longer keeps its input */
  double selective_norms; /* recipes of Megatron-Core recompute norms and experts' activations */
} SwReleases;

/* Prior uncertainty about a machine before a probe, and how much probe results differ from a
 * training step: standard deviations of the logarithm. */
typedef struct {
  double kernel_known, kernel_unknown;      /* kernel rates of a GPU with and without measured
                                               runs */
  double kernel_gap, memory_gap, loose_gap; /* probe to step: GEMMs; memory; kernels that take
                                               another form */
  double launch;
  double link, link_inside, link_gap; /* PCIe and networks; links of a scale-up domain; probe to
                                         step */
  double footprint;                   /* memory of context and communicators */
} SwProbeBelief;

/* The constants of the model, read from data/catalogue/calibration.json. All are doubles, so that
 * the file and the fit can address each by name: see sw_calibration_lookup(). */
typedef struct {
  struct {
    double gemm_bf16, gemm_fp8,
        gemm_fp4; /* sustained share of the dense peak, long K, on the generation's best card */
    double attention_flash; /* share of the 16-bit peak: causal half counted, head size 128, long
                               sequence */
    double hbm;             /* share of the nominal memory rate */
    double host_factor;     /* host thread time of the generation's machines / an A100 machine's */
    double launch_s_per_routing; /* host time of routing and dispatch, per MoE layer and pass */
    double w_per_tflops; /* watts per peak 16-bit TFLOP/s at which the reference card runs its
                            GEMMs */
    double best_gemm;    /* the best measured share of the peak on the generation's own cards */
  } generation[SW_N_GENERATIONS];
  double power_exponent; /* exponent of watts per FLOP/s, for cards without a measured rate */
  double gemm_k_half;    /* inner dimension at which a GEMM reaches half of its long-K rate */
  double fp8_rowwise;    /* rate of row-wise scaled FP8 GEMMs / tensor-wise */
  double mxfp8;          /* rate of FP8 GEMMs scaled by blocks of 32 / tensor-wise */
  double cast_traffic;   /* traffic to cast an operand below 16 bits / the ideal */
  double cast_s;         /* additional time of a cast's short kernels: maxima, scales, layouts */
  double
      expert_tokens_half;  /* tokens per expert at which a grouped GEMM reaches half of its rate */
  double expert_imbalance; /* tokens of the busiest rank / the mean, dropless */
  double launch_s_per_expert;      /* host time per local expert, layer and pass */
  double launch_s_per_cast_expert; /* additional host time if operands are cast to 8 or 4 bits
                                      expert by expert */
  double launch_s_per_tensor;      /* host time per parameter tensor of an optimizer step */
  double launch_s_per_hook;    /* host time of a module's hooks under DeepSpeed ZeRO 3, per pass */
  double launch_blocking;      /* host time of launches that wait for their kernel's end / of other
                               launches */
  double loss_chunks;          /* number of chunks of a loss that is computed chunk by chunk */
  double launch_s_per_adapter; /* host time of a linear layer's adapter, per pass */
  double ep_beside_exposed;    /* share of the expert communication that stays exposed beside
                                  other micro-batches */
  double permute_traffic;      /* traffic to route a token's copy / the ideal */
  double gptq_unpacking;       /* traffic to expand a 4-bit weight kernel by kernel */
  double unfused_attention;    /* share of the GEMM rate */
  double retries_from; /* share of the usable memory above which the allocator may have to free
                          and retry */
  double retries_most; /* largest addition to the step time by retries, as a share */
  double nvlink_efficiency, network_efficiency,
      pcie_efficiency; /* bus bandwidth / nominal, large messages */
  double intra_half_bytes,
      inter_half_bytes; /* message size that reaches half of the bus bandwidth; inter: per
                           network card */
  double inter_half_link_bytes_per_s; /* link rate of the card that inter_half_bytes holds for */
  double intra_slice_bytes; /* half-rate size of one rank's slice in a ring on 450 GB/s links */
  double intra_latency_s, inter_latency_s; /* per hop of a ring */
  double all_to_all_efficiency;            /* bandwidth / that of ring collectives */
  double all_to_all_hashed;          /* the same over a network that spreads flows by hashes */
  double optimizer_factor;           /* traffic of the optimizer step / the ideal */
  double superchip_host_bytes_per_s; /* one direction between a superchip's GPU and its host;
                                        other GPUs use PCIe */
  double host_bytes_per_s;           /* memory rate of one node's CPUs, for copies */
  double host_optimizer_unfused;     /* time of PyTorch's Adam on the host / a fused Adam */
  double host_optimizer_bytes_per_s; /* the part of host_bytes_per_s that the optimizer step gets
                                        with all cores at work */
  double context_bytes, nccl_bytes_per_group; /* CUDA context, and buffers of each communicator */
  double fixed_s;          /* data loading, logging and synchronization of one step */
  double gemm_slices;      /* most slices along K that a GEMM is split into */
  double gemm_slice_below; /* share of busy SMs below which a GEMM is split */
  double gemm_slice_k;     /* smallest inner dimension of a slice */
  double gemm_slice_rate;  /* share of the rate left after adding up the slices */
  double gemm_most;        /* share of the peak of GEMMs that power does not limit */
  double gemm_narrow;      /* a narrower matrix is limited by its tiles, whatever its alignment */
  /* share of the rate if rows are aligned to 16 bytes, not to 64 */
  double gemm_half_aligned;
  double gemm_unaligned; /* share of the rate without that alignment */
  /* factor on expert_tokens_half for the weight's gradient, which also reads and writes the
   * accumulated gradients */
  double expert_gradient_half;
  double attention_head_half; /* head size at which a flash kernel reaches half of its rate */
  double attention_keys_half; /* keys per query at which it reaches half of its rate */
  double attention_block;     /* queries per block of a flash kernel */
  double attention_forward;   /* rate of the forward pass / both passes */
  double attention_backward;  /* rate of the backward pass / both passes */
  /* rate with queries and keys of 192 and values of 128 / with 128 */
  double latent_attention;
  double pcie_copy_efficiency; /* share of the nominal rate for copies between a GPU and its host */
  double pcie_uplinks;         /* GPUs of a node with an uplink each; beyond, two GPUs share one */
  double baseboard_gpus;       /* a larger scale-up domain consists of superchips */
  /* bandwidth of one copy between two GPUs / of a ring over the eight GPUs of a PCIe node */
  double pcie_pair_share;
  double pcie_all_to_all_share; /* the same for pairs that all cross the link between sockets */
  double pcie_root_share;       /* the same for a ring under one root complex */
  double pcie_root_gpus;        /* GPUs under one root complex */
  double pcie_most;             /* largest share of a PCIe link that any of these reaches */
  /* ring hops that one tree level costs: up, down and a pipeline of chunks */
  double tree_hops;
  double all_to_all_batch; /* pairs of an all-to-all that start together */
  /* link rate that intra_slice_bytes holds for; faster links need larger slices */
  double intra_slice_link_bytes_per_s;
  /* messages below this share of the half-rate size use low-latency protocols and lose less */
  double short_message_ramp;
  double permute_unfused; /* factor on routing traffic if every step is a kernel of its own */
  /* elements added to each row for its indices and probabilities, and because a short row uses only
   * a part of each fetch */
  double permute_row_overhead;
  /* host time of routing on Blackwell without CUDA graphs / with them */
  double routing_ungraphed;
  double plain_dispatch_ranks; /* recipes dispatch by a plain all-to-all up to this many GPUs */
  /* per element, to merge one step of ring attention with a fused kernel */
  double attention_merge_bytes;
  /* the same with four fp32 kernels: cast, difference, product and sum */
  double attention_merge_unfused_bytes;
  /* bucket size for gradients and gathered parameters */
  double deepspeed_bucket_elements;
  double deepspeed_sub_group_elements;        /* elements of a shard that ZeRO 3 steps at once */
  double deepspeed_live_parameters;           /* gathered parameters that ZeRO 3 keeps */
  double megatron_bucket_parameters;          /* smallest gradient bucket, in parameters */
  double megatron_bucket_parameters_per_rank; /* the same per rank */
  /* error of an unmeasured kind / of the worst measured kind */
  double unmeasured_beyond_widest;
  double unmeasured_beyond_all; /* the same / of all runs, as a minimum */
  SwProbeBelief probe;
  guint excuses; /* SwUnmeasured bits that a probe of this machine makes irrelevant */
  SwTile tile[SW_N_TILES];
  SwReleases since;
  SwProfile profile[SW_N_FRAMEWORKS];
  /* year since which a framework enables a feature by default; 0: always; 9999: never */
  double feature[SW_N_FRAMEWORKS][SW_N_FEATURES];
  struct {
    double memory_bound_factor; /* traffic of element-wise kernels / of kernels that fuse
                                   everything possible */
    double launch_s_per_layer;  /* host time of one layer's forward pass, and again its backward,
                                   on an A100 host */
  } kernels[SW_N_KERNEL_CLASSES];
  /* rate of a flash kernel / the generation's best */
  struct {
    double before_hopper, hopper, blackwell;
  } flash[SW_N_FLASH_KERNELS];
  double cast_delay; /* share by which GEMMs below 16 bits are slower on Blackwell if the
                        preceding kernels do not cast their operands */
  SwResidual residual[SW_N_GENERATIONS][SW_N_FRAMEWORKS][2][2]; /* [..][..][is_moe][is_adapter] */
  SwResidual residual_all;
  SwAccuracy accuracy[2];                      /* of training, of fine-tuning */
  char measured_gpu[SW_MAX_MEASURED_GPUS][48]; /* ids of the GPUs with measured runs; "" ends the
                                                  list */
} SwCalibration;

gboolean sw_calibration_knows_gpu (const SwCalibration *calibration, const char *id);
void sw_calibration_widest (const SwCalibration *calibration, gboolean is_moe, SwResidual *out);
double *sw_calibration_lookup (SwCalibration *calibration, const char *name);
const SwResidual *
sw_calibration_residual (const SwCalibration *calibration, SwGeneration generation,
                         SwFramework framework, gboolean is_moe, gboolean is_adapter);

G_END_DECLS
