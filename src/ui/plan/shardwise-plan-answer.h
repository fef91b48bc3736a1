/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-capacity.h"

G_BEGIN_DECLS

/* One model, tuned one way, on one cluster: whether it fits by an icon and words, besides the color;
 * what fits leads to its job by the action plan.open. */

/* of plan.open: row of the answer, way to tune */
#define SHARDWISE_PLAN_TARGET "(uu)"

/* What can be trained on a machine: models in rows, ways to tune them in columns; where that has no
 * room, a list for each model. */
GtkWidget *shardwise_machine_table_new (const ShardwiseCapacity *capacity);
char *shardwise_machine_table_summary (const ShardwiseCapacity *capacity);

/* What a model needs to be tuned one way: the fewest of each GPU, the cheapest hour first, those
 * without a price after them. */
/* (nullable): it fits on none */
GtkWidget *shardwise_needs_list_new (const ShardwiseCapacity *capacity, ShardwiseTuning tuning);
char *shardwise_needs_list_summary (const ShardwiseCapacity *capacity, ShardwiseTuning tuning);

G_END_DECLS
