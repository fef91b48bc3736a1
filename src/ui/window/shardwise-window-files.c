/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-files.h"

#include <glib/gi18n.h>

#include "shardwise-application.h"
#include "shardwise-compat.h"
#include "shardwise-config.h"
#include "shardwise-editor.h"
#include "shardwise-advice-page.h"
#include "shardwise-machine.h"
#include "shardwise-preferences.h"
#include "shardwise-toast.h"
#include "shardwise-window-actions.h"
#include "shardwise-window-private.h"
#include "shardwise-work.h"
#include "shardwise-failure.h"
#include "shardwise-file.h"

#define END_OF_LOG 4096         /* bytes at the end of a log that are searched for the error */
#define QUESTION "ask.question" /* key in the typed texts that is not a key of a scenario */

/* ---- opening ---- */

/* name: of a file. message: the error, translated. */
void
shardwise_window_tell_open_error (ShardwiseWindow *self, const char *name, const char *message)
{
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_ ("“%s” Cannot Be Opened"), name);

  shardwise_compat_tell (GTK_WINDOW (self), heading, message);
}

/* (transfer none): a window on the screen for another document. */
static ShardwiseWindow *
new_beside (ShardwiseWindow *self)
{
  ShardwiseWindow *other = shardwise_window_new (gtk_window_get_application (GTK_WINDOW (self)),
                                                 self->settings);

  gtk_window_present (GTK_WINDOW (other));
  return other;
}

/* A user who opens a job of a framework wants to export to the same framework. */
static void
offer_format (ShardwiseWindow *self, const ShardwiseImport *import)
{
  const ShardwiseFormatInfo *info = import->kind == SHARDWISE_IMPORT_BRIDGE
                                        ? shardwise_format_info (SHARDWISE_FORMAT_MEGATRON_BRIDGE)
                                        : shardwise_import_format (import->kind, import->scenario);
  GtkWidget *bin = adw_view_stack_get_child_by_name (self->view_stack, "advice"), *page;

  if (info == NULL)
    return;
  g_settings_set_string (self->settings, "export-version", info->version);
  g_settings_set_string (self->settings, "export-framework", sw_framework_names[info->framework]);
  g_settings_set_string (self->settings, "export-format", info->id);
  page = bin != NULL ? adw_bin_get_child (ADW_BIN (bin)) : NULL;
  if (page != NULL)
    shardwise_export_page_select (shardwise_advice_page_get_export (SHARDWISE_ADVICE_PAGE (page)),
                                  info->id);
}

/* A job or a model becomes a new scenario that was never saved. Undo ends there, because the
 * initial content of a new scenario is another job, to which the diagnosis would not apply. */
static void
show_import (ShardwiseWindow *self, ShardwiseImport *import)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_copy (import->scenario);
  g_autoptr (ShardwiseScenario) fresh = shardwise_scenario_new ();

  offer_format (self, import);
  shardwise_window_set_scenario (self, scenario, NULL);
  shardwise_document_set_saved (self->document, fresh);
  shardwise_window_set_import (self, import);
  shardwise_window_set_page (self, "advice");
}

/* Nothing was opened: a window without a document shows the start page. */
static void
begin_again (ShardwiseWindow *self)
{
  if (shardwise_document_get_scenario (self->document) == NULL)
    shardwise_window_show_start (self);
}

static void
keep_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;

  if (shardwise_clusters_keep (data, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
kept_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &error))
    shardwise_late_error_tell (_ ("Measured cluster"), error);
}

/* The measured cluster can now be chosen like any GPU. */
static void
keep_cluster (ShardwiseScenario *scenario)
{
  g_autofree char *object = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_CLUSTER_GPU),
                  *name = object != NULL ? shardwise_cluster_name (object) : NULL;
  g_autoptr (GTask) task = NULL;

  if (name == NULL) /* nothing was measured, or only a layer */
    return;
  task = g_task_new (NULL, NULL, kept_cb, NULL);
  g_task_set_task_data (task, g_steal_pointer (&object), g_free);
  shardwise_hold_for_task (task);
  g_task_run_in_thread (task, keep_thread);
}

/* An error message without its job: the start page asks for the job. */
static void
show_failure (ShardwiseWindow *self, GFile *file)
{
  g_autoptr (GBytes) bytes = file != NULL ? shardwise_read_file (file, NULL, NULL) : NULL;
  gsize length = 0, kept;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
  g_autofree char *end = NULL;

  kept = MIN (length, END_OF_LOG);
  end = kept > 0 ? g_utf8_make_valid (text + length - kept, (gssize) kept) : g_strdup ("");
  begin_again (self);
  shardwise_start_page_set_text (self->start_page, end, TRUE);
}

/* Replaces the document. If it has unsaved edits, it stays, and the new one opens in another
 * window. import: (transfer full). */
static void
take_import (ShardwiseWindow *self, ShardwiseImport *import, GFile *file)
{
  shardwise_inputs_flush (self->inputs); /* pending typed text is an edit, too */
  /* An error message is diagnosed for the open job. */
  if (import->kind == SHARDWISE_IMPORT_ERROR)
    {
      if (shardwise_document_get_scenario (self->document) == NULL)
        show_failure (self, file);
      else
        {
          shardwise_window_set_import (self, import);
          shardwise_window_set_page (self, "advice");
        }
      shardwise_import_free (import);
      return;
    }
  if (import->kind == SHARDWISE_IMPORT_PROBE)
    keep_cluster (import->scenario);
  /* Measurements are an edit of the open job, which can be undone. */
  if (import->kind == SHARDWISE_IMPORT_PROBE
      && shardwise_document_get_scenario (self->document) != NULL)
    {
      shardwise_scenario_replace (shardwise_document_get_scenario (self->document),
                                  import->scenario);
      shardwise_window_set_import (self, import);
      shardwise_window_set_page (self, "advice");
      shardwise_import_free (import);
      return;
    }
  if (shardwise_document_get_scenario (self->document) == NULL
      && import->kind != SHARDWISE_IMPORT_PROBE && import->kind != SHARDWISE_IMPORT_SCENARIO
      && !shardwise_import_is_job (import->kind))
    shardwise_new_scenario_take_cluster (import->scenario, self->settings);
  if (shardwise_document_has_unsaved (self->document))
    self = new_beside (self);
  if (import->kind == SHARDWISE_IMPORT_SCENARIO)
    {
      shardwise_window_set_scenario (self, import->scenario, file);
      if (import->findings->len > 0) /* together with an error message */
        {
          import->kind = SHARDWISE_IMPORT_ERROR;
          shardwise_window_set_import (self, import);
        }
      if (file != NULL)
        shardwise_recent_remember (file);
    }
  else
    show_import (self, import);
  shardwise_import_free (import);
}

