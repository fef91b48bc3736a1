/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-collective.h"

G_BEGIN_DECLS

typedef enum {
  SW_COMMUNICATION_TENSOR,
  SW_COMMUNICATION_CONTEXT,
  SW_COMMUNICATION_EXPERT,
  SW_COMMUNICATION_PIPELINE,
  SW_COMMUNICATION_DATA,
  SW_N_COMMUNICATION_GROUPS
} SwCommunicationGroup;
extern const char *const sw_communication_group_names[];

/* What is sent, or what takes the time. */
typedef enum {
  SW_COMMUNICATION_ACTIVATIONS,  /* or their gradients */
  SW_COMMUNICATION_GRADIENTS,    /* of parameters, over the ranks that share their state, or all */
  SW_COMMUNICATION_REPLICAS,     /* gradients of hybrid sharding, over the replicas of a shard */
  SW_COMMUNICATION_PARAMETERS,   /* gathered */
  SW_COMMUNICATION_MERGES,       /* no transfer: merging the steps of ring attention */
  SW_COMMUNICATION_OTHER_PHASES, /* of reinforcement learning; only the time is known here */
  SW_N_COMMUNICATION_USES
} SwCommunicationUse;
extern const char *const sw_communication_use_names[];

/* One kind of call of the slowest stage's GPUs over a step. Bytes and bandwidth are 0 where nothing
 * is sent. */
typedef struct {
  SwCommunicationGroup group;
  SwCommunicationUse use;
  SwCollective kind;
  gboolean is_experts;      /* data-parallel traffic of the routed experts' parameters */
  guint gpus;               /* of the communicator */
  gboolean inside, network; /* links that it uses: of a scale-up domain, and between them */
  double calls, bytes, network_bytes; /* of a step; bytes that one GPU sends, of them over the
                                         network */
  double bus_bytes_per_s;             /* bytes over time, waits of short calls in it */
  double seconds, exposed_s, hidden_s;
} SwCommunication;

/* Tensor: 3 kinds; context: 2 and merges; expert, pipeline; data: 3 of dense, 3 of experts; what
 * other phases add to each group. */
enum { SW_MAX_COMMUNICATIONS = 3 + 3 + 1 + 1 + 6 + SW_N_COMMUNICATION_GROUPS };

guint sw_communication (const SwProblem *problem, const SwStrategy *strategy,
                        SwCommunication out[SW_MAX_COMMUNICATIONS]);

G_END_DECLS
