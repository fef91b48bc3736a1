/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run journal, a section of Why: a run is pasted from a log, held against the model, and calibrates
 * a scenario when the user wants it. */
#include "window-fixture.h"

#include "notifications.h"
#include "shardwise-config.h"
#include "shardwise-draft.h"
#include "shardwise-journal-editor.h"
#include "shardwise-journal-view.h"
#include "ui-fixture.h"

static GFile *
example (Fixture *fixture)
{
  g_autofree char *path = g_build_filename (fixture->directory, "job.shardwise", NULL);
  static const char json[] =
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"name\": \"Mine\", \"model\": "
      "{\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 8}, "
      "\"training\": {\"sequence_length\": 8192, \"global_batch_size\": 64}}";

  g_assert_true (g_file_set_contents (path, json, -1, NULL));
  return g_file_new_for_path (path);
}

static void
open_example (Fixture *fixture)
{
  g_autoptr (GFile) file = example (fixture);

  gtk_window_present (GTK_WINDOW (fixture->window));
  shardwise_window_open_file (fixture->window, file);
  wait_until (g_str_equal (get_status (fixture->window), "ready"));
}

static GtkWidget *
show_journal (Fixture *fixture)
{
  g_action_group_activate_action (G_ACTION_GROUP (fixture->window), "journal", NULL);
  wait_until (ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_JOURNAL_VIEW) != NULL);
  return ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_JOURNAL_VIEW);
}

static const char *
visible_child (GtkWidget *journal)
{
  const char *name = gtk_stack_get_visible_child_name (ui_child (journal, "stack"));

  return name != NULL ? name : "";
}

static GtkWidget *
open_editor (GtkWidget *journal)
{
  GtkWidget *editor;

  gtk_widget_activate_action (journal, "journal.add", NULL);
  wait_until (ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR) != NULL);
  editor = ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR);
  g_assert_nonnull (ui_find_match (editor, ui_is_label_saying, "TP\302\240")); /* unbroken */
  return editor;
}

/* Adds a run from a line of a log. */
static void
add_run (GtkWidget *journal, const char *log)
{
  GtkWidget *editor = open_editor (journal);

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (ui_child (editor, "log")), log, -1);
  g_assert_true (gtk_widget_get_sensitive (ui_child (editor, "save")));
  g_signal_emit_by_name (ui_child (editor, "save"), "clicked");
  wait_until (ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR) == NULL);
}

static gboolean
is_calibrated (Fixture *fixture)
{
  ShardwiseFactors factors =
      shardwise_scenario_get_factors (shardwise_window_get_scenario (fixture->window));

  return !shardwise_factors_are_neutral (&factors);
}

static gboolean
has_factors (ShardwiseScenario *scenario, const ShardwiseFactors *wanted)
{
  const ShardwiseFactors factors = shardwise_scenario_get_factors (scenario);

  return shardwise_factors_equal (&factors, wanted);
}

static gboolean
is_row_saying (GtkWidget *widget, gconstpointer part)
{
  return ADW_IS_ACTION_ROW (widget) && adw_action_row_get_subtitle (ADW_ACTION_ROW (widget)) != NULL
         && strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (widget)), part) != NULL;
}

static gboolean
says (GtkWidget *widget, const char *part)
{
  return ui_find_match (widget, is_row_saying, part) != NULL;
}

static const char *
entered (GtkWidget *editor, const char *name)
{
  return gtk_editable_get_text (ui_child (editor, name));
}

