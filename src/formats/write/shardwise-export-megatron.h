/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-launch.h"

G_BEGIN_DECLS

#define SHARDWISE_MEGATRON_N_RULES 24
#define SHARDWISE_MEGATRON_N_STRATEGY_RULES 16 /* the first ones, on strategies */
extern const ShardwiseFormatRule shardwise_megatron_rules[SHARDWISE_MEGATRON_N_RULES];

/* What the stages of a pipeline look like to Megatron-LM. */
typedef enum {
  SHARDWISE_STAGES_EVEN,   /* layers / (PP * VPP) each */
  SHARDWISE_STAGES_ENDS,   /* embedding and loss count as a layer each */
  SHARDWISE_STAGES_LAYOUT, /* a layout that names the layers of each */
} ShardwiseMegatronStages;

ShardwiseMegatronStages
shardwise_megatron_stages (const SwProblem *problem, const SwStrategy *strategy);
char *shardwise_megatron_layout (const SwProblem *problem, const SwStrategy *strategy);
gboolean
shardwise_megatron_needs_one_connection (const SwProblem *problem, const SwStrategy *strategy);
void shardwise_megatron_add_model (const SwProblem *problem, GPtrArray *args);
void shardwise_megatron_add_parallel (const SwProblem *problem, const SwStrategy *strategy,
                                      GPtrArray *args);
void shardwise_megatron_add_training (const ShardwiseExportJob *job, GPtrArray *args);
void shardwise_megatron_add_data (const SwProblem *problem, GPtrArray *args);
void shardwise_megatron_add_notes (ShardwiseExportJob *job);
const char *shardwise_recipe_model (const char *name); /* (nullable): shardwise-export-bridge.c */

G_END_DECLS
