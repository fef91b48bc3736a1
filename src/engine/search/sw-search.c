/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes of a search: live with bounds, and complete, which can use several threads. */
#include "sw-search.h"
#include "sw-level.h"
#include "sw-search-point.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static void walk_replicas (SwSearch *search, SwPoint *point, const SwListed *stages, guint first);

/* The recomputation with the least memory: full, unless activations are offloaded, because then the
 * recomputed layer needs the most. */
static const guint least_recomputes[] = { SW_RECOMPUTE_FULL, SW_RECOMPUTE_SELECTIVE,
                                          SW_RECOMPUTE_NONE };

/* Number of these values that decide whether anything fits. 0: all of them, because full
 * recomputation is excluded. */
static guint
least_recomputes_mask (const SwSearch *search)
{
  const guint allowed = search->space->rules->recompute_mask | 1u << SW_RECOMPUTE_NONE;
  const guint full = 1u << SW_RECOMPUTE_FULL, first = 1u << SW_RECOMPUTE_FULL_LAYERS;
  const guint offloads = sw_pins_mask (&search->problem->pins, SW_DIM_OFFLOAD,
                                       search->space->rules->offload_mask);

  if ((allowed & full) == 0 || !sw_space_is_ordered (search->problem, search->space->framework)
      || sw_pins_has (&search->problem->pins, SW_DIM_RECOMPUTE))
    return 0;
  return (offloads & 1u << SW_OFFLOAD_ACTIVATIONS) != 0 ? allowed & ~first : full;
}

/* How many replica counts, from the smallest, may fit although number @at is too big: a single
 * replica has no communicator, as many as a pinned shard group have none between groups, and those
 * that leave GPUs of a node idle share its memory among fewer. */
static guint
fewer_of_interest (const SwSearch *search, const SwPoint *point, guint at)
{
  const SwPins *pins = &search->problem->pins;
  const SwStrategy *s = &point->strategy;
  guint most = sw_pins_has (pins, SW_DIM_SHARD_GROUP) ? pins->value.shard_group : 1;

  /* Whether a single replica would also be too big if these are: the communicators do not make the
   * difference. FSDP and Nanotron have buffers that a single replica does not need. If the nearest
   * are kept, every strategy counts. */
  if (!search->keeps_nearest && !sw_framework_is_fsdp (point->strategy.framework)
      && point->strategy.framework != SW_FRAMEWORK_NANOTRON
      && point->least_missing_bytes > sw_search_communicator_bytes (search))
    return 0;
  if (point->least_missing_bytes <= 0.0)
    most = MAX (most, (search->problem->cluster.gpus_per_node - 1) / (s->tp * s->cp * s->pp));
  return MIN (at, sw_space_replicas_within (search->space, most));
}

/* Results for one number of stages: the largest micro-batch known to fit, and the smallest that
 * does not fit; 0: none. */
typedef struct {
  guint fits, too_big;
} Known;

/* For the level-1 points that differ only in the micro-batch. */
typedef struct {
  guint any_fits;     /* for all numbers of stages, with the smallest micro-batch */
  Known by_stages[1]; /* as many as the space has */
} Row;

enum { NOT_KNOWN = G_MAXUINT };

/* The row of a level-1 point. */
static Row *
row_of (const SwSearch *search, const SwNode *node)
{
  gpointer *row;

  if (node->row >= search->floors->len)
    g_ptr_array_set_size (search->floors, (int) search->nodes->n_rows);
  row = &g_ptr_array_index (search->floors, node->row);
  if (*row == NULL)
    {
      *row = g_malloc0 (sizeof (Row) + search->space->stages->len * sizeof (Known));
      ((Row *) *row)->any_fits = NOT_KNOWN;
    }
  return *row;
}

static gboolean
asks_floor (const SwSearch *search)
{
  return search->floors != NULL && least_recomputes_mask (search) != 0;
}

/* Whether the stages fit with the strategy's micro-batch: with any of the recomputations that need
 * the least memory, every sharding and offload, and the most replicas or fewer. If one micro-batch
 * fits, all its divisors fit; if it does not, no multiple does. */
static gboolean
is_known_to_fit (SwSearch *search, const SwStrategy *strategy, const SwUse *use, Known *known)
{
  const SwListed *stages = &g_array_index (search->space->stages, SwListed, use->stages);
  const guint micro_batch = strategy->micro_batch;
  const guint ranks = search->problem->cluster.gpus / (strategy->tp * strategy->cp * stages->value);
  SwSearch *floor = search->floor;
  guint replicas, mask;
  SwPoint least;

  if (known->fits != 0 && known->fits % micro_batch == 0)
    return TRUE;
  if (known->too_big != 0 && micro_batch % known->too_big == 0)
    return FALSE;
  replicas = sw_space_most_replicas (search->problem, search->space, ranks, micro_batch);
  mask = least_recomputes_mask (search);
  floor->space = search->space;
  floor->found = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (least_recomputes) && !floor->found && replicas != G_MAXUINT;
       i++)
    if ((mask & (1u << least_recomputes[i])) != 0)
      {
        least.strategy = *strategy;
        least.strategy.recompute = (guint8) least_recomputes[i];
        least.strategy.full_layers = 0;
        least.has_layer_memory = least.has_kept_memory = FALSE;
        least.micro_batch_s = least.stage_s = least.others_s = least.phases_s = 0.0;
        least.split_fill = 0.0;
        floor->only_activations = i > 0;
        walk_replicas (floor, &least, stages, replicas);
      }
  if (floor->found)
    known->fits = MAX (known->fits, micro_batch);
  else if (known->too_big == 0 || micro_batch < known->too_big)
    known->too_big = micro_batch;
  return floor->found;
}

