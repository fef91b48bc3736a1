/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-alternatives-page.h"

#include <time.h>
#include "shardwise-absence-view.h"
#include "shardwise-comparison-view.h"
#include "shardwise-facet-chip.h"
#include "shardwise-filter-bar.h"
#include "shardwise-fold.h"
#include "shardwise-pin-button.h"
#include "shardwise-scatter-chart.h"
#include "shardwise-search-progress.h"
#include "shardwise-strategy-columns.h"
#include "shardwise-strategy-view.h"
#include "shardwise-texts.h"
#include "ui-fixture.h"
#include "ui-utils.h"

static ShardwiseCandidateList *
list_of (GtkWidget *page)
{
  return shardwise_alternatives_page_get_list (SHARDWISE_ALTERNATIVES_PAGE (page));
}

static GListModel *
rows_of (GtkWidget *page)
{
  return G_LIST_MODEL (list_of (page));
}

static GtkColumnView *
table_of (GtkWidget *page)
{
  return GTK_COLUMN_VIEW (ui_find (ui_child (page, "view_bin"), GTK_TYPE_COLUMN_VIEW));
}

/* The list of narrow windows: the table's own list has no scroller of its own as parent. */
static GtkWidget *
narrow_list_of (GtkWidget *page)
{
  GtkWidget *fold = ui_find (page, SHARDWISE_TYPE_FOLD);

  return ui_find (gtk_widget_get_last_child (fold), GTK_TYPE_LIST_VIEW);
}

static ShardwiseStrategyView *
view_of (GtkWidget *page)
{
  return SHARDWISE_STRATEGY_VIEW (ui_find (page, SHARDWISE_TYPE_STRATEGY_VIEW));
}

static ShardwiseComparison *
comparison_of (GtkWidget *page)
{
  return shardwise_alternatives_page_get_comparison (SHARDWISE_ALTERNATIVES_PAGE (page));
}

/* The first button below `widget` that says so. */
static GtkWidget *
button_of (GtkWidget *widget, const char *label)
{
  GtkWidget *text = GTK_IS_BUTTON (widget) ? gtk_button_get_child (GTK_BUTTON (widget)) : NULL;

  if (GTK_IS_LABEL (text) && g_str_equal (gtk_label_get_label (GTK_LABEL (text)), label))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = button_of (child, label);

      if (found != NULL)
        return found;
    }
  return NULL;
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
  wait_until (has_all (page));
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

/* The text of the first label below `widget` that begins with `start`. */
static const char *
text_below (GtkWidget *widget, const char *start)
{
  if (GTK_IS_LABEL (widget) && g_str_has_prefix (gtk_label_get_text (GTK_LABEL (widget)), start))
    return gtk_label_get_text (GTK_LABEL (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      const char *found = text_below (child, start);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The nearest strategies stand there with what each lacks; all that fell away are counted, and,
 * unfolded, by their reasons. */
static void
check_rejected (GtkWidget *page, ShardwiseAdvice *advice)
{
  const SwSearchResult *search = shardwise_advice_get_search (advice);
  g_autofree char *nearest = shardwise_text_strategy (&search->nearest[0].strategy);
  GtkWidget *view = ui_child (page, "rejected_view"), *row = ui_find (view, ADW_TYPE_EXPANDER_ROW);
  guint rules[SW_N_RULES];
  guint64 total;
  const guint n = shardwise_search_rejections (search, rules, &total);
  g_autofree char *count = g_strdup_printf ("%'" G_GUINT64_FORMAT " left out", total);

  g_assert_true (gtk_widget_get_mapped (view));
  g_assert_cmpuint (search->tried, ==, total); /* nothing fits */
  g_assert_nonnull (text_below (view, nearest));
  g_assert_true (
      g_str_has_prefix (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), count));
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), TRUE);
  for (guint i = 0; i < n; i++)
    g_assert_nonnull (text_below (row, shardwise_text_rule_title ((SwRule) rules[i])));
}

