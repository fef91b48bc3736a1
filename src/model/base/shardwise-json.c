/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json-glib accepts comments, trailing commas and any depth (it recurses), so every text passes
 * this scanner of RFC 8259 first. It reads each byte once and recurses at most
 * SHARDWISE_JSON_MAX_DEPTH times. */
#include "shardwise-json.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "sw-types.h"

typedef struct {
  const char *start, *at, *end;
  guint depth;
  GError *error;
} Scanner;

static gboolean scan_value (Scanner *self);

static gboolean
scan_fail (Scanner *self, const char *text)
{
  guint line = 1, column = 1;

  for (const char *p = self->start; p < self->at; p++)
    {
      if (*p == '\n')
        {
          line++;
          column = 1;
        }
      else if (((guchar) *p & 0xc0) != 0x80) /* columns count characters, not bytes */
        column++;
    }
  if (self->error == NULL)
    /* Translators: a position in a file, then what is wrong there */
    self->error = shardwise_error_new (SHARDWISE_ERROR_SYNTAX, NULL, _ ("line %u, column %u: %s"),
                                       line, column, text);
  return FALSE;
}

static void
scan_space (Scanner *self)
{
  while (self->at < self->end && strchr (" \t\r\n", *self->at) != NULL && *self->at != '\0')
    self->at++;
}

static gboolean
scan_literal (Scanner *self, const char *word)
{
  gsize length = strlen (word);

  if ((gsize) (self->end - self->at) < length || memcmp (self->at, word, length) != 0)
    return scan_fail (self, _ ("not a JSON value; allowed: an object, an array, a string, a "
                               "number, true, false or null"));
  self->at += length;
  return TRUE;
}

static gboolean
scan_digits (Scanner *self)
{
  if (self->at >= self->end || !g_ascii_isdigit (*self->at))
    return scan_fail (self, _ ("this number needs a digit here"));
  while (self->at < self->end && g_ascii_isdigit (*self->at))
    self->at++;
  return TRUE;
}

static gboolean
scan_number (Scanner *self)
{
  const char *start = self->at;
  gboolean is_integer = TRUE;
  g_autofree char *text = NULL;
  double value;

  if (*self->at == '-')
    self->at++;
  if (self->at < self->end && *self->at == '0')
    {
      self->at++;
      if (self->at < self->end && g_ascii_isdigit (*self->at))
        return scan_fail (self, _ ("a number cannot start with 0"));
    }
  else if (!scan_digits (self))
    return FALSE;
  if (self->at < self->end && *self->at == '.')
    {
      is_integer = FALSE;
      self->at++;
      if (!scan_digits (self))
        return FALSE;
    }
  if (self->at < self->end && (*self->at == 'e' || *self->at == 'E'))
    {
      is_integer = FALSE;
      self->at++;
      if (self->at < self->end && (*self->at == '+' || *self->at == '-'))
        self->at++;
      if (!scan_digits (self))
        return FALSE;
    }
  text = g_strndup (start, self->at - start);
  value = g_ascii_strtod (text, NULL);
  self->at = start;
  /* json-glib stores integers in 64 bits and wraps larger ones. */
  if (!isfinite (value) || (is_integer && fabs (value) >= 9.2e18))
    return scan_fail (self, _ ("the number is too large; allowed: up to 9.2e18 as an integer, "
                               "1.7e308 with a point or exponent"));
  self->at = start + strlen (text);
  return TRUE;
}

static gboolean
scan_hex (Scanner *self, guint *code)
{
  *code = 0;
  for (guint i = 0; i < 4; i++, self->at++)
    {
      if (self->at >= self->end || !g_ascii_isxdigit (*self->at))
        return scan_fail (self, _ ("\\u needs four hexadecimal digits"));
      *code = *code * 16 + (guint) g_ascii_xdigit_value (*self->at);
    }
  return TRUE;
}

