/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "stalled-disk.h"
#include "window-fixture.h"

G_BEGIN_DECLS

/* Notifications of this program are counted, and not sent. For one file of a test program: it takes
 * the place of GIO's. */
static guint n_notifications;

void
g_application_send_notification (GApplication *application, const char *id,
                                 GNotification *notification)
{
  g_assert_true (application == G_APPLICATION (the_application));
  g_assert_true (G_IS_NOTIFICATION (notification));
  n_notifications++;
}

/* From now on one notification is expected, which names `what`. */
static inline void
expect_late_error (const char *what)
{
  g_autofree char *pattern = g_strdup_printf ("“%s” Cannot Be Saved: *", what);

  n_notifications = 0;
  g_test_expect_message ("Shardwise-UI", G_LOG_LEVEL_MESSAGE, pattern);
}

/* Waits for it. */
static inline void
await_late_error (void)
{
  wait_until (n_notifications > 0);
  g_test_assert_expected_messages ();
  g_assert_cmpuint (n_notifications, ==, 1);
}

/* Loses the window while an editor of it waits for a disk that fails: that of `name`. */
static inline void
lose_window_of (Fixture *fixture, GType editor, const char *name)
{
  disk_await ();
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_clear_object (&fixture->window);
  wait_until (ui_find_window (editor) == NULL);
  expect_late_error (name);
  disk_go_on ();
  await_late_error ();
  disk_break (NULL);
}

G_END_DECLS
