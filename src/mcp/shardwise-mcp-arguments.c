/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arguments of a call: their schemas and checks. The message for a wrong argument lists the
 * accepted values. The scenario keys come from the one table of keys. */
#include "shardwise-mcp-arguments.h"

#include <math.h>
#include <string.h>

#include "shardwise-json.h"

#define MOST_ITEMS 8
#define MOST_CHARACTERS (4.0 * 1024 * 1024)

/* ---- schemas ---- */

static JsonObject *
typed (const char *type)
{
  JsonObject *schema = json_object_new ();

  json_object_set_string_member (schema, "type", type);
  return schema;
}

static void
set_words (JsonObject *schema, const char *const *words)
{
  JsonArray *all = json_array_new ();

  for (guint i = 0; words[i] != NULL; i++)
    json_array_add_string_element (all, words[i]);
  json_object_set_array_member (schema, "enum", all);
}

static void
set_range (JsonObject *schema, const char *of, double minimum, double maximum)
{
  g_autofree char *low = g_strconcat ("min", of, NULL), *high = g_strconcat ("max", of, NULL);

  json_object_set_int_member (schema, low, (gint64) minimum);
  json_object_set_int_member (schema, high, (gint64) maximum);
}

/* The schema of a key of a scenario. */
static JsonObject *
key_schema (const ShardwiseKey *key)
{
  JsonObject *schema, *items;
  g_autofree char *accepted = NULL;

  switch (key->kind)
    {
    case SHARDWISE_KIND_BOOLEAN: return typed ("boolean");
    case SHARDWISE_KIND_INTEGER:
      schema = typed ("integer");
      set_range (schema, "imum", key->minimum, key->maximum);
      return schema;
    case SHARDWISE_KIND_NUMBER:
      schema = typed ("number");
      json_object_set_double_member (schema, "minimum", key->minimum);
      json_object_set_double_member (schema, "maximum", key->maximum);
      return schema;
    case SHARDWISE_KIND_CHOICE:
      schema = typed ("string");
      set_words (schema, key->choices);
      return schema;
    case SHARDWISE_KIND_STRINGS:
      schema = typed ("array");
      items = typed ("string");
      set_words (items, key->choices);
      json_object_set_object_member (schema, "items", items);
      return schema;
    case SHARDWISE_KIND_STRING:
    case SHARDWISE_KIND_CURRENCY:
    case SHARDWISE_KIND_DATE: return typed ("string");
    case SHARDWISE_KIND_RECOMPUTE:
    case SHARDWISE_KIND_VERSION:
    case SHARDWISE_KIND_GPU:
    default: break;
    }
  schema = json_object_new ();
  accepted = shardwise_key_describe_range (key);
  json_object_set_string_member (schema, "description", accepted);
  return schema;
}

static JsonObject *
properties_of (JsonObject *schema)
{
  if (!json_object_has_member (schema, "properties"))
    {
      json_object_set_string_member (schema, "type", "object");
      json_object_set_object_member (schema, "properties", json_object_new ());
      json_object_set_boolean_member (schema, "additionalProperties", FALSE);
    }
  return json_object_get_object_member (schema, "properties");
}

/* The scenario file, with the accepted values of each key. */
static JsonObject *
full_scenario_schema (void)
{
  JsonObject *schema = json_object_new ();

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      const ShardwiseKey *key = shardwise_key_get (i);
      g_auto (GStrv) path = g_strsplit (key->path, ".", -1);
      JsonObject *at = properties_of (schema);

      for (guint j = 0; path[j + 1] != NULL; j++)
        {
          if (!json_object_has_member (at, path[j]))
            json_object_set_object_member (at, path[j], json_object_new ());
          at = properties_of (json_object_get_object_member (at, path[j]));
        }
      json_object_set_object_member (at, path[g_strv_length (path) - 1], key_schema (key));
    }
  return schema;
}

/* The same with names only, because assistants load it before their first word, once for each
 * tool. */
