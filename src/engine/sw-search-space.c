/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which values of each dimension the search walks, and its level-1 points.
 *
 * The space: TP over the divisors of the attention heads; CP over those of half the sequence; EP
 * over those of the experts, with ETP = TP or 1; PP over the divisors of the layers, or all up to
 * their number where stages may be uneven; DP over the divisors of the global batch (GPUs may stay
 * idle); shard groups over those of DP; micro-batches over the divisors of the global batch up to
 * SW_MICRO_BATCH_TOKENS. Sequence parallelism is on whenever TP > 1, where the framework has it: it
 * never costs memory and hardly time. A pinned dimension has its one value. */
#include "sw-search-private.h"

#include <string.h>

/* A micro-batch of more tokens than this gains nothing: GEMMs have long reached their rate, and a
 * micro-batch of one sequence is always tried. */
#define SW_MICRO_BATCH_TOKENS (1u << 17)

#define RULE(name) (1u << SW_RULE_##name)

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
void
sw_values_merge (SwValues *values, const SwValues *other)
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

static gboolean
take_pin (const SwSearch *search, SwDimension dimension, SwValues *values)
{
  if (!sw_pins_has (&search->problem->pins, dimension))
    return FALSE;
  sw_values_single (values, MAX (1, sw_strategy_get (&search->problem->pins.value, dimension)));
  return TRUE;
}

/* `allowed` as a set of bits, restricted to the pinned value where there is one. */
guint
sw_search_mask (const SwSearch *search, SwDimension dimension, guint allowed)
{
  if (!sw_pins_has (&search->problem->pins, dimension))
    return allowed;
  return allowed & 1u << sw_strategy_get (&search->problem->pins.value, dimension);
}

static void
prepare_micro_batches (const SwSearch *search, SwSpace *space)
{
  const SwTraining *training = &search->problem->training;
  const guint most = MAX (1, SW_MICRO_BATCH_TOKENS / MAX (1, training->sequence_length));

  if (take_pin (search, SW_DIM_MICRO_BATCH, &space->micro_batch))
    return;
  if (training->micro_batch > 0)
    sw_values_single (&space->micro_batch, training->micro_batch);
  else
    sw_values_divisors (&space->micro_batch, training->global_batch, most);
}

static void
prepare_stages (const SwSearch *search, SwSpace *space)
{
  const guint layers = MAX (1, search->problem->model.layers);
  const guint most = MIN (layers, search->problem->cluster.gpus);

  if (take_pin (search, SW_DIM_PP, &space->pp))
    return;
  sw_values_divisors (&space->pp, layers, space->rules->pp ? most : 1);
  if (!space->rules->pp || !space->rules->uneven_pp)
    return;
  space->pp.n = MIN (most, SW_MAX_VALUES);
  for (guint i = 0; i < space->pp.n; i++)
    space->pp.values[i] = i + 1;
}

static void
prepare_degree (const SwSearch *search,
                SwDimension dimension,
                gboolean supported,
                guint number,
                SwValues *values)
{
  if (take_pin (search, dimension, values))
    return;
  sw_values_divisors (values, MAX (1, number), supported ? search->problem->cluster.gpus : 1);
}

/* Lists the values of every dimension for a framework. */
void
sw_search_space_prepare (SwSearch *search, SwFramework framework)
{
  const SwProblem *problem = search->problem;
  const SwFrameworkRules *rules = sw_framework_rules (framework);
  SwSpace *space = &search->spaces[framework];

  space->framework = framework;
  space->rules = rules;
  prepare_degree (search, SW_DIM_TP, rules->tp, problem->model.attention_heads, &space->tp);
  prepare_degree (search, SW_DIM_CP, rules->cp, problem->training.sequence_length / 2, &space->cp);
  prepare_degree (search, SW_DIM_EP, rules->ep, problem->model.moe.experts, &space->ep);
  prepare_degree (search, SW_DIM_DP, TRUE, problem->training.global_batch, &space->dp);
  prepare_stages (search, space);
  prepare_micro_batches (search, space);
}

/* A pinned choice that the framework never has rejects its whole space at once. */
static gboolean
has_pinned_choices (SwSearch *search, const SwFrameworkRules *rules)
{
  const struct
  {
    SwDimension dimension;
    guint allowed;
    SwRule rule;
  } choices[] = {
    { SW_DIM_ZERO, rules->zero_mask | rules->zero_mask_pp, SW_RULE_FRAMEWORK_ZERO },
    { SW_DIM_SCHEDULE, rules->schedule_mask, SW_RULE_FRAMEWORK_SCHEDULE },
    { SW_DIM_RECOMPUTE, rules->recompute_mask | 1u << SW_RECOMPUTE_NONE,
      SW_RULE_FRAMEWORK_RECOMPUTE },
    { SW_DIM_OFFLOAD, rules->offload_mask | 1u << SW_OFFLOAD_NONE, SW_RULE_FRAMEWORK_OFFLOAD },
  };

  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    if (sw_search_mask (search, choices[i].dimension, choices[i].allowed) == 0)
      {
        sw_search_reject (search, choices[i].rule);
        return FALSE;
      }
  return TRUE;
}

