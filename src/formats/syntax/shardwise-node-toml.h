/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-cursor.h"
#include "shardwise-node.h"

G_BEGIN_DECLS

typedef struct {
  ShardwiseCursor cursor;
  guint depth;
  ShardwiseNode *root, *table; /* the table that keys go to */
  GHashTable *closed, *opened; /* nodes that were written out, and tables that had a header */
  GError *error;
} ShardwiseToml;

/* Keeps the first error, at the cursor; always FALSE. */
gboolean shardwise_toml_fail (ShardwiseToml *self, const char *text);
ShardwiseNode *shardwise_toml_read_container (ShardwiseToml *self);

/* shardwise-node-toml-value.c */
gboolean shardwise_toml_read_string (ShardwiseToml *self, GString *text, gboolean lines);
ShardwiseNode *shardwise_toml_read_value (ShardwiseToml *self); /* (transfer full) (nullable): NULL
                                                                   with the error set */

G_END_DECLS
