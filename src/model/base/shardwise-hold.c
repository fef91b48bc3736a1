/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-hold.h"

static void
completed_cb (GObject *task, GParamSpec *property, gpointer application)
{
  g_application_release (application);
}

/**
 * shardwise_hold_for_task:
 * @task: with a callback, not yet begun
 *
 * The application, if there is one, does not end before the callback of @task has been called, also
 * where its last window is closed: what the task writes would be lost.
 */
void
shardwise_hold_for_task (GTask *task)
{
  GApplication *application = g_application_get_default ();

  g_return_if_fail (G_IS_TASK (task));

  if (application == NULL)
    return;
  g_application_hold (application);
  g_signal_connect_object (task, "notify::completed", G_CALLBACK (completed_cb), application, 0);
}
