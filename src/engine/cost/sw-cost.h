/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-collective.h"
#include "sw-split.h"

G_BEGIN_DECLS

/* The cost of a strategy is factored, so that the search computes nothing twice:
 *
 *   level 1, layer:         what depends on tp, etp, cp, ep, sp, micro-batch and recomputation;
 *   level 2, schedule:      plus pp, vpp, schedule, first-N layers and offload of activations;
 *   level 3, data parallel: plus dp, ZeRO stage, shard group and optimizer.
 *
 * Each level takes the struct of the level before it. Memory and time are separate functions at
 * each level: memory is cheaper and comes first. None allocates. Every level reads only its own
 * fields of the strategy (and the fields of the levels before). */

/* Level 1, memory; bytes on one GPU. */
typedef struct {
  double layer_parameters[SW_N_LAYER_KINDS]; /* dense (not expert) parameters of a layer on one GPU;
                                                a count */
  double expert_parameters; /* routed-expert parameters of an MoE layer on one GPU; a count */
  double embedding_parameters, head_parameters, final_norm_parameters, mtp_parameters;
  double activation_bytes[SW_N_LAYER_KINDS]; /* kept from forward to backward, one micro-batch, one
                                                layer */
  double activation_full_bytes; /* the same under full recomputation: the layer's input */
  double recompute_peak_bytes[SW_N_LAYER_KINDS]; /* alive while one layer is recomputed or run
                                                    backward */
  double embedding_activation_bytes;             /* dropout mask and input of the first stage */
  double logits_bytes;      /* logits and cross-entropy workspace of the last stage */
  double logits_kept_bytes; /* of them from the loss to its backward pass */
  double weight_gradient_bytes[SW_N_LAYER_KINDS]; /* weight gradients on their way into the
                                                     accumulated ones */
} SwLayerMemory;

/* Level 1, time; seconds of one micro-batch through one layer on one GPU, except where said. */
typedef struct {
  double forward_s, backward_s; /* compute, without recomputation */
  double backward_input_s; /* of backward_s: input gradients (zero-bubble schedules split here) */
  double recompute_s;      /* the extra forward of the backward pass under this recomputation */
  double tp_exposed_s, tp_hidden_s; /* forward + backward + recomputation */
  double cp_exposed_s, cp_hidden_s;
  double ep_exposed_s, ep_hidden_s;
  double ep_beside_s[2]; /* of ep_exposed_s, forward and backward: what a pipeline hides beside
                            other micro-batches */
  double forward_comm_s, backward_comm_s; /* of the exposed terms: in the forward pass; in backward
                                             and recomputation */
} SwLayerTimePart;

typedef struct {
  SwLayerTimePart part[SW_N_LAYER_KINDS];
  SwLayerTimePart full[SW_N_LAYER_KINDS]; /* the same layer when it is recomputed whole (full and
                                             first-N recomputation; else zero) */
  double embedding_s;                     /* first stage: forward + backward of the embedding */
  double head_s; /* last stage: final norm, head, cross-entropy, forward + backward */
  double head_tp_exposed_s;
  double mtp_s;     /* last stage: multi-token-prediction layers */
  double p2p_bytes; /* one activation passed between stages */
} SwLayerTime;

/* Level 2. The stages that can hold the most: the first (most micro-batches in flight, embedding),
 * the last (head, logits), and middle ones where they have more layers or other kinds of layers
 * than the first. */
enum { SW_STAGE_CANDIDATES = 16 };

typedef struct {
  guint n_candidates;
  guint stage[SW_STAGE_CANDIDATES];
  /* counts, on one GPU */
  double parameters[SW_STAGE_CANDIDATES], expert_parameters[SW_STAGE_CANDIDATES];
  double vocabulary_parameters[SW_STAGE_CANDIDATES]; /* of `parameters`: embedding and head */
  double activation_bytes[SW_STAGE_CANDIDATES];      /* of all micro-batches in flight */
  double logits_bytes[SW_STAGE_CANDIDATES];
  double peak_bytes[SW_STAGE_CANDIDATES];   /* alive while one layer runs backward; not at once with
                                             the logits */
  double buffer_bytes[SW_STAGE_CANDIDATES]; /* of the pipeline engine, and weight gradients under
                                               way */
  double offloaded_bytes[SW_STAGE_CANDIDATES]; /* activations in host memory, of one GPU */
  double unit_parameters;                      /* the greatest unit that FSDP gathers; a count */
} SwScheduleMemory;

