/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-toml.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-json.h"

/**
 * shardwise_toml_table:
 * @toml: a document
 * @name: the table's bare or dotted key
 */
void
shardwise_toml_table (GString *toml, const char *name)
{
  g_string_append_printf (toml, "%s[%s]\n", toml->len > 0 ? "\n" : "", name);
}

/**
 * shardwise_toml_int:
 * @toml: a document
 * @key: a bare key
 * @value: an integer
 */
void
shardwise_toml_int (GString *toml, const char *key, gint64 value)
{
  g_string_append_printf (toml, "%s = %" G_GINT64_FORMAT "\n", key, value);
}

/**
 * shardwise_toml_bool:
 * @toml: a document
 * @key: a bare key
 * @value: a truth value
 */
void
shardwise_toml_bool (GString *toml, const char *key, gboolean value)
{
  shardwise_toml_word (toml, key, value ? "true" : "false");
}

/**
 * shardwise_toml_word:
 * @toml: a document
 * @key: a bare key
 * @value: a number as TOML writes it: "1.5e-4"
 */
void
shardwise_toml_word (GString *toml, const char *key, const char *value)
{
  g_string_append_printf (toml, "%s = %s\n", key, value);
}

/* A basic string: quotes, backslashes and control characters are escaped, the rest is UTF-8. */
static void
append_string (GString *toml, const char *value)
{
  g_string_append_c (toml, '"');
  for (const char *c = value; *c != '\0'; c++)
    {
      guchar byte = (guchar) *c;

      if (byte == '"' || byte == '\\')
        g_string_append_printf (toml, "\\%c", byte);
      else if (byte < 0x20 || byte == 0x7f)
        g_string_append_printf (toml, "\\u%04X", byte);
      else
        g_string_append_c (toml, *c);
    }
  g_string_append_c (toml, '"');
}

/**
 * shardwise_toml_string:
 * @toml: a document
 * @key: a bare key
 * @value: any valid UTF-8
 */
void
shardwise_toml_string (GString *toml, const char *key, const char *value)
{
  g_string_append_printf (toml, "%s = ", key);
  append_string (toml, value);
  g_string_append_c (toml, '\n');
}

/**
 * shardwise_toml_strings:
 * @toml: a document
 * @key: a bare key
 * @values: valid UTF-8, terminated by %NULL
 */
void
shardwise_toml_strings (GString *toml, const char *key, const char *const *values)
{
  g_string_append_printf (toml, "%s = [", key);
  for (guint i = 0; values[i] != NULL; i++)
    {
      g_string_append (toml, i > 0 ? ", " : "");
      append_string (toml, values[i]);
    }
  g_string_append (toml, "]\n");
}

/* ---- the reader: TOML 1.0. Dates are kept as strings: no configuration that we read has one
 * ---- */

typedef struct {
  ShardwiseCursor cursor;
  guint depth;
  ShardwiseNode *root, *table; /* the current table */
  GHashTable *closed, *opened; /* complete nodes, and tables with a header */
  GError *error;
} Reader;

static gboolean
fail (Reader *self, const char *text)
{
  if (self->error == NULL)
    self->error = shardwise_position_error (self->cursor.line, self->cursor.column, "%s", text);
  return FALSE;
}

static void
skip_blanks (Reader *self)
{
  while (shardwise_cursor_peek (&self->cursor, 0) == ' '
         || shardwise_cursor_peek (&self->cursor, 0) == '\t')
    shardwise_cursor_step (&self->cursor, 1);
}

static void
skip_comment (Reader *self)
{
  if (shardwise_cursor_peek (&self->cursor, 0) == '#')
    while (self->cursor.at < self->cursor.end && *self->cursor.at != '\n')
      shardwise_cursor_step (&self->cursor, 1);
}

/* Also skips line breaks: between lines and inside arrays. */
static void
skip_lines (Reader *self)
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

/* ---- strings ---- */

