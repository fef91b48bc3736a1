/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-framework.h"
#include "sw-memory-private.h"
#include "sw-rlhf.h"

#include <math.h>
#include <string.h>

/* DeepSpeed's defaults: reduce_bucket_size and allgather_bucket_size in elements,
 * stage3_max_live_parameters. */
static const double deepspeed_bucket_elements = 5e8;
static const double deepspeed_live_parameters = 1e9;

/* What is the same for all stages of a strategy. */
typedef struct {
  const SwProblem *problem;
  const SwStrategy *strategy;
  const SwScheduleMemory *schedule;
  const SwStates *states;
  gboolean step_copies;
  double framework_bytes;
} Scene;

/* Adds the states of @count parameters. */
static void
add_states (const SwRecipe *recipe, double count, SwMemoryParts *parts)
{
  double trained = count * recipe->trained_share;

  parts->parameters += trained * recipe->parameters + count * recipe->frozen;
  parts->gradients += trained * recipe->gradients;
  parts->optimizer += trained * recipe->optimizer;
}

/* The part of add_states() that stays on the GPU whatever is offloaded: what is kept whole, as
 * gathered parameters and unsharded gradients in a pipeline are (FSDP offloads shards alone). */
static void
add_whole_states (const SwRecipe *recipe, double count, SwMemoryParts *parts)
{
  double trained = count * recipe->trained_share;

  parts->parameters += trained * recipe->parameters_whole + count * recipe->frozen_whole;
  parts->gradients += trained * recipe->gradients_whole;
}

