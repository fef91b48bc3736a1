/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-save.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "shardwise-compat.h"

typedef struct
{
  ShardwisePage *page;
  char *name, *content;
} SaveRequest;

static void
save_request_free (SaveRequest *request)
{
  g_object_unref (request->page);
  g_free (request->name);
  g_free (request->content);
  g_free (request);
}

static void
saved_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  SaveRequest *request = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (g_file_replace_contents_finish (G_FILE (source), result, NULL, &error))
    /* Translators: %s is a file name, "ds_config.json" */
    text = g_strdup_printf (_("Saved %s"), request->name);
  else
    /* Translators: a file name, then what the system says */
    text = g_strdup_printf (_("%s was not saved: %s"), request->name, error->message);
  shardwise_page_toast (request->page, text);
  save_request_free (request);
}

static void
save_chosen_cb (GFile *file, gpointer data)
{
  SaveRequest *request = data;
  g_autofree char *name = NULL;

  if (file == NULL)
    {
      save_request_free (request);
      return;
    }

  /* The name that was chosen, which is told afterwards. */
  name = g_file_get_basename (file);
  g_free (request->name);
  request->name = g_filename_display_name (name);
  g_file_replace_contents_async (file, request->content, strlen (request->content), NULL, FALSE,
                                 G_FILE_CREATE_NONE, NULL, saved_cb, request);
}

/**
 * shardwise_export_save_file:
 * @page: whose window asks and tells
 * @file: what to save
 *
 * Asks where to save the file and writes it there.
 */
void
shardwise_export_save_file (ShardwisePage *page, const ShardwiseExportFile *file)
{
  SaveRequest *request;

  g_return_if_fail (SHARDWISE_IS_PAGE (page));
  g_return_if_fail (file != NULL);

  request = g_new0 (SaveRequest, 1);
  request->page = g_object_ref (page);
  request->name = g_strdup (file->name);
  request->content = g_strdup (file->content);
  shardwise_compat_save_file (
      GTK_WINDOW (gtk_widget_get_ancestor (GTK_WIDGET (page), GTK_TYPE_WINDOW)),
      _("Save Configuration"), NULL, file->name, save_chosen_cb, request);
}

typedef struct
{
  ShardwisePage *page;
  GPtrArray *names, *contents;
  GFile *folder;             /* (nullable): not chosen yet */
  gboolean replace;          /* the user was asked about files that are there */
  GApplication *application; /* (nullable): does not end before they are written */
} FolderRequest;

static void
folder_request_free (FolderRequest *request)
{
  g_object_unref (request->page);
  g_ptr_array_unref (request->names);
  g_ptr_array_unref (request->contents);
  g_clear_object (&request->folder);
  g_clear_object (&request->application);
  g_free (request);
}

/* The files that are there already: they are other ones, which a question must come before. */
static char *
existing_files (const FolderRequest *request)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < request->names->len; i++)
    {
      g_autoptr (GFile) file = g_file_get_child (request->folder, request->names->pdata[i]);

      if (g_file_query_exists (file, NULL))
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
                                (char *)request->names->pdata[i]);
    }

  return g_string_free (names, FALSE);
}

/* Returns the names of files that must be asked about first; "" where all were written. */
static void
write_folder_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const FolderRequest *request = data;
  g_autofree char *existing = request->replace ? g_strdup ("") : existing_files (request);
  GError *error = NULL;

  for (guint i = 0; *existing == '\0' && i < request->names->len && error == NULL; i++)
    {
      g_autoptr (GFile) file = g_file_get_child (request->folder, request->names->pdata[i]);
      const char *content = request->contents->pdata[i];

      g_file_replace_contents (file, content, strlen (content), NULL, FALSE, G_FILE_CREATE_NONE,
                               NULL, NULL, &error);
    }
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, g_steal_pointer (&existing), g_free);
}

static void write_folder (FolderRequest *request);

static void
replace_answered_cb (const char *response, gpointer data)
{
  FolderRequest *request = data;

  request->replace = g_str_equal (response, "replace");
  if (request->replace)
    write_folder (request);
  else
    folder_request_free (request);
}

static GtkWindow *
window_of (ShardwisePage *page)
{
  return GTK_WINDOW (gtk_widget_get_ancestor (GTK_WIDGET (page), GTK_TYPE_WINDOW));
}

/* Nothing is written where the window has gone meanwhile: nobody can be asked. */
static void
ask_to_replace (FolderRequest *request, const char *existing)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "replace", _("_Replace"), ADW_RESPONSE_DESTRUCTIVE },
  };
  GtkWindow *window = window_of (request->page);

  if (window != NULL)
    shardwise_compat_ask (window, _("Replace Files?"), existing, responses,
                          G_N_ELEMENTS (responses), replace_answered_cb, request,
                          (GDestroyNotify)folder_request_free);
  else
    folder_request_free (request);
}

/* Those of a page: the first one is being written, and the others wait, so that the files of two
 * do not mix. */
static GQueue *
get_requests (ShardwisePage *page)
{
  static const char key[] = "shardwise-folder-requests";
  GQueue *requests = g_object_get_data (G_OBJECT (page), key);

  if (requests == NULL)
    {
      requests = g_queue_new ();
      g_object_set_data_full (G_OBJECT (page), key, requests, (GDestroyNotify)g_queue_free);
    }
  return requests;
}

static void write_first (ShardwisePage *page);

