/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The menu of the Open button: recent scenarios that still exist, then examples. Follows the
 * desktop's list of recent files, which other programs share. Items activate app.open-uri and
 * win.open-example. */
typedef struct _ShardwiseRecent ShardwiseRecent;

/* Fills the menu when the main loop is idle. */
ShardwiseRecent *shardwise_recent_new (GMenu *menu);
void shardwise_recent_free (ShardwiseRecent *self);
/* Records that the file was opened or saved. */
void shardwise_recent_remember (GFile *file);
/* (transfer full) (nullable) */
char *shardwise_example_read (const char *id);

G_END_DECLS
