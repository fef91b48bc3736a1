/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to suggest if nothing fits, or nothing fits safely: single changes, each the smallest of
 * its kind that suffices, and pairs if no single change suffices or a pair is much smaller. Each
 * result comes from a search of the changed question. */
#include "sw-changes.h"

#include "sw-level.h"
#include "sw-means.h"

#include <math.h>
#include <string.h>

const char *const sw_change_names[] = {
  "gpus",  "recompute", "zero",        "offload",       "optimizer-8bit", "lora",
  "qlora", "sequence",  "micro-batch", "memory-target", "unpin",          "tp",
  "pp",    "cp",        "ep",          "framework",     "host-memory",    NULL
};

/* How much of a job each change affects, which determines their order: values of the strategy that
 * the user pinned, then how it runs, then what is trained. Each doubling of GPUs or host memory,
 * and each halving of the sequence, adds STEP_SIZE. */
static const guint sizes[SW_N_CHANGES] = {
  [SW_CHANGE_MICRO_BATCH] = 2, [SW_CHANGE_RECOMPUTE] = 2, [SW_CHANGE_ZERO] = 2,
  [SW_CHANGE_TP] = 2,          [SW_CHANGE_PP] = 2,        [SW_CHANGE_CP] = 2,
  [SW_CHANGE_EP] = 2,          [SW_CHANGE_UNPIN] = 3,     [SW_CHANGE_MEMORY_TARGET] = 3,
  [SW_CHANGE_FRAMEWORK] = 4,   [SW_CHANGE_GPUS] = 2,      [SW_CHANGE_OPTIMIZER_8BIT] = 3,
  [SW_CHANGE_HOST_MEMORY] = 3, [SW_CHANGE_SEQUENCE] = 4,  [SW_CHANGE_OFFLOAD] = 5,
  [SW_CHANGE_LORA] = 9,        [SW_CHANGE_QLORA] = 10,
};
#define STEP_SIZE 2.0

/* For someone who trains adapters anyway, a 4-bit base only changes how the base is stored: the
 * same weights are trained on the same machine. It therefore comes before buying memory or GPUs,
 * which are more than 3, and after unpinning. */
#define QLORA_OF_ADAPTERS 2.5

/* Changes beyond these limits do not answer the question: they are a different class of cluster or
 * a different job. */
#define MOST_GROWTH 64 /* of the GPUs */
#define MOST_HALVINGS 3
#define LEAST_SEQUENCE 512 /* tokens */

/* Usual host memory of nodes, GB; beyond the last it is a different class of machine. */
static const guint host_sizes[] = { 64,  96,   128,  192,  256,  384, 512,
                                    768, 1024, 1536, 2048, 3072, 4096 };

/* More GPUs with another change are listed besides more GPUs alone if they are fewer by this
 * factor. */
#define MUCH_FEWER 2

/**
 * sw_change_dimension:
 * @kind: a kind of change
 *
 * Returns: the dimension that it changes; SW_N_DIMENSIONS: none
 */
SwDimension
sw_change_dimension (SwChangeKind kind)
{
  switch ((int) kind)
    {
    case SW_CHANGE_RECOMPUTE: return SW_DIM_RECOMPUTE;
    case SW_CHANGE_ZERO: return SW_DIM_ZERO;
    case SW_CHANGE_OFFLOAD: return SW_DIM_OFFLOAD;
    case SW_CHANGE_MICRO_BATCH: return SW_DIM_MICRO_BATCH;
    case SW_CHANGE_TP: return SW_DIM_TP;
    case SW_CHANGE_PP: return SW_DIM_PP;
    case SW_CHANGE_CP: return SW_DIM_CP;
    case SW_CHANGE_EP: return SW_DIM_EP;
    default: return SW_N_DIMENSIONS;
    }
}

/**
 * sw_change_is_unpinned:
 * @problem: the question before the change
 * @kind: a change of a dimension
 *
 * Returns: whether the user pinned the dimension, so that the change unpins it; otherwise the
 *   change sets a value
 */
