/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* The same strategy with each pipeline schedule, on one time axis: the step with its bubble
 * hatched, or why it cannot run.
 *
 * Points: the schedules. The strategy's own is bold, and "summary" states whether another is
 * faster. */
#define SHARDWISE_TYPE_SCHEDULE_CHART (shardwise_schedule_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseScheduleChart, shardwise_schedule_chart, SHARDWISE, SCHEDULE_CHART,
                      ShardwiseChart)

gboolean
shardwise_schedule_chart_set_estimate (ShardwiseScheduleChart *self, const SwProblem *problem,
                                       const SwEstimate *estimate);

G_END_DECLS
