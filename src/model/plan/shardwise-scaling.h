/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-sizing.h"

G_BEGIN_DECLS

/* Against what ideal scaling is counted. */
/* (nullable): none fits */
const ShardwiseSizingPoint *shardwise_sizing_reference (GPtrArray *points);
char *shardwise_sizing_least_text (GPtrArray *points);
double shardwise_sizing_efficiency (const ShardwiseSizingPoint *reference,
                                    const ShardwiseSizingPoint *point);
char *shardwise_sizing_gain_text (const ShardwiseSizingPoint *reference,
                                  const ShardwiseSizingPoint *point);
/* (nullable) */
char *shardwise_sizing_dip_text (GPtrArray *points, const ShardwiseSizingPoint *point);
char *shardwise_sizing_strategy_text (const SwStrategy *strategy);
JsonArray *
shardwise_sizing_to_array (const SwProblem *problem, GPtrArray *points, GPtrArray *notes);

char *shardwise_sizing_text (GPtrArray *points); /* (nullable) */

G_END_DECLS