typedef struct {
  guint micro_batches;
  double compute_s; /* of the slowest stage over the whole step: m micro-batches, recomputation in
                       it */
  double recompute_s;
  /* over the whole step */
  double tp_exposed_s, tp_hidden_s, cp_exposed_s, cp_hidden_s, ep_exposed_s, ep_hidden_s;
  double pp_exposed_s, pp_hidden_s;
  double bubble_s;
  double offload_exposed_s, offload_hidden_s;
  double first_backward_s, last_backward_s; /* windows in which data-parallel communication hides */
  double forward_s, backward_s;         /* one micro-batch through the slowest stage, its exposed
                                   communication included */
  guint stage_layers[SW_N_LAYER_KINDS]; /* of the slowest stage */
  guint stage;                          /* the slowest one */
  SwSplit split;
} SwScheduleTime;

/* What the memory of one GPU holds; bytes. total is the sum of the parts. */
typedef struct {
  double parameters, gradients, optimizer, activations, logits, buffers, framework, total;
  double reclaimable; /* beside the total: kept by the allocator, given back where memory runs
                         short */
} SwMemoryParts;

/* What is alive when a GPU holds most, tensor by tensor: `part` is the member of SwMemoryParts that
 * it counts in. */
typedef enum {
  SW_TENSOR_WEIGHTS,
  SW_TENSOR_FROZEN_WEIGHTS, /* the base of adapters */
  SW_TENSOR_GRADIENTS,
  SW_TENSOR_OPTIMIZER, /* master weights and moments */
  SW_TENSOR_LAYER_INPUTS,
  SW_TENSOR_NORMS,
  SW_TENSOR_QUERIES_KEYS_VALUES,
  SW_TENSOR_MLA_PROJECTIONS,
  SW_TENSOR_ATTENTION_SCORES, /* or flash attention's statistics */
  SW_TENSOR_ATTENTION_OUTPUT,
  SW_TENSOR_ATTENTION_CONTEXT, /* input of the output projection, and of further norms */
  SW_TENSOR_MLP,
  SW_TENSOR_MLP_ACTIVATION,
  SW_TENSOR_EXPERTS,
  SW_TENSOR_EXPERT_ACTIVATION,
  SW_TENSOR_SHARED_EXPERTS,
  SW_TENSOR_ROUTER,
  SW_TENSOR_MTP_LAYERS,
  SW_TENSOR_EMBEDDING_MASK,
  SW_TENSOR_RUNNING_LAYER, /* alive only while one layer runs backward */
  SW_TENSOR_LOGITS,
  SW_TENSOR_PIPELINE_BUFFERS,
  SW_TENSOR_WEIGHT_GRADIENTS, /* under way into the accumulated ones */
  SW_TENSOR_SHARDING_BUFFERS, /* gathered units, gradient buckets */
  SW_TENSOR_OPTIMIZER_STEP,   /* copies of the step, beyond the room of the activations */
  SW_TENSOR_FRAGMENTATION,
  SW_TENSOR_CUDA_CONTEXT,
  SW_TENSOR_COMMUNICATORS,
  SW_TENSOR_OTHER_PHASE, /* of other models, or of another phase of reinforcement learning */
  SW_N_TENSOR_KINDS
} SwTensorKind;
extern const char *const sw_tensor_kind_names[];

typedef enum {
  SW_PART_PARAMETERS,
  SW_PART_GRADIENTS,
  SW_PART_OPTIMIZER,
  SW_PART_ACTIVATIONS,
  SW_PART_LOGITS,
  SW_PART_BUFFERS,
  SW_PART_FRAMEWORK,
  SW_N_PARTS
} SwMemoryPart;
extern const char *const sw_memory_part_names[];

/* Which parameters a tensor of states belongs to; NONE of all others. */
typedef enum {
  SW_OWNER_NONE,
  SW_OWNER_LAYERS,
  SW_OWNER_VOCABULARY,
  SW_OWNER_EXPERTS,
  SW_N_OWNERS
} SwTensorOwner;
extern const char *const sw_tensor_owner_names[];

typedef struct {
  SwTensorKind kind;
  SwMemoryPart part;
  SwTensorOwner owner;
  double bytes;   /* of all of them, on one GPU */
  double count;   /* parameters on one GPU before data-parallel sharding; else how many there are:
                   layers x micro-batches in flight, communicators, or 1 */
  guint tp, data; /* GPUs that each is cut over by tensor parallelism, and by sharding or context
                     parallelism */
} SwTensor;

