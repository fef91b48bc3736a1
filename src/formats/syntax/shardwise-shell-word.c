/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One word of a script: quotes, backslashes, and the fields that it is cut into. */
#include "shardwise-shell-private.h"

#include <glib/gi18n.h>
#include <string.h>

/* Begins at the place of @reader. */
void
shardwise_shell_field_init (ShardwiseShellField *self, const ShardwiseShellReader *reader,
                            gboolean splits)
{
  *self =
      (ShardwiseShellField){ .fields = g_ptr_array_new_with_free_func (shardwise_shell_word_free),
                             .text = g_string_new (NULL),
                             .splits = splits,
                             .line = reader->cursor.line,
                             .column = reader->cursor.column };
}

/* The field that is being made is whole. */
void
shardwise_shell_field_end (ShardwiseShellField *self)
{
  if (self->is_open)
    g_ptr_array_add (self->fields,
                     shardwise_shell_word_new (self->text->str, self->line, self->column));
  g_string_truncate (self->text, 0);
  self->is_open = FALSE;
}

/* Frees what the field has gathered. */
void
shardwise_shell_field_clear (ShardwiseShellField *self)
{
  g_clear_pointer (&self->fields, g_ptr_array_unref);
  if (self->text != NULL)
    g_string_free (self->text, TRUE);
  self->text = NULL;
}

static gboolean
append (ShardwiseShellReader *self, ShardwiseShellField *field, char c)
{
  g_string_append_c (field->text, c);
  field->is_open = TRUE;
  return shardwise_shell_spend (self, 1);
}

static gboolean
read_single_quotes (ShardwiseShellReader *self, ShardwiseShellField *field)
{
  field->is_open = field->is_quoted = TRUE;
  shardwise_cursor_step (&self->cursor, 1);
  while (shardwise_cursor_peek (&self->cursor, 0) != '\'')
    {
      if (self->cursor.at == self->cursor.end)
        return shardwise_shell_fail (self, _ ("the quote has no end"));
      if (!append (self, field, *self->cursor.at))
        return FALSE;
      shardwise_cursor_step (&self->cursor, 1);
    }
  shardwise_cursor_step (&self->cursor, 1);
  return TRUE;
}

/* Behind a backslash: the character itself, nothing for the end of a line. */
static gboolean
read_escape (ShardwiseShellReader *self, ShardwiseShellField *field, const char *escapable)
{
  char next = shardwise_cursor_peek (&self->cursor, 1);
  const gboolean is_crlf = next == '\r' && shardwise_cursor_peek (&self->cursor, 2) == '\n';
  gboolean good = TRUE;

  if (next == '\n' || is_crlf)
    {
      shardwise_cursor_step (&self->cursor, is_crlf ? 3 : 2);
      return TRUE;
    }
  if (escapable != NULL && (next == '\0' || strchr (escapable, next) == NULL))
    good = append (self, field, '\\');
  shardwise_cursor_step (&self->cursor, 1);
  if (good && self->cursor.at < self->cursor.end)
    {
      good = append (self, field, *self->cursor.at);
      shardwise_cursor_step (&self->cursor, 1);
    }
  return good;
}

/* "${ARRAY[@]}" of no items is no field at all, nor is "$@" of no arguments. */
static gboolean
may_vanish (const ShardwiseShellReader *self)
{
  gsize length = 2;

  if (shardwise_cursor_starts (&self->cursor, "$@\""))
    return TRUE;
  if (!shardwise_cursor_starts (&self->cursor, "${"))
    return FALSE;
  while (g_ascii_isalnum (shardwise_cursor_peek (&self->cursor, length))
         || shardwise_cursor_peek (&self->cursor, length) == '_')
    length++;
  return shardwise_cursor_peek (&self->cursor, length) == '['
         && shardwise_cursor_peek (&self->cursor, length + 1) == '@';
}

static gboolean
read_double_quotes (ShardwiseShellReader *self, ShardwiseShellField *field)
{
  shardwise_cursor_step (&self->cursor, 1);
  field->is_quoted = TRUE;
  field->is_open = field->is_open || !may_vanish (self);
  while (shardwise_cursor_peek (&self->cursor, 0) != '"')
    {
      char c = shardwise_cursor_peek (&self->cursor, 0);
      gboolean good;

      if (self->cursor.at == self->cursor.end)
        return shardwise_shell_fail (self, _ ("the quote has no end"));
      if (c == '\\')
        good = read_escape (self, field, "$`\"\\");
      else if (c == '$' || c == '`')
        good = shardwise_shell_expand (self, field, TRUE);
      else
        {
          good = append (self, field, c);
          shardwise_cursor_step (&self->cursor, 1);
        }
      if (!good)
        return FALSE;
    }
  shardwise_cursor_step (&self->cursor, 1);
  return TRUE;
}

static gboolean
ends_word (char c)
{
  return c == '\0' || strchr (" \t\r\n;&|<>()", c) != NULL;
}

/**
 * shardwise_shell_read_word:
 * @self: at the beginning of a word
 * @field: receives the fields it becomes
 *
 * Returns: whether it is well formed
 */
gboolean
shardwise_shell_read_word (ShardwiseShellReader *self, ShardwiseShellField *field)
{
  gboolean good = TRUE;

  while (good && self->cursor.at < self->cursor.end && !ends_word (*self->cursor.at))
    switch (*self->cursor.at)
      {
      case '\'': good = read_single_quotes (self, field); break;
      case '"': good = read_double_quotes (self, field); break;
      case '\\': good = read_escape (self, field, NULL); break;
      case '$':
      case '`': good = shardwise_shell_expand (self, field, !field->splits); break;
      default:
        good = append (self, field, *self->cursor.at);
        shardwise_cursor_step (&self->cursor, 1);
      }
  shardwise_shell_field_end (field);
  return good;
}
