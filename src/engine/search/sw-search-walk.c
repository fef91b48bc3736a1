/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk over all strategies, by the three levels of sw-cost.h. Level-1 points come in the order
 * of their lower bound, so that the first bound over the limit ends the walk; within a point, fewer
 * replicas only mean more micro-batches, so that the same holds for DP. */
#include "sw-search-private.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Rounding of the bounds' own sums; far below what ranks two strategies apart. */
#define SW_BOUND_SLACK (1.0 - 1e-9)

/* Walks that only prepare another are not counted: that one sees everything again. */
gboolean
sw_search_counts (const SwSearch *search)
{
  return search->pass != SW_PASS_COARSE && search->pass != SW_PASS_FASTEST;
}

/* Whether times matter; else memory does alone. */
static gboolean
is_timed (const SwSearch *search)
{
  return search->pass != SW_PASS_FEASIBLE;
}

static void
reject_many (SwSearch *search, SwRule rule, guint n)
{
  if (!sw_search_counts (search))
    return;
  search->out->tried += n;
  search->out->rejected[rule] += n;
}

/* Counts a strategy that breaks @rule. */
void
sw_search_reject (SwSearch *search, SwRule rule)
{
  reject_many (search, rule, 1);
}

/* Whether what takes at least @bound_s a step is slower than what is kept already; it is counted
 * then. */
gboolean
sw_search_is_over (SwSearch *search, double bound_s)
{
  if ((bound_s + search->floor_s) * SW_BOUND_SLACK <= search->limit_s)
    return FALSE;
  search->out->bounded += sw_search_counts (search);
  return TRUE;
}

/* Whether the search, or the question that it is part of, was cancelled; it stops then. */
gboolean
sw_search_cancelled (SwSearch *search)
{
  const int *own = search->options.cancelled;

  if ((own != NULL && g_atomic_int_get (own) != 0) || sw_problem_is_cancelled (search->problem))
    {
      search->out->was_cancelled = TRUE;
      search->stop = TRUE;
    }
  return search->stop;
}

static gboolean
is_done (SwSearch *search)
{
  return sw_search_cancelled (search) || search->is_beaten
         || (search->found && search->pass == SW_PASS_FEASIBLE);
}

/* The largest group first: a smaller one never takes less memory. */
static void
walk_shard_groups (SwSearch *search, SwPoint *point, const SwListed *replicas, guint zero_stages)
{
  const guint *groups = &g_array_index (search->space->lists, guint, replicas->first);
  const gboolean pinned = sw_pins_has (&search->problem->pins, SW_DIM_SHARD_GROUP);
  const guint least = !pinned && point->strategy.zero_stage == 0 ? replicas->n - 1 : 0;

  for (guint i = replicas->n; i-- > least && !is_done (search);)
    {
      gboolean may_fit;

      point->strategy.shard_group = groups[i];
      may_fit = sw_point_evaluate (search, point, zero_stages);
      point->may_fit |= may_fit;
      if ((!may_fit && search->pass != SW_PASS_COMPLETE && sw_search_is_ordered (search->problem))
          || search->pass == SW_PASS_COARSE)
        {
          search->out->bounded += sw_search_counts (search) ? i : 0;
          return;
        }
    }
}

/* With one data-parallel rank for every parameter, all stages shard nothing: the lowest stands for
 * them, or the lowest that the framework wants for an offload. */
static gboolean
shards_nothing (const SwStrategy *strategy)
{
  return strategy->dp * strategy->cp == 1 && sw_strategy_edp (strategy) == 1;
}

/* ZeRO 1 costs little and takes much less memory than none: where there is a choice, it stands for
 * the others. */
static guint
zero_of_coarse (guint mask)
{
  return (mask & 1u << 1) != 0 ? 1 : g_bit_nth_msf (mask, -1);
}

