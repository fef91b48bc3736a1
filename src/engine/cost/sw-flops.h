/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* Floating-point operations of one step over the tokens that it trains on. */
typedef struct {
  double model;      /* what the model needs: MFU counts it */
  double recomputed; /* done again to save memory: HFU counts it too */
} SwFlops;

void sw_flops_per_token (const SwProblem *problem, const SwStrategy *strategy, gboolean causal_half,
                         SwFlops *out);

G_END_DECLS
