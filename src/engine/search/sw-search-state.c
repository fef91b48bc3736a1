/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a search: its limit, the short lists of the best and of the nearest, and in a
 * complete search the list of all. */
#include "sw-search-state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounding of the bounds' own sums; far below differences that matter for ranks. */
#define SW_BOUND_SLACK (1.0 - 1e-9)

/* Preparatory walks are not counted: the main walk visits everything again. */
gboolean
sw_search_counts (const SwSearch *search)
{
  return search->pass != SW_PASS_COARSE && search->pass != SW_PASS_FASTEST;
}

/* Counts @n strategies that break @rule. */
void
sw_search_reject_many (SwSearch *search, SwRule rule, guint n)
{
  if (!sw_search_counts (search))
    return;
  search->out->tried += n;
  search->out->rejected[rule] += n;
}

/* Counts a strategy that breaks @rule. */
void
sw_search_reject (SwSearch *search, SwRule rule)
{
  sw_search_reject_many (search, rule, 1);
}

/* Whether a lower bound of @bound_s per step is slower than the kept strategies; counts it in that
 * case. */
gboolean
sw_search_is_over (SwSearch *search, double bound_s)
{
  if ((bound_s + search->floor_s) * SW_BOUND_SLACK <= search->limit_s)
    return FALSE;
  search->out->bounded += sw_search_counts (search);
  return TRUE;
}

/* Whether the search, or the question that it is part of, was cancelled; stops it in that case. */
gboolean
sw_search_cancelled (SwSearch *search)
{
  const int *own = search->options.cancelled;

  if ((own != NULL && g_atomic_int_get (own) != 0) || sw_problem_is_cancelled (search->problem))
    {
      search->out->was_cancelled = TRUE;
      search->stop = TRUE;
    }
  return search->stop;
}

/* The kept data of a strategy: small, because there may be millions. */
SwCandidate
sw_search_candidate (const SwSearch *search, const SwStrategy *strategy, double step_s,
                     double memory_bytes)
{
  return (SwCandidate){ *strategy, (float) (step_s / search->tokens_per_step), (float) step_s,
                        (float) memory_bytes };
}

/* While the minimum time is unknown there is no band, and the order is by time. */
static double
band_s (const SwSearch *search)
{
  return search->pass == SW_PASS_COARSE ? 0.0 : search->least_step_s * (1.0 + SW_RANK_BAND);
}

/* The number of best strategies to keep: somewhat more than requested, so that the list usually
 * still has those within the band if a shorter time is found later. */
guint
sw_search_room (const SwSearch *search)
{
  return MAX (1, search->options.top) + 64;
}

/* Keeps the best by insertion; the list is short. */
static void
offer_ranked (SwSearch *search, const SwCandidate *entry)
{
  const guint top = MAX (1, search->options.top), room = sw_search_room (search);
  guint at = search->n_best;

  while (at > 0 && sw_candidate_compare (entry, &search->best[at - 1], band_s (search)) < 0)
    at--;
  if (at >= room)
    return;
  memmove (search->best + at + 1, search->best + at, (search->n_best - at) * sizeof *search->best);
  search->best[at] = *entry;
  search->n_best = MIN (search->n_best + 1, room);
  /* A previous limit still holds. */
  if (search->n_best >= top)
    search->limit_s = MIN (search->limit_s,
                           MAX (band_s (search), search->best[top - 1].step_s) * SW_LIMIT_SLACK);
}

