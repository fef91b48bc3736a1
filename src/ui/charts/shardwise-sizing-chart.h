/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "shardwise-sizing.h"

G_BEGIN_DECLS

/* Throughput against cluster size, both logarithmic, with the line of ideal scaling and the
 * efficiency below. Can compare a second cluster, whose points follow those of the first. */
#define SHARDWISE_TYPE_SIZING_CHART (shardwise_sizing_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseSizingChart, shardwise_sizing_chart, SHARDWISE, SIZING_CHART,
                      ShardwiseChart)

void shardwise_sizing_chart_set_points (ShardwiseSizingChart *self, GPtrArray *points,
                                        const char *name, const char *currency);
void shardwise_sizing_chart_set_compared (ShardwiseSizingChart *self, GPtrArray *points,
                                          const char *name);
void shardwise_sizing_chart_set_marks (ShardwiseSizingChart *self, guint present,
                                       const SwLeastGpus *least, guint n_least, guint sensible);
const ShardwiseSizingPoint *
shardwise_sizing_chart_get_sizing_point (ShardwiseSizingChart *self, guint index);
gboolean shardwise_sizing_chart_is_compared (ShardwiseSizingChart *self, guint index);

G_END_DECLS
