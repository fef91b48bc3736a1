/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-private.h"

G_BEGIN_DECLS

#define SHARDWISE_FSDP1_N_RULES 12
#define SHARDWISE_FSDP2_N_RULES 12

extern const ShardwiseFormatRule shardwise_fsdp1_rules[SHARDWISE_FSDP1_N_RULES];
extern const ShardwiseFormatRule shardwise_fsdp2_rules[SHARDWISE_FSDP2_N_RULES];

void shardwise_fsdp_append_imports (const ShardwiseExportJob *job, GString *text);
void shardwise_fsdp_append_constants (const ShardwiseExportJob *job, GString *text);
void shardwise_fsdp_append_mesh (const ShardwiseExportJob *job, GString *text);
void shardwise_fsdp_append_tensor_parallel (const ShardwiseExportJob *job, GString *text);
void shardwise_fsdp_append_recompute (const ShardwiseExportJob *job, GString *text);
void shardwise_fsdp_append_model_changes (const ShardwiseExportJob *job, GString *text);
void shardwise_fsdp_append_compilation (const ShardwiseExportJob *job, GString *text);
const char *shardwise_fsdp_compile_call (const ShardwiseExportJob *job);
void shardwise_fsdp_append_optimizer (const ShardwiseExportJob *job, GString *text);
void shardwise_fsdp_append_pipeline (const ShardwiseExportJob *job, GString *text);
void shardwise_fsdp_append_train_step (const ShardwiseExportJob *job, GString *text);
const char *shardwise_fsdp_schedule (const SwStrategy *strategy);
gboolean shardwise_fsdp_is_first (const ShardwiseExportJob *job);
gboolean shardwise_fsdp_wraps_layers (const SwStrategy *strategy);
gboolean shardwise_fsdp_is_hybrid (const SwStrategy *strategy);

G_END_DECLS