static gboolean
read_escape (Reader *self, GString *text, gboolean is_multi)
{
  static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
  const char *found;
  gunichar code = 0;
  char c;

  shardwise_cursor_step (&self->cursor, 1);
  if (is_multi)
    {
      /* A backslash at the end of a line joins it to the next line. */
      gsize n = 0;

      do
        c = shardwise_cursor_peek (&self->cursor, n++);
      while (c == ' ' || c == '\t' || c == '\r');
      if (c == '\n')
        {
          while (self->cursor.at < self->cursor.end && g_ascii_isspace (*self->cursor.at))
            shardwise_cursor_step (&self->cursor, 1);
          return TRUE;
        }
    }
  c = shardwise_cursor_peek (&self->cursor, 0);
  found = c != '\0' ? strchr (from, c) : NULL;
  if (found == NULL && c != 'u' && c != 'U')
    return fail (self,
                 _ ("unknown escape; allowed: \\b \\t \\n \\f \\r \\\" \\\\ \\uXXXX \\UXXXXXXXX"));
  shardwise_cursor_step (&self->cursor, 1);
  if (found != NULL)
    {
      g_string_append_c (text, to[found - from]);
      return TRUE;
    }
  for (guint i = 0; i < (c == 'u' ? 4 : 8); i++)
    {
      const int digit = g_ascii_xdigit_value (shardwise_cursor_peek (&self->cursor, 0));

      if (digit < 0)
        return fail (self, _ ("expected hexadecimal digits after \\u and \\U"));
      code = code * 16 + (guint) digit;
      shardwise_cursor_step (&self->cursor, 1);
    }
  if (code == 0 || !g_unichar_validate (code))
    return fail (self, _ ("this character does not exist"));
  g_string_append_unichar (text, code);
  return TRUE;
}

/* At a quote; lines: between three quotes, so that it may have several lines. FALSE: malformed. */
static gboolean
read_string (Reader *self, GString *text, gboolean lines)
{
  const char quote = *self->cursor.at;
  const char triple[] = { quote, quote, quote, '\0' };
  const gboolean is_multi = lines && shardwise_cursor_starts (&self->cursor, triple);

  shardwise_cursor_step (&self->cursor, is_multi ? 3 : 1);
  if (is_multi && shardwise_cursor_starts (&self->cursor, "\r\n"))
    shardwise_cursor_step (&self->cursor, 2);
  else if (is_multi && shardwise_cursor_peek (&self->cursor, 0) == '\n')
    shardwise_cursor_step (&self->cursor, 1);
  while (is_multi ? !shardwise_cursor_starts (&self->cursor, triple)
                  : shardwise_cursor_peek (&self->cursor, 0) != quote)
    {
      const char c = shardwise_cursor_peek (&self->cursor, 0);

      if (self->cursor.at == self->cursor.end || (!is_multi && (c == '\n' || c == '\r')))
        return fail (self, _ ("the string has no end"));
      if (c == '\\' && quote == '"')
        {
          if (!read_escape (self, text, is_multi))
            return FALSE;
          continue;
        }
      if (((guchar) c < 0x20 && strchr ("\t\n\r", c) == NULL) || c == 0x7f)
        return fail (self, _ ("a string contains a control character; write it as an escape"));
      g_string_append_c (text, c);
      shardwise_cursor_step (&self->cursor, 1);
    }
  if (is_multi)
    {
      /* Up to two quotes may precede the three that close a multi-line string. */
      shardwise_cursor_step (&self->cursor, 3);
      for (guint i = 0; i < 2 && shardwise_cursor_peek (&self->cursor, 0) == quote; i++)
        {
          g_string_append_c (text, quote);
          shardwise_cursor_step (&self->cursor, 1);
        }
    }
  else
    shardwise_cursor_step (&self->cursor, 1);
  return TRUE;
}

/* ---- numbers ---- */

/* Underscores are only allowed between digits. Returns the text without them, or NULL. */
static char *
plain_digits (const char *word)
{
  GString *text = g_string_new (NULL);

  for (const char *c = word; *c != '\0'; c++)
    {
      if (*c != '_')
        g_string_append_c (text, *c);
      else if (c == word || !g_ascii_isxdigit (c[-1]) || !g_ascii_isxdigit (c[1]))
        return g_string_free (text, TRUE);
    }
  return g_string_free (text, FALSE);
}

static gboolean
skip_digits (const char **at)
{
  const char *start = *at;

  while (g_ascii_isdigit (**at))
    (*at)++;
  return *at > start;
}

static gboolean
is_float (const char *digits, double *value)
{
  const char *at = digits + (*digits == '-' || *digits == '+');
  gboolean part = FALSE;

  if ((at[0] == '0' && g_ascii_isdigit (at[1])) || !skip_digits (&at))
    return FALSE;
  if (*at == '.')
    {
      at++;
      part = skip_digits (&at);
      if (!part)
        return FALSE;
    }
  if (*at == 'e' || *at == 'E')
    {
      at += at[1] == '-' || at[1] == '+' ? 2 : 1;
      part = skip_digits (&at);
    }
  *value = g_ascii_strtod (digits, NULL);
  return part && *at == '\0' && isfinite (*value);
}

