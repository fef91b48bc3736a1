/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-private.h"

G_BEGIN_DECLS

/* The sizes of a device mesh, 1 of a dimension that it does not have; 0: not known, and searched. */
typedef struct {
  guint pp, replicate, shard, cp, tp, ep;
  gboolean is_stated; /* the script makes one */
} ShardwiseMesh;

/* shardwise-import-pytorch-step.c: how a step runs */
void shardwise_pytorch_read_splits (ShardwiseImportJob *job, const ShardwiseMesh *mesh);
void shardwise_pytorch_read_model (ShardwiseImportJob *job);
void shardwise_pytorch_read_rest (ShardwiseImportJob *job, const ShardwiseMesh *mesh);

G_END_DECLS
