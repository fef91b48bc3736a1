/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-private.h"

G_BEGIN_DECLS

typedef struct {
  guint tp, pp, cp, replicate, shard;
  gboolean fills; /* shard is what is left, and another one on other GPUs */
} ShardwiseTitanDegrees;

gboolean shardwise_titan_read_strategy (ShardwiseImportJob *job, ShardwiseTitanDegrees *out);
void shardwise_titan_read_offload (ShardwiseImportJob *job);
void shardwise_titan_read_compilation (ShardwiseImportJob *job, gboolean otherwise);
void shardwise_titan_find_error (ShardwiseImportJob *job, const char *code, const char *text);

G_END_DECLS
