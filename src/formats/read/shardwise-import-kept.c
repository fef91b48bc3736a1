/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file said beside its scenario as a text, so that it outlives the program. */
#include "shardwise-import.h"

#include <string.h>

#include "shardwise-json.h"

static JsonArray *
list_assumed (const ShardwiseImport *self)
{
  JsonArray *list = json_array_new ();

  for (guint i = 0; i < self->assumed->len; i++)
    {
      const ShardwiseAssumption *assumption = g_ptr_array_index (self->assumed, i);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "warning", assumption->warning);
      json_object_set_string_member (object, "path", assumption->path);
      json_object_set_string_member (object, "value", assumption->value);
      json_array_add_object_element (list, object);
    }
  return list;
}

/**
 * shardwise_import_to_json:
 * @self: an import; its scenario is left out
 *
 * Returns: (transfer full): its kind, warnings and findings
 */
char *
shardwise_import_to_json (const ShardwiseImport *self)
{
  JsonObject *object = json_object_new ();
  g_autoptr (JsonNode) node = shardwise_json_take_object (object);

  json_object_set_string_member (object, "kind", shardwise_import_names[self->kind]);
  json_object_set_array_member (object, "warnings", shardwise_json_strings (self->warnings));
  json_object_set_array_member (object, "assumed", list_assumed (self));
  json_object_set_member (object, "findings", shardwise_findings_to_json (self->findings, NULL));
  return shardwise_json_to_string (node);
}

static gboolean
find_word (const char *const *words, guint n, const char *word, guint *out)
{
  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (words[i], word) == 0)
      {
        *out = i;
        return TRUE;
      }
  return FALSE;
}

static JsonArray *
list_of (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

static const char *
text_of (JsonNode *node)
{
  return node != NULL && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

static void
add_finding (GPtrArray *findings, JsonNode *node)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *effect = object != NULL ? text_of (json_object_get_member (object, "effect")) : NULL;
  guint severity;

  if (object == NULL || text_of (json_object_get_member (object, "code")) == NULL
      || text_of (json_object_get_member (object, "text")) == NULL
      || !find_word (shardwise_severity_names, SHARDWISE_SEVERITY_ERROR + 1,
                     text_of (json_object_get_member (object, "severity")), &severity))
    return;
  g_ptr_array_add (findings,
                   shardwise_finding_new (
                       (ShardwiseSeverity) severity, json_object_get_string_member (object, "code"),
                       g_strdup (json_object_get_string_member (object, "text")),
                       effect != NULL && *effect != '\0' ? g_strdup (effect) : NULL));
}

/* What a version without it wrote stays open. */
static void
add_assumed (ShardwiseImport *self, JsonArray *assumed)
{
  for (guint i = 0; assumed != NULL && i < json_array_get_length (assumed); i++)
    {
      JsonNode *node = json_array_get_element (assumed, i);
      JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
      const char *warning = object ? text_of (json_object_get_member (object, "warning")) : NULL,
                 *path = object ? text_of (json_object_get_member (object, "path")) : NULL,
                 *value = object ? text_of (json_object_get_member (object, "value")) : NULL;

      if (warning != NULL && path != NULL && value != NULL)
        shardwise_import_add_assumption (self, warning, path, value);
    }
}

/**
 * shardwise_import_from_json:
 * @text: from shardwise_import_to_json(), or anything
 *
 * Returns: (transfer full) (nullable): the import without a scenario; %NULL where the text is none
 */
ShardwiseImport *
shardwise_import_from_json (const char *text)
{
  g_autoptr (JsonNode) node = shardwise_json_parse (text, strlen (text), NULL);
  JsonObject *object = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node)
                                                                     : NULL;
  JsonArray *warnings = object != NULL ? list_of (object, "warnings") : NULL,
            *findings = object != NULL ? list_of (object, "findings") : NULL;
  ShardwiseImport *self;
  guint kind;

  if (warnings == NULL || findings == NULL
      || !find_word (shardwise_import_names, SHARDWISE_N_IMPORTS,
                     text_of (json_object_get_member (object, "kind")), &kind))
    return NULL;
  self = shardwise_import_new ((ShardwiseImportKind) kind);
  for (guint i = 0; i < json_array_get_length (warnings); i++)
    if (text_of (json_array_get_element (warnings, i)) != NULL)
      g_ptr_array_add (self->warnings, g_strdup (json_array_get_string_element (warnings, i)));
  add_assumed (self, list_of (object, "assumed"));
  for (guint i = 0; i < json_array_get_length (findings); i++)
    add_finding (self->findings, json_array_get_element (findings, i));

  return self;
}
