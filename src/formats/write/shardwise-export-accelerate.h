/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-launch.h"

G_BEGIN_DECLS

#define SHARDWISE_ACCELERATE_N_RULES 21
extern const ShardwiseFormatRule shardwise_accelerate_rules[SHARDWISE_ACCELERATE_N_RULES];

const char *shardwise_accelerate_layer_class (const SwProblem *problem);

G_END_DECLS
