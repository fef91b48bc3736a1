/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-analysis-page.h"
#include "shardwise-chart-draw.h"
#include "shardwise-chart-card.h"
#include "shardwise-communication-chart.h"
#include "shardwise-pipeline-chart.h"
#include "shardwise-reason-row.h"
#include "shardwise-schedule-chart.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-tornado-chart.h"
#include "measured-layer.h"
#include "ui-fixture.h"
#include "ui-pace.h"

#include <math.h>

static const char scenario_70b[] =
    "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"llama-3-70b\"},"
    " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64}, \"training\": {\"framework\": "
    "\"megatron-core\"},"
    " \"strategy\": {\"pp\": 4, \"tp\": 4, \"schedule\": \"1f1b\", \"vpp\": 1}}";

static const char *const places[] = { "memory",      "sharding", "time",     "communication",
                                      "pipeline",    "ranks",    "reasons",  "figures",
                                      "assumptions", "search",   "opinions", "frameworks",
                                      "runs",        "rules" };

/* Shows a section and lets it be laid out. */
static void
show_section (GtkWidget *page, const char *section)
{
  g_assert_true (shardwise_analysis_page_show (SHARDWISE_ANALYSIS_PAGE (page), section));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (gtk_widget_get_root (page)));
}

static void
test_empty (void)
{
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL),
            *window = ui_show (page, 360, 600);

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
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  static const struct {
    const char *chart, *section;
  } charts[] = {
    { "time_chart", "time" },         { "pipeline_chart", "pipeline" },
    { "memory_chart", "memory" },     { "zero_chart", "sharding" },
    { "timeline_chart", "sharding" }, { "communication_chart", "communication" },
    { "rank_chart", "ranks" },        { "schedule_chart", "pipeline" },
  };
  g_autofree char *name = shardwise_text_strategy (&estimate->strategy),
                  *strategy = shardwise_format_unbroken (name),
                  *step = shardwise_format_seconds (estimate->time.step_s);
  ShardwiseChart *chart;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 900);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "charts");
  g_assert_cmpstr (gtk_label_get_label (ui_child (page, "strategy_label")), ==, strategy);
  for (guint i = 0; i < G_N_ELEMENTS (charts); i++)
    {
      show_section (page, charts[i].section);
      chart = ui_child (page, charts[i].chart);
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

static void
wait_for_limits (GtkWidget *page)
{
  ShardwiseChart *chart = SHARDWISE_CHART (ui_find (page, SHARDWISE_TYPE_TORNADO_CHART));

  while (*shardwise_chart_get_summary (chart) == '\0')
    g_main_context_iteration (NULL, TRUE);
}

/* Thousands of passes are drawn as what fits in the pixels: the peak is among them, and drawing
 * takes less than a sixtieth of a second. */
static void
test_timeline_of_many (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 32}, \"training\": "
      "{\"framework\": \"megatron-core\", \"sequence_length\": 4096, \"global_batch_size\": 1024}, "
      "\"strategy\": {\"tp\": 4, \"pp\": 8, \"dp\": 1, \"schedule\": \"interleaved\", \"vpp\": 5, "
      "\"micro_batch_size\": 1}}");
  const SwEstimate *estimate = shardwise_advisor_get_selected (advisor);
  g_autofree char *peak = shardwise_format_bytes (estimate->memory.peak.total);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 1000, 600);
  cairo_t *cr = cairo_create (surface);
  GskRenderNode *node;
  ShardwiseChart *chart;
  double before, seconds;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 900);
  chart = ui_child (page, "timeline_chart");
  g_assert_true (gtk_widget_get_visible (ui_child (page, "timeline_card")));
  g_assert_cmpuint (shardwise_chart_n_points (chart), >=, 5 * 1024 * 2 * 2);
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), peak));
  show_section (page, "sharding");
  before = ui_computed_s ();
  shardwise_chart_redraw (chart);
  GTK_WIDGET_GET_CLASS (chart)->snapshot (GTK_WIDGET (chart), snapshot);
  node = gtk_snapshot_free_to_node (snapshot);
  gsk_render_node_draw (node, cr);
  seconds = ui_computed_s () - before;
  g_test_message ("%.1f ms", seconds * 1e3);
