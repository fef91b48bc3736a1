/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-editor-guard.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-compat.h"
#include "shardwise-editor-entries.h"
#include "shardwise-late-error.h"

#define GUARD "shardwise-editor-guard"
#define SLOW_MS 600 /* then the user is told why the window is still there, as for documents */

typedef struct {
  GtkWidget *page, *save;
  char **before; /* what stood in the window when it was opened */
  gboolean asking;
  gboolean saving;
  gboolean closing;    /* when it is saved */
  gboolean quitting;   /* goes on once the window is closed */
  guint slow_id;       /* tells that it is still being saved */
  GtkWindow *question; /* (nullable): about a window that is being saved */
} Guard;

static void
guard_free (gpointer data)
{
  Guard *guard = data;

  g_clear_handle_id (&guard->slow_id, g_source_remove);
  g_clear_weak_pointer (&guard->question);
  g_strfreev (guard->before);
  g_free (guard);
}

static void
quit_cb (gpointer data)
{
  g_autoptr (GApplication) application = data;

  g_action_group_activate_action (G_ACTION_GROUP (application), "quit", NULL);
}

/* Quitting asks the next window that has something to lose. */
static void
destroy_cb (GtkWindow *window, Guard *guard)
{
  GApplication *application = g_application_get_default ();

  g_clear_handle_id (&guard->slow_id, g_source_remove);
  if (guard->quitting && application != NULL)
    g_idle_add_once (quit_cb, g_object_ref (application));
  guard->quitting = FALSE;
}

/* The window stays. */
static void
stay (Guard *guard)
{
  guard->closing = FALSE;
  guard->quitting = FALSE;
  g_clear_handle_id (&guard->slow_id, g_source_remove);
}

static void
discard_cb (gpointer data)
{
  g_autoptr (GtkWindow) window = shardwise_weak_take (data);

  if (window != NULL)
    gtk_window_destroy (window);
}

static void
save_cb (gpointer data)
{
  g_autoptr (GtkWindow) window = shardwise_weak_take (data);
  const Guard *guard;

  if (window == NULL || !gtk_widget_get_mapped (GTK_WIDGET (window)))
    return;
  guard = g_object_get_data (G_OBJECT (window), GUARD);
  g_signal_emit_by_name (guard->save, "clicked");
}

/* The dialog goes with the window that it asks for. */
static void
answer_cb (const char *response, gpointer data)
{
  GtkWindow *window = data;
  Guard *guard = g_object_get_data (G_OBJECT (window), GUARD);

  guard->asking = FALSE;
  if (g_str_equal (response, "discard"))
    g_idle_add_once (discard_cb, shardwise_weak_new (window));
  else if (g_str_equal (response, "save"))
    {
      guard->closing = TRUE;
      g_idle_add_once (save_cb, shardwise_weak_new (window));
    }
  else
    stay (guard);
}

static void
ask_to_save (GtkWindow *window, Guard *guard)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "discard", _ ("_Discard"), ADW_RESPONSE_DESTRUCTIVE },
    { "save", _ ("_Save"), ADW_RESPONSE_SUGGESTED },
  };

  guard->asking = TRUE;
  shardwise_compat_ask (window, _ ("Save Changes?"), "", responses,
                        gtk_widget_is_sensitive (guard->save) ? 3 : 2, answer_cb, window, NULL);
}

/* What is being saved is not lost by closing: it is written, or its failure told, all the same. */
static void
ask_to_wait (GtkWindow *window, Guard *guard)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "discard", _ ("Close _Anyway"), ADW_RESPONSE_DEFAULT },
  };
  GtkWindow *question;

  g_clear_handle_id (&guard->slow_id, g_source_remove);
  guard->asking = TRUE;
  question = shardwise_compat_ask (window, _ ("Still Saving"),
                                   _ ("The disk has not answered yet. What was entered is written "
                                      "as soon as it does, also where "
                                      "the window is closed; you are told if that fails."),
                                   responses, G_N_ELEMENTS (responses), answer_cb, window, NULL);
  g_set_weak_pointer (&guard->question, question);
}

static void
slow_cb (gpointer data)
{
  GtkWindow *window = data;
  Guard *guard = g_object_get_data (G_OBJECT (window), GUARD);

  guard->slow_id = 0;
  ask_to_wait (window, guard);
}

/* Closes when it is saved; one whose disk is slow says so. */
static void
wait_for_save (GtkWindow *window, Guard *guard)
{
  guard->closing = TRUE;
  if (guard->slow_id == 0)
    guard->slow_id = g_timeout_add_once (SLOW_MS, slow_cb, window);
}

/* What cannot be saved as it stands is not offered to be. One that is being saved closes after
 * that, unless it is closed again meanwhile. */
