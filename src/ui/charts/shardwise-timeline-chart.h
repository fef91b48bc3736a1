/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* The memory of the fullest GPU over one step, as stacked areas, with the peak marked and the
 * memory target as a line. Points are the moments at which memory changes; the readout includes the
 * number of micro-batches with activations in memory. Thousands of moments are reduced to one step
 * per pixel. */
#define SHARDWISE_TYPE_TIMELINE_CHART (shardwise_timeline_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseTimelineChart, shardwise_timeline_chart, SHARDWISE, TIMELINE_CHART,
                      ShardwiseChart)

gboolean
shardwise_timeline_chart_set_strategy (ShardwiseTimelineChart *self, const SwProblem *problem,
                                       const SwEstimate *estimate);

G_END_DECLS
