/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The first rows of a selection model, extended step by step: a list view creates some 200 of its
 * model's rows, visible or not, which takes many frames. The selection is that of the model,
 * including rows not yet shown.
 *
 * Interfaces: GListModel, GtkSelectionModel. */
#define SHARDWISE_TYPE_GROWING_ROWS (shardwise_growing_rows_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseGrowingRows, shardwise_growing_rows, SHARDWISE, GROWING_ROWS,
                      GObject)

ShardwiseGrowingRows *shardwise_growing_rows_new (GtkSelectionModel *model);
void shardwise_growing_rows_set_most (ShardwiseGrowingRows *self, guint most);
guint shardwise_growing_rows_get_most (ShardwiseGrowingRows *self);

G_END_DECLS
