/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of parameters, gradients and optimizer states for each framework. */
#include "sw-recipe.h"

#include "sw-framework.h"

#include <string.h>

/**
 * sw_gradient_bytes:
 * @problem: a prepared question
 * @strategy: a strategy
 *
 * Returns: bytes of one gradient as it accumulates and is reduced: those of the recipe, of the
 * profile, or 4
 */
double
sw_gradient_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  double of_recipe = problem->training.gradient_bytes,
         of_profile = sw_problem_profile (problem, strategy->framework)->gradient_bytes;

  if (of_recipe > 0)
    return of_recipe;
  /* A tool that updates 16-bit weights has gradients of their type. */
  if (!problem->training.states_stated && sw_updates_16_bits (problem, strategy))
    return 2;
  return of_profile > 0 ? of_profile : 4;
}

/* Bytes of one moment per parameter: as set; otherwise the parameter's own type if the optimizer
 * updates it directly (PyTorch, zeros_like); otherwise 4. 8 bits have an fp32 constant per block of
 * 256 (bitsandbytes). */
static double
moment_bytes (const SwTraining *training, double parameter)
{
  double stated = training->moment_bytes > 0 ? training->moment_bytes : parameter;

  return stated == 1 ? 1 + 4.0 / 256 : stated;
}

/* Whether a layer's optimizer steps within the backward pass, so that only one layer's gradients
 * exist at a time: in PyTorch (torchtune, optimizer_in_bwd), unless a pipeline keeps them. */
gboolean
sw_steps_in_backward (const SwProblem *problem, const SwStrategy *strategy)
{
  return problem->training.optimizer_in_backward && sw_framework_is_fsdp (strategy->framework)
         && strategy->pp == 1;
}

/* Whether the driver moves the optimizer's states to the host when memory runs short, and back for
 * the step, after the activations are freed (bitsandbytes' paged optimizers; Dettmers et al. 2023,
 * section 3). */
gboolean
sw_optimizer_is_paged (SwOptimizer optimizer)
{
  return optimizer == SW_OPTIMIZER_PAGED_ADAM8BIT;
}

/* Optimizer state without master weights; @parameter: bytes of an updated parameter. Adafactor's
 * second moment is an fp32 row and column of each matrix, and it has no first moment (Shazeer and
 * Stern 2018, section 3): computed for square matrices. Muon keeps one momentum of matrices, and
 * runs AdamW on embedding and head (Jordan et al. 2024); SGD and Lion (Chen et al. 2023, algorithm
 * 2) keep one for all parameters. */
static double
state_bytes (const SwProblem *problem, double parameter, gboolean is_vocabulary)
{
  const double moment = moment_bytes (&problem->training, parameter);

  switch (problem->training.optimizer)
    {
    case SW_OPTIMIZER_ADAM8BIT:
    case SW_OPTIMIZER_PAGED_ADAM8BIT: return 2 * (1 + 4.0 / 256);
    case SW_OPTIMIZER_ADAFACTOR: return 2 * 4.0 / MAX (problem->model.hidden_size, 1);
    case SW_OPTIMIZER_MUON: return (is_vocabulary ? 2 : 1) * moment;
    case SW_OPTIMIZER_SGD:
    case SW_OPTIMIZER_LION: return moment;
    case SW_OPTIMIZER_ADAMW:
    default: return 2 * moment;
    }
}

/* Whether the optimizer updates 16-bit weights directly: as set, or as a tool loads a model.
 * torchtune's configurations use bf16 for everything (recipes/configs: dtype: bf16). Hugging Face's
 * Trainer keeps weights as loaded unless FSDP wraps them (accelerate, Accelerator.prepare_model:
 * "upcast of low precision parameters"); adapters are fp32 (PEFT: autocast_adapter_dtype), and so
 * are Unsloth's. */
gboolean
sw_updates_16_bits (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwTraining *training = &problem->training;

  if (training->no_master || training->states_stated)
    return training->no_master;
  if (strategy->framework == SW_FRAMEWORK_TORCHTUNE)
    return TRUE;
  return (strategy->framework == SW_FRAMEWORK_HF_TRAINER
          || strategy->framework == SW_FRAMEWORK_UNSLOTH)
         && (strategy->zero_stage == 0 || strategy->dp * strategy->cp == 1)
         && !sw_training_is_adapter (training);
}