gboolean
sw_change_is_unpinned (const SwProblem *problem, SwChangeKind kind)
{
  return sw_pins_has (&problem->pins, sw_change_dimension (kind))
         || (kind == SW_CHANGE_MICRO_BATCH && problem->training.micro_batch > 0);
}

/* Applies the change. */
static void
apply (SwProblem *problem, const SwChangePart *part)
{
  const SwDimension dimension = sw_change_dimension (part->kind);
  SwTraining *training = &problem->training;
  guint length;

  switch ((int) part->kind)
    {
    case SW_CHANGE_GPUS: problem->cluster.gpus = (guint) part->value; return;
    case SW_CHANGE_OPTIMIZER_8BIT: training->optimizer = SW_OPTIMIZER_ADAM8BIT; return;
    case SW_CHANGE_LORA: training->type = SW_TRAINING_LORA; return;
    case SW_CHANGE_QLORA: training->type = SW_TRAINING_QLORA; return;
    case SW_CHANGE_SEQUENCE:
      /* The batch in tokens stays, because training depends on it. */
      length = (guint) part->value;
      training->global_batch *= training->sequence_length / length;
      training->sequence_length = length;
      return;
    case SW_CHANGE_MEMORY_TARGET: training->memory_target = part->value; return;
    case SW_CHANGE_UNPIN: problem->pins.mask = 0; return; /* a stated micro-batch stays */
    case SW_CHANGE_FRAMEWORK: training->framework = (SwFramework) part->value; return;
    case SW_CHANGE_HOST_MEMORY: problem->cluster.host_ram_bytes = part->value * SW_GB; return;
    default: break;
    }
  if (!sw_change_is_unpinned (problem, part->kind))
    {
      problem->pins.mask |= 1u << dimension;
      sw_strategy_set (&problem->pins.value, dimension, (guint) part->value);
      return;
    }
  problem->pins.mask &= ~(1u << dimension);
  if (part->kind == SW_CHANGE_MICRO_BATCH)
    training->micro_batch = 0;
  /* Data parallelism uses what the other parallel sizes leave. */
  if (part->kind == SW_CHANGE_TP || part->kind == SW_CHANGE_PP || part->kind == SW_CHANGE_CP)
    problem->pins.mask &= ~(1u << SW_DIM_DP | 1u << SW_DIM_SHARD_GROUP);
}

/* Whether a kind of change applies to this question, alone or in a pair. @safely: something fits,
 * but not by the upper end of its interval. */
static gboolean
is_open (const SwProblem *problem, SwChangeKind kind, gboolean safely)
{
  const SwTraining *training = &problem->training;

  switch (kind)
    {
    case SW_CHANGE_GPUS: return TRUE;
    case SW_CHANGE_OPTIMIZER_8BIT: return training->optimizer == SW_OPTIMIZER_ADAMW;
    /* Pre-training from scratch has no base for adapters. */
    case SW_CHANGE_LORA: return training->type == SW_TRAINING_FINETUNE;
    case SW_CHANGE_QLORA:
      return training->type == SW_TRAINING_FINETUNE || training->type == SW_TRAINING_LORA;
    case SW_CHANGE_SEQUENCE: return training->sequence_length >= 2 * LEAST_SEQUENCE;
    case SW_CHANGE_MEMORY_TARGET: return training->memory_target < 0.95;
    case SW_CHANGE_UNPIN: return problem->pins.mask != 0;
    case SW_CHANGE_FRAMEWORK:
      return training->framework != SW_FRAMEWORK_ANY && !training->usual_frameworks;
    /* More host memory helps if offload needs it; it is suggested only if nothing else helps. */
    case SW_CHANGE_HOST_MEMORY: return !safely && sw_cluster_host_bytes (&problem->cluster) > 0;
    /* Values that the search already tried are not a change, except offload, which is untried and
     * was only searched if nothing fits without it. */
    case SW_CHANGE_OFFLOAD:
      return sw_change_is_unpinned (problem, kind)
             || (safely && (problem->training.left_out & SW_UNTRIED_OFFLOAD) != 0
                 && training->optimizer == SW_OPTIMIZER_ADAMW);
    case SW_CHANGE_RECOMPUTE:
    case SW_CHANGE_ZERO:
    case SW_CHANGE_MICRO_BATCH:
    case SW_CHANGE_TP:
    case SW_CHANGE_PP:
    case SW_CHANGE_CP:
    case SW_CHANGE_EP: return sw_change_is_unpinned (problem, kind);
    case SW_N_CHANGES:
    default: return FALSE;
    }
}

