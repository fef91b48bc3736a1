/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-chart-card.h"
#include "shardwise-memory-chart.h"
#include "shardwise-sizing-chart.h"
#include "shardwise-format.h"
#include "shardwise-waterfall-chart.h"

#include "chart-fixture.h"

static void
test_empty (void)
{
  const GType types[] = { SHARDWISE_TYPE_PIPELINE_CHART, SHARDWISE_TYPE_MEMORY_CHART,
                          SHARDWISE_TYPE_WATERFALL_CHART, SHARDWISE_TYPE_SIZING_CHART };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      ShardwiseChart *chart = g_object_new (types[i], NULL);
      GtkWidget *window = ui_show (GTK_WIDGET (chart), 360, 240);

      g_assert_cmpuint (shardwise_chart_n_points (chart), ==, 0);
      g_assert_cmpstr (shardwise_chart_get_summary (chart), ==, "");
      ui_press (GTK_WIDGET (chart), GDK_KEY_Right);
      ui_press (GTK_WIDGET (chart), GDK_KEY_Home);
      g_assert_cmpint (shardwise_chart_get_point (chart), ==, -1);
      g_object_ref (chart);
      gtk_window_destroy (GTK_WINDOW (window));
      g_assert_finalize_object (chart);
    }
}

/* Waterfall */

static const SwTime time_of_step = {
  .step_s = 10,
  .compute_s = 7,
  .recompute_s = 1,
  .tp_exposed_s = 1,
  .bubble_s = 0.5,
  .dp_exposed_s = 0.75,
  .optimizer_s = 0.25,
  .other_s = 0.5,
  .dp_hidden_s = 2,
};

static double
number_at (ShardwiseChart *chart, guint row, guint column)
{
  ShardwiseChartCell cell = { NULL, 0 };

  SHARDWISE_CHART_GET_CLASS (chart)->cell (chart, row, column, &cell);
  g_assert_null (cell.text);
  return cell.number;
}

static void
test_waterfall (void)
{
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL);
  GtkWidget *window;
  cairo_surface_t *picture;
  guint n;
  double sum = 0;

  shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (chart), &time_of_step, NULL);
  n = shardwise_chart_n_points (chart);
  g_assert_cmpuint (n, ==,
                    8); /* compute, recomputation, TP, bubble, DP, optimizer, other; the sum */
  for (guint row = 0; row + 1 < n; row++)
    sum += number_at (chart, row, 1);
  g_assert_cmpfloat_with_epsilon (sum, 10000, 1e-6);
  g_assert_cmpfloat_with_epsilon (number_at (chart, n - 1, 1), 10000, 1e-6);
  g_assert_cmpfloat_with_epsilon (number_at (chart, 4, 3), 2000,
                                  1e-6); /* hidden, beside the 750 ms that count */
  g_assert_cmpfloat_with_epsilon (number_at (chart, 4, 1), 750, 1e-6);
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "10.0 s"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "70.0"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "Tensor parallel, 10.0"));

  window = ui_show (GTK_WIDGET (chart), 640, 330);
  picture = ui_picture (GTK_WIDGET (chart), "waterfall");
  g_assert_cmphex (color_at (picture, area_of (chart, 0)), ==, LIGHT_BLUE);
  /* A bar begins where the one above ends. */
  for (guint row = 1; row + 1 < n; row++)
    {
      graphene_rect_t above = area_of (chart, row - 1);

      if (row != 5) /* the area of DP has its hidden twin in it */
        g_assert_cmpfloat_with_epsilon (area_of (chart, row).origin.x,
                                        above.origin.x + above.size.width, 0.5);
    }
  cairo_surface_destroy (picture);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Every time is in the unit of the whole step. */
static void
test_waterfall_unit (void)
{
  const SwTime minutes = { .step_s = 150, .compute_s = 140, .bubble_s = 9.4, .other_s = 0.6 };
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL));

  shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (chart), &minutes, NULL);
  g_assert_cmpuint (shardwise_chart_n_points (chart), ==, 4);
  for (guint row = 0; row < 4; row++)
    {
      g_autofree char *told = SHARDWISE_CHART_GET_CLASS (chart)->readout (chart, row);

      g_test_message ("%s", told);
      g_assert_nonnull (strstr (told, " min"));
      g_assert_null (strstr (told, " s,"));
    }
  g_assert_finalize_object (chart);
}

/* Compute by kind is in the place of compute: the same sum, the same share of the step. What no
 * digit of the step shows has no row, and is in the sum all the same. */
