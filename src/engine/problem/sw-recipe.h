/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* Bytes per trained parameter, and over what each is sharded: `whole` stays on every GPU of the
 * shard group, `shared` is divided by it. */
typedef struct {
  double parameters_whole, parameters_shared;
  double gradients_whole, gradients_shared;
  double optimizer_whole, optimizer_shared;
  double frozen_whole, frozen_shared; /* per parameter of a frozen base (LoRA) */
  double trained_share;               /* trained parameters over those of this kind */
  double copies;      /* that the optimizer step makes of all, divided like its state */
  double temporaries; /* of one optimizer at a time, likewise */
  double released;    /* copies gone before the step, whose memory the allocator keeps */
  double group;       /* GPUs that the shared part is divided over */
  double parameters, gradients, optimizer, frozen; /* the same on one GPU */
} SwRecipe;

/* Dense parameters are sharded over the data- and context-parallel ranks of a shard group, experts
 * over their own data-parallel group, of which a hybrid group takes the same share. Embedding and
 * head, never quantised nor adapted, are a kind of their own. */
enum { SW_RECIPE_LAYERS, SW_RECIPE_VOCABULARY, SW_RECIPE_EXPERTS, SW_N_RECIPES };

/* All that the memory of states takes from a strategy's sharding. */
typedef struct {
  SwRecipe recipes[SW_N_RECIPES];
  gboolean vocabulary_differs; /* embedding and head differ from the layers */
  double allocator;            /* what the allocator reserves over what is allocated */
} SwStates;

/* What was worked out lately for one question, each in its one place; for one thread. A walk comes
 * upon the same sharding under every schedule. */
typedef struct {
  guint key[7]; /* framework (ANY: none), ZeRO stage and offload; the numbers that it is read
                   from */
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
