/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-export-format.h"

G_BEGIN_DECLS

/* The Python that measures a cluster, and how it is started. */
typedef struct {
  ShardwiseAdvice *advice; /* (nullable): whose shapes are measured first */
  gboolean slurm;          /* also a batch file for several nodes */
  gboolean quick;          /* half a minute instead of two */
} ShardwiseProbeOptions;

/* (transfer full): of ShardwiseExportFile; the first one is the script */
GPtrArray *shardwise_probe_files (const ShardwiseProbeOptions *options);
char *shardwise_probe_start (const ShardwiseProbeOptions *options); /* lines of a shell */

G_END_DECLS
