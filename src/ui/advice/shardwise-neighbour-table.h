/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-advice.h"

G_BEGIN_DECLS

/* The other values of one dimension: a grid if there is room, else one or two lines per value.
 * Signs mark what is worse or better than the chosen value; colors repeat them. */
GtkWidget *shardwise_neighbour_table_new (const ShardwiseRationale *rationale);

const char *
shardwise_change_class (double change, gboolean more_is_better); /* CSS class; NULL: negligible */

G_END_DECLS
