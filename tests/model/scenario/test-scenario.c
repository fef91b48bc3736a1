/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario-fixture.h"
#include "shardwise-scenario.h"
#include "shardwise-changes.h"
#include "shardwise-resolve.h"

#include <string.h>

/* The example of the interface, whole. */
static const char whole[] =
    "{\"format\": \"shardwise-scenario\", \"version\": 1, \"name\": \"70B on 4 nodes\", "
    "\"notes\": \"\","
    "\"model\": {\"preset\": \"llama-3-70b\"},"
    "\"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 32, \"gpus_per_node\": 8, "
    "\"gpu_memory_gb\": 80, \"nvlink_domain\": 8,"
    " \"intra_node\": \"nvlink4\", \"intra_node_gb_s\": 450, \"inter_node\": \"ib-ndr\", "
    "\"inter_node_gb_s\": 50,"
    " \"oversubscription\": 1.0, \"pod_gpus\": 0, \"host_ram_gb\": 2048},"
    "\"training\": {\"type\": \"pretrain\", \"sequence_length\": 8192, \"global_batch_size\": 128, "
    "\"micro_batch_size\": 4,"
    " \"precision\": \"bf16\", \"optimizer\": \"adamw\", \"attention\": \"flash\", "
    "\"states\": {\"parameters\": \"bf16\", \"gradients\": \"fp32\", \"master\": \"fp32\", "
    "\"moments\": \"8bit\"}, \"base_precision\": \"bf16\", \"optimizer_in_backward\": false, "
    "\"framework\": \"megatron-core\", \"software_date\": \"2026-06\","
    " \"overlap\": \"auto\", \"memory_target\": 0.9, \"tokens\": 1e11, \"deadline\": "
    "\"2027-03-01\","
    " \"lora\": {\"rank\": 16, \"targets\": \"all-linear\"},"
    " \"rlhf\": {\"algorithm\": \"ppo\", \"critic_parameters_b\": 70, \"response_length\": 1024, "
    "\"colocated\": true},"
    " \"packing\": {\"mean_document\": 2048}},"
    "\"strategy\": {\"tp\": 8, \"etp\": 8, \"pp\": 4, \"vpp\": 1, \"dp\": 1, \"cp\": 1, "
    "\"cp_method\": \"ring\", \"ep\": 1, \"sequence_parallel\": true,"
    " \"zero_stage\": 1, \"shard_group\": 1, \"micro_batch_size\": 4, \"recompute\": "
    "\"selective\", \"recompute_modules\": [], \"schedule\": \"1f1b\","
    " \"offload\": \"none\"},"
    "\"cost\": {\"price\": 2.5, \"currency\": \"USD\", \"price_date\": \"2026-11\", "
    "\"capex_per_gpu\": 35000, \"depreciation_years\": 4, \"power_w\": 700,"
    " \"pue\": 1.3, \"kwh_price\": 0.1, \"grid_kg_co2_per_kwh\": 0.4, \"overhead_share\": 0.2, "
    "\"mtbf_gpu_hours\": 50000, \"storage_gb_s\": 100,"
    " \"restart_s\": 600}}";

static void
count_cb (ShardwiseScenario *scenario, const char *path, guint *count)
{
  (*count)++;
}

