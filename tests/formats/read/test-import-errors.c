/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are no job: told apart from those that are, and refused with the place and the
 * reason. */
#include <string.h>

#include "import-fixture.h"

static const struct {
  const char *name, *text, *says;
} errors[] = {
  { "", "", "line 1, column 1" },
  { "", "Hello", "unsupported file" },
  { "", "apiVersion: v1\nkind: Pod", "Kubernetes" },
  { "",
    "apiVersion: trainer.kubeflow.org/v1alpha1\nspec:\n  trainer:\n    command: [torchrun, p.py]\n "
    "   args:\n"
    "    - --micro-batch-size\n    - \"1\"\n    - --num-layers\n    - many",
    "line 9, column 2: --num-layers: “many”" },
  { "", "{\"hidden_size\": \"big\", \"num_hidden_layers\": 2}",
    "line 1, column 17: hidden_size: “big” has the wrong type" },
  { "", "{\n \"model_type\": \"llama\",\n \"hidden_size\": 0\n}",
    "line 3, column 17: hidden_size: 0 is out of range; allowed: 1 to" },
  { "", "{\"model_type\": \"nobody\", \"hidden_size\": 64}", "num_hidden_layers: is required" },
  { "", "{ // no JSON\n \"model_type\": \"llama\"}", "line 1, column 3" },
  { "n.yaml", "parallelism:\n  dp: 1\n  pp: 1\n  tp: \"8\"\ntokens: {}",
    "line 4, column 7: parallelism.tp: “8” has the wrong type" },
  { "n.yaml", "parallelism:\n  dp: 0\ntokens: {}",
    "line 2, column 7: parallelism.dp: 0 is out of range" },
  { "n.yaml", "parallelism: {dp: 1, pp: 1, tp: 1, pp_engine: gpipe}\ntokens: {}",
    "“gpipe” is unknown; allowed: afab, 1f1b" },
  { "t.toml", "[parallelism]\ntensor_parallel_degree = \"8\"", "line 2, column 26" },
  { "t.toml", "[parallelism]\ntensor_parallel_degree = 1.5", "wrong type" },
  { "m.sh", "#!/bin/sh\necho hello", "no command of this script" },
  { "d.sh",
    "#!/bin/sh\nDS=conf/ds.json\ndeepspeed --num_gpus 8 train.py --deepspeed $DS --bf16 True",
    "is in “ds.json”: open that file, or both together" },
  { "a.sh", "#!/bin/sh\naccelerate launch --config_file --debug train.py",
    "no command of this script" },
  { "m.sh", "run --num-layers many --micro-batch-size 1",
    "line 1, column 18: --num-layers: “many” has the wrong type" },
  { "x.json", "{\"a\": \"\xff\"}", "line 1, column 8: not UTF-8 text; allowed: text in UTF-8" },
  { "d.json", "{\"train_batch_size\": 8, \"zero_optimization\": [1]}",
    "line 1, column 46: zero_optimization: a list has the wrong type; allowed: a group of keys" },
  { "a.yaml", "distributed_type: FSDP\nnum_processes: 8\nfsdp_config: 3",
    "line 3, column 14: fsdp_config: “3” has the wrong type" },
  { "a.yaml", "distributed_type: FSDP\nnum_processes: 8\nfsdp_config: {fsdp_version: 3}",
    "fsdp_version: unknown version; allowed: 1 or 2" },
  { "n.yaml", "parallelism: !!python/name:os.system {dp: 1}\ntokens: {}",
    "line 1, column 14: the tag" },
  { "config.json", "{\"model_type\": \"llama\", \"text_config\": 5}", "text_config: wrong type" },
  { "", "[1]", "line 1, column 1: unsupported file" },
  { "s.py", "import deepspeed\nm = PipelineModule(x, num_stages=0)",
    "line 2, column 34: num_stages: 0 is out of range; allowed: 1 to" },
};

static void
test_errors (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseImport) import = shardwise_import_read (
          errors[i].text, strlen (errors[i].text), errors[i].name, NULL, &error);
      g_autofree char *shown = g_strescape (errors[i].text, NULL); /* some are not UTF-8 */

      g_test_message ("%s: %s", shown, error != NULL ? error->message : "read");
      g_assert_null (import);
      g_assert_nonnull (strstr (error->message, errors[i].says));
      g_assert_null (strchr (error->message, '\n'));
    }
}

static void
test_bytes (void)
{
  static const char with_mark[] = "\xef\xbb\xbf{\"model_type\": \"llama\"}\r\n";
  static const char with_nul[] = "{\"model_type\": \0 \"llama\"}";
  g_autofree char *large = g_strnfill (17 * 1024 * 1024, ' ');
  g_autoptr (GError) nul = NULL, size = NULL;
  g_autoptr (ShardwiseImport) import = fixture_import (with_mark, "config.json");

  g_assert_cmpint (import->kind, ==, SHARDWISE_IMPORT_CONFIG);
  g_assert_null (shardwise_import_read (with_nul, sizeof with_nul - 1, "", NULL, &nul));
  g_assert_nonnull (strstr (nul->message, "line 1, column 16"));
  g_assert_null (shardwise_import_read (large, strlen (large), "", NULL, &size));
  g_assert_nonnull (strstr (size->message, "16 MiB"));
}

static const struct {
  const char *text, *name;
  ShardwiseImportKind kind;
} kinds[] = {
  { "{\"model\": {}, \"cluster\": {}}", "", SHARDWISE_IMPORT_SCENARIO },
  { "{\"zero_optimization\": {}}", "", SHARDWISE_IMPORT_DEEPSPEED },
  { "parallelism:\n  dp: 1\ngeneral:\n  project: x\n", "", SHARDWISE_IMPORT_NANOTRON },
  { "distributed_type: NO\n", "", SHARDWISE_IMPORT_ACCELERATE },
  { "# c\n[job]\nx = 1\n[training]\n", "", SHARDWISE_IMPORT_TORCHTITAN },
  { "#!/bin/bash\ntrue", "", SHARDWISE_IMPORT_MEGATRON },
  { "python p.py --num-layers 2", "", SHARDWISE_IMPORT_MEGATRON },
  { "import torch\nfrom torch.distributed.fsdp import fully_shard\nfully_shard (m)", "",
    SHARDWISE_IMPORT_PYTORCH },
  { "#!/usr/bin/env python3\nfrom torchtitan.trainer import Trainer\n", "",
    SHARDWISE_IMPORT_TORCHTITAN_MAIN },
  { "import json\n", "", SHARDWISE_IMPORT_UNKNOWN },
  { "#!/bin/bash\npython <<E\nimport torch\nE\nrun --num-layers 2 --hidden-size 8", "",
    SHARDWISE_IMPORT_MEGATRON },
  { "dear colleague", "", SHARDWISE_IMPORT_UNKNOWN },
  { "{", "", SHARDWISE_IMPORT_UNKNOWN },
};

static void
test_detect (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_test_message ("%s", kinds[i].text);
      g_assert_cmpint (
          shardwise_import_detect (kinds[i].text, strlen (kinds[i].text), kinds[i].name), ==,
          kinds[i].kind);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/import-errors/errors", test_errors);
  g_test_add_func ("/import-errors/bytes", test_bytes);
  g_test_add_func ("/import-errors/detect", test_detect);
  return g_test_run ();
}
