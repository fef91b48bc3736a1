/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of models and jobs as scenarios: what is read, and what is said of it. */
#include <math.h>
#include <string.h>

#include "import-fixture.h"
#include "shardwise-resolve.h"
#include "shardwise-diagnosis.h"

/* ---- models ---- */

/* Every config.json imports as the catalogue's model of its name: all dimensions agree, and so does
 * the number of parameters with the published one. */
static void
test_config (gconstpointer data)
{
  const char *name = data;
  g_autofree char *id = g_strndup (name, strlen (name) - strlen (".json"));
  g_autoptr (ShardwiseImport) import = fixture_import_file ("config", name);
  g_autofree char *preset = shardwise_scenario_get_string (import->scenario,
                                                           SHARDWISE_KEY_MODEL_PRESET);
  double reported = shardwise_catalogue_model_reported_parameters (shardwise_catalogue_get (), id);
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (import->kind, ==, SHARDWISE_IMPORT_CONFIG);
  g_assert_cmpstr (preset, ==, id);
  g_assert_true (shardwise_scenario_resolve (import->scenario, problem, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (fabs (problem->count.total / reported - 1), <, 0.02);
}

/* The same dimensions where no model of the catalogue is theirs: another vocabulary, and the count
 * by hand: h = 1024, i = 4096, 12 layers of 4 h h (32 heads, 8 KV: 2.5 h h) + 3 h i + 2 h. */
static void
test_own_dimensions (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import (
      "{\"model_type\": \"llama\", \"hidden_size\": 1024, \"intermediate_size\": 4096,"
      " \"num_hidden_layers\": 12, \"num_attention_heads\": 32, \"num_key_value_heads\": 8,"
      " \"vocab_size\": 1000}",
      "config.json");
  const char *const expected[] = { "model.layers=12",
                                   "model.kv_heads=8",
                                   "model.head_dim=32",
                                   "model.tied_embeddings=false",
                                   "model.preset=",
                                   "model.max_position_embeddings=2048",
                                   NULL };
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  const double h = 1024, layer = 2.5 * h * h + 3 * h * 4096 + 2 * h;

  fixture_assert_set (import, expected);
  g_assert_true (shardwise_scenario_resolve (import->scenario, problem, NULL, NULL));
  g_assert_cmpfloat_with_epsilon (problem->count.total, 2 * 1000 * h + 12 * layer + h, 0.5);
}

/* ViT-B/16 has 86.6 M parameters: its labels and patches are a hundredth of them. */
static void
test_pictures (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import ("{\"model_type\": \"vit\"}", "config.json");
  const char *const expected[] = { "model.kind=vit",        "model.layers=12",
                                   "model.gated_mlp=false", "model.norm=layernorm",
                                   "model.vocab_size=1000", NULL };
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);

  fixture_assert_set (import, expected);
  g_assert_true (fixture_says (import->warnings, "an image model"));
  g_assert_true (shardwise_scenario_resolve (import->scenario, problem, NULL, NULL));
  g_assert_cmpfloat (fabs (problem->count.total / 86.6e6 - 1), <, 0.02);
}

static void
test_approximated (void)
{
  static const struct {
    const char *text, *says;
  } cases[] = {
    { "{\"model_type\": \"brand-new\", \"hidden_size\": 512, \"num_hidden_layers\": 4, "
      "\"num_attention_heads\": 8, \"vocab_size\": 1000}",
      "“brand-new” is unknown" },
    { "{\"model_type\": \"qwen3_next\", \"hidden_size\": 2048, \"num_hidden_layers\": 48, "
      "\"num_attention_heads\": 16, \"vocab_size\": 151936, \"intermediate_size\": 5120}",
      "recurrent layers" },
    { "{\"model_type\": \"t5\", \"d_model\": 768, \"num_layers\": 12, \"num_heads\": 12, "
      "\"d_ff\": 3072, \"vocab_size\": 32128}",
      "an encoder and a decoder" },
    { "{\"model_type\": \"bert\"}", "is an encoder" },
    { "{\"model_type\": \"qwen2_vl\", \"vision_config\": {}}", "Only the language model is read" },
    { "{\"model_type\": \"llava\", \"text_config\": {\"model_type\": \"llama\"}}",
      "Only the language model (text_config)" },
    { "{\"model_type\": \"mixtral\", \"num_experts_per_tok\": null, \"hidden_size\": 64, "
      "\"num_attention_heads\": 4, \"num_key_value_heads\": 2}",
      "num_experts_per_tok" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseImport) import = fixture_import (cases[i].text, "config.json");

      g_test_message ("%s", cases[i].text);
      g_assert_true (fixture_says (import->warnings, cases[i].says));
    }
}

static void
test_params (void)
{
  static const struct {
    const char *text, *preset;
  } cases[] = {
    { "{\"dim\": 8192, \"ffn_dim_multiplier\": 1.3, \"multiple_of\": 4096, \"n_heads\": 64, "
      "\"n_kv_heads\": 8, \"n_layers\": 80, \"norm_eps\": 1e-05, \"vocab_size\": 128256, "
      "\"rope_theta\": 500000.0}",
      "llama-3-70b" },
    { "{\"dim\": 4096, \"ffn_dim_multiplier\": 1.3, \"multiple_of\": 1024, \"n_heads\": 32, "
      "\"n_kv_heads\": 8, \"n_layers\": 32, \"vocab_size\": 128256}",
      "llama-3-8b" },
    { "{\"dim\": 4096, \"multiple_of\": 256, \"n_heads\": 32, \"n_layers\": 32, \"norm_eps\": "
      "1e-06, \"vocab_size\": -1}",
      "llama-7b" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseImport) import = fixture_import (cases[i].text, "params.json");
      g_autofree char *preset = shardwise_scenario_get_string (import->scenario,
                                                               SHARDWISE_KEY_MODEL_PRESET);

      g_assert_cmpint (import->kind, ==, SHARDWISE_IMPORT_PARAMS);
      g_assert_cmpstr (preset, ==, cases[i].preset);
    }
}

/* Jamba has experts in every second layer only. */
static void
test_expert_period (void)
{
  const char *const expected[] = { "model.moe.experts=16", "model.moe.layer_frequency=2", NULL };
  g_autoptr (ShardwiseImport) import = fixture_import (
      "{\"model_type\": \"jamba\", \"hidden_size\": 4096, \"num_hidden_layers\": 32, "
      "\"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"intermediate_size\": 14336, "
      "\"vocab_size\": 65536, \"num_experts\": 16, \"num_experts_per_tok\": 2, "
      "\"expert_layer_period\": 2, \"expert_layer_offset\": 1}",
      "config.json");

  fixture_assert_set (import, expected);
}

/* ---- jobs: the files that the frameworks' own parsers accept ---- */

static const struct {
  const char *name;
  ShardwiseImportKind kind;
  const char *expected[24];
} jobs[] = {
  { "deepspeed-3d.json",
    SHARDWISE_IMPORT_DEEPSPEED,
    { "training.framework=deepspeed", "training.global_batch_size=128", "training.precision=bf16",
      "strategy.dp=1", "strategy.zero_stage=1", "strategy.micro_batch_size=4",
      "strategy.recompute=full", "strategy.tp=", "strategy.pp=", "training.optimizer=adamw",
      NULL } },
  { "deepspeed-autotp.json",
    SHARDWISE_IMPORT_DEEPSPEED,
    { "strategy.tp=8", "strategy.pp=1", "strategy.zero_stage=1", "strategy.micro_batch_size=4",
      "strategy.recompute=", NULL } },
  { "deepspeed-hf-auto.json",
    SHARDWISE_IMPORT_DEEPSPEED,
    { "strategy.zero_stage=3", "strategy.offload=optimizer",
      "strategy.micro_batch_size=", "training.global_batch_size=", NULL } },
  { "accelerate-fsdp2-tp.yaml",
    SHARDWISE_IMPORT_ACCELERATE,
    { "training.framework=fsdp2", "cluster.gpus=32", "cluster.gpus_per_node=8", "strategy.tp=8",
      "strategy.dp=4", "strategy.pp=1", "strategy.zero_stage=3", "strategy.recompute=full",
      "strategy.offload=none", NULL } },
  { "accelerate-megatron.yaml",
    SHARDWISE_IMPORT_ACCELERATE,
    { "training.framework=megatron-core", "cluster.gpus=32", "strategy.tp=8", "strategy.pp=4",
      "strategy.dp=1", "strategy.sequence_parallel=true", "strategy.zero_stage=1",
      "strategy.recompute=selective", "strategy.micro_batch_size=1",
      "training.global_batch_size=32", NULL } },
  { "nanotron.yaml",
    SHARDWISE_IMPORT_NANOTRON,
    { "training.framework=nanotron", "model.preset=llama-3-70b", "cluster.gpus=32", "strategy.tp=8",
      "strategy.pp=4", "strategy.dp=1", "strategy.sequence_parallel=true", "strategy.zero_stage=1",
      "strategy.micro_batch_size=4", "training.global_batch_size=128",
      "training.sequence_length=8192", "strategy.schedule=1f1b", "strategy.recompute=none",
      NULL } },
  { "megatron.sh",
    SHARDWISE_IMPORT_MEGATRON,
    { "training.framework=megatron-core", "model.preset=llama-3-70b", "cluster.gpus=32",
      "cluster.gpus_per_node=8", "strategy.tp=8", "strategy.pp=4", "strategy.vpp=4",
      "strategy.dp=1", "strategy.schedule=interleaved", "strategy.sequence_parallel=true",
      "strategy.zero_stage=1", "strategy.micro_batch_size=4", "training.global_batch_size=128",
      "training.sequence_length=8192", "strategy.recompute=selective", "training.precision=bf16",
      NULL } },
  { "torchtitan.toml",
    SHARDWISE_IMPORT_TORCHTITAN,
    { "training.framework=fsdp2", "model.preset=llama-3.1-70b", "cluster.gpus=32", "strategy.tp=8",
      "strategy.pp=4", "strategy.dp=1", "strategy.micro_batch_size=4",
      "training.global_batch_size=128", "training.sequence_length=8192",
      "strategy.recompute=selective", "strategy.sequence_parallel=true", "strategy.schedule=1f1b",
      NULL } },
  { "torchtitan.py",
    SHARDWISE_IMPORT_TORCHTITAN_MAIN,
    { "training.framework=fsdp2", "model.preset=llama-3.1-70b", "cluster.gpus=32", "strategy.tp=8",
      "strategy.pp=4", "strategy.dp=1", "strategy.micro_batch_size=4",
      "training.global_batch_size=128", "training.sequence_length=8192",
      "strategy.recompute=selective", "strategy.sequence_parallel=true", "strategy.schedule=1f1b",
      NULL } },
  { "megatron-bridge.py",
    SHARDWISE_IMPORT_BRIDGE,
    { "training.framework=megatron-core", "model.preset=llama-3-70b", "strategy.tp=8",
      "strategy.pp=4", "strategy.vpp=4", "strategy.dp=", "strategy.schedule=interleaved",
      "strategy.sequence_parallel=true", "strategy.zero_stage=1", "strategy.micro_batch_size=4",
      "training.global_batch_size=128", "training.sequence_length=8192",
      "strategy.recompute=selective", "training.precision=bf16", NULL } },
  { "nemo.py",
    SHARDWISE_IMPORT_BRIDGE,
    { "training.framework=megatron-core", "model.preset=llama-3-70b", "cluster.gpus=32",
      "cluster.gpus_per_node=8", "strategy.tp=8", "strategy.pp=4", "strategy.vpp=4",
      "strategy.dp=1", "strategy.micro_batch_size=4", "training.global_batch_size=128",
      "training.sequence_length=8192", NULL } },
  { "fsdp2-tp.py",
    SHARDWISE_IMPORT_PYTORCH,
    { "training.framework=fsdp2", "cluster.gpus=32", "strategy.tp=8", "strategy.pp=1",
      "strategy.dp=4", "strategy.zero_stage=3", "strategy.sequence_parallel=true",
      "strategy.recompute=none", "strategy.offload=none", "training.precision=bf16", NULL } },
};

static void
test_jobs (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autoptr (ShardwiseImport) import = fixture_import_file ("job", jobs[i].name);

      g_test_message ("%s", jobs[i].name);
      g_assert_cmpint (import->kind, ==, jobs[i].kind);
      fixture_assert_set (import, jobs[i].expected);
      fixture_assert_accepted (import); /* their parsers accept them */
      g_assert_false (shardwise_scenario_get_modified (import->scenario));
    }
}

