/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-measured.h"

G_BEGIN_DECLS

/* The prediction for a measured run, with memory of the kind that was measured. */
typedef struct {
  const ShardwiseRun *run;
  double step_s, step_low_s, step_high_s;
  double memory_bytes, memory_low_bytes, memory_high_bytes; /* of the fullest GPU */
  gboolean fits;                                            /* in 100 % of the usable memory */
  SwStrategy used; /* the predicted strategy; unknown recomputation is inferred */
} ShardwiseRunPrediction;

void shardwise_run_predict (const ShardwiseRun *run, ShardwiseRunPrediction *out);

/* The published run most similar to a job. */
typedef struct {
  char *id, *source, *description;
  double distance; /* 0: the same kind of job */
  double measured_step_s, predicted_step_s;
} ShardwiseNearestRun;

void shardwise_nearest_run_prepare (void); /* reads the table of runs in advance */
/* (nullable) */
ShardwiseNearestRun *
shardwise_nearest_run_find (const SwProblem *problem, const SwStrategy *strategy);
ShardwiseNearestRun *shardwise_nearest_run_copy (const ShardwiseNearestRun *run); /* (nullable) */
void shardwise_nearest_run_free (ShardwiseNearestRun *run);

G_END_DECLS
