/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-cost.h"
#include "sw-framework.h"

#include <string.h>

/* Bytes per trained parameter, and over what each is sharded: `whole` stays on every GPU of the
 * shard group, `shared` is divided by it. */
typedef struct
{
  double parameters_whole, parameters_shared;
  double gradients_whole, gradients_shared;
  double optimizer_whole, optimizer_shared;
  double frozen_whole, frozen_shared; /* per parameter of a frozen base (LoRA) */
  double trained_share;               /* trained parameters over those of the stage */
  double resident;                    /* other models: bytes of bf16 per parameter of the stage */
  double step;                        /* copies of the optimizer step, divided like its state */
  double group;                       /* GPUs that the shared part is divided over */
} Recipe;

/* Dense parameters are sharded over the data- and context-parallel ranks of a shard group, experts
 * over their own data-parallel group, of which a hybrid group takes the same share. */
typedef struct
{
  Recipe dense, experts;
} Recipes;

/* DeepSpeed's defaults: reduce_bucket_size and allgather_bucket_size in elements,
 * stage3_max_live_parameters. */
static const double deepspeed_bucket_elements = 5e8;
static const double deepspeed_live_parameters = 1e9;
/* QLoRA (Dettmers et al. 2023, section 3): 4-bit NormalFloat with double quantisation, 4.127 bits
 * per parameter. */
static const double nf4_bytes = 4.127 / 8;

static const SwProfile *
profile_of (const SwProblem *problem, const SwStrategy *strategy)
{
  return sw_calibration_profile (problem->calibration, strategy->framework,
                                 problem->training.software_year);
}

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
         of_profile = profile_of (problem, strategy)->gradient_bytes;

  if (of_recipe > 0)
    return of_recipe;
  return of_profile > 0 ? of_profile : 4;
}

/* Optimizer state without master weights. 8-bit Adam keeps two bytes and a block constant per 256;
 * Adafactor's factored moments are vectors; Muon and SGD keep one fp32 momentum. Muon's embeddings
 * really run AdamW: 4 bytes more there, not counted. */
static double
optimizer_bytes (SwOptimizer optimizer)
{
  switch (optimizer)
    {
    case SW_OPTIMIZER_ADAM8BIT:
      return 2 + 2 * 4.0 / 256;
    case SW_OPTIMIZER_ADAFACTOR:
      return 0.01;
    case SW_OPTIMIZER_MUON:
    case SW_OPTIMIZER_SGD:
      return 4;
    case SW_OPTIMIZER_ADAMW:
    default:
      return 8;
    }
}

/* FSDP mixed precision: fp32 parameters, fp32 gradients and state, all sharded; the bf16 copy is
 * gathered unit by unit. SHARD_GRAD_OP keeps the gathered copy, and so does a pipeline, which also
 * accumulates gradients unsharded. NO_SHARD, and any stage over one GPU, is plain data parallelism
 * on fp32 parameters. */
static void
fsdp_recipe (const SwProblem *problem, const SwStrategy *strategy, double group, Recipe *recipe)
{
  double state = optimizer_bytes (problem->training.optimizer);

  if (strategy->zero_stage == 0 || group <= 1)
    {
      recipe->parameters_whole = 4;
      recipe->gradients_whole = 4;
      recipe->optimizer_whole = state;
      return;
    }
  recipe->parameters_shared = 4;
  recipe->gradients_shared = 4;
  recipe->optimizer_shared = state;
  if (strategy->pp > 1)
    recipe->gradients_whole = 4;
  if (strategy->pp > 1 || strategy->zero_stage == 2)
    recipe->parameters_whole = 2;
}

/* Megatron and those built like it: 16-bit parameters, gradients accumulated in fp32 (2 bytes where
 * the profile says so), fp32 master weights; the distributed optimizer shards master and state: 6 +
 * 12 / DP bytes in all with AdamW. DeepSpeed's BF16_Optimizer has 16-bit gradients beside the fp32
 * ones that it accumulates. With fp16 it makes fp32 copies before the step: of the shard, or
 * without ZeRO one by one and once more flattened (fused_optimizer.py). Stages 2 and 3 shard
 * gradients and parameters. */
static void
master_weight_recipe (const SwProblem *problem, const SwStrategy *strategy, Recipe *recipe)
{
  gboolean is_deepspeed = strategy->framework == SW_FRAMEWORK_DEEPSPEED;
  double master = 4 + optimizer_bytes (problem->training.optimizer);
  guint stage = strategy->zero_stage;
  double gradients = is_deepspeed ? 2 : sw_gradient_bytes (problem, strategy);

  if (is_deepspeed && problem->training.precision == SW_PRECISION_BF16 && stage <= 1)
    gradients += 4;
  else if (is_deepspeed)
    master += stage == 0 ? 8 : 4;
  *(stage >= 3 ? &recipe->parameters_shared : &recipe->parameters_whole) = 2;
  *(stage >= 2 ? &recipe->gradients_shared : &recipe->gradients_whole) = gradients;
  *(stage >= 1 ? &recipe->optimizer_shared : &recipe->optimizer_whole) = master;
}

