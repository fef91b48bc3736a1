/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs of fine-tuning tools: Hugging Face's trainer and TRL, Axolotl, LLaMA-Factory, torchtune,
 * Unsloth, verl and OpenRLHF, as YAML, JSON, a Python script or a command. They have different
 * names for the same settings, so there is a table of names and one reader. */
#include "shardwise-import-tuning.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-catalogue.h"
#include "shardwise-export-tuning.h"
#include "shardwise-import-config.h"

typedef enum {
  MODEL,
  LENGTH,
  PROMPT, /* with RESPONSE, the length */
  RESPONSE,
  MICRO,
  ACCUMULATION,
  GLOBAL, /* sequences per step; for reinforcement learning prompts, times GROUP */
  GROUP,
  CHECKPOINTING,
  NO_CHECKPOINTING,
  ACTIVATIONS, /* whether they are offloaded */
  RANK,
  ALPHA,
  DORA,
  DROPOUT,
  TARGETS,
  ALL_LINEAR,
  FOUR_BITS,
  EIGHT_BITS,
  OPTIMIZER,
  HALF,
  DTYPE,
  FLOAT8,
  PURE,
  COMPILE,
  FUSED_LOSS,
  ATTENTION,
  CONTEXT,
  SHARD,
  REPLICATE,
  NODES,
  PER_NODE,
  DEEPSPEED,
  ZERO,
  HOST_OPTIMIZER,
  HOST_PARAMETERS,
  RESHARD,
  IN_BACKWARD,
  METHOD,
  TEACHER,
  PREFERENCE, /* a method that learns from pairs */
  REFERENCE,  /* the weight of the distance between the policy and its initial one */
  PACKING,    /* whether examples fill sequences, or have no padding */
  N_MEANINGS
} Meaning;

#define N_NAMES 7

/* Argument names of each tool; the first name that a file contains is used. Hugging Face's trainer
 * includes the names of the scripts around it, which have several for one argument. */
typedef const char *Names[N_MEANINGS][N_NAMES];

static const Names trainer_names = {
  [MODEL] = { "model_name_or_path", "model_name", "base_model", "model_id", "model" },
  [LENGTH] = { "max_length", "max_seq_length", "model_max_length", "max_seq_len", "block_size",
               "cutoff_len", "vllm_max_model_length" },
  [PROMPT] = { "max_prompt_length" },
  [RESPONSE] = { "max_completion_length" },
  [MICRO] = { "per_device_train_batch_size" },
  [ACCUMULATION] = { "gradient_accumulation_steps" },
  [GROUP] = { "num_generations" },
  [CHECKPOINTING] = { "use_gradient_checkpointing", "gradient_checkpointing" },
  [ACTIVATIONS] = { "activation_offloading" },
  [RANK] = { "lora_r", "r", "lora_rank" },
  [ALPHA] = { "lora_alpha" },
  [DROPOUT] = { "lora_dropout" },
  [DORA] = { "use_dora" },
  [TARGETS] = { "lora_target_modules", "target_modules" },
  [FOUR_BITS] = { "load_in_4bit" },
  [EIGHT_BITS] = { "load_in_8bit" },
  [OPTIMIZER] = { "optim" },
  [HALF] = { "fp16" },
  [DTYPE] = { "torch_dtype", "dtype" },
  [COMPILE] = { "torch_compile" },
  [FUSED_LOSS] = { "use_liger_kernel", "use_liger" },
  [ATTENTION] = { "attn_implementation" },
  [NODES] = { "nnodes", "num_machines" },
  [PER_NODE] = { "nproc_per_node" },
  [DEEPSPEED] = { "deepspeed" },
  [METHOD] = { "method" },
  [TEACHER] = { "teacher_model_name_or_path" },
  [PREFERENCE] = { "loss_type" },
  [REFERENCE] = { "beta" },
  [PACKING] = { "packing", "padding_free" },
};

static const Names axolotl_names = {
  [MODEL] = { "base_model" },
  [LENGTH] = { "sequence_len" },
  [MICRO] = { "micro_batch_size" },
  [ACCUMULATION] = { "gradient_accumulation_steps" },
  [CHECKPOINTING] = { "gradient_checkpointing", "fsdp_config.activation_checkpointing",
                      "fsdp_config.fsdp_activation_checkpointing" },
  [ACTIVATIONS] = { "activation_offloading" },
  [RANK] = { "lora_r" },
  [ALPHA] = { "lora_alpha" },
  [DROPOUT] = { "lora_dropout" },
  [DORA] = { "peft_use_dora" },
  [TARGETS] = { "lora_target_modules" },
  [ALL_LINEAR] = { "lora_target_linear" },
  [FOUR_BITS] = { "load_in_4bit" },
  [EIGHT_BITS] = { "load_in_8bit" },
  [OPTIMIZER] = { "optimizer" },
  [HALF] = { "fp16" },
  [FLOAT8] = { "fp8" },
  [COMPILE] = { "torch_compile" },
  [FUSED_LOSS] = { "liger_fused_linear_cross_entropy", "cut_cross_entropy" },
  [ATTENTION] = { "attn_implementation" },
  [CONTEXT] = { "context_parallel_size", "sequence_parallel_degree" },
  [SHARD] = { "dp_shard_size" },
  [REPLICATE] = { "dp_replicate_size" },
  [DEEPSPEED] = { "deepspeed" },
  [HOST_PARAMETERS] = { "fsdp_config.offload_params", "fsdp_config.fsdp_offload_params" },
  [RESHARD] = { "fsdp_config.reshard_after_forward", "fsdp_config.fsdp_reshard_after_forward" },
  [METHOD] = { "rl" },
  [RESPONSE] = { "trl.max_completion_length" },
  [GROUP] = { "trl.num_generations" },
  [REFERENCE] = { "trl.beta", "rl_beta" },
  [PACKING] = { "sample_packing" },
};

static const Names llama_factory_names = {
  [MODEL] = { "model_name_or_path" },
  [LENGTH] = { "cutoff_len" },
  [MICRO] = { "per_device_train_batch_size" },
  [ACCUMULATION] = { "gradient_accumulation_steps" },
  [NO_CHECKPOINTING] = { "disable_gradient_checkpointing" },
  [RANK] = { "lora_rank" },
  [ALPHA] = { "lora_alpha" },
  [DROPOUT] = { "lora_dropout" },
  [DORA] = { "use_dora" },
  [TARGETS] = { "lora_target" },
  [FOUR_BITS] = { "quantization_bit" },
  [OPTIMIZER] = { "optim" },
  [HALF] = { "fp16" },
  [FLOAT8] = { "fp8" },
  [PURE] = { "pure_bf16" },
  [COMPILE] = { "torch_compile" },
  [FUSED_LOSS] = { "enable_liger_kernel" },
  [ATTENTION] = { "flash_attn" },
  [DEEPSPEED] = { "deepspeed" },
  [METHOD] = { "stage" },
  [PREFERENCE] = { "pref_loss" },
  [PACKING] = { "neat_packing", "packing" },
};

