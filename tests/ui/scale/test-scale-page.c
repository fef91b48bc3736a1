/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-atlas-chart.h"
#include "shardwise-atlas-view.h"
#include "shardwise-chart-card.h"
#include "shardwise-scale-page.h"
#include "shardwise-sizing-chart.h"
#include "shardwise-sizing-view.h"
#include "shardwise-sweep.h"

#include "charts-ready.h"
#include "ui-fixture.h"
#include "shardwise-resolve.h"

/* A child of the section on sizes. */
static gpointer
sizing_child (GtkWidget *page, const char *name)
{
  return ui_child (ui_child (page, "sizing"), name);
}

static gboolean
is_running (GtkWidget *page)
{
  return shardwise_sweep_is_running (sizing_child (page, "sweep"));
}

static void
wait_for_points (GtkWidget *page)
{
  while (shardwise_chart_n_points (sizing_child (page, "chart")) == 0)
    g_main_context_iteration (NULL, TRUE);
}

static void
test_empty (void)
{
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL),
            *window = ui_show (page, 360, 600);

  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "empty");
  g_object_ref (page);
  gtk_window_destroy (GTK_WINDOW (window));
  g_assert_finalize_object (page);
}

/* The sweep runs by itself when the page is seen; each point is what the search gives for that many
 * GPUs. */
static void
test_sweep (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  guint here = shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor))->cluster.gpus;
  const SwEstimate *recommended =
      shardwise_advice_get_recommended (shardwise_advisor_get_advice (advisor));
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window;
  ShardwiseSizingChart *chart;
  gboolean found = FALSE;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 700);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "sections");
  wait_for_points (page);
  chart = sizing_child (page, "chart");
  for (guint i = 0; i < shardwise_chart_n_points (SHARDWISE_CHART (chart)); i++)
    {
      const ShardwiseSizingPoint *point = shardwise_sizing_chart_get_sizing_point (chart, i);

      if (point->gpus != here)
        continue;
      found = TRUE;
      g_assert_true (sw_strategy_equal (&point->estimate.strategy, &recommended->strategy));
      g_assert_cmpfloat (point->estimate.tokens_per_s, ==, recommended->tokens_per_s);
    }
  g_assert_true (found);
  g_assert_false (is_running (page));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_stop (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  g_assert_true (is_running (page));
  g_assert_true (gtk_widget_get_visible (sizing_child (page, "sweep")));
  gtk_widget_activate_action (sizing_child (page, "sweep"), "sweep.stop", NULL);
  g_assert_false (is_running (page));
  g_assert_true (gtk_widget_get_visible (ui_child (sizing_child (page, "sweep"), "stopped_box")));
  window = ui_show (page, 500, 700);
  g_assert_cmpuint (shardwise_chart_n_points (sizing_child (page, "chart")), ==, 0);
  gtk_widget_activate_action (sizing_child (page, "sweep"), "sweep.compute", NULL);
  wait_for_points (page);
  g_assert_false (gtk_widget_get_visible (ui_child (sizing_child (page, "sweep"), "stopped_box")));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Reinforcement learning takes seconds for large clusters: the others are there before, stay when
 * the rest is stopped, and are the same in the whole. */
static void
test_soon (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": "
      "16}, \"training\": {\"type\": \"rlhf\", \"tokens\": 1e9}}");
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window, *entry;
  ShardwiseSizingChart *chart;
  guint n;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  gtk_toggle_button_set_active (sizing_child (page, "more"), TRUE);
  window = ui_show (page, 500, 700);
  chart = sizing_child (page, "chart");
  wait_for_points (page);
  n = shardwise_chart_n_points (SHARDWISE_CHART (chart));
  g_assert_cmpuint (shardwise_sizing_chart_get_sizing_point (chart, 0)->gpus, <=, 8);
  g_assert_cmpuint (shardwise_sizing_chart_get_sizing_point (chart, n - 1)->gpus, ==, 4096);
  g_assert_true (is_running (page));
  gtk_widget_activate_action (sizing_child (page, "sweep"), "sweep.stop", NULL);
  g_assert_true (gtk_widget_get_visible (ui_child (sizing_child (page, "sweep"), "stopped_box")));
  g_assert_cmpuint (shardwise_chart_n_points (SHARDWISE_CHART (chart)), ==, n);
  entry = ui_find (ui_child (page, "sizing"), GTK_TYPE_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (entry), "16, 8192");
  g_signal_emit_by_name (entry, "activate");
  while (is_running (page))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (shardwise_chart_n_points (SHARDWISE_CHART (chart)), ==, 2);
  g_assert_cmpuint (shardwise_sizing_chart_get_sizing_point (chart, 1)->gpus, ==, 8192);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A page that goes while the sweep runs: nothing is left behind. */
static void
test_destroy_running (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window;
  GWeakRef weak;

  g_weak_ref_init (&weak, page);
  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 500, 700);
  gtk_widget_activate_action (sizing_child (page, "sweep"), "sweep.compute", NULL);
  gtk_window_destroy (GTK_WINDOW (window));
  ui_await_gone (&weak);
}

