/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reinforcement learning from feedback, step by step on policy: generate, score, train the critic,
 * train the policy, one after the other (Ouyang et al. 2022, InstructGPT, section 3.5; Shao et al.
 * 2024, DeepSeekMath, section 4.1 for GRPO, which has no critic and, here, rewards by rule). */
#include "sw-rlhf.h"

#include "sw-compute.h"
#include "sw-flops.h"

#include <math.h>

const char *const sw_phase_names[] = { "generation", "scoring", "critic", "policy", NULL };

static void
scoring_time (SwRlhfMemo *memo, const SwStrategy *strategy, SwTime *out)
{
  SwTime valued;

  sw_rlhf_pass_time (memo, SW_RLHF_POLICY_FORWARD, strategy, out);
  if (!memo->problem->training.rlhf_ppo)
    return;
  /* The reward model, and the critic's values of the same tokens. */
  sw_rlhf_pass_time (memo, SW_RLHF_CRITIC_FORWARD, strategy, &valued);
  sw_time_add (out, &valued);
  sw_time_add (out, &valued);
}

/* What the step does once, however many models it trains, belongs to the policy's training. */
static void
critic_time (SwRlhfMemo *memo, const SwStrategy *strategy, SwTime *out)
{
  sw_rlhf_pass_time (memo, SW_RLHF_CRITIC_TRAINING, strategy, out);
  out->other_s = MAX (out->other_s - memo->problem->calibration->fixed_s, 0);
  out->step_s = sw_time_sum (out);
}

/* How the answers are generated depends on the room that the states of all models leave, which was
 * mostly asked for just before. */
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
 * @memo: of a prepared question of reinforcement learning
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

/* No kernel of any profile computes faster: flash attention gets more than its rate forward. */
static double
fastest_flops_per_s (const SwProblem *problem)
{
  double fastest = 0;

  for (guint framework = SW_FRAMEWORK_MEGATRON_2021; framework < SW_N_FRAMEWORKS; framework++)
    {
      SwRates rates;

      sw_rates_init (&rates, problem, framework);
      fastest = MAX (fastest, MAX (rates.linear_flops_per_s, rates.half_flops_per_s));
      fastest = MAX (fastest,
                     problem->calibration->attention_forward * rates.attention_flops_per_s);
    }
  return fastest;
}

/**
 * sw_rlhf_floor_s:
 * @problem: a prepared question
 *
 * What scoring and the critic's training take at least, whatever the strategy: they compute as fast
 * as the fastest kernels at best. With it and generation's floor the search's bounds on the
 * policy's training bound the whole step.
 *
 * Returns: seconds; 0 for a job without phases
 */
double
sw_rlhf_floor_s (const SwProblem *problem)
{
  const SwTraining *training = &problem->training;
  double tokens = (double) training->global_batch * training->sequence_length, peak, flops;
  SwFlops all, policy;
  SwStrategy none;
  SwProblem alone = *problem;

  if (training->type != SW_TRAINING_RLHF)
    return 0;
  sw_strategy_init_default (&none);
  alone.training.type = SW_TRAINING_FINETUNE;
  sw_flops_per_token (problem, &none, TRUE, &all);
  sw_flops_per_token (&alone, &none, TRUE, &policy);
  /* Without the policy's own training, and generation's forward pass, a third of that. */
  flops = MAX (all.model - policy.model * 4 / 3, 0);
  peak = fastest_flops_per_s (problem);
  return tokens * flops / (peak * problem->cluster.gpus);
}

static SwTime *
next_phase (SwPhases *phases, SwPhaseKind kind, const SwRlhfMemo *memo)
{
  SwPhase *phase = &phases->phase[phases->n++];

  phase->kind = kind;
  phase->memory = memo->phase[kind];
  return &phase->time;
}

/**
 * sw_rlhf_phases:
 * @problem: a prepared question
 * @strategy: how training is split
 * @out: filled in; n is 0 for a job without phases
 *
 * The phases of a step in their order. Their times add up, part by part, to that of sw_time();
 * the greatest of their memories is that of sw_memory().
 */
void
sw_rlhf_phases (const SwProblem *problem, const SwStrategy *strategy, SwPhases *out)
{
  SwRlhfMemo memo;
  SwTime generation;

  *out = (SwPhases){ 0 };
  if (problem->training.type != SW_TRAINING_RLHF)
    return;
  sw_rlhf_memo_init (&memo, problem);
  generation_time (&memo, strategy, &out->generation, &generation);
  *next_phase (out, SW_PHASE_GENERATION, &memo) = generation;
  scoring_time (&memo, strategy, next_phase (out, SW_PHASE_SCORING, &memo));
  if (problem->training.rlhf_ppo)
    critic_time (&memo, strategy, next_phase (out, SW_PHASE_CRITIC, &memo));
  sw_rlhf_pass_time (&memo, SW_RLHF_POLICY_TRAINING, strategy,
                     next_phase (out, SW_PHASE_POLICY, &memo));
}
