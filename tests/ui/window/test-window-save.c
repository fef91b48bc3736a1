/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "stalled-disk.h"
#include <dlfcn.h>
#include <glib/gstdio.h>

#include "document-fixture.h"
#include "notifications.h"
#include "shardwise-export-page.h"
#include "shardwise-export-save.h"
#include "shardwise-window-files.h"
#include "shardwise-window-actions.h"
#include "shardwise-window-private.h"

/* Saving to a disk that is slow to answer, or stalls: the window goes on, and nothing is lost. */

typedef void (*ApplicationFunc) (GApplication *application);

/* What keeps the program running, its windows among it. */
static guint n_held;

void
g_application_hold (GApplication *application)
{
  ((ApplicationFunc) dlsym (RTLD_NEXT, "g_application_hold")) (application);
  n_held++;
}

void
g_application_release (GApplication *application)
{
  ((ApplicationFunc) dlsym (RTLD_NEXT, "g_application_release")) (application);
  n_held--;
}

/* Whether nothing but its windows does. */
static gboolean
is_at_rest (Fixture *fixture)
{
  return n_held
         == g_list_length (gtk_application_get_windows (GTK_APPLICATION (fixture->application)));
}

/* Edits and saves; the disk stalls before the file is there. */
static void
save_stalled (Fixture *fixture, int gpus)
{
  guint before;

  wait_until (is_at_rest (fixture));
  before = n_held;
  edit (fixture, gpus);
  disk_stall (fixture->directory);
  activate (fixture->window, "save", NULL);
  disk_await ();
  g_assert_true (shardwise_window_is_saving (fixture->window));
  g_assert_cmpuint (n_held, ==, before + 1);
}

static gboolean
is_modified (Fixture *fixture)
{
  gboolean modified =
      shardwise_scenario_get_modified (shardwise_window_get_scenario (fixture->window));

  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==,
                   modified ? "• Mine – Shardwise" : "Mine – Shardwise");
  return modified;
}

static void
finish (Fixture *fixture)
{
  disk_go_on ();
  wait_until (!shardwise_window_is_saving (fixture->window));
}

/* What is edited while the file is written is not saved; undone, it is. The user is told. */
static void
test_edits (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);

  save_stalled (fixture, 32);
  g_assert_true (is_modified (fixture));
  wait_until (banner_text (fixture->window) != NULL);
  g_assert_nonnull (strstr (banner_text (fixture->window), "mine.shardwise"));
  edit (fixture, 48);
  g_assert_cmpfloat (gpus_of (file), ==, 16);
  finish (fixture);
  g_assert_cmpfloat (gpus_of (file), ==, 32);
  g_assert_null (banner_text (fixture->window));
  g_assert_true (is_modified (fixture));
  activate (fixture->window, "undo", NULL);
  g_assert_false (is_modified (fixture));
}

/* Saved again meanwhile: the last edits are written, too, by one thread after the other. */
static void
test_again (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);

  save_stalled (fixture, 32);
  edit (fixture, 48);
  for (guint i = 0; i < 5; i++)
    activate (fixture->window, "save", NULL);
  g_assert_cmpuint (disk.waiting, ==, 1);
  finish (fixture);
  g_assert_cmpfloat (gpus_of (file), ==, 48);
  g_assert_false (is_modified (fixture));
  g_assert_null (find_dialog ());
}

/* A window that is closed meanwhile closes when it is saved, unless the user thinks better of it,
 * or has edited more, about which is asked. */
