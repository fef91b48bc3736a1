/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Launchers that speak a dialect of Megatron-LM's arguments, and files of frameworks that are not
 * read: each is known for what it is. */
#include <string.h>

#include "import-fixture.h"

/* KV heads, experts and the token's number of them, Ulysses, ALiBi and ZeRO of Megatron-DeepSpeed. */
static void
test_deepspeed (void)
{
  const char *const script =
      "#!/bin/bash\n"
      "export NNODES=2 NUM_GPUS=8\n"
      "deepspeed --num_nodes 2 --num_gpus 8 pretrain_gpt.py --deepspeed \\\n"
      "  --deepspeed_config ds.json --zero-stage 2 --num-layers 24 --hidden-size 2048 \\\n"
      "  --num-attention-heads 16 --num-key-value-heads 4 --num-experts 64 --topk 2 \\\n"
      "  --expert-interval 4 --moe-expert-parallel-size 8 --ds-sequence-parallel-size 2 \\\n"
      "  --position-embedding-type alibi --seq-length 2048 --micro-batch-size 1 \\\n"
      "  --global-batch-size 64 --vocab-file gpt2-vocab.json --fp16 --checkpoint-activations\n";
  static const char *const expected[] = { "model.kv_heads=4",
                                          "model.vocab_size=50257",
                                          "model.position_embedding=alibi",
                                          "model.moe.experts=64",
                                          "model.moe.top_k=2",
                                          "model.moe.layer_frequency=4",
                                          "cluster.gpus=16",
                                          "training.framework=deepspeed",
                                          "strategy.zero_stage=2",
                                          "strategy.ep=8",
                                          "strategy.etp=1",
                                          "strategy.cp=2",
                                          "strategy.cp_method=ulysses",
                                          "strategy.dp=8",
                                          "strategy.recompute=full",
                                          NULL };
  g_autoptr (ShardwiseImport) import = fixture_import (script, "train.sh");

  g_assert_cmpint (import->kind, ==, SHARDWISE_IMPORT_MEGATRON);
  fixture_assert_set (import, expected);
  /* What Megatron-LM itself would refuse is none of the fork's errors. */
  g_assert_cmpuint (import->findings->len, ==, 0);
}