/* ---- keys ---- */

/* "a.b.c": the parts. */
static GPtrArray *
read_key (Reader *self)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);

  for (;;)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      char c;

      skip_blanks (self);
      c = shardwise_cursor_peek (&self->cursor, 0);
      if (c == '"' || c == '\'')
        {
          if (!read_string (self, text, FALSE))
            return NULL;
        }
      else
        {
          for (; g_ascii_isalnum (c) || c == '_' || c == '-';
               c = shardwise_cursor_peek (&self->cursor, 0))
            {
              g_string_append_c (text, c);
              shardwise_cursor_step (&self->cursor, 1);
            }
          if (text->len == 0)
            {
              fail (self, _ ("expected a key: letters, digits, _ and -, or a string"));
              return NULL;
            }
        }
      g_ptr_array_add (parts, g_strdup (text->str));
      skip_blanks (self);
      if (parts->len > SHARDWISE_JSON_MAX_DEPTH / 2)
        {
          fail (self, _ ("a key with too many parts"));
          return NULL;
        }
      if (shardwise_cursor_peek (&self->cursor, 0) != '.')
        return g_steal_pointer (&parts);
      shardwise_cursor_step (&self->cursor, 1);
    }
}

/* An inline table is complete: nothing can be added to it later. */
static gboolean
is_closed (Reader *self, const ShardwiseNode *node)
{
  return g_hash_table_contains (self->closed, node);
}

static gboolean
stands_twice (Reader *self, const char *key)
{
  g_autofree char *text = g_strdup_printf (_ ("the key “%s” occurs twice"), key);

  return fail (self, text);
}

/* The map at @key in @map, created if missing; of an array of tables the last one. */
static ShardwiseNode *
descend (Reader *self, ShardwiseNode *map, const char *key)
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

static gboolean read_pair (Reader *self, ShardwiseNode *map);
static ShardwiseNode *read_value (Reader *self);

/* An array or an inline table, to which nothing can be added afterward. */
static ShardwiseNode *
read_container (Reader *self)
{
  const gboolean is_list = *self->cursor.at == '[';
  const char close = is_list ? ']' : '}';
  g_autoptr (ShardwiseNode) node = shardwise_node_new (
      is_list ? SHARDWISE_NODE_LIST : SHARDWISE_NODE_MAP, self->cursor.line, self->cursor.column);

  if (++self->depth > SHARDWISE_JSON_MAX_DEPTH / 2)
    {
      g_autofree char *text = g_strdup_printf (_ ("nested more than %d levels deep"),
                                               SHARDWISE_JSON_MAX_DEPTH / 2);

      fail (self, text);
      return NULL;
    }
  for (guint i = 0;; i++)
    {
      ShardwiseNode *item;

      shardwise_cursor_step (&self->cursor, 1); /* the bracket or the comma */
      (is_list ? skip_lines : skip_blanks) (self);
      /* A comma may precede the end of an array. */
      if (shardwise_cursor_peek (&self->cursor, 0) == close && (i == 0 || is_list))
        break;
      if (is_list)
        {
          item = read_value (self);
          if (item == NULL)
            return NULL;
          shardwise_node_add (node, item);
          skip_lines (self);
        }
      else
        {
          if (!read_pair (self, node))
            return NULL;
          skip_blanks (self);
        }
      if (shardwise_cursor_peek (&self->cursor, 0) == close)
        break;
      if (shardwise_cursor_peek (&self->cursor, 0) != ',')
        {
          fail (self, is_list ? _ ("expected a comma or ]") : _ ("expected a comma or }"));
          return NULL;
        }
    }
  shardwise_cursor_step (&self->cursor, 1);
  self->depth--;
  g_hash_table_add (self->closed, node);
  return g_steal_pointer (&node);
}

