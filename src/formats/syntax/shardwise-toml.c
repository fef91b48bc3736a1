/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-toml.h"

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
 * @value: valid UTF-8 of any content
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
 * @values: valid UTF-8, ended by %NULL
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