#if !defined(__SANITIZE_ADDRESS__)
  g_assert_cmpfloat (seconds / ui_slowness (), <, UI_LATE_FRAME_S);
#endif
  gsk_render_node_unref (node);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The page shows what is selected, not what is recommended. */
static void
test_follows_selection (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  const SwEstimate *other =
      shardwise_advice_get_alternative (shardwise_advisor_get_advice (advisor), 0);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  g_autofree char *name = shardwise_text_strategy (&other->strategy),
                  *strategy = shardwise_format_unbroken (name),
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

/* More arithmetic helps a job of large GEMMs most, the strategy held or not; the table has every
 * resource. */
static void
test_limits (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  g_autofree char *before = NULL, *after = NULL;
  ShardwiseChart *chart;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 900);
  show_section (page, "time");
  wait_for_limits (page);
  chart = SHARDWISE_CHART (ui_find (page, SHARDWISE_TYPE_TORNADO_CHART));
  g_assert_true (g_str_has_prefix (shardwise_chart_get_summary (chart),
                                   "Compute rate is the main limit: "
                                   "+25 %"));
  g_assert_cmpuint (SHARDWISE_CHART_GET_CLASS (chart)->n_rows (chart), ==, SW_N_RESOURCES);
  g_assert_cmpuint (shardwise_chart_n_points (chart), >, 0);
  /* Another strategy is another question, with other figures; the former stay until they come, so
   * that nothing on the page moves. */
  before = shardwise_chart_to_csv (chart);
  shardwise_advisor_set_selected (
      advisor, shardwise_advice_get_alternative (shardwise_advisor_get_advice (advisor), 0));
  do
    {
      g_assert_cmpstr (shardwise_chart_get_summary (chart), !=, "");
      g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (chart)));
      g_main_context_iteration (NULL, TRUE);
      g_free (after);
      after = shardwise_chart_to_csv (chart);
    }
  while (g_str_equal (before, after));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Compares measurements with predictions, for the machine and for a layer; for a machine of the
 * catalog nothing is shown. */
static void
test_measured (void)
{
  g_autoptr (ShardwiseAdvisor) measured = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-8b\"}, \"cluster\": {\"gpu\": {\"base\": \"h100-80-sxm\", \"measured\": {"
      "\"date\": \"2026-11-28\", \"memory_gb_s\": {\"value\": 1000, \"spread\": "
      "0.02}, " MEASURED_LAYER "}}, \"gpus\": 8}}");
  g_autoptr (ShardwiseAdvisor) plain = ui_advisor (scenario_70b);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  ShardwiseChartCell cell = { 0 };
  ShardwiseChart *machine, *layer;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), measured);
  window = ui_show (page, 360, 900);
  machine = ui_child (page, "measured_chart");
  layer = ui_child (page, "step_chart");
  g_assert_true (gtk_widget_get_visible (ui_child (page, "measured_card")));
  g_assert_true (gtk_widget_get_visible (ui_child (page, "step_card")));
  g_assert_cmpuint (shardwise_chart_n_points (machine), ==, 1);
  g_assert_true (g_str_has_prefix (shardwise_chart_get_summary (machine),
                                   "Largest deviation from the prediction: GPU memory, "));
  g_assert_cmpuint (shardwise_chart_n_points (layer), ==, 4);
  g_assert_true (g_str_has_prefix (
      shardwise_chart_get_summary (layer),
      "One layer on NVIDIA H100 80GB HBM3, as in Megatron-Core: TP 2, CP 1, 1 × 8192 tokens. "
      "Largest deviation from the prediction: Tensor parallelism, forward, "));
  SHARDWISE_CHART_GET_CLASS (layer)->cell (layer, 0, 1, &cell);
  g_assert_cmpstr (cell.text, ==, "1.00 ms");
  g_clear_pointer (&cell.text, g_free);
  SHARDWISE_CHART_GET_CLASS (layer)->cell (layer, 1, 4, &cell);
  g_assert_cmpfloat (cell.number, >, 150);
  shardwise_page_set_advisor (SHARDWISE_PAGE (page), plain);
  gtk_test_widget_wait_for_draw (window);
  g_assert_false (gtk_widget_get_visible (ui_child (page, "measured_card")));
  g_assert_false (gtk_widget_get_visible (ui_child (page, "step_card")));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Reinforcement learning: its phases have a chart of their own, of which the rows add up to the
 * step, and the page says that nothing of the kind was measured. Other jobs show none. */
