/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <signal.h>

#include "shardwise-ask-panel.h"
#include "shardwise-banner.h"
#include "shardwise-config.h"
#include "shardwise-editor-guard.h"
#include "shardwise-inputs.h"
#include "shardwise-note-editor.h"
#include "ui-fixture.h"
#include "window-fixture.h"

/* Nothing of a document is lost when the program ends: by a crash, by quitting, at any moment. */

static char *
state_folder (const char *name)
{
  return g_build_filename (g_get_user_state_dir (), APPLICATION_ID, name, NULL);
}

static char *
drafts_folder (void)
{
  return state_folder ("drafts");
}

static void
set_up_session (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = drafts_folder ();

  remove_tree (folder);
  set_up (fixture, data);
  gtk_window_present (GTK_WINDOW (fixture->window));
}

/* As a crash would: the window goes, and nobody is asked. */
static void
lose (Fixture *fixture, ShardwiseWindow *window)
{
  if (window == fixture->window)
    g_object_unref (g_steal_pointer (&fixture->window)); /* the application holds it, too */
  gtk_window_destroy (GTK_WINDOW (window));
}

/* On the screen: another is not closed but only gone. */
static ShardwiseWindow *
new_window (Fixture *fixture)
{
  ShardwiseWindow *window =
      shardwise_window_new (GTK_APPLICATION (fixture->application),
                            shardwise_application_get_settings (fixture->application));

  gtk_window_present (GTK_WINDOW (window));
  return window;
}

/* Waits until every thread that keeps something has let go of the draft, and restores. */
static ShardwiseWindow *
restore (Fixture *fixture)
{
  ShardwiseWindow *window = new_window (fixture);

  wait_until (shardwise_window_restore_session (window, FALSE));
  return window;
}

static double
get_number (ShardwiseWindow *window, const char *path)
{
  return shardwise_scenario_get_number (shardwise_window_get_scenario (window), path, 0);
}

static ShardwiseBanner *
get_banner (ShardwiseWindow *window)
{
  return SHARDWISE_BANNER (ui_find (GTK_WIDGET (window), SHARDWISE_TYPE_BANNER));
}

static void
edit (ShardwiseWindow *window, int gpus)
{
  activate (window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (gpus)));
}

static guint
count_in (const char *folder)
{
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    n += g_str_has_suffix (name, ".json");
  return n;
}

static guint
count_drafts (void)
{
  g_autofree char *folder = drafts_folder ();

  return count_in (folder);
}

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
  g_assert_cmpfloat (get_number (second, "cluster.gpus"), ==, 48);
  g_assert_true (shardwise_scenario_get_modified (scenario));
  restored = shardwise_scenario_get_factors (scenario);
  g_assert_true (shardwise_factors_equal (&restored, &factors));
  g_assert_nonnull (shardwise_banner_get_text (get_banner (second)));
  activate (second, "discard-restored", NULL);
  g_assert_null (shardwise_banner_get_text (get_banner (second)));
  g_assert_cmpfloat (get_number (second, "cluster.gpus"), ==, 32);
  g_assert_false (shardwise_scenario_get_modified (scenario));
  activate (second, "undo", NULL);
  g_assert_cmpfloat (get_number (second, "cluster.gpus"), ==, 48);
}

static ShardwiseInputs *
get_inputs (ShardwiseWindow *window)
{
  return SHARDWISE_INPUTS (ui_find (GTK_WIDGET (window), SHARDWISE_TYPE_INPUTS));
}

static GtkEditable *
get_entry (ShardwiseWindow *window, const char *path)
{
  ShardwiseInputRow *row = shardwise_inputs_find_row (get_inputs (window), path);

  return GTK_EDITABLE (shardwise_input_row_get_control (row));
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
  gtk_editable_set_text (get_entry (fixture->window, "cluster.gpus"), "12x");
  gtk_editable_set_text (get_entry (fixture->window, "training.sequence_length"), "12k");
  shardwise_window_keep_session (fixture->window);
  lose (fixture, fixture->window);

  second = restore (fixture);
  g_object_get (shardwise_window_get_scenario (second), "name", &restored, NULL);
  g_assert_cmpstr (restored, ==, "half a na");
  g_assert_cmpstr (gtk_editable_get_text (get_entry (second, "cluster.gpus")), ==, "12x");
  g_assert_nonnull (shardwise_banner_get_text (get_banner (second)));
  wait_until (get_number (second, "training.sequence_length") == 12288);
  g_assert_cmpfloat (get_number (second, "cluster.gpus"), ==, 8);
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
  g_assert_null (shardwise_banner_get_text (get_banner (second)));
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
  g_assert_cmpfloat (get_number (third, "cluster.gpus"), ==, 32);
  g_assert_null (shardwise_banner_get_text (get_banner (third)));
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
  g_assert_cmpfloat (get_number (third, "cluster.gpus"), ==, 1000);
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 2);
  windows = gtk_application_get_windows (GTK_APPLICATION (fixture->application));
  for (GList *link = windows; link != NULL; link = link->next)
    sum += get_number (link->data, "cluster.gpus");
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
  g_assert_cmpfloat (get_number (fixture->window, "cluster.gpus"), ==, 24);
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
  g_assert_cmpfloat (get_number (second, "cluster.gpus"), ==, 8);
  g_assert_null (shardwise_banner_get_text (get_banner (second)));
}

