/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of tools that fine-tune, as people write them: what is read of each, what is said of it, and
 * what is refused in words. */
#include <string.h>

#include "import-fixture.h"

typedef struct {
  const char *title, *name, *text;
  const char *says; /* (nullable): a part of a warning */
  const char *expected[16];
} Case;

static const Case cases[] = {
  { "axolotl-qlora",
    "a.yml",
    "base_model: mistralai/Mistral-7B-v0.1\nload_in_4bit: true\nadapter: qlora\nlora_r: 32\n"
    "lora_target_linear: true\ndatasets:\n  - path: x\n    type: alpaca\nsequence_len: 8192\n"
    "sample_packing: true\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\n"
    "optimizer: adamw_bnb_8bit\nbf16: auto\ngradient_checkpointing: true\n",
    "Shardwise uses 1 ",
    { "model.preset=mistral-7b-v0.1", "training.type=qlora", "training.lora.rank=32",
      "training.lora.targets=all-linear", "training.sequence_length=8192",
      "training.global_batch_size=8", "training.optimizer=adam8bit", "strategy.micro_batch_size=2",
      "strategy.recompute=full", "strategy.zero_stage=0", "cluster.gpus=1", NULL } },
  { "axolotl-padded",
    "a.yml",
    "base_model: Qwen/Qwen2.5-7B\ndatasets:\n  - path: x\nsequence_len: 4096\nmicro_batch_size: 1\n"
    "sample_packing: false\npad_to_sequence_len: true\ngradient_accumulation_steps: 2\n",
    "training.padding.mean_length",
    { "training.sequence_length=4096", "training.padding.mean_length=", NULL } },
  { "llama-factory-padded",
    "a.yaml",
    "model_name_or_path: Qwen/Qwen3-4B-Instruct-2507\nstage: sft\ndo_train: true\npacking: false\n"
    "finetuning_type: lora\ncutoff_len: 2048\nper_device_train_batch_size: 1\n",
    "training.padding.mean_length",
    { "training.type=lora", NULL } },
  { "axolotl-grpo",
    "a.yml",
    "base_model: Qwen/Qwen2.5-7B\nrl: grpo\ntrl:\n  beta: 0.001\n  use_vllm: true\n"
    "  vllm_mode: colocate\n  num_generations: 4\n  max_completion_length: 512\n"
    "  reward_funcs: [rewards.score]\nadapter: lora\nlora_r: 16\nlora_target_linear: true\n"
    "datasets:\n  - path: x\nsequence_len: 2048\nmicro_batch_size: 4\n"
    "gradient_accumulation_steps: 4\n",
    NULL,
    { "training.type=rlhf", "training.adapters=lora", "training.rlhf.algorithm=grpo",
      "training.rlhf.group_size=4", "training.rlhf.response_length=512",
      "training.rlhf.colocated=true", "training.rlhf.reference=", "training.lora.rank=16",
      "training.sequence_length=2048", NULL } },
  { "axolotl-fsdp2",
    "a.yml",
    "base_model: Qwen/Qwen2.5-7B\ndatasets:\n  - path: x\nsequence_len: 4096\nmicro_batch_size: 1\n"
    "gradient_accumulation_steps: 2\noptimizer: adamw_torch_fused\ndp_shard_size: 4\n"
    "context_parallel_size: 2\nfsdp_version: 2\nfsdp_config:\n  offload_params: true\n"
    "  reshard_after_forward: true\n  activation_checkpointing: true\n",
    NULL,
    { "training.type=finetune", "strategy.dp=4", "strategy.cp=2", "strategy.zero_stage=3",
      "strategy.offload=optimizer+params", "strategy.recompute=full", "cluster.gpus=8",
      "training.global_batch_size=8", "training.states.master=", NULL } },
  { "llama-factory",
    "a.yaml",
    "model_name_or_path: Qwen/Qwen3-4B-Instruct-2507\nstage: sft\ndo_train: true\n"
    "finetuning_type: lora\nlora_rank: 8\nlora_target: all\ncutoff_len: 2048\n"
    "per_device_train_batch_size: 1\ngradient_accumulation_steps: 2\nbf16: true\n"
    "deepspeed: examples/deepspeed/ds_z3_offload_config.json\n",
    "ds_z3_offload_config.json",
    { "model.preset=qwen3-4b", "training.type=lora", "strategy.zero_stage=3",
      "strategy.offload=optimizer+params", "strategy.recompute=full", "cluster.gpus=8",
      "training.global_batch_size=16", NULL } },
  { "llama-factory-4-bit",
    "a.yaml",
    "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\ndo_train: true\n"
    "finetuning_type: lora\nquantization_bit: 4\nlora_target: q_proj,v_proj\n"
    "disable_gradient_checkpointing: true\nper_device_train_batch_size: 2\nflash_attn: disabled\n",
    NULL,
    { "training.type=qlora", "training.lora.modules=q,v", "strategy.recompute=none",
      "training.attention=unfused", NULL } },
  { "torchtune",
    "a.yaml",
    "# tune run --nproc_per_node 4 lora_finetune_distributed --config x\n"
    "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n"
    "  lora_attn_modules: ['q_proj', 'v_proj', 'output_proj']\n  apply_lora_to_mlp: True\n"
    "  lora_rank: 8\ntokenizer:\n  _component_: x\n  max_seq_len: ${length}\nlength: 2048\n"
    "checkpointer:\n  _component_: y\noptimizer:\n  _component_: torch.optim.AdamW\n"
    "batch_size: 2\ngradient_accumulation_steps: 8\nenable_activation_checkpointing: True\n"
    "enable_activation_offloading: True\ndtype: bf16\n",
    NULL,
    { "model.preset=llama-3.1-8b", "training.type=lora", "training.lora.modules=q,v,o,gate,up,down",
      "cluster.gpus=4", "training.global_batch_size=64", "training.sequence_length=2048",
      "strategy.zero_stage=3", "strategy.recompute=full", "strategy.offload=activations", NULL } },
  { "trainer-json",
    "args.json",
    "{\"model_name_or_path\": \"meta-llama/Llama-3.1-8B\", \"per_device_train_batch_size\": 4,"
    " \"gradient_accumulation_steps\": 8, \"gradient_checkpointing\": true, \"fp16\": true,"
    " \"optim\": \"paged_adamw_8bit\"}",
    NULL,
    { "model.preset=llama-3.1-8b", "training.precision=fp16", "training.optimizer=paged-adamw-8bit",
      "strategy.recompute=full", "strategy.micro_batch_size=4", "training.global_batch_size=32",
      NULL } },
  { "trainer-command",
    "a.sh",
    "torchrun --nproc_per_node=4 train.py --model_name_or_path meta-llama/Llama-2-7b-hf \\\n"
    "  --per_device_train_batch_size 4 --gradient_accumulation_steps 8 \\\n"
    "  --fsdp \"full_shard auto_wrap\" --model_max_length 2048 --bf16 True\n",
    NULL,
    { "cluster.gpus=4", "strategy.dp=4", "strategy.zero_stage=3", "training.framework=hf-trainer",
      "training.global_batch_size=128", "training.sequence_length=2048", NULL } },
  { "trl-defaults",
    "a.sh",
    "trl sft --model_name_or_path Qwen/Qwen2.5-0.5B --dataset_name x --output_dir y\n",
    NULL,
    { "model.preset=qwen2.5-0.5b", "strategy.recompute=full", "training.sequence_length=1024",
      "strategy.micro_batch_size=8", NULL } },
  { "handbook-dpo",
    "config.yaml",
    "model_name_or_path: mistralai/Mistral-7B-v0.1\nbf16: true\nbeta: 0.01\nmax_length: 1024\n"
    "gradient_accumulation_steps: 2\nper_device_train_batch_size: 8\noutput_dir: x\n"
    "gradient_checkpointing: true\n",
    NULL,
    { "model.preset=mistral-7b-v0.1", "training.type=dpo", "training.rlhf.algorithm=dpo",
      "training.global_batch_size=32", "strategy.micro_batch_size=16", NULL } },
  { "unsloth",
    "a.py",
    "from unsloth import FastLanguageModel\nimport torch\nlength = 2048\n"
    "model, tokenizer = FastLanguageModel.from_pretrained(\n"
    "    model_name = \"unsloth/Meta-Llama-3.1-8B-bnb-4bit\", max_seq_length = length,\n"
    "    dtype = None, load_in_4bit = True)\n"
    "model = FastLanguageModel.get_peft_model(model, r = 16, target_modules = [\"q_proj\",\n"
    "    \"v_proj\", \"down_proj\"], use_gradient_checkpointing = \"unsloth\")\n"
    "from transformers import TrainingArguments\nfrom trl import SFTTrainer\n"
    "trainer = SFTTrainer(model = model, args = TrainingArguments(\n"
    "    per_device_train_batch_size = 2, gradient_accumulation_steps = 4,\n"
    "    optim = \"adamw_8bit\", output_dir = \"outputs\"))\n",
    NULL,
    { "model.preset=llama-3.1-8b", "training.type=qlora", "training.lora.rank=16",
      "training.lora.modules=q,v,down", "training.sequence_length=2048",
      "training.optimizer=adam8bit", "cluster.gpus=1", "training.global_batch_size=8",
      "strategy.recompute=full", "strategy.offload=activations", NULL } },
  { "verl",
    "a.sh",
    "set -x\npython3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\\n"
    "  data.train_batch_size=1024 data.max_prompt_length=512 data.max_response_length=1024 \\\n"
    "  actor_rollout_ref.model.path=Qwen/Qwen2-7B-Instruct \\\n"
    "  actor_rollout_ref.actor.ppo_mini_batch_size=256 \\\n"
    "  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=16 \\\n"
    "  actor_rollout_ref.actor.ulysses_sequence_parallel_size=2 \\\n"
    "  actor_rollout_ref.rollout.n=5 trainer.n_gpus_per_node=8 trainer.nnodes=2 $@\n",
    NULL,
    { "model.preset=qwen2-7b", "training.type=rlhf", "training.rlhf.algorithm=grpo",
      "training.rlhf.response_length=1024", "training.sequence_length=1536", "cluster.gpus=16",
      "strategy.dp=8", "strategy.cp=2", "strategy.cp_method=ulysses", "strategy.zero_stage=3",
      "training.global_batch_size=1280", "strategy.micro_batch_size=16", "strategy.recompute=full",
      NULL } },
  { "verl-megatron",
    "a.sh",
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=gae \\\n"
    "  actor_rollout_ref.model.path=Qwen/Qwen2-7B \\\n"
    "  actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2 \\\n"
    "  actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=2 \\\n"
    "  trainer.n_gpus_per_node=8 trainer.nnodes=1\n",
    NULL,
    { "training.framework=megatron-core", "strategy.tp=2", "strategy.pp=2", "strategy.dp=2",
      "training.rlhf.algorithm=ppo", NULL } },
  { "openrlhf",
    "a.sh",
    "set -x\nread -r -d '' training_commands <<EOF\nopenrlhf.cli.train_sft \\\n"
    "   --data.max_len 2048 \\\n   --train.batch_size 256 \\\n   --train.micro_batch_size 2 \\\n"
    "   --model.model_name_or_path meta-llama/Meta-Llama-3-8B \\\n   --ds.zero_stage 2 \\\n"
    "   --ds.adam_offload \\\n   --model.gradient_checkpointing_enable\nEOF\n"
    "deepspeed --num_gpus 4 --module $training_commands\n",
    NULL,
    { "model.preset=llama-3-8b", "training.type=finetune", "training.framework=openrlhf",
      "cluster.gpus=4", "strategy.zero_stage=2", "strategy.offload=optimizer",
      "training.global_batch_size=256", "strategy.recompute=full", NULL } },
  { "skypilot",
    "sky.yaml",
    "resources:\n  accelerators: {A100-80GB: 8}\nnum_nodes: 2\nsetup: pip install x\n"
    "run: |\n  torchrun --nnodes 2 --nproc-per-node 8 train.py \\\n"
    "    --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 2 \\\n"
    "    --gradient_accumulation_steps 4 --bf16 True\n",
    NULL,
    { "cluster.gpu=a100-80-sxm", "cluster.gpus=16", "cluster.gpus_per_node=8",
      "model.preset=qwen2.5-7b", "training.global_batch_size=128", NULL } },
};

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (ShardwiseImport) import = fixture_import (c->text, c->name);

  fixture_assert_set (import, c->expected);
  if (c->says != NULL)
    g_assert_true (fixture_says (import->warnings, c->says));
}

