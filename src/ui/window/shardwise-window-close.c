/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>

#include "shardwise-compat.h"

/* What is asked before edits go with their window, or with the program. */

/* Tries again what the window was asked for: to close, or to go on with quitting, which asks the
 * next one that has something to lose. */
void
shardwise_window_go_on_closing (ShardwiseWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));

  if (self->quitting && application != NULL)
    g_action_group_activate_action (G_ACTION_GROUP (application), "quit", NULL);
  else
    gtk_window_close (GTK_WINDOW (self));
}

/* The window stays, and with it those whose edits were given up in order to quit. */
void
shardwise_window_stay (ShardwiseWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  GList *windows = self->quitting && application != NULL ? gtk_application_get_windows (application)
                                                         : NULL;

  for (GList *link = windows; link != NULL; link = link->next)
    if (SHARDWISE_IS_WINDOW (link->data))
      {
        SHARDWISE_WINDOW (link->data)->discard = FALSE;
        SHARDWISE_WINDOW (link->data)->quitting = FALSE;
      }
}

static void
close_answer_cb (const char *response, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;

  self->asking = FALSE;
  if (g_str_equal (response, "discard"))
    {
      self->discard = TRUE;
      shardwise_window_go_on_closing (self);
    }
  else if (g_str_equal (response, "save"))
    shardwise_window_save_and_close (self);
  else
    shardwise_window_stay (self);
}

/* Asks what to do with unsaved edits before the window closes, or the program quits. One whose
 * edits are being saved closes after that, unless it is closed again meanwhile. */
void
shardwise_window_ask_to_close (ShardwiseWindow *self)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "discard", _ ("_Discard"), ADW_RESPONSE_DESTRUCTIVE },
    { "save", _ ("_Save"), ADW_RESPONSE_SUGGESTED },
  };

  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  if (self->asking || shardwise_window_close_when_saved (self))
    return;
  self->asking = TRUE;
  shardwise_compat_ask (
      GTK_WINDOW (self), _ ("Save Changes?"),
      _ ("The scenario has unsaved edits. Edits that are not saved are lost for good."), responses,
      G_N_ELEMENTS (responses), close_answer_cb, g_object_ref (self), g_object_unref);
}

/**
 * shardwise_window_settle_to_quit:
 *
 * Asks about unsaved edits, if there are any and it was not answered yet; app.quit is activated
 * again with the answer, unless that is to stay.
 *
 * Returns: whether the window has nothing to lose
 */
gboolean
shardwise_window_settle_to_quit (ShardwiseWindow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), TRUE);

  shardwise_inputs_flush (self->inputs);
  if (self->discard || !shardwise_window_has_unsaved (self))
    return TRUE;
  self->quitting = TRUE;
  gtk_window_present (GTK_WINDOW (self));
  shardwise_window_ask_to_close (self);
  return FALSE;
}

/**
 * shardwise_window_quit:
 *
 * Closes the window with all others: its document comes back with the program.
 */
void
shardwise_window_quit (ShardwiseWindow *self)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  self->keep = TRUE;
  gtk_window_close (GTK_WINDOW (self));
}
