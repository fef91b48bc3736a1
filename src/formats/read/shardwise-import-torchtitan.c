/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TorchTitan's TOML, up to v0.2.2, and its main branch of August 2026, which has no TOML but a
 * Python function that changes a configuration of the registry. Its sections have the names of the
 * former TOML; batch and recomputation differ. */
#include "shardwise-import-job.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-export-torchtitan.h"
#include "shardwise-import-config.h"
#include "shardwise-import-python.h"
#include "shardwise-node-python.h"

typedef struct {
  guint tp, pp, cp, replicate, shard;
  gboolean fills; /* shard takes the remaining GPUs, so it depends on their number */
} Degrees;

static const char *const parallelism_keys[] = { "data_parallel_replicate_degree",
                                                "data_parallel_shard_degree",
                                                "fsdp_reshard_after_forward",
                                                "tensor_parallel_degree",
                                                "enable_async_tensor_parallel",
                                                "disable_loss_parallel",
                                                "pipeline_parallel_degree",
                                                "pipeline_parallel_schedule",
                                                "pipeline_parallel_schedule_csv",
                                                "pipeline_parallel_microbatch_size",
                                                "pipeline_parallel_layers_per_stage",
                                                "pipeline_parallel_first_stage_less_layers",
                                                "pipeline_parallel_last_stage_less_layers",
                                                "pipeline_parallel_split_points",
                                                "pipeline_parallel_expert_parallel_overlap",
                                                "module_fqns_per_model_part",
                                                "context_parallel_degree",
                                                "context_parallel_rotate_method",
                                                "context_parallel_load_balancer",
                                                "expert_parallel_degree",
                                                "expert_tensor_parallel_degree",
                                                "expert_parallel_comm_backend",
                                                "enable_compiled_autograd",
                                                NULL };
static const char *const checkpoint_modes[] = { "none", "selective", "full", "memory_budget",
                                                NULL };

/* ---- the model ---- */

/* Sets the model of a flavor. The assets distinguish 3 from 3.1, which TorchTitan itself does not;
 * they contain only the tokenizer, which another model may share.
 *
 * Returns: whether the catalog has it */
static gboolean
put_model (ShardwiseImportJob *job, const char *assets, const char *id)
{
  const SwModelSpec *known = shardwise_catalogue_find_model (shardwise_catalogue_get (), id),
                    *named = assets != NULL ? shardwise_import_model_named (assets) : NULL;

  if (known == NULL)
    return FALSE;
  if (named != NULL && named->layers == known->layers && named->hidden_size == known->hidden_size
      && named->mla.kv_lora_rank == known->mla.kv_lora_rank)
    known = named;
  shardwise_import_put_word (job, SHARDWISE_KEY_MODEL_PRESET, known->id);
  return TRUE;
}

static void
put_flavor (ShardwiseImportJob *job, const char *name, const char *flavor, const char *assets)
{
  /* Flavors with another name in the catalog. */
  static const struct {
    const char *name, *flavor, *id;
  } special[] = {
    { "llama4", "17bx16e", "llama-4-scout" },     { "llama4", "17bx128e", "llama-4-maverick" },
    { "deepseek_v3", "16B", "deepseek-v2-lite" }, { "deepseek_v3", "236B", "deepseek-v2" },
    { "deepseek_v3", "671B", "deepseek-v3" },     { "qwen3", "30B-A3B", "qwen3-30b-a3b" },
    { "qwen3", "235B-A22B", "qwen3-235b-a22b" },
  };
  static const char *const versions[] = { "", ".1", ".2" };
  gboolean found = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (special); i++)
    if (g_str_equal (special[i].name, name) && g_ascii_strcasecmp (special[i].flavor, flavor) == 0)
      {
        put_model (job, assets, special[i].id);
        return;
      }
  for (guint i = 0; i < G_N_ELEMENTS (versions) && !found; i++)
    {
      /* "llama3" and "70B" -> "llama-3-70b", as in the catalog. */
      g_autoptr (GString) id = g_string_new (NULL);
      g_autofree char *size = g_ascii_strdown (flavor, -1);

      for (const char *c = name; *c != '\0'; c++)
        {
          if (g_ascii_isdigit (*c) && c > name && g_ascii_isalpha (c[-1])
              && !g_str_has_prefix (name, "qwen") && c[-1] != 'v')
            g_string_append_c (id, '-');
          g_string_append_c (id, *c == '_' ? '-' : *c);
        }
      g_string_append_printf (id, "%s-%s", versions[i], size);
      found = put_model (job, assets, id->str);
    }
  if (!found)
    shardwise_import_warn (job,
                           /* Translators: two words of the file */
                           _ ("The catalog has no model for %.40s “%.40s”."), name, flavor);
}

