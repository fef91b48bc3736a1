/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-private.h"

G_BEGIN_DECLS

/* The grid of ranks that a script gives to a PipelineModule; 0: not stated. */
typedef struct {
  guint pp, tp, dp;
} ShardwisePipeTopology;

void
shardwise_deepspeed_read_config (ShardwiseImportJob *job, const ShardwisePipeTopology *topology);
/* shardwise-import-deepspeed-python.c */
void shardwise_deepspeed_read_script (ShardwiseImportJob *job);

G_END_DECLS
