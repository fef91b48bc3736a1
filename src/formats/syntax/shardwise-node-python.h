/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-node.h"

G_BEGIN_DECLS

/* A map of the names that Python assigns, attributes inside, and of three things more: every call
 * and every import in their order, and the line of the first value that hangs on a condition (an
 * INTEGER, or absent). A call is a map of its keyword arguments and what is assigned to its
 * attributes, with the function under CALLEE and the other arguments under ARGUMENTS. A name from
 * elsewhere is a text: SHARDWISE_NODE_UNKNOWN, then the name. */
ShardwiseNode *shardwise_node_from_python (const char *text, gsize length, GError **error);
#define SHARDWISE_NODE_CALLS "()"
#define SHARDWISE_NODE_IMPORTS "import"
#define SHARDWISE_NODE_CONDITION "if"
#define SHARDWISE_NODE_CALLEE "()"
#define SHARDWISE_NODE_ARGUMENTS "*"

G_END_DECLS
