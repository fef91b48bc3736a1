/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever somebody writes or pastes of a job. */
#include "shardwise-description.h"

#include <string.h>

#include "scenario-fixture.h"
#include "shardwise-failure.h"
#include "shardwise-key.h"

#define OUT_OF_MEMORY                                                                              \
  "Traceback (most recent call last):\n  File \"train.py\", line 9, in <module>\n"                 \
  "    loss = model(**batch).loss\n"                                                               \
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 3 has a total "     \
  "capacity of 39.39 GiB of which 512.00 MiB is free. Process 8513 has 38.50 GiB memory in use.\n"

static ShardwiseDescription *
read_text (const char *text)
{
  g_autoptr (ShardwiseScenario) fresh = shardwise_scenario_new ();

  return shardwise_description_read (text, strlen (text), fresh);
}

static gboolean
has_part (const ShardwiseDescription *self, const char *part)
{
  for (guint i = 0; i < self->parts->len; i++)
    if (strstr (self->parts->pdata[i], part) != NULL)
      return TRUE;
  return FALSE;
}

/* What plain words fill in, as "path=value", and what is shown of it. */
static void
test_words (void)
{
  static const struct {
    const char *text, *values[8], *parts[8];
  } cases[] = {
    { "70B on 64 H100, 8k",
      { "model.parameters_b=70", "cluster.gpu=h100-80-sxm", "cluster.gpus=64",
        "training.sequence_length=8192" },
      { "70 B", "64 × H100", "Sequence length 8192" } },
    { "Llama 3 70B, 8k context, 32 H200",
      { "model.preset=llama-3-70b", "cluster.gpu=h200-141-sxm", "cluster.gpus=32",
        "training.sequence_length=8192" },
      { "Llama 3 70B", "32 × H200" } },
    { "LoRA of 70B on two 24 GB cards",
      { "model.parameters_b=70", "training.type=lora", "cluster.gpus=2", "cluster.gpu=rtx-4090" },
      { "70 B", "2 × ", "LoRA" } },
    { "Can I fine-tune a 70B model on two 24 GB cards?",
      { "model.parameters_b=70", "training.type=finetune", "cluster.gpus=2" },
      { "70 B", "2 × ", "Full fine-tuning" } },
    { "QLoRA für Llama 3 70B auf 2 GPUs mit 24 GB",
      { "model.preset=llama-3-70b", "training.type=qlora", "cluster.gpus=2" },
      { "QLoRA" } },
    { "70B on 64 H100, 8k: give me DeepSpeed.",
      { "model.parameters_b=70", "cluster.gpus=64", "training.sequence_length=8192",
        "training.framework=deepspeed" },
      { "64 × H100", "DeepSpeed" } },
    { "LoRA of 70B on two 24 GB or 48 GB cards?",
      { "model.parameters_b=70", "training.type=lora", "cluster.gpus=2", "cluster.gpu=rtx-4090" },
      { "2 × ", "against RTX" } },
    { "LoRA für 70B auf zwei 24-GB-Karten",
      { "model.parameters_b=70", "training.type=lora", "cluster.gpus=2", "cluster.gpu=rtx-4090" },
      { "2 × " } },
    { "H100, H200 oder B200 für DeepSeek-V3, 10 T Tokens",
      { "model.preset=deepseek-v3", "cluster.gpu=h100-80-sxm", "training.tokens=10000000000000" },
      { "against H200", "against B200" } },
    { "H100, H200 or B200 for DeepSeek-V3, 10 T tokens",
      { "model.preset=deepseek-v3", "cluster.gpu=h100-80-sxm", "training.tokens=10000000000000",
        "cluster.gpus=256" },
      { "DeepSeek-V3", "H100", "against H200", "against B200" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseDescription) self = read_text (cases[i].text);

      g_test_message ("%s", cases[i].text);
      for (guint j = 0; j < self->parts->len; j++)
        g_test_message ("  part: %s", (char *) self->parts->pdata[j]);
      g_assert_true (shardwise_description_can_open (self));
      g_assert_null (self->lacks);
      g_assert_null (self->import);
      for (guint j = 0; cases[i].values[j] != NULL; j++)
        {
          g_auto (GStrv) value = g_strsplit (cases[i].values[j], "=", 2);
          const ShardwiseKey *key = shardwise_key_find (value[0]);
          g_autofree char *is = shardwise_scenario_get_string (self->scenario, key->id);

          g_test_message ("  %s", cases[i].values[j]);
          if (g_ascii_isdigit (*value[1]))
            g_assert_cmpfloat (shardwise_scenario_get_number (self->scenario, key->id, 0), ==,
                               g_ascii_strtod (value[1], NULL));
          else
            g_assert_cmpstr (is, ==, value[1]);
        }
      for (guint j = 0; cases[i].parts[j] != NULL; j++)
        g_assert_true (has_part (self, cases[i].parts[j]));
      g_assert_false (shardwise_scenario_get_modified (self->scenario));
    }
}

static void
test_several_gpus (void)
{
  g_autoptr (ShardwiseDescription) self =
      read_text ("H100, H200 or B200 for DeepSeek-V3, 10 T tokens");

  g_assert_cmpuint (self->others->len, ==, 2);
  g_assert_cmpstr (self->others->pdata[0], ==, "h200-141-sxm");
  g_assert_cmpstr (self->others->pdata[1], ==, "b200-180-sxm");
}

/* Nothing answers plain words with a place in a file: it says what is missing. */
static void
test_lacks (void)
{
  static const struct {
    const char *text, *says;
  } cases[] = {
    { "hello", "Name a model and the GPUs" },
    { "How should I split my training?", "Name a model and the GPUs" },
    { "Train: something", "Name a model and the GPUs" },
    { "64 H100", "Which model?" },
    { "on 8 A100, 4k context", "Which model?" },
    { OUT_OF_MEMORY, "Which job failed?" },
    { "{\"model\": ", "line 1" },
    { "base_model: meta-llama/Llama-3.1-8B\nadapter: lora\nlora_r: 16\n  lora_alpha: [32\n"
      "micro_batch_size: 2\nsequence_len: 8192\n",
      "line 4" },
    { "model_name: Llama 3 8B\nmicro_batch: 2\nseq_len: 8192\nnum_gpus: 8\n",
      "not a configuration" },
    { "#!/usr/bin/perl\nprint 1;\nprint 2;\n", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseDescription) self = read_text (cases[i].text);

      g_test_message ("%s: %s", cases[i].text, self->lacks);
      g_assert_false (shardwise_description_can_open (self));
      g_assert_nonnull (strstr (self->lacks, cases[i].says));
      g_assert_null (strstr (self->lacks, "line 1, column 1:"));
      g_assert_null (strchr (self->lacks, '\n'));
    }
}

static void
test_empty (void)
{
  g_autoptr (ShardwiseDescription) self = read_text (" \n ");

  g_assert_false (shardwise_description_can_open (self));
  g_assert_null (self->lacks);
  g_assert_cmpuint (self->parts->len, ==, 0);
}

/* Files of every syntax, alone and under a line of words. */
static void
test_files (void)
{
  static const struct {
    const char *text;
    ShardwiseImportKind kind;
  } cases[] = {
    { "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}}",
      SHARDWISE_IMPORT_SCENARIO },
    { "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 4\n",
      SHARDWISE_IMPORT_ACCELERATE },
    { "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
      "--num-attention-heads 32 --tensor-model-parallel-size 2 --seq-length 4096 "
      "--max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64\n",
      SHARDWISE_IMPORT_MEGATRON },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *below = g_strconcat ("8B on 4 A100, why does it fail?\n", cases[i].text,
                                            NULL);
      g_autoptr (ShardwiseDescription) self = read_text (cases[i].text);
      g_autoptr (ShardwiseDescription) with = read_text (below);

      g_test_message ("%s: %s", cases[i].text, self->lacks);
      g_assert_nonnull (self->import);
      g_assert_cmpint (self->import->kind, ==, cases[i].kind);
      g_assert_cmpuint (self->parts->len, >, 1);
      g_assert_nonnull (with->import);
      g_assert_cmpint (with->import->kind, ==, cases[i].kind);
    }
}

static const ShardwiseFinding *
first_way (const ShardwiseImport *import)
{
  for (guint i = 0; i < import->findings->len; i++)
    {
      const ShardwiseFinding *finding = import->findings->pdata[i];

      g_test_message ("%s: %s", finding->code, finding->text);
      if (finding->changes != NULL)
        return finding;
    }
  return NULL;
}

/* A job that ran out of memory, in words alone, in words over what it ended with, and as a file over
 * that: checkpointing is the first of the ways out. */
static void
test_out_of_memory (void)
{
  static const char *const texts[] = {
    "My FSDP fine-tuning of 8B on 4 × A100-40 is out of memory",
    "FSDP fine-tuning of 8B on 4 × A100-40\n" OUT_OF_MEMORY,
    OUT_OF_MEMORY "FSDP fine-tuning of 8B on 4 × A100-40\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ShardwiseDescription) self = read_text (texts[i]);
      const ShardwiseFinding *way;
      g_autofree char *gpu = NULL, *framework = NULL;

      g_test_message ("%s", texts[i]);
      g_assert_null (self->lacks);
      g_assert_nonnull (self->import);
      g_assert_cmpint (self->import->kind, ==, SHARDWISE_IMPORT_ERROR);
      gpu = shardwise_scenario_get_string (self->import->scenario, SHARDWISE_KEY_CLUSTER_GPU);
      framework = shardwise_scenario_get_string (self->import->scenario,
                                                 SHARDWISE_KEY_TRAINING_FRAMEWORK);
      g_assert_cmpstr (gpu, ==, "a100-40-sxm");
      g_assert_cmpstr (framework, ==, "fsdp2");
      way = first_way (self->import);
      g_assert_nonnull (way);
      g_assert_cmpstr (way->code, ==, "change-recompute");
    }
}

/* What waited for another rank says nothing of how the job splits memory: no value is fixed. */
static void
test_timeout (void)
{
  static const ShardwiseKeyId keys[] = { SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE,
                                         SHARDWISE_KEY_STRATEGY_TP,
                                         SHARDWISE_KEY_STRATEGY_RECOMPUTE,
                                         SHARDWISE_KEY_STRATEGY_OFFLOAD };
  g_autoptr (ShardwiseDescription) self = read_text (
      "LoRA of Llama 3 8B on 8 A100\n[rank5]:[E ProcessGroupNCCL.cpp:616] [Rank 5] Watchdog caught "
      "collective operation timeout: WorkNCCL(SeqNum=12, OpType=_ALLGATHER_BASE, NumelIn=16, "
      "NumelOut=16, Timeout(ms)=600000) ran for 600029 milliseconds before timing out.");

  g_assert_nonnull (self->import);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_false (shardwise_scenario_is_set (self->import->scenario, keys[i]));
}

/* The GPU is that of the words, else that of the message; a scenario and a command count as files. */
static void
test_beside (void)
{
  static const struct {
    const char *text, *gpu;
  } cases[] = {
    { "QLoRA of 8B on 4 GPUs\n" OUT_OF_MEMORY, NULL },
    { "QLoRA of 8B on 4 × RTX 3090\n" OUT_OF_MEMORY, "rtx-3090" },
    { "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"l40s\", \"gpus\": "
      "2}}\n" OUT_OF_MEMORY,
      "l40s" },
    { "$ torchrun --nproc_per_node 2 train.py --model_name_or_path Qwen/Qwen2.5-7B "
      "--per_device_train_batch_size 2\n" OUT_OF_MEMORY,
      NULL },
  };
  ShardwiseFailure failure;

  g_assert_true (shardwise_failure_read (OUT_OF_MEMORY, -1, &failure));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseDescription) self = read_text (cases[i].text);
      g_autofree char *gpu = NULL;

      g_test_message ("%s", cases[i].text);
      g_assert_nonnull (self->import);
      g_assert_nonnull (first_way (self->import));
      gpu = shardwise_scenario_get_string (self->import->scenario, SHARDWISE_KEY_CLUSTER_GPU);
      g_assert_cmpstr (gpu, ==,
                       cases[i].gpu != NULL ? cases[i].gpu : shardwise_failure_gpu (&failure)->id);
    }
}

/* Any bytes: nothing is refused with an abort. */
static void
test_any (void)
{
  static const char *const texts[] = {
    "\xff\xfe",           "{", "[", "\x01", "8k", "8k 8k 8k", "----\n---\n", "a: b\nc",
    "CUDA out of memory", "?"
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ShardwiseDescription) self = read_text (texts[i]);

      g_assert_true (shardwise_description_can_open (self) || self->lacks != NULL);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/description/words", test_words);
  g_test_add_func ("/description/several-gpus", test_several_gpus);
  g_test_add_func ("/description/lacks", test_lacks);
  g_test_add_func ("/description/empty", test_empty);
  g_test_add_func ("/description/files", test_files);
  g_test_add_func ("/description/out-of-memory", test_out_of_memory);
  g_test_add_func ("/description/timeout", test_timeout);
  g_test_add_func ("/description/beside", test_beside);
  g_test_add_func ("/description/any", test_any);
  return g_test_run ();
}
