/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* The same strategy under each pipeline schedule, one above the other on one axis of time: the step,
 * of which the bubble is hatched; or why it cannot run so.
 *
 * Points: the schedules. The one of the strategy is written in bold, and "summary" says whether
 * another one is faster. */
#define SHARDWISE_TYPE_SCHEDULE_CHART (shardwise_schedule_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseScheduleChart, shardwise_schedule_chart, SHARDWISE, SCHEDULE_CHART,
                      ShardwiseChart)

gboolean
shardwise_schedule_chart_set_estimate (ShardwiseScheduleChart *self, const SwProblem *problem,
                                       const SwEstimate *estimate);

G_END_DECLS
