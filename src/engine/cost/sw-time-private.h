/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-cost.h"

G_BEGIN_DECLS

/* The ranks that hold the same part of the model: those that share its state, and how many times
 * that is repeated. */
typedef struct {
  double parameters; /* on one GPU; a count */
  double trained;    /* of them: with a gradient */
  double matrices;   /* of the parameters: in the matrices of the layers */
  double side;       /* the shorter side of these */
  SwGroup all, shard, replicas;
  gboolean is_experts;
} SwTimeParts;

typedef struct {
  const SwProblem *problem;
  const SwStrategy *strategy;
  const SwScheduleTime *schedule;
  const SwProfile *profile;
  guint stage; /* whose parameters are exchanged and updated: of those that there are, the one for
                  which that takes longest */
  guint layers[SW_N_LAYER_KINDS]; /* of that stage */
  double m;                       /* micro-batches */
  SwCollectiveLog *log;           /* (nullable): takes down data-parallel communication */
} SwTimeScene;

void sw_time_add_optimizer (const SwTimeScene *scene, const SwTimeParts *parts, SwTime *out);

G_END_DECLS
