/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-estimate.h"
#include "sw-search.h"

G_BEGIN_DECLS

/* Why a strategy cannot run, and what a search tried; translated, and newly allocated unless
 * static. */
char *shardwise_text_rule (const SwProblem *problem, const SwStrategy *strategy, SwRule rule,
                           double missing_bytes);
const char *shardwise_text_rule_title (SwRule rule); /* "Over the memory target"; static */
/* What does not fit, and why: "TP 4 does not fit here: it needs 3.1 GiB more per GPU". */
char *shardwise_text_shortfall (const SwProblem *problem, const SwEstimate *estimate, SwRule rule);
char *shardwise_text_misfit (const SwProblem *problem, const char *way, const SwEstimate *misfit);
char *shardwise_text_host_lack (const SwProblem *problem, const SwEstimate *estimate);
char *shardwise_text_refusal (const SwProblem *problem, const SwEstimate *estimate);
char *shardwise_text_limits (gboolean filters); /* "These only rank: communication, …" */
guint
shardwise_search_rejections (const SwSearchResult *search, guint rules[SW_N_RULES], guint64 *total);
char *shardwise_text_rejections (const SwSearchResult *search); /* a line for each reason */
char *shardwise_text_searched (const SwSearchResult *search);
char *shardwise_text_search_kind (const SwSearchResult *search);
/* why no strategy is listed */
char *shardwise_text_absence (const ShardwiseAbsence *absence);

G_END_DECLS
