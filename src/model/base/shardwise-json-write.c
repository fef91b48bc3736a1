/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our JSON as people read it: indented, with the shortest exact numbers. */
#include "shardwise-json.h"

#include <math.h>

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

static void
append_indent (GString *out, guint indent)
{
  g_string_append_c (out, '\n');
  for (guint i = 0; i < indent; i++)
    g_string_append (out, "  ");
}

static gboolean
is_scalar (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node) || JSON_NODE_HOLDS_NULL (node);
}

static void
append_array (GString *out, JsonArray *array, guint indent)
{
  guint length = json_array_get_length (array);
  gboolean inline_items = TRUE;

  for (guint i = 0; i < length; i++)
    inline_items = inline_items && is_scalar (json_array_get_element (array, i));
  g_string_append_c (out, '[');
  for (guint i = 0; i < length; i++)
    {
      if (i > 0)
        g_string_append (out, inline_items ? ", " : ",");
      if (!inline_items)
        append_indent (out, indent + 1);
      append_node (out, json_array_get_element (array, i), indent + 1);
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
      append_indent (out, indent + 1);
      append_string (out, name);
      g_string_append (out, ": ");
      append_node (out, node, indent + 1);
    }
  if (!first)
    append_indent (out, indent);
  g_string_append_c (out, '}');
}

static void
append_value (GString *out, JsonNode *node)
{
  switch (json_node_get_value_type (node))
    {
    case G_TYPE_BOOLEAN:
      g_string_append (out, json_node_get_boolean (node) ? "true" : "false");
      break;
    case G_TYPE_INT64:
      g_string_append_printf (out, "%" G_GINT64_FORMAT, json_node_get_int (node));
      break;
    case G_TYPE_DOUBLE: append_double (out, json_node_get_double (node)); break;
    default: append_string (out, json_node_get_string (node));
    }
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
  else
    append_value (out, node);
}

/**
 * shardwise_json_to_string:
 * @node: a tree that we made
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
