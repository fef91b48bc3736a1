/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unsaved work: the content of a draft as JSON, and its file, which a lock protects from other
 * running programs. */
#include "shardwise-draft.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shardwise-file.h"
#include "shardwise-json.h"

#define FORMAT "shardwise-draft"
#define VERSION 1

/* (transfer full): not calibrated; the caller sets the other members. */
ShardwiseDraftContent *
shardwise_draft_content_new (void)
{
  ShardwiseDraftContent *content = g_new0 (ShardwiseDraftContent, 1);

  content->factors = SHARDWISE_FACTORS_NEUTRAL;
  return content;
}

/**
 * shardwise_draft_content_free:
 * @content: (nullable): the content of a draft
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

/* Whether it has work that is in no file. */
gboolean
shardwise_draft_content_has_edits (const ShardwiseDraftContent *content)
{
  g_return_val_if_fail (content != NULL, FALSE);

  return *content->edited != '\0'
         || (content->typed != NULL && g_variant_n_children (content->typed) > 0);
}

static void
add_factor (JsonBuilder *builder, const char *name, double factor)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, factor);
}

static void
add_string (JsonBuilder *builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value != NULL ? value : "");
}

/* (transfer full): the text of the file. */
static char *
content_to_json (const ShardwiseDraftContent *content)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  GVariantIter iter;
  const char *path, *text;

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
  json_builder_set_member_name (builder, "factors");
  json_builder_begin_object (builder);
  add_factor (builder, "kernel", content->factors.kernel);
  add_factor (builder, "network", content->factors.network);
  add_factor (builder, "memory", content->factors.memory);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "typed");
  json_builder_begin_object (builder);
  if (content->typed != NULL)
    {
      g_variant_iter_init (&iter, content->typed);
      while (g_variant_iter_next (&iter, "{&s&s}", &path, &text))
        {
          json_builder_set_member_name (builder, path);
          json_builder_add_string_value (builder, text);
        }
    }
  json_builder_end_object (builder);
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  return shardwise_json_to_string (root);
}

/* (transfer full): the member, or "" if it is missing or not a string. */
static char *
take_string (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return g_strdup (node != NULL && json_node_get_value_type (node) == G_TYPE_STRING
                       ? json_node_get_string (node)
                       : "");
}

/* (transfer none) (nullable) */
static JsonObject *
object_of (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

/* A value that is not a factor does not change the model. */
static double
take_factor (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  double factor = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_double (node) : 0;

  return factor >= SHARDWISE_FACTOR_LEAST && factor <= SHARDWISE_FACTOR_MOST ? factor : 1;
}

/* (transfer full) (nullable): NULL with an error if it is not a draft. */
static ShardwiseDraftContent *
content_from_json (const char *text, gsize length, GError **error)
{
  g_autoptr (JsonNode) root = shardwise_json_parse (text, length, error);
  g_autofree char *format = NULL;
  ShardwiseDraftContent *content;
  JsonObject *object, *factors, *typed;
  GVariantBuilder builder;
  JsonObjectIter iter;
  const char *path;
  JsonNode *value;

  if (root == NULL)
    return NULL;
  object = JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  format = object != NULL ? take_string (object, "format") : NULL;
  if (g_strcmp0 (format, FORMAT) != 0)
    {
      g_set_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING,
                   /* Translators: the value of a member of the file */
                   _ ("This is not a draft. A draft is an object with “format”: “%s”."), FORMAT);
      return NULL;
    }
  content = shardwise_draft_content_new ();
  factors = object_of (object, "factors");
  typed = object_of (object, "typed");
  content->uri = take_string (object, "uri");
  content->saved = take_string (object, "saved");
  content->edited = take_string (object, "edited");
  content->said = take_string (object, "said");
  if (factors != NULL)
    content->factors = (ShardwiseFactors){ take_factor (factors, "kernel"),
                                           take_factor (factors, "network"),
                                           take_factor (factors, "memory") };
  if (typed != NULL)
    {
      g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
      json_object_iter_init (&iter, typed);
      while (json_object_iter_next (&iter, &path, &value))
        if (json_node_get_value_type (value) == G_TYPE_STRING)
          g_variant_builder_add (&builder, "{ss}", path, json_node_get_string (value));
      content->typed = g_variant_ref_sink (g_variant_builder_end (&builder));
    }
  content->ended = json_object_get_boolean_member_with_default (object, "ended", FALSE);
  return content;
}

