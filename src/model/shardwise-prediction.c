/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the engine says of a measured run. */
#include "shardwise-measured.h"

#include "sw-estimate.h"

/* What of a prediction a measurement of that kind sees: torch's allocator alone, what it has
 * reserved, or the whole process with context and communicators. */
static double
memory_of_kind (const ShardwiseRun *run, const SwStrategy *strategy, const SwMemoryParts *parts)
{
  switch (run->memory_kind)
    {
    case 'a':
      return sw_memory_allocated (&run->problem, strategy, parts);
    case 'r':
      return parts->total - parts->framework;
    default:
      return parts->total;
    }
}

/* The run is known to have fitted: a prediction over the memory by less than the memory model's own
 * error (its 90th percentile, 12 %) does not speak against less recomputation. */
#define MEMORY_MODEL_ERROR 0.12

static gboolean
fitted (const ShardwiseRun *run, const SwStrategy *strategy)
{
  SwLayerMemory layer;
  SwScheduleMemory schedule;
  SwMemory memory;

  sw_layer_memory (&run->problem, strategy, &layer);
  sw_schedule_memory (&run->problem, strategy, &layer, &schedule);
  sw_memory (&run->problem, strategy, &schedule, &memory);
  return memory.peak.total <= run->problem.cluster.usable_bytes * (1 + MEMORY_MODEL_ERROR);
}

/* A recomputation that is not stated: the least that fits, by the memory model alone. None,
 * selective, then the fewest whole layers of each stage. */
static void
infer_recompute (const ShardwiseRun *run, SwStrategy *strategy)
{
  guint layers = sw_stage_layers (&run->problem, strategy, 0);

  strategy->recompute = SW_RECOMPUTE_NONE;
  if (fitted (run, strategy))
    return;
  strategy->recompute = SW_RECOMPUTE_SELECTIVE;
  if (fitted (run, strategy))
    return;
  strategy->recompute = SW_RECOMPUTE_FULL_LAYERS;
  for (strategy->full_layers = 1; strategy->full_layers < layers; strategy->full_layers++)
    if (fitted (run, strategy))
      return;
  strategy->recompute = SW_RECOMPUTE_FULL;
  strategy->full_layers = 0;
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
shardwise_run_predict (const ShardwiseRun *run,
                       double *step_s,
                       double *memory_bytes,
                       gboolean *fits,
                       SwStrategy *used)
{
  SwEstimate estimate;

  g_return_if_fail (run != NULL && run->skip == NULL);

  *used = run->strategy;
  if (run->recompute_unknown)
    infer_recompute (run, used);
  sw_estimate (&run->problem, used, &estimate);
  *step_s = estimate.time.step_s;
  *memory_bytes = memory_of_kind (run, used, &estimate.memory.peak);
  *fits = estimate.memory.peak.total <= estimate.usable_bytes;
}