/* Where nothing fits the page says why, and leads on: to what would, and to other scenarios. */
static void
test_nothing_fits (void)
{
  g_autoptr (ShardwiseAdvisor) advisor =
    ui_advisor ("{\"model\": {\"preset\": \"llama-3.1-405b\"}, \"cluster\": {\"gpus\": 8}}");
  GtkWidget *page = shardwise_alternatives_page_new (), *window;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 360, 600);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "empty");
  g_assert_cmpstr (adw_status_page_get_title (ui_child (page, "empty_page")), ==, "Nothing Fits");
  check_rejected (page, shardwise_advisor_get_advice (advisor));
  g_signal_emit_by_name (button_of (page, "Compare with a _Scenario"), "clicked");
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "comparison");
  gtk_widget_activate_action (page, "alternatives.list", NULL);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "empty");
  g_assert_nonnull (gtk_root_get_focus (GTK_ROOT (window)));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Of eight columns at first; a heading sorts by its column up and then down, whichever of all of them it is. The best
 * few are sorted at once, and without a window nothing is drawn; that the order holds for 100,000 rows the tests of the
 * list prove. */
static void
test_sort (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  g_autoptr (GtkWidget) page = g_object_ref_sink (shardwise_alternatives_page_new ());
  GtkColumnView *view = table_of (page);
  GListModel *columns = gtk_column_view_get_columns (view);
  guint n, shown = 0, seen[SHARDWISE_N_SORTS] = { 0 };

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  n = g_list_model_get_n_items (rows_of (page));
  g_assert_cmpuint (n, ==, g_list_model_get_n_items (shardwise_advisor_get_strategies (advisor)));
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
          g_assert_false (shardwise_candidate_list_is_pending (list_of (page)));
          g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), ==, n);
          if (sort == SHARDWISE_SORT_TP)
            g_assert_cmpuint (strategy_at (rows_of (page), order ? 0 : n - 1).tp, >,
                              strategy_at (rows_of (page), order ? n - 1 : 0).tp);
        }
    }
  for (guint i = 0; i < SHARDWISE_N_SORTS; i++)
    g_assert_cmpuint (seen[i], ==, 2);
  g_assert_cmpuint (shown, <=, 8);
}