/* Its defaults: one expert a token in every second layer; a single expert is none. */
static void
test_deepspeed_defaults (void)
{
  const char *const script =
      "deepspeed pretrain_gpt.py --deepspeed --num-layers 24 --hidden-size 2048 "
      "--num-attention-heads 16 --num-experts %s --mlp-type %s --seq-length 2048 "
      "--micro-batch-size 1 --vocab-size 50257 --enable-expert-tensor-parallelism\n";
  static const struct {
    const char *experts, *type;
    const char *expected[4];
  } cases[] = {
    { "16", "standard", { "model.moe.top_k=1", "model.moe.layer_frequency=2", NULL } },
    { "32 64",
      "residual",
      { "model.moe.experts=48", "model.moe.shared_intermediate_size=8192", NULL } },
    { "1", "standard", { "model.moe.experts=", "model.layers=24", NULL } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (GStrv) parts = g_strsplit (script, "%s", 3);
      g_autofree char *text = g_strconcat (parts[0], cases[i].experts, parts[1], cases[i].type,
                                           parts[2], NULL);
      g_autoptr (ShardwiseImport) import = fixture_import (text, "train.sh");

      fixture_assert_set (import, cases[i].expected);
    }
}

/* slime names its model by the script that it sources, and sets what it does not say. */
static void
test_slime (void)
{
  const char *const script = "#!/bin/bash\n"
                             "source \"${SCRIPT_DIR}/models/qwen3-32B.sh\"\n"
                             "ARGS=(--rollout-batch-size 32 --n-samples-per-prompt 8\n"
                             "  --rollout-max-response-len 8192 --tensor-model-parallel-size 8\n"
                             "  --sequence-parallel --recompute-granularity full\n"
                             "  --recompute-method uniform --optimizer-cpu-offload)\n"
                             "ray job submit -- python3 train.py --actor-num-nodes 2 \\\n"
                             "  --actor-num-gpus-per-node 8 --colocate --hf-checkpoint %s \\\n"
                             "  ${MODEL_ARGS[@]} ${ARGS[@]}\n";
  static const char *const expected[] = { "model.preset=qwen3-32b",
                                          "cluster.gpus=16",
                                          "training.type=rlhf",
                                          "training.rlhf.algorithm=grpo",
                                          "training.rlhf.response_length=8192",
                                          "training.rlhf.colocated=true",
                                          "training.global_batch_size=256",
                                          "training.precision=bf16",
                                          "strategy.zero_stage=1",
                                          "strategy.micro_batch_size=1",
                                          "strategy.tp=8",
                                          "strategy.dp=2",
                                          "strategy.offload=optimizer",
                                          NULL };
  g_auto (GStrv) parts = g_strsplit (script, "%s", 2);
  g_autofree char *text = g_strjoinv ("/root/Qwen3-32B", parts);
  g_autoptr (ShardwiseImport) import = fixture_import (text, "run.sh");

  fixture_assert_set (import, expected);
  g_assert_false (fixture_finds (import, "model-unknown", ""));
  g_assert_false (fixture_finds (import, "missing-key", ""));
}

/* The file that such a script sources says the model and nothing else: no default stands for what
 * the other file says. A loop makes the list of layers with experts. */
static void
test_slime_model (void)
{
  const char *const script =
      "NLAYERS=27\nFIRST_K_DENSE_REPLACE=1\n"
      "for ((i=0; i<NLAYERS; i++)); do arr+=(1); done\n"
      "printf -v MOE_LAYER_FREQ \"[%s]\" \"$(IFS=', '; echo \"${arr[*]}\")\"\n"
      "MODEL_ARGS=(\n --num-layers 27 --hidden-size 2048 --num-attention-heads 16\n"
      " --ffn-hidden-size 11264 --moe-layer-freq $MOE_LAYER_FREQ --num-experts 64\n"
      " --moe-router-topk 6 --moe-ffn-hidden-size 1408 --vocab-size 163840)\n";
  static const char *const expected[] = { "model.layers=27",     "model.moe.first_dense_layers=1",
                                          "strategy.tp=",        "strategy.pp=",
                                          "strategy.cp=",        "strategy.ep=",
                                          "strategy.recompute=", "strategy.zero_stage=",
                                          "strategy.offload=",   NULL };
  g_autoptr (ShardwiseImport) import = fixture_import (script, "model.sh");

  fixture_assert_set (import, expected);
}

/* Options with underscores and truth values of ms-swift, with its defaults; the processes from the
 * environment. */
static void
test_swift (void)
{
  const char *const script = "NPROC_PER_NODE=4 CUDA_VISIBLE_DEVICES=0,1,2,3 \\\n"
                             "megatron sft --model Qwen/Qwen2.5-72B-Instruct \\\n"
                             "  --tensor_model_parallel_size 4 --sequence_parallel true \\\n"
                             "  --optimizer_cpu_offload false --max_length 8192 \\\n"
                             "  --tuner_type lora --lora_rank 16\n\n"
                             "swift infer --model out\n";
  static const char *const expected[] = { "model.preset=qwen2.5-72b",
                                          "cluster.gpus=4",
                                          "training.type=lora",
                                          "training.lora.rank=16",
                                          "training.sequence_length=8192",
                                          "training.global_batch_size=16",
                                          "training.precision=bf16",
                                          "strategy.tp=4",
                                          "strategy.sequence_parallel=true",
                                          "strategy.micro_batch_size=1",
                                          "strategy.recompute=selective",
                                          "strategy.zero_stage=1",
                                          "strategy.offload=none",
                                          NULL };
  g_autoptr (ShardwiseImport) import = fixture_import (script, "run.sh");

  fixture_assert_set (import, expected);
}

/* Arguments in a YAML; what its runner fills in is not known. */
static void
test_yaml (void)
{
  const char *const text = "ENV_VARS:\n  CUDA_DEVICE_MAX_CONNECTIONS: 1\n"
                           "MODEL_ARGS:\n  --num-layers: 32\n  --hidden-size: 4096\n"
                           "  --num-attention-heads: 32\n  --ffn-hidden-size: 14336\n"
                           "  --group-query-attention: true\n  --num-query-groups: 8\n"
                           "  --swiglu: true\n  --disable-bias-linear: true\n"
                           "  --normalization: RMSNorm\n  --position-embedding-type: rope\n"
                           "  --untie-embeddings-and-output-weights: true\n"
                           "  --vocab-size: 128256\n  --seq-length: 8192\n"
                           "  --max-position-embeddings: 8192\n"
                           "  --micro-batch-size: 1\n  --sequence-parallel: false\n"
                           "  --tensor-model-parallel-size: 2\n"
                           "  --pipeline-model-parallel-size: ${PP}\n";
  static const char *const expected[] = { "model.preset=llama-3-8b", "strategy.tp=2",
                                          "strategy.pp=", "strategy.sequence_parallel=false",
                                          NULL };
  g_autoptr (ShardwiseImport) import = fixture_import (text, "model_config.yaml");

  g_assert_cmpint (import->kind, ==, SHARDWISE_IMPORT_MEGATRON);
  fixture_assert_set (import, expected);
  g_assert_true (fixture_says (import->warnings, "--pipeline-model-parallel-size"));
}

/* An external variable, or one that branches set differently, may contain anything that is missing:
 * it is not reported, and no default replaces it. */
static void
test_open_words (void)
{
  const char *const outside = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 "
                              "--hidden-size 768 --num-attention-heads 12 --bf16 ${EXTRA_ARGS}\n",
                    *const undecided =
                        "if [ $1 = a ]; then O=\"--recompute-granularity full\"\n"
                        "elif [ $1 = b ]; then O=\"--use-distributed-optimizer\"; fi\n"
                        "torchrun pretrain_gpt.py --num-layers 12 --hidden-size 768 "
                        "--num-attention-heads 12 --micro-batch-size 1 $O\n";
  static const char *const open[] = { "strategy.recompute=", "strategy.zero_stage=", "strategy.tp=",
                                      NULL };
  g_autoptr (ShardwiseImport) first = fixture_import (outside, "a.sh"),
                              second = fixture_import (undecided, "b.sh");

  g_assert_false (fixture_finds (first, "missing-key", ""));
  fixture_assert_set (second, open);
}

/* Mistral 7B has the layers of Llama 3 8B: what the script calls it tells them apart. */
static void
test_alike (void)
{
  static const char *const names[] = { "mistral", "llama" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "torchrun pretrain_%s.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
          "--ffn-hidden-size 14336 --group-query-attention --num-query-groups 8 --swiglu "
          "--normalization RMSNorm --position-embedding-type rope --disable-bias-linear "
          "--untie-embeddings-and-output-weights --micro-batch-size 1 --max-position-embeddings "
          "4096\n",
          names[i]);
      g_autoptr (ShardwiseImport) import = fixture_import (text, "a.sh");
      g_autofree char *preset = shardwise_scenario_get_string (import->scenario,
                                                               SHARDWISE_KEY_MODEL_PRESET);

      g_test_message ("%s", preset);
      g_assert_true (g_str_has_prefix (preset, names[i]));
    }
}