static JsonObject *
scenario_schema (void)
{
  JsonObject *full = full_scenario_schema (), *schema = json_object_new ();
  JsonObjectIter iter;
  const char *section;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, properties_of (full));
  while (json_object_iter_next_ordered (&iter, &section, &node))
    {
      JsonObject *keys = json_node_get_object (node), *own = json_object_new (), *names;

      if (json_object_has_member (keys, "properties"))
        {
          g_autoptr (GList) members = json_object_get_members (properties_of (keys));
          JsonArray *all = json_array_new ();

          for (const GList *at = members; at != NULL; at = at->next)
            json_array_add_string_element (all, at->data);
          names = json_object_new ();
          json_object_set_array_member (names, "enum", all);
          json_object_set_string_member (own, "type", "object");
          json_object_set_object_member (own, "propertyNames", names);
        }
      json_object_set_object_member (properties_of (schema), section, own);
    }
  json_object_unref (full);
  return schema;
}

/**
 * shardwise_mcp_keys_schema:
 *
 * Returns: (transfer full): the JSON schema of a scenario, with the accepted values of each key
 */
JsonNode *
shardwise_mcp_keys_schema (void)
{
  return shardwise_json_take_object (full_scenario_schema ());
}

static double
most_of (const ShardwiseMcpArgument *argument)
{
  if (argument->maximum > 0)
    return argument->maximum;
  return argument->kind == SHARDWISE_MCP_TEXT ? MOST_CHARACTERS : MOST_ITEMS;
}

/* An array of objects with two members. */
static JsonObject *
pairs_schema (const char *first, const char *second, JsonObject *of_second)
{
  JsonObject *items = json_object_new (), *schema = typed ("array");
  JsonArray *required = json_array_new ();

  json_object_set_object_member (properties_of (items), first, typed ("string"));
  json_object_set_object_member (properties_of (items), second, of_second);
  json_array_add_string_element (required, second);
  json_object_set_array_member (items, "required", required);
  json_object_set_object_member (schema, "items", items);
  return schema;
}

static JsonObject *
changes_schema (void)
{
  JsonObject *names = json_object_new (), *schema = typed ("object");

  json_object_set_string_member (names, "pattern",
                                 "^(model|cluster|training|strategy|cost)\\.[a-z0-9_.]+$");
  json_object_set_object_member (schema, "propertyNames", names);
  return schema;
}

static JsonObject *
argument_schema (const ShardwiseMcpArgument *argument)
{
  JsonObject *schema, *items;

  switch (argument->kind)
    {
    case SHARDWISE_MCP_SCENARIO:
      schema = argument->minimum > 0 ? full_scenario_schema () : scenario_schema ();
      break;
    case SHARDWISE_MCP_CHANGES: schema = changes_schema (); break;
    case SHARDWISE_MCP_VARIANTS:
      schema = pairs_schema ("name", "changes", changes_schema ());
      set_range (schema, "Items", 1, most_of (argument));
      break;
    case SHARDWISE_MCP_FILES:
      schema = pairs_schema ("name", "text", typed ("string"));
      set_range (schema, "Items", 1, most_of (argument));
      break;
    case SHARDWISE_MCP_WHOLE:
      schema = typed ("integer");
      set_range (schema, "imum", argument->minimum, argument->maximum);
      break;
    case SHARDWISE_MCP_WHOLES:
      schema = typed ("array");
      items = typed ("integer");
      set_range (items, "imum", argument->minimum, argument->maximum);
      json_object_set_object_member (schema, "items", items);
      set_range (schema, "Items", 1, MOST_ITEMS);
      break;
    case SHARDWISE_MCP_WORD:
      schema = typed ("string");
      set_words (schema, argument->words);
      break;
    case SHARDWISE_MCP_TEXT:
    default: schema = typed ("string"); break;
    }
  if (argument->description != NULL)
    json_object_set_string_member (schema, "description", argument->description);
  return schema;
}

