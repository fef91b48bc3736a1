/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "shardwise-goodput.h"

G_BEGIN_DECLS

/* The share of time spent training against the time between two checkpoints, which is logarithmic,
 * with Young's and Daly's intervals as lines.
 *
 * Points: intervals around the best one, each longer than the last by a factor of the square root
 * of two. */
#define SHARDWISE_TYPE_GOODPUT_CHART (shardwise_goodput_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseGoodputChart, shardwise_goodput_chart, SHARDWISE, GOODPUT_CHART,
                      ShardwiseChart)

/* (nullable) */
void
shardwise_goodput_chart_set_goodput (ShardwiseGoodputChart *self, const ShardwiseGoodput *goodput);

G_END_DECLS
