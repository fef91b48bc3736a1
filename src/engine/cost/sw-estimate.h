/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-flops.h"
#include "sw-level.h"
#include "sw-rlhf.h"
#include "sw-rules.h"

G_BEGIN_DECLS

/* The cost of a strategy is factored so that the search computes nothing twice:
 *
 *   level 1, layer:         depends on tp, etp, cp, ep, sp, micro-batch and recomputation;
 *   level 2, schedule:      also on pp, vpp, schedule, first-N layers and activation offload;
 *   level 3, data parallel: also on dp, ZeRO stage, shard group and optimizer.
 *
 * Each level takes the struct of the level before it and reads only the fields of the strategy that
 * its own and earlier levels depend on. Memory and time are separate functions at each level:
 * memory is cheaper and comes first. None of them allocates. */

/* Why an estimate is not validated: no run of this kind was measured. */
typedef enum {
  SW_UNMEASURED_GPU = 1 << 0,      /* no run on this GPU */
  SW_UNMEASURED_TRAINING = 1 << 1, /* reinforcement learning */
  SW_UNMEASURED_OFFLOAD = 1 << 2,
  SW_UNMEASURED_PCIE = 1 << 3,      /* GPUs connected only by PCIe */
  SW_UNMEASURED_FRAMEWORK = 1 << 4, /* the framework on this GPU generation, dense or MoE */
} SwUnmeasured;

/* Whether memory suffices, judged by its interval. */
typedef enum {
  SW_FIT_FITS,    /* even the upper end is within the GPU's memory */
  SW_FIT_MAY_NOT, /* the estimate is within sw_memory_most(), but its upper end exceeds the GPU's
                     memory, or the estimate exceeds the target */
  SW_FIT_DOES_NOT_FIT, /* the estimate exceeds the limit, or a rule is broken. A schedule that
                          the framework lacks does not count: it does not change the memory of a
                          stated run. */
} SwFit;
extern const char *const sw_fit_names[];

/* All results for one strategy. A value: copy it freely. */
typedef struct {
  SwStrategy strategy;
  SwRule rule;   /* OK, or why it cannot run. GPU_MEMORY: over the target; the figures below
                    still hold. */
  gboolean fits; /* rule is OK, so it can run */
  SwFit fit;
  double missing_bytes; /* bytes over the target or over the host memory; else 0 */
  guint gradient_accumulation;
  guint gpus_used, gpus_idle; /* gpus_used includes the GPUs that generate in reinforcement
                                 learning */
  SwMemory memory;
  double usable_bytes, memory_limit_bytes; /* memory_limit_bytes = usable_bytes * memory target */
  double memory_utilisation;               /* peak / usable */
  SwTime time;
  double tokens_per_s, tokens_per_s_per_gpu; /* divided by gpus_used */
  double model_flops_per_s_per_gpu;          /* causal attention counted half, without
                                                recomputation */
  /* Shares of the dense peak_flops_per_s. MFU counts the FLOPs that the model needs, HFU adds
   * recomputation. The full_attention variants also count the masked half of causal attention. */
  double mfu, mfu_full_attention, hfu, hfu_full_attention;
  SwFlops flops_per_token, flops_per_token_full_attention;
  double peak_flops_per_s;
  double communication_overhead, bubble_fraction, scaling_efficiency; /* 0-1 */
  double compute_to_communication; /* compute_s / (exposed + hidden communication); 0 without
                                      communication */
  SwLevel level;
  guint untried;    /* SwUntried bits; if any is set, level is UNTRIED */
  guint unmeasured; /* SwUnmeasured bits; if any is set, the interval is wide */
  gboolean retries; /* so little memory is left that the allocator may have to free and retry;
                       step_high_s includes that time */
  double step_low_s, step_high_s, memory_low_bytes, memory_high_bytes, tokens_low_per_s,
      tokens_high_per_s;
  SwPhases phases; /* only of reinforcement learning */
} SwEstimate;

void sw_estimate (const SwProblem *problem, const SwStrategy *strategy, SwEstimate *out);
gboolean sw_estimate_hardly_works (const SwEstimate *estimate);
gboolean sw_estimate_is_validated (const SwEstimate *estimate);
void sw_estimate_memory (const SwProblem *problem, const SwStrategy *strategy,
                         const SwScheduleMemory *schedule, SwMemory *out);
void
sw_estimate_time (const SwProblem *problem, const SwStrategy *strategy,
                  const SwLayerMemory *layer_memory, const SwScheduleTime *schedule, SwTime *out);
void sw_estimate_stage (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                        SwMemoryParts *out);

/* Memory that a run from pretrained weights needs outside its steady steps; bytes. */
typedef struct {
  double loading_host;   /* per node while the model is loaded */
  double loading;        /* per GPU while loading: its shard and the largest tensor unsharded */
  double first_backward; /* per GPU, before the optimizer has allocated its states */
  double evaluation;     /* per GPU: forward pass only, logits in 16 and 32 bits */
} SwMoments;

gboolean sw_moments (const SwProblem *problem, const SwEstimate *estimate, SwMoments *out);

G_END_DECLS
