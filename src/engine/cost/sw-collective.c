/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-collective.h"

#include <math.h>

const char *const sw_collective_names[] = { "all-reduce", "all-gather", "reduce-scatter",
                                            "all-to-all", "p2p",        NULL };

/* Ranks of the group within one scale-up domain. For a pair, the caller passes the distance of its
 * farthest ranks. */
static guint
ranks_inside (const SwCluster *cluster, SwCollective kind, SwGroup group)
{
  if (kind == SW_COLLECTIVE_P2P)
    return group.stride < MAX (cluster->nvlink_domain, 1) ? group.size : 1;
  return sw_cluster_ranks_together (cluster, cluster->nvlink_domain, group.size, group.stride);
}

/* Bytes that each rank sends, divided by the bytes of the buffer (nccl-tests, PERFORMANCE.md: bus
 * bandwidth). */
static double
bus_factor (SwCollective kind, double ranks)
{
  switch (kind)
    {
    case SW_COLLECTIVE_ALL_REDUCE: return 2 * (ranks - 1) / ranks;
    case SW_COLLECTIVE_ALL_GATHER:
    case SW_COLLECTIVE_REDUCE_SCATTER:
    case SW_COLLECTIVE_ALL_TO_ALL: return (ranks - 1) / ranks;
    case SW_COLLECTIVE_P2P:
    default: return 1;
    }
}

/* Shares of the bytes that a rank sends: inside its scale-up domain, and over each network card. A
 * ring passes all bytes inside and spreads what leaves over the members' cards. In an all-to-all,
 * each pair exchanges its part directly, so the shares are those of the peers inside and outside
 * the domain. */
static void
link_shares (SwCollective kind, guint ranks, guint inside, double *intra, double *inter)
{
  *intra = kind == SW_COLLECTIVE_ALL_TO_ALL ? (inside - 1) / (ranks - 1.0) : 1;
  *inter = kind == SW_COLLECTIVE_ALL_TO_ALL ? (ranks - inside) / (ranks - 1.0) : 1.0 / inside;
}

/* Share of the bandwidth that a ring over the eight GPUs of a PCIe node reaches (fabrics.json,
 * pcie4 and pcie5): a ring of up to four GPUs under one root complex reaches 0.69 / 0.42 of it,
 * pairs that all cross the link between sockets about half, and one copy between two GPUs twice as
 * much. */
static double
scale_up_rate (const SwProblem *problem, SwCollective kind, SwGroup group)
{
  const SwCalibration *c = problem->calibration;
  const SwLink *link = &problem->cluster.intra;
  double share = 1, rate;

  if (kind == SW_COLLECTIVE_P2P)
    share = c->pcie_pair_share;
  else if (kind == SW_COLLECTIVE_ALL_TO_ALL)
    share = c->pcie_all_to_all_share;
  else if (group.size * group.stride <= c->pcie_root_gpus)
    share = c->pcie_root_share;
  rate = link->bytes_per_s
         * (link->is_pcie ? MIN (c->pcie_efficiency * share, c->pcie_most) : c->nvlink_efficiency);
  return link->shared_by_node ? rate / MAX (problem->cluster.gpus_per_node, 1) : rate;
}

/* Time before the last byte of an empty message: a ring passes every rank, a tree (all-reduce) only
 * its depth; the pairs of an all-to-all start together, a few at a time. */
