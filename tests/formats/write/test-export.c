/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export-fixture.h"
#include "shardwise-export-search.h"
#include "shardwise-format.h"

#define SCENARIO(strategy)                                                                         \
  "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"llama-3-70b\"}," \
  " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 32, \"gpus_per_node\": 8, \"inter_node\": "  \
  "\"infiniband\"},"                                                                               \
  " \"training\": {\"sequence_length\": 8192, \"global_batch_size\": 128, \"micro_batch_size\": "  \
  "2}" strategy "}"

static void
test_formats (void)
{
  static const char *const ids[] = { "deepspeed", "fsdp1",      "fsdp2",         "nanotron",
                                     "megatron",  "torchtitan", "accelerate",    "megatron-bridge",
                                     "trl",       "axolotl",    "llama-factory", "torchtune",
                                     "unsloth",   "verl",       "openrlhf",      "torchrun",
                                     "slurm",     "kubernetes", "skypilot" };
  guint others = 0;

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_find (ids[i]);

      g_assert_nonnull (info);
      g_assert_true (info == shardwise_format_info (i));
      g_assert_cmpuint (info->format, ==, i);
      g_assert_true (shardwise_format_is_default (info));
      g_assert_true (shardwise_format_find_version (ids[i], info->version) == info);
      g_assert_true (info->launcher == (i >= SHARDWISE_FORMAT_TORCHRUN));
    }
  for (guint i = G_N_ELEMENTS (ids); i < SHARDWISE_N_FORMATS; i++, others++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info (i);

      g_assert_false (shardwise_format_is_default (info));
      g_assert_true (shardwise_format_find_version (info->id, info->version) == info);
    }
  g_assert_cmpuint (others, ==, 3);
  g_assert_null (shardwise_format_find ("horovod"));
  g_assert_null (shardwise_format_find (NULL));
}

static void
test_best (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (SCENARIO (""));

  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info (i);
      SwEstimate estimate;
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseExport) files = shardwise_export_best (i, scenario, NULL, &estimate,
                                                                 &error);

      if (shardwise_format_tunes (info)) /* which train nothing from its beginning */
        {
          g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
          g_assert_cmpstr (shardwise_error_path (error), ==, "training.type");
          continue;
        }
      g_assert_no_error (error);
      g_assert_true (files->info == info);
      g_assert_true (estimate.fits);
      g_assert_true ((info->profiles & (1u << estimate.strategy.framework)) != 0);
      g_assert_cmpfloat (estimate.tokens_per_s, >, 0);
      g_assert_nonnull (fixture_file (files, info->file_name));
      g_assert_cmpuint (files->not_expressed->len, >, 0);
      if (i == SHARDWISE_FORMAT_MEGATRON || i == SHARDWISE_FORMAT_NANOTRON)
        g_assert_nonnull (
            strstr (shardwise_export_note_text (files->not_expressed, 0), "start from its folder"));
    }
  /* The search set the framework in a copy. */
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK));
}

/* For every example each framework either gets its file, with a strategy that fits, or says which
 * rule it has. */
static void
test_examples (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "..", "data", "examples", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint written = 0;

  g_assert_nonnull (dir);
  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *json = NULL;
      g_autoptr (ShardwiseScenario) scenario = NULL;

      g_assert_true (g_file_get_contents (path, &json, NULL, NULL));
      scenario = scenario_of (json);
      for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (ShardwiseExport) files = shardwise_export_best (i, scenario, NULL, NULL,
                                                                     &error);

          g_test_message ("%s %s: %s", name, shardwise_format_info (i)->id,
                          files != NULL ? "written" : error->message);
          if (files == NULL)
            g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
          else
            g_assert_true (files->estimate.fits);
          written += files != NULL;
        }
    }
  /* Not all: Nanotron trains no adapters, for one. */
  g_assert_cmpuint (written, >=, 60);
}

