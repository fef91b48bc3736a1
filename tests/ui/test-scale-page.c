/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-scale-page.h"
#include "shardwise-sizing-chart.h"
#include "shardwise-sweep.h"

#include "ui-fixture.h"

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
  GtkWidget *page = shardwise_scale_page_new (), *window = ui_show (page, 360, 600);

  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "empty");
  g_object_ref (page);
  gtk_window_destroy (GTK_WINDOW (window));
  g_assert_finalize_object (page);
}

/* The sweep runs by itself when the page is seen; each point is what the search gives for that many GPUs. */
static void
test_sweep (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  guint here = shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor))->cluster.gpus;
  const SwEstimate *recommended =
    shardwise_advice_get_recommended (shardwise_advisor_get_advice (advisor));
  GtkWidget *page = shardwise_scale_page_new (), *window;
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
  GtkWidget *page = shardwise_scale_page_new (), *window;

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

/* A page that goes while the sweep runs: nothing is left behind. */
static void
test_destroy_running (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *page = shardwise_scale_page_new (), *window;
  GWeakRef weak;

  g_weak_ref_init (&weak, page);
  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 500, 700);
  gtk_widget_activate_action (sizing_child (page, "sweep"), "sweep.compute", NULL);
  gtk_window_destroy (GTK_WINDOW (window));
  for (;;)
    {
      g_autoptr (GObject) left = g_weak_ref_get (&weak);

      if (left == NULL)
        break;
      g_clear_object (&left);
      g_main_context_iteration (NULL, TRUE);
    }
  g_weak_ref_clear (&weak);
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
  GtkWidget *page = shardwise_scale_page_new (), *window;
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
test_pictures (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);

  ui_page_pictures (shardwise_scale_page_new, advisor, "scale", 800, wait_for_points);
}

int
main (int argc, char *argv[])
{
  g_setenv ("GTK_A11Y", "test", TRUE);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP no display\n");
      return 0;
    }
  g_test_init (&argc, &argv, NULL);
  adw_init ();
  ui_load_style ();

  g_test_add_func ("/scale-page/empty", test_empty);
  g_test_add_func ("/scale-page/sweep", test_sweep);
  g_test_add_func ("/scale-page/stop", test_stop);
  g_test_add_func ("/scale-page/destroy-running", test_destroy_running);
  g_test_add_func ("/scale-page/use", test_use);
  g_test_add_func ("/scale-page/pictures", test_pictures);
  return g_test_run ();
}
