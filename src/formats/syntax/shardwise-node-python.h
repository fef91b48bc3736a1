/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-cursor.h"
#include "shardwise-node.h"

G_BEGIN_DECLS

/* Python 3 as far as it states values: a lexer, expressions, statements. Nothing is executed. */

typedef enum {
  SHARDWISE_PYTHON_END,
  SHARDWISE_PYTHON_NEWLINE, /* of a logical line */
  SHARDWISE_PYTHON_NAME,
  SHARDWISE_PYTHON_NUMBER,
  SHARDWISE_PYTHON_STRING,
  SHARDWISE_PYTHON_FORMATTED, /* an f-string: its value is not known */
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
  GString *open;              /* the brackets that are open */
  ShardwisePythonToken token; /* the one at hand */
  ShardwiseNode *root;
  GHashTable *aliases;  /* name -> the dotted name that it stands for, also by an import */
  guint depth;          /* of expressions in expressions */
  guint n_nodes;        /* that were made */
  guint block;          /* column of an `if` whose block is read; 0: none */
  guint statement;      /* column of the statement that is read */
  ShardwiseNode *calls; /* of the root */
  GError *error;        /* the first one; after it every token is END */
} ShardwisePython;

/* What an expression is: a dotted name, or a value. */
typedef struct {
  char *path;          /* (nullable): "cfg.model" */
  ShardwiseNode *node; /* (nullable) */
  GPtrArray *targets;  /* (nullable): of a tuple: of char*, the dotted names in it, "" for others */
} ShardwisePythonValue;

/* shardwise-node-python-lexer.c */
void
shardwise_python_fail (ShardwisePython *self, const ShardwisePythonToken *where, const char *text);
void shardwise_python_next (ShardwisePython *self);
/* a name or an operator */
gboolean shardwise_python_is (const ShardwisePython *self, const char *text);
gboolean shardwise_python_take (ShardwisePython *self, const char *text);   /* and goes on */
gboolean shardwise_python_expect (ShardwisePython *self, const char *text); /* or fails */
char *shardwise_python_token_text (const ShardwisePythonToken *token);
ShardwiseNode *shardwise_python_number (const ShardwisePythonToken *token);
void shardwise_python_append_string (const ShardwisePythonToken *token, GString *out);

/* shardwise-node-python-value.c: expressions */
void shardwise_python_value_clear (ShardwisePythonValue *value);
void shardwise_python_become (ShardwisePythonValue *value, ShardwiseNode *node); /* takes node */
void shardwise_python_become_unknown (ShardwisePython *self, ShardwisePythonValue *value);
/* with commas: a list */
void shardwise_python_read_value (ShardwisePython *self, ShardwisePythonValue *out);
/* up to a comma */
void shardwise_python_read_one (ShardwisePython *self, ShardwisePythonValue *out);
void shardwise_python_read_binary (ShardwisePython *self, guint level, ShardwisePythonValue *out);
/* before an "in" */
void shardwise_python_read_targets (ShardwisePython *self, ShardwisePythonValue *out);
void shardwise_python_read_items (ShardwisePython *self, ShardwisePythonValue *value,
                                  gboolean (*ends) (ShardwisePython *));
void shardwise_python_read_comprehension (ShardwisePython *self);
gboolean shardwise_python_at_bracket (ShardwisePython *self);
gboolean shardwise_python_at_end (ShardwisePython *self); /* of a statement's part */

/* shardwise-node-python-atom.c */
void shardwise_python_read_primary (ShardwisePython *self, ShardwisePythonValue *out);

/* shardwise-node-python-names.c: what names stand for */
/* (transfer full) */
ShardwiseNode *shardwise_python_node (ShardwisePython *self, ShardwisePythonValue *value,
                                      const ShardwisePythonToken *where);
/* (transfer full) */
ShardwiseNode *shardwise_python_unknown (ShardwisePython *self, const ShardwisePythonToken *where,
                                         const char *name);
ShardwiseNode *shardwise_python_new (ShardwisePython *self, ShardwiseNodeType type,
                                     const ShardwisePythonToken *where);
gboolean shardwise_python_fits (const ShardwiseNode *item); /* inside another value */
void shardwise_python_assign (ShardwisePython *self, const char *path, ShardwisePythonValue *value,
                              const ShardwisePythonToken *where);
/* (transfer full): after imports and aliases */
char *shardwise_python_full_name (ShardwisePython *self, const char *path);
void shardwise_python_add_call (ShardwisePython *self, ShardwiseNode *call);

#define SHARDWISE_PYTHON_MAX_NODES 1000000u

G_END_DECLS
