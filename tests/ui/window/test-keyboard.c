/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages in a window, by keyboard alone; and two windows in one comparison. */
#include "charts-ready.h"
#include "shardwise-advice-page.h"
#include "shardwise-alternatives-page.h"
#include "shardwise-analysis-page.h"
#include "shardwise-chart-card.h"
#include "shardwise-comparison-view.h"
#include "shardwise-inputs.h"
#include "shardwise-journal-view.h"
#include "shardwise-manual-window.h"
#include "shardwise-note-editor.h"
#include "shardwise-playbook-view.h"
#include "shardwise-preferences.h"
#include "shardwise-scale-page.h"
#include "shardwise-scenario-button.h"
#include "shardwise-search-progress.h"
#include "ui-fixture.h"
#include "window-fixture.h"

#define WIDTH 800      /* pixels: the inputs are folded away, the table of strategies is not */
#define MOST_STOPS 250 /* of a page with everything around it */

static const char job[] =
    "{\"format\": \"shardwise-scenario\", \"version\": 1, \"name\": \"Wide\", \"model\": "
    "{\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 16}, "
    "\"strategy\": {\"pp\": 4}}";
static const char other_job[] =
    "{\"format\": \"shardwise-scenario\", \"version\": 1, \"name\": \"Other cluster\", \"model\": "
    "{\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"a100-80-sxm\", \"gpus\": 8}}";

static void
open_text (ShardwiseWindow *window, const char *json)
{
  g_assert_true (shardwise_window_open_text (window, json, -1, "job"));
  wait_until (has_status (window, "ready"));
}

/* Until nothing has been computed for a while: what shows its progress has a button that stops it, and
 * on a busy machine it begins late. */
static void
settle (GtkWidget *page)
{
  gint64 since = g_get_monotonic_time ();

  while (g_get_monotonic_time () - since < G_USEC_PER_SEC)
    {
      g_main_context_iteration (NULL, FALSE);
      if (!ui_charts_are_ready (page))
        since = g_get_monotonic_time ();
      g_usleep (1000);
    }
}

/* A page in a window of this width, with all that it has to say. */
static GtkWidget *
show_page (ShardwiseWindow *window, const char *name, GType type, int width)
{
  GtkWidget *page;

  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  gtk_window_set_default_size (GTK_WINDOW (window), width, 800);
  gtk_window_present (GTK_WINDOW (window));
  activate (window, "page", g_variant_new_string (name));
  wait_until ((page = ui_find (GTK_WIDGET (window), type)) != NULL && gtk_widget_get_mapped (page));
  ui_wake (page);
  wait_until (ui_charts_are_ready (page));
  settle (page);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (window));
  return page;
}

/* Where the focus is seen: wholly or in part within the window, whatever scrolls around it. */
static gboolean
is_in_sight (GtkWidget *widget, GtkWidget *window)
{
  for (GtkWidget *around = gtk_widget_get_parent (widget); around != NULL;
       around = gtk_widget_get_parent (around))
    {
      graphene_rect_t bounds;

      if (!GTK_IS_VIEWPORT (around) && !GTK_IS_SCROLLABLE (around) && around != window)
        continue;
      if (!gtk_widget_compute_bounds (widget, around, &bounds) || bounds.size.width <= 0
          || bounds.origin.x + bounds.size.width <= 0 || bounds.origin.y + bounds.size.height <= 0
          || bounds.origin.x >= gtk_widget_get_width (around)
          || bounds.origin.y >= gtk_widget_get_height (around))
        return FALSE;
    }
  return TRUE;
}

/* The arrows step through what a chart shows, and each point says what it is. */
static void
step_chart (ShardwiseChart *chart)
{
  g_autofree char *first = NULL;

  wait_until (shardwise_chart_n_points (chart) > 0); /* what it shows is computed beside */
  ui_press (GTK_WIDGET (chart), GDK_KEY_Home);
  g_assert_nonnull (shardwise_chart_get_readout (chart));
  first = g_strdup (shardwise_chart_get_readout (chart));
  if (shardwise_chart_n_points (chart) > 1)
    {
      ui_press (GTK_WIDGET (chart), GDK_KEY_Right);
      if (g_str_equal (shardwise_chart_get_readout (chart), first)) /* a column of equals */
        ui_press (GTK_WIDGET (chart), GDK_KEY_Down);
      g_assert_cmpstr (shardwise_chart_get_readout (chart), !=, first);
    }
  ui_press (GTK_WIDGET (chart), GDK_KEY_Escape);
}