/* Chunks of a stage for interleaving: those of the layers, or of the layers with embedding and
 * head. */
void
sw_search_values_chunks (const SwSearch *search, guint pp, SwValues *out)
{
  const guint layers = search->problem->model.layers;
  SwValues uneven;

  if (take_pin (search, SW_DIM_VPP, out))
    return;
  out->n = 0;
  if (layers % pp == 0)
    sw_values_divisors (out, layers / pp, layers / pp);
  if (!search->space->rules->uneven_pp || (layers + 2) % pp != 0)
    return;
  sw_values_divisors (&uneven, (layers + 2) / pp, layers / pp);
  sw_values_merge (out, &uneven);
}

/* The numbers of ranks that ZeRO shards over: all, and with hybrid sharding every divisor of them
 * but one, which shards nothing. */
void
sw_search_values_shard_group (const SwSearch *search, const SwStrategy *strategy, SwValues *out)
{
  if (take_pin (search, SW_DIM_SHARD_GROUP, out))
    return;
  sw_values_single (out, strategy->dp);
  if (strategy->zero_stage == 0 || !search->space->rules->hsdp || strategy->dp == 1)
    return;
  sw_values_divisors (out, strategy->dp, strategy->dp);
  out->n--;
  memmove (out->values, out->values + 1, out->n * sizeof out->values[0]);
}

/* Whether `strategy` breaks none of `rules` first; counts it as rejected where it does. Rules that
 * further dimensions decide do not reject here. */
gboolean
sw_search_admits (SwSearch *search, const SwStrategy *strategy, guint32 rules)
{
  const SwRule rule = sw_rules_check (&search->free, strategy);

  if (rule == SW_RULE_OK || (rules & (1u << rule)) == 0)
    return TRUE;
  sw_search_reject (search, rule);
  return FALSE;
}

gboolean
sw_search_cancelled (SwSearch *search)
{
  const int *own = search->options.cancelled, *whole = search->problem->cancelled;

  if ((own != NULL && g_atomic_int_get (own) != 0)
      || (whole != NULL && g_atomic_int_get (whole) != 0))
    {
      search->out->was_cancelled = TRUE;
      search->stop = TRUE;
    }
  return search->stop;
}

/* No schedule or data parallelism makes a step shorter than the layers' own time, spread over all
 * GPUs. */
static void
add_node (SwSearch *search,
          const SwStrategy *strategy,
          const SwLayerTimePart part[SW_N_LAYER_KINDS])
{
  const SwProblem *problem = search->problem;
  const double replicas = problem->cluster.gpus / (strategy->tp * strategy->cp);
  const double micro_batches = (double) problem->training.global_batch / strategy->micro_batch;
  SwNode node = { 0.0, search->nodes->len, *strategy };

  if (part != NULL)
    node.bound_s = sw_search_layers_s (problem, part) * micro_batches / replicas;
  g_array_append_val (search->nodes, node);
}

/* Full recomputation never takes more memory than any other, so that it alone tells what fits at
 * all. */
static guint
recompute_mask (const SwSearch *search)
{
  const guint allowed = search->space->rules->recompute_mask | 1u << SW_RECOMPUTE_NONE;
  const guint full = allowed & 1u << SW_RECOMPUTE_FULL;

  if (!sw_search_is_timed (search) && full != 0
      && !sw_pins_has (&search->problem->pins, SW_DIM_RECOMPUTE))
    return full;
  return sw_search_mask (search, SW_DIM_RECOMPUTE, allowed);
}

/* What recomputation costs differs by the extra forward pass alone: one computation of the layer's
 * time gives the bounds of all kinds. Selective recomputation takes no less than none. */
static void
add_recomputes (SwSearch *search, SwStrategy *strategy)
{
  const guint mask = recompute_mask (search);
  const gboolean is_bounded = search->pass == SW_PASS_RANK;
  SwLayerTime time;

  strategy->recompute = SW_RECOMPUTE_NONE;
  if (sw_search_cancelled (search))
    return;
  if (is_bounded)
    sw_layer_time (search->problem, strategy, &time);
  for (guint i = SW_RECOMPUTE_NONE; i <= SW_RECOMPUTE_FULL_LAYERS; i++)
    {
      strategy->recompute = (guint8) i;
      strategy->full_layers = i == SW_RECOMPUTE_FULL_LAYERS ? 1 : 0;
      if ((mask & (1u << i)) == 0
          || !sw_search_admits (search, strategy, RULE (FRAMEWORK_RECOMPUTE)))
        continue;
      add_node (search, strategy,
                !is_bounded              ? NULL
                : i == SW_RECOMPUTE_FULL ? time.full
                                         : time.part);
    }
}

/* The smallest micro-batch never takes more memory than any other (one divides them all). */
static void
add_micro_batches (SwSearch *search, SwStrategy *strategy)
{
  const guint n = sw_search_is_timed (search) ? search->space->micro_batch.n : 1;

  for (guint i = 0; i < n && !search->stop; i++)
    {
      strategy->micro_batch = search->space->micro_batch.values[i];
      add_recomputes (search, strategy);
    }
}