/* ---- what the frameworks refuse or ignore ---- */

static const struct {
  const char *name, *text, *code, *says;
} rules[] = {
  { "d.json",
    "{\"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 32, "
    "\"train_batch_size\": 500}",
    "batch", "not a multiple" },
  { "d.json",
    "{\"train_micro_batch_size_per_gpu\": 4, \"gradient_accumulation_steps\": 32, "
    "\"train_batch_size\": 512, \"tensor_parallel\": {\"autotp_size\": 8}}",
    "batch", "AutoTP" },
  { "d.json", "{\"gradient_accumulation_steps\": 32}", "batch", "neither" },
  { "d.json", "{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 2}, \"pipeline\": {}}",
    "framework-zero", "pipeline engine" },
  { "d.json",
    "{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 2, \"offload_param\": "
    "{\"device\": \"cpu\"}}}",
    "offload", "ZeRO 3 only" },
  { "d.json", "{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 2, \"overlap\": true}}",
    "unknown-key", "zero_optimization.overlap (line 1)" },
  { "d.json", "{\"train_batch_size\": 8, \"tensor_parallel\": {\"tp_size\": 8}}", "unknown-key",
    "autotp_size" },
  { "d.json", "{\"train_batch_size\": 8, \"pipeline_parallel_size\": 4}", "ignored-key",
    "pipeline_parallel_size" },
  { "d.json",
    "{\"train_batch_size\": 8, \"bf16\": {\"enabled\": true}, \"fp16\": {\"enabled\": true}}",
    "precision", "fp16 together" },
  { "n.yaml", "parallelism: {dp: 1, pp: 1, tp: 1, cp: 2}\ntokens: {micro_batch_size: 1}",
    "unknown-key", "parallelism.cp" },
  { "n.yaml", "parallelism: {dp: 1, tp: 1}\ntokens: {micro_batch_size: 1}", "missing-key",
    "parallelism.pp" },
  { "n.yaml", "parallelism: {dp: 1, pp: 1, tp: 1}\noptimizer: {weight_decay: 1e-1}", "type",
    "1e-1" },
  { "a.yaml",
    "compute_environment: LOCAL_MACHINE\nnum_processes: 8\nfsdp_config: {fsdp_version: 2}",
    "missing-key", "distributed_type" },
  { "a.yaml", "distributed_type: FSDP\nfsdp_config: {}", "missing-key", "num_processes" },
  { "a.yaml", "distributed_type: FSDP\nnum_processes: 8\nworld: 3", "unknown-key", "world" },
  { "a.yaml",
    "distributed_type: FSDP\nnum_processes: 32\nfsdp_config: {fsdp_version: "
    "2}\nparallelism_config: {tp_size: 8}",
    "ignored-key", "parallelism_config_tp_size" },
  { "a.yaml",
    "distributed_type: FSDP\nnum_processes: 32\nfsdp_config: {fsdp_version: "
    "2}\nparallelism_config: {parallelism_config_tp_size: 8}",
    "world-size", "num_processes" },
  { "n.yaml",
    "parallelism: {dp: 1, pp: 1, tp: 1}\ntokens: {micro_batch_size: 1}\ntokens: {micro_batch_size: "
    "2}",
    "repeated-key", "Line 3" },
  { "n.yaml", "parallelism: {dp: 1, pp: 1, tp: 1}\ntokens: {micro_batch_size: 1}", "model-unknown",
    "without a model, there are no results" },
  { "f.py", "import torch\nm = FullyShardedDataParallel(m)", "model-unknown",
    "does not specify the model" },
  { "s.py",
    "import deepspeed\nm = PipelineModule(x, num_stages=4)\n"
    "e = deepspeed.initialize(model=m, config={\"train_batch_size\": 8, \"zero_optimization\": "
    "{\"stage\": 2}})",
    "framework-zero", "pipeline engine" },
  { "t.toml",
    "[training]\nlocal_batch_size = 6\n[parallelism]\npipeline_parallel_degree = "
    "2\npipeline_parallel_microbatch_size = 4",
    "batch", "local_batch_size" },
  { "t.toml", "[parallelism]\ntensor_parallel_size = 8", "unknown-key",
    "parallelism.tensor_parallel_size" },
  { "m.sh",
    "torchrun --nproc_per_node 8 p.py --num-layers 8 --micro-batch-size 1 "
    "--tensor-model-parallel-size 2",
    "connections", "CUDA_DEVICE_MAX_CONNECTIONS" },
  { "m.sh", "torchrun p.py --num-layers 8 --micro-batch-size 1 --gradient-accumulation-steps 4",
    "unknown-key", "--gradient-accumulation-steps" },
  { "m.sh", "torchrun p.py --num-layers 8 --micro-batch-size 1 --overlap-param-gather", "overlap",
    "--overlap-grad-reduce" },
  { "m.sh",
    "torchrun p.py --num-layers 8 --micro-batch-size 1 --seq-length 8192 --max-position-embeddings "
    "4096",
    "sequence", "--max-position-embeddings" },
};

