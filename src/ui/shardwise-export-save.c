/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-save.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "shardwise-compat.h"

typedef struct {
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

  if (file == NULL)
    save_request_free (request);
  else
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
      _("Save Configuration"), file->name, save_chosen_cb, request);
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
 * @file: what is dragged
 *
 * Returns: (transfer full): its text for editors, and itself for file managers
 */
GdkContentProvider *
shardwise_export_drag_content (const ShardwiseExportFile *file)
{
  g_autoptr (GFile) copy = NULL;
  GdkContentProvider *providers[2];

  g_return_val_if_fail (file != NULL, NULL);

  copy = write_drag_file (file);
  providers[0] = gdk_content_provider_new_typed (G_TYPE_STRING, file->content);
  if (copy == NULL)
    return providers[0];
  providers[1] = gdk_content_provider_new_typed (G_TYPE_FILE, copy);

  return gdk_content_provider_new_union (providers, G_N_ELEMENTS (providers));
}