/**
 * shardwise_window_open_text:
 * @text: a scenario, or the configuration of a job or a model
 * @length: in bytes, or -1
 * @name: its name in error messages
 *
 * Opens a text that is not (yet) a file. For an invalid text, a dialog reports the error, and the
 * open document stays. Missing values of a configuration come from the scenario of the window.
 *
 * Returns: whether it was opened
 */
gboolean
shardwise_window_open_text (ShardwiseWindow *self, const char *text, gssize length,
                            const char *name)
{
  g_autoptr (ShardwiseImport) import = NULL;
  g_autoptr (GError) error = NULL;

  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), FALSE);
  g_return_val_if_fail (text != NULL, FALSE);

  length = length < 0 ? (gssize) strlen (text) : length;
  import = shardwise_import_document (text, (gsize) length, "",
                                      shardwise_document_get_scenario (self->document), &error);
  if (import == NULL)
    {
      g_autofree char *why = shardwise_description_refusal (text, (gsize) length, error->message);

      shardwise_window_tell_open_error (self, name, why);
      return FALSE;
    }
  take_import (self, g_steal_pointer (&import), NULL);
  return TRUE;
}

/* Whether a text is a file of a job, or an error message; otherwise it is words. */
gboolean
shardwise_window_is_job (const char *text)
{
  ShardwiseFailure failure;

  return shardwise_failure_read (text, -1, &failure)
         || shardwise_import_detect (text, strlen (text), "") != SHARDWISE_IMPORT_UNKNOWN;
}

/* A job in words becomes a new scenario that was never saved. The panel answers questions in the
 * words; other GPUs that they mention are added to the comparison. */
static void
show_words (ShardwiseWindow *self, ShardwiseDescription *what)
{
  g_autoptr (ShardwiseScenario) fresh = shardwise_scenario_new ();

  shardwise_window_set_scenario (self, what->scenario, NULL);
  shardwise_document_set_saved (self->document, fresh);
  shardwise_window_set_page (self, "advice");
  if (what->others->len > 0)
    {
      GVariantBuilder columns;

      g_variant_builder_init (&columns, G_VARIANT_TYPE ("aa{sv}"));
      for (guint i = 0; i < what->others->len; i++)
        {
          GVariantDict gpu;

          g_variant_dict_init (&gpu, NULL);
          g_variant_dict_insert (&gpu, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPU), "s",
                                 what->others->pdata[i]);
          g_variant_builder_add_value (&columns, g_variant_dict_end (&gpu));
        }
      g_action_group_activate_action (G_ACTION_GROUP (self), "compare",
                                      g_variant_builder_end (&columns));
    }
  if (!what->asks)
    return;
  shardwise_ask_panel_ask (self->ask_panel, what->question->text);
  shardwise_window_reveal (self->ask_flap, TRUE);
}

/**
 * shardwise_window_open_description:
 * @what: a description of a job
 *
 * Shows its answer, in place of the start page.
 */
void
shardwise_window_open_description (ShardwiseWindow *self, ShardwiseDescription *what)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));
  g_return_if_fail (shardwise_description_can_open (what));

  if (what->import == NULL)
    show_words (self, what);
  else if (what->import->kind == SHARDWISE_IMPORT_ERROR)
    show_import (self, what->import);
  else
    take_import (self, g_steal_pointer (&what->import), NULL);
}

/* A job that is pasted into the question's entry opens, because the entry would turn it into one
 * line. */
static void
pasted_in_entry_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, NULL);
  GtkEditable *entry = GTK_EDITABLE (gtk_widget_get_mapped (self->ask_field)
                                         ? self->ask_field
                                         : shardwise_ask_panel_get_entry (self->ask_panel));
  int place;

  if (text == NULL || shardwise_window_is_closed (self))
    return;
  if (shardwise_window_is_job (text))
    {
      shardwise_window_open_text (self, text, -1, _ ("Pasted Text"));
      return;
    }
  g_strdelimit (text, "\n\r\t", ' ');
  gtk_editable_delete_selection (entry);
  place = gtk_editable_get_position (entry);
  gtk_editable_insert_text (entry, text, -1, &place);
  gtk_editable_set_position (entry, place);
}

static void
paste_in_entry_cb (ShardwiseWindow *self, GtkWidget *text)
{
  g_signal_stop_emission_by_name (text, "paste-clipboard");
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (text), self->cancellable,
                                 pasted_in_entry_cb, g_object_ref (self));
}

/* entry: for questions. */
void
shardwise_window_take_pasted_jobs (ShardwiseWindow *self, GtkWidget *entry)
{
  g_signal_connect_object (gtk_editable_get_delegate (GTK_EDITABLE (entry)), "paste-clipboard",
                           G_CALLBACK (paste_in_entry_cb), self, G_CONNECT_SWAPPED);
}

/**
 * shardwise_window_shows_file:
 *
 * Returns: whether @file contains the document
 */
