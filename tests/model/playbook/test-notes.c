/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stalled-disk.h"
#include "shardwise-notes.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "shardwise-error.h"

typedef struct {
  char *folder;
  GFile *file, *other;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = NULL, *other = NULL;

  fixture->folder = g_dir_make_tmp ("shardwise-notes-XXXXXX", NULL);
  path = g_build_filename (fixture->folder, "deep", "playbook.json", NULL);
  other = g_build_filename (fixture->folder, "exported.json", NULL);
  fixture->file = g_file_new_for_path (path);
  fixture->other = g_file_new_for_path (other);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *deep = g_build_filename (fixture->folder, "deep", NULL);

  g_file_delete (fixture->file, NULL, NULL);
  g_file_delete (fixture->other, NULL, NULL);
  g_rmdir (deep);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0); /* nothing else was left */
  g_free (fixture->folder);
  g_object_unref (fixture->file);
  g_object_unref (fixture->other);
}

static ShardwiseHeuristic *
rule_new (const char *title, const char *want)
{
  ShardwiseHeuristic *rule = shardwise_heuristic_new ();

  g_free (rule->title);
  rule->title = g_strdup (title);
  g_free (rule->want);
  rule->want = g_strdup (want);
  return rule;
}

static const ShardwiseHeuristic *
nth (ShardwiseNotes *notes, guint i)
{
  return shardwise_notes_get_rules (notes)->pdata[i];
}

static ShardwiseNotes *
open_notes (GFile *file)
{
  g_autoptr (GError) error = NULL;
  ShardwiseNotes *notes = shardwise_notes_open (file, &error);

  g_assert_no_error (error);
  return notes;
}

/* What the notes answered last. */
typedef struct {
  guint n_answers; /* of all so far */
  guint n;         /* imported rules */
  GError *error;   /* (nullable): done */
} Answer;

static void
answer_cb (GObject *notes, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;

  g_clear_error (&answer->error);
  g_assert_true (
      shardwise_notes_finish (SHARDWISE_NOTES (notes), result, &answer->n, &answer->error)
      == (answer->error == NULL));
  answer->n_answers++;
}

/* Waits until so many were answered. */
static void
await (Answer *answer, guint n_answers)
{
  while (answer->n_answers < n_answers)
    g_main_context_iteration (NULL, TRUE);
}

/* The error (transfer full) (nullable) of what is asked for. */
static GError *
save (ShardwiseNotes *notes, const ShardwiseHeuristic *rule)
{
  Answer answer = { 0 };

  shardwise_notes_save_async (notes, rule, answer_cb, &answer);
  await (&answer, 1);
  return answer.error;
}

static void
keep (ShardwiseNotes *notes, const ShardwiseHeuristic *rule)
{
  g_autoptr (GError) error = save (notes, rule);

  g_assert_no_error (error);
}

static void
remove_rule (ShardwiseNotes *notes, const char *id)
{
  Answer answer = { 0 };

  shardwise_notes_remove_async (notes, id, answer_cb, &answer);
  await (&answer, 1);
  g_assert_no_error (answer.error);
}

static GError *
import (ShardwiseNotes *notes, GFile *file, guint *n)
{
  Answer answer = { 0 };

  shardwise_notes_import_async (notes, file, answer_cb, &answer);
  await (&answer, 1);
  *n = answer.n;
  return answer.error;
}

static void
count_cb (guint *n)
{
  *n += 1;
}

/* Made, changed and removed; and there again when the program starts anew. */
static void
test_keep (Fixture *fixture, gconstpointer data)
{
  ShardwiseNotes *notes = open_notes (fixture->file);
  g_autoptr (ShardwiseHeuristic) first = rule_new ("Ours „first“\n", "tp=8"), changed = NULL,
                                 second = rule_new ("Second", "");
  guint n = 0;

  g_signal_connect_swapped (notes, "changed", G_CALLBACK (count_cb), &n);
  g_assert_cmpuint (shardwise_notes_get_rules (notes)->len, ==, 0);
  keep (notes, first);
  keep (notes, second);
  g_assert_cmpuint (n, ==, 2);
  g_object_unref (notes);

  notes = open_notes (fixture->file);
  g_assert_cmpuint (shardwise_notes_get_rules (notes)->len, ==, 2);
  g_assert_cmpstr (nth (notes, 0)->title, ==, "Ours „first“\n");
  g_assert_cmpstr (nth (notes, 0)->want, ==, "tp=8");
  changed = shardwise_heuristic_copy (nth (notes, 0));
  g_free (changed->text);
  changed->text = g_strdup ("more");
  keep (notes, changed);
  g_assert_cmpuint (shardwise_notes_get_rules (notes)->len, ==, 2);
  g_assert_cmpstr (nth (notes, 0)->text, ==, "more");
  remove_rule (notes, changed->id);
  g_assert_cmpuint (shardwise_notes_get_rules (notes)->len, ==, 1);
  g_assert_cmpstr (nth (notes, 0)->title, ==, "Second");
  g_object_unref (notes);
}

