/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reinforcement learning: a cache of the levels of every model and pass, which a walk over
 * strategies would otherwise compute repeatedly; memory; then the phases of a step and their
 * time. */
#include "sw-rlhf.h"

#include "sw-compute.h"
#include "sw-flops.h"

#include <math.h>

/**
 * sw_rlhf_memo_init:
 * @memo: (out): empty; for one thread
 * @problem: a prepared question of reinforcement learning; outlives @memo
 */
void
sw_rlhf_memo_init (SwRlhfMemo *memo, const SwProblem *problem)
{
  memo->problem = problem;
  memo->policy = *problem;
  memo->policy.training.type = sw_training_states (&problem->training);
  memo->policy.training.accumulates = TRUE; /* updates follow each other */
  sw_rlhf_critic (problem, &memo->critic);
  memo->has_memory = memo->has_plan = FALSE;
  for (guint i = 0; i < SW_N_RLHF_PASSES; i++)
    memo->pass[i].has_layer = memo->pass[i].has_schedule = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (memo->rounds.round); i++)
    memo->rounds.round[i].tp = 0;
}

/* Fields that level 1 does not read are reset. */
static SwStrategy
layer_key (const SwStrategy *strategy)
{
  SwStrategy key = *strategy;

  key.pp = key.vpp = key.dp = key.shard_group = 1;
  key.full_layers = key.zero_stage = key.schedule = key.offload = 0;
  return key;
}

static SwStrategy
schedule_key (const SwStrategy *strategy)
{
  SwStrategy key = *strategy;

  key.zero_stage = 0;
  key.shard_group = 1;
  if (key.offload != SW_OFFLOAD_ACTIVATIONS)
    key.offload = SW_OFFLOAD_NONE;
  return key;
}

static gboolean
is_forward (SwRlhfPassKind kind)
{
  return kind == SW_RLHF_POLICY_FORWARD || kind == SW_RLHF_CRITIC_FORWARD;
}

static gboolean
is_critic (SwRlhfPassKind kind)
{
  return kind == SW_RLHF_CRITIC_FORWARD || kind == SW_RLHF_CRITIC_TRAINING;
}

/* The model of a pass, trained alone. */
static const SwProblem *
model_of (const SwRlhfMemo *memo, SwRlhfPassKind kind)
{
  return is_critic (kind) ? &memo->critic : &memo->policy;
}

/* Reduces a layer's time to its forward pass, because nothing is kept for a backward pass. For
 * communication, this applies to the exposed part; the hidden part is reduced by the same share.
 * @scalar: one value per token instead of the vocabulary's logits. */
static void
keep_forward (SwLayerTime *layer, gboolean scalar)
{
  /* The look-up's share of the embedding's forward and backward traffic; a third for the head. */
  const double embedding_forward = 4.0 / 14, head_forward = scalar ? 0 : 1.0 / 3;

  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    {
      SwLayerTimePart *part = &layer->part[kind];
      double exposed = part->tp_exposed_s + part->cp_exposed_s + part->ep_exposed_s;
      double share = exposed > 0 ? part->forward_comm_s / exposed : 0;

      part->tp_exposed_s *= share;
      part->tp_hidden_s *= share;
      part->cp_exposed_s *= share;
      part->cp_hidden_s *= share;
      part->ep_exposed_s *= share;
      part->ep_hidden_s *= share;
      part->backward_s = part->backward_input_s = part->recompute_s = part->backward_comm_s = 0;
    }
  layer->embedding_s *= embedding_forward;
  layer->head_s *= head_forward;
  layer->head_tp_exposed_s *= scalar ? 0 : 0.5;
  layer->mtp_s = layer->mtp_beside_s = 0;
}

/* Level 1 of a pass with the strategy of training; a forward pass recomputes, offloads and delays
 * nothing. */
