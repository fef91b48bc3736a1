/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DeepSpeed's configuration as its own loader takes it: Hjson, "auto", forms of old. */
#include <string.h>

#include "import-fixture.h"

/* Comments, keys and words without quotes, commas left out, several lines: one configuration. */
static void
test_hjson (void)
{
  g_autoptr (ShardwiseImport) import =
      fixture_import ("# DeepSpeed reads Hjson\n"
                      "{\n"
                      "  train_micro_batch_size_per_gpu: 4  // of one GPU\n"
                      "  gradient_accumulation_steps: 2,\n"
                      "  'zero_optimization': {stage: 3, offload_optimizer: {device: cpu\n}, }\n"
                      "  bf16: {enabled: true}\n"
                      "  note: '''\n    several\n    lines\n  '''\n"
                      "}\n",
                      "ds_config.json");
  static const char *const expected[] = {
    "strategy.zero_stage=3",   "strategy.micro_batch_size=4",   "strategy.offload=optimizer",
    "training.precision=bf16", "training.global_batch_size=64", NULL
  };

  g_assert_cmpint (import->kind, ==, SHARDWISE_IMPORT_DEEPSPEED);
  fixture_assert_set (import, expected);
  g_assert_true (fixture_says (import->warnings, "Line 1 is Hjson, not JSON"));
}

static void
test_without_braces (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import (
      "train_micro_batch_size_per_gpu: 4\nzero_optimization: {stage: 2}\n", "ds_config.json");
  static const char *const expected[] = { "strategy.zero_stage=2", NULL };

  fixture_assert_set (import, expected);
}

/* Hjson takes the rest of the line as the word, its comma too, and DeepSpeed then refuses it. */
static void
test_errors (void)
{
  static const struct {
    const char *text, *says;
  } cases[] = {
    { "{\"train_batch_size\": SIZE,\n\"zero_optimization\": {}}",
      "line 1, column 22: train_batch_size: “SIZE,” has the wrong type" },
    { "{train_batch_size: 8\n zero_optimization: {stage: 3, offload_optimizer: {device: cpu, "
      "}\n}}}",
      "“cpu, }” is unknown; allowed: none, cpu, nvme" },
    { "{\"train_batch_size\": 8,\n \"train_batch_size\": 9}", "line 2" },
    { "{train_batch_size: 8,\n train_batch_size: 9}", "line 2, column 2: the key" },
    { "{train_batch_size: 8,\n zero_optimization: {stage 2}}",
      "line 2, column 28: expected a colon" },
    { "{hidden_size: 8 # no DeepSpeed\n}", "line 1, column 2" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (shardwise_import_read (cases[i].text, strlen (cases[i].text), "ds_config.json",
                                            NULL, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].says));
    }
}

/* "zero_optimization": true */
static void
test_zero_word (void)
{
  g_autoptr (ShardwiseImport) on =
      fixture_import ("{\"train_batch_size\": 8, \"zero_optimization\": true}", "ds_config.json");
  g_autoptr (ShardwiseImport) off =
      fixture_import ("{\"train_batch_size\": 8, \"zero_optimization\": false}", "ds_config.json");
  static const char *const stage_1[] = { "strategy.zero_stage=1", "strategy.offload=none", NULL },
                           *const stage_0[] = { "strategy.zero_stage=0", NULL };

  fixture_assert_set (on, stage_1);
  fixture_assert_set (off, stage_0);
  g_assert_true (fixture_finds (on, "type", "{\"stage\": 1}"));
}

/* A pipeline recomputes every so many layers, more than there are ZeRO stages. */
static void
test_interval (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import (
      "{\"train_batch_size\": 8, \"pipeline\": {\"activation_checkpoint_interval\": 4}}",
      "ds_config.json");
  static const char *const expected[] = { "strategy.recompute=full", NULL };

  fixture_assert_set (import, expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/import-deepspeed/hjson", test_hjson);
  g_test_add_func ("/import-deepspeed/without-braces", test_without_braces);
  g_test_add_func ("/import-deepspeed/errors", test_errors);
  g_test_add_func ("/import-deepspeed/zero-word", test_zero_word);
  g_test_add_func ("/import-deepspeed/interval", test_interval);

  return g_test_run ();
}
