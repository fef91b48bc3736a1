/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tools that fine-tune: what is written has keys that each tool takes (tests/data/tools/fields.json,
 * extracted from its sources), a batch that adds up, and comes back as the same scenario. */
#include <math.h>
#include <string.h>

#include "export-fixture.h"
#include "import-fixture.h"
#include "shardwise-export-search.h"
#include "shardwise-json.h"
#include "shardwise-node-python.h"
#include "shardwise-resolve.h"
#include "shardwise-yaml.h"
#include "sw-framework.h"
#include "sw-recipe.h"

#define LORA(targets) ", \"lora\": {\"rank\": 32, \"targets\": \"" targets "\"}"

#define DISTILL(size) "\"distill\", \"distill\": {\"teacher_parameters_b\": " size "}"

#define SHORT ", \"sequence_length\": 2048"

/* Twelve jobs as people fine-tune: model, GPU, number, per node, and what is trained; then other
 * methods and adapters. */
static const struct {
  const char *model, *gpu;
  guint gpus, per_node;
  const char *training;
} jobs[] = {
  { "llama-3.1-8b", "rtx-4090", 1, 1, "\"qlora\", \"sequence_length\": 2048" LORA ("all-linear") },
  { "llama-3.1-8b", "a100-80-sxm", 1, 1, "\"lora\"" LORA ("attention") },
  { "llama-3.1-8b", "h100-80-sxm", 8, 8, "\"finetune\"" },
  { "llama-3.1-70b", "l40s", 2, 2, "\"qlora\", \"sequence_length\": 1024" },
  { "llama-3.1-70b", "h100-80-sxm", 8, 8, "\"lora\"" LORA ("all-linear") },
  { "qwen2.5-7b", "a100-40-sxm", 4, 4,
    "\"finetune\", \"framework\": \"deepspeed\", \"sequence_length\": 2048" },
  { "qwen3-8b", "h100-80-sxm", 2, 2,
    "\"finetune\", \"optimizer\": \"adam8bit\", \"sequence_length\": 2048" },
  { "mistral-7b-v0.1", "a100-80-sxm", 16, 8, "\"lora\", \"framework\": \"fsdp2\"" },
  { "qwen2.5-32b", "h100-80-sxm", 1, 1, "\"qlora\"" },
  { "llama-3.2-1b", "rtx-4090", 1, 1,
    "\"finetune\", \"optimizer\": \"paged-adamw-8bit\", \"sequence_length\": 2048" },
  { "qwen2.5-7b", "h100-80-sxm", 8, 8,
    "\"rlhf\", \"sequence_length\": 2048, \"rlhf\": {\"algorithm\": \"grpo\", "
    "\"response_length\": 1024, \"colocated\": true}" },
  { "llama-3.1-8b", "h100-80-sxm", 16, 8,
    "\"finetune\", \"framework\": \"fsdp2\", \"sequence_length\": 65536" },
  { "llama-3.1-8b", "h100-80-sxm", 8, 8, "\"dpo\"" SHORT },
  { "llama-3.1-8b", "h100-80-sxm", 8, 8, "\"dpo\", \"rlhf\": {\"algorithm\": \"ipo\"}" SHORT },
  { "llama-3.1-8b", "h100-80-sxm", 8, 8, "\"dpo\", \"rlhf\": {\"algorithm\": \"orpo\"}" SHORT },
  { "llama-3.1-8b", "h100-80-sxm", 8, 8, "\"dpo\", \"rlhf\": {\"algorithm\": \"simpo\"}" SHORT },
  { "llama-3.1-8b", "h100-80-sxm", 1, 1,
    "\"dpo\", \"adapters\": \"lora\", \"rlhf\": {\"algorithm\": \"kto\"}" SHORT },
  { "llama-3.1-8b", "h100-80-sxm", 1, 1,
    "\"dpo\", \"adapters\": \"qlora\"" SHORT LORA ("all-linear") },
  { "llama-3.1-8b", "h100-80-sxm", 8, 8, "\"dpo\", \"framework\": \"deepspeed\"" SHORT },
  { "llama-3.1-8b", "h100-80-sxm", 8, 8, "\"reward\"" SHORT },
  { "llama-3.1-8b", "h100-80-sxm", 2, 2, "\"reward\", \"adapters\": \"lora\"" SHORT },
  { "qwen2.5-7b", "h100-80-sxm", 8, 8,
    "\"rlhf\", \"rlhf\": {\"algorithm\": \"rloo\", \"group_size\": 4, \"reference\": false, "
    "\"response_length\": 1024, \"colocated\": true}" SHORT },
  { "qwen2.5-7b", "h100-80-sxm", 8, 8,
    "\"rlhf\", \"rlhf\": {\"algorithm\": \"grpo\", \"group_size\": 16, \"response_length\": 1024, "
    "\"colocated\": true}" SHORT },
  { "qwen2.5-7b", "h100-80-sxm", 1, 1,
    "\"rlhf\", \"adapters\": \"lora\", \"rlhf\": {\"algorithm\": \"grpo\", \"group_size\": 8, "
    "\"response_length\": 1024, \"colocated\": true}" SHORT LORA ("all-linear") },
  { "qwen2.5-7b", "h100-80-sxm", 1, 1,
    "\"rlhf\", \"adapters\": \"qlora\", \"rlhf\": {\"algorithm\": \"grpo\", \"group_size\": 8, "
    "\"response_length\": 1024, \"colocated\": true}" SHORT LORA ("attention") },
  { "llama-3.1-8b", "h100-80-sxm", 8, 8,
    "\"rlhf\", \"adapters\": \"lora\", \"rlhf\": {\"algorithm\": \"grpo\", \"group_size\": 4, "
    "\"response_length\": 1024, \"colocated\": true}" SHORT LORA ("all-linear") },
  { "llama-3.1-8b", "h100-80-sxm", 2, 2, "\"dpo\", \"adapters\": \"lora\"" SHORT },
  { "llama-3.2-1b", "h100-80-sxm", 2, 2,
    DISTILL ("8.03") ", \"adapters\": \"lora\"" SHORT LORA ("all-linear") },
  { "llama-3.2-1b", "h100-80-sxm", 1, 1, DISTILL ("8.03") ", \"adapters\": \"qlora\"" SHORT },
  { "qwen2.5-7b", "h100-80-sxm", 1, 1, DISTILL ("14.77") ", \"adapters\": \"lora\"" SHORT },
  { "qwen2.5-0.5b", "h100-80-sxm", 8, 8, DISTILL ("1.544") SHORT },
  { "qwen2.5-0.5b", "h100-80-sxm", 2, 2, DISTILL ("3.086") ", \"framework\": \"deepspeed\"" SHORT },
  { "llama-3.1-8b", "h100-80-sxm", 1, 1,
    "\"lora\", \"lora\": {\"rank\": 16, \"alpha\": 16, \"dora\": true, \"dropout\": 0.05}" SHORT },
  { "llama-3.1-8b", "h100-80-sxm", 1, 1,
    "\"lora\", \"lora\": {\"rank\": 8, \"modules\": [\"q\", \"v\", \"gate\", \"up\", "
    "\"down\"]}" SHORT },
};