/* Recipes of fine-tuning are those of the same model. */
static void
test_recipes (void)
{
  static const struct {
    const char *name;
    const char *expected[3];
  } recipes[] = {
    { "llama32_1b_peft_config", { "model.preset=llama-3.2-1b", "training.type=lora", NULL } },
    { "llama3_8b_sft_config", { "model.preset=llama-3-8b", "training.type=finetune", NULL } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (recipes); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("from megatron.bridge.recipes.llama.llama3 import %s\ncfg = %s()\n"
                           "cfg.model.tensor_model_parallel_size = 2\n",
                           recipes[i].name, recipes[i].name);
      g_autoptr (ShardwiseImport) import = fixture_import (text, "a.py");

      fixture_assert_set (import, recipes[i].expected);
    }
}

/* Whether embeddings are tied is said of a model, not of its part that is read. */
static void
test_tied (void)
{
  const char *const text =
      "{\"tie_word_embeddings\": false, \"text_config\": {\"model_type\": \"qwen3_next\", "
      "\"hidden_size\": 512, \"num_hidden_layers\": 3, \"num_attention_heads\": 8, "
      "\"vocab_size\": 1000, \"intermediate_size\": 1024}, \"time\": [0.0, Infinity, -Infinity]}";
  static const char *const expected[] = { "model.tied_embeddings=false", NULL };
  g_autoptr (ShardwiseImport) import = fixture_import (text, "config.json");

  fixture_assert_set (import, expected);
}

/* ---- files that are not read ---- */

typedef struct {
  const char *framework, *name, *text;
} Foreign;

static const Foreign foreign[] = {
  { "torchtune", "a.yaml", "policy_model:\n  _component_: x\ntokenizer:\n  _component_: y\n" },
  { "verl", "a.py", "import verl\n" },
  /* It has Accelerate's fsdp_config, too. */
  { "llm-foundry", "a.yaml", "model:\n  name: mpt\ntrain_loader:\n  a: 1\nfsdp_config:\n  b: 2\n" },
  { "NeMo", "a.yaml", "name: gpt\ntrainer:\n  devices: 8\nexp_manager:\n  a: 1\nmodel:\n  b: 1\n" },
  { "GPT-NeoX", "a.yml",
    "{\n  # parallelism\n  \"pipe_parallel_size\": 1,\n  \"zero_optimization\": {\"stage\": 1},\n"
    "  \"fp16\": {\"enabled\": True},\n}\n" },
  { "GPT-NeoX", "a.sh", "python ./deepy.py train.py configs/20B.yml\n" },
  { "MaxText", "a.yml", "base_emb_dim: 4096\nbase_mlp_dim: 1\n" },
  { "Primus", "a.yaml", "work_group: a\nmodules:\n  b: 1\n" },
  { "InternEvo", "a.py", "HIDDEN_SIZE = 4096\nparallel = dict(zero1=dict(size=8))\n" },
  { "ms-swift", "a.sh", "CUDA_VISIBLE_DEVICES=0 \\\nswift sft --model x/Y\n" },
};

/* By its name, in one sentence, and not by the errors of a reader of something else. */
static void
test_foreign (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseImport) import = shardwise_import_read (
          foreign[i].text, strlen (foreign[i].text), foreign[i].name, NULL, &error);

      g_test_message ("%s: %s", foreign[i].framework, error != NULL ? error->message : "read");
      g_assert_null (import);
      g_assert_nonnull (strstr (error->message, foreign[i].framework));
      g_assert_nonnull (strstr (error->message, "cannot be read yet"));
      if (!g_str_has_suffix (foreign[i].name, ".sh"))
        g_assert_cmpint (
            shardwise_import_detect (foreign[i].text, strlen (foreign[i].text), foreign[i].name),
            ==, SHARDWISE_IMPORT_UNKNOWN);
    }
}

