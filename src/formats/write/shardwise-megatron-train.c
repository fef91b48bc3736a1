/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-megatron.h"

#include <glib/gi18n.h>

/* The arguments of Megatron-LM that say how one step runs, and on what data. */

#define flag shardwise_args_flag
#define word shardwise_args_word
#define number shardwise_args_int

static void
add_precision (SwPrecision precision, GPtrArray *args)
{
  flag (args, precision == SW_PRECISION_FP16 ? "--fp16" : "--bf16");
  if (precision == SW_PRECISION_FP8)
    {
      word (args, "--fp8-format", "hybrid");
      word (args, "--fp8-recipe", "tensorwise");
    }
  else if (precision == SW_PRECISION_MXFP8)
    {
      word (args, "--fp8-format", "e4m3");
      word (args, "--fp8-recipe", "mxfp8");
    }
  else if (precision == SW_PRECISION_NVFP4)
    {
      word (args, "--fp4-format", "e2m1");
      word (args, "--fp4-recipe", "nvfp4");
    }
}

static void
add_recompute (const SwStrategy *s, GPtrArray *args)
{
  switch ((SwRecompute) s->recompute)
    {
    case SW_RECOMPUTE_SELECTIVE:
      word (args, "--recompute-granularity", "selective");
      if (s->recompute_modules == 0)
        break;
      flag (args, "--recompute-modules");
      for (guint i = 0; sw_recompute_module_names[i] != NULL; i++)
        if ((s->recompute_modules & (1u << i)) != 0)
          g_ptr_array_add (args, g_strdup (sw_recompute_module_names[i]));
      break;
    case SW_RECOMPUTE_FULL:
      word (args, "--recompute-granularity", "full");
      word (args, "--recompute-method", "uniform");
      number (args, "--recompute-num-layers", 1);
      break;
    case SW_RECOMPUTE_FULL_LAYERS: /* of each chunk of a stage */
      word (args, "--recompute-granularity", "full");
      word (args, "--recompute-method", "block");
      number (args, "--recompute-num-layers", s->full_layers / s->vpp);
      break;
    case SW_RECOMPUTE_NONE:
    default: break;
    }
}

static void
add_offload (const SwProblem *problem, const SwStrategy *s, GPtrArray *args)
{
  if (s->offload == SW_OFFLOAD_OPTIMIZER)
    {
      flag (args, "--use-precision-aware-optimizer"); /* which offloading goes through */
      flag (args, "--optimizer-cpu-offload");
    }
  else if (s->offload == SW_OFFLOAD_ACTIVATIONS)
    {
      number (args, "--cpu-offloading-num-layers", problem->model.layers - 1);
    }
}

static void
add_optimizer (const SwTraining *training, GPtrArray *args)
{
  word (args, "--optimizer",
        training->optimizer == SW_OPTIMIZER_SGD    ? "sgd"
        : training->optimizer == SW_OPTIMIZER_MUON ? "muon"
                                                   : "adam");
  word (args, "--lr", training->optimizer == SW_OPTIMIZER_SGD ? "0.1" : "1.5e-4");
  word (args, "--min-lr", training->optimizer == SW_OPTIMIZER_SGD ? "0.01" : "1.5e-5");
  word (args, "--lr-decay-style", "cosine");
  word (args, "--weight-decay", "0.1");
  if (training->optimizer == SW_OPTIMIZER_SGD)
    {
      word (args, "--sgd-momentum", "0.9");
    }
  else
    {
      word (args, "--adam-beta1", "0.9");
      word (args, "--adam-beta2", "0.95");
    }
  word (args, "--clip-grad", "1.0");
}

/**
 * shardwise_megatron_add_training:
 * @job: the job
 * @args: where to add to
 *
 * Adds batch, optimizer, precision, recomputation and offload. There is no accumulation argument:
 * it is what is left of the global batch.
 */
void
shardwise_megatron_add_training (const ShardwiseExportJob *job, GPtrArray *args)
{
  const SwProblem *problem = &job->problem;
  const SwStrategy *strategy = &job->estimate.strategy;
  guint steps = shardwise_export_train_steps (problem);

  number (args, "--micro-batch-size", strategy->micro_batch);
  number (args, "--global-batch-size", shardwise_export_global_batch (job));
  number (args, "--train-iters", steps);
  number (args, "--lr-warmup-iters", MAX (steps / 10, 1));
  add_optimizer (&problem->training, args);
  add_precision (problem->training.precision, args);
  add_recompute (strategy, args);
  add_offload (problem, strategy, args);
  word (args, "--attention-backend",
        problem->training.attention == SW_ATTENTION_UNFUSED                        ? "unfused"
        : problem->model.mla.kv_lora_rank > 0 || problem->model.sliding_window > 0 ? "auto"
                                                                                   : "flash");
}

/**
 * shardwise_megatron_add_data:
 * @problem: the question
 * @args: where to add to
 *
 * Adds made-up data and where checkpoints go.
 */
void
shardwise_megatron_add_data (const SwProblem *problem, GPtrArray *args)
{
  flag (args, "--mock-data");
  word (args, "--tokenizer-type", "NullTokenizer");
  word (args, "--split", "99,1,0");
  number (args, "--log-interval", 1);
  number (args, "--eval-iters", 0);
  number (args, "--save-interval", 1000);
  word (args, "--save", "checkpoints");
  word (args, "--ckpt-format", "torch_dist");
  if (problem->training.type == SW_TRAINING_FINETUNE)
    {
      flag (args, "--finetune");
      word (args, "--load", "pretrained");
    }
}

/**
 * shardwise_megatron_add_notes:
 * @job: the job
 *
 * Adds what the architecture's dimensions do not say.
 */
void
shardwise_megatron_add_notes (ShardwiseExportJob *job)
{
  const SwModelSpec *model = &job->problem.model;

  if (model->position == SW_POSITION_ROPE)
    shardwise_export_note (
        job, _ ("The base and scaling of the rotary positions and the norm’s epsilon: compare them "
                "with the model’s own."));
  if (model->gated_mlp)
    shardwise_export_note (job, _ ("The activation of the gated MLP: SwiGLU is written."));
  if (model->moe.experts > 0)
    shardwise_export_note (
        job, _ ("How the router balances its experts: the weight of its loss is a common starting "
                "point."));
  if (model->mla.kv_lora_rank > 0)
    shardwise_export_note (
        job, _ ("The scaling of rotary positions of latent attention: Megatron-LM’s defaults."));
}
