/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenario files: from JSON to values by key path, and back. */
#include "shardwise-scenario-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-json.h"

#define FORMAT "shardwise-scenario"
#define VERSION 1

static gboolean
load_object (ShardwiseScenario *self, const char *prefix, JsonObject *object, GError **error);

static gboolean
is_section (const char *path)
{
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);
  gsize length = strlen (path);

  for (guint i = 0; i < n_keys; i++)
    if (g_str_has_prefix (keys[i].path, path) && keys[i].path[length] == '.')
      return TRUE;
  return FALSE;
}

static GVariant *
node_to_variant (const ShardwiseKey *key, JsonNode *node)
{
  if (JSON_NODE_HOLDS_VALUE (node))
    {
      switch (json_node_get_value_type (node))
        {
        case G_TYPE_BOOLEAN: return g_variant_new_boolean (json_node_get_boolean (node));
        case G_TYPE_INT64: return g_variant_new_int64 (json_node_get_int (node));
        case G_TYPE_DOUBLE: return g_variant_new_double (json_node_get_double (node));
        case G_TYPE_STRING: return g_variant_new_string (json_node_get_string (node));
        default: return NULL;
        }
    }
  if (JSON_NODE_HOLDS_ARRAY (node) && key->kind == SHARDWISE_KEY_STRINGS)
    {
      JsonArray *array = json_node_get_array (node);
      g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
      g_auto (GStrv) words = NULL;

      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          JsonNode *item = json_array_get_element (array, i);

          if (json_node_get_value_type (item) != G_TYPE_STRING)
            return NULL;
          g_strv_builder_add (builder, json_node_get_string (item));
        }
      words = g_strv_builder_end (builder);
      return g_variant_new_strv ((const char *const *) words, -1);
    }
  if (JSON_NODE_HOLDS_OBJECT (node) && key->kind == SHARDWISE_KEY_RECOMPUTE)
    {
      /* {"full_layers": N} -> "full_layers:N" */
      JsonObject *object = json_node_get_object (node);
      JsonNode *layers = json_object_get_member (object, "full_layers");

      if (json_object_get_size (object) != 1 || layers == NULL
          || json_node_get_value_type (layers) != G_TYPE_INT64)
        return NULL;
      return g_variant_new_take_string (
          g_strdup_printf ("full_layers:%" G_GINT64_FORMAT, json_node_get_int (layers)));
    }
  if (JSON_NODE_HOLDS_OBJECT (node) && key->kind == SHARDWISE_KEY_GPU)
    return g_variant_new_take_string (g_strstrip (shardwise_json_to_string (node)));
  return NULL;
}

static gboolean
load_key (ShardwiseScenario *self, const ShardwiseKey *key, JsonNode *node, GError **error)
{
  GVariant *value = node_to_variant (key, node);

  if (value == NULL)
    {
      g_autofree char *accepted = shardwise_key_describe_range (key);
      const char *kind = JSON_NODE_HOLDS_OBJECT (node)  ? _ ("an object")
                         : JSON_NODE_HOLDS_ARRAY (node) ? _ ("an array")
                                                        : "null";

      if (key->kind == SHARDWISE_KEY_GPU && JSON_NODE_HOLDS_ARRAY (node))
        g_propagate_error (
            error,
            shardwise_error_new (SHARDWISE_ERROR_TYPE, key->path,
                                 _ ("several GPU types in one job are not supported, accepted: "
                                    "one GPU type; advise each type on its own")));
      else
        /* Translators: "an object" or "an array", then what is accepted */
        g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_TYPE, key->path,
                                                       _ ("%s is of the wrong type, accepted: %s"),
                                                       kind, accepted));
      return FALSE;
    }
  return shardwise_scenario_load (self, key->path, value, error);
}

static gboolean
load_member (ShardwiseScenario *self, const char *path, JsonNode *node, GError **error)
{
  const ShardwiseKey *key = shardwise_key_find (path);

  if (key != NULL)
    return load_key (self, key, node, error);
  if (!is_section (path))
    g_propagate_error (error, shardwise_unknown_key_error (path));
  else if (!JSON_NODE_HOLDS_OBJECT (node))
    g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_TYPE, path,
                                                   _ ("of the wrong type, accepted: an object")));
  else
    return load_object (self, path, json_node_get_object (node), error);
  return FALSE;
}