static double
call_latency (const SwProblem *problem, SwCollective kind, guint ranks, guint inside)
{
  double intra = problem->calibration->intra_latency_s + problem->cluster.intra.latency_s;
  double inter = problem->calibration->inter_latency_s + problem->cluster.inter.latency_s;
  double nodes = ceil ((double) ranks / inside);
  double ring = (ranks - nodes) * intra + (nodes > 1 ? nodes * inter : 0);

  switch (kind)
    {
    case SW_COLLECTIVE_ALL_REDUCE:
      return MIN (2 * ring, 2 * log2 (inside) * intra
                                + log2 (nodes) * problem->calibration->tree_hops * inter
                                + 2 * intra);
    case SW_COLLECTIVE_ALL_TO_ALL:
      return intra * 2
             + (nodes > 1 ? inter * (2 + (ranks - inside) / problem->calibration->all_to_all_batch)
                          : 0);
    case SW_COLLECTIVE_P2P: return nodes > 1 ? inter : intra;
    case SW_COLLECTIVE_ALL_GATHER:
    case SW_COLLECTIVE_REDUCE_SCATTER:
    default: return ring + 2 * intra;
    }
}

/**
 * sw_collective_links:
 * @cluster: where the group runs
 * @kind: what it does
 * @group: a communicator of more than one
 * @inside: (out): whether it uses the links of a scale-up domain
 * @network: (out): whether it uses the network
 */
void
sw_collective_links (const SwCluster *cluster, SwCollective kind, SwGroup group, gboolean *inside,
                     gboolean *network)
{
  guint ranks = ranks_inside (cluster, kind, group);

  *inside = ranks > 1;
  *network = ranks < group.size;
}

/**
 * sw_collective_log:
 * @log: (nullable): where to add it; NULL: nothing is recorded
 * @problem: the question
 * @call: `sent` and `network` are scales of what the collective sends inside the domain and over
 * the network: 1 unless tokens are forwarded
 *
 * Records calls that were just timed.
 */
void
sw_collective_log (SwCollectiveLog *log, const SwProblem *problem, const SwCollectiveCall *call)
{
  double intra, inter, factor;
  SwCollectiveCall *out;
  guint inside;

  if (log == NULL || (!call->is_local && call->group.size < 2) || log->n == SW_MAX_COLLECTIVE_CALLS)
    return;
  out = &log->call[log->n++];
  *out = *call;
  if (call->is_local)
    return;
  inside = ranks_inside (&problem->cluster, call->kind, call->group);
  factor = bus_factor (call->kind, call->group.size);
  link_shares (call->kind, call->group.size, inside, &intra, &inter);
  out->network = inside < call->group.size ? factor * inter * call->network : 0;
  out->sent = call->kind == SW_COLLECTIVE_ALL_TO_ALL ? factor * intra * call->sent + out->network
                                                     : factor;
}

/**
 * sw_collective_cost:
 * @problem: cluster and constants
 * @kind: the collective
 * @group: its communicator
 * @out: filled in; costs nothing for a group of one
 *
 * Hierarchical: what a rank sends inside its scale-up domain goes over its own link; what leaves
 * the domain is spread over the network cards of the group's members there. The two run side by
 * side (NCCL's channels), so the longer one determines the time.
 */
