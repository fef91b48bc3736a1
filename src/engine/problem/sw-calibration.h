/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-cluster.h"
#include "sw-software.h"

G_BEGIN_DECLS

/* How far predictions of runs of one kind may be off, |ln (predicted / measured)|, that nine in ten
 * do not exceed: what is not known of the constants, how labs differ, and how the runs of one do. */
typedef struct {
  guint rows, sources; /* that were measured */
  double time_p90, memory_p90;
} SwResidual;

/* Errors of runs of sources that the constants were not fitted on, each half of them by a fit of the
 * other: means over sources of |ln (predicted / measured)|, its median and what nine in ten do not
 * exceed. */
typedef struct {
  double time_median, time_p90, memory_median, memory_p90;
} SwAccuracy;
extern const char *const sw_accuracy_names[]; /* "training", "fine-tuning" */

/* What a framework does and how well, whatever the features of its release; fitted or from its
 * documentation. */
typedef struct {
  double gemm_factor; /* of the GPU's sustained GEMM rate */
  double tp_exposed, dp_exposed, ep_exposed, cp_exposed, pp_exposed,
      fsdp_exposed;         /* share of the communication left outside compute, where it overlaps */
  double tp_exposed_packed; /* tp_exposed on packed sequences, where it differs; 0 elsewhere */
  double selective_share;   /* share of a layer's forward pass that "selective" runs again, besides
                              core attention */
  double allocator_factor;  /* fragmentation: reserved over allocated bytes */
  double gradient_bytes;    /* per parameter while accumulating: 2 or 4 */
  double straggler_per_doubling; /* of the number of nodes */
} SwProfile;

#define SW_MAX_MEASURED_GPUS 24

/* An output tile that GEMM libraries choose from, with the rate of its inner loop over the largest
 * tile's. */
typedef struct {
  double per_row, per_column, rate; /* 1 / rows and 1 / columns: powers of two, so exact */
} SwTile;

#define SW_N_TILES 5

/* When software came to do what; a year, 2026.5 = June 2026. */
typedef struct {
  double mla_rope_fused; /* rotary embedding of latent attention in one kernel */
  double permute_fused;  /* permutation of tokens */
  double experts_fused;  /* grouped GEMMs that apply activations and cast, on Blackwell */
  /* experts' outputs are multiplied by their probabilities before the second projection,
   * which keeps no outputs */
  double probabilities_in_activation;
  /* selective checkpointing by operator; before, every second layer is recomputed whole */
  double operator_policy;
  /* until then DeepSpeed means Megatron-DeepSpeed and GPT-like models with dropout */
  double deepspeed_hugging_face;
  /* what a question without a date takes: the newest software among the measured runs */
  double newest, newest_megatron_2021;
  double sequence_parallel;   /* sequence parallelism and selective recomputation of Megatron */
  double megatron_offload;    /* optimizer states and activations on the host */
  double nemo_2;              /* until then NeMo's recipes step with fp32 moments */
  double frozen_inputs_freed; /* bitsandbytes: a frozen 4-bit layer keeps nothing of its input */
  double selective_norms; /* recipes of Megatron-Core recompute norms and experts' activations */
} SwReleases;

/* Prior belief about a machine before it is measured, and how much a probe's figures differ from
 * those in a training step: standard deviations of the logarithm. */
typedef struct {
  double kernel_known, kernel_unknown;      /* rates of a GPU with and without measured runs */
  double kernel_gap, memory_gap, loose_gap; /* products; memory; what takes another form */
  double launch;
  double link, link_inside, link_gap; /* PCIe and networks; a scale-up domain's */
  double footprint;                   /* of context and communicators */
} SwProbeBelief;

/* The constants of the model: data, read from data/catalogue/calibration.json. All double, so that
 * the file and the fit can address each by name: see sw_calibration_lookup. */
