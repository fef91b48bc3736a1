/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of frameworks that are not read, by their marks: who opens one is told whose it is, not
 * what a reader of something else misses in it. */
#include "shardwise-foreign.h"

/* Keys of a configuration, all of which stand at its outermost level. */
typedef struct {
  const char *name, *keys[4];
} Keys;

/* An expression that a line fits: of a command, which a comment is not, or of a Python file. */
typedef struct {
  const char *name, *expression;
} Line;

/* The first that fits counts: the more special ones come before those that they look like. */
static const Keys configurations[] = {
  { "Axolotl", { "base_model", "datasets" } },
  { "Axolotl", { "base_model", "micro_batch_size" } },
  { "LLaMA-Factory", { "model_name_or_path", "finetuning_type" } },
  { "LLaMA-Factory", { "model_name_or_path", "stage" } },
  { "LLaMA-Factory", { "model_name_or_path", "template" } },
  { "LLaMA-Factory", { "model", "model_class" } },
  { "TRL", { "model_name_or_path", "output_dir" } },
  { "TRL", { "model_name_or_path", "dataset_name" } },
  { "torchtune", { "checkpointer", "tokenizer", "model" } },
  { "llm-foundry", { "model", "train_loader" } },
  { "llm-foundry", { "models", "icl_tasks" } },
  { "llm-foundry", { "integrations", "command" } },
  { "verl", { "actor_rollout_ref" } },
  { "verl", { "actor", "rollout" } },
  { "verl", { "ulysses_sequence_parallel_size", "trainer" } },
  { "NeMo RL", { "policy", "grpo" } },
  { "NeMo RL", { "policy", "sft" } },
  { "NeMo RL", { "policy", "dpo" } },
  { "NeMo RL", { "policy", "cluster" } },
  { "NeMo", { "trainer", "exp_manager" } },
  { "NeMo", { "trainer", "tensor_model_parallel_size" } },
  { "NeMo", { "name", "trainer", "model" } },
  { "NeMo", { "inference", "trainer" } },
  { "GPT-NeoX", { "pipe_parallel_size" } },
  { "GPT-NeoX", { "pipe-parallel-size" } },
  { "GPT-NeoX", { "model_parallel_size", "num_layers" } },
  { "GPT-NeoX", { "model-parallel-size", "num-layers" } },
  { "GPT-NeoX", { "train_micro_batch_size_per_gpu", "data_path" } },
  { "GPT-NeoX", { "train-data-paths" } },
  { "GPT-NeoX", { "train_data_paths" } },
  { "GPT-NeoX", { "data_path", "vocab_file" } },
  { "GPT-NeoX", { "data-path", "vocab-file" } },
  { "MaxText", { "base_emb_dim" } },
  { "MaxText", { "base_config" } },
  { "MaxText", { "base_num_decoder_layers" } },
  { "MaxText", { "per_device_batch_size", "run_name" } },
  { "MaxText", { "model_name", "max_target_length" } },
  { "Primus", { "work_group", "modules" } },
  { "LitGPT", { "out_dir", "precision", "devices", "train" } },
  { "OLMo", { "max_duration", "global_train_batch_size", "model" } },
};

static const Line commands[] = {
  { "verl", "verl\\.(trainer|experimental)\\." },
  { "OpenRLHF", "openrlhf\\.cli\\.|/openrlhf" },
  { "LLaMA-Factory", "llamafactory-cli|llamafactory\\.|src/train(_bash)?\\.py .*--stage" },
  { "Axolotl", "axolotl\\.cli\\.|(^|[ \t;])axolotl +[a-z]" },
  { "torchtune", "(^|[ \t;])tune +(run|download)" },
  { "llm-foundry", "(^|[ \t;])composer +|llmfoundry" },
  { "GPT-NeoX", "deepy\\.py" },
  { "MaxText", "MaxText[./]|maxtext[./]" },
  { "NeMo", "megatron_gpt_[a-z_]+\\.py|(^|[ \t;])nemo +(llm|run)" },
  { "NeMo RL", "examples/run_(grpo|sft|dpo)" },
  { "LitGPT", "(^|[ \t;])litgpt +[a-z]" },
  { "ms-swift", "(^|[ \t;])swift +(sft|pt|rlhf)" },
  { "ms-swift", "swift/cli/(sft|pt|rlhf)\\.py" },
  { "Primus", "primus" },
  { "Hugging Face’s Trainer", "--per_device_train_batch_size" },
};

static const Line scripts[] = {
  { "torchtune", "^(from|import) +torchtune\\b" },
  { "verl", "^(from|import) +verl\\b" },
  { "OpenRLHF", "^(from|import) +openrlhf\\b" },
  { "Axolotl", "^(from|import) +axolotl\\b" },
  { "LLaMA-Factory", "^(from|import) +llamafactory\\b" },
  { "llm-foundry", "^(from|import) +llmfoundry\\b" },
  { "MaxText", "^(from|import) +(MaxText|maxtext)\\b" },
  { "LitGPT", "^(from|import) +litgpt\\b" },
  { "ms-swift", "^(from|import) +swift\\b" },
  { "InternEvo", "^(from|import) +internlm\\b" },
  { "InternEvo", "^parallel *= *dict\\(" },
  { "TRL", "^(from|import) +trl\\b" },
  { "Hugging Face’s Trainer", "^from +transformers +import .*\\bTrainer\\b" },
};

static gboolean
has_line (const char *text, const char *expression)
{
  return g_regex_match_simple (expression, text, G_REGEX_MULTILINE, 0);
}

/* Whether a line begins with the key: at the margin, or in quotes as within the outer braces. */
static gboolean
has_key (const char *text, const char *key)
{
  g_autofree char *expression =
      g_strdup_printf ("^(%s|[ \t{]*\"%s\"|'%s')[ \t]*:([ \t\r\"'{\\[]|$)", key, key, key);

  return has_line (text, expression);
}

/**
 * shardwise_foreign_configuration:
 * @text: of a YAML or JSON
 *
 * Returns: (transfer none) (nullable): the framework whose configuration it is; %NULL: none of those
 * that are known and not read
 */
const char *
shardwise_foreign_configuration (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (configurations); i++)
    {
      gboolean fits = TRUE;

      for (guint j = 0; j < G_N_ELEMENTS (configurations[i].keys); j++)
        if (fits && configurations[i].keys[j] != NULL)
          fits = has_key (text, configurations[i].keys[j]);
      if (fits)
        return configurations[i].name;
    }
  return NULL;
}

/**
 * shardwise_foreign_command:
 * @text: a shell script
 *
 * Returns: (transfer none) (nullable): the framework that a line of it starts
 */
const char *
shardwise_foreign_command (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *expression = g_strdup_printf ("^[^#\n]*(%s)", commands[i].expression);

      if (has_line (text, expression))
        return commands[i].name;
    }
  return NULL;
}

/**
 * shardwise_foreign_script:
 * @text: a Python file
 *
 * Returns: (transfer none) (nullable): the framework that it is for
 */
const char *
shardwise_foreign_script (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    if (has_line (text, scripts[i].expression))
      return scripts[i].name;
  return NULL;
}