static void
test_close (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);

  save_stalled (fixture, 32);
  gtk_window_close (GTK_WINDOW (fixture->window));
  g_assert_null (find_dialog ());
  wait_until (banner_text (fixture->window) != NULL);
  activate (fixture->window, "stay-open", NULL);
  finish (fixture);
  g_assert_false (is_closed (fixture));

  save_stalled (fixture, 40);
  gtk_window_close (GTK_WINDOW (fixture->window));
  edit (fixture, 48);
  finish (fixture);
  g_assert_nonnull (find_dialog ());
  answer ("cancel");
  g_assert_cmpfloat (gpus_of (file), ==, 40);

  save_stalled (fixture, 64);
  g_action_group_activate_action (G_ACTION_GROUP (fixture->application), "quit", NULL);
  g_assert_null (find_dialog ());
  disk_go_on ();
  wait_until (is_closed (fixture));
  g_assert_cmpfloat (gpus_of (file), ==, 64);
}

/* Closed a second time it asks, and closes at once; the file is written all the same. */
static void
test_discard (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);

  save_stalled (fixture, 32);
  gtk_window_close (GTK_WINDOW (fixture->window));
  gtk_window_close (GTK_WINDOW (fixture->window));
  g_assert_nonnull (find_dialog ());
  answer ("discard");
  wait_until (is_closed (fixture));
  finish (fixture);
  g_assert_cmpfloat (gpus_of (file), ==, 32);
}

/* A disk that fails in the end: a dialog says so, and the window stays with its edits. */
static void
test_fails (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);

  save_stalled (fixture, 32);
  gtk_window_close (GTK_WINDOW (fixture->window));
  remove_tree (fixture->directory);
  finish (fixture);
  dismiss_dialog (fixture, "mine.shardwise");
  g_assert_false (is_closed (fixture));
  g_assert_true (is_modified (fixture));
}

/* Saves a bundle of one file of that content. */
static void
save_into (GtkWidget *page, GFile *folder, const char *content)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  ShardwiseExportFile file = { .name = (char *) "a.yaml", .content = (char *) content };

  g_ptr_array_add (files, &file);
  shardwise_export_save_into (SHARDWISE_PAGE (page), files, folder);
}

/* Saves that file alone. */
static void
save_single (GtkWidget *page, GFile *as, const char *content)
{
  ShardwiseExportFile file = { .name = (char *) "a.yaml", .content = (char *) content };

  shardwise_export_save_as (SHARDWISE_PAGE (page), &file, as);
}

static gboolean
holds (GFile *file, const char *content)
{
  g_autofree char *text = NULL;

  return g_file_load_contents (file, NULL, &text, NULL, NULL, NULL) && g_str_equal (text, content);
}

/* Exported files that are there are written over only after a question, and on a thread, too: one
 * call after the other, and also where the window is closed meanwhile. */
static void
test_bundle (Fixture *fixture, gconstpointer data)
{
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL);
  g_autoptr (GFile) folder = g_file_new_for_path (fixture->directory);
  g_autoptr (GFile) file = g_file_get_child (folder, "a.yaml");

  ui_show (page, 800, 600);
  save_into (page, folder, "first");
  wait_until (holds (file, "first"));
  save_into (page, folder, "second");
  wait_until (has_dialog ());
  answer ("cancel");
  save_into (page, folder, "third");
  wait_until (has_dialog ());
  disk_stall (fixture->directory);
  answer ("replace");
  disk_await ();
  save_into (page, folder, "fourth");
  g_assert_true (holds (file, "first"));
  g_assert_cmpuint (disk.waiting, ==, 1);
  disk_go_on ();
  wait_until (has_dialog ());
  g_assert_true (holds (file, "third"));
  disk_stall (fixture->directory);
  answer ("replace");
  disk_await ();
  gtk_window_destroy (GTK_WINDOW (gtk_widget_get_root (page)));
  g_object_add_weak_pointer (G_OBJECT (page), (gpointer *) &page);
  disk_go_on ();
  wait_until (page == NULL);
  g_assert_true (holds (file, "fourth"));
}

