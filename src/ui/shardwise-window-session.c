/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <errno.h>
#include <glib/gstdio.h>

#include "shardwise-config.h"
#include "shardwise-json.h"

/* The document outlives the program: what is on the screen is kept in the state directory, in two
 * files, and what the file of a job said beside it in a third. */

#define SESSION_DELAY_S 1
#define SESSION_SAVED "saved.shardwise"
#define SESSION_EDITED "edited.shardwise"
#define SESSION_IMPORT "import.json"

static char *
state_path (const char *name)
{
  return g_build_filename (g_get_user_state_dir (), APPLICATION_ID, name, NULL);
}

static gboolean
write_state (const char *name, const char *text)
{
  g_autofree char *path = state_path (name);
  g_autofree char *directory = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  if (g_mkdir_with_parents (directory, 0700) == 0
      && g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, &error))
    return TRUE;
  g_message ("The session is not kept: %s", error != NULL ? error->message : g_strerror (errno));
  return FALSE;
}

static void
keep_import (ShardwiseWindow *self)
{
  g_autofree char *text = self->import != NULL && !self->discard
                              ? shardwise_import_to_json (self->import)
                              : g_strdup ("");

  write_state (SESSION_IMPORT, text);
}

/**
 * shardwise_window_keep_session:
 *
 * Writes the document to the state directory: as it was saved last and, unless its edits were
 * discarded, as it is now, so that the next start can go on with it.
 */
void
shardwise_window_keep_session (ShardwiseWindow *self)
{
  gboolean edited;
  g_autofree char *text = NULL, *uri = NULL;

  g_return_if_fail (SHARDWISE_IS_WINDOW (self));
  g_return_if_fail (self->scenario != NULL);

  g_clear_handle_id (&self->session_id, g_source_remove);
  edited = !self->discard && shardwise_scenario_get_modified (self->scenario);
  text = edited ? shardwise_scenario_to_json (self->scenario) : g_strdup (self->saved);
  uri = self->file != NULL ? g_file_get_uri (self->file) : g_strdup ("");
  if (!write_state (SESSION_SAVED, self->saved) || !write_state (SESSION_EDITED, text))
    return;
  keep_import (self);
  g_settings_set_string (self->settings, "session-file", uri);
}

static gboolean
session_cb (gpointer data)
{
  ShardwiseWindow *self = data;

  self->session_id = 0;
  shardwise_window_keep_session (self);
  return G_SOURCE_REMOVE;
}

/* Keeps the document soon: a burst of edits is written once. */
void
shardwise_window_queue_session (ShardwiseWindow *self)
{
  if (self->session_id == 0)
    self->session_id = g_timeout_add_seconds (SESSION_DELAY_S, session_cb, self);
}

/* (transfer full) (nullable) */
static char *
read_text (const char *name)
{
  g_autofree char *path = state_path (name);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GBytes) bytes = shardwise_read_file (file, NULL, NULL);

  return bytes != NULL ? g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)) : NULL;
}

static ShardwiseScenario *
read_state (const char *name)
{
  g_autofree char *text = read_text (name);

  return text != NULL ? shardwise_scenario_from_json (text, -1, NULL) : NULL;
}

/**
 * shardwise_window_restore_session:
 *
 * Opens what was open when the program ended, with its unsaved edits, which can be undone.
 *
 * Returns: whether there was something
 */
gboolean
shardwise_window_restore_session (ShardwiseWindow *self)
{
  g_autoptr (ShardwiseScenario) saved = NULL, edited = NULL;
  g_autofree char *uri = NULL, *said = NULL;
  g_autoptr (GFile) file = NULL;
  g_autoptr (ShardwiseImport) import = NULL;

  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), FALSE);

  saved = read_state (SESSION_SAVED);
  edited = read_state (SESSION_EDITED);
  if (saved == NULL)
    return FALSE;
  uri = g_settings_get_string (self->settings, "session-file");
  if (*uri != '\0')
    file = g_file_new_for_uri (uri);
  shardwise_window_set_scenario (self, saved, file);
  if (edited != NULL)
    shardwise_scenario_replace (saved, edited);
  said = read_text (SESSION_IMPORT);
  import = said != NULL ? shardwise_import_from_json (said) : NULL;
  if (import != NULL)
    shardwise_window_set_import (self, import);
  return TRUE;
}

static gboolean
restore_cb (gpointer data)
{
  ShardwiseWindow *self = data;

  self->opening--;
  if (self->scenario == NULL && !shardwise_window_restore_session (self))
    gtk_stack_set_visible_child_name (self->main_stack, "start");
  return G_SOURCE_REMOVE;
}

/**
 * shardwise_window_restore_session_soon:
 *
 * Opens what was open when the program ended, once the window is on the screen: it is there sooner.
 * Without a session the start page stays.
 */
void
shardwise_window_restore_session_soon (ShardwiseWindow *self)
{
  g_autofree char *path = NULL;

  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  path = state_path (SESSION_SAVED);
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return;
  self->opening++;
  gtk_stack_set_visible_child_full (self->main_stack, "blank", GTK_STACK_TRANSITION_TYPE_NONE);
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, restore_cb, g_object_ref (self), g_object_unref);
}
