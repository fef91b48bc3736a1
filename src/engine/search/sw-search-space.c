/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which values of each dimension the search walks.
 *
 * The space: TP over the divisors of the attention heads; CP over those of half the sequence; EP
 * over those of the experts, with ETP = TP or 1; PP over the divisors of the layers, or all up to
 * their number where stages may be uneven; DP over the divisors of the global batch (GPUs may stay
 * idle); shard groups over those of DP; micro-batches over the divisors of the global batch up to
 * SW_MICRO_BATCH_TOKENS. Sequence parallelism is on and off where TP > 1. Where nothing is sharded,
 * of each offload the lowest ZeRO stage that has it and fits stands for all. The smallest number of
 * layers that makes a strategy fit stands for all of first-N recomputation; beside offloaded
 * activations, which may be waited for, it is as many more as make it faster. Offload is tried of
 * strategies that do not fit without it; of those that do, where it leaves fewer of the first
 * layers to recompute, and of all where sw_offload_may_pay(): it makes no other faster. A pinned
 * dimension has its one value. Where the question is for what is proven, values of which
 * sw_untried() knows are left out. */
#include "sw-search-space.h"

#include "sw-level.h"
#include "sw-time.h"
#include "sw-split.h"

#include <stddef.h>
#include <string.h>

/* A micro-batch of more tokens than this gains nothing, because GEMMs already reach their rate; a
 * micro-batch of one sequence is always tried. */
#define SW_MICRO_BATCH_TOKENS (1u << 17)

/* A list of one value. */
void
sw_values_single (SwValues *values, guint value)
{
  values->n = 1;
  values->values[0] = value;
}

/**
 * sw_values_divisors:
 * @values: (out): the divisors, ascending
 * @number: at least 1
 * @at_most: larger divisors are omitted
 */
void
sw_values_divisors (SwValues *values, guint number, guint at_most)
{
  guint large[SW_MAX_VALUES], n_large = 0;

  values->n = 0;
  for (guint i = 1; (guint64) i * i <= number; i++)
    {
      if (number % i != 0)
        continue;
      if (i <= at_most)
        values->values[values->n++] = i;
      if (i != number / i && number / i <= at_most)
        large[n_large++] = number / i;
    }
  while (n_large > 0)
    values->values[values->n++] = large[--n_large];
}

/* Whether the dimension is pinned; if so, `values` is set to that value. */
gboolean
sw_pins_take (const SwPins *pins, SwDimension dimension, SwValues *values)
{
  if (!sw_pins_has (pins, dimension))
    return FALSE;
  sw_values_single (values, MAX (1, sw_strategy_get (&pins->value, dimension)));
  return TRUE;
}

/* `allowed` as a set of bits, restricted to the pinned value if there is one. */
guint
sw_pins_mask (const SwPins *pins, SwDimension dimension, guint allowed)
{
  if (!sw_pins_has (pins, dimension))
    return allowed;
  return allowed & 1u << sw_strategy_get (&pins->value, dimension);
}

static void
add_listed (SwSpace *space, GArray *to, guint value, const SwValues *values)
{
  const SwListed listed = { value, space->lists->len, values->n };

  g_array_append_vals (space->lists, values->values, values->n);
  g_array_append_val (to, listed);
}

/* Chunks per stage for interleaving: divisors of the layers, of the layers with embedding and head,
 * or of the stages before one with a heavier end (sw_split_has_chunks()); at least two. */