static void
apply_cb (GSimpleAction *action, GVariant *changes, gpointer data)
{
  gint64 gpus = 0;

  g_assert_true (g_variant_lookup (changes, "cluster.gpus", "x", &gpus));
  *(gint64 *) data = gpus;
}

/* A click on a point offers its size; the button applies it. */
static void
test_use (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window;
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  g_autoptr (GSimpleAction) apply = g_simple_action_new ("apply", G_VARIANT_TYPE_VARDICT);
  ShardwiseChart *chart;
  gint64 applied = 0;
  guint last, gpus;

  g_signal_connect (apply, "activate", G_CALLBACK (apply_cb), &applied);
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (apply));
  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 700);
  gtk_widget_insert_action_group (window, "win", G_ACTION_GROUP (group));
  wait_for_points (page);
  chart = sizing_child (page, "chart");
  last = shardwise_chart_n_points (chart) - 1;
  gpus = shardwise_sizing_chart_get_sizing_point (SHARDWISE_SIZING_CHART (chart), last)->gpus;
  g_assert_false (gtk_revealer_get_reveal_child (sizing_child (page, "choice_revealer")));
  ui_press (GTK_WIDGET (chart), GDK_KEY_End);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Return);
  g_assert_true (gtk_revealer_get_reveal_child (sizing_child (page, "choice_revealer")));
  gtk_widget_activate_action (ui_child (page, "sizing"), "sizing.use", NULL);
  g_assert_cmpint (applied, ==, gpus);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
wait_until_done (GtkWidget *page)
{
  while (is_running (page))
    g_main_context_iteration (NULL, TRUE);
}

/* Another GPU is compared with the scenario's in the chart, its legend and its table; choosing one
 * of its points selects it. */
