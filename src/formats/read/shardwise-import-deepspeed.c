/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DeepSpeed's JSON, 0.19.6: the strategy in it, the parts that Python sets instead, and what
 * DeepSpeed would reject or ignore. Also the Python that starts DeepSpeed: the topology of the
 * pipeline, which JSON cannot express, and the configuration if it is a dict in the script. */
#include "shardwise-import-job.h"

#include <glib/gi18n.h>

#include "shardwise-import-python.h"
#include "shardwise-node-python.h"

/* The grid of ranks that a script gives to a PipelineModule; 0: not stated. */
typedef struct {
  guint pp, tp, dp;
} Topology;

/* The numbers of one optimizer step; 0: not stated. */
typedef struct {
  guint batch, micro, accumulation;
  guint tp, dp, cp;
  guint pp; /* of a topology in Python */
  gboolean has_pipeline;
} Batch;

static const char *const zero_keys[] = { "stage",
                                         "contiguous_gradients",
                                         "reduce_scatter",
                                         "reduce_bucket_size",
                                         "use_multi_rank_bucket_allreduce",
                                         "allgather_partitions",
                                         "allgather_bucket_size",
                                         "overlap_comm",
                                         "load_from_fp32_weights",
                                         "elastic_checkpoint",
                                         "offload_param",
                                         "offload_optimizer",
                                         "zenflow",
                                         "sub_group_size",
                                         "stage3_prefetch_bucket_size",
                                         "stage3_param_persistence_threshold",
                                         "stage3_model_persistence_threshold",
                                         "stage3_max_live_parameters",
                                         "stage3_max_reuse_distance",
                                         "stage3_gather_16bit_weights_on_model_save",
                                         "stage3_module_granularity_threshold",
                                         "stage3_use_all_reduce_for_fetch_params",
                                         "stage3_allgather_sequential",
                                         "ignore_unused_parameters",
                                         "round_robin_gradients",
                                         "zero_hpz_partition_size",
                                         "zero_quantized_weights",
                                         "zero_quantized_nontrainable_weights",
                                         "zero_quantized_gradients",
                                         "zeropp_loco_param",
                                         "mics_shard_size",
                                         "mics_hierarchical_params_gather",
                                         "memory_efficient_linear",
                                         "override_module_apply",
                                         "log_trace_cache_warnings",
                                         "enable_sanity_checks",
                                         "leaf_module",
                                         "cpu_offload",
                                         "cpu_offload_params",
                                         "cpu_offload_use_pin_memory",
                                         "prefetch_bucket_size",
                                         "param_persistence_threshold",
                                         "model_persistence_threshold",
                                         "max_live_parameters",
                                         "max_reuse_distance",
                                         "gather_16bit_weights_on_model_save",
                                         "stage3_gather_fp16_weights_on_model_save",
                                         NULL };
static const char *const tensor_keys[] = {
  "autotp_size", "tp", "preset_model", "partition_config", "tp_overlap_comm", "dtype", NULL
};

/* Keys that web pages recommend and DeepSpeed never reads. */
static const char *const no_keys[] = { "pipeline_parallel_size",
                                       "tensor_parallel_size",
                                       "model_parallel_size",
                                       "zero_stage",
                                       "moe",
                                       "ep_size",
                                       "sequence_parallel",
                                       "num_gpus" };

/* Hugging Face fills in "auto". */
static gboolean
is_auto (ShardwiseImportJob *job, const char *key)
{
  return shardwise_node_is_text (shardwise_import_at (job, key), "auto");
}

static guint
batch_number (ShardwiseImportJob *job, const char *key)
{
  guint value = 0;

  if (is_auto (job, key)
      && !shardwise_scenario_is_set (job->out->scenario, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE))
    shardwise_import_warn (job,
                           _ ("%s is “auto”: Hugging Face’s Trainer and Accelerate fill it in, but "
                              "plain DeepSpeed rejects it. It is searched here."),
                           key);
  else if (!is_auto (job, key))
    shardwise_import_count (job, key, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, &value);
  return value;
}

