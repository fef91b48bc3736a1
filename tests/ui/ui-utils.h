/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib/gstdio.h>
#include <stdlib.h>

#include "shardwise-application.h"
#include "shardwise-window.h"

G_BEGIN_DECLS

#define DEADLINE_S 60

static inline void
deadline_cb (gpointer data)
{
  g_error ("nothing happened in time: %s", (const char *)data);
}

/* Runs the main loop until the condition holds; fails loudly after DEADLINE_S. */
#define wait_until(condition)                                                                      \
  G_STMT_START                                                                                     \
  {                                                                                                \
    guint deadline_id =                                                                            \
        g_timeout_add_once (DEADLINE_S * 1000, deadline_cb, (gpointer) #condition);                \
    while (!(condition))                                                                           \
      g_main_context_iteration (NULL, TRUE);                                                       \
    g_source_remove (deadline_id);                                                                 \
  }                                                                                                \
  G_STMT_END

/* Removes a folder with what is in it; links are not followed. */
static inline void
remove_tree (const char *path)
{
  g_autoptr (GDir) directory =
      g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *name;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      remove_tree (inner);
    }
  g_remove (path);
}

/* All of them lie in the one that isolate_directories () made. */
static inline void
remove_directories (void)
{
  remove_tree (g_getenv ("XDG_STATE_HOME"));
}

/* Nothing of the user is read or written. G_TEST_OPTION_ISOLATE_DIRS would hide the types of files
 * too, without which gdk-pixbuf reads no icon. To be called before all else. */
static inline void
isolate_directories (void)
{
  static const char *const variables[] = { "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME",
                                           "XDG_CACHE_HOME" };
  g_autofree char *directory = g_dir_make_tmp ("shardwise-test-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    g_setenv (variables[i], directory, TRUE);
  atexit (remove_directories);
}

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
