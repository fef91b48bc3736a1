/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"

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

G_END_DECLS
