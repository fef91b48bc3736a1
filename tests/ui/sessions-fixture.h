/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-config.h"
#include "shardwise-inputs.h"
#include "ui-fixture.h"
#include "window-fixture.h"

G_BEGIN_DECLS

/* Windows that go as in a crash, and come back with what is kept below the state directory. */

static inline char *
state_folder (const char *name)
{
  return g_build_filename (g_get_user_state_dir (), APPLICATION_ID, name, NULL);
}

static inline char *
drafts_folder (void)
{
  return state_folder ("drafts");
}

static inline void
set_up_session (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = drafts_folder ();

  remove_tree (folder);
  set_up (fixture, data);
  gtk_window_present (GTK_WINDOW (fixture->window));
}

/* As a crash would: the window goes, and nobody is asked. */
static inline void
lose (Fixture *fixture, ShardwiseWindow *window)
{
  if (window == fixture->window)
    g_object_unref (g_steal_pointer (&fixture->window)); /* the application holds it, too */
  gtk_window_destroy (GTK_WINDOW (window));
}

/* On the screen: another is not closed but only gone. */
static inline ShardwiseWindow *
new_window (Fixture *fixture)
{
  ShardwiseWindow *window =
      shardwise_window_new (GTK_APPLICATION (fixture->application),
                            shardwise_application_get_settings (fixture->application));

  gtk_window_present (GTK_WINDOW (window));
  return window;
}

/* Waits until every thread that keeps something has let go of the draft, and restores. */
static inline ShardwiseWindow *
restore (Fixture *fixture)
{
  ShardwiseWindow *window = new_window (fixture);

  wait_until (shardwise_window_restore_session (window, FALSE));
  return window;
}

static inline double
get_number (ShardwiseWindow *window, ShardwiseKeyId id)
{
  return shardwise_scenario_get_number (shardwise_window_get_scenario (window), id, 0);
}

static inline void
edit (ShardwiseWindow *window, int gpus)
{
  activate (window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (gpus)));
}

static inline guint
count_in (const char *folder)
{
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    n += g_str_has_suffix (name, ".json");
  return n;
}

static inline guint
count_drafts (void)
{
  g_autofree char *folder = drafts_folder ();

  return count_in (folder);
}

static inline ShardwiseInputs *
get_inputs (ShardwiseWindow *window)
{
  return SHARDWISE_INPUTS (ui_find (GTK_WIDGET (window), SHARDWISE_TYPE_INPUTS));
}

static inline GtkEditable *
get_entry (ShardwiseWindow *window, ShardwiseKeyId id)
{
  ShardwiseInputRow *row = shardwise_inputs_find_row (get_inputs (window), id);

  return GTK_EDITABLE (shardwise_input_row_get_control (row));
}

#undef ADD
#define ADD(path, func) g_test_add (path, Fixture, NULL, set_up_session, func, tear_down)

G_END_DECLS