static void
test_rules (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      g_autoptr (ShardwiseImport) import = fixture_import (rules[i].text, rules[i].name);

      g_test_message ("%s", rules[i].text);
      for (guint j = 0; j < import->findings->len; j++)
        g_test_message ("  %s", ((ShardwiseFinding *) import->findings->pdata[j])->text);
      g_assert_true (fixture_finds (import, rules[i].code, rules[i].says));
    }
}

/* What was said comes back from its text; anything else is no import. */
static void
test_kept (void)
{
  static const char *const wrong[] = { "", "[]", "{}",
                                       "{\"kind\": 3, \"warnings\": [], \"findings\": []}",
                                       "{\"kind\": \"none\", \"warnings\": [], \"findings\": []}" };
  g_autoptr (ShardwiseImport) import = fixture_import ("{\"train_batch_size\": 8, \"moe\": {}}",
                                                       "d.json");
  g_autofree char *text = shardwise_import_to_json (import);
  g_autoptr (ShardwiseImport) back = shardwise_import_from_json (text);

  g_assert_cmpint (back->kind, ==, SHARDWISE_IMPORT_DEEPSPEED);
  g_assert_cmpuint (back->warnings->len, ==, import->warnings->len);
  g_assert_cmpstr (back->warnings->pdata[0], ==, import->warnings->pdata[0]);
  g_assert_cmpuint (back->findings->len, ==, import->findings->len);
  g_assert_true (fixture_finds (back, "ignored-key", "moe (line 1)"));
  g_assert_true (fixture_finds (back, "model-unknown", "specify the model"));
  g_assert_cmpuint (back->assumed->len, ==, import->assumed->len);
  for (guint i = 0; i < import->warnings->len; i++)
    g_assert_true (
        shardwise_assumptions_hold (back->assumed, import->warnings->pdata[i], import->scenario));
  g_assert_true (shardwise_scenario_set (import->scenario, SHARDWISE_KEY_CLUSTER_GPUS,
                                         g_variant_new_int32 (64), NULL));
  for (guint i = 0; i < import->warnings->len; i++)
    g_assert_cmpint (
        shardwise_assumptions_hold (back->assumed, import->warnings->pdata[i], import->scenario),
        ==, strstr (import->warnings->pdata[i], "GPUs until you choose") == NULL);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_null (shardwise_import_from_json (wrong[i]));
}

