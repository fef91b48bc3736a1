/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-bar-chart.h"
#include "shardwise-machine.h"

G_BEGIN_DECLS

/* Measurements of a machine as percentages of the catalog's values, or of a layer as percentages of
 * its prediction.
 *
 * Points: the measured figures, one row each. */
#define SHARDWISE_TYPE_MEASURED_CHART (shardwise_measured_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseMeasuredChart, shardwise_measured_chart, SHARDWISE, MEASURED_CHART,
                      ShardwiseBarChart)

gboolean
shardwise_measured_chart_set_machine (ShardwiseMeasuredChart *self, const ShardwiseMachine *machine,
                                      const SwProblem *base);
gboolean
shardwise_measured_chart_set_step (ShardwiseMeasuredChart *self, const ShardwiseMeasuredStep *step,
                                   const SwProblem *problem);

G_END_DECLS
