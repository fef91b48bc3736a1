/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-framework.h"
#include "sw-generation-floor.h"
#include "sw-layer-work.h"
#include "sw-memory-private.h"
#include "sw-search.h"

G_BEGIN_DECLS

/* Strategies within this share of the best predicted time are ordered by simplicity (engine.md,
 * Search). */
#define SW_RANK_BAND 0.01

/* With more, the factor of the stragglers would outgrow what more GPUs gain, and the bound of all
 * of them would be none for fewer. */
#define SW_MOST_STRAGGLER_SHARE 0.5

/* Candidates are kept in floats: a limit leaves room for their rounding. */
#define SW_LIMIT_SLACK (1.0 + 1e-6)

/* Number of divisors of any number up to 10^9 is at most 1,344; values of a dimension come from
 * divisors of at most two numbers. */
enum { SW_MAX_VALUES = 1536 };

typedef struct {
  guint n, values[SW_MAX_VALUES];
} SwValues;

void sw_values_single (SwValues *values, guint value);
void sw_values_divisors (SwValues *values, guint number, guint at_most);

/* One value of a dimension, with the values of another that go with it: n of them from first in
 * SwSpace.lists. */
typedef struct {
  guint value, first, n;
} SwListed;

/* Layers of the first and of the last stage, by kind, and as many as some stage has at least. */
typedef struct {
  guint first[SW_N_LAYER_KINDS], last[SW_N_LAYER_KINDS], most[SW_N_LAYER_KINDS];
} SwStageEnds;

/* The values of one framework. */
typedef struct {
  SwFramework framework;
  const SwFrameworkRules *rules; /* NULL: not prepared */
  GArray *stages;                /* of SwListed: pp, with the chunks of a stage for interleaving */
  GArray *ends;                  /* of SwStageEnds, of each number of stages */
  GArray *replicas;              /* of SwListed: dp, with the groups that ZeRO may shard over */
  GArray *lists;                 /* of guint */
  SwValues tp, cp, ep, micro_batch; /* not read where it is not prepared */
} SwSpace;

typedef struct {
  const SwProblem *problem;
  SwSpace by_framework[SW_N_FRAMEWORKS];
  GHashTable *uses;           /* of SwUses: those that were asked for so far; for one thread */
  gint64 last_key;            /* of them: neighbouring points mostly ask for the same */
  const struct _SwUses *last; /* (nullable) */
} SwSpaces;

SwSpaces *sw_spaces_new (const SwProblem *problem);
void sw_spaces_free (SwSpaces *spaces);
gboolean sw_pins_take (const SwPins *pins, SwDimension dimension, SwValues *values);
guint sw_pins_mask (const SwPins *pins, SwDimension dimension, guint allowed);

/* How one framework's stages and replicas can use a number of ranks, with a micro-batch: the best
 * first. */
typedef struct {
  guint stages;   /* index in SwSpace.stages */
  guint replicas; /* index in SwSpace.replicas: the most that there are ranks and batches for */
  double weight;  /* a step is no shorter than that many times one micro-batch through everything */
} SwUse;

typedef struct _SwUses {
  guint ranks;
  guint n_too_many; /* stages for which there are not enough ranks */
  GArray *uses;     /* of SwUse */
} SwUses;

const SwUses *sw_spaces_uses (SwSpaces *spaces, const SwStrategy *strategy);
guint sw_space_replicas_within (const SwSpace *space, guint ranks);
guint sw_space_most_replicas (const SwProblem *problem, const SwSpace *space, guint ranks,
                              guint micro_batch);

/* Level-1 points that share sw_layer_base(). */
typedef struct {
  double bound_s;
  SwStrategy strategy;
  guint family; /* of groups that differ by the micro-batch alone: the index of the first */
  SwLayerBase base;
} SwGroupNode;

/* A level-1 point of the search, whatever the recomputation, with a lower bound of the step. */
typedef struct {
  double bound_s;
  SwStrategy strategy;
  guint group, ordinal; /* ordinal: among those of its group */
} SwNode;

/* The level-1 points of a question in the order of their bounds, made as they are asked for. */
typedef struct {
  SwProblem problem, free; /* free: without its pins */
  SwSpaces *spaces;
  gboolean is_timed;
  GArray *groups;  /* of SwGroupNode */
  GArray *nodes;   /* of SwNode */
  GArray *heap;    /* of those that are still to come, and groups that are not yet opened */
  GArray *ordered; /* of guint: those that came, as indices of nodes */
  const int *cancelled;
  guint64 rejected[SW_N_RULES];
} SwNodes;

double sw_nodes_bound_s (SwSpaces *spaces, const SwStrategy *strategy, double micro_batch_s);
SwNodes *sw_nodes_new (const SwProblem *problem, gboolean is_timed, const int *cancelled);
void sw_nodes_free (SwNodes *nodes);
const SwNode *sw_nodes_get (SwNodes *nodes, guint index);
guint sw_nodes_count (SwNodes *nodes);

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
  double floor_s;       /* of what the bounds on training leave out: other phases of a step */
  SwRlhfMemo *memo;     /* (nullable): of those; of one thread, which owns it */
  SwStatesMemo *states; /* of one thread, which owns it */
  SwGenerationFloor *generation; /* (nullable): of those */
  double generation_floor_s;     /* of floor_s: generation, by all GPUs */
  double straggler_share;        /* for every doubling of the nodes, of the present framework */
  double least_step_s;           /* found so far, or the known least in SW_PASS_RANK */
  double limit_s;                /* a strategy that takes longer is of no interest */
  GArray *all;                   /* of SwCandidate: SW_PASS_COMPLETE */
  guint most_kept;               /* of these */
  SwCandidate *best;             /* sorted by rank, sw_search_room() of them and one */
  guint n_best;
  double nearest_missing_bytes[5];
  gboolean keeps_nearest;    /* of those that do not fit */
  gboolean offload_pays;     /* of what fits without, some may be faster with it */
  gboolean only_activations; /* of offload: nothing else could fit */
  gboolean found;            /* something fits */
  gboolean few_fit;          /* fewer than are asked for */
  gboolean is_beaten;        /* by a time so much less that SW_PASS_RANK is in vain */
  gboolean stop;
  /* For what the stages of a level-1 point take at least, of memory: another search, which asks
   * only whether anything fits, and what it found. */
  SwSearch *floor;
  struct _SwFloors *floors; /* (nullable) */
};

