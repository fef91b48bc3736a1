/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-framework.h"
#include "sw-search.h"

G_BEGIN_DECLS

/* Strategies within this share of the best predicted time are ordered by simplicity (engine.md,
 * Search). */
#define SW_RANK_BAND 0.01

/* Number of divisors of any number up to 10^9 is at most 1,344; values of a dimension come from
 * divisors of at most two numbers. */
enum
{
  SW_MAX_VALUES = 1536
};

typedef struct
{
  guint n, values[SW_MAX_VALUES];
} SwValues;

void sw_values_single (SwValues *values, guint value);
void sw_values_divisors (SwValues *values, guint number, guint at_most);
void sw_values_merge (SwValues *values, const SwValues *other);

/* A level-1 point of the search: what decides the cost of a layer, with a lower bound of the step.
 */
typedef struct
{
  double bound_s;
  guint32 index; /* of the enumeration: makes the order of equal bounds deterministic */
  SwStrategy strategy;
} SwNode;

/* What the walk is for. */
typedef enum
{
  SW_PASS_FEASIBLE, /* stop at the first that fits; no times, and only what takes the least memory
                     */
  SW_PASS_NEAREST,  /* nothing fits: the same strategies, counted, the nearest kept */
  SW_PASS_COARSE,   /* find a step time that is not far from the least, over few strategies */
  SW_PASS_FASTEST,  /* find the least step time */
  SW_PASS_RANK,     /* with that known, keep the best by rank */
  SW_PASS_COMPLETE, /* keep every feasible strategy */
} SwPass;

/* The values of one framework. */
typedef struct
{
  SwFramework framework;
  const SwFrameworkRules *rules;
  SwValues tp, cp, pp, dp, ep, micro_batch;
} SwSpace;

typedef struct
{
  const SwProblem *problem;
  SwProblem free; /* the problem without its pins: the walk keeps to the pins, the rules need not */
  SwSearchOptions options;
  SwSearchResult *out;
  SwSpace *spaces; /* by SwFramework; owned */
  const SwSpace *space;
  gboolean offload; /* offload is tried */
  SwPass pass;
  double tokens_per_step, memory_limit_bytes, host_limit_bytes;
  double least_step_s;   /* found so far, or the known least in SW_PASS_RANK */
  double limit_s;        /* a strategy that takes longer is of no interest */
  GArray *nodes;         /* of SwNode, of all frameworks, in the order of their bounds */
  gboolean shared_nodes; /* nodes are another's, and hold more than the pins allow */
  GArray *all;           /* of SwCandidate: SW_PASS_COMPLETE */
  SwCandidate *best;     /* sorted by rank, room for options.top + 1 */
  guint n_best;
  double nearest_missing_bytes[5];
  gboolean found; /* SW_PASS_FEASIBLE: something fits */
  gboolean stop;
} SwSearch;

gboolean sw_search_counts (const SwSearch *search);
gboolean sw_search_is_timed (const SwSearch *search);
void sw_search_reject (SwSearch *search, SwRule rule);
void sw_search_space_prepare (SwSearch *search, SwFramework framework);
void sw_search_space_nodes (SwSearch *search, SwFramework framework);
void sw_search_values_chunks (const SwSearch *search, guint pp, SwValues *out);
void
sw_search_values_shard_group (const SwSearch *search, const SwStrategy *strategy, SwValues *out);
guint sw_search_mask (const SwSearch *search, SwDimension dimension, guint allowed);
gboolean sw_search_admits (SwSearch *search, const SwStrategy *strategy, guint32 rules);
gboolean sw_search_cancelled (SwSearch *search);

double sw_search_layers_s (const SwProblem *problem, const SwLayerTimePart part[SW_N_LAYER_KINDS]);
gboolean sw_search_has_node (const SwSearch *search, const SwNode *node);
void sw_search_walk (SwSearch *search);

GArray *sw_search_list_nodes (const SwProblem *problem);
gboolean sw_search_prepared (const SwProblem *problem,
                             const SwSearchOptions *options,
                             GArray *nodes,
                             SwSearchResult *out);

void
sw_search_offer (SwSearch *search, const SwStrategy *strategy, double step_s, double memory_bytes);
void sw_search_offer_nearest (SwSearch *search,
                              const SwStrategy *strategy,
                              double memory_bytes,
                              double missing_bytes);
int sw_candidate_compare (const SwCandidate *a, const SwCandidate *b, double band_s);

gboolean sw_search_any_fits (const SwProblem *problem);

G_END_DECLS