static guint
size_or_one (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id)
{
  return is_auto (job, key) ? 1 : MAX (1, shardwise_import_count_or (job, key, id, 1));
}

/* ---- batch ---- */

/* The degrees, and the numbers of one step to check them against. */
static void
read_batch (ShardwiseImportJob *job, const Topology *topology, Batch *out)
{
  guint64 of_one, ranks, gpus;
  gboolean autotp, is_whole;
  guint inner;

  out->batch = batch_number (job, "train_batch_size");
  out->micro = batch_number (job, "train_micro_batch_size_per_gpu");
  out->accumulation = batch_number (job, "gradient_accumulation_steps");
  out->has_pipeline = shardwise_import_at (job, "pipeline") != NULL;
  out->tp = size_or_one (job, "tensor_parallel.autotp_size", SHARDWISE_KEY_STRATEGY_TP);
  shardwise_import_put_switch (job, "tensor_parallel.tp_overlap_comm",
                               SHARDWISE_KEY_TRAINING_SOFTWARE_ASYNC_TP);
  inner = size_or_one (job, "tensor_parallel.tp.tp_size", SHARDWISE_KEY_STRATEGY_TP);
  if (inner != 1 && out->tp != 1 && inner != out->tp)
    shardwise_import_find_error (
        job, "tensor-parallel",
        _ ("DeepSpeed requires tensor_parallel.tp.tp_size to be 1 or equal to autotp_size."));
  out->tp = MAX (out->tp, inner);
  shardwise_import_count (job, "data_parallel_size", SHARDWISE_KEY_STRATEGY_DP, &out->dp);
  out->cp = size_or_one (job, "sequence_parallel_size", SHARDWISE_KEY_STRATEGY_CP);
  /* A topology is an mpu: its data-parallel ranks define the batch, and its tensor parallel size
   * replaces AutoTP's. */
  if (topology != NULL && topology->pp > 0)
    {
      out->has_pipeline = TRUE;
      out->pp = topology->pp;
      out->tp = MAX (topology->tp, 1);
      if (topology->dp > 0)
        out->dp = topology->dp;
    }
  /* train_batch_size = micro x accumulation x data-parallel ranks. With AutoTP and no mpu DeepSpeed
   * counts every GPU as such a rank. */
  of_one = shardwise_import_product (out->micro, out->accumulation, 1, 1);
  autotp = out->tp > 1 && !out->has_pipeline;
  is_whole = out->batch > 0 && of_one > 0;
  ranks = is_whole ? out->batch / of_one : 0;
  if (is_whole && out->batch % of_one != 0)
    shardwise_import_find_error (
        job, "batch",
        _ ("train_batch_size is not a multiple of train_micro_batch_size_per_gpu × "
           "gradient_accumulation_steps: DeepSpeed rejects it for every number of GPUs."));
  else if (is_whole && out->dp > 0 && ranks != out->dp)
    shardwise_import_find_error (
        job, "batch",
        _ ("DeepSpeed requires train_batch_size = train_micro_batch_size_per_gpu × "
           "gradient_accumulation_steps × data_parallel_size."));
  else if (is_whole && autotp && ranks % out->tp != 0)
    shardwise_import_find_error (
        job, "batch",
        _ ("With AutoTP, DeepSpeed counts every GPU as a data-parallel rank: train_batch_size must "
           "be micro-batch × accumulation × all GPUs, in multiples of autotp_size. Remove "
           "train_batch_size."));
  else if (is_whole && out->dp == 0)
    out->dp = (guint) (autotp ? ranks / out->tp : ranks);

  gpus = shardwise_import_product (out->dp, out->tp, out->cp, MAX (out->pp, 1));
  if (out->dp > 0 && out->dp <= 131072)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_DP, out->dp);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_CP, out->cp);
  if (out->cp > 1)
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_CP_METHOD, "ulysses");
  if (out->has_pipeline && out->pp == 0)
    {
      shardwise_import_warn (
          job, _ ("The pipeline stages and the tensor parallelism of the layers are set in Python "
                  "(PipelineModule and its topology): PP and TP are searched. Open that script "
                  "together with this file to read them."));
      return;
    }
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_TP, out->tp);
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_PP, MAX (out->pp, 1));
  shardwise_import_put_bool (job, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, FALSE);
  if (out->dp > 0 && gpus <= 131072)
    shardwise_import_put_world (job, (guint) gpus, 0);
}