gboolean
shardwise_window_shows_file (ShardwiseWindow *self, GFile *file)
{
  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), FALSE);
  return shardwise_document_is_of (self->document, file);
}

/**
 * shardwise_window_that_shows:
 * @application: (nullable): the application with the windows
 *
 * Returns: (transfer none) (nullable): the window with the document of @file
 */
ShardwiseWindow *
shardwise_window_that_shows (GtkApplication *application, GFile *file)
{
  GList *windows = application != NULL ? gtk_application_get_windows (application) : NULL;

  for (GList *link = windows; link != NULL; link = link->next)
    if (SHARDWISE_IS_WINDOW (link->data) && shardwise_window_shows_file (link->data, file))
      return link->data;
  return NULL;
}

/* Whether another window of the program has the document of `file`; a file has at most one. */
static gboolean
is_elsewhere (ShardwiseWindow *self, GFile *file)
{
  ShardwiseWindow *other =
      shardwise_window_that_shows (gtk_window_get_application (GTK_WINDOW (self)), file);

  return other != NULL && other != self;
}

/* The thread's input and output. */
typedef struct {
  GFile *file;               /* the first of them */
  GPtrArray *files;          /* GFile elements: several are one job */
  ShardwiseScenario *base;   /* (nullable): a copy of the current scenario */
  gboolean beside;           /* a window that has a document keeps it */
  ShardwiseAhead *ahead;     /* (nullable): the file is already being read there */
  ShardwiseAdvisor *advisor; /* (nullable): of that */
} Reading;

static void
reading_free (gpointer data)
{
  Reading *reading = data;

  g_ptr_array_unref (reading->files);
  g_clear_object (&reading->base);
  g_clear_pointer (&reading->ahead, shardwise_ahead_free);
  g_clear_object (&reading->advisor);
  g_free (reading);
}

static void
read_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Reading *reading = data;
  GError *error = NULL;
  ShardwiseImport *import = reading->ahead != NULL
                                ? shardwise_ahead_take (reading->ahead, &reading->advisor, &error)
                                : shardwise_import_files (reading->files, reading->base,
                                                          cancellable, &error);

  if (import == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, import, (GDestroyNotify) shardwise_import_free);
}

/* Reads files on a thread, so that a slow disk, a pipe or a large file does not block the
 * window. */
static void
read_async (ShardwiseWindow *self, GPtrArray *files, gboolean beside, GAsyncReadyCallback callback)
{
  /* Not the task's source, because the thread could release the last reference. */
  g_autoptr (GTask) task = g_task_new (NULL, self->cancellable, callback, g_object_ref (self));
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  Reading *reading = g_new0 (Reading, 1);

  reading->files = g_ptr_array_ref (files);
  reading->file = files->pdata[0];
  if (shardwise_document_get_scenario (self->document) != NULL)
    reading->base = shardwise_scenario_copy (shardwise_document_get_scenario (self->document));
  else if (SHARDWISE_IS_APPLICATION (application) && files->len == 1)
    reading->ahead = shardwise_application_take_ahead (SHARDWISE_APPLICATION (application),
                                                       reading->file);
  reading->beside = beside;
  g_task_set_source_tag (task, read_async);
  g_task_set_task_data (task, reading, reading_free);
  g_task_run_in_thread (task, read_thread);
}

static ShardwiseImport *
read_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* The document is loaded: shows it in this window, or in another one if this one has a document. */
static void
show_opened (ShardwiseWindow *self, ShardwiseImport *import, Reading *reading)
{
  if (reading->beside && shardwise_document_get_scenario (self->document) != NULL)
    self = new_beside (self);
  if (reading->advisor != NULL && self->advisor == NULL)
    shardwise_window_take_advisor (self, g_steal_pointer (&reading->advisor));
  take_import (self, import, reading->file);
}

static void open_file (ShardwiseWindow *self, GFile *file, gboolean beside);

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseImport) import = read_finish (result, &error);
  ShardwiseWindow *other =
      shardwise_window_that_shows (gtk_window_get_application (GTK_WINDOW (self)), reading->file);

  if (!shardwise_window_is_closed (self) && import != NULL && other == NULL)
    show_opened (self, g_steal_pointer (&import), reading);
  self->opening--;
  if (shardwise_window_is_closed (self))
    return;
  if (error != NULL && reading->files->len > 1) /* they do not form a job: opens each separately */
    {
      g_debug ("The files are no job together: %s", error->message);
      for (guint i = 0; i < reading->files->len; i++)
        open_file (self, reading->files->pdata[i],
                   reading->beside || i > 0
                       || shardwise_document_get_scenario (self->document) == NULL);
      return;
    }
  if (error != NULL)
    {
      g_autofree char *name = shardwise_file_name (reading->file);

      shardwise_window_tell_open_error (self, name, error->message);
      begin_again (self);
      return;
    }
  if (other != NULL) /* two windows would overwrite each other's changes */
    {
      gtk_window_present (GTK_WINDOW (other));
      begin_again (self);
    }
}

static void
open_files (ShardwiseWindow *self, GPtrArray *files, gboolean beside)
{
  self->opening++; /* so that nothing else uses the window before */
  if (shardwise_document_get_scenario (self->document) == NULL
      && !gtk_widget_get_mapped (GTK_WIDGET (self)))
    gtk_stack_set_visible_child_full (self->main_stack, "blank", GTK_STACK_TRANSITION_TYPE_NONE);
  read_async (self, files, beside, opened_cb);
}

/* (transfer full): a list of one. */
static GPtrArray *
only (GFile *file)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (files, g_object_ref (file));
  return files;
}

static void
open_file (ShardwiseWindow *self, GFile *file, gboolean beside)
{
  g_autoptr (GPtrArray) files = only (file);

  open_files (self, files, beside);
}

