/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of reinforcement learning: the states of all its models stay, what each phase needs
 * besides comes and goes. Nothing is moved to the host between phases but what is offloaded
 * anyway. */
#include "sw-rlhf.h"

#include <math.h>

/* Weights of one stage on one GPU: counts. */
typedef struct {
  double dense, experts;
} Weights;

static void
stage_weights (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
               guint stage, gboolean scalar, Weights *out)
{
  guint kinds[SW_N_LAYER_KINDS];

  sw_stage_layer_kinds (problem, strategy, stage, kinds);
  out->dense = kinds[SW_LAYER_DENSE] * layer->layer_parameters[SW_LAYER_DENSE]
               + kinds[SW_LAYER_MOE] * layer->layer_parameters[SW_LAYER_MOE];
  out->experts = kinds[SW_LAYER_MOE] * layer->expert_parameters;
  if (stage == 0)
    out->dense += layer->embedding_parameters;
  if (stage + 1 == strategy->pp && !scalar && (!problem->model.tied_embeddings || strategy->pp > 1))
    out->dense += layer->head_parameters;
}

/* A model that only runs forward: 16-bit weights, divided where training divides parameters. */
static double
frozen_bytes (const SwStrategy *strategy, const Weights *weights)
{
  double share = strategy->dp > 0 ? (double) strategy->shard_group / strategy->dp : 1;
  double dense = MAX ((double) strategy->shard_group * strategy->cp, 1);
  double experts = MAX (sw_strategy_edp (strategy) * share, 1);

  if (strategy->zero_stage < 3)
    dense = experts = 1;
  return 2 * (weights->dense / dense + weights->experts / experts);
}

/* Tensors of one layer at a time and of one micro-batch's logits. */
static double
forward_bytes (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
               guint stage, double *logits)
{
  guint kinds[SW_N_LAYER_KINDS];
  double most = 0;

  sw_stage_layer_kinds (problem, strategy, stage, kinds);
  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    if (kinds[kind] > 0)
      most = MAX (most, layer->recompute_peak_bytes[kind] + layer->activation_full_bytes);
  *logits = stage + 1 == strategy->pp ? layer->logits_bytes : 0;
  return most;
}

static void
set_total (SwMemoryParts *parts)
{
  parts->total = parts->parameters + parts->gradients + parts->optimizer + parts->activations
                 + parts->logits + parts->buffers + parts->framework;
}

/* The critic trained by itself on this stage; what is offloaded goes to `host_bytes`. */
static void
critic_memory (const SwProblem *critic, const SwStrategy *strategy, const SwLayerMemory *layer,
               guint stage, SwMemoryParts *out, double *reward_bytes, double *host_bytes)
{
  gboolean states = strategy->offload == SW_OFFLOAD_OPTIMIZER
                    || strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS;
  SwStrategy kept = *strategy;
  SwMemoryParts all;
  Weights weights;

  if (states)
    kept.offload = SW_OFFLOAD_NONE;
  sw_memory_stage (critic, &kept, layer, stage, &all);
  *out = all;
  stage_weights (critic, strategy, layer, stage, TRUE, &weights);
  *reward_bytes = frozen_bytes (strategy, &weights);
  if (!states)
    return;
  *host_bytes += out->optimizer;
  out->optimizer = 0;
  if (strategy->offload != SW_OFFLOAD_OPTIMIZER_PARAMS)
    return;
  kept.offload = strategy->offload;
  sw_memory_stage (critic, &kept, layer, stage, out);
  *host_bytes += all.parameters + all.gradients - out->parameters - out->gradients;
}

/* Adds to @policy, the policy trained by itself, the states of the other models; the parts of the
 * critic that come and go are left in @critic. */
static void
add_states (SwRlhfMemo *memo, const SwStrategy *strategy, guint stage, SwMemoryParts *policy,
            SwMemoryParts *critic, double *host_bytes)
{
  const SwLayerMemory *layer, *of_critic;
  double reward = 0;
  Weights weights;

  *critic = (SwMemoryParts){ 0 };
  sw_rlhf_layer_memory (memo, strategy, &layer, &of_critic);
  stage_weights (memo->problem, strategy, layer, stage, FALSE, &weights);
  policy->parameters += frozen_bytes (strategy, &weights);
  if (!memo->problem->training.rlhf_ppo)
    return;
  critic_memory (&memo->critic, strategy, of_critic, stage, critic, &reward, host_bytes);
  policy->parameters += critic->parameters + reward;
  policy->gradients += critic->gradients;
  policy->optimizer += critic->optimizer;
}

static double
staying_bytes (const SwMemoryParts *parts)
{
  return parts->parameters + parts->gradients + parts->optimizer + parts->framework;
}

/* What each phase but generation takes on a GPU of a stage, and the states that stay. @policy: the
 * policy trained by itself on it. */
static void
phase_memory (SwRlhfMemo *memo, const SwStrategy *strategy, guint stage,
              const SwMemoryParts *policy, SwMemoryParts memory[SW_N_PHASES], SwMemoryParts *states,
              double *host_bytes)
{
  SwMemoryParts critic;
  const SwLayerMemory *layer, *of_critic;

  *states = *policy;
  sw_rlhf_layer_memory (memo, strategy, &layer, &of_critic);
  add_states (memo, strategy, stage, states, &critic, host_bytes);
  memory[SW_PHASE_POLICY] = *states;
  memory[SW_PHASE_CRITIC] = memory[SW_PHASE_SCORING] = *states;
  memory[SW_PHASE_CRITIC].activations = critic.activations;
  memory[SW_PHASE_CRITIC].logits = critic.logits;
  memory[SW_PHASE_CRITIC].buffers = critic.buffers;
  memory[SW_PHASE_SCORING].activations = forward_bytes (memo->problem, strategy, layer, stage,
                                                        &memory[SW_PHASE_SCORING].logits);
  memory[SW_PHASE_SCORING].buffers = 0;
  memory[SW_PHASE_GENERATION] = (SwMemoryParts){ 0 };
  for (guint i = 0; i < SW_N_PHASES; i++)
    set_total (&memory[i]);
}