/* What “all that is left” is counted as is said until the number of GPUs is stated. */
static void
test_all_that_is_left (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import ("[parallelism]\ntensor_parallel_degree = 2\n"
                                                       "data_parallel_shard_degree = -1\n",
                                                       "t.toml");
  const char *warning = NULL;

  for (guint i = 0; i < import->warnings->len; i++)
    if (strstr (import->warnings->pdata[i], "uses all remaining GPUs") != NULL)
      warning = import->warnings->pdata[i];
  g_assert_nonnull (warning);
  g_assert_true (shardwise_assumptions_hold (import->assumed, warning, import->scenario));
  g_assert_true (shardwise_scenario_set (import->scenario, SHARDWISE_KEY_CLUSTER_GPUS,
                                         g_variant_new_int32 (64), NULL));
  g_assert_false (shardwise_assumptions_hold (import->assumed, warning, import->scenario));
}

/* The word of a finding is one of a file, which may be changed by others: it is not interned, which
 * would keep each for as long as the program runs. */
static void
test_kept_words (void)
{
  g_autoptr (ShardwiseImport) import = shardwise_import_from_json (
      "{\"kind\": \"deepspeed\", \"warnings\": [], \"findings\": [{\"code\": \"a-word-of-nobody\", "
      "\"severity\": \"error\", \"text\": \"It is so.\"}]}");

  g_assert_true (fixture_finds (import, "a-word-of-nobody", "It is so."));
  g_assert_cmpuint (g_quark_try_string ("a-word-of-nobody"), ==, 0);
}

