/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-node-json.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-json.h"
#include "shardwise-node.h"

/* JSON with the position of every value: the strict parser provides the values, a second pass over
 * the same text their positions. */

static void
skip_blanks (ShardwiseCursor *place)
{
  while (place->at < place->end && g_ascii_isspace (*place->at))
    shardwise_cursor_step (place, 1);
}

/* The text was checked: all brackets, quotes and commas are in place. */
static void
skip_string (ShardwiseCursor *place)
{
  shardwise_cursor_step (place, 1);
  while (place->at < place->end && *place->at != '"')
    {
      if (*place->at == '\\')
        shardwise_cursor_step (place, 1);
      shardwise_cursor_step (place, 1);
    }
  shardwise_cursor_step (place, 1);
}

static ShardwiseNode *
walk (JsonNode *json, ShardwiseCursor *place)
{
  const gboolean is_map = JSON_NODE_HOLDS_OBJECT (json), is_list = JSON_NODE_HOLDS_ARRAY (json);
  g_autofree char *text = NULL;
  ShardwiseCursor start;

  skip_blanks (place);
  start = *place;
  if (is_map || is_list)
    {
      ShardwiseNode *node = shardwise_node_new (is_map ? SHARDWISE_NODE_MAP : SHARDWISE_NODE_LIST,
                                                place->line, place->column);
      JsonObjectIter iter;
      const char *name;
      JsonNode *member;

      if (is_map)
        json_object_iter_init_ordered (&iter, json_node_get_object (json));
      while (is_map && json_object_iter_next_ordered (&iter, &name, &member))
        {
          shardwise_cursor_step (place, 1); /* the brace or the comma */
          skip_blanks (place);
          skip_string (place);
          skip_blanks (place);
          shardwise_cursor_step (place, 1); /* the colon */
          shardwise_node_set (node, name, walk (member, place));
          skip_blanks (place);
        }
      for (guint i = 0; is_list && i < json_array_get_length (json_node_get_array (json)); i++)
        {
          shardwise_cursor_step (place, 1); /* the bracket or the comma */
          shardwise_node_add (node,
                              walk (json_array_get_element (json_node_get_array (json), i), place));
          skip_blanks (place);
        }
      if (node->items->len == 0)
        shardwise_cursor_step (place, 1);
      skip_blanks (place);
      shardwise_cursor_step (place, 1);
      return node;
    }
  if (*place->at == '"')
    skip_string (place);
  else
    while (place->at < place->end && strchr (",]} \t\r\n", *place->at) == NULL)
      shardwise_cursor_step (place, 1);
  text = g_strndup (start.at, place->at - start.at);
  switch (json_node_get_value_type (json))
    {
    case G_TYPE_BOOLEAN:
      return shardwise_node_new_scalar (SHARDWISE_NODE_BOOLEAN, start.line, start.column, text,
                                        json_node_get_boolean (json));
    case G_TYPE_INT64:
      return shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, start.line, start.column, text,
                                        (double) json_node_get_int (json));
    case G_TYPE_DOUBLE:
      return shardwise_node_new_scalar (SHARDWISE_NODE_FLOAT, start.line, start.column, text,
                                        json_node_get_double (json));
    case G_TYPE_STRING:
      return shardwise_node_new_scalar (SHARDWISE_NODE_STRING, start.line, start.column,
                                        json_node_get_string (json), 0);
    default: return shardwise_node_new (SHARDWISE_NODE_NULL, start.line, start.column);
    }
}

/**
 * shardwise_node_from_json:
 * @text: valid UTF-8
 * @length: its bytes
 *
 * Returns: (transfer full): the document, or %NULL with @error with line and column
 */
ShardwiseNode *
shardwise_node_from_json (const char *text, gsize length, GError **error)
{
  g_autoptr (JsonNode) json = shardwise_json_parse (text, length, error);
  ShardwiseCursor place = shardwise_cursor_begin (text, length);

  return json != NULL ? walk (json, &place) : NULL;
}

/* Hjson, which DeepSpeed's loader accepts: JSON with comments, keys and texts without quotes,
 * optional commas, commas before a bracket, multiline texts, and optional outer braces. */

typedef struct {
  ShardwiseCursor cursor;
  guint depth;
  guint first; /* line of the first extension of JSON; 0: none so far */
  GError *error;
} Reader;

static ShardwiseNode *read_value (Reader *self);

/* ---- the cursor ---- */

