/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-fsdp.h"

#include <glib/gi18n.h>

#include "shardwise-launch.h"

/* PyTorch: a Python file for either generation of FSDP. Module names are those of Meta's and
 * TorchTitan's Llama (tok_embeddings, layers, attention.wq … feed_forward.w3, norm, output). */

/**
 * shardwise_fsdp_is_first:
 * @job: the job
 *
 * Returns: whether it is for FullyShardedDataParallel, not for fully_shard()
 */
gboolean
shardwise_fsdp_is_first (const ShardwiseExportJob *job)
{
  return job->info->format == SHARDWISE_FORMAT_FSDP1;
}

/**
 * shardwise_fsdp_wraps_layers:
 * @strategy: a strategy
 *
 * Returns: whether layers recompute or offload their activations
 */
gboolean
shardwise_fsdp_wraps_layers (const SwStrategy *strategy)
{
  return strategy->recompute != SW_RECOMPUTE_NONE || strategy->offload == SW_OFFLOAD_ACTIVATIONS;
}

/**
 * shardwise_fsdp_is_hybrid:
 * @strategy: a strategy
 *
 * Returns: whether it shards over a part of the replicas (HSDP); unsharded replicas are the same
 * with a group of 1
 */
gboolean
shardwise_fsdp_is_hybrid (const SwStrategy *strategy)
{
  return strategy->dp > 1 && (strategy->zero_stage == 0 || strategy->shard_group < strategy->dp);
}

/* torch's name of the type that the parameters are computed in. */
static const char *
dtype_of (const SwProblem *problem)
{
  return problem->training.precision == SW_PRECISION_FP16 ? "torch.float16" : "torch.bfloat16";
}

static void
add_notes (ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const SwModelSpec *model = &job->problem.model;

  shardwise_export_note (
      job, _ ("The model itself: the module names are those of TorchTitan’s Llama; rename them "
              "for another implementation."));
  if (strategy->tp > 1 && !model->gated_mlp)
    shardwise_export_note (job, _ ("This model’s MLP has no gate: the plan names w1 and w2 only."));
  if (model->mla.kv_lora_rank > 0 && strategy->tp > 1)
    shardwise_export_note (
        job, _ ("The projections of latent attention: the tensor-parallel plan has to name this "
                "model’s own."));
  if (strategy->pp > 1 && strategy->dp == 1)
    shardwise_export_note (
        job, _ ("With one replica FSDP shards nothing: it only sets the mixed precision here."));
  if (strategy->recompute == SW_RECOMPUTE_SELECTIVE)
    shardwise_export_note (
        job, _ ("Which modules are recomputed selectively: the policy keeps matrix products and "
                "attention, as TorchTitan’s does."));
  if (job->problem.training.optimizer == SW_OPTIMIZER_ADAFACTOR && shardwise_fsdp_is_first (job))
    shardwise_export_note (
        job, _ ("FSDP 1 cuts parameters into flat pieces, of which Adafactor keeps whole second "
                "moments: more memory than predicted."));
  if (shardwise_fsdp_compile_call (job) == NULL)
    shardwise_export_note (
        job, _ ("Compiled layers, of which time and memory are predicted: torch.compile does not "
                "take the hooks that offload activations. These layers are slower."));
  shardwise_export_note_common (job);
}

/* What both kinds of FSDP begin with. */
static GString *
begin_file (ShardwiseExportJob *job)
{
  GString *text = g_string_new (NULL);
  guint nodes;

  add_notes (job);
  nodes = shardwise_export_nodes (job);
  shardwise_export_append_header (job, text);
  g_string_append_printf (text, "#\n# torchrun --nnodes=%u --nproc-per-node=%u your_script.py\n",
                          nodes, shardwise_export_gpus_per_node (job));
  shardwise_fsdp_append_imports (job, text);
  shardwise_fsdp_append_constants (job, text);
  shardwise_fsdp_append_mesh (job, text);
  shardwise_fsdp_append_model_changes (job, text);
  shardwise_fsdp_append_tensor_parallel (job, text);
  shardwise_fsdp_append_recompute (job, text);
  shardwise_fsdp_append_compilation (job, text);
  return text;
}

static const char *
reshard_reason (const SwStrategy *strategy)
{
  if (strategy->zero_stage == 0)
    return "every replica holds everything";
  if (strategy->zero_stage == 3 && strategy->pp > 1)
    return "ZeRO 3; a pipeline gathers once per step, not once per micro-batch";

  return strategy->zero_stage == 3 ? "ZeRO 3" : "ZeRO 2";
}

