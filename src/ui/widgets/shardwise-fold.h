/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-container.h"

G_BEGIN_DECLS

/* Shows its wide child where that has room, else its narrow child: a table beside a list that says the
 * same in lines. Only the one that shows is laid out and drawn.
 *
 * It owns both. Its least width is that of the narrow child, its natural one that of the wide child;
 * its height is that of the one which shows at the width there is. It has no properties, no signals
 * and no CSS of its own, and is a group to a screen reader. */
#define SHARDWISE_TYPE_FOLD (shardwise_fold_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseFold, shardwise_fold, SHARDWISE, FOLD, ShardwiseContainer)

/* wide: shown where its minimum width has room; narrow: shown where it has not.
 * Returns: (transfer floating). */
GtkWidget *shardwise_fold_new (GtkWidget *wide, GtkWidget *narrow);

G_END_DECLS
