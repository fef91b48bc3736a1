/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-alternatives-page.h"
#include "shardwise-filter-bar.h"
#include "shardwise-strategy.h"
#include "shardwise-strategy-view.h"
#include "ui-fixture.h"

G_BEGIN_DECLS

/* The Alternatives page, and what the tests look at in it. */
GtkWidget *alternatives_page_with (ShardwiseAdvisor *advisor, int width, GtkWidget **window);
void alternatives_wait_for_all (GtkWidget *page);
void alternatives_wait_for_rows (GtkWidget *page);
ShardwiseCandidateList *alternatives_list_of (GtkWidget *page);
GListModel *alternatives_rows_of (GtkWidget *page);
guint alternatives_rows_with (GtkWidget *page, const char *text);
SwStrategy alternatives_strategy_at (GListModel *rows, guint position);
GtkColumnView *alternatives_table_of (GtkWidget *page);
ShardwiseStrategyView *alternatives_view_of (GtkWidget *page);
GtkWidget *alternatives_button_of (GtkWidget *widget, const char *label);
ShardwiseFacetChip *alternatives_chip_of (GtkWidget *page, guint facet);
GtkCheckButton *alternatives_box_of (ShardwiseFacetChip *chip, const char *value);

G_END_DECLS
