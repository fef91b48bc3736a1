/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The first rows of a selection model, more of them from time to time: a list makes some 200 of the
 * rows that its model has, in sight or not, which takes it many times as long as a frame. What is
 * selected is that of the model, whether its row is among the first or not.
 *
 * Interfaces: GListModel, GtkSelectionModel. */
#define SHARDWISE_TYPE_GROWING_ROWS (shardwise_growing_rows_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseGrowingRows, shardwise_growing_rows, SHARDWISE, GROWING_ROWS,
                      GObject)

ShardwiseGrowingRows *shardwise_growing_rows_new (GtkSelectionModel *model);
void shardwise_growing_rows_set_most (ShardwiseGrowingRows *self, guint most);
guint shardwise_growing_rows_get_most (ShardwiseGrowingRows *self);

G_END_DECLS