static const Names torchtune_names = {
  [MODEL] = { "model._component_" },
  [LENGTH] = { "tokenizer.max_seq_len" },
  [MICRO] = { "batch_size" },
  [ACCUMULATION] = { "gradient_accumulation_steps" },
  [CHECKPOINTING] = { "enable_activation_checkpointing" },
  [ACTIVATIONS] = { "enable_activation_offloading" },
  [RANK] = { "model.lora_rank" },
  [ALPHA] = { "model.lora_alpha" },
  [DROPOUT] = { "model.lora_dropout" },
  [DORA] = { "model.use_dora" },
  [TARGETS] = { "model.lora_attn_modules" },
  [ALL_LINEAR] = { "model.apply_lora_to_mlp" },
  [FOUR_BITS] = { "model.quantize_base" },
  [OPTIMIZER] = { "optimizer._component_" },
  [COMPILE] = { "compile" },
  [CONTEXT] = { "context_parallel_dim" },
  [SHARD] = { "data_parallel_shard_dim" },
  [REPLICATE] = { "data_parallel_replicate_dim" },
  [HOST_PARAMETERS] = { "fsdp_cpu_offload" },
  [RESHARD] = { "fsdp_reshard_after_forward" },
  [IN_BACKWARD] = { "optimizer_in_bwd" },
  [METHOD] = { "loss._component_" },
  [TEACHER] = { "teacher_model._component_" },
  [PACKING] = { "dataset.packed" },
};

#define ACTOR "actor_rollout_ref.actor."

static const Names verl_names = {
  [MODEL] = { "actor_rollout_ref.model.path", "model.partial_pretrain", "model.path" },
  [LENGTH] = { "data.max_length" },
  [PROMPT] = { "data.max_prompt_length" },
  [RESPONSE] = { "data.max_response_length" },
  [MICRO] = { ACTOR "ppo_micro_batch_size_per_gpu", "data.micro_batch_size_per_gpu",
              "data.micro_batch_size" },
  [GLOBAL] = { ACTOR "ppo_mini_batch_size", "data.train_batch_size" },
  [GROUP] = { "actor_rollout_ref.rollout.n" },
  [CHECKPOINTING] = { "actor_rollout_ref.model.enable_gradient_checkpointing",
                      "model.enable_gradient_checkpointing" },
  [ACTIVATIONS] = { "actor_rollout_ref.model.enable_activation_offload" },
  [RANK] = { "actor_rollout_ref.model.lora_rank", "model.lora_rank" },
  [ALPHA] = { "actor_rollout_ref.model.lora_alpha", "model.lora_alpha" },
  [TARGETS] = { "actor_rollout_ref.model.target_modules", "model.target_modules" },
  [OPTIMIZER] = { ACTOR "optim.optimizer", "optim.optimizer" },
  [DTYPE] = { ACTOR "fsdp_config.model_dtype", "model.fsdp_config.model_dtype" },
  [FUSED_LOSS] = { "actor_rollout_ref.model.use_liger", "model.use_liger" },
  [CONTEXT] = { ACTOR "ulysses_sequence_parallel_size", "ulysses_sequence_parallel_size" },
  [SHARD] = { ACTOR "fsdp_config.fsdp_size" },
  [NODES] = { "trainer.nnodes" },
  [PER_NODE] = { "trainer.n_gpus_per_node" },
  [HOST_PARAMETERS] = { ACTOR "fsdp_config.offload_policy", "model.fsdp_config.offload_params" },
  [RESHARD] = { ACTOR "fsdp_config.reshard_after_forward" },
  [METHOD] = { "algorithm.adv_estimator", "method" },
  [PACKING] = { "use_remove_padding" },
  [REFERENCE] = { ACTOR "use_kl_loss", "algorithm.use_kl_in_reward" },
};

static const Names openrlhf_names = {
  [MODEL] = { "model.model_name_or_path", "actor.model_name_or_path", "pretrain" },
  [LENGTH] = { "data.max_len", "max_len" },
  [PROMPT] = { "prompt_max_len" },
  [RESPONSE] = { "rollout.max_new_tokens", "generate_max_len" },
  [MICRO] = { "train.micro_batch_size", "micro_train_batch_size" },
  [GLOBAL] = { "train.batch_size", "train_batch_size" },
  [GROUP] = { "rollout.n_samples_per_prompt", "n_samples_per_prompt" },
  [CHECKPOINTING] = { "model.gradient_checkpointing_enable", "actor.gradient_checkpointing_enable",
                      "gradient_checkpointing" },
  [RANK] = { "ds.lora.rank", "lora_rank" },
  [ALPHA] = { "ds.lora.alpha", "lora_alpha" },
  [DROPOUT] = { "ds.lora.dropout", "lora_dropout" },
  [TARGETS] = { "ds.lora.target_modules", "target_modules" },
  [FOUR_BITS] = { "ds.load_in_4bit", "load_in_4bit" },
  [OPTIMIZER] = { "optim", "actor.optim" },
  [DTYPE] = { "ds.param_dtype", "param_dtype" },
  [FUSED_LOSS] = { "ds.use_liger_kernel", "use_liger_kernel" },
  [ATTENTION] = { "ds.attn_implementation", "attn_implementation" },
  [CONTEXT] = { "ds.ring_attn_size", "ring_attn_size" },
  [NODES] = { "actor.num_nodes", "actor_num_nodes" },
  [PER_NODE] = { "actor.num_gpus_per_node", "actor_num_gpus_per_node" },
  [ZERO] = { "ds.zero_stage", "zero_stage" },
  [HOST_OPTIMIZER] = { "ds.adam_offload", "adam_offload" },
  [METHOD] = { "algo.advantage.estimator", "advantage_estimator", "method" },
  [REFERENCE] = { "algo.kl.init_coef", "init_kl_coef" },
  [PACKING] = { "ds.packing_samples", "packing_samples" },
};

/* Fixed properties of a tool. */
typedef struct {
  ShardwiseImportKind kind;
  const Names *names;
  const char *profile;         /* profile of the tool */
  gboolean checkpoints;        /* default */
  guint length, micro, global; /* defaults; 0: unknown */
} Tool;

static const Tool tools[] = {
  { SHARDWISE_IMPORT_TRAINER, &trainer_names, "hf-trainer", FALSE, 0, 8, 0 },
  { SHARDWISE_IMPORT_AXOLOTL, &axolotl_names, "hf-trainer", FALSE, 512, 1, 0 },
  { SHARDWISE_IMPORT_LLAMA_FACTORY, &llama_factory_names, "hf-trainer", TRUE, 2048, 8, 0 },
  { SHARDWISE_IMPORT_TORCHTUNE, &torchtune_names, "torchtune", FALSE, 0, 0, 0 },
  { SHARDWISE_IMPORT_UNSLOTH, &trainer_names, "unsloth", TRUE, 2048, 8, 0 },
  { SHARDWISE_IMPORT_VERL, &verl_names, "verl", TRUE, 1024, 0, 256 },
  { SHARDWISE_IMPORT_OPENRLHF, &openrlhf_names, "openrlhf", FALSE, 2048, 0, 128 },
};