static void
test_refuse (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ShardwiseNotes) notes = open_notes (fixture->file);
  g_autoptr (ShardwiseHeuristic) untitled = rule_new ("", ""), wrong = rule_new ("A", "tp=many");
  g_autoptr (GError) missing = save (notes, untitled), error = save (notes, wrong);

  g_assert_error (missing, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING);
  g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_RANGE);
  g_assert_cmpuint (shardwise_notes_get_rules (notes)->len, ==, 0);
  g_assert_false (g_file_query_exists (fixture->file, NULL));
}

/* What is here already becomes as the file has it; the rest is added. */
static void
test_exchange (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ShardwiseNotes) notes = open_notes (fixture->file);
  g_autoptr (ShardwiseHeuristic) first = rule_new ("First", ""), second = rule_new ("Second", "");
  g_autoptr (GError) error = NULL;
  Answer exported = { 0 };
  guint n = 0;

  keep (notes, first);
  keep (notes, second);
  shardwise_notes_export_async (notes, fixture->other, answer_cb, &exported);
  await (&exported, 1);
  g_assert_no_error (exported.error);
  remove_rule (notes, nth (notes, 0)->id);
  error = import (notes, fixture->other, &n);
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpuint (shardwise_notes_get_rules (notes)->len, ==, 2);
}

static void
test_bad_files (Fixture *fixture, gconstpointer data)
{
  static const char *const bad[] = {
    "",
    "[]",
    "{\"format\": \"shardwise-scenario\", \"version\": 1, \"rules\": []}",
    "{\"format\": \"shardwise-playbook\", \"version\": 2, \"rules\": []}",
    "{\"format\": \"shardwise-playbook\", \"version\": 1}",
    "{\"format\": \"shardwise-playbook\", \"version\": 1, \"rules\": [1]}",
    "{\"format\": \"shardwise-playbook\", \"version\": 1, \"rules\": [{\"id\": \"a\"}]}",
    "{\"format\": \"shardwise-playbook\", \"version\": 1, \"rules\": [{\"id\": \"a\", \"title\": "
    "1}]}",
  };
  g_autoptr (ShardwiseNotes) notes = open_notes (fixture->file);

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL, again = NULL;
      guint n;

      g_file_set_contents (g_file_peek_path (fixture->other), bad[i], -1, NULL);
      error = import (notes, fixture->other, &n);
      g_assert_true (error != NULL && error->domain == SHARDWISE_ERROR);
      g_assert_null (shardwise_notes_open (fixture->other, &again));
      g_assert_cmpstr (again->message, ==, error->message);
    }
  g_assert_cmpuint (shardwise_notes_get_rules (notes)->len, ==, 0);
}

/* A new file takes the old one's place: written in place, a full disk would cost the rules. */
static void
test_replaces (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ShardwiseNotes) notes = open_notes (fixture->file);
  g_autoptr (ShardwiseHeuristic) first = rule_new ("First", ""), second = rule_new ("Second", "");
  g_autoptr (ShardwiseNotes) before = NULL;

  keep (notes, first);
  g_assert_cmpint (link (g_file_peek_path (fixture->file), g_file_peek_path (fixture->other)), ==,
                   0);
  keep (notes, second);
  before = open_notes (fixture->other);
  g_assert_cmpuint (shardwise_notes_get_rules (before)->len, ==, 1);
}

/* While the disk stalls nobody waits for it; what is asked for meanwhile is done in that order, and
 * what fails is not there. The notes stay until all is done. */
static void
test_stalls (Fixture *fixture, gconstpointer data)
{
  ShardwiseNotes *notes = open_notes (fixture->file);
  g_autoptr (ShardwiseHeuristic) first = rule_new ("First", ""), second = rule_new ("Second", "");
  g_autoptr (ShardwiseNotes) after = NULL;
  Answer answer = { 0 };

  disk_stall (fixture->folder);
  shardwise_notes_save_async (notes, first, answer_cb, &answer);
  shardwise_notes_save_async (notes, second, answer_cb, &answer);
  shardwise_notes_import_async (notes, fixture->other, answer_cb, &answer);
  disk_await ();
  g_assert_cmpuint (disk.waiting, ==, 1);
  g_assert_cmpuint (shardwise_notes_get_rules (notes)->len, ==, 0);
  g_object_add_weak_pointer (G_OBJECT (notes), (gpointer *) &notes);
  g_object_unref (notes);
  g_assert_nonnull (notes);
  disk_go_on ();
  await (&answer, 2);
  g_assert_no_error (answer.error);
  await (&answer, 3);
  g_assert_error (answer.error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_clear_error (&answer.error);
  g_assert_null (notes);
  after = open_notes (fixture->file);
  g_assert_cmpuint (shardwise_notes_get_rules (after)->len, ==, 2);
  g_assert_cmpstr (nth (after, 1)->title, ==, "Second");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/notes/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("keep", test_keep);
  ADD ("refuse", test_refuse);
  ADD ("exchange", test_exchange);
  ADD ("replaces", test_replaces);
  ADD ("bad-files", test_bad_files);
  ADD ("stalls", test_stalls);
#undef ADD
  return g_test_run ();
}
