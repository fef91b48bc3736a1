/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-types.h"

G_BEGIN_DECLS

/* Features of a job's software: they explain the differences in speed between two releases or
 * recipes of one framework. The date of the software decides features that are not set. */
typedef enum {
  SW_FEATURE_COMPILE,       /* torch.compile, or XLA: element-wise work is fused */
  SW_FEATURE_FUSED_KERNELS, /* hand-written kernels of Transformer Engine, Apex or Megatron */
  SW_FEATURE_FLASH_1,       /* first-generation flash kernels: FlashAttention 1, Triton's */
  SW_FEATURE_FLASH_2,       /* FlashAttention 2 */
  SW_FEATURE_FLASH_3,       /* FlashAttention 3, or cuDNN's on Hopper and later */
  SW_FEATURE_ASYNC_TP,      /* tensor-parallel communication overlaps the GEMMs */
  SW_FEATURE_DP_OVERLAP,    /* gradients are reduced during the backward pass */
  SW_FEATURE_FLAT_BUFFERS,  /* gradients and parameters are exchanged in buckets, not one by one */
  SW_FEATURE_CUDA_GRAPHS,   /* for router and dispatch */
  SW_FEATURE_MOE_OVERLAP,   /* expert communication overlaps other micro-batches */
  SW_FEATURE_FUSED_CROSS_ENTROPY,     /* the loss uses only the 16-bit logits */
  SW_FEATURE_CHUNKED_CROSS_ENTROPY,   /* fused, and one chunk of tokens at a time */
  SW_FEATURE_FUSED_CASTS,             /* the preceding kernels cast operands below 16 bits */
  SW_FEATURE_BLOCKING_LAUNCHES,       /* CUDA_LAUNCH_BLOCKING=1 */
  SW_FEATURE_REENTRANT_CHECKPOINTING, /* PyTorch's re-entrant checkpointing (use_reentrant)
                                         recomputes activations */
  SW_FEATURE_UNSHARDED_ACCUMULATION,  /* FSDP reduces gradients only in the last micro-batch
                                         (no_sync) and accumulates them unsharded */
  SW_FEATURE_LOSS_UPCAST,             /* the model converts its logits to fp32 for the loss */
  SW_FEATURE_FUSED_ADAPTERS,          /* adapters, too, have fused kernels */
  SW_FEATURE_MOE_FORWARDING, /* a token is sent once to each node with some of its experts and
                                forwarded there (DeepEP, HybridEP); else every copy is sent */
  SW_FEATURE_MOE_FORWARDING_INSIDE, /* also once to each GPU of a scale-up domain */
  SW_N_FEATURES
} SwFeature;
extern const char *const sw_feature_names[];

/* A feature as a bit of a set: SW_HAS (COMPILE). */
#define SW_HAS(feature) (1u << SW_FEATURE_##feature)

/* The stated features of a job's software: bits of SW_HAS(). */
typedef struct {
  guint stated, on;
} SwSoftware;

/* How the operations between GEMMs run. */
typedef enum {
  SW_KERNEL_CLASS_EAGER,
  SW_KERNEL_CLASS_FUSED,
  SW_KERNEL_CLASS_COMPILED,
  SW_N_KERNEL_CLASSES
} SwKernelClass;
extern const char *const sw_kernel_class_names[];

/* FlashAttention 1, 2 and 3. */
#define SW_N_FLASH_KERNELS 3
extern const char *const sw_flash_kernel_names[];

void sw_software_state (SwSoftware *software, SwFeature feature, gboolean on);
void sw_software_state_forwarding (SwSoftware *software, gboolean on);
void sw_software_state_flash (SwSoftware *software, guint version);

G_END_DECLS