/* The goal: something fits, or fits by the upper end of its interval. */
static gboolean
suffices (const SwProblem *problem, gboolean safely)
{
  SwProblem asked = *problem;

  if (safely)
    return sw_search_fits_safely (problem);
  asked.training.left_out = 0;
  return sw_search_fits (&asked);
}

/* The smallest usual host memory with which something fits. */
static gboolean
choose_host_memory (const SwProblem *problem, double *value)
{
  const double present = sw_cluster_host_bytes (&problem->cluster);

  for (guint i = 0; i < G_N_ELEMENTS (host_sizes); i++)
    {
      SwProblem changed = *problem;

      apply (&changed, &(SwChangePart){ SW_CHANGE_HOST_MEMORY, host_sizes[i] });
      if (host_sizes[i] * SW_GB <= present || !suffices (&changed, FALSE))
        continue;
      *value = host_sizes[i];
      return TRUE;
    }
  return FALSE;
}

/* The smallest value of a change that suffices. FALSE: no value suffices; @value is then the
 * closest one, or 0. */
static gboolean
choose_value (const SwProblem *problem, SwChangeKind kind, gboolean safely, double *value)
{
  static const double targets[] = { 0.9, 0.95 };
  SwProblem changed = *problem;
  guint n = 0;

  *value = 0.0;
  switch ((int) kind)
    {
    case SW_CHANGE_GPUS:
      *value = sw_least_gpus_with (problem, SW_MEANS_NONE, safely);
      return *value > problem->cluster.gpus && *value <= MOST_GROWTH * problem->cluster.gpus;
    case SW_CHANGE_SEQUENCE:
      for (guint length = problem->training.sequence_length;
           n < MOST_HALVINGS && length % 2 == 0 && length / 2 >= LEAST_SEQUENCE
           && problem->training.global_batch <= G_MAXUINT >> (n + 1);
           n++)
        {
          length /= 2;
          *value = length;
          changed = *problem;
          apply (&changed, &(SwChangePart){ kind, length });
          if (suffices (&changed, safely))
            return TRUE;
        }
      return FALSE;
    case SW_CHANGE_MEMORY_TARGET:
      for (; n < G_N_ELEMENTS (targets) && !safely; n++)
        {
          if (problem->training.memory_target >= targets[n])
            continue;
          *value = changed.training.memory_target = targets[n];
          if (suffices (&changed, FALSE))
            return TRUE;
        }
      return FALSE;
    case SW_CHANGE_OFFLOAD:
      *value = SW_OFFLOAD_OPTIMIZER; /* for one that is not pinned */
      break;
    case SW_CHANGE_HOST_MEMORY: return choose_host_memory (problem, value);
    default: break;
    }
  apply (&changed, &(SwChangePart){ kind, *value });
  return suffices (&changed, safely);
}

/* The recommended strategy of a problem, or the nearest if nothing fits. FALSE: no strategy can
 * run. */
static gboolean
find (const SwProblem *problem, SwEstimate *out)
{
  const SwSearchOptions options = { .top = 1 };
  SwProblem asked = *problem;
  SwSearchResult result;
  gboolean found;

  sw_search_start (&asked, &options, &result);
  found = result.n_best + result.n_nearest > 0;
  if (found)
    sw_estimate (problem,
                 result.n_best > 0 ? &result.best[0].strategy : &result.nearest[0].strategy, out);
  sw_search_result_clear (&result);
  return found;
}

