/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forks of Megatron-LM and launchers for it: Megatron-DeepSpeed, slime and ms-swift, whose options
 * have other names and defaults. They are translated to Megatron-LM's own, for one reader. From the
 * sources of deepspeedai/Megatron-DeepSpeed megatron/arguments.py, THUDM/slime
 * slime/utils/arguments.py and slime/backends/megatron_utils/arguments.py, modelscope/ms-swift
 * swift/megatron/arguments/megatron_args.py. */
#include "shardwise-megatron-dialect.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-import-config.h"
#include "shardwise-megatron-arguments.h"

#define EXPERTS "--num-experts"
#define BATCH "--global-batch-size"
#define MICRO "--micro-batch-size"
#define RECOMPUTE "--recompute-granularity"

typedef struct {
  const char *own, *core;
} Name;

/* The default of an option; no value: a flag. */
typedef struct {
  const char *option, *value;
} Default;

typedef struct {
  const char *marks[8]; /* each suffices */
  Name names[12];
  Default defaults[8];
} Dialect;

static const Dialect dialects[SHARDWISE_N_MEGATRON_DIALECTS] = {
  [SHARDWISE_MEGATRON_DEEPSPEED] = {
    .marks = { "--deepspeed", "--deepspeed-config", "--deepspeed_config", "--zero-stage",
               "--ds-sequence-parallel-size", "--moe-expert-parallel-size",
               "--num-key-value-heads" },
    .names = {
      { "--num-key-value-heads", "--num-query-groups" },
      { "--topk", "--moe-router-topk" },
      { "--moe-expert-parallel-size", "--expert-model-parallel-size" },
      { "--expert-interval", "--moe-layer-freq" },
      { "--ds-sequence-parallel-size", "--context-parallel-size" },
      { "--cpu-optimizer", "--optimizer-cpu-offload" },
    },
  },
  [SHARDWISE_MEGATRON_SLIME] = {
    .marks = { "--hf-checkpoint", "--rollout-batch-size", "--actor-num-nodes" },
    .names = {
      { "--actor-num-nodes", "--nnodes" },
      { "--actor-num-gpus-per-node", "--nproc-per-node" },
    },
    .defaults = {
      { "--use-distributed-optimizer", NULL },
      { MICRO, "1" },
      { "--nnodes", "1" },
      { "--nproc-per-node", "8" },
    },
  },
  [SHARDWISE_MEGATRON_SWIFT] = {
    .names = {
      { "--max-length", "--seq-length" },
      { "--virtual-pipeline-model-parallel-size", "--num-virtual-stages-per-pipeline-rank" },
      { "--train-type", "--tuner-type" }, /* up to version 3 */
      { "--split-dataset-ratio", NULL },
    },
    .defaults = {
      { "--use-distributed-optimizer", NULL },
      { "--cross-entropy-loss-fusion", NULL },
      { MICRO, "1" },
      { BATCH, "16" },
      { RECOMPUTE, "selective" },
    },
  },
};

/**
 * shardwise_megatron_is_swift:
 * @command: a command of a script
 *
 * Returns: whether it is a command of ms-swift for Megatron-LM, whose options have underscores
 */
gboolean
shardwise_megatron_is_swift (const ShardwiseShellCommand *command)
{
  static const char *const verbs[] = { "sft", "pt", "rlhf", NULL };

  for (guint i = 0; i + 1 < command->words->len; i++)
    {
      const char *program = ((const ShardwiseShellWord *) command->words->pdata[i])->text,
                 *verb = ((const ShardwiseShellWord *) command->words->pdata[i + 1])->text;

      if (g_str_equal (program, "megatron") && g_strv_contains (verbs, verb))
        return TRUE;
    }
  return FALSE;
}

/**
 * shardwise_megatron_dialect_of:
 * @command: (nullable): the command
 * @options: its options
 *
 * Returns: the dialect of the options
 */