static void
test_phases (void)
{
  g_autoptr (ShardwiseAdvisor) rlhf = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 16}, \"training\": "
      "{\"type\": \"rlhf\", \"sequence_length\": 4096, \"global_batch_size\": 128}}");
  g_autoptr (ShardwiseAdvisor) plain = ui_advisor (scenario_70b);
  const SwEstimate *estimate = shardwise_advisor_get_selected (rlhf);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  g_autofree char *step = shardwise_format_seconds (estimate->time.step_s);
  ShardwiseChartCell cell = { 0 };
  ShardwiseChart *chart;
  double sum = 0;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), rlhf);
  window = ui_show (page, 1000, 900);
  chart = ui_child (page, "phases_chart");
  g_assert_true (gtk_widget_get_visible (ui_child (page, "phases_card")));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), step));
  g_assert_true (g_str_has_prefix (shardwise_chart_get_summary (ui_child (page, "pipeline_chart")),
                                   "Policy training: "));
  g_assert_cmpuint (SHARDWISE_CHART_GET_CLASS (chart)->n_rows (chart), ==, 5);
  for (guint row = 0; row < 5; row++)
    {
      SHARDWISE_CHART_GET_CLASS (chart)->cell (chart, row, 1, &cell);
      sum += row < 4 ? cell.number : -cell.number;
    }
  g_assert_cmpfloat (fabs (sum), <, 1e-6);
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (page, "kind_label")), "not validated"));
  g_assert_nonnull (
      strstr (gtk_label_get_label (ui_child (page, "generation_label")), "1024 of the"));
  shardwise_page_set_advisor (SHARDWISE_PAGE (page), plain);
  gtk_test_widget_wait_for_draw (window);
  g_assert_false (gtk_widget_get_visible (ui_child (page, "phases_card")));
  g_assert_true (g_str_has_prefix (shardwise_chart_get_summary (ui_child (page, "pipeline_chart")),
                                   "On average, a GPU"));
  g_assert_null (strstr (gtk_label_get_label (ui_child (page, "kind_label")), "not validated"));
  gtk_window_destroy (GTK_WINDOW (window));
}

static double
number_at (ShardwiseChart *chart, guint row, guint column)
{
  ShardwiseChartCell cell = { 0 };

  SHARDWISE_CHART_GET_CLASS (chart)->cell (chart, row, column, &cell);
  g_free (cell.text);
  return cell.number;
}

/* The rows of what is communicated add up to the exposed and hidden time of the step; the sentence
 * names the one that costs most, and every row says its links and figures. One GPU communicates
 * nothing: the card is away. */
