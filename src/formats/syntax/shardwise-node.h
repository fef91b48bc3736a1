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

/* Marks an unknown part of a text: a value from outside a script. */
#define SHARDWISE_NODE_UNKNOWN '\x01'

/* A value of a JSON, YAML, TOML or Python file with its position, used by all readers of
 * configurations. Values shared in the file (YAML anchors) are shared here too, so a value never
 * changes after it is read. */
typedef struct _ShardwiseNode ShardwiseNode;
struct _ShardwiseNode {
  int references;
  ShardwiseNodeType type;
  guint line, column; /* of its first character; both from 1 */
  guint height;       /* levels of lists and maps inside */
  char *text;         /* scalars only; strings are decoded */
  double number;      /* BOOLEAN, INTEGER and FLOAT only */
  GPtrArray *items;   /* LIST and MAP only: of ShardwiseNode */
  GPtrArray *keys;    /* MAP only: of char*, parallel to items */
  GHashTable *index;  /* MAP only: key -> index */
  guint repeated;     /* YAML documents: line of the first repeated key; 0: none */
};

ShardwiseNode *shardwise_node_new (ShardwiseNodeType type, guint line, guint column);
ShardwiseNode *shardwise_node_new_scalar (ShardwiseNodeType type, guint line, guint column,
                                          const char *text, double number);
ShardwiseNode *shardwise_node_ref (ShardwiseNode *self);
void shardwise_node_unref (ShardwiseNode *self);
void shardwise_node_add (ShardwiseNode *self, ShardwiseNode *item); /* takes ownership of item */
/* Takes ownership of item. Returns: FALSE if it replaced another item */
gboolean shardwise_node_set (ShardwiseNode *self, const char *key, ShardwiseNode *item);
/* (transfer none) (nullable) */
ShardwiseNode *shardwise_node_member (const ShardwiseNode *self, const char *key);
/* "a.b.c" (transfer none) (nullable) */
ShardwiseNode *shardwise_node_find (const ShardwiseNode *self, const char *path);
gboolean shardwise_node_read_integer (const char *digits, gboolean is_yaml, double *value);
gboolean shardwise_node_is_number (const ShardwiseNode *self);
/* Returns: whether self (nullable) is a string equal to text */
gboolean shardwise_node_is_text (const ShardwiseNode *self, const char *text);

/* Returns: (transfer full): "line 3, column 7: …" with SHARDWISE_ERROR_SYNTAX */
GError *
shardwise_position_error (guint line, guint column, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* A position in a text; columns count characters, and both count from 1. */
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
