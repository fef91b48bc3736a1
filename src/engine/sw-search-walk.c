/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk over all strategies, by the three levels of sw-cost.h. Level-1 points come in the order
 * of their lower bound, so that the first bound over the limit ends the walk; within a point, fewer
 * replicas only mean more micro-batches, so that the same holds for DP. Memory is computed before
 * time. */
#include "sw-search-private.h"

#include <math.h>
#include <string.h>

#define RULE(name) (1u << SW_RULE_##name)

/* Rounding of the bounds' own sums; far below what ranks two strategies apart. */
#define SW_BOUND_SLACK (1.0 - 1e-9)

/* One level-1 point while the levels above it are walked. */
typedef struct
{
  SwStrategy strategy;
  SwLayerMemory layer_memory;
  SwLayerMemory kept_memory; /* for first-N recomputation: of the same point without any */
  SwLayerTime layer_time;
  SwScheduleMemory schedule_memory; /* for first-N recomputation: with all layers of a stage */
  SwScheduleMemory kept_schedule;   /* for first-N recomputation: without any */
  SwScheduleTime schedule_time;
  double micro_batch_s; /* all layers, one micro-batch: a lower bound */
  double stage_s;       /* the slowest stage, one micro-batch: a lower bound */
  guint timed_layers;   /* schedule_time is of this full_layers; G_MAXUINT: not known */
  double schedule_s;    /* all parts of schedule_time: a lower bound of the step */
  gboolean may_fit;     /* under the present schedule: not every sharding takes too much memory */
  gboolean is_too_big;  /* with the present replicas, whatever the schedule and sharding */
} SwPoint;

static double
part_s (const SwLayerTimePart *part)
{
  return part->forward_s + part->backward_s + part->recompute_s + part->tp_exposed_s
         + part->cp_exposed_s + part->ep_exposed_s;
}

/* Seconds of one micro-batch through all layers: compute and exposed communication. */
double
sw_search_layers_s (const SwProblem *problem, const SwLayerTimePart part[SW_N_LAYER_KINDS])
{
  const guint moe = sw_model_moe_layers (&problem->model);
  const double layers[SW_N_LAYER_KINDS] = { problem->model.layers - moe, moe };
  double sum = 0.0;

  for (guint i = 0; i < SW_N_LAYER_KINDS; i++)
    if (layers[i] > 0.0)
      sum += layers[i] * part_s (&part[i]);
  return sum;
}

/* Walks that only prepare another are not counted: that one sees everything again. */
gboolean
sw_search_counts (const SwSearch *search)
{
  return search->pass != SW_PASS_COARSE && search->pass != SW_PASS_FASTEST
         && search->pass != SW_PASS_FEASIBLE;
}

/* Whether times matter; else memory does alone. */
gboolean
sw_search_is_timed (const SwSearch *search)
{
  return search->pass != SW_PASS_FEASIBLE && search->pass != SW_PASS_NEAREST;
}

void
sw_search_reject (SwSearch *search, SwRule rule)
{
  if (!sw_search_counts (search))
    return;
  search->out->tried++;
  search->out->rejected[rule]++;
}

static gboolean
is_done (const SwSearch *search)
{
  return search->stop || (search->pass == SW_PASS_FEASIBLE && search->found);
}

static gboolean
is_over (SwSearch *search, double bound_s)
{
  if (bound_s * SW_BOUND_SLACK <= search->limit_s)
    return FALSE;
  search->out->bounded += sw_search_counts (search);
  return TRUE;
}

static double
schedule_s (const SwScheduleTime *time)
{
  return time->compute_s + time->tp_exposed_s + time->cp_exposed_s + time->ep_exposed_s
         + time->pp_exposed_s + time->bubble_s + time->offload_exposed_s;
}

static void
time_schedule (SwSearch *search, SwPoint *point)
{
  if (point->timed_layers == point->strategy.full_layers)
    return;
  sw_schedule_time (search->problem, &point->strategy, &point->layer_time, &point->schedule_time);
  point->timed_layers = point->strategy.full_layers;
  point->schedule_s = schedule_s (&point->schedule_time);
}

/* Whether the schedule alone takes too long, whatever the data parallelism. First-N recomputation
 * takes no less than its first layer. */
static gboolean
schedule_is_over (SwSearch *search, SwPoint *point)
{
  if (search->limit_s == INFINITY)
    return FALSE;
  point->strategy.full_layers = point->strategy.recompute == SW_RECOMPUTE_FULL_LAYERS ? 1 : 0;
  time_schedule (search, point);
  return is_over (search, point->schedule_s);
}

