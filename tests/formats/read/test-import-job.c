/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several files as one job, joined by what they name, in whatever order they come. */
#include <string.h>

#include "import-fixture.h"

#define LAUNCHER                                                                                   \
  "torchrun --nnodes 2 --nproc_per_node 8 train.py --deepspeed zero3.json "                        \
  "--model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 2 "                  \
  "--gradient_accumulation_steps 4 --model_max_length 8192 --gradient_checkpointing True\n"
#define ZERO3                                                                                      \
  "{\"train_micro_batch_size_per_gpu\": \"auto\", \"gradient_accumulation_steps\": \"auto\", "     \
  "\"train_batch_size\": \"auto\", \"bf16\": {\"enabled\": \"auto\"}, "                            \
  "\"zero_optimization\": {\"stage\": 3}}"
#define QWEN3                                                                                      \
  "{\"model_type\": \"qwen3\", \"hidden_size\": 4096, \"num_hidden_layers\": 36, "                 \
  "\"num_attention_heads\": 32, \"num_key_value_heads\": 8, \"head_dim\": 128, "                   \
  "\"intermediate_size\": 12288, \"vocab_size\": 151936, \"tie_word_embeddings\": false, "         \
  "\"max_position_embeddings\": 40960}"
#define ACCELERATE                                                                                 \
  "distributed_type: DEEPSPEED\nnum_processes: 16\nnum_machines: 2\nmixed_precision: bf16\n"       \
  "deepspeed_config:\n  deepspeed_config_file: zero3.json\n"
#define SETUP                                                                                      \
  "import deepspeed\nmodel = PipelineModule(layers, num_stages=4)\n"                               \
  "engine = deepspeed.initialize(model=model, config='ds.json')\n"
#define PIPELINE                                                                                   \
  "{\"train_micro_batch_size_per_gpu\": 1, \"gradient_accumulation_steps\": 8, "                   \
  "\"bf16\": {\"enabled\": true}, \"pipeline\": {}, \"zero_optimization\": {\"stage\": 1}}"

typedef struct {
  const char *what;
  ShardwiseImportText files[4]; /* the length follows */
  ShardwiseImportKind kind;
  const char *expected[10];
} Job;

static const Job jobs[] = {
  { "launcher-configuration",
    { { LAUNCHER, 0, "run.sh" }, { ZERO3, 0, "zero3.json" } },
    SHARDWISE_IMPORT_TRAINER,
    { "model.preset=llama-3.1-8b", "cluster.gpus=16", "strategy.zero_stage=3",
      "strategy.micro_batch_size=2", "training.global_batch_size=128",
      "training.sequence_length=8192", "strategy.recompute=full", NULL } },
  /* The model's own file says it better than a name. */
  { "model-launcher-configuration",
    { { ZERO3, 0, "zero3.json" }, { QWEN3, 0, "config.json" }, { LAUNCHER, 0, "run.sh" } },
    SHARDWISE_IMPORT_TRAINER,
    { "model.preset=qwen3-8b", "cluster.gpus=16", "strategy.zero_stage=3", NULL } },
  { "accelerate",
    { { ACCELERATE, 0, "accelerate.yaml" },
      { ZERO3, 0, "zero3.json" },
      { QWEN3, 0, "config.json" } },
    SHARDWISE_IMPORT_DEEPSPEED,
    { "model.preset=qwen3-8b", "cluster.gpus=16", "cluster.gpus_per_node=8",
      "strategy.zero_stage=3", NULL } },
  { "script",
    { { SETUP, 0, "setup.py" }, { PIPELINE, 0, "ds.json" }, { QWEN3, 0, "config.json" } },
    SHARDWISE_IMPORT_DEEPSPEED,
    { "model.preset=qwen3-8b", "strategy.pp=4", "strategy.zero_stage=1",
      "strategy.micro_batch_size=1", NULL } },
  { "sourced",
    { { "source \"$DIR/models/mine.sh\"\ntorchrun --nproc_per_node 8 pretrain_gpt.py "
        "${MODEL_ARGS[@]} --micro-batch-size 1 --bf16 --tensor-model-parallel-size 4\n",
        0, "run.sh" },
      { "MODEL_ARGS=(--num-layers 14 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 "
        "--max-position-embeddings 1024 --vocab-size 50257)\n",
        0, "mine.sh" } },
    SHARDWISE_IMPORT_MEGATRON,
    { "model.layers=14", "model.hidden_size=768", "strategy.tp=4", "cluster.gpus=8", NULL } },
  /* Of the fork's files the JSON has what the command leaves to it, the command the degrees. */
  { "megatron-deepspeed",
    { { "deepspeed --num_gpus 8 --num_nodes 2 pretrain_gpt.py --deepspeed --deepspeed_config "
        "ds.json --num-layers 12 --hidden-size 768 --num-attention-heads 12 --vocab-size 50257 "
        "--seq-length 1024 --micro-batch-size 1 --bf16 --tensor-model-parallel-size 4 "
        "--pipeline-model-parallel-size 2\n",
        0, "run.sh" },
      { PIPELINE, 0, "ds.json" } },
    SHARDWISE_IMPORT_MEGATRON,
    { "strategy.tp=4", "strategy.pp=2", "strategy.zero_stage=1", "strategy.dp=2", NULL } },
};

static ShardwiseImport *
read_files (const ShardwiseImportText *files, gboolean backward, GError **error)
{
  ShardwiseImportText texts[4];
  guint n = 0;

  while (n < 4 && files[n].text != NULL)
    n++;
  for (guint i = 0; i < n; i++)
    {
      texts[i] = files[backward ? n - 1 - i : i];
      texts[i].length = strlen (texts[i].text);
    }
  return shardwise_import_read_job (texts, n, NULL, error);
}

static void
test_job (gconstpointer data)
{
  const Job *job = data;

  for (guint backward = 0; backward < 2; backward++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseImport) import = read_files (job->files, backward, &error);

      g_assert_no_error (error);
      g_assert_cmpint (import->kind, ==, job->kind);
      fixture_assert_set (import, job->expected);
      g_assert_false (fixture_says (import->warnings, "not opened"));
      g_assert_false (fixture_says (import->warnings, "no other file is opened"));
    }
}

typedef struct {
  ShardwiseImportText files[4];
  const char *says;
} Bad;

static const Bad bad[] = {
  { { { ZERO3, 0, "a.json" }, { PIPELINE, 0, "b.json" } }, "of the same kind" },
  { { { ZERO3, 0, "zero3.json" }, { PIPELINE, 0, "b.json" }, { LAUNCHER, 0, "run.sh" } },
    "no other file refers to “b.json”" },
  { { { ZERO3, 0, "a.json" },
      { "{\"format\": \"shardwise-scenario\", \"version\": 1}", 0, "b.shardwise" } },
    "is a scenario" },
  { { { ZERO3, 0, "a.json" }, { "{\"zero_optimization\": {", 0, "b.json" } }, "b.json: " },
  { { { ZERO3, 0, "a.json" }, { "policy_model: 1\ntokenizer: 2\n", 0, "b.yml" } }, "torchtune" },
};

/* What is no job together says so, and names the file. */
static void
test_bad (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseImport) import = read_files (bad[i].files, FALSE, &error);

      g_assert_null (import);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, bad[i].says));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autofree char *path = g_strconcat ("/import-job/", jobs[i].what, NULL);

      g_test_add_data_func (path, &jobs[i], test_job);
    }
  g_test_add_func ("/import-job/bad", test_bad);
  return g_test_run ();
}
