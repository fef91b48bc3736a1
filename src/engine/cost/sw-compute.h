/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* The rates of one GPU under one software profile, worked out once for many kernels. */
typedef struct {
  double
      linear_flops_per_s;  /* long-K rate of the linear layers, in the precision of the training */
  double half_flops_per_s; /* of 16-bit GEMMs: head, router, adapters, unfused attention */
  double attention_flops_per_s; /* flash kernel, head size 128, long sequence */
  double memory_bytes_per_s;    /* what element-wise kernels reach; unfused traffic makes it less */
  double stream_bytes_per_s;    /* what a plain copy reaches */
  double linear_bytes;          /* per element of a linear layer's operands */
  gboolean quantises;           /* operands are cast below 16 bits */
  double cast_bytes;            /* moved to cast one 16-bit element of an operand, ideally */
  double transpose_bytes;  /* moved to lay a cast element out for the weight's gradient as well */
  double launch_s;         /* host cost of one layer's forward pass, and of its backward */
  gboolean launches_block; /* launches add to the GPU's work, instead of hiding behind it */
  double sms;
  double tile_rate[SW_N_TILES]; /* rate of a tile for each of its elements */
  const SwCalibration *calibration;
  const SwProfile *profile;
} SwRates;

double sw_layer_adapters (const SwProblem *problem);
void sw_rates_init (SwRates *rates, const SwProblem *problem, SwFramework framework);
double sw_rates_gemm (const SwRates *rates, double flops_per_s, double operand_bytes, double m,
                      double n, double k);
double sw_rates_grouped_gemm (const SwRates *rates, double tokens_per_expert, double experts,
                              double n, double k, gboolean gradient);
double sw_rates_attention (const SwRates *rates, double batch, double heads, double queries,
                           double attended, double head_dim, gboolean backward);
double sw_rates_unfused_attention (const SwRates *rates, double batch, double heads, double queries,
                                   double keys, double head_dim, gboolean backward);

double sw_stream_bytes_per_s (const SwProblem *problem);
double sw_host_link_bytes_per_s (const SwProblem *problem, gboolean both_ways);

G_END_DECLS
