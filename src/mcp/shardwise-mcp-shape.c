/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an answer holds: one text is its schema, and what is taken into it. */
#include "shardwise-mcp-shape.h"

#include <math.h>
#include <string.h>

#include "shardwise-json.h"

/* Numbers have so many significant digits: more than any of them is good for. */
#define DIGITS 4

static void walk (const char **at, JsonObject *schema, JsonObject *from, JsonObject *to);

/* ---- schema ---- */

static JsonObject *
schema_new (const char *type, gboolean nullable)
{
  JsonObject *schema = json_object_new ();

  if (nullable)
    {
      JsonArray *types = json_array_new ();

      json_array_add_string_element (types, type);
      json_array_add_string_element (types, "null");
      json_object_set_array_member (schema, "type", types);
    }
  else
    json_object_set_string_member (schema, "type", type);
  return schema;
}

static const char *
type_name (char letter)
{
  switch (letter)
    {
    case 's': return "string";
    case 'i': return "integer";
    case 'n': return "number";
    case 'b': return "boolean";
    case 'o': return "object";
    default: g_return_val_if_reached ("string");
    }
}

/* ---- values ---- */

static double
rounded (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  g_snprintf (format, sizeof format, "%%.%dg", DIGITS);
  g_ascii_formatd (buffer, sizeof buffer, format, value);
  return g_ascii_strtod (buffer, NULL);
}

/* The value for a member of a kind; NULL: it is none. */
static JsonNode *
value_of (char letter, gboolean nullable, JsonNode *node)
{
  JsonNode *out;

  if (JSON_NODE_HOLDS_NULL (node))
    return nullable ? json_node_new (JSON_NODE_NULL) : NULL;
  if (letter == 'o')
    return JSON_NODE_HOLDS_OBJECT (node) ? json_node_copy (node) : NULL;
  if (!JSON_NODE_HOLDS_VALUE (node))
    return NULL;
  if (json_node_get_value_type (node) != G_TYPE_DOUBLE)
    return json_node_copy (node);
  out = json_node_new (JSON_NODE_VALUE);
  if (letter == 'i')
    json_node_set_int (out, (gint64) round (json_node_get_double (node)));
  else
    json_node_set_double (out, rounded (json_node_get_double (node)));
  return out;
}

/* ---- both ---- */

static gboolean
take (const char **at, char c)
{
  if (**at != c)
    return FALSE;
  (*at)++;
  return TRUE;
}

/* Reads what stands behind a name, or behind its brackets; @schema (out) (nullable): of one value.
 * @node: (nullable): the value. Returns (nullable): what is taken of it. */
static JsonNode *
kind (const char **at, JsonObject **schema, JsonNode *node)
{
  if (take (at, ':'))
    {
      const char letter = *(*at)++;
      const gboolean nullable = take (at, '?');

      if (schema != NULL)
        *schema = schema_new (type_name (letter), nullable);
      return node != NULL ? value_of (letter, nullable, node) : NULL;
    }
  if (take (at, '='))
    {
      const gsize length = strcspn (*at, " }");
      g_autofree char *text = g_strndup (*at, length);
      g_auto (GStrv) words = g_strsplit (text, "|", -1);

      *at += length;
      if (schema != NULL)
        {
          JsonArray *all = json_array_new ();

          for (guint i = 0; words[i] != NULL; i++)
            json_array_add_string_element (all, words[i]);
          *schema = schema_new ("string", FALSE);
          json_object_set_array_member (*schema, "enum", all);
        }
      return node != NULL ? value_of ('s', FALSE, node) : NULL;
    }
  if (take (at, '{'))
    {
      JsonObject *from = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node)
                                                                       : NULL,
                 *to = from != NULL ? json_object_new () : NULL;
      JsonNode *out = NULL;
      gboolean nullable;

      if (schema != NULL)
        *schema = json_object_new ();
      walk (at, schema != NULL ? *schema : NULL, from, to);
      take (at, '}');
      nullable = take (at, '?');
      if (schema != NULL && nullable)
        {
          JsonObject *held = schema_new ("object", TRUE);

          json_object_set_member (*schema, "type",
                                  json_node_copy (json_object_get_member (held, "type")));
          json_object_unref (held);
        }
      if (to != NULL)
        return shardwise_json_take_object (to);
      if (node != NULL && JSON_NODE_HOLDS_NULL (node) && nullable)
        out = json_node_new (JSON_NODE_NULL);
      return out;
    }
  g_return_val_if_reached (NULL);
}