/* Bytes per parameter that FSDP shards and its optimizer updates, and per gradient. */
double
sw_fsdp_parameter_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  if (problem->training.parameter_bytes > 0)
    return problem->training.parameter_bytes;
  return sw_updates_16_bits (problem, strategy) ? 2 : 4;
}

/* FSDP mixed precision: fp32 parameters, gradients and state, all sharded (gradients are converted
 * to the type of the parameters after they are reduced); the bf16 copy is gathered unit by unit.
 * SHARD_GRAD_OP keeps the gathered copy, and so does a pipeline, which also accumulates gradients
 * unsharded. NO_SHARD, and any stage over one GPU, is plain data parallelism, unless the shards are
 * on the host. */
static void
fsdp_recipe (const SwProblem *problem, const SwStrategy *strategy, gboolean is_vocabulary,
             SwRecipe *recipe)
{
  const SwTraining *training = &problem->training;
  double parameter = sw_fsdp_parameter_bytes (problem, strategy);
  double state = training->master_bytes + state_bytes (problem, parameter, is_vocabulary);

  if (strategy->zero_stage == 0
      || (recipe->group <= 1 && strategy->offload != SW_OFFLOAD_OPTIMIZER_PARAMS))
    {
      recipe->parameters_whole = parameter;
      recipe->gradients_whole = parameter;
      recipe->optimizer_whole = state;
      return;
    }
  recipe->parameters_shared = parameter;
  recipe->gradients_shared = parameter;
  recipe->optimizer_shared = state;
  if (strategy->pp > 1)
    recipe->gradients_whole = sw_updates_16_bits (problem, strategy) ? parameter : 4;
  else if (sw_problem_has (problem, strategy->framework, SW_FEATURE_UNSHARDED_ACCUMULATION)
           && sw_strategy_micro_batches (problem, strategy) > 1)
    {
      /* In the type that is gathered. */
      recipe->gradients_whole = MIN (parameter, 2);
      recipe->gradients_shared = 0;
    }
  if (strategy->pp > 1 || strategy->zero_stage == 2)
    recipe->parameters_whole = 2;
}

/* A weight of a linear layer as Megatron-Core stores it for the passes: quantized only
 * (fp8_param_gather, fp4_param_gather). With tensor-wise scaling one byte, plus a transposed copy
 * if tensor cores take only one layout (before Blackwell), except in recipes that compute it each
 * time. MXFP8 and NVFP4 are quantized along rows and along columns, with a byte of scale per 32 and
 * per 16 elements (Transformer Engine's quantized tensors; Megatron-Bridge, mixed_precision.py). */
static double
linear_weight_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  SwGeneration generation = problem->cluster.gpu.generation;
  gboolean any_layout = generation == SW_GENERATION_BLACKWELL || generation == SW_GENERATION_RUBIN;
  gboolean once = any_layout || problem->training.weights_once;

  if (strategy->framework != SW_FRAMEWORK_MEGATRON_CORE
      || sw_training_is_adapter (&problem->training))
    return 2;
  switch (problem->training.precision)
    {
    case SW_PRECISION_FP8: return once ? 1 : 2;
    case SW_PRECISION_FP8_ROWWISE: return 2;
    case SW_PRECISION_MXFP8: return 2 * (1 + 1.0 / 32);
    case SW_PRECISION_NVFP4: return 2 * (0.5 + 1.0 / 16);
    case SW_PRECISION_BF16:
    case SW_PRECISION_FP16:
    default: return 2;
    }
}

/* The part that does not depend on the kind of parameter. */
typedef struct {
  double gradients, copies, temporaries, released;
} Facts;