typedef struct {
  struct {
    double gemm_bf16, gemm_fp8,
        gemm_fp4; /* sustained share of the dense peak, long K, the generation's best card */
    double attention_flash; /* share of the 16-bit peak: causal half counted, head size 128, long */
    double hbm;             /* share of the nominal memory rate */
    double host_factor;     /* time of a host thread of the generation's machines over that of the
                           A100's */
    double launch_s_per_routing; /* host cost of routing and dispatch, per MoE layer and pass */
    double w_per_tflops; /* watts per peak TFLOP/s of 16 bits at which the reference card runs its
                            GEMMs */
    double best_gemm;    /* the best measured share of the peak of the generation's own cards */
  } generation[SW_N_GENERATIONS];
  double power_exponent; /* of watts per FLOP/s, for cards without a measured rate */
  double gemm_k_half;    /* inner dimension at which a GEMM runs at half of its long-K rate */
  double fp8_rowwise;    /* row-wise scaled FP8 GEMMs over tensor-wise ones */
  double mxfp8;          /* FP8 GEMMs scaled by blocks of 32 over tensor-wise ones */
  double cast_traffic;   /* bytes moved to cast an operand below 16 bits over the ideal */
  double cast_s;         /* additional work of a cast's short kernels: maxima, scales, layouts */
  double
      expert_tokens_half;  /* tokens per expert at which a grouped GEMM runs at half of its rate */
  double expert_imbalance; /* hottest rank's tokens over the mean, dropless */
  double launch_s_per_expert;      /* host cost per local expert, layer and pass */
  double launch_s_per_cast_expert; /* the same beside it where operands are cast to 8 or 4 bits,
                                      expert by expert */
  double launch_s_per_tensor;      /* host cost per parameter tensor of an optimizer's step */
  double launch_s_per_hook; /* host cost of a module's hooks under DeepSpeed's stage 3, and pass */
  double launch_blocking;   /* host cost of launches that wait for their kernel's end over that of
                             others */
  double loss_chunks;       /* of tokens that a loss computed chunk by chunk is cut into */
  double launch_s_per_adapter; /* the same of a linear layer's adapter, and pass */
  double ep_beside_exposed;    /* of the exposed expert communication, where the step has other
                               micro-batches to run beside it */
  double permute_traffic;      /* bytes moved to route a token's copy over the ideal */
  double gptq_unpacking;       /* bytes moved to expand a 4-bit weight kernel by kernel */
  double unfused_attention;    /* share of the GEMM rate */
  double retries_from; /* share of the usable memory above which the allocator may have to free and
                          ask again */
  double retries_most; /* what that adds to a step at most, over its time */
  double nvlink_efficiency, network_efficiency,
      pcie_efficiency; /* bus bandwidth over nominal, large messages */
  double intra_half_bytes,
      inter_half_bytes; /* message with half of that bus bandwidth; inter: per network card */
  double inter_half_link_bytes_per_s; /* what such a card has */
  double intra_slice_bytes; /* the same for one rank's slice in a ring on 450 GB/s links */
  double intra_latency_s, inter_latency_s; /* per hop of a ring */
  double all_to_all_efficiency;            /* of the bandwidth that ring collectives reach */
  double all_to_all_hashed;          /* the same over a network that spreads flows by hashes */
  double optimizer_factor;           /* bytes of the optimizer step over the ideal */
  double superchip_host_bytes_per_s; /* one way between a superchip's GPU and its host; other GPUs
                                        have PCIe */
  double host_bytes_per_s;           /* memory rate of one node's CPUs, for copies */
  double host_optimizer_unfused; /* time of PyTorch's Adam on the host over that of a fused one */
  double host_optimizer_bytes_per_s; /* what of it their optimizer step gets, all cores at work */
  double context_bytes, nccl_bytes_per_group; /* CUDA context and each communicator's buffers */
  double fixed_s;          /* data loading, logging and synchronisation of one step */
  double gemm_slices;      /* slices along K that a GEMM is cut in at most */
  double gemm_slice_below; /* share of the SMs kept busy below which it is cut */
  double gemm_slice_k;     /* the inner dimension of a slice, at least */
  double gemm_slice_rate;  /* of the rate: adding the slices up */
  double gemm_most;        /* share of the peak of GEMMs that power does not hold back */
  double gemm_narrow; /* a matrix narrower than this is bound by its tiles, however it is aligned */
  /* share of the rate where rows begin at multiples of 16 bytes, not of 64 */
  double gemm_half_aligned;
  double gemm_unaligned; /* share of the rate where they do not */
  /* times expert_tokens_half for the weight's gradient, which also reads and writes what has
   * been accumulated */
  double expert_gradient_half;
  double attention_head_half; /* head size at which a flash kernel runs at half of its rate */
  double attention_keys_half; /* keys of a query at which it runs at half of its rate */
  double attention_block;     /* queries of a block of a flash kernel */
  double attention_forward;   /* rate of the forward pass over that of both passes */
  double attention_backward;  /* the same of the backward pass */
  /* rate with queries and keys of 192 and values of 128 over that at 128 */
  double latent_attention;
  double pcie_copy_efficiency; /* of the nominal rate, copies between a GPU and its host */
  double pcie_uplinks; /* GPUs of a node that have a switch's uplink each; of more two share one */
  double baseboard_gpus; /* a larger scale-up domain is one of superchips */
  /* what one copy between two GPUs gets of the bandwidth of a ring over the eight GPUs of a
   * PCIe node */
  double pcie_pair_share;
  double pcie_all_to_all_share; /* the same of pairs that all cross the sockets' link at once */
  double pcie_root_share;       /* the same of a ring under one root complex */
  double pcie_root_gpus;        /* GPUs under one root complex */
  double pcie_most;             /* share of a PCIe link that any of them gets at most */
  /* hops of a ring that a level of a tree costs: up, down and a pipeline of chunks */
  double tree_hops;
  double all_to_all_batch; /* pairs of an all-to-all that start together */
  /* links that intra_slice_bytes holds for; faster ones need more */
  double intra_slice_link_bytes_per_s;
  /* messages below this part of the half-rate size use the low-latency protocols and lose
   * less */
  double short_message_ramp;
  double permute_unfused; /* times the traffic of routing where every step is a kernel of its own */
  /* elements added to the length of a row, for its indices and probabilities, and because a short
   * row uses only a part of what is fetched */
  double permute_row_overhead;
  /* host cost of routing on Blackwell without CUDA graphs over that with them */
  double routing_ungraphed;
  double plain_dispatch_ranks; /* up to so many GPUs recipes dispatch by a plain all-to-all */
  /* per element, to merge one step of ring attention by a fused kernel */
  double attention_merge_bytes;
  /* the same by four kernels in fp32: a cast, a difference, a product and a sum */
  double attention_merge_unfused_bytes;
  /* elements of a bucket of gradients or of gathered parameters */
  double deepspeed_bucket_elements;
  double deepspeed_sub_group_elements;        /* of a shard that stage 3 steps at once */
  double deepspeed_live_parameters;           /* gathered parameters that stage 3 keeps */
  double megatron_bucket_parameters;          /* parameters of a bucket of gradients, at least */
  double megatron_bucket_parameters_per_rank; /* the same for each rank */
  /* ratio of the error of an unmeasured kind to that of the worst measured kind */
  double unmeasured_beyond_widest;
  double unmeasured_beyond_all; /* the same over that of all runs, at least */
  SwProbeBelief probe;
  guint
      excuses; /* of SwUnmeasured: what was measured on this very machine, so that no run need be */
  SwTile tile[SW_N_TILES];
  SwReleases since;
  SwProfile profile[SW_N_FRAMEWORKS];
  /* the year since when a framework has a feature without a word: 0, ever; 9999, never */
  double feature[SW_N_FRAMEWORKS][SW_N_FEATURES];
  struct {
    double memory_bound_factor; /* traffic of element-wise work over that of kernels which fuse all
                                   that can be */
    double launch_s_per_layer;  /* host cost of one layer's forward pass, and of its backward, on an
                                   A100's host */
  } kernels[SW_N_KERNEL_CLASSES];
  /* rate of a flash kernel over that of the generation's best */
  struct {
    double before_hopper, hopper, blackwell;
  } flash[SW_N_FLASH_KERNELS];
  double cast_delay; /* how much longer GEMMs below 16 bits take on Blackwell where their operands
                        are not cast by the kernels before; a share */
  SwResidual residual[SW_N_GENERATIONS][SW_N_FRAMEWORKS][2][2]; /* [..][..][is_moe][is_adapter] */
  SwResidual residual_all;
  SwAccuracy accuracy[2];                      /* of training, of fine-tuning */
  char measured_gpu[SW_MAX_MEASURED_GPUS][48]; /* ids of the GPUs with measured runs; "" ends it */
} SwCalibration;

gboolean sw_calibration_knows_gpu (const SwCalibration *calibration, const char *id);
void sw_calibration_widest (const SwCalibration *calibration, gboolean is_moe, SwResidual *out);
double *sw_calibration_lookup (SwCalibration *calibration, const char *name);
const SwResidual *
sw_calibration_residual (const SwCalibration *calibration, SwGeneration generation,
                         SwFramework framework, gboolean is_moe, gboolean is_adapter);

G_END_DECLS
