/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stated features of the software: what each format writes of them, what it notes instead, and that
 * what was written is read back. */
#include <string.h>

#include "export-fixture.h"
#include "import-fixture.h"
#include "shardwise-software.h"

#define ON(name) (1u << SW_FEATURE_##name)

typedef struct {
  ShardwiseFormat format;
  SwFramework framework;
  const char *model;
  guint tp, pp, ep;
  guint stated, on;
  const char *says[5], *lacks; /* lacks: (nullable) */
  guint read;                  /* of those stated, what the file gives back */
  const char *note;            /* (nullable): the part of a sentence on what it cannot say */
} Case;

static const ShardwiseExportNote *
has_note (GPtrArray *notes, const char *part)
{
  for (guint i = 0; i < notes->len; i++)
    if (strstr (shardwise_export_note_text (notes, i), part) != NULL)
      return g_ptr_array_index (notes, i);
  return NULL;
}

static const Case cases[] = {
  { SHARDWISE_FORMAT_MEGATRON,
    SW_FRAMEWORK_MEGATRON_CORE,
    "llama-3-8b",
    2,
    1,
    1,
    ON (ASYNC_TP) | ON (FUSED_CROSS_ENTROPY) | ON (DP_OVERLAP),
    ON (ASYNC_TP) | ON (FUSED_CROSS_ENTROPY) | ON (DP_OVERLAP),
    { "--tp-comm-overlap", "--cross-entropy-loss-fusion", "--overlap-grad-reduce", NULL },
    "--overlap-moe-expert-parallel-comm",
    ON (ASYNC_TP) | ON (FUSED_CROSS_ENTROPY) | ON (DP_OVERLAP) },
  { SHARDWISE_FORMAT_MEGATRON,
    SW_FRAMEWORK_MEGATRON_CORE,
    "llama-3-8b",
    2,
    1,
    1,
    ON (DP_OVERLAP),
    0,
    { "--sequence-parallel", NULL },
    "--overlap-grad-reduce",
    ON (DP_OVERLAP) },
  { SHARDWISE_FORMAT_MEGATRON,
    SW_FRAMEWORK_MEGATRON_CORE,
    "mixtral-8x7b",
    1,
    1,
    8,
    ON (MOE_OVERLAP) | ON (CUDA_GRAPHS),
    ON (MOE_OVERLAP) | ON (CUDA_GRAPHS),
    { "--overlap-moe-expert-parallel-comm", NULL },
    "--tp-comm-overlap",
    ON (MOE_OVERLAP),
    "CUDA graphs" },
  { SHARDWISE_FORMAT_MEGATRON,
    SW_FRAMEWORK_MEGATRON_CORE,
    "mixtral-8x7b",
    1,
    2,
    4,
    ON (MOE_OVERLAP),
    ON (MOE_OVERLAP),
    { "--expert-model-parallel-size", NULL },
    "--overlap-moe-expert-parallel-comm", /* wants virtual stages */
    0,
    "Expert communication" },
  { SHARDWISE_FORMAT_MEGATRON,
    SW_FRAMEWORK_MEGATRON_CORE,
    "mixtral-8x7b",
    1,
    2,
    4,
    ON (MOE_FORWARDING) | ON (MOE_FORWARDING_INSIDE),
    ON (MOE_FORWARDING) | ON (MOE_FORWARDING_INSIDE),
    { "--moe-token-dispatcher-type flex", "--moe-flex-dispatcher-backend deepep", NULL },
    "alltoall",
    ON (MOE_FORWARDING) | ON (MOE_FORWARDING_INSIDE) },
  { SHARDWISE_FORMAT_TORCHTITAN,
    SW_FRAMEWORK_FSDP2,
    "llama-3.1-8b",
    2,
    1,
    1,
    ON (ASYNC_TP) | ON (COMPILE),
    ON (ASYNC_TP) | ON (COMPILE),
    { "enable_async_tensor_parallel = true", "enable = true", "\"model\"", NULL },
    NULL,
    ON (ASYNC_TP) | ON (COMPILE) },
  { SHARDWISE_FORMAT_TORCHTITAN,
    SW_FRAMEWORK_FSDP2,
    "llama-3.1-8b",
    1,
    1,
    1,
    ON (COMPILE),
    0,
    { "[compile]\nenable = false", NULL },
    "components",
    ON (COMPILE) },
  { SHARDWISE_FORMAT_TORCHTITAN,
    SW_FRAMEWORK_FSDP2,
    "llama-3.1-8b",
    1,
    1,
    1,
    ON (FUSED_CROSS_ENTROPY) | ON (CHUNKED_CROSS_ENTROPY),
    ON (CHUNKED_CROSS_ENTROPY),
    { "components = [\"model\"]", NULL },
    "\"loss\"",
    ON (FUSED_CROSS_ENTROPY),
    "Chunked cross-entropy" },
  { SHARDWISE_FORMAT_TORCHTITAN_MAIN,
    SW_FRAMEWORK_FSDP2,
    "llama-3.1-8b",
    2,
    1,
    1,
    ON (ASYNC_TP),
    ON (ASYNC_TP),
    { "enable_async_tensor_parallel=True", NULL },
    NULL,
    ON (ASYNC_TP) },
  { SHARDWISE_FORMAT_TORCHTITAN_MAIN,
    SW_FRAMEWORK_FSDP2,
    "llama-3.1-8b",
    1,
    1,
    1,
    ON (COMPILE),
    0,
    { "CompileConfig(enable=False)", NULL },
    NULL,
    ON (COMPILE) },
  { SHARDWISE_FORMAT_NANOTRON,
    SW_FRAMEWORK_NANOTRON,
    "llama-3-8b",
    2,
    1,
    1,
    ON (ASYNC_TP),
    0,
    { "tp_linear_async_communication: false", NULL },
    NULL,
    ON (ASYNC_TP) },
  { SHARDWISE_FORMAT_DEEPSPEED,
    SW_FRAMEWORK_DEEPSPEED,
    "llama-3-8b",
    1,
    1,
    1,
    ON (DP_OVERLAP),
    0,
    { "\"overlap_comm\": false", NULL },
    NULL,
    ON (DP_OVERLAP) },
  { SHARDWISE_FORMAT_ACCELERATE,
    SW_FRAMEWORK_FSDP2,
    "llama-3-8b",
    1,
    1,
    1,
    ON (COMPILE),
    0,
    { "fsdp_version: 2", NULL },
    "dynamo_config",
    0 },
  { SHARDWISE_FORMAT_ACCELERATE,
    SW_FRAMEWORK_FSDP2,
    "llama-3-8b",
    1,
    1,
    1,
    ON (COMPILE),
    ON (COMPILE),
    { "dynamo_backend: INDUCTOR", NULL },
    NULL,
    ON (COMPILE) },
  { SHARDWISE_FORMAT_FSDP2,
    SW_FRAMEWORK_FSDP2,
    "llama-3-8b",
    1,
    1,
    1,
    ON (COMPILE),
    0,
    { "fully_shard", NULL },
    "layer.compile()",
    0 },
};

