/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-export-format.h"

G_BEGIN_DECLS

/* The Python that measures a cluster, or one layer of a strategy, and how it is started. */
typedef struct {
  ShardwiseAdvice *advice;    /* (nullable): whose shapes are measured first */
  const SwStrategy *strategy; /* (nullable): whose layer is measured, for the advice's job */
  gboolean slurm;             /* also a batch file for several nodes; of a cluster alone */
  gboolean quick;             /* half a minute instead of two; likewise */
} ShardwiseProbeOptions;

/* (transfer full): of ShardwiseExportFile; the first one is the script */
GPtrArray *shardwise_probe_files (const ShardwiseProbeOptions *options);
char *shardwise_probe_start (const ShardwiseProbeOptions *options); /* lines of a shell */

G_END_DECLS
