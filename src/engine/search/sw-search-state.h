/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-rlhf.h"
#include "sw-search-nodes.h"
#include "sw-search-result.h"

G_BEGIN_DECLS

/* Candidates are kept in floats: a limit leaves room for their rounding. */
#define SW_LIMIT_SLACK (1.0 + 1e-6)

/* What the walk is for. */
typedef enum {
  SW_PASS_FEASIBLE, /* stop at the first that fits; no times, and only what takes the least memory;
                       keeps the nearest meanwhile */
  SW_PASS_COARSE,   /* find a step time that is not far from the least, over few strategies */
  SW_PASS_FASTEST,  /* find the least step time */
  SW_PASS_RANK,     /* with that known, keep the best by rank */
  SW_PASS_COMPLETE, /* keep every feasible strategy */
} SwPass;

typedef struct _SwSearch SwSearch;
struct _SwSearch {
  const SwProblem *problem;
  const SwProblem *free; /* the problem without its pins: the walk keeps to the pins, the rules need
                            not */
  SwSearchOptions options;
  SwSearchResult *out;
  SwSpaces *spaces;
  const SwSpace *space;
  SwNodes *nodes;
  gboolean shared_nodes; /* nodes are another's, and hold more than the pins allow */
  SwPass pass;
  double tokens_per_step, memory_limit_bytes, host_limit_bytes;
  double floor_s;                /* of the phases of a step that the bounds on training exclude */
  SwRlhfMemo *memo;              /* (nullable): of those; of one thread, which owns it */
  SwStatesMemo *states;          /* of one thread, which owns it */
  SwGenerationFloor *generation; /* (nullable): of those */
  double generation_floor_s;     /* of floor_s: generation, by all GPUs */
  double straggler_share;        /* for every doubling of the nodes, of the present framework */
  double least_step_s;           /* found so far, or the known least in SW_PASS_RANK */
  double limit_s;                /* slower strategies are skipped */
  GArray *all;                   /* of SwCandidate: SW_PASS_COMPLETE */
  guint most_kept;               /* of these */
  SwCandidate *best;             /* sorted by rank, sw_search_room() of them and one */
  guint n_best;
  double nearest_missing_bytes[5];
  gboolean keeps_nearest;    /* of those that do not fit */
  gboolean offload_pays;     /* some strategies that fit without offload may be faster with it */
  gboolean only_activations; /* of offload: nothing else could fit */
  gboolean found;            /* something fits */
  gboolean few_fit;          /* fewer than are asked for */
  gboolean is_beaten;        /* by a time so much less that SW_PASS_RANK is in vain */
  gboolean stop;
  /* For what the stages of a level-1 point take at least, of memory: another search, which asks
   * only whether anything fits, and what it found. */
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
