/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-rules.h"

G_BEGIN_DECLS

/* Strategies within this share of the best predicted time are ordered by simplicity. */
#define SW_RANK_BAND 0.03

/* A feasible strategy, compact: the complete list may hold millions. */
typedef struct {
  SwStrategy strategy;
  float seconds_per_token; /* of the whole job */
  float step_s;
  float memory_bytes; /* peak of the worst stage */
} SwCandidate;

G_STATIC_ASSERT (sizeof (SwCandidate) <= 64);

typedef struct {
  guint top;         /* how many of the best to keep (live mode: 50) */
  gboolean complete; /* every feasible strategy and every rejection's reason, instead of pruning */
  guint threads;     /* that share the work of a complete search; 0 and 1: the caller's alone */
  const int *cancelled; /* (nullable): atomic; non-zero stops the search */
  void (*progress) (double fraction, gpointer data); /* (nullable): called on the caller's thread */
  gpointer progress_data;
} SwSearchOptions;

typedef struct {
  SwCandidate *best; /* ranked, n_best of them; owned */
  guint n_best;
  SwCandidate
      *all; /* complete mode: every feasible one (the fastest millions, where there are more than
               memory should hold: n_all < fit), ranked by time per token; owned; else NULL */
  guint n_all;
  /* tried = fit + all of rejected; timed: step time computed; evaluated: both memory and step time
   * computed, or rejected by its computed memory; bounded: how often a proven bound cut off a part
   * of the space that cannot hold one of the best. */
  guint64 tried, timed, fit, evaluated, bounded;
  guint64 rejected[SW_N_RULES];
  double seconds;
  SwCandidate nearest[5]; /* of those that do not fit: the least memory missing */
  guint n_nearest;
  gboolean was_cancelled;
} SwSearchResult;

/* The record that sorting millions of results moves: the key and the index of its result. */
typedef struct {
  guint32 key, place;
} SwKeyed;

void sw_search_result_clear (SwSearchResult *result);
void sw_search_result_add (SwSearchResult *self, const SwCandidate *found, guint n);
int sw_candidate_compare (const SwCandidate *a, const SwCandidate *b, double band_s);
guint32 sw_key_of_positive (float number);
void sw_keyed_sort (SwKeyed *keys, SwKeyed *out, guint n, gboolean (*is_cancelled) (gpointer data),
                    gpointer data);
GArray *sw_pareto_front (const SwCandidate *candidates, guint n);

G_END_DECLS
