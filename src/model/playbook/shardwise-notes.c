/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-notes.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-condition.h"
#include "shardwise-error.h"
#include "shardwise-heuristic.h"
#include "shardwise-work.h"
#include "shardwise-json.h"
#include "shardwise-file.h"

#define FORMAT "shardwise-playbook"

enum { VERSION = 1 };

/* The members of a rule in the file, and their fields. */
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

/* Writes the rules atomically. Blocks, like shardwise_write_file(). */
static gboolean
write_rules (GPtrArray *rules, GFile *file, GError **error)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;

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
  root = json_builder_get_root (builder);
  text = shardwise_json_to_string (root);
  return shardwise_write_file (file, text, strlen (text), error);
}

static GPtrArray *
rules_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_heuristic_free);
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
    return fail_rule (rule, error, index, _ ("must be an object"));
  for (guint i = 0; i < N_MEMBERS; i++)
    {
      JsonNode *value = json_object_get_member (object, members[i]);

      if (value == NULL)
        continue;
      if (json_node_get_value_type (value) != G_TYPE_STRING)
        return fail_rule (rule, error, index,
                          _ ("id, title, text, source, when and want must be texts"));
      g_free (*field (rule, i));
      *field (rule, i) = json_node_dup_string (value);
    }
  if (*rule->id == '\0' || *rule->title == '\0')
    return fail_rule (rule, error, index, _ ("a rule requires an id and a title"));
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
                   _ ("This is not a playbook. A playbook is an object with “format”: “%s”, a "
                      "version and a list of rules."),
                   FORMAT);
      return FALSE;
    }
  if (json_node_get_int (version) == VERSION)
    return TRUE;
  g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_RANGE,
               /* Translators: two version numbers of a file format */
               _ ("The playbook has version %d; this program reads version %d."),
               (int) CLAMP (json_node_get_int (version), 0, G_MAXINT), VERSION);
  return FALSE;
}

/* (transfer full) (element-type ShardwiseHeuristic) (nullable): the rules of a file. Conditions of
 * a newer program are kept unchanged and are not checked. Blocks, like shardwise_read_file(). */
static GPtrArray *
read_rules (GFile *file, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GPtrArray) rules = NULL;
  const char *text;
  gsize length;
  JsonObject *object;
  JsonArray *array;

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
  rules = rules_new ();

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

struct _ShardwiseNotes {
  GObject parent_instance;
  GFile *file;
  GPtrArray *rules; /* of ShardwiseHeuristic, in order of creation */
  GQueue asked;     /* of GTask: the first is running, the others wait */
};

G_DEFINE_FINAL_TYPE (ShardwiseNotes, shardwise_notes, G_TYPE_OBJECT)

static guint changed_signal;

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
  g_queue_init (&self->asked);
}

/**
 * shardwise_notes_open:
 * @file: their file; it need not exist
 * @error: (out): the file is invalid; it is not changed
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
  g_debug ("%u own rules", rules->len);
  g_ptr_array_unref (self->rules);
  self->rules = rules;
  return g_steal_pointer (&self);
}

/**
 * shardwise_notes_get_rules:
 * @self: the notes
 *
 * Returns: (transfer none) (element-type ShardwiseHeuristic): in order of creation; a new list
 *   after each change
 */
GPtrArray *
shardwise_notes_get_rules (ShardwiseNotes *self)
{
  g_return_val_if_fail (SHARDWISE_IS_NOTES (self), NULL);

  return self->rules;
}

/* ---- what is asked, and the thread that does it ---- */

/* The thread only uses this, not the notes. */
typedef struct {
  ShardwiseHeuristic *rule; /* (nullable): to store */
  char *without;            /* (nullable): id of the rule to remove */
  GFile *from, *to;         /* (nullable): files to import and export */
  GFile *file;              /* file of the rules */
  GPtrArray *rules;         /* (nullable): the current rules, then the new ones */
  guint n;                  /* number of imported rules */
} Operation;

