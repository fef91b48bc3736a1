/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-notes.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-condition.h"
#include "shardwise-json.h"
#include "shardwise-write-file.h"

#define FORMAT "shardwise-playbook"

enum
{
  VERSION = 1
};

struct _ShardwiseNotes
{
  GObject parent_instance;
  GFile *file;
  GPtrArray *rules; /* of ShardwiseHeuristic, in the order in which they were made */
};

G_DEFINE_FINAL_TYPE (ShardwiseNotes, shardwise_notes, G_TYPE_OBJECT)

static guint changed_signal;

static GPtrArray *
rules_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)shardwise_heuristic_free);
}

/* The members of a rule in the file, beside the fields that they fill. */
enum
{
  N_MEMBERS = 6
};
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

/* In whole or not at all: GIO writes beside the file and renames. */
static gboolean
write_rules (GPtrArray *rules, GFile *file, GError **error)
{
  g_autoptr (JsonNode) root = to_json (rules);
  g_autofree char *text = shardwise_json_to_string (root);

  return shardwise_write_file (file, text, strlen (text), error);
}

/* Takes `rules`, where they could be stored. */
static gboolean
store (ShardwiseNotes *self, GPtrArray *rules, GError **error)
{
  g_autoptr (GPtrArray) owned = rules;
  g_autoptr (GFile) folder = g_file_get_parent (self->file);
  g_autoptr (GError) made = NULL;

  if (folder != NULL && !g_file_make_directory_with_parents (folder, NULL, &made)
      && !g_error_matches (made, G_IO_ERROR, G_IO_ERROR_EXISTS))
    {
      g_propagate_error (error, g_steal_pointer (&made));
      return FALSE;
    }
  if (!write_rules (rules, self->file, error))
    return FALSE;
  g_ptr_array_unref (self->rules);
  self->rules = g_steal_pointer (&owned);
  g_signal_emit (self, changed_signal, 0);
  return TRUE;
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
               (int)CLAMP (json_node_get_int (version), 0, G_MAXINT), VERSION);
  return FALSE;
}

/* A condition of a later program is kept as it stands: it is then not checked. */
static GPtrArray *
read_rules (GFile *file, GError **error)
{
  g_autoptr (GBytes) bytes = shardwise_read_file (file, NULL, error);
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GPtrArray) rules = rules_new ();
  const char *text;
  gsize length;
  JsonObject *object;
  JsonArray *array;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  root = shardwise_json_parse (text != NULL ? text : "", length, error);
  if (root == NULL)
    return NULL;
  object = JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  if (!check_head (object, error))
    return NULL;
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

/* ---- object ---- */

static void
shardwise_notes_finalize (GObject *object)
{
  ShardwiseNotes *self = SHARDWISE_NOTES (object);

  g_clear_object (&self->file);
  g_ptr_array_unref (self->rules);
  G_OBJECT_CLASS (shardwise_notes_parent_class)->finalize (object);
}