/* Types `text` and counts the rows left. The entry itself reports a little later; the test does not wait. */
static guint
rows_with (GtkWidget *page, const char *text)
{
  GtkWidget *entry = ui_find (page, GTK_TYPE_SEARCH_ENTRY);

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_signal_emit_by_name (entry, "search-changed");
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

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button_of (page, "Memory below 75 %")), TRUE);
  wait_for_all (page);
  some = g_list_model_get_n_items (rows_of (page));
  g_assert_cmpuint (some, <, all);
  for (guint i = 0; i < some; i++)
    {
      g_autoptr (ShardwiseStrategy) strategy = g_list_model_get_item (rows_of (page), i);

      g_assert_cmpfloat (shardwise_strategy_get_estimate (strategy)->memory_utilisation, <, 0.75);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

static ShardwiseFacetChip *
chip_of (GtkWidget *page, guint facet)
{
  GtkWidget *chip = ui_find (page, SHARDWISE_TYPE_FACET_CHIP);

  while (shardwise_facet_chip_get_facet (SHARDWISE_FACET_CHIP (chip)) != facet)
    chip = gtk_widget_get_next_sibling (chip);
  return SHARDWISE_FACET_CHIP (chip);
}

/* The box of a value, by how its label begins. */
static GtkCheckButton *
box_of (ShardwiseFacetChip *chip, const char *value)
{
  GtkWidget *popover = GTK_WIDGET (gtk_menu_button_get_popover (GTK_MENU_BUTTON (
    gtk_widget_get_first_child (GTK_WIDGET (chip)))));
  g_autofree char *start = g_strconcat (value, " (", NULL);

  for (GtkWidget *box = ui_find (popover, GTK_TYPE_CHECK_BUTTON); box != NULL; box = gtk_widget_get_next_sibling (box))
    if (g_str_has_prefix (gtk_check_button_get_label (GTK_CHECK_BUTTON (box)), start))
      return GTK_CHECK_BUTTON (box);
  return NULL;
}

/* Chips offer the values that exist with what the list would show; what is ticked is listed and named on the chip;
 * everything is let go of at once. Dimensions with one value have no chip. */
static void
test_facets (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 1000, &window), *clear = button_of (page, "C_lear All");
  ShardwiseFacetChip *tp = chip_of (page, SW_DIM_TP), *recompute = chip_of (page, SW_DIM_RECOMPUTE);
  guint all = g_list_model_get_n_items (rows_of (page)), some;
  g_autofree char *label = NULL;

  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (tp)));
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (chip_of (page, SW_DIM_EP)))); /* a dense model */
  g_assert_null (box_of (tp, "3"));
  g_assert_false (gtk_widget_get_visible (clear));
  gtk_check_button_set_active (box_of (tp, "2"), TRUE);
  gtk_check_button_set_active (box_of (tp, "4"), TRUE);
  wait_for_all (page);
  g_assert_cmpstr (shardwise_facet_chip_get_text (tp), ==, "TP 2, 4");
  some = g_list_model_get_n_items (rows_of (page));
  g_assert_cmpuint (some, <, all);
  for (guint i = 0; i < some; i++)
    g_assert_true (strategy_at (rows_of (page), i).tp == 2 || strategy_at (rows_of (page), i).tp == 4);
  label = g_strdup (gtk_check_button_get_label (box_of (recompute, "none")));
  gtk_check_button_set_active (box_of (recompute, "none"), TRUE);
  wait_for_all (page);
  some = g_list_model_get_n_items (rows_of (page));
  g_assert_cmpstr (label, ==, gtk_check_button_get_label (box_of (recompute, "none")));
  g_assert_cmpint (atoi (strchr (label, '(') + 1), ==, (int) some);
  for (guint i = 0; i < some; i++)
    g_assert_cmpuint (strategy_at (rows_of (page), i).recompute, ==, SW_RECOMPUTE_NONE);
  g_assert_true (gtk_widget_get_visible (clear));
  g_signal_emit_by_name (clear, "clicked");
  wait_for_all (page);
  g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), ==, all);
  g_assert_cmpstr (shardwise_facet_chip_get_text (tp), ==, "TP");
  g_assert_false (gtk_widget_get_visible (clear));
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
  g_signal_emit_by_name (table_of (page), "activate", 2u);
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

/* Wide it is a table, narrow a list of rows with what matters under the strategy. Only one of them has the rows. */
static void
test_narrow (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 1000, &window);
  g_autoptr (ShardwiseStrategy) first = NULL;
  g_autofree char *subtitle = NULL, *tokens = NULL;

  wait_until (gtk_column_view_get_model (table_of (page)) != NULL);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (table_of (page))));
  g_assert_false (gtk_widget_get_mapped (narrow_list_of (page)));
  g_assert_null (gtk_list_view_get_model (GTK_LIST_VIEW (narrow_list_of (page))));
  gtk_window_destroy (GTK_WINDOW (window));

  page = page_with (advisor, 360, &window);
  wait_until (gtk_column_view_get_model (table_of (page)) == NULL);
  g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (table_of (page))));
  g_assert_true (gtk_widget_get_mapped (narrow_list_of (page)));
  g_assert_nonnull (gtk_list_view_get_model (GTK_LIST_VIEW (narrow_list_of (page))));
  first = g_list_model_get_item (rows_of (page), 0);
  subtitle = shardwise_strategy_subtitle (first);
  tokens = shardwise_format_count (shardwise_strategy_get_estimate (first)->tokens_per_s);
  g_assert_nonnull (strstr (subtitle, tokens));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The menu sorts and shows columns where there are no headings to click. */
