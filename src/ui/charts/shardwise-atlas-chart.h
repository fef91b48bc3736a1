/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "shardwise-sizing.h"

G_BEGIN_DECLS

/* A heat map: a row for each size of model, a column for each number of nodes; the colour of a cell
 * is the MFU of the best strategy there, its text the strategy. Hatched: nothing fits. The points
 * are the cells, row by row; arrows step as the cells lie. What has no room in a narrow cell is left
 * out, and in the readout.
 *
 * The table has the missing memory of what does not fit. */
#define SHARDWISE_TYPE_ATLAS_CHART (shardwise_atlas_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAtlasChart, shardwise_atlas_chart, SHARDWISE, ATLAS_CHART,
                      ShardwiseChart)

void shardwise_atlas_chart_set_cells (ShardwiseAtlasChart *self, GPtrArray *cells, const char *gpu);
const ShardwiseAtlasCell *shardwise_atlas_chart_get_cell (ShardwiseAtlasChart *self, guint index);

G_END_DECLS
