/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* Level 1, memory: bytes on one GPU, except for counts. */
typedef struct {
  double layer_parameters[SW_N_LAYER_KINDS]; /* count: dense (not expert) parameters of a layer
                                                on one GPU */
  double expert_parameters; /* count: routed-expert parameters of an MoE layer on one GPU */
  double embedding_parameters, head_parameters, final_norm_parameters, mtp_parameters;
  double activation_bytes[SW_N_LAYER_KINDS]; /* kept from forward to backward by one micro-batch
                                                in one layer */
  double activation_full_bytes; /* the same under full recomputation: the layer's input */
  double recompute_peak_bytes[SW_N_LAYER_KINDS]; /* alive while one layer is recomputed or runs
                                                    backward */
  double embedding_activation_bytes;             /* dropout mask and input of the first stage */
  double logits_bytes;      /* logits and cross-entropy workspace of the last stage */
  double logits_kept_bytes; /* the part of logits_bytes kept from the loss to its backward pass */
  double weight_gradient_bytes[SW_N_LAYER_KINDS]; /* weight gradients not yet added to the
                                                     accumulated ones */
} SwLayerMemory;

/* Tensors that a layer keeps from its forward pass. */
typedef enum {
  SW_SAVED_INPUT,     /* the layer's input: all that full recomputation keeps */
  SW_SAVED_NORMS,     /* outputs of the norms */
  SW_SAVED_QKV,       /* queries, keys and values as the kernel reads them; latents */
  SW_SAVED_UP_PROJ,   /* up-projections of latent attention */
  SW_SAVED_CORE,      /* scores, softmax and mask, or the statistics of flash attention */
  SW_SAVED_OUTPUT,    /* output of attention, if only attention's own backward pass reads it */
  SW_SAVED_ATTENTION, /* input of the output projection, masks, inputs of further norms */
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
