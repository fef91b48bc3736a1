/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-cluster.h"
#include "sw-types.h"

G_BEGIN_DECLS

/* Errors of the model against measured runs of one kind, |ln (predicted / measured)|. */
typedef struct {
  guint rows;
  double time_median, time_p90, memory_median, memory_p90;
} SwResidual;

/* What a software profile does and how well; fitted or from the framework's documentation. */
typedef struct {
  double until_year;          /* an era's last software date (exclusive); 0 in the newest */
  double gemm_factor;         /* of the GPU's sustained GEMM rate */
  double fp8_delay_blackwell; /* how much longer GEMMs below 16 bits took on Blackwell than with the
                                 newest release's kernels; a share */
  double attention_factor;    /* of the flash kernel's rate from Hopper on: which kernel it calls */
  double attention_factor_before_hopper; /* the same on the generations before */
  double launch_s_per_layer;             /* host cost of one layer's forward pass */
  double launch_blocking;     /* 1: launches block and add to the GPU's work; 0: hidden behind it */
  double memory_bound_factor; /* extra traffic of unfused element-wise work; 1: fully fused */
  double tp_exposed, dp_exposed, ep_exposed, cp_exposed, pp_exposed,
      fsdp_exposed;         /* share of the communication left outside compute */
  double tp_exposed_packed; /* tp_exposed on packed sequences, where it differs; 0 elsewhere */
  double selective_share;   /* share of a layer's forward pass that "selective" runs again, besides
                              core attention */
  double allocator_factor;  /* fragmentation: reserved over allocated bytes */
  double gradient_bytes;    /* per parameter while accumulating: 2 or 4 */
  double straggler_per_doubling; /* of the number of nodes */
} SwProfile;

/* Earlier software of a framework, oldest first; the newest is in SwCalibration.profile. */
#define SW_N_ERAS 4

#define SW_MAX_MEASURED_GPUS 24

/* The constants of the model: data, read from data/catalogue/calibration.json. All double, so that
 * the file and the fit can address each by name: see sw_calibration_lookup. */
typedef struct {
  struct {
    double gemm_bf16, gemm_fp8,
        gemm_fp4; /* sustained share of the dense peak, long K, the generation's best card */
    double attention_flash; /* share of the 16-bit peak: causal half counted, head size 128, long */
    double hbm;             /* share of the nominal memory rate */
    double launch_s_per_routing; /* host cost of routing and dispatch, per MoE layer and pass */
    double best_gemm; /* the best measured share of the peak of the generation's own cards */
  } generation[SW_N_GENERATIONS];
  double power_exponent; /* of watts per FLOP/s, where no rate of a card has been measured */
  double gemm_k_half;    /* inner dimension at which a GEMM runs at half of its long-K rate */
  double fp8_rowwise;    /* row-wise scaled FP8 GEMMs over tensor-wise ones */
  double mxfp8;          /* FP8 GEMMs scaled by blocks of 32 over tensor-wise ones */
  double cast_traffic;   /* bytes moved to cast an operand below 16 bits over the ideal */
  double cast_s;         /* what the short kernels of a cast take beside: greatest values, scales,
                    layouts */
  double
      expert_tokens_half;  /* tokens per expert at which a grouped GEMM runs at half of its rate */
  double expert_imbalance; /* hottest rank's tokens over the mean, dropless */
  double launch_s_per_expert;      /* host cost per local expert, layer and pass */
  double launch_s_per_cast_expert; /* the same beside it where operands are cast to 8 or 4 bits,
                                      expert by expert */
  double ep_beside_exposed;        /* of the exposed expert communication over the network, where a
                               pipeline has other micro-batches to run beside it */
  double permute_traffic;          /* bytes moved to route a token's copy over the ideal */
  double unfused_attention;        /* share of the GEMM rate */
  double nvlink_efficiency, network_efficiency,
      pcie_efficiency; /* bus bandwidth over nominal, large messages */
  double intra_half_bytes,
      inter_half_bytes;     /* message with half of that bus bandwidth; inter: per network card */
  double intra_slice_bytes; /* the same for one rank's slice in a ring on 450 GB/s links */
  double intra_latency_s, inter_latency_s; /* per hop of a ring */
  double all_to_all_efficiency;            /* of the bandwidth that ring collectives reach */
  double optimizer_factor;                 /* bytes of the optimizer step over the ideal */
  double superchip_host_bytes_per_s; /* one way between a superchip's GPU and its host; other GPUs
                                        have PCIe */
  double host_bytes_per_s; /* memory rate of one node's CPUs, for an optimizer step there */
  double context_bytes, nccl_bytes_per_group; /* CUDA context and each communicator's buffers */
  double fixed_s; /* data loading, logging and synchronisation of one step */
  SwProfile profile[SW_N_FRAMEWORKS];
  SwProfile era[SW_N_FRAMEWORKS][SW_N_ERAS];
  SwResidual residual[SW_N_GENERATIONS][SW_N_FRAMEWORKS][2]; /* [..][..][is_moe] */
  SwResidual residual_all;
  char measured_gpu[SW_MAX_MEASURED_GPUS][48]; /* ids of the GPUs with measured runs; "" ends it */
} SwCalibration;

gboolean sw_calibration_knows_gpu (const SwCalibration *calibration, const char *id);
void sw_calibration_widest (const SwCalibration *calibration, gboolean is_moe, SwResidual *out);
double *sw_calibration_lookup (SwCalibration *calibration, const char *name);
const SwProfile *sw_calibration_profile (const SwCalibration *calibration, SwFramework framework,
                                         double software_year);
const SwResidual *
sw_calibration_residual (const SwCalibration *calibration, SwGeneration generation,
                         SwFramework framework, gboolean is_moe);

G_END_DECLS
