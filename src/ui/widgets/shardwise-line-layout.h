/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Lays out children in one line from the start edge, like a horizontal GtkBox, but only asks texts
 * for their height. A GtkBox also asks for the width that belongs to this height, which a wrapping
 * text finds by trying dozens of widths. */
#define SHARDWISE_TYPE_LINE_LAYOUT (shardwise_line_layout_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseLineLayout, shardwise_line_layout, SHARDWISE, LINE_LAYOUT,
                      GtkLayoutManager)
/* Properties: "spacing" (int, pixels), "centered" (gboolean: centers texts vertically, else at the
 * top; children keep their own alignment), "stacks" (gboolean: moves the last child below if it
 * would leave little width) */

GtkLayoutManager *shardwise_line_layout_new (int spacing, gboolean centered);
void shardwise_line_layout_rows (GtkWidget *root);
void shardwise_line_layout_stack_suffixes (GtkListBoxRow *row);

G_END_DECLS
