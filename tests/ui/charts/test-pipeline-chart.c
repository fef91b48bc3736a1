/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart-fixture.h"
#include "shardwise-pipeline-chart.h"
#include "shardwise-pipeline-painter.h"
#include "ui-pace.h"
#include "shardwise-pipeline-painter.h"

/* 1F1B with p = 2 and m = 4: (m + p - 1)(f + b) = 15 s, of which (p - 1)(f + b) = 3 s are bubble:
 * 20 %. */
static void
test_pipeline_summary (void)
{
  ShardwiseChart *chart = g_object_ref_sink (pipeline_new (2, 4, 1));
  ShardwiseChart *single = g_object_ref_sink (pipeline_new (1, 4, 1));

  g_assert_cmpuint (shardwise_chart_n_points (chart), ==, 16);
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "20.0"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "3.00 s"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "15.0 s"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (single), "No pipeline"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (single), "12.0 s"));
  g_assert_finalize_object (chart);
  g_assert_finalize_object (single);
}

static void
test_pipeline_drawing (void)
{
  ShardwiseChart *chart = pipeline_new (2, 4, 1);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 640, 240);
  cairo_surface_t *picture = ui_picture (GTK_WIDGET (chart), "pipeline");
  graphene_rect_t first = area_of (chart, 0);
  guint forward = 0, backward = 0;
  guint32 idle;

  /* Rank 0 begins at once; rank 1 waits for a second: a bubble of just one forward, before its
   * first task. */
  g_assert_cmphex (color_at (picture, first), ==, LIGHT_BLUE);
  idle = ui_pixel (picture, first.origin.x + 3, area_of (chart, 8).origin.y + 10);
  g_assert_cmphex (idle, !=, LIGHT_BLUE);
  g_assert_cmphex (idle, !=, LIGHT_NAVY);
  g_assert_cmpfloat_with_epsilon (area_of (chart, 8).origin.x, first.origin.x + first.size.width,
                                  1);
  for (guint i = 0; i < 16; i++)
    {
      forward += color_at (picture, area_of (chart, i)) == LIGHT_BLUE;
      backward += color_at (picture, area_of (chart, i)) == LIGHT_NAVY;
    }
  g_assert_cmpuint (forward, ==, 8);
  g_assert_cmpuint (backward, ==, 8);
  cairo_surface_destroy (picture);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Half the time of one stage: its rectangles are half as wide, and the step is shorter. */
static void
test_pipeline_follows_times (void)
{
  ShardwiseChart *chart = pipeline_new (2, 4, 0.5);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 640, 240);

  g_assert_cmpfloat_with_epsilon (area_of (chart, 8).size.width, area_of (chart, 0).size.width / 2,
                                  1);
  g_assert_null (strstr (shardwise_chart_get_summary (chart), "15.0 s"));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_pipeline_keys (void)
{
  ShardwiseChart *chart = pipeline_new (2, 4, 1);
  GtkWidget *widget = GTK_WIDGET (chart), *window = ui_show (widget, 640, 240);
  double start, end, whole;

  g_assert_null (shardwise_chart_get_readout (chart));
  ui_press (widget, GDK_KEY_Right);
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, 0);
  g_assert_nonnull (strstr (shardwise_chart_get_readout (chart), "Rank 0"));
  ui_press (widget, GDK_KEY_Right);
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, 1);
  ui_press (widget, GDK_KEY_Down); /* at 1.5 s rank 1 runs its first task */
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, 8);
  ui_press (widget, GDK_KEY_Down); /* there is no rank 2 */
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, 8);
  ui_press (widget, GDK_KEY_End);
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, 15);
  ui_press (widget, GDK_KEY_Escape);
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, -1);
  g_assert_null (shardwise_chart_get_readout (chart));

  shardwise_pipeline_chart_get_view (SHARDWISE_PIPELINE_CHART (chart), &start, &whole);
  ui_press (widget, GDK_KEY_plus);
  shardwise_pipeline_chart_get_view (SHARDWISE_PIPELINE_CHART (chart), &start, &end);
  g_assert_cmpfloat_with_epsilon (end - start, whole / 1.5, 1e-6);
  g_assert_cmpfloat_with_epsilon ((start + end) / 2, whole / 2, 1e-6);
  ui_press (widget, GDK_KEY_0);
  shardwise_pipeline_chart_get_view (SHARDWISE_PIPELINE_CHART (chart), &start, &end);
  g_assert_cmpfloat_with_epsilon (end - start, whole, 1e-9);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What one frame costs under the cairo renderer, as the pointer zooms and drags from view to view:
 * the geometry is drawn anew and all that a window of this size shows of it is painted. Returns the
 * median of several, seconds. */