static ShardwiseScenario *
scenario_at (guint i)
{
  g_autofree char *json = g_strdup_printf (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"%s\"}, "
      "\"cluster\": {\"gpu\": \"%s\", \"gpus\": %u, \"gpus_per_node\": %u}, \"training\": "
      "{\"global_batch_size\": 64, \"type\": %s}}",
      jobs[i].model, jobs[i].gpu, jobs[i].gpus, jobs[i].per_node, jobs[i].training);

  return scenario_of (json);
}

/* ---- keys ---- */

static JsonObject *
known_of (const char *tool)
{
  static JsonNode *root;

  if (root == NULL)
    {
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "tools", "fields.json",
                                                     NULL),
                      *text = NULL;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      root = shardwise_json_parse (text, strlen (text), NULL);
      g_assert_nonnull (root);
    }
  return json_object_get_object_member (json_node_get_object (root), tool);
}

static void
assert_known (JsonObject *lists, const char *list, const char *key)
{
  JsonArray *known = json_object_get_array_member (lists, list);

  g_assert_nonnull (known);
  for (guint i = 0; i < json_array_get_length (known); i++)
    if (g_str_equal (json_array_get_string_element (known, i), key))
      return;
  g_error ("%s takes no %s", list, key);
}

static void
assert_map (JsonObject *lists, const char *list, const ShardwiseNode *map, const char *but)
{
  for (guint i = 0; i < map->keys->len; i++)
    if (but == NULL || strstr (but, map->keys->pdata[i]) == NULL)
      assert_known (lists, list, map->keys->pdata[i]);
}

