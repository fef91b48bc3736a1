/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written reads back to the same strategy: random strategies that the framework accepts,
 * for every framework that has a writer and a reader. */
#include <string.h>

#include "export-fixture.h"
#include "import-fixture.h"
#include "shardwise-changes.h"
#include "shardwise-resolve.h"

#define D(name) (1u << SW_DIM_##name)

/* What a file says of a strategy; the rest is the launcher's or a script's, which the notes say. */
enum {
  EVERYTHING = D (TP) | D (PP) | D (VPP) | D (DP) | D (CP) | D (EP) | D (SP) | D (ZERO)
               | D (MICRO_BATCH) | D (RECOMPUTE) | D (SCHEDULE) | D (OFFLOAD),
};

typedef struct {
  ShardwiseFormat format;
  guint says;
  SwFramework profile; /* of the strategies tried */
  guint least;         /* how many must have been accepted, so that the test is one */
  const char *const *models;
} Case;

static const char *const usual[] = { "llama-3-8b", "llama-3-70b", "mixtral-8x7b",
                                     "qwen2.5-7b", "deepseek-v3", "gpt3-13b",
                                     NULL };
static const char *const titan[] = { "llama-3.1-8b", "llama-3.1-70b", "qwen3-8b", "deepseek-v3",
                                     NULL };
static const char *const recipes[] = { "llama-3-8b", "llama-3-70b", "qwen2.5-7b", "deepseek-v3",
                                       NULL };
static const char *const registry[] = { "llama-3.1-8b", "llama-3.1-70b", "qwen3-14b", "deepseek-v3",
                                        NULL };
static const char *const plain[] = { "llama-3-8b", "llama-3-70b", "mixtral-8x7b", NULL };

static const Case cases[] = {
  /* The number of replicas of AutoTP is the launcher's. */
  { SHARDWISE_FORMAT_DEEPSPEED, EVERYTHING & ~(D (DP) | D (VPP) | D (SCHEDULE)),
    SW_FRAMEWORK_DEEPSPEED, 100, plain },
  { SHARDWISE_FORMAT_NANOTRON, EVERYTHING, SW_FRAMEWORK_NANOTRON, 100, plain },
  { SHARDWISE_FORMAT_MEGATRON, EVERYTHING, SW_FRAMEWORK_MEGATRON_CORE, 100, usual },
  /* Its launchers hold the same arguments. */
  { SHARDWISE_FORMAT_SLURM, EVERYTHING, SW_FRAMEWORK_MEGATRON_CORE, 30, usual },
  { SHARDWISE_FORMAT_TORCHRUN, EVERYTHING, SW_FRAMEWORK_MEGATRON_CORE, 30, usual },
  { SHARDWISE_FORMAT_KUBERNETES, EVERYTHING, SW_FRAMEWORK_MEGATRON_CORE, 30, usual },
  { SHARDWISE_FORMAT_PYTORCHJOB, EVERYTHING, SW_FRAMEWORK_MEGATRON_CORE, 30, usual },
  { SHARDWISE_FORMAT_TORCHTITAN, EVERYTHING, SW_FRAMEWORK_FSDP2, 100, titan },
  /* Python, which is parsed and never executed. */
  { SHARDWISE_FORMAT_TORCHTITAN_MAIN, EVERYTHING, SW_FRAMEWORK_FSDP2, 100, registry },
  { SHARDWISE_FORMAT_FSDP1, EVERYTHING, SW_FRAMEWORK_FSDP, 100, plain },
  { SHARDWISE_FORMAT_FSDP2, EVERYTHING, SW_FRAMEWORK_FSDP2, 100, plain },
  { SHARDWISE_FORMAT_MEGATRON_BRIDGE, EVERYTHING, SW_FRAMEWORK_MEGATRON_CORE, 100, recipes },
  { SHARDWISE_FORMAT_NEMO, EVERYTHING, SW_FRAMEWORK_MEGATRON_CORE, 100, recipes },
  { SHARDWISE_FORMAT_ACCELERATE, 0, SW_FRAMEWORK_FSDP2, 100, plain },
  { SHARDWISE_FORMAT_ACCELERATE, 0, SW_FRAMEWORK_FSDP, 100, plain },
  { SHARDWISE_FORMAT_ACCELERATE, 0, SW_FRAMEWORK_MEGATRON_CORE, 30, plain },
  { SHARDWISE_FORMAT_ACCELERATE, 0, SW_FRAMEWORK_DEEPSPEED, 100, plain },
};

