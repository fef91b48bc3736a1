/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The menu of the Open button: scenarios used last, without those that are gone, then examples. It
 * follows the desktop's list of recent files, which other programs show, too. Items activate
 * app.open-uri and win.open-example. */
typedef struct _ShardwiseRecent ShardwiseRecent;

/* fills the menu when there is nothing better to do */
ShardwiseRecent *shardwise_recent_new (GMenu *menu);
void shardwise_recent_free (ShardwiseRecent *self);
/* it was opened or saved now */
void shardwise_recent_remember (GFile *file);
/* (transfer full) (nullable) */
char *shardwise_example_read (const char *id);

G_END_DECLS