/**
 * shardwise_mcp_arguments_schema:
 * @arguments: of a tool; at most %SHARDWISE_MCP_MOST_ARGUMENTS, terminated by one without a name
 *
 * Returns: (transfer full): the JSON schema of an object with these members
 */
JsonNode *
shardwise_mcp_arguments_schema (const ShardwiseMcpArgument *arguments)
{
  JsonObject *schema = json_object_new (), *properties = properties_of (schema);
  JsonArray *required = json_array_new ();

  for (guint i = 0; i < SHARDWISE_MCP_MOST_ARGUMENTS && arguments[i].name != NULL; i++)
    {
      json_object_set_object_member (properties, arguments[i].name,
                                     argument_schema (&arguments[i]));
      if (arguments[i].required)
        json_array_add_string_element (required, arguments[i].name);
    }
  json_object_set_array_member (schema, "required", required);
  return shardwise_json_take_object (schema);
}

/* ---- checks ---- */

static gboolean
refuse (GError **error, const char *path, const char *accepted)
{
  g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_TYPE, path,
                                                 "has a wrong value; allowed: %s", accepted));
  return FALSE;
}

static gboolean
is_text (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
         && json_node_get_value_type (node) == G_TYPE_STRING;
}

static gboolean
is_whole (JsonNode *node, const ShardwiseMcpArgument *argument)
{
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;
  double value;

  if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
    return FALSE;
  value = json_node_get_double (node);
  if (type == G_TYPE_INT64)
    value = (double) json_node_get_int (node);
  return value == floor (value) && value >= argument->minimum && value <= argument->maximum;
}

/* Objects with two members, the second of which is required; a text or an object. */
static gboolean
check_pairs (const ShardwiseMcpArgument *argument, JsonNode *node, const char *second,
             gboolean is_object, GError **error)
{
  g_autofree char *accepted = g_strdup_printf ("1 to %g objects with “name” and “%s”",
                                               most_of (argument), second);
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  const guint n = array != NULL ? json_array_get_length (array) : 0;

  if (n < 1 || n > most_of (argument))
    return refuse (error, argument->name, accepted);
  for (guint i = 0; i < n; i++)
    {
      JsonNode *one = json_array_get_element (array, i), *name, *value;
      g_autofree char *path = g_strdup_printf ("%s[%u]", argument->name, i);
      JsonObject *object;

      if (!JSON_NODE_HOLDS_OBJECT (one))
        return refuse (error, path, accepted);
      object = json_node_get_object (one);
      name = json_object_get_member (object, "name");
      value = json_object_get_member (object, second);
      if (value == NULL || (is_object ? !JSON_NODE_HOLDS_OBJECT (value) : !is_text (value))
          || (name != NULL && !is_text (name))
          || json_object_get_size (object) != (name != NULL ? 2 : 1))
        return refuse (error, path, accepted);
    }
  return TRUE;
}

