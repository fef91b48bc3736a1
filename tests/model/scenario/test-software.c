/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features of the software: how a scenario states them, what they are by date, and what they do. */
#include <math.h>
#include <string.h>

#include "scenario-fixture.h"
#include "shardwise-resolve.h"
#include "shardwise-software.h"
#include "sw-estimate.h"

static void
resolve (ShardwiseScenario *scenario, SwProblem *out)
{
  g_autoptr (GError) error = NULL;

  shardwise_scenario_resolve (scenario, out, NULL, &error);
  g_assert_no_error (error);
}

/* Each feature has a key, which is named after it; only FlashAttention's versions share one. */
static void
test_keys (void)
{
  for (SwFeature i = 0; i < SW_N_FEATURES; i++)
    {
      const ShardwiseKeyId id = shardwise_software_key (i);
      const char *path = shardwise_key_path (id) + strlen ("training.software.");

      g_assert_true (shardwise_software_is_key (id));
      if (id == SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION)
        g_assert_true (g_str_has_prefix (sw_feature_names[i], "flash_"));
      else if (id == SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER)
        g_assert_true (g_str_has_prefix (sw_feature_names[i], "moe_forwarding"));
      else
        g_assert_cmpstr (path, ==, sw_feature_names[i]);
    }
  g_assert_false (shardwise_software_is_key (SHARDWISE_KEY_TRAINING_SOFTWARE_DATE));
  g_assert_false (shardwise_software_is_key (SHARDWISE_KEY_TRAINING_OVERLAP));
}

#define FORWARDING (SW_HAS (MOE_FORWARDING) | SW_HAS (MOE_FORWARDING_INSIDE))

/* What a file states reaches the engine, and is written as it was read. */
static void
test_stated (void)
{
  static const char *const features =
      ", \"framework\": \"fsdp2\", \"software\": {\"compile\": false, \"flash_attention\": 2, "
      "\"async_tp\": true, \"chunked_cross_entropy\": true, \"moe_dispatcher\": \"hybridep\"}";
  g_autofree char *json = g_strdup_printf (SCENARIO_70B_32 ("%s"), features), *again = NULL,
                  *third = NULL;
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json), copy = NULL;
  const SwSoftware *software;
  SwProblem problem;

  resolve (scenario, &problem);
  software = &problem.training.software;
  g_assert_cmpuint (software->stated, ==,
                    1u << SW_FEATURE_COMPILE | 1u << SW_FEATURE_FLASH_1 | 1u << SW_FEATURE_FLASH_2
                        | 1u << SW_FEATURE_FLASH_3 | 1u << SW_FEATURE_ASYNC_TP
                        | 1u << SW_FEATURE_CHUNKED_CROSS_ENTROPY | FORWARDING);
  g_assert_cmpuint (software->on, ==,
                    1u << SW_FEATURE_FLASH_1 | 1u << SW_FEATURE_FLASH_2 | 1u << SW_FEATURE_ASYNC_TP
                        | 1u << SW_FEATURE_CHUNKED_CROSS_ENTROPY | FORWARDING);
  again = shardwise_scenario_to_json (scenario);
  g_assert_nonnull (strstr (again, "\"flash_attention\": 2"));
  g_assert_nonnull (strstr (again, "\"moe_dispatcher\": \"hybridep\""));
  copy = scenario_of (again);
  third = shardwise_scenario_to_json (copy);
  g_assert_cmpstr (again, ==, third);

  scenario_set (scenario, SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION, "false");
  g_clear_pointer (&again, g_free);
  again = shardwise_scenario_to_json (scenario);
  g_assert_nonnull (strstr (again, "\"flash_attention\": false"));
  resolve (scenario, &problem);
  g_assert_cmpint (problem.training.attention, ==, SW_ATTENTION_UNFUSED);
  shardwise_scenario_undo (scenario);
  resolve (scenario, &problem);
  g_assert_cmpint (problem.training.attention, ==, SW_ATTENTION_FLASH);
}