static void
append_fsdp2_shard (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const char *mesh = shardwise_fsdp_is_hybrid (strategy)
                         ? (strategy->cp > 1 ? "mesh[\"dp_replicate\", \"dp_shard_cp\"]"
                                             : "mesh[\"dp_replicate\", \"dp_shard\"]")
                         : (strategy->cp > 1 ? "mesh[\"dp_shard_cp\"]" : "mesh[\"dp_shard\"]");
  gboolean reshards = strategy->zero_stage == 3 && strategy->pp == 1;

  g_string_append (text, "\n\ndef shard(model, mesh):\n");
  g_string_append_printf (
      text,
      "    options = {\n"
      "        \"mesh\": %s,\n"
      "        \"mp_policy\": MixedPrecisionPolicy(param_dtype=%s, reduce_dtype=torch.float32),\n"
      "        \"reshard_after_forward\": %s,  # %s\n",
      mesh, dtype_of (&job->problem), reshards ? "True" : "False", reshard_reason (strategy));
  if (strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    g_string_append (text, "        \"offload_policy\": CPUOffloadPolicy(pin_memory=True),\n");
  g_string_append (text, "    }\n"
                         "    for _, layer in model.layers.named_children():\n"
                         "        fully_shard(layer, **options)\n"
                         "    return fully_shard(model, **options)\n");
}

/* A statement of parallelize(), if there is one. */
static void
append_statement (GString *text, const char *statement)
{
  if (statement != NULL)
    g_string_append_printf (text, "    %s\n", statement);
}

static void
append_parallelize (const ShardwiseExportJob *job, GString *text, const char *doc)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  SwPrecision precision = job->problem.training.precision;

  g_string_append_printf (text, "\n\ndef parallelize(model, mesh):\n    \"\"\"%s\"\"\"\n", doc);
  if (shardwise_export_has_adapters (&job->problem))
    g_string_append (text, "    add_adapters(model)\n");
  if (precision != SW_PRECISION_BF16 && precision != SW_PRECISION_FP16)
    g_string_append (text, "    use_float8(model)\n");
  if (strategy->tp > 1)
    g_string_append (text, "    tensor_parallel(model, mesh[\"tp\"])\n");
}

static void
write_fsdp2 (ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  GString *text = begin_file (job);

  append_fsdp2_shard (job, text);
  append_parallelize (
      job, text,
      "Tensor parallelism, recomputation, compilation, FSDP: each wraps what the one before made.");
  if (shardwise_fsdp_wraps_layers (strategy))
    append_statement (text, "recompute(model)");
  append_statement (text, shardwise_fsdp_compile_call (job));
  g_string_append (text, "    return shard(model, mesh)\n");
  if (strategy->pp > 1)
    shardwise_fsdp_append_pipeline (job, text);
  shardwise_fsdp_append_optimizer (job, text);
  shardwise_fsdp_append_train_step (job, text);

  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static const char *
sharding_strategy (const SwStrategy *strategy)
{
  if (strategy->zero_stage == 0)
    return "NO_SHARD";
  if (strategy->shard_group < strategy->dp)
    return strategy->zero_stage == 3 ? "HYBRID_SHARD" : "_HYBRID_SHARD_ZERO2";

  return strategy->zero_stage == 3 ? "FULL_SHARD" : "SHARD_GRAD_OP";
}

static void
append_fsdp1_shard (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const char *dtype = dtype_of (&job->problem);
  const char *name = sharding_strategy (strategy);
  gboolean two = g_str_has_prefix (name, "HYBRID") || g_str_has_prefix (name, "_HYBRID");

  g_string_append_printf (
      text,
      "\n\ndef shard(model, mesh):\n"
      "    layer_types = {type(layer) for _, layer in model.layers.named_children()}\n"
      "    return FSDP(\n"
      "        model,\n"
      "        device_mesh=%s,\n"
      "        sharding_strategy=ShardingStrategy.%s,\n"
      "        auto_wrap_policy=ModuleWrapPolicy(layer_types),\n"
      "        mixed_precision=MixedPrecision(\n"
      "            param_dtype=%s,\n"
      "            reduce_dtype=torch.float32,\n"
      "            buffer_dtype=%s,\n"
      "        ),\n"
      "        backward_prefetch=BackwardPrefetch.BACKWARD_PRE,\n"
      "        limit_all_gathers=True,\n"
      "        use_orig_params=True,\n",
      two ? "mesh[\"dp_replicate\", \"dp_shard\"]" : "mesh[\"dp\"]", name, dtype, dtype);
  if (strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    g_string_append (text, "        cpu_offload=CPUOffload(offload_params=True),\n");
  g_string_append (text, "        device_id=torch.cuda.current_device(),\n"
                         "    )\n");
}

static void
write_fsdp1 (ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  GString *text = begin_file (job);

  append_fsdp1_shard (job, text);
  append_parallelize (
      job, text, "Tensor parallelism first, then FSDP; the layers recompute inside their shards.");
  if (shardwise_fsdp_wraps_layers (strategy))
    g_string_append (text, "    layers = [layer for _, layer in model.layers.named_children()]\n"
                           "    model = shard(model, mesh)\n"
                           "    recompute(model, layers)\n");
  else
    append_statement (text, "model = shard(model, mesh)");
  append_statement (text, shardwise_fsdp_compile_call (job));
  append_statement (text, "return model");
  shardwise_fsdp_append_optimizer (job, text);
  shardwise_fsdp_append_train_step (job, text);

  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, "your_script.py");
}

static const ShardwiseFormatPin narrow1[] = {
  { "strategy.ep", NULL, FALSE },
  { "strategy.tp", NULL, TRUE },
  { "strategy.offload", "none", FALSE },
  { NULL, NULL, FALSE },
};
static const ShardwiseFormatPin narrow2[] = {
  { "strategy.ep", NULL, FALSE },
  { "strategy.tp", NULL, TRUE },
  { "strategy.schedule", "1f1b", FALSE },
  { "strategy.offload", "none", FALSE },
  { NULL, NULL, FALSE },
};

const ShardwiseFormatWriter shardwise_fsdp1_writer = {
  .rules = shardwise_fsdp1_rules,
  .n_rules = SHARDWISE_FSDP1_N_RULES,
  .narrow = narrow1,
  .write = write_fsdp1,
  .launch = launch,
};

const ShardwiseFormatWriter shardwise_fsdp2_writer = {
  .rules = shardwise_fsdp2_rules,
  .n_rules = SHARDWISE_FSDP2_N_RULES,
  .narrow = narrow2,
  .write = write_fsdp2,
  .launch = launch,
};
