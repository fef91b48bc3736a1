/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-container.h"

G_BEGIN_DECLS

/* Sections in a scrolled column. Only sections in or near the visible area are mapped, measured and
 * drawn at first; the others wake when the user scrolls or moves the focus to them, or one page
 * every 150 ms. The height of a section that has not been awake is a guess. While the width
 * changes, sections out of sight sleep.
 *
 * # CSS nodes
 * `column` */
#define SHARDWISE_TYPE_COLUMN (shardwise_column_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseColumn, shardwise_column, SHARDWISE, COLUMN, ShardwiseContainer)

void shardwise_column_rest (ShardwiseColumn *self);
void shardwise_column_wake (ShardwiseColumn *self);

G_END_DECLS
