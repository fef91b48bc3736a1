/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-accelerate.h"

#include <glib/gi18n.h>

#include "shardwise-export-megatron.h"
#include "shardwise-yaml.h"
#include "sw-framework.h"

/* Hugging Face Accelerate 1.15: a YAML file for `accelerate launch`. Keys of parallelism_config and
 * megatron_lm_config carry their section's name: without it they are dropped without a word. */

static void
write_machines (ShardwiseYaml *yaml, const ShardwiseExportJob *job, const char *type)
{
  gboolean half = job->problem.training.precision == SW_PRECISION_FP16;

  shardwise_yaml_word (yaml, "compute_environment", "LOCAL_MACHINE");
  shardwise_yaml_word (yaml, "distributed_type", type);
  shardwise_yaml_word (yaml, "mixed_precision", half ? "fp16" : "bf16");
  shardwise_yaml_int (yaml, "num_machines", shardwise_export_nodes (job));
  shardwise_yaml_int (yaml, "num_processes", shardwise_export_gpus (job)); /* over all machines */
  shardwise_yaml_int (yaml, "machine_rank", 0);
  shardwise_yaml_word (yaml, "rdzv_backend", "static");
  shardwise_yaml_bool (yaml, "same_network", TRUE);
  shardwise_yaml_word (yaml, "main_training_function", "main");
  shardwise_yaml_string (yaml, "downcast_bf16", "no");
  shardwise_yaml_bool (yaml, "use_cpu", FALSE);
  shardwise_yaml_bool (yaml, "debug", FALSE);
  shardwise_yaml_bool (yaml, "enable_cpu_affinity", FALSE);
}

static const char *
sharding_strategy (const SwStrategy *s)
{
  if (s->zero_stage == 0)
    return "NO_SHARD";
  if (s->shard_group < s->dp)
    return s->zero_stage == 3 ? "HYBRID_SHARD" : "HYBRID_SHARD_ZERO2";

  return s->zero_stage == 3 ? "FULL_SHARD" : "SHARD_GRAD_OP";
}