static void
test_waterfall_kinds (void)
{
  const double kernels[SW_N_KERNELS] = { [SW_KERNEL_ATTENTION] = 1,
                                         [SW_KERNEL_MLP] = 3,
                                         [SW_KERNEL_LAUNCH] = 0.001,
                                         [SW_KERNEL_MEMORY] = time_of_step.compute_s
                                                              - time_of_step.recompute_s - 4.001 };
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL));
  double sum = 0;
  guint n;

  shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (chart), &time_of_step, kernels);
  n = shardwise_chart_n_points (chart);
  g_assert_cmpuint (n, ==, 10); /* three kinds instead of one row; no row for what there is not */
  g_assert_cmpfloat_with_epsilon (number_at (chart, 1, 1), 3000, 1e-6);
  g_assert_cmpfloat_with_epsilon (number_at (chart, n - 2, 1), time_of_step.other_s * 1e3 + 1,
                                  1e-6);
  for (guint row = 0; row + 1 < n; row++)
    sum += number_at (chart, row, 1);
  g_assert_cmpfloat_with_epsilon (sum, number_at (chart, n - 1, 1), 1e-6);
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "70.0"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "Tensor parallel, 10.0"));
  g_assert_finalize_object (chart);
}

/* A GPU that waits for launches does not compute. */
static void
test_waterfall_launches (void)
{
  const double kernels[SW_N_KERNELS] = { [SW_KERNEL_MLP] = 4.5, [SW_KERNEL_LAUNCH] = 1.5 };
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL));

  shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (chart), &time_of_step, kernels);
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "compute for 55.0"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "Kernel launch delays, 15.0"));
  g_assert_finalize_object (chart);
}

/* Memory */

static const char scenario_70b[] =
    "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"llama-3-70b\"},"
    " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64}, \"training\": {\"framework\": "
    "\"megatron-core\"},"
    " \"strategy\": {\"pp\": 4, \"tp\": 4}}";

static void
test_memory (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  const SwProblem *problem = shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor));
  const SwEstimate *estimate = shardwise_advisor_get_selected (advisor);
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_MEMORY_CHART, NULL);
  ShardwiseLegendEntry legend[SHARDWISE_LEGEND_MAX];
  GtkWidget *window;
  cairo_surface_t *picture;
  graphene_rect_t plot, first;
  guint red = 0, n_entries;

  g_assert_cmpuint (estimate->strategy.pp, ==, 4);
  shardwise_memory_chart_set_stages (SHARDWISE_MEMORY_CHART (chart), problem, estimate);
  g_assert_cmpuint (SHARDWISE_CHART_GET_CLASS (chart)->n_rows (chart), ==, 4);
  n_entries = SHARDWISE_CHART_GET_CLASS (chart)->legend (chart, legend);
  g_assert_cmpstr (legend[n_entries - 1].label, ==,
                   "Usable memory"); /* as the card of the memory */
  for (guint stage = 0; stage < 4; stage++)
    {
      SwMemoryParts parts;
      double sum = 0;

      sw_estimate_stage (problem, &estimate->strategy, stage, &parts);
      for (guint column = 1; column <= 7; column++)
        sum += number_at (chart, stage, column);
      g_assert_cmpfloat_with_epsilon (sum, parts.total / SW_GIB, 1e-6);
      g_assert_cmpfloat_with_epsilon (number_at (chart, stage, 8), parts.total / SW_GIB, 1e-9);
      g_assert_cmpfloat_with_epsilon (number_at (chart, stage, 9),
                                      parts.total / estimate->usable_bytes * 100, 1e-6);
    }

  window = ui_show (GTK_WIDGET (chart), 700, 260);
  picture = ui_picture (GTK_WIDGET (chart), "memory");
  first = area_of (chart, 0);
  g_assert_cmphex (color_at (picture, first), ==, 0x4b4bb3); /* parameters */
  shardwise_chart_get_plot (chart, &plot);
  for (int x = 0; x < 700; x++)
    red += ui_pixel (picture, x, plot.origin.y + 1) == 0xc01c28;
  g_assert_cmpuint (red, >=, 2); /* the capacity is two pixels wide */
  cairo_surface_destroy (picture);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What is offloaded is said of the host, with the memory that it has. */
