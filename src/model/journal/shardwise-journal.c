/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-journal.h"

#include "shardwise-hold.h"
#include "shardwise-journal-database.h"

struct _ShardwiseJournal {
  GObject parent_instance;
  char *file;
  GThreadPool *thread;                /* one: what is asked for last is done last */
  ShardwiseJournalDatabase *database; /* (nullable): of the thread; not open yet */
  /* as it was read */
  GPtrArray *runs;        /* of ShardwiseJournalRun */
  GHashTable *calibrated; /* (nullable): of char; not read yet */
};

G_DEFINE_FINAL_TYPE (ShardwiseJournal, shardwise_journal, G_TYPE_OBJECT)

static guint changed_signal;

/* What is asked of the thread, and what it found. The thread does not touch the task, with which
 * the journal itself could end there. */
typedef struct {
  GTask *task;
  /* (nullable): what changes the database */
  gboolean (*func) (ShardwiseJournalDatabase *database, gpointer operation, GError **error);
  gboolean make; /* where there is no file yet */
  ShardwiseJournalRun *run;
  gint64 id;
  char *document;
  gboolean on;
  gboolean is_there;
  GPtrArray *runs;        /* (nullable): not read now */
  GHashTable *calibrated; /* (nullable): likewise */
  GError *error;
} Operation;

/* ---- the thread ---- */

static gboolean
save (ShardwiseJournalDatabase *database, gpointer operation, GError **error)
{
  return shardwise_journal_database_save (database, ((Operation *) operation)->run, error);
}

static gboolean
remove_run (ShardwiseJournalDatabase *database, gpointer operation, GError **error)
{
  return shardwise_journal_database_remove (database, ((Operation *) operation)->id, error);
}

static gboolean
set_calibrates (ShardwiseJournalDatabase *database, gpointer data, GError **error)
{
  const Operation *operation = data;

  return shardwise_journal_database_set_calibrates (database, operation->document, operation->on,
                                                    error);
}

/* What cannot be read is not kept open: the next time may do better. */
static gboolean
open_database (ShardwiseJournal *self, Operation *operation)
{
  g_autoptr (ShardwiseJournalDatabase) database =
      shardwise_journal_database_open (self->file, &operation->error);

  if (database == NULL)
    return FALSE;
  operation->calibrated = shardwise_journal_database_get_calibrated (database, &operation->error);
  if (operation->calibrated == NULL)
    return FALSE;
  operation->runs = shardwise_journal_database_get_runs (database, &operation->error);
  if (operation->runs == NULL)
    return FALSE;
  self->database = g_steal_pointer (&database);
  return TRUE;
}

static void
do_operation (ShardwiseJournal *self, Operation *operation)
{
  operation->is_there = self->database != NULL || operation->make
                        || g_file_test (self->file, G_FILE_TEST_EXISTS);
  if (!operation->is_there || (self->database == NULL && !open_database (self, operation)))
    return;
  if (operation->func == NULL || !operation->func (self->database, operation, &operation->error))
    return;
  g_clear_pointer (&operation->runs, g_ptr_array_unref);
  operation->runs = shardwise_journal_database_get_runs (self->database, &operation->error);
}

static gboolean done_cb (gpointer data);

static void
work (gpointer data, gpointer user_data)
{
  Operation *operation = data;
  ShardwiseJournal *self = user_data;
  g_autoptr (GSource) source = g_idle_source_new ();

  do_operation (self, operation);
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, done_cb, operation, NULL);
  g_source_attach (source, g_task_get_context (operation->task));
}

/* ---- before and after ---- */

static void
remember (ShardwiseJournal *self, const char *document, gboolean on)
{
  if (self->calibrated == NULL)
    return;
  if (on)
    g_hash_table_add (self->calibrated, g_strdup (document));
  else
    g_hash_table_remove (self->calibrated, document);
}

static gboolean
done_cb (gpointer data)
{
  Operation *operation = data;
  g_autoptr (GTask) task = g_object_ref (operation->task);
  ShardwiseJournal *self = g_task_get_source_object (task);
  gboolean is_there = operation->is_there;
  GError *error;

  /* What was read, from before the operation; where that failed the document is what it was. */
  gboolean first = operation->calibrated != NULL;

  if (first)
    {
      g_clear_pointer (&self->calibrated, g_hash_table_unref);
      self->calibrated = g_steal_pointer (&operation->calibrated);
    }
  if (operation->document != NULL && (first || operation->error != NULL))
    remember (self, operation->document, operation->on == (operation->error == NULL));
  if (operation->runs != NULL)
    {
      g_ptr_array_unref (self->runs);
      self->runs = g_steal_pointer (&operation->runs);
    }
  error = g_steal_pointer (&operation->error);
  if (error == NULL && (operation->run != NULL || operation->id != 0))
    g_signal_emit (self, changed_signal, 0);
  g_object_unref (operation->task);
  g_clear_pointer (&operation->run, shardwise_journal_run_free);
  g_free (operation->document);
  g_clear_pointer (&operation->runs, g_ptr_array_unref);
  g_clear_pointer (&operation->calibrated, g_hash_table_unref);
  g_clear_error (&operation->error);
  g_free (operation);
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, is_there);
  return G_SOURCE_REMOVE;
}

static Operation *
operation_new (ShardwiseJournal *self, GAsyncReadyCallback callback, gpointer data)
{
  Operation *operation = g_new0 (Operation, 1);

  operation->task = g_task_new (self, NULL, callback, data);
  g_task_set_source_tag (operation->task, operation_new);
  operation->make = TRUE;
  return operation;
}