/* Whether the highest stage, which zero_of_coarse() takes, fits wherever another does: what only
 * Megatron's, without buffers of its own, certainly does, unless it is to shard over a group that
 * Megatron has not. */
static gboolean
highest_is_least (const SwSearch *search, guint mask)
{
  const SwFramework framework = search->space->framework;

  return !search->keeps_nearest && !sw_pins_has (&search->problem->pins, SW_DIM_SHARD_GROUP)
         && mask == (1u << 0 | 1u << 1)
         && (framework == SW_FRAMEWORK_MEGATRON_CORE || framework == SW_FRAMEWORK_MEGATRON_2021);
}

/* Where the highest stage takes the least it comes first: what does not fit so does not fit. Where
 * nothing is sharded they are all asked together. */
static void
walk_zero_stages (SwSearch *search, SwPoint *point, const SwListed *replicas)
{
  const SwFrameworkRules *rules = search->space->rules;
  const guint mask = sw_pins_mask (&search->problem->pins, SW_DIM_ZERO,
                                   point->strategy.pp > 1 ? rules->zero_mask_pp : rules->zero_mask);
  const gboolean least_first = search->pass != SW_PASS_COMPLETE && highest_is_least (search, mask)
                               && sw_search_is_ordered (search->problem);
  const gboolean one = search->pass == SW_PASS_COARSE
                       || (search->pass == SW_PASS_FEASIBLE && least_first);

  if (shards_nothing (&point->strategy))
    {
      walk_shard_groups (search, point, replicas, mask);
      return;
    }
  for (guint i = 0; i <= 3 && !is_done (search); i++)
    {
      const guint stage = least_first && i < 2 ? 1 - i : i;

      if ((mask & (1u << stage)) == 0 || (one && stage != zero_of_coarse (mask)))
        continue;
      point->strategy.zero_stage = (guint8) stage;
      walk_shard_groups (search, point, replicas, 1u << stage);
      if (least_first && !point->may_fit)
        break;
    }
}

/* What of offload the framework has under the present schedule; what depends on the ZeRO stage is
 * checked there. */
static guint
list_offloads (SwSearch *search, const SwPoint *point)
{
  guint mask = sw_pins_mask (&search->problem->pins, SW_DIM_OFFLOAD,
                             search->space->rules->offload_mask | 1u << SW_OFFLOAD_NONE);
  SwStrategy strategy = point->strategy;

  strategy.zero_stage = 3;
  for (guint offload = SW_OFFLOAD_OPTIMIZER; offload <= SW_OFFLOAD_ACTIVATIONS; offload++)
    {
      strategy.offload = (guint8) offload;
      if ((mask & (1u << offload)) == 0
          || sw_rules_check_offload (search->free, &strategy) == SW_RULE_OK)
        continue;
      sw_search_reject (search, SW_RULE_FRAMEWORK_OFFLOAD);
      mask &= ~(1u << offload);
    }
  if (search->only_activations)
    mask &= 1u << SW_OFFLOAD_ACTIVATIONS;
  return mask;
}

/* Whether activations alone take too much, offloaded or not. */
static gboolean
activations_are_over (SwSearch *search, SwPoint *point)
{
  const guint of_activations = 1u << SW_OFFLOAD_ACTIVATIONS;

  if (search->pass == SW_PASS_COMPLETE || search->pass == SW_PASS_FEASIBLE)
    return FALSE;
  if ((point->offloads & ~of_activations) != 0
      && sw_point_activations_are_over (search, point, FALSE))
    point->offloads &= of_activations;
  if ((point->offloads & of_activations) != 0
      && sw_point_activations_are_over (search, point, TRUE))
    point->offloads &= ~of_activations;
  if (point->offloads != 0)
    return FALSE;
  search->out->bounded += sw_search_counts (search);
  return TRUE;
}

/* Room in the list of a complete search for all strategies of a schedule, so that nothing is
 * allocated among them. */