#define CONTENT ".json"
#define LOCK ".lock"
#define ASIDE ".unreadable"

/* A writer in a thread may still run when the window closes: `writing` guards the file. There is at
 * most one, because on a stalled disk many would occupy the threads that everything else needs. */
struct _ShardwiseDraft {
  GObject parent_instance;
  char *folder, *id;
  int lock; /* -1: the file system has no locks, or the folder cannot be created */
  GMutex writing;
  int newest;        /* atomic: the number of the latest content; older ones need not be written */
  int removed;       /* atomic */
  GPtrArray *asked;  /* of GTask: the last one is written next, on behalf of all */
  GPtrArray *served; /* of GTask: the task whose content is being written */
};

G_DEFINE_FINAL_TYPE (ShardwiseDraft, shardwise_draft, G_TYPE_OBJECT)

static char *
path_of (ShardwiseDraft *self, const char *suffix)
{
  g_autofree char *name = g_strconcat (self->id, suffix, NULL);

  return g_build_filename (self->folder, name, NULL);
}

/* The kernel releases the lock whenever the program ends. Returns: FALSE if a running program has
 * it. */
static gboolean
take_lock (ShardwiseDraft *self)
{
  g_autofree char *path = path_of (self, LOCK);
  struct stat mine, there;

  g_assert (self->lock < 0);
  for (;;)
    {
      self->lock = g_open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      if (self->lock < 0)
        return TRUE; /* locks are not supported there */
      if (flock (self->lock, LOCK_EX | LOCK_NB) != 0)
        {
          gboolean held = errno == EWOULDBLOCK;

          close (self->lock);
          self->lock = -1;
          return !held;
        }
      /* Whether the locked file still has that name: its last owner removes it. */
      if (fstat (self->lock, &mine) == 0 && stat (path, &there) == 0 && mine.st_ino == there.st_ino
          && mine.st_dev == there.st_dev)
        return TRUE;
      close (self->lock);
    }
}

static void
shardwise_draft_finalize (GObject *object)
{
  ShardwiseDraft *self = SHARDWISE_DRAFT (object);
  g_autofree char *path = path_of (self, LOCK);

  if (self->lock >= 0)
    {
      g_unlink (path); /* before unlocking, so that nobody takes it meanwhile */
      close (self->lock);
    }

  g_free (self->folder);
  g_free (self->id);
  g_ptr_array_unref (self->asked);
  g_ptr_array_unref (self->served);
  g_mutex_clear (&self->writing);
  G_OBJECT_CLASS (shardwise_draft_parent_class)->finalize (object);
}

static void
shardwise_draft_class_init (ShardwiseDraftClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_draft_finalize;
}

static void
shardwise_draft_init (ShardwiseDraft *self)
{
  self->lock = -1;
  self->asked = g_ptr_array_new_with_free_func (g_object_unref);
  self->served = g_ptr_array_new_with_free_func (g_object_unref);
  g_mutex_init (&self->writing);
}

static ShardwiseDraft *
draft_with_id (const char *folder, char *id)
{
  ShardwiseDraft *self = g_object_new (SHARDWISE_TYPE_DRAFT, NULL);

  self->folder = g_strdup (folder);
  self->id = id;
  return self;
}

/**
 * shardwise_draft_new:
 * @folder: folder of the drafts, which is created if it is missing
 *
 * Returns: (transfer full): a draft with a unique name, not yet written
 */
ShardwiseDraft *
shardwise_draft_new (const char *folder)
{
  ShardwiseDraft *self;

  g_return_val_if_fail (folder != NULL, NULL);

  self = draft_with_id (folder, g_uuid_string_random ());
  if (g_mkdir_with_parents (folder, 0700) == 0)
    take_lock (self);
  return self;
}

static GHashTable *
ids_in (const char *folder)
{
  GHashTable *ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  const char *name;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    {
      const char *dot = strchr (name, '.');

      if (dot != NULL && dot != name && !g_str_equal (dot, ASIDE))
        g_hash_table_add (ids, g_strndup (name, (gsize) (dot - name)));
    }
  return ids;
}

