/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-estimate.h"
#include "shardwise-advice-private.h"
#include "shardwise-changes.h"
#include "shardwise-text-estimate.h"
#include "sw-framework.h"
#include "shardwise-resolve.h"

#include <glib/gi18n.h>

static gboolean
missing (const char *path, char *text, GError **error)
{
  g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_MISSING, path, "%s", text));
  g_free (text);
  return FALSE;
}

/* The one factor of the GPUs that was not given; DP may leave GPUs over, TP and PP may not. */
static gboolean
derive_factor (const SwProblem *problem, SwStrategy *strategy, SwDimension dimension,
               const char *path, guint known, GError **error)
{
  guint gpus = problem->cluster.gpus;

  if (dimension != SW_DIM_DP && gpus % known != 0)
    return missing (
        path,
        g_strdup_printf (
            _ ("is missing and does not follow from the others: %'u GPUs are no multiple of %'u"),
            gpus, known),
        error);
  sw_strategy_set (strategy, dimension, MAX (1, gpus / known));
  return TRUE;
}

/* TP x PP x CP x DP = GPUs: one of TP, PP and DP follows from the others; CP is 1 where it is not
 * given. */
static gboolean
derive_degrees (const SwProblem *problem, SwStrategy *strategy, GError **error)
{
  static const struct {
    SwDimension dimension;
    const char *path;
  } factors[] = {
    { SW_DIM_TP, "strategy.tp" },
    { SW_DIM_PP, "strategy.pp" },
    { SW_DIM_DP, "strategy.dp" },
  };
  guint known = strategy->cp, n_unknown = 0, unknown = 0;

  for (guint i = G_N_ELEMENTS (factors); i-- > 0;)
    if (sw_pins_has (&problem->pins, factors[i].dimension))
      known *= sw_strategy_get (strategy, factors[i].dimension);
    else
      {
        n_unknown++;
        unknown = i;
      }
  if (n_unknown == 0 || known == problem->cluster.gpus) /* what is not given is 1 already */
    return TRUE;
  if (n_unknown == 1)
    return derive_factor (problem, strategy, factors[unknown].dimension, factors[unknown].path,
                          known, error);
  return missing (factors[unknown].path,
                  g_strdup (_ ("is missing, accepted: two of tp, pp and dp, the third follows from "
                               "the GPUs; “advise” searches")),
                  error);
}

static guint8
default_zero (SwFramework framework)
{
  if (framework == SW_FRAMEWORK_FSDP || framework == SW_FRAMEWORK_FSDP2)
    return 3;
  return framework == SW_FRAMEWORK_MEGATRON_2021 ? 0 : 1;
}

static guint8
default_cp_method (const SwFrameworkRules *rules)
{
  for (guint8 i = 0; sw_cp_method_names[i] != NULL; i++)
    if ((rules->cp_method_mask & (1u << i)) != 0)
      return i;
  return SW_CP_RING;
}

/* What follows from the degrees or from what the framework does unasked. */
static void
derive_rest (const SwProblem *problem, SwStrategy *strategy)
{
  const SwPins *pins = &problem->pins;
  const SwFrameworkRules *rules = sw_framework_rules ((SwFramework) strategy->framework);

  if (!sw_pins_has (pins, SW_DIM_ETP))
    strategy->etp = strategy->tp;
  if (!sw_pins_has (pins, SW_DIM_SP))
    strategy->sequence_parallel = strategy->tp > 1 && rules->sp;
  if (!sw_pins_has (pins, SW_DIM_ZERO))
    strategy->zero_stage = default_zero ((SwFramework) strategy->framework);
  if (!sw_pins_has (pins, SW_DIM_SHARD_GROUP))
    strategy->shard_group = strategy->dp;
  if (!sw_pins_has (pins, SW_DIM_CP_METHOD))
    strategy->cp_method = default_cp_method (rules);
  if (!sw_pins_has (pins, SW_DIM_SCHEDULE))
    strategy->schedule = strategy->vpp > 1 ? SW_SCHEDULE_INTERLEAVED : SW_SCHEDULE_1F1B;
}

static void
note_assumed (const SwProblem *problem, const SwStrategy *strategy, GPtrArray *notes)
{
  GString *text = g_string_new (NULL);

  if (!sw_pins_has (&problem->pins, SW_DIM_RECOMPUTE))
    g_string_append_printf (text, "recompute %s", sw_recompute_names[strategy->recompute]);
  if (!sw_pins_has (&problem->pins, SW_DIM_ZERO) && strategy->dp > 1)
    g_string_append_printf (text, "%szero_stage %u", text->len > 0 ? ", " : "",
                            strategy->zero_stage);
  if (!sw_pins_has (&problem->pins, SW_DIM_SP) && strategy->tp > 1)
    g_string_append_printf (text, "%ssequence_parallel %s", text->len > 0 ? ", " : "",
                            strategy->sequence_parallel ? "true" : "false");
  if (problem->training.framework == SW_FRAMEWORK_ANY)
    g_string_append_printf (text, "%sframework %s", text->len > 0 ? ", " : "",
                            sw_framework_names[strategy->framework]);
  if (text->len > 0)
    /* Translators: a list of keys and values */
    g_ptr_array_add (notes, g_strdup_printf (_ ("Not stated, taken for granted: %s."), text->str));
  g_string_free (text, TRUE);
}

