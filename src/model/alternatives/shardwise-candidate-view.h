/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-candidate-filter.h"

G_BEGIN_DECLS

/* The sort orders of strategies: the figures and dimensions that lists show. */
typedef enum {
  SHARDWISE_SORT_RANK,
  SHARDWISE_SORT_SUMMARY, /* by parallel sizes, as displayed */
  SHARDWISE_SORT_TP,
  SHARDWISE_SORT_PP,
  SHARDWISE_SORT_DP,
  SHARDWISE_SORT_CP,
  SHARDWISE_SORT_EP,
  SHARDWISE_SORT_VPP,
  SHARDWISE_SORT_ZERO,
  SHARDWISE_SORT_MICRO_BATCH,
  SHARDWISE_SORT_RECOMPUTE, /* from none to full */
  SHARDWISE_SORT_SCHEDULE,
  SHARDWISE_SORT_OFFLOAD,
  SHARDWISE_SORT_GPUS,
  SHARDWISE_SORT_FRAMEWORK, /* by name */
  SHARDWISE_SORT_MEMORY,
  SHARDWISE_SORT_STEP,
  SHARDWISE_SORT_TOKENS_PER_S,
  SHARDWISE_SORT_TOKENS_PER_GPU,
  SHARDWISE_SORT_MFU,
  SHARDWISE_SORT_DIFFERENCE, /* by additional time */
  SHARDWISE_N_SORTS
} ShardwiseSort;

/* The strategies of an answer that pass a filter, in order: an array of their indices, four bytes
 * each; and the ones that represent them in a chart. Immutable, so any thread can create it and
 * pass it on. */
#define SHARDWISE_TYPE_CANDIDATE_VIEW (shardwise_candidate_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseCandidateView, shardwise_candidate_view, SHARDWISE, CANDIDATE_VIEW,
                      GObject)

ShardwiseCandidateView *
shardwise_candidate_view_new (ShardwiseAdvice *advice, const ShardwiseCandidateFilter *filter,
                              ShardwiseSort sort, gboolean descending, GCancellable *cancellable);
ShardwiseAdvice *shardwise_candidate_view_get_advice (ShardwiseCandidateView *self);
guint shardwise_candidate_view_get_n_rows (ShardwiseCandidateView *self);
guint shardwise_candidate_view_get_candidate (ShardwiseCandidateView *self, guint row);
guint shardwise_candidate_view_get_variants (ShardwiseCandidateView *self, guint row);
guint shardwise_candidate_view_get_n_passed (ShardwiseCandidateView *self);
gboolean shardwise_candidate_view_find (ShardwiseCandidateView *self, const SwStrategy *strategy,
                                        double step_s, guint *candidate, int *row);
const ShardwiseCandidateFacets *shardwise_candidate_view_get_facets (ShardwiseCandidateView *self);
const SwCandidate *
shardwise_candidate_view_get_dots (ShardwiseCandidateView *self, const guint **counts, guint *n);

const SwCandidate *shardwise_advice_get_candidates (ShardwiseAdvice *advice, guint *n);
SwCandidate shardwise_candidate_of (const SwEstimate *estimate);
void shardwise_candidates_sort (const SwCandidate *candidates, guint32 *rows, guint n,
                                ShardwiseSort sort, gboolean descending);

G_END_DECLS