static gboolean
close_request_cb (GtkWindow *window, gpointer data)
{
  Guard *guard = data;
  g_auto (GStrv) entered = shardwise_editor_entries_get (GTK_WIDGET (window));

  if (g_strv_equal ((const char *const *) entered, (const char *const *) guard->before))
    return FALSE;
  if (guard->asking)
    return TRUE;
  if (!guard->saving)
    ask_to_save (window, guard);
  else if (guard->closing)
    ask_to_wait (window, guard);
  else
    wait_for_save (window, guard);
  return TRUE;
}

/**
 * shardwise_editor_guard:
 * @window: with entries, as they are when nothing was entered yet
 * @page: of @window, where they stand
 * @save: its button that saves them
 *
 * From now on closing @window asks first where something else stands in its entries.
 */
void
shardwise_editor_guard (GtkWindow *window, GtkWidget *page, GtkWidget *save)
{
  Guard *guard;

  g_return_if_fail (GTK_IS_WINDOW (window));
  g_return_if_fail (GTK_IS_WIDGET (page));
  g_return_if_fail (GTK_IS_BUTTON (save));

  guard = g_new0 (Guard, 1);
  guard->page = page;
  guard->save = save;
  guard->before = shardwise_editor_entries_get (GTK_WIDGET (window));
  g_object_set_data_full (G_OBJECT (window), GUARD, guard, guard_free);
  g_signal_connect (window, "close-request", G_CALLBACK (close_request_cb), guard);
  g_signal_connect (window, "destroy", G_CALLBACK (destroy_cb), guard);
}

static void
set_sensitive (const Guard *guard, gboolean sensitive)
{
  gtk_widget_set_sensitive (guard->page, sensitive);
  gtk_widget_set_sensitive (guard->save, sensitive);
}

/**
 * shardwise_editor_guard_begin_save:
 * @window: with a guard
 *
 * Until shardwise_editor_guard_end_save() nothing can be entered, and closing @window waits for
 * that; where it takes its time the user is told, and may close @window all the same.
 */
void
shardwise_editor_guard_begin_save (GtkWindow *window)
{
  Guard *guard = g_object_get_data (G_OBJECT (window), GUARD);

  g_return_if_fail (guard != NULL);

  /* GTK 4.18 warns of a text that loses the focus by what it can no longer do. */
  gtk_window_set_focus (window, NULL);
  set_sensitive (guard, FALSE);
  guard->saving = TRUE;
  if (guard->closing)
    wait_for_save (window, guard);
}

/**
 * shardwise_editor_guard_end_save:
 * @window: (nullable): of shardwise_editor_guard_begin_save(); %NULL: it was closed meanwhile
 * @name: of the file, as people read it
 * @error: (nullable): why what was entered could not be saved; %NULL: it was
 *
 * Closes the window of what was saved; what failed can be tried again, or is told elsewhere where
 * the window is gone.
 *
 * Returns: whether @window stays, and is to show @error
 */
gboolean
shardwise_editor_guard_end_save (GtkWindow *window, const char *name, const GError *error)
{
  Guard *guard;

  if (window == NULL && error != NULL)
    shardwise_late_error_tell (name, error);
  else if (window != NULL && error == NULL)
    gtk_window_destroy (window);
  if (window == NULL || error == NULL)
    return FALSE;

  guard = g_object_get_data (G_OBJECT (window), GUARD);
  guard->saving = FALSE;
  set_sensitive (guard, TRUE);
  stay (guard);
  if (guard->question != NULL)
    {
      guard->asking = FALSE;
      gtk_window_destroy (guard->question);
    }
  gtk_widget_grab_focus (guard->save);
  return TRUE;
}

/**
 * shardwise_editor_guard_settle:
 * @window: any window
 *
 * Asks, as closing @window would, before everything is closed with it; app.quit is activated again
 * once @window is closed, unless it is to stay.
 *
 * Returns: whether nothing that was entered there can be lost
 */
gboolean
shardwise_editor_guard_settle (GtkWindow *window)
{
  Guard *guard;

  g_return_val_if_fail (GTK_IS_WINDOW (window), TRUE);

  guard = g_object_get_data (G_OBJECT (window), GUARD);
  if (guard == NULL || !close_request_cb (window, guard))
    return TRUE;
  guard->quitting = TRUE;
  return FALSE;
}

/**
 * shardwise_editor_present:
 * @editor: not yet shown
 * @parent: it goes with
 */
void
shardwise_editor_present (GtkWindow *editor, GtkWindow *parent)
{
  g_return_if_fail (GTK_IS_WINDOW (editor));
  g_return_if_fail (GTK_IS_WINDOW (parent));

  gtk_window_set_transient_for (editor, parent);
  gtk_window_set_application (editor, gtk_window_get_application (parent));
  gtk_window_set_destroy_with_parent (editor, TRUE);
  gtk_window_present (editor);
}