/* A framework's own recipes, a function each, are no job: the settings of all would be one. */
static void
test_library (void)
{
  static const char *const texts[] = {
    "from megatron.bridge.recipes.common import base\n"
    "def small_pretrain_config():\n    cfg = base()\n    cfg.model.tensor_model_parallel_size = 1\n"
    "def large_pretrain_config():\n    cfg = base()\n    cfg.model.tensor_model_parallel_size = "
    "8\n",
    "from torchtitan.trainer import Trainer\n"
    "def a_debug() -> Trainer.Config:\n    return Trainer.Config()\n"
    "def a_8b() -> Trainer.Config:\n    return Trainer.Config()\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (shardwise_import_read (texts[i], strlen (texts[i]), "a.py", NULL, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "2 configurations"));
    }
}

/* Words in a comment start nothing. */
static void
test_comment (void)
{
  const char *const text = "# verl.trainer.main_ppo starts elsewhere\necho done\n";
  g_autoptr (GError) error = NULL;

  g_assert_null (shardwise_import_read (text, strlen (text), "a.sh", NULL, &error));
  g_assert_null (strstr (error->message, "verl"));
}

/* Of Nanotron's forks each marks its family: only Llama's is read as Llama. */
static void
test_nanotron (void)
{
  const char *const text =
      "general: {project: x}\nparallelism: {dp: 1, pp: 1, tp: 1}\n"
      "tokens: {micro_batch_size: 1, sequence_length: 128}\nmodel:\n  model_config: {is_%s_config: "
      "true, hidden_size: 512, num_hidden_layers: 3, num_attention_heads: 8, vocab_size: 1000, "
      "intermediate_size: 2048}\n";
  static const char *const families[][2] = { { "llama", NULL },
                                             { "mamba", "has recurrent layers" },
                                             { "llama4", "modeled over the whole sequence" },
                                             { "other", "“other” is unknown" } };

  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    {
      g_auto (GStrv) parts = g_strsplit (text, "%s", 2);
      g_autofree char *whole = g_strjoinv (families[i][0], parts);
      g_autoptr (ShardwiseImport) import = fixture_import (whole, "n.yaml");

      if (families[i][1] != NULL)
        g_assert_true (fixture_says (import->warnings, families[i][1]));
      else
        g_assert_false (fixture_says (import->warnings, "is unknown"));
    }
}

