/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Notes and rules of ShardwiseHeuristic as JSON, as they are kept and exchanged. */
GPtrArray *shardwise_notes_file_read (GFile *file, GError **error); /* (transfer full) */
gboolean shardwise_notes_file_write (GPtrArray *rules, GFile *file, GError **error);

G_END_DECLS