static void
test_whole (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (whole, -1, &error),
                                back = NULL;
  g_autofree char *json = NULL, *again = NULL;
  g_autoptr (GPtrArray) notes = NULL;
  SwProblem problem;

  g_assert_no_error (error);
  json = shardwise_scenario_to_json (scenario);
  back = shardwise_scenario_from_json (json, -1, &error);
  g_assert_no_error (error);
  again = shardwise_scenario_to_json (back);
  g_assert_cmpstr (json, ==, again);
  for (const char *p = "deadline capex_per_gpu recompute_modules mean_document restart_s notes";
       *p != '\0';)
    {
      g_autofree char *word = g_strndup (p, strcspn (p, " "));

      g_assert_nonnull (strstr (json, word));
      p += strlen (word) + (p[strlen (word)] == ' ');
    }
  g_assert_true (shardwise_scenario_resolve (scenario, &problem, &notes, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (notes->len, ==, 0);
  g_assert_cmpuint (problem.pins.value.tp, ==, 8);
  g_assert_true (sw_pins_has (&problem.pins, SW_DIM_RECOMPUTE));
  g_assert_cmpfloat (problem.training.software_year, ==, 2026.5);
  g_assert_cmpfloat (problem.training.tokens, ==, 1e11);
}

static void
test_new (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *gpu = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_CLUSTER_GPU),
                  *link = shardwise_scenario_get_string (scenario,
                                                         SHARDWISE_KEY_CLUSTER_INTRA_NODE);
  SwProblem problem;

  g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, &error));
  g_assert_no_error (error);
  g_assert_false (shardwise_scenario_get_modified (scenario));
  g_assert_cmpstr (gpu, ==, "h100-80-sxm");
  g_assert_cmpstr (link, ==, "nvlink4");
  g_assert_cmpuint (problem.cluster.gpus, ==, 8);
  g_assert_cmpuint (problem.training.sequence_length, ==, 4096);
  g_assert_cmpuint (problem.training.global_batch, ==, 256); /* x 4096 = 1,048,576 tokens */
  g_assert_cmpfloat (problem.training.memory_target, ==, 0.9);
  g_assert_cmpfloat_with_epsilon (problem.cluster.usable_bytes / SW_GIB, 79.19, 1e-9);
  g_assert_cmpfloat (
      shardwise_scenario_get_number (scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, 0), ==,
      4096);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB, 0),
                     ==, 2048);
  g_assert_null (shardwise_scenario_get (scenario, SHARDWISE_KEY_STRATEGY_TP));
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH));
}

static void
test_undo (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  gboolean can_undo, can_redo;
  guint all = 0, gpus = 0;

  g_signal_connect (scenario, "changed", G_CALLBACK (count_cb), &all);
  g_signal_connect (scenario, "changed::cluster.gpus", G_CALLBACK (count_cb), &gpus);
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "16");
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "16"); /* no change, no step */
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, "8192");
  g_assert_cmpuint (all, ==, 2);
  g_assert_cmpuint (gpus, ==, 1);
  g_assert_true (shardwise_scenario_get_modified (scenario));
  shardwise_scenario_undo (scenario);
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH));
  shardwise_scenario_undo (scenario);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     8);
  g_assert_false (shardwise_scenario_get_modified (scenario));
  shardwise_scenario_undo (scenario);
  g_object_get (scenario, "can-undo", &can_undo, "can-redo", &can_redo, NULL);
  g_assert_false (can_undo);
  g_assert_true (can_redo);
  shardwise_scenario_redo (scenario);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     16);
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS,
                "24"); /* a new branch drops what could be redone */
  g_object_get (scenario, "can-redo", &can_redo, NULL);
  g_assert_false (can_redo);
}

static void
test_models_replace (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();

  scenario_set (scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B, "70");
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_PRESET));
  scenario_set (scenario, SHARDWISE_KEY_MODEL_LAYERS, "12");
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B));
  scenario_set (scenario, SHARDWISE_KEY_MODEL_HIDDEN_SIZE, "768");
  g_assert_true (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_LAYERS));
  scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET, "'llama-3-70b'");
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_LAYERS));
  shardwise_scenario_undo (scenario);
  g_assert_true (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_LAYERS));
  g_assert_true (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_HIDDEN_SIZE));
}

