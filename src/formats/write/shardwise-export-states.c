/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What no file that is written says, of the precision of states and of accelerators: rules that hold
 * for every framework. */
#include "shardwise-export-job.h"

#include <glib/gi18n.h>

/* The files call CUDA, which PyTorch for AMD's GPUs answers to, too, and NCCL or RCCL. */
static gboolean
is_gaudi (const SwProblem *problem, const SwStrategy *s)
{
  return problem->cluster.gpu.generation == SW_GENERATION_GAUDI;
}

/**
 * shardwise_export_steps_in_backward:
 *
 * Returns: whether the optimizer is to run within the backward pass: a rule of frameworks that have
 * none that does
 */
gboolean
shardwise_export_steps_in_backward (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer_in_backward;
}

/* Another storage of the frozen base than the kind of training has by default. */
static gboolean
other_base (const SwProblem *problem, const SwStrategy *s)
{
  SwTraining usual = problem->training;

  usual.base = SW_BASE_AUTO;
  return sw_training_base (&problem->training) != sw_training_base (&usual);
}

static gboolean
pure_sixteen_bits (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.no_master || problem->training.parameter_bytes == 2;
}

static gboolean
other_gradients (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.gradient_bytes == 2 && s->framework != SW_FRAMEWORK_MEGATRON_CORE;
}

/* Megatron-LM's precision-aware optimizer is its distributed one, and keeps moments in bf16. */
static gboolean
other_moments (const SwProblem *problem, const SwStrategy *s)
{
  const double bytes = problem->training.moment_bytes;
  const gboolean written = s->framework == SW_FRAMEWORK_MEGATRON_CORE && s->zero_stage > 0;

  return bytes == 1 || (bytes == 2 && !written);
}

static gboolean
trains_vocabulary (const SwProblem *problem, const SwStrategy *s)
{
  return sw_training_is_adapter (&problem->training) && problem->training.lora_vocabulary;
}

static gboolean
drops_out (const SwProblem *problem, const SwStrategy *s)
{
  return sw_training_is_adapter (&problem->training) && problem->training.lora_dropout > 0;
}

static const ShardwiseFormatRule common_rules[] = {
  { SHARDWISE_KEY_TRAINING_LORA_EMBEDDINGS, 0, trains_vocabulary,
    N_ ("Shardwise does not write training of embedding and head together with adapters") },
  { SHARDWISE_KEY_CLUSTER_GPU, 0, is_gaudi,
    N_ ("The files are for CUDA and ROCm; Gaudi requires Intel’s forks of the frameworks, which "
        "Shardwise does not write") },
  { SHARDWISE_KEY_TRAINING_BASE_PRECISION, 0, other_base,
    N_ ("The files keep the frozen base in bf16 with LoRA and in NF4 with QLoRA") },
};

static gboolean
learns_otherwise (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.method != SW_METHOD_TOKENS;
}

static gboolean
has_dora (const SwProblem *problem, const SwStrategy *s)
{
  return sw_training_is_adapter (&problem->training) && problem->training.lora_dora;
}

static const ShardwiseFormatRule rules[] = {
  { SHARDWISE_KEY_TRAINING_TYPE, 0, learns_otherwise,
    N_ ("The files train on the next token; for preferences and rewards, use TRL, Axolotl, "
        "LLaMA-Factory or OpenRLHF, for distillation TRL or torchtune") },
  { SHARDWISE_KEY_TRAINING_LORA_DROPOUT, 0, drops_out,
    N_ ("The files use adapters without dropout; use a fine-tuning tool for dropout") },
  { SHARDWISE_KEY_TRAINING_LORA_DORA, 0, has_dora,
    N_ ("The files use LoRA adapters; for DoRA, use TRL, Axolotl, LLaMA-Factory or torchtune") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER_IN_BACKWARD, 0, shardwise_export_steps_in_backward,
    N_ ("The optimizer runs after the backward pass; only torchtune can run it within the backward "
        "pass, without gradient accumulation") },
  { SHARDWISE_KEY_TRAINING_STATES_MASTER, 0, pure_sixteen_bits,
    N_ ("The files train in mixed precision: the optimizer updates fp32 weights") },
  { SHARDWISE_KEY_TRAINING_STATES_GRADIENTS, 0, other_gradients,
    N_ ("Only Megatron-LM has a setting to reduce gradients in bf16; the other frameworks use "
        "their default") },
  { SHARDWISE_KEY_TRAINING_STATES_MOMENTS, SHARDWISE_DIM (SW_DIM_ZERO), other_moments,
    N_ ("Moments are fp32; Megatron-LM with ZeRO 1 also supports bf16. For 8 bits, choose 8-bit "
        "Adam") },
};

const ShardwiseFormatWriter shardwise_common_writer = { .rules = common_rules,
                                                        .n_rules = G_N_ELEMENTS (common_rules) };
const ShardwiseFormatWriter shardwise_states_writer = { .rules = rules,
                                                        .n_rules = G_N_ELEMENTS (rules),
                                                        .base = &shardwise_common_writer };