static void
test_communication (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  g_autoptr (ShardwiseAdvisor) alone = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h200-141-sxm\", \"gpus\": 1}, \"training\": "
      "{\"type\": \"lora\"}}");
  const SwTime *t = &shardwise_advisor_get_selected (advisor)->time;
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  double exposed = 0, hidden = 0, most = 0;
  ShardwiseChart *chart;
  guint costliest = 0;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 900);
  chart = ui_child (page, "communication_chart");
  for (guint row = 0; row < shardwise_chart_n_points (chart); row++)
    {
      g_autofree char *readout = SHARDWISE_CHART_GET_CLASS (chart)->readout (chart, row);

      g_assert_nonnull (strstr (readout, "hidden behind compute"));
      if (number_at (chart, row, 9) > most)
        costliest = row;
      most = MAX (most, number_at (chart, row, 9));
      exposed += number_at (chart, row, 9);
      hidden += number_at (chart, row, 10);
      g_assert_cmpfloat (number_at (chart, row, 5), >, 0);
    }
  g_assert_cmpfloat_with_epsilon (
      exposed, (t->tp_exposed_s + t->pp_exposed_s + t->dp_exposed_s) * 1e3, 1e-3);
  g_assert_cmpfloat_with_epsilon (hidden, (t->tp_hidden_s + t->pp_hidden_s + t->dp_hidden_s) * 1e3,
                                  1e-3);
  {
    g_autofree char *what = shardwise_chart_cell_text (chart, costliest, 0),
                    *links = shardwise_chart_cell_text (chart, costliest, 3);

    g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), what));
    g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), links));
  }
  shardwise_page_set_advisor (SHARDWISE_PAGE (page), alone);
  gtk_test_widget_wait_for_draw (window);
  g_assert_false (gtk_widget_get_visible (ui_child (page, "communication_card")));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The lines of text that a chart has room for at a width, its bars and gaps included. */
static int
lines_at (ShardwiseChart *chart, int width)
{
  int minimum;

  return SHARDWISE_CHART_GET_CLASS (chart)->plot_height (chart, width, &minimum)
         / shardwise_draw_line_height (chart);
}

/* Text that does not fit beside or below gets its own lines: names and figures of collectives, and
 * the help on the visible part of the pipeline. */
static void
test_narrow_texts (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  ShardwiseChart *communication, *pipeline, *schedules;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 900);
  communication = ui_child (page, "communication_chart");
  pipeline = ui_child (page, "pipeline_chart");
  schedules = ui_child (page, "schedule_chart");
  g_assert_cmpint (lines_at (communication, 120), >=,
                   7 * (int) shardwise_chart_n_points (communication));
  g_assert_cmpint (lines_at (pipeline, 260), >, lines_at (pipeline, 900));
  g_assert_cmpint (lines_at (schedules, 160), >=, lines_at (schedules, 900) + 2);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* From where a row of a chart is drawn to where the next one is. */
static float
pitch_of (ShardwiseChart *chart, guint row)
{
  graphene_rect_t here, next;

  SHARDWISE_CHART_GET_CLASS (chart)->point_area (chart, row, &here);
  SHARDWISE_CHART_GET_CLASS (chart)->point_area (chart, row + 1, &next);
  return next.origin.y - here.origin.y;
}

/* What sends nothing has fewer words than what goes over a link, and leaves no hole for them. */
static void
test_narrow_rows (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64}, \"training\": "
      "{\"framework\": \"megatron-core\"}, \"strategy\": {\"pp\": 4, \"tp\": 4, \"cp\": 2, "
      "\"cp_method\": \"ring\"}}");
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  float least = G_MAXFLOAT, most = 0;
  ShardwiseChart *chart;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 360, 700);
  show_section (page, "communication");
  chart = ui_child (page, "communication_chart");
  for (guint row = 0; row + 1 < shardwise_chart_n_points (chart); row++)
    {
      least = MIN (least, pitch_of (chart, row));
      most = MAX (most, pitch_of (chart, row));
    }
  g_assert_cmpfloat (most - least, >, shardwise_draw_line_height (chart) / 2);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Four schedules of one strategy: the chosen one shows its estimate; interleaving shortens the
 * bubble by its chunks; the one that the framework does not have says so. Without a pipeline the
 * card is away. */
