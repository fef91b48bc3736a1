/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sessions-fixture.h"
#include "shardwise-ask-panel.h"

/* Nothing of a document is lost when the program ends: by a crash, by quitting, at any moment. */

/* Unsaved edits come back as such, are told of, and can be given up, and that taken back; figures
 * are calibrated as they were. */
static void
test_edits (Fixture *fixture, gconstpointer data)
{
  static const ShardwiseFactors factors = { 0.933, 1.25, 1.007 };
  ShardwiseFactors restored;
  ShardwiseWindow *second;
  ShardwiseScenario *scenario;

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-70b-32"));
  edit (fixture->window, 48);
  shardwise_scenario_set_factors (shardwise_window_get_scenario (fixture->window), &factors);
  shardwise_window_keep_session (fixture->window);
  lose (fixture, fixture->window);

  second = new_window (fixture);
  shardwise_window_restore_session_soon (second);
  g_assert_false (shardwise_window_is_unused (second));
  wait_until (shardwise_window_get_scenario (second) != NULL);
  scenario = shardwise_window_get_scenario (second);
  g_assert_cmpfloat (get_number (second, SHARDWISE_KEY_CLUSTER_GPUS), ==, 48);
  g_assert_true (shardwise_scenario_get_modified (scenario));
  restored = shardwise_scenario_get_factors (scenario);
  g_assert_true (shardwise_factors_equal (&restored, &factors));
  g_assert_nonnull (banner_text (second));
  activate (second, "discard-restored", NULL);
  g_assert_null (banner_text (second));
  g_assert_cmpfloat (get_number (second, SHARDWISE_KEY_CLUSTER_GPUS), ==, 32);
  g_assert_false (shardwise_scenario_get_modified (scenario));
  activate (second, "undo", NULL);
  g_assert_cmpfloat (get_number (second, SHARDWISE_KEY_CLUSTER_GPUS), ==, 48);
}

/* A name without Enter and a number that is refused are no part of the scenario, and yet kept. */
static void
test_typed (Fixture *fixture, gconstpointer data)
{
  GtkEditable *name = ui_child (GTK_WIDGET (get_inputs (fixture->window)), "name_label");
  ShardwiseWindow *second;
  g_autofree char *restored = NULL;

  activate (fixture->window, "start", NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (fixture->window));
  gtk_editable_label_start_editing (GTK_EDITABLE_LABEL (name));
  gtk_editable_set_text (name, "half a na");
  gtk_editable_set_text (get_entry (fixture->window, SHARDWISE_KEY_CLUSTER_GPUS), "12x");
  gtk_editable_set_text (get_entry (fixture->window, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH),
                         "12k");
  shardwise_window_keep_session (fixture->window);
  lose (fixture, fixture->window);

  second = restore (fixture);
  g_object_get (shardwise_window_get_scenario (second), "name", &restored, NULL);
  g_assert_cmpstr (restored, ==, "half a na");
  g_assert_cmpstr (gtk_editable_get_text (get_entry (second, SHARDWISE_KEY_CLUSTER_GPUS)), ==,
                   "12x");
  g_assert_nonnull (banner_text (second));
  wait_until (get_number (second, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH) == 12288);
  g_assert_cmpfloat (get_number (second, SHARDWISE_KEY_CLUSTER_GPUS), ==, 8);
}

static GtkEditable *
get_question (ShardwiseWindow *window)
{
  return ui_child (ui_find (GTK_WIDGET (window), SHARDWISE_TYPE_ASK_PANEL), "entry");
}

/* A question that was not asked yet is there again; it is no edit, and once asked it is gone. */
static void
test_question (Fixture *fixture, gconstpointer data)
{
  ShardwiseWindow *second, *third;

  activate (fixture->window, "start", NULL);
  gtk_editable_set_text (get_question (fixture->window), "what if I use");
  shardwise_window_keep_session (fixture->window);
  lose (fixture, fixture->window);
  second = restore (fixture);
  g_assert_cmpstr (gtk_editable_get_text (get_question (second)), ==, "what if I use");
  g_assert_null (banner_text (second));
  gtk_editable_set_text (get_question (second), "");
  shardwise_window_keep_session (second);
  lose (fixture, second);
  third = restore (fixture);
  g_assert_cmpstr (gtk_editable_get_text (get_question (third)), ==, "");
}

