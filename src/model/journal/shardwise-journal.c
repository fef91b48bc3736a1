/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-journal.h"

#include <glib/gi18n.h>
#include <sqlite3.h>

#include "shardwise-estimate.h"
#include "shardwise-work.h"

G_DEFINE_BOXED_TYPE (ShardwiseJournalRun, shardwise_journal_run, shardwise_journal_run_copy,
                     shardwise_journal_run_free)

/**
 * shardwise_journal_run_new:
 *
 * Returns: (transfer full): a run of today without figures
 */
ShardwiseJournalRun *
shardwise_journal_run_new (void)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  ShardwiseJournalRun *self = g_new0 (ShardwiseJournalRun, 1);

  self->name = g_strdup ("");
  self->note = g_strdup ("");
  self->scenario = g_strdup ("");
  self->day = g_date_time_format (now, "%Y-%m-%d");
  self->memory_kind = 'p';
  return self;
}

/**
 * shardwise_journal_run_copy:
 *
 * Returns: (transfer full): the same run
 */
ShardwiseJournalRun *
shardwise_journal_run_copy (const ShardwiseJournalRun *self)
{
  ShardwiseJournalRun *copy = g_new0 (ShardwiseJournalRun, 1);

  *copy = *self;
  copy->name = g_strdup (self->name);
  copy->day = g_strdup (self->day);
  copy->scenario = g_strdup (self->scenario);
  copy->note = g_strdup (self->note);
  return copy;
}

/**
 * shardwise_journal_run_free:
 * @self: (transfer full) (nullable)
 */
void
shardwise_journal_run_free (ShardwiseJournalRun *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->day);
  g_free (self->scenario);
  g_free (self->note);
  g_free (self);
}

/* PRAGMA user_version of the tables below. */
#define VERSION 1

struct _ShardwiseJournalDatabase {
  char *file;
  sqlite3 *database;
};

static gboolean
fail (ShardwiseJournalDatabase *self, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
               /* Translators: a file, and what the database says, in English */
               _ ("Cannot use the run journal %s. It was not changed: %s"), self->file,
               sqlite3_errmsg (self->database));
  return FALSE;
}

/* (transfer full) (nullable): a statement to bind values to. */
static sqlite3_stmt *
prepare (ShardwiseJournalDatabase *self, const char *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (self->database, sql, -1, &statement, NULL) != SQLITE_OK)
    fail (self, error);
  return statement;
}

/* Runs a statement that gives no rows, and frees it. */
static gboolean
finish (ShardwiseJournalDatabase *self, sqlite3_stmt *statement, GError **error)
{
  gboolean done = sqlite3_step (statement) == SQLITE_DONE || fail (self, error);

  sqlite3_finalize (statement);
  return done;
}

static char *
column_text (sqlite3_stmt *statement, int column)
{
  const char *text = (const char *) sqlite3_column_text (statement, column);

  return g_utf8_make_valid (text != NULL ? text : "", -1);
}

static gboolean
make_tables (ShardwiseJournalDatabase *self, GError **error)
{
  sqlite3_stmt *statement = prepare (self, "PRAGMA user_version", error);
  int version = -1;

  if (statement == NULL)
    return FALSE;
  if (sqlite3_step (statement) == SQLITE_ROW)
    version = sqlite3_column_int (statement, 0);
  else
    fail (self, error);
  sqlite3_finalize (statement);
  if (version < 0)
    return FALSE;
  if (version > VERSION)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                           _ ("A newer version of Shardwise wrote the run journal."));
      return FALSE;
    }
  return version == VERSION
         || sqlite3_exec (
                self->database,
                "BEGIN;"
                "CREATE TABLE runs (id INTEGER PRIMARY KEY, name TEXT NOT NULL, day TEXT NOT "
                "NULL, scenario TEXT NOT NULL, step_s REAL NOT NULL, memory_gib REAL NOT "
                "NULL, memory_kind TEXT NOT NULL, note TEXT NOT NULL);"
                "CREATE TABLE calibrated (document TEXT PRIMARY KEY);"
                "PRAGMA user_version = 1;"
                "COMMIT;",
                NULL, NULL, NULL)
                == SQLITE_OK
         || fail (self, error);
}

