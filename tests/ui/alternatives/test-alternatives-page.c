/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "alternatives-fixture.h"

#include "shardwise-absence-view.h"
#include "shardwise-fold.h"
#include "shardwise-scatter-chart.h"
#include "shardwise-strategy-view.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"

/* The list of narrow windows: the table's own list has no scroller of its own as parent. */
static GtkWidget *
narrow_list_of (GtkWidget *page)
{
  GtkWidget *fold = ui_find (page, SHARDWISE_TYPE_FOLD);

  return ui_find (gtk_widget_get_last_child (fold), GTK_TYPE_LIST_VIEW);
}

static void
test_empty (void)
{
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL),
            *window = ui_show (page, 360, 600);

  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "empty");
  g_object_ref (page);
  gtk_window_destroy (GTK_WINDOW (window));
  g_assert_finalize_object (page);
}

static gboolean
is_label_starting (GtkWidget *widget, gconstpointer start)
{
  return GTK_IS_LABEL (widget) && g_str_has_prefix (gtk_label_get_text (GTK_LABEL (widget)), start);
}

/* (nullable): the first label below `widget` whose text begins with `start`. */
static GtkWidget *
label_below (GtkWidget *widget, const char *start)
{
  return ui_find_match (widget, is_label_starting, start);
}

/* Lists the nearest strategies with the memory above the limit; all rejected ones are counted and,
 * unfolded, grouped by reason. */
static void
check_rejected (GtkWidget *page, ShardwiseAdvice *advice)
{
  const SwSearchResult *search = shardwise_advice_get_search (advice);
  g_autofree char *name = shardwise_text_strategy (&search->nearest[0].strategy),
                  *nearest = shardwise_format_unbroken (name);
  GtkWidget *view = ui_child (page, "rejected_view"), *row = ui_find (view, ADW_TYPE_EXPANDER_ROW);
  guint rules[SW_N_RULES];
  guint64 total;
  const guint n = shardwise_search_rejections (search, rules, &total);
  g_autofree char *count = g_strdup_printf ("%'" G_GUINT64_FORMAT " rejected", total);

  g_assert_true (gtk_widget_get_mapped (view));
  g_assert_cmpuint (search->tried, ==, total); /* nothing fits */
  g_assert_nonnull (label_below (view, nearest));
  g_assert_true (
      g_str_has_prefix (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), count));
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), TRUE);
  for (guint i = 0; i < n; i++)
    g_assert_nonnull (label_below (row, shardwise_text_rule_title ((SwRule) rules[i])));
}

/* Where nothing fits the page says why, and leads on: to what would, and to other scenarios. */
static void
test_nothing_fits (void)
{
  g_autoptr (ShardwiseAdvisor) advisor =
      ui_advisor ("{\"model\": {\"preset\": \"llama-3.1-405b\"}, \"cluster\": {\"gpus\": 8}}");
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL), *window;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 360, 600);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "empty");
  g_assert_cmpstr (adw_status_page_get_title (ui_child (page, "empty_page")), ==, "Nothing Fits");
  check_rejected (page, shardwise_advisor_get_advice (advisor));
  g_signal_emit_by_name (alternatives_button_of (page, "Compare with a _Scenario"), "clicked");
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "comparison");
  gtk_widget_activate_action (page, "alternatives.list", NULL);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "empty");
  g_assert_nonnull (gtk_root_get_focus (GTK_ROOT (window)));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Of eight columns at first; a heading sorts by its column up and then down, whichever of all of
 * them it is. The best few are sorted at once, and without a window nothing is drawn; that the
 * order holds for 100,000 rows the tests of the list prove. */