static void
write_wrapping (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  const char *layer = shardwise_accelerate_layer_class (&job->problem);

  shardwise_yaml_word (yaml, "fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
  /* Without it Accelerate takes the classes that the model names itself. */
  if (layer != NULL)
    shardwise_yaml_word (yaml, "fsdp_transformer_layer_cls_to_wrap", layer);
}

static void
write_fsdp (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  gboolean two = s->framework == SW_FRAMEWORK_FSDP2;

  shardwise_yaml_begin_map (yaml, "fsdp_config");
  shardwise_yaml_int (yaml, "fsdp_version", two ? 2 : 1);
  if (two)
    shardwise_yaml_bool (yaml, "fsdp_reshard_after_forward", s->zero_stage == 3);
  else
    shardwise_yaml_word (yaml, "fsdp_sharding_strategy", sharding_strategy (s));
  write_wrapping (yaml, job);
  if (!two)
    {
      shardwise_yaml_word (yaml, "fsdp_backward_prefetch", "BACKWARD_PRE");
      shardwise_yaml_bool (yaml, "fsdp_forward_prefetch", FALSE);
      shardwise_yaml_bool (yaml, "fsdp_use_orig_params", TRUE);
      shardwise_yaml_bool (yaml, "fsdp_sync_module_states", TRUE);
    }
  shardwise_yaml_word (yaml, "fsdp_state_dict_type", "SHARDED_STATE_DICT");
  shardwise_yaml_bool (yaml, "fsdp_cpu_ram_efficient_loading", TRUE);
  shardwise_yaml_bool (yaml, "fsdp_offload_params", s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS);
  shardwise_yaml_bool (yaml, "fsdp_activation_checkpointing", s->recompute == SW_RECOMPUTE_FULL);
  shardwise_yaml_end_map (yaml);
}

/* The runs that the prediction rests on were compiled. With FSDP 2 it is by layer: a module compiled
 * as a whole skips the hooks that gather the shards of its layers. */
static void
write_compilation (ShardwiseYaml *yaml, const SwStrategy *s)
{
  shardwise_yaml_begin_map (yaml, "dynamo_config");
  shardwise_yaml_word (yaml, "dynamo_backend", "INDUCTOR");
  shardwise_yaml_bool (yaml, "dynamo_use_regional_compilation", s->framework == SW_FRAMEWORK_FSDP2);
  shardwise_yaml_end_map (yaml);
}

static void
write_mesh (ShardwiseYaml *yaml, const SwStrategy *s)
{
  if (s->tp == 1 && s->cp == 1 && s->shard_group == s->dp)
    return;

  shardwise_yaml_begin_map (yaml, "parallelism_config");
  shardwise_yaml_int (yaml, "parallelism_config_dp_replicate_size", s->dp / s->shard_group);
  shardwise_yaml_int (yaml, "parallelism_config_dp_shard_size", s->shard_group);
  shardwise_yaml_int (yaml, "parallelism_config_tp_size", s->tp);
  shardwise_yaml_int (yaml, "parallelism_config_cp_size", s->cp);
  if (s->cp > 1)
    {
      shardwise_yaml_word (yaml, "parallelism_config_cp_backend", "torch");
      shardwise_yaml_word (yaml, "parallelism_config_cp_comm_strategy",
                           s->cp_method == SW_CP_ALLGATHER ? "allgather" : "alltoall");
    }
  shardwise_yaml_end_map (yaml);
}

static void
write_deepspeed (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  gboolean optimizer = s->offload == SW_OFFLOAD_OPTIMIZER
                       || s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS;

  shardwise_yaml_begin_map (yaml, "deepspeed_config");
  shardwise_yaml_int (yaml, "zero_stage", s->zero_stage);
  shardwise_yaml_int (yaml, "gradient_accumulation_steps",
                      MAX (job->estimate.gradient_accumulation, 1));
  shardwise_yaml_word (yaml, "gradient_clipping", "1.0");
  shardwise_yaml_word (yaml, "offload_optimizer_device", optimizer ? "cpu" : "none");
  shardwise_yaml_word (yaml, "offload_param_device",
                       s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS ? "cpu" : "none");
  shardwise_yaml_bool (yaml, "zero3_init_flag", s->zero_stage == 3);
  shardwise_yaml_bool (yaml, "zero3_save_16bit_model", s->zero_stage == 3);
  shardwise_yaml_word (yaml, "deepspeed_multinode_launcher", "standard");
  shardwise_yaml_end_map (yaml);
}

/* None and selective are refused before: without these keys Accelerate recomputes all. */
static void
write_megatron_recompute (ShardwiseYaml *yaml, const SwStrategy *s)
{
  gboolean full = s->recompute == SW_RECOMPUTE_FULL;

  shardwise_yaml_word (yaml, "megatron_lm_recompute_granularity", "full");
  shardwise_yaml_word (yaml, "megatron_lm_recompute_method", full ? "uniform" : "block");
  shardwise_yaml_int (yaml, "megatron_lm_recompute_num_layers", full ? 1 : s->full_layers);
}

static void
write_megatron (ShardwiseYaml *yaml, const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;

  shardwise_yaml_begin_map (yaml, "megatron_lm_config");
  shardwise_yaml_int (yaml, "megatron_lm_tp_degree", s->tp);
  shardwise_yaml_int (yaml, "megatron_lm_pp_degree", s->pp);
  shardwise_yaml_int (yaml, "megatron_lm_num_micro_batches",
                      MAX (job->estimate.gradient_accumulation, 1));
  shardwise_yaml_int (yaml, "megatron_lm_context_parallel_size", s->cp);
  shardwise_yaml_bool (yaml, "megatron_lm_sequence_parallelism", s->sequence_parallel);
  shardwise_yaml_bool (yaml, "megatron_lm_use_distributed_optimizer", s->zero_stage > 0);
  write_megatron_recompute (yaml, s);
  if (s->offload == SW_OFFLOAD_OPTIMIZER)
    {
      shardwise_yaml_bool (yaml, "megatron_lm_use_precision_aware_optimizer", TRUE);
      shardwise_yaml_bool (yaml, "megatron_lm_optimizer_cpu_offload", TRUE);
    }
  shardwise_yaml_word (yaml, "megatron_lm_gradient_clipping", "1.0");
  shardwise_yaml_end_map (yaml);
}

static void
note_batch (ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  guint accumulation = MAX (job->estimate.gradient_accumulation, 1);

  if (s->framework == SW_FRAMEWORK_FSDP || s->framework == SW_FRAMEWORK_FSDP2)
    shardwise_export_take_note (
        job,
        /* Translators: sequences, micro-batches */
        g_strdup_printf (ngettext ("The batch: load %u sequence per GPU and step, and make "
                                   "Accelerator(gradient_accumulation_steps=%u).",
                                   "The batch: load %u sequences per GPU and step, and make "
                                   "Accelerator(gradient_accumulation_steps=%u).",
                                   s->micro_batch),
                         s->micro_batch, accumulation));
  else
    shardwise_export_take_note (
        job, g_strdup_printf (ngettext ("The micro-batch: load %u sequence per GPU and step.",
                                        "The micro-batch: load %u sequences per GPU and step.",
                                        s->micro_batch),
                              s->micro_batch));
}

static void
add_notes (ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;

  note_batch (job);
  shardwise_export_note (
      job, _ ("The model, its sequence length and the optimizer: your script makes them."));
  if (s->framework == SW_FRAMEWORK_DEEPSPEED && s->recompute == SW_RECOMPUTE_FULL)
    shardwise_export_note (
        job, _ ("Recomputation: call model.gradient_checkpointing_enable() in your script."));
  if (s->framework == SW_FRAMEWORK_FSDP2)
    shardwise_export_note (job, _ ("The loss: the memory predicted is that of a compiled or fused "
                                   "one; an eager one copies all logits to 32 bits."));
  if (s->framework == SW_FRAMEWORK_FSDP2 && s->tp > 1)
    shardwise_export_note (
        job, _ ("How layers are split: load the model with its own plan, tp_plan=\"auto\"."));
  if (s->framework == SW_FRAMEWORK_MEGATRON_CORE && s->cp > 1)
    shardwise_export_note (
        job, _ ("Which attention backend exchanges sequence parts: Transformer Engine’s default."));
  if (shardwise_export_has_adapters (&job->problem))
    shardwise_export_note (job, _ ("The adapters: wrap the model with PEFT in your script."));
  if (shardwise_export_nodes (job) > 1)
    shardwise_export_note (
        job,
        _ ("The address of the first node: give --main_process_ip, --main_process_port and, on "
           "each node, --machine_rank."));
  shardwise_export_note_common (job);
}

static void
write_files (ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  gboolean megatron = s->framework == SW_FRAMEWORK_MEGATRON_CORE;
  gboolean deepspeed = s->framework == SW_FRAMEWORK_DEEPSPEED;
  ShardwiseYaml *yaml = shardwise_yaml_new ();
  GString *text = g_string_new (NULL);
  g_autofree char *body = NULL;

  add_notes (job);
  shardwise_export_append_header (job, text);
  write_machines (yaml, job, megatron ? "MEGATRON_LM" : deepspeed ? "DEEPSPEED" : "FSDP");
  if (megatron)
    write_megatron (yaml, job);
  else if (deepspeed)
    write_deepspeed (yaml, job);
  else
    {
      write_fsdp (yaml, job);
      if (s->framework == SW_FRAMEWORK_FSDP2)
        write_mesh (yaml, s);
      write_compilation (yaml, s);
    }
  body = shardwise_yaml_finish (yaml);
  g_string_append_printf (text, "\n%s", body);
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
adapt (ShardwiseExportJob *job, SwStrategy *strategy)
{
  if (strategy->framework == SW_FRAMEWORK_DEEPSPEED)
    {
      shardwise_deepspeed_writer.adapt (job, strategy);
      return;
    }
  if (!sw_framework_is_fsdp (strategy->framework) || !strategy->sequence_parallel
      || sw_pins_has (&job->problem.pins, SW_DIM_SP))
    return;

  strategy->sequence_parallel = FALSE;
  shardwise_export_note (
      job, _ ("Sequence parallelism was left out: Accelerate’s file has none beside FSDP."));
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, "your_script.py");
  out->accelerate = TRUE;
  if (job->estimate.strategy.framework == SW_FRAMEWORK_MEGATRON_CORE
      && shardwise_megatron_needs_one_connection (&job->problem, &job->estimate.strategy))
    shardwise_launch_set (out, "CUDA_DEVICE_MAX_CONNECTIONS", "1");
}

static const ShardwiseFormatPin narrow[] = {
  { "strategy.ep", NULL, FALSE },
  { "strategy.tp", NULL, TRUE },
  { "strategy.vpp", NULL, FALSE },
  { "strategy.sequence_parallel", "false", FALSE },
  { "strategy.recompute", "full", FALSE },
  { "strategy.offload", "none", FALSE },
  { NULL, NULL, FALSE },
};

const ShardwiseFormatWriter shardwise_accelerate_writer = {
  .rules = shardwise_accelerate_rules,
  .n_rules = SHARDWISE_ACCELERATE_N_RULES,
  .narrow = narrow,
  .adapt = adapt,
  .write = write_files,
  .launch = launch,
};