static void
operation_free (Operation *operation)
{
  g_clear_pointer (&operation->rule, shardwise_heuristic_free);
  g_free (operation->without);
  g_clear_object (&operation->from);
  g_clear_object (&operation->to);
  g_clear_object (&operation->file);
  g_clear_pointer (&operation->rules, g_ptr_array_unref);
  g_free (operation);
}

static gboolean
find_rule (GPtrArray *rules, const char *id, guint *index)
{
  for (guint i = 0; i < rules->len; i++)
    if (g_str_equal (((const ShardwiseHeuristic *) rules->pdata[i])->id, id))
      {
        *index = i;
        return TRUE;
      }
  return FALSE;
}

/* Replaces the rule with the id of `rule` by a copy of it, or appends the copy. */
static void
put (GPtrArray *rules, const ShardwiseHeuristic *rule)
{
  ShardwiseHeuristic *copy = shardwise_heuristic_copy (rule);
  guint i;

  if (!find_rule (rules, rule->id, &i))
    {
      g_ptr_array_add (rules, copy);
      return;
    }
  shardwise_heuristic_free (rules->pdata[i]);
  rules->pdata[i] = copy;
}

/* The changed rules are written to their file, in a folder that is created if necessary. */
static gboolean
carry_out (Operation *operation, GError **error)
{
  g_autoptr (GPtrArray) read = NULL;
  g_autoptr (GFile) folder = g_file_get_parent (operation->file);
  g_autoptr (GError) made = NULL;
  guint i;

  if (operation->to != NULL)
    return write_rules (operation->rules, operation->to, error);
  if (operation->rule != NULL)
    put (operation->rules, operation->rule);
  if (operation->without != NULL && find_rule (operation->rules, operation->without, &i))
    g_ptr_array_remove_index (operation->rules, i);
  if (operation->from != NULL)
    {
      read = read_rules (operation->from, error);
      if (read == NULL)
        return FALSE;
      operation->n = read->len;
      for (i = 0; i < read->len; i++)
        put (operation->rules, read->pdata[i]);
    }
  if (folder != NULL && !g_file_make_directory_with_parents (folder, NULL, &made)
      && !g_error_matches (made, G_IO_ERROR, G_IO_ERROR_EXISTS))
    {
      g_propagate_error (error, g_steal_pointer (&made));
      return FALSE;
    }
  return write_rules (operation->rules, operation->file, error);
}

static void
work_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Operation *operation = data;
  GError *error = NULL;

  if (carry_out (operation, &error))

    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void begin_first (ShardwiseNotes *self);

static void
done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  ShardwiseNotes *self = g_task_get_source_object (task);
  Operation *operation = g_task_get_task_data (task);
  GError *error = NULL;
  gboolean done = g_task_propagate_boolean (G_TASK (result), &error);

  if (done && operation->to == NULL)
    {
      g_ptr_array_unref (self->rules);
      self->rules = g_steal_pointer (&operation->rules);
      g_signal_emit (self, changed_signal, 0);
    }
  g_queue_pop_head (&self->asked);
  begin_first (self);
  if (done)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* Starts with the rules that all previous requests left. */
static void
begin_first (ShardwiseNotes *self)
{
  GTask *first = g_queue_peek_head (&self->asked);
  g_autoptr (GTask) worker = NULL;
  Operation *operation;

  if (first == NULL)
    return;
  operation = g_task_get_task_data (first);

  operation->rules = rules_new ();
  for (guint i = 0; i < self->rules->len; i++)
    g_ptr_array_add (operation->rules, shardwise_heuristic_copy (self->rules->pdata[i]));

  operation->file = g_object_ref (self->file);
  worker = g_task_new (NULL, NULL, done_cb, first);
  g_task_set_source_tag (worker, begin_first);
  g_task_set_task_data (worker, operation, NULL);
  g_task_run_in_thread (worker, work_thread);
}