/**
 * shardwise_window_open_file:
 * @file: a scenario, or the configuration of a job or a model
 *
 * Reads the file without blocking and shows it; after an error a dialog has the reason, and the
 * open document stays.
 */
void
shardwise_window_open_file (ShardwiseWindow *self, GFile *file)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));
  g_return_if_fail (G_IS_FILE (file));

  open_file (self, file, FALSE);
}

/**
 * shardwise_window_open_beside:
 * @files: (element-type GFile): a scenario, or the files of one job or model, at least one
 *
 * Reads the files and shows them here, or in a new window if this one has a document. The new
 * window is only created if they are valid. Several files are read as one job with its model,
 * launcher, configuration and script; if they do not form a job, each is opened separately.
 */
void
shardwise_window_open_beside (ShardwiseWindow *self, GPtrArray *files)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));
  g_return_if_fail (files->len > 0);

  open_files (self, files, TRUE);
}

/* A scenario without a file: shows it here, or in another window if this has a document. */
void
shardwise_window_show_beside (ShardwiseWindow *self, ShardwiseScenario *scenario)
{
  if (shardwise_document_get_scenario (self->document) != NULL)
    self = new_beside (self);
  shardwise_window_set_scenario (self, scenario, NULL);
  shardwise_window_set_page (self, "advice");
}

static void
reverted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  const Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseImport) import = read_finish (result, &error);
  g_autofree char *name = shardwise_file_name (reading->file);

  if (shardwise_window_is_closed (self) || !shardwise_window_shows_file (self, reading->file))
    return;
  if (import == NULL || import->kind != SHARDWISE_IMPORT_SCENARIO)
    {
      shardwise_window_tell_open_error (
          self, name,
          error != NULL ? error->message : _ ("The file no longer contains a scenario."));
      return;
    }
  shardwise_inputs_flush (self->inputs); /* pending typed text is an edit that Undo restores */
  shardwise_document_revert (self->document, import->scenario);
  shardwise_window_toast (self, _ ("Reverted to the saved file; use Undo to restore your edits"));
}

/* Reverts to the content of the file; can be undone. */
static void
revert_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;

  if (shardwise_document_get_file (self->document) != NULL)
    {
      g_autoptr (GPtrArray) files = only (shardwise_document_get_file (self->document));

      read_async (self, files, FALSE, reverted_cb);
    }
}

static void
pasted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, NULL);

  if (text == NULL)
    shardwise_window_toast (self, _ ("There is no text on the clipboard"));
  else if (shardwise_window_is_closed (self))
    return;
  else if (shardwise_document_get_scenario (self->document) == NULL)
    shardwise_start_page_set_text (self->start_page, text, TRUE);
  else
    shardwise_window_open_text (self, text, -1, _ ("Pasted Text"));
}

/* The keys of Paste, pressed anywhere: an unrelated text does not deserve a dialog. */
static void
pasted_key_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, NULL);

  if (text == NULL || shardwise_window_is_closed (self))
    return;
  if (shardwise_document_get_scenario (self->document) == NULL)
    shardwise_start_page_set_text (self->start_page, text, FALSE);
  else if (!shardwise_window_is_job (text))
    shardwise_window_toast (self, _ ("The text on the clipboard is not a scenario, model or job"));
  else
    shardwise_window_open_text (self, text, -1, _ ("Pasted Text"));
}

static gboolean
paste_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  ShardwiseWindow *self = SHARDWISE_WINDOW (widget);

  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (widget), self->cancellable,
                                 pasted_key_cb, g_object_ref (self));
  return TRUE;
}

/* Opens the text on the clipboard: a scenario, or the configuration of a job or a model. */
static void
paste_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;

  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (GTK_WIDGET (self)), self->cancellable,
                                 pasted_cb, g_object_ref (self));
}

static gboolean
drop_files_cb (GtkDropTarget *target, const GValue *value, double x, double y,
               ShardwiseWindow *self)
{
  GSList *list = gdk_file_list_get_files (g_value_get_boxed (value));
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);

  /* They replace the document; without one, the first that is loaded becomes it. */
  for (GSList *link = list; link != NULL; link = link->next)
    g_ptr_array_add (files, g_object_ref (link->data));
  g_slist_free (list);
  if (files->len > 0)
    open_files (self, files, shardwise_document_get_scenario (self->document) == NULL);
  return TRUE;
}

static gboolean
drop_text_cb (GtkDropTarget *target, const GValue *value, double x, double y, ShardwiseWindow *self)
{
  return shardwise_window_open_text (self, g_value_get_string (value), -1, _ ("Dropped Text"));
}

static void
add_drop_target (ShardwiseWindow *self, GType type, GtkPropagationPhase phase, GCallback callback)
{
  GtkDropTarget *target = gtk_drop_target_new (type, GDK_ACTION_COPY);

  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (target), phase);
  g_signal_connect (target, "drop", callback, self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}

/* Opens one of the compiled-in examples as a new scenario. */
static void
open_example_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *id = g_variant_get_string (parameter, NULL);
  g_autofree char *text = shardwise_example_read (id);

  if (text == NULL)
    shardwise_window_tell_open_error (data, id, _ ("There is no such example."));
  else
    shardwise_window_open_text (data, text, -1, id);
}

/* Opens files and JSON text that are dropped on the window, or pasted. */
void
shardwise_window_add_controllers (ShardwiseWindow *self)
{
  GtkEventController *shortcuts = gtk_shortcut_controller_new ();

  /* An entry would insert a file's path, so files have priority over text. */
  add_drop_target (self, GDK_TYPE_FILE_LIST, GTK_PHASE_CAPTURE, G_CALLBACK (drop_files_cb));
  add_drop_target (self, G_TYPE_STRING, GTK_PHASE_BUBBLE, G_CALLBACK (drop_text_cb));

  /* After the widget with the focus, so that an entry gets its own text. */
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (shortcuts),
      gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_v, GDK_CONTROL_MASK),
                        gtk_callback_action_new (paste_key_cb, NULL, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (self), shortcuts);
}

