/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-atlas-chart.h"

G_BEGIN_DECLS

/* The atlas is two files: what it shows, and how it is drawn. */
struct _ShardwiseAtlasChart {
  ShardwiseChart parent_instance;

  GPtrArray *cells; /* (nullable) of ShardwiseAtlasCell, row by row */
  guint columns;
  char *gpu;
  double low, high; /* MFU at the ends of the scale; high 0: nothing fits */

  /* Pixels, by layout: of the cells, and of the scale above them. */
  graphene_rect_t grid, scale;
};

guint shardwise_atlas_chart_n_cells (ShardwiseAtlasChart *self);
const ShardwiseAtlasCell *shardwise_atlas_chart_at (ShardwiseAtlasChart *self, guint index);
void shardwise_atlas_chart_area (ShardwiseAtlasChart *self, guint index, graphene_rect_t *out);

int shardwise_atlas_chart_plot_width (ShardwiseChart *chart);
int shardwise_atlas_chart_plot_height (ShardwiseChart *chart, int width, int *minimum);
void shardwise_atlas_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot);
void shardwise_atlas_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot,
                                 const ShardwiseChartStyle *style);

G_END_DECLS
