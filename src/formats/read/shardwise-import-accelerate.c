/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accelerate's YAML, 1.15: FSDP 1 and 2, DeepSpeed and Megatron-LM in one file. */
#include "shardwise-catalogue.h"
#include "shardwise-import-job.h"

#include <glib/gi18n.h>

#define MESH "parallelism_config.parallelism_config_"
#define FSDP "fsdp_config.fsdp_"
#define MEGATRON "megatron_lm_config.megatron_lm_"

static const char *const top_keys[] = { "compute_environment",
                                        "distributed_type",
                                        "mixed_precision",
                                        "num_processes",
                                        "num_machines",
                                        "machine_rank",
                                        "main_process_ip",
                                        "main_process_port",
                                        "rdzv_backend",
                                        "same_network",
                                        "main_training_function",
                                        "gpu_ids",
                                        "use_cpu",
                                        "debug",
                                        "enable_cpu_affinity",
                                        "downcast_bf16",
                                        "tpu_name",
                                        "tpu_zone",
                                        "tpu_use_cluster",
                                        "tpu_use_sudo",
                                        "tpu_env",
                                        "tpu_vm",
                                        "tpu_config",
                                        "commands",
                                        "command_file",
                                        "fsdp_config",
                                        "deepspeed_config",
                                        "parallelism_config",
                                        "megatron_lm_config",
                                        "fp8_config",
                                        "dynamo_config",
                                        "mpirun_config",
                                        "ipex_config",
                                        "fork_launch",
                                        "log_dir",
                                        NULL };

/* The degrees of a mesh; data parallelism takes the rest. */
typedef struct {
  guint world, tp, cp, replicate, shard;
} Mesh;

/* ---- the launcher ---- */

static guint
read_world (ShardwiseImportJob *job)
{
  const ShardwiseNode *stated = shardwise_import_at (job, "num_processes");
  guint world = 0, machines = 1;

  if (stated == NULL || stated->number == -1)
    shardwise_import_find_error (job, "missing-key",
                                 _ ("num_processes is required: Accelerate needs the number of all "
                                    "processes on all machines."));
  else
    shardwise_import_count (job, "num_processes", SHARDWISE_KEY_CLUSTER_GPUS, &world);
  shardwise_import_count (job, "num_machines", SHARDWISE_KEY_CLUSTER_GPUS, &machines);
  if (world > 0 && world % machines != 0)
    shardwise_import_find_error (job, "machines",
                                 _ ("num_processes is not a multiple of num_machines; it counts "
                                    "the processes of all machines."));
  shardwise_import_put_world (
      job, world,
      machines > 1 && world / machines > 0 && world / machines <= 1024 ? world / machines : 0);
  return world;
}

/* ---- FSDP ---- */

static void
read_mesh (ShardwiseImportJob *job, guint world, Mesh *out)
{
  guint sp = shardwise_import_degree (job, MESH "sp_size", SHARDWISE_KEY_STRATEGY_CP);
  guint64 product;

  *out = (Mesh){
    .world = world,
    .tp = shardwise_import_degree (job, MESH "tp_size", SHARDWISE_KEY_STRATEGY_TP),
    .cp = shardwise_import_degree (job, MESH "cp_size", SHARDWISE_KEY_STRATEGY_CP),
    .replicate = shardwise_import_degree (job, MESH "dp_replicate_size", SHARDWISE_KEY_STRATEGY_DP),
    .shard = shardwise_import_degree (job, MESH "dp_shard_size", SHARDWISE_KEY_STRATEGY_DP)
  };
  if (out->cp > 1 && sp > 1)
    shardwise_import_find_error (job, "framework-cp", _ ("Accelerate rejects cp and sp together."));
  if ((out->tp > 1 || out->cp > 1) && out->replicate > 1 && out->shard == 1)
    shardwise_import_find_error (
        job, "framework-tp",
        _ ("Accelerate rejects tp or cp above 1 with dp_replicate above 1 and dp_shard 1."));
  shardwise_import_put_word (
      job, SHARDWISE_KEY_STRATEGY_CP_METHOD,
      sp > 1 ? "ulysses"
      : shardwise_node_is_text (shardwise_import_at (job, MESH "cp_comm_strategy"), "alltoall")
          ? "ring"
          : "allgather");
  out->cp = MAX (out->cp, sp);
  product = shardwise_import_product (out->tp, out->cp, out->replicate, out->shard);
  if (world > 0 && shardwise_import_at (job, "parallelism_config") != NULL && product != world)
    shardwise_import_find_error (
        job, "world-size",
        _ ("Accelerate requires dp_replicate × dp_shard × tp × cp to equal num_processes."));
}

