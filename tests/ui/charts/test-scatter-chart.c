/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-chart-card.h"
#include "shardwise-scatter-chart.h"

#include "ui-fixture.h"

#define N_MANY 100000

/* Two of four strategies are on the front: TP 2 is fastest, TP 8 smallest; TP 4 and TP 1 are slower
 * and greater than TP 2. */
static ShardwiseChart *
small_new (void)
{
  static SwCandidate candidates[4];
  const struct {
    guint tp;
    double gib, tokens_per_s;
  } facts[] = { { 2, 60, 4000 }, { 4, 70, 3000 }, { 8, 30, 2000 }, { 1, 70, 3000 } };
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_SCATTER_CHART, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (facts); i++)
    {
      sw_strategy_init_default (&candidates[i].strategy);
      candidates[i].strategy.tp = facts[i].tp;
      candidates[i].memory_bytes = (float) (facts[i].gib * SW_GIB);
      candidates[i].seconds_per_token = (float) (1 / facts[i].tokens_per_s);
    }
  shardwise_scatter_chart_set_candidates (SHARDWISE_SCATTER_CHART (chart), candidates, NULL,
                                          G_N_ELEMENTS (candidates), NULL, 80 * SW_GIB,
                                          72 * SW_GIB);
  shardwise_scatter_chart_set_marks (SHARDWISE_SCATTER_CHART (chart), &candidates[0],
                                     &candidates[2]);
  return chart;
}

static void
test_sentences (void)
{
  ShardwiseChart *chart = g_object_ref_sink (small_new ());
  g_autofree char *csv = shardwise_chart_to_csv (chart);

  ShardwiseLegendEntry legend[SHARDWISE_LEGEND_MAX];
  guint n_entries = SHARDWISE_CHART_GET_CLASS (chart)->legend (chart, legend);

  /* Why none takes all of the memory that is usable. */
  g_assert_cmpuint (n_entries, ==, 4);
  g_assert_cmpstr (legend[2].label, ==, "Reserve");
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "4 strategies fit"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "2 of them"));
  g_assert_nonnull (strstr (csv, "TP 8"));
  g_assert_null (strstr (csv, "TP 4"));
  g_assert_finalize_object (chart);
}

static void
test_empty (void)
{
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_SCATTER_CHART, NULL);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 480, 320);

  g_assert_cmpuint (shardwise_chart_n_points (chart), ==, 0);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Right);
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, -1);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Along the front by rising memory; strategies that share a spot say so. */
static void
test_keys (void)
{
  ShardwiseChart *chart = small_new ();
  ShardwiseScatterChart *scatter = SHARDWISE_SCATTER_CHART (chart);
  GtkWidget *widget = GTK_WIDGET (chart), *window = ui_show (widget, 480, 320);

  ui_press (widget, GDK_KEY_Right);
  g_assert_cmpuint (shardwise_scatter_chart_get_candidate (scatter, 0)->strategy.tp, ==, 8);
  g_assert_nonnull (strstr (shardwise_chart_get_readout (chart), "TP 8"));
  ui_press (widget, GDK_KEY_Right);
  g_assert_nonnull (strstr (shardwise_chart_get_readout (chart), "TP 2"));
  ui_press (widget, GDK_KEY_Right);
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, 1);
  ui_press (widget, GDK_KEY_End);
  ui_press (widget, GDK_KEY_Left);
  g_assert_cmpint (shardwise_chart_get_point (chart), <=, 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_spots (void)
{
  ShardwiseChart *chart = small_new ();
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 480, 320);
  guint shared = 0;

  g_assert_cmpuint (shardwise_chart_n_points (chart), ==, 2 + 3);
  for (guint i = 2; i < 5; i++)
    {
      g_autofree char *text = SHARDWISE_CHART_GET_CLASS (chart)->readout (chart, i);

      shared += strstr (text, "1 more at this point") != NULL;
    }
  g_assert_cmpuint (shared, ==, 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A layout that joins rows of spots numbers them anew: the cursor stays on its strategy. */
static void
test_renumbered (void)
{
  ShardwiseChart *chart = small_new ();
  ShardwiseScatterChart *scatter = SHARDWISE_SCATTER_CHART (chart);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 480, 320);
  SwCandidate fast = *shardwise_scatter_chart_get_candidate (scatter, 0);
  int before = (int) shardwise_chart_n_points (chart) - 1;

  shardwise_chart_set_point (chart, before);
  g_assert_nonnull (strstr (shardwise_chart_get_readout (chart), "TP 8"));
  fast.seconds_per_token /= 1e6f;
  shardwise_scatter_chart_set_marks (scatter, &fast, NULL);
  g_assert_cmpint (shardwise_chart_get_point (chart), !=, before);
  g_assert_cmpuint (
      shardwise_scatter_chart_get_candidate (scatter, (guint) shardwise_chart_get_point (chart))
          ->strategy.tp,
      ==, 8);
  gtk_test_widget_wait_for_draw (window);
  g_assert_nonnull (strstr (shardwise_chart_get_readout (chart), "TP 8"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What is drawn is bounded by the pixels, not by the strategies. */
static void
test_many (void)
{
  SwCandidate *candidates = g_new0 (SwCandidate, N_MANY);
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_SCATTER_CHART, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  GtkWidget *window;
  double start;

  for (guint i = 0; i < N_MANY; i++)
    {
      candidates[i].memory_bytes = (float) (g_rand_double_range (rand, 10, 79) * SW_GIB);
      candidates[i].seconds_per_token = (float) (1 / g_rand_double_range (rand, 1000, 4000));
    }
  shardwise_scatter_chart_set_candidates (SHARDWISE_SCATTER_CHART (chart), candidates, NULL, N_MANY,
                                          NULL, 80 * SW_GIB, 72 * SW_GIB);
  window = ui_show (GTK_WIDGET (chart), 480, 320);
  g_assert_cmpuint (shardwise_chart_n_points (chart), <, 480 * 320 / 25 + 200);
  start = g_get_monotonic_time ();
  shardwise_chart_redraw (chart);
  g_test_message ("laid out in %.1f ms", (g_get_monotonic_time () - start) / 1000);
  cairo_surface_destroy (ui_picture (GTK_WIDGET (chart), "scatter-many"));
  gtk_window_destroy (GTK_WINDOW (window));
  g_free (candidates);
}

static void
test_drawing (void)
{
  ShardwiseChart *chart = small_new ();
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 480, 320);
  cairo_surface_t *picture = ui_picture (GTK_WIDGET (chart), "scatter");
  graphene_rect_t area;

  g_assert_true (SHARDWISE_CHART_GET_CLASS (chart)->point_area (chart, 0, &area));
  g_assert_cmphex (
      ui_pixel (picture, area.origin.x + area.size.width / 2, area.origin.y + area.size.height / 2),
      ==, 0x1c71d8);
  cairo_surface_destroy (picture);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char **argv)
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/scatter-chart/sentences", test_sentences);
  g_test_add_func ("/scatter-chart/empty", test_empty);
  g_test_add_func ("/scatter-chart/keys", test_keys);
  g_test_add_func ("/scatter-chart/spots", test_spots);
  g_test_add_func ("/scatter-chart/renumbered", test_renumbered);
  g_test_add_func ("/scatter-chart/many", test_many);
  g_test_add_func ("/scatter-chart/drawing", test_drawing);
  return g_test_run ();
}
