/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* The cost of a strategy is factored, so that the search computes nothing twice:
 *
 *   level 1, layer:         what depends on tp, etp, cp, ep, sp, micro-batch and recomputation;
 *   level 2, schedule:      plus pp, vpp, schedule, first-N layers and offload of activations;
 *   level 3, data parallel: plus dp, ZeRO stage, shard group and optimizer.
 *
 * Each level takes the struct of the level before it. Memory and time are separate functions at each
 * level: memory is cheaper and comes first. None allocates. Every level reads only its own fields of
 * the strategy (and the fields of the levels before). */

enum { SW_LAYER_DENSE, SW_LAYER_MOE, SW_N_LAYER_KINDS };

/* Level 1, memory; bytes on one GPU. */
typedef struct {
  double layer_parameters[SW_N_LAYER_KINDS];  /* dense (not expert) parameters of a layer on one GPU; a count */
  double expert_parameters;                   /* routed-expert parameters of an MoE layer on one GPU; a count */
  double embedding_parameters, head_parameters, final_norm_parameters, mtp_parameters;
  double activation_bytes[SW_N_LAYER_KINDS];      /* kept from forward to backward, one micro-batch, one layer */
  double activation_full_bytes;                   /* the same under full recomputation: the layer's input */
  double recompute_peak_bytes[SW_N_LAYER_KINDS];  /* alive while one layer is recomputed or run backward */
  double embedding_activation_bytes;              /* dropout mask and input of the first stage */
  double logits_bytes;                            /* logits and cross-entropy workspace of the last stage */
  double weight_gradient_bytes[SW_N_LAYER_KINDS]; /* weight gradients on their way into the accumulated ones */
} SwLayerMemory;

/* Level 1, time; seconds of one micro-batch through one layer on one GPU, except where said. */
typedef struct {
  double forward_s, backward_s;    /* compute, without recomputation */
  double backward_input_s;         /* of backward_s: input gradients (zero-bubble schedules split here) */
  double recompute_s;              /* the extra forward of the backward pass under this recomputation */
  double tp_exposed_s, tp_hidden_s; /* forward + backward + recomputation */
  double cp_exposed_s, cp_hidden_s;
  double ep_exposed_s, ep_hidden_s;
  double forward_comm_s, backward_comm_s; /* of the exposed terms: in the forward pass; in backward and recomputation */
} SwLayerTimePart;

typedef struct {
  SwLayerTimePart part[SW_N_LAYER_KINDS];
  SwLayerTimePart full[SW_N_LAYER_KINDS]; /* the same layer when it is recomputed whole (first N layers) */
  double embedding_s;                     /* first stage: forward + backward of the embedding */
  double head_s;                          /* last stage: final norm, head, cross-entropy, forward + backward */
  double head_tp_exposed_s;
  double mtp_s;                           /* last stage: multi-token-prediction layers */
  double launch_s;                        /* host time of one layer, forward + backward, where launches dominate */
  double p2p_bytes;                       /* one activation passed between stages */
} SwLayerTime;

/* Level 2. The stages that can hold the most: the first (most micro-batches in flight, embedding), the last (head,
 * logits), and middle ones where they have more layers or other kinds of layers than the first. */
enum { SW_STAGE_CANDIDATES = 8 };

typedef struct {
  guint stages, micro_batches_in_flight_first;
  guint n_candidates;
  guint stage[SW_STAGE_CANDIDATES];
  double parameters[SW_STAGE_CANDIDATES], expert_parameters[SW_STAGE_CANDIDATES]; /* counts, on one GPU */
  double activation_bytes[SW_STAGE_CANDIDATES]; /* of all micro-batches in flight */
  double logits_bytes[SW_STAGE_CANDIDATES];
  double peak_bytes[SW_STAGE_CANDIDATES];   /* alive while one layer runs backward; not at once with the logits */
  double buffer_bytes[SW_STAGE_CANDIDATES]; /* of the pipeline engine, and weight gradients under way */
  double offloaded_bytes[SW_STAGE_CANDIDATES]; /* activations in host memory, of one GPU */
  double unit_parameters;                   /* the greatest unit that FSDP gathers; a count */
} SwScheduleMemory;

typedef struct {
  guint micro_batches;
  double compute_s;    /* of the slowest stage over the whole step: m micro-batches, recomputation in it */
  double recompute_s;
  double tp_exposed_s, tp_hidden_s, cp_exposed_s, cp_hidden_s, ep_exposed_s, ep_hidden_s; /* over the whole step */
  double pp_exposed_s, pp_hidden_s;
  double bubble_s;
  double offload_exposed_s;
  double first_backward_s, last_backward_s; /* windows in which data-parallel communication hides */
  double forward_s, backward_s; /* one micro-batch through the slowest stage, its exposed communication included */
  guint stage_layers[SW_N_LAYER_KINDS]; /* of the slowest stage */
} SwScheduleTime;

/* What the memory of one GPU holds; bytes. total is the sum of the parts. */
typedef struct {
  double parameters, gradients, optimizer, activations, logits, buffers, framework, total;
} SwMemoryParts;

typedef struct {
  SwMemoryParts peak; /* of the stage with the greatest total */
  guint peak_stage;
  double host_bytes;  /* per node */
} SwMemory;

/* One step; seconds. step = compute (with recompute in it) + exposed terms + bubble + optimizer + other. */
typedef struct {
  double step_s, compute_s, recompute_s;
  double tp_exposed_s, cp_exposed_s, ep_exposed_s, pp_exposed_s, dp_exposed_s;
  double bubble_s, optimizer_s, offload_exposed_s, other_s;
  double tp_hidden_s, cp_hidden_s, ep_hidden_s, pp_hidden_s, dp_hidden_s; /* overlapped: not in the sum */
} SwTime;

void sw_layer_memory (const SwProblem *problem, const SwStrategy *strategy, SwLayerMemory *out);
void sw_schedule_memory (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
                         SwScheduleMemory *out);
void sw_memory (const SwProblem *problem, const SwStrategy *strategy, const SwScheduleMemory *schedule,
                SwMemory *out);
void sw_memory_stage (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
                      guint stage, SwMemoryParts *out);
double sw_gradient_bytes (const SwProblem *problem, const SwStrategy *strategy);
double sw_memory_allocated (const SwProblem *problem, const SwStrategy *strategy, const SwMemoryParts *parts);

void sw_layer_time (const SwProblem *problem, const SwStrategy *strategy, SwLayerTime *out);
void sw_schedule_time (const SwProblem *problem, const SwStrategy *strategy, const SwLayerTime *layer,
                       SwScheduleTime *out);
void sw_time (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer_memory,
              const SwScheduleTime *schedule, SwTime *out);

/* One micro-batch through the layers of one stage, exposed communication included; seconds. */
typedef struct {
  double forward_s, backward_s, backward_input_s; /* its layers; input_s of backward_s, recomputation in both */
  double ends_s;                                  /* embedding, head and what belongs to them, forward + backward */
} SwStageTime;

void sw_stage_time (const SwProblem *problem, const SwStrategy *strategy, const SwLayerTime *layer, guint stage,
                    SwStageTime *out);

guint sw_strategy_micro_batches (const SwProblem *problem, const SwStrategy *strategy);
guint sw_stage_layers (const SwProblem *problem, const SwStrategy *strategy, guint stage);
void sw_stage_layer_kinds (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                           guint layers[SW_N_LAYER_KINDS]);

G_END_DECLS
