/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-axis.h"
#include "shardwise-sizing-chart.h"

G_BEGIN_DECLS

/* The sizing chart is two files: what it shows, and how it is drawn. */

#define SHARDWISE_SIZING_RADIUS 4.5 /* of a point, pixels */

struct _ShardwiseSizingChart {
  ShardwiseChart parent_instance;

  GPtrArray *points; /* (nullable) of ShardwiseSizingPoint */
  char *currency;
  guint present, least, sensible; /* GPUs; 0: not marked */
  double ideal; /* tokens per second and GPU of the smallest cluster that fits; 0: none fits */

  ShardwiseAxis gpus, throughput, efficiency;
};

guint shardwise_sizing_chart_n_points (ShardwiseSizingChart *self);
const ShardwiseSizingPoint *shardwise_sizing_chart_at (ShardwiseSizingChart *self, guint index);
double shardwise_sizing_chart_efficiency (ShardwiseSizingChart *self, const ShardwiseSizingPoint *point);
double shardwise_sizing_chart_x (ShardwiseSizingChart *self, double gpus);

int shardwise_sizing_chart_plot_height (ShardwiseChart *chart, int width, int *minimum);
void shardwise_sizing_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot);
void shardwise_sizing_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot, const ShardwiseChartStyle *style);

G_END_DECLS
