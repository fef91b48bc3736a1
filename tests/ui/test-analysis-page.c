/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-analysis-page.h"
#include "shardwise-chart-card.h"

#include "shardwise-texts.h"
#include "ui-fixture.h"

static const char scenario_70b[] =
  "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"llama-3-70b\"},"
  " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64}, \"training\": {\"framework\": "
  "\"megatron-core\"},"
  " \"strategy\": {\"pp\": 4, \"tp\": 4, \"schedule\": \"1f1b\", \"vpp\": 1}}";

static void
test_empty (void)
{
  GtkWidget *page = shardwise_analysis_page_new (), *window = ui_show (page, 360, 600);

  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "empty");
  g_object_ref (page);
  gtk_window_destroy (GTK_WINDOW (window));
  g_assert_finalize_object (page);
}

/* Every chart has a sentence, and the table beside it as many rows as the strategy has stages. */
static void
test_charts (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  const SwEstimate *estimate = shardwise_advisor_get_selected (advisor);
  GtkWidget *page = shardwise_analysis_page_new (), *window;
  const char *const charts[] = { "time_chart", "pipeline_chart", "memory_chart", "zero_chart" };
  g_autofree char *strategy = shardwise_text_strategy (&estimate->strategy),
                  *step = shardwise_format_seconds (estimate->time.step_s);
  ShardwiseChart *chart;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 900);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "charts");
  g_assert_cmpstr (gtk_label_get_label (ui_child (page, "strategy_label")), ==, strategy);
  for (guint i = 0; i < G_N_ELEMENTS (charts); i++)
    {
      chart = ui_child (page, charts[i]);
      g_assert_cmpint (strlen (shardwise_chart_get_summary (chart)), >, 20);
      g_assert_cmpuint (shardwise_chart_n_points (chart), >, 0);
      g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (chart)), >=, 220);
    }
  chart = ui_child (page, "time_chart");
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), step));
  chart = ui_child (page, "memory_chart");
  g_assert_cmpuint (SHARDWISE_CHART_GET_CLASS (chart)->n_rows (chart), ==, 4);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The page shows what is selected, not what is recommended. */
static void
test_follows_selection (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  const SwEstimate *other =
    shardwise_advice_get_alternative (shardwise_advisor_get_advice (advisor), 0);
  GtkWidget *page = shardwise_analysis_page_new (), *window;
  g_autofree char *strategy = shardwise_text_strategy (&other->strategy),
                  *step = shardwise_format_seconds (other->time.step_s);

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 900);
  g_assert_cmpstr (gtk_label_get_label (ui_child (page, "strategy_label")), !=, strategy);
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (page, "kind_label")), "recommended"));
  shardwise_advisor_set_selected (advisor, other);
  gtk_test_widget_wait_for_draw (window);
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (page, "kind_label")), "selected"));
  g_assert_cmpstr (gtk_label_get_label (ui_child (page, "strategy_label")), ==, strategy);
  g_assert_nonnull (strstr (shardwise_chart_get_summary (ui_child (page, "time_chart")), step));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Four GPUs do not hold 70 B parameters: the page says so, and by how much. */
static void
test_nothing_fits (void)
{
  g_autoptr (ShardwiseAdvisor) advisor =
    ui_advisor ("{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
                "\"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 4}}");
  GtkWidget *page = shardwise_analysis_page_new (), *window;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 600, 900);
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (page, "kind_label")), "Nothing fits"));
  g_assert_nonnull (
    strstr (shardwise_chart_get_summary (ui_child (page, "memory_chart")), "over the memory target"));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_pictures (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);

  ui_page_pictures (shardwise_analysis_page_new, advisor, "analysis", 1390, NULL);
}

/* Text at 200 %: nothing is wider than a window of 720 pixels. */
static void
test_large_text (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  GtkSettings *settings = gtk_settings_get_default ();
  GtkWidget *page = shardwise_analysis_page_new (), *window;
  int dpi;

  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 720, 1390);
  cairo_surface_destroy (ui_picture (page, "analysis-large-text"));
  g_assert_cmpint (gtk_widget_get_width (page), ==, 720);
  gtk_window_destroy (GTK_WINDOW (window));
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
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

  g_test_add_func ("/analysis-page/empty", test_empty);
  g_test_add_func ("/analysis-page/charts", test_charts);
  g_test_add_func ("/analysis-page/follows-selection", test_follows_selection);
  g_test_add_func ("/analysis-page/nothing-fits", test_nothing_fits);
  g_test_add_func ("/analysis-page/pictures", test_pictures);
  g_test_add_func ("/analysis-page/large-text", test_large_text);
  return g_test_run ();
}
