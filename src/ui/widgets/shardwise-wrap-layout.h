/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Lays out children in lines from the start edge. With "item-width" 0, each child has its natural
 * width and expanding children share the rest of their line. Otherwise the children form equal
 * columns of at least that width; fewer columns are preferred to an incomplete last line. */
#define SHARDWISE_TYPE_WRAP_LAYOUT (shardwise_wrap_layout_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseWrapLayout, shardwise_wrap_layout, SHARDWISE, WRAP_LAYOUT,
                      GtkLayoutManager)
/* Properties: "spacing", "line-spacing", "item-width", "max-columns" (int, pixels or a count; 0: no
 * limit) */

GtkLayoutManager *
shardwise_wrap_layout_new (int spacing, int line_spacing, int item_width, int max_columns);

G_END_DECLS