static void
put_mesh (ShardwiseImportJob *job, const Mesh *mesh)
{
  const gboolean has_mesh = shardwise_import_at (job, "parallelism_config") != NULL;
  guint64 rest = (guint64) mesh->tp * mesh->cp;
  guint64 dp = has_mesh          ? (guint64) mesh->replicate * mesh->shard
               : mesh->world > 0 ? mesh->world / rest
                                 : 0;

  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_TP, mesh->tp);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_CP, mesh->cp);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_PP, 1);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_EP, 1);
  if (dp > 0 && dp <= 131072)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_DP, (gint64) dp);
  if (has_mesh && mesh->replicate > 1 && mesh->shard > 1)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_SHARD_GROUP, mesh->shard);
}

/* 1 to 5 or a name for FSDP 1; a boolean for FSDP 2. Returns the ZeRO stage. */
static guint
sharding_stage (ShardwiseImportJob *job, guint version)
{
  static const char *const words[] = { "FULL_SHARD",   "SHARD_GRAD_OP",      "NO_SHARD",
                                       "HYBRID_SHARD", "HYBRID_SHARD_ZERO2", NULL };
  static const guint stages[] = { 3, 2, 0, 3, 2 };
  const char *const key = shardwise_import_at (job, FSDP "sharding_strategy") != NULL
                              ? FSDP "sharding_strategy"
                              : FSDP "reshard_after_forward";
  const ShardwiseNode *node = shardwise_import_at (job, key);
  guint index = 0;

  if (node == NULL)
    return 3;
  if (node->type == SHARDWISE_NODE_BOOLEAN)
    return node->number != 0 ? 3 : 2;
  if (version == 2 && shardwise_node_is_text (node, "FULL_SHARD"))
    return 3;
  if (shardwise_node_is_number (node))
    index = (guint) CLAMP (node->number, 1, 5) - 1;
  else
    shardwise_import_word_index (job, key, words, &index);
  if (index >= 3) /* within a node, or the whole node */
    {
      ShardwiseScenario *scenario = job->out->scenario;
      double per_node =
                 shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE,
                                                shardwise_defaults_get ("cluster.gpus_per_node")),
             dp = shardwise_scenario_get_number (scenario, SHARDWISE_KEY_STRATEGY_DP, per_node);

      shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_SHARD_GROUP,
                                (gint64) MAX (1, MIN (per_node, dp)));
    }
  return stages[index];
}

