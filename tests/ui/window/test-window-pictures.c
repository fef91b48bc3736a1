/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The windows beside the main one (playbook, run journal, manual) in the states in which they are
 * looked at: pictures in the build directory. What is tested is that nothing is wider than its
 * window, and that GTK warns of nothing. */
#include "ui-fixture.h"

#include "shardwise-journal.h"
#include "shardwise-journal-fit.h"
#include "shardwise-journal-view.h"
#include "shardwise-manual-window.h"
#include "shardwise-plan-view.h"
#include "shardwise-playbook-row.h"
#include "shardwise-playbook-view.h"

typedef struct {
  char *directory;
  ShardwiseAdvisor *advisor;
  ShardwiseJournal *journal;
} Fixture;

typedef struct {
  const char *name;
  GtkWidget *(*window_new) (Fixture *fixture);
  gboolean (*is_ready) (GtkWidget *window);
  int height;
} Kind;

/* ---- the windows ---- */

static GtkWidget *
playbook_new (Fixture *fixture)
{
  return ui_window_of (shardwise_playbook_view_new (NULL, fixture->advisor));
}

/* What following a rule would give is worked out after the window is there. */
static gboolean
says_what_it_gives (GtkWidget *widget, gconstpointer unused)
{
  return SHARDWISE_IS_PLAYBOOK_ROW (widget)
         && strstr (adw_expander_row_get_subtitle (ADW_EXPANDER_ROW (widget)), "Model prediction")
                != NULL;
}

static gboolean
playbook_is_ready (GtkWidget *widget)
{
  return ui_find_match (widget, says_what_it_gives, NULL) != NULL;
}

static GtkWidget *
journal_new (Fixture *fixture)
{
  return ui_window_of (shardwise_journal_view_new (fixture->journal, fixture->advisor, NULL));
}

static gboolean
journal_is_ready (GtkWidget *window)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (
                        ui_child (ui_find (window, SHARDWISE_TYPE_JOURNAL_VIEW), "stack")),
                    "runs")
         == 0;
}

static GtkWidget *
machine_new (Fixture *fixture)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();

  shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPU, g_variant_new_string ("rtx-4090"),
                          NULL);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int64 (1), NULL);
  return shardwise_plan_window_new (scenario);
}

static GtkWidget *
needs_new (Fixture *fixture)
{
  GtkWidget *window = machine_new (fixture);

  adw_view_stack_set_visible_child_name (ADW_VIEW_STACK (ui_find (window, ADW_TYPE_VIEW_STACK)),
                                         "model");
  return window;
}

/* The view that is seen has its answer. */
static gboolean
plan_is_ready (GtkWidget *window)
{
  GtkWidget *view = ui_find (
      adw_view_stack_get_visible_child (ADW_VIEW_STACK (ui_find (window, ADW_TYPE_VIEW_STACK))),
      SHARDWISE_TYPE_PLAN_VIEW);

  return gtk_widget_get_visible (ui_child (view, "answer_box"));
}

static GtkWidget *
contents_new (Fixture *fixture)
{
  return shardwise_manual_window_new ();
}

static GtkWidget *
formula_new (Fixture *fixture)
{
  GtkWidget *window = shardwise_manual_window_new ();

  shardwise_manual_window_open (SHARDWISE_MANUAL_WINDOW (window), "formula-activations");
  return window;
}

static GtkWidget *
table_new (Fixture *fixture)
{
  GtkWidget *window = shardwise_manual_window_new ();

  shardwise_manual_window_open (SHARDWISE_MANUAL_WINDOW (window), "accuracy");
  return window;
}

static gboolean
manual_is_ready (GtkWidget *window)
{
  return gtk_widget_get_mapped (window);
}

static const Kind kinds[] = {
  { "playbook", playbook_new, playbook_is_ready, 1200 },
  { "journal", journal_new, journal_is_ready, 1000 },
  { "plan-machine", machine_new, plan_is_ready, 1400 },
  { "plan-needs", needs_new, plan_is_ready, 1400 },
  { "manual", contents_new, manual_is_ready, 900 },
  { "manual-formula", formula_new, manual_is_ready, 900 },
  { "manual-table", table_new, manual_is_ready, 900 },
};

/* ---- the states ---- */

