/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-advice.h"

G_BEGIN_DECLS

/* The counterfactual table of one dimension: a grid where there is room, else a line or two per
 * value. What is worse or better than the chosen value is told by signs, and repeated by colors. */
GtkWidget *shardwise_neighbour_table_new (const ShardwiseRationale *rationale);

const char *
shardwise_change_class (double change,
                        gboolean more_is_better); /* CSS class; NULL: too small to matter */

G_END_DECLS
