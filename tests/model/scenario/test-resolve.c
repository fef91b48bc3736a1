/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a scenario means to the engine: its cluster, its model, and whether it contradicts
 * itself. */
#include "scenario-fixture.h"
#include "shardwise-scenario.h"
#include "shardwise-resolve.h"

#include <string.h>

static void
resolve (const char *cluster, SwProblem *problem)
{
  g_autofree char *json =
      g_strdup_printf ("{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {%s}}", cluster);
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);

  shardwise_scenario_resolve (scenario, problem, NULL, &error);
  g_assert_no_error (error);
}

static void
test_cluster (void)
{
  SwProblem problem;

  /* Nodes are as they usually are with such GPUs, and a part of one has a part of its memory. */
  resolve ("\"gpus\": 16, \"gpu\": \"h100-80-sxm\"", &problem);
  g_assert_cmpstr (problem.cluster.inter.id, ==, "ib-ndr");
  g_assert_cmpfloat (sw_cluster_host_bytes (&problem.cluster), ==, 8 * 256e9);
  resolve ("\"gpus\": 16, \"gpu\": \"rtx-4090\"", &problem);
  g_assert_cmpstr (problem.cluster.inter.id, ==, "ethernet-10");
  g_assert_true (problem.cluster.inter.is_ethernet);
  resolve ("\"gpus\": 2, \"gpu\": \"rtx-4090\"", &problem);
  g_assert_cmpfloat (sw_cluster_host_bytes (&problem.cluster), ==, 128e9);
  resolve ("\"gpus\": 2, \"gpu\": \"rtx-4090\", \"host_ram_gb\": 32", &problem);
  g_assert_cmpfloat (sw_cluster_host_bytes (&problem.cluster), ==, 32e9);
  /* a bandwidth that Ethernet has not is that of another network */
  resolve ("\"gpus\": 16, \"gpu\": \"rtx-4090\", \"inter_node_gb_s\": 25", &problem);
  g_assert_false (problem.cluster.inter.is_ethernet);
  g_assert_cmpfloat (problem.cluster.inter.bytes_per_s, ==, 25e9);
  resolve ("\"gpus\": 72, \"gpu\": \"gb200-nvl72\"", &problem);
  g_assert_cmpuint (problem.cluster.gpus_per_node, ==, 4);
  g_assert_cmpuint (problem.cluster.nvlink_domain, ==, 72);
  resolve ("\"gpus\": 8, \"gpu_memory_gb\": 40", &problem);
  g_assert_cmpstr (problem.cluster.gpu.id, ==, "a100-40-sxm");
  resolve ("\"gpus\": 8", &problem);
  g_assert_cmpstr (problem.cluster.gpu.id, ==, "h100-80-sxm");
  /* the base's usable share */
  resolve ("\"gpus\": 8, \"gpu\": \"h100-80-sxm\", \"gpu_memory_gb\": 94", &problem);
  g_assert_cmpfloat_with_epsilon (problem.cluster.usable_bytes / SW_GIB, 94 * 79.19 / 80, 1e-9);
  resolve ("\"gpus\": 8, \"gpu\": {\"base\": \"h100-80-sxm\", \"memory_gb\": 96, "
           "\"hbm_bandwidth_gb_s\": 3900}",
           &problem);
  g_assert_cmpfloat (problem.cluster.gpu.hbm_bytes_per_s, ==, 3900e9);
  g_assert_cmpfloat (problem.cluster.gpu.peak_bf16_flops_per_s, ==, 989e12);
  g_assert_cmpfloat_with_epsilon (problem.cluster.usable_bytes / SW_GIB, 96 * 79.19 / 80, 1e-9);
  resolve ("\"gpus\": 16, \"inter_node\": \"ethernet\"", &problem);
  g_assert_true (problem.cluster.inter.shared_by_node);
  resolve ("\"gpus\": 16, \"inter_node\": \"ethernet\", \"inter_node_gb_s\": 3", &problem);
  g_assert_cmpfloat (problem.cluster.inter.bytes_per_s, ==, 3e9);
  g_assert_false (problem.cluster.inter.shared_by_node);
  resolve ("\"gpus\": 4, \"gpu\": \"l40s\", \"intra_node\": \"nvlink\", \"intra_node_gb_s\": 100",
           &problem);
  g_assert_cmpfloat (problem.cluster.intra.bytes_per_s, ==, 100e9);
  g_assert_false (problem.cluster.intra.is_pcie);
  /* a whole record of gpus.json over a base; its own links */
  resolve ("\"gpus\": 8, \"gpu\": {\"base\": \"h100-80-sxm\", \"id\": \"mine\", \"name\": "
           "\"Mine\", \"note\": null, \"achievable\": {\"bf16_gemm_tflops\": [3, {\"value\": 900, "
           "\"source\": \"me\"}]}, \"scale_up\": {\"type\": \"NVLink\", \"unidirectional_gb_s\": "
           "200, \"domain_size\": 4}}",
           &problem);
  g_assert_cmpfloat (problem.cluster.intra.bytes_per_s, ==, 200e9);
  g_assert_cmpuint (problem.cluster.nvlink_domain, ==, 4);
  g_assert_cmpstr (problem.cluster.gpu.name, ==, "Mine");
  g_assert_cmpfloat_with_epsilon (problem.cluster.gpu.measured_bf16_flops_per_s, 900e12, 1e6);
  g_assert_cmpint (problem.training.precision, ==, SW_PRECISION_BF16);
  /* what is measured takes the place of the base's, be it less */
  resolve ("\"gpus\": 8, \"gpu\": {\"base\": \"h100-80-sxm\", \"achievable\": "
           "{\"bf16_gemm_tflops\": [{\"value\": 300}]}}",
           &problem);
  g_assert_cmpfloat_with_epsilon (problem.cluster.gpu.measured_bf16_flops_per_s, 300e12, 1e6);
  resolve ("\"gpus\": 8, \"gpu\": \"v100-32-sxm\"", &problem); /* which has no bf16 */
  g_assert_cmpint (problem.training.precision, ==, SW_PRECISION_FP16);
  resolve ("\"gpus\": 8, \"gpu\": \"t4\"", &problem); /* nor has Turing */
  g_assert_cmpint (problem.training.precision, ==, SW_PRECISION_FP16);
  resolve ("\"gpus\": 8, \"gpu\": \"rubin-288\"", &problem); /* no network is known, and none is
                                                                needed */
  g_assert_cmpuint (problem.cluster.gpus, ==, 8);
  /* bridges join pairs */
  resolve ("\"gpus\": 8, \"gpu\": \"a100-80-pcie\", \"intra_node\": \"nvlink\"", &problem);
  g_assert_cmpuint (problem.cluster.nvlink_domain, ==, 2);
}