/* @group: number of GPUs that share the states. */
static void
recipe_init (const SwProblem *problem, const SwStrategy *strategy, const Facts *facts, double group,
             double weight, gboolean is_vocabulary, SwRecipe *recipe)
{
  const SwTraining *training = &problem->training;
  double divided = strategy->zero_stage > 0 ? group : 1, share;

  memset (recipe, 0, sizeof *recipe);
  recipe->group = group;
  recipe->trained_share = 1;
  recipe->copies = facts->copies / divided;
  recipe->temporaries = facts->temporaries / divided;
  recipe->released = facts->released / divided;
  if (sw_framework_is_fsdp (strategy->framework))
    fsdp_recipe (problem, strategy, is_vocabulary, recipe);
  else
    {
      /* Megatron and similar frameworks: 16-bit parameters, gradients accumulated in fp32 (2 bytes
       * if the profile sets that), fp32 master weights; the distributed optimizer shards master
       * weights and states: 6 + 12 / DP bytes in total with AdamW. DeepSpeed's BF16_Optimizer has
       * 16-bit gradients besides the fp32 gradients that it accumulates; offloaded, it has fp32
       * gradients on the host. Stages 2 and 3 shard gradients and parameters. */
      gboolean is_deepspeed = sw_engine (strategy->framework) == SW_FRAMEWORK_DEEPSPEED;
      double copy = training->no_master          ? 0
                    : training->master_bytes > 0 ? training->master_bytes
                                                 : 4;
      double master = copy + state_bytes (problem, training->no_master ? 2 : 4, is_vocabulary);
      guint stage = strategy->zero_stage;
      double gradients = is_deepspeed ? 2 : facts->gradients;

      if (training->no_master)
        ; /* nothing is in fp32 */
      else if (is_deepspeed && training->precision == SW_PRECISION_BF16 && stage <= 1)
        gradients += 4;
      else if (is_deepspeed
               && (strategy->offload == SW_OFFLOAD_OPTIMIZER
                   || strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS))
        master += 4;
      *(stage >= 3 ? &recipe->parameters_shared : &recipe->parameters_whole) = weight;
      *(stage >= 2 ? &recipe->gradients_shared : &recipe->gradients_whole) = gradients;
      *(stage >= 1 ? &recipe->optimizer_shared : &recipe->optimizer_whole) = master;
    }
  if (sw_training_is_adapter (training))
    {
      /* The base is frozen: only weights, sharded if the framework shards parameters, including NF4
       * (FSDP-QLoRA: bitsandbytes' quant_storage). Adapters belong to the layers; embedding and
       * head have at least 16 bits, and if they are trained, copies of them are (PEFT's
       * modules_to_save). */
      const SwParameterCount *count = &problem->count;
      double layers = count->total - count->embedding - count->head;
      double bytes = sw_base_bytes (training);
      gboolean is_sharded = strategy->zero_stage == 3 && strategy->pp == 1;

      if (is_vocabulary)
        {
          bytes = MAX (bytes, 2);
          recipe->trained_share = training->lora_vocabulary ? 1 : 0;
        }
      else
        recipe->trained_share = layers > 0 ? sw_trained_share (problem) * count->total / layers : 0;
      *(is_sharded ? &recipe->frozen_shared : &recipe->frozen_whole) = bytes;
    }
  /* Autocast keeps its 16-bit copy of each weight until it ends, sharded or not (PyTorch,
   * aten/src/ATen/autocast_mode.cpp, cached_cast). */
  if (training->autocast)
    *(sw_training_is_adapter (training) ? &recipe->frozen_whole : &recipe->parameters_whole) += 2;
  if (sw_steps_in_backward (problem, strategy))
    recipe->gradients_whole = recipe->gradients_shared = 0; /* the buffers include one layer's
                                                               gradients */

  /* Bytes per parameter on one GPU. */
  share = 1 / recipe->group;
  recipe->parameters = recipe->parameters_whole + recipe->parameters_shared * share;
  recipe->gradients = recipe->gradients_whole + recipe->gradients_shared * share;
  recipe->optimizer = recipe->optimizer_whole + recipe->optimizer_shared * share;
  recipe->frozen = recipe->frozen_whole + recipe->frozen_shared * share;
}

/* Bytes per parameter, by kind of parameter; experts only if the model has experts. Returns whether
 * embedding and head differ from the layers. */
