/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "shardwise-journal-run.h"

G_BEGIN_DECLS

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
