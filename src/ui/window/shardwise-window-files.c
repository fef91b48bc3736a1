/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>

#include "shardwise-application.h"
#include "shardwise-compat.h"
#include "shardwise-export-page.h"
#include "shardwise-new-scenario.h"

/* name: of a file. message: what is wrong with it, translated. */
void
shardwise_window_tell_open_error (ShardwiseWindow *self, const char *name, const char *message)
{
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_ ("“%s” Cannot Be Opened"), name);

  shardwise_window_appear (self);
  shardwise_compat_tell (GTK_WINDOW (self), heading, message);
}

/* (transfer none): a window on the screen for another document. */
ShardwiseWindow *
shardwise_window_new_beside (ShardwiseWindow *self)
{
  ShardwiseWindow *other = shardwise_window_new (gtk_window_get_application (GTK_WINDOW (self)),
                                                 self->settings);

  gtk_window_present (GTK_WINDOW (other));
  return other;
}

/* Whoever opens the job of a framework wants it back as such. */
static void
offer_format (ShardwiseWindow *self, const ShardwiseImport *import)
{
  const ShardwiseFormatInfo *info = import->kind == SHARDWISE_IMPORT_BRIDGE
                                        ? shardwise_format_info (SHARDWISE_FORMAT_MEGATRON_BRIDGE)
                                        : shardwise_import_format (import->kind, import->scenario);
  GtkWidget *bin = adw_view_stack_get_child_by_name (self->view_stack, "export"), *page;

  if (info == NULL)
    return;
  g_settings_set_string (self->settings, "export-version", info->version);
  g_settings_set_string (self->settings, "export-framework", sw_framework_names[info->framework]);
  g_settings_set_string (self->settings, "export-format", info->id);
  page = bin != NULL ? adw_bin_get_child (ADW_BIN (bin)) : NULL;
  if (page != NULL)
    shardwise_export_page_select (SHARDWISE_EXPORT_PAGE (page), info->id);
}

/* A job or a model becomes a new scenario that was never saved. Undo ends there: what a new scenario
 * begins with is another job, and the diagnosis would be of that one. */
static void
show_import (ShardwiseWindow *self, ShardwiseImport *import)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_copy (import->scenario);
  g_autoptr (ShardwiseScenario) fresh = shardwise_scenario_new ();

  offer_format (self, import);
  shardwise_window_set_scenario (self, scenario, NULL);
  shardwise_window_set_saved (self, fresh);
  shardwise_window_set_import (self, import);
  shardwise_window_set_page (self, "advice");
}

/* Replaces the document; one with unsaved edits stays, and the new one gets a window of its own.
 * import: (transfer full). */
static void
take_import (ShardwiseWindow *self, ShardwiseImport *import, GFile *file)
{
  shardwise_inputs_flush (self->inputs); /* what is being typed is an edit, too */
  if (self->scenario == NULL && import->kind != SHARDWISE_IMPORT_SCENARIO
      && !shardwise_import_is_job (import->kind))
    shardwise_new_scenario_take_cluster (import->scenario, self->settings);
  if (shardwise_window_has_unsaved (self))
    self = shardwise_window_new_beside (self);
  if (import->kind == SHARDWISE_IMPORT_SCENARIO)
    {
      shardwise_window_set_scenario (self, import->scenario, file);
      if (file != NULL)
        shardwise_window_remember (self, file);
    }
  else
    show_import (self, import);
  shardwise_import_free (import);
}

/**
 * shardwise_window_open_text:
 * @text: a scenario, or the configuration of a job or a model
 * @length: in bytes, or -1
 * @name: what to call it where it is wrong
 *
 * Opens a text that is not (yet) a file. One that is nothing of this is answered with a dialog that
 * says what is wrong, and what was open stays. What a configuration leaves open comes from the
 * scenario of the window.
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

  import = shardwise_import_document (text, length < 0 ? strlen (text) : (gsize)length, "",
                                      self->scenario, &error);
  if (import == NULL)
    {
      shardwise_window_tell_open_error (self, name, error->message);
      return FALSE;
    }
  take_import (self, g_steal_pointer (&import), NULL);
  return TRUE;
}

/**
 * shardwise_window_that_shows:
 * @application: (nullable): whose windows are asked
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

/* Whether another window of the program has the document of `file`: a file has one at most. */
gboolean
shardwise_window_is_elsewhere (ShardwiseWindow *self, GFile *file)
{
  ShardwiseWindow *other =
      shardwise_window_that_shows (gtk_window_get_application (GTK_WINDOW (self)), file);

  return other != NULL && other != self;
}

/* What a thread reads. */
typedef struct {
  GFile *file;
  ShardwiseScenario *base;   /* (nullable): a copy of the scenario at hand */
  gboolean beside;           /* a window that has a document keeps it */
  ShardwiseAhead *ahead;     /* (nullable): where the file is being read already */
  ShardwiseAdvisor *advisor; /* (nullable): of that */
} Reading;

static void
reading_free (gpointer data)
{
  Reading *reading = data;

  g_object_unref (reading->file);
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
                                : shardwise_import_file (reading->file, reading->base, cancellable,
                                                         &error);

  if (import == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, import, (GDestroyNotify) shardwise_import_free);
}