/* ---- ZeRO ---- */

static gboolean
is_offloaded (ShardwiseImportJob *job, const char *key)
{
  static const char *const devices[] = { "none", "cpu", "nvme", NULL };
  const ShardwiseNode *device = shardwise_import_at (job, key);
  guint index;

  if (!is_auto (job, key))
    shardwise_import_word_index (job, key, devices, &index);
  if (shardwise_node_is_text (device, "nvme"))
    shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_OFFLOAD_DEVICE, "nvme");
  return shardwise_node_is_text (device, "cpu") || shardwise_node_is_text (device, "nvme");
}

static void
read_zero (ShardwiseImportJob *job, const Batch *batch)
{
  const ShardwiseNode *section = shardwise_import_at (job, "zero_optimization");
  gboolean params, optimizer;
  guint stage = 0, group;

  /* "zero_optimization": true, which DeepSpeed still accepts as stage 1, and false as 0. */
  if (section == NULL || section->type != SHARDWISE_NODE_BOOLEAN)
    shardwise_import_count (job, "zero_optimization.stage", SHARDWISE_KEY_STRATEGY_ZERO_STAGE,
                            &stage);
  else
    {
      stage = section->number != 0;
      shardwise_import_find (job, SHARDWISE_SEVERITY_WARNING, "type",
                             /* Translators: a line number, "true" or "false", a ZeRO stage */
                             _ ("zero_optimization (line %u) is %s, a deprecated form that "
                                "DeepSpeed plans to remove: it means {\"stage\": %u}."),
                             section->line, section->text, stage);
    }
  shardwise_import_check_keys (
      job, "zero_optimization", zero_keys, SHARDWISE_SEVERITY_ERROR, "unknown-key",
      _ ("%s is not a key of DeepSpeed’s ZeRO section, which rejects unknown keys."));
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, stage);
  if (batch->has_pipeline && stage > 1)
    shardwise_import_find_error (job, "framework-zero",
                                 _ ("DeepSpeed’s pipeline engine rejects ZeRO 2 and 3."));
  if (section == NULL || section->type == SHARDWISE_NODE_BOOLEAN)
    {
      shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_OFFLOAD,
                                 sw_offload_names[SW_OFFLOAD_NONE]);
      return;
    }
  if (shardwise_import_at (job, "zero_optimization.mics_shard_size") != NULL
      && shardwise_import_at (job, "zero_optimization.mics_shard_size")->number > 0
      && shardwise_import_count (job, "zero_optimization.mics_shard_size",
                                 SHARDWISE_KEY_STRATEGY_SHARD_GROUP, &group))
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_SHARD_GROUP, group);
  if (shardwise_import_count_or (job, "zero_optimization.zero_hpz_partition_size",
                                 SHARDWISE_KEY_STRATEGY_SHARD_GROUP, 1)
      > 1)
    shardwise_import_warn (job, _ ("The second copy of the weights within a node "
                                   "(zero_hpz_partition_size) is not modeled."));
  shardwise_import_put_switch (job, "zero_optimization.overlap_comm",
                               SHARDWISE_KEY_TRAINING_SOFTWARE_DP_OVERLAP);
  params = is_offloaded (job, "zero_optimization.offload_param.device")
           || shardwise_import_truth (job, "zero_optimization.cpu_offload_params", FALSE);
  optimizer = is_offloaded (job, "zero_optimization.offload_optimizer.device")
              || shardwise_import_truth (job, "zero_optimization.cpu_offload", FALSE);

  if (params && stage != 3)
    shardwise_import_find_error (job, "offload",
                                 _ ("DeepSpeed offloads parameters with ZeRO 3 only."));
  if (optimizer && stage == 0)
    shardwise_import_find_error (job, "offload",
                                 _ ("DeepSpeed offloads the optimizer with ZeRO 1 to 3 only."));
  if (params && !optimizer)
    shardwise_import_warn (
        job,
        _ ("Parameters are offloaded but the optimizer is not: both are modeled as offloaded."));
  shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_OFFLOAD,
                             sw_offload_names[params      ? SW_OFFLOAD_OPTIMIZER_PARAMS
                                              : optimizer ? SW_OFFLOAD_OPTIMIZER
                                                          : SW_OFFLOAD_NONE]);
}

