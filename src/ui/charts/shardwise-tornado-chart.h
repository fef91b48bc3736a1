/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-bar-chart.h"
#include "sw-sensitivity.h"

G_BEGIN_DECLS

/* The gain from more of each resource, largest first: with the current strategy, and with the best
 * strategy for it as a pale extension.
 *
 * Points: the resources with an effect, one row each. Resources with almost no effect are only
 * listed in the "summary" and the table. */
#define SHARDWISE_TYPE_TORNADO_CHART (shardwise_tornado_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseTornadoChart, shardwise_tornado_chart, SHARDWISE, TORNADO_CHART,
                      ShardwiseBarChart)

void shardwise_tornado_chart_set_gains (ShardwiseTornadoChart *self, const SwSensitivity *gains,
                                        double factor, const SwStrategy *strategy);

G_END_DECLS