/* ---- pipeline ---- */

/* From the layers of the named model. */
static guint
virtual_stages (ShardwiseImportJob *job, const Degrees *degrees)
{
  guint layers = (guint) shardwise_scenario_get_number (job->out->scenario,
                                                        SHARDWISE_KEY_MODEL_LAYERS, 0);
  g_autofree char *preset = shardwise_scenario_get_string (job->out->scenario,
                                                           SHARDWISE_KEY_MODEL_PRESET);
  const SwModelSpec *model = NULL;
  guint per_stage, stages;

  if (preset != NULL)
    model = shardwise_catalogue_find_model (shardwise_catalogue_get (), preset);
  layers = model != NULL ? model->layers : layers;
  if (layers == 0
      || !shardwise_import_count (job, "parallelism.pipeline_parallel_layers_per_stage",
                                  SHARDWISE_KEY_MODEL_LAYERS, &per_stage))
    return 2;
  /* The first and the last stage count embedding and head as additional layers. */
  layers += shardwise_import_count_or (job, "parallelism.pipeline_parallel_first_stage_less_layers",
                                       SHARDWISE_KEY_MODEL_MOE_FIRST_DENSE_LAYERS, 1);
  layers += shardwise_import_count_or (job, "parallelism.pipeline_parallel_last_stage_less_layers",
                                       SHARDWISE_KEY_MODEL_MOE_FIRST_DENSE_LAYERS, 1);
  stages = (layers + per_stage - 1) / per_stage;
  if (stages % degrees->pp != 0)
    shardwise_import_find_error (
        job, "vpp-layers",
        _ ("TorchTitan requires the number of stages, which is the layers plus the extra weight of "
           "the first and the last, divided by pipeline_parallel_layers_per_stage and rounded up, "
           "to be a multiple of pipeline_parallel_degree."));
  return MAX (1, stages / degrees->pp);
}

static void
read_schedule (ShardwiseImportJob *job, const Degrees *degrees)
{
  static const struct {
    const char *name;
    SwSchedule schedule;
    gboolean interleaved;
  } known[] = {
    { "1F1B", SW_SCHEDULE_1F1B, FALSE },
    { "GPipe", SW_SCHEDULE_GPIPE, FALSE },
    { "Interleaved1F1B", SW_SCHEDULE_INTERLEAVED, TRUE },
    { "InterleavedZeroBubble", SW_SCHEDULE_INTERLEAVED, TRUE },
    { "LoopedBFS", SW_SCHEDULE_INTERLEAVED, TRUE },
    { "ZBVZeroBubble", SW_SCHEDULE_ZERO_BUBBLE, FALSE },
    { "DualPipeV", SW_SCHEDULE_ZERO_BUBBLE, FALSE },
  };
  const char *name = shardwise_import_text (job, "parallelism.pipeline_parallel_schedule");
  guint i = 0, vpp;

  while (name != NULL && i < G_N_ELEMENTS (known) - 1
         && g_ascii_strcasecmp (known[i].name, name) != 0)
    i++;
  if (degrees->pp == 1)
    i = 0;
  if (name != NULL && degrees->pp > 1 && i >= 3 && i != 5)
    shardwise_import_warn (
        job, _ ("The schedule “%.40s” is not modeled: Shardwise uses the nearest."), name);
  shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_SCHEDULE,
                             sw_schedule_names[known[i].schedule]);
  vpp = known[i].interleaved ? virtual_stages (job, degrees) : 1;
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_VPP,
                            known[i].interleaved ? MAX (2, vpp) : 1);
}

/* ---- batch ---- */

/* With a pipeline local_batch_size holds all micro-batches of a rank; without one it is the
 * micro-batch. */
