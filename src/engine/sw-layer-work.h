/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-compute.h"
#include "sw-cost.h"

G_BEGIN_DECLS

/* Kernel time of one micro-batch through a part of a layer on one GPU; seconds. */
typedef struct
{
  double forward_s, input_s, weight_s; /* forward; input and weight gradients */
  double selective_s;                  /* of forward: what selective recomputation runs again */
  double core_s;                       /* of forward: the attention core */
} SwWork;

/* What the parts of a layer share: the rates, and the tokens and widths of one GPU. */
typedef struct
{
  const SwProblem *problem;
  const SwStrategy *strategy;
  SwRates rates;
  double sequences; /* of a micro-batch */
  double tokens;    /* of a micro-batch on one context-parallel rank */
  double
      spread; /* by which tokens of norms and residuals are divided: tp with sequence parallelism */
  guint modules;        /* SwRecomputeModules run again by selective recomputation */
  gboolean frozen;      /* LoRA: no weight gradients of the base */
  gboolean dequantises; /* QLoRA: weights are expanded from 4 bits in every pass */
} SwLayerScene;

void
sw_layer_scene_init (SwLayerScene *scene, const SwProblem *problem, const SwStrategy *strategy);
void sw_layer_work_attention (const SwLayerScene *scene, SwWork *work);
void sw_layer_work_mlp (const SwLayerScene *scene,
                        double width,
                        guint divisor,
                        guint module,
                        SwWork *work);
void sw_layer_work_experts (const SwLayerScene *scene, SwWork *work);
void sw_layer_work_head (const SwLayerScene *scene, SwWork *work);
double sw_layer_work_embedding (const SwLayerScene *scene);
double sw_layer_expert_tokens (const SwLayerScene *scene);

/* Communication of one micro-batch through one layer, or the like; exposed and hidden seconds of
 * each pass. */
typedef struct
{
  double forward_exposed_s, forward_hidden_s, backward_exposed_s, backward_hidden_s;
} SwLayerComm;

void sw_layer_comm_tensor (const SwLayerScene *scene, gboolean is_moe, SwLayerComm *out);
void sw_layer_comm_context (const SwLayerScene *scene, double attention_s, SwLayerComm *out);
void sw_layer_comm_expert (const SwLayerScene *scene, SwLayerComm *out);
double sw_layer_comm_head (const SwLayerScene *scene);

G_END_DECLS
