/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Level 2 of time: micro-batches through the stages of a pipeline. */
#include "sw-schedule-time.h"

#include "sw-layer-memory.h"

#include <string.h>

/* One micro-batch through one stage; seconds. */
typedef struct {
  double forward_s, backward_s, recompute_s, input_s; /* compute; input_s is part of backward_s */
  double forward_comm_s, backward_comm_s;
  double tp[2], cp[2], ep[2]; /* exposed, hidden */
  double total_s;
  guint layers[SW_N_LAYER_KINDS], index;
} Stage;

/* `beside`: 1 if other micro-batches run at the same time, else 0. */
static void
add_part (Stage *stage, const SwLayerTimePart *part, double beside, double count)
{
  double forward = beside * part->ep_beside_s[0], backward = beside * part->ep_beside_s[1];

  if (count <= 0)
    return;
  stage->forward_s += count * part->forward_s;
  stage->backward_s += count * part->backward_s;
  stage->input_s += count * part->backward_input_s;
  stage->recompute_s += count * part->recompute_s;
  stage->forward_comm_s += count * (part->forward_comm_s - forward);
  stage->backward_comm_s += count * (part->backward_comm_s - backward);
  stage->tp[0] += count * part->tp_exposed_s;
  stage->tp[1] += count * part->tp_hidden_s;
  stage->cp[0] += count * part->cp_exposed_s;
  stage->cp[1] += count * part->cp_hidden_s;
  stage->ep[0] += count * MAX (part->ep_exposed_s - forward - backward, 0);
  stage->ep[1] += count * (part->ep_hidden_s + forward + backward);
}

/**
 * sw_stage_whole_layers:
 * @strategy: how layers are recomputed
 * @layers: of a stage, by kind
 * @out: (out): how many of them are recomputed whole: the first `full_layers`, leading dense ones
 * first
 */
void
sw_stage_whole_layers (const SwStrategy *strategy, const guint layers[SW_N_LAYER_KINDS],
                       guint out[SW_N_LAYER_KINDS])
{
  guint full = strategy->recompute == SW_RECOMPUTE_FULL_LAYERS ? strategy->full_layers : 0;

  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    {
      out[kind] = MIN (full, layers[kind]);
      full -= out[kind];
    }
}

static double
prediction_seconds (const SwProblem *problem, const SwStrategy *strategy, const SwLayerTime *layer)
{
  return layer->mtp_s + (sw_strategy_runs_beside (problem, strategy) ? 0 : layer->mtp_beside_s);
}

static void
add_layers (Stage *stage, const SwProblem *problem, const SwStrategy *strategy,
            const SwLayerTime *layer)
{
  double beside = sw_strategy_runs_beside (problem, strategy) ? 1 : 0;
  guint again[SW_N_LAYER_KINDS];

  sw_stage_whole_layers (strategy, stage->layers, again);
  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    {
      add_part (stage, &layer->full[kind], beside, again[kind]);
      add_part (stage, &layer->part[kind], beside, stage->layers[kind] - again[kind]);
    }
}

static void
stage_init (Stage *stage, const SwProblem *problem, const SwStrategy *strategy,
            const SwLayerTime *layer, const SwSplit *split, guint index)
{
  const gboolean last = index == strategy->pp - 1;
  const double ends_s = (index == 0 ? layer->embedding_s : 0)
                        + (last ? layer->head_s + prediction_seconds (problem, strategy, layer)
                                : 0);

  *stage = (Stage){ .index = index };
  sw_split_kinds (split, &problem->model, index, stage->layers);
  add_layers (stage, problem, strategy, layer);
  /* A third of the head's and the embedding's work is their forward pass. */
  stage->forward_s += ends_s / 3;
  stage->backward_s += ends_s * 2 / 3;
  stage->input_s += ends_s / 3;
  if (last)
    {
      stage->tp[0] += layer->head_tp_exposed_s;
      stage->forward_comm_s += layer->head_tp_exposed_s / 2;
      stage->backward_comm_s += layer->head_tp_exposed_s / 2;
    }
  stage->total_s = stage->forward_s + stage->backward_s + stage->recompute_s + stage->tp[0]
                   + stage->cp[0] + stage->ep[0];
}

