/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "application-fixture.h"
#include "shardwise-banner.h"

G_BEGIN_DECLS

/* A window of the program, and a folder for its files. */
typedef struct {
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
destroy_windows (void)
{
  GListModel *windows = gtk_window_get_toplevels ();

  while (g_list_model_get_n_items (windows) > 0)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, 0);

      gtk_window_destroy (window);
    }
}

static inline void
tear_down (Fixture *fixture, gconstpointer data)
{
  remove_tree (fixture->directory);
  g_free (fixture->directory);
  if (fixture->window != NULL)
    gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_clear_object (&fixture->window);
  destroy_windows ();
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

static inline AdwMessageDialog *
find_dialog (void)
{
  return (AdwMessageDialog *) ui_find_window (ADW_TYPE_MESSAGE_DIALOG);
}

static inline gboolean
has_dialog (void)
{
  return find_dialog () != NULL;
}

#define HEAD "{\"format\": \"shardwise-scenario\", \"version\": 1, "

/* The topmost dialog of the window says what is wrong; it is answered with Close. */
static inline void
dismiss_dialog (Fixture *fixture, const char *says)
{
  GListModel *windows = gtk_window_get_toplevels ();
  guint n_dialogs = 0;

  for (guint i = g_list_model_get_n_items (windows); i > 0; i--)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i - 1);
      g_autofree char *text = NULL;

      if (!ADW_IS_MESSAGE_DIALOG (window))
        continue;
      g_assert_true (pango_parse_markup (adw_message_dialog_get_body (ADW_MESSAGE_DIALOG (window)),
                                         -1, 0, NULL, &text, NULL, NULL));
      g_test_message ("%s", text);
      g_assert_nonnull (strstr (text, says));
      g_assert_true (gtk_test_accessible_has_property (GTK_ACCESSIBLE (window),
                                                       GTK_ACCESSIBLE_PROPERTY_LABEL));
      gtk_window_destroy (window);
      n_dialogs++;
    }
  g_assert_cmpuint (n_dialogs, ==, 1);
}

static inline GFile *
write_file (Fixture *fixture, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (fixture->directory, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return g_file_new_for_path (path);
}

static inline guint
count_windows (Fixture *fixture, GFile *file)
{
  GList *windows = gtk_application_get_windows (GTK_APPLICATION (fixture->application));
  guint n = 0;

  for (GList *link = windows; link != NULL; link = link->next)
    n += SHARDWISE_IS_WINDOW (link->data)
         && (file == NULL || shardwise_window_shows_file (link->data, file));
  return n;
}

/* What a click on a button does. */
static inline void
answer (const char *response)
{
  g_autoptr (AdwMessageDialog) dialog = g_object_ref (find_dialog ());

  adw_message_dialog_response (dialog, response);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* Saves, and waits until the file is written or a dialog says why not. */
static inline void
save (Fixture *fixture)
{
  activate (fixture->window, "save", NULL);
  wait_until (!shardwise_window_is_saving (fixture->window));
}

static inline gboolean
is_closed (Fixture *fixture)
{
  return gtk_window_get_application (GTK_WINDOW (fixture->window)) == NULL;
}

static inline double
get_gpus (Fixture *fixture)
{
  return shardwise_scenario_get_number (shardwise_window_get_scenario (fixture->window),
                                        SHARDWISE_KEY_CLUSTER_GPUS, 0);
}

/* (nullable): what the window says above the page. */
static inline const char *
banner_text (ShardwiseWindow *window)
{
  GtkWidget *banner = ui_find (GTK_WIDGET (window), SHARDWISE_TYPE_BANNER);

  if (!gtk_revealer_get_reveal_child (GTK_REVEALER (ui_find (banner, GTK_TYPE_REVEALER))))
    return NULL;
  return gtk_label_get_label (GTK_LABEL (ui_find (banner, GTK_TYPE_LABEL)));
}

#define ADD(path, func) g_test_add (path, Fixture, NULL, set_up, func, tear_down)

/* Of main(): FALSE where there is no display. */
static inline gboolean
init_window_test (int *argc, char ***argv)
{
  if (!ui_start (argc, argv))
    return FALSE;
  the_application = start_application ();
  return TRUE;
}

G_END_DECLS