gboolean
sw_recipes_init (const SwProblem *problem, const SwStrategy *strategy,
                 SwRecipe recipes[SW_N_RECIPES])
{
  const SwTraining *training = &problem->training;
  double share = strategy->dp > 0 ? (double) strategy->shard_group / strategy->dp : 1;
  double group = (double) strategy->shard_group * strategy->cp;
  double weight = linear_weight_bytes (problem, strategy);
  /* Embedding and head: their weights are not quantized, their optimizer may differ, and they have
   * no adapters. */
  gboolean differs = weight != 2 || training->optimizer == SW_OPTIMIZER_MUON
                     || sw_training_is_adapter (training);
  Facts facts = { .gradients = sw_gradient_bytes (problem, strategy) };

  /* Copies of the whole shard made by the optimizer step after the activations are freed.
   * Megatron's optimizers convert 16-bit gradients to fp32 (distrib_optimizer.py,
   * _copy_model_grads_to_main_grads); gradients accumulated in fp32 are used directly, and
   * precision-aware optimizers read either. DeepSpeed's fp16 optimizers, and stages 2 and 3,
   * convert the gradients of the shard to fp32 (stage_1_and_2.py, step: single_grad_partition).
   * PyTorch's AdamW processes all parameters at once and needs a copy of their size (foreach;
   * PyTorch's documentation of AdamW); TorchTitan uses the fused one, and those of bitsandbytes
   * have their own kernels. Nanotron flattens all fp32 gradients to scatter them (distributed.py,
   * reduce_scatter_coalesced). DeepSpeed's fp16 optimizer without ZeRO casts them one by one and
   * flattens the copies (fused_optimizer.py, step). */
  if (sw_steps_in_backward (problem, strategy))
    ; /* a layer's own */
  else if (strategy->offload != SW_OFFLOAD_OPTIMIZER
           && strategy->offload != SW_OFFLOAD_OPTIMIZER_PARAMS)
    {
      gboolean is_megatron = strategy->framework == SW_FRAMEWORK_MEGATRON_2021
                             || strategy->framework == SW_FRAMEWORK_MEGATRON_CORE;

      facts.temporaries = training->step_bytes;
      /* With stage 3, blocks have one size and can be reused. */
      facts.released = strategy->zero_stage < 3 ? training->step_released_bytes : 0;
      if (facts.temporaries > 0)
        ; /* the recipe sets it */
      else if (is_megatron && facts.gradients < 4 && training->master_bytes <= 0
               && (training->moment_bytes <= 0 || training->moment_bytes >= 4)
               && !training->no_master)
        facts.copies = 4;
      else if (sw_engine (strategy->framework) == SW_FRAMEWORK_DEEPSPEED && !training->no_master
               && strategy->zero_stage > 0
               && (training->precision != SW_PRECISION_BF16 || strategy->zero_stage > 1))
        {
          /* Part of the shard that DeepSpeed steps at once: stage 3 steps one sub-group after
           * another. */
          double shard = problem->count.total * sw_trained_share (problem) / (group * strategy->tp);

          facts.copies =
              strategy->zero_stage < 3
                  ? 4
                  : 4
                        * MIN (problem->calibration->deepspeed_sub_group_elements / MAX (shard, 1),
                               1);
        }
      else if (sw_engine (strategy->framework) == SW_FRAMEWORK_DEEPSPEED && !training->no_master
               && strategy->zero_stage == 0 && training->precision != SW_PRECISION_BF16)
        facts.copies = 4 + 4; /* one by one, and flattened */
      else if (strategy->framework == SW_FRAMEWORK_NANOTRON && strategy->zero_stage > 0
               && strategy->dp > 1)
        facts.copies = 4 * group; /* for the states that are not sharded */
      else if (sw_engine (strategy->framework) == SW_FRAMEWORK_FSDP
               && training->optimizer != SW_OPTIMIZER_ADAM8BIT
               && training->optimizer != SW_OPTIMIZER_PAGED_ADAM8BIT
               && training->optimizer != SW_OPTIMIZER_LION)
        facts.temporaries = sw_fsdp_parameter_bytes (problem, strategy);
    }
  recipe_init (problem, strategy, &facts, group, weight, FALSE, &recipes[SW_RECIPE_LAYERS]);
  if (differs)
    recipe_init (problem, strategy, &facts, group, 2, TRUE, &recipes[SW_RECIPE_VOCABULARY]);
  else
    recipes[SW_RECIPE_VOCABULARY] = recipes[SW_RECIPE_LAYERS];
  if (problem->model.moe.experts > 0)
    recipe_init (problem, strategy, &facts, MAX (sw_strategy_edp (strategy) * share, 1), weight,
                 FALSE, &recipes[SW_RECIPE_EXPERTS]);
  return differs;
}

