/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fine-tuners say of their jobs, and what it does to memory and time. */
#include "scenario-fixture.h"
#include "shardwise-resolve.h"
#include "shardwise-estimate.h"
#include "sw-rules.h"

#include <string.h>

#define JOB                                                                                        \
  "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": "   \
  "%u}, \"training\": {\"sequence_length\": 2048, \"global_batch_size\": 16, %s}, "                \
  "\"strategy\": {\"dp\": %u, \"micro_batch_size\": 2, \"recompute\": \"full\"}}"

static void
estimate (guint gpus, const char *training, SwProblem *problem, SwEstimate *out)
{
  g_autofree char *json = g_strdup_printf (JOB, gpus, training, gpus);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GError) error = NULL;

  shardwise_estimate_scenario (scenario, problem, out, NULL, &error);
  g_assert_no_error (error);
}

#define HF "\"framework\": \"hf-trainer\", "
#define LORA HF "\"type\": \"lora\""
#define DPO HF "\"type\": \"dpo\""

/* The second takes more memory, or as much, and more time, or as much: 1, 0, -1. */
static void
test_parts (void)
{
  static const struct {
    const char *before, *after;
    int memory, time;
  } pairs[] = {
    { LORA, LORA ", \"lora\": {\"modules\": [\"q\", \"v\"]}", -1, -1 },
    { LORA, LORA ", \"lora\": {\"dora\": true}", 1, 1 },
    { LORA, LORA ", \"lora\": {\"alpha\": 32}", 0, 0 },
    { LORA, LORA ", \"lora\": {\"embeddings\": true}", 1, 0 },
    { HF "\"type\": \"qlora\"", HF "\"type\": \"qlora\", \"double_quantization\": false", 1, 0 },
    { HF "\"type\": \"finetune\"", DPO, 1, 1 },
    { DPO, DPO ", \"rlhf\": {\"algorithm\": \"orpo\"}", -1, -1 },
    { DPO, DPO ", \"rlhf\": {\"algorithm\": \"kto\"}", 0, 1 },
    { DPO, DPO ", \"rlhf\": {\"reference\": false}", -1, -1 },
    { LORA, DPO ", \"adapters\": \"lora\"", 0, 1 },
    { DPO, HF "\"type\": \"reward\"", -1, -1 },
    { HF "\"type\": \"distill\"",
      HF "\"type\": \"distill\", \"distill\": {\"teacher_parameters_b\": 20}", 1, 1 },
    { LORA, LORA ", \"software\": {\"loss_upcast\": false, \"fused_cross_entropy\": true}", -1, 0 },
    { HF "\"type\": \"finetune\"", "\"framework\": \"torchtune\", \"type\": \"finetune\"", -1, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      SwEstimate before, after;
      SwProblem problem;
      double memory, time;

      estimate (8, pairs[i].before, &problem, &before);
      estimate (8, pairs[i].after, &problem, &after);
      memory = after.memory.peak.total / before.memory.peak.total - 1;
      time = after.time.step_s / before.time.step_s - 1;
      g_test_message ("%s → %s: memory %+.2f %%, time %+.2f %%", pairs[i].before, pairs[i].after,
                      100 * memory, 100 * time);
      g_assert_cmpint ((memory > 1e-9) - (memory < -1e-9), ==, pairs[i].memory);
      if (pairs[i].time != 0)
        g_assert_cmpint ((time > 1e-9) - (time < -1e-9), ==, pairs[i].time);
    }
}

/* What a tool cannot run is refused, by its rule. */
static void
test_refusals (void)
{
  static const struct {
    guint gpus;
    const char *training;
    SwRule rule;
  } jobs[] = {
    { 1, "\"framework\": \"unsloth\", \"type\": \"qlora\"", SW_RULE_OK },
    { 2, "\"framework\": \"unsloth\", \"type\": \"qlora\"", SW_RULE_FRAMEWORK_GPUS },
    { 2, "\"framework\": \"torchtune\", \"type\": \"pretrain\"", SW_RULE_FRAMEWORK_TRAINING },
    { 2, "\"framework\": \"torchtune\", \"type\": \"rlhf\"", SW_RULE_FRAMEWORK_TRAINING },
    { 2, "\"framework\": \"verl\", \"type\": \"rlhf\"", SW_RULE_OK },
    { 2, "\"framework\": \"openrlhf\", \"type\": \"rlhf\"", SW_RULE_OK },
    { 2, "\"framework\": \"hf-trainer\", \"type\": \"lora\"", SW_RULE_OK },
  };

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      SwEstimate out;
      SwProblem problem;

      g_test_message ("%u GPUs, %s", jobs[i].gpus, jobs[i].training);
      estimate (jobs[i].gpus, jobs[i].training, &problem, &out);
      if (jobs[i].rule == SW_RULE_OK && out.rule == SW_RULE_GPU_MEMORY)
        continue;
      g_assert_cmpint (out.rule, ==, jobs[i].rule);
    }
}

/* A tool computes as what it is built on where its own facts are stated otherwise. */
static void
test_engine (void)
{
  SwEstimate tool, engine;
  SwProblem problem;

  estimate (8, LORA ", \"software\": {\"reentrant_checkpointing\": false}", &problem, &tool);
  estimate (8, "\"framework\": \"fsdp\", \"type\": \"lora\"", &problem, &engine);
  g_assert_cmpfloat (tool.memory.peak.total, ==, engine.memory.peak.total);
  g_assert_cmpfloat (tool.time.step_s, ==, engine.time.step_s);
  g_assert_cmpfloat (tool.step_high_s, ==, engine.step_high_s);
}

/* Pairs are scored together, and some algorithms belong to some types. */
static void
test_wrong (void)
{
  static const char *const wrong[] = {
    "\"type\": \"dpo\", \"rlhf\": {\"algorithm\": \"grpo\"}",
    "\"type\": \"rlhf\", \"rlhf\": {\"algorithm\": \"kto\"}",
  };
  SwProblem problem;
  SwEstimate out;

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *json = g_strdup_printf (JOB, 8, wrong[i], 8);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
      g_autoptr (GError) error = NULL;

      g_assert_false (shardwise_scenario_resolve (scenario, &problem, NULL, &error));
      g_assert_nonnull (strstr (error->message, "training.rlhf.algorithm"));
    }
  estimate (8, DPO, &problem, &out);
  g_assert_cmpuint (problem.training.together, ==, 2);
  out.strategy.micro_batch = 1;
  g_assert_cmpint (sw_rules_check (&problem, &out.strategy), ==, SW_RULE_BATCH);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recipe/parts", test_parts);
  g_test_add_func ("/recipe/refusals", test_refusals);
  g_test_add_func ("/recipe/engine", test_engine);
  g_test_add_func ("/recipe/wrong", test_wrong);
  return g_test_run ();
}