static void
test_sort (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  g_autoptr (GtkWidget) page =
      g_object_ref_sink (g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL));
  GtkColumnView *view = alternatives_table_of (page);
  GListModel *columns = gtk_column_view_get_columns (view);
  guint n, best, shown = 0, seen[SHARDWISE_N_SORTS] = { 0 };

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  n = g_list_model_get_n_items (alternatives_rows_of (page));
  shardwise_advice_get_candidates (shardwise_advisor_get_advice (advisor), &best);
  g_assert_cmpuint (n, ==, best);
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
          g_assert_false (shardwise_candidate_list_is_pending (alternatives_list_of (page)));
          g_assert_cmpuint (g_list_model_get_n_items (alternatives_rows_of (page)), ==, n);
          if (sort == SHARDWISE_SORT_TP)
            g_assert_cmpuint (
                alternatives_strategy_at (alternatives_rows_of (page), order ? 0 : n - 1).tp, >,
                alternatives_strategy_at (alternatives_rows_of (page), order ? n - 1 : 0).tp);
        }
    }
  for (guint i = 0; i < SHARDWISE_N_SORTS; i++)
    g_assert_cmpuint (seen[i], ==, 2);
  g_assert_cmpuint (shown, <=, 8);
}

static void
test_filter (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1000, &window);
  guint all = g_list_model_get_n_items (alternatives_rows_of (page)), some;

  some = alternatives_rows_with (page, "tp 2");
  g_assert_cmpuint (some, >, 0);
  g_assert_cmpuint (some, <, all);
  for (guint i = 0; i < some; i++)
    g_assert_cmpuint (alternatives_strategy_at (alternatives_rows_of (page), i).tp, ==, 2);
  g_assert_cmpuint (alternatives_rows_with (page, "nothing of the kind"), ==, 0);
  g_assert_cmpuint (alternatives_rows_with (page, ""), ==, all);

  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (alternatives_button_of (page, "Memory below 75 %")), TRUE);
  alternatives_wait_for_all (page);
  some = g_list_model_get_n_items (alternatives_rows_of (page));
  g_assert_cmpuint (some, <, all);
  for (guint i = 0; i < some; i++)
    {
      g_autoptr (ShardwiseStrategy) strategy = g_list_model_get_item (alternatives_rows_of (page),
                                                                      i);

      g_assert_cmpfloat (shardwise_strategy_get_estimate (strategy)->memory_utilisation, <, 0.75);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What a chip says. */
static const char *
text_of (ShardwiseFacetChip *chip)
{
  return gtk_label_get_label (GTK_LABEL (ui_find (GTK_WIDGET (chip), GTK_TYPE_LABEL)));
}

/* Chips offer the existing values with the number of strategies for each. Checked values filter the
 * list and are shown on the chip; one button clears them all. Dimensions with one value have no
 * chip. */
static void
test_facets (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1000, &window),
                     *clear = alternatives_button_of (page, "C_lear All");
  ShardwiseFacetChip *tp = alternatives_chip_of (page, SW_DIM_TP),
                     *recompute = alternatives_chip_of (page, SW_DIM_RECOMPUTE);
  guint all = g_list_model_get_n_items (alternatives_rows_of (page)), some;
  g_autofree char *label = NULL;

  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (tp)));
  /* a dense model */
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (alternatives_chip_of (page, SW_DIM_EP))));
  g_assert_null (alternatives_box_of (tp, "3"));
  g_assert_false (gtk_widget_get_visible (clear));
  gtk_check_button_set_active (alternatives_box_of (tp, "2"), TRUE);
  gtk_check_button_set_active (alternatives_box_of (tp, "4"), TRUE);
  alternatives_wait_for_all (page);
  g_assert_cmpstr (text_of (tp), ==, "TP 2, 4");
  some = g_list_model_get_n_items (alternatives_rows_of (page));
  g_assert_cmpuint (some, <, all);
  for (guint i = 0; i < some; i++)
    g_assert_true (alternatives_strategy_at (alternatives_rows_of (page), i).tp == 2
                   || alternatives_strategy_at (alternatives_rows_of (page), i).tp == 4);
  label = g_strdup (gtk_check_button_get_label (alternatives_box_of (recompute, "none")));
  gtk_check_button_set_active (alternatives_box_of (recompute, "none"), TRUE);
  alternatives_wait_for_all (page);
  some = g_list_model_get_n_items (alternatives_rows_of (page));
  g_assert_cmpstr (label, ==, gtk_check_button_get_label (alternatives_box_of (recompute, "none")));
  g_assert_cmpint (atoi (strchr (label, '(') + 1), ==, (int) some);
  for (guint i = 0; i < some; i++)
    g_assert_cmpuint (alternatives_strategy_at (alternatives_rows_of (page), i).recompute, ==,
                      SW_RECOMPUTE_NONE);
  g_assert_true (gtk_widget_get_visible (clear));
  g_signal_emit_by_name (clear, "clicked");
  alternatives_wait_for_all (page);
  g_assert_cmpuint (g_list_model_get_n_items (alternatives_rows_of (page)), ==, all);
  g_assert_cmpstr (text_of (tp), ==, "TP");
  g_assert_false (gtk_widget_get_visible (clear));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Activating a row selects it for every page; the banner leads back. */
