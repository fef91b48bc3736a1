/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python files as people write them by hand: the same strategy in other words. */
#include <string.h>

#include "import-fixture.h"

#define FSDP2 "import torch\nfrom torch.distributed.fsdp import fully_shard\n"
#define FSDP1                                                                                      \
  "import torch.distributed.fsdp as F\nfrom torch.distributed.fsdp import "                        \
  "FullyShardedDataParallel as FSDP, ShardingStrategy\n"
#define TITAN "from torchtitan.models.llama3.config_registry import llama3_8b\n"
#define TITAN405 "from torchtitan.models.llama3.config_registry import llama3_405b\n"
#define BRIDGE "from megatron.bridge.recipes.llama.llama3 import llama3_8b_pretrain_config\n"
#define NEMO                                                                                       \
  "from nemo import lightning as nl\nfrom nemo.collections import llm\nimport nemo_run as run\n"

static const struct {
  const char *text;
  const char *expected[10];
} cases[] = {
  /* FSDP */
  { FSDP1 "m = FSDP(m)\n",
    { "training.framework=fsdp", "strategy.zero_stage=3", "strategy.tp=1", "strategy.dp=", NULL } },
  { FSDP1 "WORLD_SIZE = 16\nm = F.FullyShardedDataParallel(m, sharding_strategy=F.ShardingStrategy."
          "SHARD_GRAD_OP, cpu_offload=F.CPUOffload(offload_params=True))\n",
    { "strategy.zero_stage=2", "cluster.gpus=16", "strategy.dp=16",
      "strategy.offload=optimizer+params", NULL } },
  { FSDP1 "mesh = init_device_mesh('cuda', (2, 8))\n"
          "FSDP(m, None, ShardingStrategy.HYBRID_SHARD, device_mesh=mesh)\n",
    { "strategy.dp=16", "strategy.shard_group=8", "strategy.zero_stage=3", NULL } },
  { FSDP2 "mesh = init_device_mesh('cuda', mesh_shape=(2, 4, 8), mesh_dim_names=('dp_replicate', "
          "'dp_shard', 'tp'))\nfor b in m.layers:\n    fully_shard(b, mesh=mesh['dp_replicate', "
          "'dp_shard'], reshard_after_forward=False)\nparallelize_module(m, mesh['tp'], {'a': "
          "SequenceParallel()})\n",
    { "strategy.dp=8", "strategy.shard_group=4", "strategy.tp=8", "strategy.zero_stage=2",
      "strategy.sequence_parallel=true", "cluster.gpus=64", NULL } },
  { FSDP2 "def main(tp_size=4, micro_batch_size: int = 2):\n"
          "  mesh = init_device_mesh('cuda', (-1, tp_size), mesh_dim_names=('dp', 'tp'))\n",
    { NULL } },
  { FSDP2 "world = int(os.environ['WORLD_SIZE'])\nmesh = init_device_mesh('cuda', (world // 2, 2), "
          "mesh_dim_names=('dp', 'tp'))\nfully_shard(m)\nseq_len = 4096\n"
          "DataLoader(d, batch_size=3)\n",
    { "strategy.tp=2", "strategy.dp=", "training.sequence_length=4096",
      "strategy.micro_batch_size=3", "strategy.pp=1", "strategy.cp=1", NULL } },
  /* a dimension that is not there is 1, one of another size is open */
  { FSDP2 "mesh = init_device_mesh('cuda', (world_size,))\nfully_shard(m, mesh=mesh)\n",
    { "strategy.tp=1", "strategy.pp=1", "strategy.cp=1", "strategy.ep=1", "strategy.dp=", NULL } },
  { FSDP2 "mesh = init_device_mesh('cuda', (nodes, 8), mesh_dim_names=('dp_replicate', "
          "'dp_shard'))\nfully_shard(m, mesh=mesh)\nBATCH_SIZE = 2\n",
    { "strategy.dp=", "strategy.shard_group=8", "strategy.tp=1", "strategy.zero_stage=3",
      "training.global_batch_size=", NULL } },
  { FSDP2 "WORLD_SIZE = 32\nmesh = init_device_mesh('cuda', (nodes, 8), mesh_dim_names="
          "('dp_replicate', 'dp_shard'))\nfully_shard(m, mesh=mesh)\n",
    { "strategy.dp=32", "strategy.shard_group=8", "cluster.gpus=32", NULL } },
  { FSDP2 "mesh = init_device_mesh('cuda', (nodes, 16))\nfully_shard(m, mesh=mesh)\n",
    { "strategy.dp=", "strategy.shard_group=16", "cluster.gpus=16", NULL } },
  { FSDP2 "WORLD_SIZE = 16\nfully_shard(m)\nparallelize_module(m, tp_mesh, {'a': "
          "SequenceParallel()})\n",
    { "strategy.dp=", "strategy.tp=", "strategy.pp=1",
      "strategy.sequence_parallel=", "cluster.gpus=16", NULL } },
  { FSDP2 "mesh = init_device_mesh('cuda', shape, mesh_dim_names=('pp', 'dp'))\nfully_shard(m)\n"
          "ScheduleInterleaved1F1B(s, n_microbatches=4)\n",
    { "strategy.pp=", "strategy.dp=", "strategy.tp=1", "strategy.schedule=interleaved",
      "strategy.vpp=", NULL } },
  { FSDP2 "fully_shard(m, offload_policy=CPUOffloadPolicy())\nm = AutoModel.from_pretrained("
          "'meta-llama/Meta-Llama-3-8B')\nm.gradient_checkpointing_enable()\n"
          "o = bnb.optim.AdamW8bit(m.parameters())\n",
    { "model.preset=llama-3-8b", "strategy.offload=optimizer+params", "strategy.recompute=full",
      "training.optimizer=adam8bit", NULL } },
  /* TorchTitan's main branch */
  { TITAN "def f():\n  c = llama3_8b()\n  c.parallelism = Parallelism(tensor_parallel_degree=2, "
          "data_parallel_shard_degree=4)\n  c.training.max_context_length = 4096\n"
          "  c.training.num_tokens_per_microbatch_per_dp_rank = 4096 * 2\n"
          "  c.training.num_tokens_per_train_step = 8 * 4 * 4096\n  return c\n",
    { "strategy.tp=2", "strategy.dp=4", "cluster.gpus=8", "strategy.micro_batch_size=2",
      "training.global_batch_size=32", "model.preset=llama-3.1-8b", "strategy.recompute=", NULL } },
  { TITAN405 "c = llama3_405b()\nc.parallelism.tensor_parallel_degree = 8\n",
    { "model.preset=llama-3.1-405b", "training.precision=fp8", NULL } },
  { TITAN405 "c = llama3_405b()\nc.parallelism.tensor_parallel_degree = 8\n"
             "c.model_spec = model_registry('405B')\n",
    { "model.preset=llama-3.1-405b", "training.precision=", NULL } },
  /* Megatron-Bridge and NeMo */
  { BRIDGE "cfg = llama3_8b_pretrain_config(num_nodes=2, num_gpus_per_node=8)\n"
           "cfg.model.tensor_model_parallel_size = 2\ncfg.model.sequence_parallel = False\n"
           "cfg.train.micro_batch_size = 2; cfg.train.global_batch_size = 64\n",
    { "model.preset=llama-3-8b", "cluster.gpus=16", "strategy.tp=2", "strategy.dp=8",
      "strategy.sequence_parallel=false", "strategy.micro_batch_size=2", NULL } },
  { BRIDGE "cfg = ConfigContainer(model=GPTModelProvider(num_layers=32, hidden_size=4096, "
           "num_attention_heads=32, num_query_groups=8, vocab_size=1000, gated_linear_unit=True, "
           "tensor_model_parallel_size=4), train=TrainingConfig(micro_batch_size=1, "
           "global_batch_size=8))\n",
    { "model.layers=32", "model.kv_heads=8", "strategy.tp=4", "training.global_batch_size=8",
      NULL } },
  { NEMO "recipe = llm.llama3_8b.pretrain_recipe(num_nodes=1, num_gpus_per_node=8)\n"
         "recipe.trainer.strategy = run.Config(nl.MegatronStrategy, tensor_model_parallel_size=2, "
         "pipeline_model_parallel_size=2, pipeline_dtype=torch.bfloat16)\n"
         "recipe.data.global_batch_size, recipe.data.micro_batch_size = 16, 1\n",
    { "model.preset=llama-3-8b", "cluster.gpus=8", "strategy.tp=2", "strategy.pp=2",
      "strategy.dp=2", "training.global_batch_size=16", "training.precision=bf16", NULL } },
  { NEMO "recipe = llm.llama3_8b.pretrain_recipe(num_nodes=1, num_gpus_per_node=8)\n"
         "recipe.trainer.plugins = bf16_with_fp8_mixed()\n"
         "with run.Experiment('x', plugins=[PerfEnvPlugin()]) as e:\n  e.run()\n",
    { "training.precision=fp8", NULL } },
  { BRIDGE "cfg = llama3_8b_pretrain_config(num_nodes=1, num_gpus_per_node=8)\n"
           "cfg.model.pipeline_model_parallel_size = 4\n"
           "cfg.model.pipeline_model_parallel_layout = [['embedding'] + ['decoder'] * 3] + "
           "[['decoder'] * 4] * 6 + [['decoder', 'loss']]\n",
    { "strategy.pp=4", "strategy.vpp=2", "strategy.schedule=interleaved", NULL } },
  { BRIDGE "cfg = llama3_8b_pretrain_config(mixed_precision=bf16_with_mxfp8_mixed())\n",
    { "training.precision=mxfp8", NULL } },
  { BRIDGE "cfg = llama3_8b_pretrain_config()\ncfg.mixed_precision = precision.fp16_mixed()\n",
    { "training.precision=fp16", NULL } },
  /* Degrees that the recipe keeps to itself are searched; its optimizer is sharded. */
  { BRIDGE "cfg = llama3_70b_pretrain_config()\ncfg.train.global_batch_size = 64\n",
    { "model.preset=llama-3-70b", "strategy.tp=", "strategy.pp=", "strategy.recompute=",
      "strategy.zero_stage=1", "training.software.dp_overlap=true", NULL } },
  { BRIDGE "cfg = llama3_8b_pretrain_config()\n"
           "cfg.mixed_precision = MixedPrecisionConfig(bf16=True, fp8='hybrid')\n",
    { "training.precision=fp8", NULL } },
};

