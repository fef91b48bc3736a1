/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-container.h"

G_BEGIN_DECLS

/* Shows its wide child if there is room, else its narrow child, e.g. a table or a list with the
 * same content. Lays out and draws only the visible one.
 *
 * Owns both. Minimum width: the narrow child's; natural width: the wide child's; height: that of
 * the child shown at the given width. Has no properties, signals or CSS, and is a group for screen
 * readers. */
#define SHARDWISE_TYPE_FOLD (shardwise_fold_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseFold, shardwise_fold, SHARDWISE, FOLD, ShardwiseContainer)

/* wide: shown if its minimum width fits; narrow: shown otherwise.
 * Returns: (transfer floating) */
GtkWidget *shardwise_fold_new (GtkWidget *wide, GtkWidget *narrow);

G_END_DECLS