static void
test_memory_host (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-8b\"},"
      " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 8, \"host_ram_gb\": 2000},"
      " \"training\": {\"framework\": \"megatron-core\"}, "
      "\"strategy\": {\"offload\": \"optimizer\"}}");
  const SwProblem *problem = shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor));
  const SwEstimate *estimate = shardwise_advisor_get_selected (advisor);
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_MEMORY_CHART, NULL));
  g_autofree char *held = shardwise_format_bytes (estimate->memory.host_bytes);
  g_autofree char *there = shardwise_format_bytes (2000e9);
  g_autofree char *wanted = g_strdup_printf ("in addition, each host holds %s of %s", held, there);

  g_assert_cmpfloat (estimate->memory.host_bytes, >, 0);
  shardwise_memory_chart_set_stages (SHARDWISE_MEMORY_CHART (chart), problem, estimate);
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), wanted));
  g_assert_finalize_object (chart);
}

/* The header of a table follows the unit of its cells. */
static void
test_table_unit (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  const SwProblem *problem = shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor));
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_MEMORY_CHART, NULL));
  GtkWidget *view = g_object_ref_sink (shardwise_chart_table_view_new (chart));
  GListModel *columns = gtk_column_view_get_columns (GTK_COLUMN_VIEW (view));
  g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, 8);

  g_assert_nonnull (strstr (gtk_column_view_column_get_title (column), "GiB"));
  shardwise_memory_unit_set_decimal (TRUE);
  shardwise_memory_chart_set_zero_stages (SHARDWISE_MEMORY_CHART (chart), problem,
                                          shardwise_advisor_get_selected (advisor));
  g_assert_null (strstr (gtk_column_view_column_get_title (column), "GiB"));
  g_assert_nonnull (strstr (gtk_column_view_column_get_title (column), "GB"));
  shardwise_memory_unit_set_decimal (FALSE);
  g_object_unref (view);
  g_assert_finalize_object (chart);
}

/* The chosen stage has a bar; one that the framework refuses says why instead. */
static void
test_memory_zero (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  const SwProblem *problem = shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor));
  const SwEstimate *estimate = shardwise_advisor_get_selected (advisor);
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_MEMORY_CHART, NULL));
  GtkWidget *window;

  shardwise_memory_chart_set_zero_stages (SHARDWISE_MEMORY_CHART (chart), problem, estimate);
  g_assert_cmpuint (SHARDWISE_CHART_GET_CLASS (chart)->n_rows (chart), ==, 4);
  for (guint stage = 0; stage < 4; stage++)
    {
      SwStrategy strategy = estimate->strategy;
      SwEstimate other;

      strategy.zero_stage = (guint8) stage;
      sw_estimate (problem, &strategy, &other);
      if (other.rule == SW_RULE_OK || other.rule == SW_RULE_GPU_MEMORY)
        {
          g_autofree char *shown = NULL, *expected = NULL;

          g_assert_cmpfloat_with_epsilon (number_at (chart, stage, 8),
                                          other.memory.peak.total / SW_GIB, 1e-9);
          shardwise_memory_unit_set_decimal (TRUE); /* the table follows, data do not */
          shown = shardwise_chart_cell_text (chart, stage, 8);
          g_assert_cmpfloat (number_at (chart, stage, 8), ==, other.memory.peak.total / SW_GIB);
          shardwise_memory_unit_set_decimal (FALSE);
          expected = g_strdup_printf ("%'.2f", other.memory.peak.total / SW_GB);
          g_assert_cmpstr (shown, ==, expected);
        }
      else
        {
          g_autofree char *text = shardwise_chart_cell_text (chart, stage, 1);

          g_assert_cmpint (strlen (text), >, 10);
        }
    }
  window = ui_show (GTK_WIDGET (chart), 360, 300);
  cairo_surface_destroy (ui_picture (GTK_WIDGET (chart), "memory-zero-narrow"));
  gtk_window_destroy (GTK_WINDOW (window));
  g_object_unref (chart);
}

/* Sizing */

static GPtrArray *
points_new (void)
{
  const struct {
    guint gpus;
    double tokens;
  } sizes[] = { { 8, 0 }, { 16, 8000 }, { 32, 15200 }, { 64, 24000 } };
  GPtrArray *points = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      ShardwiseSizingPoint *point = g_new0 (ShardwiseSizingPoint, 1);

      point->gpus = sizes[i].gpus;
      point->days = 10;
      sw_strategy_init_default (&point->estimate.strategy);
      point->estimate.strategy.tp = i + 1;
      point->estimate.fits = sizes[i].tokens > 0;
      point->estimate.tokens_per_s = sizes[i].tokens;
      g_ptr_array_add (points, point);
    }
  return points;
}

