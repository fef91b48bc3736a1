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
 * dimension has its one value. */
#include "sw-search-private.h"

#include <stddef.h>
#include <string.h>

/* A micro-batch of more tokens than this gains nothing: GEMMs have long reached their rate, and a
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
 * @at_most: larger divisors are left out
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

/* The union of two ascending lists, ascending. */
static void
merge_values (SwValues *values, const SwValues *other)
{
  const SwValues own = *values;
  guint i = 0, j = 0;

  values->n = 0;
  while ((i < own.n || j < other->n) && values->n < SW_MAX_VALUES)
    {
      const guint a = i < own.n ? own.values[i] : G_MAXUINT;
      const guint b = j < other->n ? other->values[j] : G_MAXUINT;

      values->values[values->n++] = MIN (a, b);
      i += a <= b;
      j += b <= a;
    }
}

/* Whether the dimension is pinned; then `values` is its value alone. */
gboolean
sw_pins_take (const SwPins *pins, SwDimension dimension, SwValues *values)
{
  if (!sw_pins_has (pins, dimension))
    return FALSE;
  sw_values_single (values, MAX (1, sw_strategy_get (&pins->value, dimension)));
  return TRUE;
}

/* `allowed` as a set of bits, restricted to the pinned value where there is one. */
guint
sw_pins_mask (const SwPins *pins, SwDimension dimension, guint allowed)
{
  if (!sw_pins_has (pins, dimension))
    return allowed;
  return allowed & 1u << sw_strategy_get (&pins->value, dimension);
}

static void
prepare_micro_batches (const SwProblem *problem, SwSpace *space)
{
  const SwTraining *training = &problem->training;
  const guint most = MAX (1, SW_MICRO_BATCH_TOKENS / MAX (1, training->sequence_length));

  if (sw_pins_take (&problem->pins, SW_DIM_MICRO_BATCH, &space->micro_batch))
    return;
  if (training->micro_batch > 0)
    sw_values_single (&space->micro_batch, training->micro_batch);
  else
    sw_values_divisors (&space->micro_batch, training->global_batch, most);
}

static void
add_listed (SwSpace *space, GArray *to, guint value, const SwValues *values)
{
  const SwListed listed = { value, space->lists->len, values->n };

  g_array_append_vals (space->lists, values->values, values->n);
  g_array_append_val (to, listed);
}

/* Chunks of a stage for interleaving: those of the layers, of the layers with embedding and head,
 * or of the stages before one whose end weighs more (sw_split_has_chunks()); at least two. */
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
      SwValues uneven;

      sw_values_divisors (&uneven, (layers + 2) / pp, layers / pp);
      merge_values (out, &uneven);
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

static void
prepare_stages (const SwProblem *problem, SwSpace *space)
{
  const guint layers = MAX (1, problem->model.layers);
  const guint most = MIN (layers, problem->cluster.gpus);
  SwValues values;

  if (sw_pins_take (&problem->pins, SW_DIM_PP, &values))
    add_stage (problem, space, values.values[0]);
  else if (space->rules->pp && space->rules->uneven_pp)
    for (guint pp = 1; pp <= most && !sw_problem_is_cancelled (problem); pp++)
      add_stage (problem, space, pp);
  else
    {
      sw_values_divisors (&values, layers, space->rules->pp ? most : 1);
      for (guint i = 0; i < values.n; i++)
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

/* Replica counts, with the numbers of ranks that ZeRO may shard over: with hybrid sharding every
 * divisor of them but one, which shards nothing; else all. */
static void
prepare_replicas (const SwProblem *problem, SwSpace *space)
{
  SwValues values, groups;

  prepare_degree (problem, SW_DIM_DP, TRUE, problem->training.global_batch, &values);
  for (guint i = 0; i < values.n; i++)
    {
      const guint dp = values.values[i];

      if (!sw_pins_take (&problem->pins, SW_DIM_SHARD_GROUP, &groups))
        {
          sw_values_divisors (&groups, dp, space->rules->hsdp ? dp : 0);
          if (groups.n < 2)
            sw_values_single (&groups, dp);
          else
            memmove (groups.values, groups.values + 1, --groups.n * sizeof groups.values[0]);
        }
      add_listed (space, space->replicas, dp, &groups);
    }
}

/* Lists the values of every dimension for a framework. */
static void
space_prepare (const SwProblem *problem, SwFramework framework, SwSpace *space)
{
  const SwFrameworkRules *rules = sw_framework_rules (framework);

  space->framework = framework;
  space->rules = rules;
  space->stages = g_array_new (FALSE, FALSE, sizeof (SwListed));
  space->ends = g_array_new (FALSE, FALSE, sizeof (SwStageEnds));
  space->replicas = g_array_new (FALSE, FALSE, sizeof (SwListed));
  space->lists = g_array_new (FALSE, FALSE, sizeof (guint));
  prepare_degree (problem, SW_DIM_TP, rules->tp, problem->model.attention_heads, &space->tp);
  prepare_degree (problem, SW_DIM_CP, rules->cp, problem->training.sequence_length / 2, &space->cp);
  prepare_degree (problem, SW_DIM_EP, rules->ep, problem->model.moe.experts, &space->ep);
  prepare_micro_batches (problem, space);
  prepare_replicas (problem, space);
  prepare_stages (problem, space);
}

static void
uses_free (gpointer data)
{
  SwUses *uses = data;

  g_array_unref (uses->uses);
  g_free (uses);
}

/* The spaces of the frameworks in question, by framework. ANY is the union over those in use;
 * Megatron-LM of 2021 is history and takes part only when it is asked for. @problem outlives them.
 */
SwSpaces *
sw_spaces_new (const SwProblem *problem)
{
  SwSpaces *spaces = g_new (SwSpaces, 1);
  const SwFramework asked = problem->training.framework;

  /* The values of a framework are large, and most frameworks are not in question: they are left as
   * they are. */
  for (guint i = 0; i < SW_N_FRAMEWORKS; i++)
    memset (&spaces->by_framework[i], 0, offsetof (SwSpace, tp));
  spaces->problem = problem;
  spaces->last_key = 0;
  spaces->last = NULL;
  spaces->uses = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, uses_free);
  for (guint i = SW_FRAMEWORK_ANY + 1; i < SW_N_FRAMEWORKS; i++)
    if (i == asked || (asked == SW_FRAMEWORK_ANY && i != SW_FRAMEWORK_MEGATRON_2021))
      space_prepare (problem, (SwFramework) i, &spaces->by_framework[i]);
  return spaces;
}

/* Frees what sw_spaces_new() made. */
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
