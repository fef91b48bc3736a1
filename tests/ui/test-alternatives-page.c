/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-alternatives-page.h"

#include <time.h>
#include "shardwise-candidate-list.h"
#include "shardwise-scatter-chart.h"
#include "shardwise-strategy-columns.h"
#include "shardwise-texts.h"
#include "ui-fixture.h"

static GListModel *
rows_of (GtkWidget *page)
{
  return G_LIST_MODEL (gtk_column_view_get_model (ui_child (page, "column_view")));
}

static ShardwiseCandidateList *
list_of (GtkWidget *page)
{
  return SHARDWISE_CANDIDATE_LIST (gtk_single_selection_get_model (GTK_SINGLE_SELECTION (rows_of (page))));
}

static gboolean
has_all (GtkWidget *page)
{
  return strstr (gtk_label_get_label (ui_child (page, "rejected_label")), "Every strategy was tried") != NULL
         && !shardwise_candidate_list_is_pending (list_of (page));
}

/* Until every strategy is listed, filtered and sorted as asked for. */
static void
wait_for_all (GtkWidget *page)
{
  while (!has_all (page))
    g_main_context_iteration (NULL, TRUE);
}

static SwStrategy
strategy_at (GListModel *rows, guint position)
{
  g_autoptr (ShardwiseStrategy) strategy = g_list_model_get_item (rows, position);

  g_assert_nonnull (strategy);
  return shardwise_strategy_get_estimate (strategy)->strategy;
}

static GtkWidget *
page_with (ShardwiseAdvisor *advisor, int width, GtkWidget **window)
{
  GtkWidget *page = shardwise_alternatives_page_new ();

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  *window = ui_show (page, width, 700);
  wait_for_all (page);
  return page;
}

static void
test_empty (void)
{
  GtkWidget *page = shardwise_alternatives_page_new (), *window = ui_show (page, 360, 600);

  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "empty");
  g_object_ref (page);
  gtk_window_destroy (GTK_WINDOW (window));
  g_assert_finalize_object (page);
}

/* Of eight columns at first; a heading sorts by its column up and then down, whichever of all of them it is. */
static void
test_sort (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 1000, &window);
  GtkColumnView *view = ui_child (page, "column_view");
  GListModel *columns = gtk_column_view_get_columns (view);
  guint n = g_list_model_get_n_items (rows_of (page)), shown = 0;
  guint seen[SHARDWISE_N_SORTS] = { 0 };

  gtk_widget_set_visible (window, FALSE); /* the rows matter here, not their drawing */
  g_assert_cmpuint (n, >, g_list_model_get_n_items (shardwise_advisor_get_strategies (advisor)));
  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      shown += gtk_column_view_column_get_visible (column);
      for (guint order = 0; order < 2; order++)
        {
          gboolean descending;
          ShardwiseSort sort;

          gtk_column_view_sort_by_column (view, column, order);
          sort = shardwise_strategy_columns_get_sort (view, &descending);
          g_assert_cmpint (descending, ==, (int) order);
          seen[sort]++;
          wait_for_all (page);
          g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), ==, n);
          if (sort == SHARDWISE_SORT_TP)
            g_assert_cmpuint (strategy_at (rows_of (page), order ? 0 : n - 1).tp, >, 1);
        }
    }
  for (guint i = 0; i < SHARDWISE_N_SORTS; i++)
    g_assert_cmpuint (seen[i], ==, 2);
  g_assert_cmpuint (shown, <=, 8);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Types `text` and counts the rows left. The entry itself reports a little later; the test does not wait. */
static guint
rows_with (GtkWidget *page, const char *text)
{
  gtk_editable_set_text (ui_child (page, "search_entry"), text);
  g_signal_emit_by_name (ui_child (page, "search_entry"), "search-changed");
  wait_for_all (page);
  return g_list_model_get_n_items (rows_of (page));
}

