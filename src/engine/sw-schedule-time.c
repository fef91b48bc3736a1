/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Level 2 of time: micro-batches through the stages of a pipeline. */
#include "sw-collective.h"
#include "sw-compute.h"
#include "sw-cost.h"

/* One micro-batch through one stage; seconds. */
typedef struct
{
  double forward_s, backward_s, recompute_s, input_s; /* compute; input_s of backward_s */
  double forward_comm_s, backward_comm_s;
  double tp[2], cp[2], ep[2]; /* exposed, hidden */
  double total_s;
  guint layers[SW_N_LAYER_KINDS];
} Stage;

static void
add_part (Stage *stage, const SwLayerTimePart *part, double count)
{
  if (count <= 0)
    return;
  stage->forward_s += count * part->forward_s;
  stage->backward_s += count * part->backward_s;
  stage->input_s += count * part->backward_input_s;
  stage->recompute_s += count * part->recompute_s;
  stage->forward_comm_s += count * part->forward_comm_s;
  stage->backward_comm_s += count * part->backward_comm_s;
  stage->tp[0] += count * part->tp_exposed_s;
  stage->tp[1] += count * part->tp_hidden_s;
  stage->cp[0] += count * part->cp_exposed_s;
  stage->cp[1] += count * part->cp_hidden_s;
  stage->ep[0] += count * part->ep_exposed_s;
  stage->ep[1] += count * part->ep_hidden_s;
}

static void
finish_stage (Stage *stage)
{
  stage->total_s = stage->forward_s + stage->backward_s + stage->recompute_s + stage->tp[0]
                   + stage->cp[0] + stage->ep[0];
}

/* A third of the head's and the embedding's work is their forward pass. */
static void
add_ends (Stage *stage, const SwLayerTime *layer, gboolean first, gboolean last)
{
  double seconds = (first ? layer->embedding_s : 0) + (last ? layer->head_s + layer->mtp_s : 0);

  stage->forward_s += seconds / 3;
  stage->backward_s += seconds * 2 / 3;
  stage->input_s += seconds / 3;
  if (!last)
    return;
  stage->tp[0] += layer->head_tp_exposed_s;
  stage->forward_comm_s += layer->head_tp_exposed_s / 2;
  stage->backward_comm_s += layer->head_tp_exposed_s / 2;
}

/* The first `full_layers` layers of a stage run again whole: its leading dense ones first. */
static void
add_layers (Stage *stage, const SwStrategy *strategy, const SwLayerTime *layer)
{
  guint full = strategy->recompute == SW_RECOMPUTE_FULL_LAYERS ? strategy->full_layers : 0;

  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    {
      guint again = MIN (full, stage->layers[kind]);

      add_part (stage, &layer->full[kind], again);
      add_part (stage, &layer->part[kind], stage->layers[kind] - again);
      full -= again;
    }
}

static void
stage_init (Stage *stage,
            const SwProblem *problem,
            const SwStrategy *strategy,
            const SwLayerTime *layer,
            guint index)
{
  *stage = (Stage){ 0 };
  sw_stage_layer_kinds (problem, strategy, index, stage->layers);
  add_layers (stage, strategy, layer);
  add_ends (stage, layer, index == 0, index == strategy->pp - 1);
  finish_stage (stage);
}

/**
 * sw_stage_time:
 * @problem: the question, prepared
 * @strategy: its fields up to level 2 are read
 * @layer: of the same level-1 fields, by sw_layer_time()
 * @stage: from 0
 * @out: filled in
 *
 * What one micro-batch takes on one stage, for charts and checks; the sum is what
 * sw_schedule_time() compares.
 */
