/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Lays children out in lines from the start edge and wraps them. With "item-width" 0 every child
 * has its natural width and those that expand share what is left of their line; else the children
 * form equal columns of at least that width, rather some fewer than with a last line that is not
 * full. */
#define SHARDWISE_TYPE_WRAP_LAYOUT (shardwise_wrap_layout_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseWrapLayout, shardwise_wrap_layout, SHARDWISE, WRAP_LAYOUT,
                      GtkLayoutManager)
/* properties: "spacing", "line-spacing", "item-width", "max-columns" (int, pixels or a count; 0: no
 * limit) */

GtkLayoutManager *
shardwise_wrap_layout_new (int spacing, int line_spacing, int item_width, int max_columns);

G_END_DECLS
