/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-key.h"

G_BEGIN_DECLS

/* What the window says of an input: the tooltip of its row, and the topic that F1 opens. */
const char *shardwise_key_get_help (const ShardwiseKey *key);
const char *shardwise_key_get_topic (const ShardwiseKey *key);
char *shardwise_key_describe_help (const ShardwiseKey *key, const char *usual);

G_END_DECLS