static void
test_compare (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window;
  ShardwiseSizingChart *chart;
  ShardwiseLegendEntry legend[SHARDWISE_LEGEND_MAX];
  g_autofree char *csv = NULL;
  guint before;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 700);
  wait_for_points (page);
  chart = sizing_child (page, "chart");
  before = shardwise_chart_n_points (SHARDWISE_CHART (chart));
  ui_choose (ui_child (page, "sizing"), "Compare with", "gpu:h200-141-sxm");
  wait_until_done (page);
  g_assert_cmpuint (shardwise_chart_n_points (SHARDWISE_CHART (chart)), ==, 2 * before);
  g_assert_false (shardwise_sizing_chart_is_compared (chart, before - 1));
  g_assert_true (shardwise_sizing_chart_is_compared (chart, before));
  for (guint i = 0; i < before; i++)
    g_assert_cmpuint (shardwise_sizing_chart_get_sizing_point (chart, i)->gpus, ==,
                      shardwise_sizing_chart_get_sizing_point (chart, before + i)->gpus);
  g_assert_cmpuint (SHARDWISE_CHART_GET_CLASS (chart)->legend (SHARDWISE_CHART (chart), legend), ==,
                    4);
  g_assert_cmpint (legend[0].mark, !=, legend[1].mark);
  g_assert_true (legend[2].hollow);
  g_assert_nonnull (strstr (legend[1].label, "H200"));
  csv = shardwise_chart_to_csv (SHARDWISE_CHART (chart));
  g_assert_nonnull (strstr (csv, "H100"));
  g_assert_nonnull (strstr (csv, "H200"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (SHARDWISE_CHART (chart)), "H200"));
  cairo_surface_destroy (ui_picture (page, "scale-compared"));

  shardwise_chart_set_point (SHARDWISE_CHART (chart), 0);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Down);
  g_assert_cmpint (shardwise_chart_get_point (SHARDWISE_CHART (chart)), ==, before);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Left); /* the line begins there */
  g_assert_cmpint (shardwise_chart_get_point (SHARDWISE_CHART (chart)), ==, before);

  ui_choose (ui_child (page, "sizing"), "Compare with", "network:ib-edr");
  wait_until_done (page);
  g_assert_cmpuint (SHARDWISE_CHART_GET_CLASS (chart)->legend (SHARDWISE_CHART (chart), legend), ==,
                    4);
  g_assert_nonnull (strstr (legend[1].label, "EDR"));
  ui_choose (ui_child (page, "sizing"), "Compare with", "");
  wait_until_done (page);
  g_assert_cmpuint (shardwise_chart_n_points (SHARDWISE_CHART (chart)), ==, before);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Numbers of the user's own replace the range; what cannot be read is said and changes nothing. */
static void
test_own_sizes (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window;
  ShardwiseSizingChart *chart;
  GtkWidget *view, *entry;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 700);
  wait_for_points (page);
  chart = sizing_child (page, "chart");
  view = ui_child (page, "sizing");
  entry = ui_find (view, GTK_TYPE_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (entry), "40, 16 24");
  g_signal_emit_by_name (entry, "activate");
  wait_until_done (page);
  g_assert_cmpuint (shardwise_chart_n_points (SHARDWISE_CHART (chart)), ==, 3);
  g_assert_cmpuint (shardwise_sizing_chart_get_sizing_point (chart, 1)->gpus, ==, 24);

  gtk_editable_set_text (GTK_EDITABLE (entry), "16,384"); /* or 16384: not guessed */
  g_signal_emit_by_name (entry, "activate");
  g_assert_true (gtk_widget_has_css_class (entry, "error"));
  gtk_editable_set_text (GTK_EDITABLE (entry), "16, many");
  g_signal_emit_by_name (entry, "activate");
  g_assert_false (is_running (page));
  g_assert_true (gtk_widget_has_css_class (entry, "error"));
  gtk_test_accessible_assert_state (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_STATE_INVALID,
                                    GTK_ACCESSIBLE_INVALID_TRUE);
  g_assert_cmpuint (shardwise_chart_n_points (SHARDWISE_CHART (chart)), ==, 3);

  gtk_editable_set_text (GTK_EDITABLE (entry), "");
  g_signal_emit_by_name (entry, "activate");
  g_assert_false (gtk_widget_has_css_class (entry, "error"));
  wait_until_done (page);
  /* From a quarter to sixteen times what there is; all sizes on request. */
  g_assert_cmpuint (shardwise_chart_n_points (SHARDWISE_CHART (chart)), <, 10);
  gtk_toggle_button_set_active (ui_child (view, "more"), TRUE);
  wait_until_done (page);
  g_assert_cmpuint (shardwise_chart_n_points (SHARDWISE_CHART (chart)), >=, 15);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A batch that grows with the GPUs: the points have it, and the button takes it. */
