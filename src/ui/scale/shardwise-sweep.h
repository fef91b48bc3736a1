/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* A long computation on worker threads as a page shows it: progress with a button that stops it,
 * then the reason why there is no result with a button that begins again. Takes no room while there
 * is nothing to say. What it was told to keep shows the last result, dimmed while another is
 * sought.
 *
 * properties: "text" (string: what is being done)
 * signals: "computed" (GPtrArray): the result; "again": the user wants it computed
 * actions: sweep.stop, sweep.compute */
#define SHARDWISE_TYPE_SWEEP (shardwise_sweep_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseSweep, shardwise_sweep, SHARDWISE, SWEEP, AdwBin)

/* Runs on a worker thread; (transfer full), NULL with an error. */
typedef GPtrArray *(*ShardwiseSweepFunc) (gpointer data,
                                          void (*progress) (double fraction, gpointer data),
                                          gpointer progress_data, GCancellable *cancellable,
                                          GError **error);

void shardwise_sweep_run (ShardwiseSweep *self, ShardwiseSweepFunc work, gpointer data,
                          GDestroyNotify destroy);
/* Nobody sees that the next frame comes so much later. */
#define SHARDWISE_SWEEP_SOON_US 20000

void shardwise_sweep_await (ShardwiseSweep *self, gint64 most_us);
void shardwise_sweep_stop (ShardwiseSweep *self);
void shardwise_sweep_drop (ShardwiseSweep *self);
void shardwise_sweep_keep (ShardwiseSweep *self, GtkWidget *widget);
void shardwise_sweep_go_on (ShardwiseSweep *self);
void shardwise_sweep_offer (ShardwiseSweep *self, const char *why);
gboolean shardwise_sweep_is_running (ShardwiseSweep *self);

G_END_DECLS