/* (transfer full) (nullable): the current value; NULL with the error set. */
static ShardwiseNode *
read_value (Reader *self)
{
  const char c = shardwise_cursor_peek (&self->cursor, 0);
  const guint line = self->cursor.line, column = self->cursor.column;
  g_autofree char *word = NULL, *digits = NULL;
  const char *end = self->cursor.at;
  ShardwiseNodeType type;
  double number = 0;
  gsize length;

  if (c == '[' || c == '{')
    return read_container (self);
  if (c == '"' || c == '\'')
    {
      g_autoptr (GString) text = g_string_new (NULL);

      if (!read_string (self, text, TRUE))
        return NULL;
      return shardwise_node_new_scalar (SHARDWISE_NODE_STRING, line, column, text->str, 0);
    }
  while (end < self->cursor.end && strchr (" \t\r\n,]}#", *end) == NULL)
    end++;
  word = g_strndup (self->cursor.at, MIN (end - self->cursor.at, 400));
  digits = plain_digits (word);
  length = strlen (word);
  if (g_str_equal (word, "true") || g_str_equal (word, "false"))
    {
      type = SHARDWISE_NODE_BOOLEAN;
      number = *word == 't';
    }
  else if (digits != NULL && shardwise_node_read_integer (digits, FALSE, &number))
    type = SHARDWISE_NODE_INTEGER;
  else if (digits != NULL && is_float (digits, &number))
    type = SHARDWISE_NODE_FLOAT;
  /* 1979-05-27, 07:32:00 and both, with or without an offset: digits in the right places. */
  else if (length >= 8 && g_ascii_isdigit (word[0]) && g_ascii_isdigit (word[1])
           && (word[2] == ':' || (length >= 10 && word[4] == '-' && word[7] == '-'))
           && strspn (word, "0123456789-:+.TtZz ") == length)
    {
      type = SHARDWISE_NODE_STRING;
      number = 0;
    }
  else
    {
      fail (self, _ ("not a TOML value; allowed: a string in quotes, a number, true, false, a "
                     "date, an array or a table"));
      return NULL;
    }
  shardwise_cursor_step (&self->cursor, (gsize) (end - self->cursor.at));
  return shardwise_node_new_scalar (type, line, column, word, number);
}

/* key = value into @map; dotted keys create the intermediate tables. */
static gboolean
read_pair (Reader *self, ShardwiseNode *map)
{
  g_autoptr (GPtrArray) key = read_key (self);
  ShardwiseNode *value;
  const char *last;

  if (key == NULL)
    return FALSE;
  if (shardwise_cursor_peek (&self->cursor, 0) != '=')
    return fail (self, _ ("expected = after a key"));
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
  value = read_value (self);
  if (value == NULL)
    return FALSE;
  shardwise_node_set (map, last, value);
  return TRUE;
}

/* ---- tables ---- */

/* [a.b]: the table is new, or was only created as an intermediate one. */
static gboolean
open_table (Reader *self, ShardwiseNode *map, const char *key)
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
open_item (Reader *self, ShardwiseNode *map, const char *key)
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
read_header (Reader *self)
{
  const gboolean is_item = shardwise_cursor_starts (&self->cursor, "[[");
  g_autoptr (GPtrArray) key = NULL;
  ShardwiseNode *map = self->root;

  shardwise_cursor_step (&self->cursor, is_item ? 2 : 1);
  key = read_key (self);
  if (key == NULL)
    return FALSE;
  if (!shardwise_cursor_starts (&self->cursor, is_item ? "]]" : "]"))
    return fail (self, _ ("expected ] after the name of a table"));
  for (guint i = 0; i + 1 < key->len && map != NULL; i++)
    map = descend (self, map, key->pdata[i]);
  if (map == NULL || !(is_item ? open_item : open_table) (self, map, key->pdata[key->len - 1]))
    return FALSE;
  shardwise_cursor_step (&self->cursor, is_item ? 2 : 1);
  return TRUE;
}

/**
 * shardwise_node_from_toml:
 * @text: valid UTF-8 without NUL
 * @length: its bytes
 *
 * Returns: (transfer full): the document, or %NULL with @error with line and column
 */
ShardwiseNode *
shardwise_node_from_toml (const char *text, gsize length, GError **error)
{
  g_autoptr (ShardwiseNode) root = shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);
  g_autoptr (GHashTable) closed = g_hash_table_new (NULL, NULL),
                         opened = g_hash_table_new (NULL, NULL);
  Reader self = { .cursor = shardwise_cursor_begin (text, length),
                  .root = root,
                  .table = root,
                  .closed = closed,
                  .opened = opened };

  for (skip_lines (&self); self.error == NULL && self.cursor.at < self.cursor.end;
       skip_lines (&self))
    {
      if (!(*self.cursor.at == '[' ? read_header (&self) : read_pair (&self, self.table)))
        break;
      skip_blanks (&self);
      skip_comment (&self);
      if (self.cursor.at < self.cursor.end && *self.cursor.at != '\n'
          && !shardwise_cursor_starts (&self.cursor, "\r\n"))
        fail (&self, _ ("expected the end of the line after a value"));
    }
  if (self.error == NULL)
    return g_steal_pointer (&root);
  g_propagate_error (error, self.error);
  return NULL;
}
