/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A script that starts a program of Hugging Face's Trainer, or another program, with torchrun,
 * DeepSpeed or Accelerate. It needs other files of the job: by itself it is incomplete. */
#include "shardwise-import-config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-command.h"

/* Words that start processes; each counts as an option. */
static const char *const launchers[] = {
  "torchrun", "deepspeed", "accelerate", "torch.distributed.run", "torch.distributed.launch", NULL
};

/* Options of transformers' TrainingArguments and similar programs, with hyphens. */
static const char *const lengths[] = { "--model-max-length", "--max-seq-length", "--max-seq-len",
                                       "--max-length",       "--cutoff-len",     "--block-size" };
static const char *const models[] = { "--model-name-or-path", "--model-name", "--model",
                                      "--base-model" };

static guint
score_of (const ShardwiseShellCommand *command)
{
  guint score = 0;

  for (guint i = 0; i < command->words->len; i++)
    {
      const ShardwiseShellWord *word = command->words->pdata[i];
      g_autofree char *name = g_path_get_basename (word->text);

      score += g_strv_contains (launchers, name) || g_str_has_prefix (word->text, "--per_device");
    }
  return score;
}

/* The numbers of one step. */
static void
read_batch (ShardwiseImportJob *job, guint world)
{
  guint micro = 0, accumulation = 1;
  guint64 global;

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    if (shardwise_import_at (job, lengths[i]) != NULL)
      {
        shardwise_import_copy_count (job, lengths[i], SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH);
        break;
      }
  if (!shardwise_import_count (job, "--per-device-train-batch-size",
                               SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, &micro))
    return;
  shardwise_import_count (job, "--gradient-accumulation-steps",
                          SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, &accumulation);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, micro);
  global = shardwise_import_product (micro, accumulation, world, 1);
  if (global > 0 && global <= 1000000000)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, (gint64) global);
}

static void
read_options (ShardwiseImportJob *job, const ShardwiseShell *shell)
{
  const ShardwiseNode *checkpointing = shardwise_import_at (job, "--gradient-checkpointing"),
                      *half = shardwise_import_at (job, "--fp16");
  guint world = 0;

  /* Accelerate counts the processes of all machines. */
  if (shardwise_import_count (job, "--num-processes", SHARDWISE_KEY_CLUSTER_GPUS, &world))
    shardwise_import_put_world (job, world, 0);
  else
    world = shardwise_command_read_world (job, shell, TRUE);
  read_batch (job, world);
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      const ShardwiseNode *name = shardwise_import_at (job, models[i]);

      if (name != NULL && name->type == SHARDWISE_NODE_STRING
          && shardwise_import_put_model_named (job, name->text))
        break;
    }
  if (checkpointing != NULL)
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE,
                               g_ascii_strcasecmp (checkpointing->text, "false") == 0 ? "none"
                                                                                      : "full");
  if (half != NULL && g_ascii_strcasecmp (half->text, "false") != 0)
    shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_PRECISION, "fp16");
}

/* Reads a launcher. It is parsed, never executed. */
static void
read_file (ShardwiseImportJob *job)
{
  g_autoptr (ShardwiseShell) shell = shardwise_shell_read (job->text, strlen (job->text),
                                                           job->sources, &job->error);
  g_autoptr (ShardwiseNode) options = NULL;
  const ShardwiseShellCommand *command = NULL;
  guint best = 0;

  if (shell == NULL)
    return;
  for (guint i = 0; i < shell->commands->len; i++)
    {
      guint score = score_of (shell->commands->pdata[i]);

      if (score > best)
        {
          best = score;
          command = shell->commands->pdata[i];
        }
    }
  options = command != NULL ? shardwise_command_options (command, TRUE)
                            : shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);
  job->root = options;
  read_options (job, shell);
  job->root = NULL;
}

const ShardwiseImportReader shardwise_import_launcher = { "launcher", N_ ("Launch script"),
                                                          SHARDWISE_N_FORMATS, read_file };