/* ---- values ---- */

typedef struct {
  ShardwiseImportJob *job;
  const Tool *tool;
  gboolean adapters, rl, plain, launched;
  guint world, cp, dp, together; /* sequences per example: two for a pair of answers */
} Reading;

/* The value of a setting and its name; "${name}" of OmegaConf is replaced by its value. */
static const ShardwiseNode *
value_at (const Reading *self, Meaning meaning, const char **key)
{
  for (guint i = 0; i < N_NAMES && (*self->tool->names)[meaning][i] != NULL; i++)
    {
      const char *name = (*self->tool->names)[meaning][i];
      const ShardwiseNode *node = shardwise_node_find (self->job->root, name);

      for (guint depth = 0; depth < 3 && node != NULL && node->type == SHARDWISE_NODE_STRING
                            && g_str_has_prefix (node->text, "${");
           depth++)
        {
          g_autofree char *path = g_strndup (node->text + 2, strcspn (node->text + 2, "}"));

          node = shardwise_node_find (self->job->root, path);
        }
      if (node == NULL || node->type == SHARDWISE_NODE_NULL
          || (node->type == SHARDWISE_NODE_STRING
              && (*node->text == '\0' || g_ascii_strcasecmp (node->text, "null") == 0
                  || g_ascii_strcasecmp (node->text, "none") == 0)))
        continue;
      if (key != NULL)
        *key = name;
      return node;
    }
  return NULL;
}

/* A word from it, or "" if it is absent or comes from outside. */
static const char *
word_at (const Reading *self, Meaning meaning)
{
  const ShardwiseNode *node = value_at (self, meaning, NULL);

  return node != NULL && node->text != NULL && strchr (node->text, SHARDWISE_NODE_UNKNOWN) == NULL
             ? node->text
             : "";
}

/* A boolean in YAML, Python, Hydra or as a flag of a command. */
static gboolean
is_true (const Reading *self, Meaning meaning, gboolean otherwise)
{
  const ShardwiseNode *node = value_at (self, meaning, NULL);

  if (node == NULL)
    return otherwise;
  if (node->type == SHARDWISE_NODE_STRING)
    return g_ascii_strcasecmp (node->text, "false") != 0
           && g_ascii_strcasecmp (node->text, "no") != 0;
  return node->type == SHARDWISE_NODE_MAP || node->number != 0;
}

static guint
count_at (const Reading *self, Meaning meaning, ShardwiseKeyId id, guint otherwise)
{
  const char *key = NULL;
  const ShardwiseNode *node = value_at (self, meaning, &key);

  /* -1: all available; "auto": determined at run time. */
  if (node == NULL || (shardwise_node_is_number (node) && node->number <= 0)
      || node->type == SHARDWISE_NODE_BOOLEAN || shardwise_node_is_text (node, "auto"))
    return otherwise;
  shardwise_import_count_of (self->job, node, key, id, &otherwise);
  return otherwise;
}

static gboolean
contains (const char *text, const char *part)
{
  g_autofree char *lower = g_ascii_strdown (text, -1);

  return strstr (lower, part) != NULL;
}

/* ---- the parts of a job ---- */

static void
read_model (Reading *self)
{
  const ShardwiseNode *node = value_at (self, MODEL, NULL);
  const char *id;

  if (node == NULL || node->type != SHARDWISE_NODE_STRING)
    return;
  id = self->tool->kind == SHARDWISE_IMPORT_TORCHTUNE ? shardwise_torchtune_model (node->text)
                                                      : NULL;
  if (id != NULL)
    shardwise_import_put_word (self->job, SHARDWISE_KEY_MODEL_PRESET, id);
  else if (!shardwise_import_put_model_named (self->job, node->text)
           && strchr (node->text, SHARDWISE_NODE_UNKNOWN) == NULL)
    shardwise_import_warn (
        self->job, /* Translators: the name of a model */
        _ ("“%.80s” is not a model of the catalog: choose the model that has its dimensions."),
        node->text);
}

/* The size of the teacher; if unknown, that of the student. */
static void
read_teacher (Reading *self)
{
  const char *name = word_at (self, TEACHER), *id = self->tool->kind == SHARDWISE_IMPORT_TORCHTUNE
                                                        ? shardwise_torchtune_model (name)
                                                        : NULL;
  const SwModelSpec *teacher = id != NULL
                                   ? shardwise_catalogue_find_model (shardwise_catalogue_get (), id)
                                   : shardwise_import_model_named (name);
  g_autoptr (GVariant) size = NULL;
  SwParameterCount count;

  if (teacher == NULL)
    {
      shardwise_import_warn (self->job, /* Translators: the name of a model */
                             _ ("The teacher “%.80s” is not a model of the catalog: set its size."),
                             name);
      return;
    }
  sw_model_count (teacher, &count);
  size = g_variant_ref_sink (g_variant_new_double (round (count.total / 1e6) / 1e3));
  shardwise_import_put (self->job, SHARDWISE_KEY_TRAINING_DISTILL_TEACHER_PARAMETERS_B, size);
}

