/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "shardwise-advice-page.h"
#include "shardwise-alternatives-page.h"
#include "shardwise-analysis-page.h"
#include "shardwise-compat.h"
#include "shardwise-config.h"
#include "shardwise-export-page.h"
#include "shardwise-preferences.h"
#include "shardwise-scale-page.h"
#include "ui-utils.h"

typedef struct {
  ShardwiseApplication *application;
  ShardwiseWindow *window;
  char *directory;
} Fixture;

static ShardwiseApplication *the_application; /* one a process, as in the program */

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->application = the_application;
  fixture->window = shardwise_window_new (GTK_APPLICATION (fixture->application),
                                          shardwise_application_get_settings (fixture->application));
  g_object_ref (fixture->window);
  fixture->directory = g_dir_make_tmp ("shardwise-XXXXXX", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GDir) directory = g_dir_open (fixture->directory, 0, NULL);
  GListModel *windows = gtk_window_get_toplevels ();
  const char *name;

  while ((name = g_dir_read_name (directory)) != NULL) {
    g_autofree char *path = g_build_filename (fixture->directory, name, NULL);

    g_unlink (path);
  }
  g_rmdir (fixture->directory);
  g_free (fixture->directory);
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_object_unref (fixture->window);
  while (g_list_model_get_n_items (windows) > 0) {
    g_autoptr (GtkWindow) window = g_list_model_get_item (windows, 0);

    gtk_window_destroy (window);
  }
}

static char *
get_json (Fixture *fixture)
{
  return shardwise_scenario_to_json (shardwise_window_get_scenario (fixture->window));
}

static GVariant *
one_change (const char *path, GVariant *value)
{
  GVariantDict changes;

  g_variant_dict_init (&changes, NULL);
  g_variant_dict_insert_value (&changes, path, value);
  return g_variant_dict_end (&changes);
}

static void
test_start (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpstr (get_status (fixture->window), ==, "empty");
  g_assert_true (shardwise_window_is_unused (fixture->window));
  g_assert_false (is_enabled (fixture->window, "save"));
  g_assert_false (is_enabled (fixture->window, "evaluate"));
  activate (fixture->window, "start", NULL);
  g_assert_false (shardwise_window_is_unused (fixture->window));
  g_assert_true (is_enabled (fixture->window, "save"));
  wait_until (has_status (fixture->window, "ready"));
  g_assert_nonnull (shardwise_advisor_get_advice (shardwise_window_get_advisor (fixture->window)));
}

/* The names that menus, shortcuts and other programs rely on. */
static void
test_action_names (Fixture *fixture, gconstpointer data)
{
  static const char *const app_names[] = { "new", "open", "preferences", "shortcuts", "help", "about", "quit" };
  static const struct {
    const char *name, *parameter;
  } names[] = {
    { "save", NULL },     { "save-as", NULL },      { "revert", NULL },      { "undo", NULL },        { "redo", NULL },
    { "evaluate", NULL }, { "stop", NULL },         { "toggle-inputs", NULL }, { "page", "s" },       { "apply", "a{sv}" },
    { "export-to", "s" }, { "copy-export", NULL },  { "save-export", NULL }, { "status", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (app_names); i++)
    g_assert_true (g_action_group_has_action (G_ACTION_GROUP (fixture->application), app_names[i]));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const GVariantType *type = g_action_group_get_action_parameter_type (G_ACTION_GROUP (fixture->window), names[i].name);

    g_test_message ("win.%s", names[i].name);
    g_assert_true (g_action_group_has_action (G_ACTION_GROUP (fixture->window), names[i].name));
    g_assert_cmpint (type != NULL, ==, names[i].parameter != NULL);
    if (type != NULL)
      g_assert_true (g_variant_type_equal (type, G_VARIANT_TYPE (names[i].parameter)));
  }
  g_action_group_change_action_state (G_ACTION_GROUP (fixture->window), "status", g_variant_new_string ("ready"));
  g_assert_cmpstr (get_status (fixture->window), ==, "empty");
}

