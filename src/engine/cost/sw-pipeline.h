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
  double p2p_s;         /* one transfer between neighboring stages */
  double blocked_share; /* share of a transfer that a rank waits for after every pass; 0: none */
} SwPipelineSpec;

/* Result of the event simulation: in the schedule's order, every task starts as soon as its input
 * has arrived and its rank is free. */
typedef struct {
  GArray *tasks;          /* of SwTask, by rank then start; owned */
  guint stages;           /* virtual */
  double send_s;          /* one transfer between neighboring stages */
  double total_s;         /* end of the last task, including the wait of its rank after it */
  double bubble_fraction; /* 1 - busy / (pp * total_s) */
  /* An average rank waits total_s * bubble_fraction, the sum of these three. */
  double bubble_s;   /* wait of the busiest rank while the pipeline fills and drains */
  double transfer_s; /* time that transfers add to the step */
  double uneven_s;   /* additional wait of the other ranks, which have less to do than the
                        busiest */
} SwPipeline;

void sw_pipeline_simulate (const SwPipelineSpec *spec, SwPipeline *out);
void sw_pipeline_clear (SwPipeline *pipeline);
gboolean sw_pipeline_of_strategy (const SwProblem *problem, const SwStrategy *strategy,
                                  guint max_tasks, SwPipeline *out);

G_END_DECLS
