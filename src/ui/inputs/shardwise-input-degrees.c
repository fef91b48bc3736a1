/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-input-degrees.h"

#include "shardwise-input-option.h"
#include "shardwise-changes.h"
#include "shardwise-text-search.h"
#include "sw-rules.h"

/**
 * shardwise_input_dimension:
 * @id: a key
 * @dimension: (out): its dimension
 *
 * Returns: whether the key fixes a dimension of the strategy
 */
gboolean
shardwise_input_dimension (ShardwiseKeyId id, SwDimension *dimension)
{
  if (id == SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE)
    id = SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE;
  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    if (shardwise_dimension_key (i) == id)
      {
        *dimension = i;
        return TRUE;
      }
  return FALSE;
}

/* The rules that a parallel size can break whatever the other dimensions are. The search checks the
 * rules that depend on other dimensions and reports them in its answer. */
static gboolean
is_own_rule (SwDimension dimension, SwRule rule)
{
  switch ((guint) dimension)
    {
    case SW_DIM_TP:
      return rule == SW_RULE_TP_HEADS || rule == SW_RULE_TP_KV_HEADS || rule == SW_RULE_TP_WIDTH
             || rule == SW_RULE_FRAMEWORK_TP;
    case SW_DIM_PP: return rule == SW_RULE_PP_LAYERS || rule == SW_RULE_FRAMEWORK_PP;
    case SW_DIM_CP: return rule == SW_RULE_CP_SEQUENCE || rule == SW_RULE_FRAMEWORK_CP;
    case SW_DIM_EP: return rule == SW_RULE_EP_EXPERTS || rule == SW_RULE_FRAMEWORK_EP;
    default: return FALSE;
    }
}

static SwRule
broken_rule (const SwProblem *problem, SwDimension dimension, const SwStrategy *strategy)
{
  SwRule first = SW_RULE_OK;

  for (guint framework = 1; framework < SW_N_FRAMEWORKS; framework++)
    {
      SwStrategy candidate = *strategy;
      SwRule rule;

      if (problem->training.framework != SW_FRAMEWORK_ANY ? problem->training.framework != framework
                                                          : framework >= SW_N_ENGINES)
        continue;
      candidate.framework = (guint8) framework;
      rule = sw_rules_check (problem, &candidate);
      if (!is_own_rule (dimension, rule))
        return SW_RULE_OK;
      if (first == SW_RULE_OK)
        first = rule;
    }
  return first;
}

static char *
why_not (const SwProblem *problem, SwDimension dimension, guint value)
{
  SwStrategy strategy;
  SwRule rule;

  /* Checks the parallel size only with the pinned values, which is enough to see whether it can
   * work at all. */
  static const SwDimension degrees[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP, SW_DIM_DP };

  sw_strategy_init_default (&strategy);
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    if (sw_pins_has (&problem->pins, degrees[i]))
      sw_strategy_set (&strategy, degrees[i], sw_strategy_get (&problem->pins.value, degrees[i]));
  sw_strategy_set (&strategy, dimension, value);
  strategy.etp = strategy.tp;
  strategy.shard_group = strategy.dp;
  if (dimension == SW_DIM_EP)
    strategy.dp = MAX (strategy.dp, value);
  if (sw_strategy_gpus (&strategy) > problem->cluster.gpus)
    return shardwise_text_rule (problem, &strategy, SW_RULE_WORLD_SIZE, 0);
  rule = broken_rule (problem, dimension, &strategy);
  return rule != SW_RULE_OK ? shardwise_text_rule (problem, &strategy, rule, 0) : NULL;
}

/* The number whose divisors are offered in addition to powers of two; 0: none. */
static guint
natural_number (const SwProblem *problem, SwDimension dimension)
{
  switch ((guint) dimension)
    {
    case SW_DIM_TP: return problem->model.attention_heads;
    case SW_DIM_PP:
    case SW_DIM_VPP: return problem->model.layers;
    case SW_DIM_EP: return problem->model.moe.experts;
    default: return problem->cluster.gpus;
    }
}

static guint
largest (const SwProblem *problem, SwDimension dimension)
{
  const SwModelSpec *model = &problem->model;
  guint gpus = problem->cluster.gpus;

  switch ((guint) dimension)
    {
    case SW_DIM_TP:
    case SW_DIM_ETP: return MIN (gpus, 64);
    case SW_DIM_PP: return MIN (gpus, model->layers);
    case SW_DIM_VPP: return MIN (model->layers, 32);
    case SW_DIM_EP: return MIN (gpus, MAX (model->moe.experts, 1));
    case SW_DIM_CP: return MIN (gpus, 256);
    case SW_DIM_MICRO_BATCH: return 64;
    default: return gpus;
    }
}

/**
 * shardwise_input_degree_values:
 * @problem: the question
 * @dimension: a dimension with numbers as values
 * @out: (out): the useful values, in order
 *
 * Returns: their number
 */
guint
shardwise_input_degree_values (const SwProblem *problem, SwDimension dimension,
                               guint out[SHARDWISE_INPUT_MAX_DEGREES])
{
  guint first = dimension == SW_DIM_ZERO ? 0 : 1;
  guint last = dimension == SW_DIM_ZERO ? 3 : largest (problem, dimension);
  guint natural = natural_number (problem, dimension), n = 0;

  for (guint value = first; value <= last && n < SHARDWISE_INPUT_MAX_DEGREES; value++)
    {
      gboolean power_of_two = (value & (value - 1)) == 0;

      if (dimension == SW_DIM_ZERO || power_of_two || (natural > 0 && natural % value == 0))
        out[n++] = value;
    }
  return n;
}

/**
 * shardwise_input_degrees:
 * @problem: the question
 * @dimension: a dimension with numbers as values
 * @id: its key
 *
 * Returns: (transfer full): the #ShardwiseInputOption to choose from; options that cannot work for
 * this job are disabled and state the reason
 */
GListModel *
shardwise_input_degrees (const SwProblem *problem, SwDimension dimension, ShardwiseKeyId id)
{
  GListStore *store = g_list_store_new (SHARDWISE_TYPE_INPUT_OPTION);
  guint values[SHARDWISE_INPUT_MAX_DEGREES];
  guint n = shardwise_input_degree_values (problem, dimension, values);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *word = g_strdup_printf ("%u", values[i]);
      g_autofree char *reason = dimension != SW_DIM_ZERO ? why_not (problem, dimension, values[i])
                                                         : NULL;
      g_autoptr (ShardwiseInputOption) option = shardwise_input_option_new (
          word, shardwise_key_word_title (id, word), reason, reason == NULL);

      g_list_store_append (store, option);
    }
  return G_LIST_MODEL (store);
}
