/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-time.h"

G_BEGIN_DECLS

/* How answers are generated: by replicas of the policy on `tp` GPUs each. */
typedef struct {
  guint gpus, tp, replicas;
  guint sequences;     /* per step, on the busiest replica */
  guint concurrent;    /* sequences whose caches fit at once */
  guint rounds;        /* sequences / concurrent, rounded up */
  gboolean moved;      /* weights are laid out differently than in training, so they are gathered
                          once per step */
  double weight_bytes; /* of the gathered copy, on one GPU */
  double cache_bytes;  /* keys and values of the concurrent sequences at full length */
  double logits_bytes; /* logits of one token of each sequence */
  double prefill_s, decode_s, transfer_s; /* per step, including communication */
} SwGenerationPlan;

/* One round of generation on a replica of `tp` GPUs. */
typedef struct {
  guint tp, sequences;                                       /* tp 0: empty */
  double prefill_s, prefill_comm_s, decode_s, decode_comm_s; /* comm: the communication part */
} SwGenerationRound;

/* A cache of recent rounds, one entry per slot. */
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

/* A lower bound of the generation time, by number of GPUs. All threads of a search read it. */
typedef struct _SwGenerationFloor SwGenerationFloor;

SwGenerationFloor *sw_generation_floor_new (const SwProblem *problem);
void sw_generation_floor_free (SwGenerationFloor *self);
double sw_generation_floor_s (const SwGenerationFloor *self, guint gpus);
double sw_generation_split_s (const SwGenerationFloor *self, double work);

G_END_DECLS
