/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assumptions of an answer: exactly the keys that are not set and affect it. */
#include <string.h>

#include "scenario-fixture.h"
#include "shardwise-assumptions.h"
#include "shardwise-resolve.h"

/* Of the best strategy, or of the pinned one. */
static GPtrArray *
assumptions_of (const char *cluster, const char *rest)
{
  g_autofree char *json = g_strdup_printf (
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {%s}, %s}", cluster, rest);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GError) error = NULL;
  SwProblem problem;
  SwEstimate estimate;
  SwStrategy strategy;

  shardwise_scenario_resolve (scenario, &problem, NULL, &error);
  g_assert_no_error (error);
  strategy = problem.pins.value;
  strategy.dp = problem.cluster.gpus;
  strategy.framework = SW_FRAMEWORK_FSDP2;
  strategy.zero_stage = 3;
  strategy.micro_batch = 1;
  sw_estimate (&problem, &strategy, &estimate);
  return shardwise_assumptions_list (scenario, &problem, &estimate);
}

static const ShardwiseAssumption *
find (GPtrArray *list, ShardwiseKeyId key)
{
  for (guint i = 0; i < list->len; i++)
    if (((const ShardwiseAssumption *) g_ptr_array_index (list, i))->key == key)
      return g_ptr_array_index (list, i);
  return NULL;
}

/* The network counts only if the job spans nodes, with the parts of its name. */
static void
test_network (void)
{
  static const struct {
    const char *cluster, *value, *words;
  } cases[] = {
    { "\"gpu\": \"h100-80-sxm\", \"gpus\": 8", NULL, NULL },
    { "\"gpu\": \"h100-80-sxm\", \"gpus\": 16", "ib-ndr", "InfiniBand NDR 400" },
    { "\"gpu\": \"h100-80-sxm\", \"gpus\": 8, \"gpus_per_node\": 4", "ib-ndr", "50 GB/s per GPU" },
    { "\"gpu\": \"mi300x\", \"gpus\": 16", "roce-400", "RoCE 400" },
    { "\"gpu\": \"l40s\", \"gpus\": 16", "ethernet-100", "Ethernet 100 Gb/s" },
    { "\"gpu\": \"rtx-4090\", \"gpus\": 16", "ethernet-10", "Ethernet 10 Gb/s" },
    { "\"gpu\": \"gb200-nvl72\", \"gpus\": 72", NULL, NULL }, /* one rack */
    { "\"gpu\": \"gb200-nvl72\", \"gpus\": 144", "gb200-cx7", "GB200" },
    { "\"gpu\": \"rtx-4090\", \"gpus\": 16, \"inter_node\": \"ethernet\"", NULL, NULL },
    { "\"gpu\": \"rtx-4090\", \"gpus\": 16, \"inter_node_gb_s\": 1", NULL, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) list = assumptions_of (cases[i].cluster, "\"training\": {}");
      const ShardwiseAssumption *network = find (list, SHARDWISE_KEY_CLUSTER_INTER_NODE);

      if (cases[i].value == NULL)
        {
          g_assert_null (network);
          continue;
        }
      g_assert_cmpstr (g_variant_get_string (network->value, NULL), ==, cases[i].value);
      g_assert_nonnull (strstr (network->text, cases[i].words));
    }
}

/* The dispatcher of experts only where they are on several nodes. */
static void
test_dispatcher (void)
{
  for (guint ep = 8; ep <= 16; ep += 8)
    {
      g_autoptr (ShardwiseScenario) scenario = scenario_of (
          "{\"model\": {\"preset\": \"deepseek-v3\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
          "\"gpus\": 64}}");
      g_autoptr (GPtrArray) list = NULL;
      const ShardwiseAssumption *dispatcher;
      SwProblem problem;
      SwEstimate estimate;
      SwStrategy strategy;

      g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, NULL));
      strategy = problem.pins.value;
      strategy.dp = 64;
      strategy.ep = (guint16) ep;
      strategy.etp = strategy.micro_batch = 1;
      strategy.framework = SW_FRAMEWORK_MEGATRON_CORE;
      sw_estimate (&problem, &strategy, &estimate);
      list = shardwise_assumptions_list (scenario, &problem, &estimate);
      dispatcher = find (list, SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER);
      g_assert_true ((dispatcher != NULL) == (ep > 8));
      if (dispatcher != NULL)
        g_assert_nonnull (strstr (dispatcher->text, "DeepEP (the recipes"));
    }
}