/* ---- the rest ---- */

static gboolean
is_enabled (ShardwiseImportJob *job, const char *key)
{
  return !is_auto (job, key) && shardwise_import_truth (job, key, FALSE);
}

static void
read_recompute (ShardwiseImportJob *job, const Batch *batch)
{
  const char *const offloads = "activation_checkpointing.cpu_checkpointing";
  guint interval;

  if (shardwise_scenario_is_set (job->out->scenario, SHARDWISE_KEY_STRATEGY_RECOMPUTE))
    return; /* a script states it */
  if (batch->has_pipeline
      && shardwise_import_count (job, "pipeline.activation_checkpoint_interval",
                                 SHARDWISE_KEY_MODEL_MOE_FIRST_DENSE_LAYERS, &interval))
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE,
                               interval > 0 ? "full" : "none");
  else
    shardwise_import_warn (
        job, _ ("Recomputation of activations is set in Python, not here: it is searched."));
  if (batch->has_pipeline && shardwise_import_truth (job, offloads, FALSE)
      && !shardwise_node_is_text (shardwise_import_at (job, offloads), "auto"))
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_OFFLOAD,
                               sw_offload_names[SW_OFFLOAD_ACTIVATIONS]);
  if (shardwise_import_at (job, "activation_checkpointing.partitioned_activations") != NULL)
    shardwise_import_find (job, SHARDWISE_SEVERITY_WARNING, "ignored-key",
                           _ ("activation_checkpointing.partitioned_activations is never "
                              "read; the key is partition_activations."));
}

/* Keys that DeepSpeed silently ignores, and keys that a strict section refuses. */
static void
warn_of_keys (ShardwiseImportJob *job)
{
  for (guint i = 0; i < G_N_ELEMENTS (no_keys); i++)
    {
      const ShardwiseNode *node = shardwise_import_at (job, no_keys[i]);

      if (node != NULL)
        shardwise_import_find (
            job, SHARDWISE_SEVERITY_WARNING, "ignored-key",
            /* Translators: a key of the file and the line it stands in */
            _ ("%s (line %u) is not a key of DeepSpeed: it is silently ignored."), no_keys[i],
            node->line);
    }
  shardwise_import_check_keys (job, "tensor_parallel", tensor_keys, SHARDWISE_SEVERITY_ERROR,
                               "unknown-key",
                               _ ("%s is not a key of DeepSpeed’s tensor_parallel section, which "
                                  "rejects unknown keys; the key for the size is autotp_size."));
}

