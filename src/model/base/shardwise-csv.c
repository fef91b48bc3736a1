/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-csv.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

struct _ShardwiseCsv {
  GHashTable *columns; /* name -> index + 1 */
  GPtrArray *rows;     /* of GPtrArray of char * */
  GArray *lines;       /* of guint: where each row begins */
};

typedef struct {
  const char *at, *end;
  guint line;
} Reader;

static gboolean
csv_fail (guint line, const char *text, GError **error)
{
  /* Translators: a line of a CSV file, then what is wrong there */
  g_propagate_error (
      error, shardwise_error_new (SHARDWISE_ERROR_SYNTAX, NULL, _ ("line %u: %s"), line, text));
  return FALSE;
}

static gboolean
at_line_end (const Reader *reader)
{
  return reader->at >= reader->end || *reader->at == '\n'
         || (*reader->at == '\r' && reader->at + 1 < reader->end && reader->at[1] == '\n');
}

static gboolean
read_quoted (Reader *reader, GString *field, GError **error)
{
  guint line = reader->line;

  for (reader->at++; reader->at < reader->end; reader->at++)
    {
      if (*reader->at == '"')
        {
          reader->at++;
          if (reader->at >= reader->end || *reader->at != '"')
            return TRUE;
        }
      if (*reader->at == '\n')
        reader->line++;
      g_string_append_c (field, *reader->at);
    }
  return csv_fail (line, _ ("a quoted field is not closed"), error);
}

static gboolean
read_field (Reader *reader, GString *field, GError **error)
{
  const char *start = reader->at;

  g_string_truncate (field, 0);
  if (reader->at < reader->end && *reader->at == '"')
    {
      if (!read_quoted (reader, field, error))
        return FALSE;
      if (!at_line_end (reader) && *reader->at != ',')
        return csv_fail (reader->line, _ ("text after a closing quote"), error);
      return TRUE;
    }
  for (; !at_line_end (reader) && *reader->at != ','; reader->at++)
    if (*reader->at == '"')
      return csv_fail (reader->line, _ ("a quote in a field that does not start with a quote"),
                       error);
  g_string_append_len (field, start, reader->at - start);
  return TRUE;
}

static GPtrArray *
read_record (Reader *reader, GError **error)
{
  g_autoptr (GPtrArray) record = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) field = g_string_new (NULL);

  for (;;)
    {
      if (!read_field (reader, field, error))
        return NULL;
      g_ptr_array_add (record, g_strdup (field->str));
      if (at_line_end (reader))
        break;
      reader->at++;
    }
  if (reader->at < reader->end && *reader->at == '\r')
    reader->at++;
  if (reader->at < reader->end)
    reader->at++;
  reader->line++;
  return g_steal_pointer (&record);
}

static gboolean
read_rows (ShardwiseCsv *self, Reader *reader, GError **error)
{
  while (reader->at < reader->end)
    {
      guint line = reader->line;
      GPtrArray *record = read_record (reader, error);

      if (record == NULL)
        return FALSE;
      if (record->len == 1 && *(const char *) g_ptr_array_index (record, 0) == '\0')
        {
          g_ptr_array_unref (record); /* an empty line */
          continue;
        }
      g_ptr_array_add (self->rows, record);
      g_array_append_val (self->lines, line);
      if (record->len != g_hash_table_size (self->columns))
        {
          g_autofree char *text = g_strdup_printf (_ ("%u fields; allowed: %u, as in the header"),
                                                   record->len, g_hash_table_size (self->columns));

          return csv_fail (line, text, error);
        }
    }
  return TRUE;
}

/**
 * shardwise_csv_parse:
 * @text: the table
 * @length: its bytes, or -1 if it ends with a zero
 * @error: #SHARDWISE_ERROR_SYNTAX with the line
 *
 * Returns: (transfer full): the table; NULL with @error set
 */
