/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-node.h"
G_BEGIN_DECLS

ShardwiseNode *shardwise_node_from_json (const char *text, gsize length, GError **error);
ShardwiseNode *
shardwise_node_from_hjson (const char *text, gsize length, guint *first, GError **error);

G_END_DECLS
