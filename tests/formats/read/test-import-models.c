/* SPDX-License-Identifier: GPL-3.0-or-later */
/* config.json files in the style of each family: the parameters that they describe, and what is
 * said of what they leave open. */
#include <string.h>

#include "import-fixture.h"
#include "shardwise-resolve.h"

typedef struct {
  const char *name;
  double billions;  /* as published; 0: of an architecture that is approximated */
  const char *says; /* (nullable) part of a warning */
} Model;

static const Model models[] = {
  { "llama2-70b", 69, NULL },
  { "llama1-7b", 6.74, "tie_word_embeddings false" },
  { "llama33-70b", 70.6, NULL },
  { "llama32-3b", 3.21, NULL },
  { "mllama-11b", 9.8, "cross-attention layers" },
  { "qwen25-72b", 72.7, NULL },
  { "qwen3-32b", 32.8, NULL },
  { "qwen3-235b", 235.1, NULL },
  { "qwen3-next-80b", 0, "combines attention" },
  { "qwen2-vl-7b", 7.6, "Only the language model" },
  { "qwen3-vl-8b", 8.2, "text_config" },
  { "qwen1-7b", 7.72, NULL },
  { "mixtral-8x7b", 46.7, NULL },
  { "deepseek-v2", 236, NULL },
  { "deepseek-r1", 671, NULL },
  { "deepseek-v32", 671, "uses sparse attention" },
  { "moonlight-16b", 16, NULL },
  { "gemma2-27b", 27.2, NULL },
  { "gemma3-4b-vl", 3.88, "vocab_size 262208, num_attention_heads 8" },
  { "gemma3-1b", 1, NULL },
  { "gemma3n-e4b", 0, "The architecture “gemma3n_text” is unknown" },
  { "phi3-medium", 14, NULL },
  { "phi35-moe", 41.9, NULL },
  { "falcon-180b", 179, NULL },
  { "falcon-rw-1b", 1.31, NULL },
  { "pythia-12b", 11.8, NULL },
  { "bloom-176b", 176, NULL },
  { "opt-66b", 65.7, NULL },
  { "opt-350m", 0, NULL },
  { "mpt-30b", 30, NULL },
  { "starcoder2-15b", 16, NULL },
  { "santacoder", 1.12, NULL },
  { "granite-3-8b", 8.17, NULL },
  { "granite-3-3b-a800m", 3.3, NULL },
  { "granite-4-h", 0, "combines attention" },
  { "jamba-mini", 0, "combines attention" },
  { "mamba-2.8b", 0, "num_attention_heads 32" },
  { "nemotron-h", 0, "combines attention" },
  { "flan-t5-xl", 0, "an encoder and a decoder" },
  { "whisper-large-v3", 0, "an encoder and a decoder" },
  { "bart-large", 0, "an encoder and a decoder" },
  { "vit-large", 0.304, "an image model" },
  { "bert-large", 0.335, "is an encoder" },
  { "clip-l", 0, "The architecture “clip_text_model” is unknown" },
  { "glm4-9b", 9.4, NULL },
  { "glm4-32b", 32.6, NULL },
  { "glm45-air", 107, NULL },
  { "minimax-m1", 0, "combines attention" },
  { "kimi-k2-thinking", 1030, NULL },
  { "kimi-linear-48b", 0, "combines attention" },
  { "llama4-scout", 108, "chunks" },
  { "gpt-oss-20b", 20.9, NULL },
  { "olmo2-32b", 32.2, NULL },
  { "command-r-plus", 103.8, NULL },
  { "command-a", 111, "one in six" },
  { "internlm25-20b", 19.86, NULL },
  { "internlm1-7b", 7.32, NULL },
  { "yi-34b", 34.4, NULL },
  { "dots1", 142.8, NULL },
  { "ernie45-21b", 21.8, NULL },
  { "hunyuan-a13b", 80.4, NULL },
  { "seed-oss-36b", 36.2, NULL },
  { "exaone-32b", 32, NULL },
  { "llava-next", 7.24, "hidden_size 4096" },
  { "arctic", 479, "is unknown" },
  { "mistral-small-3.1", 23.6, NULL },
  { "baichuan2-13b", 13.9, NULL },
  { "gpt-neo-2.7b", 2.65, NULL },
};

