/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-pareto.h"

/* Classes of memory: enough that few candidates outlive the first pass. */
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

static void
find_range (Front *front)
{
  front->least = front->most = front->candidates[0].memory_bytes;
  for (guint i = 1; i < front->n; i++)
    {
      front->least = MIN (front->least, front->candidates[i].memory_bytes);
      front->most = MAX (front->most, front->candidates[i].memory_bytes);
    }
}

/* fastest[c]: the least time per token among the classes below c. */
static void
find_fastest (const Front *front, float fastest[N_CLASSES])
{
  float best = G_MAXFLOAT;

  for (guint c = 0; c < N_CLASSES; c++)
    fastest[c] = G_MAXFLOAT;
  for (guint i = 0; i < front->n; i++)
    {
      guint c = class_of (front, i);

      fastest[c] = MIN (fastest[c], front->candidates[i].seconds_per_token);
    }
  for (guint c = 0; c < N_CLASSES; c++)
    {
      float own = fastest[c];

      fastest[c] = best;
      best = MIN (best, own);
    }
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

static GArray *
keep_faster (const SwCandidate *candidates, const GArray *sorted)
{
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (guint));
  float fastest = G_MAXFLOAT;

  for (guint i = 0; i < sorted->len; i++)
    {
      guint index = g_array_index (sorted, guint, i);

      if (!(candidates[index].seconds_per_token < fastest))
        continue;
      fastest = candidates[index].seconds_per_token;
      g_array_append_val (kept, index);
    }
  return kept;
}

/**
 * sw_pareto_front:
 * @candidates: strategies that fit
 * @n: how many
 *
 * The candidates of which none other is at once no slower per token and no greater in memory. Of
 * equals the first one stands for all. Linear in @n but for the few that the first pass leaves.
 *
 * Returns: (transfer full): of guint, indices by rising memory and falling time
 */
GArray *
sw_pareto_front (const SwCandidate *candidates, guint n)
{
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree float *fastest = g_new (float, N_CLASSES);
  Front front = { .candidates = candidates, .n = n };

  if (n > 0)
    {
      find_range (&front);
      find_fastest (&front, fastest);
    }
  for (guint i = 0; i < n; i++)
    if (candidates[i].seconds_per_token < fastest[class_of (&front, i)])
      g_array_append_val (sorted, i);
  g_array_sort_with_data (sorted, compare_by_memory, (gpointer) candidates);
  return keep_faster (candidates, sorted);
}