void
sw_stage_time (const SwProblem *problem,
               const SwStrategy *strategy,
               const SwLayerTime *layer,
               guint stage,
               SwStageTime *out)
{
  Stage one = { 0 };
  double head_s = layer->head_s + layer->mtp_s + layer->head_tp_exposed_s;

  sw_stage_layer_kinds (problem, strategy, stage, one.layers);
  add_layers (&one, strategy, layer);
  out->forward_s = one.forward_s + one.forward_comm_s;
  out->backward_s = one.backward_s + one.recompute_s + one.backward_comm_s;
  out->backward_input_s = out->backward_s - (one.backward_s - one.input_s);
  out->ends_s = (stage == 0 ? layer->embedding_s : 0) + (stage == strategy->pp - 1 ? head_s : 0);
}

/* The slowest stage; the sum of all stages' times goes to `sum_s`. The stages between the first and
 * the last differ by at most one layer of a kind; the longer ones stand before the last
 * (sw_stage_layers()), so that the last but one is one of them if there are any. The second and the
 * middle one stand for the others. */
static void
find_slowest (const SwProblem *problem,
              const SwStrategy *strategy,
              const SwLayerTime *layer,
              Stage *slowest,
              double *sum_s)
{
  guint pp = strategy->pp, longer = problem->model.layers % pp, previous = 0;
  guint candidates[4] = { 1, pp / 2, pp > 2 ? pp - 2 : 0, pp - 1 };
  double short_s = 0, long_s = 0;
  Stage stage;

  stage_init (slowest, problem, strategy, layer, 0);
  *sum_s = slowest->total_s;
  for (guint i = 0; i < G_N_ELEMENTS (candidates); i++)
    {
      if (candidates[i] <= previous || candidates[i] >= pp)
        continue;
      previous = candidates[i];
      stage_init (&stage, problem, strategy, layer, candidates[i]);
      if (stage.total_s > slowest->total_s)
        *slowest = stage;
      if (candidates[i] == pp - 1)
        *sum_s += stage.total_s;
      else if (candidates[i] == 1 || candidates[i] + longer + 1 < pp)
        short_s = long_s = stage.total_s;
      else
        long_s = stage.total_s;
    }
  if (pp > 2)
    *sum_s += (pp - 2 - MIN (longer, pp - 2)) * short_s + MIN (longer, pp - 2) * long_s;
}

/* Filling and draining the pipeline. 1F1B and GPipe: every other stage once; interleaved: one of v
 * chunks (Narayanan et al. 2021, section 2.2); ZB-H1: weight gradients fill part of it (Qi et al.
 * 2023, table 1). */
static double
bubble_seconds (const SwStrategy *strategy, const Stage *slowest, double sum_s)
{
  double fill = MAX (sum_s - slowest->total_s, 0);
  double weight = slowest->backward_s - slowest->input_s;

  switch ((SwSchedule)strategy->schedule)
    {
    case SW_SCHEDULE_INTERLEAVED:
      return fill / MAX (strategy->vpp, 1);
    case SW_SCHEDULE_ZERO_BUBBLE:
      return slowest->total_s > 0 ? fill * MAX (1 - 2 * weight / slowest->total_s, 0) : 0;
    case SW_SCHEDULE_GPIPE:
    case SW_SCHEDULE_1F1B:
    default:
      return fill;
    }
}

/* Activations pass forward and their gradients backward at every (virtual) stage's border.
 * Interleaved schedules with more chunks have time to send beside the work; the others wait at both
 * transfers of every micro-batch. */
static void
add_point_to_point (const SwProblem *problem,
                    const SwStrategy *strategy,
                    const SwLayerTime *layer,
                    SwScheduleTime *out)
{
  SwGroup pair = { 2, strategy->tp * strategy->cp * strategy->dp };
  gboolean interleaved = strategy->schedule == SW_SCHEDULE_INTERLEAVED && strategy->vpp > 1;
  const SwProfile *profile = sw_calibration_profile (problem->calibration, strategy->framework,
                                                     problem->training.software_year);
  double share =
      interleaved && problem->training.overlap != SW_OVERLAP_NONE ? profile->pp_exposed : 1;
  double one, steady, fill;

  if (strategy->pp < 2)
    return;
  one = sw_collective_seconds (problem, SW_COLLECTIVE_P2P, pair, layer->p2p_bytes, 1);
  steady = 2.0 * out->micro_batches * (interleaved ? strategy->vpp : 1) * one;
  fill = 2.0 * (strategy->pp - 1) * one;
  out->pp_exposed_s = steady * share + fill;
  out->pp_hidden_s = steady * (1 - share);
}

