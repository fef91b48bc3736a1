/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The published measured run that is most like a job: what an estimate can be held against. */
#include "shardwise-advice-private.h"
#include "shardwise-measured.h"

#include <math.h>

static gpointer
load_runs (gpointer data)
{
  return shardwise_runs_builtin ();
}

/* Read once, when the first advice needs it, and never changed. */
static GPtrArray *
runs (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, load_runs, NULL);
}

/**
 * shardwise_nearest_run_prepare:
 *
 * Reads the table of runs, which the first advice would else have to wait for. From any thread.
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

/* Kinds of training whose step is another: weights that are trained or adapters beside frozen ones,
 * and reinforcement learning with its generation. */
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
 * and steps for what differs in kind. 0 = the same kind of job; 1 = as far as a model of 2.7 times
 * the size, or another GPU generation. The steps are judgement, not a fit. */
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

static gboolean
is_usable (const ShardwiseRun *run)
{
  return run->skip == NULL && run->judged && !run->oom && run->measured_step_s > 0
         && run->problem.count.active > 0;
}

/**
 * shardwise_nearest_run_find:
 * @problem: a question
 * @strategy: its answer
 *
 * Returns: (transfer full) (nullable): the nearest run, with what was measured and what our model
 * says of it
 */
ShardwiseNearestRun *
shardwise_nearest_run_find (const SwProblem *problem, const SwStrategy *strategy)
{
  GPtrArray *all = runs ();
  const ShardwiseRun *best = NULL;
  double least = INFINITY, memory_bytes;
  gboolean fits;
  SwStrategy used;
  ShardwiseNearestRun *nearest;

  for (guint i = 0; all != NULL && i < all->len; i++)
    {
      const ShardwiseRun *run = g_ptr_array_index (all, i);
      double d = is_usable (run) ? distance (problem, strategy, &run->problem, &run->strategy)
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
  shardwise_run_predict (best, &nearest->predicted_step_s, &memory_bytes, &fits, &used);
  return nearest;
}

/**
 * shardwise_nearest_run_copy:
 * @run: (nullable): what to copy
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
 * @run: (nullable) (transfer full): what to free
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
