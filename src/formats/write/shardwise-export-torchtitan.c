/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-torchtitan.h"

#include <glib/gi18n.h>

#include "shardwise-toml.h"

/* TorchTitan v0.2.2, the last release that reads TOML, and the main branch, whose configurations
 * are Python functions. */

/**
 * shardwise_titan_schedule:
 * @s: a strategy with a pipeline
 *
 * Returns: PyTorch's name of its schedule
 */
const char *
shardwise_titan_schedule (const SwStrategy *s)
{
  if (s->schedule == SW_SCHEDULE_GPIPE)
    return "GPipe";

  return s->vpp > 1 ? "Interleaved1F1B" : "1F1B";
}

/**
 * shardwise_titan_reshard:
 * @s: a strategy
 *
 * Returns: when parameters are gathered again; under a pipeline ZeRO 2 and 3 are the same
 */
const char *
shardwise_titan_reshard (const SwStrategy *s)
{
  if (s->zero_stage != 3)
    return "never";

  return s->pp > 1 ? "default" : "always";
}

/**
 * shardwise_titan_replicas:
 * @s: a strategy
 *
 * Returns: groups that hold a copy of everything each; the rest of DP shards
 */
guint
shardwise_titan_replicas (const SwStrategy *s)
{
  return s->zero_stage == 0 ? s->dp : s->dp / s->shard_group;
}

/**
 * shardwise_titan_compiled_parts:
 * @problem: the problem
 *
 * All measured runs of TorchTitan were compiled; its own configurations of models with experts
 * compile the loss alone, 8-bit layers need the rest too.
 *
 * Returns: (transfer none): the components that torch.compile() is to take, ended by %NULL
 */
const char *const *
shardwise_titan_compiled_parts (const SwProblem *problem)
{
  static const char *const all[] = { "model", "loss", NULL };
  gboolean dense = problem->model.moe.experts == 0;

  return dense || problem->training.precision != SW_PRECISION_BF16 ? all : all + 1;
}

/* Other frameworks may run the strategy without sequence parallelism. */
static void
adapt (ShardwiseExportJob *job, SwStrategy *strategy)
{
  if (strategy->tp == 1 || strategy->sequence_parallel
      || sw_pins_has (&job->problem.pins, SW_DIM_SP))
    return;

  strategy->sequence_parallel = TRUE;
  shardwise_export_note (job, _ ("Sequence parallelism was switched on: TorchTitan’s "
                                 "tensor parallelism always comes with it."));
}

/* Mixed precision comes with FSDP: where nothing is sharded, tensor and pipeline parallelism run in
 * fp32. */
static gboolean
runs_in_fp32 (const SwProblem *problem, const SwStrategy *s)
{
  return s->dp == 1 && s->cp == 1 && (s->tp > 1 || s->pp > 1);
}

static void
add_notes (ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  const SwModelSpec *model = &job->problem.model;

  if (runs_in_fp32 (&job->problem, s))
    shardwise_export_note (
        job,
        _ ("Mixed precision with one replica: TorchTitan has it only where something is sharded, "
           "and trains in fp32 here, slower and larger than predicted. A DP of 2 or more "
           "avoids that."));
  if (s->recompute == SW_RECOMPUTE_SELECTIVE)
    shardwise_export_note (
        job, _ ("Which modules are recomputed: TorchTitan’s policy keeps matrix products and "
                "attention."));
  if (model->mtp_layers > 0)
    shardwise_export_note (
        job, _ ("The layers of multi-token prediction, which TorchTitan’s model lacks."));
  if (job->problem.training.attention == SW_ATTENTION_UNFUSED)
    shardwise_export_note (job, _ ("Unfused attention: TorchTitan runs fused attention."));
  shardwise_export_note (job,
                         _ ("Where the model’s tokenizer is: download it to the folder named."));
  shardwise_export_note_common (job);
}

static void
write_model (GString *toml, const ShardwiseExportJob *job)
{
  static const char *const float8[] = { "quantize.linear.float8", NULL };
  static const char *const mx[] = { "quantize.linear.mx", NULL };
  const ShardwiseTitanModel *model = shardwise_titan_model (&job->problem);
  SwPrecision precision = job->problem.training.precision;
  g_autofree char *assets = g_strdup_printf ("./assets/hf/%s", model->assets);

  shardwise_toml_table (toml, "model");
  shardwise_toml_string (toml, "name", model->name);
  shardwise_toml_string (toml, "flavor", model->flavor);
  shardwise_toml_string (toml, "hf_assets_path", assets);
  if (precision == SW_PRECISION_FP8 || precision == SW_PRECISION_FP8_ROWWISE)
    shardwise_toml_strings (toml, "converters", float8);
  else if (precision == SW_PRECISION_MXFP8)
    shardwise_toml_strings (toml, "converters", mx);
}