/* Reads a DeepSpeed configuration: JSON, or the same as a Python dict. */
static void
read_config (ShardwiseImportJob *job, const Topology *topology)
{
  static const struct {
    const char *type;
    SwOptimizer optimizer;
  } types[] = {
    { "Adam", SW_OPTIMIZER_ADAMW },
    { "AdamW", SW_OPTIMIZER_ADAMW },
    { "OneBitAdam", SW_OPTIMIZER_ADAMW },
    { "ZeroOneAdam", SW_OPTIMIZER_ADAMW },
    { "Lamb", SW_OPTIMIZER_ADAMW },
    { "Lion", SW_OPTIMIZER_LION },
    { "SGD", SW_OPTIMIZER_SGD },
    { "Muon", SW_OPTIMIZER_MUON },
    { "Adafactor", SW_OPTIMIZER_ADAFACTOR },
  };
  const char *type;
  gboolean bf16, fp16;
  Batch batch = { 0 };
  guint64 global;
  guint dp, kind = 0;

  read_batch (job, topology, &batch);
  dp = batch.dp;
  if (dp == 0 && !batch.has_pipeline)
    {
      /* The number of ranks if the file does not state it: that of the current cluster. */
      ShardwiseScenario *here = shardwise_scenario_is_set (job->out->scenario,
                                                           SHARDWISE_KEY_CLUSTER_GPUS)
                                    ? job->out->scenario
                                    : job->base;
      double gpus = here != NULL
                        ? shardwise_scenario_get_number (here, SHARDWISE_KEY_CLUSTER_GPUS, 8)
                        : 8;

      dp = (guint) MAX (1, gpus / (double) shardwise_import_product (batch.tp, batch.cp, 1, 1));
    }
  global = shardwise_import_product (batch.micro, batch.accumulation, dp, 1);
  if (batch.micro > 65536)
    shardwise_import_fail (job, shardwise_import_at (job, "train_micro_batch_size_per_gpu"),
                           "train_micro_batch_size_per_gpu",
                           _ ("out of range; allowed: 1 to 65,536"));
  else if (batch.micro > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, batch.micro);
  if (batch.batch > 0 && (batch.tp == 1 || batch.has_pipeline))
    global = batch.batch;
  if (global > 0 && global <= 1000000000)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, (gint64) global);
  if (batch.batch == 0 && batch.micro == 0 && !is_auto (job, "train_batch_size")
      && !is_auto (job, "train_micro_batch_size_per_gpu"))
    shardwise_import_find_error (job, "batch",
                                 _ ("DeepSpeed requires train_batch_size or "
                                    "train_micro_batch_size_per_gpu; the file sets neither."));
  read_zero (job, &batch);
  bf16 = is_enabled (job, "bf16.enabled") || is_enabled (job, "bfloat16.enabled");
  fp16 = is_enabled (job, "fp16.enabled");
  if (bf16 && fp16)
    shardwise_import_find_error (job, "precision", _ ("DeepSpeed rejects bf16 and fp16 together."));
  if (!bf16 && !fp16 && !is_auto (job, "bf16.enabled") && !is_auto (job, "fp16.enabled"))
    shardwise_import_warn (job, _ ("Neither bf16 nor fp16 is enabled: the job runs in fp32, which "
                                   "is not modeled; Shardwise uses bf16."));
  /* The launcher may set values that the file leaves to Hugging Face. */
  if (bf16 || fp16
      || !shardwise_scenario_is_set (job->out->scenario, SHARDWISE_KEY_TRAINING_PRECISION))
    shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_PRECISION,
                               fp16 && !bf16 ? "fp16" : "bf16");
  type = shardwise_import_text (job, "optimizer.type");
  if (type != NULL && !g_str_equal (type, "auto"))
    {
      while (kind < G_N_ELEMENTS (types) && g_ascii_strcasecmp (types[kind].type, type) != 0)
        kind++;
      if (kind < G_N_ELEMENTS (types))
        shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_OPTIMIZER,
                                   sw_optimizer_names[types[kind].optimizer]);
      else
        shardwise_import_warn (job, _ ("The optimizer “%.60s” is unknown: Shardwise uses AdamW."),
                               type);
    }
  if (is_enabled (job, "expert_parallel.enabled"))
    {
      shardwise_import_put_int (
          job, SHARDWISE_KEY_STRATEGY_EP,
          size_or_one (job, "expert_parallel.autoep_size", SHARDWISE_KEY_STRATEGY_EP));
      shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ETP,
                                size_or_one (job, "expert_parallel.expert_tensor_parallel_size",
                                             SHARDWISE_KEY_STRATEGY_ETP));
    }
  else
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_EP, 1);
  read_recompute (job, &batch);
  warn_of_keys (job);
}

/* ---- the script ---- */

typedef struct {
  const char *callee, *keyword;
  guint place;
  ShardwiseKeyId key; /* of the range */
  guint offset;       /* in Topology */
} Degree;

#define IN_TOPOLOGY(field) G_STRUCT_OFFSET (Topology, field)

