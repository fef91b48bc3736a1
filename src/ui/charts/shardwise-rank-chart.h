/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "sw-communication.h"

G_BEGIN_DECLS

/* The coordinates of each GPU: nodes as tiles of squares, colored and numbered by the position in
 * one kind of group. Pointing at a GPU highlights its whole group. Identical nodes are drawn once.
 * The table lists every GPU. */
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
