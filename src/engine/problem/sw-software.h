/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-types.h"

G_BEGIN_DECLS

/* Features of a job's software: the differences in speed between two releases, or two recipes, of
 * one framework. The date of the software sets the defaults of features that are not set. */
typedef enum {
  SW_FEATURE_COMPILE,       /* torch.compile, or XLA: element-wise work is fused */
  SW_FEATURE_FUSED_KERNELS, /* hand-written ones of Transformer Engine, Apex or Megatron */
  SW_FEATURE_FLASH_1,       /* a flash kernel of the first sort: FlashAttention 1, Triton's */
  SW_FEATURE_FLASH_2,       /* FlashAttention 2 */
  SW_FEATURE_FLASH_3,       /* FlashAttention 3, or cuDNN's on Hopper and later */
  SW_FEATURE_ASYNC_TP,      /* tensor-parallel communication beside the GEMMs */
  SW_FEATURE_DP_OVERLAP,    /* gradients reduced beside the backward pass */
  SW_FEATURE_FLAT_BUFFERS,  /* gradients and parameters exchanged in buckets, not one by one */
  SW_FEATURE_CUDA_GRAPHS,   /* of router and dispatch */
  SW_FEATURE_MOE_OVERLAP,   /* expert communication beside other micro-batches */
  SW_FEATURE_FUSED_CROSS_ENTROPY,     /* the loss works on the 16-bit logits alone */
  SW_FEATURE_CHUNKED_CROSS_ENTROPY,   /* and on those of one chunk of tokens at a time */
  SW_FEATURE_FUSED_CASTS,             /* operands below 16 bits are cast by the kernels before */
  SW_FEATURE_BLOCKING_LAUNCHES,       /* CUDA_LAUNCH_BLOCKING=1 */
  SW_FEATURE_REENTRANT_CHECKPOINTING, /* activations are recomputed by PyTorch's re-entrant
                                         checkpointing (use_reentrant) */
  SW_FEATURE_UNSHARDED_ACCUMULATION,  /* FSDP reduces gradients of the last micro-batch alone
                                         (no_sync), and accumulates them unsharded */
  SW_FEATURE_LOSS_UPCAST,             /* the model turns its logits into fp32 for the loss */
  SW_FEATURE_FUSED_ADAPTERS,          /* fused kernels for adapters, too */
  SW_FEATURE_MOE_FORWARDING, /* a token is sent once to each node with some of its experts, and
                                       forwarded there (DeepEP, HybridEP); else every copy */
  SW_FEATURE_MOE_FORWARDING_INSIDE, /* and once to each GPU of a scale-up domain */
  SW_N_FEATURES
} SwFeature;
extern const char *const sw_feature_names[];

/* A feature as a bit of a set: SW_HAS (COMPILE). */
#define SW_HAS(feature) (1u << SW_FEATURE_##feature)

/* What is stated of a job's software: bits of SW_HAS(). */
typedef struct {
  guint stated, on;
} SwSoftware;

/* How the work between GEMMs is run. */
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
