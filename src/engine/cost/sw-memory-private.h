/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-rlhf.h"

G_BEGIN_DECLS

typedef struct _SwStatesMemo SwStatesMemo;

/* What the parts of the memory model share; nothing above the engine includes it. */

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
  gboolean vocabulary_differs; /* those of embedding and head are others than those of the layers */
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

struct _SwStatesMemo {
  SwKnownStates known[1 << SW_STATES_BITS];
};

void sw_states_init (const SwProblem *problem, const SwStrategy *strategy, SwStates *out);
const SwStates *
sw_states_known (SwStatesMemo *memo, const SwProblem *problem, const SwStrategy *strategy);

/* What a layer keeps of its forward pass, by where it arises. */
typedef enum {
  SW_SAVED_INPUT,     /* of the layer: what full recomputation keeps */
  SW_SAVED_NORMS,     /* outputs of the norms */
  SW_SAVED_QKV,       /* queries, keys and values as the kernel reads them; latents */
  SW_SAVED_UP_PROJ,   /* what latent attention projects up */
  SW_SAVED_CORE,      /* scores, softmax and mask, or flash's statistics */
  SW_SAVED_OUTPUT,    /* of attention, where only its own backward pass reads it */
  SW_SAVED_ATTENTION, /* context into the output projection, masks, inputs of further norms */
  SW_SAVED_MLP,
  SW_SAVED_MLP_ACT,
  SW_SAVED_EXPERTS,
  SW_SAVED_EXPERT_ACT,
  SW_SAVED_SHARED,
  SW_SAVED_ROUTER,
  SW_N_SAVED
} SwSaved;

void sw_layer_saved (const SwProblem *problem, const SwStrategy *strategy, guint kind,
                     double bytes[SW_N_SAVED]);
double sw_in_flight (const SwStrategy *strategy, guint micro_batches, guint stage);
double sw_waiting_losses (const SwStrategy *strategy, double flight);
double sw_waiting_logits (const SwProblem *problem, const SwLayerMemory *layer);
double sw_pipeline_buffers (const SwProblem *problem, const SwStrategy *strategy,
                            const SwLayerMemory *layer, double flight);
void sw_schedule_memory_first_layers (const SwProblem *problem, const SwStrategy *strategy,
                                      const SwLayerMemory *layer, SwScheduleMemory *memory);
void sw_schedule_memory_of_stage (const SwProblem *problem, const SwStrategy *strategy,
                                  const SwLayerMemory *layer, guint stage, SwScheduleMemory *out);
double sw_sharding_buffers (const SwProblem *problem, const SwStrategy *strategy,
                            const SwScheduleMemory *schedule, guint i);
void sw_memory_within (SwRlhfMemo *memo, SwStatesMemo *states, const SwProblem *problem,
                       const SwStrategy *strategy, const SwScheduleMemory *schedule,
                       double most_bytes, SwMemory *out);
guint sw_communicators (const SwStrategy *strategy);
double sw_allocator_factor (const SwProblem *problem, const SwStrategy *strategy);
gboolean sw_recipes_init (const SwProblem *problem, const SwStrategy *strategy,
                          SwRecipe recipes[SW_N_RECIPES]);

G_END_DECLS
