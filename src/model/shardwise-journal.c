/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-journal.h"

#include <glib/gi18n.h>
#include <sqlite3.h>

#include "shardwise-estimate.h"

/* PRAGMA user_version of the tables below. */
#define VERSION 1

struct _ShardwiseJournal
{
  GObject parent_instance;
  char *file;
  sqlite3 *database;
  GPtrArray *runs; /* of ShardwiseJournalRun: what the table holds */
};

G_DEFINE_FINAL_TYPE (ShardwiseJournal, shardwise_journal, G_TYPE_OBJECT)
G_DEFINE_BOXED_TYPE (ShardwiseJournalRun, shardwise_journal_run, shardwise_journal_run_copy,
                     shardwise_journal_run_free)

static guint changed_signal;

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

/* ---- the database ---- */

static gboolean
fail (ShardwiseJournal *self, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
               /* Translators: a file, and what the database says, in English */
               _ ("The run journal %s cannot be used and was left as it is: %s"), self->file,
               sqlite3_errmsg (self->database));
  return FALSE;
}

static gboolean
execute (ShardwiseJournal *self, const char *sql, GError **error)
{
  return sqlite3_exec (self->database, sql, NULL, NULL, NULL) == SQLITE_OK || fail (self, error);
}

/* (transfer full) (nullable): a statement to bind values to. */
static sqlite3_stmt *
prepare (ShardwiseJournal *self, const char *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (self->database, sql, -1, &statement, NULL) != SQLITE_OK)
    fail (self, error);
  return statement;
}

/* Runs a statement that gives no rows, and frees it. */
static gboolean
finish (ShardwiseJournal *self, sqlite3_stmt *statement, GError **error)
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

static gboolean
load (ShardwiseJournal *self, GError **error)
{
  sqlite3_stmt *statement = prepare (self,
                                     "SELECT id, name, day, scenario, step_s, memory_gib, "
                                     "memory_kind, note FROM runs ORDER BY day DESC, id DESC",
                                     error);
  int status;

  if (statement == NULL)
    return FALSE;
  g_ptr_array_set_size (self->runs, 0);
  while ((status = sqlite3_step (statement)) == SQLITE_ROW)
    g_ptr_array_add (self->runs, read_run (statement));
  sqlite3_finalize (statement);
  return status == SQLITE_DONE || fail (self, error);
}

static int
get_version (ShardwiseJournal *self, GError **error)
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
make_tables (ShardwiseJournal *self, GError **error)
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
         || execute (self,
                     "BEGIN;"
                     "CREATE TABLE runs (id INTEGER PRIMARY KEY, name TEXT NOT NULL, day TEXT NOT "
                     "NULL, scenario TEXT NOT NULL, step_s REAL NOT NULL, memory_gib REAL NOT "
                     "NULL, memory_kind TEXT NOT NULL, note TEXT NOT NULL);"
                     "CREATE TABLE calibrated (document TEXT PRIMARY KEY);"
                     "PRAGMA user_version = 1;"
                     "COMMIT;",
                     error);
}

/**
 * shardwise_journal_open:
 * @file: (type filename): path of the database; made with its folder where there is none
 *
 * Returns: (transfer full): the journal, or %NULL with @error where the file is no database, cannot
 * be written or is of a newer version; it is left as it is then
 */
ShardwiseJournal *
shardwise_journal_open (const char *file, GError **error)
{
  g_autoptr (ShardwiseJournal) self = g_object_new (SHARDWISE_TYPE_JOURNAL, NULL);
  g_autofree char *folder = NULL;

  g_return_val_if_fail (file != NULL, NULL);

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
  if (!make_tables (self, error) || !load (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* ---- runs ---- */

/**
 * shardwise_journal_get_runs:
 *
 * Returns: (transfer none) (element-type ShardwiseJournalRun): the runs, newest first; until
 * "changed"
 */
GPtrArray *
shardwise_journal_get_runs (ShardwiseJournal *self)
{
  g_return_val_if_fail (SHARDWISE_IS_JOURNAL (self), NULL);
  return self->runs;
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
 * shardwise_journal_save:
 * @run: its id is set where it is stored for the first time
 *
 * Returns: whether the run is in the database now; else @error says what is wrong with it
 */
gboolean
shardwise_journal_save (ShardwiseJournal *self, ShardwiseJournalRun *run, GError **error)
{
  const char kind[2] = { run->memory_kind, '\0' };
  sqlite3_stmt *statement;

  g_return_val_if_fail (SHARDWISE_IS_JOURNAL (self) && run != NULL, FALSE);

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
  if (!load (self, error))
    return FALSE;
  g_signal_emit (self, changed_signal, 0);
  return TRUE;
}

/**
 * shardwise_journal_remove:
 * @id: of a run
 *
 * Returns: whether there is no such run any more
 */
gboolean
shardwise_journal_remove (ShardwiseJournal *self, gint64 id, GError **error)
{
  sqlite3_stmt *statement;

  g_return_val_if_fail (SHARDWISE_IS_JOURNAL (self), FALSE);

  statement = prepare (self, "DELETE FROM runs WHERE id = ?", error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_int64 (statement, 1, id);
  if (!finish (self, statement, error) || !load (self, error))
    return FALSE;
  g_signal_emit (self, changed_signal, 0);
  return TRUE;
}

/* ---- what they calibrate ---- */

/**
 * shardwise_journal_get_calibrates:
 * @document: what names a document, its URI
 *
 * Returns: whether the user wants @document calibrated by the runs
 */
gboolean
shardwise_journal_get_calibrates (ShardwiseJournal *self, const char *document)
{
  sqlite3_stmt *statement;
  gboolean on;

  g_return_val_if_fail (SHARDWISE_IS_JOURNAL (self) && document != NULL, FALSE);

  statement = prepare (self, "SELECT 1 FROM calibrated WHERE document = ?", NULL);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_text (statement, 1, document, -1, SQLITE_TRANSIENT);
  on = sqlite3_step (statement) == SQLITE_ROW;
  sqlite3_finalize (statement);
  return on;
}

/**
 * shardwise_journal_set_calibrates:
 * @document: what names a document, its URI
 * @on: whether to calibrate it
 *
 * Returns: whether that is remembered now
 */
gboolean
shardwise_journal_set_calibrates (ShardwiseJournal *self, const char *document, gboolean on,
                                  GError **error)
{
  sqlite3_stmt *statement;

  g_return_val_if_fail (SHARDWISE_IS_JOURNAL (self) && document != NULL, FALSE);

  statement = prepare (self,
                       on ? "INSERT OR REPLACE INTO calibrated (document) VALUES (?)"
                          : "DELETE FROM calibrated WHERE document = ?",
                       error);
  if (statement == NULL)
    return FALSE;
  sqlite3_bind_text (statement, 1, document, -1, SQLITE_TRANSIENT);
  return finish (self, statement, error);
}

/* ---- object ---- */

static void
shardwise_journal_finalize (GObject *object)
{
  ShardwiseJournal *self = SHARDWISE_JOURNAL (object);

  g_ptr_array_unref (self->runs);
  sqlite3_close (self->database);
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
  self->runs = g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_journal_run_free);
}
