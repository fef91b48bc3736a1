/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "shardwise-comparison.h"
#include "sw-search.h"

G_BEGIN_DECLS

/* Throughput against memory of every strategy that fits, with the Pareto front. Points: the
 * strategies of the front by ascending memory, then the fastest strategy of each other occupied
 * spot. */
#define SHARDWISE_TYPE_SCATTER_CHART (shardwise_scatter_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseScatterChart, shardwise_scatter_chart, SHARDWISE, SCATTER_CHART,
                      ShardwiseChart)

void
shardwise_scatter_chart_set_candidates (ShardwiseScatterChart *self, const SwCandidate *candidates,
                                        const guint *counts, guint n, GObject *owner,
                                        double usable_bytes, double limit_bytes);
void shardwise_scatter_chart_set_partial (ShardwiseScatterChart *self, gboolean is_partial);
void shardwise_scatter_chart_set_marks (ShardwiseScatterChart *self, const SwCandidate *best,
                                        const SwCandidate *selected);
void shardwise_scatter_chart_set_pointed (ShardwiseScatterChart *self, const SwCandidate *pointed);
void
shardwise_scatter_chart_set_pins (ShardwiseScatterChart *self, ShardwiseComparison *comparison);
const SwCandidate *shardwise_scatter_chart_get_candidate (ShardwiseScatterChart *self, guint point);

G_END_DECLS