static void
test_menu (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 360, &window);
  GActionGroup *actions = shardwise_strategy_view_get_actions (view_of (page));
  guint n = g_list_model_get_n_items (rows_of (page));
  g_autoptr (GVariant) by = NULL;
  gboolean descending;

  g_action_group_activate_action (actions, "sort-by", g_variant_new_string ("memory-gib"));
  g_action_group_activate_action (actions, "descending", NULL);
  wait_for_all (page);
  for (guint i = 1; i < n; i += n / 50)
    {
      g_autoptr (ShardwiseStrategy) last = g_list_model_get_item (rows_of (page), i - 1);
      g_autoptr (ShardwiseStrategy) next = g_list_model_get_item (rows_of (page), i);

      g_assert_cmpfloat (shardwise_strategy_get_estimate (last)->memory.peak.total * (1 + 1e-6), >=,
                         shardwise_strategy_get_estimate (next)->memory.peak.total);
    }
  by = g_action_group_get_action_state (actions, "sort-by");
  g_assert_cmpstr (g_variant_get_string (by, NULL), ==, "memory-gib");
  g_assert_cmpint (shardwise_strategy_columns_get_sort (table_of (page), &descending), ==, SHARDWISE_SORT_MEMORY);
  g_assert_true (descending);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What is found is let go of some time after the page was hidden, and found again when it is seen. */
static void
test_release (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  guint best = shardwise_advice_get_search (shardwise_advisor_get_advice (advisor))->n_best, all;
  GtkWidget *window, *page = page_with (advisor, 1000, &window);
  ShardwiseSearchProgress *progress = ui_child (page, "progress");
  ShardwiseAdvice *kept = shardwise_search_progress_get_advice (progress);

  all = g_list_model_get_n_items (rows_of (page));
  g_assert_cmpuint (all, >, best);
  gtk_widget_set_visible (window, FALSE);
  gtk_widget_set_visible (window, TRUE); /* soon enough */
  g_assert_true (shardwise_search_progress_get_advice (progress) == kept);
  g_object_add_weak_pointer (G_OBJECT (kept), (gpointer *) &kept);
  shardwise_search_progress_set_patience (progress, 1);
  gtk_widget_set_visible (window, FALSE);
  wait_until (kept == NULL);
  g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), ==, best);
  gtk_widget_set_visible (window, TRUE);
  wait_for_all (page);
  g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), ==, all);
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
  ShardwiseChart *chart = ui_child (page, "chart");
  guint reasons = 0;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), ==, live->n_best);
  g_assert_nonnull (strstr (gtk_label_get_label (foot), tried));
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (page, "rejected_label")), "a bound cut off"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), " fit so far"));
  window = ui_show (page, 1000, 700);
  wait_for_all (page);
  all = shardwise_advice_get_search (
    shardwise_candidate_view_get_advice (shardwise_candidate_list_get_view (list_of (page))));
  g_assert_cmpuint (all->tried, >, live->tried);
  g_assert_null (strstr (shardwise_chart_get_summary (chart), " fit so far"));
  g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), ==, all->fit);
  g_assert_null (strstr (gtk_label_get_label (foot), tried));
  for (guint rule = SW_RULE_OK + 1; rule < SW_N_RULES; rule++)
    reasons += all->rejected[rule] > 0;
  g_auto (GStrv) parts = g_strsplit (gtk_label_get_label (ui_child (page, "rejected_label")), "\n\n", -1);
  g_assert_cmpuint (g_strv_length (parts), ==, 3); /* which search and its time, reasons, limits */
  g_assert_nonnull (strstr (parts[0], " tried, "));
  g_auto (GStrv) lines = g_strsplit (parts[1], "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, reasons);
  g_assert_nonnull (strstr (parts[2], "left out: number of GPUs"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The search can be stopped, and taken up again. */
static void
test_stop (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  guint best = shardwise_advice_get_search (shardwise_advisor_get_advice (advisor))->n_best;
  GtkWidget *page = shardwise_alternatives_page_new (), *window;
  ShardwiseSearchProgress *progress = ui_child (page, "progress");

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = gtk_window_new ();
  gtk_window_set_child (GTK_WINDOW (window), page);
  gtk_window_present (GTK_WINDOW (window)); /* mapped: it runs */
  g_assert_true (shardwise_search_progress_get_shown (progress));
  g_assert_nonnull (strstr (shardwise_search_progress_get_text (progress), "Trying every"));
  g_signal_emit_by_name (button_of (GTK_WIDGET (progress), "_Stop"), "clicked");
  g_assert_nonnull (strstr (shardwise_search_progress_get_text (progress), "not every"));
  g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), ==, best);
  g_signal_emit_by_name (button_of (GTK_WIDGET (progress), "_Try Every Strategy"), "clicked");
  wait_for_all (page);
  g_assert_false (shardwise_search_progress_get_shown (progress));
  g_assert_cmpuint (g_list_model_get_n_items (rows_of (page)), >, best);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Degrees that no row has: the engine's reason stands in place of the rows. */
static void
test_absent (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 1000, &window);
  ShardwiseAbsenceView *absent = ui_child (page, "absence_view");

  g_assert_cmpuint (rows_with (page, "TP 7"), ==, 0);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "list_stack")), ==, "absent");
  wait_until (!shardwise_absence_view_is_asking (absent));
  g_assert_nonnull (strstr (shardwise_absence_view_get_text (absent), "TP 7"));
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
  g_assert_false (gtk_widget_get_visible (button_of (page, "Chart")));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (SHARDWISE_CHART (chart)), count));
  ui_press (GTK_WIDGET (chart), GDK_KEY_Home);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Return);
  g_assert_true (sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &smallest));
  gtk_check_button_set_active (box_of (chip_of (page, SW_DIM_PP), "1"), TRUE);
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
  GtkWidget *window, *page = page_with (advisor, 360, &window), *chip = button_of (page, "Chart");

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
  GtkWidget *window, *page = page_with (advisor, 1300, &window);
  GtkWidget *scroller = gtk_widget_get_parent (GTK_WIDGET (table_of (page)));
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
  ShardwiseScatterChart *chart = ui_child (page, "chart");
  SwStrategy smallest = shardwise_scatter_chart_get_candidate (chart, 0)->strategy, found;
  int row;

  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), <, 1);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Home);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Return);
  wait_until (gtk_adjustment_get_value (adjustment) > 100);
  row = shardwise_strategy_view_get_cursor (view_of (page));
  g_assert_cmpint (row, >, 20);
  found = strategy_at (rows_of (page), (guint) row);
  g_assert_true (sw_strategy_equal (&found, &smallest));

  /* In another order it stays selected, wherever it stands. */
  g_action_group_activate_action (shardwise_strategy_view_get_actions (view_of (page)), "sort-by",
                                  g_variant_new_string ("memory-gib"));
  wait_for_all (page);
  g_assert_cmpint (shardwise_strategy_view_get_cursor (view_of (page)), <, 20);
  found = strategy_at (rows_of (page), (guint) shardwise_strategy_view_get_cursor (view_of (page)));
  g_assert_true (sw_strategy_equal (&found, &smallest));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What the main thread works in a frame; other programs on the machine do not count. The times of instrumented code
 * say nothing: there it scrolls through fewer rows, for its memory. */
