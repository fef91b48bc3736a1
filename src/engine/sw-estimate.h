/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-cost.h"
#include "sw-rules.h"

G_BEGIN_DECLS

/* Everything that is said of one strategy. A value struct. */
typedef struct
{
  SwStrategy strategy;
  SwRule rule;   /* OK, or why it cannot run; GPU_MEMORY: over the target, the figures below still
                    hold */
  gboolean fits; /* rule is OK */
  double missing_bytes; /* over the target, or over the host RAM; else 0 */
  guint gradient_accumulation, gpus_used, gpus_idle;
  SwMemory memory;
  double usable_bytes, memory_limit_bytes; /* limit = usable x target */
  double memory_utilisation;               /* peak / usable */
  SwTime time;
  double tokens_per_s, tokens_per_s_per_gpu; /* per GPU of those used */
  double model_flops_per_s_per_gpu;          /* causal attention halved, no recomputation */
  double mfu, mfu_full_attention, hfu;       /* over peak_flops_per_s, dense */
  double peak_flops_per_s;
  double communication_overhead, bubble_fraction, scaling_efficiency; /* 0-1 */
  double compute_to_communication; /* compute_s / exposed and hidden communication; 0 where there is
                                      none */
  double step_low_s, step_high_s, memory_low_bytes, memory_high_bytes, tokens_low_per_s,
      tokens_high_per_s;
} SwEstimate;

void sw_estimate (const SwProblem *problem, const SwStrategy *strategy, SwEstimate *out);
void sw_estimate_stage (const SwProblem *problem,
                        const SwStrategy *strategy,
                        guint stage,
                        SwMemoryParts *out);

G_END_DECLS