static void
make_room (SwSearch *search, const SwListed *replicas)
{
  const guint stages = 4, offloads = 4, room = stages * offloads * replicas->n;
  guint len = search->all->len;

  if (len + room > search->most_kept)
    {
      sw_search_keep_fastest (search, search->most_kept / 2);
      len = search->all->len;
    }
  g_array_set_size (search->all, len + room);
  g_array_set_size (search->all, len);
}

/* Level 2 rules are checked before the level above is walked. */
static void
walk_schedule (SwSearch *search, SwPoint *point, const SwListed *replicas, guint schedule,
               guint vpp)
{
  const SwFrameworkRules *rules = search->space->rules;
  const guint mask = point->strategy.pp > 1 ? rules->zero_mask_pp : rules->zero_mask;
  SwStrategy *strategy = &point->strategy;
  SwRule rule;

  strategy->schedule = (guint8) schedule;
  strategy->vpp = vpp;
  strategy->shard_group = strategy->dp;
  strategy->offload = SW_OFFLOAD_NONE;
  strategy->zero_stage = (guint8) (mask ? g_bit_nth_lsf (mask, -1) : 0);
  if (is_done (search)
      || sw_search_is_over (search,
                            sw_point_bound_s (search, point, sw_point_fill (point, schedule, vpp))
                                + point->phases_s))
    return;
  rule = sw_rules_check (search->free, strategy);
  if (rule != SW_RULE_OK)
    {
      sw_search_reject (search, rule);
      return;
    }
  if (!sw_point_begin_schedule (search, point))
    return;
  if (search->pass == SW_PASS_COMPLETE)
    make_room (search, replicas);
  point->offloads = list_offloads (search, point);
  if (point->offloads != 0 && !activations_are_over (search, point))
    walk_zero_stages (search, point, replicas);
  /* 1F1B keeps the fewest micro-batches of all schedules. What is too big under it is too big under
   * all of them, and with fewer replicas too: they shard less and keep no fewer micro-batches, so
   * that they are no nearer either. (But for those of sw_search_fewer_of_interest().) */
  point->is_too_big |= !point->may_fit && schedule == SW_SCHEDULE_1F1B
                       && search->pass != SW_PASS_COMPLETE && !is_done (search)
                       && sw_search_is_ordered (search->problem);
}

static gboolean
is_power_of_two (guint value)
{
  return (value & (value - 1)) == 0;
}

static void
walk_interleaved (SwSearch *search, SwPoint *point, const SwListed *stages,
                  const SwListed *replicas)
{
  const guint *chunks = &g_array_index (search->space->lists, guint, stages->first);

  if (stages->n > 0
      && sw_strategy_micro_batches (search->problem, &point->strategy) % stages->value != 0)
    {
      sw_search_reject (search, SW_RULE_VPP_MICRO_BATCHES);
      return;
    }
  for (guint i = 0; i < stages->n && !is_done (search); i++)
    if (search->pass != SW_PASS_COARSE || is_power_of_two (chunks[i]) || stages->n == 1)
      walk_schedule (search, point, replicas, SW_SCHEDULE_INTERLEAVED, chunks[i]);
}

static guint
schedules (const SwSearch *search, const SwStrategy *strategy)
{
  const guint one = 1u << SW_SCHEDULE_1F1B;
  const gboolean pinned = sw_pins_has (&search->problem->pins, SW_DIM_SCHEDULE)
                          || sw_pins_has (&search->problem->pins, SW_DIM_VPP);

  /* One stage: the schedule is of no effect, and one stands for all unless another is pinned. Where
   * memory alone matters, 1F1B keeps the fewest micro-batches of all. */
  if (!pinned
      && (strategy->pp == 1 || (!is_timed (search) && sw_search_is_ordered (search->problem))))
    return one;
  return sw_pins_mask (&search->problem->pins, SW_DIM_SCHEDULE,
                       search->space->rules->schedule_mask);
}