static void
folder_written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  FolderRequest *request = data;
  GQueue *requests = get_requests (request->page);
  g_autoptr (GError) error = NULL;
  g_autofree char *existing = g_task_propagate_pointer (G_TASK (result), &error);
  g_autofree char *text = NULL;

  g_queue_pop_head (requests);
  if (request->application != NULL)
    g_application_release (request->application);
  write_first (request->page);
  if (existing != NULL && *existing != '\0')
    {
      ask_to_replace (request, existing);
      return;
    }
  if (error == NULL)
    text = g_strdup_printf (ngettext ("Saved %u file", "Saved %u files", request->names->len),
                            request->names->len);
  else
    /* Translators: %s is what the system says */
    text = g_strdup_printf (_("Not all files were saved: %s"), error->message);
  shardwise_page_toast (request->page, text);
  folder_request_free (request);
}

/* On a thread: a slow disk does not stop the window. The task does not hold the page, which would
 * be freed on the thread where that is the last to let go of the task. */
static void
write_first (ShardwisePage *page)
{
  FolderRequest *request = g_queue_peek_head (get_requests (page));
  g_autoptr (GTask) task = NULL;

  if (request == NULL)
    return;
  task = g_task_new (NULL, NULL, folder_written_cb, request);
  g_task_set_source_tag (task, write_first);
  g_task_set_task_data (task, request, NULL);
  g_task_run_in_thread (task, write_folder_thread);
}

static void
write_folder (FolderRequest *request)
{
  GQueue *requests = get_requests (request->page);

  g_set_object (&request->application, g_application_get_default ());
  if (request->application != NULL)
    g_application_hold (request->application);
  g_queue_push_tail (requests, request);
  if (g_queue_get_length (requests) == 1)
    write_first (request->page);
}

static void
folder_chosen_cb (GFile *folder, gpointer data)
{
  FolderRequest *request = data;

  if (folder == NULL)
    {
      folder_request_free (request);
      return;
    }
  request->folder = g_object_ref (folder);
  write_folder (request);
}

static FolderRequest *
folder_request_new (ShardwisePage *page, GPtrArray *files)
{
  FolderRequest *request = g_new0 (FolderRequest, 1);

  request->page = g_object_ref (page);
  request->names = g_ptr_array_new_with_free_func (g_free);
  request->contents = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < files->len; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (files, i);

      g_ptr_array_add (request->names, g_strdup (file->name));
      g_ptr_array_add (request->contents, g_strdup (file->content));
    }
  return request;
}

/**
 * shardwise_export_save_into:
 * @page: whose window asks and tells
 * @files: (element-type ShardwiseExportFile): what to save
 * @folder: where
 *
 * Writes all files there, on a thread and one after the other call; files of the same names are
 * asked about.
 */
void
shardwise_export_save_into (ShardwisePage *page, GPtrArray *files, GFile *folder)
{
  g_return_if_fail (SHARDWISE_IS_PAGE (page));
  g_return_if_fail (files != NULL);
  g_return_if_fail (G_IS_FILE (folder));

  folder_chosen_cb (folder, folder_request_new (page, files));
}

/**
 * shardwise_export_save_folder:
 * @page: whose window asks and tells
 * @files: (element-type ShardwiseExportFile): what to save
 *
 * Asks for a folder and writes all files there; files of the same names are asked about.
 */
void
shardwise_export_save_folder (ShardwisePage *page, GPtrArray *files)
{
  g_return_if_fail (SHARDWISE_IS_PAGE (page));
  g_return_if_fail (files != NULL);

  shardwise_compat_choose_folder (window_of (page), _("Save Bundle"), folder_chosen_cb,
                                  folder_request_new (page, files));
}

/* What is dropped on a file manager has to be a file: it lies in the cache until it is dragged
 * again. */
static GFile *
write_drag_file (const ShardwiseExportFile *file)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "shardwise", "export", NULL);
  g_autofree char *path = g_build_filename (folder, file->name, NULL);

  if (g_mkdir_with_parents (folder, 0700) != 0
      || !g_file_set_contents (path, file->content, -1, NULL))
    return NULL;

  return g_file_new_for_path (path);
}

/**
 * shardwise_export_drag_content:
 * @files: (element-type ShardwiseExportFile): the files
 * @shown: the one that is looked at
 * @all: whether all are dragged
 *
 * Returns: (transfer full): the text of the file shown for editors, and the files themselves for
 * file managers
 */
GdkContentProvider *
shardwise_export_drag_content (GPtrArray *files, guint shown, gboolean all)
{
  const ShardwiseExportFile *file;
  GdkContentProvider *providers[2];
  g_autoslist (GFile) copies = NULL;

  g_return_val_if_fail (files != NULL && shown < files->len, NULL);

  file = g_ptr_array_index (files, shown);
  for (guint i = files->len; i-- > 0;)
    {
      GFile *copy = all || i == shown ? write_drag_file (g_ptr_array_index (files, i)) : NULL;

      if (copy != NULL)
        copies = g_slist_prepend (copies, copy);
    }
  providers[0] = gdk_content_provider_new_typed (G_TYPE_STRING, file->content);
  if (copies == NULL)
    return providers[0];
  providers[1] = gdk_content_provider_new_typed (GDK_TYPE_FILE_LIST, copies);

  return gdk_content_provider_new_union (providers, G_N_ELEMENTS (providers));
}