/**
 * sw_stage_time:
 * @problem: the question, prepared
 * @strategy: its fields up to level 2 are read
 * @layer: of the same level-1 fields, by sw_layer_time()
 * @stage: from 0
 * @out: filled in
 *
 * The time of one micro-batch on one stage, for charts and checks; sw_schedule_time() compares the
 * sum.
 */
void
sw_stage_time (const SwProblem *problem, const SwStrategy *strategy, const SwLayerTime *layer,
               guint stage, SwStageTime *out)
{
  Stage one = { 0 };
  double head_s = layer->head_s + prediction_seconds (problem, strategy, layer)
                  + layer->head_tp_exposed_s;

  sw_stage_layer_kinds (problem, strategy, stage, one.layers);
  add_layers (&one, problem, strategy, layer);
  out->forward_s = one.forward_s + one.forward_comm_s;
  out->backward_s = one.backward_s + one.recompute_s + one.backward_comm_s;
  out->backward_input_s = out->backward_s - (one.backward_s - one.input_s);
  out->ends_s = (stage == 0 ? layer->embedding_s : 0) + (stage == strategy->pp - 1 ? head_s : 0);
}

static void
take_slower (Stage *slowest, const Stage *stage)
{
  if (stage->total_s > slowest->total_s)
    *slowest = *stage;
}

/* Stages have at most two lengths, each in a row, and dense layers come first: all stages between
 * two borders are identical. */
static double
find_slowest_even (const SwProblem *problem, const SwStrategy *strategy, const SwLayerTime *layer,
                   const SwSplit *split, Stage *slowest)
{
  const SwMoe *moe = &problem->model.moe;
  const guint between = split->pp - 1;
  const guint length = split->longer_first ? 1 + split->longer : between - split->longer;
  const guint kind = moe->experts > 0 ? sw_split_stage_of (split, moe->first_dense_layers) : 0;
  const guint borders[] = { length, kind, kind + 1 };
  double sum_s = 0;

  for (guint start = 1, end; start < between; start = end)
    {
      Stage stage;

      end = between;
      for (guint i = 0; i < G_N_ELEMENTS (borders); i++)
        if (borders[i] > start)
          end = MIN (end, borders[i]);
      stage_init (&stage, problem, strategy, layer, split, start);
      take_slower (slowest, &stage);
      sum_s += (end - start) * stage.total_s;
    }
  return sum_s;
}

/* Checks every stage; few differ. */
static double
find_slowest_uneven (const SwProblem *problem, const SwStrategy *strategy, const SwLayerTime *layer,
                     const SwSplit *split, Stage *slowest)
{
  Stage known[4] = { 0 };
  double sum_s = 0;
  guint n = 0;

  for (guint i = 1; i + 1 < strategy->pp; i++)
    {
      guint layers[SW_N_LAYER_KINDS], at = 0;

      sw_split_kinds (split, &problem->model, i, layers);
      while (at < G_N_ELEMENTS (known) && memcmp (known[at].layers, layers, sizeof layers) != 0)
        at++;
      if (at == G_N_ELEMENTS (known))
        {
          at = n++ % G_N_ELEMENTS (known);
          stage_init (&known[at], problem, strategy, layer, split, i);
          take_slower (slowest, &known[at]);
        }
      sum_s += known[at].total_s;
    }
  return sum_s;
}

