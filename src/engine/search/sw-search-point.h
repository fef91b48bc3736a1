/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-search-state.h"

G_BEGIN_DECLS

/* A level-1 point with one recomputation while the search walks the levels above it. */
typedef struct {
  SwStrategy strategy;
  const SwNode *node;
  const SwUses *uses;
  gboolean has_layer_memory, has_kept_memory;
  gboolean has_schedule_memory[2][2];
  guint timed_layers;          /* the full_layers that schedule_time holds for; G_MAXUINT: none */
  gboolean is_timed_offloaded; /* schedule_time assumes offloaded activations */
  double schedule_s;           /* from schedule_time: a lower bound of the step */
  double micro_batch_s;        /* one micro-batch through the whole model: a lower bound */
  double others_s;             /* the same for the step's other passes */
  double phases_s; /* other passes and generation with the current replicas, beyond the floor */
  double stage_s;  /* one micro-batch through the slowest stage: a lower bound */
  /* One micro-batch through one layer of each kind, while others run: a lower bound. */
  double beside_s[SW_N_LAYER_KINDS];
  double split_fill;    /* smallest share of the fill time that zero-bubble schedules leave */
  guint offloads;       /* bit 1 << SwOffload: the values to try with the current schedule */
  guint solved_layers;  /* first-N recomputation: the layers needed with the current sharding */
  guint tried_offloads; /* the part of `offloads` that can help with the current sharding */
  double least_missing_bytes; /* on a GPU, over everything tried with the current replicas; 0: on
                                 a host */
  gboolean may_fit;           /* with the current schedule, some sharding may fit */
  gboolean is_too_big;        /* too big with the current replicas, for any schedule and sharding */
  /* The rest is large and is not read before it is computed. */
  SwLayerMemory layer_memory;
  SwLayerMemory kept_memory; /* without any recomputation */
  SwLayerTime layer_time;
  /* [activations are offloaded][first-N recomputation: none instead of the most] */
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
