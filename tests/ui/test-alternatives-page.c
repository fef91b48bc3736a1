/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-alternatives-page.h"

#include "shardwise-strategy-columns.h"
#include "shardwise-texts.h"
#include "ui-fixture.h"

static GListModel *
rows_of (GtkWidget *page)
{
  return G_LIST_MODEL (gtk_column_view_get_model (ui_child (page, "column_view")));
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

/* Sorted by each column both ways, the column ascends and descends. */
static void
test_sort (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = page_with (advisor, 1000, &window);
  GtkColumnView *view = ui_child (page, "column_view");
  GListModel *columns = gtk_column_view_get_columns (view), *rows = rows_of (page);
  guint n = g_list_model_get_n_items (rows);

  g_assert_cmpuint (n, >, 3);
  g_assert_cmpuint (n, ==, g_list_model_get_n_items (shardwise_advisor_get_strategies (advisor)));
  gtk_widget_set_visible (window, FALSE); /* the rows matter here, not their drawing */
  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    for (guint order = 0; order < 2; order++)
      {
        g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
        GtkSorter *sorter = gtk_column_view_column_get_sorter (column);

        gtk_column_view_sort_by_column (view, column, order);
        while (gtk_sort_list_model_get_pending (
                 GTK_SORT_LIST_MODEL (gtk_single_selection_get_model (GTK_SINGLE_SELECTION (rows))))
               > 0)
          g_main_context_iteration (NULL, FALSE);
        for (guint row = 1; row < n; row++)
          {
            g_autoptr (GObject) above = g_list_model_get_item (rows, row - 1);
            g_autoptr (GObject) below = g_list_model_get_item (rows, row);

            g_assert_cmpint (gtk_sorter_compare (sorter, above, below), !=,
                             order == 0 ? GTK_ORDERING_LARGER : GTK_ORDERING_SMALLER);
          }
      }
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Types `text` and counts the rows left. The entry itself reports a little later; the test does not wait. */
static guint
rows_with (GtkWidget *page, const char *text)
{
  gtk_editable_set_text (ui_child (page, "search_entry"), text);
  g_signal_emit_by_name (ui_child (page, "search_entry"), "search-changed");
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
  some = g_list_model_get_n_items (rows_of (page));
  for (guint i = 0; i < some; i++)
    g_assert_cmpuint (strategy_at (rows_of (page), i).recompute, ==, SW_RECOMPUTE_NONE);
  gtk_toggle_button_set_active (ui_child (page, "no_pipeline_chip"), TRUE);
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

/* The counts at the foot are the search's own. */
static void
test_foot (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  const SwSearchResult *search =
    shardwise_advice_get_search (shardwise_advisor_get_advice (advisor));
  GtkWidget *window, *page = page_with (advisor, 1000, &window);
  g_autofree char *tried = g_strdup_printf ("%" G_GUINT64_FORMAT " tried", search->tried);
  g_autofree char *fit = g_strdup_printf ("%" G_GUINT64_FORMAT " fit", search->fit);
  const char *text = gtk_label_get_label (ui_child (page, "foot_label"));
  g_auto (GStrv) lines =
    g_strsplit (gtk_label_get_label (ui_child (page, "rejected_label")), "\n", -1);
  guint reasons = 0;

  for (guint rule = SW_RULE_OK + 1; rule < SW_N_RULES; rule++)
    reasons += search->rejected[rule] > 0;
  g_assert_nonnull (strstr (text, tried));
  g_assert_nonnull (strstr (text, fit));
  g_assert_cmpuint (g_strv_length (lines), ==, MAX (reasons, 1));
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_pictures (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);

  shardwise_advisor_set_selected (
    advisor, shardwise_advice_get_alternative (shardwise_advisor_get_advice (advisor), 1));
  ui_page_pictures (shardwise_alternatives_page_new, advisor, "alternatives", 800, NULL);
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
  g_test_add_func ("/alternatives-page/foot", test_foot);
  g_test_add_func ("/alternatives-page/pictures", test_pictures);
  return g_test_run ();
}