/* Time of the last write in nanoseconds; -1 if never written. */
static gint64
written_at (ShardwiseDraft *self)
{
  g_autofree char *path = path_of (self, CONTENT);
  struct stat there;

  if (stat (path, &there) != 0)
    return -1;
  return there.st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000) + there.st_mtim.tv_nsec;
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 left = written_at (*(ShardwiseDraft *const *) a);
  gint64 right = written_at (*(ShardwiseDraft *const *) b);

  return (left > right) - (left < right);
}

/**
 * shardwise_drafts_claim:
 * @folder: folder of the drafts; it need not exist
 *
 * Takes over the drafts that no running program has locked, and removes incomplete files.
 *
 * Returns: (transfer full) (element-type ShardwiseDraft): the most recent one last
 */
GPtrArray *
shardwise_drafts_claim (const char *folder)
{
  GPtrArray *drafts = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) ids = NULL;
  GHashTableIter iter;
  gpointer id;

  g_return_val_if_fail (folder != NULL, drafts);

  ids = ids_in (folder);
  g_hash_table_iter_init (&iter, ids);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    {
      g_autoptr (ShardwiseDraft) self = draft_with_id (folder, g_strdup (id));
      g_autofree char *prefix = g_strconcat (self->id, CONTENT, ".", NULL);
      g_autoptr (GDir) directory = NULL;
      const char *name;

      if (!take_lock (self))
        continue;
      /* Incomplete files of a program that was killed. */
      directory = g_dir_open (self->folder, 0, NULL);
      while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
        if (g_str_has_prefix (name, prefix))
          {
            g_autofree char *path = g_build_filename (self->folder, name, NULL);

            g_unlink (path);
          }
      if (written_at (self) >= 0)
        g_ptr_array_add (drafts, g_steal_pointer (&self));
    }
  g_ptr_array_sort (drafts, compare_times);
  return drafts;
}

/**
 * shardwise_draft_read:
 * @error: (out): the reason
 *
 * Returns: (transfer full) (nullable): the latest content
 */
ShardwiseDraftContent *
shardwise_draft_read (ShardwiseDraft *self, GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (GFile) file = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const char *text;
  gsize length;

  g_return_val_if_fail (SHARDWISE_IS_DRAFT (self), NULL);

  path = path_of (self, CONTENT);
  file = g_file_new_for_path (path);
  bytes = shardwise_read_file (file, NULL, error);
  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  return content_from_json (text != NULL ? text : "", length, error);
}

static gboolean
write_text (ShardwiseDraft *self, const char *text, GError **error)
{
  g_autofree char *path = path_of (self, CONTENT);

  if (g_mkdir_with_parents (self->folder, 0700) != 0)
    {
      g_autofree char *name = g_filename_display_name (self->folder);

      g_set_error (error, G_IO_ERROR, (int) g_io_error_from_errno (errno), "%s: %s", name,
                   g_strerror (errno));
      return FALSE;
    }
  if (self->lock < 0)
    take_lock (self);
  return g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, error);
}

static void
unlink_content (ShardwiseDraft *self)
{
  g_autofree char *path = path_of (self, CONTENT);

  g_unlink (path);
}

/* number: of the content; a content that a later one replaces is not written. */
static gboolean
write_numbered (ShardwiseDraft *self, const char *text, int number, GError **error)
{
  gboolean done = TRUE;

  g_mutex_lock (&self->writing);
  if (!g_atomic_int_get (&self->removed) && number == g_atomic_int_get (&self->newest))
    done = write_text (self, text, error);
  g_mutex_unlock (&self->writing);
  if (g_atomic_int_get (&self->removed)) /* in the meantime, without waiting */
    unlink_content (self);
  return done;
}

/**
 * shardwise_draft_write:
 * @content: the content
 * @error: (out): the reason; the previous content is then kept
 *
 * Writes the file atomically; blocks.
 *
 * Returns: whether it was written
 */
gboolean
shardwise_draft_write (ShardwiseDraft *self, const ShardwiseDraftContent *content, GError **error)
{
  g_autofree char *text = NULL;

  g_return_val_if_fail (SHARDWISE_IS_DRAFT (self), FALSE);
  g_return_val_if_fail (content != NULL, FALSE);

  text = content_to_json (content);
  return write_numbered (self, text, g_atomic_int_add (&self->newest, 1) + 1, error);
}