/* One GPU is not several. */
static void
test_sizing_one_gpu (void)
{
  g_autoptr (GPtrArray) points = points_new ();
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_SIZING_CHART, NULL));

  ((ShardwiseSizingPoint *) points->pdata[0])->gpus = 1;
  shardwise_sizing_chart_set_points (SHARDWISE_SIZING_CHART (chart), points, "H100", "USD");
  shardwise_chart_set_point (chart, 0);
  g_assert_cmpstr (shardwise_chart_get_readout (chart), ==, "1 GPU: nothing fits");
  g_object_unref (chart);
}

/* 16 GPUs do 500 tokens/s each; 64 do 375 each: 75 %. */
static void
test_sizing (void)
{
  g_autoptr (GPtrArray) points = points_new ();
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_SIZING_CHART, NULL);
  static const SwLeastGpus least[] = {
    { .gpus = 32 },
    { .gpus = 16, .means = SW_MEANS_OFFLOAD_OPTIMIZER, .host_bytes = 512 * SW_GIB },
  };
  ShardwiseLegendEntry legend[SHARDWISE_LEGEND_MAX];
  GtkWidget *window;
  cairo_surface_t *picture;
  graphene_rect_t area;

  ((ShardwiseSizingPoint *) points->pdata[1])->estimate.strategy.offload = SW_OFFLOAD_OPTIMIZER;
  shardwise_sizing_chart_set_marks (SHARDWISE_SIZING_CHART (chart), 32, least, 2, 32);
  shardwise_sizing_chart_set_points (SHARDWISE_SIZING_CHART (chart), points, "H100", "USD");
  g_assert_nonnull (
      strstr (shardwise_chart_get_summary (chart), "16 to 64 GPUs: 8.00 k to 24.0 k"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "75.0"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart),
                            "32 without offload; 16 with the optimizer in host memory"));
  /* What uses host memory is told from the rest. */
  g_assert_cmpuint (SHARDWISE_CHART_GET_CLASS (chart)->legend (chart, legend), ==, 3);
  g_assert_true (legend[1].hollow);
  g_assert_cmpfloat_with_epsilon (number_at (chart, 2, 5), 95, 1e-9);

  window = ui_show (GTK_WIDGET (chart), 640, 380);
  picture = ui_picture (GTK_WIDGET (chart), "sizing");
  for (guint i = 1; i < 4; i++)
    {
      area = area_of (chart, i);
      g_assert_cmpint (ui_pixel (picture, area.origin.x + area.size.width / 2,
                                 area.origin.y + area.size.height / 2)
                           == LIGHT_BLUE,
                       ==, i > 1);
    }
  area = area_of (chart, 2);
  g_assert_cmpint (SHARDWISE_CHART_GET_CLASS (chart)->pick (chart, area.origin.x, 350), ==, 2);
  shardwise_chart_set_point (chart, 0);
  g_assert_nonnull (strstr (shardwise_chart_get_readout (chart), "nothing fits"));
  shardwise_chart_set_point (chart, 3);
  g_assert_nonnull (strstr (shardwise_chart_get_readout (chart), "75.0"));
  g_assert_nonnull (strstr (shardwise_chart_get_readout (chart), "; 10.0 days"));
  g_assert_cmpuint (
      shardwise_sizing_chart_get_sizing_point (SHARDWISE_SIZING_CHART (chart), 3)->gpus, ==, 64);
  cairo_surface_destroy (picture);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What every chart has */

static void
test_csv (void)
{
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL));
  g_autofree char *csv = NULL;
  g_auto (GStrv) lines = NULL;

  shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (chart), &time_of_step, NULL);
  csv = shardwise_chart_to_csv (chart);
  lines = g_strsplit (csv, "\r\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 10);
  g_assert_cmpstr (lines[0], ==, "Part,Time (ms),Of the step (%),Hidden (ms)");
  g_assert_cmpstr (lines[1], ==, "Compute,6000,60,0");
  g_assert_cmpstr (lines[5], ==, "Data parallel,750,7.5,2000");
  g_assert_cmpstr (lines[8], ==, "Whole step,10000,100,0");
  g_assert_cmpstr (lines[9], ==, "");
  g_object_unref (chart);
}

