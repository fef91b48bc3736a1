/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-layer-memory.h"
#include "sw-recipe.h"
#include "sw-schedule-time.h"

G_BEGIN_DECLS

/* One step; seconds. step_s = compute_s (including recompute_s) + uneven_s + exposed terms +
 * bubble_s + optimizer_s + other_s. */
typedef struct {
  double step_s, compute_s, recompute_s;
  double uneven_s; /* additional time of a pipeline's slowest stage over the mean stage */
  double tp_exposed_s, cp_exposed_s, ep_exposed_s, pp_exposed_s, dp_exposed_s;
  double bubble_s, optimizer_s, offload_exposed_s, other_s;
  /* hidden: not part of the sum */
  double tp_hidden_s, cp_hidden_s, ep_hidden_s, pp_hidden_s, dp_hidden_s, offload_hidden_s;
} SwTime;

void sw_time (const SwProblem *problem, const SwStrategy *strategy,
              const SwLayerMemory *layer_memory, const SwScheduleTime *schedule, SwTime *out);
void sw_time_data_calls (const SwProblem *problem, const SwStrategy *strategy,
                         const SwLayerMemory *layer_memory, const SwScheduleTime *schedule,
                         SwCollectiveLog *log);
void
sw_time_forward (const SwProblem *problem, const SwStrategy *strategy,
                 const SwLayerMemory *layer_memory, const SwScheduleTime *schedule, SwTime *out);
void sw_time_add (SwTime *out, const SwTime *other);
double sw_time_sum (const SwTime *t);
gboolean sw_offload_may_pay (const SwProblem *problem);
double sw_straggler_share (const SwProblem *problem, SwFramework framework);
double sw_straggler_factor (const SwProblem *problem, double share, double gpus);

G_END_DECLS
