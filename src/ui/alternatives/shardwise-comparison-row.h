/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A title and equally wide cells beside it; where that has no room, the title stands over them.
 * Rows of one width are aligned without knowing of each other. */
#define SHARDWISE_TYPE_COMPARISON_ROW (shardwise_comparison_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseComparisonRow, shardwise_comparison_row, SHARDWISE, COMPARISON_ROW,
                      GtkWidget)

GtkWidget *shardwise_comparison_row_new (const char *title);
void shardwise_comparison_row_append (ShardwiseComparisonRow *self, GtkWidget *cell);

G_END_DECLS
