/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-node.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-error.h"

/**
 * shardwise_node_new:
 * @type: the kind of value
 * @line: its line, from 1
 * @column: its column, in characters
 *
 * Returns: (transfer full): an empty list or map, or a null
 */
ShardwiseNode *
shardwise_node_new (ShardwiseNodeType type, guint line, guint column)
{
  ShardwiseNode *self = g_new0 (ShardwiseNode, 1);

  self->references = 1;
  self->type = type;
  self->line = line;
  self->column = column;
  if (type == SHARDWISE_NODE_LIST || type == SHARDWISE_NODE_MAP)
    {
      self->height = 1;
      self->items = g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_node_unref);
    }
  if (type == SHARDWISE_NODE_MAP)
    {
      self->keys = g_ptr_array_new_with_free_func (g_free);
      self->index = g_hash_table_new (g_str_hash, g_str_equal);
    }
  return self;
}

/**
 * shardwise_node_new_scalar:
 * @type: the kind of value
 * @line: its line
 * @column: its column
 * @text: as written, but a string without its quotes
 * @number: its value, 0 for a string
 *
 * Returns: (transfer full): a scalar
 */
ShardwiseNode *
shardwise_node_new_scalar (ShardwiseNodeType type, guint line, guint column, const char *text,
                           double number)
{
  ShardwiseNode *self = shardwise_node_new (type, line, column);

  self->text = g_strdup (text);
  self->number = number;
  return self;
}

/**
 * shardwise_node_ref:
 * @self: a value
 *
 * Returns: (transfer full): the same
 */
ShardwiseNode *
shardwise_node_ref (ShardwiseNode *self)
{
  self->references++;
  return self;
}

/**
 * shardwise_node_unref:
 * @self: (transfer full) (nullable): a value
 */
void
shardwise_node_unref (ShardwiseNode *self)
{
  if (self == NULL || --self->references > 0)
    return;
  g_free (self->text);
  g_clear_pointer (&self->index, g_hash_table_unref);
  g_clear_pointer (&self->keys, g_ptr_array_unref);
  g_clear_pointer (&self->items, g_ptr_array_unref);
  g_free (self);
}

/**
 * shardwise_node_add:
 * @self: a list
 * @item: (transfer full): its next item
 */
void
shardwise_node_add (ShardwiseNode *self, ShardwiseNode *item)
{
  self->height = MAX (self->height, item->height + 1);
  g_ptr_array_add (self->items, item);
}

/**
 * shardwise_node_set:
 * @self: a map
 * @key: a key
 * @item: (transfer full): its value
 *
 * Returns: whether @key is new; otherwise @item replaces the previous value
 */
gboolean
shardwise_node_set (ShardwiseNode *self, const char *key, ShardwiseNode *item)
{
  gpointer index;
  char *copy;

  if (g_hash_table_lookup_extended (self->index, key, NULL, &index))
    {
      self->height = MAX (self->height, item->height + 1);
      shardwise_node_unref (self->items->pdata[GPOINTER_TO_UINT (index)]);
      self->items->pdata[GPOINTER_TO_UINT (index)] = item;
      return FALSE;
    }
  copy = g_strdup (key);
  g_hash_table_insert (self->index, copy, GUINT_TO_POINTER (self->keys->len));
  g_ptr_array_add (self->keys, copy);
  shardwise_node_add (self, item);
  return TRUE;
}

/**
 * shardwise_node_member:
 * @self: a value
 * @key: a key
 *
 * Returns: (transfer none) (nullable): the value of @key; %NULL if @self is not a map, or lacks it
 */
ShardwiseNode *
shardwise_node_member (const ShardwiseNode *self, const char *key)
{
  gpointer index;

  if (self == NULL || self->type != SHARDWISE_NODE_MAP
      || !g_hash_table_lookup_extended (self->index, key, NULL, &index))
    return NULL;
  return self->items->pdata[GPOINTER_TO_UINT (index)];
}

/**
 * shardwise_node_find:
 * @self: a map
 * @path: nested keys, joined by dots
 *
 * Returns: (transfer none) (nullable): the value
 */