static SwRlhfPass *
layer_of (SwRlhfMemo *memo, SwRlhfPassKind kind, const SwStrategy *strategy)
{
  const SwProblem *model = model_of (memo, kind);
  SwRlhfPass *pass = &memo->pass[kind];
  SwStrategy key;

  pass->strategy = *strategy;
  if (is_forward (kind))
    {
      pass->strategy.recompute = SW_RECOMPUTE_NONE;
      pass->strategy.full_layers = 0;
      pass->strategy.offload = SW_OFFLOAD_NONE;
      if (strategy->schedule == SW_SCHEDULE_ZERO_BUBBLE)
        pass->strategy.schedule = SW_SCHEDULE_1F1B;
    }
  key = layer_key (&pass->strategy);
  if (pass->has_layer && sw_strategy_equal (&pass->layer_key, &key))
    return pass;
  sw_layer_time (model, &pass->strategy, &pass->layer);
  sw_layer_memory (model, &pass->strategy, &pass->memory);
  if (is_forward (kind))
    keep_forward (&pass->layer, is_critic (kind));
  else if (is_critic (kind))
    pass->memory.head_parameters = pass->layer.head_s = pass->layer.head_tp_exposed_s = 0;
  pass->layer_key = key;
  pass->has_layer = TRUE;
  pass->has_schedule = FALSE;
  return pass;
}

/* Levels 1 and 2. */
static const SwRlhfPass *
pass_of (SwRlhfMemo *memo, SwRlhfPassKind kind, const SwStrategy *strategy)
{
  SwRlhfPass *pass = layer_of (memo, kind, strategy);
  const SwStrategy key = schedule_key (&pass->strategy);

  if (pass->has_schedule && sw_strategy_equal (&pass->schedule_key, &key))
    return pass;
  sw_schedule_time (model_of (memo, kind), &pass->strategy, &pass->layer, &pass->schedule);
  if (is_forward (kind))
    {
      /* Activations move on; no gradient comes back. */
      pass->schedule.pp_exposed_s /= 2;
      pass->schedule.pp_hidden_s /= 2;
    }
  pass->schedule_key = key;
  pass->has_schedule = TRUE;
  return pass;
}

/**
 * sw_rlhf_pass_layer:
 * @memo: cache of the question
 * @kind: the model and its pass
 * @strategy: its fields of level 1 are read
 * @model: (out): that model, trained alone
 *
 * Returns: level 1 of the pass; valid until the next call for its kind
 */
const SwLayerTime *
sw_rlhf_pass_layer (SwRlhfMemo *memo, SwRlhfPassKind kind, const SwStrategy *strategy,
                    const SwProblem **model)
{
  *model = model_of (memo, kind);
  return &layer_of (memo, kind, strategy)->layer;
}

/* A forward pass over the step's sequences, or a whole training step. */
static void
pass_time (SwRlhfMemo *memo, SwRlhfPassKind kind, const SwStrategy *strategy, SwTime *out)
{
  const SwRlhfPass *pass = pass_of (memo, kind, strategy);
  const SwProblem *model = model_of (memo, kind);

  if (is_forward (kind))
    sw_time_forward (model, &pass->strategy, &pass->memory, &pass->schedule, out);
  else
    sw_time (model, &pass->strategy, &pass->memory, &pass->schedule, out);
}

/**
 * sw_rlhf_pass_times:
 * @problem: a prepared question of reinforcement learning
 * @kind: the model and its pass
 *
 * Returns: how often the pass occurs in a step, besides the policy's training: the reward model
 * also runs forward with the critic; both only with PPO
 */
guint
sw_rlhf_pass_times (const SwProblem *problem, SwRlhfPassKind kind)
{
  static const guint times[SW_N_RLHF_PASSES] = {
    [SW_RLHF_CRITIC_FORWARD] = 2, [SW_RLHF_CRITIC_TRAINING] = 1
  };

  return kind == SW_RLHF_POLICY_FORWARD ? !problem->training.no_reference
                                        : (problem->training.rlhf_ppo ? times[kind] : 0);
}

/**
 * sw_rlhf_schedule_s:
 * @memo: cache of the question
 * @strategy: its fields of levels 1 and 2 are read
 *
 * Returns: lower bound of the seconds of scoring and the critic's training for any sharding,
 * without its communication, the optimizer and stragglers
 */
