/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What could be changed where nothing fits; each change is the smallest of its kind that fits, or
 * the largest where none does, and was searched. */
#include "sw-changes.h"
#include "sw-search.h"

const char *const sw_change_names[] = { "gpus",           "recompute",     "zero",  "offload",
                                        "optimizer-8bit", "lora",          "qlora", "sequence",
                                        "micro-batch",    "memory-target", "unpin", NULL };

enum { MOST_SEQUENCE_HALVINGS = 12 };

/* The best strategy of a changed question; where none fits, the nearest, and FALSE. `out` is left
 * alone where no strategy can run at all. */
static gboolean
try_change (const SwProblem *problem, SwChangeKind kind, double value, SwChange *out)
{
  const SwSearchOptions options = { .top = 1 };
  SwSearchResult result;
  gboolean fits;

  sw_search (problem, &options, &result);
  fits = result.n_best > 0;
  if (fits || result.n_nearest > 0)
    {
      out->kind = kind;
      out->value = value;
      sw_estimate (problem, fits ? &result.best[0].strategy : &result.nearest[0].strategy,
                   &out->result);
    }
  sw_search_result_clear (&result);
  return fits;
}

/* Frees one pinned dimension, which is the change where another value of it fits. */
static gboolean
try_unpinned (const SwProblem *problem, SwChangeKind kind, SwDimension dimension, SwChange *out)
{
  SwProblem changed = *problem;
  gboolean fits;

  if (!sw_pins_has (&problem->pins, dimension)
      && !(dimension == SW_DIM_MICRO_BATCH && problem->training.micro_batch > 0))
    return FALSE;
  changed.pins.mask &= ~(1u << dimension);
  if (dimension == SW_DIM_MICRO_BATCH)
    changed.training.micro_batch = 0;
  fits = try_change (&changed, kind, 0.0, out);
  if (out->kind == kind)
    out->value = sw_strategy_get (&out->result.strategy, dimension);
  return fits;
}

/* Where a dimension is pinned, frees it; else it was searched, and what saves most of
 * what the framework can run is shown. */
static gboolean
try_dimension (const SwProblem *problem, SwChangeKind kind, SwDimension dimension, guint most,
               SwChange *out)
{
  SwProblem changed = *problem;

  if (sw_pins_has (&problem->pins, dimension))
    return try_unpinned (problem, kind, dimension, out);
  changed.pins.mask |= 1u << dimension;
  for (guint value = most; value > 0 && out->kind != kind; value--)
    {
      sw_strategy_set (&changed.pins.value, dimension, value);
      if (try_change (&changed, kind, value, out))
        return TRUE;
    }
  return FALSE;
}

static gboolean
try_kind (const SwProblem *problem, SwChangeKind kind, SwChange *out)
{
  static const double targets[] = { 0.9, 0.95 };
  const SwTrainingType type = kind == SW_CHANGE_LORA ? SW_TRAINING_LORA : SW_TRAINING_QLORA;
  SwProblem changed = *problem;
  SwTraining *training = &changed.training;

  switch (kind)
    {
    case SW_CHANGE_GPUS:
      changed.cluster.gpus = sw_least_gpus (problem);
      return changed.cluster.gpus > problem->cluster.gpus
             && try_change (&changed, kind, changed.cluster.gpus, out);
    case SW_CHANGE_RECOMPUTE:
      return try_dimension (problem, kind, SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL, out);
    case SW_CHANGE_ZERO: return try_dimension (problem, kind, SW_DIM_ZERO, 3, out);
    case SW_CHANGE_OFFLOAD:
      return try_dimension (problem, kind, SW_DIM_OFFLOAD, SW_OFFLOAD_OPTIMIZER_PARAMS, out);
    case SW_CHANGE_MICRO_BATCH: return try_unpinned (problem, kind, SW_DIM_MICRO_BATCH, out);
    case SW_CHANGE_OPTIMIZER_8BIT:
      training->optimizer = SW_OPTIMIZER_ADAM8BIT;
      return problem->training.optimizer == SW_OPTIMIZER_ADAMW
             && try_change (&changed, kind, 0.0, out);
    case SW_CHANGE_LORA:
    case SW_CHANGE_QLORA:
      /* Pre-training from scratch has no base to adapt. */
      if (training->type == SW_TRAINING_PRETRAIN || training->type == type
          || training->type == SW_TRAINING_QLORA)
        return FALSE;
      training->type = type;
      return try_change (&changed, kind, 0.0, out);
    case SW_CHANGE_SEQUENCE:
      for (guint i = 0;
           i < MOST_SEQUENCE_HALVINGS && training->sequence_length >= 256
           && training->sequence_length % 2 == 0 && training->global_batch <= G_MAXUINT / 2;
           i++)
        {
          /* The batch in tokens stays: it is what training depends on. */
          training->sequence_length /= 2;
          training->global_batch *= 2;
          if (try_change (&changed, kind, training->sequence_length, out))
            return TRUE;
        }
      return FALSE;
    case SW_CHANGE_MEMORY_TARGET:
      for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
        {
          if (problem->training.memory_target >= targets[i])
            continue;
          training->memory_target = targets[i];
          if (try_change (&changed, kind, targets[i], out))
            return TRUE;
        }
      return FALSE;
    case SW_CHANGE_UNPIN:
      /* All pins at once; a micro-batch that the job states stays. */
      changed.pins.mask = 0;
      return problem->pins.mask != 0 && try_change (&changed, kind, 0.0, out);
    case SW_N_CHANGES:
    default: return FALSE;
    }
}

/**
 * sw_changes_tried:
 * @problem: a question to which nothing fits
 * @changes: (out): the changes, one of a kind at most, each with the best strategy after it, or
 * with the nearest where it does not suffice: `result.fits` and `result.missing_bytes` tell
 *
 * Recomputation, ZeRO and offload were searched unless they are pinned: then their change is to
 * free the pin, else it is what saves most, which cannot suffice. Micro-batch is a change only
 * where it is pinned. The optimizer, adapters and sequence length change what is trained, and are
 * never changed unasked.
 *
 * Returns: how many there are
 */
guint
sw_changes_tried (const SwProblem *problem, SwChange changes[SW_N_CHANGES])
{
  guint n = 0;

  for (guint i = 0; i < SW_N_CHANGES; i++)
    {
      changes[n].kind = SW_N_CHANGES;
      try_kind (problem, (SwChangeKind) i, &changes[n]);
      n += changes[n].kind != SW_N_CHANGES;
    }
  return n;
}