/* The best of the usual frameworks other than the stated one; FALSE: nothing suffices in any. */
static gboolean
choose_framework (const SwProblem *problem, gboolean safely, SwChange *out)
{
  SwFramework frameworks[SW_N_FRAMEWORKS];
  const guint n = sw_usual_frameworks (problem, frameworks);
  SwEstimate estimate;
  gboolean found = FALSE;

  for (guint i = 0; i < n; i++)
    {
      const SwChangePart part = { SW_CHANGE_FRAMEWORK, frameworks[i] };
      SwProblem changed = *problem;

      apply (&changed, &part);
      if (frameworks[i] == problem->training.framework || !suffices (&changed, safely)
          || !find (&changed, &estimate) || !estimate.fits
          || (found
              && (estimate.fit > out->result.fit
                  || (estimate.fit == out->result.fit
                      && estimate.tokens_per_s <= out->result.tokens_per_s))))
        continue;
      *out = (SwChange){ .n_parts = 1, .parts = { part }, .result = estimate };
      found = TRUE;
    }
  return found;
}

/* The search's choice for a dimension that the change unpinned. */
static void
name_values (const SwProblem *problem, SwChange *change)
{
  for (guint i = 0; i < change->n_parts; i++)
    {
      const SwDimension dimension = sw_change_dimension (change->parts[i].kind);

      if (dimension != SW_N_DIMENSIONS && sw_change_is_unpinned (problem, change->parts[i].kind))
        change->parts[i].value = sw_strategy_get (&change->result.strategy, dimension);
    }
}

/* Whether the search chose the pinned value again after it was unpinned. */
static gboolean
keeps_value (const SwProblem *problem, const SwChangePart *part)
{
  const SwDimension dimension = sw_change_dimension (part->kind);

  return dimension != SW_N_DIMENSIONS && sw_change_is_unpinned (problem, part->kind)
         && part->value
                == (sw_pins_has (&problem->pins, dimension)
                        ? sw_strategy_get (&problem->pins.value, dimension)
                        : problem->training.micro_batch);
}

static gboolean
is_wanted (const SwChange *change, gboolean safely)
{
  return change->result.fits && (!safely || change->result.fit == SW_FIT_FITS);
}

/* Searches a single change. FALSE: it does not suffice; then @out has the nearest if it is of
 * interest, otherwise no parts. */
static gboolean
try_single (const SwProblem *problem, SwChangeKind kind, gboolean safely, SwChange *out)
{
  SwChangePart part = { .kind = kind };
  SwProblem changed = *problem;
  gboolean enough;

  out->n_parts = 0;
  if (!is_open (problem, kind, safely))
    return FALSE;
  if (kind == SW_CHANGE_FRAMEWORK)
    return choose_framework (problem, safely, out);
  enough = choose_value (problem, kind, safely, &part.value);
  if (!enough
      && (safely || kind == SW_CHANGE_GPUS || kind == SW_CHANGE_HOST_MEMORY
          || (kind == SW_CHANGE_SEQUENCE && part.value <= 0.0)))
    return FALSE;
  apply (&changed, &part);
  if (!find (&changed, &out->result))
    return FALSE;
  out->n_parts = 1;
  out->parts[0] = part;
  name_values (problem, out);
  if (is_wanted (out, safely))
    return TRUE;
  if (keeps_value (problem, &out->parts[0]))
    out->n_parts = 0;
  return FALSE;
}

/* The value that saves most in a dimension chosen by the search: it cannot suffice, but is listed
 * for users who look for it. */
static void
try_most (const SwProblem *problem, SwChangeKind kind, SwChange *out)
{
  const guint most[SW_N_CHANGES] = { [SW_CHANGE_RECOMPUTE] = SW_RECOMPUTE_FULL,
                                     [SW_CHANGE_ZERO] = 3,
                                     [SW_CHANGE_OFFLOAD] = SW_OFFLOAD_OPTIMIZER_PARAMS };

  out->n_parts = 0;
  if (most[kind] == 0 || sw_change_is_unpinned (problem, kind))
    return;
  for (guint value = most[kind]; value > 0 && out->n_parts == 0; value--)
    {
      const SwChangePart part = { kind, value };
      SwProblem changed = *problem;

      apply (&changed, &part);
      changed.training.left_out = 0;
      if (find (&changed, &out->result))
        {
          out->parts[0] = part;
          out->n_parts = 1;
        }
    }
}

/* Whether two kinds make a pair: neither includes the other, and neither is without effect in
 * it. */
