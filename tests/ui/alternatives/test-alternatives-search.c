/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search behind the Alternatives page: complete, stopped, let go of. */
#include "alternatives-fixture.h"
#include "shardwise-chart.h"
#include "shardwise-pin-button.h"
#include "shardwise-search-progress.h"

/* A point of the chart that it no longer has, of fewer strategies, chooses nothing. */
static void
test_point (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1000, &window);
  ShardwiseChart *chart = ui_child (page, "chart");
  const SwStrategy recommended = shardwise_advisor_get_selected (advisor)->strategy;

  g_signal_emit_by_name (chart, "point-activated", shardwise_chart_n_points (chart));
  g_assert_true (
      sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &recommended));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What is found is let go of some time after the page was hidden, and found again when it is
 * seen. */
static void
test_release (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  guint best = shardwise_advice_get_search (shardwise_advisor_get_advice (advisor))->n_best, all;
  GtkWidget *window, *page = alternatives_page_with (advisor, 1000, &window);
  ShardwiseSearchProgress *progress = ui_child (page, "progress");
  ShardwiseAdvice *kept = shardwise_search_progress_get_advice (progress);

  all = g_list_model_get_n_items (alternatives_rows_of (page));
  g_assert_cmpuint (all, >, best);
  gtk_widget_set_visible (window, FALSE);
  gtk_widget_set_visible (window, TRUE); /* soon enough */
  g_assert_true (shardwise_search_progress_get_advice (progress) == kept);
  g_object_add_weak_pointer (G_OBJECT (kept), (gpointer *) &kept);
  shardwise_search_progress_set_patience (progress, 1);
  gtk_widget_set_visible (window, FALSE);
  wait_until (kept == NULL);
  g_assert_cmpuint (g_list_model_get_n_items (alternatives_rows_of (page)), ==, best);
  gtk_widget_set_visible (window, TRUE);
  alternatives_wait_for_all (page);
  g_assert_cmpuint (g_list_model_get_n_items (alternatives_rows_of (page)), ==, all);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* While every strategy is tried the best ones are listed, with their counts; then all are, with
 * theirs. */
static void
test_complete (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  const SwSearchResult *live = shardwise_advice_get_search (shardwise_advisor_get_advice (advisor)),
                       *all;
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL), *window;
  g_autofree char *tried = g_strdup_printf ("%" G_GUINT64_FORMAT " tried", live->tried);
  GtkLabel *foot = ui_child (page, "foot_label");
  ShardwiseChart *chart = ui_child (page, "chart");
  guint reasons = 0;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  g_assert_cmpuint (g_list_model_get_n_items (alternatives_rows_of (page)), ==, live->n_best);
  g_assert_nonnull (strstr (gtk_label_get_label (foot), tried));
  g_assert_nonnull (
      strstr (gtk_label_get_label (ui_child (page, "rejected_label")), "a bound pruned"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), " of the best strategies so far"));
  window = ui_show (page, 1000, 700);
  alternatives_wait_for_all (page);
  all = shardwise_advice_get_search (shardwise_candidate_view_get_advice (
      shardwise_candidate_list_get_view (alternatives_list_of (page))));
  g_assert_cmpuint (all->tried, >, live->tried);
  g_assert_null (strstr (shardwise_chart_get_summary (chart), " of the best strategies so far"));
  g_assert_cmpuint (g_list_model_get_n_items (alternatives_rows_of (page)), ==, all->fit);
  g_assert_null (strstr (gtk_label_get_label (foot), tried));
  for (guint rule = SW_RULE_OK + 1; rule < SW_N_RULES; rule++)
    reasons += all->rejected[rule] > 0;
  g_auto (GStrv) parts = g_strsplit (gtk_label_get_label (ui_child (page, "rejected_label")),
                                     "\n\n", -1);
  g_assert_cmpuint (g_strv_length (parts), ==, 3); /* which search, reasons, limits */
  g_assert_nonnull (strstr (parts[0], "The search tried every strategy"));
  g_assert_nonnull (strstr (gtk_label_get_label (foot), " tried, "));
  g_auto (GStrv) lines = g_strsplit (parts[1], "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, reasons);
  g_assert_nonnull (strstr (parts[2], "are excluded: number of GPUs"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Another answer, of which not all strategies are found yet. */
static void
change_inputs (GtkWidget *page, ShardwiseAdvisor *advisor, int batch)
{
  ShardwiseAdvice *before = shardwise_advisor_get_advice (advisor);

  g_assert_true (shardwise_scenario_set (shardwise_advisor_get_scenario (advisor),
                                         SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                                         g_variant_new_int32 (batch), NULL));
  wait_until (shardwise_advisor_get_advice (advisor) != before
              && shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY);
  shardwise_page_update_now (SHARDWISE_PAGE (page));
  g_assert_true (shardwise_search_progress_is_searching (ui_child (page, "progress")));
}

static gboolean
is_awaited (GtkWidget *page, guint position)
{
  g_autoptr (ShardwiseStrategy) strategy = g_list_model_get_item (alternatives_rows_of (page),
                                                                  position);

  return shardwise_strategy_is_awaited (strategy);
}

static gboolean
can_pin (GtkWidget *widget, gconstpointer unused)
{
  return SHARDWISE_IS_PIN_BUTTON (widget) && gtk_widget_get_sensitive (widget);
}

/* An answer's best strategies stand in the table at once. The rows behind them keep their places,
 * empty, not to be chosen and not to be pinned; so does the chart, dimmed, until all are found. */
static void
test_first (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1600, &window);
  ShardwiseChart *chart = ui_child (page, "chart");
  g_autofree char *summary = g_strdup (shardwise_chart_get_summary (chart));
  guint all = g_list_model_get_n_items (alternatives_rows_of (page)), best, shown;
  ShardwiseAdvice *advice;
  SwStrategy strategy, listed;

  alternatives_wait_for_rows (page);
  /* what is in sight is known once the rows are laid out */
  wait_until (shardwise_strategy_view_count_rows (alternatives_view_of (page))
              <= shardwise_advice_get_search (shardwise_advisor_get_advice (advisor))->n_best);
  shown = ui_count (page, can_pin, NULL);
  change_inputs (page, advisor, 128);
  advice = shardwise_advisor_get_advice (advisor);
  strategy = shardwise_advisor_get_selected (advisor)->strategy;
  best = shardwise_advice_get_search (advice)->n_best;
  g_assert_cmpuint (g_list_model_get_n_items (alternatives_rows_of (page)), ==, all);
  for (guint i = 0; i < best; i++)
    {
      listed = alternatives_strategy_at (alternatives_rows_of (page), i);
      g_assert_true (
          sw_strategy_equal (&listed, &shardwise_advice_get_search (advice)->best[i].strategy));
    }
  g_assert_true (is_awaited (page, best) && is_awaited (page, all - 1));
  g_assert_cmpuint (shown, >, best);
  g_assert_cmpstr (shardwise_chart_get_summary (chart), ==, summary);
  g_assert_true (gtk_widget_has_css_class (ui_child (page, "chart_box"), "kept"));
  g_signal_emit_by_name (alternatives_view_of (page), "activated", best);
  g_assert_true (
      sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &strategy));
  g_signal_emit_by_name (alternatives_view_of (page), "activated", 3);
  strategy = alternatives_strategy_at (alternatives_rows_of (page), 3);
  g_assert_true (
      sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &strategy));
  /* in the frame after, unless all are found by then */
  wait_until (ui_count (page, can_pin, NULL) <= best
              || !shardwise_search_progress_is_searching (ui_child (page, "progress")));
  alternatives_wait_for_all (page);
  g_assert_false (is_awaited (page, best));
  /* Strategies that may not fit, and those of other frameworks, are now in between. */
  listed = alternatives_strategy_at (
      alternatives_rows_of (page),
      (guint) shardwise_strategy_view_get_cursor (alternatives_view_of (page)));
  g_assert_true (sw_strategy_equal (&listed, &strategy));
  g_assert_cmpstr (shardwise_chart_get_summary (chart), !=, summary);
  g_assert_false (gtk_widget_has_css_class (ui_child (page, "chart_box"), "kept"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Whether the last text of a row is the last figure of the strategy that stands there. */
static gboolean
is_shown_at (GtkWidget *page, guint position, GtkWidget *row)
{
  g_autoptr (ShardwiseStrategy) strategy = g_list_model_get_item (alternatives_rows_of (page),
                                                                  position);
  g_autofree char *difference = NULL;
  GtkWidget *last = row;

  while (gtk_widget_get_last_child (last) != NULL)
    last = gtk_widget_get_last_child (last);
  g_object_get (strategy, "difference", &difference, NULL);
  return g_str_equal (gtk_label_get_label (GTK_LABEL (last)), difference);
}

/* Whether the first `n` rows of the table are what stands there. */
static gboolean
are_shown (GtkWidget *page, guint n)
{
  GtkWidget *list = ui_find (GTK_WIDGET (alternatives_table_of (page)), GTK_TYPE_LIST_VIEW);
  GtkWidget *row = gtk_widget_get_first_child (list);

  for (guint i = 0; i < n && row != NULL; i++, row = gtk_widget_get_next_sibling (row))
    if (!is_shown_at (page, i, row))
      return FALSE;
  return TRUE;
}

/* The rows in sight become others at once, those below them at the latest in the frame after. */
static void
test_sight (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1600, &window);
  guint best;

  alternatives_wait_for_rows (page);
  gtk_test_widget_wait_for_draw (window);
  change_inputs (page, advisor, 128);
  best = shardwise_advice_get_search (shardwise_advisor_get_advice (advisor))->n_best;
  g_assert_true (are_shown (page, 5));
  wait_until (are_shown (page, best));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* An answer that goes stale before all its strategies are found leaves the table as it is. */
static void
test_again (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1600, &window);
  guint all = g_list_model_get_n_items (alternatives_rows_of (page));
  SwStrategy first, shown;

  change_inputs (page, advisor, 128);
  first = alternatives_strategy_at (alternatives_rows_of (page), 0);
  g_assert_true (shardwise_scenario_set (shardwise_advisor_get_scenario (advisor),
                                         SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                                         g_variant_new_int32 (256), NULL));
  g_assert_cmpint (shardwise_advisor_get_status (advisor), ==, SHARDWISE_STATUS_STALE);
  shardwise_page_update_now (SHARDWISE_PAGE (page));
  shown = alternatives_strategy_at (alternatives_rows_of (page), 0);
  g_assert_true (sw_strategy_equal (&first, &shown));
  g_assert_cmpuint (g_list_model_get_n_items (alternatives_rows_of (page)), ==, all);
  g_object_set (advisor, "live", FALSE, NULL); /* no other answer comes */
  shardwise_advisor_stop (advisor);
  g_assert_true (shardwise_scenario_set (shardwise_advisor_get_scenario (advisor),
                                         SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                                         g_variant_new_int32 (64), NULL));
  g_object_notify (G_OBJECT (advisor), "status");
  shardwise_page_update_now (SHARDWISE_PAGE (page));
  g_assert_cmpuint (g_list_model_get_n_items (alternatives_rows_of (page)), <, all);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* In another order the first rows may be others when all strategies are found: the table of the
 * answer before stays until then, and cannot be chosen from. */
static void
test_keep (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1000, &window);
  SwStrategy recommended, first, shown;

  g_action_group_activate_action (shardwise_strategy_view_get_actions (alternatives_view_of (page)),
                                  "sort-by", g_variant_new_string ("memory-gib"));
  alternatives_wait_for_all (page);
  first = alternatives_strategy_at (alternatives_rows_of (page), 0);
  change_inputs (page, advisor, 128);
  shown = alternatives_strategy_at (alternatives_rows_of (page), 0);
  g_assert_true (sw_strategy_equal (&first, &shown));
  recommended = shardwise_advisor_get_selected (advisor)->strategy;
  g_signal_emit_by_name (alternatives_view_of (page), "activated", 3);
  g_assert_true (
      sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &recommended));
  wait_until (!shardwise_search_progress_is_searching (ui_child (page, "progress")));
  alternatives_wait_for_all (page);
  g_signal_emit_by_name (alternatives_view_of (page), "activated", 3);
  g_assert_false (
      sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &recommended));
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
is_shown (ShardwiseSearchProgress *progress)
{
  return gtk_revealer_get_reveal_child (
      GTK_REVEALER (ui_find (GTK_WIDGET (progress), GTK_TYPE_REVEALER)));
}

static const char *
bar_text (ShardwiseSearchProgress *progress)
{
  return gtk_progress_bar_get_text (
      GTK_PROGRESS_BAR (ui_find (GTK_WIDGET (progress), GTK_TYPE_PROGRESS_BAR)));
}

/* The search can be stopped, also for the next look at the page, and taken up again. */
static void
test_stop (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  guint best = shardwise_advice_get_search (shardwise_advisor_get_advice (advisor))->n_best;
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL), *window;
  ShardwiseSearchProgress *progress = ui_child (page, "progress");

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = gtk_window_new ();
  gtk_window_set_child (GTK_WINDOW (window), page);
  gtk_window_present (GTK_WINDOW (window)); /* mapped: it runs */
  g_assert_nonnull (strstr (bar_text (progress), "Trying every"));
  g_signal_emit_by_name (alternatives_button_of (GTK_WIDGET (progress), "_Stop"), "clicked");
  g_assert_true (is_shown (progress));
  g_assert_nonnull (strstr (bar_text (progress), "only the best strategies"));
  g_assert_cmpuint (g_list_model_get_n_items (alternatives_rows_of (page)), ==, best);
  gtk_widget_set_visible (window, FALSE);
  gtk_widget_set_visible (window, TRUE);
  g_assert_false (shardwise_search_progress_is_searching (progress));
  g_assert_nonnull (strstr (bar_text (progress), "only the best strategies"));
  g_signal_emit_by_name (alternatives_button_of (GTK_WIDGET (progress), "_Try Every Strategy"),
                         "clicked");
  g_assert_true (is_shown (progress));
  alternatives_wait_for_all (page);
  g_assert_false (is_shown (progress));
  g_assert_cmpuint (g_list_model_get_n_items (alternatives_rows_of (page)), >, best);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/alternatives-search/complete", test_complete);
  g_test_add_func ("/alternatives-search/first", test_first);
  g_test_add_func ("/alternatives-search/sight", test_sight);
  g_test_add_func ("/alternatives-search/again", test_again);
  g_test_add_func ("/alternatives-search/keep", test_keep);
  g_test_add_func ("/alternatives-search/stop", test_stop);
  g_test_add_func ("/alternatives-search/point", test_point);
  g_test_add_func ("/alternatives-search/release", test_release);
  return g_test_run ();
}
