/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "sw-search.h"

G_BEGIN_DECLS

/* What the page says of strategies besides the texts of the model layer. */
char *shardwise_strategy_difference (const SwStrategy *base,
                                     const SwStrategy *other); /* "TP 4 not 8 · PP 8 not 4" */
char *shardwise_strategy_facts (const SwProblem *problem,
                                const SwEstimate *estimate); /* "20 layers per stage · …" */
char *shardwise_strategy_verdict (ShardwiseAdvice *advice, ShardwiseScenario *scenario,
                                  const SwEstimate *selected);

/* What the foot of the list says of a search: its counts, and why strategies fell away. */
char *shardwise_search_counts (const SwSearchResult *search, guint shown, guint listed);
char *shardwise_search_details (const SwSearchResult *search); /* time, reasons, limits */

G_END_DECLS