static gboolean
check (const ShardwiseMcpArgument *argument, JsonNode *node, GError **error)
{
  g_autofree char *accepted = NULL;
  JsonArray *array;

  switch (argument->kind)
    {
    case SHARDWISE_MCP_SCENARIO:
      return JSON_NODE_HOLDS_OBJECT (node) || refuse (error, argument->name, "a scenario");
    case SHARDWISE_MCP_CHANGES:
      return JSON_NODE_HOLDS_OBJECT (node)
             || refuse (error, argument->name, "an object that maps keys to values");
    case SHARDWISE_MCP_VARIANTS: return check_pairs (argument, node, "changes", TRUE, error);
    case SHARDWISE_MCP_FILES: return check_pairs (argument, node, "text", FALSE, error);
    case SHARDWISE_MCP_WORD:
      accepted = g_strjoinv (", ", (char **) argument->words);
      return (is_text (node) && g_strv_contains (argument->words, json_node_get_string (node)))
             || refuse (error, argument->name, accepted);
    case SHARDWISE_MCP_WHOLE:
      accepted = g_strdup_printf ("%.0f to %.0f", argument->minimum, argument->maximum);
      return is_whole (node, argument) || refuse (error, argument->name, accepted);
    case SHARDWISE_MCP_WHOLES:
      accepted = g_strdup_printf ("1 to %d numbers, %.0f to %.0f", MOST_ITEMS, argument->minimum,
                                  argument->maximum);
      array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
      if (array == NULL || json_array_get_length (array) < 1
          || json_array_get_length (array) > MOST_ITEMS)
        return refuse (error, argument->name, accepted);
      for (guint i = 0; i < json_array_get_length (array); i++)
        if (!is_whole (json_array_get_element (array, i), argument))
          return refuse (error, argument->name, accepted);
      return TRUE;
    case SHARDWISE_MCP_TEXT:
    default:
      accepted = g_strdup_printf ("text of up to %.0f bytes", most_of (argument));
      return (is_text (node) && strlen (json_node_get_string (node)) <= most_of (argument))
             || refuse (error, argument->name, accepted);
    }
}

/**
 * shardwise_mcp_arguments_check:
 * @arguments: of a tool or a prompt
 * @given: the arguments of a call
 *
 * Returns: whether their names, types and ranges are valid; otherwise @error has the one that is
 *   wrong and the accepted values
 */
gboolean
shardwise_mcp_arguments_check (const ShardwiseMcpArgument *arguments, JsonObject *given,
                               GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  guint n = 0;

  while (n < SHARDWISE_MCP_MOST_ARGUMENTS && arguments[n].name != NULL)
    n++;
  json_object_iter_init_ordered (&iter, given);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      guint i = 0;

      while (i < n && !g_str_equal (arguments[i].name, name))
        i++;
      if (i == n)
        {
          g_autoptr (GString) known = g_string_new (NULL);

          for (guint j = 0; j < n; j++)
            g_string_append_printf (known, j > 0 ? ", %s" : "%s", arguments[j].name);
          g_propagate_error (error,
                             shardwise_error_new (SHARDWISE_ERROR_UNKNOWN_KEY, name,
                                                  "is not an argument of this tool; allowed: %s",
                                                  known->str));
          return FALSE;
        }
      if (!check (&arguments[i], node, error))
        return FALSE;
    }
  for (guint i = 0; i < n; i++)
    if (arguments[i].required && !json_object_has_member (given, arguments[i].name))
      {
        g_autoptr (JsonNode) none = json_node_new (JSON_NODE_NULL);
        g_autoptr (GError) why = NULL;

        check (&arguments[i], none, &why);
        g_propagate_error (
            error, shardwise_error_new (SHARDWISE_ERROR_MISSING, arguments[i].name,
                                        "is required; allowed: %s",
                                        strstr (why->message, "allowed: ") + strlen ("allowed: ")));
        return FALSE;
      }
  return TRUE;
}

/* ---- scenarios ---- */

/**
 * shardwise_mcp_scenario_read:
 * @node: an object in the form of the scenario file
 *
 * Returns: (transfer full): the scenario; %NULL with @error, which has the key
 */
ShardwiseScenario *
shardwise_mcp_scenario_read (JsonNode *node, GError **error)
{
  g_autofree char *text = shardwise_json_to_line (node);

  return shardwise_scenario_from_json (text, -1, error);
}