static gboolean
is_pair (const SwProblem *problem, SwChangeKind a, SwChangeKind b, gboolean safely)
{
  const gboolean adapts = a == SW_CHANGE_LORA || a == SW_CHANGE_QLORA;

  /* Unpinned offload only pairs with more GPUs: the search tried it with the others. */
  if (a == SW_CHANGE_OFFLOAD && b == SW_CHANGE_GPUS)
    return problem->training.optimizer == SW_OPTIMIZER_ADAMW;
  if (!is_open (problem, a, safely) || !is_open (problem, b, safely) || a == SW_CHANGE_FRAMEWORK
      || b == SW_CHANGE_FRAMEWORK)
    return FALSE;
  if (adapts && (b == SW_CHANGE_LORA || b == SW_CHANGE_QLORA || b == SW_CHANGE_OPTIMIZER_8BIT))
    return FALSE;
  if (b == SW_CHANGE_UNPIN)
    return sw_change_dimension (a) == SW_N_DIMENSIONS || a == SW_CHANGE_MICRO_BATCH;
  return TRUE;
}

/* The second change of a pair takes the smallest value that then suffices. */
static gboolean
try_pair_with (const SwProblem *problem, SwChangeKind a, double value, SwChangeKind b,
               gboolean safely, SwChange *out)
{
  SwProblem changed = *problem;

  *out = (SwChange){ .n_parts = 2, .parts = { { .kind = a, .value = value }, { .kind = b } } };
  apply (&changed, &out->parts[0]);
  if (!choose_value (&changed, b, safely, &out->parts[1].value))
    return FALSE;
  apply (&changed, &out->parts[1]);
  if (!find (&changed, &out->result))
    return FALSE;
  name_values (problem, out);
  return is_wanted (out, safely);
}

/* The first change of a pair takes its smallest value; offload takes the one that needs clearly
 * fewer GPUs. */
static gboolean
try_pair (const SwProblem *problem, SwChangeKind a, SwChangeKind b, gboolean safely, SwChange *out)
{
  const guint length = problem->training.sequence_length;
  SwChange more;
  gboolean found;

  switch ((int) a)
    {
    case SW_CHANGE_SEQUENCE:
      return length % 2 == 0 && try_pair_with (problem, a, length / 2, b, safely, out);
    case SW_CHANGE_MEMORY_TARGET:
      return !safely && try_pair_with (problem, a, 0.95, b, safely, out);
    case SW_CHANGE_OFFLOAD:
      found = try_pair_with (problem, a, SW_OFFLOAD_OPTIMIZER, b, safely, out);
      if (try_pair_with (problem, a, SW_OFFLOAD_OPTIMIZER_PARAMS, b, safely, &more)
          && (!found || more.parts[1].value * 4 <= out->parts[1].value * 3))
        {
          *out = more;
          return TRUE;
        }
      return found;
    default: return try_pair_with (problem, a, 0.0, b, safely, out);
    }
}

/* Lower bound of the size of a kind of change. */
static double
least_size (const SwProblem *problem, SwChangeKind kind)
{
  return kind == SW_CHANGE_QLORA && sw_training_is_adapter (&problem->training) ? QLORA_OF_ADAPTERS
                                                                                : sizes[kind];
}

/* The size of a change. */
static double
size_of (const SwProblem *problem, const SwChange *change)
{
  double size = 0.0;

  for (guint i = 0; i < change->n_parts; i++)
    {
      const SwChangePart *part = &change->parts[i];

      size += least_size (problem, part->kind);
      if (part->kind == SW_CHANGE_GPUS)
        size += STEP_SIZE * log2 (part->value / problem->cluster.gpus);
      else if (part->kind == SW_CHANGE_SEQUENCE)
        size += STEP_SIZE * log2 (problem->training.sequence_length / part->value);
      else if (part->kind == SW_CHANGE_HOST_MEMORY)
        size += STEP_SIZE * log2 (part->value * SW_GB / sw_cluster_host_bytes (&problem->cluster));
    }
  return size;
}

/* Inserts a change into the sufficient ones, smallest first, and among equal sizes fastest
 * first. */