static void
test_hand_written (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseImport) import =
          shardwise_import_read (cases[i].text, strlen (cases[i].text), "train.py", NULL, &error);

      g_test_message ("%s", cases[i].text);
      if (cases[i].expected[0] == NULL)
        {
          g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_SYNTAX);
          g_assert_nonnull (strstr (error->message, "line 4, column 36: dp: out of range"));
          continue;
        }
      g_assert_no_error (error);
      fixture_assert_set (import, cases[i].expected);
      fixture_assert_accepted (import);
    }
}

static const struct {
  const char *text, *warning;
} unknown[] = {
  { FSDP2 "init_device_mesh('cuda', (n, 2), mesh_dim_names=('dp', 'tp'))\n", "come from outside" },
  { FSDP2 "fully_shard(m)\n", "no device mesh with constant" },
  { FSDP1 "FSDP(m, sharding_strategy=strategy)\n", "Shardwise uses FULL_SHARD" },
  { FSDP2 "init_device_mesh('cuda', (2, 2), mesh_dim_names=('dp', 'zz'))\n", "“zz” (line 3)" },
  { FSDP2 "init_device_mesh('cuda', (8,))\nif a:\n  MICRO_BATCH = 2\n", "Line 5 sets a value" },
  { TITAN "c = llama3_8b()\nc.parallelism.tensor_parallel_degree = args.tp\n",
    "parallelism.tensor_parallel_degree in line" },
  { BRIDGE "cfg = llama3_8b_pretrain_config()\ncfg.model.tensor_model_parallel_size = 2\n",
    "does not set pipeline_model_parallel_size, micro_batch_size, global_batch_size" },
  { BRIDGE "cfg = llama3_8b_pretrain_config()\ncfg.train.micro_batch_size = get()\n",
    "micro_batch_size in line 3" },
  { BRIDGE "cfg = llama3_8b_pretrain_config()\ncfg.mixed_precision = my_own()\n",
    "The precision in line 3 is unknown: Shardwise uses bf16." },
  { BRIDGE "cfg = llama3_8b_pretrain_config()\ncfg.mixed_precision = args.precision\n",
    "The precision in line 3" },
};