/* asked: (transfer full). */
static void
begin (ShardwiseNotes *self, Operation asked, GAsyncReadyCallback callback, gpointer data)
{
  GTask *task = g_task_new (self, NULL, callback, data);

  g_task_set_source_tag (task, begin);
  g_task_set_task_data (task, g_memdup2 (&asked, sizeof asked), (GDestroyNotify) operation_free);
  shardwise_hold_for_task (task);
  g_queue_push_tail (&self->asked, task);
  if (g_queue_get_length (&self->asked) == 1)
    begin_first (self);
}

static gboolean
check (const ShardwiseHeuristic *rule, GError **error)
{
  g_autoptr (ShardwiseCondition) when = NULL;
  g_autoptr (ShardwiseCondition) want = NULL;

  if (*rule->title == '\0')
    {
      g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_MISSING, "title", "%s",
                                                     _ ("a note requires a title")));
      return FALSE;
    }
  when = shardwise_condition_parse (rule->when, error);
  want = when != NULL ? shardwise_condition_parse (rule->want, error) : NULL;
  return want != NULL;
}

/**
 * shardwise_notes_save_async:
 * @self: the notes
 * @rule: replaces the rule with its id; with the id "" a new rule
 * @callback: (nullable)
 *
 * Stores a rule, unless its title is missing, a condition is invalid, or the file cannot be
 * written.
 */
void
shardwise_notes_save_async (ShardwiseNotes *self, const ShardwiseHeuristic *rule,
                            GAsyncReadyCallback callback, gpointer data)
{
  ShardwiseHeuristic *copy;
  GError *error = NULL;

  g_return_if_fail (SHARDWISE_IS_NOTES (self) && rule != NULL);

  if (!check (rule, &error))
    {
      g_task_report_error (self, callback, data, begin, error);
      return;
    }
  copy = shardwise_heuristic_copy (rule);
  if (*copy->id == '\0')
    {
      g_free (copy->id);
      copy->id = g_uuid_string_random ();
    }
  begin (self, (Operation){ .rule = copy }, callback, data);
}

/**
 * shardwise_notes_remove_async:
 * @self: the notes
 * @id: of a rule
 * @callback: (nullable)
 *
 * Removes a rule.
 */
void
shardwise_notes_remove_async (ShardwiseNotes *self, const char *id, GAsyncReadyCallback callback,
                              gpointer data)
{
  g_return_if_fail (SHARDWISE_IS_NOTES (self) && id != NULL);

  begin (self, (Operation){ .without = g_strdup (id) }, callback, data);
}

/**
 * shardwise_notes_export_async:
 * @self: the notes
 * @file: the file to write
 * @callback: (nullable)
 *
 * Writes the rules to another file, after all previous requests.
 */
void
shardwise_notes_export_async (ShardwiseNotes *self, GFile *file, GAsyncReadyCallback callback,
                              gpointer data)
{
  g_return_if_fail (SHARDWISE_IS_NOTES (self) && G_IS_FILE (file));

  begin (self, (Operation){ .to = g_object_ref (file) }, callback, data);
}

/**
 * shardwise_notes_import_async:
 * @self: the notes
 * @file: an exported file
 * @callback: (nullable)
 *
 * Adds the rules of a file and replaces existing rules with the same ids. If the file has any
 * error, nothing changes.
 */
void
shardwise_notes_import_async (ShardwiseNotes *self, GFile *file, GAsyncReadyCallback callback,
                              gpointer data)
{
  g_return_if_fail (SHARDWISE_IS_NOTES (self) && G_IS_FILE (file));

  begin (self, (Operation){ .from = g_object_ref (file) }, callback, data);
}

/**
 * shardwise_notes_finish:
 * @self: the notes
 * @result: of any of the functions above
 * @n: (out) (optional): number of rules in the imported file
 * @error: (out): the reason
 *
 * Returns: whether it succeeded; otherwise nothing has changed
 */
gboolean
shardwise_notes_finish (ShardwiseNotes *self, GAsyncResult *result, guint *n, GError **error)
{
  const Operation *operation;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  operation = g_task_get_task_data (G_TASK (result));
  if (n != NULL && operation != NULL)
    *n = operation->n;
  return g_task_propagate_boolean (G_TASK (result), error);
}
