/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* Bytes per trained parameter. Every GPU of the shard group holds `whole`; `shared` is divided
 * among them. */
typedef struct {
  double parameters_whole, parameters_shared;
  double gradients_whole, gradients_shared;
  double optimizer_whole, optimizer_shared;
  double frozen_whole, frozen_shared; /* per parameter of the frozen base (LoRA) */
  double trained_share;               /* trained parameters / parameters of this kind */
  double copies;      /* copies made by the optimizer step, sharded like its state */
  double temporaries; /* copies of one optimizer at a time, sharded like its state */
  double released;    /* copies freed before the step but still held by the allocator */
  double group;       /* GPUs that share the `shared` part */
  double parameters, gradients, optimizer, frozen; /* totals on one GPU */
} SwRecipe;

/* Dense parameters are sharded over the data- and context-parallel ranks of a shard group; experts
 * over their own data-parallel group, reduced in the same proportion for hybrid sharding. Embedding
 * and head are a separate kind because they are never quantized or adapted. */
enum { SW_RECIPE_LAYERS, SW_RECIPE_VOCABULARY, SW_RECIPE_EXPERTS, SW_N_RECIPES };

/* Everything that the memory of states needs to know about a strategy's sharding. */
typedef struct {
  SwRecipe recipes[SW_N_RECIPES];
  gboolean vocabulary_differs; /* embedding and head differ from the layers */
  double allocator;            /* reserved / allocated bytes */
} SwStates;

/* A cache of recent results for one question and one thread, one entry per slot: a search meets the
 * same sharding under every schedule. */
typedef struct {
  guint key[7]; /* framework (ANY: empty slot), ZeRO stage, offload, and the numbers that the
                   states depend on */
  SwStates states;
} SwKnownStates;

enum { SW_STATES_BITS = 7 };

typedef struct {
  SwKnownStates known[1 << SW_STATES_BITS];
} SwStatesMemo;

gboolean sw_updates_16_bits (const SwProblem *problem, const SwStrategy *strategy);
double sw_fsdp_parameter_bytes (const SwProblem *problem, const SwStrategy *strategy);
gboolean sw_steps_in_backward (const SwProblem *problem, const SwStrategy *strategy);
gboolean sw_optimizer_is_paged (SwOptimizer optimizer);
double sw_gradient_bytes (const SwProblem *problem, const SwStrategy *strategy);
gboolean sw_recipes_init (const SwProblem *problem, const SwStrategy *strategy,
                          SwRecipe recipes[SW_N_RECIPES]);
double sw_allocator_factor (const SwProblem *problem, const SwStrategy *strategy);
void sw_states_init (const SwProblem *problem, const SwStrategy *strategy, SwStates *out);
const SwStates *
sw_states_known (SwStatesMemo *memo, const SwProblem *problem, const SwStrategy *strategy);
double sw_unsharded_state_bytes (const SwProblem *problem, const SwStrategy *strategy);
double sw_checkpoint_bytes (const SwProblem *problem, const SwStrategy *strategy);

G_END_DECLS