/* The preferences, rewards and policies, and the trained parameters. */
static void
read_type (Reading *self)
{
  static const struct {
    const char *word, *type, *algorithm; /* a part of the tools' words */
  } methods[] = {
    { "grpo", "rlhf", "grpo" },   { "gae", "rlhf", "ppo" },  { "group_norm", "rlhf", "grpo" },
    { "rloo", "rlhf", "rloo" },   { "ppo", "rlhf", "ppo" },  { "reinforce", "rlhf", "grpo" },
    { "dpo", "dpo", "dpo" },      { "orpo", "dpo", "orpo" }, { "simpo", "dpo", "simpo" },
    { "kto", "dpo", "kto" },      { "ipo", "dpo", "ipo" },   { "cpo", "dpo", "simpo" },
    { "reward", "reward", NULL }, { "rm", "reward", NULL },  { "gkd", "distill", NULL },
  };
  static const char *const preferences[] = { "ipo", "simpo", "orpo" };
  ShardwiseImportJob *job = self->job;
  const ShardwiseNode *scores = shardwise_node_find (job->root, "reward_model"),
                      *losses = value_at (self, PREFERENCE, NULL);
  const char *method = scores != NULL && scores->type == SHARDWISE_NODE_BOOLEAN
                               && scores->number != 0
                           ? "reward"
                       : value_at (self, TEACHER, NULL) != NULL ? "gkd"
                                                                : word_at (self, METHOD),
             *algorithm,
             *adapter = self->tool->kind == SHARDWISE_IMPORT_AXOLOTL ? "adapter"
                                                                     : "finetuning_type";
  const ShardwiseNode *kind = shardwise_node_find (job->root, adapter),
                      *rank = value_at (self, RANK, NULL);
  const guint bits = self->tool->kind == SHARDWISE_IMPORT_LLAMA_FACTORY
                         ? count_at (self, FOUR_BITS, SHARDWISE_KEY_TRAINING_LORA_RANK, 0)
                         : 0;
  const gboolean four = bits > 0 ? bits == 4
                                 : is_true (self, FOUR_BITS, FALSE)
                                       || contains (word_at (self, MODEL), "qlora_"),
                 eight = bits == 8 || is_true (self, EIGHT_BITS, FALSE);
  const ShardwiseNode *uses = shardwise_node_find (job->root, "use_peft");
  const char *type = "finetune";

  if (kind != NULL && kind->text != NULL)
    self->adapters = contains (kind->text, "lora");
  else if (uses != NULL && uses->type == SHARDWISE_NODE_BOOLEAN)
    self->adapters = uses->number != 0;
  else
    self->adapters = rank != NULL && !(shardwise_node_is_number (rank) && rank->number == 0);
  if (self->tool->kind == SHARDWISE_IMPORT_TORCHTUNE)
    self->adapters = contains (word_at (self, MODEL), "lora_");
  if (self->adapters)
    type = four ? "qlora" : "lora";
  if (self->adapters && eight)
    shardwise_import_warn (
        job, _ ("An 8-bit base model is not modeled: it is read as a 16-bit base model."));
  for (guint i = 0; i < G_N_ELEMENTS (methods) && *method != '\0'; i++)
    {
      if (!contains (method, methods[i].word))
        continue;
      if (g_str_equal (methods[i].type, "rlhf"))
        self->rl = TRUE;
      if (self->adapters)
        shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_ADAPTERS, type);
      type = methods[i].type;
      algorithm = methods[i].algorithm;
      if (losses != NULL && losses->type == SHARDWISE_NODE_LIST && losses->items->len > 0)
        losses = losses->items->pdata[0];
      for (guint j = 0; j < G_N_ELEMENTS (preferences) && g_strcmp0 (algorithm, "dpo") == 0; j++)
        if (shardwise_node_is_text (losses, preferences[j])
            || (j == 0 && shardwise_node_find (job->root, "model.ipo_enable") != NULL))
          algorithm = preferences[j];
      if (algorithm != NULL)
        shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM, algorithm);
      self->together =
          self->rl || g_strcmp0 (algorithm, "kto") == 0 || g_str_equal (type, "distill") ? 1 : 2;
      if (g_str_equal (type, "distill"))
        read_teacher (self);
      break;
    }
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_TYPE, type);
}

/* The modules with a name that most models have; 0: other. */
static guint
module_of (const char *name)
{
  for (guint i = 0; sw_lora_module_names[i] != NULL; i++)
    {
      g_autofree char *own = g_strconcat (sw_lora_module_names[i], "_proj", NULL);

      if (g_str_equal (name, own) || (i == 3 && g_str_equal (name, "output_proj")))
        return 1u << i;
    }
  return 0;
}

/* Lists adapters one by one, unless they are those of attention or all. */
static gboolean
put_modules (Reading *self, guint modules)
{
  const char *names[8] = { NULL };
  guint n = 0;

  if (modules == 0 || modules == SW_LORA_ATTENTION || modules == (SW_LORA_ATTENTION | SW_LORA_MLP))
    return FALSE;
  for (guint i = 0; sw_lora_module_names[i] != NULL; i++)
    if ((modules & 1u << i) != 0)
      names[n++] = sw_lora_module_names[i];
  shardwise_import_put (self->job, SHARDWISE_KEY_TRAINING_LORA_MODULES,
                        g_variant_new_strv (names, n));
  return TRUE;
}

static void
read_adapters (Reading *self)
{
  static const char *const linear[] = { "gate_proj",    "up_proj", "down_proj",
                                        "gate_up_proj", "fc1",     "dense_h_to_4h",
                                        "w1",           "c_fc",    NULL };
  const ShardwiseNode *targets = value_at (self, TARGETS, NULL),
                      *dropout = value_at (self, DROPOUT, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  gboolean all = is_true (self, ALL_LINEAR, FALSE), some = FALSE, known = TRUE;
  guint modules = all && self->tool->kind == SHARDWISE_IMPORT_TORCHTUNE ? SW_LORA_MLP : 0;

  if (!self->adapters)
    return;
  if (value_at (self, ALPHA, NULL) != NULL)
    shardwise_import_put_int (self->job, SHARDWISE_KEY_TRAINING_LORA_ALPHA,
                              count_at (self, ALPHA, SHARDWISE_KEY_TRAINING_LORA_ALPHA, 1));
  if (shardwise_node_is_number (dropout) && dropout->number > 0 && dropout->number < 1)
    shardwise_import_put (self->job, SHARDWISE_KEY_TRAINING_LORA_DROPOUT,
                          g_variant_new_double (MIN (dropout->number, 0.99)));
  if (is_true (self, DORA, FALSE))
    shardwise_import_put_bool (self->job, SHARDWISE_KEY_TRAINING_LORA_DORA, TRUE);
  if (value_at (self, RANK, NULL) != NULL)
    shardwise_import_put_int (self->job, SHARDWISE_KEY_TRAINING_LORA_RANK,
                              count_at (self, RANK, SHARDWISE_KEY_TRAINING_LORA_RANK, 16));
  if (targets != NULL && targets->type == SHARDWISE_NODE_LIST)
    for (guint i = 0; i < targets->items->len; i++)
      g_ptr_array_add (names, g_strdup (((const ShardwiseNode *) targets->items->pdata[i])->text));
  else if (targets != NULL && targets->text != NULL)
    {
      g_auto (GStrv) words = g_strsplit_set (targets->text, "[]',\" ", -1);

      for (guint i = 0; words[i] != NULL; i++)
        if (*words[i] != '\0')
          g_ptr_array_add (names, g_strdup (words[i]));
    }
  else if (self->tool->kind == SHARDWISE_IMPORT_LLAMA_FACTORY
           || self->tool->kind == SHARDWISE_IMPORT_VERL
           || self->tool->kind == SHARDWISE_IMPORT_OPENRLHF
           || self->tool->kind == SHARDWISE_IMPORT_UNSLOTH)
    all = TRUE; /* the default */
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i] != NULL ? names->pdata[i] : "";

      modules |= module_of (name);
      known = known && module_of (name) != 0;
      all = all || g_strv_contains (linear, name) || g_str_has_prefix (name, "all");
      some = some || g_str_has_suffix (name, "proj");
    }
  if (known && names->len > 0 && put_modules (self, modules))
    return;
  shardwise_import_put_word (self->job, SHARDWISE_KEY_TRAINING_LORA_TARGETS,
                             all || !some ? "all-linear" : "attention");
}