static void
test_select (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1000, &window);
  SwStrategy recommended = shardwise_advisor_get_selected (advisor)->strategy, third;

  g_assert_false (gtk_revealer_get_reveal_child (ui_child (page, "banner")));
  third = alternatives_strategy_at (alternatives_rows_of (page), 2);
  g_assert_false (sw_strategy_equal (&recommended, &third));
  g_signal_emit_by_name (alternatives_table_of (page), "activate", 2u);
  g_assert_true (sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &third));
  gtk_test_widget_wait_for_draw (window);
  g_assert_true (gtk_revealer_get_reveal_child (ui_child (page, "banner")));
  g_assert_nonnull (
      strstr (gtk_label_get_label (ui_child (page, "banner_label")), "alternative\u00a03"));

  g_assert_true (gtk_widget_activate_action (page, "alternatives.back", NULL));
  g_assert_true (
      sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &recommended));
  gtk_test_widget_wait_for_draw (window);
  g_assert_false (gtk_revealer_get_reveal_child (ui_child (page, "banner")));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Wide it is a table, narrow a list of rows with what matters under the strategy. Only one of them
 * has the rows. */
static void
test_narrow (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1000, &window);
  g_autoptr (ShardwiseStrategy) first = NULL;
  g_autofree char *tokens = NULL;

  wait_until (gtk_column_view_get_model (alternatives_table_of (page)) != NULL);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (alternatives_table_of (page))));
  g_assert_false (gtk_widget_get_mapped (narrow_list_of (page)));
  wait_until (gtk_list_view_get_model (GTK_LIST_VIEW (narrow_list_of (page))) == NULL);
  gtk_window_destroy (GTK_WINDOW (window));

  page = alternatives_page_with (advisor, 360, &window);
  wait_until (gtk_column_view_get_model (alternatives_table_of (page)) == NULL);
  g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (alternatives_table_of (page))));
  g_assert_true (gtk_widget_get_mapped (narrow_list_of (page)));
  g_assert_nonnull (gtk_list_view_get_model (GTK_LIST_VIEW (narrow_list_of (page))));
  first = g_list_model_get_item (alternatives_rows_of (page), 0);
  tokens = shardwise_format_count (shardwise_strategy_get_estimate (first)->tokens_per_s);
  wait_until (ui_says (narrow_list_of (page), tokens));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Rows come and go by and by, whatever is selected; whoever takes to the keyboard has all of
 * them. */
