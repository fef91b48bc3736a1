/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-column-buttons.h"
#include "shardwise-comparison-view.h"

#include "shardwise-alternatives-page.h"
#include "shardwise-comparison-figures.h"
#include "shardwise-csv.h"
#include "shardwise-format.h"
#include "shardwise-pin-button.h"
#include "shardwise-scenario-button.h"
#include "ui-fixture.h"

/* A comparison of some of the best strategies of an advice. */
static ShardwiseComparison *
comparison_new (ShardwiseAdvisor *advisor, guint n)
{
  ShardwiseComparison *comparison = shardwise_comparison_new ();
  const SwSearchResult *search =
      shardwise_advice_get_search (shardwise_advisor_get_advice (advisor));

  shardwise_comparison_set_advice (comparison, shardwise_advisor_get_advice (advisor),
                                   shardwise_advisor_get_scenario (advisor));
  for (guint i = 0; i < n; i++)
    shardwise_comparison_pin (comparison, &search->best[i * 5].strategy);
  return comparison;
}

static const ShardwiseComparisonFigure *
figure_or_null (GPtrArray *figures, const char *title)
{
  for (guint i = 0; i < figures->len; i++)
    if (g_str_equal (((ShardwiseComparisonFigure *) g_ptr_array_index (figures, i))->title, title))
      return g_ptr_array_index (figures, i);
  return NULL;
}

static const ShardwiseComparisonFigure *
figure_called (GPtrArray *figures, const char *title)
{
  const ShardwiseComparisonFigure *figure = figure_or_null (figures, title);

  g_assert_nonnull (figure);
  return figure;
}

/* The cells are the engine's figures, the changes those against the first; parts of memory sum up
 * to the peak. */
static void
test_figures (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  g_autoptr (ShardwiseComparison) comparison = comparison_new (advisor, 3);
  g_autoptr (GPtrArray) figures = shardwise_comparison_figures (comparison);
  const ShardwiseComparisonFigure *step = figure_called (figures, "Time of a step"), *peak, *part,
                                  *degree;
  const ShardwiseComparisonFigure *mfu = figure_called (figures, "MFU (dense peak)");

  peak = figure_called (figures, "Memory per GPU");
  part = figure_called (figures, "Share of usable memory");
  degree = figure_called (figures, "Tensor parallel");
  for (guint i = 0; i < 3; i++)
    {
      const SwEstimate *estimate = shardwise_comparison_get_estimate (comparison, i);
      double sum = 0;

      g_assert_cmpfloat (step->cells[i].number, ==, estimate->time.step_s);
      g_assert_cmpfloat_with_epsilon (
          step->cells[i].change,
          estimate->time.step_s / shardwise_comparison_get_estimate (comparison, 0)->time.step_s
              - 1,
          1e-12);
      g_assert_cmpfloat_with_epsilon (/* in points, not in percent of a percentage */
                                      mfu->cells[i].change,
                                      estimate->mfu
                                          - shardwise_comparison_get_estimate (comparison, 0)->mfu,
                                      1e-12);
      g_assert_cmpint (degree->cells[i].differs, ==,
                       estimate->strategy.tp
                           != shardwise_comparison_get_estimate (comparison, 0)->strategy.tp);
      for (guint row = 0; row < figures->len; row++)
        {
          const ShardwiseComparisonFigure *figure = g_ptr_array_index (figures, row);

          if (figure->section == part->section && g_strcmp0 (figure->unit, "GiB") == 0
              && figure != peak && !g_str_equal (figure->title, "Memory per host"))
            sum += figure->cells[i].number;
        }
      g_assert_cmpfloat_with_epsilon (sum, peak->cells[i].number, 1e-6);
    }
  g_assert_false (step->cells[0].differs);
}

/* A line for each figure, a column for each strategy; the numbers read back. */
static void
test_csv (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  g_autoptr (ShardwiseComparison) comparison = comparison_new (advisor, 2);
  g_autofree char *text = shardwise_comparison_to_csv (comparison);
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseCsv) csv = shardwise_csv_parse (text, -1, &error);
  gboolean found = FALSE;

  g_assert_no_error (error);
  for (guint row = 0; row < shardwise_csv_n_rows (csv); row++)
    if (g_str_equal (shardwise_csv_text (csv, row, "Figure"), "Time of a step"))
      {
        double step_s = 0;

        found = TRUE;
        g_assert_cmpstr (shardwise_csv_text (csv, row, "Unit"), ==, "s");
        g_assert_true (shardwise_csv_number (csv, row, "B", &step_s, &error));
        g_assert_cmpfloat_with_epsilon (
            step_s, shardwise_comparison_get_estimate (comparison, 1)->time.step_s, 1e-6 * step_s);
      }
  g_assert_true (found);
}

