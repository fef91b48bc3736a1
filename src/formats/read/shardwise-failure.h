/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-finding.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_FAILURE_OUT_OF_MEMORY, /* GPU out of memory, as PyTorch reports it */
  SHARDWISE_FAILURE_TIMEOUT,       /* a collective, as NCCL's watchdog reports it */
  SHARDWISE_FAILURE_OVERFLOW,      /* fp16: the loss scale cannot fall further */
  SHARDWISE_FAILURE_SCALE,         /* fp16: the loss scale keeps falling */
  SHARDWISE_FAILURE_KILLED,        /* a process was killed, usually because host memory ran out */
  SHARDWISE_FAILURE_NETWORK,       /* NCCL cannot reach another rank */
  SHARDWISE_FAILURE_HALF,          /* the loss scaler does not support fp16 weights */
  SHARDWISE_FAILURE_NOT_A_NUMBER,  /* the loss or its gradients, in any precision */
} ShardwiseFailureKind;

/* What a GPU was doing when its memory ran out. */
typedef enum {
  SHARDWISE_PHASE_UNKNOWN,
  SHARDWISE_PHASE_LOADING,
  SHARDWISE_PHASE_FORWARD,
  SHARDWISE_PHASE_LOSS,
  SHARDWISE_PHASE_BACKWARD,
  SHARDWISE_PHASE_OPTIMIZER,
  SHARDWISE_PHASE_GENERATION, /* allocating vLLM's cache */
} ShardwisePhase;

/* What the error message of a run states; 0 or empty: not stated. A value. */
typedef struct {
  ShardwiseFailureKind kind;
  gboolean has_rank;
  guint rank; /* or GPU index within the node */
  /* for OUT_OF_MEMORY; bytes */
  ShardwisePhase phase;
  double tried, capacity, free, allocated, unused; /* unused: reserved by PyTorch but not
                                                      allocated */
  double others;                                   /* used by other processes on the GPU */
  /* for TIMEOUT */
  char collective[24]; /* "ALLREDUCE" */
  double elements, timeout_s;
  double scale; /* the loss scale that fp16 training fell to */
} ShardwiseFailure;

gboolean shardwise_failure_read (const char *text, gssize length, ShardwiseFailure *out);
GPtrArray *shardwise_failure_findings (const ShardwiseFailure *self, ShardwiseScenario *scenario);

const SwGpu *shardwise_failure_gpu (const ShardwiseFailure *self); /* (nullable) */
char *shardwise_failure_beside (const char *text);

G_END_DECLS