static void
test_filter (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 1000, &window);
  guint all = g_list_model_get_n_items (rows_of (page)), some;

  some = rows_with (page, "tp 2");
  g_assert_cmpuint (some, >, 0);
  g_assert_cmpuint (some, <, all);
  for (guint i = 0; i < some; i++)
    g_assert_cmpuint (strategy_at (rows_of (page), i).tp, ==, 2);
  g_assert_cmpuint (rows_with (page, "nothing of the kind"), ==, 0);
  g_assert_cmpuint (rows_with (page, ""), ==, all);

  gtk_toggle_button_set_active (ui_child (page, "no_recompute_chip"), TRUE);
  wait_for_all (page);
  some = g_list_model_get_n_items (rows_of (page));
  for (guint i = 0; i < some; i++)
    g_assert_cmpuint (strategy_at (rows_of (page), i).recompute, ==, SW_RECOMPUTE_NONE);
  gtk_toggle_button_set_active (ui_child (page, "no_pipeline_chip"), TRUE);
  wait_for_all (page);
  some = g_list_model_get_n_items (rows_of (page));
  for (guint i = 0; i < some; i++)
    g_assert_cmpuint (strategy_at (rows_of (page), i).pp, ==, 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Activating a row selects it for every page; the banner leads back. */
static void
test_select (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 1000, &window);
  SwStrategy recommended = shardwise_advisor_get_selected (advisor)->strategy, third;

  g_assert_false (gtk_revealer_get_reveal_child (ui_child (page, "banner")));
  third = strategy_at (rows_of (page), 2);
  g_assert_false (sw_strategy_equal (&recommended, &third));
  g_signal_emit_by_name (ui_child (page, "column_view"), "activate", 2u);
  g_assert_true (sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &third));
  gtk_test_widget_wait_for_draw (window);
  g_assert_true (gtk_revealer_get_reveal_child (ui_child (page, "banner")));
  g_assert_nonnull (
    strstr (gtk_label_get_label (ui_child (page, "banner_label")), "alternative 3"));

  g_assert_true (gtk_widget_activate_action (page, "alternatives.back", NULL));
  g_assert_true (
    sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &recommended));
  gtk_test_widget_wait_for_draw (window);
  g_assert_false (gtk_revealer_get_reveal_child (ui_child (page, "banner")));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Wide it is a table, narrow a list of rows with what matters under the strategy. */
static void
test_narrow (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 1000, &window);
  g_autoptr (ShardwiseStrategy) first = NULL;
  g_autofree char *subtitle = NULL, *tokens = NULL;

  g_assert_true (gtk_widget_get_mapped (ui_child (page, "wide")));
  g_assert_false (gtk_widget_get_mapped (ui_child (page, "narrow")));
  gtk_window_destroy (GTK_WINDOW (window));

  page = page_with (advisor, 360, &window);
  g_assert_false (gtk_widget_get_mapped (ui_child (page, "wide")));
  g_assert_true (gtk_widget_get_mapped (ui_child (page, "narrow")));
  first = g_list_model_get_item (rows_of (page), 0);
  subtitle = shardwise_strategy_subtitle (first);
  tokens = shardwise_format_count (shardwise_strategy_get_estimate (first)->tokens_per_s);
  g_assert_nonnull (strstr (subtitle, tokens));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* While every strategy is tried the best ones are listed, with their counts; then all are, with theirs. */