static void
test_model (gconstpointer data)
{
  const Model *model = data;
  g_autofree char *file = g_strconcat (model->name, ".json", NULL);
  g_autofree SwProblem *problem = g_new (SwProblem, 1);
  g_autoptr (ShardwiseImport) import = fixture_import_file ("model", file);

  g_assert_cmpint (import->kind, ==, SHARDWISE_IMPORT_CONFIG);
  g_assert_true (shardwise_scenario_resolve (import->scenario, problem, NULL, NULL));
  g_assert_true (fixture_finds (import, "parameters", "Computed from the file"));
  if (model->billions > 0)
    {
      g_assert_cmpfloat_with_epsilon (problem->count.total / 1e9, model->billions,
                                      0.02 * model->billions);
      g_assert_false (fixture_finds (import, "parameters", "The name indicates"));
    }
  if (model->says != NULL)
    g_assert_true (fixture_says (import->warnings, model->says));
}

/* Every missing key that affects the size is reported with its default. */
static void
test_missing_keys (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import ("{\"model_type\": \"llama\"}",
                                                       "config.json");

  g_assert_true (fixture_says (import->warnings,
                               "vocab_size 32000, hidden_size 4096, num_hidden_layers 32, "
                               "num_attention_heads 32, max_position_embeddings 2048, "
                               "tie_word_embeddings false, intermediate_size 11008"));
}

/* A list for all layers counts as one number. */
static void
test_lists (void)
{
  const char *const text =
      "{\"model_type\": \"llama\", \"hidden_size\": 512, \"num_hidden_layers\": 3, "
      "\"num_attention_heads\": 8, \"vocab_size\": 1000, \"intermediate_size\": [1024, 2048, "
      "1536]}";
  g_autoptr (ShardwiseImport) import = fixture_import (text, "config.json");
  static const char *const expected[] = { "model.intermediate_size=1536", NULL };

  fixture_assert_set (import, expected);
  g_assert_true (fixture_says (import->warnings, "intermediate_size differs between layers"));
}

/* 72 billion counted as 56: the name tells. */
static void
test_name (void)
{
  const char *const text =
      "{\"_name_or_path\": \"%s\", \"model_type\": \"qwen2\", \"hidden_size\": 8192,"
      " \"num_hidden_layers\": 60, \"num_attention_heads\": 64, \"num_key_value_heads\": 8,"
      " \"intermediate_size\": 24576, \"vocab_size\": 152064}";
  static const struct {
    const char *name, *file;
    gboolean differs;
  } cases[] = {
    { "Qwen/Qwen2-72B", "config.json", TRUE },     { "Qwen/Some-50B", "config.json", FALSE },
    { "", "/models/Qwen2-72B/config.json", TRUE }, { "mixture-8x7b", "config.json", FALSE },
    { "of-3.5b-a3b", "config.json", TRUE },        { "model", "config.json", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (GStrv) parts = g_strsplit (text, "%s", 2);
      g_autofree char *whole = g_strjoinv (cases[i].name, parts);
      g_autoptr (ShardwiseImport) import = fixture_import (whole, cases[i].file);

      g_test_message ("%s in %s", cases[i].name, cases[i].file);
      g_assert_cmpint (fixture_finds (import, "parameters", "The name indicates"), ==,
                       cases[i].differs);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_strconcat ("/import-models/", models[i].name, NULL);

      g_test_add_data_func (path, &models[i], test_model);
    }
  g_test_add_func ("/import-models/missing-keys", test_missing_keys);
  g_test_add_func ("/import-models/lists", test_lists);
  g_test_add_func ("/import-models/name", test_name);

  return g_test_run ();
}