/* A list is one stop, whichever of its rows takes the focus: from below newer GTK takes another. */
static GtkWidget *
stop_of (GtkWidget *focus)
{
  GtkWidget *list = gtk_widget_get_ancestor (focus, GTK_TYPE_LIST_BASE);

  return list != NULL ? list : focus;
}

/* Tab leads through every stop once and back to the first one, and every stop is seen. Returns: the
 * stops, in their order */
static GPtrArray *
walk (GtkWidget *window, GtkDirectionType direction)
{
  GPtrArray *stops = g_ptr_array_new ();

  gtk_test_widget_wait_for_draw (window);
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  while (stops->len < MOST_STOPS)
    {
      GtkWidget *focus;

      gtk_widget_child_focus (window, direction);
      focus = gtk_root_get_focus (GTK_ROOT (window));
      g_assert_nonnull (focus);
      if (stops->len > 0 && stop_of (focus) == g_ptr_array_index (stops, 0))
        return stops;
      g_assert_false (g_ptr_array_find (stops, stop_of (focus), NULL)); /* a trap */
      g_assert_true (gtk_widget_is_sensitive (focus));
      g_test_message ("%u: %s", stops->len, G_OBJECT_TYPE_NAME (focus));
      wait_until (is_in_sight (focus, window));
      if (SHARDWISE_IS_CHART (focus))
        step_chart (SHARDWISE_CHART (focus));
      g_ptr_array_add (stops, stop_of (focus));
    }
  g_error ("Tab does not come back to where it began");
  return NULL;
}

/* Every chart that is seen was a stop. */
static guint
count_charts (GtkWidget *widget, GPtrArray *stops)
{
  guint n = 0;

  if (SHARDWISE_IS_CHART (widget) && gtk_widget_get_mapped (widget)
      && gtk_widget_get_focusable (widget))
    {
      g_test_message ("%s", G_OBJECT_TYPE_NAME (widget));
      g_assert_true (g_ptr_array_find (stops, widget, NULL));
      n = 1;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_charts (child, stops);
  return n;
}

/* Where the focus is in turn, with every chart of the page among it, forwards and backwards. */
static void
walk_both_ways (GtkWidget *window, GtkWidget *page, guint charts)
{
  g_autoptr (GPtrArray) stops = walk (window, GTK_DIR_TAB_FORWARD);
  g_autoptr (GPtrArray) back = NULL;

  g_assert_cmpuint (count_charts (page, stops), ==, charts);
  back = walk (window, GTK_DIR_TAB_BACKWARD);
  g_assert_cmpuint (back->len, ==, stops->len);
  for (guint i = 0; i < stops->len; i++)
    g_assert_true (g_ptr_array_find (back, g_ptr_array_index (stops, i), NULL));
}

/* Until every strategy is listed, and what that shows and hides is laid out. */
static void
wait_for_all (GtkWidget *page)
{
  ShardwiseCandidateList *list =
      shardwise_alternatives_page_get_list (SHARDWISE_ALTERNATIVES_PAGE (page));

  wait_until (!shardwise_search_progress_is_searching (ui_child (page, "progress"))
              && !shardwise_candidate_list_is_pending (list));
  gtk_test_widget_wait_for_draw (page);
}

static ShardwiseWindow *
another_window (Fixture *fixture)
{
  return shardwise_window_new (GTK_APPLICATION (fixture->application),
                               shardwise_application_get_settings (fixture->application));
}

/* Thousands of rows are one stop, with the button of the row: in the list, in the chart's table;
 * and what is compared is reached too. */
static void
walk_alternatives (GtkWidget *window)
{
  GtkWidget *page, *card;

  page = show_page (SHARDWISE_WINDOW (window), "alternatives", SHARDWISE_TYPE_ALTERNATIVES_PAGE,
                    WIDTH);
  gtk_widget_activate_action (page, "alternatives.list", NULL);
  wait_for_all (page);
  walk_both_ways (window, page, 0);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (ui_find_button (page, "Chart")), TRUE);
  walk_both_ways (window, page, 1);
  card = gtk_widget_get_ancestor (ui_child (page, "chart"), SHARDWISE_TYPE_CHART_CARD);
  g_object_set (card, "table", TRUE, NULL);
  walk_both_ways (window, page, 0);
  gtk_widget_activate_action (page, "alternatives.compare", NULL);
  walk_both_ways (window, page, 0);
}

