/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-candidate-filter.h"

G_BEGIN_DECLS

/* A value that strategies have, and how many of them the list would show of it: those that pass all
 * of the filter but what is chosen of the same facet. */
typedef struct {
  guint value, count;
} ShardwiseFacetValue;

/* Which values the facets of an answer's strategies have. */
typedef struct _ShardwiseCandidateFacets ShardwiseCandidateFacets;

ShardwiseCandidateFacets *shardwise_candidate_facets_new (void);
void shardwise_candidate_facets_free (ShardwiseCandidateFacets *self);
void shardwise_candidate_facets_count (ShardwiseCandidateFacets *self, const SwStrategy *strategy,
                                       guint misses);
void shardwise_candidate_facets_finish (ShardwiseCandidateFacets *self);
const ShardwiseFacetValue *
shardwise_candidate_facets_get (const ShardwiseCandidateFacets *self, guint facet, guint *n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseCandidateFacets, shardwise_candidate_facets_free)

G_END_DECLS
