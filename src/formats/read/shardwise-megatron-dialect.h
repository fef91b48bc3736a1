/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"
#include "shardwise-shell.h"

G_BEGIN_DECLS

/* Whose arguments a command line holds. */
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
/* the same in Megatron-LM's own options, in place */
void shardwise_megatron_translate (ShardwiseImportJob *job, ShardwiseMegatronDialect dialect,
                                   ShardwiseNode *options);
/* what the command trains, where it is not pre-training by its arguments alone; job->root: the
 * translated options */
void shardwise_megatron_read_training (ShardwiseImportJob *job, ShardwiseMegatronDialect dialect);

G_END_DECLS
