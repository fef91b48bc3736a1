/* SPDX-License-Identifier: GPL-3.0-or-later */
/* $name, ${name…}, $(( … )) and $( … ): values from the script itself; the output of a command is
 * never known, since none is run. */
#include "shardwise-shell-private.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_DEPTH 16

static const char unknown_text[] = { SHARDWISE_NODE_UNKNOWN, '\0' };

/* ---- values into fields ---- */

static gboolean
append_piece (ShardwiseShellReader *self, ShardwiseShellField *field, const char *text,
              gsize length)
{
  g_string_append_len (field->text, text, (gssize) length);
  field->is_open = TRUE;
  return shardwise_shell_spend (self, length + 16);
}

/* Outside quotes a value is cut at spaces; its fields stand where the variable was set. */
static gboolean
append_value (ShardwiseShellReader *self, ShardwiseShellField *field,
              const ShardwiseShellWord *value, gboolean quoted)
{
  const char *at = value->text;

  if (quoted)
    return append_piece (self, field, at, strlen (at));
  while (*at != '\0')
    {
      gsize length = strcspn (at, " \t\r\n");

      if (length == 0)
        {
          shardwise_shell_field_end (field);
          at += strspn (at, " \t\r\n");
          continue;
        }
      if (!field->is_open)
        {
          field->line = value->line;
          field->column = value->column;
        }
      if (!append_piece (self, field, at, length))
        return FALSE;
      at += length;
    }
  return TRUE;
}

static gboolean
append_array (ShardwiseShellReader *self, ShardwiseShellField *field, GPtrArray *items,
              gboolean quoted)
{
  for (guint i = 0; i < items->len; i++)
    {
      const ShardwiseShellWord *item = items->pdata[i];

      if (i > 0 && field->splits)
        shardwise_shell_field_end (field);
      else if (i > 0 && !append_piece (self, field, " ", 1)) /* assigned to a plain variable */
        return FALSE;
      if (!field->is_open)
        {
          field->line = item->line;
          field->column = item->column;
        }
      if (!append_value (self, field, item, quoted))
        return FALSE;
    }
  return TRUE;
}

static gboolean
append_unknown (ShardwiseShellReader *self, ShardwiseShellField *field)
{
  return append_piece (self, field, unknown_text, 1);
}

/* ---- commands ---- */

/**
 * shardwise_shell_skip_brackets:
 * @self: at an opening bracket
 * @open: that bracket
 * @close: the one that closes it
 *
 * Skips to behind the bracket that closes the one at the cursor.
 *
 * Returns: whether there is one
 */
gboolean
shardwise_shell_skip_brackets (ShardwiseShellReader *self, char open, char close)
{
  guint depth = 0;

  while (self->cursor.at < self->cursor.end)
    {
      char c = *self->cursor.at;

      if (c == '\\')
        shardwise_cursor_step (&self->cursor, 1);
      else if (c == '\'' || c == '"')
        {
          /* From a quote to behind the one that closes it; in double quotes a backslash guards the character
           * behind it. */
          const char quote = *self->cursor.at;

          do
            {
              if (quote == '"' && *self->cursor.at == '\\')
                shardwise_cursor_step (&self->cursor, 1);
              shardwise_cursor_step (&self->cursor, 1);
            }
          while (self->cursor.at < self->cursor.end && *self->cursor.at != quote);
        }
      else if (c == open)
        depth++;
      else if (c == close && --depth == 0)
        {
          shardwise_cursor_step (&self->cursor, 1);
          return TRUE;
        }
      shardwise_cursor_step (&self->cursor, 1);
    }
  return shardwise_shell_fail (self, _ ("the bracket has no end"));
}

static gboolean
skip_backquotes (ShardwiseShellReader *self)
{
  do
    {
      if (*self->cursor.at == '\\')
        shardwise_cursor_step (&self->cursor, 1);
      shardwise_cursor_step (&self->cursor, 1);
    }
  while (self->cursor.at < self->cursor.end && *self->cursor.at != '`');
  if (self->cursor.at == self->cursor.end)
    return shardwise_shell_fail (self, _ ("the quote has no end"));
  shardwise_cursor_step (&self->cursor, 1);
  return TRUE;
}

