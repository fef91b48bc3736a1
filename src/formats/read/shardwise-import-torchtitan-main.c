/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TorchTitan's main branch of August 2026: a Python function that changes a configuration of the
 * registry. Its sections bear the names of the TOML before it; batch and recomputation differ. */
#include "shardwise-import-torchtitan.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-export-torchtitan.h"

/* The name that holds the configuration: the one with the most of its sections. */
static const ShardwiseNode *
find_config (const ShardwiseNode *root)
{
  static const char *const sections[] = { "parallelism", "training", "activation_checkpoint",
                                          "optimizer", "model" };
  const ShardwiseNode *found = NULL;
  guint best = 0;

  for (guint i = 0; i < root->items->len; i++)
    {
      const ShardwiseNode *item = root->items->pdata[i];
      guint score = 0;

      for (guint j = 0; j < G_N_ELEMENTS (sections); j++)
        score += shardwise_node_member (item, sections[j]) != NULL;
      if (score > best)
        {
          best = score;
          found = item;
        }
    }
  return found;
}

/* By where its tokenizer is, or by the function of the registry that the configuration comes from.
 * Returns that function's model, %NULL for one that is not known. */
static const ShardwiseTitanModel *
read_model (ShardwiseImportJob *job, const ShardwiseNode *config)
{
  const ShardwiseNode *calls = shardwise_node_member (job->root, SHARDWISE_NODE_CALLS),
                      *assets = shardwise_node_member (config, "hf_assets_path");
  const ShardwiseTitanModel *model = NULL;

  for (guint i = 0; i < calls->items->len && model == NULL; i++)
    model = shardwise_titan_model_of (shardwise_python_callee (calls->items->pdata[i]));
  if (assets != NULL && assets->type == SHARDWISE_NODE_STRING
      && shardwise_import_put_model_named (job, assets->text))
    return model;
  if (model != NULL && !shardwise_import_put_model_named (job, model->assets))
    shardwise_import_put_word (job, "model.preset", model->id);
  return model;
}

/* What the function sets that the file leaves. */
static void
read_defaults (ShardwiseImportJob *job, const ShardwiseTitanModel *model)
{
  gboolean in_float8 = model != NULL && model->in_bf16 != NULL;
  gboolean eager = model != NULL && !in_float8 && !g_str_equal (model->name, "deepseek_v3");

  if (in_float8 && shardwise_node_member (job->root, "model_spec") == NULL)
    shardwise_import_put_word (job, "training.precision", "fp8");
  shardwise_titan_read_compilation (job, !eager);
}

/* ---- batch ---- */

/* A number of tokens in sequences; 0: not stated, or an error. */
static guint
sequences (ShardwiseImportJob *job, const char *key, guint length)
{
  const ShardwiseNode *node = shardwise_import_at (job, key);
  double n = shardwise_node_is_number (node) ? node->number / length : 0;
  guint ignored;

  if (node == NULL || job->error != NULL)
    return 0;
  if (!shardwise_node_is_number (node))
    shardwise_import_count (job, key, "training.global_batch_size", &ignored); /* says so */
  else if (n >= 1 && n <= 1e9 && n == floor (n))
    return (guint) n;
  else
    shardwise_import_fail (job, node, key,
                           _ ("only whole sequences are computed, accepted: a multiple of "
                              "training.max_context_length"));
  return 0;
}

