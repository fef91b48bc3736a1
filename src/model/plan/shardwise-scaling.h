/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-sizing.h"

G_BEGIN_DECLS

/* Returns: (nullable): the point that scaling efficiency is relative to; NULL: none fits */
const ShardwiseSizingPoint *shardwise_sizing_reference (GPtrArray *points);
char *shardwise_sizing_least_text (GPtrArray *points);
double shardwise_sizing_efficiency (const ShardwiseSizingPoint *reference,
                                    const ShardwiseSizingPoint *point);
char *shardwise_sizing_gain_text (const ShardwiseSizingPoint *reference,
                                  const ShardwiseSizingPoint *point);
/* Returns: (nullable) (transfer full): why @point is slower than a smaller one; NULL: it is not */
char *shardwise_sizing_dip_text (GPtrArray *points, const ShardwiseSizingPoint *point);
char *shardwise_sizing_strategy_text (const SwStrategy *strategy);
JsonArray *
shardwise_sizing_to_array (const SwProblem *problem, GPtrArray *points, GPtrArray *notes);

/* Returns: (nullable) (transfer full): how the job scales over the points */
char *shardwise_sizing_text (GPtrArray *points);

G_END_DECLS
