/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-save.h"

#include <glib/gstdio.h>
#include <string.h>

#include "shardwise-export.h"
#include "shardwise-work.h"
#include "shardwise-late-error.h"
#include "shardwise-write-file.h"

/* What is dropped on a file manager has to be a file: it lies in the cache, in a folder of its
 * drag, as long as that may take to read it. */
#define KEEP_S 3600

struct _ShardwiseExportDrag {
  GdkContentProvider parent_instance;
  GSList *files; /* of GFile */
  gboolean written;
  GError *error;    /* (nullable): why they are not */
  GPtrArray *asked; /* of GTask, with a Reading: they wait until the files are written */
};

G_DEFINE_FINAL_TYPE (ShardwiseExportDrag, shardwise_export_drag, GDK_TYPE_CONTENT_PROVIDER)

/* ---- the thread ---- */

/* The thread uses this alone, and not the provider. */
typedef struct {
  char *folder;
  GPtrArray *files;    /* of GFile */
  GPtrArray *contents; /* of char */
} Copies;

static void
copies_free (Copies *copies)
{
  g_free (copies->folder);
  g_ptr_array_unref (copies->files);
  g_ptr_array_unref (copies->contents);
  g_free (copies);
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) entries = g_dir_open (folder, 0, NULL);
  const char *name;

  while (entries != NULL && (name = g_dir_read_name (entries)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
}

/* Those of earlier drags, which nobody reads any more. */
static void
remove_old_folders (const char *parent)
{
  g_autoptr (GDir) entries = g_dir_open (parent, 0, NULL);
  const gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  const char *name;
  GStatBuf status;

  while (entries != NULL && (name = g_dir_read_name (entries)) != NULL)
    {
      g_autofree char *path = g_build_filename (parent, name, NULL);

      if (g_lstat (path, &status) == 0 && S_ISDIR (status.st_mode)
          && status.st_mtime < now - KEEP_S)
        remove_folder (path);
    }
}

static void
write_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Copies *copies = data;
  g_autofree char *parent = g_path_get_dirname (copies->folder);
  GError *error = NULL;

  remove_old_folders (parent);
  g_mkdir_with_parents (copies->folder, 0700); /* where it fails, writing says so */
  for (guint i = 0; i < copies->files->len; i++)
    {
      const char *content = copies->contents->pdata[i];

      if (!shardwise_write_file (copies->files->pdata[i], content, strlen (content), &error))
        {
          g_task_return_error (task, error);
          return;
        }
    }
  g_task_return_boolean (task, TRUE);
}

/* ---- who reads them ---- */

/* Somebody who wants the files in a format. */
typedef struct {
  char *mime_type;
  GOutputStream *stream;
  int priority;
} Reading;

static void
reading_free (Reading *reading)
{
  g_free (reading->mime_type);
  g_object_unref (reading->stream);
  g_free (reading);
}