static void
test_grow (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1000, &window);
  GListModel *rows = alternatives_rows_of (page), *shown;
  GtkListView *list = GTK_LIST_VIEW (narrow_list_of (page));
  GtkWidget *view = GTK_WIDGET (alternatives_view_of (page));
  g_autoptr (GListModel) controllers = NULL;
  g_autoptr (GtkEventController) keys = NULL;
  gboolean handled;

  g_assert_cmpuint (g_list_model_get_n_items (rows), >, 200);
  shardwise_strategy_view_reveal (alternatives_view_of (page), 150, FALSE);
  gtk_window_set_default_size (GTK_WINDOW (window), 360, 700);
  wait_until (gtk_list_view_get_model (list) != NULL && gtk_widget_get_width (page) == 360
              && gtk_widget_get_mapped (GTK_WIDGET (list)));
  shown = G_LIST_MODEL (gtk_list_view_get_model (list));
  g_assert_cmpuint (g_list_model_get_n_items (shown), <, g_list_model_get_n_items (rows));
  g_assert_nonnull (gtk_column_view_get_model (alternatives_table_of (page)));
  controllers = gtk_widget_observe_controllers (view);
  keys = g_list_model_get_item (controllers, 0);
  g_assert_true (GTK_IS_EVENT_CONTROLLER_KEY (keys));
  g_signal_emit_by_name (keys, "key-pressed", GDK_KEY_End, 0, 0, &handled);
  g_assert_false (handled);
  g_assert_cmpuint (g_list_model_get_n_items (shown), ==, g_list_model_get_n_items (rows));
  g_assert_cmpint (shardwise_strategy_view_get_cursor (alternatives_view_of (page)), ==, 150);
  wait_until (gtk_column_view_get_model (alternatives_table_of (page)) == NULL);
  gtk_window_set_default_size (GTK_WINDOW (window), 1000, 700);
  wait_until (gtk_column_view_get_model (alternatives_table_of (page)) != NULL);
  shown = G_LIST_MODEL (gtk_column_view_get_model (alternatives_table_of (page)));
  g_assert_cmpuint (g_list_model_get_n_items (shown), <, g_list_model_get_n_items (rows));
  alternatives_wait_for_rows (page);
  wait_until (gtk_list_view_get_model (list) == NULL);
  g_assert_cmpint (shardwise_strategy_view_get_cursor (alternatives_view_of (page)), ==, 150);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The menu sorts and shows columns where there are no headings to click. */
static void
test_menu (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 360, &window);
  GActionGroup *actions = shardwise_strategy_view_get_actions (alternatives_view_of (page));
  guint n = g_list_model_get_n_items (alternatives_rows_of (page));
  g_autoptr (GVariant) by = NULL;
  gboolean descending;

  g_action_group_activate_action (actions, "sort-by", g_variant_new_string ("memory-gib"));
  g_action_group_activate_action (actions, "descending", NULL);
  alternatives_wait_for_all (page);
  for (guint i = 1; i < n; i += n / 50)
    {
      g_autoptr (ShardwiseStrategy) last = g_list_model_get_item (alternatives_rows_of (page),
                                                                  i - 1);
      g_autoptr (ShardwiseStrategy) next = g_list_model_get_item (alternatives_rows_of (page), i);

      g_assert_cmpfloat (shardwise_strategy_get_estimate (last)->memory.peak.total * (1 + 1e-6), >=,
                         shardwise_strategy_get_estimate (next)->memory.peak.total);
    }
  by = g_action_group_get_action_state (actions, "sort-by");
  g_assert_cmpstr (g_variant_get_string (by, NULL), ==, "memory-gib");
  g_assert_cmpint (shardwise_strategy_columns_get_sort (alternatives_table_of (page), &descending),
                   ==, SHARDWISE_SORT_MEMORY);
  g_assert_true (descending);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Degrees that no row has: the engine's reason stands in place of the rows. */
static void
test_absent (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1000, &window);
  ShardwiseAbsenceView *absent = ui_child (page, "absence_view");

  g_assert_cmpuint (alternatives_rows_with (page, "TP 7"), ==, 0);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "list_stack")), ==, "absent");
  wait_until (!shardwise_absence_view_is_asking (absent));
  g_assert_nonnull (strstr (adw_status_page_get_description (ADW_STATUS_PAGE (
                                ui_find (GTK_WIDGET (absent), ADW_TYPE_STATUS_PAGE))),
                            "TP 7"));
  g_assert_cmpuint (alternatives_rows_with (page, "TP 1"), >, 0);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "list_stack")), ==, "rows");
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A point of the chart selects its strategy for every page; the chart has what passes the
 * filter. */
