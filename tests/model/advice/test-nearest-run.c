/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured run that is named beside an estimate. */
#include "runs-fixture.h"
#include "shardwise-advice.h"
#include "shardwise-measured.h"
#include "shardwise-resolve.h"
#include "shardwise-prediction.h"

#include <string.h>

/* Every measured job finds a job of its own kind, with its measurements. */
static void
test_itself (void)
{
  g_autoptr (GPtrArray) runs = shardwise_runs_builtin ();

  for (guint i = 0; i < runs->len; i += 7)
    {
      const ShardwiseRun *run = g_ptr_array_index (runs, i), *found;
      ShardwiseNearestRun *nearest;

      if (run->skip != NULL || !run->judged || run->measured_step_s <= 0)
        continue;
      nearest = shardwise_nearest_run_find (&run->problem, &run->strategy);
      found = find_run (runs, nearest->id);
      g_assert_cmpfloat (nearest->distance, ==, 0);
      g_assert_cmpstr (found->problem.cluster.gpu.id, ==, run->problem.cluster.gpu.id);
      g_assert_cmpuint (found->strategy.framework, ==, run->strategy.framework);
      g_assert_cmpuint (found->problem.training.sequence_length, ==,
                        run->problem.training.sequence_length);
      g_assert_cmpfloat (nearest->measured_step_s, ==, found->measured_step_s);
      g_assert_cmpfloat (nearest->predicted_step_s, >, 0);
      g_assert_nonnull (strstr (nearest->description, run->problem.cluster.gpu.name));
      shardwise_nearest_run_free (nearest);
    }
}

/* What is asked, and the source of which a run is to be named. */
static const struct {
  const char *gpu, *model, *framework, *type;
  gint64 gpus, sequence;
  const char *family;
} cases[] = {
  { "h100-80-sxm", "llama-3-8b", "fsdp2", "pretrain", 8, 8192, "TT" },
  { "a100-40-sxm", "llama-2-7b", "fsdp", "pretrain", 16, 2048, "LLF" },
  { "h100-80-sxm", "llama-3-8b", "fsdp2", "lora", 1, 4096, "AUT" },
  { "gb200-nvl72", "deepseek-v3", "megatron-core", "pretrain", 256, 4096, "DGX" },
};

static void
resolve_case (guint i, SwProblem *problem, SwStrategy *strategy)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) changes = NULL;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "cluster.gpu", "s", cases[i].gpu);
  g_variant_dict_insert (&dict, "cluster.gpus", "x", cases[i].gpus);
  g_variant_dict_insert (&dict, "model.preset", "s", cases[i].model);
  g_variant_dict_insert (&dict, "training.type", "s", cases[i].type);
  g_variant_dict_insert (&dict, "training.framework", "s", cases[i].framework);
  g_variant_dict_insert (&dict, "training.sequence_length", "x", cases[i].sequence);
  changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  shardwise_scenario_apply (scenario, changes, &error);
  g_assert_no_error (error);
  shardwise_scenario_resolve (scenario, problem, NULL, &error);
  g_assert_no_error (error);
  sw_strategy_init_default (strategy);
  strategy->framework = (guint8) problem->training.framework;
}

static void
test_alike (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      ShardwiseNearestRun *nearest;
      SwStrategy strategy;
      SwProblem problem;

      resolve_case (i, &problem, &strategy);
      nearest = shardwise_nearest_run_find (&problem, &strategy);
      g_test_message ("%s on %" G_GINT64_FORMAT " %s with %s: %s at %.2f (%s)", cases[i].model,
                      cases[i].gpus, cases[i].gpu, cases[i].framework, nearest->id,
                      nearest->distance, nearest->description);
      g_assert_true (g_str_has_prefix (nearest->id, cases[i].family));
      g_assert_cmpfloat (nearest->distance, <, 1);
      shardwise_nearest_run_free (nearest);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nearest-run/itself", test_itself);
  g_test_add_func ("/nearest-run/alike", test_alike);
  return g_test_run ();
}
