/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A thin bar filled to a share, with a line at a limit. */
#define SHARDWISE_TYPE_LEVEL (shardwise_level_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseLevel, shardwise_level, SHARDWISE, LEVEL, GtkWidget)

GtkWidget *shardwise_level_new (void);
void shardwise_level_set (ShardwiseLevel *self, double level,
                          double limit); /* 0-1; limit >= 1: no line */

G_END_DECLS
