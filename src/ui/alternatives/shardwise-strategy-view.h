/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-candidate-list.h"
#include "shardwise-candidate-view.h"
#include "shardwise-comparison.h"
#include "shardwise-strategy.h"

G_BEGIN_DECLS

char *shardwise_strategy_variants_text (ShardwiseStrategy *strategy);
char *shardwise_strategy_subtitle (ShardwiseStrategy *strategy);
ShardwiseSort shardwise_strategy_columns_get_sort (GtkColumnView *view, gboolean *descending);

/* A list of strategies: a table if there is room, else rows of two lines. Only the visible one has
 * the model, so that no row is bound twice.
 *
 * Signals: "activated" (guint row); "cursor-changed": the cursor moved to another row. */
#define SHARDWISE_TYPE_STRATEGY_VIEW (shardwise_strategy_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseStrategyView, shardwise_strategy_view, SHARDWISE, STRATEGY_VIEW,
                      GtkWidget)

GtkWidget *
shardwise_strategy_view_new (ShardwiseCandidateList *list, ShardwiseComparison *comparison);
int shardwise_strategy_view_get_cursor (ShardwiseStrategyView *self); /* -1: none */
guint shardwise_strategy_view_count_rows (ShardwiseStrategyView *self);
void shardwise_strategy_view_reveal (ShardwiseStrategyView *self, int row, gboolean scrolls);
GActionGroup *shardwise_strategy_view_get_actions (ShardwiseStrategyView *self);
GMenuModel *shardwise_strategy_view_get_menu (ShardwiseStrategyView *self);

G_END_DECLS