/* Kubeflow's jobs hold the arguments: Megatron-LM's, whose world is that of the containers. */
static void
test_kubernetes (void)
{
  static const char arguments[] =
      "[--num-layers, \"32\", --micro-batch-size, \"1\", --global-batch-size, \"64\", "
      "--seq-length, \"4096\","
      " --max-position-embeddings, \"4096\", --tensor-model-parallel-size, \"2\"]";
  static const char *const files[] = {
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
    "spec:\n  trainer:\n    numNodes: 2\n"
    "    numProcPerNode: 4\n    env: [{name: CUDA_DEVICE_MAX_CONNECTIONS, value: \"1\"}]\n"
    "    command: [torchrun, pretrain_gpt.py]\n    args: %s\n",
    "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  nprocPerNode: "
    "\"4\"\n  pytorchReplicaSpecs:\n"
    "    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, "
    "env: [{name: CUDA_DEVICE_MAX_CONNECTIONS, value: \"1\"}],"
    " command: [torchrun, pretrain_gpt.py], args: %s}]}}}\n    Worker: {replicas: 1}\n",
  };
  const char *const expected[] = { "cluster.gpus=8", "strategy.tp=2", "strategy.dp=4",
                                   "training.global_batch_size=64", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_auto (GStrv) parts = g_strsplit (files[i], "%s", 2);
      g_autofree char *text = g_strjoinv (arguments, parts);
      g_autoptr (ShardwiseImport) import = fixture_import (text, "job.yaml");

      g_assert_cmpint (import->kind, ==, SHARDWISE_IMPORT_MEGATRON);
      g_assert_cmpint (shardwise_import_detect (text, strlen (text), ""), ==,
                       SHARDWISE_IMPORT_MEGATRON);
      fixture_assert_accepted (import);
      fixture_assert_set (import, expected);
    }
}