static gpointer
fail (Reader *self, const char *text)
{
  if (self->error == NULL)
    self->error = shardwise_position_error (self->cursor.line, self->cursor.column, "%s", text);
  return NULL;
}

static void
mark (Reader *self)
{
  if (self->first == 0)
    self->first = self->cursor.line;
}

static gboolean
is_comment (const Reader *self)
{
  return shardwise_cursor_peek (&self->cursor, 0) == '#'
         || shardwise_cursor_starts (&self->cursor, "//")
         || shardwise_cursor_starts (&self->cursor, "/*");
}

static void
skip_space (Reader *self)
{
  while (self->cursor.at < self->cursor.end
         && (g_ascii_isspace (*self->cursor.at) || is_comment (self)))
    if (is_comment (self))
      {
        mark (self);
        if (shardwise_cursor_starts (&self->cursor, "/*"))
          {
            while (self->cursor.at < self->cursor.end
                   && !shardwise_cursor_starts (&self->cursor, "*/"))
              shardwise_cursor_step (&self->cursor, 1);
            shardwise_cursor_step (&self->cursor, 2);
          }
        else
          while (self->cursor.at < self->cursor.end && *self->cursor.at != '\n')
            shardwise_cursor_step (&self->cursor, 1);
      }
    else
      shardwise_cursor_step (&self->cursor, 1);
}

/* ---- texts ---- */

static gboolean
read_code_unit (Reader *self, gunichar *out)
{
  *out = 0;
  for (guint i = 0; i < 4; i++)
    {
      int digit = g_ascii_xdigit_value (shardwise_cursor_peek (&self->cursor, i));

      if (digit < 0)
        return FALSE;
      *out = *out * 16 + (guint) digit;
    }
  shardwise_cursor_step (&self->cursor, 4);
  return TRUE;
}

static gboolean
read_escape (Reader *self, GString *text)
{
  static const char codes[] = "\"'\\/bfnrt", values[] = "\"'\\/\b\f\n\r\t";
  const char code = shardwise_cursor_peek (&self->cursor, 1);
  const char *found = code != '\0' ? strchr (codes, code) : NULL;

  shardwise_cursor_step (&self->cursor, 2);
  if (code == 'u')
    {
      /* After "\u": one character, from two code units outside the first plane. */
      gunichar high, low;

      if (!read_code_unit (self, &high))
        return FALSE;
      if (high >= 0xd800 && high < 0xdc00 && shardwise_cursor_starts (&self->cursor, "\\u"))
        {
          shardwise_cursor_step (&self->cursor, 2);
          if (!read_code_unit (self, &low) || low < 0xdc00 || low > 0xdfff)
            return FALSE;
          high = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        }
      if (high == 0 || !g_unichar_validate (high))
        return FALSE;
      g_string_append_unichar (text, high);
      return TRUE;
    }
  if (found != NULL)
    g_string_append_c (text, values[found - codes]);
  return found != NULL;
}

/* Between two quotes of either kind, on one line. */
static char *
read_quoted (Reader *self)
{
  const char quote = *self->cursor.at;
  g_autoptr (GString) text = g_string_new (NULL);

  if (quote == '\'')
    mark (self);
  shardwise_cursor_step (&self->cursor, 1);
  while (shardwise_cursor_peek (&self->cursor, 0) != quote)
    {
      const guint column = self->cursor.column;

      if (self->cursor.at == self->cursor.end || *self->cursor.at == '\n')
        return fail (self, _ ("the text has no closing quote"));
      if (*self->cursor.at != '\\')
        {
          g_string_append_c (text, *self->cursor.at);
          shardwise_cursor_step (&self->cursor, 1);
        }
      else if (!read_escape (self, text))
        {
          self->cursor.column = column;
          return fail (self, _ ("invalid JSON escape"));
        }
    }
  shardwise_cursor_step (&self->cursor, 1);
  return g_strdup (text->str);
}

