/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The playbook, a section of Why: rules held against the strategy, searched and filtered; notes of
 * the user's own are made, changed and deleted. */
#include "window-fixture.h"

#include "notifications.h"
#include "shardwise-config.h"
#include "shardwise-note-editor.h"
#include "shardwise-playbook-row.h"
#include "shardwise-playbook-view.h"
#include "ui-fixture.h"

static gboolean
is_row_titled (GtkWidget *widget, gconstpointer title)
{
  return SHARDWISE_IS_PLAYBOOK_ROW (widget)
         && g_str_equal (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), title);
}

static GtkWidget *
find_row (GtkWidget *widget, const char *title)
{
  return ui_find_match (widget, is_row_titled, title);
}

static gboolean
is_named (GtkWidget *widget, gconstpointer name)
{
  return g_str_equal (gtk_widget_get_name (widget), name);
}

static gboolean
is_shown_row (GtkWidget *widget, gconstpointer unused)
{
  return SHARDWISE_IS_PLAYBOOK_ROW (widget) && gtk_widget_get_visible (widget);
}

static guint
count_shown (GtkWidget *widget)
{
  return ui_count (widget, is_shown_row, NULL);
}

static GtkWidget *
show_playbook (Fixture *fixture)
{
  static const char json[] =
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"name\": \"Mine\", \"model\": "
      "{\"preset\": "
      "\"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 16}, \"training\": "
      "{\"sequence_length\": 8192, \"global_batch_size\": 64}, \"strategy\": {\"tp\": 16}}";
  g_autofree char *path = g_build_filename (fixture->directory, "job.shardwise", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  g_assert_true (g_file_set_contents (path, json, -1, NULL));
  gtk_window_present (GTK_WINDOW (fixture->window));
  shardwise_window_open_file (fixture->window, file);
  wait_until (g_str_equal (get_status (fixture->window), "ready"));
  g_action_group_activate_action (G_ACTION_GROUP (fixture->window), "playbook", NULL);
  wait_until (ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_PLAYBOOK_VIEW) != NULL);
  return ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_PLAYBOOK_VIEW);
}

static const char *
subtitle (GtkWidget *row)
{
  return adw_expander_row_get_subtitle (ADW_EXPANDER_ROW (row));
}

static void
test_rules (Fixture *fixture, gconstpointer data)
{
  GtkWidget *playbook = show_playbook (fixture);
  GtkWidget *row = find_row (playbook, "Keep tensor parallelism within the node");
  guint relevant, all;

  g_assert_nonnull (row);
  wait_until (strstr (subtitle (row), "with TP\302\240"
                                      "8")
              != NULL); /* the model's figure arrives later */
  g_assert_true (g_str_has_prefix (subtitle (row), "Violated: TP\302\240"
                                                   "16; expected: at most 8"));
  relevant = count_shown (playbook);
  gtk_drop_down_set_selected (ui_child (playbook, "filter"), 2);
  all = count_shown (playbook);
  g_assert_cmpuint (all, >, relevant);
  gtk_drop_down_set_selected (ui_child (playbook, "filter"), 1);
  g_assert_cmpuint (count_shown (playbook), <, relevant);
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), TRUE);

  g_action_group_activate_action (G_ACTION_GROUP (fixture->window), "playbook", NULL);
  g_assert_true (ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_PLAYBOOK_VIEW) == playbook);
}