static void
test_schedules (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  g_autoptr (ShardwiseAdvisor) alone = ui_advisor (NULL);
  const SwTime *t = &shardwise_advisor_get_selected (advisor)->time;
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  g_autofree char *interleaved = NULL, *step = shardwise_format_seconds (t->step_s);
  ShardwiseChart *chart;
  SwStrategy strategy;
  SwProblem problem;
  SwEstimate one;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 900);
  chart = ui_child (page, "schedule_chart");
  g_assert_cmpuint (shardwise_chart_n_points (chart), ==, 4);
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), step));
  g_assert_cmpfloat (number_at (chart, SW_SCHEDULE_1F1B, 1), ==, t->step_s * 1e3);
  g_assert_cmpfloat (number_at (chart, SW_SCHEDULE_1F1B, 2), ==, t->bubble_s * 1e3);
  g_assert_cmpfloat_with_epsilon (number_at (chart, SW_SCHEDULE_INTERLEAVED, 2),
                                  t->bubble_s * 1e3 / 2, 1e-6);
  interleaved = shardwise_chart_cell_text (chart, SW_SCHEDULE_INTERLEAVED, 0);
  g_assert_cmpstr (interleaved, ==, "interleaved, 2 chunks");
  for (guint row = 0; row < 4; row++)
    {
      g_autofree char *remark = shardwise_chart_cell_text (chart, row, 4),
                      *shown = shardwise_chart_cell_text (chart, row, 1);

      g_assert_true (*remark != '\0' || number_at (chart, row, 1) > 0);
      g_assert_cmpint (g_str_equal (shown, "–"), ==, number_at (chart, row, 1) <= 0);
    }
  /* The same on one stage. */
  problem = *shardwise_advice_get_problem (shardwise_advisor_get_advice (alone));
  strategy = shardwise_advisor_get_selected (alone)->strategy;
  strategy.pp = 1;
  sw_estimate (&problem, &strategy, &one);
  g_assert_false (
      shardwise_schedule_chart_set_estimate (SHARDWISE_SCHEDULE_CHART (chart), &problem, &one));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Playing moves through what is seen in twelve seconds, and stops at the end of the step. Without
 * animations it stays for a second, then goes to where the next task ends. Another strategy stops
 * it. */
static void
test_play (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
  GtkSettings *settings = gtk_settings_get_default ();
  ShardwisePipelinePlayer *player;
  ShardwisePipelineChart *chart;
  double start, end, now;
  GtkToggleButton *button;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 900);
  show_section (page, "pipeline");
  chart = ui_child (page, "pipeline_chart");
  player = SHARDWISE_PIPELINE_PLAYER (ui_find (page, SHARDWISE_TYPE_PIPELINE_PLAYER));
  button = GTK_TOGGLE_BUTTON (ui_find (GTK_WIDGET (player), GTK_TYPE_TOGGLE_BUTTON));
  g_object_set (settings, "gtk-enable-animations", TRUE, NULL);
  shardwise_pipeline_chart_get_view (chart, &start, &end);
  gtk_toggle_button_set_active (button, TRUE);
  g_assert_cmpfloat (shardwise_pipeline_chart_get_now (chart), ==, start);
  shardwise_pipeline_player_advance (player, 3);
  g_assert_cmpfloat_with_epsilon (shardwise_pipeline_chart_get_now (chart),
                                  start + (end - start) / 4, 1e-9);
  gtk_toggle_button_set_active (button, FALSE);
  now = shardwise_pipeline_chart_get_now (chart);
  shardwise_pipeline_player_advance (player, 3);
  g_assert_cmpfloat (shardwise_pipeline_chart_get_now (chart), ==, now);
  cairo_surface_destroy (ui_picture (ui_child (page, "pipeline_card"), "analysis-play"));
  g_object_set (settings, "gtk-enable-animations", FALSE, NULL);
  gtk_toggle_button_set_active (button, TRUE);
  shardwise_pipeline_player_advance (player, 0.5);
  g_assert_cmpfloat (shardwise_pipeline_chart_get_now (chart), ==, now);
  shardwise_pipeline_player_advance (player, 0.5);
  g_assert_cmpfloat (shardwise_pipeline_chart_get_now (chart), ==,
                     shardwise_pipeline_chart_next_event (chart, now));
  g_object_set (settings, "gtk-enable-animations", TRUE, NULL);
  shardwise_pipeline_player_advance (player, 12 * 1e3);
  g_assert_false (shardwise_pipeline_player_is_playing (player));
  g_assert_cmpfloat (shardwise_pipeline_chart_get_now (chart), ==, -1);
  gtk_toggle_button_set_active (button, TRUE);
  shardwise_advisor_set_selected (
      advisor, shardwise_advice_get_alternative (shardwise_advisor_get_advice (advisor), 0));
  gtk_test_widget_wait_for_draw (window);
  shardwise_pipeline_player_advance (player, 0.1);
  g_assert_false (shardwise_pipeline_player_is_playing (player));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Four GPUs do not hold 70 B parameters: the page says so, and by how much. */