/* Whether no number of stages fits with the smallest micro-batch, so that all points that differ
 * only in micro-batch and recomputation can be skipped. Computed once for all of them. */
static gboolean
family_is_below_floor (SwSearch *search, const SwNode *node)
{
  SwStrategy smallest = node->strategy;
  const SwUses *uses;
  Row *row;

  if (!asks_floor (search))
    return FALSE;
  row = row_of (search, node);
  if (row->any_fits != NOT_KNOWN)
    return !row->any_fits;
  smallest.micro_batch = search->space->micro_batch.values[0];
  uses = sw_spaces_uses (search->spaces, &smallest);
  row->any_fits = FALSE;
  for (guint i = 0; i < uses->uses->len && !row->any_fits; i++)
    {
      const SwUse *use = &g_array_index (uses->uses, SwUse, i);

      smallest.pp = g_array_index (search->space->stages, SwListed, use->stages).value;
      row->any_fits = is_known_to_fit (search, &smallest, use, &row->by_stages[use->stages]);
    }
  return !row->any_fits;
}

/* Whether a use's stages need too much memory for every recomputation: with the smallest
 * micro-batch, which never needs more than others and is checked once for all, or with the current
 * one. */
static gboolean
is_below_floor (SwSearch *search, Row **row, const SwNode *node, const SwStrategy *strategy,
                const SwUse *use)
{
  SwStrategy smallest;
  Known *known;

  if (!asks_floor (search))
    return FALSE;
  if (*row == NULL)
    *row = row_of (search, node);
  known = &(*row)->by_stages[use->stages];
  if (known->fits == 0 || known->fits % strategy->micro_batch != 0)
    {
      smallest = *strategy;
      smallest.micro_batch = search->space->micro_batch.values[0];
      if (!is_known_to_fit (search, &smallest, use, known)
          || !is_known_to_fit (search, strategy, use, known))
        {
          search->out->bounded += sw_search_counts (search);
          return TRUE;
        }
    }
  return FALSE;
}

/* The walk visits all strategies by the three levels of sw-estimate.h. Level-1 points come in the
 * order of their lower bounds, so the first bound over the limit ends the walk. Within a point,
 * fewer replicas only mean more micro-batches, so the same holds for DP. */

/* Whether times matter; otherwise only memory does. */
static gboolean
is_timed (const SwSearch *search)
{
  return search->pass != SW_PASS_FEASIBLE;
}

static gboolean
is_done (SwSearch *search)
{
  return sw_search_cancelled (search) || search->is_beaten
         || (search->found && search->pass == SW_PASS_FEASIBLE);
}

/* The largest group first: a smaller one never needs less memory. */
static void
walk_shard_groups (SwSearch *search, SwPoint *point, const SwListed *replicas, guint zero_stages)
{
  const guint *groups = &g_array_index (search->space->lists, guint, replicas->first);
  const gboolean pinned = sw_pins_has (&search->problem->pins, SW_DIM_SHARD_GROUP);
  const guint least = !pinned && point->strategy.zero_stage == 0 ? replicas->n - 1 : 0;

  for (guint i = replicas->n; i-- > least && !is_done (search);)
    {
      gboolean may_fit;

      if ((search->problem->training.left_out & SW_UNTRIED_SHARD_GROUP) != 0 && !pinned
          && point->strategy.zero_stage > 0
          && !sw_usual_shard_group (search->problem, groups[i], point->strategy.dp,
                                    point->strategy.tp * point->strategy.cp))
        continue;
      point->strategy.shard_group = groups[i];
      may_fit = sw_point_evaluate (search, point, zero_stages);
      point->may_fit |= may_fit;
      if ((!may_fit && search->pass != SW_PASS_COMPLETE
           && sw_space_is_ordered (search->problem, search->space->framework))
          || search->pass == SW_PASS_COARSE)
        {
          search->out->bounded += sw_search_counts (search) ? i : 0;
          return;
        }
    }
}

/* If the highest stage needs the least memory it comes first, because then nothing fits if it does
 * not. If nothing is sharded, all stages are checked together. */
static void
walk_zero_stages (SwSearch *search, SwPoint *point, const SwListed *replicas)
{
  const SwFrameworkRules *rules = search->space->rules;
  const guint mask =
      sw_pins_mask (&search->problem->pins, SW_DIM_ZERO,
                    sw_framework_zero (rules, point->strategy.pp, point->strategy.ep));
  const SwFramework framework = search->space->framework;
  /* Whether the highest stage fits whenever another does: only certain for Megatron's, which has no
   * extra buffers, unless it must shard over a group that Megatron does not support. */
  const gboolean least_first =
      search->pass != SW_PASS_COMPLETE && !search->keeps_nearest
      && !sw_pins_has (&search->problem->pins, SW_DIM_SHARD_GROUP) && mask == (1u << 0 | 1u << 1)
      && (framework == SW_FRAMEWORK_MEGATRON_CORE || framework == SW_FRAMEWORK_MEGATRON_2021)
      && sw_space_is_ordered (search->problem, search->space->framework);
  const gboolean one = search->pass == SW_PASS_COARSE
                       || (search->pass == SW_PASS_FEASIBLE && least_first);
  /* ZeRO 1 costs little and takes much less memory than ZeRO 0, so if both are possible, only ZeRO
   * 1 is searched. */
  const guint that_one = (mask & 1u << 1) != 0 ? 1 : (guint) g_bit_nth_msf (mask, -1);

  /* With one data-parallel rank for every parameter, no stage shards anything. Only the lowest
   * stage is searched, or the lowest that the framework requires for an offload. */
  if (point->strategy.dp * point->strategy.cp == 1 && sw_strategy_edp (&point->strategy) == 1)
    {
      walk_shard_groups (search, point, replicas, mask);
      return;
    }
  for (guint i = 0; i <= 3 && !is_done (search); i++)
    {
      const guint stage = least_first && i < 2 ? 1 - i : i;

      if ((mask & (1u << stage)) == 0 || (one && stage != that_one))
        continue;
      point->strategy.zero_stage = (guint8) stage;
      walk_shard_groups (search, point, replicas, 1u << stage);
      if (least_first && !point->may_fit)
        break;
    }
}

