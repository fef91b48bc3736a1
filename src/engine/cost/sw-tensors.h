/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-memory.h"

G_BEGIN_DECLS

/* What is alive at a GPU's peak memory, tensor by tensor. `part` is the member of SwMemoryParts
 * that includes it. */
typedef enum {
  SW_TENSOR_WEIGHTS,
  SW_TENSOR_FROZEN_WEIGHTS, /* the base of adapters */
  SW_TENSOR_REFERENCE,      /* weights of a reference or teacher model */
  SW_TENSOR_GRADIENTS,
  SW_TENSOR_OPTIMIZER, /* master weights and moments */
  SW_TENSOR_LAYER_INPUTS,
  SW_TENSOR_NORMS,
  SW_TENSOR_QUERIES_KEYS_VALUES,
  SW_TENSOR_MLA_PROJECTIONS,
  SW_TENSOR_ATTENTION_SCORES, /* or the statistics of flash attention */
  SW_TENSOR_ATTENTION_OUTPUT,
  SW_TENSOR_ATTENTION_CONTEXT, /* input of the output projection and of further norms */
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
  SW_TENSOR_WEIGHT_GRADIENTS, /* not yet added to the accumulated gradients */
  SW_TENSOR_SHARDING_BUFFERS, /* gathered units, gradient buckets */
  SW_TENSOR_OPTIMIZER_STEP,   /* copies made by the optimizer step, beyond the memory that
                                 activations free */
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

/* Which parameters a state tensor belongs to; NONE for all other tensors. */
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
  double bytes;   /* total on one GPU */
  double count;   /* parameters on one GPU before data-parallel sharding; for other tensors how
                     many there are: layers x micro-batches in flight, communicators, or 1 */
  guint tp, data; /* number of GPUs that split each tensor: by tensor parallelism, and by
                     sharding or context parallelism */
} SwTensor;

double sw_memory_part_bytes (const SwMemoryParts *parts, SwMemoryPart part);

enum { SW_MAX_TENSORS = SW_N_TENSOR_KINDS + 4 * (SW_N_OWNERS - 2) + SW_N_PARTS };

guint sw_memory_tensors (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                         SwTensor out[SW_MAX_TENSORS]);

G_END_DECLS