static double
frame_s (ShardwiseChart *chart, double start, double span, double part)
{
  int width = gtk_widget_get_width (GTK_WIDGET (chart)),
      height = gtk_widget_get_height (GTK_WIDGET (chart));
  double frames[9];

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    {
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width,
                                                             MIN (height, 1000));
      cairo_t *cr = cairo_create (surface);
      GtkSnapshot *snapshot = gtk_snapshot_new ();
      double before = ui_computed_s (), from = start + (double) i * span * part;
      GskRenderNode *node;

      shardwise_pipeline_chart_set_view (SHARDWISE_PIPELINE_CHART (chart), from, from + span);
      GTK_WIDGET_GET_CLASS (chart)->snapshot (GTK_WIDGET (chart), snapshot);
      node = gtk_snapshot_free_to_node (snapshot);
      gsk_render_node_draw (node, cr);
      frames[i] = ui_computed_s () - before;
      gsk_render_node_unref (node);
      cairo_destroy (cr);
      cairo_surface_destroy (surface);
    }
  return ui_median (frames, G_N_ELEMENTS (frames));
}

/* 64 ranks and 512 micro-batches: at first a part that can be read; from the whole step down to a
 * few tasks a frame costs little, and nothing that grows with the tasks. */
static void
test_pipeline_large (void)
{
  ShardwiseChart *chart = pipeline_new (64, 512, 1);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 1000, 1700);
  cairo_surface_t *picture;
  double start, end, total = 575 * 3, worst = 0;

  g_assert_cmpuint (shardwise_chart_n_points (chart), ==, 64 * 512 * 2);
  shardwise_pipeline_chart_get_view (SHARDWISE_PIPELINE_CHART (chart), &start, &end);
  g_assert_cmpfloat (start, ==, 0);
  g_assert_cmpfloat (end, <, total * 3 / 4.0);
  cairo_surface_destroy (ui_picture (GTK_WIDGET (chart), "pipeline-large-part"));
  for (double span = total; span > total / 1000; span /= 1.5)
    {
      double frame = frame_s (chart, (total - span) / 2, span, 0.01), slowness = ui_slowness ();

      g_test_message ("%5.1f %% of the step: %.1f ms a frame, slowness %.2f", span / total * 100,
                      frame * 1e3, slowness);
      worst = MAX (worst, frame / slowness);
    }
#if !defined(__SANITIZE_ADDRESS__)
  g_assert_cmpfloat (worst, <, UI_LATE_FRAME_S);
#endif
  ui_press (GTK_WIDGET (chart), GDK_KEY_0);
  gtk_test_widget_wait_for_draw (window);
  picture = ui_picture (GTK_WIDGET (chart), "pipeline-large");
  /* In the middle every rank is busy: neither card nor hatching shows through, and it is a mix of
   * both blues. */
  g_assert_cmpint (ui_pixel (picture, 500, 700) & 0xff, >, 0x6e);
  g_assert_cmpint (ui_pixel (picture, 500, 700) & 0xff, <, 0xd8);
  cairo_surface_destroy (picture);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Seen from afar, runs of tasks are as busy as the tasks themselves, at every level. */
