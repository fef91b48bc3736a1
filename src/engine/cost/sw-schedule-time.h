/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-layer-time.h"
#include "sw-split.h"

G_BEGIN_DECLS

/* Level 2. */
typedef struct {
  guint micro_batches;
  double compute_s; /* of the slowest stage over the whole step: m micro-batches, recomputation in
                       it, less uneven_s */
  double uneven_s;  /* what all micro-batches take longer on it than on the mean stage */
  double recompute_s;
  /* over the whole step */
  double tp_exposed_s, tp_hidden_s, cp_exposed_s, cp_hidden_s, ep_exposed_s, ep_hidden_s;
  double pp_exposed_s, pp_hidden_s;
  double bubble_s;
  double offload_exposed_s, offload_hidden_s;
  double first_backward_s, last_backward_s; /* windows in which data-parallel communication hides */
  double forward_s, backward_s;         /* one micro-batch through the slowest stage, its exposed
                                   communication included */
  guint stage_layers[SW_N_LAYER_KINDS]; /* of the slowest stage */
  guint stage;                          /* the slowest one */
  SwSplit split;
} SwScheduleTime;

/* One micro-batch through the layers of one stage, exposed communication included; seconds. */
typedef struct {
  double forward_s, backward_s, backward_input_s; /* its layers; input_s of backward_s,
                                                     recomputation in both */
  double ends_s; /* embedding, head and what belongs to them, forward + backward */
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
