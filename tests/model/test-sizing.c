/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing.h"

static void
set (ShardwiseScenario *scenario, const char *path, const char *value)
{
  g_autoptr (GError) error = NULL;

  shardwise_scenario_set (scenario, path, g_variant_new_parsed (value), &error);
  g_assert_no_error (error);
}

static void
count_progress (double fraction, gpointer data)
{
  double *last = data;

  g_assert_cmpfloat (fraction, >, *last);
  g_assert_cmpfloat (fraction, <=, 1);
  *last = fraction;
}

/* Every size has what a search of that size finds, in the order that was asked for. */
static void
test_points (void)
{
  static const guint sizes[] = { 64, 1, 8, 32 };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) points = NULL;
  double last = 0;

  points = shardwise_sizing_compute (scenario, sizes, G_N_ELEMENTS (sizes), count_progress, &last,
                                     NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (points->len, ==, G_N_ELEMENTS (sizes));
  g_assert_cmpfloat (last, ==, 1);
  for (guint i = 0; i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);
      const SwSearchOptions options = { .top = 1 };
      SwSearchResult result;
      SwProblem problem;

      g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, NULL));
      problem.cluster.gpus = sizes[i];
      sw_search (&problem, &options, &result);
      g_assert_cmpuint (point->gpus, ==, sizes[i]);
      g_assert_cmpint (point->estimate.fits, ==, result.n_best > 0);
      if (result.n_best > 0)
        g_assert_true (
          sw_strategy_equal (&point->estimate.strategy, &result.best[0].strategy));
      sw_search_result_clear (&result);
    }
}

/* Larger models want more nodes, and each cell says of what it is. */
static void
test_atlas (void)
{
  static const double sizes_b[] = { 1, 70 };
  static const guint nodes[] = { 1, 16 };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) cells = NULL;

  set (scenario, "strategy.offload", "'none'");
  cells = shardwise_atlas_compute (scenario, sizes_b, 2, nodes, 2, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (cells->len, ==, 4);
  for (guint i = 0; i < cells->len; i++)
    {
      const ShardwiseAtlasCell *cell = g_ptr_array_index (cells, i);

      g_assert_cmpfloat (cell->parameters_b, ==, sizes_b[i / 2]);
      g_assert_cmpuint (cell->nodes, ==, nodes[i % 2]);
      g_assert_cmpuint (cell->gpus, ==, 8 * nodes[i % 2]);
      g_assert_cmpint (cell->estimate.fits, ==, i != 2); /* 70 B on 8 H100 */
      g_assert_cmpfloat (cell->estimate.mfu, <, 1);
    }
}

static void
test_cancelled (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (
    shardwise_atlas_compute (scenario, NULL, 0, NULL, 0, NULL, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sizing/points", test_points);
  g_test_add_func ("/sizing/atlas", test_atlas);
  g_test_add_func ("/sizing/cancelled", test_cancelled);
  return g_test_run ();
}