/* Between three single quotes; the indentation of the first line is removed from all. */
static char *
read_lines (Reader *self)
{
  const guint indent = self->cursor.column - 1;
  g_autoptr (GString) text = g_string_new (NULL);

  mark (self);
  shardwise_cursor_step (&self->cursor, 3);
  while (self->cursor.at < self->cursor.end && strchr (" \t\r", *self->cursor.at) != NULL)
    shardwise_cursor_step (&self->cursor, 1);
  while (!shardwise_cursor_starts (&self->cursor, "'''"))
    {
      const gboolean is_break = shardwise_cursor_peek (&self->cursor, 0) == '\n';

      if (self->cursor.at == self->cursor.end)
        return fail (self, _ ("the text has no closing quotes"));
      if (*self->cursor.at != '\r' && (!is_break || text->len > 0))
        g_string_append_c (text, *self->cursor.at);
      shardwise_cursor_step (&self->cursor, 1);
      while (is_break && self->cursor.column <= indent
             && (shardwise_cursor_peek (&self->cursor, 0) == ' '
                 || shardwise_cursor_peek (&self->cursor, 0) == '\t'))
        shardwise_cursor_step (&self->cursor, 1);
    }
  shardwise_cursor_step (&self->cursor, 3);
  if (text->len > 0 && text->str[text->len - 1] == '\n')
    g_string_truncate (text, text->len - 1);
  return g_strdup (text->str);
}

/* ---- values without quotes ---- */

/* A number or a word of JSON; %NULL: a text. */
static ShardwiseNode *
literal (const char *text, guint line, guint column)
{
  const char *at = text + (*text == '-');
  gsize digits = strspn (at, "0123456789");

  if (g_str_equal (text, "true") || g_str_equal (text, "false"))
    return shardwise_node_new_scalar (SHARDWISE_NODE_BOOLEAN, line, column, text, *text == 't');
  if (g_str_equal (text, "null"))
    return shardwise_node_new (SHARDWISE_NODE_NULL, line, column);
  if (digits == 0 || (digits > 1 && *at == '0'))
    return NULL;
  at += digits;
  if (*at == '.')
    {
      digits = strspn (at + 1, "0123456789");
      at += digits > 0 ? digits + 1 : 0;
    }
  if (*at == 'e' || *at == 'E')
    {
      at += at[1] == '+' || at[1] == '-' ? 2 : 1;
      at += strspn (at, "0123456789");
    }
  if (*at != '\0' || !g_ascii_isdigit (at[-1]) || !isfinite (g_ascii_strtod (text, NULL)))
    return NULL;
  return shardwise_node_new_scalar (strpbrk (text, ".eE") != NULL ? SHARDWISE_NODE_FLOAT
                                                                  : SHARDWISE_NODE_INTEGER,
                                    line, column, text, g_ascii_strtod (text, NULL));
}

/* To the end of the line, including commas, unless a number or a word of JSON ends before. Words of
 * JSON are short, which keeps the time linear in the length of the line. */
static ShardwiseNode *
read_bare (Reader *self)
{
  const char *start = self->cursor.at;
  const guint line = self->cursor.line, column = self->cursor.column;
  g_autofree char *text = NULL;
  ShardwiseNode *node;

  if (strchr (",:]}", *start) != NULL)
    return fail (self, _ ("expected a value"));
  for (; self->cursor.at < self->cursor.end && *self->cursor.at != '\n';
       shardwise_cursor_step (&self->cursor, 1))
    if ((strchr (",]}", *self->cursor.at) != NULL || is_comment (self))
        && self->cursor.at - start < 400)
      {
        g_autofree char *so_far = g_strstrip (g_strndup (start, self->cursor.at - start));
        ShardwiseNode *found = literal (so_far, line, column);

        if (found != NULL)
          return found;
      }
  text = g_strstrip (g_strndup (start, self->cursor.at - start));
  node = literal (text, line, column);
  if (node != NULL)
    return node;
  if (self->first == 0)
    self->first = line;
  return shardwise_node_new_scalar (SHARDWISE_NODE_STRING, line, column, text, 0);
}

/* ---- groups ---- */

static gboolean
read_member (Reader *self, ShardwiseNode *map)
{
  const guint line = self->cursor.line, column = self->cursor.column;
  const char *start = self->cursor.at;
  g_autofree char *key = NULL;
  ShardwiseNode *value;

  if (*start == '"' || *start == '\'')
    key = read_quoted (self);
  else
    {
      mark (self);
      while (self->cursor.at < self->cursor.end && !g_ascii_isspace (*self->cursor.at)
             && strchr (":{}[],", *self->cursor.at) == NULL)
        shardwise_cursor_step (&self->cursor, 1);
      key = self->cursor.at > start ? g_strndup (start, self->cursor.at - start)
                                    : fail (self, _ ("expected a key"));
    }
  if (key == NULL)
    return FALSE;
  skip_space (self);
  if (shardwise_cursor_peek (&self->cursor, 0) != ':')
    return fail (self, _ ("expected a colon after the key")) != NULL;
  shardwise_cursor_step (&self->cursor, 1);
  value = read_value (self);
  if (value == NULL)
    return FALSE;
  if (shardwise_node_set (map, key, value))
    return TRUE;
  if (self->error == NULL)
    self->error = shardwise_position_error (line, column, _ ("the key “%.60s” occurs twice"), key);
  return FALSE;
}

