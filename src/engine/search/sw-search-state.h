/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-rlhf.h"
#include "sw-search-nodes.h"
#include "sw-search-result.h"

G_BEGIN_DECLS

/* Candidates are stored as floats: limits allow for their rounding. */
#define SW_LIMIT_SLACK (1.0 + 1e-6)

/* The purpose of a walk. */
typedef enum {
  SW_PASS_FEASIBLE, /* stop at the first strategy that fits; without times, trying only the least
                       memory; keeps the nearest meanwhile */
  SW_PASS_COARSE,   /* find a step time close to the minimum with few strategies */
  SW_PASS_FASTEST,  /* find the minimum step time */
  SW_PASS_RANK,     /* keep the best by rank, given that minimum */
  SW_PASS_COMPLETE, /* keep every feasible strategy */
} SwPass;

typedef struct _SwSearch SwSearch;
struct _SwSearch {
  const SwProblem *problem;
  const SwProblem *free; /* the problem without its pins: the walk applies the pins, the rules do
                            not need to */
  SwSearchOptions options;
  SwSearchResult *out;
  SwSpaces *spaces;
  const SwSpace *space;
  SwNodes *nodes;
  gboolean shared_nodes; /* the nodes belong to another search and include more than the pins
                            allow */
  SwPass pass;
  double tokens_per_step, memory_limit_bytes, host_limit_bytes;
  double floor_s;                /* time of the phases that the bounds on training exclude */
  SwRlhfMemo *memo;              /* (nullable): for those phases; owned by one thread */
  SwStatesMemo *states;          /* owned by one thread */
  SwGenerationFloor *generation; /* (nullable): for those phases */
  double generation_floor_s;     /* the part of floor_s for generation on all GPUs */
  double straggler_share;        /* per doubling of the nodes, for the current framework */
  double least_step_s;           /* the best so far; in SW_PASS_RANK the known minimum */
  double limit_s;                /* slower strategies are skipped */
  GArray *all;                   /* of SwCandidate, in SW_PASS_COMPLETE */
  guint most_kept;               /* limit on the length of `all` */
  SwCandidate *best;             /* sorted by rank; room for sw_search_room() and one more */
  guint n_best;
  double nearest_missing_bytes[5];
  gboolean keeps_nearest;    /* records the nearest strategies that do not fit */
  gboolean offload_pays;     /* some strategies that fit without offload may be faster with it */
  gboolean only_activations; /* only offload of activations is tried: nothing else could fit */
  gboolean found;            /* something fits */
  gboolean few_fit;          /* fewer strategies fit than requested */
  gboolean is_beaten;        /* another time is so much better that SW_PASS_RANK is pointless */
  gboolean stop;
  /* A lower bound on the memory of a level-1 point's stages: another search that only decides
   * whether anything fits, and its results. */
  SwSearch *floor;
  GPtrArray *floors; /* (nullable): by SwNode.row */
};

gboolean sw_search_counts (const SwSearch *search);
void sw_search_reject (SwSearch *search, SwRule rule);
void sw_search_reject_many (SwSearch *search, SwRule rule, guint n);
gboolean sw_search_is_over (SwSearch *search, double bound_s);
gboolean sw_search_cancelled (SwSearch *search);
void
sw_search_offer (SwSearch *search, const SwStrategy *strategy, double step_s, double memory_bytes);
void sw_search_offer_nearest (SwSearch *search, const SwStrategy *strategy, double memory_bytes,
                              double missing_bytes);
void sw_search_merge_nearest (SwSearch *search, const SwSearch *other);
SwCandidate sw_search_candidate (const SwSearch *search, const SwStrategy *strategy, double step_s,
                                 double memory_bytes);
guint sw_search_room (const SwSearch *search);
SwCandidate *sw_search_rank_all (SwSearch *search);
void sw_search_keep_fastest (SwSearch *search, guint most);
void sw_free_aside (gpointer memory, gsize bytes);

G_END_DECLS