static void
read_optimizer (Reading *self)
{
  static const struct {
    const char *part, *word;
  } names[] = {
    { "paged", "paged-adamw-8bit" },
    { "8bit", "adam8bit" },
    { "adafactor", "adafactor" },
    { "lion", "lion" },
    { "muon", "muon" },
    { "sgd", "sgd" },
    { "adam", "adamw" },
  };
  const char *word = word_at (self, OPTIMIZER);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (contains (word, names[i].part))
      {
        /* Paged states of 32 bits have no separate name. */
        const gboolean wide = i == 0 && !contains (word, "8bit");

        shardwise_import_put_word (self->job, SHARDWISE_KEY_TRAINING_OPTIMIZER,
                                   wide ? "adamw" : names[i].word);
        return;
      }
  if (*word != '\0')
    shardwise_import_warn (self->job, /* Translators: the name of an optimizer */
                           _ ("The optimizer “%.40s” is not modeled: Shardwise uses AdamW."), word);
  shardwise_import_put_word (self->job, SHARDWISE_KEY_TRAINING_OPTIMIZER, "adamw");
}

static void
read_software (Reading *self)
{
  const char *attention = word_at (self, ATTENTION);

  if (is_true (self, COMPILE, FALSE))
    shardwise_import_put_bool (self->job, SHARDWISE_KEY_TRAINING_SOFTWARE_COMPILE, TRUE);
  if (is_true (self, FUSED_LOSS, FALSE))
    shardwise_import_put_bool (self->job, SHARDWISE_KEY_TRAINING_SOFTWARE_FUSED_CROSS_ENTROPY,
                               TRUE);
  if (contains (attention, "eager") || g_str_equal (attention, "disabled"))
    shardwise_import_put_word (self->job, SHARDWISE_KEY_TRAINING_ATTENTION, "unfused");
  else if (contains (attention, "flash_attention_3") || g_str_equal (attention, "fa3"))
    shardwise_import_put (self->job, SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION,
                          g_variant_new_int64 (3));
}

/* ---- what it runs on ---- */

/* The command in the comments of a configuration: "tune run --nproc_per_node 8 …". */
static guint
number_in (const char *text, const char *option, guint otherwise)
{
  g_autofree char *expression = g_strdup_printf ("%s[ =]+([0-9]{1,5})\\b", option), *digits = NULL;
  g_autoptr (GRegex) regex = g_regex_new (expression, 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  if (!g_regex_match (regex, text, 0, &match))
    return otherwise;
  digits = g_match_info_fetch (match, 1);
  return MAX ((guint) g_ascii_strtoull (digits, NULL, 10), 1);
}

/* The GPUs of a job that does not state them: those in its comments or in the current scenario, a
 * node of 8 if something is sharded, otherwise one. */
static guint
usual_world (const Reading *self)
{
  static const char *const shards[] = { "fsdp", "fsdp_config", "deepspeed" };
  const char *text = self->job->text;
  const guint per_node = number_in (text, "--nproc[_-]per[_-]node", 0);

  if (per_node > 0)
    return (guint) MIN (shardwise_import_product (per_node, number_in (text, "--nnodes", 1), 1, 1),
                        131072);
  if (strstr (text, "_single_device") != NULL)
    return 1;
  if (self->job->base != NULL)
    return (guint) shardwise_scenario_get_number (self->job->base, SHARDWISE_KEY_CLUSTER_GPUS, 1);
  for (guint i = 0; i < G_N_ELEMENTS (shards); i++)
    {
      const ShardwiseNode *node = shardwise_node_find (self->job->root, shards[i]);

      if (node != NULL && node->type != SHARDWISE_NODE_NULL)
        return 8;
    }
  return self->tool->kind == SHARDWISE_IMPORT_TORCHTUNE || self->tool->kind == SHARDWISE_IMPORT_VERL
                 || self->tool->kind == SHARDWISE_IMPORT_OPENRLHF
             ? 8
             : 1;
}

static void
read_world (Reading *self)
{
  ShardwiseScenario *scenario = self->job->out->scenario;
  const guint nodes = count_at (self, NODES, SHARDWISE_KEY_CLUSTER_GPUS, 1),
              per_node = count_at (self, PER_NODE, SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE, 0),
              shard = count_at (self, SHARD, SHARDWISE_KEY_STRATEGY_DP, 0),
              replicas = count_at (self, REPLICATE, SHARDWISE_KEY_STRATEGY_DP, 1);

  self->cp = count_at (self, CONTEXT, SHARDWISE_KEY_STRATEGY_CP, 1);
  if (per_node > 0)
    {
      self->world = (guint) MIN (shardwise_import_product (nodes, per_node, 1, 1), 131072);
      shardwise_import_put_world (self->job, self->world, per_node);
    }
  else if (self->tool->kind == SHARDWISE_IMPORT_UNSLOTH)
    self->world = 1;
  else if (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS))
    self->world = (guint) shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 1);
  else if (shard > 0 && self->tool->kind != SHARDWISE_IMPORT_VERL)
    self->world = (guint) MIN (shardwise_import_product (shard, replicas, self->cp, 1), 131072);
  if (self->world == 0)
    {
      self->world = usual_world (self);
      self->launched = FALSE;
      shardwise_import_put_int (self->job, SHARDWISE_KEY_CLUSTER_GPUS, self->world);
      shardwise_import_assume (self->job, SHARDWISE_KEY_CLUSTER_GPUS,
                               ngettext ("The file does not set the number of GPUs: Shardwise uses "
                                         "%u until you set yours, and the global batch follows.",
                                         "The file does not set the number of GPUs: Shardwise uses "
                                         "%u until you set yours, and the global batch follows.",
                                         self->world),
                               self->world);
    }
  else
    shardwise_import_put_int (self->job, SHARDWISE_KEY_CLUSTER_GPUS, self->world);
  if (self->cp > 1 && self->tool->kind == SHARDWISE_IMPORT_OPENRLHF)
    shardwise_import_warn (
        self->job,
        _ ("OpenRLHF’s ring attention is not modeled: the prediction assumes whole sequences."));
  if (self->world % self->cp != 0 || self->tool->kind == SHARDWISE_IMPORT_OPENRLHF)
    self->cp = 1;
  self->dp = self->world / self->cp;
}

