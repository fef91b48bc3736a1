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

/* A communicator: `size` ranks, neighbouring ranks `stride` GPUs apart (rank order tp, cp, ep, dp,
 * pp, innermost first). */
typedef struct {
  guint size, stride;
} SwGroup;

/* What a communicator's collectives cost, worked out once for many sizes: seconds = messages *
 * latency + bytes * per byte + the ramp of short messages. */
typedef struct {
  double latency_s;                          /* of one call */
  double intra_s_per_byte, inter_s_per_byte; /* of the slowest rank */
  double intra_half_bytes, inter_half_bytes; /* of one message */
  double ramp;                               /* below what part of that it gets less steep */
} SwCollectiveCost;

/* Calls alike, told apart by the pass in which they are made (0: forward, 1: backward): for the
 * table of communication. A unit is what one `seconds` was worked out for. */
typedef struct {
  SwCollective kind;
  SwGroup group;
  double bytes, messages, seconds; /* of one unit: buffers, calls, and their time */
  double sent, network; /* what each GPU sends, and of it over the network; share of `bytes` */
  double units[2], exposed_share[2]; /* of each pass; share: 0-1 */
  gboolean is_local;   /* no transfer: kernels that belong to one, whatever the kind */
  gboolean is_experts; /* of the routed experts' own parameters */
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
