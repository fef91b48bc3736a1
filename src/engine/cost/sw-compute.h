/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* The rates of one GPU under one software profile, computed once for many kernels. */
typedef struct {
  double linear_flops_per_s;    /* linear layers with a long inner dimension, in the training
                              precision */
  double half_flops_per_s;      /* 16-bit GEMMs: head, router, adapters, unfused attention */
  double attention_flops_per_s; /* flash kernel, head size 128, long sequence */
  double memory_bytes_per_s;    /* reached by element-wise kernels, lowered by unfused traffic */
  double stream_bytes_per_s;    /* reached by a plain copy */
  double linear_bytes;          /* bytes per operand element of a linear layer */
  gboolean quantises;           /* operands are cast below 16 bits */
  double cast_bytes;            /* ideal traffic to cast one 16-bit operand element */
  double transpose_bytes;  /* ideal traffic to transpose a cast element for the weight's gradient */
  double launch_s;         /* host time to launch one layer's forward pass, and again its
                              backward */
  gboolean launches_block; /* launches add to the GPU's time instead of hiding behind it */
  double sms;
  double tile_rate[SW_N_TILES]; /* rate of each tile, for the number of its elements */
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