static void
shardwise_notes_class_init (ShardwiseNotesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_notes_finalize;
  changed_signal = g_signal_new ("changed", SHARDWISE_TYPE_NOTES, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
}

static void
shardwise_notes_init (ShardwiseNotes *self)
{
  self->rules = rules_new ();
}

/**
 * shardwise_notes_open:
 * @file: where they are kept; it need not exist
 * @error: (out): that it is no such file; it is then left alone
 *
 * Returns: (transfer full) (nullable): the notes
 */
ShardwiseNotes *
shardwise_notes_open (GFile *file, GError **error)
{
  g_autoptr (ShardwiseNotes) self = g_object_new (SHARDWISE_TYPE_NOTES, NULL);
  GPtrArray *rules;

  g_return_val_if_fail (G_IS_FILE (file), NULL);

  self->file = g_object_ref (file);
  if (!g_file_query_exists (file, NULL))
    return g_steal_pointer (&self);
  rules = read_rules (file, error);
  if (rules == NULL)
    return NULL;
  g_ptr_array_unref (self->rules);
  self->rules = rules;
  return g_steal_pointer (&self);
}

/**
 * shardwise_notes_get_rules:
 * @self: the notes
 *
 * Returns: (transfer none) (element-type ShardwiseHeuristic): in the order in which they were made;
 *   another list after each change
 */
GPtrArray *
shardwise_notes_get_rules (ShardwiseNotes *self)
{
  g_return_val_if_fail (SHARDWISE_IS_NOTES (self), NULL);

  return self->rules;
}

/* Puts `rule` where one of its id stands, else at the end. */
static void
put (GPtrArray *rules, ShardwiseHeuristic *rule)
{
  for (guint i = 0; i < rules->len; i++)
    if (g_str_equal (((ShardwiseHeuristic *)rules->pdata[i])->id, rule->id))
      {
        shardwise_heuristic_free (rules->pdata[i]);
        rules->pdata[i] = rule;
        return;
      }
  g_ptr_array_add (rules, rule);
}

static GPtrArray *
copy_rules (ShardwiseNotes *self, const char *without)
{
  GPtrArray *rules = rules_new ();

  for (guint i = 0; i < self->rules->len; i++)
    if (without == NULL
        || !g_str_equal (((ShardwiseHeuristic *)self->rules->pdata[i])->id, without))
      g_ptr_array_add (rules, shardwise_heuristic_copy (self->rules->pdata[i]));
  return rules;
}

/**
 * shardwise_notes_save:
 * @self: the notes
 * @rule: to store in place of the one of its id; with the id "" a new one
 * @error: (out): a title is missing, a condition wrong, or the file cannot be written
 *
 * Returns: whether it was stored; else nothing has changed
 */
gboolean
shardwise_notes_save (ShardwiseNotes *self, const ShardwiseHeuristic *rule, GError **error)
{
  g_autoptr (ShardwiseCondition) when = NULL;
  g_autoptr (ShardwiseCondition) want = NULL;
  ShardwiseHeuristic *copy;
  GPtrArray *rules;

  g_return_val_if_fail (SHARDWISE_IS_NOTES (self) && rule != NULL, FALSE);

  if (*rule->title == '\0')
    {
      g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_MISSING, "title", "%s",
                                                     _ ("a note needs a title")));
      return FALSE;
    }
  when = shardwise_condition_parse (rule->when, error);
  want = when != NULL ? shardwise_condition_parse (rule->want, error) : NULL;
  if (want == NULL)
    return FALSE;
  copy = shardwise_heuristic_copy (rule);
  if (*copy->id == '\0')
    {
      g_free (copy->id);
      copy->id = g_uuid_string_random ();
    }
  rules = copy_rules (self, NULL);
  put (rules, copy);
  return store (self, rules, error);
}

/**
 * shardwise_notes_remove:
 * @self: the notes
 * @id: of a rule
 * @error: (out): that the file cannot be written
 *
 * Returns: whether it is gone
 */
gboolean
shardwise_notes_remove (ShardwiseNotes *self, const char *id, GError **error)
{
  g_return_val_if_fail (SHARDWISE_IS_NOTES (self) && id != NULL, FALSE);

  return store (self, copy_rules (self, id), error);
}

/**
 * shardwise_notes_export:
 * @self: the notes
 * @file: to write them to
 * @error: (out): that it cannot be written
 *
 * Returns: whether it was written
 */
gboolean
shardwise_notes_export (ShardwiseNotes *self, GFile *file, GError **error)
{
  g_return_val_if_fail (SHARDWISE_IS_NOTES (self) && G_IS_FILE (file), FALSE);

  return write_rules (self->rules, file, error);
}

/**
 * shardwise_notes_import:
 * @self: the notes
 * @file: that was exported
 * @n: (out): rules in it
 * @error: (out): what is wrong with it
 *
 * Adds the rules of a file; one that is here already becomes as the file has it.
 *
 * Returns: whether all were taken; else none was
 */
gboolean
shardwise_notes_import (ShardwiseNotes *self, GFile *file, guint *n, GError **error)
{
  g_autoptr (GPtrArray) read = NULL;
  GPtrArray *rules;

  g_return_val_if_fail (SHARDWISE_IS_NOTES (self) && G_IS_FILE (file), FALSE);

  read = read_rules (file, error);
  if (read == NULL)
    return FALSE;
  rules = copy_rules (self, NULL);
  for (guint i = 0; i < read->len; i++)
    put (rules, shardwise_heuristic_copy (read->pdata[i]));
  *n = read->len;
  return store (self, rules, error);
}
