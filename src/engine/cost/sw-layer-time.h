/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-collective.h"
#include "sw-compute.h"

G_BEGIN_DECLS

/* Level 1, time: seconds of one micro-batch through one layer on one GPU, unless stated
 * otherwise. */
typedef struct {
  double forward_s, backward_s;     /* compute, without recomputation */
  double backward_input_s;          /* the part of backward_s for input gradients, where zero-bubble
                              schedules split */
  double recompute_s;               /* the repeated forward pass under this recomputation */
  double tp_exposed_s, tp_hidden_s; /* exposed and hidden communication of forward, backward and
                                       recomputation */
  double cp_exposed_s, cp_hidden_s;
  double ep_exposed_s, ep_hidden_s;
  double ep_beside_s[2]; /* the part of ep_exposed_s (forward, backward) that other micro-batches
                            can hide */
  double forward_comm_s, backward_comm_s; /* the parts of all exposed terms in the forward pass,
                                             and in backward and recomputation */
} SwLayerTimePart;

typedef struct {
  SwLayerTimePart part[SW_N_LAYER_KINDS];
  SwLayerTimePart full[SW_N_LAYER_KINDS]; /* the same layer recomputed whole (full and first-N
                                             recomputation; else zero) */
  double embedding_s;                     /* first stage: embedding, forward + backward */
  double head_s; /* last stage: final norm, head and cross-entropy, forward + backward */
  double head_tp_exposed_s;
  double mtp_s;        /* last stage: multi-token-prediction layers while other micro-batches run */
  double mtp_beside_s; /* additional time if no other micro-batches run */
  double p2p_bytes;    /* one activation sent between stages */
} SwLayerTime;

/* Kernel time of one micro-batch through a part of a layer on one GPU; seconds. */
typedef struct {
  double forward_s, input_s, weight_s; /* forward pass; input gradients; weight gradients */
  double selective_s;                  /* the part of forward_s that selective recomputation
                                          repeats */
  double core_s, core_backward_s;      /* the parts of forward_s and input_s in the attention
                                          core */
  double memory_s;                     /* the part of all three in memory-bound kernels */
} SwWork;

/* Element-wise kernels move 1.5 times the forward traffic in the backward pass. */
#define SW_ELEMENTWISE_BACKWARD 1.5

/* Shared by all parts of a layer: the rates, and the tokens and widths of one GPU. */
typedef struct {
  const SwProblem *problem;
  const SwStrategy *strategy;
  SwRates rates;
  double sequences; /* of a micro-batch */
  double tokens;    /* of a micro-batch on one context-parallel rank */
  double spread;    /* divides the tokens of norms and residuals: tp with sequence parallelism */
  guint modules;    /* SwRecomputeModules that selective recomputation repeats */
  gboolean frozen;  /* LoRA: the base has no weight gradients */
  gboolean casts_adapters;  /* the adapters are fp32 and cast their inputs with plain kernels */
  double dequantised_bytes; /* traffic in every pass for each weight expanded from 4 bits */
  SwCollectiveLog *log;     /* (nullable): records the timed communication */
} SwLayerScene;

/* Communication of one micro-batch through one layer or part; exposed and hidden seconds of each
 * pass. */
typedef struct {
  double forward_exposed_s, forward_hidden_s, backward_exposed_s, backward_hidden_s;
  double forward_beside_s, backward_beside_s; /* the parts of the exposed terms that other
                                                 micro-batches may hide */
} SwLayerComm;

/* Level 1 of time by the factors that it depends on; see sw_layer_base(), sw_layer_experts() and
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
