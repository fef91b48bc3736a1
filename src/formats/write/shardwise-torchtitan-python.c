/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-torchtitan.h"

/* The configuration of TorchTitan's main branch: a Python function that changes one of its own.
 * Only values computed here enter the text, never a string of the user outside the comments. */

static void
append_parallelism (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *s = &job->estimate.strategy;
  guint replicas = shardwise_titan_replicas (s), first, last;

  g_string_append_printf (text,
                          "    p = run.parallelism\n"
                          "    p.data_parallel_replicate_degree = %u\n"
                          "    p.data_parallel_shard_degree = %u\n"
                          "    p.fsdp_reshard_after_forward = \"%s\"\n"
                          "    p.tensor_parallel_degree = %u\n"
                          "    p.enable_sequence_parallel = %s\n"
                          "    p.context_parallel_degree = %u\n"
                          "    p.expert_parallel_degree = %u\n"
                          "    p.pipeline_parallel_degree = %u\n",
                          replicas, s->dp / replicas, shardwise_titan_reshard (s), s->tp,
                          s->sequence_parallel ? "True" : "False", s->cp, s->ep, s->pp);
  if (s->pp == 1)
    return;

  shardwise_titan_end_layers (&job->problem, s, &first, &last);
  g_string_append_printf (text,
                          "    p.pipeline_parallel_schedule = \"%s\"\n"
                          "    p.num_pp_microbatches = %u\n"
                          "    p.pipeline_parallel_first_stage_less_layers = %u\n"
                          "    p.pipeline_parallel_last_stage_less_layers = %u\n",
                          shardwise_titan_schedule (s),
                          MAX (job->estimate.gradient_accumulation, 1), first, last);
  if (s->vpp > 1)
    g_string_append_printf (text, "    p.pipeline_parallel_layers_per_stage = %u\n",
                            shardwise_titan_layers_per_stage (&job->problem, s));
}

static void
append_training (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *s = &job->estimate.strategy;
  guint sequence = job->problem.training.sequence_length;

  g_string_append_printf (text,
                          "    t = run.training\n"
                          "    t.max_context_length = %u\n"
                          "    t.num_tokens_per_microbatch_per_dp_rank = %u * %u\n"
                          "    t.num_tokens_per_train_step = %u * %u\n"
                          "    t.steps = %u\n",
                          sequence, s->micro_batch, sequence, shardwise_export_global_batch (job),
                          sequence, shardwise_export_train_steps (&job->problem));
  if (s->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    g_string_append (text, "    t.enable_cpu_offload = True\n");
  if (s->pp > 1 || s->ep > 1)
    g_string_append_printf (text, "    t.disable_cuda_graphs = True  # refused otherwise with %s\n",
                            s->pp > 1 ? "a pipeline" : "expert parallelism");
}

/* The function that 405B has in the registry converts it to float8 at once, which is not what was
 * predicted, and some GPUs cannot. */
static void
append_model (const ShardwiseExportJob *job, const char *function, GString *text)
{
  const ShardwiseTitanModel *model = shardwise_titan_model (&job->problem);
  const char *registered = model->in_bf16 != NULL ? model->in_bf16 : model->function;

  if (model->in_bf16 != NULL)
    g_string_append_printf (text, "from torchtitan.models.%s import model_registry\n", model->name);
  g_string_append_printf (text,
                          "from torchtitan.models.%s.config_registry import %s\n"
                          "from torchtitan.trainer import Trainer\n"
                          "\n\ndef %s() -> Trainer.Config:\n"
                          "    run = %s()\n",
                          model->name, registered, function, registered);
  if (model->in_bf16 != NULL)
    g_string_append_printf (text,
                            "    run.model_spec = model_registry(\"%s\")  # %s() is in float8\n"
                            "    run.hf_assets_path = \"./assets/hf/%s\"\n",
                            model->flavor, model->function, model->assets);
}

/* Some of the registry's configurations compile, some do not. */
static void
append_compilation (const ShardwiseExportJob *job, GString *text)
{
  g_autofree char *parts = g_strjoinv ("\", \"",
                                       (char **) shardwise_titan_compiled_parts (&job->problem));

  g_string_append_printf (
      text, "    run.compile = CompileConfig(enable=True, components=[\"%s\"])\n", parts);
}

/**
 * shardwise_titan_python:
 * @job: the job; its notes must be complete
 * @function: the name of the function that returns the configuration
 *
 * Returns: (transfer full): the text of the file
 */
char *
shardwise_titan_python (ShardwiseExportJob *job, const char *function)
{
  SwRecompute recompute = (SwRecompute) job->estimate.strategy.recompute;
  const char *wrapper = recompute == SW_RECOMPUTE_FULL ? "FullAC" : "SelectiveAC";
  GString *text = g_string_new (NULL);

  shardwise_export_append_header (job, text);
  g_string_append (text, "from torchtitan.config import CompileConfig\n");
  if (recompute != SW_RECOMPUTE_NONE)
    g_string_append_printf (text, "from torchtitan.distributed.activation_checkpoint import %s\n",
                            wrapper);
  append_model (job, function, text);
  append_parallelism (job, text);
  append_training (job, text);
  append_compilation (job, text);
  if (recompute != SW_RECOMPUTE_NONE)
    g_string_append_printf (text, "    run.activation_checkpoint = %s.Config()\n", wrapper);
  else
    g_string_append (text, "    run.activation_checkpoint = None\n");
  g_string_append (text, "    return run\n");

  return g_string_free (text, FALSE);
}