static GtkWidget *
child_of (GtkWidget *view, const char *name)
{
  return GTK_WIDGET (gtk_widget_get_template_child (view, SHARDWISE_TYPE_COMPARISON_VIEW, name));
}

static guint
rows_shown (GtkWidget *view)
{
  GtkListBox *list = GTK_LIST_BOX (child_of (view, "list_box"));
  GtkListBoxRow *row;
  guint n = 0;

  for (guint i = 0; (row = gtk_list_box_get_row_at_index (list, (int) i)) != NULL; i++)
    n += gtk_widget_get_child_visible (GTK_WIDGET (row));
  return n;
}

/* Rows are read in full; rows without a difference can be hidden; the list is empty after all
 * columns are removed. */
static void
test_view (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  g_autoptr (ShardwiseComparison) comparison = comparison_new (advisor, 4);
  GtkWidget *view = shardwise_comparison_view_new (comparison), *window = ui_show (view, 360, 700);
  g_autoptr (GPtrArray) figures = shardwise_comparison_figures (comparison);
  GtkWidget *first =
      GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (child_of (view, "list_box")), 0));
  guint differ = 0;

  for (guint i = 0; i < figures->len; i++)
    differ += i < 4 || shardwise_comparison_figure_differs (g_ptr_array_index (figures, i));
  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (child_of (view, "list_box")),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "Strategies side by side");
  g_assert_true (
      gtk_test_accessible_has_property (GTK_ACCESSIBLE (first), GTK_ACCESSIBLE_PROPERTY_LABEL));
  g_assert_true (gtk_widget_get_focusable (first)); /* the keyboard walks through the rows */
  g_assert_cmpuint (differ, <, figures->len);
  g_assert_cmpuint (rows_shown (view), ==, differ);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (child_of (view, "differences_chip")), FALSE);
  g_assert_cmpuint (rows_shown (view), ==, figures->len);
  gtk_widget_activate_action (view, "comparison.clear", NULL);
  g_assert_cmpuint (rows_shown (view), ==, 0);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (child_of (view, "stack"))), ==,
                   "empty");
  gtk_window_destroy (GTK_WINDOW (window));
}

static GFile *
write_file (const char *directory, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
  return g_file_new_for_path (path);
}

/* The page Alternatives, comparing, with the recommended strategy pinned. */
static GtkWidget *
comparing_page (ShardwiseAdvisor *advisor, GtkWidget **window)
{
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL);

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  *window = ui_show (page, 1000, 700);
  gtk_widget_activate_action (page, "alternatives.pin", NULL);
  gtk_widget_activate_action (page, "alternatives.compare", NULL);
  return page;
}

static ShardwiseScenarioButton *
add_file (GtkWidget *page, GFile *file)
{
  ShardwiseScenarioButton *button =
      SHARDWISE_SCENARIO_BUTTON (ui_find (page, SHARDWISE_TYPE_SCENARIO_BUTTON));

  shardwise_scenario_button_add_file (button, file);
  wait_until (!shardwise_scenario_button_is_adding (button));
  return button;
}

/* A scenario from a file is compared with the pinned strategy, with the figures of its own inputs.
 * Differences of inputs are listed in the words of the inputs; amounts in two currencies are not
 * compared. */