static guint
insert (const SwProblem *problem, SwChange *ways, guint n, const SwChange *change)
{
  const double size = size_of (problem, change);
  guint at = n;

  /* Unpinning everything is not smaller than unpinning one dimension. */
  if (change->parts[0].kind == SW_CHANGE_UNPIN)
    for (guint i = 0; i < n; i++)
      if (sw_strategy_equal (&ways[i].result.strategy, &change->result.strategy))
        return n;
  while (at > 0
         && (size_of (problem, &ways[at - 1]) > size
             || (size_of (problem, &ways[at - 1]) >= size
                 && ways[at - 1].result.tokens_per_s < change->result.tokens_per_s)))
    at--;
  if (at == SW_MOST_WAYS)
    return n;
  n = MIN (n, SW_MOST_WAYS - 1);
  memmove (&ways[at + 1], &ways[at], (n - at) * sizeof *ways);
  ways[at] = *change;
  return n + 1;
}

/* The order in a pair: changes with values come last, GPUs last of all. */
static const SwChangeKind order[] = {
  SW_CHANGE_MICRO_BATCH,
  SW_CHANGE_RECOMPUTE,
  SW_CHANGE_ZERO,
  SW_CHANGE_TP,
  SW_CHANGE_PP,
  SW_CHANGE_CP,
  SW_CHANGE_EP,
  SW_CHANGE_LORA,
  SW_CHANGE_QLORA,
  SW_CHANGE_OFFLOAD,
  SW_CHANGE_OPTIMIZER_8BIT,
  SW_CHANGE_UNPIN,
  SW_CHANGE_MEMORY_TARGET,
  SW_CHANGE_SEQUENCE,
  SW_CHANGE_GPUS,
};

/* Pairs of changes of which neither suffices alone: all pairs if no single change suffices;
 * otherwise the pairs smaller than every single change, and those that need far fewer GPUs than
 * adding GPUs alone. */
static guint
add_pairs (const SwProblem *problem, gboolean safely, guint sufficing, double gpus, SwChange *ways,
           guint n)
{
  const double smallest = n > 0 ? size_of (problem, &ways[0]) : INFINITY;

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    for (guint j = i + 1; j < G_N_ELEMENTS (order) && !sw_problem_is_cancelled (problem); j++)
      {
        const gboolean grows = order[j] == SW_CHANGE_GPUS;
        SwChange pair;

        if ((sufficing & 1u << order[i]) != 0 || (!grows && (sufficing & 1u << order[j]) != 0)
            || (smallest < INFINITY
                && (grows ? gpus <= 0.0
                          : least_size (problem, order[i]) + least_size (problem, order[j])
                                >= smallest))
            || !is_pair (problem, order[i], order[j], safely)
            || !try_pair (problem, order[i], order[j], safely, &pair))
          continue;
        if (smallest == INFINITY
            || (grows ? pair.parts[1].value * MUCH_FEWER <= gpus
                      : size_of (problem, &pair) < smallest))
          n = insert (problem, ways, n, &pair);
      }
  return n;
}

/**
 * sw_changes_tried:
 * @problem: a question for which nothing fits
 * @changes: (out): at most six changes that suffice, smallest first; then single changes that do
 *   not suffice, with the nearest strategy (see `result.fits` and `result.missing_bytes`)
 *
 * The search tried recomputation, ZeRO and offload unless they are pinned: if they are, the change
 * unpins them; otherwise it is the value that saves most, which cannot suffice. Micro-batch and
 * parallel sizes are changes only if they are pinned. Optimizer, adapters, sequence length and
 * framework never change without a request. Changes that amount to a different job (far more GPUs,
 * far shorter sequences) are not listed.
 *
 * Returns: their number
 */