#ifdef __SANITIZE_ADDRESS__
#define FRAME_US G_MAXINT64
#define MANY_GPUS "8"
#define MANY_ROWS 1000
#else
/* The time of this machine's GTK; the list of a newer one (4.18) takes three times as long to fill its rows. */
#define FRAME_US (gtk_check_version (4, 10, 0) == NULL ? G_MAXINT64 : 33000)
#define MANY_GPUS "32"
#define MANY_ROWS 100000
#endif

typedef struct {
  gint64 start;
  GArray *worked_us; /* of gint64: what each frame took */
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
  const gint64 took = worked_us () - frames->start;

  if (frames->start > 0)
    g_array_append_val (frames->worked_us, took);
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

static gint64
percentile (const GArray *sorted, guint percent)
{
  return g_array_index (sorted, gint64, (sorted->len - 1) * percent / 100);
}

/* A hundred thousand rows scroll, by lines and by leaps, in frames that take less than 33 ms to make. What is counted
 * is the time of the main thread on a processor; even that grows where other programs take the caches: so one frame in
 * twenty may be late, and half of them must have twice the room. */
static void
test_scroll (void)
{
  g_autoptr (ShardwiseAdvisor) advisor =
    ui_advisor ("{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"llama-3-8b\"}, "
                "\"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": " MANY_GPUS "}, "
                "\"training\": {\"framework\": \"any\"}}");
  GtkWidget *window, *page = page_with (advisor, 1600, &window);
  GtkWidget *scroller = gtk_widget_get_parent (GTK_WIDGET (table_of (page)));
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);
  guint n = g_list_model_get_n_items (rows_of (page));
  Frames frames = { 0, g_array_new (FALSE, FALSE, sizeof (gint64)) };

  g_assert_cmpuint (n, >, MANY_ROWS);
  gtk_test_widget_wait_for_draw (window);
  g_signal_connect (clock, "before-paint", G_CALLBACK (before_cb), &frames);
  g_signal_connect (clock, "after-paint", G_CALLBACK (after_cb), &frames);
  for (guint i = 1; i <= 40; i++)
    {
      gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment) * (i / 10) / 8.0 + i * 120);
      gtk_test_widget_wait_for_draw (window);
    }
  g_signal_handlers_disconnect_by_data (clock, &frames);
  g_array_sort (frames.worked_us, by_time);
  g_test_message ("%u rows, %u frames: %.1f ms in the middle, %.1f ms for 95 %%, the longest %.1f ms", n,
                  frames.worked_us->len, percentile (frames.worked_us, 50) / 1000.0,
                  percentile (frames.worked_us, 95) / 1000.0, percentile (frames.worked_us, 100) / 1000.0);
  g_assert_cmpuint (frames.worked_us->len, >=, 40);
  g_assert_cmpint (percentile (frames.worked_us, 50), <, FRAME_US / 2);
  g_assert_cmpint (percentile (frames.worked_us, 95), <, FRAME_US);
  g_array_unref (frames.worked_us);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