static void
test_unknown (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (unknown); i++)
    {
      g_autoptr (ShardwiseImport) import = fixture_import (unknown[i].text, "train.py");

      g_test_message ("%s", unknown[i].text);
      for (guint j = 0; j < import->warnings->len; j++)
        g_test_message ("  %s", (char *) import->warnings->pdata[j]);
      g_assert_true (fixture_says (import->warnings, unknown[i].warning));
    }
}

static const struct {
  const char *text, *says;
} errors[] = {
  { TITAN "c = llama3_8b()\nc.parallelism.tensor_parallel_degree = 'eight'\n",
    "line 3, column 40: parallelism.tensor_parallel_degree" },
  { TITAN "c = llama3_8b()\nc.parallelism.tensor_parallel_degree = 2.5\n", "wrong type" },
  { TITAN "c = llama3_8b()\n", "does not change a configuration" },
  { TITAN "c = llama3_8b()\nc.training.num_tokens_per_train_step = 100\n", "whole sequences" },
  { BRIDGE "cfg = llama3_8b_pretrain_config()\ncfg.model.tensor_model_parallel_size = 0\n",
    "line 3, column 40: tensor_model_parallel_size: 0 is out of range" },
  { BRIDGE "cfg = llama3_8b_pretrain_config()\ncfg.model.recompute_granularity = 'some'\n",
    "recompute_granularity: “some” is unknown" },
  { FSDP2 "MICRO_BATCH = 10**9\nfully_shard(m)\n", "MICRO_BATCH: 1000000000 is out of range" },
  { FSDP2 "init_device_mesh('cuda', (10**6, 1))\n",
    "line 3, column 27: dp_replicate: out of range" },
  { "import json\n", "unsupported file" },
  { FSDP2 "fully_shard(m\n", "the bracket is not closed" },
};