/* About a million tokens are 256 sequences of 4096, which 24 replicas cannot split: 264 are 11
 * each. A batch that the file states stays, whatever comes of it. */
static void
test_unstated_batch (void)
{
  static const struct {
    const char *text, *batch;
  } cases[] = {
    { "distributed_type: FSDP\nnum_processes: 24\n", "training.global_batch_size=264" },
    { "distributed_type: FSDP\nnum_processes: 8\n", "training.global_batch_size=" },
    { "distributed_type: DEEPSPEED\nnum_processes: 8\n"
      "deepspeed_config: {gradient_accumulation_steps: auto}\n",
      "training.global_batch_size=" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseImport) import = fixture_import (cases[i].text, "a.yaml");
      const char *const expected[] = { cases[i].batch, NULL };

      fixture_assert_set (import, expected);
      g_assert_cmpint (fixture_says (import->warnings, "the global batch"), ==, i == 0);
    }
}

/* What the file leaves open comes from the scenario at hand. */
static void
test_base (void)
{
  const char *text = "{\"train_micro_batch_size_per_gpu\": 2, \"gradient_accumulation_steps\": 4, "
                     "\"zero_optimization\": {\"stage\": 3}}";
  g_autoptr (ShardwiseScenario) base = shardwise_scenario_from_json (
      "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h200-141-sxm\", "
      "\"gpus\": 64}, \"training\": {\"sequence_length\": 8192}, \"strategy\": {\"tp\": 8}}",
      -1, NULL);
  g_autoptr (ShardwiseImport) import = shardwise_import_read (text, strlen (text), "ds.json", base,
                                                              NULL);
  const char *const expected[] = { "model.preset=llama-3-70b",
                                   "cluster.gpu=h200-141-sxm",
                                   "cluster.gpus=64",
                                   "training.sequence_length=8192",
                                   "strategy.tp=1",
                                   "training.global_batch_size=512",
                                   "name=ds.json",
                                   NULL };

  g_assert_nonnull (import);
  fixture_assert_set (import, expected);
  g_assert_true (fixture_says (import->warnings, "of the previous scenario is kept"));
}