static gboolean
derive (const SwProblem *problem, SwStrategy *strategy, GError **error)
{
  *strategy = problem->pins.value;
  strategy->framework = (guint8) (problem->training.framework == SW_FRAMEWORK_ANY
                                      ? SW_FRAMEWORK_MEGATRON_CORE
                                      : problem->training.framework);
  strategy->micro_batch = problem->training.micro_batch;
  if (!derive_degrees (problem, strategy, error))
    return FALSE;
  if (strategy->micro_batch == 0)
    return missing ("strategy.micro_batch_size",
                    g_strdup (_ ("is missing, accepted: 1 to 65,536 sequences; “advise” searches")),
                    error);
  if (strategy->schedule == SW_SCHEDULE_INTERLEAVED && sw_pins_has (&problem->pins, SW_DIM_SCHEDULE)
      && !sw_pins_has (&problem->pins, SW_DIM_VPP))
    return missing (
        "strategy.vpp",
        g_strdup (_ ("is missing for an interleaved schedule, accepted: 2 or more virtual stages")),
        error);
  derive_rest (problem, strategy);
  return TRUE;
}

/**
 * shardwise_estimate_scenario:
 * @problem: (out): the question
 * @estimate: (out): of the strategy that @scenario states
 * @notes: (out) (transfer full) (optional): what is approximated, without effect or taken for
 * granted
 *
 * Returns: whether the scenario holds together and states a strategy; whether that fits is in
 * @estimate
 */
gboolean
shardwise_estimate_scenario (ShardwiseScenario *scenario, SwProblem *problem, SwEstimate *estimate,
                             GPtrArray **notes, GError **error)
{
  g_autoptr (GPtrArray) collected = NULL;
  SwStrategy strategy;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), FALSE);

  if (!shardwise_scenario_resolve (scenario, problem, &collected, error)
      || !derive (problem, &strategy, error))
    return FALSE;
  note_assumed (problem, &strategy, collected);
  sw_estimate (problem, &strategy, estimate);
  shardwise_note_estimate (collected, problem, estimate);
  if (notes != NULL)
    *notes = g_steal_pointer (&collected);
  return TRUE;
}

/* The strategy that was estimated, pinned whole, has no fitting neighbour: the advice on it names
 * what would fit. */
static void
set_nearest (JsonObject *object, ShardwiseScenario *scenario, const SwStrategy *strategy)
{
  const ShardwiseAdviceOptions options = { .explain = TRUE };
  g_autoptr (ShardwiseScenario) pinned = shardwise_scenario_copy (scenario);
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (JsonNode) node = NULL;

  if (shardwise_scenario_apply (
          pinned, shardwise_strategy_changes (strategy, SHARDWISE_ALL_DIMENSIONS), NULL))
    advice = shardwise_advice_compute (pinned, &options, NULL, NULL);
  if (advice == NULL)
    {
      json_object_set_array_member (object, "nearest", json_array_new ());
      return;
    }
  node = shardwise_advice_to_json (advice);
  json_object_set_member (
      object, "nearest",
      json_node_copy (json_object_get_member (json_node_get_object (node), "nearest")));
}

static void
set_tensors (JsonObject *object, const SwProblem *problem, const SwStrategy *strategy)
{
  JsonObject *memory = json_object_get_object_member (object, "memory");
  JsonArray *stages = json_object_get_array_member (memory, "stages");

  for (guint i = 0; i < json_array_get_length (stages); i++)
    json_object_set_array_member (json_array_get_object_element (stages, i), "tensors",
                                  shardwise_tensors_to_json (problem, strategy, i));
}

/**
 * shardwise_estimate_scenario_to_json:
 * @scenario: what was estimated
 *
 * Returns: (transfer full): the object of `estimate --json`, with the nearest measured run and the
 * tensors of every stage; where the strategy does not fit also "nearest", as of `advise --json`
 */
JsonNode *
shardwise_estimate_scenario_to_json (ShardwiseScenario *scenario, const SwProblem *problem,
                                     const SwEstimate *estimate, GPtrArray *notes)
{
  JsonNode *node = shardwise_estimate_to_json (problem, estimate, notes);

  set_tensors (json_node_get_object (node), problem, &estimate->strategy);
  if (!estimate->fits)
    set_nearest (json_node_get_object (node), scenario, &estimate->strategy);
  return node;
}