ShardwiseMegatronDialect
shardwise_megatron_dialect_of (const ShardwiseShellCommand *command, const ShardwiseNode *options)
{
  if (command != NULL && shardwise_megatron_is_swift (command))
    return SHARDWISE_MEGATRON_SWIFT;
  for (guint i = SHARDWISE_MEGATRON_CORE + 1; i < SHARDWISE_N_MEGATRON_DIALECTS; i++)
    for (guint j = 0; dialects[i].marks[j] != NULL; j++)
      if (shardwise_node_member (options, dialects[i].marks[j]) != NULL)
        return i;
  return SHARDWISE_MEGATRON_CORE;
}

static void
set (ShardwiseNode *options, const char *option, const char *value)
{
  guint64 number;
  ShardwiseNodeType type = SHARDWISE_NODE_STRING;

  if (value == NULL)
    type = SHARDWISE_NODE_BOOLEAN;
  else if (g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT, &number, NULL))
    type = SHARDWISE_NODE_INTEGER;
  shardwise_node_set (
      options, option,
      shardwise_node_new_scalar (type, 0, 0, value != NULL ? value : option,
                                 type == SHARDWISE_NODE_INTEGER ? (double) number : 1));
}

static void
drop (ShardwiseNode *options, const char *option)
{
  if (shardwise_node_member (options, option) != NULL)
    shardwise_node_set (options, option, shardwise_node_new (SHARDWISE_NODE_NULL, 0, 0));
}

/* ---- Megatron-DeepSpeed ---- */

/* Experts in the fork: a number per layer, or one for all layers, where 1 means none; each token
 * uses one, in every second layer, by default. */
static void
translate_experts (ShardwiseImportJob *job, ShardwiseNode *options)
{
  const ShardwiseNode *experts = shardwise_node_member (options, EXPERTS),
                      *width = shardwise_node_member (options, "--ffn-hidden-size"),
                      *hidden = shardwise_node_member (options, "--hidden-size");

  if (experts == NULL)
    return;
  if (experts->type == SHARDWISE_NODE_LIST && experts->items->len > 0)
    {
      double sum = 0;
      g_autofree char *mean = NULL;

      for (guint i = 0; i < experts->items->len; i++)
        sum += ((ShardwiseNode *) experts->items->pdata[i])->number;
      mean = g_strdup_printf ("%.0f", CLAMP (sum / experts->items->len, 1, 1e6));
      if (experts->items->len > 1)
        shardwise_import_warn (
            job,
            /* Translators: a key of the file, a number */
            _ ("%s differs between layers: the mean, %s, is used for all layers."), EXPERTS, mean);
      set (options, EXPERTS, mean);
      experts = shardwise_node_member (options, EXPERTS);
    }
  if (shardwise_node_is_number (experts) && experts->number <= 1)
    {
      drop (options, EXPERTS);
      return;
    }
  if (shardwise_node_member (options, "--moe-router-topk") == NULL)
    set (options, "--moe-router-topk", "1");
  if (shardwise_node_member (options, "--moe-layer-freq") == NULL)
    set (options, "--moe-layer-freq", "2");
  /* Each expert is whole unless tensor parallelism is requested. */
  if (shardwise_node_member (options, "--enable-expert-tensor-parallelism") == NULL)
    set (options, "--expert-tensor-parallel-size", "1");
  /* A residual expert that every token uses besides its own. */
  if (shardwise_node_is_text (shardwise_node_member (options, "--mlp-type"), "residual"))
    {
      const double size = shardwise_node_is_number (width)    ? width->number
                          : shardwise_node_is_number (hidden) ? 4 * hidden->number
                                                              : 0;
      g_autofree char *text = g_strdup_printf ("%.0f", CLAMP (size, 0, 1e7));

      set (options, "--moe-shared-expert-intermediate-size", text);
    }
}

static void
translate_deepspeed (ShardwiseImportJob *job, ShardwiseNode *options)
{
  translate_experts (job, options);
  if (shardwise_node_member (options, "--num-query-groups") != NULL)
    set (options, "--group-query-attention", NULL);
  if (shardwise_node_member (options, "--context-parallel-size") != NULL)
    set (options, "--cp-comm-type", "a2a"); /* Ulysses */
  /* A script may set it under an unknown condition, next to a known number. */
  if (shardwise_node_member (options, "--no-pipeline-parallel") != NULL
      && !shardwise_node_is_number (
          shardwise_node_member (options, "--pipeline-model-parallel-size")))
    set (options, "--pipeline-model-parallel-size", "1");
}