/* ---- kill -9 ---- */

#define KEY_MS 120 /* less than what a draft waits for, and no load by itself */
#define N_CHILDREN 3
#define LOSS_S 2.0

typedef struct
{
  ShardwiseWindow *window;
  GtkWidget *editor;
  const char *prefix;
  guint n;
} Typist;

/* One more letter of a name that is never finished, of a note, and another number, without a
 * pause. */
static gboolean
type_cb (gpointer data)
{
  Typist *typist = data;
  GtkEditable *name = ui_child (GTK_WIDGET (get_inputs (typist->window)), "name_label");
  g_autofree char *letters = g_strnfill (++typist->n, 'x');
  g_autofree char *text = g_strconcat (typist->prefix, letters, NULL);
  g_autofree char *number = g_strdup_printf ("%u", typist->n);

  gtk_editable_label_start_editing (GTK_EDITABLE_LABEL (name)); /* another window took the focus */
  gtk_editable_set_text (name, text);
  gtk_editable_set_text (ui_child (typist->editor, "title"), text);
  gtk_editable_set_text (get_entry (typist->window, "training.sequence_length"), number);
  g_print ("%u %" G_GINT64_FORMAT "\n", typist->n, g_get_monotonic_time ());
  return G_SOURCE_CONTINUE;
}

/* The program in a process of its own, with somebody who types until it is killed. */
static int
run_typist (const char *prefix)
{
  g_autoptr (ShardwiseApplication) application = NULL;
  Typist typist = { .prefix = prefix };

  gtk_init ();
  application = start_application ();
  g_application_activate (G_APPLICATION (application));
  typist.window =
      SHARDWISE_WINDOW (gtk_application_get_active_window (GTK_APPLICATION (application)));
  activate (typist.window, "start", NULL);
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (get_inputs (typist.window))));
  typist.editor =
    shardwise_note_editor_new (shardwise_application_get_notes (application, NULL), NULL);
  shardwise_editor_present (GTK_WINDOW (typist.editor), GTK_WINDOW (typist.window));
  g_timeout_add (KEY_MS, type_cb, &typist);
  while (typist.n < 10000) /* nobody kills it: the test is gone */
    g_main_context_iteration (NULL, TRUE);
  return 1;
}

typedef struct
{
  GSubprocess *process;
  GDataInputStream *lines;
  GArray *times; /* of gint64: of each letter */
  guint n_letters; /* after which it is killed */
  gint64 killed_at;
  guint at_most, at_least; /* letters that must be there again */
} Victim;

static void
take_line (Victim *victim, const char *line)
{
  const gint64 at = g_ascii_strtoll (strchr (line, ' '), NULL, 10);

  g_array_append_val (victim->times, at);
  g_assert_cmpuint (victim->times->len, ==, (guint)g_ascii_strtoull (line, NULL, 10));
}

/* A letter; it is killed when it has typed enough. */
static void
typing_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Victim *victim = data;
  g_autofree char *line = g_data_input_stream_read_line_finish (victim->lines, result, NULL, NULL);

  g_assert_nonnull (line);
  take_line (victim, line);
  if (victim->times->len < victim->n_letters)
    {
      g_data_input_stream_read_line_async (victim->lines, G_PRIORITY_DEFAULT, NULL, typing_cb,
                                           victim);
      return;
    }
  g_subprocess_send_signal (victim->process, SIGKILL);
  victim->killed_at = g_get_monotonic_time ();
}

static void
start_victim (Victim *victim, char prefix, guint n_letters)
{
  const char word[] = { prefix, '\0' };
  g_autoptr (GError) error = NULL;

  victim->process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, "/proc/self/exe",
                                      "--type", word, NULL);
  g_assert_no_error (error);
  victim->lines =
      g_data_input_stream_new (g_subprocess_get_stdout_pipe (victim->process));
  victim->times = g_array_new (FALSE, FALSE, sizeof (gint64));
  victim->n_letters = n_letters;
  g_data_input_stream_read_line_async (victim->lines, G_PRIORITY_DEFAULT, NULL, typing_cb, victim);
}