static void
test_apply (Fixture *fixture, gconstpointer data)
{
  ShardwiseScenario *scenario;
  GVariantDict both;
  g_autofree char *before = NULL, *after = NULL;

  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (64)));
  scenario = shardwise_window_get_scenario (fixture->window);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, "cluster.gpus", 0), ==, 64);

  before = get_json (fixture);
  g_variant_dict_init (&both, NULL);
  g_variant_dict_insert (&both, "cluster.gpus", "i", 128);
  g_variant_dict_insert (&both, "training.sequence_length", "i", -1);
  activate (fixture->window, "apply", g_variant_dict_end (&both));
  activate (fixture->window, "apply", one_change ("cluster.gpsu", g_variant_new_int32 (64)));
  after = get_json (fixture);
  g_assert_cmpstr (after, ==, before);
}

static void
test_undo (Fixture *fixture, gconstpointer data)
{
  ShardwiseScenario *scenario;

  activate (fixture->window, "start", NULL);
  scenario = shardwise_window_get_scenario (fixture->window);
  g_assert_false (is_enabled (fixture->window, "undo"));
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (64)));
  g_assert_true (g_str_has_prefix (gtk_window_get_title (GTK_WINDOW (fixture->window)), "• "));
  g_assert_true (is_enabled (fixture->window, "undo"));
  activate (fixture->window, "undo", NULL);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, "cluster.gpus", 0), ==, 8);
  g_assert_false (g_str_has_prefix (gtk_window_get_title (GTK_WINDOW (fixture->window)), "• "));
  g_assert_true (is_enabled (fixture->window, "redo"));
  activate (fixture->window, "redo", NULL);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, "cluster.gpus", 0), ==, 64);
}

static void
test_pages (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "analysis", "alternatives", "scale", "export", "advice" };

  activate (fixture->window, "start", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GVariant) state = NULL;

    activate (fixture->window, "page", g_variant_new_string (names[i]));
    state = g_action_group_get_action_state (G_ACTION_GROUP (fixture->window), "page");
    g_assert_cmpstr (g_variant_get_string (state, NULL), ==, names[i]);
    g_assert_cmpstr (shardwise_window_get_help_page (fixture->window), ==, names[i]);
  }
  activate (fixture->window, "page", g_variant_new_string ("nowhere"));
  activate (fixture->window, "export-to", g_variant_new_string ("nothing"));
  g_assert_cmpstr (g_variant_get_string (g_action_group_get_action_state (G_ACTION_GROUP (fixture->window), "page"), NULL), ==, "advice");
}

/* The topmost dialog of the window says what is wrong; it is answered with Close. */
static void
dismiss_dialog (Fixture *fixture, const char *says)
{
  GListModel *windows = gtk_window_get_toplevels ();
  guint n_dialogs = 0;

  for (guint i = g_list_model_get_n_items (windows); i > 0; i--) {
    g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i - 1);

    if (!ADW_IS_MESSAGE_DIALOG (window))
      continue;
    g_test_message ("%s", adw_message_dialog_get_body (ADW_MESSAGE_DIALOG (window)));
    g_assert_nonnull (strstr (adw_message_dialog_get_body (ADW_MESSAGE_DIALOG (window)), says));
    gtk_window_destroy (window);
    n_dialogs++;
  }
  g_assert_cmpuint (n_dialogs, ==, 1);
}

#define HEAD "{\"format\": \"shardwise-scenario\", \"version\": 1, "

