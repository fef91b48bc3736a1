/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The panel of questions beside the pages, or above them where they need the width. */
#include "shardwise-window-private.h"

static void
focus_panel_cb (ShardwiseWindow *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->ask_panel));
}

/* The focus goes to the question, and back to where it was. */
static void
reveal_cb (ShardwiseWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self)), *back;

  if (adw_flap_get_reveal_flap (self->ask_flap))
    {
      g_weak_ref_set (&self->ask_back, focus);
      if (gtk_widget_get_mapped (GTK_WIDGET (self->ask_panel)))
        focus_panel_cb (self);
      return;
    }
  back = g_weak_ref_get (&self->ask_back);
  if (back != NULL && gtk_widget_get_mapped (back)
      && (focus == NULL || gtk_widget_is_ancestor (focus, GTK_WIDGET (self->ask_panel))))
    gtk_widget_grab_focus (back);
  g_clear_object (&back);
}

/* A panel above the page would hide what it points at. */
static void
page_activated_cb (ShardwiseWindow *self, const char *page)
{
  shardwise_window_set_page (self, page);
  if (adw_flap_get_folded (self->ask_flap))
    adw_flap_set_reveal_flap (self->ask_flap, FALSE);
}

static void
sync_action (ShardwiseWindow *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "toggle-ask");

  g_simple_action_set_state (G_SIMPLE_ACTION (action),
                             g_variant_new_boolean (adw_flap_get_reveal_flap (self->ask_flap)));
}

/* Connects the panel, once the actions are there. */
void
shardwise_window_set_up_ask (ShardwiseWindow *self)
{
  g_assert (SHARDWISE_IS_WINDOW (self));

  g_signal_connect_object (self->ask_flap, "notify::reveal-flap", G_CALLBACK (sync_action), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->ask_flap, "notify::reveal-flap", G_CALLBACK (reveal_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->ask_panel, "map", G_CALLBACK (focus_panel_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (self->ask_panel, "typed", G_CALLBACK (shardwise_window_queue_session),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->ask_panel, "page-activated", G_CALLBACK (page_activated_cb), self,
                           G_CONNECT_SWAPPED);
}