/* The slowest stage; `sum_s` is the sum of all stages' times. */
static void
find_slowest (const SwProblem *problem, const SwStrategy *strategy, const SwLayerTime *layer,
              const SwSplit *split, Stage *slowest, double *sum_s)
{
  const SwMoe *moe = &problem->model.moe;
  Stage last;

  stage_init (slowest, problem, strategy, layer, split, 0);
  *sum_s = slowest->total_s;
  /* With experts only in every nth layer, or a split by cost, all stages may differ. */
  if (strategy->pp > 2)
    *sum_s += split->share <= 0 && (moe->experts == 0 || moe->layer_frequency <= 1)
                  ? find_slowest_even (problem, strategy, layer, split, slowest)
                  : find_slowest_uneven (problem, strategy, layer, split, slowest);
  if (strategy->pp < 2)
    return;
  stage_init (&last, problem, strategy, layer, split, strategy->pp - 1);
  take_slower (slowest, &last);
  *sum_s += last.total_s;
}

/**
 * sw_schedule_filled:
 * @pp: stages
 * @micro_batches: per step
 *
 * ZB-H1 places weight gradients where 1F1B waits (Qi et al. 2023, section 2.2): p - 1 while the
 * pipeline drains, and before that one fewer than the micro-batches in flight, at most p. The event
 * simulation finds the same for uniform stages of any pass lengths.
 *
 * Returns: number of weight-gradient passes of one stage by which the step is shorter
 */
double
sw_schedule_filled (guint pp, guint micro_batches)
{
  return pp - 1.0 + (MAX (MIN (pp, micro_batches), 1) - 1.0);
}

/* Filling and draining the pipeline. 1F1B and GPipe: every other stage once; interleaved: one of v
 * chunks (Narayanan et al. 2021, section 2.2); ZB-H1: weight gradients fill a part (Qi et al. 2023,
 * table 1). */
static double
bubble_seconds (const SwStrategy *strategy, const Stage *slowest, double sum_s, guint micro_batches)
{
  double fill = MAX (sum_s - slowest->total_s, 0);
  double weight = slowest->backward_s - slowest->input_s, filled;

  switch ((SwSchedule) strategy->schedule)
    {
    case SW_SCHEDULE_INTERLEAVED: return fill / MAX (strategy->vpp, 1);
    case SW_SCHEDULE_ZERO_BUBBLE:
      filled = sw_schedule_filled (strategy->pp, micro_batches) / (strategy->pp - 1.0) * weight;
      return slowest->total_s > 0 ? fill * MAX (1 - filled / slowest->total_s, 0) : 0;
    case SW_SCHEDULE_GPIPE:
    case SW_SCHEDULE_1F1B:
    default: return fill;
    }
}

/* Number of borders between stages of `stride` GPUs each where some GPU and its peer are in
 * different blocks of `within` GPUs. */
static guint
crossing_borders (guint stages, guint stride, guint within)
{
  guint n = 0;

  if (stride >= within)
    return stages - 1;
  if (within % stride == 0)
    return (stages * stride - 1) / within;
  for (guint i = 0; i + 1 < stages; i++)
    n += ((i + 2) * stride - 1) / within > i * stride / within ? 1 : 0;
  return n;
}

/**
 * sw_schedule_blocked_share:
 * @problem: the question, prepared
 * @strategy: its fields up to level 2 are read
 *
 * Interleaved schedules with more chunks can send while they work; the others wait for both
 * transfers of every micro-batch.
 *
 * Returns: the share of a transfer that a rank waits for in a steady pipeline
 */
double
sw_schedule_blocked_share (const SwProblem *problem, const SwStrategy *strategy)
{
  gboolean interleaved = strategy->schedule == SW_SCHEDULE_INTERLEAVED && strategy->vpp > 1;

  return interleaved && problem->training.overlap != SW_OVERLAP_NONE
             ? sw_problem_profile (problem, strategy->framework)->pp_exposed
             : 1;
}

/**
 * sw_schedule_point_to_point:
 * @problem: the question, prepared
 * @strategy: its fields up to level 2 are read; more than one stage
 * @layer: of the same level-1 fields, by sw_layer_time()
 * @micro_batches: of a step
 * @steady: (out): the transfers of all micro-batches
 * @fill: (out): waiting for the transfers of other stages while the pipeline fills and drains; one
 * unit, without bytes
 *
 * Activations pass forward and their gradients backward at every (virtual) stage's border. Stages
 * run in lockstep, so the slowest border, between nodes if any is, sets the pace of a steady
 * pipeline; filling and draining cross every border once in each direction.
 */
