/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-node.h"

G_BEGIN_DECLS

#define SHARDWISE_NODE_CALLS "()"       /* in the root: a LIST of its calls */
#define SHARDWISE_NODE_IMPORTS "import" /* in the root: a LIST of the dotted names it imports */
#define SHARDWISE_NODE_CONDITION "if"   /* in the root: a line, or absent */
#define SHARDWISE_NODE_CALLEE "()"      /* in a call: the dotted name of its function */
#define SHARDWISE_NODE_ARGUMENTS "*"    /* in a call: a LIST of its positional arguments */

/* A map of the names that a Python file assigns, with attributes as nested maps, and of three more
 * entries: all calls and all imports in order, and the line of the first value that depends on a
 * condition (an INTEGER, or absent). A call is a map of its keyword arguments and of the values
 * assigned to its attributes, with the function under CALLEE and the positional arguments under
 * ARGUMENTS. An undefined name is a text: SHARDWISE_NODE_UNKNOWN, then the name.
 *
 * The text is parsed, never executed; at most SHARDWISE_JSON_MAX_BYTES, SHARDWISE_JSON_MAX_DEPTH
 * levels deep. */
ShardwiseNode *shardwise_node_from_python (const char *text, gsize length, GError **error);

G_END_DECLS
