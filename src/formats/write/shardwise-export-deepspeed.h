/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-private.h"

G_BEGIN_DECLS

#define SHARDWISE_DEEPSPEED_N_RULES 21

extern const ShardwiseFormatRule shardwise_deepspeed_rules[SHARDWISE_DEEPSPEED_N_RULES];

const char *shardwise_deepspeed_tp_preset (const char *model_id);
const char *shardwise_deepspeed_ep_preset (const char *model_id);
gboolean shardwise_deepspeed_has_optimizer (SwOptimizer optimizer);
char *shardwise_deepspeed_python (ShardwiseExportJob *job);

G_END_DECLS
