/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-csv.h"
#include "shardwise-catalogue.h"
#include "shardwise-error.h"

G_BEGIN_DECLS

/* A measured training run as an engine's question, with what was measured. */
typedef struct {
  char *id, *family, *source, *description;
  SwProblem problem;
  SwStrategy strategy;
  gboolean recompute_unknown; /* inferred from the memory model alone */
  gboolean modules_unknown;   /* recomputation is selective, the source does not say of what */
  double measured_step_s, measured_memory_bytes; /* 0: not measured */
  gboolean oom;                                  /* measured not to fit */
  gboolean judged;                               /* quality A or B, and a measured value */
  char quality;
  char memory_kind; /* 'a'llocated, 'r'eserved, 'p'rocess, 0: not stated */
  char *skip;       /* why it cannot be predicted, or NULL */
} ShardwiseRun;

/* of ShardwiseRun */
GPtrArray *shardwise_runs_parse (const char *csv, gssize length, GError **error);
GPtrArray *shardwise_runs_builtin (void); /* compiled-in table */

G_END_DECLS
