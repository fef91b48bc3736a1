/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-application.h"
#include "shardwise-window-files.h"
#include "ui-fixture.h"

G_BEGIN_DECLS

/* The application of the program, but never the one that the user may be running. */
static inline ShardwiseApplication *
start_application (void)
{
  ShardwiseApplication *application = shardwise_application_new ();
  g_autoptr (GError) error = NULL;

  g_application_set_flags (G_APPLICATION (application),
                           G_APPLICATION_HANDLES_OPEN | G_APPLICATION_NON_UNIQUE);
  g_application_register (G_APPLICATION (application), NULL, &error);
  g_assert_no_error (error);
  return application;
}

static inline const char *
get_status (ShardwiseWindow *window)
{
  g_autoptr (GVariant) state = g_action_group_get_action_state (G_ACTION_GROUP (window), "status");

  return g_intern_string (g_variant_get_string (state, NULL));
}

static inline gboolean
has_status (ShardwiseWindow *window, const char *status)
{
  return g_str_equal (get_status (window), status);
}

static inline gboolean
is_enabled (ShardwiseWindow *window, const char *action)
{
  return g_action_group_get_action_enabled (G_ACTION_GROUP (window), action);
}

static inline void
activate (ShardwiseWindow *window, const char *action, GVariant *parameter)
{
  g_action_group_activate_action (G_ACTION_GROUP (window), action, parameter);
}

G_END_DECLS