/* ---- slime ---- */

/* If the number of samples per step is not set, it follows from the rollout. */
static void
translate_slime (ShardwiseNode *options)
{
  const ShardwiseNode *prompts = shardwise_node_member (options, "--rollout-batch-size"),
                      *samples = shardwise_node_member (options, "--n-samples-per-prompt"),
                      *steps = shardwise_node_member (options, "--num-steps-per-rollout");

  if (shardwise_node_is_number (prompts) && shardwise_node_member (options, BATCH) == NULL)
    {
      const double n = prompts->number * (shardwise_node_is_number (samples) ? samples->number : 1)
                       / (shardwise_node_is_number (steps) ? MAX (steps->number, 1) : 1);
      g_autofree char *text = g_strdup_printf ("%.0f", CLAMP (floor (n), 1, 1e9));

      set (options, BATCH, text);
    }
  if (shardwise_node_member (options, "--fp16") == NULL)
    set (options, "--bf16", NULL);
}

/* ---- ms-swift ---- */

/* "--sequence_parallel true" is a flag; false omits it. */
static void
translate_truths (ShardwiseNode *options)
{
  for (guint i = 0; i < options->keys->len; i++)
    {
      const ShardwiseNode *item = options->items->pdata[i];

      if (item->type != SHARDWISE_NODE_STRING)
        continue;
      if (g_ascii_strcasecmp (item->text, "true") == 0)
        set (options, options->keys->pdata[i], NULL);
      else if (g_ascii_strcasecmp (item->text, "false") == 0)
        drop (options, options->keys->pdata[i]);
    }
}

static void
translate_swift (ShardwiseNode *options)
{
  translate_truths (options);
  if (shardwise_node_is_text (shardwise_node_member (options, RECOMPUTE), "none"))
    drop (options, RECOMPUTE);
  if (shardwise_node_is_text (shardwise_node_member (options, "--torch-dtype"), "float16"))
    set (options, "--fp16", NULL);
  else
    set (options, "--bf16", NULL);
}

/**
 * shardwise_megatron_translate:
 * @job: the job being read
 * @dialect: the dialect of the options
 * @options: a map of "--option" to its value, as in shardwise_megatron_read_strategy(); changed in
 *   place
 *
 * Translates the options of a dialect to Megatron-LM's own, with the dialect's defaults.
 */
void
shardwise_megatron_translate (ShardwiseImportJob *job, ShardwiseMegatronDialect dialect,
                              ShardwiseNode *options)
{
  const Dialect *self = &dialects[dialect];

  for (guint i = 0; self->names[i].own != NULL; i++)
    {
      ShardwiseNode *value = (ShardwiseNode *) shardwise_node_member (options, self->names[i].own);

      if (value != NULL && self->names[i].core != NULL
          && shardwise_node_member (options, self->names[i].core) == NULL)
        shardwise_node_set (options, self->names[i].core, shardwise_node_ref (value));
    }
  for (guint i = 0; self->defaults[i].option != NULL; i++)
    if (shardwise_node_member (options, self->defaults[i].option) == NULL)
      set (options, self->defaults[i].option, self->defaults[i].value);
  if (dialect == SHARDWISE_MEGATRON_DEEPSPEED)
    translate_deepspeed (job, options);
  else if (dialect == SHARDWISE_MEGATRON_SLIME)
    translate_slime (options);
  else if (dialect == SHARDWISE_MEGATRON_SWIFT)
    translate_swift (options);
}

/* ---- what is trained ---- */

/* Reinforcement learning by slime: responses up to a maximum length, packed to a number of tokens
 * per GPU. */