/* ---- closing ---- */

/* Repeats the request to close the window, or to continue quitting, which asks the next window with
 * unsaved edits. */
static void
go_on_closing (ShardwiseWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  if (self->quitting != SHARDWISE_QUITTING_NOT && application != NULL)
    g_action_group_activate_action (G_ACTION_GROUP (application), "quit", NULL);
  else
    gtk_window_close (GTK_WINDOW (self));
}

/* The window stays open, and so do windows whose edits were discarded for quitting. */
static void
stay (ShardwiseWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  GList *windows = self->quitting != SHARDWISE_QUITTING_NOT && application != NULL
                       ? gtk_application_get_windows (application)
                       : NULL;

  for (GList *link = windows; link != NULL; link = link->next)
    if (SHARDWISE_IS_WINDOW (link->data))
      {
        ShardwiseWindow *window = link->data;

        if (window->ending == SHARDWISE_ENDING_GIVEN_UP)
          window->ending = SHARDWISE_ENDING_NONE;
        window->quitting = SHARDWISE_QUITTING_NOT;
      }
}

static void save (ShardwiseWindow *self, gboolean closes);

static void
close_answer_cb (const char *response, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;

  self->ending = SHARDWISE_ENDING_NONE;
  if (g_str_equal (response, "discard"))
    {
      self->ending = SHARDWISE_ENDING_GIVEN_UP;
      go_on_closing (self);
    }
  else if (g_str_equal (response, "save"))
    save (self, TRUE);
  else
    stay (self);
}

/* Asks what to do with unsaved edits before the window closes or the program quits. If the edits
 * are being saved, the window closes afterwards, unless the user closes it again. */
void
shardwise_window_ask_to_close (ShardwiseWindow *self)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "discard", _ ("_Discard"), ADW_RESPONSE_DESTRUCTIVE },
    { "save", _ ("_Save"), ADW_RESPONSE_SUGGESTED },
  };

  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  if (self->ending == SHARDWISE_ENDING_ASKING
      || shardwise_document_close_when_saved (self->document))
    return;
  self->ending = SHARDWISE_ENDING_ASKING;
  shardwise_compat_ask (
      GTK_WINDOW (self), _ ("Save Changes?"),
      _ ("The scenario has unsaved edits. Edits that are not saved will be permanently lost."),
      responses, G_N_ELEMENTS (responses), close_answer_cb, g_object_ref (self), g_object_unref);
}

/**
 * shardwise_window_settle_to_quit:
 *
 * Asks about unsaved edits, if there are any without an answer yet; app.quit is activated again
 * after the answer, unless it is to keep the window open.
 *
 * Returns: whether the window has no unsaved edits
 */
gboolean
shardwise_window_settle_to_quit (ShardwiseWindow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), TRUE);

  shardwise_inputs_flush (self->inputs);
  if (self->ending == SHARDWISE_ENDING_GIVEN_UP || !shardwise_document_has_unsaved (self->document))
    return TRUE;
  self->quitting = SHARDWISE_QUITTING_ASKED;
  gtk_window_present (GTK_WINDOW (self));
  shardwise_window_ask_to_close (self);
  return FALSE;
}

/**
 * shardwise_window_quit:
 *
 * Closes the window with all others; its document is restored with the program.
 */
void
shardwise_window_quit (ShardwiseWindow *self)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  self->quitting = SHARDWISE_QUITTING_NOW;
  gtk_window_close (GTK_WINDOW (self));
}

/* ---- saving ---- */

/* A question or a dialog that saving waits for. */
typedef struct {
  ShardwiseWindow *window;
  gboolean closes; /* closes the window then, or continues quitting */
} Request;

static Request *
request_new (ShardwiseWindow *window, gboolean closes)
{
  Request *request = g_new (Request, 1);

  *request = (Request){ g_object_ref (window), closes };
  return request;
}

static void
request_free (Request *request)
{
  g_object_unref (request->window);
  g_free (request);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Request, request_free)

/* The dialog has already asked about an existing file. */
static void
save_chosen_cb (GFile *file, gpointer data)
{
  g_autoptr (Request) request = data;

  if (file != NULL)
    shardwise_document_save_to (request->window->document, file, request->closes);
  else
    stay (request->window);
}

static void
save_elsewhere (ShardwiseWindow *self, gboolean closes)
{
  g_autoptr (GFile) folder = shardwise_document_get_file (self->document) != NULL
                                 ? g_file_get_parent (shardwise_document_get_file (self->document))
                                 : NULL;
  g_autofree char *name = shardwise_document_get_file (self->document) != NULL
                              ? shardwise_file_name (shardwise_document_get_file (self->document))
                              : shardwise_document_suggest_name (self->document, _ ("scenario"),
                                                                 ".shardwise");

  shardwise_compat_save_file (GTK_WINDOW (self), _ ("Save Scenario"), folder, name, save_chosen_cb,
                              request_new (self, closes));
}

static void
overwrite_cb (const char *response, gpointer data)
{
  g_autoptr (Request) request = data;
  ShardwiseWindow *self = request->window;

  if (g_str_equal (response, "overwrite") && shardwise_document_get_file (self->document) != NULL)
    shardwise_document_save_to (self->document, shardwise_document_get_file (self->document),
                                request->closes);
  else if (g_str_equal (response, "save-as"))
    save_elsewhere (self, request->closes);
  else
    stay (self);
}

