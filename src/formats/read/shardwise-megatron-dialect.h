/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"
#include "shardwise-shell.h"

G_BEGIN_DECLS

/* The program whose arguments a command line has. */
typedef enum {
  SHARDWISE_MEGATRON_CORE,
  SHARDWISE_MEGATRON_DEEPSPEED,
  SHARDWISE_MEGATRON_SLIME,
  SHARDWISE_MEGATRON_SWIFT,
  SHARDWISE_N_MEGATRON_DIALECTS,
} ShardwiseMegatronDialect;

gboolean shardwise_megatron_is_swift (const ShardwiseShellCommand *command);
ShardwiseMegatronDialect
shardwise_megatron_dialect_of (const ShardwiseShellCommand *command, const ShardwiseNode *options);
/* Renames the options to Megatron-LM's own, in place. */
void shardwise_megatron_translate (ShardwiseImportJob *job, ShardwiseMegatronDialect dialect,
                                   ShardwiseNode *options);
/* Reads the kind of training if it is not plain pre-training; job->root: the renamed options. */
void shardwise_megatron_read_training (ShardwiseImportJob *job, ShardwiseMegatronDialect dialect);

G_END_DECLS