static ShardwiseExport *
write_case (const Case *c)
{
  SwProblem problem;
  SwStrategy strategy;

  fixture_problem (c->model, 8, &problem);
  problem.training.software = (SwSoftware){ c->stated, c->on };
  problem.training.framework = c->framework;
  fixture_strategy (c->tp, c->pp, 8 / (c->tp * c->pp), &strategy);
  strategy.framework = (guint8) c->framework;
  strategy.ep = c->ep;
  strategy.micro_batch = 1;
  strategy.sequence_parallel = c->tp > 1;
  if (sw_framework_is_fsdp (c->framework))
    strategy.zero_stage = 3;
  return fixture_written (c->format, &problem, &strategy);
}

static void
check_read (const Case *c, const ShardwiseExportFile *file)
{
  g_autoptr (ShardwiseImport) import = fixture_import (file->content, file->name);

  for (SwFeature i = 0; i < SW_N_FEATURES; i++)
    {
      const ShardwiseKeyId id = shardwise_software_key (i);

      if ((c->read & (1u << i)) == 0)
        continue;
      g_test_message ("%s", shardwise_key_path (id));
      g_assert_true (shardwise_scenario_is_set (import->scenario, id));
      if (id == SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER)
        {
          g_assert_cmpstr (shardwise_scenario_peek_string (import->scenario, id), ==, "deepep");
          continue;
        }
      g_assert_cmpfloat (shardwise_scenario_get_number (import->scenario, id, -1), ==,
                         (c->on & (1u << i)) != 0);
    }
}