static void
write_precision (GString *toml, const ShardwiseExportJob *job)
{
  static const char *const kept[] = { "output", "router.gate", NULL };
  SwPrecision precision = job->problem.training.precision;

  if (precision == SW_PRECISION_BF16)
    return;

  shardwise_toml_table (toml, precision == SW_PRECISION_MXFP8 ? "quantize.linear.mx"
                                                              : "quantize.linear.float8");
  shardwise_toml_string (toml, "recipe_name",
                         precision == SW_PRECISION_MXFP8         ? "mxfp8_cublas"
                         : precision == SW_PRECISION_FP8_ROWWISE ? "rowwise"
                                                                 : "tensorwise");
  shardwise_toml_strings (toml, "filter_fqns", kept);
}

/* With a pipeline the accumulation is inside the local batch. */
static void
write_training (GString *toml, const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  guint accumulation = MAX (job->estimate.gradient_accumulation, 1);

  shardwise_toml_table (toml, "training");
  shardwise_toml_int (toml, "local_batch_size",
                      (gint64) s->micro_batch * (s->pp > 1 ? accumulation : 1));
  shardwise_toml_int (toml, "global_batch_size", shardwise_export_global_batch (job));
  shardwise_toml_int (toml, "seq_len", job->problem.training.sequence_length);
  shardwise_toml_word (toml, "max_norm", "1.0");
  shardwise_toml_int (toml, "steps", shardwise_export_train_steps (&job->problem));
  shardwise_toml_string (toml, "dataset", "c4");
  shardwise_toml_bool (toml, "enable_cpu_offload", s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS);
  shardwise_toml_string (toml, "mixed_precision_param", "bfloat16");
  shardwise_toml_string (toml, "mixed_precision_reduce", "float32");
}

static void
write_pipeline (GString *toml, const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  guint first, last;

  shardwise_toml_int (toml, "pipeline_parallel_degree", s->pp);
  if (s->pp == 1)
    return;

  shardwise_toml_string (toml, "pipeline_parallel_schedule", shardwise_titan_schedule (s));
  shardwise_toml_int (toml, "pipeline_parallel_microbatch_size", s->micro_batch);
  shardwise_titan_end_layers (&job->problem, s, &first, &last);
  shardwise_toml_int (toml, "pipeline_parallel_first_stage_less_layers", first);
  shardwise_toml_int (toml, "pipeline_parallel_last_stage_less_layers", last);
  if (s->vpp > 1)
    shardwise_toml_int (toml, "pipeline_parallel_layers_per_stage",
                        shardwise_titan_layers_per_stage (&job->problem, s));
}

static void
write_parallelism (GString *toml, const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  gboolean experts = job->problem.model.moe.experts > 0;

  shardwise_toml_table (toml, "parallelism");
  shardwise_toml_int (toml, "data_parallel_replicate_degree", shardwise_titan_replicas (s));
  shardwise_toml_int (toml, "data_parallel_shard_degree", s->dp / shardwise_titan_replicas (s));
  shardwise_toml_string (toml, "fsdp_reshard_after_forward", shardwise_titan_reshard (s));
  shardwise_toml_int (toml, "tensor_parallel_degree", s->tp);
  shardwise_toml_bool (toml, "enable_async_tensor_parallel", FALSE);
  write_pipeline (toml, job);
  shardwise_toml_int (toml, "context_parallel_degree", s->cp);
  if (s->cp > 1)
    shardwise_toml_string (toml, "context_parallel_rotate_method",
                           s->cp_method == SW_CP_ALLGATHER ? "allgather" : "alltoall");
  shardwise_toml_int (toml, "expert_parallel_degree", s->ep);
  if (experts)
    shardwise_toml_int (toml, "expert_tensor_parallel_degree", s->ep > 1 ? s->etp : 1);
}

static void
write_recompute (GString *toml, const SwStrategy *s)
{
  shardwise_toml_table (toml, "activation_checkpoint");
  shardwise_toml_string (toml, "mode",
                         s->recompute == SW_RECOMPUTE_NONE   ? "none"
                         : s->recompute == SW_RECOMPUTE_FULL ? "full"
                                                             : "selective");
  if (s->recompute == SW_RECOMPUTE_SELECTIVE)
    shardwise_toml_string (toml, "selective_ac_option", "op");
}

