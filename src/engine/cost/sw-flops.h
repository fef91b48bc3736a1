/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* Floating-point operations of one step, per token that it trains on, by the conventions that
 * published figures follow. The model derives its time from the kernels of its layers instead
 * (sw-layer-time.h). Relative to the peak of all GPUs they are the utilizations of SwEstimate: MFU
 * counts what the model needs (Chowdhery et al. 2022, PaLM, appendix B), HFU includes recomputation
 * (Korthikanti et al. 2022, section 6.3). */
typedef struct {
  double model;      /* what the model needs: MFU counts it */
  double recomputed; /* done again to save memory: HFU counts it too */
} SwFlops;

void sw_flops_per_token (const SwProblem *problem, const SwStrategy *strategy, gboolean causal_half,
                         SwFlops *out);

G_END_DECLS
