/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "sw-communication.h"

G_BEGIN_DECLS

/* The communication of a step, a row for each kind of call: what, over which links, how often, how
 * much and how fast, and its time as a bar with the hidden part pale. The table has all figures. */
#define SHARDWISE_TYPE_COMMUNICATION_CHART (shardwise_communication_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseCommunicationChart, shardwise_communication_chart, SHARDWISE,
                      COMMUNICATION_CHART, ShardwiseChart)

ShardwiseColor shardwise_communication_color (SwCommunicationGroup group);
gboolean
shardwise_communication_chart_set_strategy (ShardwiseCommunicationChart *self,
                                            const SwProblem *problem, const SwStrategy *strategy);

G_END_DECLS