static void
test_batch (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window;
  ShardwiseSizingChart *chart;
  const ShardwiseSizingPoint *first, *second;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 700);
  wait_for_points (page);
  chart = sizing_child (page, "chart");
  ui_choose (ui_child (page, "sizing"), "Global batch",
             shardwise_batch_rule_names[SHARDWISE_BATCH_PER_GPU]);
  wait_until_done (page);
  first = shardwise_sizing_chart_get_sizing_point (chart, 0);
  second = shardwise_sizing_chart_get_sizing_point (
      chart, shardwise_chart_n_points (SHARDWISE_CHART (chart)) - 1);
  g_assert_cmpuint (second->global_batch / second->gpus, ==, first->global_batch / first->gpus);
  g_assert_cmpuint (second->global_batch, >, first->global_batch);
  g_assert_true (ui_says (page, "the global batch chosen above")); /* not the same for each size */
  gtk_window_destroy (GTK_WINDOW (window));
}

static gpointer
atlas_child (GtkWidget *page, const char *name)
{
  return ui_child (ui_child (page, "atlas"), name);
}

static void
wait_for_atlas (GtkWidget *page)
{
  wait_for_points (page);
  shardwise_scale_page_show (SHARDWISE_SCALE_PAGE (page), "atlas");
  while (shardwise_sweep_is_running (atlas_child (page, "sweep"))
         || shardwise_chart_n_points (atlas_child (page, "chart")) == 0)
    g_main_context_iteration (NULL, TRUE);
}

static void
open_cb (GSimpleAction *action, GVariant *json, gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_clear_object ((ShardwiseScenario **) data);
  *(ShardwiseScenario **) data = shardwise_scenario_from_json (g_variant_get_string (json, NULL),
                                                               -1, &error);
  g_assert_no_error (error);
}

/* The page begins with the benchmark; a cell opens as the scenario that it answers. */
static void
test_atlas (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window;
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  g_autoptr (GSimpleAction) open = g_simple_action_new ("open-scenario", G_VARIANT_TYPE_STRING);
  g_autoptr (ShardwiseScenario) opened = NULL;
  ShardwiseAtlasChart *chart;
  SwProblem problem;

  g_signal_connect (open, "activate", G_CALLBACK (open_cb), &opened);
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (open));
  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 2000);
  gtk_widget_insert_action_group (window, "win", G_ACTION_GROUP (group));
  wait_for_atlas (page);
  chart = atlas_child (page, "chart");
  g_assert_cmpuint (shardwise_chart_n_points (SHARDWISE_CHART (chart)), ==,
                    SHARDWISE_ATLAS_SIZES * SHARDWISE_ATLAS_BENCHMARK_NODES);
  shardwise_chart_set_point (SHARDWISE_CHART (chart), 0);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Down);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Right);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Return);
  g_assert_nonnull (opened);
  g_assert_true (shardwise_scenario_resolve (opened, &problem, NULL, NULL));
  g_assert_cmpuint (problem.cluster.gpus, ==, 16);
  g_assert_cmpfloat_with_epsilon (problem.count.total / 3e9, 1, 0.01);
  g_assert_cmpuint (problem.training.sequence_length, ==, 4096);

  ui_choose (ui_child (page, "atlas"), "Nodes", "1 to 2,048");
  g_assert_true (shardwise_sweep_is_running (atlas_child (page, "sweep")));
  wait_for_atlas (page);
  g_assert_cmpuint (shardwise_chart_n_points (SHARDWISE_CHART (chart)), ==,
                    SHARDWISE_ATLAS_SIZES * SHARDWISE_ATLAS_NODES);
  ui_choose (ui_child (page, "atlas"), "GPU", "h200-141-sxm");
  wait_for_atlas (page);
  g_assert_nonnull (strstr (shardwise_chart_get_summary (SHARDWISE_CHART (chart)), "H200"));
  gtk_widget_activate_action (atlas_child (page, "sweep"), "sweep.compute", NULL);
  gtk_widget_activate_action (atlas_child (page, "sweep"), "sweep.stop", NULL);
  g_assert_false (shardwise_sweep_is_running (atlas_child (page, "sweep")));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_pictures (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);

  ui_page_pictures (SHARDWISE_TYPE_SCALE_PAGE, advisor, "scale", 1230, wait_for_atlas);
}