static void
test_search (Fixture *fixture, gconstpointer data)
{
  GtkWidget *playbook = show_playbook (fixture);
  GtkStack *stack = ui_child (playbook, "stack");
  int least;

  gtk_widget_measure (playbook, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  g_assert_cmpint (least, <=, 336);
  gtk_drop_down_set_selected (ui_child (playbook, "filter"), 2);
  gtk_editable_set_text (GTK_EDITABLE (ui_child (playbook, "search")), "narayanan node");
  wait_until (count_shown (playbook) == 1);
  gtk_editable_set_text (GTK_EDITABLE (ui_child (playbook, "search")), "no such words");
  wait_until (g_str_equal (gtk_stack_get_visible_child_name (stack), "none"));
}

static GtkWidget *
open_editor (GtkWidget *playbook)
{
  gtk_widget_activate_action (playbook, "playbook.add", NULL);
  wait_until (ui_find_window (SHARDWISE_TYPE_NOTE_EDITOR) != NULL);
  return ui_find_window (SHARDWISE_TYPE_NOTE_EDITOR);
}

static void
test_notes (Fixture *fixture, gconstpointer data)
{
  GtkWidget *playbook = show_playbook (fixture), *editor = open_editor (playbook), *row;

  g_assert_false (gtk_widget_get_sensitive (ui_child (editor, "save"))); /* no title */
  gtk_editable_set_text (GTK_EDITABLE (ui_child (editor, "title")), "Ours: eight");
  g_assert_true (gtk_widget_get_sensitive (ui_child (editor, "save")));
  gtk_editable_set_text (GTK_EDITABLE (ui_child (editor, "want")), "tp=eight");
  g_assert_false (gtk_widget_get_sensitive (ui_child (editor, "save")));
  ui_take_picture (editor, "playbook-editor");
  gtk_editable_set_text (GTK_EDITABLE (ui_child (editor, "want")), "tp=8");
  g_signal_emit_by_name (ui_child (editor, "save"), "clicked");
  wait_until (ui_find_window (SHARDWISE_TYPE_NOTE_EDITOR) == NULL);
  row = find_row (playbook, "Ours: eight");
  g_assert_nonnull (row);
  g_assert_cmpint (shardwise_playbook_row_get_state (SHARDWISE_PLAYBOOK_ROW (row)), ==,
                   SHARDWISE_RULE_VIOLATED);
  wait_until (strstr (subtitle (row), "with TP\302\240"
                                      "8")
              != NULL);

  g_signal_emit_by_name (ui_find_match (row, is_named, "edit"), "clicked");
  wait_until (ui_find_window (SHARDWISE_TYPE_NOTE_EDITOR) != NULL);
  editor = ui_find_window (SHARDWISE_TYPE_NOTE_EDITOR);
  gtk_editable_set_text (GTK_EDITABLE (ui_child (editor, "title")), "Ours: sixteen");
  gtk_editable_set_text (GTK_EDITABLE (ui_child (editor, "want")), "tp=16");
  g_signal_emit_by_name (ui_child (editor, "save"), "clicked");
  wait_until (find_row (playbook, "Ours: eight") == NULL);
  row = find_row (playbook, "Ours: sixteen");
  g_assert_cmpint (shardwise_playbook_row_get_state (SHARDWISE_PLAYBOOK_ROW (row)), ==,
                   SHARDWISE_RULE_SATISFIED);
  g_signal_emit_by_name (ui_find_match (row, is_named, "remove"), "clicked");
  wait_until (find_row (playbook, "Ours: sixteen") == NULL);
  wait_until (ui_find_button (GTK_WIDGET (fixture->window), "_Undo") != NULL);
  g_signal_emit_by_name (ui_find_button (GTK_WIDGET (fixture->window), "_Undo"), "clicked");
  wait_until (find_row (playbook, "Ours: sixteen") != NULL);
}

/* Enters a note of that title, and saves it. */
static GtkWidget *
save_note (GtkWidget *playbook, const char *title)
{
  GtkWidget *editor = open_editor (playbook);

  gtk_editable_set_text (GTK_EDITABLE (ui_child (editor, "title")), title);
  g_signal_emit_by_name (ui_child (editor, "save"), "clicked");
  return editor;
}

/* The disk stalls on the file of the notes alone, which is written under such a name, and not on
 * drafts beside it. */
static char *
notes_path (void)
{
  return g_build_filename (g_get_user_data_dir (), APPLICATION_ID, ".shardwise-", NULL);
}

/* While the disk stalls nothing more can be entered, and the window goes on; the editor closes when
 * the note is there. A note that is being deleted cannot be used. */
static void
test_stalls (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = notes_path ();
  GtkWidget *playbook = show_playbook (fixture), *editor, *row;

  disk_stall (path);
  editor = save_note (playbook, "Ours: slow");
  disk_await ();
  g_assert_false (gtk_widget_get_sensitive (ui_child (editor, "page")));
  g_assert_false (gtk_widget_get_sensitive (ui_child (editor, "save")));
  g_assert_null (find_row (playbook, "Ours: slow"));
  disk_go_on ();
  wait_until (ui_find_window (SHARDWISE_TYPE_NOTE_EDITOR) == NULL);
  row = find_row (playbook, "Ours: slow");

  disk_stall (path);
  g_signal_emit_by_name (ui_find_match (row, is_named, "remove"), "clicked");
  disk_await ();
  g_assert_true (find_row (playbook, "Ours: slow") == row);
  g_assert_false (gtk_widget_get_sensitive (row));
  disk_go_on ();
  wait_until (find_row (playbook, "Ours: slow") == NULL);
}

/* What a disk refuses can be tried again; of a window that is closed meanwhile it is told, too. */
static void
test_fails (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = notes_path ();
  GtkWidget *playbook = show_playbook (fixture), *editor, *row;

  disk_break (path);
  editor = save_note (playbook, "Ours: refused");
  wait_until (gtk_revealer_get_reveal_child (ui_child (editor, "error_revealer")));
  g_assert_nonnull (strstr (gtk_label_get_label (ui_child (editor, "error")), "playbook.json"));
  g_assert_true (gtk_widget_get_sensitive (ui_child (editor, "page")));
  disk_break (NULL);
  g_signal_emit_by_name (ui_child (editor, "save"), "clicked");
  wait_until (ui_find_window (SHARDWISE_TYPE_NOTE_EDITOR) == NULL);

  disk_break (path);
  row = find_row (playbook, "Ours: refused");
  g_signal_emit_by_name (ui_find_match (row, is_named, "remove"), "clicked");
  g_assert_false (gtk_widget_get_sensitive (row));
  wait_until (gtk_widget_get_sensitive (find_row (playbook, "Ours: refused")));

  disk_stall (path);
  save_note (playbook, "Ours: late");
  lose_window_of (fixture, SHARDWISE_TYPE_NOTE_EDITOR, "playbook.json");
}

/* What was entered is not lost by Escape, by closing or by quitting, unless somebody says so. */
static void
test_unsaved (Fixture *fixture, gconstpointer data)
{
  GtkWidget *playbook = show_playbook (fixture), *editor = open_editor (playbook);

  gtk_window_close (GTK_WINDOW (editor)); /* nothing was entered */
  wait_until (ui_find_window (SHARDWISE_TYPE_NOTE_EDITOR) == NULL);
  g_assert_false (has_dialog ());

  editor = open_editor (playbook);
  gtk_editable_set_text (GTK_EDITABLE (ui_child (editor, "source")), "a page that took long to "
                                                                     "find");
  gtk_window_close (GTK_WINDOW (editor));
  g_assert_false (adw_message_dialog_has_response (find_dialog (), "save")); /* it has no title */
  g_assert_cmpstr (adw_message_dialog_get_default_response (find_dialog ()), ==, "cancel");
  answer ("cancel");
  gtk_editable_set_text (GTK_EDITABLE (ui_child (editor, "title")), "Ours: kept");
  for (guint i = 0; i < 2; i++)
    g_action_group_activate_action (G_ACTION_GROUP (fixture->application), "quit", NULL);
  answer ("cancel");
  gtk_window_close (GTK_WINDOW (editor));
  g_assert_cmpstr (adw_message_dialog_get_default_response (find_dialog ()), ==, "save");
  answer ("save");
  g_assert_false (has_dialog ());
  wait_until (find_row (playbook, "Ours: kept") != NULL);
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 1); /* quitting was given up */

  editor = open_editor (playbook);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (ui_child (editor, "text")), "no", -1);
  gtk_window_close (GTK_WINDOW (editor));
  answer ("discard");
  wait_until (ui_find_window (SHARDWISE_TYPE_NOTE_EDITOR) == NULL);
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 1);

  editor = open_editor (playbook);
  gtk_editable_set_text (GTK_EDITABLE (ui_child (editor, "title")), "Ours: the last");
  g_action_group_activate_action (G_ACTION_GROUP (fixture->application), "quit", NULL);
  answer ("save");
  wait_until (count_windows (fixture, NULL) == 0); /* it goes on */
}

/* Nothing of the menu stays: GTK 4.8 never frees its sections. */
static void
test_menu (Fixture *fixture, gconstpointer data)
{
  GtkWidget *playbook = show_playbook (fixture);
  GMenuModel *menu =
      gtk_menu_button_get_menu_model (GTK_MENU_BUTTON (ui_find (playbook, GTK_TYPE_MENU_BUTTON)));
  g_autoptr (GMenuModel) section = g_menu_model_get_item_link (menu, 0, G_MENU_LINK_SECTION);

  g_assert_cmpint (g_menu_model_get_n_items (section), >, 0);
  adw_bin_set_child (ADW_BIN (gtk_widget_get_parent (playbook)), NULL);
  wait_until (g_menu_model_get_n_items (section) == 0);
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;
  ADD ("/playbook/rules", test_rules);
  ADD ("/playbook/search", test_search);
  ADD ("/playbook/notes", test_notes);
  ADD ("/playbook/stalls", test_stalls);
  ADD ("/playbook/fails", test_fails);
  ADD ("/playbook/unsaved", test_unsaved);
  ADD ("/playbook/menu", test_menu);
  return g_test_run ();
}
