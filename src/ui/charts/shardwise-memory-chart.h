/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-palette.h"
#include "shardwise-bar-chart.h"
#include "sw-estimate.h"
#include "sw-tensors.h"

G_BEGIN_DECLS

/* The memory of a GPU as stacked bars against its capacity: one bar per pipeline stage, or one per
 * ZeRO stage. */
#define SHARDWISE_TYPE_MEMORY_CHART (shardwise_memory_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseMemoryChart, shardwise_memory_chart, SHARDWISE, MEMORY_CHART,
                      ShardwiseBarChart)

void shardwise_memory_chart_set_stages (ShardwiseMemoryChart *self, const SwProblem *problem,
                                        const SwEstimate *estimate);
void shardwise_memory_chart_set_zero_stages (ShardwiseMemoryChart *self, const SwProblem *problem,
                                             const SwEstimate *estimate);

G_END_DECLS
