/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_NODE_NULL,
  SHARDWISE_NODE_BOOLEAN,
  SHARDWISE_NODE_INTEGER,
  SHARDWISE_NODE_FLOAT,
  SHARDWISE_NODE_STRING,
  SHARDWISE_NODE_LIST,
  SHARDWISE_NODE_MAP,
} ShardwiseNodeType;

/* Marks an unknown part of a text: a value that comes from outside a script. */
#define SHARDWISE_NODE_UNKNOWN '\x01'

/* A value of a JSON, YAML, TOML or Python file with its position; all readers of configurations use
 * it. Values that the file shares (YAML anchors) are shared, so a value is never changed after it
 * is read. */
typedef struct _ShardwiseNode ShardwiseNode;
struct _ShardwiseNode {
  int references;
  ShardwiseNodeType type;
  guint line, column; /* of its first character, from 1 */
  guint height;       /* levels of lists and maps in it */
  char *text;         /* of scalars; strings are decoded */
  double number;      /* of BOOLEAN, INTEGER and FLOAT */
  GPtrArray *items;   /* of LIST and MAP: of ShardwiseNode */
  GPtrArray *keys;    /* of MAP: of char*, beside the items */
  GHashTable *index;  /* of MAP: key -> its index */
  guint repeated;     /* of a YAML document: the line of the first key that stands twice; 0: none */
};

ShardwiseNode *shardwise_node_new (ShardwiseNodeType type, guint line, guint column);
ShardwiseNode *shardwise_node_new_scalar (ShardwiseNodeType type, guint line, guint column,
                                          const char *text, double number);
ShardwiseNode *shardwise_node_ref (ShardwiseNode *self);
void shardwise_node_unref (ShardwiseNode *self);
void shardwise_node_add (ShardwiseNode *self, ShardwiseNode *item); /* takes item */
/* takes item; FALSE: replaced */
gboolean shardwise_node_set (ShardwiseNode *self, const char *key, ShardwiseNode *item);
/* (transfer none) (nullable) */
ShardwiseNode *shardwise_node_member (const ShardwiseNode *self, const char *key);
/* "a.b.c" (transfer none) (nullable) */
ShardwiseNode *shardwise_node_find (const ShardwiseNode *self, const char *path);
gboolean shardwise_node_read_integer (const char *digits, gboolean is_yaml, double *value);
gboolean shardwise_node_is_number (const ShardwiseNode *self);
/* a string that equals text; (nullable) self */
gboolean shardwise_node_is_text (const ShardwiseNode *self, const char *text);

/* An error "line 3, column 7: …" of SHARDWISE_ERROR_SYNTAX. */
GError *
shardwise_position_error (guint line, guint column, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* A place in a text that is read from its beginning; columns count characters, both from 1. */
typedef struct {
  const char *at, *end;
  guint line, column;
} ShardwiseCursor;

ShardwiseCursor shardwise_cursor_begin (const char *text, gsize length);
char shardwise_cursor_peek (const ShardwiseCursor *self, gsize offset);
gboolean shardwise_cursor_starts (const ShardwiseCursor *self, const char *text);
void shardwise_cursor_step (ShardwiseCursor *self, gsize n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseNode, shardwise_node_unref)

G_END_DECLS
