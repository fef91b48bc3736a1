/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-private.h"

G_BEGIN_DECLS

#define SHARDWISE_NANOTRON_N_RULES 21

extern const ShardwiseFormatRule shardwise_nanotron_rules[SHARDWISE_NANOTRON_N_RULES];

gboolean shardwise_nanotron_is_qwen2 (const SwProblem *problem);
gboolean shardwise_nanotron_has_window (const SwProblem *problem);

G_END_DECLS
