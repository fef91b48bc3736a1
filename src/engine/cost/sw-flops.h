/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* Floating-point operations of one step per trained token, by the conventions of published figures.
 * The time model does not use them: it adds the kernels of the layers (sw-layer-time.h). Divided by
 * the peak of all GPUs they give the utilizations of SwEstimate. MFU counts what the model needs
 * (Chowdhery et al. 2022, PaLM, appendix B); HFU adds recomputation (Korthikanti et al. 2022,
 * section 6.3). */
typedef struct {
  double model;      /* needed by the model: MFU counts only these */
  double recomputed; /* repeated to save memory: HFU adds these */
} SwFlops;

void sw_flops_per_token (const SwProblem *problem, const SwStrategy *strategy, gboolean causal_half,
                         SwFlops *out);

G_END_DECLS
