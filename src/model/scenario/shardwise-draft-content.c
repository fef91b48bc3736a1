/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-draft-private.h"

#include <glib/gi18n.h>

#include "shardwise-json.h"

#define FORMAT "shardwise-draft"
#define VERSION 1

/* (transfer full): not calibrated; the rest is for the caller to fill in. */
ShardwiseDraftContent *
shardwise_draft_content_new (void)
{
  ShardwiseDraftContent *content = g_new0 (ShardwiseDraftContent, 1);

  content->factors = SHARDWISE_FACTORS_NEUTRAL;
  return content;
}

/**
 * shardwise_draft_content_free:
 * @content: (nullable): what a draft holds
 */
void
shardwise_draft_content_free (ShardwiseDraftContent *content)
{
  if (content == NULL)
    return;
  g_free (content->uri);
  g_free (content->saved);
  g_free (content->edited);
  g_free (content->said);
  g_clear_pointer (&content->typed, g_variant_unref);
  g_free (content);
}

/* Whether it holds work that no file has. */
gboolean
shardwise_draft_content_has_edits (const ShardwiseDraftContent *content)
{
  g_return_val_if_fail (content != NULL, FALSE);

  return *content->edited != '\0'
         || (content->typed != NULL && g_variant_n_children (content->typed) > 0);
}

static void
add_typed (JsonBuilder *builder, GVariant *typed)
{
  GVariantIter iter;
  const char *path, *text;

  json_builder_set_member_name (builder, "typed");
  json_builder_begin_object (builder);
  if (typed != NULL)
    {
      g_variant_iter_init (&iter, typed);
      while (g_variant_iter_next (&iter, "{&s&s}", &path, &text))
        {
          json_builder_set_member_name (builder, path);
          json_builder_add_string_value (builder, text);
        }
    }
  json_builder_end_object (builder);
}

static void
add_factor (JsonBuilder *builder, const char *name, double factor)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, factor);
}

static void
add_factors (JsonBuilder *builder, const ShardwiseFactors *factors)
{
  json_builder_set_member_name (builder, "factors");
  json_builder_begin_object (builder);
  add_factor (builder, "kernel", factors->kernel);
  add_factor (builder, "network", factors->network);
  add_factor (builder, "memory", factors->memory);
  json_builder_end_object (builder);
}

static void
add_string (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value != NULL ? value : "");
}

/* (transfer full): the text of the file. */
char *
shardwise_draft_content_to_json (const ShardwiseDraftContent *content)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (builder);
  add_string (builder, "format", FORMAT);
  json_builder_set_member_name (builder, "version");
  json_builder_add_int_value (builder, VERSION);
  json_builder_set_member_name (builder, "ended");
  json_builder_add_boolean_value (builder, content->ended);
  add_string (builder, "uri", content->uri);
  add_string (builder, "saved", content->saved);
  add_string (builder, "edited", content->edited);
  add_string (builder, "said", content->said);
  add_factors (builder, &content->factors);
  add_typed (builder, content->typed);
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  return shardwise_json_to_string (root);
}

/* (transfer full): a member that is missing, or is something else, is "". */
static char *
take_string (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return g_strdup (node != NULL && json_node_get_value_type (node) == G_TYPE_STRING
                       ? json_node_get_string (node)
                       : "");
}

/* What is no factor leaves the model as it is. */
static double
take_factor (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  double factor = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_double (node) : 0;

  return factor >= SHARDWISE_FACTOR_LEAST && factor <= SHARDWISE_FACTOR_MOST ? factor : 1;
}

static ShardwiseFactors
take_factors (JsonObject *object)
{
  JsonNode *node = json_object_get_member (object, "factors");

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return SHARDWISE_FACTORS_NEUTRAL;
  object = json_node_get_object (node);
  return (ShardwiseFactors){ take_factor (object, "kernel"), take_factor (object, "network"),
                             take_factor (object, "memory") };
}

static GVariant *
take_typed (JsonObject *object)
{
  JsonNode *node = json_object_get_member (object, "typed");
  GVariantBuilder builder;
  JsonObjectIter iter;
  const char *path;
  JsonNode *value;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return NULL;
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  json_object_iter_init (&iter, json_node_get_object (node));
  while (json_object_iter_next (&iter, &path, &value))
    if (json_node_get_value_type (value) == G_TYPE_STRING)
      g_variant_builder_add (&builder, "{ss}", path, json_node_get_string (value));
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/* (transfer full) (nullable): NULL, with the error set, where it is no draft. */
ShardwiseDraftContent *
shardwise_draft_content_from_json (const char *text, gsize length, GError **error)
{
  g_autoptr (JsonNode) root = shardwise_json_parse (text, length, error);
  g_autofree char *format = NULL;
  ShardwiseDraftContent *content;
  JsonObject *object;

  if (root == NULL)
    return NULL;
  object = JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  format = object != NULL ? take_string (object, "format") : NULL;
  if (g_strcmp0 (format, FORMAT) != 0)
    {
      g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING,
                   /* Translators: the value of a member of the file */
                   _ ("This is no draft: an object with “format”: “%s” is expected."), FORMAT);
      return NULL;
    }
  content = shardwise_draft_content_new ();
  content->uri = take_string (object, "uri");
  content->saved = take_string (object, "saved");
  content->edited = take_string (object, "edited");
  content->said = take_string (object, "said");
  content->factors = take_factors (object);
  content->typed = take_typed (object);
  content->ended = json_object_get_boolean_member_with_default (object, "ended", FALSE);
  return content;
}
