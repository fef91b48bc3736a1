/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "shardwise-journal-run.h"

G_BEGIN_DECLS

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

G_END_DECLS