static void
read_slime (ShardwiseImportJob *job)
{
  static const char *const longest = "--rollout-max-response-len";
  const ShardwiseNode *estimator = shardwise_import_at (job, "--advantage-estimator");
  const gboolean is_sft = shardwise_node_is_text (shardwise_import_at (job, "--loss-type"),
                                                  "sft_loss");
  guint length = 0, prompt = 0;

  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_TYPE, is_sft ? "finetune" : "rlhf");
  if (is_sft)
    return;
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM,
                             shardwise_node_is_text (estimator, "ppo") ? "ppo" : "grpo");
  shardwise_import_put_bool (job, SHARDWISE_KEY_TRAINING_RLHF_COLOCATED,
                             shardwise_megatron_has (job, "--colocate"));
  if (!shardwise_import_count (job, longest, SHARDWISE_KEY_TRAINING_RLHF_RESPONSE_LENGTH, &length))
    return;
  shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_RLHF_RESPONSE_LENGTH, length);
  shardwise_import_count (job, "--rollout-max-prompt-len", SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                          &prompt);
  if (!shardwise_megatron_has (job, "--seq-length") && (guint64) length + prompt <= 1073741824)
    {
      shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, length + prompt);
      shardwise_import_assume (job, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                               _ ("Responses vary in length, and the script sets the maximum: "
                                  "Shardwise uses %'u tokens for all of them. Sequences that "
                                  "--max-tokens-per-gpu packs together are modeled one by one."),
                               length + prompt);
    }
}

/* Fine-tuning by ms-swift, for all weights or adapters. */
static void
read_swift (ShardwiseImportJob *job)
{
  const ShardwiseNode *tuner = shardwise_import_at (job, "--tuner-type"),
                      *method = shardwise_import_at (job, "--rlhf-type");
  const gboolean is_lora = tuner != NULL && tuner->type == SHARDWISE_NODE_STRING
                           && g_str_has_prefix (tuner->text, "lora");
  guint rank = 8;

  if (method != NULL && method->text != NULL)
    shardwise_import_warn (job,
                           /* Translators: a method, "dpo" */
                           _ ("Training by “%.40s” is modeled as fine-tuning: the other models "
                              "that it loads are omitted."),
                           method->text);
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_TYPE, is_lora ? "lora" : "finetune");
  if (!is_lora)
    return;
  shardwise_import_count (job, "--lora-rank", SHARDWISE_KEY_TRAINING_LORA_RANK, &rank);
  if (shardwise_megatron_has (job, "--modules-to-save"))
    shardwise_import_warn (job, _ ("The modules that are fully trained in addition to the adapters "
                                   "(--modules-to-save) are omitted."));
  shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_LORA_RANK, rank);
}

/**
 * shardwise_megatron_read_training:
 * @job: a job with the translated options in its root
 * @dialect: the dialect of the options
 *
 * Sets what is trained beyond pre-training, and the model from the name of its checkpoint if the
 * options have no dimensions.
 */
void
shardwise_megatron_read_training (ShardwiseImportJob *job, ShardwiseMegatronDialect dialect)
{
  static const char *const checkpoints[] = { "--hf-checkpoint", "--model", "--load", "--ref-load" };

  if (dialect == SHARDWISE_MEGATRON_SLIME)
    read_slime (job);
  else if (dialect == SHARDWISE_MEGATRON_SWIFT)
    read_swift (job);
  for (guint i = 0; i < G_N_ELEMENTS (checkpoints)
                    && !shardwise_scenario_is_set (job->out->scenario, SHARDWISE_KEY_MODEL_PRESET)
                    && !shardwise_scenario_is_set (job->out->scenario, SHARDWISE_KEY_MODEL_LAYERS);
       i++)
    {
      const ShardwiseNode *name = shardwise_import_at (job, checkpoints[i]);

      if (name != NULL && name->type == SHARDWISE_NODE_STRING
          && !shardwise_import_put_model_named (job, name->text) && g_str_is_ascii (name->text)
          && strchr (name->text, SHARDWISE_NODE_UNKNOWN) == NULL)
        g_strlcpy (job->named, name->text, sizeof job->named);
    }
}