static void
test_scenario_file (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, "
      "\"training\": {\"tokens\": 1e10}, \"cost\": {\"price\": 2}}");
  g_autofree char *directory = g_dir_make_tmp ("shardwise-XXXXXX", NULL);
  g_autoptr (GFile) file = write_file (directory, "wide.shardwise",
                                       "{\"format\": \"shardwise-scenario\", \"version\": 1, "
                                       "\"model\": {\"preset\": \"llama-3-8b\"}, "
                                       "\"cluster\": {\"gpu\": \"h200-141-sxm\", \"gpus\": 32}, "
                                       "\"training\": {\"tokens\": 1e10}, "
                                       "\"cost\": {\"price\": 2, \"currency\": \"EUR\"}}");
  GtkWidget *window, *page = comparing_page (advisor, &window);
  ShardwiseComparison *comparison =
      shardwise_alternatives_page_get_comparison (SHARDWISE_ALTERNATIVES_PAGE (page));
  g_autoptr (GPtrArray) figures = NULL;
  g_autofree char *csv = NULL;
  const ShardwiseComparisonFigure *gpus, *gpu, *cost;

  add_file (page, file);
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 2);
  g_assert_cmpstr (shardwise_comparison_get_name (comparison, 1), ==, "wide.shardwise");
  g_assert_cmpuint (shardwise_comparison_get_estimate (comparison, 1)->gpus_used, ==, 32);
  figures = shardwise_comparison_figures (comparison);
  gpus = figure_called (figures, "Number of GPUs");
  gpu = figure_called (figures, "GPU");
  cost = figure_called (figures, "Cost of the job");
  g_assert_cmpstr (gpus->cells[0].text, ==, "8");
  g_assert_cmpstr (gpus->cells[1].text, ==, "32");
  g_assert_true (gpus->cells[1].differs);
  g_assert_nonnull (strstr (gpu->cells[1].text, "H200"));
  g_assert_nonnull (strstr (cost->cells[0].text, "USD"));
  g_assert_nonnull (strstr (cost->cells[1].text, "EUR"));
  g_assert_true (isnan (cost->cells[1].change));
  g_assert_cmpint (figure_called (figures, "Memory per GPU")->better, ==,
                   0);                               /* GPUs of two sizes */
  g_assert_null (figure_or_null (figures, "Model")); /* the same in both */
  csv = shardwise_comparison_to_csv (comparison);
  g_assert_nonnull (strstr (csv, "Scenario,,,wide.shardwise"));
  gtk_window_destroy (GTK_WINDOW (window));
  remove_tree (directory);
}

/* What is no scenario is answered with a dialog, and nothing is added. */
static void
test_scenario_bad (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  g_autofree char *directory = g_dir_make_tmp ("shardwise-XXXXXX", NULL);
  g_autoptr (GFile) file = write_file (directory, "notes.txt", "nothing of the kind");
  GtkWidget *window, *page = comparing_page (advisor, &window);
  GListModel *windows = gtk_window_get_toplevels ();

  add_file (page, file);
  g_assert_cmpuint (shardwise_comparison_get_n (shardwise_alternatives_page_get_comparison (
                        SHARDWISE_ALTERNATIVES_PAGE (page))),
                    ==, 1);
  g_assert_cmpuint (g_list_model_get_n_items (windows), ==, 2);
  for (guint i = 2; i > 0; i--)
    {
      g_autoptr (GtkWindow) shown = g_list_model_get_item (windows, i - 1);

      gtk_window_destroy (shown);
    }
  remove_tree (directory);
}

/* The present inputs can be kept: then they change, and both stand side by side. */
static void
test_scenario_keep (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *window, *page = comparing_page (advisor, &window);
  ShardwiseComparison *comparison =
      shardwise_alternatives_page_get_comparison (SHARDWISE_ALTERNATIVES_PAGE (page));
  double tokens_per_s = shardwise_advisor_get_selected (advisor)->tokens_per_s;
  g_autoptr (GError) error = NULL;

  gtk_widget_activate_action (ui_find (page, SHARDWISE_TYPE_SCENARIO_BUTTON), "scenario.keep",
                              NULL);
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 2);
  shardwise_scenario_set (shardwise_advisor_get_scenario (advisor), SHARDWISE_KEY_CLUSTER_GPUS,
                          g_variant_new_int64 (16), &error);
  g_assert_no_error (error);
  shardwise_advisor_evaluate (advisor);
  wait_until (shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY);
  shardwise_page_update_now (SHARDWISE_PAGE (page));
  g_assert_cmpfloat (shardwise_comparison_get_estimate (comparison, 1)->tokens_per_s, ==,
                     tokens_per_s);
  g_assert_cmpuint (shardwise_comparison_get_estimate (comparison, 0)->gpus_idle, ==, 8);
  for (guint i = 0; i < 3; i++) /* there is room for two more only */
    gtk_widget_activate_action (ui_find (page, SHARDWISE_TYPE_SCENARIO_BUTTON), "scenario.keep",
                                NULL);
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, SHARDWISE_COMPARISON_MAX);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A button follows what others pin, and cannot pin a fifth. */
static void
test_button (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  g_autoptr (ShardwiseComparison) comparison = comparison_new (advisor, 3);
  const SwSearchResult *search =
      shardwise_advice_get_search (shardwise_advisor_get_advice (advisor));
  g_autoptr (GtkWidget) button = g_object_ref_sink (shardwise_pin_button_new (comparison));
  GtkToggleButton *toggle = GTK_TOGGLE_BUTTON (button);

  shardwise_pin_button_set_strategy (SHARDWISE_PIN_BUTTON (button), &search->best[1].strategy,
                                     "2. TP 8");
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Pin to compare: 2. TP 8");
  g_assert_false (gtk_toggle_button_get_active (toggle));
  gtk_toggle_button_set_active (toggle, TRUE);
  g_assert_true (shardwise_comparison_has (comparison, &search->best[1].strategy));
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, SHARDWISE_COMPARISON_MAX);
  shardwise_pin_button_set_strategy (SHARDWISE_PIN_BUTTON (button), &search->best[2].strategy, "3");
  g_assert_false (gtk_widget_get_sensitive (button));
  shardwise_comparison_unpin (comparison, &search->best[1].strategy);
  g_assert_true (gtk_widget_get_sensitive (button));
  g_assert_false (gtk_toggle_button_get_active (toggle));
}