/* Time of a strategy that fits; memory is known. */
static void
time_point (SwSearch *search, SwPoint *point, const SwMemory *memory)
{
  SwTime time;

  time_schedule (search, point);
  if (is_over (search, point->schedule_s))
    return;
  sw_time (search->problem, &point->strategy, &point->layer_memory, &point->schedule_time, &time);
  if (sw_search_counts (search))
    search->out->timed++;
  sw_search_offer (search, &point->strategy, time.step_s, memory->peak.total);
}

/* Bytes that are missing on a GPU, or on a host; the rule says which. */
static double
missing_bytes (const SwSearch *search, const SwMemory *memory, SwRule *rule)
{
  const double gpu = memory->peak.total - search->memory_limit_bytes;
  const double host = memory->host_bytes - search->host_limit_bytes;

  *rule = gpu > 0.0 ? SW_RULE_GPU_MEMORY : host > 0.0 ? SW_RULE_HOST_MEMORY : SW_RULE_OK;
  return gpu > 0.0 ? gpu : MAX (host, 0.0);
}

static double
memory_of (const SwSearch *search,
           const SwPoint *point,
           const SwScheduleMemory *schedule,
           SwMemory *memory,
           SwRule *rule)
{
  sw_memory (search->problem, &point->strategy, schedule, memory);
  return missing_bytes (search, memory, rule);
}

/* Memory with the first N layers recomputed; leaves N in the strategy. */
static double
memory_of_layers (const SwSearch *search,
                  SwPoint *point,
                  guint full_layers,
                  SwMemory *memory,
                  SwRule *rule)
{
  SwScheduleMemory schedule;

  point->strategy.full_layers = full_layers;
  sw_schedule_memory (search->problem, &point->strategy, &point->layer_memory, &schedule);
  return memory_of (search, point, &schedule, memory, rule);
}

static guint
divide_up (guint a, guint b)
{
  return (a + b - 1) / b;
}

/* Interleaved schedules recompute as many layers in every chunk (Megatron's --recompute-num-layers
 * counts within a virtual stage): the next number of which that is true. */
static guint
chunked (guint layers, const SwStrategy *strategy)
{
  return divide_up (layers, strategy->vpp) * strategy->vpp;
}

static guint
most_full_layers (const SwSearch *search, const SwPoint *point)
{
  const SwPins *pins = &search->problem->pins;

  if (sw_pins_has (pins, SW_DIM_RECOMPUTE) && pins->value.full_layers > 0)
    return pins->value.full_layers;
  return chunked (divide_up (search->problem->model.layers, point->strategy.pp), &point->strategy);
}

/* Whether the strategy fits without any recomputation. */
static gboolean
fits_kept (const SwSearch *search, const SwPoint *point)
{
  SwMemory memory;
  SwRule rule;

  memory_of (search, point, &point->kept_schedule, &memory, &rule);
  return rule == SW_RULE_OK;
}

/* The smallest N with which first-N recomputation fits, by bisection: memory falls with N, time
 * grows. Leaves N in the strategy. FALSE: it fits without any, so that N is no use. */
static gboolean
solve_full_layers (SwSearch *search,
                   SwPoint *point,
                   SwMemory *memory,
                   SwRule *rule,
                   double *missing)
{
  const SwPins *pins = &search->problem->pins;
  const gboolean pinned = sw_pins_has (pins, SW_DIM_RECOMPUTE);
  const guint step = point->strategy.vpp;
  guint low = 0, high = most_full_layers (search, point);

  point->strategy.full_layers = high;
  *missing = memory_of (search, point, &point->schedule_memory, memory, rule);
  if (*rule != SW_RULE_OK || (pinned && pins->value.full_layers > 0))
    return TRUE;
  if (!pinned && fits_kept (search, point))
    return FALSE;
  while (high - low > step)
    {
      const guint middle = (low + high) / 2 / step * step;
      SwMemory tried;

      memory_of_layers (search, point, middle, &tried, rule);
      if (*rule == SW_RULE_OK)
        *memory = tried;
      *(*rule == SW_RULE_OK ? &high : &low) = middle;
    }
  /* But that recomputes multi-token-prediction layers too. */
  if (!pinned && high == most_full_layers (search, point) && search->problem->model.mtp_layers == 0)
    return FALSE;
  point->strategy.full_layers = high;
  *rule = SW_RULE_OK;
  return TRUE;
}

