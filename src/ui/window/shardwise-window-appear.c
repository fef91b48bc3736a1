/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

/* A window that is made for a document appears with its answer: what would be on the screen before,
 * an empty page, takes as long to lay out and to draw as the answer itself. */

#define PATIENCE_MS 300 /* who sees nothing for longer believes that nothing happens */

/* Whether it was closed and is only held by what was under way. */
gboolean
shardwise_window_is_closed (ShardwiseWindow *self)
{
  return gtk_window_get_application (GTK_WINDOW (self)) == NULL;
}

static gboolean
is_expecting (ShardwiseWindow *self)
{
  return self->opening > 0
         || (self->advisor != NULL && shardwise_advisor_get_live (self->advisor)
             && shardwise_advisor_get_status (self->advisor) == SHARDWISE_STATUS_EMPTY);
}

/* Presents a window that waits for its answer, without it where need be: a dialog is about to stand
 * in front of it. */
void
shardwise_window_appear (ShardwiseWindow *self)
{
  if (self->appear_id == 0)
    return;
  g_clear_handle_id (&self->appear_id, g_source_remove);
  if (!gtk_widget_get_visible (GTK_WIDGET (self)) /* else something may stand in front of it */
      && !shardwise_window_is_closed (self))
    gtk_window_present (GTK_WINDOW (self));
}

static gboolean
patience_cb (gpointer data)
{
  shardwise_window_appear (data);
  return G_SOURCE_REMOVE;
}

/* Something has come, or failed: presents the window if that was the last it waited for. */
void
shardwise_window_appear_if_ready (ShardwiseWindow *self)
{
  if (!is_expecting (self))
    shardwise_window_appear (self);
}

/* The page of a window without a document; Enter begins one. */
void
shardwise_window_show_start (ShardwiseWindow *self)
{
  gtk_stack_set_visible_child_name (self->main_stack, "start");
  gtk_widget_grab_focus (self->start_button);
}

/**
 * shardwise_window_present_soon:
 *
 * Presents the window. One that is not on the screen yet and has a document to show waits for the
 * answer, if that comes soon.
 */
void
shardwise_window_present_soon (ShardwiseWindow *self)
{
  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  if (gtk_widget_get_visible (GTK_WIDGET (self)) || !is_expecting (self))
    gtk_window_present (GTK_WINDOW (self));
  else if (self->appear_id == 0)
    self->appear_id = g_timeout_add (PATIENCE_MS, patience_cb, self);
}