/* What a job's file said is there after a restart. */
static void
test_import (Fixture *fixture, gconstpointer data)
{
  static const char *const script = "{\"train_micro_batch_size_per_gpu\": 2, \"moe\": {}}";
  ShardwiseWindow *second;
  GtkWidget *list;

  g_assert_true (shardwise_window_open_text (fixture->window, script, -1, "ds.json"));
  shardwise_window_keep_session (fixture->window);
  lose (fixture, fixture->window);
  second = restore (fixture);
  list = ui_find (GTK_WIDGET (second), g_type_from_name ("ShardwiseDiagnosisView"));
  g_assert_nonnull (list);
  wait_until (gtk_widget_get_mapped (list));
  g_assert_true (shardwise_scenario_get_modified (shardwise_window_get_scenario (second)));
  g_assert_false (is_enabled (second, "undo")); /* nothing came before the job */
}

/* Each window has its own; one that is closed alone does not come back, the last one does, without
 * a word about a crash; and no longer once another document was begun. */
static void
test_windows (Fixture *fixture, gconstpointer data)
{
  ShardwiseWindow *second = new_window (fixture), *third;

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-70b-32"));
  activate (second, "open-example", g_variant_new_string ("llama-3-8b-8"));
  shardwise_window_keep_session (fixture->window);
  shardwise_window_keep_session (second);
  g_assert_cmpuint (count_drafts (), ==, 2);
  gtk_window_close (GTK_WINDOW (second));
  wait_until (count_drafts () == 1); /* a thread may still write to it */
  gtk_window_close (GTK_WINDOW (fixture->window));
  g_assert_cmpuint (count_drafts (), ==, 1);

  third = restore (fixture);
  g_assert_cmpfloat (get_number (third, SHARDWISE_KEY_CLUSTER_GPUS), ==, 32);
  g_assert_null (banner_text (third));
  gtk_window_close (GTK_WINDOW (third));
  wait_until (count_windows (fixture, NULL) == 0);
  third = new_window (fixture);
  activate (third, "open-example", g_variant_new_string ("llama-3-8b-8"));
  shardwise_window_keep_session (third);
  g_assert_cmpuint (count_drafts (), ==, 1);
}

/* All that were open come back. */
static void
test_both (Fixture *fixture, gconstpointer data)
{
  ShardwiseWindow *second = new_window (fixture), *third;
  GList *windows;
  double sum = 0;

  activate (fixture->window, "start", NULL);
  activate (second, "start", NULL);
  edit (fixture->window, 100);
  edit (second, 1000);
  shardwise_window_keep_session (fixture->window);
  shardwise_window_keep_session (second);
  lose (fixture, fixture->window);
  lose (fixture, second);
  third = restore (fixture);
  g_assert_cmpfloat (get_number (third, SHARDWISE_KEY_CLUSTER_GPUS), ==, 1000);
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 2);
  windows = gtk_application_get_windows (GTK_APPLICATION (fixture->application));
  for (GList *link = windows; link != NULL; link = link->next)
    sum += get_number (link->data, SHARDWISE_KEY_CLUSTER_GPUS);
  g_assert_cmpfloat (sum, ==, 1100);
}

/* A program started with a file shows what a crash left, and nothing that was only open. */
static void
test_start_with_file (Fixture *fixture, gconstpointer data)
{
  ShardwiseWindow *second = new_window (fixture);
  g_autoptr (GFile) file =
      write_file (fixture, "mine.shardwise",
                  HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 16}}");

  activate (fixture->window, "start", NULL);
  activate (second, "start", NULL);
  edit (second, 1000);
  shardwise_window_keep_session (fixture->window);
  shardwise_window_keep_session (second);
  lose (fixture, fixture->window);
  lose (fixture, second);
  g_application_open (G_APPLICATION (fixture->application), &file, 1, "");
  wait_until (count_windows (fixture, file) == 1);
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 2);
  for (GList *link = gtk_application_get_windows (GTK_APPLICATION (fixture->application));
       link != NULL; link = link->next)
    g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (link->data, "main_stack")), ==,
                     "work");
}