static void
test_options (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *c = &cases[i];
      g_autoptr (ShardwiseExport) out = write_case (c);
      const ShardwiseExportFile *file = out->files->pdata[0];

      g_test_message ("case %u: %s", i, file->name);
      for (guint j = 0; c->says[j] != NULL; j++)
        {
          g_test_message ("%s", c->says[j]);
          g_assert_nonnull (strstr (file->content, c->says[j]));
        }
      if (c->lacks != NULL)
        g_assert_null (strstr (file->content, c->lacks));
      if (c->note != NULL)
        g_assert_nonnull (has_note (out->not_expressed, c->note));
      check_read (c, file);
    }
}

/* A job that states nothing is written without a word on features. */
static void
test_unstated (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Case c = cases[i];
      g_autoptr (ShardwiseExport) out = NULL;

      c.stated = c.on = 0;
      out = write_case (&c);
      for (SwFeature j = 0; j < SW_N_FEATURES; j++)
        g_assert_false (
            has_note (out->not_expressed, shardwise_key_get (shardwise_software_key (j))->title));
    }
}

/* What scripts of Megatron-LM say that are not written, and what the lack of an option means. */
static void
test_read (void)
{
  static const char script[] =
      "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
      "--num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 "
      "--micro-batch-size 1 --global-batch-size 64 --bf16 --vocab-size 32000 ";
  g_autofree char *graphs = g_strconcat (script, "--cuda-graph-scope moe_router\n", NULL);
  g_autoptr (ShardwiseImport) import = fixture_import (graphs, "train.sh");

  fixture_assert_set (import, (const char *const[]){ "training.software.cuda_graphs=true",
                                                     "training.software.dp_overlap=false",
                                                     "training.software.async_tp=", NULL });
}

/* Drives are named with a path, which is an example, by DeepSpeed's JSON and by Accelerate's file,
 * and read back. */
static void
test_drives (void)
{
  static const ShardwiseFormat formats[] = { SHARDWISE_FORMAT_DEEPSPEED,
                                             SHARDWISE_FORMAT_ACCELERATE };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autoptr (ShardwiseExport) out = NULL;
      g_autoptr (ShardwiseImport) import = NULL;
      const ShardwiseExportFile *file;
      SwStrategy strategy;
      SwProblem problem;

      fixture_problem ("llama-3-8b", 8, &problem);
      problem.training.framework = SW_FRAMEWORK_DEEPSPEED;
      problem.training.offloads_to_nvme = TRUE;
      fixture_strategy (1, 1, 8, &strategy);
      strategy.framework = SW_FRAMEWORK_DEEPSPEED;
      strategy.zero_stage = 3;
      strategy.sequence_parallel = FALSE;
      strategy.offload = SW_OFFLOAD_OPTIMIZER_PARAMS;
      out = fixture_written (formats[i], &problem, &strategy);
      file = out->files->pdata[0];
      g_assert_nonnull (strstr (file->content, "/local_nvme"));
      g_assert_cmpint (has_note (out->not_expressed, "/local_nvme")->effect, ==,
                       SHARDWISE_EFFECT_BREAKS_RUN);
      g_assert_cmpint (has_note (out->not_expressed, "learning rate and schedule")->effect, ==,
                       SHARDWISE_EFFECT_NONE);
      import = fixture_import (file->content, file->name);
      fixture_assert_set (import,
                          (const char *const[]){ "training.offload_device=nvme",
                                                 "strategy.offload=optimizer+params", NULL });
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/software-options/options", test_options);
  g_test_add_func ("/software-options/unstated", test_unstated);
  g_test_add_func ("/software-options/read", test_read);
  g_test_add_func ("/software-options/drives", test_drives);

  return g_test_run ();
}