static gboolean
scan_escape (Scanner *self, GString *text)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *found;

  self->at++;
  if (self->at >= self->end)
    return scan_fail (self, _ ("the string has no end"));
  if (*self->at == 'u')
    {
      guint code, low;

      self->at++;
      if (!scan_hex (self, &code))
        return FALSE;
      if (code >= 0xd800 && code < 0xdc00)
        {
          if (self->end - self->at < 2 || self->at[0] != '\\' || self->at[1] != 'u')
            return scan_fail (self, _ ("incomplete surrogate pair"));
          self->at += 2;
          if (!scan_hex (self, &low))
            return FALSE;
          if (low < 0xdc00 || low > 0xdfff)
            return scan_fail (self, _ ("incomplete surrogate pair"));
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
      else if (code >= 0xdc00 && code <= 0xdfff)
        return scan_fail (self, _ ("incomplete surrogate pair"));
      if (code == 0)
        return scan_fail (self, _ ("a string cannot hold the character U+0000"));
      g_string_append_unichar (text, code);
      return TRUE;
    }
  found = *self->at == '\0' ? NULL : strchr (from, *self->at);
  if (found == NULL)
    return scan_fail (self,
                      _ ("unknown escape; allowed: \\\" \\\\ \\/ \\b \\f \n \\r \\t \\uXXXX"));
  g_string_append_c (text, to[found - from]);
  self->at++;
  return TRUE;
}

/* At the opening quote; `text` receives the decoded string. */
static gboolean
scan_string (Scanner *self, GString *text)
{
  self->at++;
  while (self->at < self->end && *self->at != '"')
    {
      if ((guchar) *self->at < 0x20)
        return scan_fail (self, _ ("a string contains a control character; write it as an escape"));
      if (*self->at == '\\')
        {
          if (!scan_escape (self, text))
            return FALSE;
        }
      else
        g_string_append_c (text, *self->at++);
    }
  if (self->at >= self->end)
    return scan_fail (self, _ ("the string has no end"));
  self->at++;
  return TRUE;
}

static gboolean
scan_member (Scanner *self, GHashTable *names)
{
  g_autoptr (GString) name = g_string_new (NULL);
  const char *start;

  scan_space (self);
  start = self->at;
  if (self->at >= self->end || *self->at != '"')
    return scan_fail (self, _ ("a key in double quotes is required here"));
  if (!scan_string (self, name))
    return FALSE;
  if (!g_hash_table_add (names, g_strdup (name->str)))
    {
      g_autofree char *text = g_strdup_printf (_ ("the key “%s” appears twice in one object"),
                                               name->str);

      self->at = start;
      return scan_fail (self, text);
    }
  scan_space (self);
  if (self->at >= self->end || *self->at != ':')
    return scan_fail (self, _ ("a colon is required after the key"));
  self->at++;
  return scan_value (self);
}

/* Called after the opening bracket; `names` is NULL in an array. */
static gboolean
scan_items (Scanner *self, char close, GHashTable *names)
{
  scan_space (self);
  if (self->at < self->end && *self->at == close)
    {
      self->at++;
      return TRUE;
    }
  for (;;)
    {
      if (!(names != NULL ? scan_member (self, names) : scan_value (self)))
        return FALSE;
      scan_space (self);
      if (self->at >= self->end || (*self->at != ',' && *self->at != close))
        return scan_fail (self,
                          close == '}' ? _ ("expected a comma or }") : _ ("expected a comma or ]"));
      if (*self->at++ == close)
        return TRUE;
    }
}

static gboolean
scan_container (Scanner *self)
{
  g_autoptr (GHashTable) names = NULL;
  gboolean done;

  if (++self->depth > SHARDWISE_JSON_MAX_DEPTH)
    {
      g_autofree char *text = g_strdup_printf (_ ("nested more than %d levels deep"),
                                               SHARDWISE_JSON_MAX_DEPTH);

      return scan_fail (self, text);
    }
  if (*self->at++ == '{')
    {
      names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      done = scan_items (self, '}', names);
    }
  else
    done = scan_items (self, ']', NULL);
  self->depth--;
  return done;
}

