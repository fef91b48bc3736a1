/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "shardwise-heuristic.h"

G_BEGIN_DECLS

/* The user's own notes and rules in a JSON file, which is written as a whole in a worker thread, in
 * the order of requests. Signal "changed" (notes): the rules have changed. */
#define SHARDWISE_TYPE_NOTES (shardwise_notes_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseNotes, shardwise_notes, SHARDWISE, NOTES, GObject)

ShardwiseNotes *shardwise_notes_open (GFile *file, GError **error);
GPtrArray *
shardwise_notes_get_rules (ShardwiseNotes *self); /* (transfer none) of ShardwiseHeuristic */
void shardwise_notes_save_async (ShardwiseNotes *self, const ShardwiseHeuristic *rule,
                                 GAsyncReadyCallback callback, gpointer data);
void shardwise_notes_remove_async (ShardwiseNotes *self, const char *id,
                                   GAsyncReadyCallback callback, gpointer data);
void shardwise_notes_export_async (ShardwiseNotes *self, GFile *file, GAsyncReadyCallback callback,
                                   gpointer data);
void shardwise_notes_import_async (ShardwiseNotes *self, GFile *file, GAsyncReadyCallback callback,
                                   gpointer data);
gboolean
shardwise_notes_finish (ShardwiseNotes *self, GAsyncResult *result, guint *n, GError **error);

G_END_DECLS