static double
step_bytes (const SwProblem *problem, const SwStrategy *strategy, double group)
{
  return profile_of (problem, strategy)->step_bytes / (strategy->zero_stage > 0 ? group : 1);
}

/* The base is frozen: weights only, in bf16 or NF4, sharded where the framework shards parameters.
 */
static void
freeze_base (const SwProblem *problem, const SwStrategy *strategy, Recipe *recipe)
{
  double bytes = problem->training.type == SW_TRAINING_QLORA ? nf4_bytes : 2;
  gboolean is_sharded = strategy->zero_stage == 3 && strategy->pp == 1;

  recipe->trained_share = sw_trained_share (problem);
  *(is_sharded ? &recipe->frozen_shared : &recipe->frozen_whole) = bytes;
}

/* Reinforcement learning, coarse: the policy trains as in pre-training. On the same GPUs lie the
 * reference (bf16) and, with PPO, a critic with states of its own and a reward model of the
 * critic's size in bf16. */
static void
add_resident_models (const SwProblem *problem, Recipe *recipe)
{
  const SwTraining *training = &problem->training;
  double critic = training->rlhf_critic_parameters > 0 ? training->rlhf_critic_parameters
                                                       : problem->count.total;

  if (!training->rlhf_colocated)
    return;
  recipe->resident = 2;
  if (!training->rlhf_ppo)
    return;
  recipe->resident += 2 * critic / problem->count.total;
  recipe->trained_share = 1 + critic / problem->count.total;
}

/* @group: GPUs that the states are sharded over. */
static void
recipe_init (const SwProblem *problem, const SwStrategy *strategy, double group, Recipe *recipe)
{
  memset (recipe, 0, sizeof *recipe);
  recipe->group = group;
  recipe->trained_share = 1;
  recipe->step = step_bytes (problem, strategy, group);
  if (sw_framework_is_fsdp (strategy->framework))
    fsdp_recipe (problem, strategy, group, recipe);
  else
    master_weight_recipe (problem, strategy, recipe);
  if (sw_training_is_adapter (&problem->training))
    freeze_base (problem, strategy, recipe);
  else if (problem->training.type == SW_TRAINING_RLHF)
    add_resident_models (problem, recipe);
}

static void
recipes_init (const SwProblem *problem, const SwStrategy *strategy, Recipes *recipes)
{
  double share = strategy->dp > 0 ? (double) strategy->shard_group / strategy->dp : 1;

  recipe_init (problem, strategy, (double) strategy->shard_group * strategy->cp, &recipes->dense);
  if (problem->model.moe.experts > 0)
    recipe_init (problem, strategy, MAX (sw_strategy_edp (strategy) * share, 1), &recipes->experts);
}

/* Adds the states of @count parameters. */
static void
add_states (const Recipe *recipe, double count, SwMemoryParts *parts)
{
  double trained = count * recipe->trained_share, group = recipe->group;

  parts->parameters += trained * (recipe->parameters_whole + recipe->parameters_shared / group)
                       + count * (recipe->frozen_whole + recipe->frozen_shared / group)
                       + count * recipe->resident / (recipe->parameters_whole > 0 ? 1 : group);
  parts->gradients += trained * (recipe->gradients_whole + recipe->gradients_shared / group);
  parts->optimizer += trained * (recipe->optimizer_whole + recipe->optimizer_shared / group);
}

