/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-layer-memory.h"
#include "sw-recipe.h"

G_BEGIN_DECLS

/* Level 2. The stages that can hold the most: the first (most micro-batches in flight, embedding),
 * the last (head, logits), and middle stages with more or other layers than the first. */
enum { SW_STAGE_CANDIDATES = 16 };

typedef struct {
  guint n_candidates;
  guint stage[SW_STAGE_CANDIDATES];
  /* counts, on one GPU */
  double parameters[SW_STAGE_CANDIDATES], expert_parameters[SW_STAGE_CANDIDATES];
  double vocabulary_parameters[SW_STAGE_CANDIDATES]; /* the part of `parameters` in embedding and
                                                        head */
  double input_bytes[SW_STAGE_CANDIDATES];           /* inputs of all layers for one micro-batch */
  double activation_bytes[SW_STAGE_CANDIDATES];      /* of all micro-batches in flight */
  double logits_bytes[SW_STAGE_CANDIDATES];
  double peak_bytes[SW_STAGE_CANDIDATES];      /* alive while one layer runs backward; never
                                               together with the logits */
  double buffer_bytes[SW_STAGE_CANDIDATES];    /* of the pipeline engine, and weight gradients not
                                               yet accumulated */
  double deferred_bytes[SW_STAGE_CANDIDATES];  /* sent and released, but still held by the
                                                  allocator */
  double offloaded_bytes[SW_STAGE_CANDIDATES]; /* activations in host memory, per GPU */
  double unit_parameters;                      /* count: the largest unit that FSDP gathers */
} SwScheduleMemory;

/* Memory of one GPU by part; bytes. `total` is their sum. */
typedef struct {
  double parameters, gradients, optimizer, activations, logits, buffers, framework, total;
  double reclaimable;     /* not in the total: held by the allocator, freed when memory runs
                             short */
  double gradients_later; /* not in the total: gradients that later replace activations */
} SwMemoryParts;

typedef struct {
  SwMemoryParts peak; /* of the stage with the largest total */
  guint peak_stage;
  double host_bytes; /* per node */
} SwMemory;

/* Adds what else a GPU of a stage holds on the GPU and in host memory. */
typedef void (*SwMemoryAdd) (gpointer data, const SwStrategy *strategy, guint stage,
                             SwMemoryParts *parts, double *host_bytes);

void sw_schedule_memory (const SwProblem *problem, const SwStrategy *strategy,
                         const SwLayerMemory *layer, SwScheduleMemory *out);
void sw_memory (const SwProblem *problem, const SwStrategy *strategy,
                const SwScheduleMemory *schedule, SwMemory *out);
void sw_memory_stage (const SwProblem *problem, const SwStrategy *strategy,
                      const SwLayerMemory *layer, guint stage, SwMemoryParts *out);
double sw_memory_allocated (const SwProblem *problem, const SwStrategy *strategy,
                            const SwMemoryParts *parts);
void sw_schedule_memory_first_layers (const SwProblem *problem, const SwStrategy *strategy,
                                      const SwLayerMemory *layer, SwScheduleMemory *memory);
void sw_schedule_memory_of_stage (const SwProblem *problem, const SwStrategy *strategy,
                                  const SwLayerMemory *layer, guint stage, SwScheduleMemory *out);
double sw_in_flight (const SwStrategy *strategy, guint micro_batches, guint stage);
double sw_waiting_losses (const SwStrategy *strategy, double flight);
double sw_waiting_logits (const SwProblem *problem, const SwLayerMemory *layer);
double sw_pipeline_buffers (const SwProblem *problem, const SwStrategy *strategy,
                            const SwLayerMemory *layer, double flight);
double sw_sharding_buffers (const SwProblem *problem, const SwStrategy *strategy,
                            const SwScheduleMemory *schedule, guint i);
double sw_running_bytes (const SwProblem *problem, const SwStrategy *strategy,
                         const SwScheduleMemory *schedule, guint i);
double sw_frozen_copies (const SwProblem *problem, const SwStrategy *strategy,
                         const SwRecipe *recipe, double count);
guint sw_communicators (const SwStrategy *strategy);
void sw_memory_within (SwStatesMemo *states, const SwProblem *problem, const SwStrategy *strategy,
                       const SwScheduleMemory *schedule, double most_bytes, SwMemoryAdd add,
                       gpointer data, SwMemory *out);

G_END_DECLS
