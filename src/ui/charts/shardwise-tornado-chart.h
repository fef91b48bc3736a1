/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-bar-chart.h"
#include "sw-sensitivity.h"

G_BEGIN_DECLS

/* What more of each resource gives, the greatest first: with the strategy held, and with the best
 * one for it, a pale bar beyond.
 *
 * Points: the resources with an effect, a row each. Those that change next to nothing are named in
 * the "summary" and are rows of the table. */
#define SHARDWISE_TYPE_TORNADO_CHART (shardwise_tornado_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseTornadoChart, shardwise_tornado_chart, SHARDWISE, TORNADO_CHART,
                      ShardwiseBarChart)

void shardwise_tornado_chart_set_gains (ShardwiseTornadoChart *self, const SwSensitivity *gains,
                                        double factor, const SwStrategy *strategy);

G_END_DECLS