/* A value for `win.apply`; (transfer floating) (nullable). */
static GVariant *
value_of (JsonNode *node)
{
  g_autofree char *text = NULL;
  GVariantBuilder builder;
  JsonArray *array;

  if (JSON_NODE_HOLDS_NULL (node))
    return g_variant_new_string (""); /* resets the key */
  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObject *object = json_node_get_object (node);

      if (json_object_get_size (object) == 1 && json_object_has_member (object, "full_layers")
          && JSON_NODE_HOLDS_VALUE (json_object_get_member (object, "full_layers")))
        return g_variant_new_take_string (g_strdup_printf (
            "full_layers:%" G_GINT64_FORMAT, json_object_get_int_member (object, "full_layers")));
      return g_variant_new_take_string (shardwise_json_to_line (node));
    }
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      array = json_node_get_array (node);
      g_variant_builder_init (&builder, G_VARIANT_TYPE_STRING_ARRAY);
      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          JsonNode *one = json_array_get_element (array, i);

          if (!is_text (one))
            {
              g_variant_builder_clear (&builder);
              return NULL;
            }
          g_variant_builder_add (&builder, "s", json_node_get_string (one));
        }
      return g_variant_builder_end (&builder);
    }
  switch (json_node_get_value_type (node))
    {
    case G_TYPE_BOOLEAN: return g_variant_new_boolean (json_node_get_boolean (node));
    case G_TYPE_INT64: return g_variant_new_int64 (json_node_get_int (node));
    case G_TYPE_DOUBLE: return g_variant_new_double (json_node_get_double (node));
    default:
      return *json_node_get_string (node) != '\0'
                 ? g_variant_new_string (json_node_get_string (node))
                 : NULL;
    }
}

/**
 * shardwise_mcp_changes_read:
 * @changes: a map from key path to value; null resets
 *
 * Returns: (transfer full): the same as an a{sv}, as shardwise_scenario_apply() takes it; %NULL with
 *   @error if a value or a key is invalid
 */
GVariant *
shardwise_mcp_changes_read (JsonObject *changes, GError **error)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  JsonObjectIter iter;
  const char *path;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, changes);
  while (json_object_iter_next_ordered (&iter, &path, &node))
    {
      const ShardwiseKey *key = shardwise_key_find (path);
      g_autoptr (GVariant) value = NULL;
      g_autofree char *accepted = NULL;

      if (key == NULL)
        {
          g_propagate_error (error,
                             shardwise_error_new (SHARDWISE_ERROR_UNKNOWN_KEY, path, "%s",
                                                  "is not a key of a scenario; allowed: a path "
                                                  "such as “training.sequence_length”"));
          return NULL;
        }
      value = value_of (node);
      if (value != NULL)
        g_variant_ref_sink (value);
      if (value == NULL)
        {
          accepted = shardwise_key_describe_range (key);
          refuse (error, path, accepted);
          return NULL;
        }
      g_variant_dict_insert_value (&dict, path, value);
    }
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/**
 * shardwise_mcp_changed:
 * @scenario: the scenario to copy
 * @changes: a map from key path to value
 *
 * Returns: (transfer full): a changed copy; %NULL with @error
 */
ShardwiseScenario *
shardwise_mcp_changed (ShardwiseScenario *scenario, JsonObject *changes, GError **error)
{
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (scenario);
  g_autoptr (GVariant) values = shardwise_mcp_changes_read (changes, error);

  return values != NULL && shardwise_scenario_apply (copy, values, error) ? g_steal_pointer (&copy)
                                                                          : NULL;
}

/* ---- what a tool reads ---- */

/**
 * shardwise_mcp_text:
 * @name: an argument, a text or a word
 * @none: (nullable): the default
 *
 * Returns: (transfer none) (nullable): the value
 */
const char *
shardwise_mcp_text (const ShardwiseMcpCall *call, const char *name, const char *none)
{
  return json_object_get_string_member_with_default (call->arguments, name, none);
}

/**
 * shardwise_mcp_whole:
 * @name: an argument, a whole number
 * @none: the default
 *
 * Returns: the value
 */
guint
shardwise_mcp_whole (const ShardwiseMcpCall *call, const char *name, guint none)
{
  JsonNode *node = json_object_get_member (call->arguments, name);

  if (node == NULL)
    return none;
  return json_node_get_value_type (node) == G_TYPE_DOUBLE ? (guint) json_node_get_double (node)
                                                          : (guint) json_node_get_int (node);
}