static void
test_apply (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GError) error = NULL, unknown = NULL, twice = NULL;
  guint changes = 0;

  g_signal_connect (scenario, "changed", G_CALLBACK (count_cb), &changes);
  g_assert_true (shardwise_scenario_apply (
      scenario,
      g_variant_new_parsed (
          "{'cluster.gpus': <int64 64>, 'training.precision': <'fp8'>, 'strategy.tp': <uint32 4>, "
          "'strategy.sequence_parallel': <true>, 'cost.price': <2.5>}"),
      &error));
  g_assert_cmpuint (changes, ==, 1);
  /* all or nothing */
  g_assert_false (shardwise_scenario_apply (
      scenario, g_variant_new_parsed ("{'cluster.gpus': <128>, 'strategy.tp': <'4'>}"), &error));
  g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_TYPE);
  g_assert_cmpstr (shardwise_error_path (error), ==, "strategy.tp");
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     64);
  g_assert_false (shardwise_scenario_apply (
      scenario, g_variant_new_parsed ("{'cluster.gpu_count': <8>}"), &unknown));
  g_assert_error (unknown, SHARDWISE_ERROR, SHARDWISE_ERROR_UNKNOWN_KEY);
  g_assert_nonnull (strstr (unknown->message, "cluster.gpu"));
  g_assert_false (shardwise_scenario_apply (
      scenario,
      g_variant_new_parsed ("{'model.preset': <'llama-3-8b'>, 'model.parameters_b': <8>}"),
      &twice));
  g_assert_error (twice, SHARDWISE_ERROR, SHARDWISE_ERROR_INCONSISTENT);
  g_assert_true (shardwise_scenario_apply (
      scenario,
      g_variant_new_parsed (
          "{'strategy.tp': <''>, 'model.parameters_b': <8>, 'model.preset': <''>}"),
      NULL));
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_STRATEGY_TP));
  g_assert_true (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B));
  g_assert_cmpuint (changes, ==, 2);
}

/* A random value of a key, within its range. */
static GVariant *
random_value (const ShardwiseKey *key)
{
  guint n = 0;

  switch (key->kind)
    {
    case SHARDWISE_KIND_INTEGER:
      return g_variant_new_int64 ((gint64) g_test_rand_double_range (key->minimum, key->maximum));
    case SHARDWISE_KIND_NUMBER:
      return g_variant_new_double (g_test_rand_double_range (key->minimum, key->maximum));
    case SHARDWISE_KIND_BOOLEAN: return g_variant_new_boolean (g_test_rand_bit ());
    case SHARDWISE_KIND_DATE:
      return g_variant_new_string (g_test_rand_bit () ? "2026-11" : "2027-02-28");
    case SHARDWISE_KIND_CURRENCY: return g_variant_new_string (g_test_rand_bit () ? "EUR" : "JPY");
    case SHARDWISE_KIND_VERSION: return g_variant_new_int64 (g_test_rand_int_range (0, 4));
    case SHARDWISE_KIND_RECOMPUTE:
      return g_variant_new_string (g_test_rand_bit () ? "full" : "full_layers:7");
    case SHARDWISE_KIND_GPU:
      return g_variant_new_string (
          g_test_rand_bit () ? "a100-80-sxm" : "{\"base\": \"h100-80-sxm\", \"memory_gb\": 96}");
    case SHARDWISE_KIND_STRING:
      return g_variant_new_string ("a \"text\" with\nl\u00efnes \\ and \u5b57");
    case SHARDWISE_KIND_CHOICE:
    case SHARDWISE_KIND_STRINGS:
    default:
      while (key->choices[n] != NULL)
        n++;
      n = (guint) g_test_rand_int_range (0, (int) n);
      return key->kind == SHARDWISE_KIND_CHOICE ? g_variant_new_string (key->choices[n])
                                                : g_variant_new_strv (key->choices + n, -1);
    }
}

/* Every set of values survives the file, whatever its order. */
static void
test_round_trip (void)
{
  for (guint round = 0; round < 200; round++)
    {
      g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new (), back = NULL;
      g_autofree char *json = NULL, *again = NULL;
      g_autoptr (GError) error = NULL;
      SwProblem problem;

      for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
        if (g_test_rand_int_range (0, 3) == 0)
          shardwise_scenario_set (scenario, i, random_value (shardwise_key_get (i)), &error);
      g_assert_no_error (error);
      json = shardwise_scenario_to_json (scenario);
      back = shardwise_scenario_from_json (json, -1, &error);
      g_assert_no_error (error);
      again = shardwise_scenario_to_json (back);
      g_assert_cmpstr (json, ==, again);
      g_assert_false (shardwise_scenario_replace (scenario, back));
      shardwise_scenario_resolve (back, &problem, NULL,
                                  NULL); /* an answer or an error, never a crash */
    }
}