static void
test_pages (Fixture *fixture, gconstpointer data)
{
  ShardwiseWindow *narrow = another_window (fixture);
  GtkWidget *page;

  open_text (fixture->window, job);
  page = show_page (fixture->window, "analysis", SHARDWISE_TYPE_ANALYSIS_PAGE, WIDTH);
  walk_both_ways (GTK_WIDGET (fixture->window), page, 1); /* a section at a time */
  walk_alternatives (GTK_WIDGET (fixture->window));
  page = show_page (fixture->window, "advice", SHARDWISE_TYPE_ADVICE_PAGE, WIDTH);
  walk_both_ways (GTK_WIDGET (fixture->window), page, 0);
  page = show_page (fixture->window, "scale", SHARDWISE_TYPE_SCALE_PAGE, WIDTH);
  walk_both_ways (GTK_WIDGET (fixture->window), page, 1);

  open_text (narrow, job);
  page = show_page (narrow, "alternatives", SHARDWISE_TYPE_ALTERNATIVES_PAGE, 360);
  gtk_widget_activate_action (page, "alternatives.list", NULL);
  wait_for_all (page);
  walk_both_ways (GTK_WIDGET (narrow), page, 0);
}

static void
walk_window (GtkWidget *window)
{
  gtk_window_present (GTK_WINDOW (window));
  wait_until (gtk_widget_get_mapped (window));
  g_ptr_array_unref (walk (window, GTK_DIR_TAB_FORWARD));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* No window beside the main one holds the focus either. */
static void
test_windows (Fixture *fixture, gconstpointer data)
{
  g_autofree char *file = g_build_filename (fixture->directory, "journal.db", NULL);
  g_autoptr (ShardwiseJournal) journal = shardwise_journal_new (file);
  ShardwiseNotes *notes = shardwise_application_get_notes (fixture->application, NULL);
  ShardwiseAdvisor *advisor;

  open_text (fixture->window, job);
  advisor = shardwise_window_get_advisor (fixture->window);
  walk_window (
      shardwise_preferences_new (shardwise_application_get_settings (fixture->application)));
  walk_window (ui_window_of (shardwise_journal_view_new (journal, advisor, NULL)));
  walk_window (ui_window_of (shardwise_playbook_view_new (notes, advisor)));
  walk_window (shardwise_note_editor_new (notes, NULL));
  walk_window (shardwise_manual_window_new ());
}

/* Whether a menu or one of its sections has an item of this name. */
static gboolean
menu_has (GMenuModel *menu, const char *name)
{
  for (int i = 0; i < g_menu_model_get_n_items (menu); i++)
    {
      g_autoptr (GMenuModel) section = g_menu_model_get_item_link (menu, i, G_MENU_LINK_SECTION);
      g_autofree char *label = NULL;

      g_menu_model_get_item_attribute (menu, i, G_MENU_ATTRIBUTE_LABEL, "s", &label);
      if (g_strcmp0 (label, name) == 0 || (section != NULL && menu_has (section, name)))
        return TRUE;
    }
  return FALSE;
}

/* The content of another window is offered by its name, and joins the comparison with the figures
 * of its own inputs. */
static void
test_other_window (Fixture *fixture, gconstpointer data)
{
  ShardwiseWindow *other = another_window (fixture);
  const SwEstimate *shown, *compared;
  ShardwiseComparison *comparison;
  GtkWidget *page, *button;
  GtkMenuButton *menu;

  open_text (fixture->window, job);
  open_text (other, other_job);
  shown = shardwise_advisor_get_selected (shardwise_window_get_advisor (other));
  page = show_page (fixture->window, "alternatives", SHARDWISE_TYPE_ALTERNATIVES_PAGE, WIDTH);
  comparison = shardwise_alternatives_page_get_comparison (SHARDWISE_ALTERNATIVES_PAGE (page));
  gtk_widget_activate_action (page, "alternatives.compare", NULL);
  button = ui_find (page, SHARDWISE_TYPE_SCENARIO_BUTTON);
  menu = GTK_MENU_BUTTON (ui_find (button, GTK_TYPE_MENU_BUTTON));
  gtk_menu_button_popup (menu);
  g_assert_true (menu_has (gtk_menu_button_get_menu_model (menu), "Other cluster"));
  g_assert_false (menu_has (gtk_menu_button_get_menu_model (menu), "Wide")); /* this window */
  gtk_menu_button_popdown (menu);

  g_assert_true (
      gtk_widget_activate_action (button, "scenario.add-window", "u",
                                  gtk_application_window_get_id (GTK_APPLICATION_WINDOW (other))));
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 2);
  g_assert_cmpstr (shardwise_comparison_get_name (comparison, 1), ==, "Other cluster");
  compared = shardwise_comparison_get_estimate (comparison, 1);
  g_assert_true (sw_strategy_equal (&compared->strategy, &shown->strategy));
  g_assert_cmpfloat (compared->tokens_per_s, ==, shown->tokens_per_s);
  g_assert_cmpfloat (compared->memory.peak.total, ==, shown->memory.peak.total);
  g_assert_cmpfloat (shardwise_comparison_get_estimate (comparison, 0)->tokens_per_s, !=,
                     compared->tokens_per_s);
  gtk_window_destroy (GTK_WINDOW (other));
  g_assert_cmpuint (shardwise_comparison_get_n (comparison), ==, 2); /* it stays */
}

