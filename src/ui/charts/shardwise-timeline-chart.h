/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* What the fullest GPU holds over one step, as stacked areas, with the peak marked and the memory
 * target as a line. Its points are the moments at which something comes or goes; the readout says
 * how many micro-batches have their activations in memory then. Thousands of moments are drawn in
 * as many steps as there are pixels. */
#define SHARDWISE_TYPE_TIMELINE_CHART (shardwise_timeline_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseTimelineChart, shardwise_timeline_chart, SHARDWISE, TIMELINE_CHART,
                      ShardwiseChart)

gboolean
shardwise_timeline_chart_set_strategy (ShardwiseTimelineChart *self, const SwProblem *problem,
                                       const SwEstimate *estimate);

G_END_DECLS
