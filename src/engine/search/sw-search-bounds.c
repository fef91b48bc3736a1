/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a step takes at least, from what is known of a strategy so far. */
#include "sw-search-private.h"

#include <math.h>
#include <string.h>

static double
part_s (const SwLayerTimePart *part)
{
  return part->forward_s + part->backward_s + part->recompute_s + part->tp_exposed_s
         + part->cp_exposed_s + part->ep_exposed_s - part->ep_beside_s[0] - part->ep_beside_s[1];
}

/* No more than log2() of a number from 1 on, and at most 0.09 less: straight lines between the
 * powers of two, which the bits of a double are already. Bounds are asked for too often for log2().
 */
static double
log2_at_least (double number)
{
  const double one = 1.0, bit = 1.0 / (1ll << 52);
  gint64 bits, bits_of_one;

  memcpy (&bits, &number, sizeof bits);
  memcpy (&bits_of_one, &one, sizeof bits_of_one);
  return (double) (bits - bits_of_one) * bit;
}

/* What a step takes at least whose parts so far add up to `seconds`: the fixed time comes on top,
 * and stragglers (sw_straggler_factor()) hold up all of it. */
double
sw_search_bound_s (const SwSearch *search, double seconds, const SwStrategy *strategy)
{
  const double nodes = (double) strategy->tp * strategy->cp * strategy->pp * strategy->dp
                       / search->problem->cluster.gpus_per_node;
  const double factor = nodes > 1.0 ? 1.0 + search->straggler_share * log2_at_least (nodes) : 1.0;

  return (seconds + search->problem->calibration->fixed_s) * factor;
}

/* What zero-bubble schedules cannot fill: they have the weights' gradients for it, twice (Qi et al.
 * 2023, table 1), which are the greatest share of a stage's time where one kind of layers is all of
 * it. A third of the ends is theirs. */
static double
fill_of_split (const SwLayerTime *time)
{
  double share = 1.0 / 3.0;

  for (guint i = 0; i < SW_N_LAYER_KINDS; i++)
    {
      const SwLayerTimePart *part = &time->part[i];

      if (part_s (part) > 0.0)
        share = MAX (share, (part->backward_s - part->backward_input_s) / part_s (part));
    }
  return MAX (1.0 - 2.0 * share, 0.0);
}

/* What one micro-batch takes, from the times of the layers. What experts exchange runs beside other
 * micro-batches only where there are further stages. */
void
sw_point_take_layers (const SwProblem *problem, SwPoint *point)
{
  for (guint i = 0; i < SW_N_LAYER_KINDS; i++)
    {
      const SwLayerTimePart *part = &point->layer_time.part[i];

      point->beside_s[i] = part_s (part);
      point->alone_s[i] = point->beside_s[i] + part->ep_beside_s[0] + part->ep_beside_s[1];
    }
  point->micro_batch_s = sw_point_layers_s (problem, &point->layer_time);
  point->split_fill = fill_of_split (&point->layer_time);
}

static double
stage_layers_s (const double layer_s[SW_N_LAYER_KINDS], const guint layers[SW_N_LAYER_KINDS])
{
  return layers[SW_LAYER_DENSE] * layer_s[SW_LAYER_DENSE]
         + layers[SW_LAYER_MOE] * layer_s[SW_LAYER_MOE];
}

/* One micro-batch on the slowest stage: no faster than the mean, nor than a stage with its share of
 * one kind of layers, rounded up, nor than the first and the last, which have the ends. `stages` is
 * an index in SwSpace.stages. */
double
sw_point_stage_s (const SwSearch *search, const SwPoint *point, guint stages)
{
  const guint pp = g_array_index (search->space->stages, SwListed, stages).value;
  const SwStageEnds *ends = &g_array_index (search->space->ends, SwStageEnds, stages);
  const SwLayerTime *time = &point->layer_time;
  const double head_s = time->head_s + time->head_tp_exposed_s + time->mtp_s;
  double first_s, last_s, most_s;

  if (pp == 1)
    return stage_layers_s (point->alone_s, ends->first) + time->embedding_s + head_s;
  first_s = stage_layers_s (point->beside_s, ends->first) + time->embedding_s;
  last_s = stage_layers_s (point->beside_s, ends->last) + head_s;
  most_s = MAX (ends->most[SW_LAYER_DENSE] * point->beside_s[SW_LAYER_DENSE],
                ends->most[SW_LAYER_MOE] * point->beside_s[SW_LAYER_MOE]);
  return MAX (MAX (first_s, last_s), MAX (point->micro_batch_s / pp, most_s));
}