/* A strategy that was cut to one GPU has no use for some dimensions; what is compared is what they
 * do. */
static guint
effective (const SwStrategy *written, const SwStrategy *s, SwDimension dimension)
{
  if (dimension == SW_DIM_ZERO && (written->shard_group == 1 || written->dp == 1)
      && written->cp == 1)
    return 0;
  /* A pipeline of FSDP keeps its parameters between micro-batches: one setting for both. */
  if (dimension == SW_DIM_ZERO && written->pp > 1 && s->zero_stage >= 2
      && written->framework == SW_FRAMEWORK_FSDP2)
    return 3;
  if (dimension == SW_DIM_SP)
    return written->tp > 1 && s->sequence_parallel;
  if (dimension == SW_DIM_SCHEDULE && written->pp == 1)
    return SW_SCHEDULE_1F1B;
  return sw_strategy_get (s, dimension);
}

/* Accelerate's file leaves the micro-batch to the script, and what it leaves out hangs on what it
 * drives. */
static guint
said_of (const Case *c, const SwStrategy *strategy)
{
  const guint megatron = EVERYTHING & ~D (MICRO_BATCH) & ~D (SCHEDULE);

  if (c->format == SHARDWISE_FORMAT_ACCELERATE)
    return strategy->framework == SW_FRAMEWORK_MEGATRON_CORE ? megatron
           : strategy->framework == SW_FRAMEWORK_DEEPSPEED
               ? D (DP) | D (ZERO) | D (OFFLOAD) | D (TP) | D (PP) | D (CP)
               : megatron & ~D (VPP);
  if (c->format != SHARDWISE_FORMAT_DEEPSPEED)
    return c->says;
  return c->says | (strategy->pp > 1 || strategy->tp == 1 ? D (DP) : 0);
}

static guint
stated (ShardwiseScenario *scenario, SwDimension dimension, const SwStrategy *written,
        const SwStrategy *pinned)
{
  const ShardwiseKeyId key = shardwise_dimension_key (dimension);

  if (!shardwise_scenario_is_set (scenario, key))
    g_test_message ("%s is not stated by %s", shardwise_key_path (key),
                    sw_framework_names[written->framework]);
  g_assert_true (shardwise_scenario_is_set (scenario, key));
  return effective (written, pinned, dimension);
}

/* The framework's own file; DeepSpeed's says the rest in the script beside it, which is read after
 * it. */
static ShardwiseImport *
read_back (const Case *c, ShardwiseExport *out)
{
  const ShardwiseExportFile *file = g_ptr_array_index (out->files, 0);
  g_autoptr (ShardwiseImport) config = fixture_import (file->content, file->name);
  ShardwiseImport *whole;
  g_autoptr (GError) error = NULL;
  const char *script;

  if (c->format != SHARDWISE_FORMAT_DEEPSPEED)
    return g_steal_pointer (&config);
  fixture_assert_accepted (config);
  script = fixture_file (out, "ds_setup.py");
  whole = shardwise_import_read (script, strlen (script), "ds_setup.py", config->scenario, &error);
  g_assert_no_error (error);
  g_assert_cmpint (whole->kind, ==, SHARDWISE_IMPORT_DEEPSPEED);
  return whole;
}

