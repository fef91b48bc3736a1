/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-node.h"

G_BEGIN_DECLS

/* JSON as a tree: at most SHARDWISE_JSON_MAX_BYTES, nested at most SHARDWISE_JSON_MAX_DEPTH levels,
 * without repeated keys in an object, finite numbers. A number without a point or exponent is an
 * INTEGER, else a FLOAT; its text is kept as written. */
ShardwiseNode *shardwise_node_from_json (const char *text, gsize length, GError **error);

/* Hjson, which DeepSpeed's loader accepts as JSON. In addition to JSON:
 *   comments  of #, // and between slashes with stars
 *   keys      without quotes
 *   texts     in single quotes, in three of them over several lines, or without any to the end of
 *             the line
 *   commas    left out at the end of a line, or before a closing bracket
 *   braces    left out around the whole file
 * first: (out) the first line that is not plain JSON; 0: none */
ShardwiseNode *
shardwise_node_from_hjson (const char *text, gsize length, guint *first, GError **error);

G_END_DECLS
