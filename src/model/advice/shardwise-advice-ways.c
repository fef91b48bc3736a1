/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The single changes after which something fits, and those that do not suffice. */
#include "shardwise-resolve.h"
#include "shardwise-text-advice.h"

#define LEAST_SEQUENCE 1024 /* tokens */

/* A changed sequence keeps the batch in tokens, as the engine did when it tried it. */
static void
put_sequence (GVariantDict *dict, const SwProblem *problem, double length)
{
  double batch = problem->training.global_batch * (problem->training.sequence_length / length);

  g_variant_dict_insert (dict, "training.sequence_length", "x", (gint64) length);
  g_variant_dict_insert (dict, "training.global_batch_size", "x", (gint64) batch);
}

static void
put_unpinned (GVariantDict *dict)
{
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  for (guint i = 0; i < n_keys; i++)
    if (g_str_has_prefix (keys[i].path, "strategy."))
      g_variant_dict_insert (dict, keys[i].path, "s", "");
}

static void
put_change (GVariantDict *dict, const SwProblem *problem, const SwChange *change)
{
  switch (change->kind)
    {
    case SW_CHANGE_GPUS:
      g_variant_dict_insert (dict, "cluster.gpus", "x", (gint64) change->value);
      break;
    case SW_CHANGE_RECOMPUTE:
      g_variant_dict_insert (dict, "strategy.recompute", "s", "");
      g_variant_dict_insert (dict, "strategy.recompute_modules", "s", "");
      break;
    case SW_CHANGE_ZERO: g_variant_dict_insert (dict, "strategy.zero_stage", "s", ""); break;
    case SW_CHANGE_OFFLOAD: g_variant_dict_insert (dict, "strategy.offload", "s", ""); break;
    case SW_CHANGE_OPTIMIZER_8BIT:
      g_variant_dict_insert (dict, "training.optimizer", "s",
                             sw_optimizer_names[SW_OPTIMIZER_ADAM8BIT]);
      break;
    case SW_CHANGE_LORA:
      g_variant_dict_insert (dict, "training.type", "s", sw_training_type_names[SW_TRAINING_LORA]);
      break;
    case SW_CHANGE_QLORA:
      g_variant_dict_insert (dict, "training.type", "s", sw_training_type_names[SW_TRAINING_QLORA]);
      break;
    case SW_CHANGE_SEQUENCE: put_sequence (dict, problem, change->value); break;
    case SW_CHANGE_MICRO_BATCH:
      g_variant_dict_insert (dict, "training.micro_batch_size", "s", "");
      g_variant_dict_insert (dict, "strategy.micro_batch_size", "s", "");
      break;
    case SW_CHANGE_MEMORY_TARGET:
      g_variant_dict_insert (dict, "training.memory_target", "d", change->value);
      break;
    case SW_CHANGE_UNPIN: put_unpinned (dict); break;
    case SW_N_CHANGES:
    default: g_assert_not_reached ();
    }
}

static void
way_free (ShardwiseWayOut *way)
{
  g_free (way->name);
  g_free (way->change);
  g_clear_pointer (&way->changes, g_variant_unref);
  g_free (way);
}

/* Offers a change only where the scenario, changed so, is the question that the engine answered. */
static void
add_way_out (ShardwiseAdvice *advice, ShardwiseScenario *scenario, const SwChange *change)
{
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (scenario);
  ShardwiseWayOut *way = g_new0 (ShardwiseWayOut, 1);
  SwProblem problem;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  put_change (&dict, &advice->problem, change);
  way->changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  if (!shardwise_scenario_apply (changed, way->changes, NULL)
      || !shardwise_scenario_resolve (changed, &problem, NULL, NULL))
    {
      way_free (way);
      return;
    }
  way->name = shardwise_text_change_name (&advice->problem, change);
  way->change = shardwise_text_change (&advice->problem, change);
  way->result = change->result;
  g_ptr_array_add (advice->ways_out, way);
  g_array_append_val (advice->way_problems, problem);
}

static void
add_miss (ShardwiseAdvice *advice, const SwChange *change)
{
  ShardwiseMiss *miss = g_new0 (ShardwiseMiss, 1);

  miss->text = shardwise_text_miss (&advice->problem, change);
  miss->change = *change;
  g_ptr_array_add (advice->misses, miss);
}

/* What is left of a sequence must be worth training on. */
static gboolean
is_worth_offering (const SwProblem *problem, const SwChange *change)
{
  return change->kind != SW_CHANGE_SEQUENCE || change->value >= LEAST_SEQUENCE
         || 4 * change->value >= problem->training.sequence_length;
}

/**
 * shardwise_advice_find_ways_out:
 * @advice: an answer
 * @scenario: its question
 *
 * Where nothing fits, tries each single change: those that suffice are ways out, the others misses.
 */
void
shardwise_advice_find_ways_out (ShardwiseAdvice *advice, ShardwiseScenario *scenario)
{
  g_autofree SwChange *changes = NULL;
  guint n;

  if (advice->fits)
    return;
  changes = g_new0 (SwChange, SW_N_CHANGES);
  n = sw_changes_tried (&advice->problem, changes);
  for (guint i = 0; i < n; i++)
    if (!changes[i].result.fits)
      add_miss (advice, &changes[i]);
    else if (is_worth_offering (&advice->problem, &changes[i]))
      add_way_out (advice, scenario, &changes[i]);
}