static const ShardwiseFormatInfo *
offered (ShardwiseScenario *scenario, const char *id, const char *chosen_for)
{
  const ShardwiseAdviceOptions options = { .method = SHARDWISE_METHOD_ANALYTICAL, .top = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice = shardwise_advice_compute (scenario, &options, NULL, &error);

  g_assert_no_error (error);
  return shardwise_export_offered (id, NULL, chosen_for, advice,
                                   shardwise_advice_get_recommended (advice));
}

/* What is offered is written, also where the framework of the strategy would refuse the job. */
static void
test_offered (void)
{
  static const char *const models[] = { "llama-3-8b", "mixtral-8x7b", "deepseek-v2-lite",
                                        "gemma-2-9b", "falcon-7b",    "nemotron-h-8b",
                                        "vit-l-16" };
  static const char *const types[] = { "pretrain", "finetune", "lora", "qlora", "rlhf" };
  guint others = 0;

  for (guint i = 0; i < G_N_ELEMENTS (models) * G_N_ELEMENTS (types); i++)
    {
      g_autoptr (ShardwiseScenario) scenario = scenario_of (SCENARIO (""));
      const char *model = models[i / G_N_ELEMENTS (types)], *type = types[i % G_N_ELEMENTS (types)];
      const ShardwiseFormatInfo *info;
      g_autoptr (ShardwiseExport) files = NULL;
      g_autoptr (GError) error = NULL;

      shardwise_scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET, g_variant_new_string (model),
                              &error);
      g_assert_no_error (error);
      shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_TYPE, g_variant_new_string (type),
                              &error);
      g_assert_no_error (error);
      info = offered (scenario, NULL, NULL);
      g_test_message ("%s, %s: %s", model, type, info->id);
      files = shardwise_export_best (info->format, scenario, NULL, NULL, &error);
      g_assert_no_error (error);
      others += info->format != SHARDWISE_FORMAT_MEGATRON;
      if (g_str_equal (type, "rlhf"))
        g_assert_cmpstr (offered (scenario, "megatron", "megatron-core")->id, !=, "megatron");
    }
  g_assert_cmpuint (others, >=, 3 * G_N_ELEMENTS (models));
}

/* The format chosen for the framework stays where it can be written. */
static void
test_offered_chosen (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (SCENARIO (""));

  g_assert_cmpstr (offered (scenario, "nanotron", "megatron-core")->id, ==, "nanotron");
  g_assert_cmpstr (offered (scenario, "nanotron", "fsdp2")->id, ==, "megatron");
  g_assert_cmpstr (offered (scenario, "slurm", NULL)->id, ==, "slurm");
  shardwise_scenario_set (scenario, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, g_variant_new_int64 (3),
                          NULL);
  g_assert_cmpstr (offered (scenario, "nanotron", "fsdp2")->id, !=, "nanotron");
}

static void
test_header (void)
{
  SwProblem problem;
  SwStrategy strategy;
  g_autoptr (ShardwiseExport) files = NULL;
  g_auto (GStrv) lines = NULL;
  const char *text;

  fixture_problem ("llama-3-70b", 32, &problem);
  fixture_strategy (8, 4, 1, &strategy);
  g_strlcpy (problem.model.name, "evil\nimport os\r\"\"\"", sizeof problem.model.name);
  files = fixture_written (SHARDWISE_FORMAT_DEEPSPEED, &problem, &strategy);
  text = fixture_file (files, "ds_setup.py");
  lines = g_strsplit (text, "\n", -1);

  g_assert_nonnull (strstr (lines[0], "0.19.6"));
  g_assert_nonnull (strstr (lines[1], "TP 8"));
  g_assert_nonnull (strstr (lines[2], "tokens/s"));
  for (guint i = 0; !g_str_has_prefix (lines[i], "import deepspeed"); i++)
    g_assert_cmpint (lines[i][0], ==, '#');
}

/* One replica has nothing to shard, whatever ZeRO stage is pinned. */
static void
test_nothing_to_shard (void)
{
  static const ShardwiseFormat formats[] = { SHARDWISE_FORMAT_FSDP2, SHARDWISE_FORMAT_TORCHTITAN,
                                             SHARDWISE_FORMAT_TORCHTITAN_MAIN };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr (ShardwiseScenario) scenario =
          scenario_of (SCENARIO (", \"strategy\": {\"tp\": 8, \"pp\": 4, \"zero_stage\": 1}"));
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseExport) files = shardwise_export_best (formats[i], scenario, NULL, NULL,
                                                                 &error);

      g_assert_no_error (error);
      g_assert_cmpuint (files->estimate.strategy.dp, ==, 1);
      g_assert_cmpuint (files->estimate.strategy.zero_stage, !=, 1);
    }
}

