/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-time.h"

G_BEGIN_DECLS

/* How the answers are generated: by replicas of the policy over `tp` GPUs each. */
typedef struct {
  guint gpus, tp, replicas;
  guint sequences;     /* of a step, on the busiest replica */
  guint concurrent;    /* of them at once; the cache of more does not fit */
  guint rounds;        /* sequences / concurrent, rounded up */
  gboolean moved;      /* the weights lie otherwise than in training: gathered once a step */
  double weight_bytes; /* of that copy; bytes on one GPU */
  double cache_bytes;  /* keys and values of the concurrent sequences at their full length */
  double logits_bytes; /* of one token of each */
  double prefill_s, decode_s, transfer_s; /* of the whole step; communication in them */
} SwGenerationPlan;

/* A round of generation on a replica of `tp` GPUs. */
typedef struct {
  guint tp, sequences;                                       /* tp 0: none */
  double prefill_s, prefill_comm_s, decode_s, decode_comm_s; /* comm: of the time before it */
} SwGenerationRound;

/* Those worked out lately, each in its one place. */
typedef struct {
  SwGenerationRound round[64];
} SwGenerationRounds;

void sw_generation_plan (SwGenerationRounds *rounds, const SwProblem *problem,
                         const SwStrategy *strategy, double resident_bytes, SwGenerationPlan *out);
void sw_generation_time (const SwProblem *problem, const SwStrategy *strategy,
                         SwGenerationPlan *plan, SwTime *out);
void sw_generation_time_with (SwGenerationRounds *rounds, const SwProblem *problem,
                              const SwStrategy *strategy, SwGenerationPlan *plan, SwTime *out);
guint sw_generation_most_at_once (const SwProblem *problem, guint tp);
double sw_generation_round_s (const SwProblem *problem, guint tp, guint sequences);

/* What generation takes at least, by how many GPUs do it; read by all threads of a search. */
typedef struct _SwGenerationFloor SwGenerationFloor;

SwGenerationFloor *sw_generation_floor_new (const SwProblem *problem);
void sw_generation_floor_free (SwGenerationFloor *self);
double sw_generation_floor_s (const SwGenerationFloor *self, guint gpus);
double sw_generation_split_s (const SwGenerationFloor *self, double work);

G_END_DECLS