/* Makes of what training the policy by itself takes on a GPU of a stage what the fullest phase takes
 * but for generation, which depends on all stages; takes note of the fullest GPUs. */
static void
add_phases (gpointer data, const SwStrategy *strategy, guint stage, SwMemoryParts *parts,
            double *host_bytes)
{
  SwRlhfMemo *memo = data;
  SwMemoryParts memory[SW_N_PHASES], states;
  SwMemoryParts policy = *parts;

  phase_memory (memo, strategy, stage, &policy, memory, &states, host_bytes);
  for (guint i = 0; i < SW_N_PHASES; i++)
    {
      if (i == 0 || memory[i].total > parts->total)
        *parts = memory[i];
      if (memory[i].total > memo->phase[i].total)
        memo->phase[i] = memory[i];
    }
  if (staying_bytes (&states) <= staying_bytes (&memo->states))
    return;
  memo->states = states;
  memo->states_stage = stage;
}

/* What a generating GPU holds: the resident states where it trains too, a copy of the weights where
 * they lie otherwise there, which counts as a buffer, and the cache, which counts as
 * activations. */
static void
generating_bytes (const SwRlhfMemo *memo, const SwMemoryParts *states, SwMemoryParts *out)
{
  const SwGenerationPlan *plan = &memo->plan;

  *out = (SwMemoryParts){ .buffers = plan->weight_bytes,
                          .activations = plan->cache_bytes,
                          .logits = plan->logits_bytes,
                          .framework = memo->problem->calibration->context_bytes };
  if (memo->problem->training.rlhf_colocated)
    {
      out->parameters = states->parameters;
      out->gradients = states->gradients;
      out->optimizer = states->optimizer;
      out->framework = states->framework;
    }
  set_total (out);
}

/* What the fullest generating GPU holds; keeps the plan. All GPUs generate alike: as many sequences
 * at once as the one with the least room has room for. */
static void
generation_memory (SwRlhfMemo *memo, const SwStrategy *strategy, SwMemoryParts *out)
{
  const SwProblem *problem = memo->problem;

  sw_generation_plan (&memo->rounds, problem, strategy,
                      problem->training.rlhf_colocated ? staying_bytes (&memo->states)
                                                       : problem->calibration->context_bytes,
                      &memo->plan);
  memo->plan_key = *strategy;
  memo->has_plan = TRUE;
  generating_bytes (memo, &memo->states, out);
  memo->phase[SW_PHASE_GENERATION] = *out;
}

/**
 * sw_rlhf_memory_within:
 * @memo: (nullable): of a prepared question of reinforcement learning; takes note of what each
 *   phase takes; NULL for other jobs
 * @states: (nullable): as for sw_memory_within()
 * @problem: the question
 * @strategy: as for sw_memory_within()
 * @schedule: as for sw_memory_within()
 * @most_bytes: as for sw_memory_within()
 * @out: (out): as of sw_memory_within(), with all models and in the fullest phase
 */
void
sw_rlhf_memory_within (SwRlhfMemo *memo, SwStatesMemo *states, const SwProblem *problem,
                       const SwStrategy *strategy, const SwScheduleMemory *schedule,
                       double most_bytes, SwMemory *out)
{
  SwMemoryParts generation;

  if (memo == NULL)
    {
      sw_memory_within (states, problem, strategy, schedule, most_bytes, NULL, NULL, out);
      return;
    }
  for (guint i = 0; i < SW_N_PHASES; i++)
    memo->phase[i] = (SwMemoryParts){ 0 };
  memo->states = (SwMemoryParts){ 0 };
  memo->states_stage = 0;
  sw_memory_within (states, problem, strategy, schedule, most_bytes, add_phases, memo, out);
  if (out->peak.total > most_bytes)
    return;
  generation_memory (memo, strategy, &generation);
  if (generation.total <= out->peak.total)
    return;
  out->peak = generation;
  out->peak_stage = memo->states_stage;
}

/**
 * sw_rlhf_stage_memory:
 * @problem: a prepared question of reinforcement learning
 * @strategy: how training is split
 * @stage: a pipeline stage, from 0
 * @out: (out): what a GPU of that stage holds in its fullest phase
 */
void
sw_rlhf_stage_memory (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                      SwMemoryParts *out)
{
  SwMemoryParts phases[SW_N_PHASES], states, generation;
  SwRlhfMemo memo;
  SwScheduleMemory schedule;
  SwLayerMemory layer;
  SwMemory memory;
  double host_bytes = 0;

  sw_rlhf_memo_init (&memo, problem);
  sw_layer_memory (problem, strategy, &layer);
  sw_schedule_memory (problem, strategy, &layer, &schedule);
  sw_rlhf_memory_within (&memo, NULL, problem, strategy, &schedule, INFINITY, &memory);
  sw_layer_memory (&memo.policy, strategy, &layer);
  sw_memory_stage (&memo.policy, strategy, &layer, stage, out);
  phase_memory (&memo, strategy, stage, out, phases, &states, &host_bytes);
  generating_bytes (&memo, &states, &generation);
  *out = generation;
  for (guint i = 0; i < SW_N_PHASES; i++)
    if (phases[i].total > out->total)
      *out = phases[i];
}
