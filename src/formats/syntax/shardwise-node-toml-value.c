/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings, numbers, booleans and dates of TOML. */
#include "shardwise-node-toml.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* ---- strings ---- */

static gboolean
append_code (ShardwiseToml *self, guint n_digits, GString *text)
{
  guint code = 0;

  for (guint i = 0; i < n_digits; i++)
    {
      char c = shardwise_cursor_peek (&self->cursor, 0);

      if (!g_ascii_isxdigit (c))
        return shardwise_toml_fail (self, _ ("hexadecimal digits are expected after \\u and \\U"));
      code = code * 16 + (guint) g_ascii_xdigit_value (c);
      shardwise_cursor_step (&self->cursor, 1);
    }
  if (code == 0 || !g_unichar_validate (code))
    return shardwise_toml_fail (self, _ ("no such character"));
  g_string_append_unichar (text, code);
  return TRUE;
}

/* A backslash at the end of a line joins it to the next text. */
static gboolean
skip_line_end (ShardwiseToml *self)
{
  const char *at = self->cursor.at;

  while (at < self->cursor.end && (*at == ' ' || *at == '\t' || *at == '\r'))
    at++;
  if (at == self->cursor.end || *at != '\n')
    return FALSE;
  while (self->cursor.at < self->cursor.end && g_ascii_isspace (*self->cursor.at))
    shardwise_cursor_step (&self->cursor, 1);
  return TRUE;
}

static gboolean
read_escape (ShardwiseToml *self, GString *text, gboolean is_multi)
{
  static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
  const char *found;
  char c;

  shardwise_cursor_step (&self->cursor, 1);
  if (is_multi && skip_line_end (self))
    return TRUE;
  c = shardwise_cursor_peek (&self->cursor, 0);
  found = c != '\0' ? strchr (from, c) : NULL;
  if (found == NULL && c != 'u' && c != 'U')
    return shardwise_toml_fail (
        self, _ ("unknown escape; accepted: \\b \\t \\n \\f \\r \\\" \\\\ \\uXXXX \\UXXXXXXXX"));
  shardwise_cursor_step (&self->cursor, 1);
  if (found == NULL)
    return append_code (self, c == 'u' ? 4 : 8, text);
  g_string_append_c (text, to[found - from]);
  return TRUE;
}

static gboolean
read_character (ShardwiseToml *self, GString *text, char quote, gboolean is_multi)
{
  char c = shardwise_cursor_peek (&self->cursor, 0);

  if (self->cursor.at == self->cursor.end || (!is_multi && (c == '\n' || c == '\r')))
    return shardwise_toml_fail (self, _ ("the string has no end"));
  if (c == '\\' && quote == '"')
    return read_escape (self, text, is_multi);
  if (((guchar) c < 0x20 && strchr ("\t\n\r", c) == NULL) || c == 0x7f)
    return shardwise_toml_fail (
        self, _ ("a control character stands in a string; write it as an escape"));
  g_string_append_c (text, c);
  shardwise_cursor_step (&self->cursor, 1);
  return TRUE;
}

/**
 * shardwise_toml_read_string:
 * @self: at a quote
 * @text: receives the string
 * @lines: whether it may have several lines, between three quotes
 *
 * Returns: whether it is well formed
 */
gboolean
shardwise_toml_read_string (ShardwiseToml *self, GString *text, gboolean lines)
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
    if (!read_character (self, text, quote, is_multi))
      return FALSE;
  if (is_multi)
    {
      /* Up to two quotes may stand before the three that close a multi-line string. */
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

/* Underscores stand between digits only. Returns the text without them, or NULL. */
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
is_integer (const char *digits, double *value)
{
  const gboolean is_signed = *digits == '-' || *digits == '+';
  const char *plain = digits + is_signed;
  guint base = 10;
  guint64 number;

  if (plain[0] == '0' && plain[1] != '\0')
    {
      base = plain[1] == 'x' ? 16 : plain[1] == 'o' ? 8 : plain[1] == 'b' ? 2 : 0;
      plain += 2;
    }
  if (base == 0 || (base != 10 && is_signed)
      || !g_ascii_string_to_unsigned (plain, base, 0, G_MAXINT64, &number, NULL))
    return FALSE;
  *value = *digits == '-' ? -(double) number : (double) number;
  return TRUE;
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

/* 1979-05-27, 07:32:00 and both, with an offset or without: digits where they belong. */
static gboolean
is_date (const char *word)
{
  gsize length = strlen (word);

  return length >= 8 && g_ascii_isdigit (word[0]) && g_ascii_isdigit (word[1])
         && (word[2] == ':' || (length >= 10 && word[4] == '-' && word[7] == '-'))
         && strspn (word, "0123456789-:+.TtZz ") == length;
}

static ShardwiseNode *
scalar_of_word (ShardwiseToml *self, const char *word)
{
  const gboolean is_true = g_str_equal (word, "true");
  g_autofree char *digits = plain_digits (word);
  double number = 0;

  if (is_true || g_str_equal (word, "false"))
    return shardwise_node_new_scalar (SHARDWISE_NODE_BOOLEAN, self->cursor.line,
                                      self->cursor.column, word, is_true);
  if (digits != NULL && is_integer (digits, &number))
    return shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, self->cursor.line,
                                      self->cursor.column, word, number);
  if (digits != NULL && is_float (digits, &number))
    return shardwise_node_new_scalar (SHARDWISE_NODE_FLOAT, self->cursor.line, self->cursor.column,
                                      word, number);
  if (is_date (word))
    return shardwise_node_new_scalar (SHARDWISE_NODE_STRING, self->cursor.line, self->cursor.column,
                                      word, 0);
  shardwise_toml_fail (self, _ ("not a TOML value; accepted: a string in quotes, a number, true, "
                                "false, a date, an array or a table"));
  return NULL;
}

/**
 * shardwise_toml_read_value:
 * @self: at a value
 *
 * Returns: (transfer full) (nullable): it; %NULL with the error set
 */
ShardwiseNode *
shardwise_toml_read_value (ShardwiseToml *self)
{
  char c = shardwise_cursor_peek (&self->cursor, 0);
  const guint line = self->cursor.line, column = self->cursor.column;
  g_autoptr (GString) text = NULL;

  if (c == '[' || c == '{')
    return shardwise_toml_read_container (self);
  if (c != '"' && c != '\'')
    {
      const char *end = self->cursor.at;
      g_autofree char *word = NULL;
      ShardwiseNode *node;

      while (end < self->cursor.end && strchr (" \t\r\n,]}#", *end) == NULL)
        end++;
      word = g_strndup (self->cursor.at, MIN (end - self->cursor.at, 400));
      node = scalar_of_word (self, word);
      shardwise_cursor_step (&self->cursor, (gsize) (end - self->cursor.at));
      return node;
    }
  text = g_string_new (NULL);
  if (!shardwise_toml_read_string (self, text, TRUE))
    return NULL;
  return shardwise_node_new_scalar (SHARDWISE_NODE_STRING, line, column, text->str, 0);
}