/* close: ']' of a list, '}' of a map, or NUL of a map without braces. The comma is optional at the
 * end of a line, and allowed before the bracket. */
static ShardwiseNode *
read_group (Reader *self, char close)
{
  g_autoptr (ShardwiseNode) group = shardwise_node_new (close == ']' ? SHARDWISE_NODE_LIST
                                                                     : SHARDWISE_NODE_MAP,
                                                        self->cursor.line, self->cursor.column);

  if (close != '\0')
    shardwise_cursor_step (&self->cursor, 1);
  skip_space (self);
  while (self->cursor.at < self->cursor.end)
    {
      gboolean has_comma;

      if (close != '\0' && *self->cursor.at == close)
        {
          shardwise_cursor_step (&self->cursor, 1);
          return g_steal_pointer (&group);
        }
      if (close != ']')
        {
          if (!read_member (self, group))
            return NULL;
        }
      else
        {
          ShardwiseNode *item = read_value (self);

          if (item == NULL)
            return NULL;
          shardwise_node_add (group, item);
        }
      skip_space (self);
      has_comma = shardwise_cursor_peek (&self->cursor, 0) == ',';
      if (has_comma)
        {
          shardwise_cursor_step (&self->cursor, 1);
          skip_space (self);
        }
      if (has_comma == (shardwise_cursor_peek (&self->cursor, 0) == close))
        mark (self);
    }
  if (close == '\0')
    return g_steal_pointer (&group);
  return fail (self, close == '}' ? _ ("expected }") : _ ("expected ]"));
}

static ShardwiseNode *
read_value (Reader *self)
{
  g_autofree char *text = NULL;
  guint line, column;

  skip_space (self);
  line = self->cursor.line;
  column = self->cursor.column;
  if (self->cursor.at == self->cursor.end)
    return fail (self, _ ("expected a value"));
  if (*self->cursor.at == '{' || *self->cursor.at == '[')
    {
      ShardwiseNode *group;

      if (++self->depth > SHARDWISE_JSON_MAX_DEPTH)
        {
          text = g_strdup_printf (_ ("nested more than %d levels deep"), SHARDWISE_JSON_MAX_DEPTH);
          return fail (self, text);
        }
      group = read_group (self, *self->cursor.at == '{' ? '}' : ']');
      self->depth--;
      return group;
    }
  if (*self->cursor.at != '"' && *self->cursor.at != '\'')
    return read_bare (self);
  text = shardwise_cursor_starts (&self->cursor, "'''") ? read_lines (self) : read_quoted (self);
  return text != NULL ? shardwise_node_new_scalar (SHARDWISE_NODE_STRING, line, column, text, 0)
                      : NULL;
}

/**
 * shardwise_node_from_hjson:
 * @text: valid UTF-8
 * @length: its bytes
 * @first: (out): the first line with an extension of JSON; 0: it is JSON
 *
 * Follows the loader of DeepSpeed 0.19.6 (hjson 3.1), which refuses duplicate keys.
 *
 * Returns: (transfer full): the document, or %NULL with @error with line and column
 */
ShardwiseNode *
shardwise_node_from_hjson (const char *text, gsize length, guint *first, GError **error)
{
  Reader self = { .cursor = shardwise_cursor_begin (text, length) };
  g_autoptr (ShardwiseNode) root = NULL;

  skip_space (&self);
  if (shardwise_cursor_peek (&self.cursor, 0) == '{'
      || shardwise_cursor_peek (&self.cursor, 0) == '[')
    root = read_value (&self);
  else
    root = read_group (&self, '\0');
  skip_space (&self);
  if (root != NULL && self.cursor.at < self.cursor.end)
    {
      g_clear_pointer (&root, shardwise_node_unref);
      fail (&self, _ ("expected the end of the document"));
    }
  if (root == NULL)
    g_propagate_error (error, self.error);
  *first = self.first;
  return g_steal_pointer (&root);
}