static void
test_nothing_fits (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 4}, "
      "\"training\": {\"framework\": \"megatron-core\"}}");
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 600, 900);
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (page, "kind_label")), "Nothing fits"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (ui_child (page, "memory_chart")),
                            "above the memory target"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Sentences on memory name a stage where there are stages, and none on a job without a pipeline. */
static void
test_names_stages (void)
{
  static const struct {
    const char *pp, *said, *unsaid;
  } cases[] = { { "1", "every GPU", "stage" }, { "4", "a GPU of stage ", "every GPU" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *scenario = g_strdup_printf (
          "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
          "\"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 8}, "
          "\"strategy\": {\"pp\": %s}}",
          cases[i].pp);
      g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario);
      GtkWidget *page = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL));
      const char *sentences[3];

      shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
      sentences[0] = shardwise_chart_get_summary (ui_child (page, "memory_chart"));
      sentences[1] = shardwise_chart_get_summary (ui_child (page, "timeline_chart"));
      sentences[2] = adw_expander_row_get_subtitle (ui_child (page, "tensor_list"));
      for (guint at = 0; at < G_N_ELEMENTS (sentences); at++)
        {
          g_assert_nonnull (strstr (sentences[at], cases[i].said));
          g_assert_null (strstr (sentences[at], cases[i].unsaid));
        }
      g_assert_finalize_object (page);
    }
}

/* A run from trained weights loads them and evaluates; one of pre-training has none of that to show. */
static void
test_moments (void)
{
  static const struct {
    const char *type;
    gboolean shown;
  } cases[] = { { "finetune", TRUE }, { "pretrain", FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *scenario = g_strdup_printf (
          "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
          "\"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 8}, "
          "\"training\": {\"type\": \"%s\"}}",
          cases[i].type);
      g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario);
      GtkWidget *page = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL)),
                *group;

      shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
      group = ui_child (page, "moments_group");
      g_assert_cmpint (gtk_widget_get_visible (group), ==, cases[i].shown);
      g_assert_true (ui_says (group, "First backward pass"));
      g_assert_cmpint (ui_says (group, "GiB"), ==, cases[i].shown);
      g_assert_finalize_object (page);
    }
}

static const char *pictured;

static void
show_pictured (GtkWidget *page)
{
  wait_for_limits (page);
  show_section (page, pictured);
}

static void
test_pictures (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);

  static const char *const some[] = { "memory", "time", "opinions" };

  for (guint i = 0; i < G_N_ELEMENTS (some); i++)
    {
      g_autofree char *name = g_strdup_printf ("why-%s", some[i]);

      pictured = some[i];
      ui_page_pictures (SHARDWISE_TYPE_ANALYSIS_PAGE, advisor, name, 1230, show_pictured);
    }
}

/* In a window of 1240 x 820, beside the inputs, no section takes more than a screen and a half. */
static void
test_lengths (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL),
            *window = ui_show (page, 890, 770);
  double most = 0;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  wait_for_limits (page);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      GtkWidget *viewport;
      double length;

      show_section (page, places[i]);
      ui_run_for (100);
      viewport = gtk_widget_get_ancestor (ui_child (page, "content"), GTK_TYPE_VIEWPORT);
      length =
          gtk_adjustment_get_upper (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (viewport)));
      g_test_message ("%s: %.0f pixels long", places[i], length);
      most = MAX (most, length);
    }
  g_assert_cmpfloat (most, <=, 820 * 1.5);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
