/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tokens of Python 3. */
#include "shardwise-node-python-lexer.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-json.h"

/* Keeps the first error, and ends the text. */
void
shardwise_python_fail (ShardwisePython *self, const ShardwisePythonToken *where, const char *text)
{
  if (self->error == NULL)
    self->error = shardwise_position_error (where->line, where->column, "%s", text);
  self->cursor.at = self->cursor.end;
  self->token = (ShardwisePythonToken){ .type = SHARDWISE_PYTHON_END,
                                        .start = self->cursor.end,
                                        .line = self->cursor.line,
                                        .column = self->cursor.column };
}

/* Blanks, comments and joined lines; inside brackets also line breaks. */
static void
skip_blanks (ShardwisePython *self)
{
  for (;;)
    {
      char c = shardwise_cursor_peek (&self->cursor, 0);

      if (c == '#')
        while (self->cursor.at < self->cursor.end && *self->cursor.at != '\n')
          shardwise_cursor_step (&self->cursor, 1);
      else if (c == ' ' || c == '\t' || c == '\f' || c == '\r'
               || (c == '\n' && self->open->len > 0))
        shardwise_cursor_step (&self->cursor, 1);
      else if (c == '\\'
               && (shardwise_cursor_peek (&self->cursor, 1) == '\n'
                   || shardwise_cursor_peek (&self->cursor, 1) == '\r'))
        shardwise_cursor_step (&self->cursor,
                               shardwise_cursor_peek (&self->cursor, 1) == '\n' ? 2 : 3);
      else
        return;
    }
}

static gboolean
is_name_start (char c)
{
  return g_ascii_isalpha (c) || c == '_' || ((guchar) c & 0x80) != 0;
}

static gboolean
is_name (char c)
{
  return is_name_start (c) || g_ascii_isdigit (c);
}

/* ---- strings ---- */

static gboolean
starts_with (const ShardwisePython *self, char quote, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (shardwise_cursor_peek (&self->cursor, i) != quote)
      return FALSE;
  return TRUE;
}

/* A string with the letters before its quote; FALSE: there is none here. */
static gboolean
read_string (ShardwisePython *self)
{
  gboolean formatted = FALSE, ends = FALSE;
  guint braces = 0;
  gsize prefix = 0, n;
  char quote;

  while (prefix < 2 && shardwise_cursor_peek (&self->cursor, prefix) != '\0'
         && strchr ("rRbBuUfFtT", shardwise_cursor_peek (&self->cursor, prefix)) != NULL)
    prefix++;
  quote = shardwise_cursor_peek (&self->cursor, prefix);
  if (quote != '"' && quote != '\'')
    return FALSE;
  for (gsize i = 0; i < prefix; i++)
    formatted = formatted || strchr ("fFtT", shardwise_cursor_peek (&self->cursor, i)) != NULL;
  shardwise_cursor_step (&self->cursor, prefix);
  n = starts_with (self, quote, 3) ? 3 : 1;
  shardwise_cursor_step (&self->cursor, n);

  /* The braces of an f-string may contain any quotes. */
  while (!ends && self->cursor.at < self->cursor.end)
    {
      const char c = *self->cursor.at;

      ends = braces == 0 && starts_with (self, quote, n);
      if (c == '\n' && n == 1)
        break;
      if (formatted && (c == '{' || c == '}') && braces == 0
          && shardwise_cursor_peek (&self->cursor, 1) == c)
        shardwise_cursor_step (&self->cursor, 1);
      else if (formatted && c == '{')
        braces++;
      else if (formatted && c == '}' && braces > 0)
        braces--;
      shardwise_cursor_step (&self->cursor, ends ? n : c == '\\' ? 2 : 1);
    }
  if (ends)
    self->token.type = formatted ? SHARDWISE_PYTHON_FORMATTED : SHARDWISE_PYTHON_STRING;
  else
    shardwise_python_fail (self, &self->token, _ ("the string has no closing quote"));
  return TRUE;
}

/**
 * shardwise_python_append_string:
 * @token: a string
 * @out: receives its text; numeric escapes are kept as written
 */
void
shardwise_python_append_string (const ShardwisePythonToken *token, GString *out)
{
  static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
  gsize prefix = strcspn (token->start, "\"'"), n;
  const char *text = token->start + prefix, *end = token->start + token->length;
  const gboolean raw = memchr (token->start, 'r', prefix) != NULL
                       || memchr (token->start, 'R', prefix) != NULL;

  n = token->length - prefix >= 6 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
  for (const char *c = text + n; c < end - n; c++)
    if (*c != '\\' || raw || c + 1 == end - n || strchr ("xuUN01234567", c[1]) != NULL)
      g_string_append_c (out, *c);
    else if (*++c != '\n')
      {
        const char *at = strchr (from, *c);

        g_string_append_c (out, at != NULL ? to[at - from] : *c);
      }
}

/* ---- numbers and operators ---- */

/**
 * shardwise_python_number:
 * @token: a number
 *
 * Returns: (transfer full) (nullable): its value; %NULL for invalid and imaginary numbers
 */