static void
walk_schedules (SwSearch *search, SwPoint *point, const SwListed *stages, const SwListed *replicas)
{
  static const guint order[] = { SW_SCHEDULE_1F1B, SW_SCHEDULE_ZERO_BUBBLE, SW_SCHEDULE_GPIPE };
  const SwPins *pins = &search->problem->pins;
  const gboolean only_interleaved = sw_pins_has (pins, SW_DIM_VPP) && pins->value.vpp > 1;
  const guint mask = schedules (search, &point->strategy);

  point->is_too_big = FALSE;
  point->least_missing_bytes = INFINITY;
  for (guint i = 0; i < G_N_ELEMENTS (order) && !only_interleaved && !point->is_too_big; i++)
    if ((mask & (1u << order[i])) != 0)
      walk_schedule (search, point, replicas, order[i], 1);
  if ((mask & (1u << SW_SCHEDULE_INTERLEAVED)) != 0 && !point->is_too_big)
    walk_interleaved (search, point, stages, replicas);
}

/* Whether the replicas divide the batch and the experts' ranks, and a pinned shard group them. */
static gboolean
replicas_divide (SwSearch *search, const SwStrategy *s)
{
  const SwPins *pins = &search->problem->pins;
  const guint64 ranks = (guint64) s->tp * s->cp * s->dp;

  if (search->problem->training.global_batch % ((guint64) s->dp * s->micro_batch) != 0)
    sw_search_reject (search, SW_RULE_BATCH);
  else if (ranks % ((guint64) s->etp * s->ep) != 0)
    sw_search_reject (search, SW_RULE_EP_WORLD);
  else if (sw_pins_has (pins, SW_DIM_SHARD_GROUP) && s->dp % pins->value.shard_group != 0)
    sw_search_reject (search, SW_RULE_SHARD_GROUP);
  else
    return TRUE;
  return FALSE;
}

/* With fewer replicas a stage has more to do, which outweighs that they have fewer stragglers: over
 * the limit with these is over it with all fewer. */
static gboolean
replicas_are_over (SwSearch *search, const SwPoint *point)
{
  const double fixed_s = search->problem->calibration->fixed_s;

  return sw_search_is_over (
      search,
      sw_search_bound_s (search, sw_point_work_s (search, point) - fixed_s, &point->strategy));
}

/* Whether a step's other phases take too long beside so many replicas. The more GPUs train, the
 * fewer are left to generate, where those are others. */
static gboolean
phases_are_over (SwSearch *search, SwPoint *point)
{
  point->phases_s = 0.0;
  if (search->generation == NULL || search->limit_s == INFINITY)
    return FALSE;
  point->phases_s = sw_point_phases_s (search, point);
  return sw_search_is_over (search, sw_point_work_s (search, point) + point->phases_s);
}

/* Every replica count, most first. */
void
sw_search_walk_replicas (SwSearch *search, SwPoint *point, const SwListed *stages, guint first)
{
  const GArray *all = search->space->replicas;

  for (guint i = first + 1; i-- > 0 && !is_done (search);)
    {
      const SwListed *replicas = &g_array_index (all, SwListed, i);
      guint fewer;

      point->strategy.dp = replicas->value;
      if (replicas_are_over (search, point))
        return;
      if (!replicas_divide (search, &point->strategy) || phases_are_over (search, point))
        continue;
      walk_schedules (search, point, stages, replicas);
      if (!point->is_too_big)
        continue;
      fewer = sw_search_fewer_of_interest (search, point, i);
      search->out->bounded += sw_search_counts (search) ? i - fewer : 0;
      i = fewer;
    }
}

/* Whether no schedule is fast enough, with the most replicas or with fewer: those have no less to
 * fill, and perhaps no stragglers. */
