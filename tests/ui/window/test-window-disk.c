/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "document-fixture.h"
#include "shardwise-format.h"

/* The file of a document in the hands of others, and what is dropped and used again. */

static void
write_gpus (GFile *file, guint gpus)
{
  g_autofree char *text = g_strdup_printf (DOCUMENT, gpus);
  g_autofree char *path = g_file_get_path (file);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Reload shows the new content, and Undo the old one; saving by ourselves is not told of. */
static void
test_reload (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);

  write_gpus (file, 64);
  wait_until (banner_text (fixture->window) != NULL);
  g_assert_nonnull (strstr (banner_text (fixture->window), "mine.shardwise"));
  activate (fixture->window, "reload", NULL);
  wait_until (get_gpus (fixture) == 64);
  g_assert_null (banner_text (fixture->window));
  g_assert_false (
      shardwise_scenario_get_modified (shardwise_window_get_scenario (fixture->window)));
  activate (fixture->window, "undo", NULL);
  g_assert_cmpfloat (get_gpus (fixture), ==, 16);
  save (fixture);
  g_assert_cmpfloat (gpus_of (file), ==, 16);
  g_assert_null (banner_text (fixture->window));
}

/* What others wrote is not written over unasked, be the banner there already or not. */
static void
test_overwrite (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);

  edit (fixture, 32);
  write_gpus (file, 64);
  save (fixture);
  g_assert_nonnull (find_dialog ());
  answer ("cancel");
  g_assert_cmpfloat (gpus_of (file), ==, 64);
  g_assert_true (shardwise_scenario_get_modified (shardwise_window_get_scenario (fixture->window)));
  save (fixture);
  answer ("overwrite");
  wait_until (!shardwise_window_is_saving (fixture->window));
  g_assert_cmpfloat (gpus_of (file), ==, 32);
  g_assert_null (banner_text (fixture->window));

  write_gpus (file, 128);
  wait_until (banner_text (fixture->window) != NULL);
  activate (fixture->window, "keep-mine", NULL);
  g_assert_null (banner_text (fixture->window));
  gtk_window_close (GTK_WINDOW (fixture->window)); /* no file has what is in the window */
  g_assert_nonnull (find_dialog ());
  answer ("cancel");
  save (fixture); /* the user knows */
  g_assert_null (find_dialog ());
  g_assert_cmpfloat (gpus_of (file), ==, 32);
}

/* A file that is gone is written again; closing does not lose the document. */
static void
test_gone (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);

  g_assert_true (g_file_delete (file, NULL, NULL));
  wait_until (banner_text (fixture->window) != NULL);
  gtk_window_close (GTK_WINDOW (fixture->window));
  g_assert_nonnull (find_dialog ());
  answer ("cancel");
  save (fixture);
  g_assert_cmpfloat (gpus_of (file), ==, 16);
  g_assert_null (banner_text (fixture->window));
}

/* A file with another name is followed, if the user wants it to be. */
static void
test_moved (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);
  g_autoptr (GFile) folder = g_file_get_parent (file);
  g_autoptr (GFile) other = g_file_get_child (folder, "other.shardwise");

  g_assert_true (g_file_move (file, other, G_FILE_COPY_NONE, NULL, NULL, NULL, NULL));
  wait_until (banner_text (fixture->window) != NULL);
  g_assert_nonnull (strstr (banner_text (fixture->window), "other.shardwise"));
  activate (fixture->window, "follow-file", NULL);
  g_assert_null (banner_text (fixture->window));
  g_assert_true (shardwise_window_shows_file (fixture->window, other));
  edit (fixture, 32);
  save (fixture);
  g_assert_cmpfloat (gpus_of (other), ==, 32);
  g_assert_false (g_file_query_exists (file, NULL));
}

/* Where nothing can be written a dialog says what and where; the work stays in the window. */
static void
test_save_fails (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);

  edit (fixture, 32);
  remove_tree (fixture->directory);
  save (fixture);
  dismiss_dialog (fixture, fixture->directory);
  g_assert_cmpfloat (get_gpus (fixture), ==, 32);
  g_assert_true (shardwise_scenario_get_modified (shardwise_window_get_scenario (fixture->window)));

  gtk_window_close (GTK_WINDOW (fixture->window));
  answer ("save"); /* fails as well: the window stays */
  wait_until (has_dialog ());
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (fixture->window)));
  dismiss_dialog (fixture, fixture->directory);
}

