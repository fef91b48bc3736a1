/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Lays children out in one line from the start edge, as a horizontal GtkBox does, but asks texts
 * for their height only: a GtkBox asks each for the width that goes with its height too, which a
 * text that wraps answers by trying dozens of widths. */
#define SHARDWISE_TYPE_LINE_LAYOUT (shardwise_line_layout_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseLineLayout, shardwise_line_layout, SHARDWISE, LINE_LAYOUT,
                      GtkLayoutManager)
/* properties: "spacing" (int, pixels), "centered" (gboolean: texts stand in the middle of the
 * line's height, else at its top; every child's own alignment is kept), "stacks" (gboolean: the last child stands below
 * where it would leave little width) */

GtkLayoutManager *shardwise_line_layout_new (int spacing, gboolean centered);
void shardwise_line_layout_rows (GtkWidget *root);
void shardwise_line_layout_stack_suffixes (GtkListBoxRow *row);

G_END_DECLS
