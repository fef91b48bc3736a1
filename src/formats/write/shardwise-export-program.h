/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-job.h"

G_BEGIN_DECLS

/* The training program added to the files of a framework that has none. */
#define SHARDWISE_PROGRAM "train.py"

void shardwise_export_append_adapters (const ShardwiseExportJob *job, GString *text);
gboolean shardwise_export_ends_count (const ShardwiseExportJob *job);
void shardwise_export_append_optimizer (const ShardwiseExportJob *job, GString *text);
char *shardwise_program_of_accelerate (ShardwiseExportJob *job);
char *shardwise_program_of_deepspeed (ShardwiseExportJob *job);
char *shardwise_program_of_fsdp (ShardwiseExportJob *job);

G_END_DECLS
