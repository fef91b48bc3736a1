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
} FolderRequest;

static void
folder_request_free (FolderRequest *request)
{
  g_object_unref (request->page);
  g_ptr_array_unref (request->names);
  g_ptr_array_unref (request->contents);
  g_free (request);
}

/* The files that are there already: they are other ones, which a question must come before. */
static char *
existing_files (const FolderRequest *request, GFile *folder)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < request->names->len; i++)
    {
      g_autoptr (GFile) file = g_file_get_child (folder, request->names->pdata[i]);

      if (g_file_query_exists (file, NULL))
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
                                (char *)request->names->pdata[i]);
    }

  return g_string_free (names, FALSE);
}

static void
write_folder (FolderRequest *request, GFile *folder)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  for (guint i = 0; i < request->names->len && error == NULL; i++)
    {
      g_autoptr (GFile) file = g_file_get_child (folder, request->names->pdata[i]);
      const char *content = request->contents->pdata[i];

      /* A few kilobytes each. */
      g_file_replace_contents (file, content, strlen (content), NULL, FALSE, G_FILE_CREATE_NONE,
                               NULL, NULL, &error);
    }
  if (error == NULL)
    text = g_strdup_printf (ngettext ("Saved %u file", "Saved %u files", request->names->len),
                            request->names->len);
  else
    /* Translators: %s is what the system says */
    text = g_strdup_printf (_("Not all files were saved: %s"), error->message);
  shardwise_page_toast (request->page, text);
}

typedef struct
{
  FolderRequest *request;
  GFile *folder;
} ReplaceQuestion;

static void
replace_answered_cb (const char *response, gpointer data)
{
  ReplaceQuestion *question = data;

  if (g_str_equal (response, "replace"))
    write_folder (question->request, question->folder);
  folder_request_free (question->request);
  g_object_unref (question->folder);
  g_free (question);
}

static GtkWindow *
window_of (ShardwisePage *page)
{
  return GTK_WINDOW (gtk_widget_get_ancestor (GTK_WIDGET (page), GTK_TYPE_WINDOW));
}

static void
folder_chosen_cb (GFile *folder, gpointer data)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "replace", _("_Replace"), ADW_RESPONSE_DESTRUCTIVE },
  };
  FolderRequest *request = data;
  g_autofree char *existing = NULL;
  ReplaceQuestion *question;

  if (folder == NULL)
    {
      folder_request_free (request);
      return;
    }
  existing = existing_files (request, folder);
  if (existing[0] == '\0')
    {
      write_folder (request, folder);
      folder_request_free (request);
      return;
    }

  question = g_new0 (ReplaceQuestion, 1);
  question->request = request;
  question->folder = g_object_ref (folder);
  shardwise_compat_ask (window_of (request->page), _("Replace Files?"), existing, responses,
                        G_N_ELEMENTS (responses), replace_answered_cb, question);
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
  FolderRequest *request;

  g_return_if_fail (SHARDWISE_IS_PAGE (page));
  g_return_if_fail (files != NULL);

  request = g_new0 (FolderRequest, 1);
  request->page = g_object_ref (page);
  request->names = g_ptr_array_new_with_free_func (g_free);
  request->contents = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < files->len; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (files, i);

      g_ptr_array_add (request->names, g_strdup (file->name));
      g_ptr_array_add (request->contents, g_strdup (file->content));
    }
  shardwise_compat_choose_folder (window_of (page), _("Save Bundle"), folder_chosen_cb, request);
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
