/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-editor-guard.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-compat.h"
#include "shardwise-editor-entries.h"
#include "shardwise-weak.h"

#define GUARD "shardwise-editor-guard"

typedef struct {
  GtkWidget *save;
  char **before; /* what stood in the window when it was opened */
  gboolean asking;
  gboolean saving;
  gboolean closing; /* when it is saved */
} Guard;

static void
guard_free (gpointer data)
{
  Guard *guard = data;

  g_strfreev (guard->before);
  g_free (guard);
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
    g_idle_add_once (save_cb, shardwise_weak_new (window));
}

/* What cannot be saved as it stands is not offered to be. One that is being saved closes after
 * that, unless it is closed again meanwhile. */
static gboolean
close_request_cb (GtkWindow *window, gpointer data)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "discard", _("_Discard"), ADW_RESPONSE_DESTRUCTIVE },
    { "save", _("_Save"), ADW_RESPONSE_SUGGESTED },
  };
  Guard *guard = data;
  g_auto (GStrv) entered = shardwise_editor_entries_get (GTK_WIDGET (window));

  if (g_strv_equal ((const char *const *) entered, (const char *const *) guard->before))
    return FALSE;
  if (guard->asking || (guard->saving && !guard->closing))
    {
      guard->closing = TRUE;
      return TRUE;
    }
  guard->asking = TRUE;
  shardwise_compat_ask (window, _("Save Changes?"), "", responses,
                        gtk_widget_is_sensitive (guard->save) ? 3 : 2, answer_cb, window,
                        NULL);
  return TRUE;
}

/**
 * shardwise_editor_guard:
 * @window: with entries, as they are when nothing was entered yet
 * @save: its button that saves them and destroys @window
 *
 * From now on closing @window asks first where something else stands in its entries.
 */
void
shardwise_editor_guard (GtkWindow *window, GtkWidget *save)
{
  Guard *guard;

  g_return_if_fail (GTK_IS_WINDOW (window));
  g_return_if_fail (GTK_IS_BUTTON (save));

  guard = g_new (Guard, 1);
  *guard = (Guard){ save, shardwise_editor_entries_get (GTK_WIDGET (window)), FALSE, FALSE, FALSE };
  g_object_set_data_full (G_OBJECT (window), GUARD, guard, guard_free);
  g_signal_connect (window, "close-request", G_CALLBACK (close_request_cb), guard);
}

/**
 * shardwise_editor_guard_set_saving:
 * @window: with a guard
 * @saving: whether what was entered is being saved, after which @window is destroyed
 *
 * While it is, closing @window is not asked about for the first time.
 */
void
shardwise_editor_guard_set_saving (GtkWindow *window, gboolean saving)
{
  Guard *guard = g_object_get_data (G_OBJECT (window), GUARD);

  g_return_if_fail (guard != NULL);

  guard->saving = saving;
  guard->closing = FALSE;
}

/**
 * shardwise_editor_guard_settle:
 * @window: any window
 *
 * Asks, as closing @window would, before everything is closed with it.
 *
 * Returns: whether nothing that was entered there can be lost
 */
gboolean
shardwise_editor_guard_settle (GtkWindow *window)
{
  Guard *guard;

  g_return_val_if_fail (GTK_IS_WINDOW (window), TRUE);

  guard = g_object_get_data (G_OBJECT (window), GUARD);
  return guard == NULL || !close_request_cb (window, guard);
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