void
sw_schedule_point_to_point (const SwProblem *problem, const SwStrategy *strategy,
                            const SwLayerTime *layer, guint micro_batches, SwCollectiveCall *steady,
                            SwCollectiveCall *fill)
{
  const SwCluster *cluster = &problem->cluster;
  guint stride = strategy->tp * strategy->cp * strategy->dp, borders = strategy->pp - 1;
  guint domain = MAX (cluster->nvlink_domain, 1);
  guint crossing = crossing_borders (strategy->pp, stride, domain);
  SwGroup pair = { 2, stride }, near = { 2, 1 };
  double bytes = layer->p2p_bytes, near_s = 0, all_borders_s, late_s, all_s;
  double share = sw_schedule_blocked_share (problem, strategy);
  gboolean interleaved = strategy->schedule == SW_SCHEDULE_INTERLEAVED && strategy->vpp > 1;

  /* The distance of the farthest neighboring stages: beyond the scale-up domain or the pod if any
   * border is. */
  if (crossing > 0)
    pair.stride = MAX (stride, domain);
  if (cluster->pod_gpus > 0 && crossing_borders (strategy->pp, stride, cluster->pod_gpus) > 0)
    pair.stride = MAX (pair.stride, cluster->pod_gpus);
  *steady = (SwCollectiveCall){
    SW_COLLECTIVE_P2P,
    pair,
    bytes,
    1,
    .sent = 1,
    .network = (double) crossing / borders,
    .units = { 2.0 * micro_batches * (interleaved ? strategy->vpp : 1), 0 },
    .exposed_share = { share, 1 },
    .seconds = sw_collective_seconds (problem, SW_COLLECTIVE_P2P, pair, bytes, 1)
  };
  if (crossing < borders)
    near_s = sw_collective_seconds (problem, SW_COLLECTIVE_P2P, near, bytes, 1);
  all_borders_s = crossing * steady->seconds + (borders - crossing) * near_s;
  *fill = (SwCollectiveCall){ SW_COLLECTIVE_P2P, pair, .units = { 0, 1 },
                              .exposed_share = { share, 1 }, .seconds = 2 * all_borders_s };
  if (!interleaved)
    return;
  /* In addition, for all transfers of a step: while an interleaved pipeline fills, a rank starts
   * its next chunk when the first micro-batch has passed all stages and returned to the first, with
   * only one pass per stage to do meanwhile; and the same while it drains. The last and the first
   * stage are as far apart as any two. The event simulation finds exactly this for uniform
   * stages. */
  late_s = MAX (all_borders_s + steady->seconds - strategy->pp * share * steady->seconds, 0)
           * (strategy->vpp - 1.0);
  all_s = (double) micro_batches * strategy->vpp * steady->seconds;
  if (all_s > 0)
    steady->exposed_share[0] += MIN (late_s / all_s, 1 - share);
}

/**
 * sw_schedule_time:
 * @problem: the question, prepared
 * @strategy: its fields up to level 2 are read
 * @layer: of the same level-1 fields, by sw_layer_time()
 * @out: filled in
 *
 * The slowest stage runs all micro-batches without a pause. Its additional time over the mean stage
 * is recorded separately; filling and draining the other stages is the bubble.
 */