take_picture (GtkWidget *page, const char *state, int width, gboolean dark)
{
  g_autofree char *title = g_strdup_printf ("alternatives%s-%d%s", state, width, dark ? "-dark" : "");

  cairo_surface_destroy (ui_picture (page, title));
  g_assert_cmpint (gtk_widget_get_width (page), ==, width); /* nothing is wider than the window */
}

/* One page after another, each in all of its states: every strategy is sought once for each width. */
static void
take_pictures (ShardwiseAdvisor *advisor, int width, gboolean dark)
{
  GtkWidget *window, *page = page_with (advisor, width, &window), *chart = button_of (page, "Chart");

  take_picture (page, "", width, dark);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (chart), TRUE);
  take_picture (page, "-chart", width, dark);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (chart), FALSE);
  for (guint i = 0; i < 4; i++)
    {
      SwStrategy strategy = strategy_at (rows_of (page), i * 40);

      shardwise_comparison_pin (comparison_of (page), &strategy);
    }
  gtk_widget_activate_action (page, "alternatives.compare", NULL);
  take_picture (page, "-comparison", width, dark);
  gtk_widget_activate_action (page, "alternatives.list", NULL);
  rows_with (page, "TP 7 PP 3");
  wait_until (!shardwise_absence_view_is_asking (ui_child (page, "absence_view")));
  take_picture (page, "-absent", width, dark);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_pictures (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  const struct { int width; gboolean dark; } pictures[] = { { 360, FALSE }, { 360, TRUE }, { 1000, FALSE }, { 1600, TRUE } };
  AdwStyleManager *manager = adw_style_manager_get_default ();
  GtkSettings *settings = gtk_settings_get_default ();
  int dpi;

  shardwise_advisor_set_selected (
    advisor, shardwise_advice_get_alternative (shardwise_advisor_get_advice (advisor), 1));
  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++)
    {
      adw_style_manager_set_color_scheme (manager, pictures[i].dark ? ADW_COLOR_SCHEME_FORCE_DARK
                                                                    : ADW_COLOR_SCHEME_FORCE_LIGHT);
      take_pictures (advisor, pictures[i].width, pictures[i].dark);
    }
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_DEFAULT);
  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  take_pictures (advisor, 720, FALSE);
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
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
  g_test_add_func ("/alternatives-page/release", test_release);
  g_test_add_func ("/alternatives-page/reveal", test_reveal);
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
