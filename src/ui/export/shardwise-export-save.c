/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-save.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

#include "shardwise-compat.h"
#include "shardwise-format.h"
#include "shardwise-toast.h"
#include "shardwise-work.h"
#include "shardwise-export.h"
#include "shardwise-file.h"

/* Files on their way out of the window. */
typedef struct {
  ShardwisePage *page;
  GPtrArray *names, *contents; /* of char */
  gboolean bundle;
  GFile *chosen;    /* (nullable): not yet; the folder of a bundle, else the file */
  gboolean replace; /* the user was asked about files that are there */
  guint at;         /* the one that is being written */
} Request;

static Request *
request_new (ShardwisePage *page, gboolean bundle)
{
  Request *request = g_new0 (Request, 1);

  request->page = g_object_ref (page);
  request->names = g_ptr_array_new_with_free_func (g_free);
  request->contents = g_ptr_array_new_with_free_func (g_free);
  request->bundle = bundle;
  return request;
}

static void
request_add (Request *request, const ShardwiseExportFile *file)
{
  g_ptr_array_add (request->names, g_strdup (file->name));
  g_ptr_array_add (request->contents, g_strdup (file->content));
}

static void
request_free (Request *request)
{
  g_object_unref (request->page);
  g_ptr_array_unref (request->names);
  g_ptr_array_unref (request->contents);
  g_clear_object (&request->chosen);
  g_free (request);
}

static GtkWindow *
window_of (ShardwisePage *page)
{
  return GTK_WINDOW (gtk_widget_get_ancestor (GTK_WIDGET (page), GTK_TYPE_WINDOW));
}

/* ---- the thread ---- */

/* (transfer full): where a file goes. */
static GFile *
target_of (const Request *request, guint index)
{
  return request->bundle ? g_file_get_child (request->chosen, request->names->pdata[index])
                         : g_object_ref (request->chosen);
}

/* The files that are there already: they are other ones, which a question must come before. */
static char *
existing_files (const Request *request)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < request->names->len; i++)
    {
      g_autoptr (GFile) file = target_of (request, i);

      if (g_file_query_exists (file, NULL))
        shardwise_text_items (names, "%s", (char *) request->names->pdata[i]);
    }

  return g_string_free (names, FALSE);
}

/* Returns the names of files that must be asked about first; "" if all were written. */
static void
write_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Request *request = data;
  g_autofree char *existing = request->replace ? g_strdup ("") : existing_files (request);
  GError *error = NULL;

  for (request->at = 0; *existing == '\0' && request->at < request->names->len; request->at++)
    {
      g_autoptr (GFile) file = target_of (request, request->at);
      const char *content = request->contents->pdata[request->at];

      if (!shardwise_write_file (file, content, strlen (content), &error))
        {
          g_task_return_error (task, error);
          return;
        }
    }
  g_task_return_pointer (task, g_steal_pointer (&existing), g_free);
}

/* ---- before and after ---- */

static void
tell_failed (const Request *request, const GError *error)
{
  const char *name = request->names->pdata[request->at];
  g_autofree char *text = NULL;

  if (window_of (request->page) == NULL)
    {
      shardwise_late_error_tell (name, error);
      return;
    }
  if (request->bundle)
    /* Translators: %s is what the system says */
    text = g_strdup_printf (_ ("Not all files were saved: %s"), error->message);
  else
    /* Translators: a file name, then what the system says */
    text = g_strdup_printf (_ ("%s was not saved: %s"), name, error->message);
  shardwise_page_toast (request->page, text);
}

static void write_when_free (Request *request);

static void
replace_answered_cb (const char *response, gpointer data)
{
  Request *request = data;

  request->replace = g_str_equal (response, "replace");
  if (request->replace)
    write_when_free (request);
  else
    request_free (request);
}

/* Nothing is written where the window has gone meanwhile: nobody can be asked. */
static void
ask_to_replace (Request *request, const char *existing)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "replace", _ ("_Replace"), ADW_RESPONSE_DESTRUCTIVE },
  };
  GtkWindow *window = window_of (request->page);

  if (window == NULL)
    {
      g_autoptr (GError) error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_EXISTS,
                                                      g_strerror (EEXIST));

      shardwise_late_error_tell (existing, error);
      request_free (request);
      return;
    }
  shardwise_compat_ask (window, _ ("Replace Files?"), existing, responses, G_N_ELEMENTS (responses),
                        replace_answered_cb, request, (GDestroyNotify) request_free);
}

/* Saves of a page: the first one is being written, and the others wait, so that their files do not
 * mix. */
static GQueue *
get_requests (ShardwisePage *page)
{
  static const char key[] = "shardwise-export-requests";
  GQueue *requests = g_object_get_data (G_OBJECT (page), key);

  if (requests == NULL)
    {
      requests = g_queue_new ();
      g_object_set_data_full (G_OBJECT (page), key, requests, (GDestroyNotify) g_queue_free);
    }
  return requests;
}

static void write_first (ShardwisePage *page);

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Request *request = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *existing = g_task_propagate_pointer (G_TASK (result), &error);

  g_queue_pop_head (get_requests (request->page));
  write_first (request->page);
  if (existing != NULL && *existing != '\0')
    {
      ask_to_replace (request, existing);
      return;
    }
  if (error == NULL)
    {
      g_autofree char *text = NULL;

      if (request->bundle)
        text = g_strdup_printf (ngettext ("Saved %u file", "Saved %u files", request->names->len),
                                request->names->len);
      else
        /* Translators: %s is a file name, "ds_config.json" */
        text = g_strdup_printf (_ ("Saved %s"), (char *) request->names->pdata[0]);
      shardwise_page_toast (request->page, text);
    }
  else
    tell_failed (request, error);
  request_free (request);
}

