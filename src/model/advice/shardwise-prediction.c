/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the engine says of a measured run. */
#include "shardwise-measured.h"

#include "sw-estimate.h"

/* What of a prediction a measurement of that kind sees: torch's allocator alone, what it has
 * reserved, or the whole process with context and communicators. The allocator keeps what it could
 * give back, as far as the GPU has room. */
static double
memory_of_kind (const ShardwiseRun *run, const SwStrategy *strategy, const SwMemoryParts *parts)
{
  double kept = MIN (parts->total + parts->reclaimable,
                     MAX (parts->total, run->problem.cluster.usable_bytes));

  switch (run->memory_kind)
    {
    case 'a': return sw_memory_allocated (&run->problem, strategy, parts);
    case 'r': return kept - parts->framework;
    default: return kept;
    }
}

/* Whether it fits the memory that a process can have: the run is known to have fitted. */
static gboolean
fitted (const ShardwiseRun *run, const SwStrategy *strategy)
{
  SwLayerMemory layer;
  SwScheduleMemory schedule;
  SwMemory memory;

  sw_layer_memory (&run->problem, strategy, &layer);
  sw_schedule_memory (&run->problem, strategy, &layer, &schedule);
  sw_memory (&run->problem, strategy, &schedule, &memory);
  return memory.peak.total <= run->problem.cluster.usable_bytes;
}

/* The fewest whole layers of each stage. */
static void
infer_layers (const ShardwiseRun *run, SwStrategy *strategy)
{
  guint layers = sw_stage_layers (&run->problem, strategy, 0);

  strategy->recompute = SW_RECOMPUTE_FULL_LAYERS;
  for (strategy->full_layers = 1; strategy->full_layers < layers; strategy->full_layers++)
    if (fitted (run, strategy))
      return;
  strategy->recompute = SW_RECOMPUTE_FULL;
  strategy->full_layers = 0;
}

static double
step_of (const ShardwiseRun *run, const SwStrategy *strategy)
{
  SwEstimate estimate;

  sw_estimate (&run->problem, strategy, &estimate);
  return estimate.time.step_s;
}

/* The dense recipes of Megatron-Bridge on superchips, where they state it ("cpu activation
 * offload"), keep activations in the host's memory rather than run layers again: the faster of the
 * two. Coarse: of all layers, not of as many as need it. */
static void
infer_offload (const ShardwiseRun *run, SwStrategy *strategy)
{
  const guint largest_baseboard = 16;
  SwStrategy offloaded = *strategy;

  if (strategy->framework != SW_FRAMEWORK_MEGATRON_CORE || run->problem.model.moe.experts > 0
      || run->problem.cluster.gpu.scale_up_domain <= largest_baseboard
      || strategy->offload != SW_OFFLOAD_NONE)
    return;
  offloaded.recompute = SW_RECOMPUTE_NONE;
  offloaded.full_layers = 0;
  offloaded.offload = SW_OFFLOAD_ACTIVATIONS;
  if (fitted (run, &offloaded) && step_of (run, &offloaded) < step_of (run, strategy))
    *strategy = offloaded;
}

/* A recomputation that is not stated: the least that fits, by the memory model alone. None,
 * selective, then whole layers. */
static void
infer_recompute (const ShardwiseRun *run, SwStrategy *strategy)
{
  strategy->recompute = SW_RECOMPUTE_NONE;
  if (fitted (run, strategy))
    return;
  strategy->recompute = SW_RECOMPUTE_SELECTIVE;
  if (!fitted (run, strategy))
    infer_layers (run, strategy);
  infer_offload (run, strategy);
}

/* "Selective" without saying of what, where the usual selection does not fit: of Megatron-Core's
 * modules the whole MLP or the whole experts too; elsewhere a share of the layers. */
static void
infer_selection (const ShardwiseRun *run, SwStrategy *strategy)
{
  /* Flash attention keeps nothing that running it again would spare. */
  const guint core = run->problem.training.attention == SW_ATTENTION_UNFUSED ? SW_MODULE_CORE_ATTN
                                                                             : 0;

  if (fitted (run, strategy))
    return;
  if (strategy->framework == SW_FRAMEWORK_MEGATRON_CORE)
    strategy->recompute_modules = SW_MODULE_LAYERNORM | SW_MODULE_MLA_UP_PROJ | SW_MODULE_MLP
                                  | SW_MODULE_MOE | core;
  else
    infer_layers (run, strategy);
}

/**
 * shardwise_run_predict:
 * @run: a run without `skip`
 * @step_s: (out): predicted step time
 * @memory_bytes: (out): predicted memory of the worst GPU, of the kind that was measured
 * @fits: (out): whether all of it fits the usable memory of the GPU
 * @used: (out): the strategy that was predicted, an unknown recomputation inferred
 */
void
shardwise_run_predict (const ShardwiseRun *run, double *step_s, double *memory_bytes,
                       gboolean *fits, SwStrategy *used)
{
  SwEstimate estimate;

  g_return_if_fail (run != NULL && run->skip == NULL);

  *used = run->strategy;
  if (run->recompute_unknown)
    infer_recompute (run, used);
  else if (run->modules_unknown)
    infer_selection (run, used);
  sw_estimate (&run->problem, used, &estimate);
  *step_s = estimate.time.step_s;
  *memory_bytes = memory_of_kind (run, used, &estimate.memory.peak);
  *fits = estimate.memory.peak.total <= estimate.usable_bytes;
}
