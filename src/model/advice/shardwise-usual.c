/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conventional strategy of the framework and the published recipes for a question's model and
 * GPU, evaluated in that question. */
#include "shardwise-usual.h"

#include <glib/gi18n.h>

#include "shardwise-changes.h"
#include "shardwise-text-reasons.h"
#include "sw-start.h"

static void
usual_free (gpointer data)
{
  ShardwiseUsual *self = data;

  g_free (self->name);
  g_free (self->text);
  g_clear_pointer (&self->changes, g_variant_unref);
  g_free (self);
}

static char *
convention_name (SwFramework framework)
{
  if (sw_convention_of (framework) == SW_CONVENTION_MODEL)
    return g_strdup (_ ("Textbook: TP within the node, then PP as memory requires"));
  if (sw_framework_rules (framework)->one_gpu)
    return g_strdup (_ ("One GPU, with activation checkpointing"));
  return g_strdup (sw_engine (framework) == SW_FRAMEWORK_DEEPSPEED
                       ? _ ("Plain ZeRO 3: over all GPUs, with activation checkpointing")
                       : _ ("Plain FSDP: full shard over all GPUs, with activation checkpointing"));
}

static char *
recipe_name (const ShardwisePublished *recipe)
{
  const SwCluster *cluster = &recipe->problem.cluster;

  if (recipe->any_gpu)
    return g_strdup_printf (
        /* Translators: who published a recipe, its number of GPUs */
        ngettext ("%s recipe for %'u GPU", "%s recipe for %'u GPUs", cluster->gpus), recipe->by,
        cluster->gpus);
  /* Translators: who published a recipe, its number of GPUs, their name */
  return g_strdup_printf (_ ("%s recipe for %'u %s"), recipe->by, cluster->gpus, cluster->gpu.name);
}

/* Pins a strategy with its framework. */
static GVariant *
changes_to (const SwStrategy *strategy)
{
  g_autoptr (GVariant) dimensions =
      g_variant_ref_sink (shardwise_strategy_changes (strategy, SHARDWISE_ALL_DIMENSIONS));
  g_autoptr (GStrvBuilder) modules = g_strv_builder_new ();
  g_auto (GStrv) names = NULL;
  GVariantDict changes;

  for (guint i = 0; sw_recompute_module_names[i] != NULL; i++)
    if ((strategy->recompute_modules & 1u << i) != 0)
      g_strv_builder_add (modules, sw_recompute_module_names[i]);
  names = g_strv_builder_end (modules);
  g_variant_dict_init (&changes, dimensions);
  shardwise_changes_insert (&changes, SHARDWISE_KEY_TRAINING_FRAMEWORK, "s",
                            sw_framework_names[strategy->framework]);
  if (*names != NULL)
    shardwise_changes_insert (&changes, SHARDWISE_KEY_STRATEGY_RECOMPUTE_MODULES, "^as", names);
  return g_variant_ref_sink (g_variant_dict_end (&changes));
}

static void
add (GPtrArray *all, const SwProblem *problem, const SwEstimate *recommended,
     const ShardwisePublished *recipe, const SwEstimate *estimate)
{
  ShardwiseUsual *self = g_new0 (ShardwiseUsual, 1);

  self->recipe = recipe;
  self->estimate = *estimate;
  self->change = recommended->time.step_s > 0.0
                     ? estimate->time.step_s / recommended->time.step_s - 1.0
                     : 0.0;
  self->name = recipe != NULL ? recipe_name (recipe)
                              : convention_name ((SwFramework) estimate->strategy.framework);
  self->text = shardwise_text_usual (problem, recommended, estimate);
  self->changes = changes_to (&estimate->strategy);
  g_ptr_array_add (all, self);
}

/* A layout on the question's GPUs: the parallel sizes stay, with as many replicas as fit. */
static SwStrategy
layout_of (const ShardwisePublished *recipe, const SwProblem *problem)
{
  SwStrategy strategy = recipe->estimate.strategy;
  const gboolean shards_all = strategy.shard_group == strategy.dp;

  if (problem->training.global_batch % strategy.micro_batch != 0)
    strategy.micro_batch = 1;
  strategy.dp = sw_replicas_within (problem, strategy.tp * strategy.pp * strategy.cp,
                                    strategy.micro_batch);
  if (shards_all || strategy.dp % strategy.shard_group != 0)
    strategy.shard_group = strategy.dp;
  return strategy;
}

/**
 * shardwise_usual_find:
 * @problem: a question
 * @recommended: the recommended strategy, or the nearest
 *
 * Returns: (transfer full) (element-type ShardwiseUsual): the conventional strategy of its
 *   framework; then published recipes for this model and GPU that the rules allow here
 */
GPtrArray *
shardwise_usual_find (const SwProblem *problem, const SwEstimate *recommended)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (usual_free);
  const ShardwisePublished *recipes[SHARDWISE_MOST_RECIPES];
  const guint n = shardwise_recipes_match (problem, recipes);
  SwProblem open = *problem;
  SwEstimate estimate;

  open.pins.mask = 0;
  open.training.memory_target = 1; /* whether strategies that others ran fit at all */
  sw_conventional_strategy (problem, (SwFramework) recommended->strategy.framework, &estimate);
  add (all, problem, recommended, NULL, &estimate);
  for (guint i = 0; i < n; i++)
    {
      const SwStrategy strategy = layout_of (recipes[i], problem);

      open.training.framework = (SwFramework) strategy.framework;
      sw_estimate (&open, &strategy, &estimate);
      if (estimate.fits || estimate.rule == SW_RULE_GPU_MEMORY
          || estimate.rule == SW_RULE_HOST_MEMORY)
        add (all, problem, recommended, recipes[i], &estimate);
    }
  return all;
}
