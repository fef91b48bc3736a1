/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-search.h"

G_BEGIN_DECLS

/* More than any facet is missed. */
#define SHARDWISE_FILTER_OTHER (1u << 31)

enum {
  SHARDWISE_FILTER_WORDS = 8,   /* what is typed beyond them is left out */
  SHARDWISE_FILTER_NAMED = 5,   /* dimensions whose values have names, and the framework */
  SHARDWISE_FILTER_CHOSEN = 24, /* values of one facet */
};

/* What is chosen among the values that exist: a dimension (SwDimension), or the framework. */
enum { SHARDWISE_FACET_FRAMEWORK = SW_N_DIMENSIONS, SHARDWISE_N_FACETS };

/* Which strategies a list shows. Words are looked up once, so that a strategy is held against
 * numbers alone: there may be millions of them. A value. */
typedef struct {
  double memory_below_bytes; /* 0: any */
  gboolean grouped;          /* of each split its first strategy alone */
  SwPins degrees;            /* typed: "TP 8" */
  guint facets;              /* those of which values are chosen, bit 1 << facet */
  guint n_chosen[SHARDWISE_N_FACETS];
  guint chosen[SHARDWISE_N_FACETS][SHARDWISE_FILTER_CHOSEN]; /* rising; one of them must hold */
  guint n_words;
  guint16 words[SHARDWISE_FILTER_WORDS]
               [SHARDWISE_FILTER_NAMED]; /* a bit for each value that has the
                                                                   word in its name */
} ShardwiseCandidateFilter;

void shardwise_candidate_filter_init (ShardwiseCandidateFilter *self);
void shardwise_candidate_filter_set_text (ShardwiseCandidateFilter *self, const char *text);
gboolean shardwise_candidate_filter_choose (ShardwiseCandidateFilter *self, guint facet,
                                            guint value, gboolean choose);
gboolean shardwise_candidate_filter_has_chosen (const ShardwiseCandidateFilter *self, guint facet,
                                                guint value);
void shardwise_candidate_filter_clear_facet (ShardwiseCandidateFilter *self, guint facet);
guint shardwise_facet_value (const SwStrategy *strategy, guint facet);
guint shardwise_candidate_filter_misses (const ShardwiseCandidateFilter *self,
                                         const SwCandidate *candidate);
gboolean shardwise_candidate_filter_is_empty (const ShardwiseCandidateFilter *self);
gboolean shardwise_candidate_filter_equal (const ShardwiseCandidateFilter *a,
                                           const ShardwiseCandidateFilter *b);

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