static void
read_fsdp (ShardwiseImportJob *job, guint world)
{
  static const char *const key = "fsdp_config.fsdp_version";
  const ShardwiseNode *node = shardwise_import_at (job, key);
  const char *backend = shardwise_import_text (job, "dynamo_config.dynamo_backend");
  guint version;
  Mesh mesh;

  if (shardwise_node_is_number (node) && node->number != 1 && node->number != 2)
    shardwise_import_fail (job, node, key, _ ("unknown version; allowed: 1 or 2"));
  version = shardwise_import_count_or (job, key, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, 1);
  if (version == 1 && shardwise_import_at (job, "parallelism_config") != NULL)
    shardwise_import_find_error (job, "framework-tp",
                                 _ ("Accelerate rejects parallelism_config with FSDP 1 when the "
                                    "job starts; set fsdp_version to 2."));
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_FRAMEWORK,
                             version == 2 ? "fsdp2" : "fsdp");
  read_mesh (job, world, &mesh);
  put_mesh (job, &mesh);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ZERO_STAGE,
                            mesh.shard == 1 && mesh.replicate > 1 ? 0
                                                                  : sharding_stage (job, version));
  shardwise_import_put_word (
      job, SHARDWISE_KEY_STRATEGY_RECOMPUTE,
      shardwise_import_truth (job, FSDP "activation_checkpointing", FALSE) ? "full" : "none");
  shardwise_import_put_word (
      job, SHARDWISE_KEY_STRATEGY_OFFLOAD,
      sw_offload_names[shardwise_import_truth (job, FSDP "offload_params", FALSE)
                           ? SW_OFFLOAD_OPTIMIZER_PARAMS
                           : SW_OFFLOAD_NONE]);
  shardwise_import_put_bool (job, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, FALSE);
  if (backend != NULL)
    shardwise_import_put_bool (job, SHARDWISE_KEY_TRAINING_SOFTWARE_COMPILE,
                               g_ascii_strcasecmp (backend, "no") != 0);
}

/* ---- DeepSpeed ---- */

static gboolean
is_device (ShardwiseImportJob *job, const char *key)
{
  const ShardwiseNode *node = shardwise_import_at (job, key);

  if (shardwise_node_is_text (node, "nvme"))
    shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_OFFLOAD_DEVICE, "nvme");
  return shardwise_node_is_text (node, "cpu") || shardwise_node_is_text (node, "nvme");
}

static void
read_deepspeed (ShardwiseImportJob *job, guint world)
{
  const gboolean params = is_device (job, "deepspeed_config.offload_param_device"),
                 optimizer = is_device (job, "deepspeed_config.offload_optimizer_device");
  Mesh mesh;

  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_FRAMEWORK, "deepspeed");
  read_mesh (job, world, &mesh);
  put_mesh (job, &mesh);
  shardwise_import_put_bool (job, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, FALSE);
  if (shardwise_import_at (job, "deepspeed_config.deepspeed_config_file") != NULL)
    {
      if (!shardwise_import_has_part (job, SHARDWISE_IMPORT_DEEPSPEED))
        shardwise_import_warn (
            job, _ ("The file refers to a DeepSpeed JSON file, which is not opened: ZeRO, offload "
                    "and batch are searched. Open both files together to read them."));
      if (shardwise_import_at (job, "deepspeed_config.zero_stage") != NULL)
        shardwise_import_find_error (job, "framework-zero",
                                     _ ("Accelerate rejects settings next to deepspeed_config_file "
                                        "that the DeepSpeed file also contains."));
      return;
    }
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ZERO_STAGE,
                            shardwise_import_count_or (job, "deepspeed_config.zero_stage",
                                                       SHARDWISE_KEY_STRATEGY_ZERO_STAGE, 2));
  shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_OFFLOAD,
                             sw_offload_names[params      ? SW_OFFLOAD_OPTIMIZER_PARAMS
                                              : optimizer ? SW_OFFLOAD_OPTIMIZER
                                                          : SW_OFFLOAD_NONE]);
}

/* ---- Megatron-LM ---- */