static gboolean
use_is_over (SwSearch *search, SwPoint *point, const SwListed *stages)
{
  const double work_s = sw_point_work_s (search, point);
  const double rest_s = MAX (point->micro_batch_s - point->stage_s, 0.0);
  SwStrategy one = point->strategy;
  double steady_s, fill_s;

  if (search->limit_s == INFINITY)
    return FALSE;
  /* Without stragglers, which take longer to work out, most are over it already. */
  if (sw_search_is_over (search, work_s)
      || sw_point_split_is_over (search, point, point->stage_s * stages->value + point->others_s))
    return TRUE;
  one.dp = 1;
  steady_s = sw_search_bound_s (search, work_s - search->problem->calibration->fixed_s,
                                &point->strategy);
  fill_s = sw_search_bound_s (search, sw_point_least_fill (search, point, stages) * rest_s, &one);
  return sw_search_is_over (search, steady_s + fill_s);
}

/* The best uses of the ranks come first; the first that is over the limit, however even its stages
 * are, ends the walk. */
static void
walk_stages (SwSearch *search, SwPoint *point)
{
  const GArray *uses = point->uses->uses, *all = search->space->stages;

  for (guint i = 0; i < uses->len && !is_done (search); i++)
    {
      const SwUse *use = &g_array_index (uses, SwUse, i);
      const SwListed *stages = &g_array_index (all, SwListed, use->stages);

      if (sw_search_is_over (search, point->micro_batch_s * use->weight))
        return;
      point->strategy.pp = stages->value;
      point->strategy.dp = g_array_index (search->space->replicas, SwListed, use->replicas).value;
      if (is_timed (search))
        point->stage_s = sw_point_stage_s (search, point, use->stages);
      if (use_is_over (search, point, stages)
          || (search->pass == SW_PASS_COARSE && !is_power_of_two (stages->value)
              && point->uses->ranks % stages->value != 0)
          || sw_search_is_below_floor (search, point->node, &point->strategy, use))
        continue;
      sw_search_walk_replicas (search, point, stages, use->replicas);
    }
}

/* The kinds of recomputation that are in question. */
static guint
recompute_mask (const SwSearch *search)
{
  const guint allowed = search->space->rules->recompute_mask | 1u << SW_RECOMPUTE_NONE;

  return sw_pins_mask (&search->problem->pins, SW_DIM_RECOMPUTE, allowed);
}

static void
walk_recompute (SwSearch *search, const SwNode *node, const SwLayerExperts *experts, SwPoint *point)
{
  const SwGroupNode *group = &g_array_index (search->nodes->groups, SwGroupNode, node->group);

  point->has_layer_memory = FALSE;
  if (is_timed (search))
    {
      sw_layer_compose (&group->base, experts, &point->strategy, &point->layer_time);
      sw_point_take_layers (search->problem, point);
      if (sw_search_is_over (
              search, sw_nodes_bound_s (search->spaces, &point->strategy, point->micro_batch_s)))
        return;
      if (sw_point_split_is_over (search, point, point->micro_batch_s))
        return;
      point->others_s = sw_point_others_s (search, point);
      if (sw_point_split_is_over (search, point, point->micro_batch_s + point->others_s))
        return;
    }
  walk_stages (search, point);
}

static void
walk_recomputes (SwSearch *search, const SwNode *node, const SwLayerExperts *experts)
{
  static const guint order[] = { SW_RECOMPUTE_FULL, SW_RECOMPUTE_NONE, SW_RECOMPUTE_SELECTIVE,
                                 SW_RECOMPUTE_FULL_LAYERS };
  const guint least = is_timed (search) ? 0 : sw_search_least_recomputes (search);
  const guint mask = least != 0 ? least : recompute_mask (search);
  SwPoint point;

  memset (&point, 0, offsetof (SwPoint, layer_memory));
  point.uses = sw_spaces_uses (search->spaces, &node->strategy);
  point.node = node;
  /* More stages, or pinned replicas, than there are ranks for. */
  reject_many (search, SW_RULE_WORLD_SIZE, point.uses->n_too_many);
  for (guint i = 0; i < G_N_ELEMENTS (order) && !is_done (search); i++)
    if ((mask & (1u << order[i])) != 0)
      {
        point.strategy = node->strategy;
        point.strategy.recompute = (guint8) order[i];
        point.strategy.full_layers = order[i] == SW_RECOMPUTE_FULL_LAYERS ? 1 : 0;
        search->only_activations = least != 0 && order[i] != SW_RECOMPUTE_FULL;
        walk_recompute (search, node, experts, &point);
      }
  search->only_activations = FALSE;
}