/* Records a strategy that fits. In a complete search the list has space for it. */
void
sw_search_offer (SwSearch *search, const SwStrategy *strategy, double step_s, double memory_bytes)
{
  const SwCandidate entry = sw_search_candidate (search, strategy, step_s, memory_bytes);

  if (search->pass == SW_PASS_COMPLETE)
    {
      g_array_append_val (search->all, entry);
      return;
    }
  if (search->pass == SW_PASS_RANK && entry.step_s < search->least_step_s)
    {
      /* A shorter minimum than known while ranking. If all strategies within the band were kept,
       * the narrower band misses none, and the list only needs sorting again; otherwise ranking
       * must start again. */
      const guint n = search->n_best;

      search->is_beaten = n >= sw_search_room (search)
                          && search->best[n - 1].step_s <= band_s (search);
      search->least_step_s = entry.step_s;
      search->n_best = 0;
      for (guint i = 0; i < n; i++)
        {
          const SwCandidate known = search->best[i];

          offer_ranked (search, &known);
        }
    }
  else if (search->pass != SW_PASS_RANK)
    search->least_step_s = MIN (search->least_step_s, (double) entry.step_s);
  if (search->pass == SW_PASS_FASTEST)
    search->limit_s = search->least_step_s * SW_LIMIT_SLACK;
  else
    offer_ranked (search, &entry);
}

/* The ZeRO stage that distinguishes strategies: over one rank no stage shards anything. */
static guint
sharding_stage (const SwStrategy *strategy)
{
  return strategy->dp * strategy->cp > 1 ? strategy->zero_stage : 0;
}

/* Whether `missing_bytes` with that strategy comes before the nearest number `at`. Equal bytes are
 * missing if hosts have the same load: then more replicas are nearer, then the simpler strategy,
 * then the one with less on the GPU, and finally an arbitrary order, so that threads agree. */
static gboolean
is_nearer (const SwSearch *search, const SwCandidate *entry, double missing_bytes, guint at)
{
  const SwCandidate *other = &search->out->nearest[at];
  const double distance = sw_search_distance (search->problem, &entry->strategy, missing_bytes),
               other_distance = sw_search_distance (search->problem, &other->strategy,
                                                    search->nearest_missing_bytes[at]);

  if (distance != other_distance)
    return distance < other_distance;
  if (entry->strategy.dp != other->strategy.dp)
    return entry->strategy.dp > other->strategy.dp;
  return sw_candidate_compare (entry, other, INFINITY) < 0;
}

/* Records a strategy that does not fit: keeps the five kinds with the least bytes missing. */
void
sw_search_offer_nearest (SwSearch *search, const SwStrategy *strategy, double memory_bytes,
                         double missing_bytes)
{
  const SwCandidate entry = sw_search_candidate (search, strategy, 0.0, memory_bytes);
  SwSearchResult *out = search->out;
  guint last = out->n_nearest, at;

  if (last == G_N_ELEMENTS (out->nearest) && !is_nearer (search, &entry, missing_bytes, last - 1))
    return;
  for (guint i = 0; i < out->n_nearest; i++)
    {
      const SwStrategy *other = &out->nearest[i].strategy;

      /* Nearest strategies that differ in these dimensions need different changes; others are
       * variants of one. */
      if (other->tp == strategy->tp && other->pp == strategy->pp && other->cp == strategy->cp
          && other->ep == strategy->ep && sharding_stage (other) == sharding_stage (strategy)
          && other->framework == strategy->framework)
        last = i;
    }
  if (last < out->n_nearest && !is_nearer (search, &entry, missing_bytes, last))
    return;
  if (last == out->n_nearest && last < G_N_ELEMENTS (out->nearest))
    out->n_nearest++;
  at = MIN (last, G_N_ELEMENTS (out->nearest) - 1);
  for (; at > 0 && is_nearer (search, &entry, missing_bytes, at - 1); at--)
    {
      out->nearest[at] = out->nearest[at - 1];
      search->nearest_missing_bytes[at] = search->nearest_missing_bytes[at - 1];
    }
  out->nearest[at] = entry;
  search->nearest_missing_bytes[at] = missing_bytes;
}

/* Adds the nearest of another thread. */
void
sw_search_merge_nearest (SwSearch *search, const SwSearch *other)
{
  for (guint i = 0; i < other->out->n_nearest; i++)
    sw_search_offer_nearest (search, &other->out->nearest[i].strategy,
                             other->out->nearest[i].memory_bytes, other->nearest_missing_bytes[i]);
}