static gboolean
scan_value (Scanner *self)
{
  g_autoptr (GString) text = NULL;

  scan_space (self);
  if (self->at >= self->end)
    return scan_fail (self, _ ("the text ends where a value is required"));
  switch (*self->at)
    {
    case '{':
    case '[': return scan_container (self);
    case '"': text = g_string_new (NULL); return scan_string (self, text);
    case 't': return scan_literal (self, "true");
    case 'f': return scan_literal (self, "false");
    case 'n': return scan_literal (self, "null");
    default:
      if (*self->at == '-' || g_ascii_isdigit (*self->at))
        return scan_number (self);
      return scan_fail (self, _ ("not a JSON value; allowed: an object, an array, a string, a "
                                 "number, true, false or null"));
    }
}

/**
 * shardwise_json_check:
 * @text: any bytes
 * @length: their count
 *
 * Returns: whether @text is one RFC 8259 document within the limits of size, depth and number
 * range, without duplicate keys; otherwise @error has the reason with line and column
 */
gboolean
shardwise_json_check (const char *text, gsize length, GError **error)
{
  Scanner scanner = { .start = text, .at = text, .end = text + length };
  const char *invalid;

  g_return_val_if_fail (text != NULL, FALSE);

  if (length > SHARDWISE_JSON_MAX_BYTES)
    {
      g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_SYNTAX, NULL,
                                                     _ ("too large; allowed: at most %u MiB"),
                                                     SHARDWISE_JSON_MAX_BYTES / (1024 * 1024)));
      return FALSE;
    }
  if (!g_utf8_validate (text, (gssize) length, &invalid))
    {
      scanner.at = invalid;
      scan_fail (&scanner, _ ("not UTF-8 text"));
    }
  else if (scan_value (&scanner))
    {
      scan_space (&scanner);
      if (scanner.at == scanner.end)
        return TRUE;
      scan_fail (&scanner, _ ("text after the end of the JSON document"));
    }
  g_propagate_error (error, scanner.error);
  return FALSE;
}

/**
 * shardwise_json_parse:
 * @text: any bytes
 * @length: their count
 *
 * The only way to parse JSON from outside.
 *
 * Returns: (transfer full): the root; %NULL with @error set if shardwise_json_check() rejects
 * @text
 */
JsonNode *
shardwise_json_parse (const char *text, gsize length, GError **error)
{
  g_autoptr (JsonParser) parser = NULL;
  g_autoptr (GError) local = NULL;

  if (!shardwise_json_check (text, length, error))
    return NULL;
  parser = json_parser_new ();
  if (!json_parser_load_from_data (parser, text, (gssize) length, &local))
    {
      g_propagate_error (error,
                         shardwise_error_new (SHARDWISE_ERROR_SYNTAX, NULL, "%s", local->message));
      return NULL;
    }
  return json_parser_steal_root (parser);
}

/* Building blocks of the program's JSON. */

/**
 * shardwise_json_take_object:
 * @object: (transfer full): becomes the root
 *
 * Returns: (transfer full): its node
 */
JsonNode *
shardwise_json_take_object (JsonObject *object)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  json_node_take_object (node, object);
  return node;
}

/**
 * shardwise_json_into_object:
 * @node: (transfer full): its root is an object
 *
 * Returns: (transfer full): that object
 */
JsonObject *
shardwise_json_into_object (JsonNode *node)
{
  g_autoptr (JsonNode) held = node;

  return json_node_dup_object (held);
}

/**
 * shardwise_json_strings:
 * @texts: (nullable) (element-type utf8): sentences
 *
 * Returns: (transfer full): an array of them, empty for %NULL
 */
JsonArray *
shardwise_json_strings (GPtrArray *texts)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; texts != NULL && i < texts->len; i++)
    json_array_add_string_element (array, g_ptr_array_index (texts, i));
  return array;
}

/**
 * shardwise_json_set_gib:
 * @object: to add to
 * @name: of the member, including "gib"
 * @bytes: written in GiB
 */
void
shardwise_json_set_gib (JsonObject *object, const char *name, double bytes)
{
  json_object_set_double_member (object, name, bytes / SW_GIB);
}

/**
 * shardwise_json_set_known:
 * @object: to add to
 * @name: of the member
 * @value: any number
 * @known: whether it is known; unknown values are null, never 0
 */
void
shardwise_json_set_known (JsonObject *object, const char *name, double value, gboolean known)
{
  if (known)
    json_object_set_double_member (object, name, value);
  else
    json_object_set_null_member (object, name);
}