static void
test_complete (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  const SwSearchResult *live = shardwise_advice_get_search (shardwise_advisor_get_advice (advisor)), *all;
  GtkWidget *page = shardwise_alternatives_page_new (), *window;
  g_autofree char *tried = g_strdup_printf ("%" G_GUINT64_FORMAT " tried", live->tried);
  GtkLabel *foot = ui_child (page, "foot_label");
  guint reasons = 0;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), ==, live->n_best);
  g_assert_nonnull (strstr (gtk_label_get_label (foot), tried));
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (page, "rejected_label")), "a bound cut off"));
  window = ui_show (page, 1000, 700);
  wait_for_all (page);
  all = shardwise_advice_get_search (
    shardwise_candidate_view_get_advice (shardwise_candidate_list_get_view (list_of (page))));
  g_assert_cmpuint (all->tried, >, live->tried);
  g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), ==, all->fit);
  g_assert_null (strstr (gtk_label_get_label (foot), tried));
  for (guint rule = SW_RULE_OK + 1; rule < SW_N_RULES; rule++)
    reasons += all->rejected[rule] > 0;
  g_auto (GStrv) lines = g_strsplit (gtk_label_get_label (ui_child (page, "rejected_label")), "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + reasons); /* and of which search */
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The search can be stopped, and taken up again. */
static void
test_stop (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  guint best = shardwise_advice_get_search (shardwise_advisor_get_advice (advisor))->n_best;
  GtkWidget *page = shardwise_alternatives_page_new (), *window;
  GtkRevealer *progress = ui_child (page, "progress_revealer");

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = gtk_window_new ();
  gtk_window_set_child (GTK_WINDOW (window), page);
  gtk_window_present (GTK_WINDOW (window)); /* mapped: it runs */
  g_assert_true (gtk_revealer_get_reveal_child (progress));
  g_assert_nonnull (strstr (gtk_progress_bar_get_text (ui_child (page, "progress_bar")), "Trying every"));
  g_assert_true (gtk_widget_activate_action (page, "alternatives.stop", NULL));
  g_assert_nonnull (strstr (gtk_progress_bar_get_text (ui_child (page, "progress_bar")), "not every"));
  g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), ==, best);
  g_assert_true (gtk_widget_activate_action (page, "alternatives.stop", NULL));
  wait_for_all (page);
  g_assert_false (gtk_revealer_get_reveal_child (progress));
  g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), >, best);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Degrees that no row has: the engine's reason stands in place of the rows. */
static void
test_absent (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 1000, &window);
  AdwStatusPage *absent = ui_child (page, "absent_page");

  g_assert_cmpuint (rows_with (page, "TP 7"), ==, 0);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "list_stack")), ==, "absent");
  while (strstr (adw_status_page_get_description (absent), "Looking") != NULL)
    g_main_context_iteration (NULL, TRUE);
  g_test_message ("%s", adw_status_page_get_description (absent));
  g_assert_nonnull (strstr (adw_status_page_get_description (absent), "TP 7"));
  g_assert_cmpuint (rows_with (page, "TP 1"), >, 0);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "list_stack")), ==, "rows");
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A point of the chart selects its strategy for every page; the chart has what passes the filter. */
static void
test_chart (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 1300, &window);
  ShardwiseScatterChart *chart = ui_child (page, "chart");
  g_autofree char *count =
    g_strdup_printf ("%u strategies fit", g_list_model_get_n_items (rows_of (page)));
  SwStrategy smallest = shardwise_scatter_chart_get_candidate (chart, 0)->strategy;

  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (chart)));
  g_assert_false (gtk_widget_get_visible (ui_child (page, "chart_chip")));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (SHARDWISE_CHART (chart)), count));
  ui_press (GTK_WIDGET (chart), GDK_KEY_Home);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Return);
  g_assert_true (sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &smallest));
  gtk_toggle_button_set_active (ui_child (page, "no_pipeline_chip"), TRUE);
  wait_for_all (page);
  g_assert_null (strstr (shardwise_chart_get_summary (SHARDWISE_CHART (chart)), count));
  for (guint i = 0; i < shardwise_chart_n_points (SHARDWISE_CHART (chart)); i++)
    g_assert_cmpuint (shardwise_scatter_chart_get_candidate (chart, i)->strategy.pp, ==, 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Where both have no room beside each other, a chip shows the chart in place of the list. */
static void
test_switch (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 360, &window);

  while (!gtk_widget_get_visible (ui_child (page, "chart_chip")))
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (gtk_widget_get_mapped (ui_child (page, "list_stack")));
  g_assert_false (gtk_widget_get_mapped (ui_child (page, "chart")));
  gtk_toggle_button_set_active (ui_child (page, "chart_chip"), TRUE);
  gtk_test_widget_wait_for_draw (window);
  g_assert_false (gtk_widget_get_mapped (ui_child (page, "list_stack")));
  g_assert_true (gtk_widget_get_mapped (ui_child (page, "chart")));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What the main thread works in a frame; other programs on the machine do not count. Instrumented code is slower. */
#ifdef __SANITIZE_ADDRESS__
#define FRAME_US (12 * 33000)
#else
#define FRAME_US 33000
#endif

typedef struct {
  gint64 start, worst; /* microseconds */
  guint frames;
} Frames;

static gint64
worked_us (void)
{
  struct timespec time;

  g_assert_cmpint (clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time), ==, 0);
  return time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

static void
before_cb (GdkFrameClock *clock, Frames *frames)
{
  frames->start = worked_us ();
}

static void
after_cb (GdkFrameClock *clock, Frames *frames)
{
  if (frames->start > 0)
    frames->worst = MAX (frames->worst, worked_us () - frames->start);
  frames->frames++;
}

/* A hundred thousand rows scroll, by lines and by leaps, without a frame that takes longer than 33 ms to make. */
static void
test_scroll (void)
{
  g_autoptr (ShardwiseAdvisor) advisor =
    ui_advisor ("{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"llama-3-8b\"}, "
                "\"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 32}, \"training\": {\"framework\": \"any\"}}");
  GtkWidget *window, *page = page_with (advisor, 1600, &window);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (ui_child (page, "wide"));
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);
  guint n = g_list_model_get_n_items (rows_of (page));
  Frames frames = { 0 };

  g_assert_cmpuint (n, >, 100000);
  gtk_test_widget_wait_for_draw (window);
  g_signal_connect (clock, "before-paint", G_CALLBACK (before_cb), &frames);
  g_signal_connect (clock, "after-paint", G_CALLBACK (after_cb), &frames);
  for (guint i = 1; i <= 40; i++)
    {
      gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment) * (i / 10) / 8.0 + i * 120);
      gtk_test_widget_wait_for_draw (window);
    }
  g_signal_handlers_disconnect_by_data (clock, &frames);
  g_test_message ("%u rows, %u frames, the longest %.1f ms", n, frames.frames, frames.worst / 1000.0);
  g_assert_cmpuint (frames.frames, >=, 40);
  g_assert_cmpint (frames.worst, <, FRAME_US);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
