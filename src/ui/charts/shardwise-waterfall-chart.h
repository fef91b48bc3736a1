/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-bar-chart.h"
#include "sw-kernels.h"
#include "sw-rlhf.h"

G_BEGIN_DECLS

/* Where the time of a step goes: each part begins where the one above it ended, the last row is
 * their sum. Hidden communication is a pale twin under its exposed part and does not count. Its
 * points are the rows. The rows of a step of reinforcement learning are its phases. */
#define SHARDWISE_TYPE_WATERFALL_CHART (shardwise_waterfall_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseWaterfallChart, shardwise_waterfall_chart, SHARDWISE,
                      WATERFALL_CHART, ShardwiseBarChart)

void shardwise_waterfall_chart_set_phases (ShardwiseWaterfallChart *self, const SwPhases *phases);
void shardwise_waterfall_chart_set_time (ShardwiseWaterfallChart *self, const SwTime *time,
                                         const double *kernels);

G_END_DECLS
