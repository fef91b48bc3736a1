/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Launch scripts as people write them: what a shell would make of them, what stays open, and what
 * is said of programs that are not Megatron-LM's training of a decoder. */
#include <string.h>

#include "import-fixture.h"

#define SIZES                                                                                      \
  " --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096"                 \
  " --micro-batch-size 1 --global-batch-size 64 --bf16"

/* Quotes within quotes, comparisons that look like here-documents. */
static void
test_brackets (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import (
      "#!/bin/bash\n"
      "BITS=3\n"
      "for (( node = 0; node <= 3; node++ ))\ndo\n"
      "  if $(ssh -q worker-\"$node\" \"test -f \\\"$FILE\\\"\"); then echo \"it's (there\"; fi\n"
      "done\n"
      "(( TP = 1 << BITS ))\n"
      "torchrun --nproc-per-node 8 --nnodes 2 pretrain_gpt.py" SIZES
      " --tensor-model-parallel-size $(( 1 << BITS ))\n",
      "run.sh");
  static const char *const expected[] = { "strategy.tp=8", "cluster.gpus=16", NULL };

  fixture_assert_set (import, expected);
}

/* A file that another script sources. */
static void
test_sourced (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import (
      "#!/bin/bash\n"
      "TP=${TP:=4}\n"
      "COMMON=\"--num-layers 32 --hidden-size 4096 \\\n  --num-attention-heads 32\"\n"
      "MODEL_OPTIONS=\"  ${COMMON} --tensor-model-parallel-size $TP --swiglu\"\n"
      "BATCH=(--micro-batch-size 2 --global-batch-size 64 --seq-length 8192 --bf16)\n"
      "NAME=x--num-layers\n",
      "model.sh");
  static const char *const expected[] = { "strategy.tp=4", "strategy.micro_batch_size=2",
                                          "model.layers=32", "training.sequence_length=8192",
                                          NULL };

  fixture_assert_set (import, expected);
  g_assert_true (fixture_says (import->warnings, "does not start a training itself"));
}

/* The embedding and the head count as a layer each where an option says so: 31 and 1 make 8 a
 * rank. */
static void
test_ends_of_pipeline (void)
{
  static const struct {
    const char *layers, *options, *vpp;
  } cases[] = {
    { "31", " --account-for-embedding-in-pipeline-split", "strategy.vpp=2" },
    { "31", " --account-for-loss-in-pipeline-split", "strategy.vpp=2" },
    { "30", " --account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split",
      "strategy.vpp=2" },
    { "32", "", "strategy.vpp=2" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "torchrun --nproc-per-node 8 pretrain_gpt.py" SIZES " --num-layers %s"
          " --pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 4%s\n",
          cases[i].layers, cases[i].options);
      g_autoptr (ShardwiseImport) import = fixture_import (text, "run.sh");
      const char *const expected[] = { cases[i].vpp, NULL };

      fixture_assert_set (import, expected);
      g_assert_false (fixture_finds (import, "vpp-layers", "multiples"));
    }
}

