/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "sw-search.h"

G_BEGIN_DECLS

/* Texts of the Alternatives page about strategies. All are translated and (transfer full). */
char *shardwise_strategy_difference (const SwStrategy *base,
                                     const SwStrategy *other); /* "TP 4 not 8 · PP 8 not 4" */
char *shardwise_strategy_facts (const SwProblem *problem,
                                const SwEstimate *estimate); /* "20 layers per stage · …" */
char *shardwise_strategy_verdict (ShardwiseAdvice *advice, ShardwiseScenario *scenario,
                                  const SwEstimate *selected);

/* The footer of the list: counts of the search, and why strategies were rejected. */
char *shardwise_search_counts (const SwSearchResult *search, guint shown, guint listed);
char *shardwise_search_details (const SwSearchResult *search); /* time, reasons, limits */

G_END_DECLS
