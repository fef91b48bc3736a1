/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-collective.h"
#include "sw-compute.h"

G_BEGIN_DECLS

/* Level 1, time; seconds of one micro-batch through one layer on one GPU, except where said. */
typedef struct {
  double forward_s, backward_s; /* compute, without recomputation */
  double backward_input_s; /* of backward_s: input gradients (zero-bubble schedules split here) */
  double recompute_s;      /* the extra forward of the backward pass under this recomputation */
  double tp_exposed_s, tp_hidden_s; /* forward + backward + recomputation */
  double cp_exposed_s, cp_hidden_s;
  double ep_exposed_s, ep_hidden_s;
  double ep_beside_s[2]; /* of ep_exposed_s, forward and backward: what other micro-batches hide */
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
  double mtp_s;        /* last stage: multi-token-prediction layers, beside other micro-batches */
  double mtp_beside_s; /* additional time without them */
  double p2p_bytes;    /* one activation passed between stages */
} SwLayerTime;

/* Kernel time of one micro-batch through a part of a layer on one GPU; seconds. */
typedef struct {
  double forward_s, input_s, weight_s; /* forward; input and weight gradients */
  double selective_s;                  /* of forward: what selective recomputation runs again */
  double core_s, core_backward_s;      /* of forward and of input: the attention core */
  double memory_s;                     /* of all: kernels that memory bounds */
} SwWork;

/* Element-wise kernels move half as much again backward. */
#define SW_ELEMENTWISE_BACKWARD 1.5

/* What the parts of a layer share: the rates, and the tokens and widths of one GPU. */
typedef struct {
  const SwProblem *problem;
  const SwStrategy *strategy;
  SwRates rates;
  double sequences; /* of a micro-batch */
  double tokens;    /* of a micro-batch on one context-parallel rank */
  double
      spread; /* by which tokens of norms and residuals are divided: tp with sequence parallelism */
  guint modules;            /* SwRecomputeModules run again by selective recomputation */
  gboolean frozen;          /* LoRA: no weight gradients of the base */
  gboolean casts_adapters;  /* adapters in fp32 beside it, by plain kernels */
  double dequantised_bytes; /* moved for each weight that is expanded from 4 bits, in every pass */
  SwCollectiveLog *log;     /* (nullable): takes down the communication that is timed */
} SwLayerScene;

/* Communication of one micro-batch through one layer, or the like; exposed and hidden seconds of
 * each pass. */
typedef struct {
  double forward_exposed_s, forward_hidden_s, backward_exposed_s, backward_hidden_s;
  double forward_beside_s, backward_beside_s; /* of the exposed: what other micro-batches may
                                                 hide */
} SwLayerComm;

/* Level 1 of time in its own factors; see sw_layer_base(), sw_layer_experts() and
 * sw_layer_compose(). */
typedef struct {
  SwLayerScene scene; /* except the strategy */
  gboolean has_dense, has_moe;
  SwWork attention, mlp, shared;
  SwLayerComm dense_comm;
  double embedding_s, head_s, head_tp_exposed_s;
} SwLayerBase;

typedef struct {
  SwWork work;
  SwLayerComm tensor, expert;
} SwLayerExperts;

void
sw_layer_scene_init (SwLayerScene *scene, const SwProblem *problem, const SwStrategy *strategy);
void sw_layer_work_attention (const SwLayerScene *scene, SwWork *work);
void sw_layer_work_mlp (const SwLayerScene *scene, double width, guint divisor, guint modules,
                        SwWork *work);
void sw_layer_work_experts (const SwLayerScene *scene, SwWork *work);
void sw_layer_work_head (const SwLayerScene *scene, SwWork *work);
gboolean sw_layer_experts_are_fused (const SwLayerScene *scene);
void sw_layer_work_adapter (const SwLayerScene *scene, double m, double n, double k, SwWork *work);
void sw_layer_base (const SwProblem *problem, const SwStrategy *strategy, SwLayerBase *out);
void sw_layer_experts (const SwLayerBase *base, const SwStrategy *strategy, SwLayerExperts *out);
void sw_layer_compose (const SwLayerBase *base, const SwLayerExperts *experts,
                       const SwStrategy *strategy, SwLayerTime *out);
void sw_layer_comm_again (const SwLayerScene *scene, gboolean whole, double again[3]);
void sw_layer_comm_tensor (const SwLayerScene *scene, gboolean is_moe, SwLayerComm *out);
void sw_layer_comm_context (const SwLayerScene *scene, double attention_s, SwLayerComm *out);
void sw_layer_comm_expert (const SwLayerScene *scene, SwLayerComm *out);
double sw_layer_comm_head (const SwLayerScene *scene);
void sw_layer_time (const SwProblem *problem, const SwStrategy *strategy, SwLayerTime *out);

G_END_DECLS
