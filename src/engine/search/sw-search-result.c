/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of a search: its lifetime, the order of strategies, and the Pareto front. */
#include "sw-search-result.h"

#include <math.h>
#include <string.h>

/**
 * sw_search_result_clear:
 * @result: filled by sw_search(); frees what it owns
 */
void
sw_search_result_clear (SwSearchResult *result)
{
  g_clear_pointer (&result->best, g_free);
  g_clear_pointer (&result->all, g_free);
  result->n_best = result->n_all = 0;
}

/**
 * sw_leaves_half_idle:
 * @problem: a prepared question
 * @strategy: one of its strategies
 *
 * Returns: whether half of the GPUs or more are idle, which is no answer for so many of them
 */
gboolean
sw_leaves_half_idle (const SwProblem *problem, const SwStrategy *strategy)
{
  return problem->training.type != SW_TRAINING_RLHF
         && sw_strategy_gpus (strategy) * 2 <= problem->cluster.gpus;
}

/* A strategy that leaves half of the GPUs idle is nearer only if it lacks less than so much of what one
 * for all of them lacks. */
#define FOR_FEWER 0.5

/**
 * sw_search_distance:
 * @problem: a prepared question
 * @strategy: a strategy that does not fit
 * @missing_bytes: what it lacks
 *
 * Returns: by how much it is compared with others
 */
double
sw_search_distance (const SwProblem *problem, const SwStrategy *strategy, double missing_bytes)
{
  return sw_leaves_half_idle (problem, strategy) ? missing_bytes / FOR_FEWER : missing_bytes;
}

static int
compare_numbers (double a, double b)
{
  return (a > b) - (a < b);
}

static int
compare_simplicity (const SwCandidate *a, const SwCandidate *b)
{
  const guint left = sw_strategy_complexity (&a->strategy),
              right = sw_strategy_complexity (&b->strategy);

  if (left != right)
    return left < right ? -1 : 1;
  if (a->strategy.zero_stage != b->strategy.zero_stage)
    return a->strategy.zero_stage < b->strategy.zero_stage ? -1 : 1;
  if (a->strategy.vpp != b->strategy.vpp)
    return a->strategy.vpp < b->strategy.vpp ? -1 : 1;
  return compare_numbers (a->memory_bytes, b->memory_bytes);
}

/* The rank: < 0 if @a is before @b. Strategies within @band_s seconds count as equally fast. All
 * strategies of a problem train the same batch, so the order by step time is that by time per
 * token. */
int
sw_candidate_compare (const SwCandidate *a, const SwCandidate *b, double band_s)
{
  const gboolean a_in = a->step_s <= band_s, b_in = b->step_s <= band_s;
  int order = b_in - a_in;

  if (order == 0 && a_in)
    order = compare_simplicity (a, b);
  if (order == 0)
    order = compare_numbers (a->step_s, b->step_s);
  if (order == 0 && !a_in)
    order = compare_simplicity (a, b);
  /* An arbitrary order of strategies that makes the result deterministic. */
  if (order == 0)
    order = (a->strategy.framework > b->strategy.framework)
            - (a->strategy.framework < b->strategy.framework);
  for (guint i = 0; i < SW_N_DIMENSIONS && order == 0; i++)
    {
      const guint left = sw_strategy_get (&a->strategy, (SwDimension) i),
                  right = sw_strategy_get (&b->strategy, (SwDimension) i);

      order = (left > right) - (left < right);
    }
  if (order == 0)
    order = compare_numbers (a->strategy.full_layers, b->strategy.full_layers);
  return order != 0
             ? order
             : compare_numbers (a->strategy.recompute_modules, b->strategy.recompute_modules);
}

