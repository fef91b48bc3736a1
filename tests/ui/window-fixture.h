/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "ui-utils.h"

G_BEGIN_DECLS

/* A window of the program, and a folder for its files. */
typedef struct
{
  ShardwiseApplication *application;
  ShardwiseWindow *window;
  char *directory;
} Fixture;

static ShardwiseApplication *the_application; /* one a process, as in the program */

static inline void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->application = the_application;
  fixture->window =
      shardwise_window_new (GTK_APPLICATION (fixture->application),
                            shardwise_application_get_settings (fixture->application));
  g_object_ref (fixture->window);
  fixture->directory = g_dir_make_tmp ("shardwise-XXXXXX", NULL);
}

static inline void
tear_down (Fixture *fixture, gconstpointer data)
{
  GListModel *windows = gtk_window_get_toplevels ();

  remove_tree (fixture->directory);
  g_free (fixture->directory);
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_object_unref (fixture->window);
  while (g_list_model_get_n_items (windows) > 0)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, 0);

      gtk_window_destroy (window);
    }
}

static inline char *
get_json (Fixture *fixture)
{
  return shardwise_scenario_to_json (shardwise_window_get_scenario (fixture->window));
}

static inline GVariant *
one_change (const char *path, GVariant *value)
{
  GVariantDict changes;

  g_variant_dict_init (&changes, NULL);
  g_variant_dict_insert_value (&changes, path, value);
  return g_variant_dict_end (&changes);
}

static inline gboolean
has_dialog (void)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GObject) window = g_list_model_get_item (windows, i);

      if (ADW_IS_MESSAGE_DIALOG (window))
        return TRUE;
    }
  return FALSE;
}

#define ADD(path, func) g_test_add (path, Fixture, NULL, set_up, func, tear_down)

/* Returns whether there is a display; else the test is skipped. */
static inline gboolean
init_window_test (int *argc, char ***argv)
{
  g_setenv ("GTK_A11Y", "test", TRUE);
  isolate_directories ();
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP no display\n");
      return FALSE;
    }
  g_test_init (argc, argv, NULL);
  the_application = start_application ();
  return TRUE;
}

G_END_DECLS