/* A job of fewer GPUs than a node has shards over all of them. */
static void
test_hybrid_in_a_node (void)
{
  g_autoptr (ShardwiseImport) import =
      fixture_import ("distributed_type: FSDP\nnum_machines: 1\nnum_processes: 4\nfsdp_config:\n"
                      "  fsdp_version: 1\n  fsdp_sharding_strategy: HYBRID_SHARD\n",
                      "a.yaml");
  const char *const expected[] = { "strategy.dp=4", "strategy.shard_group=4", NULL };

  fixture_assert_set (import, expected);
}

/* A model alone needs no pipeline: the GPUs stay what they were. */
static void
test_model_keeps_gpus (void)
{
  const char *text = "{\"model_type\": \"llama\", \"hidden_size\": 512, "
                     "\"num_hidden_layers\": 4, \"num_attention_heads\": 8, "
                     "\"vocab_size\": 1000, \"intermediate_size\": 1024}";
  g_autoptr (ShardwiseScenario) base = shardwise_scenario_from_json (
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 1}}", -1, NULL);
  g_autoptr (ShardwiseImport) import = shardwise_import_read (text, strlen (text), "config.json",
                                                              base, NULL);
  const char *const expected[] = { "cluster.gpus=1", NULL };

  g_assert_nonnull (import);
  fixture_assert_set (import, expected);
}

/* The values of a script that come from a command are said, not guessed. */
static void
test_unknown_values (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import (
      "TP=$(cat tp)\nrun --num-layers 8 --micro-batch-size 1 --tensor-model-parallel-size "
      "$TP",
      "m.sh");

  g_assert_true (
      fixture_says (import->warnings, "--tensor-model-parallel-size in line 1 is unknown"));
}

static void
add_configs (GPtrArray *names)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "import", "config", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_strconcat ("/import/config/", name, NULL);

      g_ptr_array_add (names, g_strdup (name));
      g_test_add_data_func (path, names->pdata[names->len - 1], test_config);
    }
  g_assert_cmpuint (names->len, >=, 30);
}

/* Shards that fill the GPUs follow their number: on others than those that stood for what the file
 * does not state, the job is still one that TorchTitan runs. */
static void
test_fills (void)
{
  const char *const text = "[model]\nname = 'llama3'\nflavor = '70B'\n[training]\n"
                           "local_batch_size = 2\n[parallelism]\ntensor_parallel_degree = 8\n"
                           "data_parallel_shard_degree = -1\n";
  g_autoptr (ShardwiseImport) import = fixture_import (text, "train.toml");
  static const char *const expected[] = { "cluster.gpus=8", "strategy.dp=", "strategy.zero_stage=3",
                                          "training.global_batch_size=2", NULL };
  g_autoptr (GPtrArray) findings = NULL;

  fixture_assert_set (import, expected);
  g_assert_true (shardwise_scenario_set (import->scenario, SHARDWISE_KEY_CLUSTER_GPUS,
                                         g_variant_new_int32 (64), NULL));
  g_assert_true (shardwise_scenario_set (import->scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                                         g_variant_new_int32 (16), NULL));
  findings = shardwise_diagnose (import->scenario, import->kind, NULL, NULL);
  g_assert_cmpuint (findings->len, >, 0);
  g_assert_cmpstr (((ShardwiseFinding *) findings->pdata[0])->code, ==, "fits");
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  g_test_init (&argc, &argv, NULL);
  add_configs (names);
  g_test_add_func ("/import/own-dimensions", test_own_dimensions);
  g_test_add_func ("/import/pictures", test_pictures);
  g_test_add_func ("/import/approximated", test_approximated);
  g_test_add_func ("/import/params", test_params);
  g_test_add_func ("/import/expert-period", test_expert_period);
  g_test_add_func ("/import/jobs", test_jobs);
  g_test_add_func ("/import/rules", test_rules);
  g_test_add_func ("/import/kept", test_kept);
  g_test_add_func ("/import/kept-words", test_kept_words);
  g_test_add_func ("/import/all-that-is-left", test_all_that_is_left);
  g_test_add_func ("/import/kubernetes", test_kubernetes);
  g_test_add_func ("/import/unstated-batch", test_unstated_batch);
  g_test_add_func ("/import/base", test_base);
  g_test_add_func ("/import/model-keeps-gpus", test_model_keeps_gpus);
  g_test_add_func ("/import/hybrid-in-a-node", test_hybrid_in_a_node);
  g_test_add_func ("/import/unknown-values", test_unknown_values);
  g_test_add_func ("/import/fills", test_fills);

  return g_test_run ();
}