/* A file is told what is wrong, where, and what is accepted. */
static void
test_refused (void)
{
  static const struct {
    const char *training, *path, *message;
  } cases[] = {
    { ", \"software\": {\"compile\": 1}", "training.software.compile", "true or false" },
    { ", \"software\": {\"flash_attention\": 4}", "training.software.flash_attention",
      "1 to 3, or false" },
    { ", \"software\": {\"flash_attention\": true}", "training.software.flash_attention",
      "1 to 3, or false" },
    { ", \"software\": {\"flash_attention\": \"2\"}", "training.software.flash_attention",
      "1 to 3, or false" },
    { ", \"software\": {\"async\": true}", "training.software.async", "" },
    { ", \"software\": true", "training.software", "an object" },
  };
  static const char *const contradicting[] = {
    ", \"attention\": \"flash\", \"software\": {\"flash_attention\": false}",
    ", \"attention\": \"unfused\", \"software\": {\"flash_attention\": 2}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *json = g_strdup_printf (SCENARIO_70B_32 ("%s"), cases[i].training);
      g_autoptr (GError) error = NULL;

      g_assert_null (shardwise_scenario_from_json (json, -1, &error));
      g_assert_nonnull (error);
      g_assert_true (g_str_has_prefix (error->message, cases[i].path));
      g_assert_nonnull (strstr (error->message, cases[i].message));
    }
  for (guint i = 0; i < G_N_ELEMENTS (contradicting); i++)
    {
      g_autofree char *json = g_strdup_printf (SCENARIO_70B_32 ("%s"), contradicting[i]);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
      g_autoptr (GError) error = NULL;
      SwProblem problem;

      g_assert_false (shardwise_scenario_resolve (scenario, &problem, NULL, &error));
      g_assert_true (g_str_has_prefix (error->message, "training.software.flash_attention: "));
    }
}

/* Without a word the date decides, and a framework that is left open leaves it open. */
static void
test_by_date (void)
{
  g_autoptr (ShardwiseScenario) scenario =
      scenario_of (SCENARIO_70B_32 (", \"framework\": \"megatron-core\", \"software_date\": "
                                    "\"2023-06\""));
  const ShardwiseKeyId overlap = SHARDWISE_KEY_TRAINING_SOFTWARE_DP_OVERLAP,
                       flash = SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION;

  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, flash, -1), ==, 1);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, overlap, -1), ==, 1);
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_SOFTWARE_DATE, "'2023-01'");
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, overlap, -1), ==, 0);
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_SOFTWARE_DATE, "'2026-06'");
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, flash, -1), ==, 3);
  scenario_set (scenario, overlap, "false");
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, overlap, -1), ==, 0);
  shardwise_scenario_reset (scenario, overlap);
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK, "'any'");
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, overlap, -1), ==, -1);
  shardwise_scenario_reset (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, overlap, -1), ==, -1);
}

/* What cannot be is said, and computed all the same. */
static void
test_notes (void)
{
  g_autoptr (ShardwiseScenario) scenario =
      scenario_of (SCENARIO_70B_32 (", \"framework\": \"megatron-2021\", \"software\": "
                                    "{\"compile\": true, \"async_tp\": false}"));
  g_autoptr (GPtrArray) notes = NULL, others = NULL;
  g_autoptr (GError) error = NULL;
  SwProblem problem;

  shardwise_scenario_resolve (scenario, &problem, &notes, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (notes->len, ==, 1);
  g_assert_nonnull (strstr (notes->pdata[0], "torch.compile"));

  scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK, "'fsdp2'");
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION, "3");
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPU, "'a100-80-sxm'");
  shardwise_scenario_resolve (scenario, &problem, &others, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (others->len, ==, 1);
  g_assert_nonnull (strstr (others->pdata[0], "FlashAttention 3"));
}

/* Jobs that are predicted with software of many dates: dense models and ones with experts, over
 * nodes and inside one, in 16 and in 8 bits. */