/* One level-1 point, with every recomputation. */
void
sw_search_walk_node (SwSearch *search, const SwNode *node)
{
  const SwGroupNode *group = &g_array_index (search->nodes->groups, SwGroupNode, node->group);
  SwLayerExperts experts;

  search->space = &search->spaces->by_framework[node->strategy.framework];
  search->straggler_share = MIN (sw_straggler_share (search->problem, node->strategy.framework),
                                 SW_MOST_STRAGGLER_SHARE);
  /* Where time says little yet, or never will because little fits, memory says it for many. */
  if ((search->few_fit || search->limit_s == INFINITY)
      && sw_search_family_is_below_floor (search, node))
    {
      search->out->bounded += sw_search_counts (search);
      return;
    }
  if (is_timed (search))
    sw_layer_experts (&group->base, &node->strategy, &experts);
  walk_recomputes (search, node, &experts);
}

/* Whether a level-1 point of a list that was made without the pins belongs to this walk. */
static gboolean
has_node (const SwSearch *search, const SwNode *node)
{
  static const SwDimension dimensions[] = { SW_DIM_TP,         SW_DIM_ETP, SW_DIM_CP,
                                            SW_DIM_CP_METHOD,  SW_DIM_EP,  SW_DIM_SP,
                                            SW_DIM_MICRO_BATCH };
  const SwPins *pins = &search->problem->pins;

  for (guint i = 0; i < G_N_ELEMENTS (dimensions); i++)
    if (sw_pins_has (pins, dimensions[i])
        && sw_strategy_get (&node->strategy, dimensions[i])
               != sw_strategy_get (&pins->value, dimensions[i]))
      return FALSE;
  return TRUE;
}

/* Whether a point differs from another by what seldom pays: one with as much tensor parallelism of
 * the experts as of the rest, without sequence parallelism, or with another exchange of context.
 * The coarse walk does without, unless they are pinned. */
static gboolean
is_variant (const SwSearch *search, const SwNode *node)
{
  const SwStrategy *s = &node->strategy;
  const SwPins *pins = &search->problem->pins;
  const SwFrameworkRules *rules = search->spaces->by_framework[s->framework].rules;

  if (s->tp > 1 && !s->sequence_parallel && rules->sp && !sw_pins_has (pins, SW_DIM_SP))
    return TRUE;
  if (search->problem->model.moe.experts > 0 && s->etp > 1 && rules->etp
      && !sw_pins_has (pins, SW_DIM_ETP))
    return TRUE;
  return s->cp > 1 && !sw_pins_has (pins, SW_DIM_CP_METHOD)
         && s->cp_method != g_bit_nth_lsf (rules->cp_method_mask, -1);
}

/* Walks the level-1 points in the order of their bounds, from number @first to before @end. Returns:
 * whether there may be more of interest from there on. */
gboolean
sw_search_walk (SwSearch *search, guint first, guint end)
{
  for (guint i = first; i < end && !is_done (search); i++)
    {
      const SwNode *node = sw_nodes_get (search->nodes, i);

      if (node == NULL)
        sw_search_cancelled (search); /* or the end */
      if (node == NULL || sw_search_is_over (search, node->bound_s))
        return FALSE;
      if (search->pass == SW_PASS_COARSE && is_variant (search, node))
        continue;
      if (!search->shared_nodes || has_node (search, node))
        sw_search_walk_node (search, node);
    }
  return !is_done (search);
}