/* Reloading what is no scenario any more says so and changes nothing. */
static void
test_reload_nonsense (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = open_document (fixture);
  g_autofree char *path = g_file_get_path (file);

  g_assert_true (g_file_set_contents (path, "model: [", -1, NULL));
  wait_until (banner_text (fixture->window) != NULL);
  activate (fixture->window, "reload", NULL);
  wait_until (has_dialog ());
  dismiss_dialog (fixture, "mine.shardwise");
  g_assert_cmpfloat (get_gpus (fixture), ==, 16);
  g_assert_nonnull (banner_text (fixture->window));
}

/* The name of the first entry of the menu's first section; NULL while the menu is not filled. */
static char *
first_recent (Fixture *fixture)
{
  GMenuModel *menu = G_MENU_MODEL (gtk_widget_get_template_child (
      GTK_WIDGET (fixture->window), SHARDWISE_TYPE_WINDOW, "recent_menu"));
  g_autoptr (GMenuModel) section = NULL;
  char *label = NULL;

  if (g_menu_model_get_n_items (menu) == 0)
    return NULL;
  section = g_menu_model_get_item_link (menu, 0, G_MENU_LINK_SECTION);
  g_menu_model_get_item_attribute (section, 0, G_MENU_ATTRIBUTE_LABEL, "s", &label);
  return label;
}

static gboolean
is_first (Fixture *fixture, const char *name)
{
  g_autofree char *first = first_recent (fixture);

  return g_strcmp0 (first, name) == 0;
}

/* The one used last is on top, also when it was there before; one that is gone is not offered. An
 * underline in a name is one, not the mark of a shortcut. */
static void
test_recent (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = g_strdup_printf (DOCUMENT, 24u);
  g_autoptr (GFile) file = open_document (fixture);
  g_autoptr (GFile) other = write_file (fixture, "the_other.shardwise", text);

  wait_until (is_first (fixture, "mine.shardwise"));
  shardwise_window_open_file (fixture->window, other);
  wait_until (is_first (fixture, "the__other.shardwise"));
  shardwise_window_open_file (fixture->window, file);
  wait_until (is_first (fixture, "mine.shardwise"));
  g_assert_true (g_file_delete (file, NULL, NULL));
  shardwise_window_open_file (fixture->window, other);
  wait_until (is_first (fixture, "the__other.shardwise"));
}

/* A disk that does not say whether "away.shardwise" is there, as long as it stalls. */
static struct {
  gint stalls, asked; /* atomic */
} away;

int access (const char *path, int mode);

int
access (const char *path, int mode)
{
  while (g_str_has_suffix (path, "/away.shardwise") && g_atomic_int_get (&away.stalls))
    {
      g_atomic_int_set (&away.asked, TRUE);
      g_usleep (1000);
    }
  return faccessat (AT_FDCWD, path, mode, 0);
}

/* The window goes on, and can be closed, while a disk does not answer for a file of the menu. */
static void
test_recent_stalls (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = g_strdup_printf (DOCUMENT, 24u);
  g_autoptr (GFile) file = open_document (fixture);
  g_autoptr (GFile) other = write_file (fixture, "away.shardwise", text);
  ShardwiseWindow *window = fixture->window;

  wait_until (is_first (fixture, "mine.shardwise"));
  g_atomic_int_set (&away.stalls, TRUE);
  shardwise_window_open_file (window, other);
  wait_until (g_atomic_int_get (&away.asked));
  g_assert_cmpfloat (get_gpus (fixture), ==, 24);
  g_assert_true (is_first (fixture, "mine.shardwise"));
  g_atomic_int_set (&away.stalls, FALSE);
  wait_until (is_first (fixture, "away.shardwise"));

  g_atomic_int_set (&away.asked, FALSE);
  g_atomic_int_set (&away.stalls, TRUE);
  shardwise_window_open_file (window, file);
  wait_until (g_atomic_int_get (&away.asked));
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  gtk_window_destroy (GTK_WINDOW (window));
  g_clear_object (&fixture->window);
  wait_until (window == NULL);
  g_atomic_int_set (&away.stalls, FALSE);
}

/* What the pointer lets go over the window, as the window's own targets see it. */
static gboolean
drop (GtkWidget *widget, const GValue *value)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      gboolean taken = FALSE;

      if (!GTK_IS_DROP_TARGET (controller)
          || !gdk_content_formats_contain_gtype (
              gtk_drop_target_get_formats (GTK_DROP_TARGET (controller)), G_VALUE_TYPE (value)))
        continue;
      g_signal_emit_by_name (controller, "drop", value, 1.0, 1.0, &taken);
      return taken;
    }
  return FALSE;
}