static void
test_copy (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new (), copy = NULL,
                                other = shardwise_scenario_new ();

  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "64");
  copy = shardwise_scenario_copy (scenario);
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "128");
  g_assert_cmpfloat (shardwise_scenario_get_number (copy, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==, 64);
  g_assert_false (shardwise_scenario_get_modified (copy));
  g_assert_true (shardwise_scenario_replace (other, scenario));
  g_assert_cmpfloat (shardwise_scenario_get_number (other, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==, 128);
  shardwise_scenario_undo (other);
  g_assert_cmpfloat (shardwise_scenario_get_number (other, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==, 8);
}

typedef struct {
  const char *name, *json, *path;
  int code;
  const char *message;
} Case;

/* What a file must not hold; %s-free, each alone in its way. */
static const Case wrong_files[] = {
  { "not-json", "model: llama", NULL, SHARDWISE_ERROR_SYNTAX, "line 1" },
  { "array", "[]", NULL, SHARDWISE_ERROR_TYPE, "JSON object" },
  { "other-format", "{\"format\": \"other\"}", "format", SHARDWISE_ERROR_CHOICE,
    "shardwise-scenario" },
  { "newer", "{\"version\": 2}", "version", SHARDWISE_ERROR_CHOICE, "1" },
  { "unknown-key", "{\"cluster\": {\"gpu_count\": 8}}", "cluster.gpu_count",
    SHARDWISE_ERROR_UNKNOWN_KEY, "nearest" },
  { "unknown-section", "{\"clusters\": {\"gpus\": 8}}", "clusters", SHARDWISE_ERROR_UNKNOWN_KEY,
    "nearest" },
  { "unknown-deep", "{\"training\": {\"lora\": {\"beta\": 8}}}", "training.lora.beta",
    SHARDWISE_ERROR_UNKNOWN_KEY, "nearest" },
  { "section-is-number", "{\"cluster\": 8}", "cluster", SHARDWISE_ERROR_TYPE, "object" },
  { "key-is-object", "{\"cluster\": {\"gpus\": {}}}", "cluster.gpus", SHARDWISE_ERROR_TYPE,
    "1 to 131072" },
  { "number-as-text", "{\"cluster\": {\"gpus\": \"8\"}}", "cluster.gpus", SHARDWISE_ERROR_TYPE,
    "1 to 131072" },
  { "null", "{\"cluster\": {\"gpus\": null}}", "cluster.gpus", SHARDWISE_ERROR_TYPE, "null" },
  { "no-gpus", "{\"cluster\": {\"gpus\": 0}}", "cluster.gpus", SHARDWISE_ERROR_RANGE, "131072" },
  { "too-many-gpus", "{\"cluster\": {\"gpus\": 131073}}", "cluster.gpus", SHARDWISE_ERROR_RANGE,
    "131072" },
  { "small-model", "{\"model\": {\"parameters_b\": 0.05}}", "model.parameters_b",
    SHARDWISE_ERROR_RANGE, "0.1 to 10000" },
  { "big-model", "{\"model\": {\"parameters_b\": 10001}}", "model.parameters_b",
    SHARDWISE_ERROR_RANGE, "0.1 to 10000" },
  { "little-memory", "{\"cluster\": {\"gpu_memory_gb\": 4}}", "cluster.gpu_memory_gb",
    SHARDWISE_ERROR_RANGE, "8 to 320 GB" },
  { "much-memory", "{\"cluster\": {\"gpu_memory_gb\": 400}}", "cluster.gpu_memory_gb",
    SHARDWISE_ERROR_RANGE, "8 to 320 GB" },
  { "empty-word", "{\"training\": {\"type\": \"\"}}", "training.type", SHARDWISE_ERROR_CHOICE,
    "pretrain" },
  { "two-models", "{\"model\": {\"preset\": \"llama-3-8b\", \"parameters_b\": 8}}",
    "model.parameters_b", SHARDWISE_ERROR_INCONSISTENT, "twice" },
  { "several-gpu-types", "{\"cluster\": {\"gpu\": [\"h100-80-sxm\", \"a100-80-sxm\"]}}",
    "cluster.gpu", SHARDWISE_ERROR_TYPE, "one job cannot use several GPU types" },
  { "recompute-object", "{\"strategy\": {\"recompute\": {\"layers\": 3}}}", "strategy.recompute",
    SHARDWISE_ERROR_TYPE, "full_layers" },
  { "modules", "{\"strategy\": {\"recompute_modules\": [\"mlp\", 3]}}",
    "strategy.recompute_modules", SHARDWISE_ERROR_TYPE, "core_attn" },
  { "line-break-in-key", "{\"clus\\nter\": 8}", "clus\nter", SHARDWISE_ERROR_UNKNOWN_KEY,
    "clus ter: unknown key" },
  { "long-word",
    "{\"training\": {\"type\": "
    "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\u00e9\u00e9\u00e9\"}}",
    "training.type", SHARDWISE_ERROR_CHOICE, "pretrain" },
  { "nan", "{\"cost\": {\"price\": NaN}}", NULL, SHARDWISE_ERROR_SYNTAX, "line 1, column 20" },
  { "duplicate", "{\"cluster\": {\"gpus\": 8, \"gpus\": 16}}", NULL, SHARDWISE_ERROR_SYNTAX,
    "twice" },
};

/* What no file shows before the catalogue and the other keys are looked at. */
static const Case wrong_questions[] = {
  { "empty", "{}", "model", SHARDWISE_ERROR_MISSING, "preset" },
  { "no-cluster", "{\"model\": {\"preset\": \"llama-3-8b\"}}", "cluster.gpus",
    SHARDWISE_ERROR_MISSING, "1 to 131072" },
  { "preset", "{\"model\": {\"preset\": \"llama-9\"}, \"cluster\": {\"gpus\": 8}}", "model.preset",
    SHARDWISE_ERROR_CHOICE, "llama-9" },
  { "half-architecture", "{\"model\": {\"layers\": 12}, \"cluster\": {\"gpus\": 8}}",
    "model.hidden_size", SHARDWISE_ERROR_MISSING, "1048576" },
  { "kv-heads",
    "{\"model\": {\"layers\": 12, \"hidden_size\": 768, \"attention_heads\": 12, \"kv_heads\": 5, "
    "\"vocab_size\": 50000}, \"cluster\": {\"gpus\": 8}}",
    "model.kv_heads", SHARDWISE_ERROR_INCONSISTENT, "12" },
  { "top-k",
    "{\"model\": {\"layers\": 12, \"hidden_size\": 768, \"attention_heads\": 12, \"vocab_size\": "
    "50000, \"moe\": {\"experts\": 4, \"top_k\": 8}}, \"cluster\": {\"gpus\": 8}}",
    "model.moe.top_k", SHARDWISE_ERROR_INCONSISTENT, "1 to 4" },
  { "no-experts",
    "{\"model\": {\"layers\": 12, \"hidden_size\": 768, \"attention_heads\": 12, \"vocab_size\": "
    "50000, \"moe\": {\"top_k\": 8}}, \"cluster\": {\"gpus\": 8}}",
    "model.moe.experts", SHARDWISE_ERROR_MISSING, "required" },
  { "gpu",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": \"h900\"}}",
    "cluster.gpu", SHARDWISE_ERROR_CHOICE, "h900" },
  { "gpu-list",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": "
    "\"h100-80-sxm,a100-80-sxm\"}}",
    "cluster.gpu", SHARDWISE_ERROR_CHOICE, "one job cannot use several GPU types" },
  { "gpu-base",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": {\"memory_gb\": "
    "96}}}",
    "cluster.gpu.base", SHARDWISE_ERROR_MISSING, "required" },
  { "gpu-field",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": {\"base\": "
    "\"h100-80-sxm\", \"vram\": 96}}}",
    "cluster.gpu.vram", SHARDWISE_ERROR_UNKNOWN_KEY, "memory_gb" },
  { "gpu-field-range",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": {\"base\": "
    "\"h100-80-sxm\", \"hbm_bandwidth_gb_s\": -1}}}",
    "cluster.gpu.hbm_bandwidth_gb_s", SHARDWISE_ERROR_RANGE, "above 0" },
  { "gpu-memory-range",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": {\"base\": "
    "\"h100-80-sxm\", \"memory_gb\": 1000}}}",
    "cluster.gpu.memory_gb", SHARDWISE_ERROR_RANGE, "8 to 320" },
  { "link",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"inter_node\": "
    "\"wifi\"}}",
    "cluster.inter_node", SHARDWISE_ERROR_CHOICE, "wifi" },
  { "no-nvlink",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": \"l40s\", "
    "\"intra_node\": \"nvlink\"}}",
    "cluster.intra_node", SHARDWISE_ERROR_INCONSISTENT, "L40S" },
  { "unknown-word-with-bandwidth",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 16, \"inter_node\": "
    "\"wifi\", \"inter_node_gb_s\": 1}}",
    "cluster.inter_node", SHARDWISE_ERROR_CHOICE, "wifi" },
  { "gpu-deep",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": {\"base\": "
    "\"h100-80-sxm\", \"achievable\": {\"bf16_gemm_tflops\": [{\"value\": -5}]}}}}",
    "cluster.gpu.achievable.bf16_gemm_tflops.value", SHARDWISE_ERROR_RANGE, "above 0" },
  { "gpu-figure-text",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": {\"base\": "
    "\"h100-80-sxm\", \"memory_gb\": \"80\"}}}",
    "cluster.gpu.memory_gb", SHARDWISE_ERROR_TYPE, "a number" },
  { "gpu-section",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": {\"base\": "
    "\"h100-80-sxm\", \"peak_dense_tflops\": 900}}}",
    "cluster.gpu.peak_dense_tflops", SHARDWISE_ERROR_TYPE, "an object" },
  { "gpu-section-text",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": {\"base\": "
    "\"h100-80-sxm\", \"peak_dense_tflops\": {\"bf16\": \"900\"}}}}",
    "cluster.gpu.peak_dense_tflops.bf16", SHARDWISE_ERROR_TYPE, "a number" },
  { "gpu-section-field",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": {\"base\": "
    "\"h100-80-sxm\", \"peak_dense_tflops\": {\"bf_16\": 900}}}}",
    "cluster.gpu.peak_dense_tflops.bf_16", SHARDWISE_ERROR_UNKNOWN_KEY, "bf16, fp16" },
  { "tp-heads",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, \"strategy\": {\"tp\": "
    "3}}",
    "strategy.tp", SHARDWISE_ERROR_INCONSISTENT, "1, 2, 4, 8" },
  { "product",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, \"strategy\": {\"tp\": "
    "4, \"dp\": 4}}",
    "strategy.dp", SHARDWISE_ERROR_INCONSISTENT, "1 to 2" },
  { "stages",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 64}, \"strategy\": {\"pp\": "
    "33}}",
    "strategy.pp", SHARDWISE_ERROR_INCONSISTENT, "1 to 32" },
  { "experts-of-dense",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, \"strategy\": {\"ep\": "
    "2}}",
    "strategy.ep", SHARDWISE_ERROR_INCONSISTENT, "no experts" },
  { "micro-batch",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, \"training\": "
    "{\"global_batch_size\": 4, \"micro_batch_size\": 8}}",
    "training.micro_batch_size", SHARDWISE_ERROR_INCONSISTENT, "1 to 4" },
  { "precision",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": "
    "\"a100-80-sxm\"}, \"training\": {\"precision\": \"fp8\"}}",
    "training.precision", SHARDWISE_ERROR_INCONSISTENT, "allowed: bf16, fp16" },
  { "precision-of-blackwell",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, \"training\": "
    "{\"precision\": \"mxfp8\"}}",
    "training.precision", SHARDWISE_ERROR_INCONSISTENT, "allowed: bf16, fp16, fp8, fp8-rowwise" },
  { "shard-group",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, \"strategy\": {\"dp\": "
    "8, \"shard_group\": 3}}",
    "strategy.shard_group", SHARDWISE_ERROR_INCONSISTENT, "1, 2, 4, 8" },
};

static void
check_error (const Case *c, const GError *error)
{
  g_test_message ("%s: %s", c->name, error != NULL ? error->message : "no error");
  g_assert_error (error, SHARDWISE_ERROR, c->code);
  g_assert_cmpstr (shardwise_error_path (error), ==, c->path);
  g_assert_nonnull (strstr (error->message, c->message));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_null (strchr (error->message, '\n'));
  if (c->path != NULL && strchr (c->path, '\n') == NULL)
    g_assert_true (g_str_has_prefix (error->message, c->path));
}

static void
test_wrong_files (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong_files); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (wrong_files[i].json,
                                                                             -1, &error);

      g_assert_null (scenario);
      check_error (&wrong_files[i], error);
    }
}

