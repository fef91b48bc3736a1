/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* The data of a chart as rows, for who does not see the picture or wants to compute with it: a
 * GListModel that makes its rows when asked for and follows the signal "changed" of the chart, a
 * column view over it, and CSV. Columns and cells are those of the ShardwiseChartClass; sizes are
 * shown in the unit of memory that the user chose. */
#define SHARDWISE_TYPE_CHART_TABLE (shardwise_chart_table_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseChartTable, shardwise_chart_table, SHARDWISE, CHART_TABLE, GObject)

ShardwiseChartTable *shardwise_chart_table_new (ShardwiseChart *chart);
char *shardwise_chart_cell_text (ShardwiseChart *chart, guint row, guint column);
char *shardwise_chart_to_csv (ShardwiseChart *chart);
GtkWidget *shardwise_chart_table_view_new (ShardwiseChart *chart);

/* A chart as the pages show it: title, the answer in one sentence, the chart or its data as a
 * table, and what is pointed at.
 *
 * properties: "title" (string), "takeaway" (string; NULL: the chart's own sentence), "chart"
 *   (ShardwiseChart), "zoomable" (boolean), "table" (boolean: the data is shown instead of the
 *   chart)
 * actions: card.copy(s): csv, png or svg; card.zoom(i): 1 in, -1 out, 0 all */
#define SHARDWISE_TYPE_CHART_CARD (shardwise_chart_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseChartCard, shardwise_chart_card, SHARDWISE, CHART_CARD,
                      ShardwiseContainer)

void shardwise_chart_card_set_controls (ShardwiseChartCard *self, GtkWidget *controls);
void shardwise_chart_card_set_takeaway (ShardwiseChartCard *self, const char *takeaway);

G_END_DECLS
