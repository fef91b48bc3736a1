/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-bar-chart.h"
#include "sw-kernels.h"
#include "sw-rlhf.h"

G_BEGIN_DECLS

/* The parts of the step time: each bar starts where the one above ends, and the last row is the
 * sum. Hidden communication is a pale bar below its exposed part and is not counted. Points are the
 * rows. For reinforcement learning the rows are phases. */
#define SHARDWISE_TYPE_WATERFALL_CHART (shardwise_waterfall_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseWaterfallChart, shardwise_waterfall_chart, SHARDWISE,
                      WATERFALL_CHART, ShardwiseBarChart)

void shardwise_waterfall_chart_set_phases (ShardwiseWaterfallChart *self, const SwPhases *phases);
void shardwise_waterfall_chart_set_time (ShardwiseWaterfallChart *self, const SwTime *time,
                                         const double *kernels);

G_END_DECLS
