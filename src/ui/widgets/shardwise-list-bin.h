/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-container.h"

G_BEGIN_DECLS

/* Around a list or a table: Tab leads into its row and out again, not from row to row. Up and down
 * go through the rows.
 *
 * The row that Tab leads into is the one that had the focus last; what can be pressed within it is led
 * to first. Of a column view the headings stand before the rows: Shift+Tab leads back to them.
 *
 * It owns its one child, which fills it, has no properties, no signals and no CSS of its own, and is a
 * group to a screen reader. */
#define SHARDWISE_TYPE_LIST_BIN (shardwise_list_bin_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseListBin, shardwise_list_bin, SHARDWISE, LIST_BIN, ShardwiseContainer)

GtkWidget *shardwise_list_bin_new (GtkWidget *child); /* (transfer floating) */

G_END_DECLS