double
sw_rlhf_schedule_s (SwRlhfMemo *memo, const SwStrategy *strategy)
{
  double seconds = 0;

  for (guint kind = 0; kind < SW_N_RLHF_PASSES; kind++)
    {
      const guint times = sw_rlhf_pass_times (memo->problem, (SwRlhfPassKind) kind);

      if (times > 0)
        seconds +=
            times
            * sw_schedule_time_sum (&pass_of (memo, (SwRlhfPassKind) kind, strategy)->schedule);
    }
  return seconds;
}

/* Memory of reinforcement learning: the states of all models stay; the other needs of each phase
 * are temporary. Between phases, only offloaded data moves to the host. */

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

/* A model that only runs forward: 16-bit weights, sharded if training shards parameters. */
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

static void
set_total (SwMemoryParts *parts)
{
  parts->total = parts->parameters + parts->gradients + parts->optimizer + parts->activations
                 + parts->logits + parts->buffers + parts->framework;
}

/* The critic, trained alone on this stage; offloaded bytes go to `host_bytes`. */
static void
critic_memory (const SwProblem *critic, const SwStrategy *strategy, const SwLayerMemory *layer,
               guint stage, SwMemoryParts *out, double *reward_bytes, double *host_bytes)
{
  gboolean states = strategy->offload == SW_OFFLOAD_OPTIMIZER
                    || strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS;
  const double on_host = critic->training.offloads_to_nvme ? 0 : 1;
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
  *host_bytes += on_host * out->optimizer;
  out->optimizer = 0;
  if (strategy->offload != SW_OFFLOAD_OPTIMIZER_PARAMS)
    return;
  kept.offload = strategy->offload;
  sw_memory_stage (critic, &kept, layer, stage, out);
  *host_bytes += on_host * (all.parameters + all.gradients - out->parameters - out->gradients);
}

static double
staying_bytes (const SwMemoryParts *parts)
{
  return parts->parameters + parts->gradients + parts->optimizer + parts->framework;
}

/* The memory of each phase except generation on a GPU of a stage, and the states that stay.
 * @policy: the policy, trained alone on it. */
static void
phase_memory (SwRlhfMemo *memo, const SwStrategy *strategy, guint stage,
              const SwMemoryParts *policy, SwMemoryParts memory[SW_N_PHASES], SwMemoryParts *states,
              double *host_bytes)
{
  const SwLayerMemory *layer = &memo->policy_memory;
  const SwStrategy key = layer_key (strategy);
  SwMemoryParts critic = { 0 };
  guint kinds[SW_N_LAYER_KINDS];
  double reward = 0, most = 0;
  Weights weights;

  if (!memo->has_memory || !sw_strategy_equal (&memo->memory_key, &key))
    {
      sw_layer_memory (memo->problem, strategy, &memo->policy_memory);
      sw_layer_memory (&memo->critic, strategy, &memo->critic_memory);
      memo->critic_memory.head_parameters = memo->critic_memory.logits_bytes = 0;
      memo->memory_key = key;
      memo->has_memory = TRUE;
    }
  /* The states of the models other than the policy. */
  *states = *policy;
  stage_weights (memo->problem, strategy, layer, stage, FALSE, &weights);
  /* The reference of adapters is their base, which is there anyway. */
  if (!memo->problem->training.no_reference && !sw_training_is_adapter (&memo->problem->training))
    states->parameters += frozen_bytes (strategy, &weights);
  if (memo->problem->training.rlhf_ppo)
    {
      critic_memory (&memo->critic, strategy, &memo->critic_memory, stage, &critic, &reward,
                     host_bytes);
      states->parameters += critic.parameters + reward;
      states->gradients += critic.gradients;
      states->optimizer += critic.optimizer;
    }
  memory[SW_PHASE_POLICY] = *states;
  memory[SW_PHASE_CRITIC] = memory[SW_PHASE_SCORING] = *states;
  memory[SW_PHASE_CRITIC].activations = critic.activations;
  memory[SW_PHASE_CRITIC].logits = critic.logits;
  memory[SW_PHASE_CRITIC].buffers = critic.buffers;
  /* Scoring keeps tensors of one layer at a time and one micro-batch's logits. */
  sw_stage_layer_kinds (memo->problem, strategy, stage, kinds);
  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    if (kinds[kind] > 0)
      most = MAX (most, layer->recompute_peak_bytes[kind] + layer->activation_full_bytes);
  memory[SW_PHASE_SCORING].activations = most;
  memory[SW_PHASE_SCORING].logits = stage + 1 == strategy->pp ? layer->logits_bytes : 0;
  memory[SW_PHASE_SCORING].buffers = 0;
  memory[SW_PHASE_GENERATION] = (SwMemoryParts){ 0 };
  for (guint i = 0; i < SW_N_PHASES; i++)
    set_total (&memory[i]);
}