/* The program's JSON for people: indented, with the shortest exact numbers. */

static void append_node (GString *out, JsonNode *node, guint indent);

static void
append_string (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p == '"' || *p == '\\')
        g_string_append_printf (out, "\\%c", *p);
      else if (*p == '\n')
        g_string_append (out, "\\n");
      else if (*p == '\t')
        g_string_append (out, "\\t");
      else if ((guchar) *p < 0x20 || *p == 0x7f)
        g_string_append_printf (out, "\\u%04x", (guint) (guchar) *p);
      else
        g_string_append_c (out, *p);
    }
  g_string_append_c (out, '"');
}

/* The shortest digits that read back to the same number: json-glib writes 0.9 as
 * 0.90000000000000002. */
static void
append_double (GString *out, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value))
    {
      g_critical ("a number for JSON is not finite");
      value = 0;
    }
  for (int digits = 15; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, sizeof buffer, format, value);
      if (g_ascii_strtod (buffer, NULL) == value)
        break;
    }
  g_string_append (out, buffer);
}

/* The indentation of a text on one line. */
#define NO_INDENT G_MAXUINT

/* The indentation of the next level. */
static guint
deeper (guint indent)
{
  return indent == NO_INDENT ? NO_INDENT : indent + 1;
}

static void
append_indent (GString *out, guint indent)
{
  if (indent == NO_INDENT)
    return;
  g_string_append_c (out, '\n');
  for (guint i = 0; i < indent; i++)
    g_string_append (out, "  ");
}

static void
append_array (GString *out, JsonArray *array, guint indent)
{
  guint length = json_array_get_length (array);
  gboolean inline_items = TRUE;

  for (guint i = 0; i < length; i++)
    {
      JsonNode *item = json_array_get_element (array, i);

      inline_items = inline_items && (JSON_NODE_HOLDS_VALUE (item) || JSON_NODE_HOLDS_NULL (item));
    }
  g_string_append_c (out, '[');
  for (guint i = 0; i < length; i++)
    {
      if (i > 0)
        g_string_append (out, inline_items && indent != NO_INDENT ? ", " : ",");
      if (!inline_items)
        append_indent (out, deeper (indent));
      append_node (out, json_array_get_element (array, i), deeper (indent));
    }
  if (!inline_items && length > 0)
    append_indent (out, indent);
  g_string_append_c (out, ']');
}

static void
append_object (GString *out, JsonObject *object, guint indent)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  gboolean first = TRUE;

  g_string_append_c (out, '{');
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      if (!first)
        g_string_append_c (out, ',');
      first = FALSE;
      append_indent (out, deeper (indent));
      append_string (out, name);
      g_string_append (out, indent == NO_INDENT ? ":" : ": ");
      append_node (out, node, deeper (indent));
    }
  if (!first)
    append_indent (out, indent);
  g_string_append_c (out, '}');
}

static void
append_node (GString *out, JsonNode *node, guint indent)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    append_object (out, json_node_get_object (node), indent);
  else if (JSON_NODE_HOLDS_ARRAY (node))
    append_array (out, json_node_get_array (node), indent);
  else if (JSON_NODE_HOLDS_NULL (node))
    g_string_append (out, "null");
  else if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    g_string_append (out, json_node_get_boolean (node) ? "true" : "false");
  else if (json_node_get_value_type (node) == G_TYPE_INT64)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, json_node_get_int (node));
  else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    append_double (out, json_node_get_double (node));
  else
    append_string (out, json_node_get_string (node));
}

/**
 * shardwise_json_to_string:
 * @node: a tree created by the program
 *
 * Returns: (transfer full): indented JSON with the shortest exact numbers, ending in a line break
 */
char *
shardwise_json_to_string (JsonNode *node)
{
  GString *out = g_string_new (NULL);

  append_node (out, node, 0);
  g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}

/**
 * shardwise_json_to_line:
 * @node: a tree created by the program
 *
 * Returns: (transfer full): the same without spaces and line breaks
 */
char *
shardwise_json_to_line (JsonNode *node)
{
  GString *out = g_string_new (NULL);

  append_node (out, node, NO_INDENT);
  return g_string_free (out, FALSE);
}
