/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-node-python-lexer.h"

G_BEGIN_DECLS

/* What an expression is: a dotted name, or a value. */
typedef struct {
  char *path;          /* (nullable): "cfg.model" */
  ShardwiseNode *node; /* (nullable) */
  GPtrArray *targets;  /* (nullable): of a tuple: of char*, the dotted names in it, "" for others */
} ShardwisePythonValue;

/* Expressions. */
void shardwise_python_value_clear (ShardwisePythonValue *value);
void shardwise_python_become_unknown (ShardwisePython *self, ShardwisePythonValue *value);
/* with commas: a list */
void shardwise_python_read_value (ShardwisePython *self, ShardwisePythonValue *out);
/* up to a comma */
void shardwise_python_read_one (ShardwisePython *self, ShardwisePythonValue *out);
/* before an "in" */
void shardwise_python_read_targets (ShardwisePython *self, ShardwisePythonValue *out);
gboolean shardwise_python_at_end (ShardwisePython *self); /* of a statement's part */

void shardwise_python_read_primary (ShardwisePython *self, ShardwisePythonValue *out);

/* What names stand for. */
/* (transfer full) */
/* (transfer full) */
ShardwiseNode *shardwise_python_unknown (ShardwisePython *self, const ShardwisePythonToken *where,
                                         const char *name);
ShardwiseNode *shardwise_python_new (ShardwisePython *self, ShardwiseNodeType type,
                                     const ShardwisePythonToken *where);
void shardwise_python_assign (ShardwisePython *self, const char *path, ShardwisePythonValue *value,
                              const ShardwisePythonToken *where);
/* (transfer full): after imports and aliases */

G_END_DECLS