static void
read_megatron (ShardwiseImportJob *job, guint world)
{
  static const char *const words[] = { "full", "selective", NULL };
  guint tp = shardwise_import_degree (job, MEGATRON "tp_degree", SHARDWISE_KEY_STRATEGY_TP),
        pp = shardwise_import_degree (job, MEGATRON "pp_degree", SHARDWISE_KEY_STRATEGY_PP),
        cp = shardwise_import_degree (job, MEGATRON "context_parallel_size",
                                      SHARDWISE_KEY_STRATEGY_CP),
        vpp_layers, index, layers;
  guint64 model = (guint64) tp * pp * cp;

  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_FRAMEWORK, "megatron-core");
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_TP, tp);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_PP, pp);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_CP, cp);
  if (shardwise_import_at (job, MEGATRON "context_parallel_size") == NULL)
    shardwise_import_warn (
        job, _ ("megatron_lm_context_parallel_size is not set: Accelerate 1.15.0.dev0 then uses 2, "
                "not 1. Shardwise uses 1; set it in the file."));
  /* Accelerate has no option for it: Megatron-LM's default applies, point to point. */
  shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_CP_METHOD, "ring");
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_EP,
                            shardwise_import_degree (job, MEGATRON "expert_model_parallel_size",
                                                     SHARDWISE_KEY_STRATEGY_EP));
  if (world > 0 && world % model == 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_DP, (gint64) (world / model));
  shardwise_import_put_bool (
      job, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL,
      tp > 1 && shardwise_import_truth (job, MEGATRON "sequence_parallelism", FALSE));
  shardwise_import_put_int (
      job, SHARDWISE_KEY_STRATEGY_ZERO_STAGE,
      shardwise_import_truth (job, MEGATRON "use_distributed_optimizer", FALSE) ? 1 : 0);
  if (shardwise_import_count (job, MEGATRON "num_layers_per_virtual_pipeline_stage",
                              SHARDWISE_KEY_MODEL_LAYERS, &vpp_layers))
    shardwise_import_warn (job, _ ("The file sets virtual stages by layers, but not the model: "
                                   "virtual stages are searched."));
  else
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_VPP, 1);
  shardwise_import_put_word (
      job, SHARDWISE_KEY_STRATEGY_OFFLOAD,
      sw_offload_names[shardwise_import_truth (job, MEGATRON "optimizer_cpu_offload", FALSE)
                           ? SW_OFFLOAD_OPTIMIZER
                           : SW_OFFLOAD_NONE]);
  if (!shardwise_import_word_index (job, MEGATRON "recompute_granularity", words, &index))
    {
      /* MegatronLMPlugin recomputes in full if no granularity is set. It reads
       * recompute_activations, which meant the selective kind, and ignores it. */
      const gboolean selective = shardwise_import_truth (job, MEGATRON "recompute_activations",
                                                         FALSE);

      shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE,
                                 selective ? "selective" : "full");
      shardwise_import_warn (
          job, selective
                   ? _ ("Accelerate 1.15.0.dev0 does not pass megatron_lm_recompute_activations "
                        "on: it recomputes every layer in full. The results here apply to versions "
                        "that recompute selectively.")
                   : _ ("megatron_lm_recompute_granularity is not set: Accelerate 1.15.0.dev0 then "
                        "recomputes every layer in full, and Shardwise does the same."));
    }
  else if (index == 1)
    {
      shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, "selective");
      shardwise_import_find_error (job, "recompute",
                                   _ ("Accelerate 1.15.0.dev0 always passes a recompute method to "
                                      "Megatron-LM, which rejects it with selective recomputation: "
                                      "with these keys, only full recomputation works."));
    }
  else if (shardwise_node_is_text (shardwise_import_at (job, MEGATRON "recompute_method"), "block")
           && shardwise_import_count (job, MEGATRON "recompute_num_layers",
                                      SHARDWISE_KEY_MODEL_LAYERS, &layers))
    {
      g_autofree char *word = g_strdup_printf ("full_layers:%u", layers);

      shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, word);
    }
  else
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, "full");
}

