/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-axis.h"
#include "shardwise-sizing-chart.h"

G_BEGIN_DECLS

/* The sizing chart is three files: what it shows, how it is drawn, and what its labels are. */

#define SHARDWISE_SIZING_RADIUS 4.5 /* of a point, pixels */
#define SHARDWISE_SIZING_SERIES 2

/* One line of the chart: the scenario's cluster, and the one that it is compared with. */
typedef struct {
  GPtrArray *points;                     /* (nullable) of ShardwiseSizingPoint */
  const ShardwiseSizingPoint *reference; /* (nullable): of scaling */
  char *name;
} ShardwiseSizingSeries;

struct _ShardwiseSizingChart {
  ShardwiseChart parent_instance;

  ShardwiseSizingSeries series[SHARDWISE_SIZING_SERIES];
  char *currency;
  guint present, least, sensible; /* GPUs; 0: not marked */

  ShardwiseAxis gpus, throughput, efficiency;
};

extern const ShardwiseColor shardwise_sizing_colors[SHARDWISE_SIZING_SERIES];
extern const ShardwiseMark shardwise_sizing_marks[SHARDWISE_SIZING_SERIES];

/* Of all series. */
guint shardwise_sizing_chart_n_points (ShardwiseSizingChart *self);
guint shardwise_sizing_series_length (const ShardwiseSizingSeries *series);
const ShardwiseSizingPoint *
shardwise_sizing_series_at (const ShardwiseSizingSeries *series, guint index);
double shardwise_sizing_chart_x (ShardwiseSizingChart *self, double gpus);

int shardwise_sizing_chart_plot_height (ShardwiseChart *chart, int width, int *minimum);
void shardwise_sizing_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot);
void shardwise_sizing_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot,
                                  const ShardwiseChartStyle *style);
void shardwise_sizing_chart_draw_upright (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                                          const GdkRGBA *color, double x);
void shardwise_sizing_chart_draw_marks (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                                        const ShardwiseChartStyle *style);
void shardwise_sizing_chart_draw_strategies (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                                             const ShardwiseChartStyle *style);

G_END_DECLS