/* From nothing to a calibrated scenario, which stays so when it is opened again. */
static void
test_calibrate (Fixture *fixture, gconstpointer data)
{
  GtkWidget *journal, *editor;
  ShardwiseScenario *scenario;
  ShardwiseFactors factors;
  g_autoptr (GFile) file = example (fixture);

  open_example (fixture);
  journal = show_journal (fixture);
  wait_until (g_str_equal (visible_child (journal), "empty"));
  editor = open_editor (journal);
  g_assert_false (gtk_widget_get_sensitive (ui_child (editor, "save"))); /* nothing was measured */
  ui_take_picture (editor, "journal-editor");
  gtk_window_destroy (GTK_WINDOW (editor));

  add_run (journal,
           "iteration 10/20 | elapsed time per iteration (ms): 9000.0 | global batch size: "
           "  64 |\n");
  wait_until (g_str_equal (visible_child (journal), "runs"));
  wait_until (says (journal, "9.00 s measured"));
  g_assert_false (is_calibrated (fixture)); /* never unasked */
  gtk_switch_set_active (ui_child (journal, "calibrate"), TRUE);
  g_assert_true (is_calibrated (fixture));
  g_assert_false (
      shardwise_scenario_get_modified (shardwise_window_get_scenario (fixture->window)));

  shardwise_window_open_file (fixture->window, file);
  wait_until (is_calibrated (fixture));
  scenario = shardwise_window_get_scenario (fixture->window);
  factors = shardwise_scenario_get_factors (scenario);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPU,
                          g_variant_new_string ("b200-180-sxm"), NULL);
  journal = show_journal (fixture);
  wait_until (g_str_equal (visible_child (journal), "runs"));
  /* The GPU has a run of its own now, and the other one the factors that it had. */
  wait_until (g_str_equal (get_status (fixture->window), "ready"));
  add_run (journal, "iteration 10/20 | elapsed time per iteration (ms): 900.0 | global batch size: "
                    "  64 |\n");
  wait_until (says (journal, "900 ms measured"));
  wait_until (!has_factors (scenario, &factors));
  shardwise_window_set_page (fixture->window, "advice"); /* the journal is not seen */
  shardwise_scenario_undo (scenario);
  wait_until (has_factors (scenario, &factors));
  journal = show_journal (fixture);
  wait_until (g_str_equal (visible_child (journal), "runs"));
  gtk_switch_set_active (ui_child (journal, "calibrate"), FALSE);
  g_assert_false (is_calibrated (fixture));
}

/* A log with another batch, and invalid figures, are reported in their row. While the advice is
 * missing, no run can be added, because its strategy would belong to other inputs. */
static void
test_wrong (Fixture *fixture, gconstpointer data)
{
  GtkWidget *journal, *editor;

  open_example (fixture);
  journal = show_journal (fixture);
  shardwise_advisor_evaluate (shardwise_window_get_advisor (fixture->window));
  gtk_widget_activate_action (journal, "journal.add", NULL);
  g_assert_null (ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR));
  wait_until (g_str_equal (get_status (fixture->window), "ready"));
  editor = open_editor (journal);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (ui_child (editor, "log")), "hello", -1);
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (editor, "log_said")), "allowed"));
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (ui_child (editor, "log")),
                            "elapsed time per iteration (ms): 9000.0 | global batch size: 512 |",
                            -1);
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (editor, "log_said")), "512"));
  g_assert_false (gtk_widget_get_sensitive (ui_child (editor, "save"))); /* of another job */
  gtk_editable_set_text (ui_child (editor, "step"), "fast");
  g_assert_true (gtk_widget_has_css_class (ui_child (editor, "step"), "error"));
  g_assert_true (gtk_revealer_get_reveal_child (ui_child (editor, "error_revealer")));
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (editor, "error")), "“fast” is not an "
                                                                              "amount"));
  g_assert_false (gtk_widget_get_sensitive (ui_child (editor, "save")));
  gtk_editable_set_text (ui_child (editor, "step"), "9,5");
  g_assert_false (gtk_revealer_get_reveal_child (ui_child (editor, "error_revealer")));
  gtk_editable_set_text (ui_child (editor, "day"), "2026-02-30");
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (editor, "error")), "“2026-02-30” is not "
                                                                              "a date"));
  g_assert_null (strchr (gtk_label_get_label (ui_child (editor, "error")), '_')); /* no mnemonic */
  g_assert_true (gtk_widget_has_css_class (ui_child (editor, "day"), "error"));
  g_assert_false (gtk_widget_get_sensitive (ui_child (editor, "save")));
}