/* Windows beside which data-parallel communication can run: the warm-up's forward passes and the
 * cool-down's backward passes. A pipeline that interleaves finishes each chunk early; without, only
 * one micro-batch remains. */
static void
set_windows (const SwStrategy *strategy, SwScheduleTime *out)
{
  double passes = 1;

  if (strategy->schedule == SW_SCHEDULE_INTERLEAVED && strategy->vpp > 1)
    passes = MAX (MIN (strategy->pp, out->micro_batches) * (1 - 1.0 / strategy->vpp), 1);
  out->first_backward_s = passes * out->forward_s;
  out->last_backward_s = passes * out->backward_s;
}

/* Offloaded activations go to the host and back over the host's link, beside the work where there
 * is enough of it. */
static void
add_activation_offload (const SwProblem *problem,
                        const SwStrategy *strategy,
                        const Stage *slowest,
                        SwScheduleTime *out)
{
  SwLayerMemory memory;
  double bytes, transfer;

  if (strategy->offload != SW_OFFLOAD_ACTIVATIONS)
    return;
  sw_layer_memory (problem, strategy, &memory);
  bytes = slowest->layers[SW_LAYER_DENSE] * memory.activation_bytes[SW_LAYER_DENSE]
          + slowest->layers[SW_LAYER_MOE] * memory.activation_bytes[SW_LAYER_MOE];
  transfer = 2 * bytes / sw_host_link_bytes_per_s (problem) - slowest->total_s;
  out->offload_exposed_s = out->micro_batches * MAX (transfer, 0);
}

/**
 * sw_schedule_time:
 * @problem: the question, prepared
 * @strategy: its fields up to level 2 are read
 * @layer: of the same level-1 fields, by sw_layer_time()
 * @out: filled in
 *
 * The slowest stage runs all micro-batches without a pause; filling and draining the others is the
 * bubble.
 */
void
sw_schedule_time (const SwProblem *problem,
                  const SwStrategy *strategy,
                  const SwLayerTime *layer,
                  SwScheduleTime *out)
{
  double m = MAX (sw_strategy_micro_batches (problem, strategy), 1), sum_s;
  Stage slowest;

  *out = (SwScheduleTime){ .micro_batches = m };
  find_slowest (problem, strategy, layer, &slowest, &sum_s);
  out->compute_s = m * (slowest.forward_s + slowest.backward_s + slowest.recompute_s);
  out->recompute_s = m * slowest.recompute_s;
  out->tp_exposed_s = m * slowest.tp[0];
  out->tp_hidden_s = m * slowest.tp[1];
  out->cp_exposed_s = m * slowest.cp[0];
  out->cp_hidden_s = m * slowest.cp[1];
  out->ep_exposed_s = m * slowest.ep[0];
  out->ep_hidden_s = m * slowest.ep[1];
  out->forward_s = slowest.forward_s + slowest.forward_comm_s;
  out->backward_s = slowest.backward_s + slowest.recompute_s + slowest.backward_comm_s;
  out->stage_layers[SW_LAYER_DENSE] = slowest.layers[SW_LAYER_DENSE];
  out->stage_layers[SW_LAYER_MOE] = slowest.layers[SW_LAYER_MOE];
  out->bubble_s = strategy->pp > 1 ? bubble_seconds (strategy, &slowest, sum_s) : 0;
  add_point_to_point (problem, strategy, layer, out);
  set_windows (strategy, out);
  add_activation_offload (problem, strategy, &slowest, out);
}
