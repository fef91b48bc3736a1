/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "shardwise-heuristic.h"

G_BEGIN_DECLS

/* The user's own notes and rules, in a JSON file that is written as a whole. For one thread.
 * signal "changed" (notes): they are others now */
#define SHARDWISE_TYPE_NOTES (shardwise_notes_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseNotes, shardwise_notes, SHARDWISE, NOTES, GObject)

ShardwiseNotes *shardwise_notes_open (GFile *file, GError **error);
GPtrArray *
shardwise_notes_get_rules (ShardwiseNotes *self); /* (transfer none) of ShardwiseHeuristic */
gboolean
shardwise_notes_save (ShardwiseNotes *self, const ShardwiseHeuristic *rule, GError **error);
gboolean shardwise_notes_remove (ShardwiseNotes *self, const char *id, GError **error);
gboolean shardwise_notes_export (ShardwiseNotes *self, GFile *file, GError **error);
gboolean shardwise_notes_import (ShardwiseNotes *self, GFile *file, guint *n, GError **error);

G_END_DECLS