/* Files that train nothing, or configure it elsewhere, are reported as such, whatever their first
 * column contains. */
static void
test_refused (void)
{
  static const struct {
    const char *name, *text, *words;
  } refused[] = {
    { "a.yaml", "model_name_or_path: x/Y\ntemplate: qwen\n", "not a training configuration" },
    { "a.sh", "llamafactory-cli train examples/a.yaml\n", "open that file" },
    { "a.py", "from trl import TrlParser, SFTConfig\nparser = TrlParser(SFTConfig)\n",
      "from the command line" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseImport) import = shardwise_import_read (
          refused[i].text, strlen (refused[i].text), refused[i].name, NULL, &error);

      g_assert_null (import);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, refused[i].words));
    }
}

/* A configuration, Accelerate's file and the task that starts it are one job. */
static void
test_joined (void)
{
  static const char config[] = "model_name_or_path: mistralai/Mistral-7B-v0.1\noutput_dir: x\n"
                               "per_device_train_batch_size: 4\ngradient_accumulation_steps: 1\n"
                               "gradient_checkpointing: true\nmax_length: 2048\nbf16: true\n",
                    zero[] = "distributed_type: DEEPSPEED\nmixed_precision: bf16\n"
                             "num_machines: 1\nnum_processes: 8\ndeepspeed_config:\n"
                             "  zero_stage: 3\n  gradient_accumulation_steps: 1\n",
                    sky[] = "resources:\n  accelerators: H200:8\nsetup: x\n"
                            "run: accelerate launch --config_file zero3.yaml sft.py config.yaml\n";
  static const char *const expected[] = { "cluster.gpu=h200-141-sxm",
                                          "cluster.gpus=8",
                                          "strategy.zero_stage=3",
                                          "training.global_batch_size=32",
                                          "strategy.recompute=full",
                                          "training.framework=deepspeed",
                                          NULL };
  const ShardwiseImportText files[] = { { config, sizeof config - 1, "config.yaml" },
                                        { zero, sizeof zero - 1, "zero3.yaml" },
                                        { sky, sizeof sky - 1, "sky.yaml" } };
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseImport) import = shardwise_import_read_job (files, 3, NULL, &error);

  g_assert_no_error (error);
  fixture_assert_set (import, expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/import-tools/%s", cases[i].title);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/import-tools/refused", test_refused);
  g_test_add_func ("/import-tools/joined", test_joined);
  return g_test_run ();
}
