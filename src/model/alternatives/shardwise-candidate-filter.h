/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-search.h"

G_BEGIN_DECLS

/* The candidate fails more than the choices of facets. */
#define SHARDWISE_FILTER_OTHER (1u << 31)

enum {
  SHARDWISE_FILTER_WORDS = 8,   /* further typed words are ignored */
  SHARDWISE_FILTER_NAMED = 5,   /* dimensions with named values, and the framework */
  SHARDWISE_FILTER_CHOSEN = 24, /* values per facet */
};

/* A facet: a dimension (SwDimension) or the framework, with values to choose from. */
enum { SHARDWISE_FACET_FRAMEWORK = SW_N_DIMENSIONS, SHARDWISE_N_FACETS };

/* The strategies that a list shows. Typed words are converted to numbers once, because millions of
 * strategies may have to be compared. A value. */
typedef struct {
  double memory_below_bytes; /* 0: any */
  gboolean grouped;          /* show only the first strategy of each split */
  SwPins degrees;            /* parallel sizes as typed: "TP 8" */
  guint facets;              /* facets with chosen values, bit 1 << facet */
  guint n_chosen[SHARDWISE_N_FACETS];
  guint chosen[SHARDWISE_N_FACETS][SHARDWISE_FILTER_CHOSEN]; /* ascending; one of them must match */
  guint n_words;
  guint16 words[SHARDWISE_FILTER_WORDS]
               [SHARDWISE_FILTER_NAMED]; /* one bit per value whose name contains the word */
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

/* A value of a facet and the number of strategies with it that the list would show: those that pass
 * the whole filter except for the choices of the same facet. */
typedef struct {
  guint value, count;
} ShardwiseFacetValue;

/* The values that an answer's strategies have, by facet. */
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