static void
check_yaml (const ShardwiseFormatInfo *info, const ShardwiseExport *out, const char *text)
{
  g_autoptr (ShardwiseNode) root = shardwise_node_from_yaml (text, strlen (text), NULL);
  JsonObject *lists = known_of (info->id);

  g_assert_nonnull (root);
  if (info->format == SHARDWISE_FORMAT_TORCHTUNE)
    {
      const gboolean adapters = sw_training_is_adapter (&out->problem.training),
                     distills = out->problem.training.method == SW_METHOD_DISTILL,
                     single = out->estimate.strategy.dp * out->estimate.strategy.cp == 1;
      g_autofree char *recipe =
          g_strdup_printf ("%s_%s_%s",
                           distills   ? "knowledge"
                           : adapters ? "lora"
                                      : "full",
                           distills                                               ? "distillation"
                           : out->problem.training.method == SW_METHOD_PREFERENCE ? "dpo"
                                                                                  : "finetune",
                           single ? "single_device" : "distributed");
      ShardwiseNode *model = shardwise_node_member (root, "model");
      const char *builder = shardwise_node_member (model, "_component_")->text;
      JsonObject *builders = json_object_get_object_member (lists, "builders");

      /* The variables that its own keys name, and what is of another component. */
      assert_map (lists, recipe, root,
                  "checkpoint_dir teacher_dir sequence_length profiler dataset_val");
      g_assert_true (json_object_has_member (builders, builder));
      assert_map (builders, builder, model, "_component_");
      /* A list in quotes would be a string, of which a recipe takes the letters. */
      if (adapters)
        g_assert_cmpint (shardwise_node_member (model, "lora_attn_modules")->type, ==,
                         SHARDWISE_NODE_LIST);
      g_assert_cmpint (shardwise_node_find (root, "checkpointer.checkpoint_files")->type, !=,
                       SHARDWISE_NODE_STRING);
      return;
    }
  assert_map (lists, "fields", root, NULL);
  if (shardwise_node_member (root, "fsdp_config") != NULL)
    assert_map (lists, "fsdp_config", shardwise_node_member (root, "fsdp_config"), NULL);
}

static void
check_python (const ShardwiseFormatInfo *info, const char *text)
{
  g_autoptr (ShardwiseNode) root = shardwise_node_from_python (text, strlen (text), NULL);
  const ShardwiseNode *calls = shardwise_node_member (root, SHARDWISE_NODE_CALLS);
  guint n = 0;

  for (guint i = 0; i < calls->items->len; i++)
    {
      const ShardwiseNode *call = calls->items->pdata[i],
                          *callee = shardwise_node_member (call, SHARDWISE_NODE_CALLEE);
      const char *dot = callee->text != NULL ? strrchr (callee->text, '.') : NULL,
                 *name = dot != NULL ? dot + 1 : callee->text;
      JsonObject *lists = known_of (
          g_str_equal (name, "from_pretrained") || g_str_equal (name, "get_peft_model") ? "unsloth"
                                                                                        : "trl");

      if (name == NULL || !json_object_has_member (lists, name)
          || (g_str_equal (name, "from_pretrained") && info->format == SHARDWISE_FORMAT_TRL))
        continue;
      assert_map (lists, name, call, SHARDWISE_NODE_CALLEE " " SHARDWISE_NODE_ARGUMENTS);
      n++;
    }
  g_assert_cmpuint (n, >=, 2);
}

