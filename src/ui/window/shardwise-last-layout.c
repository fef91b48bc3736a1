/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A window that closes is not laid out again. What the X server says late of a window that is
 * hidden, as its last size, asks for a layout; its surface keeps that for later, and GTK 4.8 then
 * asks the window for its size, also where that was freed and events that wait still hold the
 * surface. */
#include "shardwise-last-layout.h"

#include <gtk/gtk.h>

/* Before the window lets go of its surface. A surface that is hidden, once more, forgets it. */
static gboolean
unrealize_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GtkWidget *widget = g_value_get_object (&values[0]);

  if (GTK_IS_WINDOW (widget))
    gdk_surface_hide (gtk_native_get_surface (GTK_NATIVE (widget)));
  return G_SOURCE_CONTINUE;
}

/**
 * shardwise_last_layout_install:
 *
 * From now on no window of the program is laid out after it was closed.
 *
 * Returns: what shardwise_last_layout_remove() takes
 */
gulong
shardwise_last_layout_install (void)
{
  g_type_class_unref (g_type_class_ref (GTK_TYPE_WIDGET));
  return g_signal_add_emission_hook (g_signal_lookup ("unrealize", GTK_TYPE_WIDGET), 0,
                                     unrealize_cb, NULL, NULL);
}

/**
 * shardwise_last_layout_remove:
 * @hook: what shardwise_last_layout_install() returned
 *
 * Ends it.
 */
void
shardwise_last_layout_remove (gulong hook)
{
  g_signal_remove_emission_hook (g_signal_lookup ("unrealize", GTK_TYPE_WIDGET), hook);
}