enum { SW_MAX_TENSORS = SW_N_TENSOR_KINDS + 4 * (SW_N_OWNERS - 2) + SW_N_PARTS };

typedef struct {
  SwMemoryParts peak; /* of the stage with the greatest total */
  guint peak_stage;
  double host_bytes; /* per node */
} SwMemory;

/* One step; seconds. step = compute (with recompute in it) + exposed terms + bubble + optimizer +
 * other. */
typedef struct {
  double step_s, compute_s, recompute_s;
  double tp_exposed_s, cp_exposed_s, ep_exposed_s, pp_exposed_s, dp_exposed_s;
  double bubble_s, optimizer_s, offload_exposed_s, other_s;
  /* overlapped: not in the sum */
  double tp_hidden_s, cp_hidden_s, ep_hidden_s, pp_hidden_s, dp_hidden_s, offload_hidden_s;
} SwTime;

void sw_layer_memory (const SwProblem *problem, const SwStrategy *strategy, SwLayerMemory *out);
void sw_schedule_memory (const SwProblem *problem, const SwStrategy *strategy,
                         const SwLayerMemory *layer, SwScheduleMemory *out);
void sw_memory (const SwProblem *problem, const SwStrategy *strategy,
                const SwScheduleMemory *schedule, SwMemory *out);
void sw_memory_stage (const SwProblem *problem, const SwStrategy *strategy,
                      const SwLayerMemory *layer, guint stage, SwMemoryParts *out);
guint sw_memory_tensors (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                         SwTensor out[SW_MAX_TENSORS]);
double sw_gradient_bytes (const SwProblem *problem, const SwStrategy *strategy);
double sw_memory_allocated (const SwProblem *problem, const SwStrategy *strategy,
                            const SwMemoryParts *parts);

void sw_layer_time (const SwProblem *problem, const SwStrategy *strategy, SwLayerTime *out);
void sw_schedule_time (const SwProblem *problem, const SwStrategy *strategy,
                       const SwLayerTime *layer, SwScheduleTime *out);
double sw_schedule_blocked_share (const SwProblem *problem, const SwStrategy *strategy);
void sw_schedule_point_to_point (const SwProblem *problem, const SwStrategy *strategy,
                                 const SwLayerTime *layer, guint micro_batches,
                                 SwCollectiveCall *steady, SwCollectiveCall *fill);
void sw_stage_whole_layers (const SwStrategy *strategy, const guint layers[SW_N_LAYER_KINDS],
                            guint out[SW_N_LAYER_KINDS]);
void sw_time_data_calls (const SwProblem *problem, const SwStrategy *strategy,
                         const SwLayerMemory *layer_memory, const SwScheduleTime *schedule,
                         SwCollectiveLog *log);
void sw_time (const SwProblem *problem, const SwStrategy *strategy,
              const SwLayerMemory *layer_memory, const SwScheduleTime *schedule, SwTime *out);
gboolean sw_offload_may_pay (const SwProblem *problem);
double sw_straggler_share (const SwProblem *problem, SwFramework framework);
double sw_straggler_factor (const SwProblem *problem, double share, double gpus);

void
sw_time_forward (const SwProblem *problem, const SwStrategy *strategy,
                 const SwLayerMemory *layer_memory, const SwScheduleTime *schedule, SwTime *out);
void sw_time_add (SwTime *out, const SwTime *other);
double sw_time_sum (const SwTime *t);
double sw_schedule_time_sum (const SwScheduleTime *t);

/* One micro-batch through the layers of one stage, exposed communication included; seconds. */
typedef struct {
  double forward_s, backward_s, backward_input_s; /* its layers; input_s of backward_s,
                                                     recomputation in both */
  double ends_s; /* embedding, head and what belongs to them, forward + backward */
} SwStageTime;

void sw_stage_time (const SwProblem *problem, const SwStrategy *strategy, const SwLayerTime *layer,
                    guint stage, SwStageTime *out);

guint sw_strategy_micro_batches (const SwProblem *problem, const SwStrategy *strategy);
guint sw_stage_layers (const SwProblem *problem, const SwStrategy *strategy, guint stage);
void sw_stage_layer_kinds (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                           guint layers[SW_N_LAYER_KINDS]);

G_END_DECLS
