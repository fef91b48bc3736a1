/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-flops.h"
#include "sw-level.h"
#include "sw-rlhf.h"
#include "sw-rules.h"

G_BEGIN_DECLS

/* The cost of a strategy is factored, so that the search computes nothing twice:
 *
 *   level 1, layer:         what depends on tp, etp, cp, ep, sp, micro-batch and recomputation;
 *   level 2, schedule:      plus pp, vpp, schedule, first-N layers and offload of activations;
 *   level 3, data parallel: plus dp, ZeRO stage, shard group and optimizer.
 *
 * Each level takes the struct of the level before it. Memory and time are separate functions at
 * each level: memory is cheaper and comes first. None allocates. Every level reads only its own
 * fields of the strategy (and the fields of the levels before). */

/* Why the figures of an estimate are not validated: nothing of that sort was measured. */
typedef enum {
  SW_UNMEASURED_GPU = 1 << 0,      /* no run on this GPU */
  SW_UNMEASURED_TRAINING = 1 << 1, /* reinforcement learning */
  SW_UNMEASURED_OFFLOAD = 1 << 2,
  SW_UNMEASURED_PCIE = 1 << 3,      /* GPUs that only PCIe joins */
  SW_UNMEASURED_FRAMEWORK = 1 << 4, /* the framework on this generation, dense or with experts */
} SwUnmeasured;

/* Whether memory suffices, by its interval. */
typedef enum {
  SW_FIT_FITS,    /* the upper end, too, is within what the GPU has */
  SW_FIT_MAY_NOT, /* the estimate is within sw_memory_most(), the upper end beyond what the GPU has,
                          or the estimate beyond the target */
  SW_FIT_DOES_NOT_FIT, /* the estimate is beyond the limit, or a rule is broken, but for the schedule's:
                          that a framework has not the one of a stated run is no matter of memory */
} SwFit;
extern const char *const sw_fit_names[];

/* All results for one strategy. A value struct. */
typedef struct {
  SwStrategy strategy;
  SwRule rule;   /* OK, or why it cannot run; GPU_MEMORY: over the target, the figures below still
                    hold */
  gboolean fits; /* rule is OK: it can run, too */
  SwFit fit;
  double missing_bytes; /* over the target, or over the host RAM; else 0 */
  guint gradient_accumulation;
  guint gpus_used, gpus_idle; /* used: of reinforcement learning those that generate, too */
  SwMemory memory;
  double usable_bytes, memory_limit_bytes; /* limit = usable x target */
  double memory_utilisation;               /* peak / usable */
  SwTime time;
  double tokens_per_s, tokens_per_s_per_gpu; /* per GPU of those used */
  double model_flops_per_s_per_gpu;          /* causal attention halved, no recomputation */
  /* Over peak_flops_per_s, dense. MFU: what the model needs; HFU: with recomputation. Plain: the
   * masked half of causal attention left out; full attention: counted too. */
  double mfu, mfu_full_attention, hfu, hfu_full_attention;
  SwFlops flops_per_token, flops_per_token_full_attention;
  double peak_flops_per_s;
  double communication_overhead, bubble_fraction, scaling_efficiency; /* 0-1 */
  double compute_to_communication; /* compute_s / exposed and hidden communication; 0 without
                                      communication */
  SwLevel level;
  guint untried;    /* SwUntried; level is UNTRIED where there is any */
  guint unmeasured; /* SwUnmeasured; the interval is wide then */
  gboolean retries; /* so little memory is left that the allocator may free and ask again, at the
                       cost of time: step_high_s counts it */
  double step_low_s, step_high_s, memory_low_bytes, memory_high_bytes, tokens_low_per_s,
      tokens_high_per_s;
  SwPhases phases; /* of reinforcement learning; else none */
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

/* What a run that starts from trained weights holds beside its steady steps; bytes. */
typedef struct {
  double loading_host;   /* of a node, while the model is loaded */
  double loading;        /* of a GPU, then: its part, and the largest piece whole */
  double first_backward; /* of a GPU, before the optimizer has made its states */
  double evaluation;     /* of a GPU, forward alone, with the logits in 16 and 32 bits */
} SwMoments;

gboolean sw_moments (const SwProblem *problem, const SwEstimate *estimate, SwMoments *out);

G_END_DECLS