/* Words of a command: "--a.b" and "a.b=c". */
static void
check_command (const ShardwiseFormatInfo *info, const ShardwiseExport *out, const char *text)
{
  g_auto (GStrv) words = g_strsplit_set (text, " \n", -1);
  const SwTraining *training = &out->problem.training;
  const char *list = training->type == SW_TRAINING_RLHF         ? "ppo"
                     : training->method == SW_METHOD_PREFERENCE ? "dpo"
                     : training->method == SW_METHOD_REWARD     ? "rm"
                                                                : "sft";
  JsonObject *lists = known_of (info->id);
  gboolean begun = FALSE;
  guint n = 0;

  for (guint i = 0; words[i] != NULL; i++)
    {
      const char *start = words[i] + strspn (words[i], "'"); /* the shell's */
      g_autofree char *name = g_strndup (start, strcspn (start, "="));

      begun = begun || strstr (words[i], "verl.trainer") != NULL
              || strstr (words[i], "openrlhf.cli") != NULL;
      if (!begun || (!g_str_has_prefix (name, "--") && strchr (words[i], '=') == NULL))
        continue;
      assert_known (lists, list, name + (g_str_has_prefix (name, "--") ? 2 : 0));
      n++;
    }
  g_assert_cmpuint (n, >=, 10);
}

/* ---- the same scenario ---- */

