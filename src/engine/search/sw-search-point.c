/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One strategy of the search: a lower bound of its step time from the dimensions known so far, then
 * memory, then time, each computed once. */
#include "sw-search-point.h"

#include <math.h>
#include <string.h>

/* Lower bound of log2() for numbers from 1, at most 0.09 too low: straight lines between the powers
 * of two, which the bits of a double already are. log2() is too slow for the number of bounds. */
static double
log2_at_least (double number)
{
  const double one = 1.0, bit = 1.0 / (1ll << 52);
  gint64 bits, bits_of_one;

  memcpy (&bits, &number, sizeof bits);
  memcpy (&bits_of_one, &one, sizeof bits_of_one);
  return (double) (bits - bits_of_one) * bit;
}

/* Lower bound of a step whose known parts add up to `seconds`: adds the fixed time, and multiplies
 * by the stragglers, which delay all of it (sw_straggler_factor()). */
double
sw_search_bound_s (const SwSearch *search, double seconds, const SwStrategy *strategy)
{
  const double nodes = (double) strategy->tp * strategy->cp * strategy->pp * strategy->dp
                       / search->problem->cluster.gpus_per_node;
  const double factor = nodes > 1.0 ? 1.0 + search->straggler_share * log2_at_least (nodes) : 1.0;

  return (seconds + search->problem->calibration->fixed_s) * factor;
}

/* Lower bound of one micro-batch from the times of the layers. It assumes that expert communication
 * overlaps with other micro-batches wherever possible. */
void
sw_point_take_layers (const SwProblem *problem, SwPoint *point)
{
  /* The share that zero-bubble schedules cannot fill: they have the weights' gradients for it,
   * twice (Qi et al. 2023, table 1), whose share of a stage's time is largest if the stage has only
   * one kind of layers. A third of the ends' time counts. */
  double share = 1.0 / 3.0;

  for (guint i = 0; i < SW_N_LAYER_KINDS; i++)
    {
      const SwLayerTimePart *part = &point->layer_time.part[i];

      point->beside_s[i] = sw_layer_part_s (part);
      if (point->beside_s[i] > 0.0)
        share = MAX (share, (part->backward_s - part->backward_input_s) / point->beside_s[i]);
    }
  point->micro_batch_s = sw_layers_s (problem, &point->layer_time);
  point->split_fill = MAX (1.0 - 2.0 * share, 0.0);
}

static double
stage_layers_s (const double layer_s[SW_N_LAYER_KINDS], const guint layers[SW_N_LAYER_KINDS])
{
  return layers[SW_LAYER_DENSE] * layer_s[SW_LAYER_DENSE]
         + layers[SW_LAYER_MOE] * layer_s[SW_LAYER_MOE];
}

/* One micro-batch on the slowest stage: at least the mean; at least a stage with its rounded-up
 * share of one kind of layers; at least the first and the last stage, which have the ends. `stages`
 * is an index into SwSpace.stages. */