guint
sw_changes_tried (const SwProblem *problem, SwChange changes[SW_MOST_CHANGES])
{
  SwChange misses[SW_N_CHANGES];
  guint n = 0, n_misses = 0, sufficing = 0;
  double gpus = 0.0;

  for (guint i = 0; i < SW_N_CHANGES && !sw_problem_is_cancelled (problem); i++)
    {
      SwChange change;

      if (try_single (problem, (SwChangeKind) i, FALSE, &change))
        {
          sufficing |= 1u << i;
          if (i == SW_CHANGE_GPUS)
            gpus = change.parts[0].value;
          n = insert (problem, changes, n, &change);
          continue;
        }
      if (change.n_parts == 0)
        try_most (problem, (SwChangeKind) i, &change);
      if (change.n_parts > 0 && !change.result.fits)
        misses[n_misses++] = change;
    }
  n = add_pairs (problem, FALSE, sufficing, gpus, changes, n);
  memcpy (&changes[n], misses, n_misses * sizeof *misses);
  return n + n_misses;
}

/**
 * sw_change_for_safety:
 * @problem: a question whose best answer fits, but not by the upper end of its interval
 * @out: (out): the smallest change with which it does
 *
 * Returns: whether there is one
 */
gboolean
sw_change_for_safety (const SwProblem *problem, SwChange *out)
{
  SwChange ways[SW_MOST_WAYS], change;
  guint n = 0;

  for (guint i = 0; i < SW_N_CHANGES && !sw_problem_is_cancelled (problem); i++)
    if (try_single (problem, (SwChangeKind) i, TRUE, &change))
      n = insert (problem, ways, n, &change);
  if (n == 0)
    n = add_pairs (problem, TRUE, 0, 0.0, ways, 0);
  if (n > 0)
    *out = ways[0];
  return n > 0;
}

/**
 * sw_change_to_proven:
 * @problem: a question whose best answer is untried
 * @out: (out): the smallest change with which something proven certainly fits
 *
 * A quantized base is a small change for a job with adapters and a large one for full training,
 * where more GPUs come first.
 *
 * Returns: whether there is one
 */
gboolean
sw_change_to_proven (const SwProblem *problem, SwChange *out)
{
  static const SwChangeKind of_adapters[] = { SW_CHANGE_QLORA, SW_CHANGE_GPUS },
                            of_models[] = { SW_CHANGE_OPTIMIZER_8BIT, SW_CHANGE_GPUS,
                                            SW_CHANGE_LORA, SW_CHANGE_QLORA };
  const gboolean adapts = sw_training_is_adapter (&problem->training);
  const SwChangeKind *kinds = adapts ? of_adapters : of_models;
  const guint n = adapts ? G_N_ELEMENTS (of_adapters) : G_N_ELEMENTS (of_models);

  for (guint i = 0; i < n && !sw_problem_is_cancelled (problem); i++)
    if (try_single (problem, kinds[i], TRUE, out) && out->result.level != SW_LEVEL_UNTRIED)
      return TRUE;
  return FALSE;
}

/* A change is worth suggesting if it multiplies the tokens per second by this. */
#define MUCH_FASTER 2.0

/**
 * sw_change_to_work:
 * @problem: a question whose best answer sw_estimate_hardly_works()
 * @now: that answer
 * @out: (out): the fastest of the changes that are much faster: adapters, a quantized base, a
 * single node
 *
 * Returns: whether there is one
 */
gboolean
sw_change_to_work (const SwProblem *problem, const SwEstimate *now, SwChange *out)
{
  const SwChangePart parts[] = { { SW_CHANGE_GPUS, problem->cluster.gpus_per_node },
                                 { SW_CHANGE_LORA, 0 },
                                 { SW_CHANGE_QLORA, 0 } };
  double best = MUCH_FASTER * now->tokens_per_s;
  gboolean found = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (parts) && !sw_problem_is_cancelled (problem); i++)
    {
      SwProblem changed = *problem;
      SwEstimate estimate;

      if (parts[i].kind == SW_CHANGE_GPUS ? problem->cluster.gpus <= parts[i].value
                                          : !is_open (problem, parts[i].kind, FALSE))
        continue;
      apply (&changed, &parts[i]);
      if (!find (&changed, &estimate) || !estimate.fits || estimate.tokens_per_s <= best)
        continue;
      best = estimate.tokens_per_s;
      *out = (SwChange){ .n_parts = 1, .parts = { parts[i] }, .result = estimate };
      found = TRUE;
    }
  return found;
}
