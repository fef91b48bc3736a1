/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-comparison.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* Buttons that add a column to the comparison: the current inputs with one change, computed in a
 * worker thread. The current inputs themselves become the first column.
 *
 * Actions: columns.gpu (s: its id), columns.gpus (u), columns.framework (s: its name) */
#define SHARDWISE_TYPE_COLUMN_BUTTONS (shardwise_column_buttons_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseColumnButtons, shardwise_column_buttons, SHARDWISE, COLUMN_BUTTONS,
                      ShardwiseContainer)

void shardwise_column_buttons_set_comparison (ShardwiseColumnButtons *self,
                                              ShardwiseComparison *comparison);
gboolean shardwise_column_buttons_is_adding (ShardwiseColumnButtons *self);

G_END_DECLS
