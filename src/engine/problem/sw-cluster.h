/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-types.h"

G_BEGIN_DECLS

typedef enum {
  SW_GENERATION_VOLTA,
  SW_GENERATION_AMPERE,
  SW_GENERATION_ADA,
  SW_GENERATION_HOPPER,
  SW_GENERATION_BLACKWELL,
  SW_GENERATION_RUBIN,
  SW_GENERATION_CDNA,
  SW_GENERATION_GAUDI,
  SW_N_GENERATIONS
} SwGeneration;
extern const char *const sw_generation_names[];

/* One accelerator. Rates are dense, per GPU and one-directional; 0: unknown. */
typedef struct {
  char id[48], name[96];
  SwGeneration generation;
  double memory_gb;    /* nominal, 1e9 bytes */
  double usable_bytes; /* what a process can allocate */
  double hbm_bytes_per_s;
  double peak_bf16_flops_per_s, peak_fp16_flops_per_s, peak_fp8_flops_per_s, peak_fp4_flops_per_s;
  double measured_bf16_flops_per_s; /* best GEMM rate measured */
  guint sm_count;
  double scale_up_bytes_per_s;
  guint scale_up_domain;
  double pcie_bytes_per_s;
  double tdp_w;
  double price_per_hour_low, price_per_hour_high; /* USD */
  char price_month[24];
} SwGpu;

/* One type of link. */
typedef struct {
  char id[48], name[96];
  double bytes_per_s; /* per GPU, one direction, nominal */
  double latency_s;   /* of one hop */
  gboolean is_pcie, is_ethernet;
  gboolean lacks_verbs;    /* a network without InfiniBand verbs: kernels cannot write to other
                              nodes */
  gboolean is_hashed;      /* a network that selects a path for each flow by a hash: RoCE,
                              Ethernet */
  gboolean shared_by_node; /* bytes_per_s belongs to the node; its GPUs share it */
} SwLink;

typedef struct {
  SwGpu gpu;
  guint gpus, gpus_per_node, nvlink_domain; /* nvlink_domain: GPUs joined by the intra link, >= 1 */
  SwLink intra, inter;
  double oversubscription;   /* >= 1 */
  guint pod_gpus;            /* GPUs in a non-blocking part of the network; 0: those of one node */
  double host_ram_bytes;     /* per node; 0: not stated */
  double host_bytes_per_gpu; /* if the node's is not stated; 0: unknown */
  double nvme_bytes_per_s;   /* of a node's drives, one direction, shared by its GPUs */
  double usable_bytes;       /* per GPU: the scenario's nominal memory * usable / nominal of the
                                GPU */
} SwCluster;

double sw_cluster_peak_flops (const SwCluster *cluster, SwPrecision precision);
gboolean sw_cluster_has_precision (const SwCluster *cluster, SwPrecision precision);
double sw_cluster_host_bytes (const SwCluster *cluster);
guint sw_cluster_nodes (const SwCluster *cluster);
guint sw_cluster_ranks_together (const SwCluster *cluster, guint domain, guint size, guint stride);
guint sw_cluster_tp_together (const SwCluster *cluster, guint tp);

G_END_DECLS
