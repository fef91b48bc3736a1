/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-search.h"

G_BEGIN_DECLS

enum {
  SHARDWISE_FILTER_WORDS = 8, /* what is typed beyond them is left out */
  SHARDWISE_FILTER_NAMED = 5, /* dimensions whose values have names, and the framework */
};

/* Which strategies a list shows. Words are looked up once, so that a strategy is held against numbers alone: there
 * may be millions of them. A value. */
typedef struct {
  gboolean no_pipeline, no_recompute;
  double memory_below_bytes; /* 0: any */
  guint8 framework;          /* SW_FRAMEWORK_ANY: any */
  SwPins degrees;            /* typed: "TP 8" */
  guint n_words;
  guint8 words[SHARDWISE_FILTER_WORDS][SHARDWISE_FILTER_NAMED]; /* a bit for each value that has the word in its name */
} ShardwiseCandidateFilter;

void shardwise_candidate_filter_init (ShardwiseCandidateFilter *self);
void shardwise_candidate_filter_set_text (ShardwiseCandidateFilter *self, const char *text);
gboolean shardwise_candidate_filter_is_empty (const ShardwiseCandidateFilter *self);
gboolean shardwise_candidate_filter_matches (const ShardwiseCandidateFilter *self, const SwCandidate *candidate);
gboolean shardwise_candidate_filter_equal (const ShardwiseCandidateFilter *a, const ShardwiseCandidateFilter *b);

G_END_DECLS