/* What cannot be read is told of and kept; the start page is there. */
static void
test_corrupt (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = drafts_folder ();
  g_autofree char *bad = g_build_filename (folder, "bad.json", NULL);
  g_autofree char *kept = g_build_filename (folder, "bad.unreadable", NULL);
  static const char *const texts[] = {
    "\x01\x02",
    "{\"format\": \"shardwise-draft\"}",
    "{\"format\": \"shardwise-draft\", \"saved\": \"{\", \"edited\": \"nonsense\"}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_mkdir_with_parents (folder, 0700);
      g_assert_true (g_file_set_contents (bad, texts[i], -1, NULL));
      g_assert_false (shardwise_window_restore_session (fixture->window, FALSE));
      dismiss_dialog (fixture, kept);
      g_assert_true (shardwise_window_is_unused (fixture->window));
      g_assert_true (g_file_test (kept, G_FILE_TEST_EXISTS));
    }
}

/* A draft whose saved half is damaged still gives its edits. */
static void
test_half (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = drafts_folder ();
  g_autofree char *path = g_build_filename (folder, "half.json", NULL);

  g_mkdir_with_parents (folder, 0700);
  g_assert_true (g_file_set_contents (
      path,
      "{\"format\": \"shardwise-draft\", \"saved\": \"\", \"typed\": {\"no.row\": \"1\"}, "
      "\"edited\": "
      "\"{\\\"format\\\": \\\"shardwise-scenario\\\", \\\"version\\\": 1, \\\"model\\\": "
      "{\\\"preset\\\": \\\"llama-3-8b\\\"}, \\\"cluster\\\": {\\\"gpus\\\": 24}}\"}",
      -1, NULL));
  g_assert_true (shardwise_window_restore_session (fixture->window, FALSE));
  g_assert_cmpfloat (get_number (fixture->window, SHARDWISE_KEY_CLUSTER_GPUS), ==, 24);
}

static guint
count_dialogs_of (ShardwiseWindow *window)
{
  AdwMessageDialog *dialog = find_dialog ();

  return dialog != NULL
         && gtk_window_get_transient_for (GTK_WINDOW (dialog)) == GTK_WINDOW (window);
}

/* Quitting asks each window before the first one closes; Cancel keeps them all. */
static void
test_quit (Fixture *fixture, gconstpointer data)
{
  GActionGroup *application = G_ACTION_GROUP (fixture->application);
  ShardwiseWindow *second = new_window (fixture);
  ShardwiseWindow *first = fixture->window;

  activate (first, "start", NULL);
  activate (second, "start", NULL);
  edit (first, 100);
  edit (second, 1000);
  for (guint round = 0; round < 2; round++)
    {
      g_action_group_activate_action (application, "quit", NULL);
      g_action_group_activate_action (application, "quit", NULL); /* pressed twice: one question */
      g_assert_cmpuint (count_dialogs_of (first) + count_dialogs_of (second), ==, 1);
      answer ("discard");
      g_assert_cmpuint (count_dialogs_of (first) + count_dialogs_of (second), ==, 1);
      g_assert_cmpuint (count_windows (fixture, NULL), ==, 2);
      answer (round == 0 ? "cancel" : "discard");
    }
  wait_until (count_windows (fixture, NULL) == 0);
  g_assert_cmpuint (count_drafts (), ==, 2);
  second = restore (fixture);
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 2);
  g_assert_cmpfloat (get_number (second, SHARDWISE_KEY_CLUSTER_GPUS), ==, 8);
  g_assert_null (banner_text (second));
}

/* A window that its own question lets go is freed while the dialog is still there, which leaves no
 * trace of it. */
static void
test_discard (Fixture *fixture, gconstpointer data)
{
  ShardwiseWindow *second = new_window (fixture);
  GWeakRef weak;
  GtkWidget *button;

  activate (second, "start", NULL);
  edit (second, 100);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (second));
  g_weak_ref_init (&weak, second);
  gtk_window_close (GTK_WINDOW (second));
  button = ui_find_button (GTK_WIDGET (find_dialog ()), "_Discard");
  g_signal_emit_by_name (button, "clicked");
  ui_await_gone (&weak);
  g_assert_false (has_dialog ());
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 1);
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;

  ADD ("/sessions/edits", test_edits);
  ADD ("/sessions/typed", test_typed);
  ADD ("/sessions/question", test_question);
  ADD ("/sessions/import", test_import);
  ADD ("/sessions/windows", test_windows);
  ADD ("/sessions/both", test_both);
  ADD ("/sessions/start-with-file", test_start_with_file);
  ADD ("/sessions/corrupt", test_corrupt);
  ADD ("/sessions/half", test_half);
  ADD ("/sessions/quit", test_quit);
  ADD ("/sessions/discard", test_discard);
  return g_test_run ();
}