static void
write_rest (GString *toml, const ShardwiseExportJob *job)
{
  guint steps = shardwise_export_train_steps (&job->problem);

  shardwise_toml_table (toml, "optimizer");
  shardwise_toml_string (toml, "name", "AdamW");
  shardwise_toml_word (toml, "lr", "1.5e-4");
  shardwise_toml_word (toml, "eps", "1e-8");
  shardwise_toml_table (toml, "lr_scheduler");
  shardwise_toml_int (toml, "warmup_steps", MAX (steps / 10, 1));
  shardwise_toml_table (toml, "compile"); /* off by default; the prediction is of compiled runs */
  shardwise_toml_bool (toml, "enable", TRUE);
  shardwise_toml_strings (toml, "components", shardwise_titan_compiled_parts (&job->problem));
  shardwise_toml_table (toml, "checkpoint");
  shardwise_toml_bool (toml, "enable", job->problem.training.type == SW_TRAINING_FINETUNE);
  if (job->problem.training.type == SW_TRAINING_FINETUNE)
    {
      shardwise_toml_string (toml, "initial_load_path", "pretrained");
      shardwise_toml_bool (toml, "initial_load_in_hf", TRUE);
    }
}

static char *
write_toml (const ShardwiseExportJob *job)
{
  const SwStrategy *s = &job->estimate.strategy;
  GString *toml = g_string_new (NULL);
  g_autofree char *description = g_strdup_printf (
      "%s, tp%u pp%u dp%u cp%u", job->problem.model.name, s->tp, s->pp, s->dp, s->cp);

  shardwise_toml_table (toml, "job");
  shardwise_toml_string (toml, "description", description);
  shardwise_toml_string (toml, "dump_folder", "./outputs");
  write_model (toml, job);
  write_training (toml, job);
  write_parallelism (toml, job);
  write_recompute (toml, s);
  write_precision (toml, job);
  write_rest (toml, job);

  return g_string_free (toml, FALSE);
}

static void
launch_toml (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, "torchtitan.train");
  out->is_module = TRUE;
  shardwise_launch_set (out, "PYTORCH_ALLOC_CONF", "expandable_segments:True");
  shardwise_args_word (shardwise_launch_add_group (out, NULL), "--job.config_file",
                       job->info->file_name);
}

static void
write_files (ShardwiseExportJob *job)
{
  GString *text = g_string_new (NULL);
  g_autofree char *toml = NULL;

  add_notes (job);
  shardwise_export_append_header (job, text);
  toml = write_toml (job);
  g_string_append_printf (text, "\n%s", toml);
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
launch_main (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  GPtrArray *args;

  shardwise_launch_init (out, "torchtitan.train");
  out->is_module = TRUE;
  shardwise_launch_set (out, "PYTORCH_ALLOC_CONF", "expandable_segments:True");
  args = shardwise_launch_add_group (out, NULL);
  shardwise_args_word (args, "--module", "torchtitan_config");
  shardwise_args_word (args, "--config", "config");
}

static void
write_main (ShardwiseExportJob *job)
{
  add_notes (job);
  shardwise_export_add_file (job, job->info->file_name, shardwise_titan_python (job, "config"));
}

static const ShardwiseFormatPin narrow[] = {
  { "strategy.sequence_parallel", "true", FALSE },
  { "strategy.schedule", "1f1b", FALSE },
  { "strategy.ep", NULL, TRUE },
  { "strategy.offload", "none", FALSE },
  { NULL, NULL, FALSE },
};

/* What holds for both versions. */
static const ShardwiseFormatWriter common = {
  .rules = shardwise_titan_common_rules,
  .n_rules = SHARDWISE_TITAN_N_COMMON_RULES,
};

const ShardwiseFormatWriter shardwise_torchtitan_writer = {
  .rules = shardwise_torchtitan_rules,
  .n_rules = SHARDWISE_TORCHTITAN_N_RULES,
  .base = &common,
  .narrow = narrow,
  .avoid = runs_in_fp32,
  .adapt = adapt,
  .write = write_files,
  .launch = launch_toml,
};

const ShardwiseFormatWriter shardwise_torchtitan_main_writer = {
  .rules = shardwise_torchtitan_main_rules,
  .n_rules = SHARDWISE_TORCHTITAN_MAIN_N_RULES,
  .base = &common,
  .narrow = narrow + 1,
  .avoid = runs_in_fp32,
  .write = write_main,
  .launch = launch_main,
};
