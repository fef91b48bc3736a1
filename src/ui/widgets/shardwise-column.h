/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-container.h"

G_BEGIN_DECLS

/* Sections one below the other in a scrolled window, of which at first only those cost time that
 * are in sight or a little below: the rest is neither mapped, measured nor drawn until the person
 * scrolls or the keyboard comes there, or until it wakes by itself, a page every 150 ms. Until a
 * section was awake its height is a guess. While the width changes what is out of sight sleeps.
 *
 * # CSS nodes
 * `column` */
#define SHARDWISE_TYPE_COLUMN (shardwise_column_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseColumn, shardwise_column, SHARDWISE, COLUMN, ShardwiseContainer)

void shardwise_column_rest (ShardwiseColumn *self);
void shardwise_column_wake (ShardwiseColumn *self);

G_END_DECLS
