/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing.h"
#include "shardwise-advice-private.h"

#define MOST_GPUS 131072u

/* The work of one call. */
typedef struct {
  ShardwiseScenario *scenario;
  SwProblem problem;
  int cancelled; /* atomic */
} Sizing;

static void
cancelled_cb (GCancellable *cancellable, int *flag)
{
  g_atomic_int_set (flag, 1);
}

/* Halvings and doublings of the cluster, three of each, within the range of the key. */
static GArray *
sizes_around (guint gpus)
{
  GArray *sizes = g_array_new (FALSE, FALSE, sizeof (guint));

  for (int i = -3; i <= 3; i++)
    {
      guint64 size = i < 0 ? gpus >> -i : (guint64) gpus << i;
      guint value = (guint) size;

      if (size >= 1 && size <= MOST_GPUS && (i >= 0 || (size << -i) == gpus))
        g_array_append_val (sizes, value);
    }
  return sizes;
}

static void
compute_point (Sizing *self, guint gpus, ShardwiseSizingPoint *out)
{
  SwSearchOptions options = { .top = 1, .cancelled = &self->cancelled };
  SwProblem problem = self->problem;
  SwSearchResult search;

  problem.cluster.gpus = gpus;
  sw_search (&problem, &options, &search);
  out->gpus = gpus;
  if (search.n_best > 0)
    sw_estimate (&problem, &search.best[0].strategy, &out->estimate);
  else if (search.n_nearest > 0)
    sw_estimate (&problem, &search.nearest[0].strategy, &out->estimate);
  else
    {
      sw_strategy_init_default (&out->estimate.strategy);
      sw_estimate (&problem, &out->estimate.strategy, &out->estimate);
    }
  out->estimate.fits = search.n_best > 0;
  if (out->estimate.fits)
    shardwise_days_and_cost (self->scenario, &problem, out->estimate.tokens_per_s, &out->days,
                             &out->cost);
  sw_search_result_clear (&search);
}

/**
 * shardwise_sizing_compute:
 * @scenario: the question; its number of GPUs is replaced
 * @gpus: (nullable): the sizes; %NULL: halvings and doublings of the scenario's
 * @n_gpus: their count
 * @progress: (nullable): called after each size
 * @cancellable: (nullable): stops it
 *
 * Returns: (transfer full) (element-type ShardwiseSizingPoint): each size with its own best
 * strategy, in the order of
 *   @gpus; %NULL with @error where the scenario is wrong or the work was cancelled
 */
GPtrArray *
shardwise_sizing_compute (ShardwiseScenario *scenario, const guint *gpus, guint n_gpus,
                          void (*progress) (double fraction, gpointer data), gpointer progress_data,
                          GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) points = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) around = NULL;
  Sizing sizing = { .scenario = scenario };
  gulong handler = 0;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  if (!shardwise_scenario_resolve (scenario, &sizing.problem, NULL, error))
    return NULL;
  if (gpus == NULL)
    {
      around = sizes_around (sizing.problem.cluster.gpus);
      gpus = (const guint *) (gpointer) around->data;
      n_gpus = around->len;
    }
  if (cancellable != NULL)
    handler =
      g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb), &sizing.cancelled, NULL);
  for (guint i = 0; i < n_gpus && g_atomic_int_get (&sizing.cancelled) == 0; i++)
    {
      ShardwiseSizingPoint *point = g_new0 (ShardwiseSizingPoint, 1);

      compute_point (&sizing, gpus[i], point);
      g_ptr_array_add (points, point);
      if (progress != NULL)
        progress ((i + 1.0) / n_gpus, progress_data);
    }
  g_cancellable_disconnect (cancellable, handler);
  return g_cancellable_set_error_if_cancelled (cancellable, error) ? NULL
                                                                   : g_steal_pointer (&points);
}
