/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TOML 1.0. Dates are kept as strings: no configuration that we read has one. */
#include "shardwise-node-toml.h"

#include <glib/gi18n.h>

#include "shardwise-json.h"

gboolean
shardwise_toml_fail (ShardwiseToml *self, const char *text)
{
  if (self->error == NULL)
    self->error = shardwise_position_error (self->cursor.line, self->cursor.column, "%s", text);
  return FALSE;
}

static void
skip_blanks (ShardwiseToml *self)
{
  while (shardwise_cursor_peek (&self->cursor, 0) == ' '
         || shardwise_cursor_peek (&self->cursor, 0) == '\t')
    shardwise_cursor_step (&self->cursor, 1);
}

static void
skip_comment (ShardwiseToml *self)
{
  if (shardwise_cursor_peek (&self->cursor, 0) == '#')
    while (self->cursor.at < self->cursor.end && *self->cursor.at != '\n')
      shardwise_cursor_step (&self->cursor, 1);
}

/* Also line breaks: between lines and inside arrays. */
static void
skip_lines (ShardwiseToml *self)
{
  for (;;)
    {
      skip_blanks (self);
      skip_comment (self);
      if (shardwise_cursor_peek (&self->cursor, 0) == '\n')
        shardwise_cursor_step (&self->cursor, 1);
      else if (shardwise_cursor_starts (&self->cursor, "\r\n"))
        shardwise_cursor_step (&self->cursor, 2);
      else
        return;
    }
}

static gboolean
end_line (ShardwiseToml *self)
{
  skip_blanks (self);
  skip_comment (self);
  if (self->cursor.at == self->cursor.end || *self->cursor.at == '\n'
      || shardwise_cursor_starts (&self->cursor, "\r\n"))
    return TRUE;
  return shardwise_toml_fail (self, _ ("the end of the line is expected after a value"));
}

/* ---- keys ---- */

static gboolean
is_bare (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '-';
}

static char *
read_key_part (ShardwiseToml *self)
{
  GString *text;

  skip_blanks (self);
  text = g_string_new (NULL);
  if (shardwise_cursor_peek (&self->cursor, 0) == '"'
      || shardwise_cursor_peek (&self->cursor, 0) == '\'')
    {
      if (!shardwise_toml_read_string (self, text, FALSE))
        return g_string_free (text, TRUE);
      return g_string_free (text, FALSE);
    }
  for (; is_bare (shardwise_cursor_peek (&self->cursor, 0));
       shardwise_cursor_step (&self->cursor, 1))
    g_string_append_c (text, *self->cursor.at);
  if (text->len > 0)
    return g_string_free (text, FALSE);
  shardwise_toml_fail (self, _ ("a key is expected: letters, digits, _ and -, or a string"));
  return g_string_free (text, TRUE);
}

/* "a.b.c": the parts. */
static GPtrArray *
read_key (ShardwiseToml *self)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  for (;;)
    {
      char *part = read_key_part (self);

      if (part == NULL)
        return NULL;
      g_ptr_array_add (parts, part);
      skip_blanks (self);
      if (parts->len > SHARDWISE_JSON_MAX_DEPTH / 2)
        {
          shardwise_toml_fail (self, _ ("a key of too many parts"));
          return NULL;
        }
      if (shardwise_cursor_peek (&self->cursor, 0) != '.')
        return g_steal_pointer (&parts);
      shardwise_cursor_step (&self->cursor, 1);
    }
}

/* A table is closed where it was written out: nothing can be added to it elsewhere. */
static gboolean
is_closed (ShardwiseToml *self, const ShardwiseNode *node)
{
  return g_hash_table_contains (self->closed, node);
}

static gboolean
stands_twice (ShardwiseToml *self, const char *key)
{
  g_autofree char *text = g_strdup_printf (_ ("the key “%s” stands twice"), key);

  return shardwise_toml_fail (self, text);
}