static void
test_bad_text (Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *text, *says;
  } cases[] = {
    { "", "" },
    { "Hello", "" },
    { "{", "" },
    { "[]", "" },
    { "{}", "" },
    { "\xff\xfe", "" },
    { HEAD "\"cluster\": {\"gpus\": NaN}}", "" },
    { HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpsu\": 8}}", "cluster.gpsu" },
    { HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 1e400}}", "" },
    { HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 0}}", "cluster.gpus" },
    { HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": \"8\"}}", "cluster.gpus" },
    { HEAD "\"model\": {\"parameters_b\": 1e9}, \"cluster\": {\"gpus\": 8}}", "model.parameters_b" },
  };
  g_autofree char *before = NULL;

  activate (fixture->window, "start", NULL);
  before = get_json (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *after = NULL;

    g_test_message ("%s", cases[i].text);
    g_assert_false (shardwise_window_open_text (fixture->window, cases[i].text, -1, "test"));
    dismiss_dialog (fixture, cases[i].says);
    after = get_json (fixture);
    g_assert_cmpstr (after, ==, before);
  }
}

static GFile *
write_file (Fixture *fixture, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (fixture->directory, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return g_file_new_for_path (path);
}

static gboolean
has_dialog (void)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++) {
    g_autoptr (GObject) window = g_list_model_get_item (windows, i);

    if (ADW_IS_MESSAGE_DIALOG (window))
      return TRUE;
  }
  return FALSE;
}

/* 100 MB, a directory, no file: refused without reading it all. */
static void
test_bad_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *big_path = g_build_filename (fixture->directory, "big.shardwise", NULL);
  int descriptor = g_open (big_path, O_CREAT | O_WRONLY, 0600);
  g_autoptr (GFile) big = g_file_new_for_path (big_path), directory = g_file_new_for_path (fixture->directory),
                    missing = g_file_get_child (directory, "missing.shardwise");
  GFile *files[] = { big, directory, missing };

  g_assert_cmpint (ftruncate (descriptor, 100 * 1000 * 1000), ==, 0);
  close (descriptor);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    shardwise_window_open_file (fixture->window, files[i]);
    wait_until (has_dialog ());
    dismiss_dialog (fixture, "");
    g_assert_true (shardwise_window_is_unused (fixture->window));
  }
}

static void
test_open_and_save (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = write_file (fixture, "mine.shardwise",
                                       HEAD "\"name\": \"Mine\", \"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 16}}");
  g_autofree char *text = NULL, *expected = NULL;
  ShardwiseScenario *scenario;

  shardwise_window_open_file (fixture->window, file);
  wait_until (!shardwise_window_is_unused (fixture->window));
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==, "Mine – Shardwise");
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (32)));
  g_assert_true (is_enabled (fixture->window, "revert"));
  activate (fixture->window, "save", NULL);
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==, "Mine – Shardwise");
  g_assert_true (g_file_load_contents (file, NULL, &text, NULL, NULL, NULL));
  expected = get_json (fixture);
  g_assert_cmpstr (text, ==, expected);

  scenario = shardwise_window_get_scenario (fixture->window);
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (64)));
  activate (fixture->window, "revert", NULL);
  wait_until (!shardwise_scenario_get_modified (scenario));
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, "cluster.gpus", 0), ==, 32);
}

/* What was open comes back; unsaved edits come back as such. */
static void
test_session (Fixture *fixture, gconstpointer data)
{
  ShardwiseWindow *second;
  ShardwiseScenario *scenario;

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-70b-32"));
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (48)));
  shardwise_window_keep_session (fixture->window);

  second = shardwise_window_new (GTK_APPLICATION (fixture->application), shardwise_application_get_settings (fixture->application));
  g_assert_true (shardwise_window_restore_session (second));
  scenario = shardwise_window_get_scenario (second);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, "cluster.gpus", 0), ==, 48);
  g_assert_true (shardwise_scenario_get_modified (scenario));
}

static void
test_examples (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "llama-3-8b-8", "llama-3-70b-32", "mixtral-8x22b-128", "llama-3.1-405b-16384",
                                       "llama-3-70b-lora-8", "llama-3-8b-long-context" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    activate (fixture->window, "open-example", g_variant_new_string (names[i]));
    g_assert_false (has_dialog ());
    g_assert_false (shardwise_scenario_get_modified (shardwise_window_get_scenario (fixture->window)));
    wait_until (has_status (fixture->window, "ready") || has_status (fixture->window, "error"));
    g_test_message ("%s: %s", names[i], get_status (fixture->window));
    g_assert_cmpstr (get_status (fixture->window), ==, "ready");
  }
}

