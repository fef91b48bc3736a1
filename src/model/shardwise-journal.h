/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A measured run of the user's own. Either figure may be missing, not both. */
typedef struct
{
  gint64 id; /* 0: not stored yet */
  char *name;
  char *day;          /* "2026-11-22": when it was measured */
  char *scenario;     /* JSON of a scenario that pins the whole strategy */
  double step_s;      /* of one step; 0: not measured */
  double memory_gib;  /* greatest on one GPU; 0: not measured */
  char memory_kind;   /* 'p'rocess as nvidia-smi counts, PyTorch's 'r'eserved or 'a'llocated */
  char *note;
} ShardwiseJournalRun;

#define SHARDWISE_TYPE_JOURNAL_RUN (shardwise_journal_run_get_type ())
GType shardwise_journal_run_get_type (void);
ShardwiseJournalRun *shardwise_journal_run_new (void);
ShardwiseJournalRun *shardwise_journal_run_copy (const ShardwiseJournalRun *self);
void shardwise_journal_run_free (ShardwiseJournalRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseJournalRun, shardwise_journal_run_free)

/* The user's runs, in an SQLite database. For one thread.
 * signal "changed" (journal): runs or what they calibrate are others now */
#define SHARDWISE_TYPE_JOURNAL (shardwise_journal_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseJournal, shardwise_journal, SHARDWISE, JOURNAL, GObject)

ShardwiseJournal *shardwise_journal_open (const char *file, GError **error);
GPtrArray *shardwise_journal_get_runs (ShardwiseJournal *self); /* (transfer none) of
                                                                   ShardwiseJournalRun, newest
                                                                   first */
gboolean shardwise_journal_save (ShardwiseJournal *self, ShardwiseJournalRun *run, GError **error);
gboolean shardwise_journal_remove (ShardwiseJournal *self, gint64 id, GError **error);
gboolean shardwise_journal_get_calibrates (ShardwiseJournal *self, const char *document);
gboolean shardwise_journal_set_calibrates (ShardwiseJournal *self, const char *document,
                                           gboolean on, GError **error);

G_END_DECLS