/* How much slower than it should a machine that has too much to do lets somebody type. */
static double
slowness (const Victim *victim)
{
  const gint64 *times = (const gint64 *)(gpointer)victim->times->data;
  const guint last = victim->n_letters - 1;

  return MAX (1, (double)(times[last] - times[0]) / (last * KEY_MS * 1000.0));
}

/* What it said before it was killed. */
static void
read_victim (Victim *victim)
{
  char *line;
  double may_be_lost;

  g_subprocess_wait (victim->process, NULL, NULL);
  while ((line = g_data_input_stream_read_line (victim->lines, NULL, NULL, NULL)) != NULL)
    {
      take_line (victim, line);
      g_free (line);
    }
  victim->at_most = victim->times->len + 1; /* killed before it could tell */
  may_be_lost = LOSS_S * slowness (victim) * G_USEC_PER_SEC;
  while (victim->at_least < victim->times->len
         && g_array_index (victim->times, gint64, victim->at_least)
                <= victim->killed_at - may_be_lost)
    victim->at_least++;
  g_array_unref (victim->times);
  g_object_unref (victim->lines);
  g_object_unref (victim->process);
}

/* The victim whose document this is: each begins the name with a letter of its own. */
static const Victim *
find_victim (const Victim *victims, const char *name)
{
  g_assert_nonnull (name); /* its first letter stands for longer than what may be lost */
  g_assert_cmpint (*name, >=, 'a');
  g_assert_cmpint (*name, <, 'a' + N_CHILDREN);
  return &victims[*name - 'a'];
}

/* Returns how many letters are there again. */
static guint
check_letters (const Victim *victims, const char *name)
{
  const Victim *victim = find_victim (victims, name);
  guint letters = (guint)strlen (name) - 1;

  g_test_message ("%c: %u letters are back, of at least %u and at most %u", *name, letters,
                  victim->at_least, victim->at_most);
  g_assert_cmpuint (victim->at_least, >=, 1); /* else nothing was tested */
  g_assert_cmpuint (letters, >=, victim->at_least);
  g_assert_cmpuint (letters, <=, victim->at_most);
  return letters;
}

static void
check_victim (const Victim *victims, ShardwiseWindow *window)
{
  g_autofree char *name = NULL;
  guint letters;

  g_object_get (shardwise_window_get_scenario (window), "name", &name, NULL);
  letters = check_letters (victims, name);
  wait_until (get_number (window, "training.sequence_length") == letters);
}

/* The editor of a note, too, is open again; saved, or given up, it does not come back. */
static void
check_editors (const Victim *victims)
{
  GListModel *windows = gtk_window_get_toplevels ();
  g_autofree char *folder = state_folder ("editors");
  guint n = 0;

  for (guint i = g_list_model_get_n_items (windows); i > 0; i--)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i - 1);

      if (!SHARDWISE_IS_NOTE_EDITOR (window))
        continue;
      check_letters (victims, gtk_editable_get_text (ui_child (window, "title")));
      gtk_window_destroy (GTK_WINDOW (window));
      n++;
    }
  g_assert_cmpuint (n, ==, N_CHILDREN);
  wait_until (count_in (folder) == 0); /* a thread may still write there */
}

/* Three programs at once in one state directory, each killed after another time, all longer than
 * that whose typing may be lost: however slow the machine, the first letter must be there again. */
static void
test_kill (Fixture *fixture, gconstpointer data)
{
  static const guint moments_ms[N_CHILDREN] = { 2400, 3000, 3800 };
  Victim victims[N_CHILDREN] = { 0 };
  g_autoptr (GList) windows = NULL;

  for (guint i = 0; i < N_CHILDREN; i++)
    start_victim (&victims[i], (char)('a' + i), moments_ms[i] / KEY_MS);
  for (guint i = 0; i < N_CHILDREN; i++)
    wait_until (victims[i].killed_at != 0);
  for (guint i = 0; i < N_CHILDREN; i++)
    read_victim (&victims[i]);

  restore (fixture);
  lose (fixture, fixture->window); /* shows the start page */
  g_assert_cmpuint (count_windows (fixture, NULL), ==, N_CHILDREN);
  windows =
      g_list_copy (gtk_application_get_windows (GTK_APPLICATION (fixture->application)));
  for (GList *link = windows; link != NULL; link = link->next)
    if (SHARDWISE_IS_WINDOW (link->data))
      check_victim (victims, link->data);
  check_editors (victims);
}

#undef ADD
#define ADD(path, func) g_test_add (path, Fixture, NULL, set_up_session, func, tear_down)

int
main (int argc, char *argv[])
{
  if (argc == 3 && g_str_equal (argv[1], "--type"))
    return run_typist (argv[2]);
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
  ADD ("/sessions/kill", test_kill);
  return g_test_run ();
}
