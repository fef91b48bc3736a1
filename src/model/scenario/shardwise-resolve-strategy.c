/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The "strategy" section of a scenario: pinned dimensions, and what cannot be from the outset. */
#include "shardwise-scenario-private.h"

#include <glib/gi18n.h>
#include <string.h>

typedef struct {
  const char *path;
  SwDimension dimension;
  const char *const *names; /* of a word */
} Pin;

static const Pin pins[] = {
  { "strategy.tp", SW_DIM_TP, NULL },
  { "strategy.etp", SW_DIM_ETP, NULL },
  { "strategy.pp", SW_DIM_PP, NULL },
  { "strategy.vpp", SW_DIM_VPP, NULL },
  { "strategy.dp", SW_DIM_DP, NULL },
  { "strategy.cp", SW_DIM_CP, NULL },
  { "strategy.cp_method", SW_DIM_CP_METHOD, sw_cp_method_names },
  { "strategy.ep", SW_DIM_EP, NULL },
  { "strategy.sequence_parallel", SW_DIM_SP, NULL },
  { "strategy.zero_stage", SW_DIM_ZERO, NULL },
  { "strategy.shard_group", SW_DIM_SHARD_GROUP, NULL },
  { "strategy.micro_batch_size", SW_DIM_MICRO_BATCH, NULL },
  { "strategy.schedule", SW_DIM_SCHEDULE, sw_schedule_names },
  { "strategy.offload", SW_DIM_OFFLOAD, sw_offload_names },
};

static guint
module_mask (GVariant *value)
{
  g_autofree const char **words = value != NULL ? g_variant_get_strv (value, NULL) : NULL;
  guint mask = 0;

  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    mask |= 1u << sw_name_index (sw_recompute_module_names, words[i]);
  return mask;
}

/* What the "strategy" section fixes. */
void
shardwise_resolve_pins (ShardwiseScenario *self, SwPins *out)
{
  sw_strategy_init_default (&out->value);
  for (guint i = 0; i < G_N_ELEMENTS (pins); i++)
    if (shardwise_scenario_peek (self, pins[i].path) != NULL)
      {
        out->mask |= 1u << pins[i].dimension;
        sw_strategy_set (&out->value, pins[i].dimension,
                         pins[i].names != NULL
                             ? shardwise_resolve_word (self, pins[i].path, pins[i].names, 0)
                             : (guint) shardwise_scenario_peek_number (self, pins[i].path, 0));
      }

  const char *text = shardwise_scenario_peek_string (self, "strategy.recompute");

  out->value.recompute_modules =
      module_mask (shardwise_scenario_peek (self, "strategy.recompute_modules"));
  if (text == NULL)
    return;
  out->mask |= 1u << SW_DIM_RECOMPUTE;
  if (g_str_has_prefix (text, "full_layers:"))
    {
      out->value.recompute = SW_RECOMPUTE_FULL_LAYERS;
      out->value.full_layers = (guint) g_ascii_strtoull (text + strlen ("full_layers:"), NULL, 10);
    }
  else
    out->value.recompute = (guint8) sw_name_index (sw_recompute_names, text);
}

static gboolean
check_divides (const SwProblem *problem, SwDimension dimension, const char *path, guint total,
               const char *what, GError **error)
{
  guint value = sw_strategy_get (&problem->pins.value, dimension);
  g_autofree char *accepted = NULL;

  if (!sw_pins_has (&problem->pins, dimension) || total % value == 0)
    return TRUE;

  GString *text = g_string_new (NULL);

  for (guint i = 1; i <= MIN (total, problem->cluster.gpus) && text->len < 60; i++)
    if (total % i == 0)
      g_string_append_printf (text, text->len > 0 ? ", %u" : "%u", i);
  accepted = g_string_free (text, FALSE);
  return shardwise_resolve_fail (error, SHARDWISE_ERROR_INCONSISTENT, path,
                                 /* Translators: a degree, a count, what is counted ("attention
                                    heads"), then a list of numbers */
                                 g_strdup_printf (_ ("%u does not divide the %u %s, accepted: %s"),
                                                  value, total, what, accepted));
}