/* The stage in the file name of a DeepSpeed JSON, such as "ds_z3_offload_config.json"; -1: none. */
static int
stage_of_name (const char *name)
{
  g_autoptr (GRegex) regex = g_regex_new ("(?:z|zero|stage|ds)[_-]?(?:stage)?[_-]?([0-3])(?![0-9])",
                                          G_REGEX_CASELESS, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *base = g_path_get_basename (name), *digit = NULL;

  if (!g_regex_match (regex, base, 0, &match))
    return -1;
  digit = g_match_info_fetch (match, 1);
  return digit[0] - '0';
}

/* DeepSpeed's configuration if its file is missing: within the file, or from its name. */
static gboolean
read_deepspeed (Reading *self, int *stage, SwOffload *offload)
{
  const ShardwiseNode *node = value_at (self, DEEPSPEED, NULL), *found;

  *stage = (int) count_at (self, ZERO, SHARDWISE_KEY_STRATEGY_ZERO_STAGE,
                           self->tool->kind == SHARDWISE_IMPORT_OPENRLHF ? 2 : 0);
  if (value_at (self, ZERO, NULL) != NULL
      || self->tool->kind == SHARDWISE_IMPORT_OPENRLHF) /* its only engine */
    {
      found = value_at (self, ZERO, NULL);
      if (shardwise_node_is_number (found) && found->number == 0)
        *stage = 0;
      *offload = is_true (self, HOST_OPTIMIZER, FALSE) ? SW_OFFLOAD_OPTIMIZER : SW_OFFLOAD_NONE;
      return TRUE;
    }
  if (node == NULL)
    return FALSE;
  if (node->type == SHARDWISE_NODE_MAP)
    {
      found = shardwise_node_find (node, "zero_optimization.stage");
      *stage = shardwise_node_is_number (found) ? (int) CLAMP (found->number, 0, 3) : 0;
      *offload = shardwise_node_find (node, "zero_optimization.offload_param.device") != NULL
                     ? SW_OFFLOAD_OPTIMIZER_PARAMS
                 : shardwise_node_find (node, "zero_optimization.offload_optimizer.device") != NULL
                     ? SW_OFFLOAD_OPTIMIZER
                     : SW_OFFLOAD_NONE;
      return TRUE;
    }
  if (node->type != SHARDWISE_NODE_STRING)
    return FALSE;
  *stage = stage_of_name (node->text);
  *offload = contains (node->text, "offload") || contains (node->text, "cpu")
                 ? *stage == 3 ? SW_OFFLOAD_OPTIMIZER_PARAMS : SW_OFFLOAD_OPTIMIZER
                 : SW_OFFLOAD_NONE;
  shardwise_import_warn (self->job, /* Translators: the name of a file */
                         *stage >= 0
                             ? _ ("“%.80s” is not opened: ZeRO stage and offload are derived from "
                                  "its name. Open both files together to read them.")
                             : _ ("“%.80s” is not opened: ZeRO, offload and batch are searched. "
                                  "Open both files together to read them."),
                         node->text);
  return TRUE;
}

/* FSDP's sharding in the form of Hugging Face's trainer: a text or a list of words; version 1 by
 * default. */
static gboolean
read_fsdp (Reading *self, guint *version, int *stage, gboolean *is_hybrid, SwOffload *offload)
{
  ShardwiseImportJob *job = self->job;
  const ShardwiseNode *fsdp = shardwise_node_find (job->root, "fsdp"),
                      *config = shardwise_node_find (job->root, "fsdp_config"),
                      *number = shardwise_node_find (job->root, "fsdp_version"),
                      *sharding = shardwise_node_find (config, "fsdp_sharding_strategy");
  g_autoptr (GString) words = g_string_new (NULL);
  static const char *const versions[] = { "fsdp_version", "version" };

  if (self->tool->kind == SHARDWISE_IMPORT_TORCHTUNE || self->tool->kind == SHARDWISE_IMPORT_VERL)
    {
      const ShardwiseNode *strategy = shardwise_node_find (job->root, ACTOR "strategy");

      if (strategy == NULL)
        strategy = shardwise_node_find (job->root, "model.strategy");
      *version = shardwise_node_is_text (strategy, "fsdp") ? 1 : 2;
      if (strategy == NULL && shardwise_node_find (job->root, ACTOR "optim.lr") != NULL)
        *version = 1; /* verl's default */
      *stage = is_true (self, RESHARD, TRUE) ? 3 : 2;
      *offload = is_true (self, HOST_PARAMETERS, FALSE) ? SW_OFFLOAD_OPTIMIZER_PARAMS
                                                        : SW_OFFLOAD_NONE;
      return TRUE;
    }
  if (fsdp != NULL && fsdp->type == SHARDWISE_NODE_LIST)
    for (guint i = 0; i < fsdp->items->len; i++)
      if (((const ShardwiseNode *) fsdp->items->pdata[i])->text != NULL)
        g_string_append_printf (words, "%s ",
                                ((const ShardwiseNode *) fsdp->items->pdata[i])->text);
  if (fsdp != NULL && fsdp->text != NULL)
    g_string_append (words, fsdp->text);
  if (sharding != NULL && sharding->text != NULL)
    g_string_append (words, sharding->text);
  if (words->len == 0 && (config == NULL || config->type != SHARDWISE_NODE_MAP))
    return FALSE;
  g_string_ascii_down (words);
  for (guint i = 0; i < G_N_ELEMENTS (versions) && number == NULL; i++)
    number = shardwise_node_find (config, versions[i]);
  *version = shardwise_node_is_number (number) && number->number == 2 ? 2 : 1;
  *stage = strstr (words->str, "shard_grad_op") != NULL || strstr (words->str, "zero2") != NULL ? 2
           : strstr (words->str, "no_shard") != NULL                                            ? 0
                                                                                                : 3;
  if (*version == 2)
    *stage = is_true (self, RESHARD, TRUE) ? 3 : 2;
  *is_hybrid = strstr (words->str, "hybrid") != NULL;
  *offload = is_true (self, HOST_PARAMETERS, FALSE) || strstr (words->str, "offload") != NULL
                 ? SW_OFFLOAD_OPTIMIZER_PARAMS
                 : SW_OFFLOAD_NONE;
  return TRUE;
}

/* verl's Megatron engine. */
static void
read_megatron (Reading *self)
{
  static const struct {
    const char *key;
    ShardwiseKeyId id;
  } degrees[] = {
    { ACTOR "megatron.tensor_model_parallel_size", SHARDWISE_KEY_STRATEGY_TP },
    { ACTOR "megatron.pipeline_model_parallel_size", SHARDWISE_KEY_STRATEGY_PP },
    { ACTOR "megatron.context_parallel_size", SHARDWISE_KEY_STRATEGY_CP },
    { ACTOR "megatron.expert_model_parallel_size", SHARDWISE_KEY_STRATEGY_EP },
  };
  guint model = 1;

  shardwise_import_put_word (self->job, SHARDWISE_KEY_TRAINING_FRAMEWORK, "megatron-core");
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      const guint value = shardwise_import_degree (self->job, degrees[i].key, degrees[i].id);

      shardwise_import_put_int (self->job, degrees[i].id, value);
      if (degrees[i].id != SHARDWISE_KEY_STRATEGY_EP)
        model *= MIN (value, 1024);
    }
  self->dp = self->world % model == 0 ? self->world / model : 1;
  shardwise_import_put_int (self->job, SHARDWISE_KEY_STRATEGY_DP, self->dp);
  shardwise_import_put_int (self->job, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, 1);
}