#define JOB                                                                                        \
  "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 24}, \"training\": \
{\"tokens\": 1e11, \"global_batch_size\": 192}, \"cost\": {\"price\": 2.5}}"

static void
check_point (const ShardwiseSizingPoint *point, JsonObject *printed)
{
  g_assert_cmpint (json_object_get_int_member (printed, "gpus"), ==, point->gpus);
  g_assert_cmpint (json_object_get_int_member (printed, "global_batch_size"), ==,
                   point->global_batch);
  g_assert_cmpint (json_object_get_boolean_member (printed, "fits"), ==, point->estimate.fits);
  if (!point->estimate.fits)
    return;
  g_assert_cmpfloat (json_object_get_double_member (printed, "tokens_per_s"), ==,
                     point->estimate.tokens_per_s);
  g_assert_cmpfloat (json_object_get_double_member (printed, "mfu"), ==, point->estimate.mfu);
  g_assert_cmpfloat (json_object_get_double_member (printed, "days"), ==, point->days);
  g_assert_cmpfloat (json_object_get_double_member (printed, "cost"), ==, point->cost);
}

/* "--gpus=8,16": the sizes of the chart. */
static char *
sizes_option (ShardwiseSizingChart *chart)
{
  GString *out = g_string_new ("--gpus=");

  for (guint i = 0; i < shardwise_chart_n_points (SHARDWISE_CHART (chart)); i++)
    g_string_append_printf (out, "%u,", shardwise_sizing_chart_get_sizing_point (chart, i)->gpus);
  return g_string_free (out, FALSE);
}

/* Every point of the chart is what `shardwise-cli scale` prints, to the last digit, with a batch
 * that stays and one that grows. */
static void
test_command_line (void)
{
  static const char *const options[] = { "--batch=fixed", "--batch=per-gpu" };
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (JOB);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window;
  ShardwiseSizingChart *chart;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 700);
  wait_for_points (page);
  chart = sizing_child (page, "chart");
  for (guint rule = 0; rule < G_N_ELEMENTS (options); rule++)
    {
      g_autofree char *sizes = sizes_option (chart);
      g_autoptr (JsonNode) node = ui_run_cli (JOB, "scale", options[rule], sizes);
      JsonArray *points = json_object_get_array_member (json_node_get_object (node), "points");

      ui_choose (ui_child (page, "sizing"), "Global batch", shardwise_batch_rule_names[rule]);
      wait_until_done (page);
      g_assert_cmpuint (json_array_get_length (points), ==,
                        shardwise_chart_n_points (SHARDWISE_CHART (chart)));
      for (guint i = 0; i < json_array_get_length (points); i++)
        check_point (shardwise_sizing_chart_get_sizing_point (chart, i),
                     json_array_get_object_element (points, i));
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

static GtkEventController *
wheel_of (GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller)
          && gtk_event_controller_get_propagation_phase (controller) == GTK_PHASE_CAPTURE)
        return controller;
    }
  return NULL;
}

/* Turns the wheel by one click over a scrolled window; TRUE where the page has it. */
static gboolean
turn (GtkWidget *window, double dy)
{
  gboolean taken = FALSE;

  g_signal_emit_by_name (wheel_of (window), "scroll", 0.0, dy, &taken);
  return taken;
}