static void
test_models (void)
{
  static const char json[] = "{\"model\": {\"parameters_b\": 70}, \"cluster\": {\"gpus\": 32}, "
                             "\"training\": {\"precision\": \"fp8-tensorwise\"}}";
  static const char custom[] =
      "{\"model\": {\"layers\": 12, \"hidden_size\": 768, \"attention_heads\": 12, \"vocab_size\": "
      "50257, \"gated_mlp\": false,\"tied_embeddings\": true, \"norm\": \"layernorm\", "
      "\"position_embedding\": \"learned\", \"max_position_embeddings\": 1024,\"bias\": {\"qkv\": "
      "true, \"attn_out\": true, \"mlp\": true}}, \"cluster\": {\"gpus\": 1}}";
  static const char hybrid[] =
      "{\"model\": {\"preset\": \"vit-b-16\"}, \"cluster\": {\"gpus\": 8}}";
  g_autoptr (ShardwiseScenario) size = shardwise_scenario_from_json (json, -1, NULL);
  g_autoptr (ShardwiseScenario) gpt2 = shardwise_scenario_from_json (custom, -1, NULL);
  g_autoptr (ShardwiseScenario) vit = shardwise_scenario_from_json (hybrid, -1, NULL);
  g_autoptr (GPtrArray) notes = NULL;
  SwProblem problem;

  g_assert_true (shardwise_scenario_resolve (size, &problem, NULL, NULL));
  g_assert_cmpfloat_with_epsilon (problem.count.total / 70e9, 1, 0.01);
  g_assert_cmpint (problem.training.precision, ==, SW_PRECISION_FP8);
  g_assert_true (shardwise_scenario_resolve (gpt2, &problem, NULL, NULL));
  g_assert_cmpfloat_with_epsilon (problem.count.total / 124.4e6, 1,
                                  0.001); /* GPT-2 124M: 0.1244 B in the catalogue */
  g_assert_true (shardwise_scenario_resolve (vit, &problem, &notes, NULL));
  g_assert_nonnull (strstr (g_ptr_array_index (notes, 0), "causal mask"));
}