static void
read_sharding (Reading *self)
{
  ShardwiseImportJob *job = self->job;
  ShardwiseScenario *scenario = job->out->scenario;
  const ShardwiseNode *engine = shardwise_node_find (job->root, ACTOR "strategy");
  const guint shard = count_at (self, SHARD, SHARDWISE_KEY_STRATEGY_DP, 0);
  const gboolean is_own = !g_str_equal (self->tool->profile, "hf-trainer"),
                 has_profile = is_own || self->cp == 1;
  g_autofree char *driven = shardwise_scenario_get_string (scenario,
                                                           SHARDWISE_KEY_TRAINING_FRAMEWORK);
  gboolean is_hybrid = FALSE, is_known, by_deepspeed = FALSE;
  SwOffload offload = SW_OFFLOAD_NONE;
  guint version = 2;
  int stage = 0;

  if (shardwise_node_is_text (engine, "megatron")
      || shardwise_node_find (job->root, ACTOR "megatron.tensor_model_parallel_size") != NULL
      || shardwise_node_find (job->root, ACTOR "megatron.pipeline_model_parallel_size") != NULL)
    {
      read_megatron (self);
      return;
    }
  /* Another file of the job, Accelerate's or DeepSpeed's, states it. */
  is_known = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_STRATEGY_ZERO_STAGE);
  if (!is_known)
    {
      if (read_deepspeed (self, &stage, &offload))
        by_deepspeed = TRUE;
      else if (!read_fsdp (self, &version, &stage, &is_hybrid, &offload))
        stage = 0;
      if (self->world == 1 && offload == SW_OFFLOAD_NONE)
        stage = 0;
      shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_FRAMEWORK,
                                 /* The trainer's own profile is that of FSDP. */
                                 has_profile && (is_own || !by_deepspeed)   ? self->tool->profile
                                 : by_deepspeed && (stage != 0 || self->rl) ? "deepspeed"
                                 : version == 1 && stage != 0               ? "fsdp"
                                 : by_deepspeed                             ? "deepspeed"
                                                                            : "fsdp2");
      shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_CP, self->cp);
      shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_DP, self->dp);
      if (self->cp > 1)
        shardwise_import_put_word (
            job, SHARDWISE_KEY_STRATEGY_CP_METHOD,
            self->tool->kind == SHARDWISE_IMPORT_VERL ? "ulysses"
            : shardwise_node_is_text (
                  shardwise_node_find (job->root, "context_parallel_rotate_method"), "allgather")
                ? "allgather"
                : "ring");
      if (stage >= 0)
        shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, stage);
      if (stage > 0 && shard > 0 && shard < self->dp)
        shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_SHARD_GROUP, shard);
      else if (is_hybrid)
        shardwise_import_put_int (
            job, SHARDWISE_KEY_STRATEGY_SHARD_GROUP,
            (gint64) CLAMP (
                shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE, 8), 1,
                self->dp));
    }
  else
    {
      stage = (int) shardwise_scenario_get_number (scenario, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, 0);
      if (has_profile && (is_own || g_strcmp0 (driven, "deepspeed") != 0))
        shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_FRAMEWORK, self->tool->profile);
      if (!shardwise_scenario_is_set (scenario, SHARDWISE_KEY_STRATEGY_DP))
        shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_DP, self->dp);
      self->dp = (guint) shardwise_scenario_get_number (scenario, SHARDWISE_KEY_STRATEGY_DP,
                                                        self->dp);
    }
  self->plain = stage == 0;
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_TP, 1);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_PP, 1);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_EP, 1);
  if (is_true (self, ACTIVATIONS, FALSE))
    offload = SW_OFFLOAD_ACTIVATIONS;
  if (!is_known || offload != SW_OFFLOAD_NONE
      || !shardwise_scenario_is_set (scenario, SHARDWISE_KEY_STRATEGY_OFFLOAD))
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_OFFLOAD, sw_offload_names[offload]);
}

/* ---- numbers of a step ---- */

static void
read_recompute (Reading *self)
{
  ShardwiseScenario *scenario = self->job->out->scenario;
  const char *const checkpointing = word_at (self, CHECKPOINTING);
  g_autofree char *wrapped = shardwise_scenario_get_string (scenario,
                                                            SHARDWISE_KEY_STRATEGY_RECOMPUTE);
  gboolean full = is_true (self, CHECKPOINTING, self->tool->checkpoints),
           wraps = g_strcmp0 (wrapped, "full") == 0;

  for (guint i = 1; i < N_NAMES && (*self->tool->names)[CHECKPOINTING][i] != NULL; i++)
    if (self->tool->kind == SHARDWISE_IMPORT_AXOLOTL) /* one of several switches */
      {
        const ShardwiseNode *node = shardwise_node_find (self->job->root,
                                                         (*self->tool->names)[CHECKPOINTING][i]);

        wraps = wraps
                || (node != NULL && node->type == SHARDWISE_NODE_BOOLEAN && node->number != 0);
      }
  if (value_at (self, NO_CHECKPOINTING, NULL) != NULL)
    full = !is_true (self, NO_CHECKPOINTING, FALSE);
  full = full || wraps;
  shardwise_import_put_word (self->job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, full ? "full" : "none");
  /* Axolotl's "offload", and Unsloth's own offload, which is its default. */
  if (contains (checkpointing, "offload") || contains (checkpointing, "unsloth")
      || (self->tool->kind == SHARDWISE_IMPORT_UNSLOTH
          && value_at (self, CHECKPOINTING, NULL) == NULL))
    shardwise_import_put_word (self->job, SHARDWISE_KEY_STRATEGY_OFFLOAD, "activations");
}

static void
read_batch (Reading *self)
{
  ShardwiseImportJob *job = self->job;
  const guint answers = self->rl ? count_at (self, GROUP, SHARDWISE_KEY_TRAINING_RLHF_GROUP_SIZE,
                                             (*self->tool->names)[ACCUMULATION][0] != NULL ? 8 : 1)
                                 : 1,
              group = self->tool->kind == SHARDWISE_IMPORT_VERL ? answers : MAX (self->together, 1),
              usual = self->rl && self->tool->kind == SHARDWISE_IMPORT_VERL ? 512 : 0,
              response = count_at (self, RESPONSE, SHARDWISE_KEY_TRAINING_RLHF_RESPONSE_LENGTH,
                                   usual),
              prompt = count_at (self, PROMPT, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, usual),
              micro = MIN (count_at (self, MICRO, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE,
                                     self->tool->micro),
                           G_MAXUINT / 2)
                      * MAX (self->together, 1),
              accumulation = count_at (self, ACCUMULATION, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                                       1);
  guint length = count_at (self, LENGTH, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                           self->tool->length);
  guint64 global = count_at (self, GLOBAL, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                             self->tool->global);

  if (prompt > 0 && response > 0)
    length = MIN (prompt + response, 1073741824);
  if (length > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, length);
  if (answers > 1)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_RLHF_GROUP_SIZE, answers);
  if (response > 0 && self->rl)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_RLHF_RESPONSE_LENGTH, response);
  global = global > 0 ? global * group
           : micro > 0 && (*self->tool->names)[ACCUMULATION][0] != NULL
               ? shardwise_import_product (micro, accumulation, self->dp, 1)
               : 0;
  if (micro > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, micro);
  if (global > 0 && global <= 1000000000)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, (gint64) global);
}