/* An error of the question: status error, the last advice stays, and a good value mends it. */
static void
test_error (Fixture *fixture, gconstpointer data)
{
  ShardwiseAdvisor *advisor;

  activate (fixture->window, "start", NULL);
  wait_until (has_status (fixture->window, "ready"));
  advisor = shardwise_window_get_advisor (fixture->window);
  activate (fixture->window, "apply", one_change ("cluster.inter_node", g_variant_new_string ("carrier-pigeon")));
  wait_until (has_status (fixture->window, "error"));
  g_assert_nonnull (shardwise_advisor_get_advice (advisor));
  g_assert_cmpstr (shardwise_advisor_get_error_path (advisor), ==, "cluster.inter_node");
  activate (fixture->window, "apply", one_change ("cluster.inter_node", g_variant_new_string ("infiniband")));
  wait_until (has_status (fixture->window, "ready"));
}

/* JSON text that is pasted opens; other text is answered with a reason and changes nothing. */
static void
test_paste (Fixture *fixture, gconstpointer data)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (fixture->window));

  gdk_clipboard_set_text (clipboard, "not a scenario");
  activate (fixture->window, "paste", NULL);
  wait_until (has_dialog ());
  dismiss_dialog (fixture, "line 1");
  g_assert_true (shardwise_window_is_unused (fixture->window));

  gdk_clipboard_set_text (clipboard, HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 24}}");
  activate (fixture->window, "paste", NULL);
  wait_until (!shardwise_window_is_unused (fixture->window));
  g_assert_cmpfloat (shardwise_scenario_get_number (shardwise_window_get_scenario (fixture->window), "cluster.gpus", 0), ==, 24);
}

static AdwMessageDialog *
find_dialog (void)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++) {
    g_autoptr (GObject) window = g_list_model_get_item (windows, i);

    if (ADW_IS_MESSAGE_DIALOG (window))
      return ADW_MESSAGE_DIALOG (window);
  }
  return NULL;
}

/* What a click on a button does. */
static void
answer (const char *response)
{
  g_autoptr (AdwMessageDialog) dialog = g_object_ref (find_dialog ());

  adw_message_dialog_response (dialog, response);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

/* A window with unsaved edits asks; Cancel keeps it, Save saves and closes it. */
static void
test_close (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = write_file (fixture, "closing.shardwise", HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 16}}");
  g_autofree char *text = NULL;

  shardwise_window_open_file (fixture->window, file);
  wait_until (!shardwise_window_is_unused (fixture->window));
  gtk_window_present (GTK_WINDOW (fixture->window));
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (40)));
  gtk_window_close (GTK_WINDOW (fixture->window));
  g_assert_nonnull (find_dialog ());
  answer ("cancel");
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (fixture->window)));

  gtk_window_close (GTK_WINDOW (fixture->window));
  answer ("save");
  wait_until (gtk_window_get_application (GTK_WINDOW (fixture->window)) == NULL);
  g_assert_true (g_file_load_contents (file, NULL, &text, NULL, NULL, NULL));
  g_assert_nonnull (strstr (text, "40"));
}

/* Without live evaluation an edit makes the advice stale until it is asked for. */
static void
test_not_live (Fixture *fixture, gconstpointer data)
{
  GSettings *settings = shardwise_application_get_settings (fixture->application);
  ShardwiseAdvice *before;

  activate (fixture->window, "start", NULL);
  wait_until (has_status (fixture->window, "ready"));
  g_settings_set_boolean (settings, "live-evaluation", FALSE);
  before = shardwise_advisor_get_advice (shardwise_window_get_advisor (fixture->window));
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (16)));
  g_assert_cmpstr (get_status (fixture->window), ==, "stale");
  g_assert_true (shardwise_advisor_get_advice (shardwise_window_get_advisor (fixture->window)) == before);
  activate (fixture->window, "evaluate", NULL);
  wait_until (has_status (fixture->window, "ready"));
  g_assert_cmpuint (shardwise_advice_get_problem (shardwise_advisor_get_advice (shardwise_window_get_advisor (fixture->window)))->cluster.gpus, ==, 16);
  g_settings_set_boolean (settings, "live-evaluation", TRUE);
}

