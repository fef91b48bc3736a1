/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-explain.h"

G_BEGIN_DECLS

/* One part of the step time, for sentences about what grew. */
typedef struct {
  const char *name; /* "exposed tensor-parallel communication"; not yet translated */
  double seconds;
} ShardwiseTimePart;

enum { SHARDWISE_N_TIME_PARTS = 12 };
/* The range of communication parts, tensor-parallel to data-parallel. */
#define SHARDWISE_FIRST_COMMUNICATION 3
#define SHARDWISE_LAST_COMMUNICATION 7

void shardwise_time_parts (const SwTime *time, ShardwiseTimePart parts[SHARDWISE_N_TIME_PARTS]);
char *
shardwise_text_growth (const SwProblem *problem, const SwEstimate *before, const SwEstimate *after);

int shardwise_text_beside (const SwReason *reason, int step);
char *shardwise_text_rationale (const SwProblem *problem, const SwEstimate *chosen,
                                const SwReason *reason, const SwEstimate *freed);
char *shardwise_text_neighbour (const SwProblem *problem, const SwEstimate *chosen,
                                const SwNeighbour *neighbour);
char *shardwise_text_usual (const SwProblem *problem, const SwEstimate *recommended,
                            const SwEstimate *usual);
/* Whether the user pinned the dimension, and what would happen without the pin. */
gboolean shardwise_text_is_pinned (const SwProblem *problem, SwDimension dimension);
char *shardwise_text_pin (const SwEstimate *chosen, SwDimension dimension, const SwEstimate *freed,
                          SwStrategy *named);

G_END_DECLS
