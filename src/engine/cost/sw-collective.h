/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

typedef enum {
  SW_COLLECTIVE_ALL_REDUCE,
  SW_COLLECTIVE_ALL_GATHER,
  SW_COLLECTIVE_REDUCE_SCATTER,
  SW_COLLECTIVE_ALL_TO_ALL,
  SW_COLLECTIVE_P2P
} SwCollective;
extern const char *const sw_collective_names[];

/* A communicator of `size` ranks, neighbors `stride` GPUs apart (rank order tp, cp, ep, dp, pp,
 * innermost first). */
typedef struct {
  guint size, stride;
} SwGroup;

/* The cost of a communicator's collectives, computed once for many message sizes: seconds =
 * messages * latency + bytes * s_per_byte + extra time of short messages. */
typedef struct {
  double latency_s;                          /* of one call */
  double intra_s_per_byte, inter_s_per_byte; /* of the slowest rank */
  double intra_half_bytes, inter_half_bytes; /* message size that reaches half of the bandwidth */
  double ramp;                               /* share of that size below which the slowdown grows
                                                less steeply */
} SwCollectiveCost;

/* Identical calls, counted by the pass that makes them (0: forward, 1: backward), for the table of
 * communication. A unit is what `seconds` was computed for. */
typedef struct {
  SwCollective kind;
  SwGroup group;
  double bytes, messages, seconds; /* of one unit: buffer bytes, calls and their time */
  double sent, network; /* bytes that each GPU sends, and those over the network, as shares of
                           `bytes` */
  double units[2], exposed_share[2]; /* number in each pass; exposed share, 0-1 */
  gboolean is_local;   /* no transfer: kernels that belong to a collective, whatever `kind` is */
  gboolean is_experts; /* for the parameters of the routed experts */
} SwCollectiveCall;

enum { SW_MAX_COLLECTIVE_CALLS = 8 };

typedef struct {
  guint n;
  SwCollectiveCall call[SW_MAX_COLLECTIVE_CALLS];
} SwCollectiveLog;

void
sw_collective_log (SwCollectiveLog *log, const SwProblem *problem, const SwCollectiveCall *call);
void sw_collective_links (const SwCluster *cluster, SwCollective kind, SwGroup group,
                          gboolean *inside, gboolean *network);
void sw_collective_cost (const SwProblem *problem, SwCollective kind, SwGroup group,
                         SwCollectiveCost *out);
double sw_collective_cost_seconds (const SwCollectiveCost *cost, double bytes, double messages);
double sw_collective_seconds (const SwProblem *problem, SwCollective kind, SwGroup group,
                              double bytes, guint messages);

G_END_DECLS