static void
list_chunks (const SwProblem *problem, const SwSpace *space, const SwSplit *split, SwValues *out)
{
  const guint layers = split->layers, pp = split->pp;

  out->n = 0;
  if (sw_pins_has (&problem->pins, SW_DIM_VPP))
    sw_values_single (out, problem->pins.value.vpp);
  else if (pp > 1 && layers % pp == 0)
    sw_values_divisors (out, layers / pp, layers / pp);
  else if (pp > 1 && space->rules->uneven_pp && (layers + 2) % pp != 0)
    {
      sw_values_divisors (out, split->between, layers / pp);
      while (out->n > 0 && !sw_split_has_chunks (split, out->values[out->n - 1]))
        out->n--;
    }
  if (!sw_pins_has (&problem->pins, SW_DIM_VPP) && pp > 1 && space->rules->uneven_pp
      && (layers + 2) % pp == 0)
    {
      const SwValues own = *out;
      SwValues uneven;
      guint i = 0, j = 0;

      /* The union of two ascending lists, ascending. */
      sw_values_divisors (&uneven, (layers + 2) / pp, layers / pp);
      out->n = 0;
      while ((i < own.n || j < uneven.n) && out->n < SW_MAX_VALUES)
        {
          const guint a = i < own.n ? own.values[i] : G_MAXUINT;
          const guint b = j < uneven.n ? uneven.values[j] : G_MAXUINT;

          out->values[out->n++] = MIN (a, b);
          i += a <= b;
          j += b <= a;
        }
    }
  if (out->n > 0 && out->values[0] <= 1)
    memmove (out->values, out->values + 1, --out->n * sizeof out->values[0]);
}

static void
add_stage (const SwProblem *problem, SwSpace *space, guint pp)
{
  const guint moe = sw_model_moe_layers (&problem->model);
  const SwStrategy strategy = { .pp = pp, .framework = space->framework };
  SwStageEnds ends;
  SwValues chunks;
  SwSplit split;

  sw_split (problem, &strategy, &split);
  list_chunks (problem, space, &split, &chunks);
  add_listed (space, space->stages, pp, &chunks);
  sw_stage_layer_kinds (problem, &strategy, 0, ends.first);
  sw_stage_layer_kinds (problem, &strategy, pp - 1, ends.last);
  ends.most[SW_LAYER_MOE] = (moe + pp - 1) / pp;
  ends.most[SW_LAYER_DENSE] = (problem->model.layers - moe + pp - 1) / pp;
  g_array_append_val (space->ends, ends);
}

/* Whether a number of stages is tried: all, or only those of recipes. */
static gboolean
takes_stages (const SwProblem *problem, const SwSpace *space, guint pp)
{
  return (problem->training.left_out & SW_UNTRIED_STAGES) == 0
         || sw_usual_pp (problem, space->framework, pp);
}

static void
prepare_stages (const SwProblem *problem, SwSpace *space)
{
  const guint layers = MAX (1, problem->model.layers);
  const guint most = MIN (layers, problem->cluster.gpus);
  SwValues values;

  if (sw_pins_take (&problem->pins, SW_DIM_PP, &values))
    add_stage (problem, space, values.values[0]);
  else if (space->rules->pp && space->rules->uneven_pp)
    {
      for (guint pp = 1; pp <= most && !sw_problem_is_cancelled (problem); pp++)
        if (takes_stages (problem, space, pp))
          add_stage (problem, space, pp);
    }
  else
    {
      sw_values_divisors (&values, layers, space->rules->pp ? most : 1);
      for (guint i = 0; i < values.n; i++)
        if (takes_stages (problem, space, values.values[i]))
          add_stage (problem, space, values.values[i]);
    }
}

static void
prepare_degree (const SwProblem *problem, SwDimension dimension, gboolean supported, guint number,
                SwValues *values)
{
  if (sw_pins_take (&problem->pins, dimension, values))
    return;
  sw_values_divisors (values, MAX (1, number), supported ? problem->cluster.gpus : 1);
}

/* Keeps only values that recipes use, if the question excludes others; the first value, 1, is one
 * of them. */