/* A layout in words gives the virtual stages. */
static void
test_layouts (void)
{
  static const struct {
    const char *layout, *vpp;
  } cases[] = {
    { "Et*7|t*8|t*8|t*8L", "strategy.vpp=1" },
    { "Et*3|t*4|t*4|t*4|t*4|t*4|t*4|t*4L", "strategy.vpp=2" },
    { "Ettt|(tttt|)*6,tttt|tL", "strategy.vpp=2" },
    { "E(t|)*2(tt|)*13,|L", "strategy.vpp=4" },
    { "$LAYOUT", "strategy.vpp=" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strconcat ("torchrun --nproc-per-node 8 pretrain_gpt.py" SIZES
                                           " --pipeline-model-parallel-size 4"
                                           " --pipeline-model-parallel-layout \"",
                                           cases[i].layout, "\"\n", NULL);
      g_autoptr (ShardwiseImport) import = fixture_import (text, "run.sh");
      const char *const expected[] = { cases[i].vpp, NULL };

      fixture_assert_set (import, expected);
    }
}

/* ${NAME:=value} assigns, others do not. */
static void
test_defaults (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import (
      "#!/bin/bash\n: ${TP:=4} ${BASE:=2}\n: \"${PP:=$BASE}\" ${CP:-2}\nTP=${TP:=8}\n"
      "torchrun --nproc-per-node 8 pretrain_gpt.py" SIZES " --tensor-model-parallel-size $TP"
      " --pipeline-model-parallel-size $PP --context-parallel-size $CP\n",
      "run.sh");
  static const char *const expected[] = { "strategy.tp=4", "strategy.pp=2", "strategy.cp=", NULL };

  fixture_assert_set (import, expected);
}

/* What the caller hands in is searched, never taken for 1. */
static void
test_open (void)
{
  g_autoptr (ShardwiseImport) import =
      fixture_import ("#!/bin/bash\nTP=$1\nPP=$2\n"
                      "torchrun --nproc-per-node 8 pretrain_gpt.py" SIZES
                      " --tensor-model-parallel-size $TP --pipeline-model-parallel-size ${PP}"
                      " --sequence-parallel\n",
                      "run.sh");
  static const char *const expected[] = { "strategy.tp=",
                                          "strategy.pp=",
                                          "strategy.vpp=",
                                          "strategy.dp=",
                                          "strategy.cp=1",
                                          "strategy.schedule=",
                                          "strategy.sequence_parallel=",
                                          NULL };

  fixture_assert_set (import, expected);
  g_assert_true (fixture_says (import->warnings, "--tensor-model-parallel-size in line 2"));
}

static void
test_no_value (void)
{
  const char *const text = "torchrun pretrain_gpt.py" SIZES " --tensor-model-parallel-size";
  g_autoptr (GError) error = NULL;

  g_assert_null (shardwise_import_read (text, strlen (text), "run.sh", NULL, &error));
  g_assert_nonnull (strstr (error->message, "--tensor-model-parallel-size: has no value; allowed"));
}

static void
test_positions (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import (
      "torchrun pretrain_gpt.py" SIZES " --position-embedding-type alibi\n", "run.sh");
  static const char *const expected[] = { "model.position_embedding=alibi", NULL };

  fixture_assert_set (import, expected);
  g_assert_true (fixture_finds (import, "unknown-key", "learned_absolute, rope, none"));
}

/* The tokenizer is not in the script: as its kind says, else as a model of these layers has it. */
static void
test_vocabulary (void)
{
  static const struct {
    const char *options, *expected;
  } cases[] = {
    { "--swiglu --tokenizer-type GPT2BPETokenizer", "model.vocab_size=50257" },
    { "--swiglu --tokenizer-type HuggingFaceTokenizer --tokenizer-model org/Llama-3-8B",
      "model.vocab_size=128256" },
    { "--num-query-groups 4 --tokenizer-model 1.0", "model.vocab_size=50432" },
    { "--vocab-size 1000", "model.vocab_size=1000" },
  };
  g_autoptr (ShardwiseImport) known = fixture_import (
      "torchrun pretrain_gpt.py --num-layers 28 --hidden-size 3584 --ffn-hidden-size 18944"
      " --num-attention-heads 28 --group-query-attention --num-query-groups 4 --swiglu\n",
      "run.sh");

  g_assert_true (fixture_says (known->warnings, "Shardwise uses 152064 tokens, as in Qwen2 7B"));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strconcat ("torchrun pretrain_gpt.py" SIZES " ", cases[i].options,
                                           "\n", NULL);
      g_autoptr (ShardwiseImport) import = fixture_import (text, "run.sh");
      const char *const expected[] = { cases[i].expected, NULL };

      fixture_assert_set (import, expected);
    }
}