/* Reads a file on a thread: a slow disk, a pipe or a large file does not stop the window. */
static void
read_async (ShardwiseWindow *self, GFile *file, gboolean beside, GAsyncReadyCallback callback)
{
  /* Not its source, which the thread could be the last to let go. */
  g_autoptr (GTask) task = g_task_new (NULL, self->cancellable, callback, g_object_ref (self));
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  Reading *reading = g_new0 (Reading, 1);

  reading->file = g_object_ref (file);
  if (self->scenario != NULL)
    reading->base = shardwise_scenario_copy (self->scenario);
  else if (SHARDWISE_IS_APPLICATION (application))
    reading->ahead = shardwise_application_take_ahead (SHARDWISE_APPLICATION (application), file);
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

/* Nothing of the kind came: a window without a document offers to begin again. */
static void
show_start (ShardwiseWindow *self)
{
  if (self->scenario == NULL)
    shardwise_window_show_start (self);
  shardwise_window_appear_if_ready (self);
}

/* The document has come: in this window, or beside the one that it has. */
static void
show_opened (ShardwiseWindow *self, ShardwiseImport *import, Reading *reading)
{
  if (reading->beside && self->scenario != NULL)
    self = shardwise_window_new_beside (self);
  if (reading->advisor != NULL && self->advisor == NULL)
    shardwise_window_take_advisor (self, g_steal_pointer (&reading->advisor));
  take_import (self, import, reading->file);
}

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
    show_opened (self, g_steal_pointer (&import), reading); /* all, before the window appears */
  self->opening--;
  if (shardwise_window_is_closed (self))
    return;
  if (error != NULL)
    {
      g_autofree char *name = shardwise_file_name (reading->file);

      shardwise_window_tell_open_error (self, name, error->message);
      show_start (self);
      return;
    }
  if (other != NULL) /* two windows would write over each other */
    {
      gtk_window_present (GTK_WINDOW (other));
      show_start (self);
      return;
    }
  shardwise_window_appear_if_ready (self);
}

static void
open_file (ShardwiseWindow *self, GFile *file, gboolean beside)
{
  self->opening++; /* so that nothing else takes the window meanwhile */
  if (self->scenario == NULL && !gtk_widget_get_mapped (GTK_WIDGET (self)))
    gtk_stack_set_visible_child_full (self->main_stack, "blank", GTK_STACK_TRANSITION_TYPE_NONE);
  read_async (self, file, beside, opened_cb);
}

/**
 * shardwise_window_open_file:
 * @file: a scenario, or the configuration of a job or a model
 *
 * Reads the file without blocking and shows it; where that fails a dialog says why, and what was
 * open stays.
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
 * @file: a scenario, or the configuration of a job or a model
 *
 * Reads the file and shows it here, or in a window of its own where this one has a document. That
 * window is made when the file has proved good: a bad one leaves none behind.
 */
void
shardwise_window_open_beside (ShardwiseWindow *self, GFile *file)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));
  g_return_if_fail (G_IS_FILE (file));

  open_file (self, file, TRUE);
}

/* A scenario that no file has: here, or in a window of its own where this one has a document. */
void
shardwise_window_show_beside (ShardwiseWindow *self, ShardwiseScenario *scenario)
{
  if (self->scenario != NULL)
    self = shardwise_window_new_beside (self);
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
          self, name, error != NULL ? error->message : _ ("The file holds no scenario any more."));
      return;
    }
  shardwise_inputs_flush (self->inputs); /* what is being typed is an edit that Undo brings back */
  shardwise_scenario_replace (self->scenario, import->scenario);
  shardwise_window_set_saved (self, self->scenario);
  shardwise_window_set_restored (self, FALSE);
  shardwise_window_file_is_known (self);
  shardwise_window_queue_session (self);
  shardwise_window_toast (self, _ ("Reverted to the saved file; Undo brings the edits back"));
}

/* Goes back to what the file holds; can be undone. */
void
shardwise_window_revert (ShardwiseWindow *self)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));
  g_return_if_fail (self->file != NULL);

  read_async (self, self->file, FALSE, reverted_cb);
}

static void
pasted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, NULL);

  if (text == NULL)
    shardwise_window_toast (self, _ ("There is no text on the clipboard"));
  else if (!shardwise_window_is_closed (self))
    shardwise_window_open_text (self, text, -1, _ ("Pasted Text"));
}

/* The keys of Paste, pressed anywhere: a text that is nothing of ours is not worth a dialog. */
static void
pasted_key_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, NULL);

  if (text == NULL || shardwise_window_is_closed (self))
    return;
  if (shardwise_import_detect (text, strlen (text), "") == SHARDWISE_IMPORT_UNKNOWN)
    shardwise_window_toast (self, _ ("The text on the clipboard is no scenario, model or job"));
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
void
shardwise_window_paste (ShardwiseWindow *self)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (GTK_WIDGET (self)), self->cancellable,
                                 pasted_cb, g_object_ref (self));
}

static gboolean
drop_files_cb (GtkDropTarget *target, const GValue *value, double x, double y,
               ShardwiseWindow *self)
{
  GSList *files = gdk_file_list_get_files (g_value_get_boxed (value));

  /* The first takes the place of the document; where there is none, whichever is read first does. */
  for (GSList *link = files; link != NULL; link = link->next)
    open_file (self, link->data, link != files || self->scenario == NULL);
  g_slist_free (files);
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

/* Files and JSON text that are dropped on the window, or pasted, open. */
void
shardwise_window_add_controllers (ShardwiseWindow *self)
{
  GtkEventController *shortcuts = gtk_shortcut_controller_new ();

  /* An entry would take a file for its path, so that files come first, and text last. */
  add_drop_target (self, GDK_TYPE_FILE_LIST, GTK_PHASE_CAPTURE, G_CALLBACK (drop_files_cb));
  add_drop_target (self, G_TYPE_STRING, GTK_PHASE_BUBBLE, G_CALLBACK (drop_text_cb));

  /* After the widget that has the focus, so that an entry takes its own text. */
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (shortcuts),
      gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_v, GDK_CONTROL_MASK),
                        gtk_callback_action_new (paste_key_cb, NULL, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (self), shortcuts);
}