/* Reads an Accelerate configuration. */
static void
read_file (ShardwiseImportJob *job)
{
  static const char *const types[] = {
    "NO", "MULTI_GPU", "FSDP", "DEEPSPEED", "MEGATRON_LM", NULL
  };
  static const char *const precisions[] = { "no", "fp16", "bf16", "fp8", NULL };
  static const char *const groups[][2] = {
    { "parallelism_config", "parallelism_config_" },
    { "megatron_lm_config", "megatron_lm_" },
  };
  const ShardwiseNode *type = shardwise_import_at (job, "distributed_type"),
                      *mixed = shardwise_import_at (job, "mixed_precision");
  guint world = read_world (job), index = 1, precision = 2, count = 0;
  const char *key;
  double dp;

  if (type == NULL)
    shardwise_import_find_error (
        job, "missing-key",
        _ ("distributed_type is required: Accelerate rejects the file without it."));
  else if (type->type == SHARDWISE_NODE_BOOLEAN) /* YAML reads "NO" without quotes as false */
    index = 0;
  else
    shardwise_import_word_index (job, "distributed_type", types, &index);
  /* YAML reads an unquoted "no" as false. */
  if (mixed == NULL ? shardwise_import_at (job, "deepspeed_config.deepspeed_config_file") == NULL
                    : mixed->type == SHARDWISE_NODE_BOOLEAN)
    precision = 0;
  else
    shardwise_import_word_index (job, "mixed_precision", precisions, &precision);
  if (precision == 0)
    shardwise_import_warn (job, _ ("mixed_precision is “no”: the data type of the model decides, "
                                   "and Shardwise uses bf16."));
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_PRECISION,
                             precision == 0 ? "bf16" : precisions[precision]);
  if (index == 3)
    read_deepspeed (job, world);
  else if (index == 4)
    read_megatron (job, world);
  else
    read_fsdp (job, world);
  if (index < 2)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, 0);
  shardwise_import_check_keys (job, NULL, top_keys, SHARDWISE_SEVERITY_ERROR, "unknown-key",
                               _ ("%s is not a key of Accelerate, which rejects unknown keys."));

  /* Accelerate copies keys to options with the same name and silently drops the others. */
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      const ShardwiseNode *map = shardwise_import_at (job, groups[i][0]);

      for (guint j = 0; map != NULL && map->keys != NULL && j < MIN (map->keys->len, 20); j++)
        if (!g_str_has_prefix (map->keys->pdata[j], groups[i][1]))
          shardwise_import_find (
              job, SHARDWISE_SEVERITY_WARNING, "ignored-key",
              /* Translators: a key, a line number, the beginning that the key must have */
              _ ("%.60s (line %u) is silently ignored: Accelerate expects it as %s%.60s."),
              (char *) map->keys->pdata[j], ((ShardwiseNode *) map->items->pdata[j])->line,
              groups[i][1], (char *) map->keys->pdata[j]);
    }

  /* Some files set the number of micro-batches of a step; the training script sets their size. The
   * smallest size is used, because the pipeline bubble depends on the number only. "auto" leaves
   * the number to the script, too. */
  key = index == 3   ? "deepspeed_config.gradient_accumulation_steps"
        : index == 4 ? MEGATRON "num_micro_batches"
                     : NULL;
  dp = shardwise_scenario_get_number (job->out->scenario, SHARDWISE_KEY_STRATEGY_DP, 0);
  if (shardwise_scenario_is_set (job->out->scenario, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE)
      || shardwise_import_has_part (job, SHARDWISE_IMPORT_DEEPSPEED)
      || shardwise_import_has_tool (job))
    return; /* another file of the job states it */
  if (key == NULL || dp < 1 || shardwise_node_is_text (shardwise_import_at (job, key), "auto")
      || !shardwise_import_count (job, key, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, &count)
      || count * dp > 1e9)
    {
      shardwise_import_warn (job, _ ("The file does not set the micro-batch: it is searched."));
      return;
    }
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, 1);
  shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, (gint64) (count * dp));
  shardwise_import_assume (
      job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE,
      ngettext ("The file sets %u micro-batch per step and leaves its size to the script: "
                "Shardwise uses 1 sequence until you set yours, and the global batch follows.",
                "The file sets %u micro-batches per step and leaves their size to the script: "
                "Shardwise uses 1 sequence until you set yours, and the global batch follows.",
                count),
      count);
}

const ShardwiseImportReader shardwise_import_accelerate = {
  "accelerate", N_ ("Accelerate configuration"), SHARDWISE_FORMAT_ACCELERATE, read_file
};