void
sw_collective_cost (const SwProblem *problem, SwCollective kind, SwGroup group,
                    SwCollectiveCost *out)
{
  const SwCalibration *c = problem->calibration;
  const SwCluster *cluster = &problem->cluster;
  guint inside = ranks_inside (cluster, kind, group);
  /* One GPU's share of the network, nominal. */
  const double card = cluster->inter.bytes_per_s
                      / (cluster->inter.shared_by_node ? MAX (cluster->gpus_per_node, 1) : 1);
  double factor, intra_share, inter_share, slice;

  *out = (SwCollectiveCost){ .ramp = c->short_message_ramp };
  if (group.size < 2)
    return;
  factor = bus_factor (kind, group.size);
  link_shares (kind, group.size, inside, &intra_share, &inter_share);
  if (kind == SW_COLLECTIVE_ALL_TO_ALL)
    {
      intra_share /= c->all_to_all_efficiency;
      /* Flows whose path is chosen by a hash collide: many run at once, and the last one determines
       * the time (Gangidi et al. 2024, RDMA over Ethernet at Meta, section 4; RailS, arXiv
       * 2510.19262: spraying gives such all-to-alls 20 to 78 % more bandwidth). InfiniBand routes
       * adaptively, EFA sprays packets. */
      inter_share /= cluster->inter.is_hashed ? c->all_to_all_hashed : c->all_to_all_efficiency;
    }
  if (inside > 1)
    out->intra_s_per_byte = factor * intra_share / scale_up_rate (problem, kind, group);
  if (inside < group.size)
    {
      /* For large messages. A group that extends beyond the pod shares the thinner part of the
       * network. */
      double rate = card * c->network_efficiency;
      guint pod = cluster->pod_gpus > 0 ? cluster->pod_gpus : cluster->gpus_per_node;

      if (cluster->oversubscription > 1 && (double) group.size * group.stride > pod)
        rate /= cluster->oversubscription;
      out->inter_s_per_byte = factor * inter_share / rate;
    }
  out->latency_s = call_latency (problem, kind, group.size, inside);
  /* Slice of the message per rank that reaches half of the bus bandwidth in a ring inside the node:
   * the bytes that pass a link during a step's latency, so faster links need more (fabrics.json,
   * all-reduce by size: 8 x A100 and H100 reach half at 17 to 22 MiB, 4 x GB200 at 20, 8 x B200 at
   * 45 of its plateau of 740 GB/s, 72 x GB200 at 220). */
  slice = c->intra_slice_bytes
          * MAX (problem->cluster.intra.bytes_per_s / c->intra_slice_link_bytes_per_s, 1);
  out->intra_half_bytes = kind == SW_COLLECTIVE_ALL_TO_ALL || kind == SW_COLLECTIVE_P2P
                              ? c->intra_half_bytes
                              : inside * slice;
  /* The same between nodes, where a message is spread over the cards of the group's members. A step
   * has the same latency on slow cards, so fewer bytes pass them. */
  out->inter_half_bytes = c->inter_half_bytes * inside * card / c->inter_half_link_bytes_per_s;
}

/* Message ramp: at `half` bytes the protocol's pipeline costs as much as the transfer; shorter
 * messages use the low-latency protocols and lose less (fit by eye of fabrics.json, *-allreduce by
 * size). */
static double
transfer_seconds (double s_per_byte, double half_bytes, double bytes, double messages, double ramp)
{
  double message = bytes / messages;

  return s_per_byte * (bytes + messages * half_bytes * message / (message + half_bytes / ramp));
}

/**
 * sw_collective_cost_seconds:
 * @cost: of a communicator, by sw_collective_cost()
 * @bytes: of the whole buffer: what an all-reduce reduces, what an all-gather ends with, what a
 * reduce-scatter begins with, what one rank sends in an all-to-all (its own part included) or
 * point-to-point
 * @messages: calls that share @bytes; >= 1
 *
 * Returns: seconds
 */
double
sw_collective_cost_seconds (const SwCollectiveCost *cost, double bytes, double messages)
{
  double intra, inter;

  if (bytes <= 0)
    return 0;
  intra = transfer_seconds (cost->intra_s_per_byte, cost->intra_half_bytes, bytes, messages,
                            cost->ramp);
  inter = transfer_seconds (cost->inter_s_per_byte, cost->inter_half_bytes, bytes, messages,
                            cost->ramp);
  return messages * cost->latency_s + MAX (intra, inter);
}

/**
 * sw_collective_seconds:
 * @problem: cluster and constants
 * @kind: the collective
 * @group: its communicator
 * @bytes: of the whole buffer, as for sw_collective_cost_seconds()
 * @messages: calls that share @bytes; >= 1
 *
 * Returns: seconds; 0 for a group of one
 */
double
sw_collective_seconds (const SwProblem *problem, SwCollective kind, SwGroup group, double bytes,
                       guint messages)
{
  SwCollectiveCost cost;

  sw_collective_cost (problem, kind, group, &cost);
  return sw_collective_cost_seconds (&cost, bytes, MAX (messages, 1));
}