ShardwiseNode *
shardwise_node_find (const ShardwiseNode *self, const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, ".", -1);
  const ShardwiseNode *node = self;

  for (guint i = 0; parts[i] != NULL && node != NULL; i++)
    node = shardwise_node_member (node, parts[i]);
  return (ShardwiseNode *) node;
}

/**
 * shardwise_node_is_number:
 * @self: (nullable): a value
 *
 * Returns: whether it is an integer or a float
 */
gboolean
shardwise_node_is_number (const ShardwiseNode *self)
{
  return self != NULL
         && (self->type == SHARDWISE_NODE_INTEGER || self->type == SHARDWISE_NODE_FLOAT);
}

/**
 * shardwise_node_is_text:
 * @self: (nullable): a value
 * @text: a word
 *
 * Returns: whether it is that word
 */
gboolean
shardwise_node_is_text (const ShardwiseNode *self, const char *text)
{
  return self != NULL && self->type == SHARDWISE_NODE_STRING && g_str_equal (self->text, text);
}

/**
 * shardwise_node_read_integer:
 * @digits: the digits, without underscores
 * @is_yaml: YAML 1.1: a leading 0 makes it octal. Otherwise TOML: 0x, 0o and 0b have no sign, and
 *   no other number begins with 0
 * @value: (out): the integer
 *
 * Returns: whether it is an integer of 63 bits
 */
gboolean
shardwise_node_read_integer (const char *digits, gboolean is_yaml, double *value)
{
  const gboolean is_negative = *digits == '-', is_signed = is_negative || *digits == '+';
  const char *plain = digits + is_signed;
  guint base = 10;
  guint64 number;

  if (plain[0] == '0' && plain[1] != '\0')
    {
      base = plain[1] == 'x' ? 16 : plain[1] == 'b' ? 2 : is_yaml || plain[1] == 'o' ? 8 : 0;
      plain += is_yaml && base == 8 ? 1 : 2;
    }
  if (base == 0 || (base != 10 && is_signed && !is_yaml)
      || !g_ascii_string_to_unsigned (plain, base, 0, G_MAXINT64, &number, NULL))
    return FALSE;
  *value = is_negative ? -(double) number : (double) number;
  return TRUE;
}

/**
 * shardwise_position_error:
 * @line: from 1
 * @column: from 1
 * @format: of the error and the accepted values
 *
 * Returns: (transfer full): an error that begins with the position
 */
GError *
shardwise_position_error (guint line, guint column, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  /* Translators: a position in a file, then what is wrong there */
  return shardwise_error_new (SHARDWISE_ERROR_SYNTAX, NULL, _ ("line %u, column %u: %s"), line,
                              column, text);
}

/* ---- the place in a text that is read ---- */

/**
 * shardwise_cursor_begin:
 * @text: the text; outlives the cursor
 * @length: its bytes
 *
 * Returns: a cursor at the start
 */
ShardwiseCursor
shardwise_cursor_begin (const char *text, gsize length)
{
  return (ShardwiseCursor){ text, text + length, 1, 1 };
}

/**
 * shardwise_cursor_peek:
 * @self: a place
 * @offset: bytes ahead
 *
 * Returns: that byte; NUL after the end
 */
char
shardwise_cursor_peek (const ShardwiseCursor *self, gsize offset)
{
  return (gsize) (self->end - self->at) > offset ? self->at[offset] : '\0';
}

/**
 * shardwise_cursor_starts:
 * @self: a place
 * @text: the expected text
 *
 * Returns: whether it is there
 */
gboolean
shardwise_cursor_starts (const ShardwiseCursor *self, const char *text)
{
  gsize length = strlen (text);

  return (gsize) (self->end - self->at) >= length && memcmp (self->at, text, length) == 0;
}

/**
 * shardwise_cursor_step:
 * @self: a place
 * @n: bytes to advance, at most to the end
 */
void
shardwise_cursor_step (ShardwiseCursor *self, gsize n)
{
  for (; n > 0 && self->at < self->end; n--, self->at++)
    if (*self->at == '\n')
      {
        self->line++;
        self->column = 1;
      }
    else if (((guchar) *self->at & 0xc0) != 0x80)
      self->column++;
}
