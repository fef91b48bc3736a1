/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "shardwise-sizing.h"

G_BEGIN_DECLS

/* A heat map: a row for each model size, a column for each number of nodes. A cell's color is the
 * MFU of its best strategy, its text the strategy; hatched: nothing fits. Points are the cells, row
 * by row; arrow keys move between cells. The readout includes what a narrow cell has no room for.
 *
 * The table also has the missing memory where nothing fits. */
#define SHARDWISE_TYPE_ATLAS_CHART (shardwise_atlas_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAtlasChart, shardwise_atlas_chart, SHARDWISE, ATLAS_CHART,
                      ShardwiseChart)

void shardwise_atlas_chart_set_cells (ShardwiseAtlasChart *self, GPtrArray *cells, const char *gpu);
const ShardwiseAtlasCell *shardwise_atlas_chart_get_cell (ShardwiseAtlasChart *self, guint index);

G_END_DECLS