/* The map at @key in @map, made where it is missing; of an array of tables the last one. */
static ShardwiseNode *
descend (ShardwiseToml *self, ShardwiseNode *map, const char *key)
{
  ShardwiseNode *node = shardwise_node_member (map, key);

  if (node == NULL)
    {
      node = shardwise_node_new (SHARDWISE_NODE_MAP, self->cursor.line, self->cursor.column);
      shardwise_node_set (map, key, node);
      return node;
    }
  if (node->type == SHARDWISE_NODE_LIST && !is_closed (self, node) && node->items->len > 0)
    node = node->items->pdata[node->items->len - 1];
  if (node->type == SHARDWISE_NODE_MAP && !is_closed (self, node))
    return node;
  stands_twice (self, key);
  return NULL;
}

/* ---- values ---- */

static gboolean
read_array (ShardwiseToml *self, ShardwiseNode *list)
{
  shardwise_cursor_step (&self->cursor, 1);
  for (;;)
    {
      ShardwiseNode *item;

      skip_lines (self);
      if (shardwise_cursor_peek (&self->cursor, 0) == ']')
        break;
      item = shardwise_toml_read_value (self);
      if (item == NULL)
        return FALSE;
      shardwise_node_add (list, item);
      skip_lines (self);
      if (shardwise_cursor_peek (&self->cursor, 0) == ']')
        break;
      if (shardwise_cursor_peek (&self->cursor, 0) != ',')
        return shardwise_toml_fail (self, _ ("a comma or ] is expected"));
      shardwise_cursor_step (&self->cursor, 1);
    }
  shardwise_cursor_step (&self->cursor, 1);
  return TRUE;
}

/* key = value into @map; dotted keys make the tables between. */
static gboolean
read_pair (ShardwiseToml *self, ShardwiseNode *map)
{
  g_autoptr (GPtrArray) key = read_key (self);
  ShardwiseNode *value;
  const char *last;

  if (key == NULL)
    return FALSE;
  if (shardwise_cursor_peek (&self->cursor, 0) != '=')
    return shardwise_toml_fail (self, _ ("= is expected after a key"));
  last = key->pdata[key->len - 1];
  for (guint i = 0; i + 1 < key->len; i++)
    {
      map = descend (self, map, key->pdata[i]);
      if (map == NULL)
        return FALSE;
      g_hash_table_add (self->opened, map);
    }
  if (shardwise_node_member (map, last) != NULL)
    return stands_twice (self, last);
  shardwise_cursor_step (&self->cursor, 1);
  skip_blanks (self);
  value = shardwise_toml_read_value (self);
  if (value == NULL)
    return FALSE;
  shardwise_node_set (map, last, value);
  return TRUE;
}

static gboolean
read_inline_table (ShardwiseToml *self, ShardwiseNode *map)
{
  shardwise_cursor_step (&self->cursor, 1);
  skip_blanks (self);
  if (shardwise_cursor_peek (&self->cursor, 0) == '}')
    {
      shardwise_cursor_step (&self->cursor, 1);
      return TRUE;
    }
  for (;;)
    {
      if (!read_pair (self, map))
        return FALSE;
      skip_blanks (self);
      if (shardwise_cursor_peek (&self->cursor, 0) == '}')
        break;
      if (shardwise_cursor_peek (&self->cursor, 0) != ',')
        return shardwise_toml_fail (self, _ ("a comma or } is expected"));
      shardwise_cursor_step (&self->cursor, 1);
    }
  shardwise_cursor_step (&self->cursor, 1);
  return TRUE;
}

