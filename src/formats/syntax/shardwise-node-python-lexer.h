/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-node.h"

G_BEGIN_DECLS

/* The part of Python 3 that defines values: a lexer, expressions and statements. Nothing is
 * executed. */

typedef enum {
  SHARDWISE_PYTHON_END,
  SHARDWISE_PYTHON_NEWLINE, /* end of a logical line */
  SHARDWISE_PYTHON_NAME,
  SHARDWISE_PYTHON_NUMBER,
  SHARDWISE_PYTHON_STRING,
  SHARDWISE_PYTHON_FORMATTED, /* an f-string: its value is unknown */
  SHARDWISE_PYTHON_OPERATOR,
} ShardwisePythonTokenType;

typedef struct {
  ShardwisePythonTokenType type;
  const char *start;
  gsize length;
  guint line, column;
} ShardwisePythonToken;

typedef struct {
  ShardwiseCursor cursor;
  GString *open;              /* the open brackets */
  ShardwisePythonToken token; /* the current token */
  ShardwiseNode *root;
  GHashTable *aliases;  /* name -> the dotted name it refers to, including imports */
  guint depth;          /* of nested expressions */
  guint n_nodes;        /* created so far */
  guint block;          /* column of the `if` whose block is being read; 0: none */
  guint statement;      /* column of the statement that is being read */
  ShardwiseNode *calls; /* of the root */
  GError *error;        /* the first error; after it every token is END */
} ShardwisePython;

#define SHARDWISE_PYTHON_MAX_NODES 1000000u

void
shardwise_python_fail (ShardwisePython *self, const ShardwisePythonToken *where, const char *text);
void shardwise_python_next (ShardwisePython *self);
/* Returns: whether the current token is this name or operator */
gboolean shardwise_python_is (const ShardwisePython *self, const char *text);
gboolean shardwise_python_take (ShardwisePython *self, const char *text);   /* consumes the token
                                                                               if it matches */
gboolean shardwise_python_expect (ShardwisePython *self, const char *text); /* consumes the token
                                                                               or fails */
char *shardwise_python_token_text (const ShardwisePythonToken *token);
ShardwiseNode *shardwise_python_number (const ShardwisePythonToken *token);
void shardwise_python_append_string (const ShardwisePythonToken *token, GString *out);

G_END_DECLS