/* Asks before overwriting changes by others. */
static void
ask_to_overwrite (ShardwiseWindow *self, gboolean closes)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "overwrite", _ ("_Overwrite"), ADW_RESPONSE_DESTRUCTIVE },
    { "save-as", _ ("Save _As…"), ADW_RESPONSE_SUGGESTED },
  };
  g_autofree char *name = shardwise_file_name (shardwise_document_get_file (self->document));
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_ ("“%s” Has Changed"), name);

  shardwise_compat_ask (GTK_WINDOW (self), heading,
                        _ ("Another program changed the file after it was opened here. Overwriting "
                           "it loses what that program wrote."),
                        responses, G_N_ELEMENTS (responses), overwrite_cb,
                        request_new (self, closes), (GDestroyNotify) request_free);
}

static void
save (ShardwiseWindow *self, gboolean closes)
{
  if (!shardwise_document_save (self->document, closes))
    save_elsewhere (self, closes);
}

static void
failed_answer_cb (const char *response, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;

  if (g_str_equal (response, "save-as"))
    save_elsewhere (self, FALSE);
}

static void
failed (gpointer data, GFile *file, const char *message)
{
  ShardwiseWindow *self = data;
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Close"), ADW_RESPONSE_DEFAULT },
    { "save-as", _ ("Save _As…"), ADW_RESPONSE_SUGGESTED },
  };
  g_autofree char *name = shardwise_file_name (file);
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_ ("“%s” Cannot Be Saved"), name);
  /* Translators: %s is the reason, with the path of the file */
  g_autofree char *body =
      g_strdup_printf (_ ("%s.\n\nThe file is unchanged. This window keeps your edits."), message);

  stay (self);
  shardwise_compat_ask (GTK_WINDOW (self), heading, body, responses, G_N_ELEMENTS (responses),
                        failed_answer_cb, g_object_ref (self), g_object_unref);
}

static void
save_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_inputs_flush (SHARDWISE_WINDOW (data)->inputs);
  save (data, FALSE);
}

static void
save_as_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_inputs_flush (SHARDWISE_WINDOW (data)->inputs);
  save_elsewhere (data, FALSE);
}

/* ---- questions and messages of the document ---- */

/* Another window of the program, after `other` (nullable); NULL: none. */
static ShardwiseWindow *
next_beside (ShardwiseWindow *self, ShardwiseWindow *other)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  GList *windows = application != NULL ? gtk_application_get_windows (application) : NULL;
  GList *link = other != NULL ? g_list_find (windows, other)->next : windows;

  for (; link != NULL; link = link->next)
    if (SHARDWISE_IS_WINDOW (link->data) && link->data != self)
      return link->data;
  return NULL;
}

static gboolean
is_closed (gpointer self)
{
  return shardwise_window_is_closed (self);
}

static void
add_others (gpointer self, GPtrArray *files)
{
  for (ShardwiseWindow *other = next_beside (self, NULL); other != NULL;
       other = next_beside (self, other))
    shardwise_document_add_files (other->document, files);
}

static gboolean
is_alone (gpointer self)
{
  for (ShardwiseWindow *other = next_beside (self, NULL); other != NULL;
       other = next_beside (self, other))
    if (shardwise_document_get_scenario (other->document) != NULL)
      return FALSE;
  return TRUE;
}

/* The pending text in the inputs and, while the window is open, in the question. (transfer full)
 * (nullable) */
static GVariant *
get_typed (gpointer data, gboolean ended)
{
  ShardwiseWindow *self = data;
  g_autoptr (GVariant) inputs = shardwise_inputs_get_typed (self->inputs);
  const char *question = ended ? "" : shardwise_ask_panel_get_typed (self->ask_panel);
  GVariantBuilder builder;
  gsize n = inputs != NULL ? g_variant_n_children (inputs) : 0;

  if (*question == '\0')
    return g_steal_pointer (&inputs);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (inputs, i);

      g_variant_builder_add_value (&builder, entry);
    }
  g_variant_builder_add (&builder, "{ss}", QUESTION, question);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

static gboolean
is_given_up (gpointer self)
{
  return SHARDWISE_WINDOW (self)->ending == SHARDWISE_ENDING_GIVEN_UP;
}

/* Saving a scenario under another name keeps its calibration setting. */
static void
file_taken (gpointer self, GFile *file, gboolean elsewhere)
{
  if (elsewhere)
    {
      shardwise_window_keep_calibration (self);
      shardwise_window_show_journal_again (self);
    }
  shardwise_recent_remember (file);
}

static void
saved (gpointer data, gboolean closes)
{
  ShardwiseWindow *self = data;

  if (!closes)
    shardwise_window_toast (self, _ ("Saved"));
  else if (self->ending != SHARDWISE_ENDING_ASKING) /* closed again in the meantime */
    go_on_closing (self);
}

static void
tell (gpointer self, const char *text)
{
  shardwise_window_toast (self, text);
}

static void
say_changed (ShardwiseWindow *self, const char *name)
{
  const ShardwiseBannerButton buttons[] = {
    { _ ("_Reload"), "win.reload" },
    { _ ("_Keep Mine"), "win.keep-mine" },
  };
  /* Translators: %s is the name of a file */
  g_autofree char *text = g_strdup_printf (
      _ ("Another program changed “%s”. Reload shows its new contents; you can undo this."), name);

  shardwise_banner_say (self->banner, text, buttons, G_N_ELEMENTS (buttons));
}

static void
say_gone (ShardwiseWindow *self, const char *name)
{
  const ShardwiseBannerButton buttons[] = {
    { _ ("_Save"), "win.save" },
    { _ ("_Ignore"), "win.keep-mine" },
  };
  /* Translators: %s is the name of a file */
  g_autofree char *text = g_strdup_printf (
      _ ("“%s” was deleted or moved. The scenario is still open here; Save writes the file again."),
      name);

  shardwise_banner_say (self->banner, text, buttons, G_N_ELEMENTS (buttons));
}