#define SAME(a, b)                                                                                 \
  if ((a) != (b))                                                                                  \
  g_string_append_printf (text, " " #a " %g is read as %g;", (double) (a), (double) (b))

static char *
differences (const ShardwiseExport *out, const SwProblem *read)
{
  GString *text = g_string_new (NULL);
  const SwStrategy *s = &out->estimate.strategy, *r = &read->pins.value;
  const SwTraining *t = &out->problem.training, *u = &read->training;
  SwStrategy runs = *r;

  runs.framework = (guint8) u->framework;
  if (!g_str_equal (out->problem.model.id, read->model.id))
    g_string_append_printf (text, " %s is read as %s;", out->problem.model.id, read->model.id);
  SAME (t->type, u->type);
  SAME (sw_training_states (t), sw_training_states (u));
  SAME (t->sequence_length, u->sequence_length);
  SAME (t->global_batch, u->global_batch);
  SAME (t->optimizer, u->optimizer);
  SAME (t->precision, u->precision);
  if (!sw_training_is_adapter (t))
    SAME (t->no_master, sw_updates_16_bits (read, &runs));
  if (sw_training_is_adapter (t))
    {
      SAME (t->lora_rank, u->lora_rank);
      SAME (sw_lora_modules (t), sw_lora_modules (u));
      SAME (t->lora_dora, u->lora_dora);
      SAME (t->lora_dropout, u->lora_dropout);
      SAME (t->lora_alpha > 0 ? t->lora_alpha : 2 * t->lora_rank, u->lora_alpha);
    }
  SAME (t->method, u->method);
  SAME (round (1000 * t->frozen_copies), round (1000 * u->frozen_copies));
  if (t->method == SW_METHOD_PREFERENCE)
    SAME (t->algorithm, u->algorithm);
  if (t->type == SW_TRAINING_RLHF)
    {
      SAME (t->algorithm, u->algorithm);
      SAME (t->no_reference, u->no_reference);
      if (t->rlhf_group > 0)
        SAME (t->rlhf_group, u->rlhf_group);
      SAME (t->rlhf_response_length, u->rlhf_response_length);
      SAME (t->rlhf_colocated, u->rlhf_colocated);
    }
  SAME (s->dp, r->dp);
  SAME (s->cp, r->cp);
  SAME (s->micro_batch, r->micro_batch);
  SAME (s->recompute, r->recompute);
  SAME (s->offload, r->offload);
  if (s->dp * s->cp > 1)
    {
      SAME (s->zero_stage, r->zero_stage);
      if (s->zero_stage > 0 && s->shard_group != s->dp)
        SAME (s->shard_group, r->shard_group);
    }
  SAME (out->problem.cluster.gpus, read->cluster.gpus);
  return g_string_free (text, FALSE);
}

/* All files of a bundle that say something of the job. */
static ShardwiseImport *
read_back (const ShardwiseExport *out, GError **error)
{
  static const char *const others[] = { "README.md", "dataset_info.json", "reward.py", NULL };
  ShardwiseImportText texts[8];
  guint n = 0;

  for (guint i = 0; i < out->files->len; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (out->files, i);

      if (!g_strv_contains (others, file->name) && n < G_N_ELEMENTS (texts))
        texts[n++] = (ShardwiseImportText){ file->content, strlen (file->content), file->name };
    }
  return shardwise_import_read_job (texts, n, NULL, error);
}

/* What a step's files count: micro-batch, accumulation and replicas make the batch. */
static void
check_batch (const ShardwiseExport *out)
{
  g_assert_cmpuint (out->estimate.strategy.micro_batch
                        * MAX (out->estimate.gradient_accumulation, 1) * out->estimate.strategy.dp,
                    ==, out->problem.training.global_batch);
}

static void
test_tool (gconstpointer data)
{
  const ShardwiseFormatInfo *info = shardwise_format_info (GPOINTER_TO_UINT (data));
  guint written = 0, wrong = 0;

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autoptr (ShardwiseScenario) scenario = scenario_at (i);
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseExport) out = shardwise_export_best (info->format, scenario, NULL, NULL,
                                                               &error);
      const char *text;

      if (out == NULL)
        {
          g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
          g_test_message ("job %u: %s", i + 1, error->message);
          continue;
        }
      written++;
      text = fixture_file (out, info->file_name);
      if (g_str_has_suffix (info->file_name, ".py"))
        check_python (info, text);
      else if (g_str_has_suffix (info->file_name, ".sh"))
        check_command (info, out, text);
      else
        check_yaml (info, out, text);
      check_batch (out);
      for (guint launcher = SHARDWISE_FORMAT_TORCHRUN; launcher <= SHARDWISE_FORMAT_SKYPILOT;
           launcher += SHARDWISE_FORMAT_SKYPILOT - SHARDWISE_FORMAT_TORCHRUN)
        {
          g_autoptr (ShardwiseImport) import = NULL;
          g_autofree SwProblem *read = g_new0 (SwProblem, 1);
          g_autofree char *what = NULL;

          shardwise_export_bundle (out, (ShardwiseFormat) launcher);
          /* A script that starts itself says all; its launcher says it again. */
          if (launcher == SHARDWISE_FORMAT_SKYPILOT && shardwise_format_starts_itself (info))
            continue;
          import = read_back (out, &error);
          g_assert_no_error (error);
          g_assert_true (shardwise_scenario_resolve (import->scenario, read, NULL, &error));
          what = differences (out, read);
          wrong += *what != '\0';
          if (*what != '\0')
            g_test_message ("job %u comes back as another:%s", i + 1, what);
          if (launcher == SHARDWISE_FORMAT_SKYPILOT)
            g_assert_cmpstr (read->cluster.gpu.id, ==, out->problem.cluster.gpu.id);
        }
    }
  g_test_message ("%s: %u of %u jobs are written, %u come back as another", info->id, written,
                  (guint) G_N_ELEMENTS (jobs), wrong);
  g_assert_cmpuint (wrong, ==, 0);
  g_assert_cmpuint (written, >=, info->format == SHARDWISE_FORMAT_UNSLOTH ? 4 : 7);
}

/* What is written for a tool is what the tool itself would be advised to run. */
static void
test_as_advised (void)
{
  static const struct {
    guint job;
    ShardwiseFormat format;
    const char *tool;
  } cases[] = {
    { 0, SHARDWISE_FORMAT_UNSLOTH, "unsloth" },
    { 2, SHARDWISE_FORMAT_TORCHTUNE, "torchtune" },
    { 12, SHARDWISE_FORMAT_TRL, "hf-trainer" },
    { 10, SHARDWISE_FORMAT_VERL, "verl" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseScenario) open = scenario_at (cases[i].job),
                                    named = scenario_at (cases[i].job);
      SwEstimate best, own;
      g_autoptr (ShardwiseExport) first = NULL, second = NULL;

      g_assert_true (shardwise_scenario_set (named, SHARDWISE_KEY_TRAINING_FRAMEWORK,
                                             g_variant_new_string (cases[i].tool), NULL));
      first = shardwise_export_best (cases[i].format, open, NULL, &best, NULL);
      second = shardwise_export_best (cases[i].format, named, NULL, &own, NULL);
      g_assert_nonnull (first);
      g_assert_nonnull (second);
      g_assert_cmpfloat (best.time.step_s, ==, own.time.step_s);
      g_assert_cmpfloat (best.memory.peak.total, ==, own.memory.peak.total);
    }
}