/* What one log said is not taken for what the next one says; what was typed stays. */
static void
test_next_log (Fixture *fixture, gconstpointer data)
{
  GtkWidget *editor;
  GtkTextBuffer *log;

  open_example (fixture);
  editor = open_editor (show_journal (fixture));
  log = gtk_text_view_get_buffer (ui_child (editor, "log"));
  gtk_text_buffer_set_text (log,
                            "iteration 10/20 | elapsed time per iteration (ms): 9000.0 | "
                            "global batch size: 64 | max reserved: 60000 |",
                            -1);
  g_assert_cmpstr (entered (editor, "step"), ==, "9");
  g_assert_cmpstr (entered (editor, "memory"), !=, "");
  gtk_text_buffer_set_text (log, "elapsed time per iteration (ms): 8000.0 |", -1);
  g_assert_cmpstr (entered (editor, "step"), ==, "8");
  g_assert_cmpstr (entered (editor, "memory"), ==, "");
  gtk_text_buffer_set_text (log, "", -1);
  g_assert_cmpstr (entered (editor, "step"), ==, "8");
  gtk_text_buffer_set_text (log, "no log at all", -1);
  g_assert_cmpstr (entered (editor, "step"), ==, "");
  gtk_editable_set_text (ui_child (editor, "memory"), "50");
  gtk_text_buffer_set_text (log, "elapsed time per iteration (ms): 7000.0 |", -1);
  g_assert_cmpstr (entered (editor, "memory"), ==, "50");
}

/* A row says of which job the run is, and a minus is one; what was removed comes back. */
static void
test_runs (Fixture *fixture, gconstpointer data)
{
  GtkWidget *journal;
  const char *errors;

  open_example (fixture);
  journal = show_journal (fixture);
  add_run (journal,
           "iteration 10/20 | elapsed time per iteration (ms): 9000.0 | global batch size:   64 | "
           "max reserved: 60000 |\n");
  wait_until (g_str_equal (visible_child (journal), "runs"));
  wait_until (says (journal, "58.6 GiB measured"));
  g_assert_true (says (journal, "Llama 3 8B on 8 H100 SXM5 80 GB, TP"));
  g_assert_true (says (journal, " (−"));
  g_assert_false (says (journal, "(-"));
  errors = adw_preferences_group_get_description (ui_child (journal, "calibration"));
  g_assert_nonnull (strstr (errors, "step time"));
  g_assert_nonnull (strstr (errors, "memory"));

  g_signal_emit_by_name (ui_find_button (journal, "Remove this run"), "clicked");
  wait_until (!says (journal, "58.6 GiB measured"));
  wait_until (ui_find_button (GTK_WIDGET (fixture->window), "_Undo") != NULL);
  g_signal_emit_by_name (ui_find_button (GTK_WIDGET (fixture->window), "_Undo"), "clicked");
  wait_until (says (journal, "58.6 GiB measured"));
}

/* The disk with the journal stalls: on its files alone. */
static char *
database_path (void)
{
  return g_build_filename (g_get_user_data_dir (), APPLICATION_ID, "journal.db", NULL);
}

/* Enters a run that took so long, and saves it. */
static GtkWidget *
save_run (GtkWidget *journal, const char *seconds)
{
  GtkWidget *editor = open_editor (journal);

  gtk_editable_set_text (ui_child (editor, "step"), seconds);
  g_signal_emit_by_name (ui_child (editor, "save"), "clicked");
  return editor;
}

