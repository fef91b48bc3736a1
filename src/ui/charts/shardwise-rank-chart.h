/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "sw-communication.h"

G_BEGIN_DECLS

/* Which GPU of which node holds which coordinate: nodes as tiles of squares, coloured and numbered
 * by the place in one kind of group. A GPU that is pointed at lights its whole group. Nodes that
 * look alike are drawn once. The table has every GPU. */
#define SHARDWISE_TYPE_RANK_CHART (shardwise_rank_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseRankChart, shardwise_rank_chart, SHARDWISE, RANK_CHART,
                      ShardwiseChart)

gboolean shardwise_rank_chart_set_strategy (ShardwiseRankChart *self, const SwProblem *problem,
                                            const SwStrategy *strategy);
void shardwise_rank_chart_set_group (ShardwiseRankChart *self, SwCommunicationGroup group);
SwCommunicationGroup shardwise_rank_chart_get_group (ShardwiseRankChart *self);
gboolean shardwise_rank_chart_has_group (ShardwiseRankChart *self, SwCommunicationGroup group);
gboolean shardwise_rank_chart_is_lit (ShardwiseRankChart *self, guint gpu, guint by);

G_END_DECLS
