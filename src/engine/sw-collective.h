/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

typedef enum
{
  SW_COLLECTIVE_ALL_REDUCE,
  SW_COLLECTIVE_ALL_GATHER,
  SW_COLLECTIVE_REDUCE_SCATTER,
  SW_COLLECTIVE_ALL_TO_ALL,
  SW_COLLECTIVE_P2P
} SwCollective;

/* A communicator: `size` ranks, neighbouring ranks `stride` GPUs apart (rank order tp, cp, ep, dp,
 * pp, innermost first). */
typedef struct
{
  guint size, stride;
} SwGroup;

/* What a communicator's collectives cost, worked out once for many sizes: seconds = messages *
 * latency + bytes * per byte + the ramp of short messages. */
typedef struct
{
  double latency_s;                          /* of one call */
  double intra_s_per_byte, inter_s_per_byte; /* of the slowest rank */
  double intra_half_bytes, inter_half_bytes; /* of one message */
} SwCollectiveCost;

void sw_collective_cost (const SwProblem *problem,
                         SwCollective kind,
                         SwGroup group,
                         SwCollectiveCost *out);
double sw_collective_cost_seconds (const SwCollectiveCost *cost, double bytes, double messages);
double sw_collective_seconds (const SwProblem *problem,
                              SwCollective kind,
                              SwGroup group,
                              double bytes,
                              guint messages);

G_END_DECLS
