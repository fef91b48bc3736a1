/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-capacity.h"

G_BEGIN_DECLS

/* One model, tuned one way, on one cluster: whether it fits by an icon and words, besides the color;
 * what fits leads to its job by the action plan.open. */

/* of plan.open: row of the answer, way to tune */
#define SHARDWISE_PLAN_TARGET "(uu)"

GtkWidget *shardwise_plan_icon_new (const ShardwiseCapacityCell *cell);
GtkWidget *shardwise_plan_cell_new (const ShardwiseCapacityRow *row, guint index,
                                    const ShardwiseCapacityCell *cell);
GtkWidget *shardwise_plan_row_new (const char *title, const char *subtitle, GtkWidget *suffix,
                                   guint index, const ShardwiseCapacityCell *cell);

G_END_DECLS