static void
test_chart (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1300, &window);
  ShardwiseScatterChart *chart = ui_child (page, "chart");
  g_autofree char *count = g_strdup_printf ("%u strategies fit",
                                            g_list_model_get_n_items (alternatives_rows_of (page)));
  SwStrategy smallest = shardwise_scatter_chart_get_candidate (chart, 0)->strategy;

  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (chart)));
  g_assert_false (gtk_widget_get_visible (alternatives_button_of (page, "Chart")));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (SHARDWISE_CHART (chart)), count));
  ui_press (GTK_WIDGET (chart), GDK_KEY_Home);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Return);
  g_assert_true (
      sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &smallest));
  gtk_check_button_set_active (alternatives_box_of (alternatives_chip_of (page, SW_DIM_PP), "1"),
                               TRUE);
  alternatives_wait_for_all (page);
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
  GtkWidget *window, *page = alternatives_page_with (advisor, 360, &window),
                     *chip = alternatives_button_of (page, "Chart");

  wait_until (gtk_widget_get_visible (chip));
  g_assert_true (gtk_widget_get_mapped (ui_child (page, "list_stack")));
  g_assert_false (gtk_widget_get_mapped (ui_child (page, "chart")));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (chip), TRUE);
  gtk_test_widget_wait_for_draw (window);
  g_assert_false (gtk_widget_get_mapped (ui_child (page, "list_stack")));
  g_assert_true (gtk_widget_get_mapped (ui_child (page, "chart")));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A point selected in the chart is scrolled to in the list; what the filter hides is not. */
static void
test_reveal (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = alternatives_page_with (advisor, 1300, &window);
  GtkWidget *scroller = gtk_widget_get_parent (GTK_WIDGET (alternatives_table_of (page)));
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
  ShardwiseScatterChart *chart = ui_child (page, "chart");
  SwStrategy smallest = shardwise_scatter_chart_get_candidate (chart, 0)->strategy, found;
  int row;

  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), <, 1);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Home);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Return);
  wait_until (gtk_adjustment_get_value (adjustment) > 100);
  row = shardwise_strategy_view_get_cursor (alternatives_view_of (page));
  g_assert_cmpint (row, >, 20);
  found = alternatives_strategy_at (alternatives_rows_of (page), (guint) row);
  g_assert_true (sw_strategy_equal (&found, &smallest));

  /* In another order it stays selected, wherever it stands. */
  g_action_group_activate_action (shardwise_strategy_view_get_actions (alternatives_view_of (page)),
                                  "sort-by", g_variant_new_string ("memory-gib"));
  alternatives_wait_for_all (page);
  g_assert_cmpint (shardwise_strategy_view_get_cursor (alternatives_view_of (page)), <, 20);
  found = alternatives_strategy_at (
      alternatives_rows_of (page),
      (guint) shardwise_strategy_view_get_cursor (alternatives_view_of (page)));
  g_assert_true (sw_strategy_equal (&found, &smallest));
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/alternatives-page/empty", test_empty);
  g_test_add_func ("/alternatives-page/nothing-fits", test_nothing_fits);
  g_test_add_func ("/alternatives-page/sort", test_sort);
  g_test_add_func ("/alternatives-page/filter", test_filter);
  g_test_add_func ("/alternatives-page/facets", test_facets);
  g_test_add_func ("/alternatives-page/menu", test_menu);
  g_test_add_func ("/alternatives-page/reveal", test_reveal);
  g_test_add_func ("/alternatives-page/select", test_select);
  g_test_add_func ("/alternatives-page/narrow", test_narrow);
  g_test_add_func ("/alternatives-page/grow", test_grow);
  g_test_add_func ("/alternatives-page/absent", test_absent);
  g_test_add_func ("/alternatives-page/chart", test_chart);
  g_test_add_func ("/alternatives-page/switch", test_switch);
  return g_test_run ();
}
