/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-layer-time.h"
#include "sw-split.h"

G_BEGIN_DECLS

/* Level 2, time: seconds of the whole step unless stated otherwise. */
typedef struct {
  guint micro_batches;
  double compute_s; /* the slowest stage: all micro-batches with recomputation, minus uneven_s */
  double uneven_s;  /* additional time of the slowest stage over the mean stage */
  double recompute_s;
  double tp_exposed_s, tp_hidden_s, cp_exposed_s, cp_hidden_s, ep_exposed_s, ep_hidden_s;
  double pp_exposed_s, pp_hidden_s;
  double bubble_s;
  double offload_exposed_s, offload_hidden_s;
  double first_backward_s, last_backward_s; /* windows that can hide data-parallel communication */
  double forward_s, backward_s;             /* one micro-batch through the slowest stage, with its
                                           exposed communication */
  guint stage_layers[SW_N_LAYER_KINDS];     /* layers of the slowest stage */
  guint stage;                              /* index of the slowest stage */
  SwSplit split;
} SwScheduleTime;

/* One micro-batch through the layers of one stage, with exposed communication; seconds. */
typedef struct {
  double forward_s, backward_s, backward_input_s; /* of its layers; backward_input_s is part of
                                                     backward_s; both include recomputation */
  double ends_s;                                  /* embedding, head and loss, forward + backward */
} SwStageTime;

void sw_schedule_time (const SwProblem *problem, const SwStrategy *strategy,
                       const SwLayerTime *layer, SwScheduleTime *out);
double sw_schedule_time_sum (const SwScheduleTime *t);
double sw_schedule_blocked_share (const SwProblem *problem, const SwStrategy *strategy);
void sw_schedule_point_to_point (const SwProblem *problem, const SwStrategy *strategy,
                                 const SwLayerTime *layer, guint micro_batches,
                                 SwCollectiveCall *steady, SwCollectiveCall *fill);
void sw_stage_whole_layers (const SwStrategy *strategy, const guint layers[SW_N_LAYER_KINDS],
                            guint out[SW_N_LAYER_KINDS]);
void sw_stage_time (const SwProblem *problem, const SwStrategy *strategy, const SwLayerTime *layer,
                    guint stage, SwStageTime *out);
double sw_schedule_filled (guint pp, guint micro_batches);

G_END_DECLS