static void
test_pinned (void)
{
  static const struct {
    ShardwiseFormat format;
    const char *pins, *path;
  } cases[] = {
    { SHARDWISE_FORMAT_FSDP1, ", \"strategy\": {\"pp\": 4}", "strategy.pp" },
    { SHARDWISE_FORMAT_DEEPSPEED, ", \"strategy\": {\"pp\": 4, \"zero_stage\": 3}",
      "strategy.zero_stage" },
    { SHARDWISE_FORMAT_NANOTRON, ", \"strategy\": {\"zero_stage\": 2}", "strategy.zero_stage" },
    { SHARDWISE_FORMAT_NANOTRON, ", \"strategy\": {\"cp\": 2}", "strategy.cp" },
    /* the engine's own rule on the framework */
    { SHARDWISE_FORMAT_TORCHTITAN,
      ", \"strategy\": {\"tp\": 8, \"pp\": 2, \"dp\": 2, \"zero_stage\": 1}",
      "strategy.zero_stage" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *json = g_strdup_printf (SCENARIO ("%s"), cases[i].pins);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
      g_autoptr (GError) error = NULL, none = NULL;
      g_autoptr (ShardwiseExport) files = shardwise_export_best (cases[i].format, scenario, NULL,
                                                                 NULL, &error);
      g_autoptr (ShardwiseExport) nearest = shardwise_export_nearest (cases[i].format, scenario,
                                                                      NULL, NULL, &none);

      g_assert_null (files);
      g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
      g_assert_cmpstr (shardwise_error_path (error), ==, cases[i].path);
      g_assert_nonnull (strstr (error->message, shardwise_format_info (cases[i].format)->version));
      g_assert_no_error (none);
      g_assert_nonnull (nearest);
      g_assert_true (shardwise_scenario_is_set (scenario, shardwise_key_find (cases[i].path)->id));
    }
}

/* Only what the framework refuses is let go of. */
static void
test_nearest_keeps_the_rest (void)
{
  g_autoptr (ShardwiseScenario) scenario =
      scenario_of (SCENARIO (", \"strategy\": {\"tp\": 4, \"zero_stage\": 3}"));
  g_autoptr (GError) error = NULL;
  SwEstimate estimate;
  g_autoptr (ShardwiseExport) files = shardwise_export_nearest (SHARDWISE_FORMAT_NANOTRON, scenario,
                                                                NULL, &estimate, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (estimate.strategy.tp, ==, 4);
  g_assert_cmpuint (estimate.strategy.zero_stage, <=, 1);
}

/* One replica would run in fp32 in TorchTitan: another strategy is taken, unless that one is asked
 * for. */
static void
test_avoided (void)
{
  g_autoptr (ShardwiseScenario) free_scenario = scenario_of (SCENARIO (""));
  g_autoptr (ShardwiseScenario) pinned = scenario_of (
      SCENARIO (", \"strategy\": {\"tp\": 8, \"pp\": 4, \"dp\": 1, \"offload\": \"none\"}"));
  g_autoptr (GError) error = NULL;
  SwEstimate estimate;
  g_autoptr (ShardwiseExport) best = shardwise_export_best (SHARDWISE_FORMAT_TORCHTITAN,
                                                            free_scenario, NULL, &estimate, &error);
  g_autoptr (ShardwiseExport) asked = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (estimate.strategy.dp * estimate.strategy.cp, >, 1);
  asked = shardwise_export_best (SHARDWISE_FORMAT_TORCHTITAN, pinned, NULL, &estimate, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (estimate.strategy.pp, ==, 4);
  g_assert_nonnull (strstr (fixture_file (asked, "torchtitan.toml"), "fp32"));
}

static void
test_nothing_fits (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": "
      "{\"preset\": \"llama-3.1-405b\"},"
      " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 8}, \"training\": "
      "{\"global_batch_size\": 64}}");
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseExport) files = shardwise_export_best (SHARDWISE_FORMAT_NANOTRON, scenario,
                                                             NULL, NULL, &error);

  g_assert_null (files);
  g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "nearest needs"));
}

/* Where the target can express the nearest strategy, it lacks what the advice says. */
static void
test_nearest_figure (void)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  g_autoptr (ShardwiseScenario) scenario = scenario_of (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": "
      "{\"preset\": \"llama-3.1-405b\"},"
      " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 16}, \"training\": "
      "{\"type\": \"finetune\", \"sequence_length\": 8192, "
      "\"framework\": \"deepspeed\", \"global_batch_size\": 64}}");
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice = shardwise_advice_compute (scenario, &options, NULL, &error);
  g_autoptr (ShardwiseExport) files = NULL;
  g_autofree char *missing = NULL;

  g_assert_no_error (error);
  missing = shardwise_format_bytes (shardwise_advice_get_recommended (advice)->missing_bytes);
  files = shardwise_export_best (SHARDWISE_FORMAT_DEEPSPEED, scenario, NULL, NULL, &error);
  g_assert_null (files);
  g_assert_nonnull (strstr (error->message, missing));
}

