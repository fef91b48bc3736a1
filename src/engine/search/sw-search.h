/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"
#include "sw-search-result.h"

G_BEGIN_DECLS

/* The level-1 points that several searches of one question share (sw-search-nodes.h). */
typedef struct _SwNodes SwNodes;

/* A search is live, with bounds that leave out what cannot be among the best, or complete, over every
 * strategy, which threads may share (SwSearchOptions). What it finds is an SwSearchResult. */
void sw_search (const SwProblem *problem, const SwSearchOptions *options, SwSearchResult *out);
void sw_search_prepared (const SwProblem *problem, const SwSearchOptions *options, SwNodes *nodes,
                         SwSearchResult *out);
guint sw_least_gpus (const SwProblem *problem);
guint sw_sensible_gpus (const SwProblem *problem);

G_END_DECLS
