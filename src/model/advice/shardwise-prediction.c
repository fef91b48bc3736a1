/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions for measured runs, and the published run most similar to a job: what to compare an
 * estimate with. */
#include "shardwise-prediction.h"

#include <math.h>

#include "sw-estimate.h"

/* Whether it fits the memory available to a process: the run is known to have fitted. */
static gboolean
fitted (const ShardwiseRun *run, const SwStrategy *strategy)
{
  SwLayerMemory layer;
  SwScheduleMemory schedule;
  SwMemory memory;

  sw_layer_memory (&run->problem, strategy, &layer);
  sw_schedule_memory (&run->problem, strategy, &layer, &schedule);
  sw_estimate_memory (&run->problem, strategy, &schedule, &memory);
  return memory.peak.total <= run->problem.cluster.usable_bytes;
}

/* The smallest number of whole layers of each stage. */
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

/* Megatron-Bridge's dense recipes on superchips, where they state it ("cpu activation offload"),
 * keep activations in host memory instead of recomputing layers, which is faster. Simplified: for
 * all layers, not only for as many as necessary. */
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

/**
 * shardwise_run_predict:
 * @run: (transfer none): a run without `skip`, which must outlive @out
 * @out: (out): the prediction
 */
void
shardwise_run_predict (const ShardwiseRun *run, ShardwiseRunPrediction *out)
{
  SwEstimate estimate;
  const SwMemoryParts *peak = &estimate.memory.peak;
  SwStrategy *used = &out->used;
  double kept;

  g_return_if_fail (run != NULL && run->skip == NULL);

  *out = (ShardwiseRunPrediction){ .run = run, .used = run->strategy };
  if (run->recompute_unknown)
    {
      /* The least recomputation that fits, by the memory model alone: none, selective, then whole
       * layers. */
      used->recompute = SW_RECOMPUTE_NONE;
      if (!fitted (run, used))
        {
          used->recompute = SW_RECOMPUTE_SELECTIVE;
          if (!fitted (run, used))
            infer_layers (run, used);
          infer_offload (run, used);
        }
    }
  else if (run->modules_unknown && !fitted (run, used))
    {
      /* "Selective" without stated modules, if the usual selection does not fit: for
       * Megatron-Core's modules, also the whole MLP or all experts; otherwise a share of the
       * layers. Flash attention keeps nothing that recomputation would save. */
      if (used->framework == SW_FRAMEWORK_MEGATRON_CORE)
        used->recompute_modules =
            SW_MODULE_LAYERNORM | SW_MODULE_MLA_UP_PROJ | SW_MODULE_MLP | SW_MODULE_MOE
            | (run->problem.training.attention == SW_ATTENTION_UNFUSED ? SW_MODULE_CORE_ATTN : 0);
      else
        infer_layers (run, used);
    }

  sw_estimate (&run->problem, used, &estimate);
  out->step_s = estimate.time.step_s;
  out->step_low_s = estimate.step_low_s;
  out->step_high_s = estimate.step_high_s;
  /* The part that a measurement of that kind includes: only torch's allocated memory, its reserved
   * memory, or the whole process with context and communicators. The allocator keeps free memory
   * while the GPU has space, and releases all of it when a request fails (PyTorch,
   * CUDACachingAllocator.cpp, release_cached_blocks). */
  kept = peak->total + peak->reclaimable;
  if (kept > run->problem.cluster.usable_bytes)
    kept = peak->total;
  if (run->memory_kind == 'a')
    out->memory_bytes = sw_memory_allocated (&run->problem, used, peak);
  else
    out->memory_bytes = run->memory_kind == 'r' ? kept - peak->framework : kept;
  out->memory_low_bytes = out->memory_bytes * estimate.memory_low_bytes / peak->total;
  out->memory_high_bytes = out->memory_bytes * estimate.memory_high_bytes / peak->total;
  out->fits = peak->total <= estimate.usable_bytes;
}

static gpointer
load_runs (gpointer data)
{
  return shardwise_runs_builtin ();
}

/* Read once, when the first advice needs it; then immutable. */
static GPtrArray *
runs (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, load_runs, NULL);
}

/**
 * shardwise_nearest_run_prepare:
 *
 * Reads the table of runs in advance, so that the first advice need not wait. Callable in any
 * thread.
 */
void
shardwise_nearest_run_prepare (void)
{
  runs ();
}