static void
read_batch (ShardwiseImportJob *job, const ShardwiseTitanDegrees *degrees)
{
  const guint64 dp = (guint64) degrees->replicate * degrees->shard;
  guint length = shardwise_import_count_or (job, "training.max_context_length",
                                            "training.sequence_length", 2048);
  guint micro = sequences (job, "training.num_tokens_per_microbatch_per_dp_rank", length);
  guint global = sequences (job, "training.num_tokens_per_train_step", length);
  guint parts = 0;

  shardwise_import_count (job, "parallelism.num_pp_microbatches", "training.global_batch_size",
                          &parts);
  shardwise_import_put_int (job, "training.sequence_length", length);
  if (micro > 0 && micro <= 65536)
    shardwise_import_put_int (job, "strategy.micro_batch_size", micro);
  if (global > 0)
    shardwise_import_put_int (job, "training.global_batch_size", global);
  if (micro > 0 && global > 0 && global % (micro * dp) != 0)
    shardwise_titan_find_error (job, "batch",
                                _ ("TorchTitan wants num_tokens_per_train_step in multiples of "
                                   "num_tokens_per_microbatch_per_dp_rank × data-parallel ranks."));
  else if (degrees->pp > 1 && parts > 0 && micro > 0 && global > 0
           && (guint64) parts * micro * dp > global)
    shardwise_titan_find_error (job, "batch",
                                _ ("num_pp_microbatches micro-batches on all data-parallel ranks "
                                   "are more tokens than num_tokens_per_train_step."));
}

/* ---- the rest ---- */

static void
read_pipeline (ShardwiseImportJob *job, const ShardwiseTitanDegrees *degrees)
{
  if (degrees->pp > 1 && !shardwise_import_truth (job, "training.disable_cuda_graphs", FALSE))
    shardwise_titan_find_error (job, "pipeline",
                                _ ("TorchTitan’s main branch refuses a pipeline unless "
                                   "training.disable_cuda_graphs is True."));
}

/* FullAC.Config (), SelectiveAC.Config (), MemoryBudgetAC.Config () or None. */
static void
read_checkpointing (ShardwiseImportJob *job)
{
  const ShardwiseNode *node = shardwise_node_member (job->root, "activation_checkpoint"),
                      *callee = shardwise_node_member (node, SHARDWISE_NODE_CALLEE);
  const char *name = callee != NULL ? callee->text : "", *word = NULL;

  if (node != NULL && node->type == SHARDWISE_NODE_NULL)
    word = "none";
  else if (strstr (name, "FullAC") != NULL)
    word = "full";
  else if (strstr (name, "SelectiveAC") != NULL || strstr (name, "MemoryBudgetAC") != NULL)
    word = "selective";
  if (strstr (name, "MemoryBudgetAC") != NULL)
    shardwise_import_warn (job, g_strdup (_ ("Recomputation by a memory budget is computed as "
                                             "selective.")));
  if (word != NULL)
    shardwise_import_put_word (job, "strategy.recompute", word);
  else
    shardwise_import_warn (job, g_strdup (_ ("The file does not say what is recomputed: that is "
                                             "searched.")));
}

static void
read_sequence_parallel (ShardwiseImportJob *job, const ShardwiseTitanDegrees *degrees)
{
  if (!shardwise_import_truth (job, "parallelism.enable_sequence_parallel", TRUE))
    shardwise_import_put_bool (job, "strategy.sequence_parallel", FALSE);
  if (degrees->cp > 1) /* the main branch has no setting for a ring */
    shardwise_import_put_word (job, "strategy.cp_method", "allgather");
}

/**
 * shardwise_import_torchtitan_main:
 * @job: with the file as its root
 *
 * Reads a configuration of TorchTitan's main branch. It is parsed, never executed.
 */
void
shardwise_import_torchtitan_main (ShardwiseImportJob *job)
{
  const ShardwiseNode *root = job->root, *config = find_config (root);
  const ShardwiseTitanModel *model;
  ShardwiseTitanDegrees degrees = { 0 };

  if (config == NULL)
    {
      job->error = shardwise_position_error (
          1, 1, "%s",
          _ ("this file changes no configuration of TorchTitan, accepted: assignments to its "
             "parallelism and training"));
      return;
    }
  model = read_model (job, config);
  job->root = config;
  if (shardwise_titan_read_strategy (job, &degrees))
    {
      read_sequence_parallel (job, &degrees);
      read_batch (job, &degrees);
      read_pipeline (job, &degrees);
      read_checkpointing (job);
      shardwise_titan_read_offload (job);
      read_defaults (job, model);
    }
  job->root = root;
  shardwise_python_warn_condition (job, root);
}