static void
test_wrong_questions (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong_questions); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseScenario) scenario =
          shardwise_scenario_from_json (wrong_questions[i].json, -1, &error);
      SwProblem problem;

      g_assert_no_error (error);
      g_assert_false (shardwise_scenario_resolve (scenario, &problem, NULL, &error));
      check_error (&wrong_questions[i], error);
    }
}

/* Some dimensions of a strategy, pinned as the scenario spells them; the others are left alone. */
static void
test_pin (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GVariant) changes = NULL, sequence_parallel = NULL;
  g_autofree char *recompute = NULL, *schedule = NULL;
  g_autoptr (GError) error = NULL;
  SwStrategy strategy;

  sw_strategy_init_default (&strategy);
  strategy.tp = 4;
  strategy.pp = 8;
  strategy.sequence_parallel = TRUE;
  strategy.recompute = SW_RECOMPUTE_FULL_LAYERS;
  strategy.full_layers = 3;
  strategy.schedule = SW_SCHEDULE_1F1B;
  changes = g_variant_ref_sink (
      shardwise_strategy_changes (&strategy, 1u << SW_DIM_TP | 1u << SW_DIM_SP
                                                 | 1u << SW_DIM_RECOMPUTE | 1u << SW_DIM_SCHEDULE));
  g_assert_true (shardwise_scenario_apply (scenario, changes, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_STRATEGY_TP, 0), ==, 4);
  sequence_parallel = shardwise_scenario_get (scenario, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL);
  g_assert_true (g_variant_get_boolean (sequence_parallel));
  recompute = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_STRATEGY_RECOMPUTE);
  g_assert_cmpstr (recompute, ==, "full_layers:3");
  schedule = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_STRATEGY_SCHEDULE);
  g_assert_cmpstr (schedule, ==, "1f1b");
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_STRATEGY_PP));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scenario/whole", test_whole);
  g_test_add_func ("/scenario/new", test_new);
  g_test_add_func ("/scenario/undo", test_undo);
  g_test_add_func ("/scenario/models-replace", test_models_replace);
  g_test_add_func ("/scenario/apply", test_apply);
  g_test_add_func ("/scenario/pin", test_pin);
  g_test_add_func ("/scenario/round-trip", test_round_trip);
  g_test_add_func ("/scenario/copy", test_copy);
  g_test_add_func ("/scenario/wrong-files", test_wrong_files);
  g_test_add_func ("/scenario/wrong-questions", test_wrong_questions);
  return g_test_run ();
}