/* Pairs of answers are learnt from more slowly than texts. */
static void
test_rates (void)
{
  static const struct {
    guint job;
    const char *rate;
  } cases[] = { { 2, "0.00001," }, { 12, "0.0000005," }, { 17, "0.000005," }, { 14, "0.00001," } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseScenario) scenario = scenario_at (cases[i].job);
      g_autoptr (ShardwiseExport) out = shardwise_export_best (SHARDWISE_FORMAT_TRL, scenario, NULL,
                                                               NULL, NULL);
      g_autofree char *line = g_strdup_printf ("learning_rate=%s", cases[i].rate);

      g_assert_nonnull (out);
      g_assert_nonnull (strstr (fixture_file (out, "train_trl.py"), line));
    }
}

static void
test_scripts (void)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    for (guint format = SHARDWISE_FORMAT_TRL; format <= SHARDWISE_FORMAT_OPENRLHF; format++)
      {
        g_autoptr (ShardwiseScenario) scenario = scenario_at (i);
        g_autoptr (ShardwiseExport) out = shardwise_export_best (format, scenario, NULL, NULL,
                                                                 NULL);

        for (guint j = 0; out != NULL && j < out->files->len; j++)
          {
            const ShardwiseExportFile *file = g_ptr_array_index (out->files, j);

            if (!g_str_has_suffix (file->name, ".py"))
              continue;
            g_assert_true (fixture_python_is_balanced (file->content));
            g_ptr_array_add (texts, g_strdup (file->content));
          }
      }
  g_assert_cmpuint (texts->len, >=, 12);
  g_assert_true (fixture_python_compiles (texts));
}

/* ---- models ---- */

/* What the search takes torchtune to build is what is written for it, of all of the catalogue. */
static void
test_builders (void)
{
  g_autoptr (GListModel) entries = shardwise_catalogue_models (shardwise_catalogue_get ());
  guint built = 0;

  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      g_autoptr (GObject) entry = g_list_model_get_item (entries, i);
      g_autofree char *id = NULL;
      g_autoptr (ShardwiseExport) files = NULL;
      SwStrategy strategy;
      SwProblem problem;

      g_object_get (entry, "id", &id, NULL);
      fixture_problem (id, 1, &problem);
      problem.training.type = SW_TRAINING_LORA;
      fixture_strategy (1, 1, 1, &strategy);
      strategy.framework = SW_FRAMEWORK_FSDP2;
      strategy.recompute = SW_RECOMPUTE_FULL;
      files = fixture_write (SHARDWISE_FORMAT_TORCHTUNE, &problem, &strategy, NULL);
      if ((files != NULL) != sw_framework_builds (SW_FRAMEWORK_TORCHTUNE, &problem.model))
        g_error ("%s: torchtune", id);
      built += files != NULL;
    }
  g_assert_cmpuint (built, >, 30);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = SHARDWISE_FORMAT_TRL; i <= SHARDWISE_FORMAT_OPENRLHF; i++)
    {
      g_autofree char *path = g_strdup_printf ("/tools/%s",
                                               shardwise_format_info ((ShardwiseFormat) i)->id);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_tool);
    }
  g_test_add_func ("/tools/as-advised", test_as_advised);
  g_test_add_func ("/tools/rates", test_rates);
  g_test_add_func ("/tools/scripts", test_scripts);
  g_test_add_func ("/tools/builders", test_builders);
  return g_test_run ();
}