static const struct {
  const char *name, *text;
} jobs[] = {
  { "8B, data parallel",
    "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": "
    "32}, \"training\": {\"sequence_length\": 4096, \"global_batch_size\": 128%s}, \"strategy\": "
    "{\"dp\": 32, \"zero_stage\": %u, \"micro_batch_size\": 1, \"recompute\": \"none\"}" },
  { "8B, A100, recomputed",
    "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"a100-80-sxm\", \"gpus\": "
    "16}, \"training\": {\"sequence_length\": 8192, \"global_batch_size\": 64%s}, \"strategy\": "
    "{\"dp\": 16, \"zero_stage\": %u, \"micro_batch_size\": 1, \"recompute\": \"full\"}" },
  { "70B, tensor parallel",
    "\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": "
    "64}, \"training\": {\"sequence_length\": 8192, \"global_batch_size\": 128%s}, \"strategy\": "
    "{\"tp\": 8, \"dp\": 8, \"sequence_parallel\": true, \"zero_stage\": %u, "
    "\"micro_batch_size\": 1, \"recompute\": \"selective\"}" },
  { "70B, pipeline",
    "\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": "
    "64}, \"training\": {\"sequence_length\": 4096, \"global_batch_size\": 256%s}, \"strategy\": "
    "{\"tp\": 4, \"pp\": 4, \"vpp\": 1, \"dp\": 4, \"zero_stage\": %u, \"micro_batch_size\": 1, "
    "\"recompute\": \"none\"}" },
  { "Mixtral, expert parallel",
    "\"model\": {\"preset\": \"mixtral-8x7b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
    "\"gpus\": 64}, \"training\": {\"sequence_length\": 4096, \"global_batch_size\": 256%s}, "
    "\"strategy\": {\"ep\": 8, \"dp\": 64, \"zero_stage\": %u, \"micro_batch_size\": 1, "
    "\"recompute\": \"none\"}" },
  { "DeepSeek-V3, FP8, over the network",
    "\"model\": {\"preset\": \"deepseek-v3\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
    "\"gpus\": 1024}, \"training\": {\"sequence_length\": 4096, \"global_batch_size\": 8192, "
    "\"precision\": \"fp8\"%s}, \"strategy\": {\"tp\": 1, \"pp\": 8, \"vpp\": 1, \"ep\": 64, "
    "\"dp\": 128, \"zero_stage\": %u, \"micro_batch_size\": 1, \"recompute\": \"selective\"}" },
  { "DeepSeek-V3, MXFP8, Blackwell",
    "\"model\": {\"preset\": \"deepseek-v3\"}, \"cluster\": {\"gpu\": \"gb200-nvl72\", "
    "\"gpus\": 256}, \"training\": {\"sequence_length\": 4096, \"global_batch_size\": 2048, "
    "\"precision\": \"mxfp8\"%s}, \"strategy\": {\"tp\": 1, \"pp\": 4, \"vpp\": 1, \"ep\": 64, "
    "\"dp\": 64, \"zero_stage\": %u, \"micro_batch_size\": 1, \"recompute\": \"none\"}" },
  { "8B, MXFP8, Blackwell",
    "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"b200-180-sxm\", \"gpus\": "
    "16}, \"training\": {\"sequence_length\": 8192, \"global_batch_size\": 128, \"precision\": "
    "\"mxfp8\"%s}, \"strategy\": {\"dp\": 16, \"zero_stage\": %u, \"micro_batch_size\": 1, "
    "\"recompute\": \"none\"}" },
  { "8B, LoRA",
    "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"a100-80-sxm\", \"gpus\": "
    "8}, \"training\": {\"type\": \"lora\", \"sequence_length\": 4096, \"global_batch_size\": "
    "64%s}, \"strategy\": {\"dp\": 8, \"zero_stage\": %u, \"micro_batch_size\": 2, "
    "\"recompute\": \"full\"}" },
};

/* Question and strategy of a job as @framework would run it, with @more said of the training. */
static void
ask (guint job, SwFramework framework, const char *more, SwProblem *problem, SwStrategy *strategy)
{
  const guint stage = framework == SW_FRAMEWORK_FSDP || framework == SW_FRAMEWORK_FSDP2 ? 3
                      : framework == SW_FRAMEWORK_DEEPSPEED
                              && strstr (jobs[job].text, "\"pp\"") == NULL
                          ? 2
                      : framework == SW_FRAMEWORK_MEGATRON_2021 ? 0
                                                                : 1;
  g_autofree char *training = g_strdup_printf (", \"framework\": \"%s\"%s",
                                               sw_framework_names[framework], more);
  g_autofree char *format = g_strconcat ("{", jobs[job].text, "}", NULL);
  g_auto (GStrv) parts = g_strsplit (format, "%s", 2);
  g_auto (GStrv) rest = g_strsplit (parts[1], "%u", 2);
  g_autofree char *json = g_strdup_printf ("%s%s%s%u%s", parts[0], training, rest[0], stage,
                                           rest[1]);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);

  resolve (scenario, problem);
  *strategy = problem->pins.value;
  strategy->framework = (guint8) framework;
  strategy->etp = strategy->tp;
  strategy->shard_group = strategy->dp;
}

static double
step_seconds (guint job, SwFramework framework, const char *more)
{
  SwProblem problem;
  SwStrategy strategy;
  SwEstimate estimate;

  ask (job, framework, more, &problem, &strategy);
  sw_estimate (&problem, &strategy, &estimate);
  return estimate.time.step_s;
}

/* Newer software is never slower, by more than a thousandth: every quarter of 2021 to 2027. */
static void
test_newer_is_not_slower (void)
{
  for (guint job = 0; job < G_N_ELEMENTS (jobs); job++)
    for (SwFramework framework = SW_FRAMEWORK_ANY + 1; framework < SW_N_ENGINES; framework++)
      {
        double before = 0;

        for (guint month = 0; month <= 6 * 12; month += 3)
          {
            g_autofree char *date = g_strdup_printf (", \"software_date\": \"%u-%02u\"",
                                                     2021 + month / 12, month % 12 + 1);
            double now = step_seconds (job, framework, date);

            g_assert_cmpfloat (now, >, 0);
            if (before > 0 && now > 1.001 * before)
              {
                g_test_message ("%s, %s%s: %.4g s after %.4g s", jobs[job].name,
                                sw_framework_names[framework], date, now, before);
                g_test_fail ();
              }
            before = now;
          }
      }
}

