/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-toast.h"

#include <glib/gi18n.h>

/* An overlay of toasts, with the start of the animation of its latest one. */
typedef struct {
  gint64 shown_at;    /* microseconds of the frame clock */
  gboolean is_over;   /* a frame has completed that animation */
  guint tick;         /* active until then */
  GPtrArray *waiting; /* AdwToast elements to dismiss then */
} ToastTimes;

static void
toast_times_free (gpointer data)
{
  ToastTimes *times = data;

  g_ptr_array_unref (times->waiting);
  g_free (times);
}

static ToastTimes *
get_times (AdwToastOverlay *overlay)
{
  static const char key[] = "shardwise-toast-times";
  ToastTimes *times = g_object_get_data (G_OBJECT (overlay), key);

  if (times == NULL)
    {
      times = g_new0 (ToastTimes, 1);
      times->waiting = g_ptr_array_new_with_free_func (g_object_unref);
      g_object_set_data_full (G_OBJECT (overlay), key, times, toast_times_free);
    }
  return times;
}

/* The callback that ends the animation may run before or after this one in the same frame, so one
 * more frame passes. */
static gboolean
toast_tick_cb (GtkWidget *overlay, GdkFrameClock *clock, gpointer data)
{
  enum { LONGEST_US = 520 * 1000 }; /* 500 ms, and 20 for rounding */
  ToastTimes *times = data;
  g_autoptr (GPtrArray) waiting = NULL;

  if (!times->is_over)
    {
      times->is_over = gdk_frame_clock_get_frame_time (clock) - times->shown_at > LONGEST_US;
      return G_SOURCE_CONTINUE;
    }
  times->tick = 0;
  waiting = g_steal_pointer (&times->waiting);
  times->waiting = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < waiting->len; i++)
    g_signal_emit_by_name (waiting->pdata[i], "dismissed"); /* a toast asks only once */
  return G_SOURCE_REMOVE;
}

static void
toast_is_shown (AdwToastOverlay *overlay)
{
  ToastTimes *times = get_times (overlay);
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (overlay));

  if (clock == NULL || !gtk_widget_get_mapped (GTK_WIDGET (overlay)))
    return; /* no animation */
  times->shown_at = gdk_frame_clock_get_frame_time (clock);
  times->is_over = FALSE;
  if (times->tick == 0)
    times->tick = gtk_widget_add_tick_callback (GTK_WIDGET (overlay), toast_tick_cb, times, NULL);
}

/* Runs before the overlay's own handler, which shows the next toast of its queue. */
static void
toast_dismissed_cb (AdwToast *toast, AdwToastOverlay *overlay)
{
  ToastTimes *times = get_times (overlay);

  if (times->tick == 0 || !gtk_widget_get_mapped (GTK_WIDGET (overlay)))
    {
      toast_is_shown (overlay);
      return;
    }
  g_signal_stop_emission_by_name (toast, "dismissed");
  adw_toast_set_button_label (toast, NULL); /* its offer was accepted */
  g_ptr_array_add (times->waiting, g_object_ref (toast));
}

/**
 * shardwise_toast_overlay_of:
 * @widget: (nullable) (type GtkWidget): the source of a message; %NULL: it was closed
 *
 * Returns: (transfer none) (nullable): the overlay of its window; %NULL if it has none
 */
AdwToastOverlay *
shardwise_toast_overlay_of (gpointer widget)
{
  return widget != NULL ? ADW_TOAST_OVERLAY (
             gtk_widget_get_ancestor (GTK_WIDGET (widget), ADW_TYPE_TOAST_OVERLAY))
                        : NULL;
}

/**
 * shardwise_toast_show:
 * @overlay: an overlay
 * @text: the message, translated; no markup
 *
 * Shows a short message. Before libadwaita 1.3, an overlay frees a toast whose animation of
 * appearing still runs where it is dismissed in its first fifth of a second, as by the second of
 * two quick clicks on the buttons of two toasts, and crashes when that animation ends: there,
 * toasts wait with going away until they have appeared.
 *
 * Returns: (transfer none): the toast, to add a button
 */
AdwToast *
shardwise_toast_show (AdwToastOverlay *overlay, const char *text)
{
  g_autofree char *escaped = NULL;
  AdwToast *toast;

  g_return_val_if_fail (ADW_IS_TOAST_OVERLAY (overlay), NULL);
  g_return_val_if_fail (text != NULL, NULL);

  escaped = g_markup_escape_text (text, -1);
  toast = adw_toast_new (escaped);
  if (adw_get_major_version () == 1 && adw_get_minor_version () < 3)
    {
      g_signal_connect_object (toast, "dismissed", G_CALLBACK (toast_dismissed_cb), overlay, 0);
      toast_is_shown (overlay);
    }
  adw_toast_overlay_add_toast (overlay, toast);
  return toast;
}

/**
 * shardwise_late_error_tell:
 * @name: the displayed name of the file that was being saved
 * @error: the error
 *
 * Reports it by a notification, which stays until it is read, and on standard error, which is the
 * only place without a desktop.
 */
void
shardwise_late_error_tell (const char *name, const GError *error)
{
  GApplication *application = g_application_get_default ();
  /* Translators: %s is the name of a file */
  g_autofree char *heading = g_strdup_printf (_ ("“%s” Cannot Be Saved"), name);

  g_return_if_fail (name != NULL && error != NULL);

  g_message ("%s: %s", heading, error->message);
  if (application != NULL)
    {
      g_autoptr (GNotification) notification = g_notification_new (heading);

      g_notification_set_body (notification, error->message);
      g_notification_set_priority (notification, G_NOTIFICATION_PRIORITY_HIGH);
      g_application_send_notification (application, NULL, notification);
    }
}

/**
 * shardwise_late_error_tell_on:
 * @toasts: (nullable): the overlay of the window; %NULL: it was closed
 * @name: the displayed name of the file that was being saved
 * @error: the error
 *
 * Reports it there or, if the window was closed, like shardwise_late_error_tell().
 */
void
shardwise_late_error_tell_on (AdwToastOverlay *toasts, const char *name, const GError *error)
{
  if (toasts != NULL)
    shardwise_toast_show (toasts, error->message);
  else
    shardwise_late_error_tell (name, error);
}
