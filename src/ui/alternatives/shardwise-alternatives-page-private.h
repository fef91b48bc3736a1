/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-absence-view.h"
#include "shardwise-alternatives-page.h"
#include "shardwise-comparison-view.h"
#include "shardwise-filter-bar.h"
#include "shardwise-rejected-view.h"
#include "shardwise-scatter-chart.h"
#include "shardwise-search-progress.h"
#include "shardwise-strategy-view.h"

G_BEGIN_DECLS

/* The page is three files: the strategies that fit, the one that every page shows, and those that
 * are pinned and compared. */

struct _ShardwiseAlternativesPage {
  ShardwisePage parent_instance;

  ShardwiseCandidateList *list;
  ShardwiseComparison *comparison;
  gboolean compares; /* in place of the list */
  SwStrategy revealed;
  ShardwiseAdvice *awaited; /* (nullable): the answer that something was kept for last */
  guint keep_id;            /* what shows all strategies is that of the answer before */
  gboolean keeps_table;     /* and so is the table */
  gboolean has_revealed;    /* revealed: what the list was scrolled to last, or would have been */

  GtkStack *stack, *list_stack;
  GtkRevealer *banner;
  GtkLabel *banner_label, *foot_label, *rejected_label;
  GtkExpander *foot;
  ShardwiseFilterBar *filter_bar;
  GtkToggleButton *chart_chip;
  GtkButton *compare_chip;
  AdwBin *beside_bin, *view_bin, *comparison_bin;
  AdwStatusPage *empty_page;
  ShardwiseRejectedView *rejected_view;
  ShardwiseSearchProgress *progress;
  ShardwiseAbsenceView *absence_view;
  GtkWidget *chart_box, *beside;
  ShardwiseScatterChart *chart;
  ShardwiseStrategyView *view;
  ShardwiseComparisonView *comparison_view;
};

/* shardwise-alternatives-page.c */
void shardwise_alternatives_page_show_child (ShardwiseAlternativesPage *self);
ShardwiseAdvice *
shardwise_alternatives_page_get_advice (ShardwiseAlternativesPage *self); /* (nullable) */

/* shardwise-alternatives-selection.c */
void shardwise_alternatives_page_install_selection (GtkWidgetClass *widget_class);
void shardwise_alternatives_page_connect_selection (ShardwiseAlternativesPage *self);
void shardwise_alternatives_page_point (ShardwiseAlternativesPage *self);
void shardwise_alternatives_page_keep_cursor (ShardwiseAlternativesPage *self);
void shardwise_alternatives_page_show_selected (ShardwiseAlternativesPage *self);

/* shardwise-alternatives-pins.c */
void shardwise_alternatives_page_install_pins (GtkWidgetClass *widget_class);
void shardwise_alternatives_page_connect_pins (ShardwiseAlternativesPage *self);
void shardwise_alternatives_page_update_pins (ShardwiseAlternativesPage *self);

G_END_DECLS