static void
read_batch (ShardwiseImportJob *job, Degrees *degrees)
{
  const ShardwiseNode *stated = shardwise_import_at (job, "training.global_batch_size");
  const guint64 dp = (guint64) degrees->replicate * degrees->shard;
  guint local = 8, micro, global = 0; /* v0.2.2: local_batch_size is 8, seq_len 2048 */

  shardwise_import_count (job, "training.local_batch_size", SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE,
                          &local);
  micro = degrees->pp > 1
              ? shardwise_import_degree (job, "parallelism.pipeline_parallel_microbatch_size",
                                         SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE)
              : local;
  if (local % micro != 0)
    shardwise_import_find_error (job, "batch",
                                 _ ("TorchTitan requires local_batch_size to be a multiple of "
                                    "pipeline_parallel_microbatch_size."));
  if (stated != NULL && stated->number != -1)
    shardwise_import_count (job, "training.global_batch_size",
                            SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, &global);
  if (global > 0 && global % (local * dp) != 0)
    shardwise_import_find_error (job, "batch",
                                 _ ("TorchTitan requires global_batch_size to be a multiple of "
                                    "local_batch_size × data-parallel ranks."));
  if (global == 0 && local * dp <= 1000000000)
    global = (guint) (local * dp);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, micro);
  if (global > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, global);
  shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                            shardwise_import_count_or (job, "training.seq_len",
                                                       SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                                                       2048));
}

/* ---- the rest ---- */