/* Runs on a thread, because a slow disk must not stop the window. The task does not hold the page,
 * because the thread would free it if it released the task last. */
static void
write_first (ShardwisePage *page)
{
  Request *request = g_queue_peek_head (get_requests (page));
  g_autoptr (GTask) task = NULL;

  if (request == NULL)
    return;
  task = g_task_new (NULL, NULL, written_cb, request);
  g_task_set_source_tag (task, write_first);
  g_task_set_task_data (task, request, NULL);
  shardwise_hold_for_task (task);
  g_task_run_in_thread (task, write_thread);
}

static void
write_when_free (Request *request)
{
  GQueue *requests = get_requests (request->page);

  g_queue_push_tail (requests, request);
  if (g_queue_get_length (requests) == 1)
    write_first (request->page);
}

static void
chosen_cb (GFile *chosen, gpointer data)
{
  Request *request = data;

  if (chosen == NULL)
    {
      request_free (request);
      return;
    }
  request->chosen = g_object_ref (chosen);
  if (!request->bundle)
    {
      /* The name that was chosen, which is told afterwards; the dialog has asked about a file of
       * that name. */
      g_autofree char *name = g_file_get_basename (chosen);

      g_free (request->names->pdata[0]);
      request->names->pdata[0] = g_filename_display_name (name);
      request->replace = TRUE;
    }
  write_when_free (request);
}

static Request *
file_request_new (ShardwisePage *page, const ShardwiseExportFile *file)
{
  Request *request = request_new (page, FALSE);

  request_add (request, file);
  return request;
}

static Request *
bundle_request_new (ShardwisePage *page, GPtrArray *files)
{
  Request *request = request_new (page, TRUE);

  for (guint i = 0; i < files->len; i++)
    request_add (request, g_ptr_array_index (files, i));
  return request;
}

/* ---- what is asked ---- */

/**
 * shardwise_export_save_as:
 * @page: its window shows the result
 * @file: what to save
 * @as: where; a file that is there is replaced
 *
 * Writes the file there, on a thread, after what @page was told to save before. The application
 * does not end before that, and what goes wrong is told where the window is closed meanwhile, too.
 */
void
shardwise_export_save_as (ShardwisePage *page, const ShardwiseExportFile *file, GFile *as)
{
  g_return_if_fail (SHARDWISE_IS_PAGE (page));
  g_return_if_fail (file != NULL);
  g_return_if_fail (G_IS_FILE (as));

  chosen_cb (as, file_request_new (page, file));
}

/**
 * shardwise_export_save_file:
 * @page: whose window asks and tells
 * @file: what to save
 *
 * Asks where to save the file and writes it there, as shardwise_export_save_as() does.
 */
void
shardwise_export_save_file (ShardwisePage *page, const ShardwiseExportFile *file)
{
  g_return_if_fail (SHARDWISE_IS_PAGE (page));
  g_return_if_fail (file != NULL);

  shardwise_compat_save_file (window_of (page), _ ("Save Configuration"), NULL, file->name,
                              chosen_cb, file_request_new (page, file));
}

/**
 * shardwise_export_save_into:
 * @page: whose window asks and tells
 * @files: (element-type ShardwiseExportFile): what to save
 * @folder: where
 *
 * Writes all files there, as shardwise_export_save_as() does; files of the same names are asked
 * about.
 */
void
shardwise_export_save_into (ShardwisePage *page, GPtrArray *files, GFile *folder)
{
  g_return_if_fail (SHARDWISE_IS_PAGE (page));
  g_return_if_fail (files != NULL);
  g_return_if_fail (G_IS_FILE (folder));

  chosen_cb (folder, bundle_request_new (page, files));
}

/**
 * shardwise_export_save_folder:
 * @page: whose window asks and tells
 * @files: (element-type ShardwiseExportFile): what to save
 *
 * Asks for a folder and writes all files there, as shardwise_export_save_into() does.
 */
void
shardwise_export_save_folder (ShardwisePage *page, GPtrArray *files)
{
  g_return_if_fail (SHARDWISE_IS_PAGE (page));
  g_return_if_fail (files != NULL);

  shardwise_compat_choose_folder (window_of (page), _ ("Save Bundle"), chosen_cb,
                                  bundle_request_new (page, files));
}

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

/* Files of earlier drags, which nobody reads any more. */
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
drag_write_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Copies *copies = data;
  g_autofree char *parent = g_path_get_dirname (copies->folder);
  GError *error = NULL;

  remove_old_folders (parent);
  g_mkdir_with_parents (copies->folder, 0700); /* writing reports the error if this fails */
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

/* A receiver that wants the files in one format. */
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

      shardwise_late_error_tell (name, self->error); /* readers report no errors */
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
drag_written_cb (GObject *source, GAsyncResult *result, gpointer data)
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

/* Offers files only: a receiver that wants text gets the text of the file, not its path. */
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
  task = g_task_new (NULL, NULL, drag_written_cb, g_object_ref (self));
  g_task_set_source_tag (task, drag_new);
  g_task_set_task_data (task, copies, (GDestroyNotify) copies_free);
  shardwise_hold_for_task (task);
  g_task_run_in_thread (task, drag_write_thread);
  return self;
}

/**
 * shardwise_export_drag_content:
 * @files: (element-type ShardwiseExportFile): the files
 * @shown: the selected one
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