/* A name that another window uses in the meantime is not offered. */
static void
say_moved (ShardwiseWindow *self, const char *name)
{
  const ShardwiseBannerButton buttons[] = {
    { _ ("_Use the New Name"), "win.follow-file" },
    { _ ("_Ignore"), "win.keep-mine" },
  };
  GFile *target = shardwise_document_get_target (self->document);
  g_autofree char *target_name = shardwise_file_name (target);
  /* Translators: the old and the new name of a file */
  g_autofree char *text = g_strdup_printf (_ ("“%s” was renamed to “%s”."), name, target_name);

  if (is_elsewhere (self, target))
    say_gone (self, name);
  else
    shardwise_banner_say (self->banner, text, buttons, G_N_ELEMENTS (buttons));
}

static void
say_restored (ShardwiseWindow *self)
{
  const ShardwiseBannerButton buttons[] = {
    { _ ("_Keep"), "win.keep-restored" },
    { _ ("_Discard Edits"), "win.discard-restored" },
  };

  shardwise_banner_say (
      self->banner,
      _ ("Shardwise ended unexpectedly. The unsaved edits of this scenario were restored."),
      buttons, G_N_ELEMENTS (buttons));
}

static void
say_saving (ShardwiseWindow *self)
{
  const ShardwiseBannerButton cancel = { _ ("_Cancel"), "win.stay-open" };
  gboolean closing;
  g_autofree char *name =
      shardwise_file_name (shardwise_document_get_saving (self->document, &closing));
  g_autofree char *text = NULL;

  if (closing)
    /* Translators: %s is the name of a file */
    text = g_strdup_printf (_ ("Saving “%s”. The window closes when this is done."), name);
  else
    /* Translators: %s is the name of a file */
    text = g_strdup_printf (_ ("Saving “%s”…"), name);
  shardwise_banner_say (self->banner, text, &cancel, closing ? 1 : 0);
}

/* Shows the state of the document. */
static void
update_banner (ShardwiseWindow *self)
{
  GFile *file = shardwise_document_get_file (self->document);
  g_autofree char *name = file != NULL ? shardwise_file_name (file) : NULL;

  switch (shardwise_document_get_state (self->document))
    {
    case SHARDWISE_DOCUMENT_SAVING: say_saving (self); break;
    case SHARDWISE_DOCUMENT_CHANGED: say_changed (self, name); break;
    case SHARDWISE_DOCUMENT_GONE: say_gone (self, name); break;
    case SHARDWISE_DOCUMENT_MOVED: say_moved (self, name); break;
    case SHARDWISE_DOCUMENT_RESTORED: say_restored (self); break;
    case SHARDWISE_DOCUMENT_CALM:
    default: shardwise_banner_hide (self->banner);
    }
}

static void
conflicts (gpointer self, gboolean closes)
{
  ask_to_overwrite (self, closes);
}

/* (transfer full): the document of a window, without a scenario. */
ShardwiseDocument *
shardwise_window_document_new (ShardwiseWindow *self)
{
  static const ShardwiseDocumentView view = { .is_closed = is_closed,
                                              .add_others = add_others,
                                              .is_alone = is_alone,
                                              .get_typed = get_typed,
                                              .is_given_up = is_given_up,
                                              .file_taken = file_taken,
                                              .saved = saved,
                                              .conflicts = conflicts,
                                              .failed = failed,
                                              .tell = tell };
  ShardwiseDocument *document = shardwise_document_new (&view, self);

  g_signal_connect_object (document, "notify::state", G_CALLBACK (update_banner), self,
                           G_CONNECT_SWAPPED);
  return document;
}

/* ---- actions ---- */

static void
keep_mine_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_document_keep_mine (SHARDWISE_WINDOW (data)->document);
}

static void
follow_file_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  GFile *target = shardwise_document_get_target (self->document);

  if (target != NULL && is_elsewhere (self, target)) /* opened in another window since */
    update_banner (self);
  else if (target != NULL)
    shardwise_document_follow_file (self->document);
}

static void
keep_restored_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_document_set_restored (SHARDWISE_WINDOW (data)->document, FALSE);
}

static void
discard_restored_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_inputs_flush (SHARDWISE_WINDOW (data)->inputs);
  shardwise_document_discard_restored (SHARDWISE_WINDOW (data)->document);
}

/* Cancels closing the window after saving. */
static void
stay_open_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  stay (data);
  shardwise_document_stay_open (SHARDWISE_WINDOW (data)->document);
}

/* Some disks cannot be monitored: the file may have changed when the user returns to the window. */
static void
active_cb (ShardwiseWindow *self)
{
  if (gtk_window_is_active (GTK_WINDOW (self)))
    shardwise_document_look (self->document);
}