static char *
lookup_cb (const char *name, gpointer data)
{
  ShardwiseShellReader *self = data;
  const ShardwiseShellWord *value = g_hash_table_lookup (self->values, name);

  return value != NULL ? g_strdup (value->text) : NULL;
}

static gboolean
expand_arithmetic (ShardwiseShellReader *self, ShardwiseShellField *field)
{
  const char *start = self->cursor.at + 3;
  g_autofree char *sum = NULL, *text = NULL;
  gint64 result;

  shardwise_cursor_step (&self->cursor, 1);
  if (!shardwise_shell_skip_brackets (self, '(', ')'))
    return FALSE;
  sum = g_strndup (start, MAX (0, self->cursor.at - 2 - start));
  if (!shardwise_shell_arithmetic (sum, lookup_cb, self, &result))
    return append_unknown (self, field);
  text = g_strdup_printf ("%" G_GINT64_FORMAT, result);
  return append_piece (self, field, text, strlen (text));
}

/* ---- variables ---- */

static gboolean
expand_name (ShardwiseShellReader *self, ShardwiseShellField *field, const char *name,
             gboolean quoted)
{
  const ShardwiseShellWord *value = g_hash_table_lookup (self->values, name);
  GPtrArray *items = g_hash_table_lookup (self->arrays, name);

  if (value != NULL)
    return append_value (self, field, value, quoted);
  if (items != NULL && items->len > 0)
    return append_value (self, field, items->pdata[0], quoted);
  return append_unknown (self, field);
}

/* A text inside a text, such as the default of ${NAME:-default}. */
static gboolean
expand_inner (ShardwiseShellReader *self, ShardwiseShellField *field, const char *text,
              gboolean quoted)
{
  const ShardwiseCursor outer = self->cursor;
  ShardwiseShellField inner;
  gboolean good = TRUE;

  if (self->depth >= MAX_DEPTH)
    return shardwise_shell_fail (self, _ ("variables are nested too deep"));
  self->depth++;
  self->cursor.at = text;
  self->cursor.end = text + strlen (text);
  shardwise_shell_field_init (&inner, self, FALSE);
  while (good && self->cursor.at < self->cursor.end)
    {
      const char *before = self->cursor.at;

      good = shardwise_shell_read_word (self, &inner);
      if (good && self->cursor.at == before) /* a space or a bracket, which is itself here */
        {
          g_ptr_array_add (inner.fields,
                           shardwise_shell_word_new ((char[]){ *before, '\0' }, 0, 0));
          shardwise_cursor_step (&self->cursor, 1);
        }
    }
  self->cursor = outer;
  self->depth--;
  for (guint i = 0; good && i < inner.fields->len; i++)
    {
      const ShardwiseShellWord *part = inner.fields->pdata[i];

      ShardwiseShellWord word = { (char *) part->text, self->cursor.line, self->cursor.column };

      good = append_value (self, field, &word, quoted);
    }
  shardwise_shell_field_clear (&inner);
  return good;
}

static gboolean
is_set (ShardwiseShellReader *self, const char *name, gboolean or_empty)
{
  const ShardwiseShellWord *value = g_hash_table_lookup (self->values, name);

  if (value == NULL)
    return g_hash_table_contains (self->arrays, name);
  return or_empty || *value->text != '\0';
}

/* ${NAME:=default}: the variable has that value from here on. */
static gboolean
assign_default (ShardwiseShellReader *self, const char *name, const char *word)
{
  const guint line = self->cursor.line, column = self->cursor.column;
  ShardwiseShellField value;
  gboolean good;

  shardwise_shell_field_init (&value, self, FALSE);
  good = expand_inner (self, &value, word, TRUE);
  if (good)
    shardwise_shell_set_value (self, name, value.text->str, line, column);
  shardwise_shell_field_clear (&value);
  return good;
}

