/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Work outside the main thread: parallel loops, their cancellation, and keeping the program alive
 * until a task is done. */

/* Calls `work` for each index below n on one thread per core, and waits. Calls `progress` in the
 * calling thread. A nonzero `cancelled` (atomic) stops it; then it returns FALSE. */
gboolean shardwise_parallel_run (guint n, void (*work) (guint index, gpointer data), gpointer data,
                                 void (*progress) (double fraction, gpointer data),
                                 gpointer progress_data, int *cancelled);
/* Sets `cancelled` when the GCancellable (nullable) is cancelled. Returns: for
 * g_cancellable_disconnect() */
gulong shardwise_parallel_watch (GCancellable *cancellable, int *cancelled);

/* Keeps the program running until the task is done. */
void shardwise_hold_for_task (GTask *task);

G_END_DECLS