static void
take (Fixture *fixture, const Kind *kind, int width, const char *state)
{
  g_autofree char *name = g_strdup_printf ("window-%s-%d-%s", kind->name, width, state);
  GtkWidget *window = kind->window_new (fixture), *content;

  gtk_window_set_default_size (GTK_WINDOW (window), width, kind->height);
  gtk_window_present (GTK_WINDOW (window));
  wait_until (kind->is_ready (window));
  wait_until (gtk_widget_get_mapped (window));
  gtk_test_widget_wait_for_draw (window);
  content = adw_window_get_content (ADW_WINDOW (window));
  cairo_surface_destroy (ui_picture (content, name));
  g_assert_cmpint (gtk_widget_get_width (content), <=, width); /* without a frame */
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
take_all (Fixture *fixture, const char *state, int least_width)
{
  static const int widths[] = { 360, 720, 1600 };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    for (guint k = 0; k < G_N_ELEMENTS (widths); k++)
      if (widths[k] >= least_width)
        take (fixture, &kinds[i], widths[k], state);
}

static void
test_schemes (Fixture *fixture, gconstpointer data)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  const gboolean contrast = adw_style_manager_get_high_contrast (manager);

  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_LIGHT);
  take_all (fixture, contrast ? "high-contrast" : "light", 0);
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  take_all (fixture, contrast ? "high-contrast-dark" : "dark", 0);
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_DEFAULT);
}

static void
test_right_to_left (Fixture *fixture, gconstpointer data)
{
  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  take_all (fixture, "right-to-left", 0);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

/* From 720 pixels on; what is narrower is cut by the screen. */
static void
test_large_text (Fixture *fixture, gconstpointer data)
{
  GtkSettings *settings = gtk_settings_get_default ();
  int dpi;

  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  take_all (fixture, "large-text", 720);
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
}

/* ---- the job and its runs ---- */

static void
add_run (ShardwiseJournalDatabase *database, const char *name, const char *strategy, double step_s,
         double memory_gib)
{
  ShardwiseJournalRun *run = shardwise_journal_run_new ();
  g_autoptr (GError) error = NULL;

  g_free (run->name);
  run->name = g_strdup (name);
  g_free (run->scenario);
  run->scenario = g_strdup_printf (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 16}, \"training\": "
      "{\"sequence_length\": 8192, \"global_batch_size\": 128, \"micro_batch_size\": 1}, "
      "\"strategy\": {%s}}",
      strategy);
  run->step_s = step_s;
  run->memory_gib = memory_gib;
  shardwise_journal_database_save (database, run, &error);
  g_assert_no_error (error);
  shardwise_journal_run_free (run);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ShardwiseJournalDatabase) database = NULL;
  g_autofree char *file = NULL;

  fixture->advisor = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 32}}");
  fixture->directory = g_dir_make_tmp ("shardwise-XXXXXX", NULL);
  file = g_build_filename (fixture->directory, "journal.db", NULL);
  database = shardwise_journal_database_open (file, NULL);
  g_assert_nonnull (database);
  add_run (database, "First try", "\"tp\": 2, \"pp\": 1", 11.5, 0);
  add_run (database, "After the new driver, with the colleagues’ data loader and ZeRO 1",
           "\"tp\": 1, \"pp\": 2", 10.9, 61);
  add_run (database, "Slow file system", "\"tp\": 4, \"pp\": 1", 19.25, 40.5);
  add_run (database, "", "\"tp\": 8, \"pp\": 1", 0, 31.2);
  fixture->journal = shardwise_journal_new (file);
  shardwise_journal_read_async (fixture->journal, FALSE, NULL, NULL);
  wait_until (shardwise_journal_get_runs (fixture->journal)->len == 4);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_object_unref (fixture->journal);
  g_object_unref (fixture->advisor);
  remove_tree (fixture->directory);
  g_free (fixture->directory);
}

#define ADD(name, test) g_test_add (name, Fixture, NULL, set_up, test, tear_down)

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  ADD ("/window-pictures/schemes", test_schemes);
  if (!adw_style_manager_get_high_contrast (adw_style_manager_get_default ()))
    {
      ADD ("/window-pictures/right-to-left", test_right_to_left);
      ADD ("/window-pictures/large-text", test_large_text);
    }
  return g_test_run ();
}
