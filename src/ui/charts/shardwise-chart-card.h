/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* The data of a chart as rows, for users who cannot see the picture or want to compute with the
 * data: a GListModel that creates rows on demand and follows the chart's signal "changed", a column
 * view for it, and CSV. ShardwiseChartClass defines columns and cells; sizes are in the user's unit
 * of memory. */
#define SHARDWISE_TYPE_CHART_TABLE (shardwise_chart_table_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseChartTable, shardwise_chart_table, SHARDWISE, CHART_TABLE, GObject)

ShardwiseChartTable *shardwise_chart_table_new (ShardwiseChart *chart);
char *shardwise_chart_cell_text (ShardwiseChart *chart, guint row, guint column);
char *shardwise_chart_to_csv (ShardwiseChart *chart);
GtkWidget *shardwise_chart_table_view_new (ShardwiseChart *chart);

/* A chart as pages show it: title, the answer in one sentence, the chart or its data as a table,
 * and the readout.
 *
 * Properties: "title" (string), "takeaway" (string; NULL: the chart's own sentence), "chart"
 * (ShardwiseChart), "zoomable" (boolean), "table" (boolean: shows the data instead of the chart)
 * Actions: card.copy(s): csv, png or svg; card.zoom(i): 1 in, -1 out, 0 all */
#define SHARDWISE_TYPE_CHART_CARD (shardwise_chart_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseChartCard, shardwise_chart_card, SHARDWISE, CHART_CARD,
                      ShardwiseContainer)

void shardwise_chart_card_set_controls (ShardwiseChartCard *self, GtkWidget *controls);
void shardwise_chart_card_set_takeaway (ShardwiseChartCard *self, const char *takeaway);

G_END_DECLS