static void
test_pipeline_levels (void)
{
  ShardwisePipelineTasks tasks;
  double times[24], busy = 0;
  SwPipelineSpec spec = { SW_SCHEDULE_1F1B, 8, 1, 256, times, times + 8, times + 16, 0.01 };
  SwPipeline pipeline;

  for (guint i = 0; i < 8; i++)
    {
      times[i] = 1 + i / 10.0;
      times[8 + i] = 2 * times[i];
      times[16 + i] = times[i];
    }
  sw_pipeline_simulate (&spec, &pipeline);
  for (guint i = 0; i < pipeline.tasks->len; i++)
    busy += g_array_index (pipeline.tasks, SwTask, i).end_s
            - g_array_index (pipeline.tasks, SwTask, i).start_s;
  shardwise_pipeline_tasks_init (&tasks, &pipeline, 8);
  g_assert_cmpuint (tasks.n_levels, >, 0);
  for (guint i = 0; i < tasks.n_levels; i++)
    {
      const ShardwisePipelineLevel *level = &tasks.levels[i];
      double sum = 0;

      g_assert_cmpuint (level->runs->len, <, shardwise_pipeline_tasks_count (&tasks));
      for (guint k = 0; k < level->runs->len; k++)
        {
          const ShardwisePipelineRun *run = &g_array_index (level->runs, ShardwisePipelineRun, k);

          sum += run->busy_s[SW_TASK_FORWARD] + run->busy_s[SW_TASK_BACKWARD];
          g_assert_cmpfloat (run->end_s - run->start_s, <=, level->span_s * (1 + 1e-9));
        }
      g_assert_cmpfloat_with_epsilon (sum, busy, busy * 1e-9);
    }
  g_assert_null (
      shardwise_pipeline_tasks_level (&tasks, tasks.longest_s / 2, tasks.pipeline.total_s));
  g_assert_true (
      shardwise_pipeline_tasks_level (&tasks, tasks.longest_s * 2, tasks.pipeline.total_s)
      == tasks.levels);
  shardwise_pipeline_tasks_clear (&tasks);
}

/* The wheel with Ctrl zooms around the pointer: what is under it stays there. */
static void
test_pipeline_zoom_around_pointer (void)
{
  ShardwiseChart *chart = pipeline_new (2, 8, 1);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 640, 240);
  ShardwisePipelineChart *pipeline = SHARDWISE_PIPELINE_CHART (chart);
  double start, end, at, share;

  shardwise_pipeline_chart_set_view (pipeline, 0, 1e9);
  shardwise_pipeline_chart_get_view (pipeline, &start, &end);
  for (guint i = 0; i < 3; i++)
    {
      graphene_rect_t before = area_of (chart, 5), after;

      shardwise_pipeline_chart_zoom (pipeline, before.origin.x, 1.5);
      after = area_of (chart, 5);
      g_assert_cmpfloat_with_epsilon (after.origin.x, before.origin.x, 0.5);
      g_assert_cmpfloat_with_epsilon (after.size.width, before.size.width * 1.5, 1);
    }
  at = start;
  shardwise_pipeline_chart_get_view (pipeline, &start, &share);
  g_assert_cmpfloat_with_epsilon (share - start, (end - at) / (1.5 * 1.5 * 1.5), 1e-9);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A touchpad tells pixels: they move what is seen as far, and few of them zoom little. */
static void
test_pipeline_scroll (void)
{
  ShardwiseChart *chart = pipeline_new (2, 8, 1);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 640, 240);
  ShardwisePipelineChart *pipeline = SHARDWISE_PIPELINE_CHART (chart);
  float x, width = area_of (chart, 5).size.width;

  g_assert_false (shardwise_pipeline_chart_scroll (pipeline, 10, 0, GDK_SCROLL_UNIT_SURFACE, 0));
  shardwise_pipeline_chart_scroll (pipeline, 0, -1, GDK_SCROLL_UNIT_WHEEL, GDK_CONTROL_MASK);
  g_assert_cmpfloat_with_epsilon (area_of (chart, 5).size.width, width * 1.5, 1);
  width = area_of (chart, 5).size.width;
  shardwise_pipeline_chart_scroll (pipeline, 0, -10, GDK_SCROLL_UNIT_SURFACE, GDK_CONTROL_MASK);
  g_assert_cmpfloat (area_of (chart, 5).size.width, >, width);
  g_assert_cmpfloat (area_of (chart, 5).size.width, <, width * 1.2);
  shardwise_pipeline_chart_set_view (pipeline, 3, 12);
  x = area_of (chart, 5).origin.x;
  g_assert_true (shardwise_pipeline_chart_scroll (pipeline, 20, 0, GDK_SCROLL_UNIT_SURFACE, 0));
  g_assert_cmpfloat_with_epsilon (area_of (chart, 5).origin.x, x - 20, 0.5);
  shardwise_pipeline_chart_scroll (pipeline, 0, -20, GDK_SCROLL_UNIT_SURFACE, GDK_SHIFT_MASK);
  g_assert_cmpfloat_with_epsilon (area_of (chart, 5).origin.x, x, 0.5);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
