/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Lays out the whole content of a window: one child that fills it and scrolls what is too tall. A
 * window asks for no height that goes with a width: of a content that has one, GTK measures every
 * line of text at a dozen widths for each change, to find the shape of the smallest window. */
#define SHARDWISE_TYPE_WINDOW_LAYOUT (shardwise_window_layout_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseWindowLayout, shardwise_window_layout, SHARDWISE, WINDOW_LAYOUT,
                      GtkLayoutManager)

G_END_DECLS