/* A refusal names the rule that what is pinned breaks, every target's; no strategy is the nearest. */
static void
test_pinned_contradiction (void)
{
  static const struct {
    const char *strategy, *words;
  } cases[] = {
    { ", \"strategy\": {\"micro_batch_size\": 5}", "micro-batch 5" },
    { ", \"strategy\": {\"zero_stage\": 3, \"shard_group\": 64}", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases) * SHARDWISE_N_FORMATS; i++)
    {
      const guint format = i % SHARDWISE_N_FORMATS, at = i / SHARDWISE_N_FORMATS;
      g_autofree char *text = g_strdup_printf (SCENARIO ("%s"), cases[at].strategy);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (text);
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseExport) files = shardwise_export_best (format, scenario, NULL, NULL,
                                                                 &error);

      g_assert_null (files);
      g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
      g_test_message ("%s: %s", shardwise_format_info (format)->id, error->message);
      if (!shardwise_format_tunes (shardwise_format_info (format))) /* which refuse the type */
        g_assert_nonnull (strstr (error->message, cases[at].words));
    }
}

static void
test_cancelled (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (SCENARIO (""));
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseExport) files = NULL;

  g_cancellable_cancel (cancellable);
  files = shardwise_export_best (SHARDWISE_FORMAT_FSDP2, scenario, cancellable, NULL, &error);
  g_assert_null (files);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_json (void)
{
  SwProblem problem;
  SwStrategy strategy;
  g_autoptr (ShardwiseExport) files = NULL;
  g_autoptr (JsonNode) node = NULL;
  JsonObject *object, *file;

  fixture_problem ("llama-3-70b", 32, &problem);
  fixture_strategy (8, 4, 1, &strategy);
  files = fixture_written (SHARDWISE_FORMAT_DEEPSPEED, &problem, &strategy);
  node = shardwise_export_to_json (files);
  object = json_node_get_object (node);
  file = json_array_get_object_element (json_object_get_array_member (object, "files"), 0);

  g_assert_cmpstr (json_object_get_string_member (object, "framework"), ==, "deepspeed");
  g_assert_cmpstr (json_object_get_string_member (object, "version"), ==, "0.19.6");
  g_assert_cmpstr (json_object_get_string_member (file, "name"), ==, "ds_config.json");
  g_assert_cmpstr (json_object_get_string_member (file, "content"), ==,
                   fixture_file (files, "ds_config.json"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (object, "not_expressed")),
                    ==, files->not_expressed->len);
}

/* 22 GPUs of 24 are equally many on 11 nodes only. */
static void
test_more_nodes (void)
{
  static const guint replicas[] = { 22, 16 };

  for (guint i = 0; i < G_N_ELEMENTS (replicas); i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      g_autoptr (ShardwiseExport) files = NULL;
      gboolean said = FALSE;

      fixture_problem ("llama-3-8b", 24, &problem);
      fixture_strategy (1, 1, replicas[i], &strategy);
      strategy.framework = SW_FRAMEWORK_MEGATRON_CORE;
      strategy.micro_batch = 1;
      problem.training.global_batch = replicas[i];
      files = fixture_written (SHARDWISE_FORMAT_MEGATRON, &problem, &strategy);
      for (guint j = 0; j < files->not_expressed->len; j++)
        said |=
            strstr (
                shardwise_export_note_text (files->not_expressed, j),
                "22 GPUs can be spread evenly over 11 nodes with 2 each only; the cluster has 3")
            != NULL;
      g_assert_true (said == (replicas[i] == 22));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/export/formats", test_formats);
  g_test_add_func ("/export/best", test_best);
  g_test_add_func ("/export/examples", test_examples);
  g_test_add_func ("/export/offered", test_offered);
  g_test_add_func ("/export/offered-chosen", test_offered_chosen);
  g_test_add_func ("/export/header", test_header);
  g_test_add_func ("/export/pinned", test_pinned);
  g_test_add_func ("/export/nothing-to-shard", test_nothing_to_shard);
  g_test_add_func ("/export/nearest-keeps-the-rest", test_nearest_keeps_the_rest);
  g_test_add_func ("/export/avoided", test_avoided);
  g_test_add_func ("/export/nothing-fits", test_nothing_fits);
  g_test_add_func ("/export/nearest-figure", test_nearest_figure);
  g_test_add_func ("/export/pinned-contradiction", test_pinned_contradiction);
  g_test_add_func ("/export/cancelled", test_cancelled);
  g_test_add_func ("/export/json", test_json);
  g_test_add_func ("/export/more-nodes", test_more_nodes);

  return g_test_run ();
}