typedef struct {
  ShardwiseDraftContent *content;
  int number;
} Writing;

static void
writing_free (gpointer data)
{
  Writing *writing = data;

  shardwise_draft_content_free (writing->content);
  g_free (writing);
}

static void
write_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Writing *writing = g_task_get_task_data (data);
  g_autofree char *text = content_to_json (writing->content);
  GError *error = NULL;

  if (write_numbered (source, text, writing->number, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void write_next (ShardwiseDraft *self);

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ShardwiseDraft *self = SHARDWISE_DRAFT (source);
  g_autoptr (GPtrArray) served = g_steal_pointer (&self->served);
  g_autoptr (GError) error = NULL;

  self->served = g_ptr_array_new_with_free_func (g_object_unref);
  g_task_propagate_boolean (G_TASK (result), &error);
  for (guint i = 0; i < served->len; i++)
    if (error != NULL)
      g_task_return_error (served->pdata[i], g_error_copy (error));
    else
      g_task_return_boolean (served->pdata[i], TRUE);
  write_next (self);
}

/* Starts writing the latest request, unless a thread is busy. */
static void
write_next (ShardwiseDraft *self)
{
  g_autoptr (GTask) worker = NULL;
  GPtrArray *served = self->asked;

  if (self->served->len > 0 || self->asked->len == 0)
    return;
  self->asked = self->served;
  self->served = served;
  worker = g_task_new (self, NULL, written_cb, NULL);
  g_task_set_source_tag (worker, write_next);
  g_task_set_task_data (worker, g_object_ref (served->pdata[served->len - 1]), g_object_unref);
  g_task_run_in_thread (worker, write_thread);
}

/**
 * shardwise_draft_write_async:
 * @content: (transfer full): the content
 * @callback: (nullable): called when it was written or failed
 *
 * Writes in a thread, so that a slow disk does not block typing. If several contents wait, only the
 * last one is written.
 */
void
shardwise_draft_write_async (ShardwiseDraft *self, ShardwiseDraftContent *content,
                             GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = NULL;
  Writing *writing;

  g_return_if_fail (SHARDWISE_IS_DRAFT (self));
  g_return_if_fail (content != NULL);

  task = g_task_new (self, NULL, callback, data);
  writing = g_new (Writing, 1);
  *writing = (Writing){ content, g_atomic_int_add (&self->newest, 1) + 1 };
  g_task_set_source_tag (task, shardwise_draft_write_async);
  g_task_set_task_data (task, writing, writing_free);
  if (self->asked->len > 0) /* the previous one is not written */
    g_task_set_task_data (self->asked->pdata[self->asked->len - 1], NULL, NULL);
  g_ptr_array_add (self->asked, g_steal_pointer (&task));
  write_next (self);
}

/**
 * shardwise_draft_write_finish:
 * @error: (out): the reason
 *
 * Returns: whether it, or a later one, was written
 */
gboolean
shardwise_draft_write_finish (ShardwiseDraft *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}

/**
 * shardwise_draft_remove:
 *
 * Removes the draft of a closed document; nothing is written after that. Does not wait for a
 * stalled disk: a file that is being written is removed as soon as it is complete.
 */
void
shardwise_draft_remove (ShardwiseDraft *self)
{
  g_return_if_fail (SHARDWISE_IS_DRAFT (self));

  g_atomic_int_set (&self->removed, 1);
  if (!g_mutex_trylock (&self->writing))
    return;
  unlink_content (self);
  g_mutex_unlock (&self->writing);
}

/**
 * shardwise_draft_set_aside:
 *
 * Renames an unreadable draft, so that it is kept but not opened again.
 *
 * Returns: (transfer full): its new path
 */
char *
shardwise_draft_set_aside (ShardwiseDraft *self)
{
  g_autofree char *path = NULL;
  char *aside;

  g_return_val_if_fail (SHARDWISE_IS_DRAFT (self), NULL);

  path = path_of (self, CONTENT);
  aside = path_of (self, ASIDE);
  if (g_rename (path, aside) != 0)
    g_message ("%s: %s", path, g_strerror (errno));
  return aside;
}