/* One complete strategy. FALSE: it takes too much memory. */
static gboolean
walk_strategy (SwSearch *search, SwPoint *point)
{
  SwRule rule = SW_RULE_OK;
  double missing = 0.0;
  SwMemory memory;

  if (!sw_search_admits (search, &point->strategy, G_MAXUINT32))
    return TRUE;
  if (point->strategy.recompute != SW_RECOMPUTE_FULL_LAYERS)
    missing = memory_of (search, point, &point->schedule_memory, &memory, &rule);
  else if (!solve_full_layers (search, point, &memory, &rule, &missing))
    return TRUE;
  if (rule != SW_RULE_OK)
    {
      sw_search_reject (search, rule);
      if (search->pass == SW_PASS_NEAREST || search->pass == SW_PASS_COMPLETE)
        sw_search_offer_nearest (search, &point->strategy, memory.peak.total, missing);
      return FALSE;
    }
  search->found = TRUE;
  if (search->pass == SW_PASS_FEASIBLE)
    return TRUE;
  search->out->tried += sw_search_counts (search);
  search->out->fit += sw_search_counts (search);
  time_point (search, point, &memory);
  return TRUE;
}

/* The largest group first: a smaller one never takes less memory. */
static void
walk_shard_groups (SwSearch *search, SwPoint *point)
{
  SwValues groups;

  sw_search_values_shard_group (search, &point->strategy, &groups);
  for (guint i = groups.n; i-- > 0 && !is_done (search);)
    {
      gboolean may_fit;

      point->strategy.shard_group = groups.values[i];
      may_fit = walk_strategy (search, point);
      point->may_fit |= may_fit;
      if ((!may_fit && search->pass != SW_PASS_COMPLETE) || search->pass == SW_PASS_COARSE)
        {
          search->out->bounded += sw_search_counts (search) ? i : 0;
          return;
        }
    }
}

/* With one data-parallel rank for every parameter, all stages shard nothing: the lowest stands for
 * them. Offload may want a higher one nevertheless. */
static gboolean
shards_nothing (const SwStrategy *strategy)
{
  return strategy->offload == SW_OFFLOAD_NONE && strategy->dp * strategy->cp == 1
         && sw_strategy_edp (strategy) == 1;
}

/* ZeRO 1 costs little and takes much less memory than none: where there is a choice, it stands for
 * the others. */
static guint
zero_of_coarse (guint mask)
{
  return (mask & 1u << 1) != 0 ? 1 : g_bit_nth_msf (mask, -1);
}

static void
walk_zero_stages (SwSearch *search, SwPoint *point)
{
  const guint allowed =
      point->strategy.pp > 1 ? search->space->rules->zero_mask_pp : search->space->rules->zero_mask;
  const guint mask = sw_search_mask (search, SW_DIM_ZERO, allowed);

  for (guint stage = 0; stage <= 3 && !is_done (search); stage++)
    {
      if ((mask & (1u << stage)) == 0
          || (search->pass == SW_PASS_COARSE && stage != zero_of_coarse (mask)))
        continue;
      point->strategy.zero_stage = (guint8) stage;
      walk_shard_groups (search, point);
      if (shards_nothing (&point->strategy))
        break;
    }
}

/* Whether what the schedule alone keeps is over the limit, so that no sharding helps. */
static gboolean
activations_are_over (SwSearch *search, const SwPoint *point)
{
  const SwScheduleMemory *schedule = &point->schedule_memory;

  if (search->pass == SW_PASS_COMPLETE || search->pass == SW_PASS_NEAREST)
    return FALSE;
  for (guint i = 0; i < schedule->n_candidates; i++)
    if (schedule->activation_bytes[i] + schedule->logits_bytes[i] > search->memory_limit_bytes)
      {
        sw_search_reject (search, SW_RULE_GPU_MEMORY);
        return TRUE;
      }
  return FALSE;
}

static void
schedule_memory (const SwSearch *search, SwPoint *point)
{
  SwStrategy *strategy = &point->strategy;
  const gboolean first = strategy->recompute == SW_RECOMPUTE_FULL_LAYERS;

  strategy->full_layers = first ? most_full_layers (search, point) : 0;
  sw_schedule_memory (search->problem, strategy, &point->layer_memory, &point->schedule_memory);
  if (!first)
    return;
  strategy->recompute = SW_RECOMPUTE_NONE;
  sw_schedule_memory (search->problem, strategy, &point->kept_memory, &point->kept_schedule);
  strategy->recompute = SW_RECOMPUTE_FULL_LAYERS;
}

/* 1F1B keeps the fewest micro-batches of all schedules. What is too big under it is too big under
 * all of them, and with fewer replicas too: they shard less and keep no fewer micro-batches, so
 * that they are no nearer either. (But for one, which needs no communicator.) */