/* Several files at once: each has its window, and a document with edits keeps its own. */
static void
test_drop (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = g_strdup_printf (DOCUMENT, 24u);
  g_autoptr (GFile) file = open_document (fixture);
  g_autoptr (GFile) other = write_file (fixture, "other.shardwise", text);
  g_autoptr (GFile) model =
      write_file (fixture, "config.json",
                  "{\"model_type\": \"mixtral\", \"max_position_embeddings\": 32768, "
                  "\"sliding_window\": null}");
  GFile *files[] = { other, model };
  g_auto (GValue) list = G_VALUE_INIT, string = G_VALUE_INIT;

  edit (fixture, 32);
  g_value_init (&list, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (&list, gdk_file_list_new_from_array (files, 2));
  g_assert_true (drop (GTK_WIDGET (fixture->window), &list));
  wait_until (count_windows (fixture, NULL) == 3 && count_windows (fixture, other) == 1);
  g_assert_cmpfloat (get_gpus (fixture), ==, 32);

  g_value_init (&string, G_TYPE_STRING);
  g_value_set_string (&string, "neither a scenario nor a model");
  g_assert_false (drop (GTK_WIDGET (fixture->window), &string));
  dismiss_dialog (fixture, "Dropped Text");
}

/* A file has one window, under whatever name and from whichever window it is opened again. */
static void
test_twice (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->directory, "link.shardwise", NULL);
  g_autoptr (GFile) file = open_document (fixture);
  g_autoptr (GFile) link = g_file_new_for_path (path);
  ShardwiseWindow *second =
      shardwise_window_new (GTK_APPLICATION (fixture->application),
                            shardwise_application_get_settings (fixture->application));

  g_assert_true (g_file_make_symbolic_link (link, "mine.shardwise", NULL, NULL));
  gtk_window_present (GTK_WINDOW (second));
  for (guint i = 0; i < 4; i++)
    {
      shardwise_window_open_file (second, i % 2 ? link : file);
      g_assert_false (shardwise_window_is_unused (second));
      wait_until (shardwise_window_is_unused (second));
      g_assert_cmpuint (count_windows (fixture, link), ==, 1);
      edit (fixture, 32); /* unsaved edits are no reason for another copy */
    }
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 2);
}

#if !defined __SANITIZE_ADDRESS__

static GtkDialog *
find_gtk_dialog (GType type)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GObject) window = g_list_model_get_item (windows, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (window, type) && gtk_widget_get_visible (GTK_WIDGET (window)))
        return GTK_DIALOG (window);
    }
  return NULL;
}

static gboolean
begins_in (GtkFileChooser *chooser, GFile *folder)
{
  g_autoptr (GFile) chosen = gtk_file_chooser_get_current_folder (chooser);

  return chosen != NULL && g_file_equal (chosen, folder);
}

/* Chooses a file in the dialog of Save As, which opens in the folder of the document, and confirms
 * that it is replaced if it exists. */
static void
save_as (ShardwiseWindow *window, GFile *file)
{
  g_autoptr (GFile) folder = g_file_get_parent (file);
  g_autofree char *name = g_file_get_basename (file);
  gboolean is_there = g_file_query_exists (file, NULL);
  GtkDialog *chooser;

  activate (window, "save-as", NULL);
  wait_until (find_gtk_dialog (GTK_TYPE_FILE_CHOOSER_DIALOG) != NULL);
  chooser = find_gtk_dialog (GTK_TYPE_FILE_CHOOSER_DIALOG);
  wait_until (begins_in (GTK_FILE_CHOOSER (chooser), folder));
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), name);
  gtk_dialog_response (chooser, GTK_RESPONSE_ACCEPT);
  if (is_there)
    {
      wait_until (find_gtk_dialog (GTK_TYPE_MESSAGE_DIALOG) != NULL);
      /* What asks counts its buttons since GTK 4.10. */
      gtk_dialog_response (find_gtk_dialog (GTK_TYPE_MESSAGE_DIALOG),
                           gtk_get_minor_version () < 10 ? GTK_RESPONSE_ACCEPT : 1);
    }
  wait_until (find_gtk_dialog (GTK_TYPE_FILE_CHOOSER_DIALOG) == NULL);
}