static void
test_programs (void)
{
  static const struct {
    const char *program, *options, *says;
  } cases[] = {
    { "pretrain_bert.py", "", "“pretrain_bert.py” trains an encoder: its" },
    { "${MEGATRON:?}/pretrain_bert.py", "", "“pretrain_bert.py” trains an encoder: its" },
    { "$1/pretrain_t5.py", "", "an encoder and a decoder" },
    { "pretrain_mamba.py", "", "recurrent layers" },
    { "pretrain_gpt.py", "--hybrid-layer-pattern M-M*", "recurrent layers" },
    { "examples/multimodal/train.py", "--freeze-ViT", "an image or audio encoder" },
    { "tools/run_text_generation_server.py", "", "does not seem to be training" },
    { "pretrain_gpt.py", "--deepspeed --zero-stage 2", "Megatron-DeepSpeed, a fork" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strconcat ("torchrun ", cases[i].program, SIZES, " ",
                                           cases[i].options, "\n", NULL);
      g_autoptr (ShardwiseImport) import = fixture_import (text, "run.sh");

      g_test_message ("%s", cases[i].program);
      g_assert_true (fixture_says (import->warnings, cases[i].says));
    }
}

static void
test_older (void)
{
  g_autoptr (ShardwiseImport) import = fixture_import (
      "torchrun pretrain_gpt.py" SIZES " --checkpoint-activations --DDP-impl local\n", "run.sh");
  static const char *const expected[] = { "strategy.recompute=full", NULL };

  fixture_assert_set (import, expected);
  g_assert_true (fixture_finds (import, "unknown-key", "--checkpoint-activations (line 1)"));
  g_assert_true (fixture_finds (import, "unknown-key", "--DDP-impl (line 1)"));
}

static char *
script_with_experts (const char *frequency)
{
  return g_strconcat ("torchrun pretrain_gpt.py" SIZES " --num-experts 8 --moe-layer-freq \"",
                      frequency, "\"\n", NULL);
}

static void
test_expert_layers (void)
{
  static const struct {
    const char *frequency, *first, *every;
  } cases[] = {
    { "[1]*32", "model.moe.first_dense_layers=0", "model.moe.layer_frequency=1" },
    { "([1]*32)", "model.moe.first_dense_layers=0", "model.moe.layer_frequency=1" },
    { "([0]*0+[1]*32)", "model.moe.first_dense_layers=0", "model.moe.layer_frequency=1" },
    { "[0]*3+[1]*29", "model.moe.first_dense_layers=3", "model.moe.layer_frequency=1" },
    { "([0]*3+[1]*29)", "model.moe.first_dense_layers=3", "model.moe.layer_frequency=1" },
    { "([0]*1 + [1]*1)*16", "model.moe.first_dense_layers=0", "model.moe.layer_frequency=2" },
    { "(([0]*3+[1]*1)*8)", "model.moe.first_dense_layers=0", "model.moe.layer_frequency=4" },
    { "([0]*2+([0]*1+[1]*1)*15)", "model.moe.first_dense_layers=2", "model.moe.layer_frequency=2" },
    { "[0,0,1,1]", "model.moe.first_dense_layers=2", "model.moe.layer_frequency=1" },
    { "2", "model.moe.first_dense_layers=0", "model.moe.layer_frequency=2" },
  };
  static const char *const others[] = {
    "([1]*3+[0]*1)*8", "([0]*3+[1]*2)*6",        "[0]*32", "[0]*3+",
    "[1]*99999999999", "((((((((([1]))))))))*2", "[",      "[2]"
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = script_with_experts (cases[i].frequency);
      g_autoptr (ShardwiseImport) import = fixture_import (text, "run.sh");
      const char *const expected[] = { cases[i].first, cases[i].every, NULL };

      fixture_assert_set (import, expected);
      g_assert_false (fixture_says (import->warnings, "are not understood"));
    }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *text = script_with_experts (others[i]);
      g_autoptr (ShardwiseImport) import = fixture_import (text, "run.sh");
      const char *const expected[] = { cases[0].first, cases[0].every, NULL };

      fixture_assert_set (import, expected);
      g_assert_true (fixture_says (import->warnings, "are not understood"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/import-scripts/brackets", test_brackets);
  g_test_add_func ("/import-scripts/sourced", test_sourced);
  g_test_add_func ("/import-scripts/layouts", test_layouts);
  g_test_add_func ("/import-scripts/defaults", test_defaults);
  g_test_add_func ("/import-scripts/open", test_open);
  g_test_add_func ("/import-scripts/ends-of-pipeline", test_ends_of_pipeline);
  g_test_add_func ("/import-scripts/no-value", test_no_value);
  g_test_add_func ("/import-scripts/positions", test_positions);
  g_test_add_func ("/import-scripts/vocabulary", test_vocabulary);
  g_test_add_func ("/import-scripts/programs", test_programs);
  g_test_add_func ("/import-scripts/older", test_older);
  g_test_add_func ("/import-scripts/expert-layers", test_expert_layers);

  return g_test_run ();
}