static void
test_accessible (void)
{
  ShardwiseChart *chart = pipeline_new (2, 4, 1);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 640, 240);

  gtk_test_accessible_assert_role (chart, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property (chart, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       shardwise_chart_get_summary (chart));
  shardwise_chart_set_point (chart, 3);
  gtk_test_accessible_assert_property (chart, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                       shardwise_chart_get_readout (chart));
  g_assert_true (gtk_widget_get_focusable (GTK_WIDGET (chart)));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The cursor is drawn above the same geometry: only the frame around the point changes. */
static void
test_cursor (void)
{
  ShardwiseChart *chart = pipeline_new (2, 4, 1);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 640, 240);
  cairo_surface_t *before = ui_picture (GTK_WIDGET (chart), "cursor-before"), *after;
  graphene_rect_t area = area_of (chart, 3);

  shardwise_chart_set_point (chart, 3);
  gtk_test_widget_wait_for_draw (window);
  after = ui_picture (GTK_WIDGET (chart), "cursor-after");
  g_assert_cmphex (ui_pixel (before, area.origin.x, area.origin.y + 8), !=,
                   ui_pixel (after, area.origin.x, area.origin.y + 8));
  g_assert_cmphex (color_at (before, area_of (chart, 0)), ==, color_at (after, area_of (chart, 0)));
  cairo_surface_destroy (before);
  cairo_surface_destroy (after);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_dark (void)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  ShardwiseChart *chart = pipeline_new (2, 4, 1);
  GtkWidget *window;
  cairo_surface_t *picture;

  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  window = ui_show (GTK_WIDGET (chart), 640, 240);
  picture = ui_picture (GTK_WIDGET (chart), "pipeline-dark");
  g_assert_cmphex (color_at (picture, area_of (chart, 0)), ==, 0x62a0ea);
  cairo_surface_destroy (picture);
  gtk_window_destroy (GTK_WINDOW (window));
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_DEFAULT);
}

/* Time and sizes grow to the right, and figures have their signs in front, in every language. */
static void
test_right_to_left (void)
{
  cairo_surface_t *pictures[2];
  gsize length;

  for (guint i = 0; i < 2; i++)
    {
      ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL);
      GtkWidget *window;

      shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (chart), &time_of_step, NULL);
      gtk_widget_set_default_direction (i == 0 ? GTK_TEXT_DIR_LTR : GTK_TEXT_DIR_RTL);
      window = ui_show (GTK_WIDGET (chart), 640, 330);
      pictures[i] = ui_picture (GTK_WIDGET (chart), i == 0 ? "left-to-right" : "right-to-left");
      gtk_window_destroy (GTK_WINDOW (window));
    }
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
  length = (gsize) cairo_image_surface_get_stride (pictures[0])
           * (gsize) cairo_image_surface_get_height (pictures[0]);
  g_assert_cmpmem (cairo_image_surface_get_data (pictures[0]), length,
                   cairo_image_surface_get_data (pictures[1]), length);
  cairo_surface_destroy (pictures[0]);
  cairo_surface_destroy (pictures[1]);
}

/* A chart is as high as is seen at a glance; one of few rows has no empty space below them. */
static void
test_few_rows (void)
{
  const SwTime two_parts = { .step_s = 2, .compute_s = 1, .tp_exposed_s = 1 };
  ShardwiseChart *few = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL));
  GtkWidget *card = g_object_new (SHARDWISE_TYPE_CHART_CARD, "title", "Few", "chart", few, NULL);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *window;
  graphene_rect_t last;
  int height;

  gtk_box_append (GTK_BOX (box), card);
  shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (few), &time_of_step, NULL);
  window = ui_show (box, 640, 600);
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (few)), >=, 220);
  shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (few), &two_parts, NULL);
  gtk_test_widget_wait_for_draw (window);
  height = gtk_widget_get_height (GTK_WIDGET (few));
  last = area_of (few, 2);
  g_assert_cmpint (height, <=, 220);
  g_assert_cmpfloat (last.origin.y + last.size.height, >, height - 60); /* the axis is below */
  gtk_window_destroy (GTK_WINDOW (window));
  g_assert_finalize_object (few);
}

/* A card shows the chart or its data, and the table follows the chart. */
static void
test_card (void)
{
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL);
  GtkWidget *card = g_object_new (SHARDWISE_TYPE_CHART_CARD, "title", "Time", "chart", chart, NULL);
  g_autoptr (ShardwiseChartTable) table = shardwise_chart_table_new (chart);
  GtkWidget *window = ui_show (card, 500, 500);

  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (table)), ==, 0);
  shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (chart), &time_of_step, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (table)), ==, 8);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (chart)));
  g_object_set (card, "table", TRUE, NULL);
  gtk_test_widget_wait_for_draw (window);
  cairo_surface_destroy (ui_picture (card, "card-table"));
  g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (chart)));
  g_object_set (card, "table", FALSE, NULL);
  gtk_test_widget_wait_for_draw (window);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (chart)));
  g_object_ref (card);
  gtk_window_destroy (GTK_WINDOW (window));
  g_assert_finalize_object (card);
}

