/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-launch.h"

G_BEGIN_DECLS

/* A model that TorchTitan has. */
typedef struct {
  const char *id;       /* of the catalogue */
  const char *name;     /* [model] name of 0.2.2 */
  const char *flavor;   /* [model] flavor of 0.2.2 */
  const char *function; /* (nullable): of models/NAME/config_registry.py on main */
  const char *assets;   /* where its tokenizer is downloaded to */
  const char *in_bf16;  /* (nullable): where the function's model is in float8, one whose is not */
} ShardwiseTitanModel;

#define SHARDWISE_TITAN_N_COMMON_RULES 12
#define SHARDWISE_TORCHTITAN_N_RULES 6
#define SHARDWISE_TORCHTITAN_MAIN_N_RULES 6
extern const ShardwiseFormatRule shardwise_titan_common_rules[SHARDWISE_TITAN_N_COMMON_RULES];
extern const ShardwiseFormatRule shardwise_torchtitan_rules[SHARDWISE_TORCHTITAN_N_RULES];
extern const ShardwiseFormatRule shardwise_torchtitan_main_rules[SHARDWISE_TORCHTITAN_MAIN_N_RULES];

const ShardwiseTitanModel *shardwise_titan_model (const SwProblem *problem);
const ShardwiseTitanModel *shardwise_titan_model_of (const char *function); /* (nullable) */
void shardwise_titan_end_layers (const SwProblem *problem, const SwStrategy *strategy, guint *first,
                                 guint *last);
guint shardwise_titan_layers_per_stage (const SwProblem *problem, const SwStrategy *strategy);
const char *shardwise_titan_schedule (const SwStrategy *strategy);
const char *shardwise_titan_reshard (const SwStrategy *strategy);
guint shardwise_titan_replicas (const SwStrategy *strategy);
const char *const *shardwise_titan_compiled_parts (const SwProblem *problem);
char *shardwise_titan_python (ShardwiseExportJob *job, const char *function);

G_END_DECLS