static gboolean
has_converter (ShardwiseImportJob *job, const char *word)
{
  const ShardwiseNode *list = shardwise_import_at (job, "model.converters");

  for (guint i = 0; list != NULL && list->items != NULL && i < list->items->len; i++)
    {
      const ShardwiseNode *item = list->items->pdata[i];

      if (item->type == SHARDWISE_NODE_STRING && strstr (item->text, word) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* TorchTitan offloads all or nothing. */
static void
read_offload (ShardwiseImportJob *job)
{
  const gboolean offloads = shardwise_import_truth (job, "training.enable_cpu_offload", FALSE);

  shardwise_import_put_word (
      job, SHARDWISE_KEY_STRATEGY_OFFLOAD,
      sw_offload_names[offloads ? SW_OFFLOAD_OPTIMIZER_PARAMS : SW_OFFLOAD_NONE]);
}

/* Whether torch.compile() compiles a part of the job; by default it compiles all. */
static gboolean
compiles (ShardwiseImportJob *job, const char *part)
{
  const ShardwiseNode *parts = shardwise_import_at (job, "compile.components");

  if (parts == NULL || parts->type != SHARDWISE_NODE_LIST)
    return TRUE;
  for (guint i = 0; i < parts->items->len; i++)
    if (shardwise_node_is_text (parts->items->pdata[i], part))
      return TRUE;
  return FALSE;
}

/* Sets the compiled parts: the layers, and the loss, which is then fused. Models with experts only
 * compile the loss, which implies nothing for their layers. */
static void
read_compilation (ShardwiseImportJob *job, gboolean otherwise)
{
  const gboolean enabled = shardwise_import_truth (job, "compile.enable", otherwise);

  if (!enabled || (shardwise_import_at (job, "compile.enable") != NULL && compiles (job, "model")))
    shardwise_import_put_bool (job, SHARDWISE_KEY_TRAINING_SOFTWARE_COMPILE, enabled);
  if (!enabled || shardwise_import_at (job, "compile.enable") != NULL)
    shardwise_import_put_bool (job, SHARDWISE_KEY_TRAINING_SOFTWARE_FUSED_CROSS_ENTROPY,
                               enabled && compiles (job, "loss"));
  shardwise_import_put_switch (job, "parallelism.enable_async_tensor_parallel",
                               SHARDWISE_KEY_TRAINING_SOFTWARE_ASYNC_TP);
  shardwise_import_put_switch (job, "compile.enable_async_tensor_parallel",
                               SHARDWISE_KEY_TRAINING_SOFTWARE_ASYNC_TP);
}

/* Sets how the model is split; the keys are the same in TOML and in the main branch's Python.
 * Returns: %FALSE after an error */
static gboolean
read_strategy (ShardwiseImportJob *job, Degrees *out)
{
  static const char *const reshards[] = { "default", "always", "never", NULL },
                           *const rotations[] = { "allgather", "alltoall", NULL };
  const ShardwiseNode *shard = shardwise_import_at (job, "parallelism.data_parallel_shard_degree");
  const char *dispatcher = shardwise_import_text (job, "parallelism.expert_parallel_comm_backend");
  guint reshard = 0, rotation = 0, zero, ep, etp;
  guint64 dp, gpus;

  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_FRAMEWORK, "fsdp2");
  if (dispatcher != NULL
      && (g_str_equal (dispatcher, "deepep") || g_str_equal (dispatcher, "hybridep")))
    shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER, dispatcher);
  out->tp = shardwise_import_degree (job, "parallelism.tensor_parallel_degree",
                                     SHARDWISE_KEY_STRATEGY_TP);
  out->pp = shardwise_import_degree (job, "parallelism.pipeline_parallel_degree",
                                     SHARDWISE_KEY_STRATEGY_PP);
  out->cp = shardwise_import_degree (job, "parallelism.context_parallel_degree",
                                     SHARDWISE_KEY_STRATEGY_CP);
  out->replicate = shardwise_import_degree (job, "parallelism.data_parallel_replicate_degree",
                                            SHARDWISE_KEY_STRATEGY_DP);
  out->fills = shard == NULL || shard->number == -1;
  if (!out->fills)
    out->shard = shardwise_import_degree (job, "parallelism.data_parallel_shard_degree",
                                          SHARDWISE_KEY_STRATEGY_DP);
  if (job->error != NULL)
    return FALSE;
  if (out->fills)
    {
      /* The value of data_parallel_shard_degree -1 on the current GPUs. */
      const guint64 others = shardwise_import_product (out->tp, out->pp, out->cp, out->replicate);
      double here = job->base != NULL
                        ? shardwise_scenario_get_number (job->base, SHARDWISE_KEY_CLUSTER_GPUS, 8)
                        : 8;

      if (here < (double) others || (guint64) here % others != 0)
        here = (double) others;
      out->shard = (guint) ((guint64) here / MAX (others, 1));
      shardwise_import_assume (job, SHARDWISE_KEY_CLUSTER_GPUS,
                               _ ("data_parallel_shard_degree uses all remaining GPUs, but the "
                                  "file does not set the number of GPUs: Shardwise uses %u."),
                               out->shard);
    }
  dp = (guint64) out->replicate * out->shard;
  gpus = shardwise_import_product ((guint) MIN (dp, 1 << 20), out->tp, out->pp, out->cp);
  ep = shardwise_import_degree (job, "parallelism.expert_parallel_degree",
                                SHARDWISE_KEY_STRATEGY_EP);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_TP, out->tp);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_PP, out->pp);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_CP, out->cp);
  if (dp <= 131072 && !out->fills)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_DP, (gint64) dp);
  if (out->replicate > 1 && out->shard > 1)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_SHARD_GROUP, out->shard);
  shardwise_import_word_index (job, "parallelism.fsdp_reshard_after_forward", reshards, &reshard);
  if (out->shard * out->cp == 1 && !out->fills)
    zero = 0;
  else
    zero = reshard == 2 ? 2 : 3; /* by default a pipeline does not reshard either: 2 equals 3 */
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, zero);
  shardwise_import_put_bool (job, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, out->tp > 1);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_EP, ep);
  /* Without expert parallelism the experts are split like the rest, whatever the key says; with it
   * they are whole if the key is missing. The main branch has no such key. */
  etp = shardwise_import_count_or (job, "parallelism.expert_tensor_parallel_degree",
                                   SHARDWISE_KEY_STRATEGY_ETP, 1);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ETP, ep > 1 ? etp : out->tp);
  if (gpus <= 131072)
    shardwise_import_put_world (job, (guint) gpus, 0);
  shardwise_import_word_index (job, "parallelism.context_parallel_rotate_method", rotations,
                               &rotation);
  if (out->cp > 1)
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_CP_METHOD,
                               rotation == 0 ? "allgather" : "ring");
  read_schedule (job, out);
  return job->error == NULL;
}

