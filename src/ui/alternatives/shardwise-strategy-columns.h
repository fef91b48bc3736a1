/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-candidate-view.h"
#include "shardwise-comparison.h"
#include "shardwise-strategy.h"

G_BEGIN_DECLS

/* How strategies are shown in lists. */

void shardwise_strategy_columns_append (GtkColumnView *view, ShardwiseComparison *comparison);
GActionGroup *shardwise_strategy_columns_actions (GtkColumnView *view);
GMenuModel *shardwise_strategy_columns_menu (void);
ShardwiseSort shardwise_strategy_columns_get_sort (GtkColumnView *view, gboolean *descending);
GtkListItemFactory *shardwise_strategy_row_factory_new (ShardwiseComparison *comparison);

G_END_DECLS