/* An array or an inline table, which nothing can be added to afterwards. */
ShardwiseNode *
shardwise_toml_read_container (ShardwiseToml *self)
{
  const gboolean is_list = *self->cursor.at == '[';
  g_autoptr (ShardwiseNode) node = shardwise_node_new (
      is_list ? SHARDWISE_NODE_LIST : SHARDWISE_NODE_MAP, self->cursor.line, self->cursor.column);
  gboolean good;

  if (++self->depth > SHARDWISE_JSON_MAX_DEPTH / 2)
    {
      g_autofree char *text = g_strdup_printf (_ ("nested more than %d levels deep"),
                                               SHARDWISE_JSON_MAX_DEPTH / 2);

      shardwise_toml_fail (self, text);
      return NULL;
    }
  good = is_list ? read_array (self, node) : read_inline_table (self, node);
  self->depth--;
  if (!good)
    return NULL;
  g_hash_table_add (self->closed, node);
  return g_steal_pointer (&node);
}

/* ---- tables ---- */

/* [a.b]: the table is new, or was only made on the way to another. */
static gboolean
open_table (ShardwiseToml *self, ShardwiseNode *map, const char *key)
{
  ShardwiseNode *node = shardwise_node_member (map, key);

  if (node != NULL
      && (node->type != SHARDWISE_NODE_MAP || is_closed (self, node)
          || g_hash_table_contains (self->opened, node)))
    return stands_twice (self, key);
  self->table = descend (self, map, key);
  g_hash_table_add (self->opened, self->table);
  return TRUE;
}

static gboolean
open_item (ShardwiseToml *self, ShardwiseNode *map, const char *key)
{
  ShardwiseNode *list = shardwise_node_member (map, key);

  if (list != NULL && (list->type != SHARDWISE_NODE_LIST || is_closed (self, list)))
    return stands_twice (self, key);
  if (list == NULL)
    {
      list = shardwise_node_new (SHARDWISE_NODE_LIST, self->cursor.line, self->cursor.column);
      shardwise_node_set (map, key, list);
    }
  self->table = shardwise_node_new (SHARDWISE_NODE_MAP, self->cursor.line, self->cursor.column);
  shardwise_node_add (list, self->table);
  return TRUE;
}

static gboolean
read_header (ShardwiseToml *self)
{
  const gboolean is_item = shardwise_cursor_starts (&self->cursor, "[[");
  g_autoptr (GPtrArray) key = NULL;
  ShardwiseNode *map = self->root;

  shardwise_cursor_step (&self->cursor, is_item ? 2 : 1);
  key = read_key (self);
  if (key == NULL)
    return FALSE;
  if (!shardwise_cursor_starts (&self->cursor, is_item ? "]]" : "]"))
    return shardwise_toml_fail (self, _ ("] is expected after the name of a table"));
  for (guint i = 0; i + 1 < key->len && map != NULL; i++)
    map = descend (self, map, key->pdata[i]);
  if (map == NULL || !(is_item ? open_item : open_table) (self, map, key->pdata[key->len - 1]))
    return FALSE;
  shardwise_cursor_step (&self->cursor, is_item ? 2 : 1);
  return TRUE;
}

static gboolean
read_document (ShardwiseToml *self)
{
  for (skip_lines (self); self->cursor.at < self->cursor.end; skip_lines (self))
    if (!(*self->cursor.at == '[' ? read_header (self) : read_pair (self, self->table))
        || !end_line (self))
      return FALSE;
  return TRUE;
}

/**
 * shardwise_node_from_toml:
 * @text: valid UTF-8 without NUL
 * @length: its bytes
 *
 * Returns: (transfer full): the document, or %NULL with @error naming line and column
 */
ShardwiseNode *
shardwise_node_from_toml (const char *text, gsize length, GError **error)
{
  g_autoptr (ShardwiseNode) root = shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);
  g_autoptr (GHashTable) closed = g_hash_table_new (NULL, NULL),
                         opened = g_hash_table_new (NULL, NULL);
  ShardwiseToml self = { .cursor = shardwise_cursor_begin (text, length),
                         .root = root,
                         .table = root,
                         .closed = closed,
                         .opened = opened };

  if (read_document (&self))
    return g_steal_pointer (&root);
  g_propagate_error (error, self.error);
  return NULL;
}