/* Reads a TorchTitan TOML. */
static void
read_toml (ShardwiseImportJob *job)
{
  Degrees degrees = { 0 };
  const ShardwiseNode *recipe;
  const char *name = shardwise_import_text (job, "model.name"),
             *flavor = shardwise_import_text (job, "model.flavor"), *option, *param, *optimizer;
  SwPrecision precision = SW_PRECISION_BF16;
  guint mode = 1, n = 0;

  if (name != NULL && flavor != NULL)
    put_flavor (job, name, flavor, shardwise_import_text (job, "model.hf_assets_path"));
  if (!read_strategy (job, &degrees))
    return;
  read_batch (job, &degrees);

  /* selective_ac_option: "op", or a number n: every n-th layer whole. */
  option = shardwise_import_text (job, "activation_checkpoint.selective_ac_option");
  shardwise_import_word_index (job, "activation_checkpoint.mode", checkpoint_modes, &mode);
  if (mode == 3)
    shardwise_import_warn (job, _ ("Recomputation with a memory budget is modeled as selective."));
  if (mode == 1 && option != NULL)
    n = (guint) g_ascii_strtoull (option, NULL, 10);
  if (n == 1)
    mode = 2;
  else if (n > 1)
    shardwise_import_warn (job,
                           _ ("Recomputation of every layer of %u is modeled as selective "
                              "recomputation of all layers."),
                           n);
  shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE,
                             mode == 0   ? "none"
                             : mode == 2 ? "full"
                                         : "selective");

  recipe = shardwise_import_at (job, "quantize.linear.float8.recipe_name");
  param = shardwise_import_text (job, "training.mixed_precision_param");
  if (param != NULL && g_str_equal (param, "float16"))
    precision = SW_PRECISION_FP16;
  if (has_converter (job, "mx"))
    precision = SW_PRECISION_MXFP8;
  else if (has_converter (job, "float8"))
    precision = shardwise_node_is_text (recipe, "rowwise") ? SW_PRECISION_FP8_ROWWISE
                                                           : SW_PRECISION_FP8;
  if (param != NULL && g_str_equal (param, "float32"))
    shardwise_import_warn (job, _ ("Training in fp32 is not modeled: Shardwise uses bf16."));
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_PRECISION, sw_precision_names[precision]);

  optimizer = shardwise_import_text (job, "optimizer.name");
  read_offload (job);
  read_compilation (job, FALSE);
  if (optimizer != NULL && g_ascii_strncasecmp (optimizer, "adam", 4) == 0)
    shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_OPTIMIZER, "adamw");
  else if (optimizer != NULL)
    shardwise_import_warn (job, _ ("The optimizer “%.60s” is unknown: Shardwise uses AdamW."),
                           optimizer);
  shardwise_import_check_keys (
      job, "parallelism", parallelism_keys, SHARDWISE_SEVERITY_ERROR, "unknown-key",
      _ ("%s is not a key of TorchTitan v0.2.2, which rejects unknown keys."));
}

const ShardwiseImportReader shardwise_import_torchtitan = {
  "torchtitan", N_ ("TorchTitan configuration"), SHARDWISE_FORMAT_TORCHTITAN, read_toml
};

/* ---- the main branch ---- */

/* The name of the configuration: the one with the most of its sections. */
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

/* A number of tokens as sequences; 0: not stated, or an error. */
static guint
sequences (ShardwiseImportJob *job, const char *key, guint length)
{
  const ShardwiseNode *node = shardwise_import_at (job, key);
  double n = shardwise_node_is_number (node) ? node->number / length : 0;
  guint ignored;

  if (node == NULL || job->error != NULL)
    return 0;
  if (!shardwise_node_is_number (node))
    shardwise_import_count (job, key, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                            &ignored); /* sets the error */
  else if (n >= 1 && n <= 1e9 && n == floor (n))
    return (guint) n;
  else
    shardwise_import_fail (
        job, node, key,
        _ ("only whole sequences are modeled; allowed: a multiple of training.max_context_length"));
  return 0;
}

/* The batch, in tokens, and the main branch's rules on it and on its pipeline. */
static void
read_tokens (ShardwiseImportJob *job, const Degrees *degrees)
{
  const guint64 dp = (guint64) degrees->replicate * degrees->shard;
  const guint length = shardwise_import_count_or (job, "training.max_context_length",
                                                  SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, 2048);
  const guint micro = sequences (job, "training.num_tokens_per_microbatch_per_dp_rank", length);
  const guint global = sequences (job, "training.num_tokens_per_train_step", length);
  guint parts = 0;

  shardwise_import_count (job, "parallelism.num_pp_microbatches",
                          SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, &parts);
  shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, length);
  if (micro > 0 && micro <= 65536)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, micro);
  if (global > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, global);
  if (micro > 0 && global > 0 && global % (micro * dp) != 0)
    shardwise_import_find_error (
        job, "batch",
        _ ("TorchTitan requires num_tokens_per_train_step to be a multiple of "
           "num_tokens_per_microbatch_per_dp_rank × data-parallel ranks."));
  else if (degrees->pp > 1 && parts > 0 && micro > 0 && global > 0
           && (guint64) parts * micro * dp > global)
    shardwise_import_find_error (job, "batch",
                                 _ ("num_pp_microbatches micro-batches on all data-parallel ranks "
                                    "have more tokens than num_tokens_per_train_step."));
  if (degrees->pp > 1 && !shardwise_import_truth (job, "training.disable_cuda_graphs", FALSE))
    shardwise_import_find_error (job, "pipeline",
                                 _ ("TorchTitan’s main branch rejects a pipeline unless "
                                    "training.disable_cuda_graphs is True."));
}