/* The same of an array, behind its bracket. */
static JsonNode *
array (const char **at, JsonObject **schema, JsonNode *node)
{
  const guint64 most = g_ascii_strtoull (*at, (char **) at, 10);
  JsonArray *from = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node)
                                                                 : NULL,
            *to = from != NULL ? json_array_new () : NULL;
  JsonObject *items = NULL;
  JsonNode *out;
  const char *start;

  take (at, ']');
  start = *at;
  kind (at, schema != NULL ? &items : NULL, NULL);
  if (schema != NULL)
    {
      *schema = schema_new ("array", FALSE);
      json_object_set_object_member (*schema, "items", items);
      if (most > 0)
        json_object_set_int_member (*schema, "maxItems", (gint64) most);
    }
  if (from == NULL)
    return NULL;
  for (guint i = 0; i < json_array_get_length (from) && (most == 0 || i < most); i++)
    {
      const char *again = start;
      JsonNode *one = kind (&again, NULL, json_array_get_element (from, i));

      if (one != NULL)
        json_array_add_element (to, one);
    }
  out = json_node_new (JSON_NODE_ARRAY);
  json_node_take_array (out, to);
  return out;
}

/* Reads members up to the closing brace or the end. @schema: (nullable): receives theirs.
 * @from: (nullable): what they are taken from into @to. */
static void
walk (const char **at, JsonObject *schema, JsonObject *from, JsonObject *to)
{
  JsonObject *properties = schema != NULL ? json_object_new () : NULL;
  JsonArray *required = schema != NULL ? json_array_new () : NULL;

  while (take (at, ' '))
    ;
  while (**at != '\0' && **at != '}')
    {
      const gsize length = strspn (*at, "abcdefghijklmnopqrstuvwxyz_0123456789");
      g_autofree char *name = g_strndup (*at, length);
      JsonNode *node, *taken;
      JsonObject *own = NULL;
      gboolean optional;

      *at += length;
      optional = take (at, '?');
      node = from != NULL ? json_object_get_member (from, name) : NULL;
      taken = take (at, '[') ? array (at, schema != NULL ? &own : NULL, node)
                             : kind (at, schema != NULL ? &own : NULL, node);
      if (schema != NULL)
        {
          json_object_set_object_member (properties, name, own);
          if (!optional)
            json_array_add_string_element (required, name);
        }
      if (taken != NULL)
        json_object_set_member (to, name, taken);
      else if (from != NULL && !optional)
        g_critical ("an answer lacks “%s”", name);
      while (take (at, ' '))
        ;
    }
  if (schema == NULL)
    return;
  json_object_set_string_member (schema, "type", "object");
  json_object_set_object_member (schema, "properties", properties);
  json_object_set_array_member (schema, "required", required);
  json_object_set_boolean_member (schema, "additionalProperties", FALSE);
}

/**
 * shardwise_mcp_shape_schema:
 * @shape: members
 *
 * Returns: (transfer full): the JSON schema of an object that has them and no others
 */
JsonNode *
shardwise_mcp_shape_schema (const char *shape)
{
  JsonObject *schema = json_object_new ();

  walk (&shape, schema, NULL, NULL);
  return shardwise_json_take_object (schema);
}

/**
 * shardwise_mcp_shape_pick:
 * @shape: members
 * @from: an object that has them, and perhaps more
 *
 * Returns: (transfer full): an object of these members alone, its numbers rounded
 */
JsonNode *
shardwise_mcp_shape_pick (const char *shape, JsonObject *from)
{
  JsonObject *to = json_object_new ();

  walk (&shape, NULL, from, to);
  return shardwise_json_take_object (to);
}