/* Where the focus is on a chart is seen all around it, though what it scrolls in clips it. */
static void
test_focus (void)
{
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL);
  GtkWidget *card = g_object_new (SHARDWISE_TYPE_CHART_CARD, "title", "Time", "chart", chart, NULL);
  GtkWidget *window;
  graphene_rect_t bounds;
  cairo_surface_t *without, *with;

  shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (chart), &time_of_step, NULL);
  window = ui_show (card, 500, 500);
  without = ui_picture (card, "card-unfocused");
  gtk_widget_set_state_flags (GTK_WIDGET (chart),
                              GTK_STATE_FLAG_FOCUSED | GTK_STATE_FLAG_FOCUS_VISIBLE, FALSE);
  gtk_widget_queue_draw (card);
  with = ui_picture (card, "card-focused");
  g_assert_true (gtk_widget_compute_bounds (GTK_WIDGET (chart), card, &bounds));
  for (guint side = 0; side < 3; side++)
    {
      const double x[] = { 0.5, bounds.size.width - 0.5, bounds.size.width / 2 };
      const double y[] = { bounds.size.height / 2, bounds.size.height / 2, 0.5 };

      g_assert_cmphex (ui_pixel (with, bounds.origin.x + x[side], bounds.origin.y + y[side]), !=,
                       ui_pixel (without, bounds.origin.x + x[side], bounds.origin.y + y[side]));
    }
  cairo_surface_destroy (without);
  cairo_surface_destroy (with);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_copy (void)
{
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL);
  GtkWidget *card = g_object_new (SHARDWISE_TYPE_CHART_CARD, "title", "Time", "chart", chart, NULL);
  GtkWidget *window;
  GdkClipboard *clipboard;
  g_autofree char *text = NULL, *csv = NULL;

  shardwise_waterfall_chart_set_time (SHARDWISE_WATERFALL_CHART (chart), &time_of_step, NULL);
  window = ui_show (card, 500, 500);
  clipboard = gtk_widget_get_clipboard (card);
  g_assert_true (gtk_widget_activate_action (card, "card.copy", "s", "csv"));
  text = ui_read_clipboard (clipboard);
  csv = shardwise_chart_to_csv (chart);
  g_assert_cmpstr (text, ==, csv);

  g_assert_true (gtk_widget_activate_action (card, "card.copy", "s", "png"));
  g_assert_true (
      gdk_content_formats_contain_mime_type (gdk_clipboard_get_formats (clipboard), "image/png"));
  g_assert_true (gtk_widget_activate_action (card, "card.copy", "s", "svg"));
  g_assert_true (gdk_content_formats_contain_mime_type (gdk_clipboard_get_formats (clipboard),
                                                        "image/svg+xml"));
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/charts/empty", test_empty);
  g_test_add_func ("/charts/waterfall", test_waterfall);
  g_test_add_func ("/charts/waterfall-unit", test_waterfall_unit);
  g_test_add_func ("/charts/waterfall-kinds", test_waterfall_kinds);
  g_test_add_func ("/charts/waterfall-launches", test_waterfall_launches);
  g_test_add_func ("/charts/memory/stages", test_memory);
  g_test_add_func ("/charts/memory/host", test_memory_host);
  g_test_add_func ("/charts/memory/zero", test_memory_zero);
  g_test_add_func ("/charts/table-unit", test_table_unit);
  g_test_add_func ("/charts/sizing", test_sizing);
  g_test_add_func ("/charts/sizing/one-gpu", test_sizing_one_gpu);
  g_test_add_func ("/charts/csv", test_csv);
  g_test_add_func ("/charts/accessible", test_accessible);
  g_test_add_func ("/charts/cursor", test_cursor);
  g_test_add_func ("/charts/dark", test_dark);
  g_test_add_func ("/charts/right-to-left", test_right_to_left);
  g_test_add_func ("/charts/few-rows", test_few_rows);
  g_test_add_func ("/charts/card", test_card);
  g_test_add_func ("/charts/focus", test_focus);
  g_test_add_func ("/charts/copy", test_copy);
  return g_test_run ();
}