static void
serialized_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GError *error = NULL;

  if (gdk_content_serialize_finish (result, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* The files are there now, or will never be. task: (transfer full) */
static void
serve (ShardwiseExportDrag *self, GTask *task)
{
  const Reading *reading = g_task_get_task_data (task);
  g_auto (GValue) value = G_VALUE_INIT;

  if (self->error != NULL)
    {
      g_autofree char *name = g_file_get_basename (self->files->data);

      shardwise_late_error_tell (name, self->error); /* whoever reads says nothing to the user */
      g_task_return_error (task, g_error_copy (self->error));
      g_object_unref (task);
      return;
    }
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_set_boxed (&value, self->files);
  gdk_content_serialize_async (reading->stream, reading->mime_type, &value, reading->priority,
                               g_task_get_cancellable (task), serialized_cb, task);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseExportDrag) self = data;

  g_task_propagate_boolean (G_TASK (result), &self->error);
  self->written = TRUE;
  for (guint i = 0; i < self->asked->len; i++)
    serve (self, g_object_ref (self->asked->pdata[i]));
  g_ptr_array_set_size (self->asked, 0);
}

static void
shardwise_export_drag_write_mime_type_async (GdkContentProvider *provider, const char *mime_type,
                                             GOutputStream *stream, int priority,
                                             GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer data)
{
  ShardwiseExportDrag *self = SHARDWISE_EXPORT_DRAG (provider);
  GTask *task = g_task_new (self, cancellable, callback, data);
  Reading *reading = g_new (Reading, 1);

  *reading = (Reading){ g_strdup (mime_type), g_object_ref (stream), priority };
  g_task_set_source_tag (task, shardwise_export_drag_write_mime_type_async);
  g_task_set_task_data (task, reading, (GDestroyNotify) reading_free);
  if (self->written)
    serve (self, task);
  else
    g_ptr_array_add (self->asked, task);
}

static gboolean
shardwise_export_drag_write_mime_type_finish (GdkContentProvider *provider, GAsyncResult *result,
                                              GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

/* As files alone: who wants text gets that of the file, not a path. */
static GdkContentFormats *
shardwise_export_drag_ref_formats (GdkContentProvider *provider)
{
  g_autoptr (GdkContentFormats) formats = gdk_content_formats_union_serialize_mime_types (
      gdk_content_formats_new_for_gtype (GDK_TYPE_FILE_LIST));
  GdkContentFormatsBuilder *builder = gdk_content_formats_builder_new ();
  const char *const *mime_types = gdk_content_formats_get_mime_types (formats, NULL);

  gdk_content_formats_builder_add_gtype (builder, GDK_TYPE_FILE_LIST);
  for (guint i = 0; mime_types != NULL && mime_types[i] != NULL; i++)
    if (!g_str_has_prefix (mime_types[i], "text/plain"))
      gdk_content_formats_builder_add_mime_type (builder, mime_types[i]);
  return gdk_content_formats_builder_free_to_formats (builder);
}

/* For windows of this program, which read as others do while the files are not written. */
static gboolean
shardwise_export_drag_get_value (GdkContentProvider *provider, GValue *value, GError **error)
{
  ShardwiseExportDrag *self = SHARDWISE_EXPORT_DRAG (provider);

  if (!G_VALUE_HOLDS (value, GDK_TYPE_FILE_LIST) || !self->written || self->error != NULL)
    return GDK_CONTENT_PROVIDER_CLASS (shardwise_export_drag_parent_class)
        ->get_value (provider, value, error);
  g_value_set_boxed (value, self->files);
  return TRUE;
}

/* ---- object ---- */

static void
shardwise_export_drag_finalize (GObject *object)
{
  ShardwiseExportDrag *self = SHARDWISE_EXPORT_DRAG (object);

  g_slist_free_full (self->files, g_object_unref);
  g_clear_error (&self->error);
  g_ptr_array_unref (self->asked);
  G_OBJECT_CLASS (shardwise_export_drag_parent_class)->finalize (object);
}

static void
shardwise_export_drag_class_init (ShardwiseExportDragClass *klass)
{
  GdkContentProviderClass *provider_class = GDK_CONTENT_PROVIDER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_export_drag_finalize;
  provider_class->ref_formats = shardwise_export_drag_ref_formats;
  provider_class->get_value = shardwise_export_drag_get_value;
  provider_class->write_mime_type_async = shardwise_export_drag_write_mime_type_async;
  provider_class->write_mime_type_finish = shardwise_export_drag_write_mime_type_finish;
}

static void
shardwise_export_drag_init (ShardwiseExportDrag *self)
{
  self->asked = g_ptr_array_new_with_free_func (g_object_unref);
}

/* Begins to write the files, as many as there are from `first` to before `end`. */
static ShardwiseExportDrag *
drag_new (GPtrArray *files, guint first, guint end)
{
  ShardwiseExportDrag *self = g_object_new (SHARDWISE_TYPE_EXPORT_DRAG, NULL);
  g_autofree char *id = g_uuid_string_random ();
  g_autoptr (GTask) task = NULL;
  Copies *copies = g_new (Copies, 1);

  copies->folder = g_build_filename (g_get_user_cache_dir (), "shardwise", "export", id, NULL);
  copies->files = g_ptr_array_new_with_free_func (g_object_unref);
  copies->contents = g_ptr_array_new_with_free_func (g_free);
  for (guint i = end; i-- > first;)
    {
      const ShardwiseExportFile *file = files->pdata[i];
      g_autofree char *path = g_build_filename (copies->folder, file->name, NULL);

      self->files = g_slist_prepend (self->files, g_file_new_for_path (path));
      g_ptr_array_add (copies->files, g_object_ref (self->files->data));
      g_ptr_array_add (copies->contents, g_strdup (file->content));
    }
  task = g_task_new (NULL, NULL, written_cb, g_object_ref (self));
  g_task_set_source_tag (task, drag_new);
  g_task_set_task_data (task, copies, (GDestroyNotify) copies_free);
  shardwise_hold_for_task (task);
  g_task_run_in_thread (task, write_thread);
  return self;
}

/**
 * shardwise_export_drag_content:
 * @files: (element-type ShardwiseExportFile): the files
 * @shown: the one that is looked at
 * @all: whether all are dragged
 *
 * Returns: (transfer full): the text of the file shown for editors, and the files themselves for
 * file managers, which are written from now on
 */
GdkContentProvider *
shardwise_export_drag_content (GPtrArray *files, guint shown, gboolean all)
{
  const ShardwiseExportFile *file;
  GdkContentProvider *providers[2];

  g_return_val_if_fail (files != NULL && shown < files->len, NULL);

  file = g_ptr_array_index (files, shown);
  providers[0] = gdk_content_provider_new_typed (G_TYPE_STRING, file->content);
  providers[1] =
      GDK_CONTENT_PROVIDER (drag_new (files, all ? 0 : shown, all ? files->len : shown + 1));
  return gdk_content_provider_new_union (providers, G_N_ELEMENTS (providers));
}