static void
keep_usual (const SwProblem *problem, SwFramework framework, SwDimension dimension,
            SwValues *values)
{
  const guint bit = dimension == SW_DIM_TP   ? SW_UNTRIED_TP
                    : dimension == SW_DIM_CP ? SW_UNTRIED_CP
                                             : SW_UNTRIED_EP;
  guint n = 0;

  if ((problem->training.left_out & bit) == 0 || sw_pins_has (&problem->pins, dimension))
    return;
  for (guint i = 0; i < values->n; i++)
    {
      const guint value = values->values[i];

      if (dimension == SW_DIM_TP   ? sw_usual_tp (problem, framework, value)
          : dimension == SW_DIM_CP ? sw_usual_cp (problem, value)
                                   : sw_usual_ep (problem, framework, value))
        values->values[n++] = value;
    }
  values->n = n;
}

/* Keeps the multiples of a number; without multiples, keeps the first value, which the rules then
 * reject. */
static void
keep_multiples (SwValues *values, guint number)
{
  guint n = 0;

  for (guint i = 0; i < values->n; i++)
    if (values->values[i] % number == 0)
      values->values[n++] = values->values[i];
  values->n = MAX (n, 1);
}

/* Lists the values of every dimension for a framework. */
static void
space_prepare (const SwProblem *problem, SwFramework framework, SwSpace *space)
{
  const SwFrameworkRules *rules = sw_framework_rules (framework);
  const SwTraining *training = &problem->training;
  SwValues values, groups;

  space->framework = framework;
  space->rules = rules;
  space->stages = g_array_new (FALSE, FALSE, sizeof (SwListed));
  space->ends = g_array_new (FALSE, FALSE, sizeof (SwStageEnds));
  space->replicas = g_array_new (FALSE, FALSE, sizeof (SwListed));
  space->lists = g_array_new (FALSE, FALSE, sizeof (guint));
  prepare_degree (problem, SW_DIM_TP, rules->tp, problem->model.attention_heads, &space->tp);
  prepare_degree (problem, SW_DIM_CP, rules->cp, problem->training.sequence_length / 2, &space->cp);
  prepare_degree (problem, SW_DIM_EP, rules->ep, problem->model.moe.experts, &space->ep);
  keep_usual (problem, framework, SW_DIM_TP, &space->tp);
  keep_usual (problem, framework, SW_DIM_CP, &space->cp);
  keep_usual (problem, framework, SW_DIM_EP, &space->ep);
  if (sw_pins_take (&problem->pins, SW_DIM_MICRO_BATCH, &space->micro_batch))
    ; /* its one value */
  else if (training->micro_batch > 0)
    sw_values_single (&space->micro_batch, training->micro_batch);
  else
    sw_values_divisors (&space->micro_batch, training->global_batch,
                        MAX (MAX (1, training->together),
                             SW_MICRO_BATCH_TOKENS / MAX (1, training->sequence_length)));
  if (space->micro_batch.n > 1)
    keep_multiples (&space->micro_batch, MAX (1, training->together));
  /* Replica counts, with the numbers of ranks that ZeRO may shard over: with hybrid sharding every
   * divisor except one, which shards nothing; otherwise all ranks. */
  prepare_degree (problem, SW_DIM_DP, !rules->one_gpu, training->global_batch, &values);
  for (guint i = 0; i < values.n; i++)
    {
      const guint dp = values.values[i];

      if (!sw_pins_take (&problem->pins, SW_DIM_SHARD_GROUP, &groups))
        {
          sw_values_divisors (&groups, dp, rules->hsdp ? dp : 0);
          if (groups.n < 2)
            sw_values_single (&groups, dp);
          else
            memmove (groups.values, groups.values + 1, --groups.n * sizeof groups.values[0]);
        }
      add_listed (space, space->replicas, dp, &groups);
    }
  prepare_stages (problem, space);
}

/* Whether a smaller micro-batch, more recomputation or more replicas never need more memory.
 * Exceptions: other phases of reinforcement learning have their own needs; gradients that
 * accumulate unsharded only exist with small micro-batches; and Hugging Face's Trainer has 16-bit
 * weights if FSDP does not wrap them. In these cases every strategy is tried. */
