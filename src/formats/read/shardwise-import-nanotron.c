/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nanotron's YAML, 0.4: its dataclasses describe the whole job. */
#include "shardwise-import-config.h"

#include <glib/gi18n.h>
#include <string.h>

#define PREFIX "is_"
#define SUFFIX "_config"

static const char *const parallelism_keys[] = { "dp",
                                                "pp",
                                                "tp",
                                                "pp_engine",
                                                "tp_mode",
                                                "tp_linear_async_communication",
                                                "recompute_layer",
                                                "tp_recompute_allgather",
                                                "expert_parallel_size",
                                                "context_parallel_size",
                                                NULL };
static const char *const token_keys[] = { "sequence_length",    "train_steps",
                                          "micro_batch_size",   "batch_accumulation_per_replica",
                                          "val_check_interval", "limit_val_batches",
                                          "limit_test_batches", NULL };
static const char *const sections[] = { "general",         "parallelism", "model",     "tokenizer",
                                        "checkpoints",     "logging",     "tokens",    "optimizer",
                                        "data_stages",     "profiler",    "lighteval", "s3_upload",
                                        "metrics_logging", NULL };

static guint
degree (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id, gboolean is_required)
{
  guint value = 1;

  if (!shardwise_import_count (job, key, id, &value) && is_required && job->error == NULL)
    shardwise_import_find (job, SHARDWISE_SEVERITY_ERROR, "missing-key",
                           _ ("%s is required: Nanotron rejects the file without it."), key);
  else
    shardwise_import_put_int (job, id, value);
  return value;
}

static void
read_parallelism (ShardwiseImportJob *job, guint *replicas)
{
  static const char *const engines[] = { "afab", "1f1b", NULL };
  static const char *const modes[] = { "ALL_REDUCE", "REDUCE_SCATTER", NULL };
  guint dp = degree (job, "parallelism.dp", SHARDWISE_KEY_STRATEGY_DP, TRUE),
        pp = degree (job, "parallelism.pp", SHARDWISE_KEY_STRATEGY_PP, TRUE),
        tp = degree (job, "parallelism.tp", SHARDWISE_KEY_STRATEGY_TP, TRUE),
        cp = degree (job, "parallelism.context_parallel_size", SHARDWISE_KEY_STRATEGY_CP, FALSE);
  guint engine = 1, mode = 0;
  guint64 gpus = shardwise_import_product (dp, pp, tp, cp);

  degree (job, "parallelism.expert_parallel_size", SHARDWISE_KEY_STRATEGY_EP, FALSE);
  shardwise_import_word_index (job, "parallelism.pp_engine", engines, &engine);
  shardwise_import_word_index (job, "parallelism.tp_mode", modes, &mode);
  shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_SCHEDULE,
                             sw_schedule_names[engine == 0 ? SW_SCHEDULE_GPIPE : SW_SCHEDULE_1F1B]);
  shardwise_import_put_bool (job, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, tp > 1 && mode == 1);
  shardwise_import_put_word (
      job, SHARDWISE_KEY_STRATEGY_RECOMPUTE,
      shardwise_import_truth (job, "parallelism.recompute_layer", FALSE) ? "full" : "none");
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_VPP, 1);
  shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_OFFLOAD, "none");
  shardwise_import_put_switch (job, "parallelism.tp_linear_async_communication",
                               SHARDWISE_KEY_TRAINING_SOFTWARE_ASYNC_TP);
  if (gpus <= 131072)
    shardwise_import_put_world (job, (guint) gpus, 0);
  *replicas = dp;
}

/* ---- the model ---- */

static void
put_as (ShardwiseNode *map, const char *name, ShardwiseNode *value)
{
  if (value != NULL && value->type != SHARDWISE_NODE_NULL)
    shardwise_node_set (map, name, shardwise_node_ref (value));
}

static void
put_number (ShardwiseNode *map, const char *name, double number)
{
  shardwise_node_set (map, name,
                      shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, 0, 0, "", number));
}