/* Moves offloaded states to the host. Returns their bytes, of one GPU. */
static double
offload_states (const SwStrategy *strategy, SwMemoryParts *parts)
{
  double bytes = 0;

  if (strategy->offload == SW_OFFLOAD_OPTIMIZER || strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    {
      bytes += parts->optimizer;
      parts->optimizer = 0;
    }
  if (strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    {
      bytes += parts->parameters + parts->gradients;
      parts->parameters = parts->gradients = 0;
    }
  return bytes;
}

/* What sharding needs for its work: under stage 3 the unit that computes and the one that is
 * fetched (bf16) and a unit's gradients before they are scattered (bf16, and fp32 to reduce);
 * DeepSpeed's buckets, twice with overlap. */
static double
sharding_buffers (const SwProblem *problem, const SwStrategy *strategy,
                  const SwScheduleMemory *schedule, double parameters)
{
  double unit = schedule->unit_parameters,
         gradients = sw_training_is_adapter (&problem->training) ? 0 : 6;

  if (strategy->zero_stage == 0)
    return 0;
  if (sw_framework_is_fsdp (strategy->framework))
    return strategy->pp > 1 ? 0 : (strategy->zero_stage == 3 ? 4 * unit : 0) + gradients * unit;
  if (strategy->framework != SW_FRAMEWORK_DEEPSPEED)
    return 0;
  if (strategy->zero_stage == 3)
    return 2 * MIN (deepspeed_live_parameters, parameters)
           + 2 * MIN (deepspeed_bucket_elements, parameters);
  return 2 * 2 * MIN (deepspeed_bucket_elements, parameters);
}

/* CUDA context and what NCCL keeps for each communicator. */
static double
framework_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwCalibration *calibration = problem->calibration;
  guint groups = (strategy->tp > 1) + (strategy->cp > 1) + (strategy->ep > 1) + (strategy->pp > 1)
                 + (strategy->dp > 1) + (strategy->dp > 1 && strategy->shard_group < strategy->dp);

  return calibration->context_bytes + groups * calibration->nccl_bytes_per_group;
}

/* The cache of the rollout of one micro-batch, in bf16; it takes the place of the activations of
 * training. Coarse. */
static double
generation_cache (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwModelSpec *model = &problem->model;
  double tokens = (double) strategy->micro_batch
                  * (problem->training.sequence_length + problem->training.rlhf_response_length);
  double width = model->mla.kv_lora_rank > 0 ? model->mla.kv_lora_rank + model->mla.qk_rope_head_dim
                                             : 2.0 * model->kv_heads * model->head_dim;

  return 2 * tokens * width * model->layers / ((double) strategy->tp * strategy->pp);
}

/* Copies that the optimizer step makes take the place of the activations; what they need beyond
 * that. */
static double
step_excess (const Recipes *recipes, const SwScheduleMemory *schedule, guint i,
             const SwMemoryParts *parts)
{
  double copies = recipes->dense.step * recipes->dense.trained_share * schedule->parameters[i];

  if (schedule->expert_parameters[i] > 0)
    copies +=
        recipes->experts.step * recipes->experts.trained_share * schedule->expert_parameters[i];
  return MAX (copies - parts->activations - parts->logits - parts->buffers, 0);
}

static double
allocator_factor (const SwProblem *problem, const SwStrategy *strategy)
{
  return MAX (profile_of (problem, strategy)->allocator_factor, 1);
}

static void
stage_parts (const SwProblem *problem, const SwStrategy *strategy, const SwScheduleMemory *schedule,
             const Recipes *recipes, guint i, SwMemoryParts *parts, double *host_bytes)
{
  double allocator = allocator_factor (problem, strategy);
  double all = schedule->parameters[i] + schedule->expert_parameters[i];

  memset (parts, 0, sizeof *parts);
  add_states (&recipes->dense, schedule->parameters[i], parts);
  if (schedule->expert_parameters[i] > 0)
    add_states (&recipes->experts, schedule->expert_parameters[i], parts);
  *host_bytes = offload_states (strategy, parts) + schedule->offloaded_bytes[i];
  parts->logits = schedule->logits_bytes[i];
  /* The backward pass of a layer begins when the logits are gone. */
  parts->activations =
      schedule->activation_bytes[i] + MAX (schedule->peak_bytes[i] - parts->logits, 0);
  if (problem->training.type == SW_TRAINING_RLHF)
    parts->activations = MAX (parts->activations, generation_cache (problem, strategy));
  parts->buffers = schedule->buffer_bytes[i] + sharding_buffers (problem, strategy, schedule, all);
  parts->buffers += step_excess (recipes, schedule, i, parts);
  parts->total = parts->parameters + parts->gradients + parts->optimizer + parts->activations
                 + parts->logits + parts->buffers;
  /* What the caching allocator reserves over what is allocated. */
  parts->buffers += (allocator - 1) * parts->total;
  parts->framework = framework_bytes (problem, strategy);
  parts->total = allocator * parts->total + parts->framework;
}

/**
 * sw_memory:
 * @problem: a prepared question
 * @strategy: in addition to levels 1 and 2, dp, ZeRO stage, shard group and offload are read
 * @schedule: level 2 of the same strategy
 * @out: (out): what a GPU of the fullest stage holds, in bytes, and what offload takes of a node's
 * memory
 *
 * The total is what the process holds: allocated memory, what fragmentation adds (in the buffers)
 * and what CUDA and NCCL take outside of the allocator (`framework`).
 */
void
sw_memory (const SwProblem *problem, const SwStrategy *strategy, const SwScheduleMemory *schedule,
           SwMemory *out)
{
  Recipes recipes;
  guint gpus = MIN (sw_strategy_gpus (strategy), problem->cluster.gpus_per_node);

  recipes_init (problem, strategy, &recipes);
  memset (out, 0, sizeof *out);
  for (guint i = 0; i < schedule->n_candidates; i++)
    {
      SwMemoryParts parts;
      double host_bytes;

      stage_parts (problem, strategy, schedule, &recipes, i, &parts, &host_bytes);
      out->host_bytes = MAX (out->host_bytes, host_bytes * gpus);
      if (parts.total > out->peak.total)
        {
          out->peak = parts;
          out->peak_stage = schedule->stage[i];
        }
    }
}

/**
 * sw_memory_allocated:
 * @problem: a prepared question
 * @strategy: a strategy
 * @parts: what a GPU holds under it
 *
 * Returns: bytes that torch counts as allocated (max_memory_allocated): without what the caching
 * allocator reserves beyond that, and without CUDA's and NCCL's own
 */
double
sw_memory_allocated (const SwProblem *problem, const SwStrategy *strategy,
                     const SwMemoryParts *parts)
{
  return (parts->total - parts->framework) / allocator_factor (problem, strategy);
}