static ShardwiseInputRow *
find_row (ShardwiseWindow *window, ShardwiseKeyId id)
{
  GtkWidget *inputs = ui_find (GTK_WIDGET (window), SHARDWISE_TYPE_INPUTS);

  return shardwise_inputs_find_row (SHARDWISE_INPUTS (inputs), id);
}

/* The key path of the input that has the focus, with "reset " before it on the button beside it. */
static char *
focused_input (ShardwiseWindow *window)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));
  GtkWidget *row;

  g_assert_nonnull (focus);
  row = gtk_widget_get_ancestor (focus, SHARDWISE_TYPE_INPUT_ROW);
  g_assert_true (focus != row); /* what is typed there is lost */
  return g_strconcat (GTK_IS_BUTTON (focus) ? "reset " : "",
                      shardwise_input_row_get_key (SHARDWISE_INPUT_ROW (row))->path, NULL);
}

/* Tab goes from one entry straight to the next, so that nobody types beside them; on the way back
 * there is a stop at what resets each. */
static void
test_inputs (Fixture *fixture, gconstpointer data)
{
  static const char *const stops[] = {
    "training.sequence_length",   "training.global_batch_size",       "training.tokens",
    "training.global_batch_size", "reset training.global_batch_size", "training.sequence_length",
  };
  GtkWidget *window = GTK_WIDGET (fixture->window);

  open_text (fixture->window, job);
  activate (fixture->window, "apply",
            one_change ("training.global_batch_size", g_variant_new_int32 (96)));
  gtk_window_set_default_size (GTK_WINDOW (window), 1200, 800); /* the inputs are beside the page */
  gtk_window_present (GTK_WINDOW (window));
  gtk_test_widget_wait_for_draw (window);
  gtk_widget_grab_focus (shardwise_input_row_get_control (
      find_row (fixture->window, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH)));
  for (guint i = 0; i < G_N_ELEMENTS (stops); i++)
    {
      g_autofree char *path = focused_input (fixture->window);

      g_assert_cmpstr (path, ==, stops[i]);
      gtk_widget_child_focus (window, i < 2 ? GTK_DIR_TAB_FORWARD : GTK_DIR_TAB_BACKWARD);
    }
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;
  ADD ("/windows/compare", test_other_window);
  ADD ("/keyboard/pages", test_pages);
  ADD ("/keyboard/windows", test_windows);
  ADD ("/keyboard/inputs", test_inputs);
  return g_test_run ();
}