gboolean
sw_space_is_ordered (const SwProblem *problem, SwFramework framework)
{
  const SwTraining *training = &problem->training;

  return training->type != SW_TRAINING_RLHF
         && (training->software.on & SW_HAS (UNSHARDED_ACCUMULATION)) == 0
         && (framework != SW_FRAMEWORK_HF_TRAINER || training->states_stated || training->no_master
             || sw_training_is_adapter (training));
}

/* How the ranks of a level-1 point can be divided into stages and replicas, and the resulting lower
 * bound of a step. It depends on few values, which many points share. */

static int
compare_uses (gconstpointer a, gconstpointer b)
{
  const SwUse *left = a, *right = b;

  if (left->weight < right->weight || left->weight > right->weight)
    return left->weight < right->weight ? -1 : 1;
  return left->stages < right->stages ? -1 : left->stages > right->stages;
}

/* The number of replica counts that there are ranks for. */
guint
sw_space_replicas_within (const SwSpace *space, guint ranks)
{
  guint low = 0, high = space->replicas->len;

  while (low < high)
    {
      const guint middle = low + (high - low) / 2;

      if (g_array_index (space->replicas, SwListed, middle).value <= ranks)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* The index of the largest replica count within `ranks` for which each replica has a micro-batch.
 * If replicas are pinned and have none, the rule reports it. G_MAXUINT: not enough ranks. */
guint
sw_space_most_replicas (const SwProblem *problem, const SwSpace *space, guint ranks,
                        guint micro_batch)
{
  if (ranks == 0)
    return G_MAXUINT;
  for (guint i = sw_space_replicas_within (space, ranks); i-- > 0;)
    {
      const guint dp = g_array_index (space->replicas, SwListed, i).value;

      if (space->replicas->len == 1
          || problem->training.global_batch % ((guint64) dp * micro_batch) == 0)
        return i;
    }
  return space->replicas->len == 1 ? G_MAXUINT : 0;
}

/* Lower bound over all numbers of replicas. The largest number gives each replica the least work;
 * fewer replicas have fewer stragglers, but lose more than that, except for the fill time of the
 * pipeline. With fewer micro-batches than stages nothing interleaves; a step then takes at least
 * one micro-batch through all stages. */
static double
weight_of (const SwProblem *problem, const SwSpace *space, const SwStrategy *strategy,
           const SwListed *stages, guint dp)
{
  const double rounds = (double) problem->training.global_batch
                        / ((double) dp * strategy->micro_batch) / stages->value;
  const double others = 1.0 - 1.0 / stages->value;
  const double share = MIN (sw_straggler_share (problem, space->framework),
                            SW_MOST_STRAGGLER_SHARE);
  const double pipeline = (double) strategy->tp * strategy->cp * stages->value;
  const double one = sw_straggler_factor (problem, share, pipeline);
  const double steady = rounds * sw_straggler_factor (problem, share, pipeline * dp);
  double fill = 1.0;

  /* Filling a pipeline takes at least this share of one micro-batch through all other stages if
   * there are as many micro-batches as stages: 1 with 1F1B and GPipe, 1 / v interleaved, possibly
   * nothing with zero-bubble. */
  if ((space->rules->schedule_mask & 1u << SW_SCHEDULE_ZERO_BUBBLE) != 0)
    fill = 0.0;
  else if ((space->rules->schedule_mask & 1u << SW_SCHEDULE_INTERLEAVED) != 0 && stages->n > 0)
    fill = 1.0 / g_array_index (space->lists, guint, stages->first + stages->n - 1);
  fill *= others;
  if (rounds >= 1.0)
    return steady + fill * one;
  return MIN (steady + (fill > 0.0 ? others * one : 0.0), (1.0 + fill) * one);
}

/* How the space of the strategy's framework can use the ranks that tp and cp leave, with its
 * micro-batch. Cached. */
const SwUses *
sw_spaces_uses (SwSpaces *spaces, const SwStrategy *strategy)
{
  const SwProblem *problem = spaces->problem;
  const SwSpace *space = &spaces->by_framework[strategy->framework];
  const guint together = strategy->tp * strategy->cp, ranks = problem->cluster.gpus / together;
  const gint64 key = ((gint64) strategy->framework << 56) ^ ((gint64) together << 32)
                     ^ strategy->micro_batch;
  SwUses *uses = g_hash_table_lookup (spaces->uses, &key);

  if (uses != NULL)
    return uses;
  uses = g_new (SwUses, 1);
  *uses = (SwUses){ ranks, 0, g_array_new (FALSE, FALSE, sizeof (SwUse)) };
  for (guint i = 0; i < space->stages->len && !sw_problem_is_cancelled (problem); i++)
    {
      const SwListed *stages = &g_array_index (space->stages, SwListed, i);
      const guint replicas = sw_space_most_replicas (problem, space, ranks / stages->value,
                                                     strategy->micro_batch);
      SwUse use = { i, replicas, 0.0 };

      if (replicas == G_MAXUINT)
        {
          uses->n_too_many++;
          continue;
        }
      use.weight = weight_of (problem, space, strategy, stages,
                              g_array_index (space->replicas, SwListed, replicas).value);
      g_array_append_val (uses->uses, use);
    }
  g_array_sort (uses->uses, compare_uses);
  g_hash_table_insert (spaces->uses, g_memdup2 (&key, sizeof key), uses);
  return uses;
}

static void
uses_free (gpointer data)
{
  SwUses *uses = data;

  g_array_unref (uses->uses);
  g_free (uses);
}

/* The frameworks in question: bits 1 << SwFramework. ANY is the union of those in use, or those
 * usual for the job. Megatron-LM of 2021 is historical and only included on request; tools compute
 * like their engines. */
static guint
frameworks_in_question (const SwProblem *problem)
{
  SwFramework usual[SW_N_FRAMEWORKS];
  guint out = 0;

  if (problem->training.framework != SW_FRAMEWORK_ANY)
    return 1u << problem->training.framework;
  if (!problem->training.usual_frameworks)
    return ((1u << SW_N_ENGINES) - 1)
           & ~(1u << SW_FRAMEWORK_ANY | 1u << SW_FRAMEWORK_MEGATRON_2021);
  for (guint n = sw_usual_frameworks (problem, usual); n > 0; n--)
    out |= 1u << usual[n - 1];
  return out;
}

/* The spaces of the frameworks in question. @problem must outlive them. */
SwSpaces *
sw_spaces_new (const SwProblem *problem)
{
  SwSpaces *spaces = g_new (SwSpaces, 1);
  const guint asked = frameworks_in_question (problem);

  /* The values of a framework are large, and most frameworks are not in question: these are not
   * initialized. */
  for (guint i = 0; i < SW_N_FRAMEWORKS; i++)
    memset (&spaces->by_framework[i], 0, offsetof (SwSpace, tp));
  spaces->problem = problem;
  spaces->uses = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, uses_free);
  for (guint i = SW_FRAMEWORK_ANY + 1; i < SW_N_FRAMEWORKS; i++)
    if ((asked & 1u << i) != 0)
      space_prepare (problem, (SwFramework) i, &spaces->by_framework[i]);
  return spaces;
}

/* Frees the result of sw_spaces_new(). */
void
sw_spaces_free (SwSpaces *spaces)
{
  for (guint i = 0; i < SW_N_FRAMEWORKS; i++)
    {
      SwSpace *space = &spaces->by_framework[i];

      g_clear_pointer (&space->stages, g_array_unref);
      g_clear_pointer (&space->ends, g_array_unref);
      g_clear_pointer (&space->replicas, g_array_unref);
      g_clear_pointer (&space->lists, g_array_unref);
    }
  g_hash_table_unref (spaces->uses);
  g_free (spaces);
}
