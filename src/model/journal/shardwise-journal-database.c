/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-journal-database.h"

#include <glib/gi18n.h>
#include <sqlite3.h>

#include "shardwise-estimate.h"

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
               _ ("The run journal %s cannot be used and was left as it is: %s"), self->file,
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

static ShardwiseJournalRun *
read_run (sqlite3_stmt *statement)
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
  return run;
}

static int
get_version (ShardwiseJournalDatabase *self, GError **error)
{
  sqlite3_stmt *statement = prepare (self, "PRAGMA user_version", error);
  int version = -1;

  if (statement == NULL)
    return -1;
  if (sqlite3_step (statement) == SQLITE_ROW)
    version = sqlite3_column_int (statement, 0);
  else
    fail (self, error);
  sqlite3_finalize (statement);
  return version;
}

static gboolean
make_tables (ShardwiseJournalDatabase *self, GError **error)
{
  int version = get_version (self, error);

  if (version < 0)
    return FALSE;
  if (version > VERSION)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                           _ ("The run journal was written by a newer version of Shardwise."));
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
 * @file: (type filename): path of the database; made with its folder where there is none
 *
 * Returns: (transfer full): the database, or %NULL with @error where the file is none, cannot be
 * written or is of a newer version; it is left as it is then
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
    g_ptr_array_add (runs, read_run (statement));
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
                         _ ("A measured figure is out of range, accepted: 0 to 1,000,000,000"));
  else if (run->step_s <= 0 && run->memory_gib <= 0)
    g_set_error_literal (
        error, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING,
        _ ("Nothing was measured, accepted: the time of a step, memory per GPU, or both"));
  else
    return (scenario = shardwise_scenario_from_json (run->scenario, -1, error)) != NULL
           && shardwise_estimate_scenario (scenario, &problem, &estimate, NULL, error);
  return FALSE;
}

/**
 * shardwise_journal_database_save:
 * @run: its id is set where it is stored for the first time
 *
 * Returns: whether the run is in the database now; else @error says what is wrong with it
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
 * Returns: whether there is no such run any more
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
 * @document: what names a document, its URI
 * @on: whether to calibrate it
 *
 * Returns: whether that is remembered now
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
