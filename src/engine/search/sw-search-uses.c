/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the ranks of a level-1 point can be spread over stages and replicas, and how long that makes
 * a step at least. It depends on little, and many points ask for the same. */
#include "sw-search-private.h"

static int
compare_uses (gconstpointer a, gconstpointer b)
{
  const SwUse *left = a, *right = b;

  if (left->weight < right->weight || left->weight > right->weight)
    return left->weight < right->weight ? -1 : 1;
  return left->stages < right->stages ? -1 : left->stages > right->stages;
}

/* How many numbers of replicas there are ranks for. */
guint
sw_space_replicas_within (const SwSpace *space, guint ranks)
{
  guint low = 0, high = space->replicas->len;

  while (low < high)
    {
      const guint middle = low + (high - low) / 2;

      if (g_array_index (space->replicas, SwListed, middle).value <= ranks)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* The index of the most replicas within `ranks` of which each has a micro-batch; of pinned ones,
 * which may have none, the rule speaks. G_MAXUINT: there are not enough ranks. */
guint
sw_space_most_replicas (const SwProblem *problem, const SwSpace *space, guint ranks,
                        guint micro_batch)
{
  if (ranks == 0)
    return G_MAXUINT;
  for (guint i = sw_space_replicas_within (space, ranks); i-- > 0;)
    {
      const guint dp = g_array_index (space->replicas, SwListed, i).value;

      if (space->replicas->len == 1
          || problem->training.global_batch % ((guint64) dp * micro_batch) == 0)
        return i;
    }
  return space->replicas->len == 1 ? G_MAXUINT : 0;
}

/* Filling a pipeline takes at least this share of one micro-batch through all other stages, where
 * there are as many micro-batches as stages: 1 under 1F1B and GPipe, 1 / v interleaved, perhaps
 * nothing under zero-bubble. */
static double
least_fill (const SwSpace *space, const SwListed *stages)
{
  if ((space->rules->schedule_mask & 1u << SW_SCHEDULE_ZERO_BUBBLE) != 0)
    return 0.0;
  if ((space->rules->schedule_mask & 1u << SW_SCHEDULE_INTERLEAVED) == 0 || stages->n == 0)
    return 1.0;
  return 1.0 / g_array_index (space->lists, guint, stages->first + stages->n - 1);
}

/* The least over all replicas. With the most of them each has the least to do; fewer have fewer
 * stragglers, but lose more than that, except in what fills the pipeline. Where there are fewer
 * micro-batches than stages nothing interleaves; with so few replicas that there are as many, a
 * step takes one micro-batch through everything at least. */
static double
weight_of (const SwProblem *problem, const SwSpace *space, const SwStrategy *strategy,
           const SwListed *stages, guint dp)
{
  const double rounds = (double) problem->training.global_batch
                        / ((double) dp * strategy->micro_batch) / stages->value;
  const double others = 1.0 - 1.0 / stages->value, fill = least_fill (space, stages) * others;
  const double share = MIN (sw_straggler_share (problem, space->framework),
                            SW_MOST_STRAGGLER_SHARE);
  const double pipeline = (double) strategy->tp * strategy->cp * stages->value;
  const double one = sw_straggler_factor (problem, share, pipeline);
  const double steady = rounds * sw_straggler_factor (problem, share, pipeline * dp);

  if (rounds >= 1.0)
    return steady + fill * one;
  return MIN (steady + (fill > 0.0 ? others * one : 0.0), (1.0 + fill) * one);
}

static SwUses *
uses_new (const SwProblem *problem, const SwSpace *space, const SwStrategy *strategy, guint ranks)
{
  SwUses *self = g_new (SwUses, 1);

  *self = (SwUses){ ranks, 0, g_array_new (FALSE, FALSE, sizeof (SwUse)) };
  for (guint i = 0; i < space->stages->len && !sw_problem_is_cancelled (problem); i++)
    {
      const SwListed *stages = &g_array_index (space->stages, SwListed, i);
      const guint replicas = sw_space_most_replicas (problem, space, ranks / stages->value,
                                                     strategy->micro_batch);
      SwUse use = { i, replicas, 0.0 };

      if (replicas == G_MAXUINT)
        {
          self->n_too_many++;
          continue;
        }
      use.weight = weight_of (problem, space, strategy, stages,
                              g_array_index (space->replicas, SwListed, replicas).value);
      g_array_append_val (self->uses, use);
    }
  g_array_sort (self->uses, compare_uses);
  return self;
}

/* How the space of the strategy's framework can use the ranks that tp and cp leave, with its
 * micro-batch. Kept for the next that asks. */
const SwUses *
sw_spaces_uses (SwSpaces *spaces, const SwStrategy *strategy)
{
  const guint together = strategy->tp * strategy->cp;
  const gint64 key = ((gint64) strategy->framework << 56) ^ ((gint64) together << 32)
                     ^ strategy->micro_batch;
  SwUses *uses;

  if (spaces->last != NULL && spaces->last_key == key)
    return spaces->last;
  uses = g_hash_table_lookup (spaces->uses, &key);
  if (uses == NULL)
    {
      uses = uses_new (spaces->problem, &spaces->by_framework[strategy->framework], strategy,
                       spaces->problem->cluster.gpus / together);
      g_hash_table_insert (spaces->uses, g_memdup2 (&key, sizeof key), uses);
    }
  spaces->last_key = key;
  spaces->last = uses;
  return uses;
}