ShardwiseCsv *
shardwise_csv_parse (const char *text, gssize length, GError **error)
{
  g_autoptr (ShardwiseCsv) self = g_new0 (ShardwiseCsv, 1);
  g_autoptr (GPtrArray) header = NULL;
  gsize size = length < 0 ? strlen (text) : (gsize) length;
  Reader reader = { text, text + size, 1 };

  self->columns = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  self->lines = g_array_new (FALSE, FALSE, sizeof (guint));
  if (!g_utf8_validate (text, size, NULL))
    {
      csv_fail (1, _ ("not UTF-8 text"), error);
      return NULL;
    }
  if (g_str_has_prefix (text, "\xef\xbb\xbf")) /* the byte order mark that spreadsheets write */
    reader.at += 3;
  header = read_record (&reader, error);
  if (header == NULL)
    return NULL;
  for (guint i = 0; i < header->len; i++)
    if (!g_hash_table_insert (self->columns, g_strdup (g_ptr_array_index (header, i)),
                              GUINT_TO_POINTER (i + 1)))
      {
        csv_fail (1, _ ("the same column appears twice"), error);
        return NULL;
      }
  return read_rows (self, &reader, error) ? g_steal_pointer (&self) : NULL;
}

/**
 * shardwise_csv_free:
 * @self: (transfer full): a table
 */
void
shardwise_csv_free (ShardwiseCsv *self)
{
  g_hash_table_unref (self->columns);
  g_ptr_array_unref (self->rows);
  g_array_unref (self->lines);
  g_free (self);
}

/**
 * shardwise_csv_n_rows:
 * @self: a table
 *
 * Returns: rows without the header
 */
guint
shardwise_csv_n_rows (const ShardwiseCsv *self)
{
  return self->rows->len;
}

/**
 * shardwise_csv_line:
 * @self: a table
 * @row: from 0
 *
 * Returns: the line at which that row begins, from 1
 */
guint
shardwise_csv_line (const ShardwiseCsv *self, guint row)
{
  return g_array_index (self->lines, guint, row);
}

/**
 * shardwise_csv_has_column:
 * @self: a table
 * @column: a name
 *
 * Returns: whether the header names that column
 */
gboolean
shardwise_csv_has_column (const ShardwiseCsv *self, const char *column)
{
  return g_hash_table_contains (self->columns, column);
}

/**
 * shardwise_csv_text:
 * @self: a table
 * @row: from 0
 * @column: a name
 *
 * Returns: (transfer none): the field; "" if it is empty or the table has no such column
 */
const char *
shardwise_csv_text (const ShardwiseCsv *self, guint row, const char *column)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->columns, column));

  if (index == 0)
    return "";
  return g_ptr_array_index ((GPtrArray *) g_ptr_array_index (self->rows, row), index - 1);
}

/**
 * shardwise_csv_number:
 * @self: a table
 * @row: from 0
 * @column: a name
 * @value: (out): set if the field is not empty, otherwise unchanged
 * @error: #SHARDWISE_ERROR_TYPE with line and column if the field is not a finite number >= 0
 *
 * Returns: FALSE with @error set
 */
gboolean
shardwise_csv_number (const ShardwiseCsv *self, guint row, const char *column, double *value,
                      GError **error)
{
  const char *text = shardwise_csv_text (self, row, column);
  guint digits = 0, whole = 0;
  char *end;
  double number;

  if (*text == '\0')
    return TRUE;
  /* Most numbers of a table are short integers: they need no strtod(). */
  for (; g_ascii_isdigit (text[digits]) && digits < 9; digits++)
    whole = whole * 10 + (guint) g_ascii_digit_value (text[digits]);
  if (digits > 0 && text[digits] == '\0')
    {
      *value = whole;
      return TRUE;
    }
  number = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || !isfinite (number) || number < 0)
    {
      g_propagate_error (
          error,
          shardwise_error_new (
              SHARDWISE_ERROR_TYPE, column,
              _ ("line %u: “%.40s” is not valid; allowed: a number of at least 0, or nothing"),
              shardwise_csv_line (self, row), text));
      return FALSE;
    }
  *value = number;
  return TRUE;
}

/**
 * shardwise_csv_append_field:
 * @csv: the table being written
 * @text: a field
 *
 * Appends the field, quoted if it contains a comma, a quote or a line end (RFC 4180).
 */
void
shardwise_csv_append_field (GString *csv, const char *text)
{
  g_return_if_fail (csv != NULL && text != NULL);

  if (strpbrk (text, ",\"\r\n") == NULL)
    {
      g_string_append (csv, text);
      return;
    }
  g_string_append_c (csv, '"');
  for (const char *c = text; *c != '\0'; c++)
    {
      if (*c == '"')
        g_string_append_c (csv, '"');
      g_string_append_c (csv, *c);
    }
  g_string_append_c (csv, '"');
}