/* The GPUs that ZeRO shards over and how experts are split, which have a default in every file. */
static void
compare_groups (ShardwiseScenario *scenario, const SwStrategy *written, const SwStrategy *pinned)
{
  guint group = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_STRATEGY_SHARD_GROUP)
                    ? pinned->shard_group
                    : written->dp;
  guint etp = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_STRATEGY_ETP) ? pinned->etp
                                                                               : written->tp;

  if (written->zero_stage > 0 && written->shard_group > 1) /* one GPU shards nothing */
    g_assert_cmpuint (group, ==, written->shard_group);
  if (written->ep > 1 || written->etp == written->tp)
    g_assert_cmpuint (etp, ==, written->etp);
}

static void
compare (const Case *c, ShardwiseExport *out)
{
  const SwStrategy *strategy = &out->estimate.strategy;
  const char *text = ((const ShardwiseExportFile *) out->files->pdata[0])->content;
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseImport) import = read_back (c, out);
  g_autofree SwProblem *read = g_new0 (SwProblem, 1);
  const guint says = said_of (c, strategy);

  fixture_assert_accepted (import);
  if (!shardwise_names_model (import->scenario)) /* which is asked for */
    g_assert_true (shardwise_scenario_set (import->scenario, SHARDWISE_KEY_MODEL_PRESET,
                                           g_variant_new_string (out->problem.model.id), NULL));
  if (!shardwise_scenario_resolve (import->scenario, read, NULL, &error))
    g_test_message ("%s\n%s", error->message, text);
  g_assert_no_error (error);
  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    if ((says & (1u << i)) != 0)
      {
        guint back = stated (import->scenario, i, strategy, &read->pins.value);

        if (back != effective (strategy, strategy, i))
          g_test_message ("%s: %u, written %u\n%s", sw_dimension_names[i], back,
                          effective (strategy, strategy, i), text);
        g_assert_cmpuint (back, ==, effective (strategy, strategy, i));
      }
  if (strategy->cp > 1 && (says & D (CP)))
    {
      g_assert_true (
          shardwise_scenario_is_set (import->scenario, SHARDWISE_KEY_STRATEGY_CP_METHOD));
      g_assert_cmpint (read->pins.value.cp_method, ==, strategy->cp_method);
    }
  compare_groups (import->scenario, strategy, &read->pins.value);
  if (strategy->recompute == SW_RECOMPUTE_FULL_LAYERS && (says & D (RECOMPUTE)))
    g_assert_cmpuint (read->pins.value.full_layers, ==, strategy->full_layers);
  if (says & D (MICRO_BATCH) && says & D (DP))
    g_assert_cmpuint (read->training.global_batch, ==, out->problem.training.global_batch);
  g_assert_cmpint (read->training.framework, ==, strategy->framework);
}

/* Degrees that use all GPUs, and DP over the rest: DeepSpeed keeps ZeRO 1 for one replica. */
static gboolean
is_comparable (const Case *c, const SwStrategy *strategy)
{
  return !(c->format == SHARDWISE_FORMAT_DEEPSPEED && strategy->dp == 1);
}

static void
test_round_trip (gconstpointer data)
{
  const Case *c = data;
  guint n = 0, n_models = g_strv_length ((char **) c->models);

  for (guint i = 0; i < 20000 && n < c->least; i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseExport) out = NULL;

      fixture_problem (c->models[g_test_rand_int_range (0, (gint) n_models)],
                       8u << g_test_rand_int_range (0, 4), &problem);
      problem.training.framework = c->profile;
      fixture_random_strategy (&problem, &strategy);
      strategy.framework = (guint8) c->profile;
      if (!is_comparable (c, &strategy))
        continue;
      out = fixture_write (c->format, &problem, &strategy, &error);
      if (out == NULL)
        continue;
      compare (c, out);
      n++;
    }
  g_test_message ("%u strategies", n);
  g_assert_cmpuint (n, >=, c->least);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf (
          "/round-trip/%s/%s/%s", shardwise_format_info (cases[i].format)->id,
          shardwise_format_info (cases[i].format)->version, sw_framework_names[cases[i].profile]);

      g_test_add_data_func (path, &cases[i], test_round_trip);
    }
  return g_test_run ();
}