/* Precision of states: without master weights the optimizer updates 16 bits; a copy beside bf16
 * parameters has 4 bytes, fp32 parameters are it themselves. */
static void
test_states (void)
{
  static const struct {
    const char *training;
    double parameters, gradients, master, moments;
    gboolean no_master, in_backward;
    SwBase base;
  } table[] = {
    { "\"type\": \"finetune\"", .base = SW_BASE_BF16 },
    { "\"states\": {\"parameters\": \"bf16\", \"master\": \"none\"}", .parameters = 2,
      .no_master = TRUE, .base = SW_BASE_BF16 },
    { "\"states\": {\"parameters\": \"bf16\", \"master\": \"fp32\", \"moments\": \"8bit\"}",
      .parameters = 2, .master = 4, .moments = 1, .base = SW_BASE_BF16 },
    { "\"states\": {\"parameters\": \"fp32\", \"master\": \"fp32\", \"gradients\": \"bf16\", "
      "\"moments\": \"bf16\"}",
      .parameters = 4, .gradients = 2, .moments = 2, .base = SW_BASE_BF16 },
    { "\"optimizer_in_backward\": true", .in_backward = TRUE, .base = SW_BASE_BF16 },
    { "\"type\": \"qlora\"", .base = SW_BASE_NF4 },
    { "\"type\": \"lora\", \"base_precision\": \"fp8\"", .base = SW_BASE_FP8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *json =
          g_strdup_printf ("{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, "
                           "\"training\": {%s}}",
                           table[i].training);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
      g_autoptr (GError) error = NULL;
      const SwTraining *training;
      SwProblem problem;

      g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, &error));
      g_assert_no_error (error);
      training = &problem.training;
      g_test_message ("%s", table[i].training);
      g_assert_cmpfloat (training->parameter_bytes, ==, table[i].parameters);
      g_assert_cmpfloat (training->gradient_bytes, ==, table[i].gradients);
      g_assert_cmpfloat (training->master_bytes, ==, table[i].master);
      g_assert_cmpfloat (training->moment_bytes, ==, table[i].moments);
      g_assert_cmpint (training->no_master, ==, table[i].no_master);
      g_assert_cmpint (training->optimizer_in_backward, ==, table[i].in_backward);
      g_assert_cmpint (sw_training_base (training), ==, table[i].base);
    }
}

/* A pinned strategy that contradicts the rest takes no default away, and can be dropped at once. */
static void
test_unpinning (void)
{
  static const char json[] = "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8},"
                             "\"strategy\": {\"tp\": 8, \"pp\": 8}}";
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (json, -1, NULL);
  g_autoptr (GVariant) type = shardwise_scenario_get (scenario, SHARDWISE_KEY_TRAINING_TYPE),
                       changes = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (shardwise_scenario_get_resolves (scenario));
  g_assert_cmpstr (g_variant_get_string (type, NULL), ==, "pretrain");
  g_assert_cmpfloat (
      shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB, 0), ==, 80);
  changes = g_variant_ref_sink (shardwise_scenario_get_unpinning (scenario));
  g_assert_true (shardwise_scenario_apply (scenario, changes, &error));
  g_assert_no_error (error);
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_STRATEGY_TP));
  g_assert_true (shardwise_scenario_get_resolves (scenario));
  g_assert_null (shardwise_scenario_get_unpinning (scenario));

  /* what is wrong beside the strategy stays wrong without it */
  g_assert_true (shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_PRECISION,
                                         g_variant_new_string ("nvfp4"), &error));
  g_assert_true (shardwise_scenario_set (scenario, SHARDWISE_KEY_STRATEGY_TP,
                                         g_variant_new_int64 (64), &error));
  g_assert_false (shardwise_scenario_get_resolves (scenario));
  g_assert_null (shardwise_scenario_get_unpinning (scenario));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/resolve/cluster", test_cluster);
  g_test_add_func ("/resolve/models", test_models);
  g_test_add_func ("/resolve/states", test_states);
  g_test_add_func ("/resolve/unpinning", test_unpinning);
  return g_test_run ();
}
