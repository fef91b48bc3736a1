/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

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

void sw_layer_memory (const SwProblem *problem, const SwStrategy *strategy, SwLayerMemory *out);
void sw_layer_saved (const SwProblem *problem, const SwStrategy *strategy, guint kind,
                     double bytes[SW_N_SAVED]);

G_END_DECLS