static gboolean
is_smallest (const SwSearch *search, const SwPoint *point)
{
  return point->strategy.schedule == SW_SCHEDULE_1F1B && search->pass != SW_PASS_COMPLETE;
}

static void
walk_offloads (SwSearch *search, SwPoint *point)
{
  const guint none = 1u << SW_OFFLOAD_NONE, all = search->space->rules->offload_mask | none;
  const gboolean pinned = sw_pins_has (&search->problem->pins, SW_DIM_OFFLOAD);
  const guint mask = sw_search_mask (search, SW_DIM_OFFLOAD,
                                     pinned            ? all
                                     : search->offload ? all & ~none
                                                       : none);

  for (guint offload = SW_OFFLOAD_NONE; offload <= SW_OFFLOAD_ACTIVATIONS; offload++)
    {
      if ((mask & (1u << offload)) == 0)
        continue;
      point->strategy.offload = (guint8) offload;
      point->timed_layers = G_MAXUINT;
      if (schedule_is_over (search, point))
        continue;
      schedule_memory (search, point);
      point->may_fit = FALSE;
      if (!activations_are_over (search, point))
        walk_zero_stages (search, point);
      point->is_too_big |= !point->may_fit && mask == none && is_smallest (search, point);
    }
}

/* One micro-batch on the slowest stage: no faster than the mean, nor than a stage with its share of
 * one kind of layers, rounded up. */
static double
stage_bound_s (const SwSearch *search, const SwPoint *point, guint pp)
{
  const guint moe = sw_model_moe_layers (&search->problem->model);
  const guint dense = search->problem->model.layers - moe;
  const SwLayerTimePart *part = point->layer_time.part;
  const double by_dense = dense > 0 ? divide_up (dense, pp) * part_s (&part[SW_LAYER_DENSE]) : 0.0;
  const double by_moe = moe > 0 ? divide_up (moe, pp) * part_s (&part[SW_LAYER_MOE]) : 0.0;

  return MAX (point->micro_batch_s / pp, MAX (by_dense, by_moe));
}

/* Seconds that a step takes at least: the slowest stage runs all micro-batches, and filling the
 * others takes `fill` of one micro-batch through them: 1 under 1F1B and GPipe, 1 / v interleaved,
 * perhaps nothing under zero-bubble. */
static double
bound_s (const SwSearch *search, const SwPoint *point, double fill)
{
  const SwStrategy *s = &point->strategy;
  const double micro_batches =
      (double) search->problem->training.global_batch / ((double) s->dp * s->micro_batch);

  return micro_batches * point->stage_s + fill * MAX (point->micro_batch_s - point->stage_s, 0.0);
}

static double
fill_of (guint schedule, guint vpp)
{
  return schedule == SW_SCHEDULE_ZERO_BUBBLE ? 0.0 : 1.0 / vpp;
}

/* Level 2 rules are checked before the levels above are walked. */
static void
walk_schedule (SwSearch *search, SwPoint *point, guint schedule, guint vpp)
{
  const guint32 rules = RULE (PP_LAYERS) | RULE (VPP_LAYERS) | RULE (VPP_MICRO_BATCHES)
                        | RULE (EP_WORLD) | RULE (BATCH) | RULE (WORLD_SIZE) | RULE (FRAMEWORK_PP)
                        | RULE (FRAMEWORK_SCHEDULE);
  const guint mask =
      point->strategy.pp > 1 ? search->space->rules->zero_mask_pp : search->space->rules->zero_mask;

  point->strategy.schedule = (guint8) schedule;
  point->strategy.vpp = vpp;
  point->strategy.shard_group = point->strategy.dp;
  point->strategy.offload = SW_OFFLOAD_NONE;
  point->strategy.zero_stage = (guint8) (mask ? g_bit_nth_lsf (mask, -1) : 0);
  if (!sw_search_cancelled (search) && !is_done (search)
      && !is_over (search, bound_s (search, point, fill_of (schedule, vpp)))
      && sw_search_admits (search, &point->strategy, rules))
    walk_offloads (search, point);
}

static gboolean
is_power_of_two (guint value)
{
  return (value & (value - 1)) == 0;
}

static void
walk_interleaved (SwSearch *search, SwPoint *point)
{
  SwValues chunks;

  sw_search_values_chunks (search, point->strategy.pp, &chunks);
  for (guint i = 0; i < chunks.n && !is_done (search); i++)
    if (chunks.values[i] > 1
        && (search->pass != SW_PASS_COARSE || is_power_of_two (chunks.values[i])))
      walk_schedule (search, point, SW_SCHEDULE_INTERLEAVED, chunks.values[i]);
}

