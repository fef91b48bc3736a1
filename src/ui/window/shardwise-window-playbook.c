/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The playbook of a window: one that stays beside it and follows what is selected. */
#include "shardwise-window-private.h"

#include "shardwise-application.h"
#include "shardwise-playbook-window.h"

static ShardwiseNotes *
get_notes (ShardwiseWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  g_autoptr (GError) error = NULL;
  ShardwiseNotes *notes = SHARDWISE_IS_APPLICATION (application) ? shardwise_application_get_notes (
                              SHARDWISE_APPLICATION (application), &error)
                                                                 : NULL;

  if (error != NULL)
    shardwise_window_tell_open_error (self, "playbook.json", error->message);
  return notes;
}

/* Shows the playbook, or the one that is open already. */
void
shardwise_window_show_playbook (ShardwiseWindow *self)
{
  GtkWidget *window = self->playbook;

  if (window == NULL)
    {
      window = shardwise_playbook_window_new (get_notes (self), self->advisor);
      gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (self));
      gtk_window_set_application (GTK_WINDOW (window),
                                  gtk_window_get_application (GTK_WINDOW (self)));
      gtk_window_set_destroy_with_parent (GTK_WINDOW (window), TRUE);
      g_set_weak_pointer (&self->playbook, window);
    }
  gtk_window_present (GTK_WINDOW (window));
}