/* A question that closes with its window releases its objects. */
static void
test_bundle_unanswered (Fixture *fixture, gconstpointer data)
{
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL);
  g_autoptr (GFile) folder = g_file_new_for_path (fixture->directory);
  g_autoptr (GFile) file = write_file (fixture, "a.yaml", "first");
  GtkWidget *window = ui_show (page, 800, 600);

  save_into (page, folder, "second");
  wait_until (has_dialog ());
  g_object_add_weak_pointer (G_OBJECT (page), (gpointer *) &page);
  gtk_window_destroy (GTK_WINDOW (window));
  wait_until (page == NULL);
  g_assert_false (has_dialog ());
  g_assert_true (holds (file, "first"));
}

/* The page's window is closed while the disk stalls, which fails afterwards: a notification. */
static void
fail_late (Fixture *fixture, GtkWidget *page)
{
  disk_await ();
  gtk_window_destroy (GTK_WINDOW (gtk_widget_get_root (page)));
  expect_late_error ("a.yaml");
  remove_tree (fixture->directory);
  disk_go_on ();
  g_assert_false (is_at_rest (fixture));
  wait_until (is_at_rest (fixture));
  await_late_error ();
  g_assert_cmpint (g_mkdir (fixture->directory, 0700), ==, 0);
}

/* What fails when the window has been closed is told all the same: of a file, of a bundle, and of
 * one whose files are there, about which nobody can be asked any more. */
static void
test_fails_late (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) folder = g_file_new_for_path (fixture->directory);
  g_autoptr (GFile) file = g_file_get_child (folder, "a.yaml");
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL);

  ui_show (page, 800, 600);
  disk_stall (fixture->directory);
  save_single (page, file, "first");
  fail_late (fixture, page);

  page = g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL);
  ui_show (page, 800, 600);
  disk_stall (fixture->directory);
  save_into (page, folder, "second");
  fail_late (fixture, page);

  page = g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL);
  ui_show (page, 800, 600);
  disk_stall (fixture->directory);
  save_single (page, file, "third");
  save_into (page, folder, "fourth");
  disk_await ();
  gtk_window_destroy (GTK_WINDOW (gtk_widget_get_root (page)));
  expect_late_error ("a.yaml");
  disk_go_on ();
  await_late_error ();
  g_assert_true (holds (file, "third"));
}

/* A document that fails after its window was closed without its edits. */
static void
test_discard_fails (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);

  save_stalled (fixture, 32);
  gtk_window_close (GTK_WINDOW (fixture->window));
  gtk_window_close (GTK_WINDOW (fixture->window));
  answer ("discard");
  wait_until (is_closed (fixture));
  expect_late_error ("mine.shardwise");
  remove_tree (fixture->directory);
  disk_go_on ();
  await_late_error ();
}

static gboolean
is_pdf (GFile *file)
{
  g_autofree char *text = NULL;

  return g_file_load_contents (file, NULL, &text, NULL, NULL, NULL)
         && g_str_has_prefix (text, "%PDF-");
}

/* Saves the report of the document; the disk stalls before the file is there. */
static void
save_report_stalled (Fixture *fixture, GFile *report)
{
  guint before;

  wait_until (has_status (fixture->window, "ready") && is_at_rest (fixture));
  before = n_held;
  disk_stall (fixture->directory);
  shardwise_window_save_report_as (fixture->window, report);
  while (disk.waiting == 0)
    {
      g_assert_cmpuint (n_held, ==, before + 1); /* while it is drawn, too */
      g_main_context_iteration (NULL, TRUE);
    }
}

/* What was read from a file is not named by two of its suffixes; a version is no suffix. */
static void
test_suggested_name (Fixture *fixture, gconstpointer data)
{
  static const char *const names[][2] = { { "Llama 3.1", "Llama 3.1.pdf" },
                                          { "train.sh", "train.pdf" },
                                          { "a/b.json", "a-b.pdf" },
                                          { "v2.large model", "v2.large model.pdf" },
                                          { ".sh", ".sh.pdf" },
                                          { "", "Report.pdf" } };
  g_autoptr (GFile) file = open_document (fixture);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *suggested = NULL;

      g_object_set (shardwise_window_get_scenario (fixture->window), "name", names[i][0], NULL);
      suggested = shardwise_document_suggest_name (fixture->window->document, "Report", ".pdf");
      g_assert_cmpstr (suggested, ==, names[i][1]);
    }
  shardwise_document_set_saved (fixture->window->document,
                                shardwise_window_get_scenario (fixture->window));
}