/* The slowest stage's own work in a step: a lower bound. */
double
sw_point_work_s (const SwSearch *search, const SwPoint *point)
{
  return (double) search->problem->training.global_batch
         / ((double) point->strategy.dp * point->strategy.micro_batch) * point->stage_s;
}

/* Seconds that a step takes at least: the slowest stage runs all micro-batches, and filling the
 * others takes `fill` of one micro-batch through them: 1 under 1F1B and GPipe, 1 / v interleaved,
 * perhaps nothing under zero-bubble. */
double
sw_point_bound_s (const SwSearch *search, const SwPoint *point, double fill)
{
  return sw_search_bound_s (search,
                            sw_point_work_s (search, point)
                                + fill * MAX (point->micro_batch_s - point->stage_s, 0.0),
                            &point->strategy);
}

/* The share of a plain pipeline's bubble that @schedule leaves. */
double
sw_point_fill (const SwPoint *point, guint schedule, guint vpp)
{
  return schedule == SW_SCHEDULE_ZERO_BUBBLE ? point->split_fill : 1.0 / vpp;
}

/* The least that any schedule of the framework leaves. */
double
sw_point_least_fill (const SwSearch *search, const SwPoint *point, const SwListed *stages)
{
  const guint mask = search->space->rules->schedule_mask;
  const guint *chunks = &g_array_index (search->space->lists, guint, stages->first);
  double fill = 1.0;

  if ((mask & 1u << SW_SCHEDULE_ZERO_BUBBLE) != 0)
    fill = point->split_fill;
  if ((mask & 1u << SW_SCHEDULE_INTERLEAVED) != 0 && stages->n > 0)
    fill = MIN (fill, 1.0 / chunks[stages->n - 1]);
  return fill;
}

/* One micro-batch through all layers and both ends, in seconds, alone on one stage. */
double
sw_point_layers_s (const SwProblem *problem, const SwLayerTime *time)
{
  const guint moe = sw_model_moe_layers (&problem->model);
  const guint dense = problem->model.layers - moe;

  return (dense > 0 ? dense * part_s (&time->part[SW_LAYER_DENSE]) : 0.0)
         + (moe > 0 ? moe * part_s (&time->part[SW_LAYER_MOE]) : 0.0) + time->embedding_s
         + time->head_s + time->head_tp_exposed_s + time->mtp_s;
}

/* One micro-batch through everything in the other passes of a step: scoring, and with PPO the
 * critic's training. */
double
sw_point_others_s (const SwSearch *search, const SwPoint *point)
{
  /* The reward model runs beside the critic. */
  static const guint times[SW_N_RLHF_PASSES] = {
    [SW_RLHF_POLICY_FORWARD] = 1, [SW_RLHF_CRITIC_FORWARD] = 2, [SW_RLHF_CRITIC_TRAINING] = 1
  };
  const gboolean ppo = search->problem->training.rlhf_ppo;
  double seconds = 0.0;

  for (guint kind = 0; search->memo != NULL && kind < SW_N_RLHF_PASSES; kind++)
    if (times[kind] > 0 && (ppo || kind == SW_RLHF_POLICY_FORWARD))
      {
        const SwProblem *model;
        const SwLayerTime *layer = sw_rlhf_pass_layer (search->memo, (SwRlhfPassKind) kind,
                                                       &point->strategy, &model);

        seconds += times[kind] * sw_point_layers_s (model, layer);
      }
  return seconds;
}

/* What generation by the GPUs that are left to it, scoring and the critic take beyond the floor
 * that every bound counts already. */
double
sw_point_phases_s (const SwSearch *search, const SwPoint *point)
{
  const SwStrategy *s = &point->strategy;
  double generation_s, others_s;

  if (search->generation == NULL)
    return 0.0;
  generation_s = sw_generation_floor_s (search->generation,
                                        sw_rlhf_generating_gpus (search->problem, s));
  others_s = point->others_s / s->pp * search->problem->training.global_batch
             / ((double) s->dp * s->micro_batch);
  return MAX (generation_s + others_s - search->floor_s, 0.0);
}

/* Whether a step takes too long however the GPUs are split between generation and all else, of
 * which one micro-batch takes `micro_batch_s` through everything. */
gboolean
sw_point_split_is_over (SwSearch *search, const SwPoint *point, double micro_batch_s)
{
  const SwStrategy *s = &point->strategy;
  const double micro_batches = (double) search->problem->training.global_batch / s->micro_batch;

  if (search->generation == NULL || search->problem->training.rlhf_colocated
      || search->limit_s == INFINITY)
    return FALSE;
  return sw_search_is_over (
      search,
      sw_generation_split_s (search->generation, micro_batch_s * micro_batches * s->tp * s->cp)
          - search->floor_s);
}
