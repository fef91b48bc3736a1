/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-finding.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_FAILURE_OUT_OF_MEMORY, /* of a GPU, as PyTorch says it */
  SHARDWISE_FAILURE_TIMEOUT,       /* of a collective, as NCCL's watchdog says it */
  SHARDWISE_FAILURE_OVERFLOW,      /* of fp16, whose loss scale has no smaller value left */
  SHARDWISE_FAILURE_SCALE,         /* the same, which still falls */
  SHARDWISE_FAILURE_KILLED,        /* a process, mostly for the host's memory */
  SHARDWISE_FAILURE_NETWORK,       /* NCCL, which reaches no other rank */
  SHARDWISE_FAILURE_HALF,          /* fp16 weights that a loss scaler does not take */
  SHARDWISE_FAILURE_NOT_A_NUMBER,  /* the loss or its gradients, of any precision */
} ShardwiseFailureKind;

/* What a GPU was at when its memory ran out. */
typedef enum {
  SHARDWISE_PHASE_UNKNOWN,
  SHARDWISE_PHASE_LOADING,
  SHARDWISE_PHASE_FORWARD,
  SHARDWISE_PHASE_LOSS,
  SHARDWISE_PHASE_BACKWARD,
  SHARDWISE_PHASE_OPTIMIZER,
  SHARDWISE_PHASE_GENERATION, /* vLLM's cache */
} ShardwisePhase;

/* What the error message of a run says; what it leaves out is 0. A value. */
typedef struct {
  ShardwiseFailureKind kind;
  gboolean has_rank;
  guint rank; /* or GPU of the node */
  /* out of memory; bytes */
  ShardwisePhase phase;
  double tried, capacity, free, allocated, unused; /* unused: reserved by PyTorch, and in no use */
  double others;                                   /* of other processes on the GPU */
  /* of a collective */
  char collective[24]; /* "ALLREDUCE" */
  double elements, timeout_s;
  double scale; /* of fp16's loss, that it falls to */
} ShardwiseFailure;

gboolean shardwise_failure_read (const char *text, gssize length, ShardwiseFailure *out);
GPtrArray *shardwise_failure_findings (const ShardwiseFailure *self, ShardwiseScenario *scenario);

const SwGpu *shardwise_failure_gpu (const ShardwiseFailure *self); /* (nullable) */
char *shardwise_failure_beside (const char *text);

G_END_DECLS