/**
 * shardwise_journal_database_open:
 * @file: (type filename): path of the database, which is created with its folder if it is missing
 *
 * Returns: (transfer full): the database, or %NULL with @error if the file is not a database,
 * cannot be written or is of a newer version; it is then not changed
 */
ShardwiseJournalDatabase *
shardwise_journal_database_open (const char *file, GError **error)
{
  g_autoptr (ShardwiseJournalDatabase) self = NULL;
  g_autofree char *folder = NULL;

  g_return_val_if_fail (file != NULL, NULL);

  self = g_new0 (ShardwiseJournalDatabase, 1);
  self->file = g_strdup (file);
  folder = g_path_get_dirname (file);
  g_mkdir_with_parents (folder, 0700);
  if (sqlite3_open_v2 (file, &self->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL)
      != SQLITE_OK)
    {
      fail (self, error);
      return NULL;
    }
  /* Another instance may be writing. */
  sqlite3_busy_timeout (self->database, 2000);
  return make_tables (self, error) ? g_steal_pointer (&self) : NULL;
}

/**
 * shardwise_journal_database_free:
 * @self: (transfer full)
 */
void
shardwise_journal_database_free (ShardwiseJournalDatabase *self)
{
  sqlite3_close (self->database);
  g_free (self->file);
  g_free (self);
}

/* ---- runs ---- */

/**
 * shardwise_journal_database_get_runs:
 *
 * Returns: (transfer full) (element-type ShardwiseJournalRun): the runs, newest first, or %NULL
 * with @error
 */
GPtrArray *
shardwise_journal_database_get_runs (ShardwiseJournalDatabase *self, GError **error)
{
  g_autoptr (GPtrArray) runs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_journal_run_free);
  sqlite3_stmt *statement = prepare (self,
                                     "SELECT id, name, day, scenario, step_s, memory_gib, "
                                     "memory_kind, note FROM runs ORDER BY day DESC, id DESC",
                                     error);
  int status;

  if (statement == NULL)
    return NULL;
  while ((status = sqlite3_step (statement)) == SQLITE_ROW)
    {
      ShardwiseJournalRun *run = g_new0 (ShardwiseJournalRun, 1);
      g_autofree char *kind = column_text (statement, 6);

      run->id = sqlite3_column_int64 (statement, 0);
      run->name = column_text (statement, 1);
      run->day = column_text (statement, 2);
      run->scenario = column_text (statement, 3);
      run->step_s = sqlite3_column_double (statement, 4);
      run->memory_gib = sqlite3_column_double (statement, 5);
      run->memory_kind = *kind != '\0' ? *kind : 'p';
      run->note = column_text (statement, 7);
      g_ptr_array_add (runs, run);
    }
  sqlite3_finalize (statement);
  return status == SQLITE_DONE || fail (self, error) ? g_steal_pointer (&runs) : NULL;
}

static gboolean
is_figure (double value)
{
  return value >= 0 && value <= 1e9; /* not a NaN either */
}

static gboolean
check (const ShardwiseJournalRun *run, GError **error)
{
  g_autoptr (ShardwiseScenario) scenario = NULL;
  SwProblem problem;
  SwEstimate estimate;

  if (!is_figure (run->step_s) || !is_figure (run->memory_gib))
    g_set_error_literal (error, SHARDWISE_ERROR, SHARDWISE_ERROR_RANGE,
                         _ ("A measured figure is out of range; allowed: 0 to 1,000,000,000"));
  else if (run->step_s <= 0 && run->memory_gib <= 0)
    g_set_error_literal (error, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING,
                         _ ("Nothing was measured; allowed: step time, memory per GPU, or both"));
  else
    return (scenario = shardwise_scenario_from_json (run->scenario, -1, error)) != NULL
           && shardwise_estimate_scenario (scenario, &problem, &estimate, NULL, error);
  return FALSE;
}

