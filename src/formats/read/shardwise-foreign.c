/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detects the tool of a file by typical marks: which reader reads it, or which unsupported tool it
 * belongs to, so that the error states the tool and not a missing key of another format. */
#include "shardwise-foreign.h"

/* Keys of a configuration, all of which stand at its outermost level. */
typedef struct {
  const char *name, *keys[4];
  ShardwiseImportKind kind; /* SCENARIO, which none of these is: not read */
} Keys;

/* An expression that a line fits: of a command, which a comment is not, or of a Python file. */
typedef struct {
  const char *name, *expression;
  ShardwiseImportKind kind;
} Line;

/* The first that fits counts: the more special ones come before those that they look like. */
static const Keys configurations[] = {
  { "Axolotl", { "base_model", "datasets" }, SHARDWISE_IMPORT_AXOLOTL },
  { "Axolotl", { "base_model", "sequence_len" }, SHARDWISE_IMPORT_AXOLOTL },
  { "Axolotl", { "base_model", "micro_batch_size" }, SHARDWISE_IMPORT_AXOLOTL },
  { "LLaMA-Factory", { "model_name_or_path", "finetuning_type" }, SHARDWISE_IMPORT_LLAMA_FACTORY },
  { "LLaMA-Factory", { "model_name_or_path", "stage" }, SHARDWISE_IMPORT_LLAMA_FACTORY },
  { "LLaMA-Factory", { "model_name_or_path", "template" }, SHARDWISE_IMPORT_LLAMA_FACTORY },
  { "LLaMA-Factory", { "model", "model_class" } },
  { "SkyPilot", { "resources", "run" }, SHARDWISE_IMPORT_SKYPILOT },
  { "SkyPilot", { "resources", "setup" }, SHARDWISE_IMPORT_SKYPILOT },
  { "TRL", { "model_name_or_path", "output_dir" }, SHARDWISE_IMPORT_TRAINER },
  { "TRL", { "model_name_or_path", "dataset_name" }, SHARDWISE_IMPORT_TRAINER },
  { "TRL", { "per_device_train_batch_size" }, SHARDWISE_IMPORT_TRAINER },
  { "torchtune", { "policy_model", "tokenizer" } },
  { "torchtune", { "teacher_model", "tokenizer" } },
  { "torchtune", { "teacher_checkpointer" } },
  { "torchtune", { "checkpointer", "tokenizer", "model" }, SHARDWISE_IMPORT_TORCHTUNE },
  { "llm-foundry", { "model", "train_loader" } },
  { "llm-foundry", { "models", "icl_tasks" } },
  { "llm-foundry", { "integrations", "command" } },
  { "verl", { "actor_rollout_ref" }, SHARDWISE_IMPORT_VERL },
  { "verl", { "actor", "rollout" }, SHARDWISE_IMPORT_VERL },
  { "verl", { "ulysses_sequence_parallel_size", "trainer" }, SHARDWISE_IMPORT_VERL },
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
  { "verl", "verl\\.(trainer|experimental)\\.", SHARDWISE_IMPORT_VERL },
  { "OpenRLHF", "openrlhf\\.cli\\.train|/openrlhf", SHARDWISE_IMPORT_OPENRLHF },
  { "LLaMA-Factory",
    "llamafactory-cli +train|llamafactory\\.launcher|src/train(_bash)?\\.py .*--stage",
    SHARDWISE_IMPORT_LLAMA_FACTORY },
  { "Axolotl", "axolotl\\.cli\\.|(^|[ \t;])axolotl +[a-z]", SHARDWISE_IMPORT_AXOLOTL },
  { "torchtune", "(^|[ \t;])tune +(run|download)", SHARDWISE_IMPORT_TORCHTUNE },
  { "llm-foundry", "(^|[ \t;])composer +|llmfoundry" },
  { "GPT-NeoX", "deepy\\.py" },
  { "MaxText", "MaxText[./]|maxtext[./]" },
  { "NeMo", "megatron_gpt_[a-z_]+\\.py|(^|[ \t;])nemo +(llm|run)" },
  { "NeMo RL", "examples/run_(grpo|sft|dpo)" },
  { "LitGPT", "(^|[ \t;])litgpt +[a-z]" },
  { "ms-swift", "(^|[ \t;])swift +(sft|pt|rlhf)" },
  { "ms-swift", "swift/cli/(sft|pt|rlhf)\\.py" },
  { "Primus", "primus" },
  { "TRL", "(^|[ \t;])trl +(sft|dpo|grpo|kto|reward|rloo)\\b", SHARDWISE_IMPORT_TRAINER },
  { "Hugging Face’s Trainer", "--per_device_train_batch_size", SHARDWISE_IMPORT_TRAINER },
};

static const Line scripts[] = {
  { "Unsloth", "^(from|import) +unsloth\\b", SHARDWISE_IMPORT_UNSLOTH },
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
  { "TRL", "^(from|import) +trl\\b", SHARDWISE_IMPORT_TRAINER },
  { "Hugging Face’s Trainer", "^from +transformers +import .*\\bTrainer\\b",
    SHARDWISE_IMPORT_TRAINER },
};

static gboolean
has_line (const char *text, const char *expression)
{
  return g_regex_match_simple (expression, text, G_REGEX_MULTILINE, 0);
}

static const char *
found (const char *name, ShardwiseImportKind own, ShardwiseImportKind *kind)
{
  *kind = own != SHARDWISE_IMPORT_SCENARIO ? own : SHARDWISE_IMPORT_UNKNOWN;
  return name;
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
 * @kind: (out): what reads it; %SHARDWISE_IMPORT_UNKNOWN: nothing does
 *
 * Returns: (transfer none) (nullable): the tool whose configuration it is; %NULL: none of those
 * that are known
 */
const char *
shardwise_foreign_configuration (const char *text, ShardwiseImportKind *kind)
{
  *kind = SHARDWISE_IMPORT_UNKNOWN;
  for (guint i = 0; i < G_N_ELEMENTS (configurations); i++)
    {
      gboolean fits = TRUE;

      for (guint j = 0; j < G_N_ELEMENTS (configurations[i].keys); j++)
        if (fits && configurations[i].keys[j] != NULL)
          fits = has_key (text, configurations[i].keys[j]);
      if (fits)
        return found (configurations[i].name, configurations[i].kind, kind);
    }
  return NULL;
}

/**
 * shardwise_foreign_command:
 * @text: a shell script
 * @kind: (out): as of shardwise_foreign_configuration()
 *
 * Returns: (transfer none) (nullable): the framework that a line of it starts
 */
const char *
shardwise_foreign_command (const char *text, ShardwiseImportKind *kind)
{
  *kind = SHARDWISE_IMPORT_UNKNOWN;
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *expression = g_strdup_printf ("^[^#\n]*(%s)", commands[i].expression);

      if (has_line (text, expression))
        return found (commands[i].name, commands[i].kind, kind);
    }
  return NULL;
}

/**
 * shardwise_foreign_script:
 * @text: a Python file
 * @kind: (out): as of shardwise_foreign_configuration()
 *
 * Returns: (transfer none) (nullable): the framework that it is for
 */
const char *
shardwise_foreign_script (const char *text, ShardwiseImportKind *kind)
{
  *kind = SHARDWISE_IMPORT_UNKNOWN;
  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    if (has_line (text, scripts[i].expression))
      return found (scripts[i].name, scripts[i].kind, kind);
  return NULL;
}