static void
add_experts (SwSearch *search, SwStrategy *strategy)
{
  const guint32 rules = RULE (ETP) | RULE (EP_EXPERTS) | RULE (FRAMEWORK_EP);
  const gboolean moe = search->problem->model.moe.experts > 0;
  SwValues etp;

  if (!take_pin (search, SW_DIM_ETP, &etp))
    {
      sw_values_single (&etp, strategy->tp);
      if (moe && strategy->tp > 1 && search->space->rules->etp)
        etp.values[etp.n++] = 1;
    }
  for (guint i = 0; i < search->space->ep.n; i++)
    for (guint j = 0; j < etp.n; j++)
      {
        strategy->ep = search->space->ep.values[i];
        strategy->etp = etp.values[j];
        if (sw_search_admits (search, strategy, rules))
          add_micro_batches (search, strategy);
      }
}

static void
add_contexts (SwSearch *search, SwStrategy *strategy)
{
  const guint32 rules =
      RULE (CP_SEQUENCE) | RULE (CP_HEADS) | RULE (FRAMEWORK_CP) | RULE (WORLD_SIZE);
  const guint methods =
      sw_search_mask (search, SW_DIM_CP_METHOD,
                      search->space->rules->cp_method_mask ? search->space->rules->cp_method_mask
                                                           : 1u << SW_CP_RING);

  for (guint i = 0; i < search->space->cp.n; i++)
    for (guint method = SW_CP_RING; method <= SW_CP_ULYSSES; method++)
      {
        if ((methods & (1u << method)) == 0)
          continue;
        strategy->cp = search->space->cp.values[i];
        strategy->cp_method = (guint8) method;
        strategy->ep = strategy->etp = 1;
        if (sw_search_admits (search, strategy, rules))
          add_experts (search, strategy);
        if (strategy->cp == 1)
          break; /* one rank: the method is of no effect */
      }
}

static gboolean
sequence_parallel (const SwSearch *search, guint tp)
{
  if (sw_pins_has (&search->problem->pins, SW_DIM_SP))
    return search->problem->pins.value.sequence_parallel != 0;
  return tp > 1 && search->space->rules->sp;
}

static gboolean
keeps_pin (const SwSearch *search, const SwStrategy *strategy, SwDimension dimension)
{
  const SwPins *pins = &search->problem->pins;

  return !sw_pins_has (pins, dimension)
         || sw_strategy_get (strategy, dimension) == sw_strategy_get (&pins->value, dimension);
}

/* Whether a level-1 point of a list that was made without the pins, or for another pass, belongs to
 * this walk. */
gboolean
sw_search_has_node (const SwSearch *search, const SwNode *node)
{
  static const SwDimension dimensions[] = { SW_DIM_TP,       SW_DIM_ETP, SW_DIM_CP,
                                            SW_DIM_EP,       SW_DIM_SP,  SW_DIM_MICRO_BATCH,
                                            SW_DIM_RECOMPUTE };
  const SwStrategy *strategy = &node->strategy;

  if (!search->shared_nodes)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (dimensions); i++)
    if (!keeps_pin (search, strategy, dimensions[i]))
      return FALSE;
  if (!keeps_pin (search, strategy, SW_DIM_CP_METHOD))
    return FALSE;
  if (sw_search_is_timed (search))
    return TRUE;
  return strategy->micro_batch == search->spaces[strategy->framework].micro_batch.values[0]
         && (strategy->recompute == SW_RECOMPUTE_FULL
             || sw_pins_has (&search->problem->pins, SW_DIM_RECOMPUTE));
}

/* Adds the level-1 points of a framework to search->nodes. */
void
sw_search_space_nodes (SwSearch *search, SwFramework framework)
{
  const guint32 rules = RULE (TP_HEADS) | RULE (TP_KV_HEADS) | RULE (TP_WIDTH) | RULE (FRAMEWORK_TP)
                        | RULE (SEQUENCE_PARALLEL) | RULE (FRAMEWORK_SP) | RULE (PRECISION)
                        | RULE (WORLD_SIZE);
  SwSpace *space = &search->spaces[framework];
  SwStrategy strategy;

  sw_search_space_prepare (search, framework);
  search->space = space;
  if (!has_pinned_choices (search, space->rules))
    return;
  sw_strategy_init_default (&strategy);
  strategy.framework = (guint8) framework;
  strategy.zero_stage =
      (guint8) (space->rules->zero_mask ? g_bit_nth_lsf (space->rules->zero_mask, -1) : 0);
  strategy.recompute_modules = search->problem->pins.value.recompute_modules;
  for (guint i = 0; i < space->tp.n; i++)
    {
      strategy.tp = space->tp.values[i];
      strategy.cp = strategy.ep = 1;
      strategy.etp = strategy.tp;
      strategy.sequence_parallel = (guint8) sequence_parallel (search, strategy.tp);
      if (sw_search_admits (search, &strategy, rules))
        add_contexts (search, &strategy);
    }
}
