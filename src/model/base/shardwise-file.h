/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Whole files. All functions block on the disk: call them in a worker thread or in a program
 * without a window. */

/* The only way to read files from outside: rejects folders, pipes, devices and more than
 * SHARDWISE_JSON_MAX_BYTES before reading, with a SHARDWISE_ERROR that states what is allowed.
 * Returns: (transfer full) */
GBytes *shardwise_read_file (GFile *file, GCancellable *cancellable, GError **error);
/* The same for any stream, with the same limit. */
GBytes *shardwise_read_stream (GInputStream *stream, GCancellable *cancellable, GError **error);
/* Replaces the content of a file atomically. Links stay links, and files keep their permissions. */
gboolean shardwise_write_file (GFile *file, const char *text, gsize length, GError **error);

/* Returns: (transfer full): the path of user data outside documents: "journal.db",
 * "playbook.json" */
char *shardwise_user_file (const char *name);

G_END_DECLS