/* The editor of a run that is being saved in the journal, on a disk that stalls. */
static GtkWidget *
begin_save (Fixture *fixture, const char *path, const char *seconds, GtkWidget **journal)
{
  GtkWidget *editor;

  open_example (fixture);
  *journal = show_journal (fixture);
  disk_stall (path);
  editor = save_run (*journal, seconds);
  disk_await ();
  return editor;
}

/* While the disk stalls nothing more can be entered; the editor closes when the run is there, and
 * asks where it is closed again meanwhile. */
static void
test_stalls (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = database_path ();
  GtkWidget *journal, *editor = begin_save (fixture, path, "17", &journal);

  g_assert_false (gtk_widget_get_sensitive (ui_child (editor, "page")));
  g_assert_false (gtk_widget_get_sensitive (ui_child (editor, "save")));
  gtk_window_close (GTK_WINDOW (editor));
  g_assert_false (has_dialog ());
  gtk_window_close (GTK_WINDOW (editor));
  g_assert_true (has_dialog ());
  answer ("cancel");
  g_assert_true (ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR) == editor);
  g_assert_false (says (journal, "17.0 s measured"));
  disk_go_on ();
  wait_until (ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR) == NULL);
  wait_until (says (journal, "17.0 s measured"));
}

static void
quit (Fixture *fixture)
{
  g_action_group_activate_action (G_ACTION_GROUP (fixture->application), "quit", NULL);
}

/* Quitting waits for the run, and says so where that takes its time; it goes on when the run is
 * there, or when the user does not want to wait, who loses nothing by that. */
static void
test_quit (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = database_path ();
  ShardwiseJournal *runs = shardwise_application_get_journal (fixture->application);
  GtkWidget *journal, *editor = begin_save (fixture, path, "20", &journal);
  const guint n = shardwise_journal_get_runs (runs)->len;

  quit (fixture);
  g_assert_false (has_dialog ());
  wait_until (has_dialog ());
  answer ("cancel");
  g_assert_true (ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR) == editor);
  quit (fixture);
  disk_go_on ();
  wait_until (is_closed (fixture));
  g_assert_false (has_dialog ());
  g_assert_cmpuint (shardwise_journal_get_runs (runs)->len, ==, n + 1);
}

static void
test_quit_anyway (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = database_path ();
  ShardwiseJournal *runs = shardwise_application_get_journal (fixture->application);
  GtkWidget *journal;
  guint n;

  begin_save (fixture, path, "21", &journal);
  n = shardwise_journal_get_runs (runs)->len;
  for (guint i = 0; i < 2; i++)
    quit (fixture);
  answer ("discard");
  wait_until (is_closed (fixture));
  disk_go_on ();
  wait_until (shardwise_journal_get_runs (runs)->len == n + 1);
}

/* The question goes where the disk fails before it is answered; what was entered stays. */
static void
test_quit_fails (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = database_path ();
  GtkWidget *journal, *editor = begin_save (fixture, path, "22", &journal);

  disk_break (path);
  for (guint i = 0; i < 2; i++)
    quit (fixture);
  g_assert_true (has_dialog ());
  disk_go_on ();
  wait_until (gtk_revealer_get_reveal_child (ui_child (editor, "error_revealer")));
  g_assert_false (has_dialog ());
  g_assert_cmpstr (gtk_editable_get_text (ui_child (editor, "step")), ==, "22");
  disk_break (NULL);
  gtk_window_close (GTK_WINDOW (editor));
  answer ("save");
  wait_until (ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR) == NULL);
  g_assert_false (is_closed (fixture)); /* quitting was given up */
}

static gboolean
can_remove (GtkWidget *journal)
{
  GtkWidget *button = ui_find_button (journal, "Remove this run");

  return button != NULL && gtk_widget_get_sensitive (button);
}