/* Pins of the page stay when the inputs change; of one that no longer fits it says why. */
static void
test_page (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL), *window;
  ShardwiseComparison *comparison =
      shardwise_alternatives_page_get_comparison (SHARDWISE_ALTERNATIVES_PAGE (page));
  g_autoptr (GError) error = NULL;
  g_autofree char *obstacle = NULL;
  GtkWidget *view;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 700);
  gtk_widget_activate_action (page, "alternatives.pin", NULL); /* no row has the cursor: the
                                                                  recommended one */
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 1);
  gtk_widget_activate_action (page, "alternatives.compare", NULL);
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (GTK_WINDOW (window)),
                                         /* the keyboard goes on there */
                                         ui_find (page, SHARDWISE_TYPE_COMPARISON_VIEW)));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "comparison");
  shardwise_scenario_set (shardwise_advisor_get_scenario (advisor), SHARDWISE_KEY_CLUSTER_GPUS,
                          g_variant_new_parsed ("4"), &error);
  g_assert_no_error (error);
  shardwise_advisor_evaluate (advisor);
  wait_until (shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY);
  shardwise_page_update_now (SHARDWISE_PAGE (page));
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 1);
  obstacle = shardwise_comparison_get_obstacle (comparison, 0);
  g_assert_nonnull (obstacle);
  view = ui_find (page, SHARDWISE_TYPE_COMPARISON_VIEW);
  g_assert_nonnull (
      strstr (gtk_label_get_label (GTK_LABEL (child_of (view, "obstacle_label"))), obstacle));
  gtk_widget_activate_action (page, "alternatives.list", NULL);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (page, "stack")), ==, "list");
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Columns are the present inputs with one change each: their titles say what differs, days and cost come
 * first, and what is edited later changes nothing of them. */
static void
test_columns (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
      "\"gpus\": 16}, \"training\": {\"tokens\": 1e11}, \"cost\": {\"price\": "
      "2.5}}");
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL), *window, *buttons;
  ShardwiseComparison *comparison =
      shardwise_alternatives_page_get_comparison (SHARDWISE_ALTERNATIVES_PAGE (page));
  g_autoptr (GPtrArray) figures = NULL;
  gboolean priced = FALSE;
  double before;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1000, 700);
  g_assert_true (shardwise_alternatives_page_show (SHARDWISE_ALTERNATIVES_PAGE (page), "compare"));
  g_assert_false (shardwise_alternatives_page_show (SHARDWISE_ALTERNATIVES_PAGE (page), "none"));
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 1); /* what is recommended */
  buttons = ui_find (page, SHARDWISE_TYPE_COLUMN_BUTTONS);
  gtk_widget_activate_action (buttons, "columns.gpu", "s", "h200-141-sxm");
  wait_until (!shardwise_column_buttons_is_adding (SHARDWISE_COLUMN_BUTTONS (buttons)));
  gtk_widget_activate_action (buttons, "columns.gpus", "u", 32u);
  wait_until (!shardwise_column_buttons_is_adding (SHARDWISE_COLUMN_BUTTONS (buttons)));
  gtk_widget_activate_action (buttons, "columns.framework", "s", "deepspeed");
  wait_until (!shardwise_column_buttons_is_adding (SHARDWISE_COLUMN_BUTTONS (buttons)));
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 4);
  g_assert_nonnull (strstr (shardwise_comparison_get_name (comparison, 0), "H100"));
  g_assert_nonnull (strstr (shardwise_comparison_get_name (comparison, 1), "H200"));
  g_assert_nonnull (strstr (shardwise_comparison_get_name (comparison, 2), "32"));
  g_assert_cmpstr (shardwise_comparison_get_name (comparison, 3), ==, "DeepSpeed");
  figures = shardwise_comparison_figures (comparison);
  g_assert_cmpstr (((ShardwiseComparisonFigure *) figures->pdata[0])->title, ==, "Days");
  g_assert_true (g_str_has_prefix (((ShardwiseComparisonFigure *) figures->pdata[1])->title,
                                   "Cost of the job"));
  g_assert_cmpstr (((ShardwiseComparisonFigure *) figures->pdata[2])->title, ==, "Tokens/s");
  /* A price that is not stated is the one that the cost is computed with. */
  for (guint i = 0; i < figures->len; i++)
    {
      const ShardwiseComparisonFigure *figure = figures->pdata[i];

      if (g_str_has_prefix (figure->title, "Price,"))
        {
          priced = TRUE;
          g_assert_cmpstr (figure->cells[0].text, ==, "2.5");
          g_assert_cmpfloat (g_ascii_strtod (figure->cells[1].text, NULL), >, 0);
        }
    }
  g_assert_true (priced);
  before = shardwise_comparison_get_estimate (comparison, 0)->tokens_per_s;
  shardwise_scenario_set (shardwise_advisor_get_scenario (advisor), SHARDWISE_KEY_CLUSTER_GPUS,
                          g_variant_new_int64 (8), NULL);
  ui_await_advice (advisor);
  shardwise_page_update_now (SHARDWISE_PAGE (page));
  g_assert_cmpfloat (shardwise_comparison_get_estimate (comparison, 0)->tokens_per_s, ==, before);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The cards that a page offers to compare its only column with; NULL ends them. */
