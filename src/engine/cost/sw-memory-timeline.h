/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-tensors.h"

G_BEGIN_DECLS

/* What one GPU holds at a moment of the step. Memory changes linearly between moments. */
typedef struct {
  double time_s;
  double part_bytes[SW_N_PARTS];
  double micro_batches; /* micro-batches with live activations, in units of the whole stage */
} SwMemoryMoment;

/* Memory over one step of one stage. */
typedef struct {
  GArray *moments; /* of SwMemoryMoment, by time; owned */
  double passes_s; /* end of the last backward pass, when the optimizer starts */
  double total_s;
  guint peak; /* index of the first moment with the largest total */
} SwMemoryTimeline;

gboolean sw_memory_timeline (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                             guint max_tasks, SwMemoryTimeline *out);
void sw_memory_timeline_clear (SwMemoryTimeline *timeline);
double sw_memory_moment_total (const SwMemoryMoment *moment);

G_END_DECLS