/* The position of @candidate in a ranked list, which another candidate may have taken. */
static guint
place_of (const SwCandidate *all, guint n, const SwCandidate *candidate, double band_s)
{
  guint low = 0, high = n;

  while (low < high)
    {
      const guint middle = low + (high - low) / 2;

      if (sw_candidate_compare (&all[middle], candidate, band_s) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/**
 * sw_search_result_add:
 * @self: of a complete search
 * @found: (array length=n): results of other searches of the same question
 * @n: their number
 *
 * Adds strategies that the complete search lacks: it only has first-N recomputation with the
 * smallest N that fits, and a search for less memory finds others.
 */
void
sw_search_result_add (SwSearchResult *self, const SwCandidate *found, guint n)
{
  g_autofree SwCandidate *added = g_new (SwCandidate, n + 1);
  double fastest = INFINITY, band_s;
  guint n_added = 0, left;

  if (self->all == NULL)
    return;
  for (guint i = 0; i < self->n_all; i++)
    fastest = MIN (fastest, self->all[i].step_s);
  band_s = fastest * (1.0 + SW_RANK_BAND);
  for (guint i = 0; i < n; i++)
    {
      const guint place = place_of (self->all, self->n_all, &found[i], band_s);
      const guint beside = place_of (added, n_added, &found[i], band_s);

      if ((place < self->n_all
           && sw_strategy_equal (&self->all[place].strategy, &found[i].strategy))
          || (beside < n_added && sw_strategy_equal (&added[beside].strategy, &found[i].strategy)))
        continue;
      memmove (added + beside + 1, added + beside, (n_added - beside) * sizeof *added);
      added[beside] = found[i];
      n_added++;
    }
  if (n_added == 0)
    return;
  self->all = g_renew (SwCandidate, self->all, self->n_all + n_added);
  left = self->n_all;
  self->n_all += n_added;
  self->tried += n_added;
  self->timed += n_added;
  self->fit += n_added;
  self->evaluated += n_added;
  for (guint i = self->n_all; n_added > 0; i--)
    if (left > 0 && sw_candidate_compare (&self->all[left - 1], &added[n_added - 1], band_s) > 0)
      self->all[i - 1] = self->all[--left];
    else
      self->all[i - 1] = added[--n_added];
}

/**
 * sw_key_of_positive:
 * @number: above 0
 *
 * Returns: a key for sw_keyed_sort() in the order of @number: its bits have that order
 */
guint32
sw_key_of_positive (float number)
{
  guint32 bits;

  memcpy (&bits, &number, sizeof bits);
  return bits;
}

#define DIGIT_BITS 11
#define N_DIGITS (1u << DIGIT_BITS)

/* Number of steps between checks for cancellation. */
enum { STRIDE = 1 << 14 };

/**
 * sw_keyed_sort:
 * @keys: to be sorted; left in disorder
 * @out: (out): as many, sorted
 * @n: how many
 * @is_cancelled: (nullable): checked regularly; if TRUE, @out is incomplete
 * @data: for @is_cancelled
 *
 * A stable radix sort. Comparison sorts take three times as long for millions of values, and cannot
 * be stopped.
 */
void
sw_keyed_sort (SwKeyed *keys, SwKeyed *out, guint n, gboolean (*is_cancelled) (gpointer data),
               gpointer data)
{
  SwKeyed *from = keys, *to = out;

  for (guint shift = 0; shift < 32; shift += DIGIT_BITS)
    {
      guint starts[N_DIGITS] = { 0 }, sum = 0;
      SwKeyed *swap = from;

      for (guint i = 0; i < n; i++)
        {
          if (i % STRIDE == 0 && is_cancelled != NULL && is_cancelled (data))
            return;
          starts[from[i].key >> shift & (N_DIGITS - 1)]++;
        }
      for (guint digit = 0; digit < N_DIGITS; digit++)
        {
          const guint count = starts[digit];

          starts[digit] = sum;
          sum += count;
        }
      for (guint i = 0; i < n; i++)
        {
          if (i % STRIDE == 0 && is_cancelled != NULL && is_cancelled (data))
            return;
          to[starts[from[i].key >> shift & (N_DIGITS - 1)]++] = from[i];
        }
      from = to;
      to = swap;
    }
}

/* Classes of memory: enough of them that few candidates remain after the first pass. */
#define N_CLASSES 4096

typedef struct {
  const SwCandidate *candidates;
  guint n;
  float least, most; /* bytes */
} Front;

static guint
class_of (const Front *front, guint index)
{
  double span = (double) front->most - front->least;
  double share = (double) front->candidates[index].memory_bytes - front->least;

  return span > 0 ? (guint) (share / span * (N_CLASSES - 1)) : 0;
}

/* By memory, then by time, then by rank, so that the order is one. */
static int
compare_by_memory (gconstpointer a, gconstpointer b, gpointer data)
{
  guint left = *(const guint *) a, right = *(const guint *) b;
  const SwCandidate *candidates = data, *x = &candidates[left], *y = &candidates[right];

  if (x->memory_bytes != y->memory_bytes)
    return x->memory_bytes < y->memory_bytes ? -1 : 1;
  if (x->seconds_per_token != y->seconds_per_token)
    return x->seconds_per_token < y->seconds_per_token ? -1 : 1;
  return (left > right) - (left < right);
}

/**
 * sw_pareto_front:
 * @candidates: strategies that fit
 * @n: their number
 *
 * The candidates that no other beats in both time per token and memory. Among equals, the first
 * represents all. Linear in @n except for the few that the first pass leaves.
 *
 * Returns: (transfer full): of guint, indices by ascending memory and descending time
 */
GArray *
sw_pareto_front (const SwCandidate *candidates, guint n)
{
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree float *fastest = g_new (float, N_CLASSES);
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (guint));
  Front front = { .candidates = candidates, .n = n };
  float best = G_MAXFLOAT;

  if (n > 0)
    {
      front.least = front.most = front.candidates[0].memory_bytes;
      for (guint i = 1; i < front.n; i++)
        {
          front.least = MIN (front.least, front.candidates[i].memory_bytes);
          front.most = MAX (front.most, front.candidates[i].memory_bytes);
        }
      /* fastest[c]: the smallest time per token in the classes below c. */
      for (guint c = 0; c < N_CLASSES; c++)
        fastest[c] = G_MAXFLOAT;
      for (guint i = 0; i < n; i++)
        {
          guint c = class_of (&front, i);

          fastest[c] = MIN (fastest[c], candidates[i].seconds_per_token);
        }
      for (guint c = 0; c < N_CLASSES; c++)
        {
          float own = fastest[c];

          fastest[c] = best;
          best = MIN (best, own);
        }
    }
  for (guint i = 0; i < n; i++)
    if (candidates[i].seconds_per_token < fastest[class_of (&front, i)])
      g_array_append_val (sorted, i);
  g_array_sort_with_data (sorted, compare_by_memory, (gpointer) candidates);
  best = G_MAXFLOAT;
  for (guint i = 0; i < sorted->len; i++)
    {
      guint index = g_array_index (sorted, guint, i);

      if (!(candidates[index].seconds_per_token < best))
        continue;
      best = candidates[index].seconds_per_token;
      g_array_append_val (kept, index);
    }
  return kept;
}