/* No file states the average length of examples; if they are not packed, they are padded. */
static void
read_packing (Reading *self)
{
  if (self->rl || value_at (self, PACKING, NULL) == NULL || is_true (self, PACKING, FALSE)
      || shardwise_scenario_is_set (self->job->out->scenario,
                                    SHARDWISE_KEY_TRAINING_PADDING_MEAN_LENGTH))
    return;
  shardwise_import_assume (
      self->job, SHARDWISE_KEY_TRAINING_PADDING_MEAN_LENGTH,
      _ ("The file pads examples and does not say how long they are: each is taken as long as a "
         "sequence until you state their mean length (training.padding.mean_length)."));
}

static void
read_states (Reading *self)
{
  const char *dtype = word_at (self, DTYPE);
  const gboolean by_type = contains (dtype, "bf16") || contains (dtype, "bfloat16"),
                 half = is_true (self, HALF, FALSE) || contains (dtype, "fp16")
                        || g_str_equal (dtype, "float16");
  const ShardwiseNode *mixed = shardwise_node_find (self->job->root, "bf16");
  gboolean pure = is_true (self, PURE, FALSE);

  shardwise_import_put_word (self->job, SHARDWISE_KEY_TRAINING_PRECISION,
                             is_true (self, FLOAT8, FALSE) ? "fp8"
                             : half                        ? "fp16"
                                                           : "bf16");
  switch ((guint) self->tool->kind)
    {
    case SHARDWISE_IMPORT_TORCHTUNE: pure = TRUE; break;
    case SHARDWISE_IMPORT_AXOLOTL: pure = self->plain; break;
    case SHARDWISE_IMPORT_VERL: pure = by_type; break;
    case SHARDWISE_IMPORT_UNSLOTH:
      pure = shardwise_node_find (self->job->root, "float32_mixed_precision") == NULL
             || shardwise_node_find (self->job->root, "float32_mixed_precision")->number == 0;
      break;
    case SHARDWISE_IMPORT_TRAINER:
      pure = by_type && ((self->plain && self->launched) || (mixed != NULL && mixed->number == 0));
      break;
    default: break;
    }
  if (!pure || self->adapters)
    return;
  shardwise_import_put_word (self->job, SHARDWISE_KEY_TRAINING_STATES_MASTER, "none");
  shardwise_import_put_word (self->job, SHARDWISE_KEY_TRAINING_STATES_GRADIENTS, "bf16");
  if (!contains (word_at (self, OPTIMIZER), "8bit"))
    shardwise_import_put_word (self->job, SHARDWISE_KEY_TRAINING_STATES_MOMENTS, "bf16");
}

/* By default, TRL's GRPO and verl use no reference model (grpo_config.py, ppo_trainer.yaml); RLOO
 * and OpenRLHF use one. */
static gboolean
has_reference (const Reading *self)
{
  const Names *names = self->tool->names;
  gboolean has = FALSE, said = FALSE;

  for (guint i = 0; i < N_NAMES && (*names)[REFERENCE][i] != NULL; i++)
    {
      const ShardwiseNode *node = shardwise_node_find (self->job->root, (*names)[REFERENCE][i]);

      if (node == NULL)
        continue;
      said = TRUE;
      has = has
            || (node->type == SHARDWISE_NODE_STRING ? g_ascii_strcasecmp (node->text, "true") == 0
                                                    : node->number != 0);
    }
  return said ? has
              : self->tool->kind == SHARDWISE_IMPORT_OPENRLHF
                    || contains (word_at (self, METHOD), "rloo");
}

/* Reinforcement learning that generates on separate GPUs. */
static void
read_generation (Reading *self)
{
  const ShardwiseNode *mode = shardwise_node_find (
      self->job->root,
      self->tool->kind == SHARDWISE_IMPORT_AXOLOTL ? "trl.vllm_mode" : "vllm_mode");
  gboolean apart = shardwise_node_is_text (mode, "server");
  guint generating = 0, tp = 1;

  if (!self->rl)
    return;
  if (!has_reference (self))
    shardwise_import_put_bool (self->job, SHARDWISE_KEY_TRAINING_RLHF_REFERENCE, FALSE);
  if (self->tool->kind == SHARDWISE_IMPORT_OPENRLHF)
    {
      apart = shardwise_node_find (self->job->root, "train.colocate_all") == NULL
              && shardwise_node_find (self->job->root, "colocate_all_models") == NULL;
      shardwise_import_count (self->job, "vllm.num_engines", SHARDWISE_KEY_CLUSTER_GPUS,
                              &generating);
      shardwise_import_count (self->job, "vllm.tensor_parallel_size", SHARDWISE_KEY_STRATEGY_TP,
                              &tp);
    }
  shardwise_import_put_bool (self->job, SHARDWISE_KEY_TRAINING_RLHF_COLOCATED, !apart);
  if (apart && generating > 0)
    shardwise_import_put_int (
        self->job, SHARDWISE_KEY_CLUSTER_GPUS,
        (gint64) MIN (self->world + shardwise_import_product (generating, tp, 1, 1), 131072));
}

/**
 * shardwise_import_read_tuning:
 * @job: a job with the arguments in its root
 * @kind: the tool
 *
 * Reads a job of a fine-tuning tool.
 */
void
shardwise_import_read_tuning (ShardwiseImportJob *job, ShardwiseImportKind kind)
{
  Reading self = { .job = job, .launched = TRUE };

  for (guint i = 0; i < G_N_ELEMENTS (tools); i++)
    if (tools[i].kind == kind)
      self.tool = &tools[i];
  read_model (&self);
  read_type (&self);
  read_adapters (&self);
  read_world (&self);
  read_sharding (&self);
  read_recompute (&self);
  read_batch (&self);
  read_packing (&self);
  read_optimizer (&self);
  read_states (&self);
  read_software (&self);
  read_generation (&self);
  if (is_true (&self, IN_BACKWARD, FALSE))
    shardwise_import_put_bool (job, SHARDWISE_KEY_TRAINING_OPTIMIZER_IN_BACKWARD, TRUE);
}
