/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* Translated sentences and formatted numbers of the engine's values. All return newly allocated
 * strings. */
char *shardwise_text_dimension (SwDimension dimension); /* "Tensor parallel" */
char *
shardwise_text_dimension_value (SwDimension dimension, guint value); /* "8", "selective", "on" */
gboolean shardwise_dimension_is_implied (const SwStrategy *a, const SwStrategy *b, SwDimension dimension);
const char *shardwise_text_framework (guint framework);                         /* "Megatron-Core"; static */
char *shardwise_text_rule (const SwProblem *problem,
                           const SwStrategy *strategy,
                           SwRule rule,
                           double missing_bytes);
char *shardwise_text_strategy (const SwStrategy *strategy); /* "TP 8 · PP 4 · DP 1 · ZeRO 1 · …" */
char *shardwise_text_rationale (const SwProblem *problem,
                                const SwEstimate *chosen,
                                const SwReason *reason);
char *shardwise_text_neighbour (const SwProblem *problem,
                                const SwEstimate *chosen,
                                SwDimension dimension,
                                const SwNeighbour *neighbour);
char *
shardwise_text_advice (const SwProblem *problem, const SwEstimate *estimate, SwAdviceCode code);
char *shardwise_text_quick_advice (const SwProblem *problem,
                                   const SwQuickScoreResult *result,
                                   SwAdviceCode code);
ShardwiseSeverity shardwise_advice_severity (SwAdviceCode code);
char *shardwise_text_change (const SwProblem *problem, const SwChange *change);
char *shardwise_text_verdict (const SwProblem *problem,
                              const SwEstimate *estimate,
                              double days,
                              double cost,
                              const char *currency);
GPtrArray *shardwise_text_steps (const SwProblem *problem,
                                 const SwEstimate *estimate,
                                 const SwSearchResult *search); /* of ShardwiseStep */

char *shardwise_format_bytes (double bytes); /* "61.2 GiB": three significant digits, unit once */
char *shardwise_format_seconds (double seconds);   /* "8.42 s", "310 ms" */
char *shardwise_format_count (double count);       /* "13.1 k", "70.6 B" */
char *shardwise_format_tick (double count);         /* of a round count: "50 k", "2.5 M" */
char *shardwise_format_percent (double share);     /* 0.412 -> "41.2 %" */
char *shardwise_format_significant (double value); /* three significant digits, grouped */

G_END_DECLS
