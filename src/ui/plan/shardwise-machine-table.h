/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-capacity.h"

G_BEGIN_DECLS

/* What can be trained on a machine: models in rows, ways to tune them in columns; where that has no
 * room, a list for each model. */
GtkWidget *shardwise_machine_table_new (const ShardwiseCapacity *capacity);
char *shardwise_machine_table_summary (const ShardwiseCapacity *capacity);

G_END_DECLS