/* Adds the win.* actions that open and save, and those of the banner. */
void
shardwise_window_add_file_actions (ShardwiseWindow *self)
{
  static const GActionEntry entries[] = {
    { .name = "open-example", .activate = open_example_cb, .parameter_type = "s" },
    { .name = "paste", .activate = paste_cb },
    { .name = "save", .activate = save_cb },
    { .name = "save-as", .activate = save_as_cb },
    { .name = "revert", .activate = revert_cb },
    { .name = "reload", .activate = revert_cb },
    { .name = "keep-mine", .activate = keep_mine_cb },
    { .name = "follow-file", .activate = follow_file_cb },
    { .name = "keep-restored", .activate = keep_restored_cb },
    { .name = "discard-restored", .activate = discard_restored_cb },
    { .name = "stay-open", .activate = stay_open_cb },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_signal_connect (self, "notify::is-active", G_CALLBACK (active_cb), NULL);
}

/* ---- the session ---- */

/* A question does not edit the scenario. */
static gboolean
has_edits_of_scenario (const ShardwiseDraftContent *content)
{
  const char *question;

  return shardwise_draft_content_has_edits (content)
         && (*content->edited != '\0' || g_variant_n_children (content->typed) > 1
             || !g_variant_lookup (content->typed, QUESTION, "&s", &question));
}

/* Shows a draft in a window without a document. Returns whether it can be read. */
static gboolean
restore (ShardwiseWindow *self, ShardwiseDraft *draft, const ShardwiseDraftContent *content)
{
  g_autoptr (ShardwiseScenario) saved =
      *content->saved != '\0' ? shardwise_scenario_from_json (content->saved, -1, NULL) : NULL;
  g_autoptr (ShardwiseScenario) edited =
      *content->edited != '\0' ? shardwise_scenario_from_json (content->edited, -1, NULL) : NULL;
  g_autoptr (GFile) file = *content->uri != '\0' ? g_file_new_for_uri (content->uri) : NULL;
  g_autoptr (ShardwiseImport) import = *content->said != '\0'
                                           ? shardwise_import_from_json (content->said)
                                           : NULL;
  ShardwiseScenario *shown;
  const char *question;

  if (saved == NULL && edited == NULL)
    return FALSE;
  if (saved == NULL)
    saved = shardwise_scenario_new ();
  /* Undo does not go back to before an opened job. */
  shown = import != NULL && file == NULL && edited != NULL ? edited : saved;
  shardwise_document_take_draft (self->document, draft);
  if (file == NULL) /* with a file, the journal has them */
    shardwise_scenario_set_factors (shown, &content->factors);
  shardwise_window_set_scenario (self, shown, file);
  if (shown == edited)
    shardwise_document_set_saved (self->document, saved);
  else if (edited != NULL)
    shardwise_scenario_replace (saved, edited);
  if (content->typed != NULL)
    {
      shardwise_inputs_set_typed (self->inputs, content->typed);
      if (g_variant_lookup (content->typed, QUESTION, "&s", &question)) /* types it again */
        {
          shardwise_ask_panel_set_typed (self->ask_panel, question);
          adw_flap_set_reveal_flap (self->ask_flap, TRUE);
        }
    }
  if (import != NULL)
    shardwise_window_set_import (self, import);
  shardwise_document_set_restored (self->document,
                                   !content->ended && has_edits_of_scenario (content));
  return TRUE;
}

/**
 * shardwise_window_restore_session:
 * @edited_only: omits, and drops, documents without unsaved work
 *
 * Opens the documents of the last session, however it ended, with their unsaved edits, which can be
 * undone: the most recent document here, if there is none here yet, each other one in a new window;
 * then the editors with entered text.
 *
 * Returns: whether there was a document
 */
gboolean
shardwise_window_restore_session (ShardwiseWindow *self, gboolean edited_only)
{
  g_autofree char *folder = NULL;
  g_autoptr (GPtrArray) drafts = NULL;
  gboolean any = FALSE;

  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), FALSE);

  folder = shardwise_document_drafts_folder ();
  drafts = shardwise_drafts_claim (folder);
  for (guint i = drafts->len; i > 0; i--)
    {
      ShardwiseDraft *draft = drafts->pdata[i - 1];
      g_autoptr (ShardwiseDraftContent) content = shardwise_draft_read (draft, NULL);
      ShardwiseWindow *window = self;

      if (content != NULL && edited_only && !shardwise_draft_content_has_edits (content))
        {
          shardwise_draft_remove (draft);
          continue;
        }
      if (content != NULL && shardwise_document_get_scenario (self->document) != NULL)
        window = new_beside (self);
      if (content != NULL && restore (window, draft, content))
        any = TRUE;
      else
        {
          g_autofree char *path = shardwise_draft_set_aside (draft);
          g_autofree char *name = g_filename_display_name (path);
          /* Translators: %s is the path of a file */
          g_autofree char *text = g_strdup_printf (
              _ ("The recovered edits cannot be read. They are kept in this file: %s"), name);

          shardwise_compat_tell (GTK_WINDOW (self), _ ("A Scenario Cannot Be Restored"), text);
          if (window != self)
            gtk_window_destroy (GTK_WINDOW (window));
        }
    }
  if (any)
    gtk_window_present (GTK_WINDOW (self));
  shardwise_window_restore_editors (self);
  return any;
}

static gboolean
restore_cb (gpointer data)
{
  ShardwiseWindow *self = data;

  self->opening--;
  if (shardwise_window_is_closed (self))
    return G_SOURCE_REMOVE;
  if (shardwise_document_get_scenario (self->document) == NULL
      && !shardwise_window_restore_session (self, FALSE))
    shardwise_window_show_start (self);
  return G_SOURCE_REMOVE;
}

/**
 * shardwise_window_restore_session_soon:
 *
 * Opens the documents of the last session, from the main loop. Without a session the start page
 * stays.
 */
void
shardwise_window_restore_session_soon (ShardwiseWindow *self)
{
  g_autofree char *folder = shardwise_document_drafts_folder ();
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);

  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  if ((directory == NULL || g_dir_read_name (directory) == NULL)
      && !shardwise_editor_drafts_exist ())
    return;
  self->opening++;
  gtk_stack_set_visible_child_full (self->main_stack, "blank", GTK_STACK_TRANSITION_TYPE_NONE);
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, restore_cb, g_object_ref (self), g_object_unref);
}

/**
 * shardwise_window_keep_session:
 *
 * Writes the document to the state directory now: the last saved state and, unless the edits were
 * discarded, the current state with text that is being typed.
 */
void
shardwise_window_keep_session (ShardwiseWindow *self)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));
  shardwise_document_keep_draft (self->document);
}

/**
 * shardwise_window_is_saving:
 *
 * Returns: whether the document is being written to a file
 */
gboolean
shardwise_window_is_saving (ShardwiseWindow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), FALSE);
  return shardwise_document_get_saving (self->document, NULL) != NULL;
}