count_cb (guint *count)
{
  (*count)++;
}

/* Presses somewhat to the left of the middle of a point, and lets go there. */
static void
drag (ShardwiseChart *chart, guint point, double dx)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (chart));
  graphene_rect_t area = area_of (chart, point);
  double x = area.origin.x + area.size.width / 2, y = area.origin.y + area.size.height / 2;

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (!GTK_IS_GESTURE_CLICK (controller))
        continue;
      g_signal_emit_by_name (controller, "pressed", 1, x - dx, y);
      g_signal_emit_by_name (controller, "released", 1, x, y);
    }
}

/* A press that ends where it began is a click, unless the chart was moved meanwhile. */
static void
test_pipeline_click (void)
{
  ShardwiseChart *chart = pipeline_new (2, 4, 1);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 640, 240);
  guint activated = 0;

  g_signal_connect_swapped (chart, "point-activated", G_CALLBACK (count_cb), &activated);
  drag (chart, 3, 60);
  g_assert_cmpuint (activated, ==, 0);
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, -1);
  drag (chart, 3, 2);
  g_assert_cmpuint (activated, ==, 1);
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, 3);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What is kept was drawn for the pixels of one monitor. */
static void
test_pipeline_scale_factor (void)
{
  ShardwiseChart *chart = pipeline_new (2, 4, 1);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 640, 240);
  GskRenderNode *nodes[3];

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      GtkSnapshot *snapshot = gtk_snapshot_new ();

      if (i == 2)
        g_object_notify (G_OBJECT (chart), "scale-factor");
      GTK_WIDGET_GET_CLASS (chart)->snapshot (GTK_WIDGET (chart), snapshot);
      nodes[i] = gtk_snapshot_free_to_node (snapshot);
    }
  g_assert_true (nodes[1] == nodes[0]);
  g_assert_false (nodes[2] == nodes[0]);
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    gsk_render_node_unref (nodes[i]);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Transfers are stripes in the colour of the pipeline between a task and what waits for it. */
static void
test_pipeline_sends (void)
{
  double times[6] = { 1, 1, 2, 2, 1, 1 };
  SwPipelineSpec spec = { SW_SCHEDULE_1F1B, 2, 1, 4, times, times + 2, times + 4, 0.5 };
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_PIPELINE_CHART, NULL);
  cairo_surface_t *picture;
  SwPipeline pipeline;
  GtkWidget *window;
  graphene_rect_t first;

  sw_pipeline_simulate (&spec, &pipeline);
  shardwise_pipeline_chart_set_pipeline (SHARDWISE_PIPELINE_CHART (chart), &pipeline, 2, 4);
  window = ui_show (GTK_WIDGET (chart), 640, 240);
  picture = ui_picture (GTK_WIDGET (chart), "pipeline-sends");
  first = area_of (chart, 1); /* the second forward pass; rank 0 waits after it */
  g_assert_cmphex (ui_pixel (picture, first.origin.x + first.size.width + 4,
                             first.origin.y + first.size.height - 3),
                   ==, 0xc64600);
  g_assert_cmphex (ui_pixel (picture, first.origin.x + 4, first.origin.y + 4), ==, LIGHT_BLUE);
  cairo_surface_destroy (picture);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/pipeline-chart/summary", test_pipeline_summary);
  g_test_add_func ("/pipeline-chart/drawing", test_pipeline_drawing);
  g_test_add_func ("/pipeline-chart/follows-times", test_pipeline_follows_times);
  g_test_add_func ("/pipeline-chart/keys", test_pipeline_keys);
  g_test_add_func ("/pipeline-chart/large", test_pipeline_large);
  g_test_add_func ("/pipeline-chart/levels", test_pipeline_levels);
  g_test_add_func ("/pipeline-chart/zoom-around-pointer", test_pipeline_zoom_around_pointer);
  g_test_add_func ("/pipeline-chart/scroll", test_pipeline_scroll);
  g_test_add_func ("/pipeline-chart/click", test_pipeline_click);
  g_test_add_func ("/pipeline-chart/scale-factor", test_pipeline_scale_factor);
  g_test_add_func ("/pipeline-chart/sends", test_pipeline_sends);
  return g_test_run ();
}
