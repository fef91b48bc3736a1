/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-window.h"

G_BEGIN_DECLS

/* The win.* actions of a window except those of files, and the windows they open: the report, the
 * journal with its calibration, the playbook, and editors. */

/* called once, before the window is shown */
void shardwise_window_add_actions (ShardwiseWindow *self);
/* updates them for the scenario and the advisor */
void shardwise_window_update_actions (ShardwiseWindow *self);

void shardwise_window_save_report_as (ShardwiseWindow *self, GFile *file);
void shardwise_window_calibrate (ShardwiseWindow *self);
void shardwise_window_keep_calibration (ShardwiseWindow *self);
void shardwise_window_show_journal_again (ShardwiseWindow *self);
void shardwise_window_connect_page (ShardwiseWindow *self, GtkWidget *page);
void shardwise_window_restore_editors (ShardwiseWindow *self);

G_END_DECLS
