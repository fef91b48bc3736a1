/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Files as a whole. All of these wait for the disk: they are for a thread, or for a program without
 * a window. */

/* The one way in for what somebody else wrote: refuses folders, pipes, devices and more than
 * SHARDWISE_JSON_MAX_BYTES before anything is read, with a SHARDWISE_ERROR that says what is
 * accepted. */
GBytes *shardwise_read_file (GFile *file, GCancellable *cancellable, GError **error);
/* Of any kind, the same limit. */
GBytes *shardwise_read_stream (GInputStream *stream, GCancellable *cancellable, GError **error);
/* Puts a text in the place of a file's content, all of it or nothing: a link stays one, and a file
 * keeps its permissions. */
gboolean shardwise_write_file (GFile *file, const char *text, gsize length, GError **error);

/* (transfer full): the path of what the user keeps beside documents: "journal.db", "playbook.json". */
char *shardwise_user_file (const char *name);

G_END_DECLS
