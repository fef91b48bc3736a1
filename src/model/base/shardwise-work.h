/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Work beside the main thread: many pieces on all cores, how they are stopped, and the program that
 * lasts until a task is done. */

/* Does `work` for each index below `n` on as many threads as there are cores, and waits; `progress`
 * is called on this thread. `cancelled` is atomic: not 0 stops it, then FALSE is returned. */
gboolean shardwise_parallel_run (guint n, void (*work) (guint index, gpointer data), gpointer data,
                                 void (*progress) (double fraction, gpointer data),
                                 gpointer progress_data, int *cancelled);
/* Ties such an integer to a GCancellable (nullable); for g_cancellable_disconnect(). */
gulong shardwise_parallel_watch (GCancellable *cancellable, int *cancelled);

/* Keeps the program running until a task is done. */
void shardwise_hold_for_task (GTask *task);

G_END_DECLS
