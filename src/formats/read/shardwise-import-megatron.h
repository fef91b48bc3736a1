/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-private.h"
#include "shardwise-shell.h"

G_BEGIN_DECLS

/* All of these look at the options as job->root: a map of "--option" to its value. */
void shardwise_megatron_read_model (ShardwiseImportJob *job);
void
shardwise_megatron_read_world (ShardwiseImportJob *job, const ShardwiseShell *shell, guint *gpus);
void shardwise_megatron_read_strategy (ShardwiseImportJob *job, guint world);
gboolean shardwise_megatron_has (ShardwiseImportJob *job, const char *option);
void shardwise_megatron_find_errors (ShardwiseImportJob *job, const ShardwiseShell *shell);

void
shardwise_megatron_find_program (ShardwiseImportJob *job, const ShardwiseShellCommand *command);

G_END_DECLS
