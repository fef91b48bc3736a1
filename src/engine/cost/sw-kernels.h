/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-time.h"

G_BEGIN_DECLS

/* GPU work, grouped by what limits its speed and by the part of the model it belongs to. */
typedef enum {
  SW_KERNEL_ATTENTION,  /* the attention core */
  SW_KERNEL_PROJECTION, /* linear layers before and after attention */
  SW_KERNEL_MLP,        /* linear layers of dense MLPs and shared experts */
  SW_KERNEL_EXPERTS,    /* grouped linear layers of routed experts, and the router */
  SW_KERNEL_MEMORY,     /* norms, rotary embedding, activation functions, casts, permutation */
  SW_KERNEL_VOCABULARY, /* embedding, head and loss */
  SW_KERNEL_PREDICTION, /* multi-token-prediction layers with their recomputation and
                           communication */
  SW_KERNEL_LAUNCH,     /* the GPU waits for the host's kernel launches */
  SW_KERNEL_OTHER,      /* phases of reinforcement learning other than the update */
  SW_N_KERNELS
} SwKernelKind;

void sw_kernels (const SwProblem *problem, const SwStrategy *strategy, const SwTime *time,
                 double out[SW_N_KERNELS]);

G_END_DECLS