wanted_cb (ShardwiseAnalysisPage *page, const char *section, char **wanted)
{
  g_free (*wanted);
  *wanted = g_strdup (section);
}

/* Another page leads to a section, and to the reasons of one dimension; the index follows, and the
 * sections of the window are asked of it once they are seen. */
static void
test_sections (void)
{
  static const char *const filled[] = { "runs", "rules" };
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL),
            *window = ui_show (page, 1000, 900), *list, *row;
  g_autofree char *place = g_strdup_printf ("reasons/%d", SW_DIM_TP);

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  list = ui_find (page, GTK_TYPE_LIST_BOX);
  g_assert_cmpint (gtk_list_box_row_get_index (gtk_list_box_get_selected_row (GTK_LIST_BOX (list))),
                   ==, 0);
  show_section (page, place);
  row = ui_find (page, SHARDWISE_TYPE_REASON_ROW);
  g_assert_true (gtk_widget_get_mapped (row));
  g_assert_true (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (row)));
  g_assert_cmpint (shardwise_reason_row_get_dimension (SHARDWISE_REASON_ROW (row)), ==, SW_DIM_TP);
  g_assert_cmpint (gtk_list_box_row_get_index (gtk_list_box_get_selected_row (GTK_LIST_BOX (list))),
                   ==, 6);
  g_assert_false (shardwise_analysis_page_show (SHARDWISE_ANALYSIS_PAGE (page), "nothing"));
  for (guint i = 0; i < G_N_ELEMENTS (filled); i++)
    {
      g_autofree char *wanted = NULL;
      const gulong id = g_signal_connect (page, "section-wanted", G_CALLBACK (wanted_cb), &wanted);

      show_section (page, filled[i]);
      g_assert_cmpstr (wanted, ==, filled[i]);
      g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (
          shardwise_analysis_page_get_bin (SHARDWISE_ANALYSIS_PAGE (page), filled[i]))));
      g_signal_handler_disconnect (page, id);
    }
  /* A narrow window has a drop-down in place of the list. */
  g_assert_true (
      gtk_widget_get_child_visible (gtk_widget_get_ancestor (list, GTK_TYPE_SCROLLED_WINDOW)));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Text at 200 %: nothing is wider than a window of 720 pixels. */
static void
test_large_text (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  GtkSettings *settings = gtk_settings_get_default ();
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), *window;
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
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/analysis-page/empty", test_empty);
  g_test_add_func ("/analysis-page/lengths", test_lengths);
  g_test_add_func ("/analysis-page/sections", test_sections);
  g_test_add_func ("/analysis-page/charts", test_charts);
  g_test_add_func ("/analysis-page/timeline-of-many", test_timeline_of_many);
  g_test_add_func ("/analysis-page/follows-selection", test_follows_selection);
  g_test_add_func ("/analysis-page/limits", test_limits);
  g_test_add_func ("/analysis-page/phases", test_phases);
  g_test_add_func ("/analysis-page/measured", test_measured);
  g_test_add_func ("/analysis-page/communication", test_communication);
  g_test_add_func ("/analysis-page/narrow-texts", test_narrow_texts);
  g_test_add_func ("/analysis-page/schedules", test_schedules);
  g_test_add_func ("/analysis-page/narrow-rows", test_narrow_rows);
  g_test_add_func ("/analysis-page/play", test_play);
  g_test_add_func ("/analysis-page/nothing-fits", test_nothing_fits);
  g_test_add_func ("/analysis-page/names-stages", test_names_stages);
  g_test_add_func ("/analysis-page/moments", test_moments);
  g_test_add_func ("/analysis-page/pictures", test_pictures);
  g_test_add_func ("/analysis-page/large-text", test_large_text);
  return g_test_run ();
}
