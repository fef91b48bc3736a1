/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-container.h"

G_BEGIN_DECLS

/* Contains a list or a table: Tab enters its current row and leaves it again, instead of visiting
 * each row. Up and Down move between rows.
 *
 * Tab enters the row that had the focus last, at its first focusable control. In a column view the
 * headers come before the rows: Shift+Tab returns to them.
 *
 * Owns its one child, which fills it. Has no properties, signals or CSS, and is a group for screen
 * readers. */
#define SHARDWISE_TYPE_LIST_BIN (shardwise_list_bin_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseListBin, shardwise_list_bin, SHARDWISE, LIST_BIN, ShardwiseContainer)

GtkWidget *shardwise_list_bin_new (GtkWidget *child); /* (transfer floating) */

G_END_DECLS
