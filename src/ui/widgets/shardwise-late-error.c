/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-late-error.h"

#include <glib/gi18n.h>

#include "shardwise-toast.h"

/**
 * shardwise_late_error_tell:
 * @name: of what was being saved, as people read it
 * @error: why it was not
 *
 * Tells by a notification, which stays until it is read, and on the standard error stream, which is
 * all there is without a desktop.
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
 * @toasts: (nullable): of the window that it concerns; %NULL: it was closed meanwhile
 * @name: of what was being saved, as people read it
 * @error: why it was not
 *
 * Tells it there or, where the window is gone, as shardwise_late_error_tell() does.
 */
void
shardwise_late_error_tell_on (AdwToastOverlay *toasts, const char *name, const GError *error)
{
  if (toasts != NULL)
    shardwise_toast_show (toasts, error->message);
  else
    shardwise_late_error_tell (name, error);
}