ShardwiseNode *
shardwise_python_number (const ShardwisePythonToken *token)
{
  g_autofree char *text = g_strndup (token->start, token->length);
  g_auto (GStrv) parts = g_strsplit (text, "_", -1);
  g_autofree char *digits = g_strjoinv ("", parts);
  const guint base = digits[0] != '0'                       ? 10
                     : digits[1] == 'x' || digits[1] == 'X' ? 16
                     : digits[1] == 'o' || digits[1] == 'O' ? 8
                     : digits[1] == 'b' || digits[1] == 'B' ? 2
                                                            : 10;
  guint64 whole;
  double number;
  char *end;

  if (g_ascii_string_to_unsigned (base == 10 ? digits : digits + 2, base, 0, G_MAXINT64, &whole,
                                  NULL))
    return shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, token->line, token->column, digits,
                                      (double) whole);
  number = g_ascii_strtod (digits, &end);
  if (base != 10 || *end != '\0' || end == digits || !isfinite (number))
    return NULL;
  return shardwise_node_new_scalar (SHARDWISE_NODE_FLOAT, token->line, token->column, digits,
                                    number);
}

static void
read_operator (ShardwisePython *self)
{
  static const char *const operators[] = { "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>",
                                           "<<",  "<=",  ">=",  "==",  "!=",  "->", "+=", "-=",
                                           "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "@=", ":=" };
  const char c = shardwise_cursor_peek (&self->cursor, 0);
  gsize length = c != '\0' && strchr ("+-*/%@&|^~<>()[]{},:.;=", c) != NULL ? 1 : 0;

  for (guint i = 0; i < G_N_ELEMENTS (operators) && length <= 1; i++)
    if (shardwise_cursor_starts (&self->cursor, operators[i]))
      length = strlen (operators[i]);
  if (length == 0)
    {
      shardwise_python_fail (self, &self->token, _ ("a character that Python does not allow"));
      return;
    }
  self->token.type = SHARDWISE_PYTHON_OPERATOR;
  shardwise_cursor_step (&self->cursor, length);
  if (length == 1)
    {
      /* Tracks the open brackets. */
      static const char pairs[] = "()[]{}";
      const char *at = strchr (pairs, c);

      if (at == NULL)
        return;
      if ((at - pairs) % 2 == 0)
        {
          g_string_append_c (self->open, c);
          if (self->open->len > SHARDWISE_JSON_MAX_DEPTH)
            shardwise_python_fail (self, &self->token,
                                   _ ("brackets are nested deeper than 64 levels"));
        }
      else if (self->open->len == 0 || self->open->str[self->open->len - 1] != at[-1])
        shardwise_python_fail (self, &self->token, _ ("a closing bracket without an opening one"));
      else
        g_string_truncate (self->open, self->open->len - 1);
    }
}

/* ---- tokens ---- */

/**
 * shardwise_python_next:
 * @self: a text
 *
 * Advances to the next token.
 */
void
shardwise_python_next (ShardwisePython *self)
{
  const char *start;

  if (self->error != NULL)
    return;
  skip_blanks (self);
  start = self->cursor.at;
  self->token = (ShardwisePythonToken){ .type = SHARDWISE_PYTHON_END,
                                        .start = start,
                                        .line = self->cursor.line,
                                        .column = self->cursor.column };
  if (self->cursor.at == self->cursor.end)
    {
      if (self->open->len > 0)
        shardwise_python_fail (self, &self->token, _ ("the bracket is not closed"));
      return;
    }
  if (*start == '\n')
    {
      shardwise_cursor_step (&self->cursor, 1);
      self->token.type = SHARDWISE_PYTHON_NEWLINE;
    }
  else if (g_ascii_isdigit (*start)
           || (*start == '.' && g_ascii_isdigit (shardwise_cursor_peek (&self->cursor, 1))))
    {
      const gboolean is_hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');

      for (char c = *start; is_name (c) || c == '.'
                            || ((c == '+' || c == '-') && !is_hex
                                && (self->cursor.at[-1] == 'e' || self->cursor.at[-1] == 'E'));
           c = shardwise_cursor_peek (&self->cursor, 0))
        shardwise_cursor_step (&self->cursor, 1);
      self->token.type = SHARDWISE_PYTHON_NUMBER;
    }
  else if (!read_string (self))
    {
      if (is_name_start (*start))
        {
          while (is_name (shardwise_cursor_peek (&self->cursor, 0)))
            shardwise_cursor_step (&self->cursor, 1);
          self->token.type = SHARDWISE_PYTHON_NAME;
        }
      else
        read_operator (self);
    }
  if (self->error == NULL)
    self->token.length = (gsize) (self->cursor.at - start);
}

gboolean
shardwise_python_is (const ShardwisePython *self, const char *text)
{
  const ShardwisePythonToken *token = &self->token;

  return (token->type == SHARDWISE_PYTHON_NAME || token->type == SHARDWISE_PYTHON_OPERATOR)
         && token->length == strlen (text) && memcmp (token->start, text, token->length) == 0;
}

gboolean
shardwise_python_take (ShardwisePython *self, const char *text)
{
  if (!shardwise_python_is (self, text))
    return FALSE;
  shardwise_python_next (self);
  return TRUE;
}

gboolean
shardwise_python_expect (ShardwisePython *self, const char *text)
{
  g_autofree char *message = NULL;

  if (shardwise_python_take (self, text))
    return TRUE;
  /* Translators: a bracket or a keyword of Python */
  message = g_strdup_printf (_ ("expected “%s”"), text);
  shardwise_python_fail (self, &self->token, message);
  return FALSE;
}

char *
shardwise_python_token_text (const ShardwisePythonToken *token)
{
  return g_strndup (token->start, token->length);
}