/* What the allocator reserves over what is allocated. */
double
sw_allocator_factor (const SwProblem *problem, const SwStrategy *strategy)
{
  double factor = sw_problem_profile (problem, strategy->framework)->allocator_factor;

  return factor > 0 ? factor : 1;
}

/* Of one strategy. */
void
sw_states_init (const SwProblem *problem, const SwStrategy *strategy, SwStates *out)
{
  out->vocabulary_differs = sw_recipes_init (problem, strategy, out->recipes);
  out->allocator = sw_allocator_factor (problem, strategy);
}

/* The same from the cache, which is updated. */
const SwStates *
sw_states_known (SwStatesMemo *memo, const SwProblem *problem, const SwStrategy *strategy)
{
  const guint kind = (guint) strategy->framework << 8 | (guint) strategy->zero_stage << 5
                     | (guint) strategy->offload << 2
                     | (guint) (sw_strategy_micro_batches (problem, strategy) > 1) << 1
                     | (strategy->pp > 1);
  const guint key[7] = { kind,         strategy->dp,  strategy->shard_group, strategy->cp,
                         strategy->tp, strategy->etp, strategy->ep };
  guint32 hash = 0;
  SwKnownStates *known;

  for (guint i = 0; i < G_N_ELEMENTS (key); i++)
    hash = (hash ^ key[i]) * 2654435769u;
  known = &memo->known[hash >> (32 - SW_STATES_BITS)];
  if (memcmp (known->key, key, sizeof key) != 0)
    {
      memcpy (known->key, key, sizeof key);
      sw_states_init (problem, strategy, &known->states);
    }
  return &known->states;
}

/* Bytes per parameter on one GPU without any sharding. */
static double
unsharded_bytes (const SwRecipe *recipe)
{
  return recipe->trained_share
             * (recipe->parameters_whole + recipe->parameters_shared + recipe->gradients_whole
                + recipe->gradients_shared + recipe->optimizer_whole + recipe->optimizer_shared)
         + recipe->frozen_whole + recipe->frozen_shared;
}

/**
 * sw_unsharded_state_bytes:
 * @problem: a prepared question
 * @strategy: a valid strategy; its framework, ZeRO stage and pipeline determine the states
 *
 * The bytes per parameter in the breakdown of memory, before sharding. With bf16, fp32 gradients
 * and AdamW: 18 bytes with Megatron (2 of weights, 4 of gradients, 12 of master weights and
 * moments), 16 with FSDP.
 *
 * Returns: weights, gradients and optimizer states of the whole model; bytes
 */
double
sw_unsharded_state_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwParameterCount *count = &problem->count;
  const double vocabulary = count->embedding + count->head;
  SwRecipe recipes[SW_N_RECIPES] = { 0 };

  sw_recipes_init (problem, strategy, recipes);
  return (count->total - vocabulary) * unsharded_bytes (&recipes[SW_RECIPE_LAYERS])
         + vocabulary * unsharded_bytes (&recipes[SW_RECIPE_VOCABULARY]);
}

/* Bytes on disk per trained parameter: weights and optimizer state, each once regardless of
 * sharding. FSDP's gathered copies are not written, and quantized weights are written in 16
 * bits. */
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
 * @strategy: a valid strategy; its framework determines the states
 *
 * Weights and optimizer states of the whole model, written once: 14 bytes per parameter with
 * Megatron's AdamW (2 of bf16 weights, 12 of fp32 master weights and moments; Rajbhandari et al.
 * 2020, section 3.1, less the gradients), 12 with FSDP. Adapters are written without their frozen
 * base; PPO writes policy and critic. Data-loader and random states are small and not included.
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

  /* DeepSpeed's recipe includes copies made by its step; its checkpoint files have the same content
   * as Megatron's. */
  if (sw_engine (kept.framework) == SW_FRAMEWORK_DEEPSPEED)
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
