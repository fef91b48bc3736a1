/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
G_BEGIN_DECLS

gboolean shardwise_parallel_run (guint n, void (*work) (guint index, gpointer data), gpointer data,
                                 void (*progress) (double fraction, gpointer data),
                                 gpointer progress_data, int *cancelled);
gulong shardwise_parallel_watch (GCancellable *cancellable, int *cancelled);

/* Keeps the program running until a task is done. */
void shardwise_hold_for_task (GTask *task);

G_END_DECLS
