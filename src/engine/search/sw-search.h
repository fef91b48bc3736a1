/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"
#include "sw-search-result.h"

G_BEGIN_DECLS

/* Level-1 points shared by several searches of one question (sw-search-nodes.h). */
typedef struct _SwNodes SwNodes;

/* The search walks all strategies of a question's space (sw-search-space.h) by the three levels of
 * sw-estimate.h. In live mode, bounds exclude what cannot be among the best; in complete mode it
 * visits every strategy, on several threads if requested (SwSearchOptions). The result is an
 * SwSearchResult: the best by rank, or the nearest if nothing fits.
 *
 * Its parts are the level-1 points in the order of their bounds (sw-search-nodes.h), the state of a
 * walk (sw-search-state.h) and the strategy that is being walked (sw-search-point.h). */
void sw_search (const SwProblem *problem, const SwSearchOptions *options, SwSearchResult *out);
void sw_search_prepared (const SwProblem *problem, const SwSearchOptions *options, SwNodes *nodes,
                         SwSearchResult *out);

gboolean sw_search_fits (const SwProblem *problem);
gboolean sw_search_fits_on (const SwProblem *problem, guint gpus);

/* For clusters of other sizes. */
guint sw_least_gpus (const SwProblem *problem);
guint sw_sensible_gpus (const SwProblem *problem);

G_END_DECLS
