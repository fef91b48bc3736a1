/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the names of a Python file stand for. Maps are copied where they are used, so that none
 * holds itself; lists are shared, since nothing is assigned into them. */
#include "shardwise-node-python.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-json.h"

#define MAX_PARTS 32 /* of a dotted name */

/**
 * shardwise_python_new:
 * @self: a text
 * @type: the kind of value
 * @where: what it is read from
 *
 * Returns: (transfer full): an empty value, which counts towards the most that a file may have
 */
ShardwiseNode *
shardwise_python_new (ShardwisePython *self, ShardwiseNodeType type,
                      const ShardwisePythonToken *where)
{
  if (++self->n_nodes > SHARDWISE_PYTHON_MAX_NODES)
    shardwise_python_fail (self, where, _ ("more values than are read: a million"));
  return shardwise_node_new (type, where->line, where->column);
}

/* Whether @item may stand inside another value; what is too deep is left out. */
gboolean
shardwise_python_fits (const ShardwiseNode *item)
{
  return item->height < SHARDWISE_JSON_MAX_DEPTH;
}

/**
 * shardwise_python_unknown:
 * @self: a text
 * @where: what it is read from
 * @name: (nullable): a name from elsewhere
 *
 * Returns: (transfer full): a value that the file does not state
 */
ShardwiseNode *
shardwise_python_unknown (ShardwisePython *self, const ShardwisePythonToken *where,
                          const char *name)
{
  ShardwiseNode *node = shardwise_python_new (self, SHARDWISE_NODE_STRING, where);

  node->text = g_strdup_printf ("%c%s", SHARDWISE_NODE_UNKNOWN, name != NULL ? name : "");
  return node;
}

/* ---- names ---- */

/**
 * shardwise_python_full_name:
 * @self: a text
 * @path: a dotted name as it is written
 *
 * Returns: (transfer full): the same where imports and other names for it are put in
 */
char *
shardwise_python_full_name (ShardwisePython *self, const char *path)
{
  gsize length = strcspn (path, ".");
  g_autofree char *first = g_strndup (path, length);
  const char *stands_for = g_hash_table_lookup (self->aliases, first);

  return g_strconcat (stands_for != NULL ? stands_for : first, path + length, NULL);
}

static ShardwiseNode *
copy_map (ShardwisePython *self, const ShardwiseNode *node, const ShardwisePythonToken *where)
{
  ShardwiseNode *copy = shardwise_python_new (self, SHARDWISE_NODE_MAP, where);

  copy->line = node->line;
  copy->column = node->column;
  self->n_nodes += node->keys->len;
  for (guint i = 0; i < node->keys->len && self->error == NULL; i++)
    {
      ShardwiseNode *item = node->items->pdata[i];

      shardwise_node_set (copy, node->keys->pdata[i],
                          item->type == SHARDWISE_NODE_MAP ? copy_map (self, item, where)
                                                           : shardwise_node_ref (item));
    }
  return copy;
}

/**
 * shardwise_python_node:
 * @self: a text
 * @value: an expression
 * @where: where it is used
 *
 * Returns: (transfer full): its value
 */
ShardwiseNode *
shardwise_python_node (ShardwisePython *self, ShardwisePythonValue *value,
                       const ShardwisePythonToken *where)
{
  g_autofree char *name = NULL;
  ShardwiseNode *node;

  if (value->node != NULL)
    return shardwise_node_ref (value->node);
  if (value->path == NULL)
    return shardwise_python_unknown (self, where, NULL);
  name = shardwise_python_full_name (self, value->path);
  node = shardwise_node_find (self->root, name);
  if (node == NULL || self->error != NULL)
    return shardwise_python_unknown (self, where, name);
  return node->type == SHARDWISE_NODE_MAP ? copy_map (self, node, where)
                                          : shardwise_node_ref (node);
}

/* ---- assignments ---- */

/* A value that hangs on a condition, which is not evaluated. */
static void
note_condition (ShardwisePython *self, const ShardwiseNode *node, const ShardwisePythonToken *where)
{
  if (self->block == 0 || self->statement <= self->block
      || (node->type != SHARDWISE_NODE_BOOLEAN && !shardwise_node_is_number (node))
      || shardwise_node_member (self->root, SHARDWISE_NODE_CONDITION) != NULL)
    return;
  shardwise_node_set (self->root, SHARDWISE_NODE_CONDITION,
                      shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, where->line, where->column,
                                                 "", where->line));
}

static gboolean
is_path_of (const ShardwiseNode *node)
{
  return node == NULL || node->type == SHARDWISE_NODE_MAP;
}

/**
 * shardwise_python_assign:
 * @self: a text
 * @path: a dotted name as it is written
 * @value: what it becomes
 * @where: where it stands
 *
 * A name for something that has attributes is another name for it; an attribute is a copy.
 */
void
shardwise_python_assign (ShardwisePython *self, const char *path, ShardwisePythonValue *value,
                         const ShardwisePythonToken *where)
{
  const gboolean is_plain = strchr (path, '.') == NULL;
  g_autofree char *name = NULL, *of = NULL;
  ShardwiseNode *node;

  if (self->error != NULL)
    return;
  of = value->node == NULL && value->path != NULL ? shardwise_python_full_name (self, value->path)
                                                  : NULL;
  if (is_plain && of != NULL && is_path_of (shardwise_node_find (self->root, of)))
    {
      if (!g_str_equal (of, path) && strlen (of) < 500)
        g_hash_table_insert (self->aliases, g_strdup (path), g_steal_pointer (&of));
      return;
    }
  node = shardwise_python_node (self, value, where);
  note_condition (self, node, where);
  if (is_plain)
    g_hash_table_remove (self->aliases, path);
  name = shardwise_python_full_name (self, path);

  /* Puts @node there; what stands in the way of an attribute becomes a map. Takes @node. */
  g_auto (GStrv) parts = g_strsplit (name, ".", MAX_PARTS + 2);
  guint n = g_strv_length (parts);
  ShardwiseNode *map = self->root;

  if (n > MAX_PARTS || !shardwise_python_fits (node))
    {
      shardwise_node_unref (node);
      return;
    }
  for (guint i = 0; i + 1 < n; i++)
    {
      ShardwiseNode *inner = shardwise_node_member (map, parts[i]);

      if (inner == NULL || inner->type != SHARDWISE_NODE_MAP)
        {
          inner = shardwise_python_new (self, SHARDWISE_NODE_MAP, where);
          shardwise_node_set (map, parts[i], inner);
        }
      map = inner;
    }
  shardwise_node_set (map, parts[n - 1], node);
}

/* Takes note of a call; takes @call. */
void
shardwise_python_add_call (ShardwisePython *self, ShardwiseNode *call)
{
  g_ptr_array_add (self->calls->items, call);
}