static GtkWidget *
first_offer (GtkWidget *page)
{
  GtkWidget *view = ui_find (page, SHARDWISE_TYPE_COMPARISON_VIEW);

  return gtk_widget_get_visible (child_of (view, "offers_section"))
             ? gtk_widget_get_first_child (child_of (view, "offers"))
             : NULL;
}

/* A comparison of one strategy offers others, of which one click adds the column. */
static void
test_offers (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
      "\"gpus\": 32}, \"training\": {\"sequence_length\": 8192, \"global_batch_size\": 128}}");
  GtkWidget *window, *page = comparing_page (advisor, &window);
  ShardwiseComparison *comparison =
      shardwise_alternatives_page_get_comparison (SHARDWISE_ALTERNATIVES_PAGE (page));
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  GtkWidget *offers = gtk_widget_get_parent (first_offer (page));

  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 1);
  g_assert_true (ui_says (offers, "Next best"));
  g_assert_true (ui_says (offers, "64\302\240GPUs"));
  g_assert_true (ui_says (offers, "16\302\240GPUs"));
  g_assert_true (ui_says (offers, "FSDP\302\2402"));
  g_signal_emit_by_name (first_offer (page), "clicked");
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 2);
  g_assert_true (shardwise_comparison_has (
      comparison, &shardwise_advice_get_alternative (advice, 0)->strategy));
  g_assert_null (first_offer (page));
  shardwise_comparison_remove (comparison, 1);
  g_assert_nonnull (first_offer (page));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* If nothing fits, the offers are the changes that make the job fit. */
static void
test_offers_of_misfit (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpus\": 2}, \"training\": "
      "{\"framework\": \"megatron-core\"}}");
  GtkWidget *window, *page = comparing_page (advisor, &window);
  GPtrArray *ways = shardwise_advice_get_ways_out (shardwise_advisor_get_advice (advisor));
  const ShardwiseWayOut *way = g_ptr_array_index (ways, 0);
  g_autofree char *name = shardwise_format_unbroken (way->name);

  g_assert_true (ui_says (first_offer (page), name));
  g_assert_cmpstr (gtk_actionable_get_action_name (GTK_ACTIONABLE (first_offer (page))), ==,
                   "win.compare");
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/comparison-view/figures", test_figures);
  g_test_add_func ("/comparison-view/csv", test_csv);
  g_test_add_func ("/comparison-view/view", test_view);
  g_test_add_func ("/comparison-view/scenario-file", test_scenario_file);
  g_test_add_func ("/comparison-view/scenario-bad", test_scenario_bad);
  g_test_add_func ("/comparison-view/scenario-keep", test_scenario_keep);
  g_test_add_func ("/comparison-view/button", test_button);
  g_test_add_func ("/comparison-view/page", test_page);
  g_test_add_func ("/comparison-view/columns", test_columns);
  g_test_add_func ("/comparison-view/offers", test_offers);
  g_test_add_func ("/comparison-view/offers-of-misfit", test_offers_of_misfit);
  return g_test_run ();
}