static gboolean
load_object (ShardwiseScenario *self, const char *prefix, JsonObject *object, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      g_autofree char *path = prefix != NULL ? g_strconcat (prefix, ".", name, NULL)
                                             : g_strdup (name);

      if (prefix == NULL && (g_str_equal (name, "format") || g_str_equal (name, "version")))
        continue;
      if (!load_member (self, path, node, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_header (JsonObject *object, GError **error)
{
  JsonNode *format = json_object_get_member (object, "format"),
           *version = json_object_get_member (object, "version");

  if (format != NULL
      && (json_node_get_value_type (format) != G_TYPE_STRING
          || !g_str_equal (json_node_get_string (format), FORMAT)))
    g_propagate_error (error,
                       shardwise_error_new (SHARDWISE_ERROR_CHOICE, "format",
                                            _ ("not a Shardwise scenario, accepted: %s"), FORMAT));
  else if (version != NULL
           && (json_node_get_value_type (version) != G_TYPE_INT64
               || json_node_get_int (version) != VERSION))
    g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_CHOICE, "version",
                                                   _ ("unknown version, accepted: %d"), VERSION));
  else
    return TRUE;
  return FALSE;
}

/**
 * shardwise_scenario_from_json:
 * @text: a scenario file
 * @length: its bytes; -1: ends at NUL
 *
 * Returns: (transfer full): the scenario, unmodified; %NULL with @error naming the line or the key
 * path
 */
ShardwiseScenario *
shardwise_scenario_from_json (const char *text, gssize length, GError **error)
{
  g_autoptr (ShardwiseScenario) self = NULL;
  g_autoptr (JsonNode) root = NULL;

  g_return_val_if_fail (text != NULL, NULL);

  root = shardwise_json_parse (text, length < 0 ? strlen (text) : (gsize) length, error);
  if (root == NULL)
    return NULL;
  if (!JSON_NODE_HOLDS_OBJECT (root))
    {
      g_propagate_error (error,
                         shardwise_error_new (SHARDWISE_ERROR_TYPE, NULL,
                                              _ ("not a scenario, accepted: a JSON object")));
      return NULL;
    }
  self = g_object_new (SHARDWISE_TYPE_SCENARIO, NULL);
  if (!check_header (json_node_get_object (root), error)
      || !load_object (self, NULL, json_node_get_object (root), error))
    return NULL;
  shardwise_scenario_set_saved (self);
  return g_steal_pointer (&self);
}

static JsonNode *
variant_to_node (const ShardwiseKey *key, GVariant *value)
{
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    return json_node_init_int (json_node_alloc (), g_variant_get_int64 (value));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    return json_node_init_double (json_node_alloc (), g_variant_get_double (value));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return json_node_init_boolean (json_node_alloc (), g_variant_get_boolean (value));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING_ARRAY))
    {
      g_autofree const char **words = g_variant_get_strv (value, NULL);
      JsonArray *array = json_array_new ();
      JsonNode *node = json_node_alloc ();

      for (guint i = 0; words[i] != NULL; i++)
        json_array_add_string_element (array, words[i]);
      json_node_init_array (node, array);
      json_array_unref (array);
      return node;
    }

  const char *text = g_variant_get_string (value, NULL);
  JsonNode *node = NULL;

  if (key->kind == SHARDWISE_KEY_GPU && text[0] == '{')
    node = shardwise_json_parse (text, strlen (text), NULL);
  if (node == NULL && key->kind == SHARDWISE_KEY_RECOMPUTE
      && g_str_has_prefix (text, "full_layers:"))
    {
      JsonObject *object = json_object_new ();

      json_object_set_int_member (object, "full_layers",
                                  g_ascii_strtoll (text + strlen ("full_layers:"), NULL, 10));
      node = shardwise_json_take_object (object);
    }
  return node != NULL ? node : json_node_init_string (json_node_alloc (), text);
}

/* The object at @name, made where it is missing. */
static JsonObject *
subobject (JsonObject *parent, const char *name)
{
  if (!json_object_has_member (parent, name))
    json_object_set_object_member (parent, name, json_object_new ());
  return json_object_get_object_member (parent, name);
}

static void
store (JsonObject *root, const ShardwiseKey *key, GVariant *value)
{
  g_auto (GStrv) parts = g_strsplit (key->path, ".", -1);
  JsonObject *object = root;
  guint i = 0;

  for (; parts[i + 1] != NULL; i++)
    object = subobject (object, parts[i]);
  json_object_set_member (object, parts[i], variant_to_node (key, value));
}

/**
 * shardwise_scenario_to_json:
 *
 * Returns: (transfer full): the scenario file: every value that was set, in the order of the key
 * table
 */
char *
shardwise_scenario_to_json (ShardwiseScenario *self)
{
  JsonObject *object = json_object_new ();
  g_autoptr (JsonNode) root = shardwise_json_take_object (object);
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), NULL);

  json_object_set_string_member (object, "format", FORMAT);
  json_object_set_int_member (object, "version", VERSION);
  for (guint i = 0; i < n_keys; i++)
    {
      GVariant *value = shardwise_scenario_peek (self, keys[i].path);

      if (value != NULL)
        store (object, &keys[i], value);
    }
  return shardwise_json_to_string (root);
}
