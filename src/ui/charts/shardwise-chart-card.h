/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"

G_BEGIN_DECLS

/* A chart as the pages show it: title, the answer in one sentence, the chart or its data as a
 * table, and what is pointed at.
 *
 * properties: "title" (string), "takeaway" (string; NULL: the chart's own sentence), "chart"
 *   (ShardwiseChart), "zoomable" (boolean), "table" (boolean: the data is shown instead of the
 *   chart)
 * actions: card.copy(s): csv, png or svg; card.zoom(i): 1 in, -1 out, 0 all */
#define SHARDWISE_TYPE_CHART_CARD (shardwise_chart_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseChartCard, shardwise_chart_card, SHARDWISE, CHART_CARD, GtkWidget)

void shardwise_chart_card_set_controls (ShardwiseChartCard *self, GtkWidget *controls);
void shardwise_chart_card_set_takeaway (ShardwiseChartCard *self, const char *takeaway);

G_END_DECLS
