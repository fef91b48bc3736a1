/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-axis.h"
#include "shardwise-chart.h"
#include "shardwise-pipeline-tasks.h"

G_BEGIN_DECLS

/* Rows of a simulated step, one a rank. Coordinates are pixels of the widget. */
typedef struct {
  const ShardwisePipelineTasks *tasks;
  ShardwiseAxis time; /* seconds */
  double top, row_height;
} ShardwisePipelineView;

ShardwiseColor shardwise_pipeline_color (const SwTask *task);
double shardwise_pipeline_view_row_top (const ShardwisePipelineView *self, guint rank);
guint shardwise_pipeline_legend (const ShardwisePipelineTasks *tasks,
                                 ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX]);
void shardwise_pipeline_view_draw (const ShardwisePipelineView *self, ShardwiseChart *chart,
                                   GtkSnapshot *snapshot, const ShardwiseChartStyle *style);

G_END_DECLS