/* ${NAME:-default} and its kin; anything else that can follow a name gives an unknown value. */
static gboolean
expand_operator (ShardwiseShellReader *self, ShardwiseShellField *field, const char *name,
                 const char *rest, gboolean quoted)
{
  const gboolean colon = *rest == ':';
  const char operation = rest[colon];
  const char *word = rest + colon + 1;
  const gboolean known = is_set (self, name, !colon);

  if (operation == '\0' || strchr ("-=+?", operation) == NULL)
    return append_unknown (self, field);
  if (operation == '+')
    return !known || expand_inner (self, field, word, quoted);
  if (!known && operation == '=' && !assign_default (self, name, word))
    return FALSE;
  if (known || operation != '-')
    return expand_name (self, field, name, quoted);
  return expand_inner (self, field, word, quoted);
}

/* ${NAME[@]}, ${NAME[*]}, ${NAME[3]} */
static gboolean
expand_item (ShardwiseShellReader *self, ShardwiseShellField *field, const char *name,
             const char *rest, gboolean quoted)
{
  GPtrArray *items = g_hash_table_lookup (self->arrays, name);
  guint64 index;
  g_autofree char *inside = g_strndup (rest + 1, strcspn (rest + 1, "]"));

  if (g_str_equal (inside, "@") || g_str_equal (inside, "*"))
    {
      if (items != NULL)
        return append_array (self, field, items, quoted);
      return !g_hash_table_contains (self->values, name) || expand_name (self, field, name, quoted);
    }
  if (items != NULL && g_ascii_string_to_unsigned (inside, 10, 0, G_MAXUINT, &index, NULL)
      && index < items->len)
    return append_value (self, field, items->pdata[index], quoted);
  return append_unknown (self, field);
}

static gboolean
expand_braces (ShardwiseShellReader *self, ShardwiseShellField *field, gboolean quoted)
{
  const char *start = self->cursor.at + 2;
  g_autofree char *inside = NULL, *name = NULL;
  gsize length = 0;

  shardwise_cursor_step (&self->cursor, 1);
  if (!shardwise_shell_skip_brackets (self, '{', '}'))
    return FALSE;
  inside = g_strndup (start, self->cursor.at - 1 - start);
  while (g_ascii_isalnum (inside[length]) || inside[length] == '_')
    length++;
  name = g_strndup (inside, length);
  if (length == 0)
    return append_unknown (self, field);
  if (inside[length] == '\0')
    return expand_name (self, field, name, quoted);
  if (inside[length] == '[')
    return expand_item (self, field, name, inside + length, quoted);
  return expand_operator (self, field, name, inside + length, quoted);
}

static gboolean
expand_plain (ShardwiseShellReader *self, ShardwiseShellField *field, gboolean quoted)
{
  const char *start = self->cursor.at + 1;
  gsize length = 0;
  g_autofree char *name = NULL;

  while (start + length < self->cursor.end
         && (g_ascii_isalnum (start[length]) || start[length] == '_'))
    length++;
  if (length > 0)
    {
      name = g_strndup (start, length);
      shardwise_cursor_step (&self->cursor, length + 1);
      return expand_name (self, field, name, quoted);
    }
  if (start < self->cursor.end && strchr ("@*", *start) != NULL) /* the user's own arguments */
    {
      shardwise_cursor_step (&self->cursor, 2);
      return TRUE;
    }
  if (start < self->cursor.end && strchr ("#?$!-", *start) != NULL)
    {
      shardwise_cursor_step (&self->cursor, 2);
      return append_unknown (self, field);
    }
  shardwise_cursor_step (&self->cursor, 1);
  return append_piece (self, field, "$", 1);
}

/**
 * shardwise_shell_expand:
 * @self: at a dollar or a backquote
 * @field: receives the value
 * @quoted: whether it stands in double quotes, and is not cut at spaces
 *
 * Returns: whether it is well formed
 */
gboolean
shardwise_shell_expand (ShardwiseShellReader *self, ShardwiseShellField *field, gboolean quoted)
{
  if (*self->cursor.at == '`')
    return skip_backquotes (self) && append_unknown (self, field);
  if (shardwise_cursor_starts (&self->cursor, "$(("))
    return expand_arithmetic (self, field);
  if (shardwise_cursor_starts (&self->cursor, "$("))
    {
      shardwise_cursor_step (&self->cursor, 1);
      return shardwise_shell_skip_brackets (self, '(', ')') && append_unknown (self, field);
    }
  if (shardwise_cursor_starts (&self->cursor, "${"))
    return expand_braces (self, field, quoted);
  return expand_plain (self, field, quoted);
}