/* The wheel over a chart moves the page, there and back; over a table, where that is at its end. */
static void
test_wheel (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window, *chart, *card, *table;
  GtkAdjustment *outer, *inner;
  double before;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  gtk_toggle_button_set_active (sizing_child (page, "more"), TRUE);
  window = ui_show (page, 1000, 500);
  wait_for_points (page);
  wait_until_done (page);
  chart = sizing_child (page, "chart");
  card = gtk_widget_get_ancestor (chart, SHARDWISE_TYPE_CHART_CARD);
  outer = gtk_scrolled_window_get_vadjustment (
      GTK_SCROLLED_WINDOW (gtk_widget_get_ancestor (card, GTK_TYPE_SCROLLED_WINDOW)));
  before = gtk_adjustment_get_value (outer);
  g_assert_cmpfloat (gtk_adjustment_get_upper (outer), >, gtk_adjustment_get_page_size (outer));
  g_assert_true (turn (gtk_widget_get_ancestor (chart, GTK_TYPE_SCROLLED_WINDOW), 1.0));
  g_assert_cmpfloat (gtk_adjustment_get_value (outer), >, before + 20);
  g_assert_true (turn (gtk_widget_get_ancestor (chart, GTK_TYPE_SCROLLED_WINDOW), -1.0));
  g_assert_cmpfloat_with_epsilon (gtk_adjustment_get_value (outer), before, 1e-6);

  g_object_set (card, "table", TRUE, NULL);
  table = gtk_widget_get_ancestor (ui_find (card, GTK_TYPE_COLUMN_VIEW), GTK_TYPE_SCROLLED_WINDOW);
  inner = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (table));
  wait_until (gtk_adjustment_get_page_size (inner) > 0);
  g_assert_cmpfloat (gtk_adjustment_get_upper (inner), >, gtk_adjustment_get_page_size (inner));
  g_assert_false (turn (table, 1.0));
  g_assert_true (turn (table, -1.0));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* In a window of 1240 x 820, beside the inputs, no section takes more than a screen and a half; only
 * what is looked at is searched. */
static void
test_lengths (void)
{
  static const char *const places[] = { "scaling", "cost", "budget", "failures", "atlas" };
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, "
      "\"training\": {\"tokens\": 1e11, \"deadline\": \"2099-01-01\"}}");
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), *window;
  double most = 0;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 890, 770);
  wait_for_points (page);
  g_assert_cmpuint (shardwise_chart_n_points (atlas_child (page, "chart")), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      GtkWidget *viewport;
      double length;

      g_assert_true (shardwise_scale_page_show (SHARDWISE_SCALE_PAGE (page), places[i]));
      wait_until (ui_charts_are_ready (page));
      ui_run_for (100);
      viewport = gtk_widget_get_ancestor (ui_child (page, "content"), GTK_TYPE_VIEWPORT);
      length =
          gtk_adjustment_get_upper (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (viewport)));
      g_test_message ("%s: %.0f pixels long", places[i], length);
      most = MAX (most, length);
    }
  g_assert_cmpfloat (most, <=, 820 * 1.5);
  g_assert_false (shardwise_scale_page_show (SHARDWISE_SCALE_PAGE (page), "nothing"));
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/scale-page/empty", test_empty);
  g_test_add_func ("/scale-page/sweep", test_sweep);
  g_test_add_func ("/scale-page/stop", test_stop);
  g_test_add_func ("/scale-page/soon", test_soon);
  g_test_add_func ("/scale-page/destroy-running", test_destroy_running);
  g_test_add_func ("/scale-page/use", test_use);
  g_test_add_func ("/scale-page/compare", test_compare);
  g_test_add_func ("/scale-page/own-sizes", test_own_sizes);
  g_test_add_func ("/scale-page/batch", test_batch);
  g_test_add_func ("/scale-page/command-line", test_command_line);
  g_test_add_func ("/scale-page/wheel", test_wheel);
  g_test_add_func ("/scale-page/lengths", test_lengths);
  g_test_add_func ("/scale-page/atlas", test_atlas);
  g_test_add_func ("/scale-page/pictures", test_pictures);
  return g_test_run ();
}