/**
 * shardwise_journal_database_save:
 * @run: its id is set if it is new
 *
 * Returns: whether the run was stored; otherwise @error has the reason
 */
gboolean
shardwise_journal_database_save (ShardwiseJournalDatabase *self, ShardwiseJournalRun *run,
                                 GError **error)
{
  const char kind[2] = { run->memory_kind, '\0' };
  sqlite3_stmt *statement;

  g_return_val_if_fail (self != NULL && run != NULL, FALSE);

  if (!check (run, error))
    return FALSE;
  statement = prepare (self,
                       "INSERT OR REPLACE INTO runs (id, name, day, scenario, step_s, memory_gib, "
                       "memory_kind, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                       error);
  if (statement == NULL)
    return FALSE;
  if (run->id != 0)
    sqlite3_bind_int64 (statement, 1, run->id);
  sqlite3_bind_text (statement, 2, run->name, -1, SQLITE_TRANSIENT);
  sqlite3_bind_text (statement, 3, run->day, -1, SQLITE_TRANSIENT);
  sqlite3_bind_text (statement, 4, run->scenario, -1, SQLITE_TRANSIENT);
  sqlite3_bind_double (statement, 5, run->step_s);
  sqlite3_bind_double (statement, 6, run->memory_gib);
  sqlite3_bind_text (statement, 7, kind, -1, SQLITE_TRANSIENT);
  sqlite3_bind_text (statement, 8, run->note, -1, SQLITE_TRANSIENT);
  if (!finish (self, statement, error))
    return FALSE;
  if (run->id == 0)
    run->id = sqlite3_last_insert_rowid (self->database);
  return TRUE;
}

/**
 * shardwise_journal_database_remove:
 * @id: of a run
 *
 * Returns: whether the run no longer exists
 */
gboolean
shardwise_journal_database_remove (ShardwiseJournalDatabase *self, gint64 id, GError **error)
{
  sqlite3_stmt *statement;

  g_return_val_if_fail (self != NULL, FALSE);

  statement = prepare (self, "DELETE FROM runs WHERE id = ?", error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, id);
  return finish (self, statement, error);
}

/* ---- what they calibrate ---- */

/**
 * shardwise_journal_database_get_calibrated:
 *
 * Returns: (transfer full) (element-type utf8): the documents that the user wants calibrated by the
 * runs, or %NULL with @error
 */
GHashTable *
shardwise_journal_database_get_calibrated (ShardwiseJournalDatabase *self, GError **error)
{
  g_autoptr (GHashTable) documents = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  sqlite3_stmt *statement = prepare (self, "SELECT document FROM calibrated", error);
  int status;

  if (statement == NULL)
    return NULL;
  while ((status = sqlite3_step (statement)) == SQLITE_ROW)
    g_hash_table_add (documents, column_text (statement, 0));
  sqlite3_finalize (statement);
  return status == SQLITE_DONE || fail (self, error) ? g_steal_pointer (&documents) : NULL;
}

/**
 * shardwise_journal_database_set_calibrates:
 * @document: the URI of a document
 * @on: whether to calibrate it
 *
 * Returns: whether that was stored
 */
gboolean
shardwise_journal_database_set_calibrates (ShardwiseJournalDatabase *self, const char *document,
                                           gboolean on, GError **error)
{
  sqlite3_stmt *statement;

  g_return_val_if_fail (self != NULL && document != NULL, FALSE);

  statement = prepare (self,
                       on ? "INSERT OR REPLACE INTO calibrated (document) VALUES (?)"
                          : "DELETE FROM calibrated WHERE document = ?",
                       error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_text (statement, 1, document, -1, SQLITE_TRANSIENT);
  return finish (self, statement, error);
}

struct _ShardwiseJournal {
  GObject parent_instance;
  char *file;
  GThreadPool *thread;                /* one thread: requests are processed in order */
  ShardwiseJournalDatabase *database; /* (nullable): used by the thread; NULL: not open yet */
  /* the text that was read */
  GPtrArray *runs;        /* of ShardwiseJournalRun */
  GHashTable *calibrated; /* (nullable): of char*; NULL: not read yet */
};

G_DEFINE_FINAL_TYPE (ShardwiseJournal, shardwise_journal, G_TYPE_OBJECT)

static guint changed_signal;

/* A request to the thread, and its result. The thread does not touch the task, which could end the
 * journal itself there. */
typedef struct {
  GTask *task;
  /* (nullable): changes the database */
  gboolean (*func) (ShardwiseJournalDatabase *database, gpointer operation, GError **error);
  gboolean make; /* creates the file if there is none */
  ShardwiseJournalRun *run;
  gint64 id;
  char *document;
  gboolean on;
  gboolean is_there;
  GPtrArray *runs;        /* (nullable): not read now */
  GHashTable *calibrated; /* (nullable): not read now */
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

/* A database that cannot be read is closed: the next attempt may succeed. */
static gboolean
open_database (ShardwiseJournal *self, Operation *operation)
{
  g_autoptr (ShardwiseJournalDatabase) database =
      shardwise_journal_database_open (self->file, &operation->error);

  g_assert (self->database == NULL);
  if (database == NULL)
    return FALSE;
  operation->calibrated = shardwise_journal_database_get_calibrated (database, &operation->error);
  if (operation->calibrated == NULL)
    return FALSE;
  operation->runs = shardwise_journal_database_get_runs (database, &operation->error);
  if (operation->runs == NULL)
    return FALSE;
  g_debug ("journal %s: %u runs", self->file, operation->runs->len);
  self->database = g_steal_pointer (&database);
  return TRUE;
}

static gboolean done_cb (gpointer data);

static void
work (gpointer data, gpointer user_data)
{
  Operation *operation = data;
  ShardwiseJournal *self = user_data;
  g_autoptr (GSource) source = g_idle_source_new ();

  operation->is_there = self->database != NULL || operation->make
                        || g_file_test (self->file, G_FILE_TEST_EXISTS);
  if (operation->is_there && (self->database != NULL || open_database (self, operation))
      && operation->func != NULL && operation->func (self->database, operation, &operation->error))
    {
      g_clear_pointer (&operation->runs, g_ptr_array_unref);
      operation->runs = shardwise_journal_database_get_runs (self->database, &operation->error);
    }
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
  gboolean first = operation->calibrated != NULL;
  GError *error;

  /* The state read before the operation; if that failed, the document does not change. */
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
  if (error != NULL)
    g_debug ("journal %s: %s", self->file, error->message);
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
 * Returns: (transfer full): the journal, not yet read
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
 * Returns: (transfer none) (element-type ShardwiseJournalRun): the runs, newest first; valid until
 * "changed"; empty before the journal was read
 */
GPtrArray *
shardwise_journal_get_runs (ShardwiseJournal *self)
{
  g_return_val_if_fail (SHARDWISE_IS_JOURNAL (self), NULL);
  return self->runs;
}

/**
 * shardwise_journal_get_calibrates:
 * @document: the URI of a document
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
 * @make: whether to create a journal if there is none
 * @callback: (nullable)
 *
 * Reads the journal, unless it was read before.
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
 * @run: its id is 0 if it is stored for the first time
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
 * @document: the URI of a document
 * @on: whether to calibrate it
 * @callback: (nullable)
 *
 * Stores the setting; shardwise_journal_get_calibrates() returns it from now on.
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
 * Returns: whether it succeeded; otherwise @error has the reason, but is not set if there is no
 * journal to read
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

  g_thread_pool_free (self->thread, FALSE, TRUE); /* all requests are done */
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
   * The runs have changed.
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