static gboolean
check_product (const SwProblem *problem, GError **error)
{
  static const struct {
    SwDimension dimension;
    const char *path;
  } factors[] = {
    { SW_DIM_TP, "strategy.tp" },
    { SW_DIM_PP, "strategy.pp" },
    { SW_DIM_CP, "strategy.cp" },
    { SW_DIM_DP, "strategy.dp" },
  };
  guint64 product = 1;

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    if (sw_pins_has (&problem->pins, factors[i].dimension))
      {
        guint value = sw_strategy_get (&problem->pins.value, factors[i].dimension);

        if (product * value > problem->cluster.gpus)
          {
            guint64 most = MAX (1, problem->cluster.gpus / product);
            g_autofree char *accepted = most > 1 ? g_strdup_printf (_ ("1 to %'.0f"), (double) most)
                                                 : g_strdup ("1");

            return shardwise_resolve_fail (
                error, SHARDWISE_ERROR_INCONSISTENT, factors[i].path,
                /* Translators: a degree, how many GPUs the degrees need together, how many there
                   are, the degrees that can be, as "1 to 4" */
                g_strdup_printf (
                    _ ("%u makes the degrees need %'.0f GPUs, more than the %'u there are, "
                       "accepted: %s"),
                    value, (double) product * value, problem->cluster.gpus, accepted));
          }
        product *= value;
      }
  return TRUE;
}

static gboolean
check_stages (const SwProblem *problem, GError **error)
{
  guint pp = problem->pins.value.pp;

  if (!sw_pins_has (&problem->pins, SW_DIM_PP) || pp <= problem->model.layers)
    return TRUE;
  return shardwise_resolve_fail (
      error, SHARDWISE_ERROR_INCONSISTENT, "strategy.pp",
      g_strdup_printf (_ ("%u stages are more than the %u layers, accepted: 1 to %u"), pp,
                       problem->model.layers, problem->model.layers));
}

static gboolean
check_experts (const SwProblem *problem, GError **error)
{
  if (!sw_pins_has (&problem->pins, SW_DIM_EP) || problem->pins.value.ep == 1)
    return TRUE;
  if (problem->model.moe.experts == 0)
    return shardwise_resolve_fail (error, SHARDWISE_ERROR_INCONSISTENT, "strategy.ep",
                                   g_strdup (_ ("the model has no experts, accepted: 1")));
  return check_divides (problem, SW_DIM_EP, "strategy.ep", problem->model.moe.experts,
                        _ ("experts"), error);
}

static gboolean
check_shard_group (const SwProblem *problem, GError **error)
{
  if (!sw_pins_has (&problem->pins, SW_DIM_DP))
    return TRUE;
  return check_divides (problem, SW_DIM_SHARD_GROUP, "strategy.shard_group", problem->pins.value.dp,
                        _ ("data-parallel ranks"), error);
}

static gboolean
check_batch (const SwProblem *problem, GError **error)
{
  guint batch = problem->training.global_batch, micro = problem->training.micro_batch;

  if (micro <= batch || batch == 0)
    return TRUE;
  return shardwise_resolve_fail (
      error, SHARDWISE_ERROR_INCONSISTENT,
      sw_pins_has (&problem->pins, SW_DIM_MICRO_BATCH) ? "strategy.micro_batch_size"
                                                       : "training.micro_batch_size",
      g_strdup_printf (_ ("%'u is more than the global batch of %'u sequences, accepted: 1 to %'u"),
                       micro, batch, batch));
}

/* Whether what is fixed can hold together, whatever the rest is; else @error names the key and what
 * it can be. */
gboolean
shardwise_resolve_check (const SwProblem *problem, GError **error)
{
  return check_divides (problem, SW_DIM_TP, "strategy.tp", problem->model.attention_heads,
                        _ ("attention heads"), error)
         && check_stages (problem, error) && check_experts (problem, error)
         && check_shard_group (problem, error) && check_product (problem, error)
         && check_batch (problem, error);
}
