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
  double gemm_factor;             /* of the GPU's sustained GEMM rate */
  double launch_s_per_layer;      /* host cost of one layer's forward pass */
  double launch_blocking;         /* 1: launches block and add to the GPU's work; 0: hidden behind it */
  double memory_bound_factor;     /* extra traffic of unfused element-wise work; 1: fully fused */
  double tp_exposed, dp_exposed, ep_exposed, cp_exposed, fsdp_exposed; /* share of the communication left outside compute */
  double allocator_factor;        /* fragmentation: reserved over allocated bytes */
  double gradient_bytes;          /* per parameter while accumulating: 2 or 4 */
  double straggler_per_doubling;  /* of the number of nodes */
} SwProfile;

/* The constants of the model: data, read from data/catalogue/calibration.json. All double, so that the file
 * and the fit can address each by name: see sw_calibration_fields. */
typedef struct {
  struct { double gemm_bf16, gemm_fp8, gemm_fp4, attention_flash, hbm; } generation[SW_N_GENERATIONS]; /* share of the peak */
  double gemm_k_half;            /* K at which a GEMM reaches half of its long-K rate's loss */
  double expert_tokens_half;     /* tokens per expert at which a grouped GEMM reaches half of its rate */
  double expert_imbalance;       /* hottest expert over the mean, dropless */
  double launch_s_per_expert;    /* per local expert and layer */
  double unfused_attention;      /* share of the GEMM rate */
  double nvlink_efficiency, network_efficiency, pcie_efficiency; /* bus bandwidth over nominal, large messages */
  double intra_half_bytes, inter_half_bytes;                     /* message with half of that bus bandwidth */
  double intra_latency_s, inter_latency_s;                       /* per hop */
  double all_to_all_efficiency;
  double overlap_slowdown; /* of compute while a collective runs beside it */
  double optimizer_factor; /* bytes of the optimizer step over the ideal */
  double context_bytes, nccl_bytes_per_group; /* CUDA context and each communicator's buffers */
  double fixed_s;          /* data loading, logging and synchronisation of one step */
  SwProfile profile[SW_N_FRAMEWORKS];
  SwResidual residual[SW_N_GENERATIONS][SW_N_FRAMEWORKS][2]; /* [..][..][is_moe] */
  SwResidual residual_all;
} SwCalibration;

/* The address of a constant by its name in calibration.json, e.g. "generation.hopper.gemm_bf16",
 * "profile.megatron-core.tp_exposed", "gemm_k_half". */
typedef struct { const char *name; gsize offset; } SwCalibrationField;

double *sw_calibration_lookup (SwCalibration *calibration, const char *name);
const SwResidual *sw_calibration_residual (const SwCalibration *calibration, SwGeneration generation,
                                           SwFramework framework, gboolean is_moe);

G_END_DECLS