show_all (GtkWidget *page)
{
  wait_for_all (page);
}

static void
show_chart (GtkWidget *page)
{
  wait_for_all (page);
  gtk_toggle_button_set_active (ui_child (page, "chart_chip"), TRUE);
}

static void
show_absent (GtkWidget *page)
{
  wait_for_all (page);
  rows_with (page, "TP 7 PP 3");
  while (strstr (adw_status_page_get_description (ui_child (page, "absent_page")), "Looking") != NULL)
    g_main_context_iteration (NULL, TRUE);
}

static void
test_pictures (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);

  shardwise_advisor_set_selected (
    advisor, shardwise_advice_get_alternative (shardwise_advisor_get_advice (advisor), 1));
  ui_page_pictures (shardwise_alternatives_page_new, advisor, "alternatives", 800, show_all);
  ui_page_pictures (shardwise_alternatives_page_new, advisor, "alternatives-chart", 800, show_chart);
  ui_page_pictures (shardwise_alternatives_page_new, advisor, "alternatives-absent", 800, show_absent);
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

  g_test_add_func ("/alternatives-page/empty", test_empty);
  g_test_add_func ("/alternatives-page/sort", test_sort);
  g_test_add_func ("/alternatives-page/filter", test_filter);
  g_test_add_func ("/alternatives-page/select", test_select);
  g_test_add_func ("/alternatives-page/narrow", test_narrow);
  g_test_add_func ("/alternatives-page/complete", test_complete);
  g_test_add_func ("/alternatives-page/stop", test_stop);
  g_test_add_func ("/alternatives-page/absent", test_absent);
  g_test_add_func ("/alternatives-page/chart", test_chart);
  g_test_add_func ("/alternatives-page/switch", test_switch);
  g_test_add_func ("/alternatives-page/scroll", test_scroll);
  g_test_add_func ("/alternatives-page/pictures", test_pictures);
  return g_test_run ();
}