/* A feature makes no job slower than it is without, but one that waits for its kernels. */
static void
test_features_help (void)
{
  guint helped[SW_N_FEATURES] = { 0 };

  for (guint job = 0; job < G_N_ELEMENTS (jobs); job++)
    for (SwFramework framework = SW_FRAMEWORK_ANY + 1; framework < SW_N_ENGINES; framework++)
      for (SwFeature i = 0; i < SW_N_FEATURES; i++)
        {
          const char *path = shardwise_key_path (shardwise_software_key (i));
          const char *name = path + strlen ("training.software.");
          const gboolean flash = shardwise_software_key (i)
                                 == SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION;
          g_autofree char *with = NULL, *without = NULL;
          double on, off;

          if ((flash && i == SW_FEATURE_FLASH_1) || i == SW_FEATURE_MOE_FORWARDING_INSIDE)
            continue; /* without it another kernel is run; one key states both of a dispatcher */
          if (i == SW_FEATURE_MOE_FORWARDING)
            {
              with = g_strdup_printf (", \"software\": {\"%s\": \"deepep\"}", name);
              without = g_strdup_printf (", \"software\": {\"%s\": \"alltoall\"}", name);
            }
          else
            {
              with = flash ? g_strdup_printf (", \"software\": {\"%s\": %u}", name,
                                              i - SW_FEATURE_FLASH_1 + 1)
                           : g_strdup_printf (", \"software\": {\"%s\": true}", name);
              without = flash ? g_strdup_printf (", \"software\": {\"%s\": %u}", name,
                                                 i - SW_FEATURE_FLASH_1)
                              : g_strdup_printf (", \"software\": {\"%s\": false}", name);
            }
          on = step_seconds (job, framework, with);
          off = step_seconds (job, framework, without);
          if (i == SW_FEATURE_BLOCKING_LAUNCHES)
            g_assert_cmpfloat (on, >=, off);
          else if (on > 1.0001 * off)
            {
              g_test_message ("%s, %s: %.5g s with %s, %.5g s without", jobs[job].name,
                              sw_framework_names[framework], on, name, off);
              g_test_fail ();
            }
          helped[i] += on < off;
        }
  /* Each does something, of which that of losses, checkpoints and accumulation is memory; fused
   * adapters need other fused kernels beside them. */
  for (SwFeature i = 0; i < SW_N_FEATURES; i++)
    if (i != SW_FEATURE_FLASH_1 && i != SW_FEATURE_FUSED_CROSS_ENTROPY
        && i != SW_FEATURE_CHUNKED_CROSS_ENTROPY && i != SW_FEATURE_BLOCKING_LAUNCHES
        && i != SW_FEATURE_REENTRANT_CHECKPOINTING && i != SW_FEATURE_UNSHARDED_ACCUMULATION
        && i != SW_FEATURE_MOE_FORWARDING_INSIDE && i != SW_FEATURE_LOSS_UPCAST
        && i != SW_FEATURE_FUSED_ADAPTERS)
      {
        g_test_message ("%s", sw_feature_names[i]);
        g_assert_cmpuint (helped[i], >, 0);
      }
}

/* The loss takes less memory fused, and less yet in chunks. */
static void
test_losses (void)
{
  static const char *const said[] = {
    ", \"software\": {\"fused_cross_entropy\": false, \"chunked_cross_entropy\": false}",
    ", \"software\": {\"fused_cross_entropy\": true, \"chunked_cross_entropy\": false}",
    ", \"software\": {\"fused_cross_entropy\": true, \"chunked_cross_entropy\": true}",
  };

  for (SwFramework framework = SW_FRAMEWORK_ANY + 1; framework < SW_N_ENGINES; framework++)
    {
      double before = INFINITY;

      for (guint i = 0; i < G_N_ELEMENTS (said); i++)
        {
          SwProblem problem;
          SwStrategy strategy;
          SwEstimate estimate;

          ask (1, framework, said[i], &problem, &strategy);
          sw_estimate (&problem, &strategy, &estimate);
          g_assert_cmpfloat (estimate.memory.peak.logits, <, before);
          before = estimate.memory.peak.logits;
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/software/keys", test_keys);
  g_test_add_func ("/software/stated", test_stated);
  g_test_add_func ("/software/refused", test_refused);
  g_test_add_func ("/software/by-date", test_by_date);
  g_test_add_func ("/software/notes", test_notes);
  g_test_add_func ("/software/newer-is-not-slower", test_newer_is_not_slower);
  g_test_add_func ("/software/features-help", test_features_help);
  g_test_add_func ("/software/losses", test_losses);
  return g_test_run ();
}
