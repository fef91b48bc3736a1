/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"
#include "sw-search-result.h"

G_BEGIN_DECLS

/* The level-1 points that several searches of one question share (sw-search-nodes.h). */
typedef struct _SwNodes SwNodes;

/* The search goes over all strategies of a question's space (sw-search-space.h) by the three levels of
 * sw-estimate.h. It is live, with bounds that leave out what cannot be among the best, or complete,
 * over every strategy, which threads may share (SwSearchOptions). What it finds is an SwSearchResult:
 * the best by rank, or the nearest where nothing fits.
 *
 * Its parts: the level-1 points in the order of their bounds
 * (sw-search-nodes.h), what it knows so far (sw-search-state.h), and one strategy while it is walked
 * (sw-search-point.h). */
void sw_search (const SwProblem *problem, const SwSearchOptions *options, SwSearchResult *out);
void sw_search_prepared (const SwProblem *problem, const SwSearchOptions *options, SwNodes *nodes,
                         SwSearchResult *out);

gboolean sw_search_fits (const SwProblem *problem);
gboolean sw_search_fits_on (const SwProblem *problem, guint gpus);

/* Clusters of other sizes. */
guint sw_least_gpus (const SwProblem *problem);
guint sw_sensible_gpus (const SwProblem *problem);

G_END_DECLS