/* deepspeed/runtime/pipe/topology.py and module.py, 0.19.6 */
static const Degree degrees[] = {
  { "PipelineModule", "num_stages", 1, SHARDWISE_KEY_STRATEGY_PP, IN_TOPOLOGY (pp) },
  { "PipeDataParallelTopology", "num_pp", 0, SHARDWISE_KEY_STRATEGY_PP, IN_TOPOLOGY (pp) },
  { "PipeDataParallelTopology", "num_dp", 1, SHARDWISE_KEY_STRATEGY_DP, IN_TOPOLOGY (dp) },
  { "PipeModelDataParallelTopology", "num_pp", 0, SHARDWISE_KEY_STRATEGY_PP, IN_TOPOLOGY (pp) },
  { "PipeModelDataParallelTopology", "num_mp", 1, SHARDWISE_KEY_STRATEGY_TP, IN_TOPOLOGY (tp) },
  { "PipeModelDataParallelTopology", "num_dp", 2, SHARDWISE_KEY_STRATEGY_DP, IN_TOPOLOGY (dp) },
};

/* Reads a DeepSpeed configuration, or the Python that starts DeepSpeed. It is parsed, never
 * executed. */
static void
read_file (ShardwiseImportJob *job)
{
  const ShardwiseNode *script = job->root, *start, *config;
  Topology topology = { 0 };

  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_FRAMEWORK, "deepspeed");
  if (shardwise_node_member (job->root, SHARDWISE_NODE_CALLS) == NULL)
    {
      read_config (job, NULL);
      return;
    }
  start = shardwise_python_call (script, "initialize");
  config = shardwise_python_argument (start, "config", 10);
  if (config == NULL)
    config = shardwise_python_argument (start, "config_params", 12);
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      const ShardwiseNode *call = shardwise_python_call (job->root, degrees[i].callee);

      shardwise_import_count_of (
          job, shardwise_python_argument (call, degrees[i].keyword, degrees[i].place),
          degrees[i].keyword, degrees[i].key, (guint *) ((char *) &topology + degrees[i].offset));
    }
  if (shardwise_python_call (job->root, "PipelineModule") != NULL && topology.pp == 0)
    shardwise_import_warn (
        job, _ ("The number of pipeline stages is not a constant in the script: PP is searched."));
  shardwise_python_read_model (job);
  if (shardwise_python_call (script, "PipelineModule") == NULL)
    shardwise_import_put_word (
        job, SHARDWISE_KEY_STRATEGY_RECOMPUTE,
        shardwise_python_call (script, "gradient_checkpointing_enable") != NULL ? "full" : "none");
  if (config != NULL && config->type == SHARDWISE_NODE_MAP)
    {
      job->root = config;
      read_config (job, &topology);
      job->root = script;
    }
  else
    {
      /* A script without a configuration is only half of a job. */
      job->is_part = TRUE;
      if (!shardwise_import_has_part (job, SHARDWISE_IMPORT_DEEPSPEED)
          && !shardwise_import_has_part (job, SHARDWISE_IMPORT_ACCELERATE))
        shardwise_import_warn (job,
                               _ ("The configuration of the script is in another file, which is "
                                  "not opened. Open both files together to read them as one job."));
      if (topology.pp > 0)
        {
          shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_PP, topology.pp);
          shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_TP, MAX (topology.tp, 1));
          shardwise_import_put_bool (job, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, FALSE);
          shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_CP, 1);
        }
      if (topology.pp > 0 && topology.dp > 0)
        {
          shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_DP, topology.dp);
          shardwise_import_put_world (
              job,
              (guint) MIN (
                  shardwise_import_product (topology.pp, MAX (topology.tp, 1), topology.dp, 1),
                  131072),
              0);
        }
    }
  shardwise_python_warn_condition (job, script);
}

const ShardwiseImportReader shardwise_import_deepspeed = { "deepspeed",
                                                           N_ ("DeepSpeed configuration"),
                                                           SHARDWISE_FORMAT_DEEPSPEED, read_file };