/* Converts the memory of training the policy alone, on a GPU of a stage, to that of the fullest
 * phase. Generation is not included, because it depends on all stages. Records the fullest GPUs. */
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

/* The memory of a generating GPU: the resident states if it also trains; a copy of the weights if
 * their layout differs, counted as a buffer; and the cache, counted as activations. */
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

/**
 * sw_rlhf_memory_within:
 * @memo: (nullable): of a prepared question of reinforcement learning; records the memory of each
 *   phase; NULL for other jobs
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
  /* All GPUs generate the same number of sequences at once: as many as fit on the GPU with the
   * least free memory. */
  sw_generation_plan (&memo->rounds, problem, strategy,
                      problem->training.rlhf_colocated ? staying_bytes (&memo->states)
                                                       : problem->calibration->context_bytes,
                      &memo->plan);
  memo->plan_key = *strategy;
  memo->has_plan = TRUE;
  generating_bytes (memo, &memo->states, &generation);
  memo->phase[SW_PHASE_GENERATION] = generation;
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
 * @out: (out): the memory of a GPU of that stage in its fullest phase
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

/* Reinforcement learning from feedback, step by step on policy: generate, score, train the critic,
 * train the policy, one after the other (Ouyang et al. 2022, InstructGPT, section 3.5; Shao et al.
 * 2024, DeepSeekMath, section 4.1 for GRPO, which has no critic and, here, rewards by rule). */

const char *const sw_phase_names[] = { "generation", "scoring", "critic", "policy", NULL };

static void
scoring_time (SwRlhfMemo *memo, const SwStrategy *strategy, SwTime *out)
{
  SwTime valued;

  *out = (SwTime){ 0 };
  if (!memo->problem->training.no_reference)
    pass_time (memo, SW_RLHF_POLICY_FORWARD, strategy, out);
  if (!memo->problem->training.rlhf_ppo)
    return;
  /* The reward model, and the critic's values of the same tokens. */
  pass_time (memo, SW_RLHF_CRITIC_FORWARD, strategy, &valued);
  sw_time_add (out, &valued);
  sw_time_add (out, &valued);
}

/* Once-per-step work belongs to the policy's training, regardless of the number of trained
 * models. */
static void
critic_time (SwRlhfMemo *memo, const SwStrategy *strategy, SwTime *out)
{
  pass_time (memo, SW_RLHF_CRITIC_TRAINING, strategy, out);
  out->other_s = MAX (out->other_s - memo->problem->calibration->fixed_s, 0);
  out->step_s = sw_time_sum (out);
}

/* Generation depends on the memory that the states of all models leave, which was usually just
 * computed. */
static void
generation_time (SwRlhfMemo *memo, const SwStrategy *strategy, SwGenerationPlan *plan, SwTime *out)
{
  const SwProblem *problem = memo->problem;
  SwLayerMemory layer;
  SwScheduleMemory schedule;
  SwMemory memory;

  if (!memo->has_plan || !sw_strategy_equal (&memo->plan_key, strategy))
    {
      sw_layer_memory (problem, strategy, &layer);
      sw_schedule_memory (problem, strategy, &layer, &schedule);
      sw_rlhf_memory_within (memo, NULL, problem, strategy, &schedule, INFINITY, &memory);
    }
  *plan = memo->plan;
  sw_generation_time_with (&memo->rounds, problem, strategy, plan, out);
}

