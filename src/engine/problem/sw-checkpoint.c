/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job writes so that it can be resumed. */
#include "sw-checkpoint.h"
#include "sw-memory-private.h"

/* Bytes on disk per trained parameter: weights and optimizer state, each once however it is
 * sharded. A copy that FSDP has gathered is not written again, and quantised weights are written in
 * 16 bits. */
static double
bytes_per_parameter (const SwRecipe *recipe)
{
  double weights = recipe->parameters_shared > 0 ? recipe->parameters_shared
                                                 : recipe->parameters_whole;

  return MAX (weights, 2) + recipe->optimizer_whole + recipe->optimizer_shared;
}

/**
 * sw_checkpoint_bytes:
 * @problem: a prepared question
 * @strategy: a valid strategy; its framework says what is kept
 *
 * Weights and optimizer states of the whole model, written once: 14 bytes per parameter with
 * Megatron's AdamW (2 of bf16 weights, 12 of fp32 master weights and moments; Rajbhandari et al.
 * 2020, section 3.1, less the gradients), 12 with FSDP. Adapters are written without their frozen
 * base; PPO writes policy and critic. Not in it: data-loader and random states, which are small.
 *
 * Returns: the size of a checkpoint; bytes
 */
double
sw_checkpoint_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwParameterCount *count = &problem->count;
  double vocabulary = count->embedding + count->head, layers_bytes, bytes;
  SwStrategy kept = *strategy;
  SwRecipe recipes[SW_N_RECIPES] = { 0 };

  /* DeepSpeed's recipe counts copies that its step makes; its files hold what Megatron's do. */
  if (kept.framework == SW_FRAMEWORK_DEEPSPEED)
    kept.framework = SW_FRAMEWORK_MEGATRON_CORE;
  sw_recipes_init (problem, &kept, recipes);
  layers_bytes = bytes_per_parameter (&recipes[SW_RECIPE_LAYERS]);
  if (sw_training_is_adapter (&problem->training))
    return sw_trained_share (problem) * count->total * layers_bytes;
  bytes = (count->total - vocabulary + count->mtp) * layers_bytes
          + vocabulary * bytes_per_parameter (&recipes[SW_RECIPE_VOCABULARY]);
  if (problem->training.type == SW_TRAINING_RLHF && problem->training.rlhf_ppo)
    bytes += problem->critic_count.total * layers_bytes;
  return bytes;
}
