/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-export-format.h"

G_BEGIN_DECLS

/* The Python script that measures a cluster, or one layer of a strategy, and how to start it. */
typedef struct {
  ShardwiseAdvice *advice;    /* (nullable): its shapes are measured first */
  const SwStrategy *strategy; /* (nullable): measures its layer, for the advice's job */
  gboolean slurm;             /* adds a batch file for several nodes; cluster only */
  gboolean quick;             /* half a minute instead of two; cluster only */
} ShardwiseProbeOptions;

/* Returns: (transfer full): of ShardwiseExportFile; the first is the script */
GPtrArray *shardwise_probe_files (const ShardwiseProbeOptions *options);
char *shardwise_probe_start (const ShardwiseProbeOptions *options); /* shell lines; (transfer
                                                                       full) */

G_END_DECLS
