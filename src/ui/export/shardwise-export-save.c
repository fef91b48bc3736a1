/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-save.h"

#include <errno.h>
#include <glib/gi18n.h>

#include "shardwise-compat.h"
#include "shardwise-work.h"
#include "shardwise-late-error.h"
#include "shardwise-write-file.h"

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
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
                                (char *) request->names->pdata[i]);
    }

  return g_string_free (names, FALSE);
}

/* Returns the names of files that must be asked about first; "" where all were written. */
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
tell_saved (const Request *request)
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

/* Those of a page: the first one is being written, and the others wait, so that the files of two
 * do not mix. */
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
    tell_saved (request);
  else
    tell_failed (request, error);
  request_free (request);
}

/* On a thread: a slow disk does not stop the window. The task does not hold the page, which would
 * be freed on the thread where that is the last to let go of the task. */
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
 * @page: whose window tells
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
