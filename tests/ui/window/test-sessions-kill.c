/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <signal.h>

#include "sessions-fixture.h"
#include "shardwise-note-editor.h"

/* Nothing of a document is lost when the program is killed while somebody types. */

#define KEY_MS 120 /* less than what a draft waits for, and no load by itself */
#define N_CHILDREN 3
#define LOSS_S 2.0

typedef struct {
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
  gtk_editable_set_text (get_entry (typist->window, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH),
                         number);
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
  typist.editor = shardwise_note_editor_new (shardwise_application_get_notes (application, NULL),
                                             NULL);
  shardwise_editor_present (SHARDWISE_EDITOR (typist.editor), GTK_WINDOW (typist.window));
  g_timeout_add (KEY_MS, type_cb, &typist);
  while (typist.n < 10000) /* nobody kills it: the test is gone */
    g_main_context_iteration (NULL, TRUE);
  return 1;
}

typedef struct {
  GSubprocess *process;
  GDataInputStream *lines;
  GArray *times;   /* of gint64: of each letter */
  guint n_letters; /* after which it is killed */
  gint64 killed_at;
  guint at_most, at_least; /* letters that must be there again */
} Victim;

static void
take_line (Victim *victim, const char *line)
{
  const gint64 at = g_ascii_strtoll (strchr (line, ' '), NULL, 10);

  g_array_append_val (victim->times, at);
  g_assert_cmpuint (victim->times->len, ==, (guint) g_ascii_strtoull (line, NULL, 10));
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
  victim->lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (victim->process));
  victim->times = g_array_new (FALSE, FALSE, sizeof (gint64));
  victim->n_letters = n_letters;
  g_data_input_stream_read_line_async (victim->lines, G_PRIORITY_DEFAULT, NULL, typing_cb, victim);
}

/* How much slower than it should a machine that has too much to do lets somebody type. */
static double
slowness (const Victim *victim)
{
  const gint64 *times = (const gint64 *) (gpointer) victim->times->data;
  const guint last = victim->n_letters - 1;

  return MAX (1, (double) (times[last] - times[0]) / (last * KEY_MS * 1000.0));
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

/* The victim that owns this document: each begins the name with its own letter. */
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
  guint letters = (guint) strlen (name) - 1;

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
  wait_until (get_number (window, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH) == letters);
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
    start_victim (&victims[i], (char) ('a' + i), moments_ms[i] / KEY_MS);
  for (guint i = 0; i < N_CHILDREN; i++)
    wait_until (victims[i].killed_at != 0);
  for (guint i = 0; i < N_CHILDREN; i++)
    read_victim (&victims[i]);

  restore (fixture);
  lose (fixture, fixture->window); /* shows the start page */
  g_assert_cmpuint (count_windows (fixture, NULL), ==, N_CHILDREN);
  windows = g_list_copy (gtk_application_get_windows (GTK_APPLICATION (fixture->application)));
  for (GList *link = windows; link != NULL; link = link->next)
    if (SHARDWISE_IS_WINDOW (link->data))
      check_victim (victims, link->data);
  check_editors (victims);
}

int
main (int argc, char *argv[])
{
  if (argc == 3 && g_str_equal (argv[1], "--type"))
    return run_typist (argv[2]);
  if (!init_window_test (&argc, &argv))
    return 0;

  ADD ("/sessions/kill", test_kill);
  return g_test_run ();
}