static void
test_sizes (Fixture *fixture, gconstpointer data)
{
  static const char *const pages[] = { "advice", "analysis", "alternatives", "scale", "export" };
  int minimum;

  activate (fixture->window, "start", NULL);
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++) {
    activate (fixture->window, "page", g_variant_new_string (pages[i]));
    gtk_widget_measure (GTK_WIDGET (fixture->window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
    g_test_message ("%s wants %d px", pages[i], minimum);
    g_assert_cmpint (minimum, <=, 360);
  }
}

static void
frames_cb (GdkFrameClock *clock, guint *n_frames)
{
  (*n_frames)++;
}

static int
screen_width (GtkWidget *window)
{
  GdkMonitor *monitor = gdk_display_get_monitor_at_surface (gtk_widget_get_display (window), gtk_native_get_surface (GTK_NATIVE (window)));
  GdkRectangle area;

  gdk_monitor_get_geometry (monitor, &area);
  return area.width;
}

/* Shown at each width without a complaint (warnings are fatal), and as wide as asked for. */
static void
test_shown (Fixture *fixture, gconstpointer data)
{
  static const int widths[] = { 360, 1000, 1600 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    ShardwiseWindow *window = shardwise_window_new (GTK_APPLICATION (fixture->application),
                                                    shardwise_application_get_settings (fixture->application));
    guint n_frames = 0;

    gtk_window_set_default_size (GTK_WINDOW (window), widths[i], 700);
    activate (window, "start", NULL);
    gtk_window_present (GTK_WINDOW (window));
    wait_until (has_status (window, "ready") && gtk_widget_get_mapped (GTK_WIDGET (window)));
    g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "after-paint", G_CALLBACK (frames_cb), &n_frames);
    gtk_widget_queue_draw (GTK_WIDGET (window));
    wait_until (n_frames > 0);
    g_signal_handlers_disconnect_by_func (gtk_widget_get_frame_clock (GTK_WIDGET (window)), frames_cb, &n_frames);
    /* Less the border that a window has where nothing composites, and no wider than the screen. */
    g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <=, widths[i]);
    g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), >=, MIN (widths[i], screen_width (GTK_WIDGET (window))) - 20);
    gtk_window_destroy (GTK_WINDOW (window));
  }
}

static GtkWidget *
find_by_tooltip (GtkWidget *widget, const char *tooltip)
{
  if (g_strcmp0 (gtk_widget_get_tooltip_text (widget), tooltip) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child)) {
    GtkWidget *found = find_by_tooltip (child, tooltip);

    if (found != NULL)
      return found;
  }
  return NULL;
}

/* Every button that shows only an icon has a tooltip, and so a name. */
static void
check_icon_buttons (GtkWidget *widget, guint *n_checked)
{
  if (GTK_IS_BUTTON (widget) && gtk_button_get_icon_name (GTK_BUTTON (widget)) != NULL && GTK_IS_BOX (gtk_widget_get_parent (widget))) {
    if (gtk_widget_get_tooltip_text (widget) == NULL)
      g_error ("the button “%s” has no tooltip", gtk_button_get_icon_name (GTK_BUTTON (widget)));
    (*n_checked)++;
  }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = gtk_widget_get_next_sibling (child))
    check_icon_buttons (child, n_checked);
}