static void
begin (ShardwiseJournal *self, Operation *operation)
{
  shardwise_hold_for_task (operation->task);
  g_thread_pool_push (self->thread, operation, NULL);
}

/* ---- what can be asked ---- */

/**
 * shardwise_journal_new:
 * @file: (type filename): path of the database
 *
 * Returns: (transfer full): the journal there, which was not read yet
 */
ShardwiseJournal *
shardwise_journal_new (const char *file)
{
  ShardwiseJournal *self;

  g_return_val_if_fail (file != NULL, NULL);

  self = g_object_new (SHARDWISE_TYPE_JOURNAL, NULL);
  self->file = g_strdup (file);
  return self;
}

/**
 * shardwise_journal_get_runs:
 *
 * Returns: (transfer none) (element-type ShardwiseJournalRun): the runs, newest first; until
 * "changed", none before the journal was read
 */
GPtrArray *
shardwise_journal_get_runs (ShardwiseJournal *self)
{
  g_return_val_if_fail (SHARDWISE_IS_JOURNAL (self), NULL);
  return self->runs;
}

/**
 * shardwise_journal_get_calibrates:
 * @document: what names a document, its URI
 *
 * Returns: whether the user wants @document calibrated by the runs; %FALSE before the journal was
 * read
 */
gboolean
shardwise_journal_get_calibrates (ShardwiseJournal *self, const char *document)
{
  g_return_val_if_fail (SHARDWISE_IS_JOURNAL (self) && document != NULL, FALSE);
  return self->calibrated != NULL && g_hash_table_contains (self->calibrated, document);
}

/**
 * shardwise_journal_read_async:
 * @make: whether to begin a journal where there is none yet
 * @callback: (nullable)
 *
 * Reads the journal, unless that was done before.
 */
void
shardwise_journal_read_async (ShardwiseJournal *self, gboolean make, GAsyncReadyCallback callback,
                              gpointer data)
{
  Operation *operation;

  g_return_if_fail (SHARDWISE_IS_JOURNAL (self));

  operation = operation_new (self, callback, data);
  operation->make = make;
  begin (self, operation);
}

/**
 * shardwise_journal_save_async:
 * @run: its id is 0 where it is stored for the first time
 * @callback: (nullable)
 *
 * Stores a run in the place of the one with its id.
 */
void
shardwise_journal_save_async (ShardwiseJournal *self, const ShardwiseJournalRun *run,
                              GAsyncReadyCallback callback, gpointer data)
{
  Operation *operation;

  g_return_if_fail (SHARDWISE_IS_JOURNAL (self) && run != NULL);

  operation = operation_new (self, callback, data);
  operation->func = save;
  operation->run = shardwise_journal_run_copy (run);
  begin (self, operation);
}

/**
 * shardwise_journal_remove_async:
 * @id: of a run
 * @callback: (nullable)
 *
 * Removes a run.
 */
void
shardwise_journal_remove_async (ShardwiseJournal *self, gint64 id, GAsyncReadyCallback callback,
                                gpointer data)
{
  Operation *operation;

  g_return_if_fail (SHARDWISE_IS_JOURNAL (self) && id != 0);

  operation = operation_new (self, callback, data);
  operation->func = remove_run;
  operation->id = id;
  begin (self, operation);
}

/**
 * shardwise_journal_set_calibrates_async:
 * @document: what names a document, its URI
 * @on: whether to calibrate it
 * @callback: (nullable)
 *
 * Remembers that; shardwise_journal_get_calibrates() tells so from now on.
 */
void
shardwise_journal_set_calibrates_async (ShardwiseJournal *self, const char *document, gboolean on,
                                        GAsyncReadyCallback callback, gpointer data)
{
  Operation *operation;

  g_return_if_fail (SHARDWISE_IS_JOURNAL (self) && document != NULL);

  operation = operation_new (self, callback, data);
  operation->func = set_calibrates;
  operation->document = g_strdup (document);
  operation->on = on;
  remember (self, document, on);
  begin (self, operation);
}

/**
 * shardwise_journal_finish:
 * @result: of any of the functions above
 *
 * Returns: whether it is done; else @error says why not, and is not set where there is no journal
 * to read
 */
gboolean
shardwise_journal_finish (ShardwiseJournal *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);
  return g_task_propagate_boolean (G_TASK (result), error);
}

/* ---- object ---- */

static void
shardwise_journal_finalize (GObject *object)
{
  ShardwiseJournal *self = SHARDWISE_JOURNAL (object);

  g_thread_pool_free (self->thread, FALSE, TRUE); /* it has nothing to do any more */
  g_clear_pointer (&self->database, shardwise_journal_database_free);
  g_ptr_array_unref (self->runs);
  g_clear_pointer (&self->calibrated, g_hash_table_unref);
  g_free (self->file);
  G_OBJECT_CLASS (shardwise_journal_parent_class)->finalize (object);
}

static void
shardwise_journal_class_init (ShardwiseJournalClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_journal_finalize;

  /**
   * ShardwiseJournal::changed:
   *
   * The runs are others now.
   */
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
shardwise_journal_init (ShardwiseJournal *self)
{
  self->thread = g_thread_pool_new (work, self, 1, FALSE, NULL);
  self->runs = g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_journal_run_free);
}