/* The host's memory only where something is offloaded to it. */
static void
test_host (void)
{
  static const char two[] = "\"gpu\": \"rtx-4090\", \"gpus\": 2";
  static const char offload[] = "\"strategy\": {\"offload\": \"optimizer\"}";
  g_autoptr (GPtrArray) without = assumptions_of (two, "\"training\": {}");
  g_autoptr (GPtrArray) with = assumptions_of (two, offload);
  g_autoptr (GPtrArray) stated =
      assumptions_of ("\"gpu\": \"rtx-4090\", \"gpus\": 2, \"host_ram_gb\": 96", offload);
  const ShardwiseAssumption *host = find (with, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB);

  g_assert_null (find (without, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB));
  g_assert_null (find (stated, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB));
  g_assert_cmpfloat (g_variant_get_double (host->value), ==, 128);
  g_assert_cmpstr (host->text, ==, "Host memory per node: 128 GB (64 GB per GeForce RTX 4090)");
}

/* Each has a value that the file takes, and states it then. */
static void
test_stated (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 144, \"gpu\": "
      "\"gb200-nvl72\"}, \"strategy\": {\"offload\": \"optimizer\"}}");
  g_autoptr (GPtrArray) left = NULL;
  g_autoptr (GPtrArray) list = assumptions_of ("\"gpus\": 144, \"gpu\": \"gb200-nvl72\"",
                                               "\"strategy\": {\"offload\": \"optimizer\"}");
  static const ShardwiseKeyId expected[] = {
    SHARDWISE_KEY_TRAINING_TYPE,
    SHARDWISE_KEY_TRAINING_FRAMEWORK,
    SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
    SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
    SHARDWISE_KEY_TRAINING_PRECISION,
    SHARDWISE_KEY_TRAINING_OPTIMIZER,
    SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE,
    SHARDWISE_KEY_CLUSTER_INTRA_NODE,
    SHARDWISE_KEY_CLUSTER_NVLINK_DOMAIN,
    SHARDWISE_KEY_CLUSTER_INTER_NODE,
    SHARDWISE_KEY_CLUSTER_HOST_RAM_GB,
    SHARDWISE_KEY_TRAINING_MEMORY_TARGET,
    SHARDWISE_KEY_TRAINING_SOFTWARE_DATE,
  };
  SwEstimate estimate = { .memory.host_bytes = 1 };
  SwProblem problem;

  g_assert_cmpuint (list->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < list->len; i++)
    {
      const ShardwiseAssumption *assumption = g_ptr_array_index (list, i);
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (assumption->key, ==, expected[i]);
      g_assert_true (shardwise_scenario_set (scenario, assumption->key, assumption->value, &error));
      g_assert_no_error (error);
    }
  g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, NULL));
  left = shardwise_assumptions_list (scenario, &problem, &estimate);
  g_assert_cmpuint (left->len, ==, 0);
}

/* Adapters and reinforcement learning have some of their own; one GPU has no nodes. */
static void
test_kinds (void)
{
  static const char one[] = "\"gpu\": \"rtx-4090\", \"gpus\": 1";
  g_autoptr (GPtrArray) lora = assumptions_of (one, "\"training\": {\"type\": \"lora\"}");
  g_autoptr (GPtrArray) rlhf = assumptions_of (one, "\"training\": {\"type\": \"rlhf\"}");

  g_assert_nonnull (find (lora, SHARDWISE_KEY_TRAINING_LORA_RANK));
  g_assert_null (find (lora, SHARDWISE_KEY_TRAINING_RLHF_RESPONSE_LENGTH));
  g_assert_null (find (lora, SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE));
  g_assert_null (find (lora, SHARDWISE_KEY_CLUSTER_INTRA_NODE));
  g_assert_nonnull (find (rlhf, SHARDWISE_KEY_TRAINING_RLHF_RESPONSE_LENGTH));
  g_assert_null (find (rlhf, SHARDWISE_KEY_TRAINING_LORA_RANK));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/assumptions/network", test_network);
  g_test_add_func ("/assumptions/dispatcher", test_dispatcher);
  g_test_add_func ("/assumptions/host", test_host);
  g_test_add_func ("/assumptions/stated", test_stated);
  g_test_add_func ("/assumptions/kinds", test_kinds);
  return g_test_run ();
}
