/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-software.h"

const char *const sw_feature_names[] = {
  "compile",
  "fused_kernels",
  "flash_1",
  "flash_2",
  "flash_3",
  "async_tp",
  "dp_overlap",
  "flat_buffers",
  "cuda_graphs",
  "moe_overlap",
  "fused_cross_entropy",
  "chunked_cross_entropy",
  "fused_casts",
  "blocking_launches",
  "reentrant_checkpointing",
  "unsharded_accumulation",
  "loss_upcast",
  "fused_adapters",
  "moe_forwarding",
  "moe_forwarding_inside",
  NULL,
};
G_STATIC_ASSERT (G_N_ELEMENTS (sw_feature_names) == SW_N_FEATURES + 1);

const char *const sw_kernel_class_names[] = { "eager", "fused", "compiled", NULL };
G_STATIC_ASSERT (G_N_ELEMENTS (sw_kernel_class_names) == SW_N_KERNEL_CLASSES + 1);

const char *const sw_flash_kernel_names[] = { "1", "2", "3", NULL };
G_STATIC_ASSERT (G_N_ELEMENTS (sw_flash_kernel_names) == SW_N_FLASH_KERNELS + 1);

/**
 * sw_software_state:
 * @software: (inout): the stated features
 * @feature: one feature
 * @on: whether the software has it
 */
void
sw_software_state (SwSoftware *software, SwFeature feature, gboolean on)
{
  software->stated |= 1u << feature;
  software->on = on ? software->on | 1u << feature : software->on & ~(1u << feature);
}

/**
 * sw_software_state_forwarding:
 * @software: (inout): the stated features
 * @on: whether the experts' dispatcher forwards tokens between and inside nodes, instead of sending
 * every copy
 */
void
sw_software_state_forwarding (SwSoftware *software, gboolean on)
{
  sw_software_state (software, SW_FEATURE_MOE_FORWARDING, on);
  sw_software_state (software, SW_FEATURE_MOE_FORWARDING_INSIDE, on);
}

/**
 * sw_software_state_flash:
 * @software: (inout): the stated features
 * @version: of FlashAttention, 1 to 3; 0: none
 */
void
sw_software_state_flash (SwSoftware *software, guint version)
{
  for (guint i = 0; i < SW_N_FLASH_KERNELS; i++)
    sw_software_state (software, SW_FEATURE_FLASH_1 + i, i < version);
}