/* The script that measures the cluster leaves the window as text, or as a file. */
static void
test_measure (Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *action, *name, *says;
  } scripts[] = {
    { "measure", "shardwise-probe.py", "shardwise-probe.json" },
    { "measure-layer", "shardwise-step-probe.py", "shardwise-step-probe.json" },
  };
  g_autofree char *text = g_strdup_printf (DOCUMENT, 16u);

  if (g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the dialog is the portal's");
      return;
    }
  g_assert_true (shardwise_window_open_text (fixture->window, text, -1, "job"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (
      g_action_group_get_action_enabled (G_ACTION_GROUP (fixture->window), "measure-layer"));
  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      g_autofree char *copied = NULL, *saved = NULL, *says = NULL;
      g_autoptr (GFile) folder = NULL, file = NULL;
      GtkDialog *chooser;

      activate (fixture->window, scripts[i].action, NULL);
      says = shardwise_format_unhyphenated (scripts[i].says);
      g_assert_true (ui_says (find_dialog (), says));
      answer ("copy");
      copied = ui_read_clipboard (gtk_widget_get_clipboard (GTK_WIDGET (fixture->window)));
      g_assert_true (g_str_has_prefix (copied, "#!/usr/bin/env python3\n"));
      activate (fixture->window, scripts[i].action, NULL);
      answer ("save");
      wait_until (find_gtk_dialog (GTK_TYPE_FILE_CHOOSER_DIALOG) != NULL);
      chooser = find_gtk_dialog (GTK_TYPE_FILE_CHOOSER_DIALOG);
      wait_until ((folder = gtk_file_chooser_get_current_folder (GTK_FILE_CHOOSER (chooser)))
                  != NULL);
      file = g_file_get_child (folder, scripts[i].name);
      g_assert_false (g_file_query_exists (file, NULL));
      gtk_dialog_response (chooser, GTK_RESPONSE_ACCEPT);
      wait_until (find_gtk_dialog (GTK_TYPE_FILE_CHOOSER_DIALOG) == NULL);
      wait_until (g_file_query_exists (file, NULL));
      g_assert_true (g_file_load_contents (file, NULL, &saved, NULL, NULL, NULL));
      g_assert_true (g_file_delete (file, NULL, NULL));
      g_assert_cmpstr (saved, ==, copied);
    }
  activate (fixture->window, "measure", NULL);
  answer ("cancel");
}

static gboolean
shows_saved (Fixture *fixture, GFile *file)
{
  return !shardwise_window_is_saving (fixture->window)
         && shardwise_window_shows_file (fixture->window, file);
}

/* The file of another window is not written over, nor taken when it got the name of ours. */
static void
test_save_as (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = g_strdup_printf (DOCUMENT, 24u);
  g_autoptr (GFile) file = open_document (fixture);
  g_autoptr (GFile) other = write_file (fixture, "other.shardwise", text);
  g_autoptr (GFile) folder = g_file_get_parent (file);
  g_autoptr (GFile) third = g_file_get_child (folder, "third.shardwise");
  g_autoptr (GPtrArray) others = g_ptr_array_new ();

  if (g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the dialog is the portal's");
      return;
    }
  g_ptr_array_add (others, other);
  shardwise_window_open_beside (fixture->window, others);
  wait_until (count_windows (fixture, other) == 1);
  edit (fixture, 32);
  save_as (fixture->window, other);
  wait_until (has_dialog ());
  dismiss_dialog (fixture, "Another window has this file open");
  g_assert_cmpfloat (gpus_of (other), ==, 24);
  g_assert_true (shardwise_window_shows_file (fixture->window, file));
  g_assert_true (shardwise_scenario_get_modified (shardwise_window_get_scenario (fixture->window)));

  save_as (fixture->window, third);
  wait_until (shows_saved (fixture, third));
  g_assert_cmpfloat (gpus_of (third), ==, 32);
  g_assert_cmpfloat (gpus_of (file), ==, 16);
  save_as (fixture->window, file);
  wait_until (shows_saved (fixture, file));
  g_assert_cmpfloat (gpus_of (file), ==, 32);

  g_assert_true (g_file_move (file, other, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL));
  wait_until (banner_text (fixture->window) != NULL);
  g_assert_null (strstr (banner_text (fixture->window), "other.shardwise"));
  activate (fixture->window, "follow-file", NULL);
  g_assert_cmpuint (count_windows (fixture, other), ==, 1);
  g_assert_false (shardwise_window_shows_file (fixture->window, other));
}

#endif

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;

  ADD ("/window-disk/reload", test_reload);
  ADD ("/window-disk/overwrite", test_overwrite);
  ADD ("/window-disk/gone", test_gone);
  ADD ("/window-disk/moved", test_moved);
  ADD ("/window-disk/save-fails", test_save_fails);
#if !defined __SANITIZE_ADDRESS__ /* the toolkit's dialog leaks what it knows of clouds */
  ADD ("/window-disk/save-as", test_save_as);
  ADD ("/window-disk/measure", test_measure);
#endif
  ADD ("/window-disk/reload-nonsense", test_reload_nonsense);
  ADD ("/window-disk/recent", test_recent);
  ADD ("/window-disk/recent-stalls", test_recent_stalls);
  ADD ("/window-disk/drop", test_drop);
  ADD ("/window-disk/twice", test_twice);
  return g_test_run ();
}