/* DeepSeek's own configuration of V3, whose first keys are those of Llama's params.json. */
static void
test_deepseek (void)
{
  const char *const text =
      "{\"vocab_size\": 129280, \"dim\": 7168, \"inter_dim\": 18432, \"moe_inter_dim\": 2048,"
      " \"n_layers\": 61, \"n_dense_layers\": 3, \"n_heads\": 128, \"n_routed_experts\": 256,"
      " \"n_shared_experts\": 1, \"n_activated_experts\": 8, \"score_func\": \"sigmoid\","
      " \"q_lora_rank\": 1536, \"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128,"
      " \"qk_rope_head_dim\": 64, \"v_head_dim\": 128}";
  static const char *const expected[] = { "model.preset=deepseek-v3", NULL };
  g_autoptr (ShardwiseImport) import = fixture_import (text, "config_671B.json");

  g_assert_cmpint (import->kind, ==, SHARDWISE_IMPORT_PARAMS);
  fixture_assert_set (import, expected);
  g_assert_true (fixture_finds (import, "parameters", "671"));
  g_assert_false (fixture_finds (import, "parameters", "The name indicates"));
}

/* What is no pre-training of a decoder, or rests on what the script does not hold, is said; what
 * other words say, too, is read. */
static void
test_said (void)
{
#define SIZES                                                                                      \
  " --num-layers 12 --hidden-size 768 --num-attention-heads 12 --max-position-embeddings 2048 "    \
  "--micro-batch-size 1 "
  static const struct {
    const char *script, *name, *expected[3], *said;
  } cases[] = {
    { "torchrun tasks/main.py --task MSDP-EVAL-F1 --guess-file a --seq-length 512" SIZES,
      "a.sh",
      { "model.layers=12", NULL },
      "does not seem to be training" },
    { "torchrun tasks/main.py --task RACE --train-data d --tokenizer-type BertWordPieceLowerCase "
      "--seq-length 512" SIZES,
      "a.sh",
      { "model.vocab_size=30522", NULL },
      "trains an encoder" },
    { "torchrun pretrain_qwen.py --mrope-section 24 20 20 --seq-length 512" SIZES,
      "a.sh",
      { "model.layers=12", NULL },
      "image or audio encoder" },
    { "torchrun pretrain_t5.py --encoder-seq-length 640 --decoder-seq-length 128" SIZES,
      "a.sh",
      { "training.sequence_length=640", NULL },
      "an encoder and a decoder" },
    { "torchrun pretrain_gpt.py --recompute-activations --moe-layer-recompute --num-experts 8 "
      "--tokenizer-model deepseek-ai/DeepSeek-V3 --seq-length 512" SIZES,
      "a.sh",
      { "strategy.recompute=selective", "model.vocab_size=129280", NULL },
      "129280" },
    { "megatron sft --model Qwen/Qwen3-30B-A3B --tuner_type lora --modules_to_save lm_head",
      "a.sh",
      { "model.preset=qwen3-30b-a3b", NULL },
      "--modules-to-save" },
    { "distributed_type: FSDP\nnum_processes: 8\n",
      "a.yaml",
      { "training.precision=bf16", NULL },
      "mixed_precision" },
  };
#undef SIZES
  g_autoptr (ShardwiseImport) unknown = fixture_import ("megatron sft --model Qwen/Qwen3-VL-8B\n",
                                                        "a.sh");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseImport) import = fixture_import (cases[i].script, cases[i].name);

      fixture_assert_set (import, cases[i].expected);
      g_assert_true (fixture_says (import->warnings, cases[i].said));
    }
  g_assert_true (fixture_finds (unknown, "model-unknown", "“Qwen/Qwen3-VL-8B”"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/import-dialects/deepspeed", test_deepspeed);
  g_test_add_func ("/import-dialects/deepspeed-defaults", test_deepspeed_defaults);
  g_test_add_func ("/import-dialects/slime", test_slime);
  g_test_add_func ("/import-dialects/slime-model", test_slime_model);
  g_test_add_func ("/import-dialects/swift", test_swift);
  g_test_add_func ("/import-dialects/yaml", test_yaml);
  g_test_add_func ("/import-dialects/open-words", test_open_words);
  g_test_add_func ("/import-dialects/alike", test_alike);
  g_test_add_func ("/import-dialects/recipes", test_recipes);
  g_test_add_func ("/import-dialects/tied", test_tied);
  g_test_add_func ("/import-dialects/foreign", test_foreign);
  g_test_add_func ("/import-dialects/library", test_library);
  g_test_add_func ("/import-dialects/comment", test_comment);
  g_test_add_func ("/import-dialects/nanotron", test_nanotron);
  g_test_add_func ("/import-dialects/deepseek", test_deepseek);
  g_test_add_func ("/import-dialects/said", test_said);
  return g_test_run ();
}