/* One level-1 point with one recomputation while the levels above it are walked. */
typedef struct {
  SwStrategy strategy;
  const SwNode *node;
  const SwUses *uses;
  gboolean has_layer_memory, has_kept_memory;
  gboolean has_schedule_memory[2][2];
  guint timed_layers;          /* schedule_time is of this full_layers; G_MAXUINT: not known */
  gboolean is_timed_offloaded; /* and of offloaded activations */
  double schedule_s;           /* of schedule_time: a lower bound of the step */
  double micro_batch_s;        /* everything, one micro-batch: a lower bound */
  double others_s;             /* the same of a step's other passes */
  double phases_s; /* of those and of generation, under the present replicas, over the floor */
  double stage_s;  /* the slowest stage, one micro-batch: a lower bound */
  /* One layer of each kind, one micro-batch: alone on its stage; beside others, a lower bound. */
  double alone_s[SW_N_LAYER_KINDS], beside_s[SW_N_LAYER_KINDS];
  double split_fill;    /* share of filling that zero-bubble schedules leave at least */
  guint offloads;       /* bit 1 << SwOffload: those that can be tried under the present schedule */
  guint solved_layers;  /* of first-N recomputation, as many as were needed under this sharding */
  guint tried_offloads; /* of these, those that can help under the present sharding */
  double least_missing_bytes; /* on a GPU, of all that was tried with the present replicas; 0: on a
                                 host */
  gboolean may_fit;    /* under the present schedule: not every sharding takes too much memory */
  gboolean is_too_big; /* with the present replicas, whatever the schedule and sharding */
  /* What follows is large, and is not read before it is worked out. */
  SwLayerMemory layer_memory;
  SwLayerMemory kept_memory; /* without any recomputation */
  SwLayerTime layer_time;
  /* By whether activations are offloaded, and, for first-N recomputation, whether none is done
   * instead of the most. */
  SwScheduleMemory schedule_memory[2][2];
  SwScheduleTime schedule_time;
} SwPoint;

gboolean sw_search_counts (const SwSearch *search);
void sw_search_reject (SwSearch *search, SwRule rule);
gboolean sw_search_is_over (SwSearch *search, double bound_s);
double sw_search_bound_s (const SwSearch *search, double seconds, const SwStrategy *strategy);
gboolean sw_search_cancelled (SwSearch *search);
gboolean sw_search_walk (SwSearch *search, guint first, guint end);
void sw_search_walk_node (SwSearch *search, const SwNode *node);

void
sw_search_walk_replicas (SwSearch *search, SwPoint *point, const SwListed *stages, guint first);

/* sw-search-floor.c */
gboolean sw_search_is_ordered (const SwProblem *problem);
guint sw_search_least_recomputes (const SwSearch *search);
double sw_search_communicator_bytes (const SwSearch *search);
guint sw_search_fewer_of_interest (const SwSearch *search, const SwPoint *point, guint at);
void sw_search_floor_init (SwSearch *search, SwSearch *floor, SwSearchResult *out);
void sw_search_floor_clear (SwSearch *search);
gboolean sw_search_family_is_below_floor (SwSearch *search, const SwNode *node);
gboolean sw_search_is_below_floor (SwSearch *search, const SwNode *node, const SwStrategy *strategy,
                                   const SwUse *use);

/* sw-search-bounds.c */
void sw_point_take_layers (const SwProblem *problem, SwPoint *point);
double sw_point_stage_s (const SwSearch *search, const SwPoint *point, guint stages);
double sw_point_work_s (const SwSearch *search, const SwPoint *point);
double sw_point_bound_s (const SwSearch *search, const SwPoint *point, double fill);
double sw_point_fill (const SwPoint *point, guint schedule, guint vpp);
double sw_point_least_fill (const SwSearch *search, const SwPoint *point, const SwListed *stages);
double sw_point_others_s (const SwSearch *search, const SwPoint *point);
double sw_point_phases_s (const SwSearch *search, const SwPoint *point);
gboolean sw_point_split_is_over (SwSearch *search, const SwPoint *point, double micro_batch_s);
double sw_point_layers_s (const SwProblem *problem, const SwLayerTime *time);

/* sw-search-point.c */
gboolean sw_point_begin_schedule (SwSearch *search, SwPoint *point);
gboolean sw_point_activations_are_over (SwSearch *search, SwPoint *point, gboolean offloaded);
gboolean sw_point_evaluate (SwSearch *search, SwPoint *point, guint zero_stages);

/* sw-search-rank.c */
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

void sw_search_prepared (const SwProblem *problem, const SwSearchOptions *options, SwNodes *nodes,
                         SwSearchResult *out);
gboolean sw_search_any_fits (const SwProblem *problem);

G_END_DECLS
