/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-notes-file.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-heuristic.h"
#include "shardwise-json.h"
#include "shardwise-write-file.h"

#define FORMAT "shardwise-playbook"

enum { VERSION = 1 };

/* The members of a rule in the file, beside the fields that they fill. */
enum { N_MEMBERS = 6 };
static const char *const members[N_MEMBERS] = { "id", "title", "text", "source", "when", "want" };

static char **
field (ShardwiseHeuristic *rule, guint member)
{
  char **const fields[N_MEMBERS] = { &rule->id,     &rule->title, &rule->text,
                                     &rule->source, &rule->when,  &rule->want };

  return fields[member];
}

/* ---- writing ---- */

static JsonNode *
to_json (GPtrArray *rules)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "format");
  json_builder_add_string_value (builder, FORMAT);
  json_builder_set_member_name (builder, "version");
  json_builder_add_int_value (builder, VERSION);
  json_builder_set_member_name (builder, "rules");
  json_builder_begin_array (builder);
  for (guint i = 0; i < rules->len; i++)
    {
      json_builder_begin_object (builder);
      for (guint j = 0; j < N_MEMBERS; j++)
        {
          json_builder_set_member_name (builder, members[j]);
          json_builder_add_string_value (builder, *field (rules->pdata[i], j));
        }
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

/**
 * shardwise_notes_file_write:
 * @rules: (element-type ShardwiseHeuristic): what to write
 * @file: where; in whole or not at all: a new file takes the place of the old one
 * @error: (out): that it cannot be written
 *
 * Blocks, as shardwise_write_file() does.
 *
 * Returns: whether it was written
 */
gboolean
shardwise_notes_file_write (GPtrArray *rules, GFile *file, GError **error)
{
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;

  g_return_val_if_fail (rules != NULL && G_IS_FILE (file), FALSE);

  root = to_json (rules);
  text = shardwise_json_to_string (root);
  return shardwise_write_file (file, text, strlen (text), error);
}

/* ---- reading ---- */

static ShardwiseHeuristic *
fail_rule (ShardwiseHeuristic *rule, GError **error, guint index, const char *what)
{
  g_autofree char *path = g_strdup_printf ("rules[%u]", index);

  shardwise_heuristic_free (rule);
  g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_TYPE, path, "%s", what));
  return NULL;
}

static ShardwiseHeuristic *
read_rule (JsonNode *node, guint index, GError **error)
{
  ShardwiseHeuristic *rule = shardwise_heuristic_new ();
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;

  if (object == NULL)
    return fail_rule (rule, error, index, _ ("an object is expected"));
  for (guint i = 0; i < N_MEMBERS; i++)
    {
      JsonNode *value = json_object_get_member (object, members[i]);

      if (value == NULL)
        continue;
      if (json_node_get_value_type (value) != G_TYPE_STRING)
        return fail_rule (rule, error, index,
                          _ ("id, title, text, source, when and want are texts"));
      g_free (*field (rule, i));
      *field (rule, i) = json_node_dup_string (value);
    }
  if (*rule->id == '\0' || *rule->title == '\0')
    return fail_rule (rule, error, index, _ ("a rule needs an id and a title"));
  return rule;
}

static gboolean
check_head (JsonObject *object, GError **error)
{
  JsonNode *format = object != NULL ? json_object_get_member (object, "format") : NULL,
           *version = object != NULL ? json_object_get_member (object, "version") : NULL,
           *rules = object != NULL ? json_object_get_member (object, "rules") : NULL;

  if (format == NULL || json_node_get_value_type (format) != G_TYPE_STRING
      || !g_str_equal (json_node_get_string (format), FORMAT) || version == NULL
      || json_node_get_value_type (version) != G_TYPE_INT64 || rules == NULL
      || !JSON_NODE_HOLDS_ARRAY (rules))
    {
      g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING,
                   /* Translators: the value of a member of the file */
                   _ ("This is no playbook: an object with “format”: “%s”, a version and a list of "
                      "rules is expected."),
                   FORMAT);
      return FALSE;
    }
  if (json_node_get_int (version) == VERSION)
    return TRUE;
  g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_RANGE,
               /* Translators: two version numbers of a file format */
               _ ("The playbook is of version %d; this program reads version %d."),
               (int) CLAMP (json_node_get_int (version), 0, G_MAXINT), VERSION);
  return FALSE;
}

/**
 * shardwise_notes_file_read:
 * @file: to read; a condition of a later program is kept as it stands: it is then not checked
 * @error: (out): what is wrong with it
 *
 * Blocks, as shardwise_read_file() does.
 *
 * Returns: (transfer full) (element-type ShardwiseHeuristic) (nullable): the rules
 */
GPtrArray *
shardwise_notes_file_read (GFile *file, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GPtrArray) rules = NULL;
  const char *text;
  gsize length;
  JsonObject *object;
  JsonArray *array;

  g_return_val_if_fail (G_IS_FILE (file), NULL);

  bytes = shardwise_read_file (file, NULL, error);
  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  root = shardwise_json_parse (text != NULL ? text : "", length, error);
  if (root == NULL)
    return NULL;
  object = JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  if (!check_head (object, error))
    return NULL;
  rules = g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_heuristic_free);
  array = json_object_get_array_member (object, "rules");
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      ShardwiseHeuristic *rule = read_rule (json_array_get_element (array, i), i, error);

      if (rule == NULL)
        return NULL;
      g_ptr_array_add (rules, rule);
    }
  return g_steal_pointer (&rules);
}