double
sw_point_stage_s (const SwSearch *search, const SwPoint *point, guint stages)
{
  const guint pp = g_array_index (search->space->stages, SwListed, stages).value;
  const SwStageEnds *ends = &g_array_index (search->space->ends, SwStageEnds, stages);
  const SwLayerTime *time = &point->layer_time;
  const double head_s = time->head_s + time->head_tp_exposed_s + time->mtp_s;
  double first_s, last_s, most_s;

  if (pp == 1)
    return stage_layers_s (point->beside_s, ends->first) + time->embedding_s + head_s;
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

/* Lower bound of a step's seconds: the slowest stage runs all micro-batches, and filling the others
 * takes `fill` of one micro-batch through them: 1 with 1F1B and GPipe, 1 / v interleaved, possibly
 * nothing with zero-bubble. */
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

/* The smallest share that any schedule of the framework leaves. */
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

/* One micro-batch through the whole model in the other passes of a step: scoring, and with PPO the
 * critic's training. */
double
sw_point_others_s (const SwSearch *search, const SwPoint *point)
{
  double seconds = 0.0;

  for (guint kind = 0; search->memo != NULL && kind < SW_N_RLHF_PASSES; kind++)
    {
      const guint times = sw_rlhf_pass_times (search->problem, (SwRlhfPassKind) kind);
      const SwProblem *model;
      const SwLayerTime *layer;

      if (times == 0)
        continue;
      layer = sw_rlhf_pass_layer (search->memo, (SwRlhfPassKind) kind, &point->strategy, &model);
      seconds += times * sw_layers_s (model, layer);
    }
  return seconds;
}

/* Time of generation on the remaining GPUs, scoring and the critic beyond the floor that every
 * bound already includes. */
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

/* Whether a step is too slow for every split of the GPUs between generation and the rest, of which
 * one micro-batch takes `micro_batch_s`. */
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

/* Memory that a strategy without replicas saves at most: the communicators of replicas and of
 * hybrid sharding. */
double
sw_search_communicator_bytes (const SwSearch *search)
{
  return 2.0 * search->problem->calibration->nccl_bytes_per_group;
}

/* The outcome of a strategy. */
typedef enum {
  FITS,
  POINTLESS, /* a simpler strategy fits, so this one is not searched */
  INVALID,
  TOO_BIG,
} Outcome;

static gboolean
is_first_layers (const SwPoint *point)
{
  return point->strategy.recompute == SW_RECOMPUTE_FULL_LAYERS;
}

static gboolean
offloads_activations (const SwPoint *point)
{
  return point->strategy.offload == SW_OFFLOAD_ACTIVATIONS;
}

/* Memory of a layer without recomputation; the same for every kind of recomputation. */
static const SwLayerMemory *
kept_layer_memory (const SwSearch *search, SwPoint *point)
{
  SwStrategy strategy = point->strategy;

  strategy.recompute = SW_RECOMPUTE_NONE;
  if (!point->has_kept_memory)
    sw_layer_memory (search->problem, &strategy, &point->kept_memory);
  point->has_kept_memory = TRUE;
  return &point->kept_memory;
}

static void
time_schedule (SwSearch *search, SwPoint *point)
{
  if (point->timed_layers == point->strategy.full_layers
      && point->is_timed_offloaded == offloads_activations (point))
    return;
  sw_schedule_time (search->problem, &point->strategy, &point->layer_time, &point->schedule_time);
  point->timed_layers = point->strategy.full_layers;
  point->is_timed_offloaded = offloads_activations (point);
  point->schedule_s = sw_search_bound_s (search, sw_schedule_time_sum (&point->schedule_time),
                                         &point->strategy);
}

/* Whether the schedules of all models together are too slow; the bounds of the walk hardly cover
 * the other models. */
static gboolean
schedules_are_over (SwSearch *search, const SwPoint *point)
{
  double others_s;

  if (sw_search_is_over (search, point->schedule_s))
    return TRUE;
  if (search->generation == NULL || search->limit_s == INFINITY)
    return FALSE;
  others_s = sw_generation_floor_s (search->generation,
                                    sw_rlhf_generating_gpus (search->problem, &point->strategy))
             + sw_rlhf_schedule_s (search->memo, &point->strategy);
  return sw_search_is_over (search, point->schedule_s + MAX (others_s - search->floor_s, 0.0));
}

static gboolean
is_number_pinned (const SwSearch *search)
{
  const SwPins *pins = &search->problem->pins;

  return sw_pins_has (pins, SW_DIM_RECOMPUTE) && pins->value.full_layers > 0;
}

/* Clears results of the previous schedule. FALSE: the current schedule is too slow, regardless of
 * memory. */
gboolean
sw_point_begin_schedule (SwSearch *search, SwPoint *point)
{
  for (guint i = 0; i < 4; i++)
    point->has_schedule_memory[i / 2][i % 2] = FALSE;
  point->timed_layers = G_MAXUINT;
  point->may_fit = FALSE;
  if (search->limit_s != INFINITY)
    {
      /* For any data parallelism: first-N recomputation needs at least the memory with the first
       * layer of each chunk recomputed, and activation offload at least that without offload. */
      point->strategy.full_layers = !is_first_layers (point) ? 0
                                    : is_number_pinned (search)
                                        ? search->problem->pins.value.full_layers
                                        : point->strategy.vpp;
      point->strategy.offload = SW_OFFLOAD_NONE;
      time_schedule (search, point);
      if (schedules_are_over (search, point))
        return FALSE;
    }
  /* Level-1 memory is computed for the first schedule that is not too slow. */
  if (point->has_layer_memory)
    return TRUE;
  point->has_layer_memory = TRUE;
  if (point->strategy.recompute == SW_RECOMPUTE_NONE)
    point->layer_memory = *kept_layer_memory (search, point);
  else
    sw_layer_memory (search->problem, &point->strategy, &point->layer_memory);
  return TRUE;
}

static void
time_step (SwSearch *search, SwPoint *point, SwTime *time)
{
  time_schedule (search, point);
  sw_time (search->problem, &point->strategy, &point->layer_memory, &point->schedule_time, time);
  if (search->memo != NULL)
    sw_rlhf_add_time (search->memo, &point->strategy, time);
}

static guint
most_full_layers (const SwSearch *search, const SwPoint *point)
{
  const guint vpp = point->strategy.vpp;
  SwSplit split;

  if (is_number_pinned (search))
    return search->problem->pins.value.full_layers;
  sw_split (search->problem, &point->strategy, &split);
  /* Interleaved schedules recompute the same number of layers in every chunk (Megatron's
   * --recompute-num-layers counts within a virtual stage): the next such number. */
  return (sw_split_most_layers (&split) + vpp - 1) / vpp * vpp;
}

/* Memory of the current schedule: with the most layers recomputed if their number is searched, or
 * with none if `kept`. */
static const SwScheduleMemory *
schedule_memory (const SwSearch *search, SwPoint *point, gboolean kept)
{
  const gboolean offloaded = offloads_activations (point);
  SwScheduleMemory *memory = &point->schedule_memory[offloaded][kept];
  SwStrategy strategy = point->strategy;

  if (point->has_schedule_memory[offloaded][kept])
    return memory;
  strategy.full_layers = is_first_layers (point) && !kept ? most_full_layers (search, point) : 0;
  if (kept)
    strategy.recompute = SW_RECOMPUTE_NONE;
  sw_schedule_memory (search->problem, &strategy,
                      kept ? kept_layer_memory (search, point) : &point->layer_memory, memory);
  point->has_schedule_memory[offloaded][kept] = TRUE;
  return memory;
}

/* Whether the memory of the schedule alone exceeds the limit, so that no sharding helps. */
gboolean
sw_point_activations_are_over (SwSearch *search, SwPoint *point, gboolean offloaded)
{
  const SwScheduleMemory *schedule;

  if (search->pass == SW_PASS_COMPLETE || search->pass == SW_PASS_FEASIBLE)
    return FALSE;
  point->strategy.offload = offloaded ? SW_OFFLOAD_ACTIVATIONS : SW_OFFLOAD_NONE;
  schedule = schedule_memory (search, point, FALSE);
  for (guint i = 0; i < schedule->n_candidates; i++)
    if (schedule->activation_bytes[i] + schedule->logits_bytes[i] > search->memory_limit_bytes)
      return TRUE;
  return FALSE;
}

/* Missing bytes on a GPU or a host; the rule states which. */
static double
missing_bytes (const SwSearch *search, const SwMemory *memory, SwRule *rule)
{
  const double gpu = memory->peak.total - search->memory_limit_bytes;
  const double host = memory->host_bytes - search->host_limit_bytes;

  *rule = gpu > 0.0 ? SW_RULE_GPU_MEMORY : host > 0.0 ? SW_RULE_HOST_MEMORY : SW_RULE_OK;
  return gpu > 0.0 ? gpu : MAX (host, 0.0);
}

/* The missing bytes only matter if the nearest strategies are kept, and only up to the last of
 * these, with some slack for rounding. */
static double
memory_of (const SwSearch *search, const SwPoint *point, const SwScheduleMemory *schedule,
           SwMemory *memory, SwRule *rule)
{
  const guint n = search->out->n_nearest;
  double most = search->memory_limit_bytes;

  if (search->keeps_nearest)
    most = n < G_N_ELEMENTS (search->nearest_missing_bytes)
               ? INFINITY
               : (most
                  + sw_search_distance (search->problem, &search->out->nearest[n - 1].strategy,
                                        search->nearest_missing_bytes[n - 1]))
                     * (1.0 + 1e-9);
  sw_rlhf_memory_within (search->memo, search->states, search->problem, &point->strategy, schedule,
                         most, memory);
  return missing_bytes (search, memory, rule);
}

/* Whether the strategy fits without any recomputation. */
static gboolean
fits_kept (const SwSearch *search, SwPoint *point)
{
  const SwScheduleMemory *schedule = schedule_memory (search, point, TRUE);
  SwStrategy strategy = point->strategy;
  SwMemory memory;
  SwRule rule;

  strategy.recompute = SW_RECOMPUTE_NONE;
  strategy.full_layers = 0;
  sw_rlhf_memory_within (search->memo, search->states, search->problem, &strategy, schedule,
                         search->memory_limit_bytes, &memory);
  missing_bytes (search, &memory, &rule);
  return rule == SW_RULE_OK;
}

/* Memory with the first N layers recomputed; `schedule` is for any N. Sets N in the strategy. */
static void
memory_of_layers (const SwSearch *search, SwPoint *point, guint full_layers,
                  SwScheduleMemory *schedule, SwMemory *memory, SwRule *rule)
{
  point->strategy.full_layers = full_layers;
  sw_schedule_memory_first_layers (search->problem, &point->strategy, &point->layer_memory,
                                   schedule);
  memory_of (search, point, schedule, memory, rule);
}

/* Estimates the number of first layers to recompute if `memory` is the result for `high`: each
 * layer saves as much on every stage as on the fullest one. */
static guint
guess_full_layers (const SwSearch *search, SwPoint *point, guint high, const SwMemory *memory)
{
  const SwScheduleMemory *kept = schedule_memory (search, point, TRUE);
  const SwScheduleMemory *least = schedule_memory (search, point, FALSE);
  const double room = search->memory_limit_bytes - memory->peak.total;
  const guint step = point->strategy.vpp, most = most_full_layers (search, point);
  double saved = 0.0;

  for (guint i = 0; i < MIN (kept->n_candidates, least->n_candidates); i++)
    saved = MAX (saved, kept->activation_bytes[i] - least->activation_bytes[i]);
  if (saved <= 0.0 || room <= 0.0)
    return high;
  return high - (guint) MIN (room / saved * most / step, high / step) * step;
}

/* The smallest N with which first-N recomputation fits: memory falls with N, and the schedule gets
 * slower. If the estimate and its neighbors fail, bisection finds N. `memory` is for the current N,
 * which fits. Sets N in the strategy. */
static void
solve_least_layers (SwSearch *search, SwPoint *point, SwMemory *memory)
{
  SwScheduleMemory schedule = *schedule_memory (search, point, FALSE);
  const guint step = point->strategy.vpp;
  guint low = 0, high = point->strategy.full_layers;
  guint guess = guess_full_layers (search, point, high, memory);

  for (guint i = 0; high - low > step; i++)
    {
      const guint tried_layers = i < 3 ? CLAMP (guess, low + step, high - step)
                                       : (low + high) / 2 / step * step;
      SwMemory tried;
      SwRule rule;

      memory_of_layers (search, point, tried_layers, &schedule, &tried, &rule);
      if (rule == SW_RULE_OK)
        *memory = tried;
      *(rule == SW_RULE_OK ? &high : &low) = tried_layers;
      guess = rule == SW_RULE_OK ? tried_layers - step : tried_layers + step;
    }
  point->strategy.full_layers = high;
}

/* Adds first layers as long as that is faster: recomputed activations need not wait for the host.
 * `memory` is for the current N, which fits. Sets N in the strategy. */
static void
solve_fastest_layers (SwSearch *search, SwPoint *point, SwMemory *memory)
{
  const guint step = point->strategy.vpp, most = most_full_layers (search, point);
  guint layers = point->strategy.full_layers;
  SwScheduleMemory schedule;
  SwTime time, more;

  if (!offloads_activations (point) || search->pass == SW_PASS_FEASIBLE)
    return;
  schedule = *schedule_memory (search, point, FALSE);
  time_step (search, point, &time);
  while (time.offload_exposed_s > 0.0 && layers + step <= most)
    {
      SwMemory tried;
      SwRule rule;

      memory_of_layers (search, point, layers + step, &schedule, &tried, &rule);
      time_step (search, point, &more);
      if (rule != SW_RULE_OK || more.step_s >= time.step_s)
        break;
      layers += step;
      *memory = tried;
      time = more;
    }
  point->strategy.full_layers = layers;
}

/* The smallest number of recomputed first layers that fits, or more if that is faster. `memory` is
 * for the current N, which fits. Sets N in the strategy. FALSE: it fits without recomputation, and
 * recomputing one layer does not help. */
static gboolean
solve_layers (SwSearch *search, SwPoint *point, SwMemory *memory)
{
  const gboolean kept = !sw_pins_has (&search->problem->pins, SW_DIM_RECOMPUTE)
                        && fits_kept (search, point);

  if (kept && !offloads_activations (point))
    return FALSE;
  solve_least_layers (search, point, memory);
  solve_fastest_layers (search, point, memory);
  return !kept || point->strategy.full_layers > point->strategy.vpp;
}

/* FALSE: best without any recomputation, or with all layers recomputed, which is full
 * recomputation; but that recomputes multi-token-prediction layers too. */
static gboolean
solve_full_layers (SwSearch *search, SwPoint *point, SwMemory *memory, SwRule *rule,
                   double *missing)
{
  const gboolean pinned = sw_pins_has (&search->problem->pins, SW_DIM_RECOMPUTE);
  const guint most = most_full_layers (search, point);

  point->strategy.full_layers = most;
  *missing = memory_of (search, point, schedule_memory (search, point, FALSE), memory, rule);
  /* With offloaded activations, recomputing everything may need more memory. */
  if (*rule != SW_RULE_OK)
    return pinned || !offloads_activations (point) || !fits_kept (search, point);
  point->solved_layers = is_number_pinned (search) ? most : 0;
  if (is_number_pinned (search))
    return TRUE;
  if (!solve_layers (search, point, memory))
    return FALSE;
  point->solved_layers = point->strategy.full_layers;
  return pinned || point->strategy.full_layers != most || search->problem->model.mtp_layers > 0;
}

/* The number of recomputed layers that fits without offload, which bounds it with offload. FALSE:
 * it does not fit, or needs none. */
static gboolean
solve_fewer_layers (SwSearch *search, SwPoint *point, SwMemory *memory)
{
  const guint step = search->offload_pays ? 0 : point->strategy.vpp, most = point->solved_layers;
  const gboolean pinned = is_number_pinned (search);
  SwScheduleMemory schedule;
  SwRule rule;

  if (!pinned && most <= step)
    return FALSE;
  schedule = *schedule_memory (search, point, FALSE);
  memory_of_layers (search, point, pinned ? most : most - step, &schedule, memory, &rule);
  if (rule != SW_RULE_OK)
    return FALSE;
  return pinned
         || (solve_layers (search, point, memory) && point->strategy.full_layers <= most - step);
}

/* Removes offloads that cannot help because too much stays on the fullest GPU, regardless of the
 * buffers. `memory` is without offload, for training only. */
static void
drop_offloads (SwSearch *search, SwPoint *point, const SwMemory *memory)
{
  const SwMemoryParts *parts = &memory->peak;
  const double factor = sw_allocator_factor (search->problem, &point->strategy);
  const double limit =
      (search->memory_limit_bytes - parts->framework + sw_search_communicator_bytes (search))
      / factor;
  const double passes = parts->activations + parts->logits;
  const double weights = parts->parameters + parts->gradients;
  const double left_bytes[] = { [SW_OFFLOAD_OPTIMIZER] = weights + passes,
                                [SW_OFFLOAD_OPTIMIZER_PARAMS] = passes,
                                [SW_OFFLOAD_ACTIVATIONS] = weights + parts->optimizer
                                                           + parts->logits };
  guint mask = point->offloads;

  for (guint offload = SW_OFFLOAD_OPTIMIZER; offload <= SW_OFFLOAD_ACTIVATIONS; offload++)
    if (left_bytes[offload] > limit)
      mask &= ~(1u << offload);
  if (mask != point->offloads)
    search->out->bounded += sw_search_counts (search);
  point->tried_offloads = mask;
}

/* It fits: computes its time. */
static void
take_fit (SwSearch *search, SwPoint *point, const SwMemory *memory)
{
  search->found = TRUE;
  search->keeps_nearest = FALSE; /* irrelevant once something fits */
  search->out->tried += sw_search_counts (search);
  search->out->fit += sw_search_counts (search);
  if (search->pass != SW_PASS_FEASIBLE)
    {
      /* Time of a strategy that fits; memory is known. */
      const guint counts = sw_search_counts (search);
      SwTime time;

      time_schedule (search, point);
      if (schedules_are_over (search, point))
        return;
      time_step (search, point, &time);
      search->out->timed += counts;
      search->out->evaluated += counts;
      sw_search_offer (search, &point->strategy, time.step_s, memory->peak.total);
    }
}

/* One complete strategy. If it fits without offload, the same strategy with offload is searched
 * only if it can be faster. */
static Outcome
try_strategy (SwSearch *search, SwPoint *point, gboolean fits_without)
{
  SwRule rule = sw_rules_check_sharding (search->free, &point->strategy);
  double missing = 0.0;
  SwMemory memory;

  if (rule != SW_RULE_OK)
    {
      sw_search_reject (search, rule);
      return INVALID;
    }
  if (!is_first_layers (point))
    missing = memory_of (search, point, schedule_memory (search, point, FALSE), &memory, &rule);
  else if (fits_without)
    rule = solve_fewer_layers (search, point, &memory) ? SW_RULE_OK : SW_RULE_GPU_MEMORY;
  else if (!solve_full_layers (search, point, &memory, &rule, &missing))
    return POINTLESS;
  if (rule == SW_RULE_OK)
    {
      take_fit (search, point, &memory);
      return FITS;
    }
  if (fits_without)
    return TOO_BIG;
  point->least_missing_bytes = MIN (point->least_missing_bytes,
                                    rule == SW_RULE_GPU_MEMORY ? missing : 0.0);
  search->out->evaluated += sw_search_counts (search);
  sw_search_reject (search, rule);
  if (search->keeps_nearest)
    {
      /* The distance from fitting, although the rule states one reason: the memory that is missing
       * on a GPU plus its share of the memory that is missing on its host. */
      const double gpu = memory.peak.total - search->memory_limit_bytes;
      const double host = memory.host_bytes - search->host_limit_bytes;

      sw_search_offer_nearest (search, &point->strategy, memory.peak.total,
                               MAX (gpu, 0.0)
                                   + MAX (host, 0.0) / search->problem->cluster.gpus_per_node);
    }
  if (point->strategy.offload == SW_OFFLOAD_NONE && rule == SW_RULE_GPU_MEMORY
      && search->pass != SW_PASS_COMPLETE && !search->keeps_nearest
      && sw_space_is_ordered (search->problem, search->space->framework))
    drop_offloads (search, point, &memory);
  return TOO_BIG;
}

/* Tries the strategy with the lowest of these ZeRO stages that fits. Keeps the offloads that can
 * help with any of them. */
static Outcome
try_stages (SwSearch *search, SwPoint *point, guint zero_stages, gboolean fits_without)
{
  const guint before = point->tried_offloads;
  guint after = 0;
  Outcome outcome = INVALID;

  for (guint stage = 0; zero_stages >> stage != 0; stage++)
    {
      Outcome one;

      if ((zero_stages & 1u << stage) == 0)
        continue;
      point->strategy.zero_stage = (guint8) stage;
      point->tried_offloads = before;
      one = try_strategy (search, point, fits_without);
      after |= point->tried_offloads;
      if (one != INVALID)
        outcome = one;
      if (one == FITS || one == POINTLESS)
        break;
    }
  point->tried_offloads = after;
  return outcome;
}

/* Whether offload cannot speed up a strategy that fits without it: offload pays only through fewer
 * recomputed layers, or in the cases of sw_offload_may_pay(). */
static gboolean
is_offload_vain (const SwSearch *search, const SwPoint *point)
{
  if (search->pass == SW_PASS_FEASIBLE || search->pass == SW_PASS_COARSE)
    return TRUE;
  if (is_first_layers (point) && point->solved_layers == 0)
    return TRUE;
  return !search->offload_pays && (!is_first_layers (point) || is_number_pinned (search));
}

/* The strategy with that shard group: without offload and, if that does not fit or may be slower,
 * with each kind of offload; or with the pinned one. If nothing is sharded there are several ZeRO
 * stages: the lowest that supports the offload and fits. FALSE: none fits, and a smaller shard
 * group would not either. */
gboolean
sw_point_evaluate (SwSearch *search, SwPoint *point, guint zero_stages)
{
  const gboolean pinned = sw_pins_has (&search->problem->pins, SW_DIM_OFFLOAD);
  gboolean may_fit = FALSE, fits_without = FALSE;

  point->tried_offloads = point->offloads;
  for (guint offload = SW_OFFLOAD_NONE; offload <= SW_OFFLOAD_ACTIVATIONS; offload++)
    {
      Outcome outcome;

      if ((point->tried_offloads & (1u << offload)) == 0)
        continue;
      point->strategy.offload = (guint8) offload;
      outcome = try_stages (search, point, zero_stages, fits_without);
      may_fit |= outcome == FITS || outcome == POINTLESS;
      if (offload == SW_OFFLOAD_NONE && may_fit)
        fits_without = TRUE;
      if ((fits_without && is_offload_vain (search, point))
          || (offload == SW_OFFLOAD_NONE && outcome == INVALID))
        return TRUE;
      if (pinned && outcome == INVALID)
        return TRUE;
    }
  return may_fit;
}
