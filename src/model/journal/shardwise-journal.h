/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>
#include <gio/gio.h>

G_BEGIN_DECLS

/* A measured run of the user's own. Either figure may be missing, not both. */
typedef struct {
  gint64 id; /* 0: not stored yet */
  char *name;
  char *day;         /* "2026-11-22": when it was measured */
  char *scenario;    /* JSON of a scenario that pins the whole strategy */
  double step_s;     /* of one step; 0: not measured */
  double memory_gib; /* greatest on one GPU; 0: not measured */
  char memory_kind;  /* 'p'rocess as nvidia-smi counts, PyTorch's 'r'eserved or 'a'llocated */
  char *note;
} ShardwiseJournalRun;

#define SHARDWISE_TYPE_JOURNAL_RUN (shardwise_journal_run_get_type ())
GType shardwise_journal_run_get_type (void);
ShardwiseJournalRun *shardwise_journal_run_new (void);
ShardwiseJournalRun *shardwise_journal_run_copy (const ShardwiseJournalRun *self);
void shardwise_journal_run_free (ShardwiseJournalRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseJournalRun, shardwise_journal_run_free)

/* The database of a run journal. Its functions wait for the disk: for one thread, and not for that
 * of the window. */
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

/* The user's runs. For the main thread, which does not wait for the disk: what is asked for is done
 * one after the other on a thread, and the application does not end before it is written.
 * signal "changed" (journal): the runs are others now */
#define SHARDWISE_TYPE_JOURNAL (shardwise_journal_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseJournal, shardwise_journal, SHARDWISE, JOURNAL, GObject)

ShardwiseJournal *shardwise_journal_new (const char *file);

/* What is known of it, nothing until it was read. */
GPtrArray *shardwise_journal_get_runs (ShardwiseJournal *self); /* (transfer none) of
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