static guint
schedules (const SwSearch *search, const SwStrategy *strategy)
{
  const guint one = 1u << SW_SCHEDULE_1F1B;
  const gboolean pinned = sw_pins_has (&search->problem->pins, SW_DIM_SCHEDULE)
                          || sw_pins_has (&search->problem->pins, SW_DIM_VPP);

  /* One stage: the schedule is of no effect, and one stands for all unless another is pinned. Where
   * memory alone matters, 1F1B keeps the fewest micro-batches of all. */
  if (!pinned && (strategy->pp == 1 || !sw_search_is_timed (search)))
    return one;
  return sw_search_mask (search, SW_DIM_SCHEDULE, search->space->rules->schedule_mask);
}

static void
walk_schedules (SwSearch *search, SwPoint *point)
{
  const gboolean vpp_pinned = sw_pins_has (&search->problem->pins, SW_DIM_VPP);
  const guint mask = schedules (search, &point->strategy);

  if (!vpp_pinned || search->problem->pins.value.vpp <= 1)
    for (guint i = SW_SCHEDULE_GPIPE; i <= SW_SCHEDULE_ZERO_BUBBLE; i++)
      if ((mask & (1u << i)) != 0 && i != SW_SCHEDULE_INTERLEAVED)
        walk_schedule (search, point, i, 1);
  if ((mask & (1u << SW_SCHEDULE_INTERLEAVED)) != 0 && (point->strategy.pp > 1 || vpp_pinned))
    walk_interleaved (search, point);
}

/* Every replica count, most first. A pinned count is walked even where it does not divide the
 * batch: the rule then counts it. */
static void
walk_replicas (SwSearch *search, SwPoint *point, guint most)
{
  const gboolean pinned = sw_pins_has (&search->problem->pins, SW_DIM_DP);

  for (guint i = search->space->dp.n; i-- > 0 && !is_done (search);)
    {
      point->strategy.dp = search->space->dp.values[i];
      if (point->strategy.dp > most)
        {
          if (pinned)
            sw_search_reject (search, SW_RULE_WORLD_SIZE);
          continue;
        }
      if (is_over (search, bound_s (search, point, 0.0)))
        return;
      point->is_too_big = FALSE;
      walk_schedules (search, point);
      if (!point->is_too_big)
        continue;
      search->out->bounded += sw_search_counts (search);
      most = 1;
    }
}

static void
walk_stages (SwSearch *search, SwPoint *point)
{
  const guint ranks = search->problem->cluster.gpus / (point->strategy.tp * point->strategy.cp);

  for (guint i = 0; i < search->space->pp.n && !is_done (search); i++)
    {
      const guint pp = search->space->pp.values[i];

      point->strategy.pp = pp;
      point->stage_s = stage_bound_s (search, point, pp);
      if (search->pass == SW_PASS_COARSE && !is_power_of_two (pp) && ranks % pp != 0)
        continue;
      if (pp > ranks)
        sw_search_reject (search, SW_RULE_WORLD_SIZE);
      else
        walk_replicas (search, point, ranks / pp);
    }
}

static void
walk_node (SwSearch *search, const SwNode *node)
{
  SwPoint point;

  memset (&point, 0, sizeof point);
  point.strategy = node->strategy;
  search->space = &search->spaces[node->strategy.framework];
  sw_layer_memory (search->problem, &point.strategy, &point.layer_memory);
  if (node->strategy.recompute == SW_RECOMPUTE_FULL_LAYERS)
    {
      point.strategy.recompute = SW_RECOMPUTE_NONE;
      sw_layer_memory (search->problem, &point.strategy, &point.kept_memory);
      point.strategy.recompute = SW_RECOMPUTE_FULL_LAYERS;
    }
  if (sw_search_is_timed (search))
    {
      sw_layer_time (search->problem, &point.strategy, &point.layer_time);
      point.micro_batch_s = sw_search_layers_s (search->problem, point.layer_time.part);
    }
  walk_stages (search, &point);
}

/* Walks all level-1 points in search->nodes, which stand in the order of their bounds. */
void
sw_search_walk (SwSearch *search)
{
  for (guint i = 0; i < search->nodes->len && !is_done (search); i++)
    {
      const SwNode *node = &g_array_index (search->nodes, SwNode, i);

      if (is_over (search, node->bound_s))
        {
          search->out->bounded += sw_search_counts (search) ? search->nodes->len - i - 1 : 0;
          return;
        }
      if (sw_search_has_node (search, node))
        walk_node (search, node);
      if (search->options.progress != NULL && search->pass == SW_PASS_COMPLETE)
        search->options.progress ((i + 1.0) / search->nodes->len, search->options.progress_data);
    }
}
