/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-cluster.h"

const char *const sw_generation_names[] = { "volta", "ampere", "ada",   "hopper", "blackwell",
                                            "rubin", "cdna",   "gaudi", NULL };

/**
 * sw_cluster_peak_flops:
 * @cluster: a cluster
 * @precision: of the matrix multiplications
 *
 * Returns: dense peak of one GPU in FLOP/s, from the data sheet; 0 if the GPU lacks it or the value
 * is unknown
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
    case SW_PRECISION_MXFP8: return gpu->peak_fp8_flops_per_s;
    case SW_PRECISION_NVFP4: return gpu->peak_fp4_flops_per_s;
    case SW_PRECISION_BF16:
    default: return gpu->peak_bf16_flops_per_s;
    }
}

/**
 * sw_cluster_has_precision:
 * @cluster: a cluster
 * @precision: of the matrix multiplications
 *
 * FP8 tensor cores came with Ada and Hopper, block-scaled formats with Blackwell; the peak of the
 * record shows whether the GPU supports the format.
 *
 * Returns: whether its GPUs support the precision
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
 * sw_cluster_host_bytes:
 * @cluster: a cluster
 *
 * Returns: host memory of a node that the job may use: as set, else in proportion to its GPUs in
 * the node, because a job on a part of a node gets that part of its memory; 0: unknown
 */
double
sw_cluster_host_bytes (const SwCluster *cluster)
{
  if (cluster->host_ram_bytes > 0)
    return cluster->host_ram_bytes;
  return cluster->host_bytes_per_gpu * MIN (cluster->gpus, MAX (cluster->gpus_per_node, 1));
}

/**
 * sw_cluster_nodes:
 * @cluster: a cluster
 *
 * Returns: number of nodes of its GPUs; the last one may be partly used
 */
guint
sw_cluster_nodes (const SwCluster *cluster)
{
  guint per_node = MAX (cluster->gpus_per_node, 1);

  return cluster->gpus / per_node + (cluster->gpus % per_node > 0);
}

/**
 * sw_cluster_ranks_together:
 * @cluster: where the groups run
 * @domain: GPUs of a node or of a scale-up domain
 * @size: ranks of each group, >= 1
 * @stride: GPUs from one rank to the next, >= 1
 *
 * Ranks are numbered through the nodes without a gap, so that groups of 6 on nodes of 8 begin at
 * every second GPU, and one of them has two ranks in a node and four in the next. A job gets whole
 * groups in racks of several nodes.
 *
 * Returns: ranks of a group that share a domain, for the group with the fewest, because all others
 * wait for it
 */
guint
sw_cluster_ranks_together (const SwCluster *cluster, guint domain, guint size, guint stride)
{
  const guint places = MAX (domain, 1) / stride;

  if (places <= 1)
    return 1;
  if (cluster->gpus <= domain || domain > cluster->gpus_per_node)
    return MIN (size, places);
  return domain % stride > 0 ? 1 : sw_greatest_common_divisor (size, places);
}

/**
 * sw_cluster_tp_together:
 * @cluster: a cluster
 * @tp: tensor-parallel degree, >= 1
 *
 * Returns: ranks of a tensor-parallel group that share a node or scale-up domain; @tp if no group
 * extends beyond it
 */
guint
sw_cluster_tp_together (const SwCluster *cluster, guint tp)
{
  return sw_cluster_ranks_together (cluster, MAX (cluster->nvlink_domain, cluster->gpus_per_node),
                                    tp, 1);
}
