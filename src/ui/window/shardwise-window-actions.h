/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-window.h"

G_BEGIN_DECLS

/* What can be done with a window: its win.* actions, but those of files, and what they show beside
 * it: the report, the journal with what it says of a scenario, the playbook, and editors. */

/* once, before anything is shown */
void shardwise_window_add_actions (ShardwiseWindow *self);
/* follows the scenario and the advisor */
void shardwise_window_update_actions (ShardwiseWindow *self);

void shardwise_window_save_report_as (ShardwiseWindow *self, GFile *file);
void shardwise_window_calibrate (ShardwiseWindow *self);
void shardwise_window_keep_calibration (ShardwiseWindow *self);
void shardwise_window_show_journal_again (ShardwiseWindow *self);
void shardwise_window_connect_page (ShardwiseWindow *self, GtkWidget *page);
void shardwise_window_restore_editors (ShardwiseWindow *self);

G_END_DECLS
