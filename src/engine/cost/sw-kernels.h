/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-time.h"

G_BEGIN_DECLS

/* The work of the GPUs, by what limits its speed and by the part of the model that it belongs
 * to. */
typedef enum {
  SW_KERNEL_ATTENTION,  /* the attention core */
  SW_KERNEL_PROJECTION, /* linear layers before and after it */
  SW_KERNEL_MLP,        /* linear layers of dense MLPs and shared experts */
  SW_KERNEL_EXPERTS,    /* grouped linear layers of routed experts, and the router */
  SW_KERNEL_MEMORY,     /* norms, rotary embedding, activation functions, casts, permutation */
  SW_KERNEL_VOCABULARY, /* embedding, head and loss */
  SW_KERNEL_PREDICTION, /* multi-token-prediction layers, with what they recompute and send */
  SW_KERNEL_LAUNCH,     /* the GPU waits for the host to launch */
  SW_KERNEL_OTHER,      /* phases of reinforcement learning beside the update */
  SW_N_KERNELS
} SwKernelKind;

void sw_kernels (const SwProblem *problem, const SwStrategy *strategy, const SwTime *time,
                 double out[SW_N_KERNELS]);

G_END_DECLS