static void
test_errors (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseImport) import =
          shardwise_import_read (errors[i].text, strlen (errors[i].text), "train.py", NULL, &error);

      g_test_message ("%s: %s", errors[i].text, error != NULL ? error->message : "read");
      g_assert_null (import);
      g_assert_nonnull (strstr (error->message, errors[i].says));
    }
}

/* What the framework itself refuses. */
static void
test_rules (void)
{
  static const struct {
    const char *text, *code;
  } rules[] = {
    { TITAN "c = llama3_8b()\nc.parallelism.pipeline_parallel_degree = 2\n"
            "c.parallelism.data_parallel_shard_degree = 1\n",
      "pipeline" },
    { TITAN "c = llama3_8b()\nc.parallelism.data_parallel_shard_degree = 4\nt = c.training\n"
            "t.max_context_length = 2048\nt.num_tokens_per_microbatch_per_dp_rank = 4096\n"
            "t.num_tokens_per_train_step = 4096 * 6\n",
      "batch" },
    { FSDP2 "WORLD_SIZE = 16\ninit_device_mesh('cuda', (8,))\nfully_shard(m)\n", "world-size" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      g_autoptr (ShardwiseImport) import = fixture_import (rules[i].text, "train.py");

      g_test_message ("%s", rules[i].text);
      g_assert_true (fixture_finds (import, rules[i].code, ""));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/import-python/hand-written", test_hand_written);
  g_test_add_func ("/import-python/unknown", test_unknown);
  g_test_add_func ("/import-python/errors", test_errors);
  g_test_add_func ("/import-python/rules", test_rules);
  return g_test_run ();
}