/* Number of candidates to copy between checks for cancellation. */
enum { STRIDE = 1 << 14 };

static gboolean
goes_on (SwSearch *search, guint i)
{
  return i % STRIDE != 0 || !sw_search_cancelled (search);
}

static gboolean
is_cancelled (gpointer search)
{
  return sw_search_cancelled (search);
}

static gpointer
free_all (gpointer memory)
{
  g_free (memory);
  return NULL;
}

/**
 * sw_free_aside:
 * @memory: (transfer full) (nullable): of g_malloc()
 * @bytes: its size
 *
 * Frees memory; large blocks in a separate thread, because returning them takes the system longer
 * than a search may take to stop.
 */
void
sw_free_aside (gpointer memory, gsize bytes)
{
  GThread *thread = bytes > 1u << 20 ? g_thread_try_new ("free", free_all, memory, NULL) : NULL;

  if (thread != NULL)
    g_thread_unref (thread);
  else
    g_free (memory);
}

/* The candidates of a complete search by time, as a new array; incomplete if the search is
 * cancelled. */
static SwCandidate *
sorted_by_time (SwSearch *search)
{
  const SwCandidate *from = (const SwCandidate *) (gpointer) search->all->data;
  const guint n = search->all->len;
  SwCandidate *out = g_new (SwCandidate, MAX (1, n));
  SwKeyed *keys = g_new (SwKeyed, MAX (1, n)), *room = g_new (SwKeyed, MAX (1, n));

  for (guint i = 0; i < n && goes_on (search, i); i++)
    keys[i] = (SwKeyed){ sw_key_of_positive (from[i].step_s), i };
  sw_keyed_sort (keys, room, n, is_cancelled, search);
  for (guint i = 0; i < n && goes_on (search, i); i++)
    out[i] = from[room[i].place];
  sw_free_aside (keys, n * sizeof *keys);
  sw_free_aside (room, n * sizeof *room);
  return out;
}

/* Drops all but the `most` fastest. */
void
sw_search_keep_fastest (SwSearch *search, guint most)
{
  SwCandidate *sorted = sorted_by_time (search);
  SwCandidate *kept = (SwCandidate *) (gpointer) search->all->data;
  const guint n = search->all->len;

  g_array_set_size (search->all, MIN (most, n));
  for (guint i = 0; i < search->all->len && goes_on (search, i); i++)
    kept[i] = sorted[i];
  sw_free_aside (sorted, n * sizeof *sorted);
}

static int
compare_in_band (gconstpointer a, gconstpointer b)
{
  return sw_candidate_compare (a, b, INFINITY);
}

static int
compare_outside (gconstpointer a, gconstpointer b)
{
  return sw_candidate_compare (a, b, 0.0);
}

static SwCandidate *
drop (SwCandidate *candidates, guint n)
{
  sw_free_aside (candidates, n * sizeof *candidates);
  return NULL;
}

/* All candidates of a complete search by rank, as a new array. Sorts by time first, because few
 * have equal times or are within the band. NULL: the search was cancelled. */
SwCandidate *
sw_search_rank_all (SwSearch *search)
{
  SwCandidate *out = sorted_by_time (search);
  const guint n = search->all->len;
  guint start = 0;
  double band;

  if (search->stop)
    return drop (out, n);
  band = n > 0 ? out[0].step_s * (1.0 + SW_RANK_BAND) : 0.0;
  while (start < n && out[start].step_s <= band)
    start++;
  qsort (out, start, sizeof *out, compare_in_band);
  for (guint end; start < n; start = end)
    {
      if (sw_search_cancelled (search))
        return drop (out, n);
      for (end = start + 1; end < n && out[end].step_s <= out[start].step_s;)
        end++;
      if (end - start > 1)
        qsort (out + start, end - start, sizeof *out, compare_outside);
    }
  return out;
}
