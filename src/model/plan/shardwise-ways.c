/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways to train with fewer bytes per parameter, applied to a job. */
#include "shardwise-ways.h"

#include <glib/gi18n.h>

#include "shardwise-resolve.h"
#include "sw-means.h"

#define MOST_GPUS 16384

const ShardwiseWay shardwise_ways[SHARDWISE_N_WAYS] = {
  { "full, AdamW", N_ ("AdamW"), "{'training.type': <'finetune'>, 'training.optimizer': <'adamw'>}",
    TRUE, FALSE, FALSE },
  { "full, 8-bit Adam", N_ ("8-bit Adam"), "{'training.optimizer': <'adam8bit'>}", FALSE, FALSE,
    FALSE },
  { "full, 16-bit states, 8-bit Adam", N_ ("16-bit weights and gradients with 8-bit Adam"),
    "{'training.optimizer': <'adam8bit'>, 'training.states.parameters': <'bf16'>, "
    "'training.states.gradients': <'bf16'>, 'training.states.master': <'none'>}",
    FALSE, FALSE, FALSE },
  { "optimizer in host memory", N_ ("optimizer in host memory"),
    "{'strategy.offload': <'optimizer'>}", FALSE, FALSE, TRUE },
  { "optimizer and parameters in host memory", N_ ("optimizer and parameters in host memory"),
    "{'strategy.offload': <'optimizer+params'>}", FALSE, FALSE, TRUE },
  { "LoRA", N_ ("LoRA"), "{'training.type': <'lora'>}", FALSE, TRUE, FALSE },
  { "QLoRA", N_ ("QLoRA"), "{'training.type': <'qlora'>}", FALSE, TRUE, FALSE },
};

/* Whether the scenario already has @changes. */
static gboolean
is_so_already (ShardwiseScenario *scenario, GVariant *changes)
{
  GVariantIter iter;
  const char *path;
  GVariant *value;
  gboolean same = TRUE;

  g_variant_iter_init (&iter, changes);
  while (g_variant_iter_loop (&iter, "{&sv}", &path, &value))
    {
      g_autoptr (GVariant) now = shardwise_scenario_get (scenario, shardwise_key_find (path)->id);

      same = same && now != NULL && g_variant_equal (now, value);
    }
  return same;
}

/* Offload is only used if the user mentioned it. */
void
shardwise_keep_off_host (ShardwiseScenario *scenario)
{
  if (!shardwise_scenario_is_set (scenario, SHARDWISE_KEY_STRATEGY_OFFLOAD))
    shardwise_scenario_set (scenario, SHARDWISE_KEY_STRATEGY_OFFLOAD, g_variant_new_string ("none"),
                            NULL);
}

/**
 * shardwise_way_apply:
 * @self: a way to train
 * @scenario: not changed
 *
 * Returns: (transfer full) (nullable): the job trained this way, without offload that the user did
 *   not mention; adapters reset measures that only help full training. %NULL: the job is trained
 *   this way already, or has adapters, which it would not help
 */
ShardwiseScenario *
shardwise_way_apply (const ShardwiseWay *self, ShardwiseScenario *scenario)
{
  static const ShardwiseKeyId freed[] = {
    SHARDWISE_KEY_STRATEGY_OFFLOAD,           SHARDWISE_KEY_TRAINING_OPTIMIZER,
    SHARDWISE_KEY_TRAINING_STATES_PARAMETERS, SHARDWISE_KEY_TRAINING_STATES_GRADIENTS,
    SHARDWISE_KEY_TRAINING_STATES_MASTER,     SHARDWISE_KEY_TRAINING_STATES_MOMENTS
  };
  g_autoptr (GVariant) changes = g_variant_ref_sink (g_variant_new_parsed (self->changes));
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (scenario);
  g_autofree char *type = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_TRAINING_TYPE);
  const gboolean is_quantised = g_strcmp0 (type, "qlora") == 0,
                 has_adapter = is_quantised || g_strcmp0 (type, "lora") == 0;

  if (is_quantised || (has_adapter && !self->is_adapter) || is_so_already (scenario, changes)
      || !shardwise_scenario_apply (changed, changes, NULL))
    return NULL;
  for (guint i = 0; self->is_adapter && i < G_N_ELEMENTS (freed); i++)
    shardwise_scenario_reset (changed, freed[i]);
  shardwise_keep_off_host (changed);
  return g_steal_pointer (&changed);
}

/* The smallest number of GPUs on which a job certainly fits, regardless of its own number. */
guint
shardwise_least_gpus (ShardwiseScenario *scenario)
{
  SwProblem problem;

  return shardwise_scenario_resolve_on (scenario, MOST_GPUS, &problem, NULL)
             ? sw_least_gpus_with (&problem, SW_MEANS_NONE, TRUE)
             : 0;
}