/* Lists the offloads to try with the current schedule: those of the framework, unless activations
 * alone exceed the memory, offloaded or not. Conditions on the ZeRO stage are checked later.
 * Returns: whether there is any. */
static gboolean
list_offloads (SwSearch *search, SwPoint *point)
{
  const guint of_activations = 1u << SW_OFFLOAD_ACTIVATIONS;
  SwStrategy strategy = point->strategy;
  guint mask = sw_pins_mask (&search->problem->pins, SW_DIM_OFFLOAD,
                             ((search->problem->training.left_out & SW_UNTRIED_OFFLOAD) != 0
                                      && !sw_pins_has (&search->problem->pins, SW_DIM_OFFLOAD)
                                  ? 0
                                  : search->space->rules->offload_mask)
                                 | 1u << SW_OFFLOAD_NONE);

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
    mask &= of_activations;
  point->offloads = mask;
  if (mask == 0 || search->pass == SW_PASS_COMPLETE || search->pass == SW_PASS_FEASIBLE)
    return mask != 0;
  if ((mask & ~of_activations) != 0 && sw_point_activations_are_over (search, point, FALSE))
    point->offloads &= of_activations;
  if ((point->offloads & of_activations) != 0
      && sw_point_activations_are_over (search, point, TRUE))
    point->offloads &= ~of_activations;
  if (point->offloads == 0)
    search->out->bounded += sw_search_counts (search);
  return point->offloads != 0;
}

/* Level 2 rules are checked before the level above is walked. */
static void
walk_schedule (SwSearch *search, SwPoint *point, const SwListed *replicas, guint schedule,
               guint vpp)
{
  const SwFrameworkRules *rules = search->space->rules;
  const guint mask = sw_framework_zero (rules, point->strategy.pp, point->strategy.ep);
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
    {
      /* Reserves space in the list of a complete search for all strategies of a schedule, so that
       * nothing is allocated in between. */
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
  if (list_offloads (search, point))
    walk_zero_stages (search, point, replicas);
  /* 1F1B keeps the fewest micro-batches of all schedules. A strategy that does not fit with it does
   * not fit with any schedule, nor with fewer replicas: they shard less and keep at least as many
   * micro-batches, so they are not closer to fitting. (Except those of fewer_of_interest().) */
  point->is_too_big |= !point->may_fit && schedule == SW_SCHEDULE_1F1B
                       && search->pass != SW_PASS_COMPLETE && !is_done (search)
                       && sw_space_is_ordered (search->problem, search->space->framework);
}

static gboolean
is_power_of_two (guint value)
{
  return (value & (value - 1)) == 0;
}

static void
walk_schedules (SwSearch *search, SwPoint *point, const SwListed *stages, const SwListed *replicas)
{
  static const guint order[] = { SW_SCHEDULE_1F1B, SW_SCHEDULE_ZERO_BUBBLE, SW_SCHEDULE_GPIPE };
  const SwPins *pins = &search->problem->pins;
  const gboolean only_interleaved = sw_pins_has (pins, SW_DIM_VPP) && pins->value.vpp > 1;
  guint mask = sw_pins_mask (pins, SW_DIM_SCHEDULE, search->space->rules->schedule_mask);

  if ((search->problem->training.left_out & SW_UNTRIED_SCHEDULE) != 0 && point->strategy.pp > 1
      && !sw_pins_has (pins, SW_DIM_SCHEDULE))
    mask &= SW_USUAL_SCHEDULES;
  /* With one stage the schedule has no effect, so one schedule is searched unless another is
   * pinned. If only memory matters, 1F1B keeps the fewest micro-batches. */
  if (!sw_pins_has (pins, SW_DIM_SCHEDULE) && !sw_pins_has (pins, SW_DIM_VPP)
      && (point->strategy.pp == 1
          || (!is_timed (search)
              && sw_space_is_ordered (search->problem, search->space->framework))))
    mask = 1u << SW_SCHEDULE_1F1B;

  point->is_too_big = FALSE;
  point->least_missing_bytes = INFINITY;
  for (guint i = 0; i < G_N_ELEMENTS (order) && !only_interleaved && !point->is_too_big; i++)
    if ((mask & (1u << order[i])) != 0)
      walk_schedule (search, point, replicas, order[i], 1);
  if ((mask & (1u << SW_SCHEDULE_INTERLEAVED)) != 0 && !point->is_too_big)
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
}

/* Whether the replicas divide neither the batch nor the experts' ranks, or a pinned shard group
 * does not divide them; or the other phases of a step are too slow. The more GPUs train, the fewer
 * are left for separate generation. */
static gboolean
replicas_are_out (SwSearch *search, SwPoint *point)
{
  const SwPins *pins = &search->problem->pins;
  const SwStrategy *s = &point->strategy;
  const guint64 ranks = (guint64) s->tp * s->cp * s->dp;
  SwRule rule = SW_RULE_OK;

  if (search->problem->training.global_batch % ((guint64) s->dp * s->micro_batch) != 0)
    rule = SW_RULE_BATCH;
  else if (ranks % ((guint64) s->etp * s->ep) != 0)
    rule = SW_RULE_EP_WORLD;
  else if (sw_pins_has (pins, SW_DIM_SHARD_GROUP) && s->dp % pins->value.shard_group != 0)
    rule = SW_RULE_SHARD_GROUP;
  if (rule != SW_RULE_OK)
    {
      sw_search_reject (search, rule);
      return TRUE;
    }
  point->phases_s = 0.0;
  if (search->generation == NULL || search->limit_s == INFINITY)
    return FALSE;
  point->phases_s = sw_point_phases_s (search, point);
  return sw_search_is_over (search, sw_point_work_s (search, point) + point->phases_s);
}

/* Every replica count, most first. */
static void
walk_replicas (SwSearch *search, SwPoint *point, const SwListed *stages, guint first)
{
  const double fixed_s = search->problem->calibration->fixed_s;
  const GArray *all = search->space->replicas;

  for (guint i = first + 1; i-- > 0 && !is_done (search);)
    {
      const SwListed *replicas = &g_array_index (all, SwListed, i);
      guint fewer;

      point->strategy.dp = replicas->value;
      /* With fewer replicas, each stage has more work, which outweighs fewer stragglers: if these
       * exceed the limit, all fewer do. */
      if (sw_search_is_over (search,
                             sw_search_bound_s (search, sw_point_work_s (search, point) - fixed_s,
                                                &point->strategy)))
        return;
      if (replicas_are_out (search, point))
        continue;
      walk_schedules (search, point, stages, replicas);
      if (!point->is_too_big)
        continue;
      fewer = fewer_of_interest (search, point, i);
      search->out->bounded += sw_search_counts (search) ? i - fewer : 0;
      i = fewer;
    }
}

/* Whether no schedule is fast enough with the most replicas or fewer: fewer replicas have at least
 * the same fill time, and possibly no stragglers. */
static gboolean
use_is_over (SwSearch *search, SwPoint *point, const SwListed *stages)
{
  const double work_s = sw_point_work_s (search, point);
  const double rest_s = MAX (point->micro_batch_s - point->stage_s, 0.0);
  SwStrategy one = point->strategy;
  double steady_s, fill_s;

  if (search->limit_s == INFINITY)
    return FALSE;
  /* Most exceed the limit even without stragglers, which are slower to compute. */
  if (sw_search_is_over (search, work_s)
      || sw_point_split_is_over (search, point, point->stage_s * stages->value + point->others_s))
    return TRUE;
  one.dp = 1;
  steady_s = sw_search_bound_s (search, work_s - search->problem->calibration->fixed_s,
                                &point->strategy);
  fill_s = sw_search_bound_s (search, sw_point_least_fill (search, point, stages) * rest_s, &one);
  return sw_search_is_over (search, steady_s + fill_s);
}

/* The best uses of the ranks come first; the first over the limit, even with perfectly even stages,
 * ends the walk. */
static void
walk_stages (SwSearch *search, SwPoint *point)
{
  const GArray *uses = point->uses->uses, *all = search->space->stages;
  Row *row = NULL; /* of the point: looked up on first use */

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
          || is_below_floor (search, &row, point->node, &point->strategy, use))
        continue;
      walk_replicas (search, point, stages, use->replicas);
    }
}

