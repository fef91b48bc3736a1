/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-csv.h"
#include "shardwise-catalogue.h"
#include "shardwise-error.h"

G_BEGIN_DECLS

/* A measured training run as a question to the engine, with the measurements. */
typedef struct {
  char *id, *family, *source, *description;
  SwProblem problem;
  SwStrategy strategy;
  gboolean recompute_unknown; /* inferred from the memory model alone */
  gboolean modules_unknown;   /* the source does not state what selective recomputation
                                 recomputes */
  double measured_step_s, measured_memory_bytes; /* 0: not measured */
  gboolean oom;                                  /* ran out of memory */
  gboolean judged;                               /* quality A or B with a measured value */
  char quality;
  char memory_kind; /* 'a'llocated, 'r'eserved, 'p'rocess, 0: not stated */
  char *skip;       /* why it cannot be predicted, or NULL */
} ShardwiseRun;

/* of ShardwiseRun */
GPtrArray *shardwise_runs_parse (const char *csv, gssize length, GError **error);
GPtrArray *shardwise_runs_builtin (void); /* compiled-in table */

G_END_DECLS