static void
test_accessible (Fixture *fixture, gconstpointer data)
{
  GtkWidget *inputs = find_by_tooltip (GTK_WIDGET (fixture->window), "Show or hide the inputs");
  GtkWidget *menu = find_by_tooltip (GTK_WIDGET (fixture->window), "Main menu");
  GtkWidget *undo = find_by_tooltip (GTK_WIDGET (fixture->window), "Undo");
  guint n_checked = 0;

  gtk_test_accessible_assert_role (undo, GTK_ACCESSIBLE_ROLE_BUTTON);
  gtk_test_accessible_assert_property (inputs, GTK_ACCESSIBLE_PROPERTY_LABEL, "Inputs");
  gtk_test_accessible_assert_property (menu, GTK_ACCESSIBLE_PROPERTY_LABEL, "Main menu");
  gtk_test_accessible_assert_property (undo, GTK_ACCESSIBLE_PROPERTY_LABEL, "Undo");
  check_icon_buttons (GTK_WIDGET (fixture->window), &n_checked);
  g_assert_cmpuint (n_checked, >=, 3);
}

static void
test_dialogs (Fixture *fixture, gconstpointer data)
{
  GtkWidget *preferences = shardwise_preferences_new (shardwise_application_get_settings (fixture->application));

  gtk_window_destroy (GTK_WINDOW (preferences));
  gtk_window_present (GTK_WINDOW (fixture->window));
  g_action_group_activate_action (G_ACTION_GROUP (fixture->application), "shortcuts", NULL);
  g_assert_nonnull (gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (fixture->window)));
  g_action_group_activate_action (G_ACTION_GROUP (fixture->application), "about", NULL);
}

static void
test_templates (void)
{
  const GType types[] = { SHARDWISE_TYPE_ADVICE_PAGE, SHARDWISE_TYPE_ANALYSIS_PAGE, SHARDWISE_TYPE_ALTERNATIVES_PAGE,
                          SHARDWISE_TYPE_SCALE_PAGE, SHARDWISE_TYPE_EXPORT_PAGE };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    GtkWidget *page = g_object_ref_sink (g_object_new (types[i], NULL));

    g_test_message ("%s", g_type_name (types[i]));
    g_assert_true (SHARDWISE_IS_PAGE (page));
    g_assert_finalize_object (page);
  }
}

static void
parsing_error_cb (GtkCssProvider *provider, GtkCssSection *section, GError *error, gpointer data)
{
  g_autofree char *where = gtk_css_section_to_string (section);

  g_error ("%s: %s", where, error->message);
}

static void
test_style (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  g_signal_connect (provider, "parsing-error", G_CALLBACK (parsing_error_cb), NULL);
  gtk_css_provider_load_from_resource (provider, APPLICATION_PATH "/style.css");
}

#define ADD(path, func) g_test_add (path, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char *argv[])
{
  g_setenv ("GTK_A11Y", "test", TRUE);
  isolate_directories ();
  if (!gtk_init_check ()) {
    g_print ("1..0 # SKIP no display\n");
    return 0;
  }
  g_test_init (&argc, &argv, NULL);
  the_application = start_application ();

  g_test_add_func ("/window/style", test_style);
  g_test_add_func ("/window/templates", test_templates);
  ADD ("/window/start", test_start);
  ADD ("/window/action-names", test_action_names);
  ADD ("/window/apply", test_apply);
  ADD ("/window/undo", test_undo);
  ADD ("/window/pages", test_pages);
  ADD ("/window/bad-text", test_bad_text);
  ADD ("/window/bad-file", test_bad_file);
  ADD ("/window/open-and-save", test_open_and_save);
  ADD ("/window/session", test_session);
  ADD ("/window/examples", test_examples);
  ADD ("/window/error", test_error);
  ADD ("/window/paste", test_paste);
  ADD ("/window/close", test_close);
  ADD ("/window/not-live", test_not_live);
  ADD ("/window/sizes", test_sizes);
  ADD ("/window/shown", test_shown);
  ADD ("/window/accessible", test_accessible);
  ADD ("/window/dialogs", test_dialogs);
  return g_test_run ();
}
