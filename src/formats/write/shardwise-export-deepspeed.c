/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-private.h"

#include <glib/gi18n.h>

#include "shardwise-export-deepspeed.h"
#include "shardwise-json.h"
#include "shardwise-launch.h"

/* DeepSpeed 0.19.6. The JSON says ZeRO, precision, batch, AutoTP, AutoEP, Ulysses and offload; the
 * pipeline and the layers' tensor parallelism are Python, which goes into a second file. */

static void
member (JsonBuilder *builder, const char *name)
{
  json_builder_set_member_name (builder, name);
}

static void
add_int (JsonBuilder *builder, const char *name, gint64 value)
{
  member (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_bool (JsonBuilder *builder, const char *name, gboolean value)
{
  member (builder, name);
  json_builder_add_boolean_value (builder, value);
}

static void
add_number (JsonBuilder *builder, const char *name, double value)
{
  member (builder, name);
  json_builder_add_double_value (builder, value);
}

static void
add_string (JsonBuilder *builder, const char *name, const char *value)
{
  member (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
begin (JsonBuilder *builder, const char *name)
{
  member (builder, name);
  json_builder_begin_object (builder);
}

/* With AutoTP and no mpu DeepSpeed counts every GPU as data-parallel, so that train_batch_size
 * cannot be right: micro-batch and accumulation alone are enough. */
static void
add_batch (JsonBuilder *builder, const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  if (strategy->tp == 1 || strategy->pp > 1)
    add_int (builder, "train_batch_size", shardwise_export_global_batch (job));
  add_int (builder, "train_micro_batch_size_per_gpu", strategy->micro_batch);
  add_int (builder, "gradient_accumulation_steps", MAX (job->estimate.gradient_accumulation, 1));
  if (strategy->cp > 1)
    {
      add_int (builder, "data_parallel_size", strategy->dp);
      add_int (builder, "sequence_parallel_size", strategy->cp);
    }
}

/* One replica has nothing to shard, but only with ZeRO does DeepSpeed sum bf16 gradients in fp32,
 * as predicted. */
static guint
file_stage (const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  gboolean bf16 = job->problem.training.precision != SW_PRECISION_FP16;

  return strategy->zero_stage == 0 && strategy->dp == 1 && strategy->ep == 1 && bf16
             ? 1
             : strategy->zero_stage;
}

static void
add_precision (JsonBuilder *builder, const ShardwiseExportJob *job)
{
  gboolean fp16 = job->problem.training.precision == SW_PRECISION_FP16;

  begin (builder, fp16 ? "fp16" : "bf16");
  add_bool (builder, "enabled", TRUE);
  json_builder_end_object (builder);

  /* Without ZeRO, DeepSpeed refuses a gradient type other than the model's. */
  if (!fp16 && file_stage (job) > 0)
    {
      begin (builder, "data_types");
      add_string (builder, "grad_accum_dtype", "fp32");
      json_builder_end_object (builder);
    }
}

static void
add_offload (JsonBuilder *builder, SwOffload offload)
{
  if (offload != SW_OFFLOAD_OPTIMIZER && offload != SW_OFFLOAD_OPTIMIZER_PARAMS)
    return;

  begin (builder, "offload_optimizer");
  add_string (builder, "device", "cpu");
  add_bool (builder, "pin_memory", TRUE);
  json_builder_end_object (builder);

  if (offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    {
      begin (builder, "offload_param");
      add_string (builder, "device", "cpu");
      add_bool (builder, "pin_memory", TRUE);
      json_builder_end_object (builder);
    }
}

static void
add_zero (JsonBuilder *builder, const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  guint stage = file_stage (job);

  begin (builder, "zero_optimization");
  add_int (builder, "stage", stage);
  if (stage > 0)
    {
      add_bool (builder, "overlap_comm", job->problem.training.overlap != SW_OVERLAP_NONE);
      add_bool (builder, "contiguous_gradients", TRUE);
      add_int (builder, "reduce_bucket_size", 500000000);
      if (stage < 3)
        add_int (builder, "allgather_bucket_size", 500000000);
      else
        add_bool (builder, "stage3_gather_16bit_weights_on_model_save", TRUE);
      if (strategy->shard_group < strategy->dp)
        add_int (builder, "mics_shard_size", strategy->shard_group);
      add_offload (builder, strategy->offload);
    }
  json_builder_end_object (builder);
}

static void
add_adamw (JsonBuilder *builder)
{
  begin (builder, "params");
  add_number (builder, "lr", 1.5e-4);
  member (builder, "betas");
  json_builder_begin_array (builder);
  json_builder_add_double_value (builder, 0.9);
  json_builder_add_double_value (builder, 0.95);
  json_builder_end_array (builder);
  add_number (builder, "eps", 1e-8);
  add_number (builder, "weight_decay", 0.1);
  json_builder_end_object (builder);
}

static void
add_sgd (JsonBuilder *builder)
{
  begin (builder, "params");
  add_number (builder, "lr", 0.1);
  add_number (builder, "momentum", 0.9);
  json_builder_end_object (builder);
}

/* DeepSpeed's own, which runs AdamW on embeddings, head and norms. */
static void
add_muon (JsonBuilder *builder)
{
  begin (builder, "params");
  add_number (builder, "muon_lr", 0.02);
  add_number (builder, "adam_lr", 1.5e-4);
  add_number (builder, "momentum", 0.95);
  add_number (builder, "weight_decay", 0.1);
  json_builder_end_object (builder);
}

/* AdamW and Muon are built in, SGD is looked up in torch.optim; the others are made in Python and
 * handed over. */
static void
add_optimizer (JsonBuilder *builder, const ShardwiseExportJob *job)
{
  SwOptimizer optimizer = job->problem.training.optimizer;
  guint steps = shardwise_export_train_steps (&job->problem);

  if (shardwise_deepspeed_has_optimizer (optimizer))
    {
      begin (builder, "optimizer");
      add_string (builder, "type",
                  optimizer == SW_OPTIMIZER_ADAMW  ? "AdamW"
                  : optimizer == SW_OPTIMIZER_MUON ? "Muon"
                                                   : "SGD");
      if (optimizer == SW_OPTIMIZER_ADAMW)
        add_adamw (builder);
      else if (optimizer == SW_OPTIMIZER_MUON)
        add_muon (builder);
      else
        add_sgd (builder);
      json_builder_end_object (builder);

      begin (builder, "scheduler");
      add_string (builder, "type", "WarmupCosineLR");
      begin (builder, "params");
      add_int (builder, "total_num_steps", steps);
      add_int (builder, "warmup_num_steps", MAX (steps / 10, 1));
      add_number (builder, "cos_min_ratio", 0.1);
      json_builder_end_object (builder);
      json_builder_end_object (builder);
    }

  if (optimizer != SW_OPTIMIZER_ADAMW && optimizer != SW_OPTIMIZER_MUON && file_stage (job) > 0)
    add_bool (builder, "zero_allow_untested_optimizer", TRUE);
}

static void
add_tensor_parallel (JsonBuilder *builder, const ShardwiseExportJob *job)
{
  const char *preset = shardwise_deepspeed_tp_preset (job->problem.model.id);

  begin (builder, "tensor_parallel");
  add_int (builder, "autotp_size", job->estimate.strategy.tp);
  if (preset != NULL)
    add_string (builder, "preset_model", preset);
  add_bool (builder, "tp_overlap_comm", FALSE);
  json_builder_end_object (builder);
}

static void
add_expert_parallel (JsonBuilder *builder, const ShardwiseExportJob *job)
{
  begin (builder, "expert_parallel");
  add_bool (builder, "enabled", TRUE);
  add_int (builder, "autoep_size", job->estimate.strategy.ep);
  add_string (builder, "preset_model", shardwise_deepspeed_ep_preset (job->problem.model.id));
  json_builder_end_object (builder);
}

/* Configures deepspeed.checkpointing, which pipeline modules call; it switches no recomputation on.
 */
static void
add_pipeline (JsonBuilder *builder, const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  gboolean full = strategy->recompute == SW_RECOMPUTE_FULL;

  if (full)
    {
      begin (builder, "activation_checkpointing");
      add_bool (builder, "partition_activations", strategy->tp > 1);
      add_bool (builder, "cpu_checkpointing", strategy->offload == SW_OFFLOAD_ACTIVATIONS);
      add_bool (builder, "contiguous_memory_optimization", FALSE);
      add_bool (builder, "synchronize_checkpoint_boundary", FALSE);
      json_builder_end_object (builder);
    }

  begin (builder, "pipeline");
  add_int (builder, "activation_checkpoint_interval", full ? 1 : 0);
  add_bool (builder, "pipe_partitioned", strategy->tp > 1);
  add_bool (builder, "grad_partitioned", strategy->tp > 1);
  json_builder_end_object (builder);
}

static char *
write_json (const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (builder);
  add_batch (builder, job);
  add_int (builder, "steps_per_print", 10);
  add_number (builder, "gradient_clipping", 1.0);
  add_precision (builder, job);
  add_zero (builder, job);
  add_optimizer (builder, job);
  if (strategy->pp > 1)
    add_pipeline (builder, job);
  else if (strategy->tp > 1)
    add_tensor_parallel (builder, job);
  if (strategy->ep > 1)
    add_expert_parallel (builder, job);
  add_bool (builder, "wall_clock_breakdown", FALSE);
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);

  return shardwise_json_to_string (root);
}

static void
note_parallelism (ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  if (strategy->pp > 1)
    shardwise_export_note (
        job, _ ("JSON cannot state the pipeline: ds_setup.py builds the PipelineModule on its "
                "topology."));
  if (strategy->pp > 1 && strategy->tp > 1)
    shardwise_export_note (
        job, _ ("The layers given to PipelineModule must be tensor-parallel themselves, as "
                "Megatron-DeepSpeed’s are."));
  if (strategy->cp > 1)
    shardwise_export_note (
        job, _ ("Ulysses also needs attention that exchanges heads for sequence: ds_setup.py "
                "says where."));
}

static void
note_recompute (ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  if (strategy->recompute != SW_RECOMPUTE_NONE && strategy->pp == 1)
    shardwise_export_note (job, _ ("JSON cannot switch recomputation on: ds_setup.py does."));
}

static void
add_notes (ShardwiseExportJob *job)
{
  SwPrecision precision = job->problem.training.precision;

  note_parallelism (job);
  note_recompute (job);
  if (file_stage (job) != job->estimate.strategy.zero_stage)
    shardwise_export_note (
        job, _ ("ZeRO 1 is written for ZeRO 0: with one replica it shards nothing, and DeepSpeed "
                "then sums gradients in fp32."));
  if (precision != SW_PRECISION_BF16 && precision != SW_PRECISION_FP16)
    shardwise_export_note (
        job, _ ("8-bit and 4-bit arithmetic comes with the model’s layers (Transformer Engine); "
                "the rest runs in bf16."));
  if (job->problem.training.optimizer == SW_OPTIMIZER_ADAFACTOR && file_stage (job) > 0)
    shardwise_export_note (
        job, _ ("ZeRO cuts parameters into flat pieces, of which Adafactor keeps whole second "
                "moments: more memory than predicted."));
  if (!shardwise_deepspeed_has_optimizer (job->problem.training.optimizer))
    shardwise_export_note (
        job, _ ("The optimizer is no DeepSpeed type: ds_setup.py makes it and hands it over."));
  shardwise_export_note_common (job);
}

/* The published rules of thumb name ZeRO 2 and 3 beside pipelines, and other frameworks run tensor
 * parallelism with sequence parallelism, which DeepSpeed refuses; where the user did not ask for
 * it, it is left out and said. */
static void
adapt_to_deepspeed (ShardwiseExportJob *job, SwStrategy *strategy)
{
  if (strategy->pp > 1 && strategy->zero_stage > 1
      && !sw_pins_has (&job->problem.pins, SW_DIM_ZERO))
    {
      shardwise_export_take_note (job,
                                  /* Translators: %u is 2 or 3 */
                                  g_strdup_printf (_ ("ZeRO %u was lowered to ZeRO 1: DeepSpeed’s "
                                                      "pipeline engine refuses ZeRO 2 and 3."),
                                                   (guint) strategy->zero_stage));
      strategy->zero_stage = 1;
    }
  if (strategy->sequence_parallel && !sw_pins_has (&job->problem.pins, SW_DIM_SP))
    {
      shardwise_export_note (
          job, _ ("Sequence parallelism was left out: DeepSpeed’s tensor parallelism has none."));
      strategy->sequence_parallel = FALSE;
    }
}

static void
write_files (ShardwiseExportJob *job)
{
  add_notes (job);
  shardwise_export_add_file (job, job->info->file_name, write_json (job));
  shardwise_export_add_file (job, "ds_setup.py", shardwise_deepspeed_python (job));
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, "your_script.py");
}

static const ShardwiseFormatPin narrow[] = {
  { "strategy.cp", NULL, FALSE },
  { "strategy.ep", NULL, FALSE },
  { NULL, NULL, FALSE },
};

const ShardwiseFormatWriter shardwise_deepspeed_writer = {
  .rules = shardwise_deepspeed_rules,
  .n_rules = SHARDWISE_DEEPSPEED_N_RULES,
  .narrow = narrow,
  .adapt = adapt_to_deepspeed,
  .write = write_files,
  .launch = launch,
};
