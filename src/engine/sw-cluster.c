/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-cluster.h"

const char *const sw_generation_names[] = { "volta", "ampere", "ada",   "hopper", "blackwell",
                                            "rubin", "cdna",   "gaudi", NULL };

/**
 * sw_cluster_peak_flops:
 * @cluster: a cluster
 * @precision: of the matrix multiplications
 *
 * Returns: dense peak of one GPU in FLOP/s, from the data sheet; 0 where the GPU has no such
 * arithmetic or it is not known
 */
double
sw_cluster_peak_flops (const SwCluster *cluster, SwPrecision precision)
{
  const SwGpu *gpu = &cluster->gpu;

  switch (precision)
    {
    case SW_PRECISION_FP16:
      return gpu->peak_fp16_flops_per_s > 0 ? gpu->peak_fp16_flops_per_s
                                            : gpu->peak_bf16_flops_per_s;
    case SW_PRECISION_FP8:
    case SW_PRECISION_FP8_ROWWISE:
    case SW_PRECISION_MXFP8:
      return gpu->peak_fp8_flops_per_s;
    case SW_PRECISION_NVFP4:
      return gpu->peak_fp4_flops_per_s;
    case SW_PRECISION_BF16:
    default:
      return gpu->peak_bf16_flops_per_s;
    }
}

/**
 * sw_cluster_has_precision:
 * @cluster: a cluster
 * @precision: of the matrix multiplications
 *
 * FP8 tensor cores came with Ada and Hopper, block-scaled formats with Blackwell; the peak of the
 * record tells whether the GPU has the format at all.
 *
 * Returns: whether its GPUs have such arithmetic
 */
gboolean
sw_cluster_has_precision (const SwCluster *cluster, SwPrecision precision)
{
  SwGeneration generation = cluster->gpu.generation;
  gboolean by_block = precision == SW_PRECISION_MXFP8 || precision == SW_PRECISION_NVFP4;

  if (by_block && generation != SW_GENERATION_BLACKWELL && generation != SW_GENERATION_RUBIN)
    return FALSE;
  return sw_cluster_peak_flops (cluster, precision) > 0;
}

/**
 * sw_cluster_nodes:
 * @cluster: a cluster
 *
 * Returns: how many nodes its GPUs take, the last one perhaps in part
 */
guint
sw_cluster_nodes (const SwCluster *cluster)
{
  guint per_node = MAX (cluster->gpus_per_node, 1);

  return cluster->gpus / per_node + (cluster->gpus % per_node > 0);
}