/* The window goes on, and an old report stays whole until the new one is. */
static void
test_report (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);
  g_autoptr (GFile) report = write_file (fixture, "report.pdf", "old");

  save_report_stalled (fixture, report);
  edit (fixture, 32);
  wait_until (has_status (fixture->window, "ready"));
  g_assert_true (holds (report, "old"));
  disk_go_on ();
  wait_until (is_at_rest (fixture));
  g_assert_true (is_pdf (report));
}

/* As for exported files. */
static void
test_report_fails_late (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);
  g_autoptr (GFile) report = write_file (fixture, "report.pdf", "old");

  save_report_stalled (fixture, report);
  gtk_window_close (GTK_WINDOW (fixture->window));
  g_assert_true (is_closed (fixture));
  expect_late_error ("report.pdf");
  remove_tree (fixture->directory);
  disk_go_on ();
  await_late_error ();
}

/* The run journal is written before the program ends, too. */
static void
test_journal (Fixture *fixture, gconstpointer data)
{
  ShardwiseJournal *journal = shardwise_application_get_journal (fixture->application);

  wait_until (is_at_rest (fixture));
  shardwise_journal_set_calibrates_async (journal, "file:///mine", TRUE, NULL, NULL);
  g_assert_false (is_at_rest (fixture));
  wait_until (is_at_rest (fixture));
  g_assert_true (shardwise_journal_get_calibrates (journal, "file:///mine"));
}

static gboolean
go_on_cb (gpointer data)
{
  disk_go_on ();
  return G_SOURCE_REMOVE;
}

/* In the program as it runs: everything is closed while the disk stalls. */
static gboolean
save_and_close_cb (gpointer data)
{
  Fixture *fixture = data;
  g_autoptr (GFile) file = open_document (fixture);
  g_autoptr (GFile) folder = g_file_get_parent (file);
  g_autoptr (GFile) export = g_file_get_child (folder, "a.yaml");
  g_autoptr (GFile) report = g_file_get_child (folder, "report.pdf");
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL);

  save_report_stalled (fixture, report);
  ui_show (page, 800, 600);
  save_single (page, export, "saved");
  wait_until (disk.waiting == 2);
  destroy_windows ();
  g_timeout_add (50, go_on_cb, NULL);
  return G_SOURCE_REMOVE;
}

/* The program does not end with its last window before all is written. It ends after that: the last
 * test. */
static void
test_last_window (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) folder = g_file_new_for_path (fixture->directory);
  g_autoptr (GFile) export = g_file_get_child (folder, "a.yaml");
  g_autoptr (GFile) report = g_file_get_child (folder, "report.pdf");

  g_idle_add (save_and_close_cb, fixture);
  g_application_run (G_APPLICATION (fixture->application), 0, NULL);
  g_assert_true (holds (export, "saved"));
  g_assert_true (is_pdf (report));
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;

  ADD ("/window-save/edits", test_edits);
  ADD ("/window-save/again", test_again);
  ADD ("/window-save/close", test_close);
  ADD ("/window-save/discard", test_discard);
  ADD ("/window-save/fails", test_fails);
  ADD ("/window-save/discard-fails", test_discard_fails);
  ADD ("/window-save/bundle", test_bundle);
  ADD ("/window-save/bundle-unanswered", test_bundle_unanswered);
  ADD ("/window-save/fails-late", test_fails_late);
  ADD ("/window-save/suggested-name", test_suggested_name);
  ADD ("/window-save/report", test_report);
  ADD ("/window-save/report-fails-late", test_report_fails_late);
  ADD ("/window-save/journal", test_journal);
  ADD ("/window-save/last-window", test_last_window);
  return g_test_run ();
}