static double
square (double value)
{
  return value * value;
}

/* Types of training with different steps: trained weights, adapters on frozen weights, and
 * reinforcement learning with its generation. */
static guint
training_kind (const SwTraining *training)
{
  if (training->type == SW_TRAINING_RLHF)
    return 2;
  return sw_training_is_adapter (training) ? 1 : 0;
}

/* bf16 and fp16 run at one rate. */
static SwPrecision
arithmetic (SwPrecision precision)
{
  return precision == SW_PRECISION_FP16 ? SW_PRECISION_BF16 : precision;
}

/* Distance of two jobs: natural logarithms of the ratios of size (of all parameters and of the
 * active ones, half each), GPUs (half: rates per GPU change slowly with them) and sequence (half),
 * plus steps for differences in kind. 0 = the same kind of job; 1 = as far as a model of 2.7 times
 * the size, or another GPU generation. The steps are a judgment, not a fit. */
static double
distance (const SwProblem *a, const SwStrategy *strategy, const SwProblem *b,
          const SwStrategy *other)
{
  double sum =
      0.5 * square (log (a->count.total / b->count.total))
      + 0.5 * square (log (a->count.active / b->count.active))
      + square (0.5 * log ((double) a->cluster.gpus / b->cluster.gpus))
      + square (0.5 * log ((double) a->training.sequence_length / b->training.sequence_length));

  if (a->cluster.gpu.generation != b->cluster.gpu.generation)
    sum += 1;
  else if (!g_str_equal (a->cluster.gpu.id, b->cluster.gpu.id))
    sum += square (0.3);
  if (training_kind (&a->training) != training_kind (&b->training))
    sum += 1;
  if (a->cluster.intra.is_pcie != b->cluster.intra.is_pcie)
    sum += square (0.5);
  if (arithmetic (a->training.precision) != arithmetic (b->training.precision))
    sum += square (0.5);
  if ((a->model.moe.experts > 0) != (b->model.moe.experts > 0))
    sum += 1;
  if (strategy->framework != other->framework)
    sum += square (0.5);
  return sqrt (sum);
}

/**
 * shardwise_nearest_run_find:
 * @problem: a question
 * @strategy: its answer
 *
 * Returns: (transfer full) (nullable): the nearest run, with its measurements and the prediction of
 * the model
 */
ShardwiseNearestRun *
shardwise_nearest_run_find (const SwProblem *problem, const SwStrategy *strategy)
{
  GPtrArray *all = runs ();
  const ShardwiseRun *best = NULL;
  double least = INFINITY;
  ShardwiseRunPrediction prediction;
  ShardwiseNearestRun *nearest;

  for (guint i = 0; all != NULL && i < all->len; i++)
    {
      const ShardwiseRun *run = g_ptr_array_index (all, i);
      double d = (run->skip == NULL && run->judged && !run->oom && run->measured_step_s > 0
                  && run->problem.count.active > 0)
                     ? distance (problem, strategy, &run->problem, &run->strategy)
                     : INFINITY;

      if (d < least)
        {
          least = d;
          best = run;
        }
    }
  if (best == NULL)
    return NULL;
  nearest = g_new0 (ShardwiseNearestRun, 1);
  nearest->id = g_strdup (best->id);
  nearest->source = g_strdup (best->source);
  nearest->description = g_strdup (best->description);
  nearest->distance = least;
  nearest->measured_step_s = best->measured_step_s;
  shardwise_run_predict (best, &prediction);
  nearest->predicted_step_s = prediction.step_s;
  return nearest;
}

/**
 * shardwise_nearest_run_copy:
 * @run: (nullable): a run
 *
 * Returns: (transfer full) (nullable): a copy
 */
ShardwiseNearestRun *
shardwise_nearest_run_copy (const ShardwiseNearestRun *run)
{
  ShardwiseNearestRun *copy;

  if (run == NULL)
    return NULL;
  copy = g_memdup2 (run, sizeof *run);
  copy->id = g_strdup (run->id);
  copy->source = g_strdup (run->source);
  copy->description = g_strdup (run->description);
  return copy;
}

/**
 * shardwise_nearest_run_free:
 * @run: (nullable) (transfer full): a run
 */
void
shardwise_nearest_run_free (ShardwiseNearestRun *run)
{
  if (run == NULL)
    return;
  g_free (run->id);
  g_free (run->source);
  g_free (run->description);
  g_free (run);
}
