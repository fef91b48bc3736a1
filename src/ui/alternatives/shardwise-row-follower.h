/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef void (*ShardwiseRowShow) (GtkListItem *item);

/* A list whose rows become others in place has far more of them than are in sight. Those in sight
 * become others at once; the others, whose texts take as long to lay out, in the frame after: what
 * is scrolled to is what it is by then. */
void shardwise_row_follower_bind (GtkListItem *item, ShardwiseRowShow show);
void shardwise_row_follower_unbind (GtkListItem *item);

G_END_DECLS