/* Reads a configuration of TorchTitan's main branch. It is parsed, never executed. */
static void
read_python (ShardwiseImportJob *job)
{
  const ShardwiseNode *root = job->root, *config = find_config (root),
                      *calls = shardwise_node_member (root, SHARDWISE_NODE_CALLS),
                      *assets = shardwise_node_member (config, "hf_assets_path"),
                      *recompute = shardwise_node_member (config, "activation_checkpoint"),
                      *callee = shardwise_node_member (recompute, SHARDWISE_NODE_CALLEE);
  const char *name = callee != NULL ? callee->text : "", *word = NULL;
  const ShardwiseTitanModel *model = NULL;
  Degrees degrees = { 0 };

  if (config == NULL)
    {
      job->error =
          shardwise_position_error (1, 1, "%s",
                                    _ ("this file does not change a configuration of TorchTitan; "
                                       "allowed: assignments to its parallelism and training"));
      return;
    }
  /* From the path of its tokenizer, or from the registry function that creates the
   * configuration. */
  for (guint i = 0; i < calls->items->len && model == NULL; i++)
    model = shardwise_titan_model_of (shardwise_python_callee (calls->items->pdata[i]));
  if (model != NULL)
    {
      /* config.model_spec = model_registry ("405B"): another size than the function's. */
      const ShardwiseNode *flavor =
          shardwise_python_argument (shardwise_node_member (config, "model_spec"), "flavor", 0);

      put_flavor (
          job, model->name,
          flavor != NULL && flavor->type == SHARDWISE_NODE_STRING ? flavor->text : model->flavor,
          assets != NULL && assets->type == SHARDWISE_NODE_STRING ? assets->text : model->assets);
    }
  else if (assets != NULL && assets->type == SHARDWISE_NODE_STRING)
    shardwise_import_put_model_named (job, assets->text);
  job->root = config;
  if (read_strategy (job, &degrees))
    {
      /* Values of the function that the file does not override. */
      const gboolean in_float8 = model != NULL && model->in_bf16 != NULL,
                     eager = model != NULL && !in_float8
                             && !g_str_equal (model->name, "deepseek_v3");

      if (!shardwise_import_truth (job, "parallelism.enable_sequence_parallel", TRUE))
        shardwise_import_put_bool (job, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, FALSE);
      if (degrees.cp > 1) /* the main branch has no setting for a ring */
        shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_CP_METHOD, "allgather");
      read_tokens (job, &degrees);

      /* FullAC.Config (), SelectiveAC.Config (), MemoryBudgetAC.Config () or None. */
      if (recompute != NULL && recompute->type == SHARDWISE_NODE_NULL)
        word = "none";
      else if (strstr (name, "FullAC") != NULL)
        word = "full";
      else if (strstr (name, "SelectiveAC") != NULL || strstr (name, "MemoryBudgetAC") != NULL)
        word = "selective";
      if (strstr (name, "MemoryBudgetAC") != NULL)
        shardwise_import_warn (job,
                               _ ("Recomputation with a memory budget is modeled as selective."));
      if (word != NULL)
        shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, word);
      else
        shardwise_import_warn (job, _ ("The file does not set recomputation: it is searched."));
      read_offload (job);
      if (in_float8 && shardwise_node_member (config, "model_spec") == NULL)
        shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_PRECISION, "fp8");
      read_compilation (job, !eager);
    }
  job->root = root;
  shardwise_python_warn_condition (job, root);
}

const ShardwiseImportReader shardwise_import_torchtitan_main = {
  "torchtitan-main", N_ ("TorchTitan configuration"), SHARDWISE_FORMAT_TORCHTITAN_MAIN, read_python
};
