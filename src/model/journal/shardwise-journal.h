/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>
#include <gio/gio.h>

G_BEGIN_DECLS

/* A run measured by the user. Either the time or the memory may be missing, but not both. */
typedef struct {
  gint64 id; /* 0: not stored yet */
  char *name;
  char *day;         /* "2026-11-22": day of the measurement */
  char *scenario;    /* JSON of a scenario with the whole strategy pinned */
  double step_s;     /* per step; 0: not measured */
  double memory_gib; /* largest on any GPU; 0: not measured */
  char memory_kind;  /* 'p'rocess as in nvidia-smi, or PyTorch's 'r'eserved or 'a'llocated */
  char *note;
} ShardwiseJournalRun;

#define SHARDWISE_TYPE_JOURNAL_RUN (shardwise_journal_run_get_type ())
GType shardwise_journal_run_get_type (void);
ShardwiseJournalRun *shardwise_journal_run_new (void);
ShardwiseJournalRun *shardwise_journal_run_copy (const ShardwiseJournalRun *self);
void shardwise_journal_run_free (ShardwiseJournalRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseJournalRun, shardwise_journal_run_free)

/* The database of a run journal. Its functions block on the disk: use it in one worker thread. */
typedef struct _ShardwiseJournalDatabase ShardwiseJournalDatabase;

ShardwiseJournalDatabase *shardwise_journal_database_open (const char *file, GError **error);
void shardwise_journal_database_free (ShardwiseJournalDatabase *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseJournalDatabase, shardwise_journal_database_free)

/* (transfer full) of ShardwiseJournalRun, newest first */
GPtrArray *shardwise_journal_database_get_runs (ShardwiseJournalDatabase *self, GError **error);
gboolean shardwise_journal_database_save (ShardwiseJournalDatabase *self, ShardwiseJournalRun *run,
                                          GError **error);
gboolean
shardwise_journal_database_remove (ShardwiseJournalDatabase *self, gint64 id, GError **error);
/* (transfer full): a set of URIs */
GHashTable *
shardwise_journal_database_get_calibrated (ShardwiseJournalDatabase *self, GError **error);
gboolean
shardwise_journal_database_set_calibrates (ShardwiseJournalDatabase *self, const char *document,
                                           gboolean on, GError **error);

/* The user's runs, for the main thread: requests run one after another in a worker thread, and the
 * application stays alive until they are written. Signal "changed" (journal): the runs have
 * changed. */
#define SHARDWISE_TYPE_JOURNAL (shardwise_journal_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseJournal, shardwise_journal, SHARDWISE, JOURNAL, GObject)

ShardwiseJournal *shardwise_journal_new (const char *file);

/* The known state; empty until the database has been read. */
GPtrArray *shardwise_journal_get_runs (ShardwiseJournal *self); /* (transfer none): of
                                                                   ShardwiseJournalRun, newest
                                                                   first */
gboolean shardwise_journal_get_calibrates (ShardwiseJournal *self, const char *document);

/* callback (nullable): called with the journal */
void shardwise_journal_read_async (ShardwiseJournal *self, gboolean make,
                                   GAsyncReadyCallback callback, gpointer data);
void shardwise_journal_save_async (ShardwiseJournal *self, const ShardwiseJournalRun *run,
                                   GAsyncReadyCallback callback, gpointer data);
void shardwise_journal_remove_async (ShardwiseJournal *self, gint64 id,
                                     GAsyncReadyCallback callback, gpointer data);
void
shardwise_journal_set_calibrates_async (ShardwiseJournal *self, const char *document, gboolean on,
                                        GAsyncReadyCallback callback, gpointer data);
gboolean shardwise_journal_finish (ShardwiseJournal *self, GAsyncResult *result, GError **error);

G_END_DECLS
