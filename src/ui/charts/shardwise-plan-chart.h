/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "shardwise-deadline.h"

G_BEGIN_DECLS

/* The cost of each cluster against its days, both logarithmic, with the deadline as a line and the
 * area past it shaded. The smallest and the cheapest clusters that meet the deadline have rings;
 * clusters that another beats in both are gray.
 *
 * Points: the clusters that fit, by size. Without prices, the cost axis shows GPU-hours. */
#define SHARDWISE_TYPE_PLAN_CHART (shardwise_plan_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlanChart, shardwise_plan_chart, SHARDWISE, PLAN_CHART,
                      ShardwiseChart)

void shardwise_plan_chart_set_plan (
    ShardwisePlanChart *self, GPtrArray *points, const ShardwiseDeadlinePlan *plan,
    const char *currency); /* of ShardwiseSizingPoint; points and plan are (nullable) */

G_END_DECLS
