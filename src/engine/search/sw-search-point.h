/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-search-state.h"

G_BEGIN_DECLS

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
  /* One layer of each kind, one micro-batch beside others: a lower bound. */
  double beside_s[SW_N_LAYER_KINDS];
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

double sw_search_bound_s (const SwSearch *search, double seconds, const SwStrategy *strategy);
void sw_point_take_layers (const SwProblem *problem, SwPoint *point);
double sw_point_stage_s (const SwSearch *search, const SwPoint *point, guint stages);
double sw_point_work_s (const SwSearch *search, const SwPoint *point);
double sw_point_bound_s (const SwSearch *search, const SwPoint *point, double fill);
double sw_point_fill (const SwPoint *point, guint schedule, guint vpp);
double sw_point_least_fill (const SwSearch *search, const SwPoint *point, const SwListed *stages);
double sw_point_others_s (const SwSearch *search, const SwPoint *point);
double sw_point_phases_s (const SwSearch *search, const SwPoint *point);
gboolean sw_point_split_is_over (SwSearch *search, const SwPoint *point, double micro_batch_s);

gboolean sw_point_begin_schedule (SwSearch *search, SwPoint *point);
gboolean sw_point_activations_are_over (SwSearch *search, SwPoint *point, gboolean offloaded);
gboolean sw_point_evaluate (SwSearch *search, SwPoint *point, guint zero_stages);

double sw_search_communicator_bytes (const SwSearch *search);

G_END_DECLS
