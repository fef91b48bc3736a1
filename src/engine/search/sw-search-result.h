/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-rules.h"

G_BEGIN_DECLS

/* Among strategies within this share of the best predicted time, the simplest ranks first. */
#define SW_RANK_BAND 0.03

/* A feasible strategy. Compact, because the complete list may hold millions. */
typedef struct {
  SwStrategy strategy;
  float seconds_per_token; /* whole job */
  float step_s;
  float memory_bytes; /* peak of the fullest stage */
} SwCandidate;

G_STATIC_ASSERT (sizeof (SwCandidate) <= 64);

typedef struct {
  guint top;            /* number of best strategies to keep (live mode: 50) */
  gboolean complete;    /* keep every feasible strategy and count every rejection, instead of
                        pruning */
  guint threads;        /* of a complete search; 0 and 1: only the caller's */
  const int *cancelled; /* (nullable): atomic; non-zero stops the search */
  void (*progress) (double fraction, gpointer data); /* (nullable): called in the caller's thread */
  gpointer progress_data;
} SwSearchOptions;

typedef struct {
  SwCandidate *best; /* n_best strategies in order of rank; owned */
  guint n_best;
  SwCandidate
      *all; /* complete mode: all feasible strategies by time per token, or the fastest millions
               if memory would not hold all (n_all < fit); owned; else NULL */
  guint n_all;
  /* tried = fit + sum of rejected; timed: step time computed; evaluated: memory and step time
   * computed, or rejected by computed memory; bounded: number of times that a proven bound excluded
   * a part of the space. */
  guint64 tried, timed, fit, evaluated, bounded;
  guint64 rejected[SW_N_RULES];
  double seconds;
  SwCandidate nearest[5]; /* strategies that do not fit, least missing memory first; see
                             sw_search_distance() */
  guint n_nearest;
  gboolean was_cancelled;
} SwSearchResult;

/* A record for sorting millions of results: the key and the index of its result. */
typedef struct {
  guint32 key, place;
} SwKeyed;

void sw_search_result_clear (SwSearchResult *result);
void sw_search_result_add (SwSearchResult *self, const SwCandidate *found, guint n);
gboolean sw_leaves_half_idle (const SwProblem *problem, const SwStrategy *strategy);
double
sw_search_distance (const SwProblem *problem, const SwStrategy *strategy, double missing_bytes);
int sw_candidate_compare (const SwCandidate *a, const SwCandidate *b, double band_s);
guint32 sw_key_of_positive (float number);
void sw_keyed_sort (SwKeyed *keys, SwKeyed *out, guint n, gboolean (*is_cancelled) (gpointer data),
                    gpointer data);
GArray *sw_pareto_front (const SwCandidate *candidates, guint n);

G_END_DECLS
