/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-generation.h"
#include "sw-memory.h"
#include "sw-time.h"

G_BEGIN_DECLS

/* A step of reinforcement learning runs in phases, one after another on the same GPUs. */
typedef enum {
  SW_PHASE_GENERATION, /* the policy answers the prompts */
  SW_PHASE_SCORING,    /* the reference (PPO: also reward model and critic) processes the answers */
  SW_PHASE_CRITIC,     /* PPO: the critic is updated */
  SW_PHASE_POLICY,     /* the policy is updated */
  SW_N_PHASES
} SwPhaseKind;
extern const char *const sw_phase_names[];

typedef struct {
  SwPhaseKind kind;
  SwTime time;          /* step_s is the time of this phase */
  SwMemoryParts memory; /* of the fullest GPU during this phase */
} SwPhase;

typedef struct {
  guint n; /* 0: the job is not reinforcement learning */
  SwPhase phase[SW_N_PHASES];
  SwGenerationPlan generation;
} SwPhases;

typedef enum {
  SW_RLHF_POLICY_FORWARD,
  SW_RLHF_POLICY_TRAINING,
  SW_RLHF_CRITIC_FORWARD,
  SW_RLHF_CRITIC_TRAINING,
  SW_N_RLHF_PASSES
} SwRlhfPassKind;

/* A cache of levels 1 and 2 of a pass, with the strategies they were computed for. */
typedef struct {
  gboolean has_layer, has_schedule;
  SwStrategy strategy, layer_key, schedule_key;
  SwLayerTime layer;
  SwLayerMemory memory;
  SwScheduleTime schedule;
} SwRlhfPass;

/* A cache of the latest results for a question's models. A value, for one thread. */
typedef struct {
  const SwProblem *problem;
  SwProblem policy, critic; /* each trained separately */
  SwStrategy memory_key, plan_key;
  gboolean has_memory, has_plan;
  SwLayerMemory policy_memory, critic_memory;
  /* For the strategy in memory_key: the memory of the fullest GPU in each phase, and the states
   * that remain on the fullest GPU during generation. */
  SwMemoryParts phase[SW_N_PHASES], states;
  guint states_stage;
  SwGenerationPlan plan; /* for plan_key */
  SwRlhfPass pass[SW_N_RLHF_PASSES];
  SwGenerationRounds rounds;
} SwRlhfMemo;

void sw_rlhf_memo_init (SwRlhfMemo *memo, const SwProblem *problem);
const SwLayerTime *sw_rlhf_pass_layer (SwRlhfMemo *memo, SwRlhfPassKind kind,
                                       const SwStrategy *strategy, const SwProblem **model);
guint sw_rlhf_pass_times (const SwProblem *problem, SwRlhfPassKind kind);
double sw_rlhf_schedule_s (SwRlhfMemo *memo, const SwStrategy *strategy);

double sw_rlhf_floor_s (const SwProblem *problem);

void sw_rlhf_memory_within (SwRlhfMemo *memo, SwStatesMemo *states, const SwProblem *problem,
                            const SwStrategy *strategy, const SwScheduleMemory *schedule,
                            double most_bytes, SwMemory *out);
void sw_rlhf_stage_memory (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                           SwMemoryParts *out);
void sw_rlhf_add_time (SwRlhfMemo *memo, const SwStrategy *strategy, SwTime *out);
void sw_rlhf_phases (const SwProblem *problem, const SwStrategy *strategy, SwPhases *out);

G_END_DECLS