/* The model, with Nanotron's own key names in addition to those of config.json. */
static void
read_model (ShardwiseImportJob *job)
{
  static const struct {
    const char *usual, *own;
  } names[] = {
    { "sliding_window", "sliding_window_size" },
    { "num_experts", "moe_num_experts" }, /* of the fork "llamoe" */
    { "num_experts", "moe_config.num_experts" },
    { "num_experts_per_tok", "moe_config.top_k" },
    { "moe_intermediate_size", "moe_config.moe_intermediate_size" },
    { "shared_expert_intermediate_size", "moe_config.shared_expert_intermediate_size" },
  };
  const ShardwiseNode *config = shardwise_import_at (job, "model.model_config"), *layers, *bias;
  g_autoptr (ShardwiseNode) map = NULL;
  g_autofree char *other = NULL;
  const char *type = "llama";

  if (config == NULL || config->type != SHARDWISE_NODE_MAP)
    return;
  map = shardwise_node_new (SHARDWISE_NODE_MAP, config->line, config->column);
  for (guint i = 0; i < config->keys->len; i++)
    put_as (map, config->keys->pdata[i], config->items->pdata[i]);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    put_as (map, names[i].usual, shardwise_node_find (config, names[i].own));
  /* Nanotron lists the layers with experts: dense ones first, then every n-th. */
  layers = shardwise_node_find (config, "moe_config.layers");
  if (layers != NULL && layers->type == SHARDWISE_NODE_LIST && layers->items->len > 0)
    {
      const double first = ((ShardwiseNode *) layers->items->pdata[0])->number,
                   second = layers->items->len > 1
                                ? ((ShardwiseNode *) layers->items->pdata[1])->number
                                : first + 1;

      if (second > first && first >= 0 && second <= 10000)
        {
          put_number (map, "decoder_sparse_step", second - first);
          put_number (map, "first_k_dense_replace", MAX (0, first - (second - first) + 1));
        }
    }
  bias = shardwise_node_member (map, "attention_bias");
  if (shardwise_node_member (map, "is_qwen2_config") != NULL)
    type = bias == NULL || bias->number != 0 ? "nanotron_qwen2" : "llama";
  else if (shardwise_node_member (map, "is_starcoder2_config") != NULL)
    type = "starcoder2";
  else
    for (guint i = 0; i < map->keys->len && other == NULL; i++)
      {
        /* "is_mamba_config": of a fork for another architecture than Llama. */
        const char *key = map->keys->pdata[i];
        const gsize length = strlen (key), ends = strlen (PREFIX) + strlen (SUFFIX);

        if (g_str_has_prefix (key, PREFIX) && g_str_has_suffix (key, SUFFIX) && length > ends
            && !g_str_equal (key, "is_llama_config")
            && ((ShardwiseNode *) map->items->pdata[i])->number != 0)
          other = g_strndup (key + strlen (PREFIX), length - ends);
      }
  shardwise_import_model_keys (job, map, other != NULL ? other : type);
}

/* Reads a Nanotron training file. */
static void
read_file (ShardwiseImportJob *job)
{
  static const char *const names[] = { "parallelism", "tokens", NULL };
  static const char *const *const keys[] = { parallelism_keys, token_keys };
  static const char *const optimizers[] = { "adamW", "sgd", NULL };
  /* YAML 1.1 reads "1e-8" as text, but Nanotron requires a number. */
  static const char *const floats[] = { "optimizer.weight_decay",
                                        "optimizer.clip_grad",
                                        "optimizer.optimizer_factory.adam_eps",
                                        "optimizer.learning_rate_scheduler.learning_rate",
                                        "optimizer.learning_rate_scheduler.min_decay_lr",
                                        "model.model_config.rms_norm_eps" };
  guint replicas = 1, micro = 0, accumulation = 1, index = 0;
  const char *dtype;
  guint64 global;

  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_FRAMEWORK, "nanotron");
  read_parallelism (job, &replicas);
  shardwise_import_copy_count (job, "tokens.sequence_length",
                               SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH);
  shardwise_import_count (job, "tokens.batch_accumulation_per_replica",
                          SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, &accumulation);
  if (shardwise_import_count (job, "tokens.micro_batch_size",
                              SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, &micro))
    {
      shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, micro);
      global = shardwise_import_product (micro, accumulation, replicas, 1);
      if (global <= 1000000000)
        shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, (gint64) global);
    }
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ZERO_STAGE,
                            shardwise_import_count_or (job, "optimizer.zero_stage",
                                                       SHARDWISE_KEY_STRATEGY_ZERO_STAGE, 0));
  if (shardwise_import_word_index (job, "optimizer.optimizer_factory.name", optimizers, &index))
    shardwise_import_put_word (
        job, SHARDWISE_KEY_TRAINING_OPTIMIZER,
        sw_optimizer_names[index == 0 ? SW_OPTIMIZER_ADAMW : SW_OPTIMIZER_SGD]);
  dtype = shardwise_import_text (job, "model.dtype");
  if (dtype != NULL && !g_str_equal (dtype, "bfloat16") && !g_str_equal (dtype, "float16"))
    shardwise_import_warn (job, _ ("Training in %.40s is not modeled: Shardwise uses bf16."),
                           dtype);
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_PRECISION,
                             g_strcmp0 (dtype, "float16") == 0 ? "fp16" : "bf16");
  read_model (job);
  shardwise_import_check_keys (job, NULL, sections, SHARDWISE_SEVERITY_ERROR, "unknown-key",
                               _ ("%s is not a key of Nanotron, which rejects unknown keys."));
  for (guint i = 0; names[i] != NULL; i++)
    shardwise_import_check_keys (job, names[i], keys[i], SHARDWISE_SEVERITY_ERROR, "unknown-key",
                                 _ ("%s is not a key of Nanotron, which rejects unknown keys."));
  for (guint i = 0; i < G_N_ELEMENTS (floats); i++)
    {
      const ShardwiseNode *node = shardwise_import_at (job, floats[i]);

      if (node != NULL && node->type == SHARDWISE_NODE_STRING)
        shardwise_import_find (
            job, SHARDWISE_SEVERITY_ERROR, "type",
            /* Translators: a key, a line number, a text that looks like a number */
            _ ("%s (line %u): YAML reads “%.40s” as text, and Nanotron rejects it; write it with a "
               "decimal point and a sign, such as 1.0e-08."),
            floats[i], node->line, node->text);
    }
}

const ShardwiseImportReader shardwise_import_nanotron = { "nanotron", N_ ("Nanotron configuration"),
                                                          SHARDWISE_FORMAT_NANOTRON, read_file };