/* What a disk refuses can be tried again; of a window that is closed meanwhile it is told, too. */
static void
test_fails (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = database_path ();
  GtkWidget *journal, *editor;

  open_example (fixture);
  journal = show_journal (fixture);
  disk_break (path);
  editor = save_run (journal, "18");
  wait_until (gtk_revealer_get_reveal_child (ui_child (editor, "error_revealer")));
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (editor, "error")), path));
  g_assert_cmpstr (gtk_editable_get_text (ui_child (editor, "step")), ==, "18");
  g_assert_true (gtk_widget_get_sensitive (ui_child (editor, "page")));
  disk_break (NULL);
  g_signal_emit_by_name (ui_child (editor, "save"), "clicked");
  wait_until (ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR) == NULL);
  wait_until (says (journal, "18.0 s measured"));

  disk_break (path);
  g_signal_emit_by_name (ui_find_button (journal, "Remove this run"), "clicked");
  g_assert_false (can_remove (journal));
  wait_until (can_remove (journal));
  g_assert_true (says (journal, "18.0 s measured"));

  disk_stall (path);
  save_run (journal, "19");
  lose_window_of (fixture, SHARDWISE_TYPE_JOURNAL_EDITOR, "journal.db");
}

/* What a program that was killed left of a run that was being entered. */
static void
leave_draft (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), APPLICATION_ID, "editors",
                                              NULL);
  g_autoptr (ShardwiseDraft) draft = shardwise_draft_new (folder);
  g_autoptr (ShardwiseDraftContent) content = shardwise_draft_content_new ();
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  const char *const texts[] = { "log", "12.5", "half", "2", "Night", "2026-11-", "first" };
  GVariantBuilder typed;

  g_variant_builder_init (&typed, G_VARIANT_TYPE ("a{ss}"));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);

      g_variant_builder_add (&typed, "{ss}", number, texts[i]);
    }
  content->uri = g_strdup (SHARDWISE_JOURNAL_EDITOR_KIND);
  content->saved = shardwise_scenario_to_json (scenario);
  content->edited = g_strdup ("");
  content->said = g_strdup ("TP 8");
  content->typed = g_variant_ref_sink (g_variant_builder_end (&typed));
  g_assert_true (shardwise_draft_write (draft, content, NULL));
}

/* The editor is open again with every text, what is wrong still marked, and asks before it goes. */
static void
test_restored (Fixture *fixture, gconstpointer data)
{
  GtkWidget *editor;

  leave_draft ();
  gtk_window_present (GTK_WINDOW (fixture->window));
  shardwise_window_restore_session (fixture->window, FALSE);
  editor = ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR);
  g_assert_nonnull (editor);
  g_assert_cmpstr (entered (editor, "step"), ==, "12.5");
  g_assert_cmpstr (entered (editor, "memory"), ==, "half");
  g_assert_cmpuint (adw_combo_row_get_selected (ui_child (editor, "kind")), ==, 2);
  g_assert_cmpstr (entered (editor, "name"), ==, "Night");
  g_assert_cmpstr (entered (editor, "day"), ==, "2026-11-");
  g_assert_cmpstr (entered (editor, "note"), ==, "first");
  g_assert_false (gtk_widget_get_sensitive (ui_child (editor, "save")));

  gtk_window_close (GTK_WINDOW (editor));
  g_assert_nonnull (find_dialog ());
  answer ("discard");
  wait_until (ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR) == NULL);
  shardwise_window_restore_session (fixture->window, FALSE);
  g_assert_null (ui_find_window (SHARDWISE_TYPE_JOURNAL_EDITOR));
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;
  ADD ("/journal/calibrate", test_calibrate);
  ADD ("/journal/wrong", test_wrong);
  ADD ("/journal/next-log", test_next_log);
  ADD ("/journal/runs", test_runs);
  ADD ("/journal/stalls", test_stalls);
  ADD ("/journal/quit", test_quit);
  ADD ("/journal/quit-anyway", test_quit_anyway);
  ADD ("/journal/quit-fails", test_quit_fails);
  ADD ("/journal/fails", test_fails);
  ADD ("/journal/restored", test_restored);
  return g_test_run ();
}