/* One level-1 point with the recomputation that @point has. */
static void
walk_recompute (SwSearch *search, const SwLayerBase *base, const SwLayerExperts *experts,
                SwPoint *point)
{
  point->has_layer_memory = FALSE;
  if (is_timed (search))
    {
      sw_layer_compose (base, experts, &point->strategy, &point->layer_time);
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

/* The same with the modules that recipes recompute instead of the framework's default. */
static void
walk_modules (SwSearch *search, SwPoint *point)
{
  guint sets[SW_MOST_MODULE_SETS];
  const guint n = sw_usual_modules (search->problem, (SwFramework) point->strategy.framework, sets);
  SwLayerExperts experts;
  SwLayerBase base;

  for (guint i = 1; i < n && !is_done (search); i++)
    {
      point->strategy.recompute_modules = sets[i];
      if (is_timed (search))
        {
          sw_layer_base (search->problem, &point->strategy, &base);
          sw_layer_experts (&base, &point->strategy, &experts);
        }
      walk_recompute (search, &base, &experts, point);
    }
  point->strategy.recompute_modules = 0;
}

/* Whether a point of shared nodes does not belong to this question. */
static gboolean
is_unasked (const SwSearch *search, const SwStrategy *strategy)
{
  const SwProblem *problem = search->problem;
  const SwPins *pins = &problem->pins;
  const guint left_out = problem->training.left_out;
  const SwFramework framework = (SwFramework) strategy->framework;

  return ((left_out & SW_UNTRIED_TP) != 0 && !sw_pins_has (pins, SW_DIM_TP)
          && !sw_usual_tp (problem, framework, strategy->tp))
         || ((left_out & SW_UNTRIED_CP) != 0 && !sw_pins_has (pins, SW_DIM_CP)
             && !sw_usual_cp (problem, strategy->cp))
         || ((left_out & SW_UNTRIED_EP) != 0 && !sw_pins_has (pins, SW_DIM_EP)
             && !sw_usual_ep (problem, framework, strategy->ep));
}

/* One level-1 point, with every recomputation in question. */
static void
walk_node (SwSearch *search, const SwNode *node)
{
  static const guint order[] = { SW_RECOMPUTE_FULL, SW_RECOMPUTE_NONE, SW_RECOMPUTE_SELECTIVE,
                                 SW_RECOMPUTE_FULL_LAYERS };
  const SwGroupNode *group = &g_array_index (search->nodes->groups, SwGroupNode, node->group);
  guint least, mask;
  SwLayerExperts experts;
  SwPoint point;

  if (is_unasked (search, &node->strategy))
    return;
  search->space = &search->spaces->by_framework[node->strategy.framework];
  search->straggler_share = MIN (sw_straggler_share (search->problem, node->strategy.framework),
                                 SW_MOST_STRAGGLER_SHARE);
  /* If time is not decisive yet, or never will be because little fits, memory excludes many
   * points. */
  if ((search->few_fit || search->limit_s == INFINITY) && family_is_below_floor (search, node))
    {
      search->out->bounded += sw_search_counts (search);
      return;
    }
  if (is_timed (search))
    sw_layer_experts (&group->base, &node->strategy, &experts);
  memset (&point, 0, offsetof (SwPoint, layer_memory));
  point.uses = sw_spaces_uses (search->spaces, &node->strategy);
  point.node = node;
  /* More stages, or more pinned replicas, than ranks. */
  sw_search_reject_many (search, SW_RULE_WORLD_SIZE, point.uses->n_too_many);
  least = is_timed (search) ? 0 : least_recomputes_mask (search);
  mask = least != 0 ? least
                    : sw_pins_mask (&search->problem->pins, SW_DIM_RECOMPUTE,
                                    sw_framework_recompute (search->space->rules, node->strategy.ep)
                                        | 1u << SW_RECOMPUTE_NONE);
  for (guint i = 0; i < G_N_ELEMENTS (order) && !is_done (search); i++)
    if ((mask & (1u << order[i])) != 0)
      {
        point.strategy = node->strategy;
        point.strategy.recompute = (guint8) order[i];
        point.strategy.full_layers = order[i] == SW_RECOMPUTE_FULL_LAYERS ? 1 : 0;
        search->only_activations = least != 0 && order[i] != SW_RECOMPUTE_FULL;
        walk_recompute (search, &group->base, &experts, &point);
        if (order[i] == SW_RECOMPUTE_SELECTIVE && least == 0
            && !sw_pins_has (&search->problem->pins, SW_DIM_RECOMPUTE))
          walk_modules (search, &point);
      }
  search->only_activations = FALSE;
}

/* Whether a point differs from another in a way that seldom pays: experts with the same tensor
 * parallel size as the rest, no sequence parallelism, or another method of context parallelism. The
 * coarse search skips such points unless they are pinned. */
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

/* Walks the level-1 points in the order of their bounds, from @first to before @end. Returns:
 * whether later points may still matter. */
static gboolean
walk (SwSearch *search, guint first, guint end)
{
  static const SwDimension dimensions[] = { SW_DIM_TP,         SW_DIM_ETP, SW_DIM_CP,
                                            SW_DIM_CP_METHOD,  SW_DIM_EP,  SW_DIM_SP,
                                            SW_DIM_MICRO_BATCH };
  const SwPins *pins = &search->problem->pins;

  for (guint i = first; i < end && !is_done (search); i++)
    {
      const SwNode *node = sw_nodes_get (search->nodes, i);
      gboolean belongs = TRUE;

      if (node == NULL)
        sw_search_cancelled (search); /* or the end */
      if (node == NULL || sw_search_is_over (search, node->bound_s))
        return FALSE;
      if (search->pass == SW_PASS_COARSE && is_variant (search, node))
        continue;
      /* A list created without the pins has points that do not belong to this walk. */
      for (guint d = 0; d < G_N_ELEMENTS (dimensions) && search->shared_nodes && belongs; d++)
        belongs = !sw_pins_has (pins, dimensions[d])
                  || sw_strategy_get (&node->strategy, dimensions[d])
                         == sw_strategy_get (&pins->value, dimensions[d]);
      if (belongs)
        walk_node (search, node);
    }
  return !is_done (search);
}

/* For one thread; NULL for jobs without phases. */
static SwRlhfMemo *
memo_new (const SwProblem *problem)
{
  SwRlhfMemo *memo;

  if (problem->training.type != SW_TRAINING_RLHF)
    return NULL;
  memo = g_new (SwRlhfMemo, 1);
  sw_rlhf_memo_init (memo, problem);
  return memo;
}

static void
search_init (SwSearch *search, const SwProblem *problem, SwSearchResult *out)
{
  const double host_bytes = sw_cluster_host_bytes (&problem->cluster);

  memset (search, 0, sizeof *search);
  search->problem = problem;
  search->out = out;
  search->tokens_per_step = (double) problem->training.global_batch
                            * problem->training.sequence_length;
  search->memory_limit_bytes = problem->cluster.usable_bytes * problem->training.memory_target;
  search->host_limit_bytes = host_bytes > 0.0 ? host_bytes : INFINITY;
  search->offload_pays = sw_offload_may_pay (problem);
  search->memo = memo_new (problem);
  search->states = g_new0 (SwStatesMemo, 1);
  search->least_step_s = INFINITY;
}

static void
search_clear (SwSearch *search)
{
  sw_generation_floor_free (search->generation);
  g_free (search->memo);
  g_free (search->states);
}

/* Searches `nodes` with the values of its own pins. */
static void
take_nodes (SwSearch *search, SwNodes *nodes)
{
  search->nodes = nodes;
  search->free = &nodes->free;
  search->spaces = nodes->spaces;
}

/* Counts strategies that were rejected while the level-1 points were created. */
static void
count_rejected_nodes (SwSearch *search, const SwNodes *nodes)
{
  for (guint i = 0; i < SW_N_RULES; i++)
    {
      search->out->rejected[i] += nodes->rejected[i];
      search->out->tried += nodes->rejected[i];
    }
}

static void
walk_pass (SwSearch *search, SwPass pass, double limit_s)
{
  search->pass = pass;
  search->limit_s = limit_s;
  walk (search, 0, G_MAXUINT);
}

/* Whether anything fits, by a separate walk over level-1 points; its counts matter only if nothing
 * fits. */
static gboolean
fits_at_all (SwSearch *search)
{
  SwSearchResult *out = search->out;
  SwSearch own = *search;
  SwNodes *nodes = sw_nodes_new (search->problem, FALSE, search->options.cancelled);

  take_nodes (&own, nodes);
  own.shared_nodes = FALSE;
  own.floors = NULL; /* if nothing fits, the nearest are searched */
  own.keeps_nearest = TRUE;
  own.found = FALSE;
  walk_pass (&own, SW_PASS_FEASIBLE, INFINITY);
  count_rejected_nodes (&own, nodes);
  if (own.found)
    {
      out->n_nearest = 0;
      out->tried = out->fit = out->evaluated = out->bounded = 0;
      memset (out->rejected, 0, sizeof out->rejected);
    }
  search->stop |= own.stop;
  sw_nodes_free (nodes);
  return own.found;
}

/* Ranks with the minimum time known. FALSE: there is a shorter time, and nothing was counted. */
static gboolean
rank (SwSearch *search, double last_s)
{
  const SwSearchResult before = *search->out;

  search->n_best = 0;
  walk_pass (search, SW_PASS_RANK,
             MAX (last_s, search->least_step_s * (1.0 + SW_RANK_BAND) * SW_LIMIT_SLACK));
  if (!search->is_beaten || search->stop)
    return TRUE;
  *search->out = before;
  search->is_beaten = FALSE;
  return FALSE;
}

/* Level-1 points to walk before checking whether anything fits at all. */
enum { FIRST_NODES = 128 };

/* The coarse walk provides the limits for the other walks: neither the minimum time nor the time of
 * the last of the best exceeds its results. It usually finds the minimum, which is only searched
 * separately if ranking finds a shorter time and cannot continue. If anything fits, something
 * usually fits among the first level-1 points, long before the walk has visited everything.
 * Returns: whether anything fits. */
static gboolean
walk_timed (SwSearch *search)
{
  const SwProblem *problem = search->problem;
  SwSearchResult of_floor = { 0 };
  SwSearch floor;
  gboolean fits, more;

  if (problem->training.type == SW_TRAINING_RLHF)
    {
      /* Time of the phases that the bounds on training exclude. */
      search->generation = sw_generation_floor_new (problem);
      search->generation_floor_s = problem->training.rlhf_colocated
                                       ? sw_generation_floor_s (search->generation,
                                                                problem->cluster.gpus)
                                       : sw_generation_split_s (search->generation, 0.0);
      search->floor_s = search->generation_floor_s + sw_rlhf_floor_s (problem);
    }
  /* Searches for the least memory; nothing is counted. */
  floor = *search;
  floor.pass = SW_PASS_FEASIBLE;
  floor.limit_s = INFINITY;
  floor.out = &of_floor;
  search->floor = &floor;
  search->floors = g_ptr_array_new_with_free_func (g_free);
  search->pass = SW_PASS_COARSE;
  search->limit_s = INFINITY;
  search->found = FALSE;
  more = walk (search, 0, FIRST_NODES);
  fits = search->found || (!search->stop && fits_at_all (search));
  if (fits && !search->stop)
    {
      double last_s; /* the limit found by the coarse walk */

      if (more)
        walk (search, FIRST_NODES, G_MAXUINT);
      last_s = search->limit_s;
      search->few_fit = last_s == INFINITY;
      if (!rank (search, last_s))
        {
          walk_pass (search, SW_PASS_FASTEST, search->least_step_s * SW_LIMIT_SLACK);
          rank (search, last_s);
        }
      search->out->n_best = MIN (search->n_best, MAX (1, search->options.top));
    }
  g_clear_pointer (&search->floors, g_ptr_array_unref);
  search->floor = NULL;
  return fits;
}

/* Number of feasible strategies that a complete search keeps: 256 MiB. */
#define MOST_KEPT (1u << 22)

/* Shared by the threads of a complete search. */
typedef struct {
  guint n_nodes;
  int next; /* atomic: index of the first unclaimed level-1 point */
} Share;

typedef struct {
  SwSearch search;
  SwSearchResult out;
  Share *share;
  gboolean reports; /* runs in the caller's thread */
} Worker;

static gpointer
worker_run (gpointer data)
{
  Worker *self = data;
  SwSearch *search = &self->search;
  const guint n = self->share->n_nodes;
  guint taken;

  while (!sw_search_cancelled (search)
         && (taken = (guint) g_atomic_int_add (&self->share->next, 1)) < n)
    {
      /* All points exist already: the list does not change. */
      walk_node (search, sw_nodes_get (search->nodes, taken));
      if (self->reports && search->options.progress != NULL)
        search->options.progress ((taken + 1.0) / n, search->options.progress_data);
    }
  return NULL;
}

static void
candidates_free (GArray *candidates)
{
  const gsize bytes = (gsize) candidates->len * sizeof (SwCandidate);

  sw_free_aside (g_array_free (candidates, FALSE), bytes);
}

static void
worker_merge (Worker *self, SwSearch *search)
{
  const SwCandidate *from = (const SwCandidate *) (gpointer) self->search.all->data;
  const guint stride = 1u << 14;
  SwSearchResult *out = search->out;

  /* Copies a thread's results in steps. */
  for (guint i = 0; i < self->search.all->len && !sw_search_cancelled (search); i += stride)
    g_array_append_vals (search->all, from + i, MIN (stride, self->search.all->len - i));
  candidates_free (self->search.all);
  sw_spaces_free (self->search.spaces);
  g_free (self->search.memo);
  g_free (self->search.states);
  out->tried += self->out.tried;
  out->timed += self->out.timed;
  out->fit += self->out.fit;
  out->evaluated += self->out.evaluated;
  for (guint i = 0; i < SW_N_RULES; i++)
    out->rejected[i] += self->out.rejected[i];
  sw_search_merge_nearest (search, &self->search);
  search->stop |= self->search.stop;
  out->was_cancelled |= self->out.was_cancelled;
}

static void
walk_complete (SwSearch *search)
{
  const guint n = CLAMP (search->options.threads, 1, 64);
  SwNodes *nodes = sw_nodes_new (search->problem, TRUE, search->options.cancelled);
  Share share = { sw_nodes_count (nodes), 0 };
  SwSearchResult *out = search->out;

  take_nodes (search, nodes);
  search->pass = SW_PASS_COMPLETE;
  search->keeps_nearest = TRUE;
  search->limit_s = INFINITY;
  if (!sw_search_cancelled (search))
    {
      Worker *workers = g_new (Worker, n);
      GThread **threads = g_new0 (GThread *, n);
      guint found = 0;

      for (guint i = 0; i < n; i++)
        {
          Worker *worker = &workers[i];

          /* Each thread has its own spaces and memo, which cache results. */
          memset (worker, 0, sizeof *worker);
          worker->search = *search;
          worker->search.out = &worker->out;
          worker->search.spaces = sw_spaces_new (search->problem);
          worker->search.memo = memo_new (search->problem);
          worker->search.states = g_new0 (SwStatesMemo, 1);
          worker->search.most_kept = MOST_KEPT / n;
          /* In one allocation, which costs nothing until it is filled; growing would copy. */
          worker->search.all = g_array_sized_new (FALSE, FALSE, sizeof (SwCandidate),
                                                  worker->search.most_kept);
          worker->share = &share;
          if (i > 0)
            threads[i] = g_thread_try_new ("search", worker_run, &workers[i], NULL);
        }
      workers[0].reports = TRUE;
      worker_run (&workers[0]);
      for (guint i = 0; i < n; i++)
        {
          if (threads[i] != NULL)
            g_thread_join (threads[i]);
          found += workers[i].search.all->len;
        }
      search->all = g_array_sized_new (FALSE, FALSE, sizeof (SwCandidate),
                                       search->stop ? 0 : found);
      for (guint i = 0; i < n; i++)
        worker_merge (&workers[i], search);
      g_free (workers);
      g_free (threads);
    }
  count_rejected_nodes (search, nodes);
  if (search->all != NULL)
    {
      if (!search->stop && (out->all = sw_search_rank_all (search)) != NULL)
        {
          out->n_all = search->all->len;
          out->n_best = MIN (out->n_all, MAX (1, search->options.top));
          memcpy (out->best, out->all, out->n_best * sizeof *out->best);
          if (search->options.progress != NULL)
            search->options.progress (1.0, search->options.progress_data);
        }
      candidates_free (search->all);
    }
  sw_nodes_free (nodes);
}

static void
run (const SwProblem *problem, const SwSearchOptions *options, SwNodes *shared, SwSearchResult *out)
{
  const gint64 start_us = g_get_monotonic_time ();
  SwProblem own = *problem;
  SwSearch search;

  if (own.cancelled == NULL)
    own.cancelled = options->cancelled;
  memset (out, 0, sizeof *out);
  search_init (&search, &own, out);
  search.options = *options;
  search.best = out->best = g_new0 (SwCandidate, sw_search_room (&search) + 1);
  if (sw_search_cancelled (&search))
    ; /* nothing is begun */
  else if (options->complete)
    walk_complete (&search);
  else if (shared != NULL)
    {
      /* Searches level-1 points of the same question with fewer pins. */
      SwSpaces *spaces = sw_spaces_new (&own);

      search.shared_nodes = TRUE;
      take_nodes (&search, shared);
      search.spaces = spaces;
      walk_timed (&search);
      sw_spaces_free (spaces);
    }
  else
    {
      /* Searches all level-1 points of the question. */
      SwNodes *nodes = sw_nodes_new (&own, TRUE, options->cancelled);

      take_nodes (&search, nodes);
      if (walk_timed (&search))
        count_rejected_nodes (&search, nodes);
      sw_nodes_free (nodes);
    }
  if (out->fit > 0 || search.stop)
    out->n_nearest = 0;
  /* The step times of the nearest are not needed to find them. */
  own.pins.mask = 0;
  own.training.micro_batch = 0;
  for (guint i = 0; i < out->n_nearest; i++)
    {
      SwCandidate *nearest = &out->nearest[i];
      SwEstimate estimate;

      sw_estimate (&own, &nearest->strategy, &estimate);
      *nearest = sw_search_candidate (&search, &nearest->strategy, estimate.time.step_s,
                                      estimate.memory.peak.total);
    }
  search_clear (&search);
  out->seconds = (g_get_monotonic_time () - start_us) / 1e6;
  g_debug ("Searched %u GPUs for %s: %" G_GUINT64_FORMAT " tried, %" G_GUINT64_FORMAT
           " fit, %.3f s%s",
           problem->cluster.gpus,
           shared != NULL      ? "a neighbor"
           : options->complete ? "all"
                               : "the best",
           out->tried, out->fit, out->seconds, out->was_cancelled ? ", cancelled" : "");
}

/**
 * sw_search:
 * @problem: prepared by sw_problem_prepare()
 * @options: see #SwSearchOptions
 * @out: (out caller-allocates): free with sw_search_result_clear()
 *
 * Walks every valid strategy within the pins and the memory target, and ranks those that fit: among
 * those within 3 % of the best step time, the simplest first (no offload, less recomputation, fewer
 * dimensions, less ZeRO, fewer virtual stages, more headroom), then the others by speed.
 * Without @options->complete, bounds exclude strategies that provably cannot be among the best, or,
 * if nothing fits, among the nearest; `bounded` counts how often. The search is deterministic except
 * for `seconds`, allocates nothing per strategy, and stops within 5 ms of being canceled.
 */
void
sw_search (const SwProblem *problem, const SwSearchOptions *options, SwSearchResult *out)
{
  run (problem, options, NULL, out);
}

/* sw_search() over `nodes` of the same problem with fewer pins. */
void
sw_search_prepared (const SwProblem *problem, const SwSearchOptions *options, SwNodes *nodes,
                    SwSearchResult *out)
{
  run (problem, options, nodes, out);
}

/* The largest cluster that can be planned. */
enum { MOST_GPUS = 131072 };

/* A size that reaches this share of the best rate per GPU of larger sizes is still sensible. */
#define SENSIBLE_SHARE 0.9

/**
 * sw_search_fits:
 * @problem: prepared by sw_problem_prepare()
 *
 * Returns: whether any strategy fits, by memory alone; stops at the first
 */
gboolean
sw_search_fits (const SwProblem *problem)
{
  SwProblem own = *problem;
  SwSearchResult out;
  SwSearch search;
  gboolean fits;

  memset (&out, 0, sizeof out);
  search_init (&search, &own, &out);
  fits = fits_at_all (&search);
  search_clear (&search);
  return fits;
}

/**
 * sw_search_fits_on:
 * @problem: a prepared question; its number of GPUs has no effect
 * @gpus: number of GPUs
 *
 * Returns: whether any strategy fits on them, by memory alone
 */
gboolean
sw_search_fits_on (const SwProblem *problem, guint gpus)
{
  SwProblem sized = *problem;

  sized.cluster.gpus = gpus;
  return sw_search_fits (&sized);
}

/**
 * sw_least_gpus:
 * @problem: a prepared question; its number of GPUs has no effect
 *
 * The smallest number of GPUs on which anything fits: any number within one node, else whole nodes.
 * A strategy that fits also fits on more GPUs, with the rest idle, so bisection is exact.
 *
 * Returns: the number; 0 if nothing fits on 131,072 GPUs
 */
guint
sw_least_gpus (const SwProblem *problem)
{
  const guint node = MAX (1, problem->cluster.gpus_per_node), most = MAX (1, MOST_GPUS / node);
  guint low = 0, high = 1;

  for (guint gpus = 1; gpus < node; gpus++)
    if (sw_search_fits_on (problem, gpus))
      return gpus;
  while (!sw_search_fits_on (problem, high * node))
    {
      if (high == most)
        return 0;
      low = high;
      high = MIN (2 * high, most);
    }
  while (high - low > 1)
    {
      const guint middle = low + (high - low) / 2;

      if (sw_search_fits_on (problem, middle * node))
        high = middle;
      else
        low = middle;
    }
  return high * node;
}

/**
 * sw_sensible_gpus:
 * @problem: a prepared question; its number of GPUs has no effect
 *
 * The smallest number of GPUs often requires full recomputation, offload or tiny micro-batches. The
 * sensible number is the smallest of its doublings (up to 64 times) without offload whose tokens
 * per second per GPU, and so its MFU, are at least 90 % of those of any larger doubling.
 *
 * Returns: the number; 0 if nothing fits, or nothing works well on any
 */
guint
sw_sensible_gpus (const SwProblem *problem)
{
  const SwSearchOptions options = { .top = 1 };
  const guint least = sw_least_gpus (problem);
  double rates[7] = { 0.0 }, best = 0.0;
  guint sensible = least, n = 0;
  SwProblem sized = *problem;

  if (least == 0)
    return 0;
  if (!sw_pins_has (&problem->pins, SW_DIM_OFFLOAD))
    {
      sized.pins.mask |= 1u << SW_DIM_OFFLOAD;
      sized.pins.value.offload = SW_OFFLOAD_NONE;
    }
  for (guint64 gpus = least; n < G_N_ELEMENTS (rates) && gpus <= MOST_GPUS; gpus *= 2, n++)
    {
      SwSearchResult result;
      SwEstimate estimate;

      /* Tokens per second per GPU of the best strategy, including idle GPUs; 0 if none fits, or its
       * GPUs wait most of the time. */
      sized.cluster.gpus = (guint) gpus;
      sw_search (&sized, &options, &result);
      if (result.n_best > 0)
        {
          sw_estimate (&sized, &result.best[0].strategy, &estimate);
          rates[n] = sw_estimate_hardly_works (&estimate)
                         ? 0.0
                         : 1.0 / (result.best[0].seconds_per_token * sized.cluster.gpus);
        }
      sw_search_result_clear (&result);
    }
  while (n-- > 0)
    {
      best = MAX (best, rates[n]);
      if (rates[n] > 0.0 && rates[n] >= SENSIBLE_SHARE * best)
        sensible = least << n;
    }
  return best > 0.0 ? sensible : 0;
}