/* Moves offloaded states to the host but for @whole. Returns their bytes, of one GPU. */
static double
offload_states (const SwStrategy *strategy, const SwMemoryParts *whole, SwMemoryParts *parts)
{
  double bytes = 0;

  if (strategy->offload == SW_OFFLOAD_OPTIMIZER || strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    {
      bytes += parts->optimizer;
      parts->optimizer = 0;
    }
  if (strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    {
      bytes += parts->parameters + parts->gradients - whole->parameters - whole->gradients;
      parts->parameters = whole->parameters;
      parts->gradients = whole->gradients;
    }
  return bytes;
}

/* Stage 3: the unit that computes and the one that is fetched (bf16); and a unit's gradients before
 * they are scattered (bf16, and fp32 to reduce), or, while the logits are there, embedding and
 * head, which are one unit. In a pipeline units stay gathered, and only the bf16 gradients of one
 * are beside the accumulated ones. */
static double
gathered_units (const SwProblem *problem, const SwStrategy *strategy,
                const SwScheduleMemory *schedule, guint i)
{
  double unit = schedule->unit_parameters;
  double gradients = sw_training_is_adapter (&problem->training) ? 0 : 6 * unit;

  if (strategy->pp > 1)
    return sw_training_is_adapter (&problem->training) ? 0 : 2 * unit;
  if (strategy->zero_stage < 3)
    return gradients;
  return 4 * unit + MAX (gradients, 2 * schedule->vocabulary_parameters[i]);
}

/* What sharding needs for its work. DeepSpeed's buckets are there over one GPU too, twice with
 * overlap. */
double
sw_sharding_buffers (const SwProblem *problem, const SwStrategy *strategy,
                     const SwScheduleMemory *schedule, guint i)
{
  gboolean gathers = sw_framework_is_fsdp (strategy->framework) || strategy->zero_stage == 3;
  double parameters = schedule->parameters[i] + schedule->expert_parameters[i];

  if (strategy->zero_stage == 0)
    return 0;
  if (strategy->framework == SW_FRAMEWORK_DEEPSPEED && strategy->zero_stage == 3)
    return 2 * MIN (deepspeed_live_parameters, parameters)
           + 2 * MIN (deepspeed_bucket_elements, parameters);
  if (strategy->framework == SW_FRAMEWORK_DEEPSPEED)
    return 2 * 2 * MIN (deepspeed_bucket_elements, parameters);
  if (!gathers || strategy->shard_group * strategy->cp <= 1)
    return 0;
  return gathered_units (problem, strategy, schedule, i);
}

/* Groups of GPUs that communicate, each with NCCL's buffers. */
guint
sw_communicators (const SwStrategy *strategy)
{
  return (strategy->tp > 1) + (strategy->cp > 1) + (strategy->ep > 1) + (strategy->pp > 1)
         + (strategy->dp > 1) + (strategy->dp > 1 && strategy->shard_group < strategy->dp);
}

/* CUDA context and what NCCL keeps for each communicator. */
static double
framework_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwCalibration *calibration = problem->calibration;

  return calibration->context_bytes
         + sw_communicators (strategy) * calibration->nccl_bytes_per_group;
}

/* Of the optimizer step: what is alive at its peak, and what is gone by then but kept by the
 * allocator. Experts have an optimizer of their own, which steps after that of the rest. */
static void
step_copies (const SwRecipe *recipes, const double count[SW_N_RECIPES], double *alive,
             double *released)
{
  double copies = 0, dense = 0, experts = 0;

  *released = 0;
  for (guint kind = 0; kind < SW_N_RECIPES; kind++)
    if (count[kind] > 0)
      {
        double trained = recipes[kind].trained_share * count[kind];

        copies += recipes[kind].copies * trained;
        *(kind == SW_RECIPE_EXPERTS ? &experts : &dense) += recipes[kind].temporaries * trained;
        *released += recipes[kind].released * trained;
      }
  *alive = copies + MAX (dense, experts);
}

/* The copies take the place of the activations; what they need beyond that is the step's own. The
 * allocator keeps blocks of both, which are of other sizes, while there is room. */
static void
add_step (const Scene *scene, const double count[SW_N_RECIPES], SwMemoryParts *parts)
{
  double passes = parts->activations + parts->logits + parts->buffers, copies, released;

  if (!scene->step_copies)
    return;
  step_copies (scene->states->recipes, count, &copies, &released);
  parts->buffers += MAX (copies - passes, 0);
  parts->reclaimable = MIN (copies, passes) + released;
}

/* What the allocator reserves over what is allocated. */
double
sw_allocator_factor (const SwProblem *problem, const SwStrategy *strategy)
{
  double factor = sw_problem_profile (problem, strategy->framework)->allocator_factor;

  return factor > 0 ? factor : 1;
}

static void
scene_init (Scene *scene, const SwProblem *problem, const SwStrategy *strategy,
            const SwScheduleMemory *schedule, const SwStates *states)
{
  const SwRecipe *layers = &states->recipes[SW_RECIPE_LAYERS];

  scene->problem = problem;
  scene->strategy = strategy;
  scene->schedule = schedule;
  scene->states = states;
  scene->step_copies = layers->copies > 0 || layers->temporaries > 0;
  scene->framework_bytes = framework_bytes (problem, strategy);
}

static void
stage_states (const Scene *scene, guint i, const double count[SW_N_RECIPES], SwMemoryParts *parts)
{
  if (scene->states->vocabulary_differs)
    {
      add_states (&scene->states->recipes[SW_RECIPE_LAYERS], count[SW_RECIPE_LAYERS], parts);
      add_states (&scene->states->recipes[SW_RECIPE_VOCABULARY], count[SW_RECIPE_VOCABULARY],
                  parts);
    }
  else
    {
      add_states (&scene->states->recipes[SW_RECIPE_LAYERS], scene->schedule->parameters[i], parts);
    }
  if (count[SW_RECIPE_EXPERTS] > 0)
    add_states (&scene->states->recipes[SW_RECIPE_EXPERTS], count[SW_RECIPE_EXPERTS], parts);
}

/* What of the states stays on the GPU where parameters are offloaded. */
static void
whole_states (const Scene *scene, const double count[SW_N_RECIPES], SwMemoryParts *whole)
{
  memset (whole, 0, sizeof *whole);
  if (scene->strategy->offload != SW_OFFLOAD_OPTIMIZER_PARAMS)
    return;
  for (guint kind = 0; kind < SW_N_RECIPES; kind++)
    if (count[kind] > 0)
      add_whole_states (&scene->states->recipes[kind], count[kind], whole);
}

static void
stage_parts (const Scene *scene, guint i, SwMemoryParts *parts, double *host_bytes)
{
  SwMemoryParts whole;
  const SwScheduleMemory *schedule = scene->schedule;
  const double count[SW_N_RECIPES] = {
    [SW_RECIPE_LAYERS] = schedule->parameters[i] - schedule->vocabulary_parameters[i],
    [SW_RECIPE_VOCABULARY] = schedule->vocabulary_parameters[i],
    [SW_RECIPE_EXPERTS] = schedule->expert_parameters[i],
  };

  memset (parts, 0, sizeof *parts);
  stage_states (scene, i, count, parts);
  whole_states (scene, count, &whole);
  *host_bytes = offload_states (scene->strategy, &whole, parts) + schedule->offloaded_bytes[i];
  parts->logits = schedule->logits_bytes[i];
  /* The backward pass of a layer begins when the logits are gone. */
  parts->activations = schedule->activation_bytes[i]
                       + MAX (schedule->peak_bytes[i] - parts->logits, 0);
  parts->buffers = schedule->buffer_bytes[i]
                   + sw_sharding_buffers (scene->problem, scene->strategy, schedule, i);
  add_step (scene, count, parts);
  parts->total = parts->parameters + parts->gradients + parts->optimizer + parts->activations
                 + parts->logits + parts->buffers;
  /* What the caching allocator reserves over what is allocated. */
  parts->buffers += (scene->states->allocator - 1) * parts->total;
  parts->framework = scene->framework_bytes;
  parts->total = scene->states->allocator * parts->total + parts->framework;
}

/* sw_memory(), but as soon as a stage takes more than @most_bytes what else it takes, or the others
 * do, does not matter: @out is then of the fullest so far. @memo: what is known of the other phases
 * of reinforcement learning; NULL for other jobs. @states: (nullable): of the same question. */
void
sw_memory_within (SwRlhfMemo *memo, SwStatesMemo *states, const SwProblem *problem,
                  const SwStrategy *strategy, const SwScheduleMemory *schedule, double most_bytes,
                  SwMemory *out)
{
  SwStates own;
  Scene scene;
  guint gpus = MIN (sw_strategy_gpus (strategy), problem->cluster.gpus_per_node);
  SwMemoryParts generation;

  if (states == NULL)
    sw_states_init (problem, strategy, &own);
  scene_init (&scene, problem, strategy, schedule,
              states == NULL ? &own : sw_states_known (states, problem, strategy));
  memset (out, 0, sizeof *out);
  if (memo != NULL)
    sw_rlhf_memory_begin (memo);
  for (guint i = 0; i < schedule->n_candidates && out->peak.total <= most_bytes; i++)
    {
      SwMemoryParts parts;
      double host_bytes;

      stage_parts (&scene, i, &parts, &host_bytes);
      if (memo != NULL && parts.total <= most_bytes)
        sw_rlhf_memory (memo, strategy, schedule->stage[i], &parts, &host_bytes);
      out->host_bytes = MAX (out->host_bytes, host_bytes * gpus);
      if (parts.total > out->peak.total)
        {
          out->peak = parts;
          out->peak_stage = schedule->stage[i];
        }
    }
  if (memo == NULL || out->peak.total > most_bytes)
    return;
  sw_rlhf_generation_memory (memo, strategy, &generation);
  if (generation.total <= out->peak.total)
    return;
  out->peak = generation;
  out->peak_stage = memo->states_stage;
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
  SwRlhfMemo memo;

  if (problem->training.type != SW_TRAINING_RLHF)
    {
      sw_memory_within (NULL, NULL, problem, strategy, schedule, INFINITY, out);
      return;
    }
  sw_rlhf_memo_init (&memo, problem);
  sw_memory_within (&memo, NULL, problem, strategy, schedule, INFINITY, out);
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
  return (parts->total - parts->framework) / sw_allocator_factor (problem, strategy);
}
