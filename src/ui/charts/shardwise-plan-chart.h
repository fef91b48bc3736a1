/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "shardwise-deadline.h"

G_BEGIN_DECLS

/* What each cluster costs against the days it takes, both logarithmic, with the deadline as a line
 * and what is late behind it shaded. The smallest and the cheapest that are in time have rings; those
 * that another beats in both are gray.
 *
 * Points: the clusters that fit, by size. Without prices, GPU-hours stand for the cost. */
#define SHARDWISE_TYPE_PLAN_CHART (shardwise_plan_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlanChart, shardwise_plan_chart, SHARDWISE, PLAN_CHART,
                      ShardwiseChart)

void shardwise_plan_chart_set_plan (
    ShardwisePlanChart *self, GPtrArray *points, const ShardwiseDeadlinePlan *plan,
    const char *currency); /* of ShardwiseSizingPoint; (nullable) both first */

G_END_DECLS
