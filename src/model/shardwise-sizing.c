/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing.h"
#include "shardwise-parallel.h"

#define MOST_GPUS 131072u

/* The work of one call. */
typedef struct {
  SwProblem problem;
  ShardwiseCostInputs costs;
  int cancelled; /* atomic */
  GPtrArray *points; /* of ShardwiseSizingPoint, or of ShardwiseAtlasCell */
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

/* The best strategy, or, where nothing fits, the nearest. */
static void
compute_best (Sizing *self, const SwProblem *problem, SwEstimate *out)
{
  const SwSearchOptions options = { .top = 1, .cancelled = &self->cancelled };
  SwSearchResult search;
  SwStrategy strategy;

  sw_search (problem, &options, &search);
  sw_strategy_init_default (&strategy);
  if (search.n_best > 0)
    strategy = search.best[0].strategy;
  else if (search.n_nearest > 0)
    strategy = search.nearest[0].strategy;
  sw_estimate (problem, &strategy, out);
  out->fits = search.n_best > 0;
  sw_search_result_clear (&search);
}

static void
compute_point (guint index, gpointer data)
{
  Sizing *self = data;
  ShardwiseSizingPoint *point = g_ptr_array_index (self->points, index);
  SwProblem problem = self->problem;

  problem.cluster.gpus = point->gpus;
  compute_best (self, &problem, &point->estimate);
  if (point->estimate.fits)
    {
      shardwise_cost_compute (&self->costs, &problem, &point->estimate, &point->bill);
      point->days = point->bill.days;
      if (shardwise_cost_bill (&point->bill) != NULL)
        point->cost = shardwise_cost_bill (&point->bill)->total;
    }
}

static void
compute_cell (guint index, gpointer data)
{
  Sizing *self = data;
  ShardwiseAtlasCell *cell = g_ptr_array_index (self->points, index);
  SwProblem problem = self->problem;

  sw_model_from_size (cell->parameters_b * 1e9, &problem.model);
  problem.cluster.gpus = cell->gpus;
  sw_problem_prepare (&problem);
  compute_best (self, &problem, &cell->estimate);
}

/* Does all points at once. */
static GPtrArray *
run (Sizing *self, void (*work) (guint index, gpointer data),
     void (*progress) (double fraction, gpointer data), gpointer progress_data,
     GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) points = self->points;
  gulong handler = 0;

  if (cancellable != NULL)
    handler =
      g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb), &self->cancelled, NULL);
  shardwise_parallel_run (points->len, work, self, progress, progress_data, &self->cancelled);
  g_cancellable_disconnect (cancellable, handler);
  return g_cancellable_set_error_if_cancelled (cancellable, error) ? NULL
                                                                   : g_steal_pointer (&points);
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
  g_autoptr (GArray) around = NULL;
  Sizing sizing = { 0 };

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  if (!shardwise_scenario_resolve (scenario, &sizing.problem, NULL, error))
    return NULL;
  shardwise_cost_inputs_read (scenario, &sizing.problem, &sizing.costs);
  if (gpus == NULL)
    {
      around = sizes_around (sizing.problem.cluster.gpus);
      gpus = (const guint *) (gpointer) around->data;
      n_gpus = around->len;
    }
  sizing.points = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n_gpus; i++)
    {
      ShardwiseSizingPoint *point = g_new0 (ShardwiseSizingPoint, 1);

      point->gpus = gpus[i];
      g_ptr_array_add (sizing.points, point);
    }
  return run (&sizing, compute_point, progress, progress_data, cancellable, error);
}

static const double atlas_sizes_b[] = { 1, 3, 7, 13, 30, 70, 140, 250, 405, 700, 1000, 2000 };
static const guint atlas_nodes[] = { 1, 2, 8, 32, 128, 512, 1024, 2048 };

/**
 * shardwise_atlas_compute:
 * @scenario: the question; its model and number of GPUs are replaced
 * @sizes_b: (nullable): models, in billions of parameters; %NULL: twelve from 1 to 2,000
 * @n_sizes: their count
 * @nodes: (nullable): numbers of nodes; %NULL: eight from 1 to 2,048
 * @n_nodes: their count
 * @progress: (nullable): called after each cell
 * @cancellable: (nullable): stops it
 *
 * Returns: (transfer full) (element-type ShardwiseAtlasCell): a Llama-like model of each size on
 *   each number of nodes with its best strategy, size by size; %NULL with @error where the scenario
 *   is wrong or the work was cancelled
 */
GPtrArray *
shardwise_atlas_compute (ShardwiseScenario *scenario, const double *sizes_b, guint n_sizes,
                         const guint *nodes, guint n_nodes,
                         void (*progress) (double fraction, gpointer data), gpointer progress_data,
                         GCancellable *cancellable, GError **error)
{
  Sizing sizing = { 0 };

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  if (!shardwise_scenario_resolve (scenario, &sizing.problem, NULL, error))
    return NULL;
  if (sizes_b == NULL)
    n_sizes = G_N_ELEMENTS (atlas_sizes_b);
  if (nodes == NULL)
    n_nodes = G_N_ELEMENTS (atlas_nodes);
  sizing.points = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n_sizes * n_nodes; i++)
    {
      ShardwiseAtlasCell *cell = g_new0 (ShardwiseAtlasCell, 1);

      cell->parameters_b = (sizes_b != NULL ? sizes_b : atlas_sizes_b)[i / n_nodes];
      cell->nodes = (nodes != NULL ? nodes : atlas_nodes)[i % n_nodes];
      cell->gpus = cell->nodes * MAX (1, sizing.problem.cluster.gpus_per_node);
      g_ptr_array_add (sizing.points, cell);
    }
  return run (&sizing, compute_cell, progress, progress_data, cancellable, error);
}
