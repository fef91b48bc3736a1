/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What adds up the parts of a step, and what many nodes add to it. */
#include "sw-cost.h"

#include <math.h>

/**
 * sw_time_sum:
 * @t: parts of a step
 *
 * Returns: the step, their exact sum
 */
double
sw_time_sum (const SwTime *t)
{
  return t->compute_s + t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s + t->pp_exposed_s
         + t->dp_exposed_s + t->bubble_s + t->optimizer_s + t->offload_exposed_s + t->other_s;
}

/**
 * sw_schedule_time_sum:
 * @t: level 2 of a step
 *
 * Returns: what a step takes of it; data-parallel communication, the optimizer and the rest come on
 * top
 */
double
sw_schedule_time_sum (const SwScheduleTime *t)
{
  return t->compute_s + t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s + t->pp_exposed_s
         + t->bubble_s + t->offload_exposed_s;
}

/**
 * sw_time_add:
 * @out: (inout): a time
 * @other: what is done after it, added part by part
 */
void
sw_time_add (SwTime *out, const SwTime *other)
{
  out->compute_s += other->compute_s;
  out->recompute_s += other->recompute_s;
  out->tp_exposed_s += other->tp_exposed_s;
  out->cp_exposed_s += other->cp_exposed_s;
  out->ep_exposed_s += other->ep_exposed_s;
  out->pp_exposed_s += other->pp_exposed_s;
  out->dp_exposed_s += other->dp_exposed_s;
  out->bubble_s += other->bubble_s;
  out->optimizer_s += other->optimizer_s;
  out->offload_exposed_s += other->offload_exposed_s;
  out->other_s += other->other_s;
  out->tp_hidden_s += other->tp_hidden_s;
  out->cp_hidden_s += other->cp_hidden_s;
  out->ep_hidden_s += other->ep_hidden_s;
  out->pp_hidden_s += other->pp_hidden_s;
  out->dp_hidden_s += other->dp_hidden_s;
  out->offload_hidden_s += other->offload_hidden_s;
  out->step_s = sw_time_sum (out);
}

/**
 * sw_straggler_share:
 * @problem: the question
 * @framework: a software profile
 *
 * Returns: the share of a step that is added for every doubling of the nodes
 */
double
sw_straggler_share (const SwProblem *problem, SwFramework framework)
{
  return sw_problem_profile (problem, framework)->straggler_per_doubling;
}

/**
 * sw_straggler_factor:
 * @problem: the question
 * @share: of sw_straggler_share()
 * @gpus: that the job uses
 *
 * The slowest of many nodes sets the pace: a share for every doubling of them.
 *
 * Returns: what a step takes over that of a machine without stragglers; at least 1
 */
double
sw_straggler_factor (const SwProblem *problem, double share, double gpus)
{
  double nodes = gpus / MAX (problem->cluster.gpus_per_node, 1);

  return nodes > 1 ? 1 + share * log2 (nodes) : 1;
}
