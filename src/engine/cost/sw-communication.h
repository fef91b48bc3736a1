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
  SW_COMMUNICATION_GRADIENTS,    /* parameter gradients, over the ranks that share their state,
                                    or all ranks */
  SW_COMMUNICATION_REPLICAS,     /* gradients of hybrid sharding, over the replicas of a shard */
  SW_COMMUNICATION_PARAMETERS,   /* gathered parameters */
  SW_COMMUNICATION_MERGES,       /* no transfer: merging the steps of ring attention */
  SW_COMMUNICATION_OTHER_PHASES, /* other phases of reinforcement learning; only their time is
                                    known here */
  SW_N_COMMUNICATION_USES
} SwCommunicationUse;
extern const char *const sw_communication_use_names[];

/* Calls of one kind by the GPUs of the slowest stage in a step. Bytes and bandwidth are 0 if
 * nothing is sent. */
typedef struct {
  SwCommunicationGroup group;
  SwCommunicationUse use;
  SwCollective kind;
  gboolean is_experts;      /* data-parallel traffic of the routed experts' parameters */
  guint gpus;               /* size of the communicator */
  gboolean inside, network; /* whether it uses the links inside a scale-up domain, and between
                               domains */
  double calls, bytes, network_bytes; /* per step; bytes sent by one GPU, and the part over the
                                         network */
  double bus_bytes_per_s;             /* bytes / time, including the latency of short calls */
  double seconds, exposed_s, hidden_s;
} SwCommunication;

/* The maximum: tensor 3 kinds; context 2 and merges; expert; pipeline; data 3 dense and 3 for
 * experts; one per group for other phases. */
enum { SW_MAX_COMMUNICATIONS = 3 + 3 + 1 + 1 + 6 + SW_N_COMMUNICATION_GROUPS };

guint sw_communication (const SwProblem *problem, const SwStrategy *strategy,
                        SwCommunication out[SW_MAX_COMMUNICATIONS]);

G_END_DECLS
