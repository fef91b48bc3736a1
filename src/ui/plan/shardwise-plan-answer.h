/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-capacity.h"

G_BEGIN_DECLS

/* One model, fine-tuned one way, on one cluster: icon, words and color show whether it fits. If it
 * fits, the action plan.open opens its job. */

/* target of plan.open: row of the answer, way to fine-tune */
#define SHARDWISE_PLAN_TARGET "(uu)"

/* What a machine can train: models in rows, ways to fine-tune in columns; without room for that, a
 * list for each model. */
GtkWidget *shardwise_machine_table_new (const ShardwiseCapacity *capacity);
char *shardwise_machine_table_summary (const ShardwiseCapacity *capacity);

/* What a model needs for one way to fine-tune: the smallest number of each GPU, lowest hourly price
 * first, those without a price last. */
/* Returns: (nullable): NULL: it fits on none */
GtkWidget *shardwise_needs_list_new (const ShardwiseCapacity *capacity, ShardwiseTuning tuning);
char *shardwise_needs_list_summary (const ShardwiseCapacity *capacity, ShardwiseTuning tuning);

G_END_DECLS