/**
 * sw_rlhf_add_time:
 * @memo: cache of a prepared question of reinforcement learning
 * @strategy: how training is split
 * @out: (inout): the time of the policy's training; the other phases are added, part by part
 */
void
sw_rlhf_add_time (SwRlhfMemo *memo, const SwStrategy *strategy, SwTime *out)
{
  SwGenerationPlan plan;
  SwTime phase;

  generation_time (memo, strategy, &plan, &phase);
  sw_time_add (out, &phase);
  scoring_time (memo, strategy, &phase);
  sw_time_add (out, &phase);
  if (!memo->problem->training.rlhf_ppo)
    return;
  critic_time (memo, strategy, &phase);
  sw_time_add (out, &phase);
}

/**
 * sw_rlhf_floor_s:
 * @problem: a prepared question
 *
 * Lower bound of scoring and the critic's training for all strategies: at best they run at the rate
 * of the fastest kernels. Together with the floor of generation, it turns the search's bounds on
 * the policy's training into bounds on the whole step.
 *
 * Returns: seconds; 0 for a job without phases
 */
double
sw_rlhf_floor_s (const SwProblem *problem)
{
  const SwTraining *training = &problem->training;
  double tokens = (double) training->global_batch * training->sequence_length, fastest = 0, flops;
  SwFlops all, policy, full;
  SwStrategy none;
  SwProblem alone = *problem;

  if (training->type != SW_TRAINING_RLHF)
    return 0;
  sw_strategy_init_default (&none);
  sw_flops_per_token (problem, &none, TRUE, &all);
  alone.training.type = sw_training_states (training);
  sw_flops_per_token (&alone, &none, TRUE, &policy);
  alone.training.type = SW_TRAINING_FINETUNE;
  sw_flops_per_token (&alone, &none, TRUE, &full);
  /* Without the policy's own training and generation's forward pass, which takes a third of the
   * FLOPs of all weights. */
  flops = MAX (all.model - policy.model - full.model / 3, 0);
  /* No kernel of any profile is faster: in the forward pass, flash attention exceeds its nominal
   * rate. */
  for (guint framework = SW_FRAMEWORK_MEGATRON_2021; framework < SW_N_FRAMEWORKS; framework++)
    {
      SwRates rates;

      sw_rates_init (&rates, problem, framework);
      fastest = MAX (fastest, MAX (rates.linear_flops_per_s, rates.half_flops_per_s));
      fastest = MAX (fastest,
                     problem->calibration->attention_forward * rates.attention_flops_per_s);
    }
  return tokens * flops / (fastest * problem->cluster.gpus);
}

/**
 * sw_rlhf_phases:
 * @problem: a prepared question
 * @strategy: how training is split
 * @out: filled in; n is 0 for a job without phases
 *
 * The phases of a step in order. Their times add up, part by part, to that of sw_time(); the
 * largest of their memories is that of sw_memory().
 */
void
sw_rlhf_phases (const SwProblem *problem, const SwStrategy *strategy, SwPhases *out)
{
  SwRlhfMemo memo;

  *out = (SwPhases){ 0 };
  if (problem->training.type != SW_TRAINING_RLHF)
    return;
  sw_rlhf_memo_init (&memo, problem);
  for (guint kind = 0; kind < SW_N_PHASES; kind++)
    {
      SwPhase *phase = &out->phase[out->n];

      switch ((SwPhaseKind) kind)
        {
        case SW_PHASE_GENERATION:
          generation_time (&memo, strategy, &out->generation, &phase->time);
          break;
        case SW_PHASE_SCORING: scoring_time (&memo, strategy, &phase->time); break;
        case SW_PHASE_CRITIC:
          if (!problem->training.rlhf_ppo)
            continue;
          critic_time (&memo, strategy, &phase->time);
          break;
        case SW_PHASE_POLICY:
          pass_time (&memo, SW_RLHF_POLICY_TRAINING, strategy, &phase->time);
          break;
        case SW_N_PHASES:
        default: g_assert_not_reached ();
        }
      phase->kind = (SwPhaseKind) kind;
      phase->memory = memo.phase[kind];
      out->n++;
    }
}