void
sw_schedule_time (const SwProblem *problem, const SwStrategy *strategy, const SwLayerTime *layer,
                  SwScheduleTime *out)
{
  double m = MAX (sw_strategy_micro_batches (problem, strategy), 1), sum_s, passes = 1;
  double steady_s, layers, full, kept, seconds, all, beside;
  SwCollectiveCall call, fill;
  SwLayerMemory memory;
  Stage slowest;

  *out = (SwScheduleTime){ .micro_batches = m };
  sw_split (problem, strategy, &out->split);
  find_slowest (problem, strategy, layer, &out->split, &slowest, &sum_s);
  out->compute_s = m * (slowest.forward_s + slowest.backward_s + slowest.recompute_s);
  out->recompute_s = m * slowest.recompute_s;
  /* Embedding, head and layers that do not divide evenly among the stages. */
  out->uneven_s = CLAMP (m * (slowest.total_s - sum_s / strategy->pp), 0,
                         out->compute_s - out->recompute_s);
  out->compute_s -= out->uneven_s;
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
  out->stage = slowest.index;
  out->bubble_s = strategy->pp > 1 ? bubble_seconds (strategy, &slowest, sum_s, out->micro_batches)
                                   : 0;
  if (strategy->pp > 1)
    {
      sw_schedule_point_to_point (problem, strategy, layer, out->micro_batches, &call, &fill);
      steady_s = call.units[0] * call.seconds;
      out->pp_exposed_s = steady_s * call.exposed_share[0] + fill.seconds;
      out->pp_hidden_s = steady_s * (1 - call.exposed_share[0]);
    }
  /* Windows that can hide data-parallel communication: the warm-up's forward passes and the
   * cool-down's backward passes. An interleaved pipeline finishes each chunk early; otherwise only
   * one micro-batch remains. */
  if (strategy->schedule == SW_SCHEDULE_INTERLEAVED && strategy->vpp > 1)
    passes = MAX (MIN (strategy->pp, out->micro_batches) * (1 - 1.0 / strategy->vpp), 1);
  out->first_backward_s = passes * out->forward_s;
  out->last_backward_s = passes * out->backward_s;
  if (strategy->offload != SW_OFFLOAD_ACTIVATIONS)
    return;
  /* Offloaded activations move to the host during forward passes and return during backward passes.
   * In a pipeline, passes of different micro-batches alternate, so both directions of the link are
   * busy during all of the work and share the host's memory; without a pipeline, each direction
   * only overlaps its own pass. */
  sw_layer_memory (problem, strategy, &memory);
  layers = slowest.layers[SW_LAYER_DENSE] + slowest.layers[SW_LAYER_MOE];
  full = strategy->recompute == SW_RECOMPUTE_FULL          ? layers
         : strategy->recompute == SW_RECOMPUTE_FULL_LAYERS ? MIN (strategy->full_layers, layers)
                                                           : 0;
  kept = slowest.layers[SW_LAYER_DENSE] * memory.activation_bytes[SW_LAYER_DENSE]
         + slowest.layers[SW_LAYER_MOE] * memory.activation_bytes[SW_LAYER_MOE];
  kept = full * memory.activation_full_bytes + (layers > 0 ? kept * (1 - full / layers) : 0);
  seconds = kept / sw_host_link_bytes_per_s (problem, strategy->pp > 1);
  if (problem->training.offload_layers > 0)
    seconds *= MIN (problem->training.offload_layers / MAX (layers, 1), 1);
  all = strategy->pp > 1 ? seconds : 2 * seconds;
  if (problem->training.overlap == SW_OVERLAP_NONE)
    beside = 0;
  else if (strategy->pp > 1)
    beside = MIN (seconds, slowest.total_s);
  else
    beside = MIN (seconds, out->forward_s) + MIN (seconds, out->backward_s);
  out->offload_hidden_s = out->micro_batches * beside;
  out->offload_exposed_s = out->micro_batches * (all - beside);
}

/**
 * sw_schedule_time_sum:
 * @t: level 2 of a step
 *
 * Returns: its part of the step; data-parallel communication, the optimizer and the rest are not
 * included
 */
double
sw_schedule_time_sum (const SwScheduleTime *t)
{
  return t->compute_s + t->uneven_s + t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s
         + t->pp_exposed_s + t->bubble_s + t->offload_exposed_s;
}
