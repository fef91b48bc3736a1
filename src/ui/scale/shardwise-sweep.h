/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* A long computation in worker threads: shows progress with a Stop button; without a result, the
 * reason with a button that starts it again. Takes no space if there is nothing to show. The widget
 * passed to keep() shows the last result, dimmed while a new one is computed.
 *
 * Properties: "text" (string: what is being computed)
 * Signals: "computed" (GPtrArray): the result; "again": the user wants it computed
 * Actions: sweep.stop, sweep.compute */
#define SHARDWISE_TYPE_SWEEP (shardwise_sweep_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseSweep, shardwise_sweep, SHARDWISE, SWEEP, AdwBin)

/* Runs in a worker thread. Returns: (transfer full): the result; NULL with an error */
typedef GPtrArray *(*ShardwiseSweepFunc) (gpointer data,
                                          void (*progress) (double fraction, gpointer data),
                                          gpointer progress_data, GCancellable *cancellable,
                                          GError **error);

void shardwise_sweep_run (ShardwiseSweep *self, ShardwiseSweepFunc work, gpointer data,
                          GDestroyNotify destroy);
/* A delay of the next frame that nobody notices, in microseconds. */
#define SHARDWISE_SWEEP_SOON_US 20000

void shardwise_sweep_await (ShardwiseSweep *self, gint64 most_us);
void shardwise_sweep_stop (ShardwiseSweep *self);
void shardwise_sweep_drop (ShardwiseSweep *self);
void shardwise_sweep_keep (ShardwiseSweep *self, GtkWidget *widget);
void shardwise_sweep_go_on (ShardwiseSweep *self);
void shardwise_sweep_offer (ShardwiseSweep *self, const char *why);
gboolean shardwise_sweep_is_running (ShardwiseSweep *self);

G_END_DECLS
