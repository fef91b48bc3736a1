/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

typedef enum {
  SW_TASK_FORWARD,
  SW_TASK_BACKWARD,
  SW_TASK_BACKWARD_INPUT,
  SW_TASK_BACKWARD_WEIGHT
} SwTaskKind;

/* One rectangle of the pipeline chart. */
typedef struct {
  guint8 kind; /* SwTaskKind */
  guint16 rank, chunk;
  guint32 micro_batch;
  double start_s, end_s;
} SwTask;

/* Times of one micro-batch on each (virtual) stage: stage = chunk * pp + rank. */
typedef struct {
  SwSchedule schedule;
  guint pp, vpp, micro_batches;
  const double *forward_s, *backward_s, *backward_input_s; /* [pp * vpp], seconds */
  double p2p_s;         /* one transfer between neighbouring stages */
  double blocked_share; /* of a transfer, for which a rank waits after every pass; 0: none */
} SwPipelineSpec;

/* By event simulation: every task as soon as its input is there and its rank is free, in the
 * schedule's order. */
typedef struct {
  GArray *tasks;          /* of SwTask, by rank then start; owned */
  guint stages;           /* virtual */
  double send_s;          /* one transfer between neighbouring stages */
  double total_s;         /* end of the last task, including the wait of its rank after it */
  double bubble_fraction; /* 1 - busy / (pp * total_s) */
  /* What an average rank waits, total_s x bubble_fraction, is the sum of these. */
  double bubble_s;   /* the busiest rank, while the pipeline fills and drains */
  double transfer_s; /* by how much longer transfers make the step */
  double uneven_s;   /* the other ranks, because they have less to do than the busiest */
} SwPipeline;

void sw_pipeline_simulate (const SwPipelineSpec *spec, SwPipeline *out);
void sw_pipeline_clear (SwPipeline *pipeline);
gboolean sw_pipeline_of_strategy (const SwProblem *problem, const SwStrategy *strategy,
                                  guint max_tasks, SwPipeline *out);

G_END_DECLS
