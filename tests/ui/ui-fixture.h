/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include <glib/gstdio.h>
#include <stdlib.h>

#include "shardwise-column.h"
#include "shardwise-json.h"
#include "shardwise-option-list.h"
#include "shardwise-page.h"

/* Helpers of the tests that show widgets. */

#define DEADLINE_S 60

static inline void
deadline_cb (gpointer data)
{
  g_error ("nothing happened in time: %s", (const char *) data);
}

/* Runs the main loop until the condition holds; fails loudly after DEADLINE_S. */
#define wait_until(condition)                                                                      \
  G_STMT_START                                                                                     \
  {                                                                                                \
    guint deadline_id = g_timeout_add_once (DEADLINE_S * 1000, deadline_cb,                        \
                                            (gpointer) #condition);                                \
    while (!(condition))                                                                           \
      g_main_context_iteration (NULL, TRUE);                                                       \
    g_source_remove (deadline_id);                                                                 \
  }                                                                                                \
  G_STMT_END

static inline void
ui_set_true (gpointer data)
{
  *(gboolean *) data = TRUE;
}

/* Runs the main loop for as long, for what is to happen meanwhile, or not to. */
static inline void
ui_run_for (guint milliseconds)
{
  gboolean over = FALSE;

  g_timeout_add_once (milliseconds, ui_set_true, &over);
  while (!over)
    g_main_context_iteration (NULL, TRUE);
}

/* Removes a folder with what is in it; links are not followed. */
static inline void
remove_tree (const char *path)
{
  g_autoptr (GDir) directory = g_file_test (path, G_FILE_TEST_IS_SYMLINK)
                                   ? NULL
                                   : g_dir_open (path, 0, NULL);
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

/* The program's own style, which the application loads by itself. */
static inline void
ui_load_style (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  gtk_css_provider_load_from_resource (provider, "/io/github/shardwise/Shardwise/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

/* Of main(), before all else of GTK: FALSE where there is no display, which has been said. For
 * tests that start the application, which initialises libadwaita and loads the style; others:
 * ui_init (). */
static inline gboolean
ui_start (int *argc, char ***argv)
{
  g_setenv ("GTK_A11Y", "test", TRUE);
  isolate_directories ();
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP no display\n");
      return FALSE;
    }
  g_test_init (argc, argv, NULL);
  return TRUE;
}

/* The same for tests that show widgets without the application. */
static inline gboolean
ui_init (int *argc, char ***argv)
{
  if (!ui_start (argc, argv))
    return FALSE;
  adw_init ();
  ui_load_style ();
  return TRUE;
}

/* Shows `widget` in a window of this size and waits until it was drawn. The window owns the
 * widget. */
static inline GtkWidget *
ui_show (GtkWidget *widget, int width, int height)
{
  GtkWidget *window = gtk_window_new ();

  gtk_window_set_decorated (GTK_WINDOW (window), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gtk_window_set_child (GTK_WINDOW (window), widget);
  gtk_window_present (GTK_WINDOW (window));
  gtk_test_widget_wait_for_draw (window);
  return window;
}

/* What libadwaita 1.2 draws behind a page, which is in a window, and behind all else, which is on a
 * card. */
static inline void
ui_set_ground (cairo_t *cr, GtkWidget *widget)
{
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  double shade = (SHARDWISE_IS_PAGE (widget) ? (dark ? 0x24 : 0xfa) : (dark ? 0x36 : 0xff)) / 255.0;

  cairo_set_source_rgb (cr, shade, shade, shade);
}

/* Scrolls to where a widget begins, if it is in what scrolls: what is out of sight is not drawn. */
static inline void
ui_scroll_to (GtkWidget *widget)
{
  GtkWidget *viewport = gtk_widget_get_ancestor (widget, GTK_TYPE_VIEWPORT);
  graphene_point_t place;

  if (viewport == NULL
      || !gtk_widget_compute_point (widget, gtk_viewport_get_child (GTK_VIEWPORT (viewport)),
                                    &GRAPHENE_POINT_INIT (0, 0), &place))
    return;
  gtk_adjustment_set_value (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (viewport)), place.y);
}

/* What a shown widget looks like; also written as NAME.png beside the test programs, to be looked
 * at. */
static inline cairo_surface_t *
ui_picture (GtkWidget *widget, const char *name)
{
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  g_autofree char *file = g_strconcat (name, ".png", NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "ui", file, NULL);
  cairo_t *cr = cairo_create (surface);
  GskRenderNode *node = NULL;

  ui_set_ground (cr, widget);
  cairo_paint (cr);
  ui_scroll_to (widget);
  /* A paintable is a picture of what was drawn last, and of a widget that has asked for another
   * size since it is none. */
  for (guint i = 0; i < 50 && node == NULL; i++)
    {
      g_autoptr (GdkPaintable) paintable = NULL;
      GtkSnapshot *snapshot = gtk_snapshot_new ();

      gtk_test_widget_wait_for_draw (widget);
      paintable = gtk_widget_paintable_new (widget);
      gdk_paintable_snapshot (paintable, snapshot, width, height);
      node = gtk_snapshot_free_to_node (snapshot);
    }
  g_assert_nonnull (node);
  gsk_render_node_draw (node, cr);
  gsk_render_node_unref (node);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  g_assert_cmpint (cairo_surface_write_to_png (surface, path), ==, CAIRO_STATUS_SUCCESS);
  return surface;
}

/* The same of the content of a window, once it is there. */
static inline void
ui_take_picture (GtkWidget *window, const char *name)
{
  wait_until (gtk_widget_get_mapped (window));
  gtk_test_widget_wait_for_draw (window);
  cairo_surface_destroy (ui_picture (adw_window_get_content (ADW_WINDOW (window)), name));
}

typedef struct {
  char *text; /* (nullable) */
  gboolean done;
} UiReading;

static inline void
ui_read_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  UiReading *reading = data;

  reading->text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);
  reading->done = TRUE;
}

/* (transfer full) (nullable): the text that is there. */
static inline char *
ui_read_clipboard (GdkClipboard *clipboard)
{
  UiReading reading = { NULL, FALSE };

  gdk_clipboard_read_text_async (clipboard, NULL, ui_read_cb, &reading);
  wait_until (reading.done);
  return reading.text;
}

/* 0xrrggbb */
static inline guint32
ui_pixel (cairo_surface_t *surface, double x, double y)
{
  const guchar *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);

  g_assert_cmpfloat (x, >=, 0);
  g_assert_cmpfloat (y, >=, 0);
  g_assert_cmpint ((int) x, <, cairo_image_surface_get_width (surface));
  g_assert_cmpint ((int) y, <, cairo_image_surface_get_height (surface));
  return *(const guint32 *) (const void *) (data + (int) y * stride + (int) x * 4) & 0xffffff;
}

/* Presses a key as a shortcut of the widget's class sees it. */
static inline gboolean
ui_press (GtkWidget *widget, guint key)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (!GTK_IS_SHORTCUT_CONTROLLER (controller))
        continue;
      for (guint j = 0; j < g_list_model_get_n_items (G_LIST_MODEL (controller)); j++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), j);
          GtkShortcutTrigger *trigger = gtk_shortcut_get_trigger (shortcut);

          if (GTK_IS_KEYVAL_TRIGGER (trigger)
              && gtk_keyval_trigger_get_keyval (GTK_KEYVAL_TRIGGER (trigger)) == key)
            return gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget,
                                                 gtk_shortcut_get_arguments (shortcut));
        }
    }
  g_error ("no shortcut for %s", gdk_keyval_name (key));
  return FALSE;
}

/* Waits until it has answered. */
static inline void
ui_await_advice (ShardwiseAdvisor *advisor)
{
  while (shardwise_advisor_get_status (advisor) != SHARDWISE_STATUS_READY)
    {
      g_assert_cmpint (shardwise_advisor_get_status (advisor), !=, SHARDWISE_STATUS_ERROR);
      g_main_context_iteration (NULL, TRUE);
    }
}

/* Until what is exported is written or refused: its thread holds the page. */
static inline void
ui_await_export (gpointer page)
{
  char *state = NULL;

  do
    {
      g_free (state);
      g_object_get (page, "state", &state, NULL);
      if (g_str_equal (state, "working"))
        g_main_context_iteration (NULL, TRUE);
    }
  while (g_str_equal (state, "working"));
  g_free (state);
}

/* An advisor that has answered; the scenario is changed by JSON text, NULL: as it is new. */
static inline ShardwiseAdvisor *
ui_advisor (const char *json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = json != NULL
                                               ? shardwise_scenario_from_json (json, -1, &error)
                                               : shardwise_scenario_new ();
  ShardwiseAdvisor *advisor;

  g_assert_no_error (error);
  advisor = shardwise_advisor_new (scenario);
  shardwise_advisor_evaluate (advisor);
  ui_await_advice (advisor);
  return advisor;
}

typedef gboolean (*UiMatch) (GtkWidget *widget, gconstpointer data);

/* (nullable): the first that matches of a widget and what is in it, in their order. */
static inline GtkWidget *
ui_find_match (GtkWidget *widget, UiMatch match, gconstpointer data)
{
  GtkWidget *found = match (widget, data) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = ui_find_match (child, match, data);
  return found;
}

/* How many of them match. */
static inline guint
ui_count (GtkWidget *widget, UiMatch match, gconstpointer data)
{
  guint n = match (widget, data);

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += ui_count (child, match, data);
  return n;
}

static inline gboolean
ui_is_of_type (GtkWidget *widget, gconstpointer type)
{
  return g_type_is_a (G_OBJECT_TYPE (widget), *(const GType *) type);
}

/* (nullable): the first descendant of a type. */
static inline GtkWidget *
ui_find (GtkWidget *widget, GType type)
{
  return ui_find_match (widget, ui_is_of_type, &type);
}

static inline gboolean
ui_is_button_called (GtkWidget *widget, gconstpointer name)
{
  GtkWidget *child = GTK_IS_BUTTON (widget) ? gtk_button_get_child (GTK_BUTTON (widget)) : NULL;

  if (GTK_IS_LABEL (child) && g_str_equal (gtk_label_get_label (GTK_LABEL (child)), name))
    return TRUE;
  return GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_widget_get_tooltip_text (widget), name) == 0;
}

/* (nullable): the first button with this label or, where it is a picture, this tooltip. */
static inline GtkWidget *
ui_find_button (GtkWidget *widget, const char *name)
{
  return ui_find_match (widget, ui_is_button_called, name);
}

static inline gboolean
ui_is_label_saying (GtkWidget *widget, gconstpointer part)
{
  return GTK_IS_LABEL (widget) && gtk_widget_get_visible (widget)
         && strstr (gtk_label_get_text (GTK_LABEL (widget)), part) != NULL;
}

/* Whether a text in the widget has this part. */
static inline gboolean
ui_says (gpointer widget, const char *part)
{
  return ui_find_match (widget, ui_is_label_saying, part) != NULL;
}

static inline gboolean
ui_is_list_called (GtkWidget *widget, gconstpointer name)
{
  GtkWidget *label = gtk_widget_get_prev_sibling (widget);

  return GTK_IS_DROP_DOWN (widget) && GTK_IS_LABEL (label)
         && g_str_equal (gtk_label_get_label (GTK_LABEL (label)), name);
}

/* Chooses a value in the list below this name; both must be there. */
static inline void
ui_choose (gpointer widget, const char *name, const char *value)
{
  GtkWidget *list = ui_find_match (widget, ui_is_list_called, name);

  g_assert_true (shardwise_option_list_set_value (GTK_DROP_DOWN (list), value));
}

/* (transfer full): what stands in a view of text. */
static inline char *
ui_text_in (gpointer view)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

/* (nullable): a window of a type. */
static inline GtkWidget *
ui_find_window (GType type)
{
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (g_type_is_a (G_OBJECT_TYPE (window), type))
        return window;
    }
  return NULL;
}

/* Waits until nothing holds the object any more, and clears the reference. */
static inline void
ui_await_gone (GWeakRef *weak)
{
  for (GObject *left; (left = g_weak_ref_get (weak)) != NULL;)
    {
      g_object_unref (left);
      g_main_context_iteration (NULL, TRUE);
    }
  g_weak_ref_clear (weak);
}

/* Wakes what sleeps below the window. */
static inline void
ui_wake (GtkWidget *widget)
{
  if (SHARDWISE_IS_COLUMN (widget) && gtk_widget_get_mapped (widget))
    shardwise_column_wake (SHARDWISE_COLUMN (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    ui_wake (child);
}

/* A child of a page's template. */
static inline gpointer
ui_child (GtkWidget *page, const char *name)
{
  GObject *child = gtk_widget_get_template_child (page, G_OBJECT_TYPE (page), name);

  g_assert_nonnull (child);
  return child;
}

/* Returns: (transfer full): a window with nothing but that, which scrolls, for tests of windows. */
static inline GtkWidget *
ui_window_of (GtkWidget *child)
{
  GtkWidget *scroller = g_object_new (GTK_TYPE_SCROLLED_WINDOW, "hscrollbar-policy",
                                      GTK_POLICY_NEVER, "child", child, NULL);

  return g_object_new (ADW_TYPE_WINDOW, "content", scroller, NULL);
}

/* Pictures of a page at the widths that matter, in both schemes. */
static inline void
ui_page_pictures (GType page_type, ShardwiseAdvisor *advisor, const char *name, int height,
                  void (*ready) (GtkWidget *page))
{
  const int widths[] = { 360, 1000, 1600 };
  AdwStyleManager *manager = adw_style_manager_get_default ();

  for (guint i = 0; i < G_N_ELEMENTS (widths) * 2; i++)
    {
      GtkWidget *page = g_object_new (page_type, NULL), *window;
      g_autofree char *title = g_strdup_printf ("%s-%d%s", name, widths[i / 2],
                                                i % 2 ? "-dark" : "");

      adw_style_manager_set_color_scheme (manager, i % 2 ? ADW_COLOR_SCHEME_FORCE_DARK
                                                         : ADW_COLOR_SCHEME_FORCE_LIGHT);
      shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
      window = ui_show (page, widths[i / 2], height);
      if (ready != NULL)
        ready (page);
      cairo_surface_destroy (ui_picture (page, title));
      /* nothing is wider than the window */
      g_assert_cmpint (gtk_widget_get_width (page), ==, widths[i / 2]);
      gtk_window_destroy (GTK_WINDOW (window));
    }
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_DEFAULT);
}

/* What shardwise-cli prints of a scenario with --json; two options may be NULL. Returns (transfer
 * full). */
static inline JsonNode *
ui_run_cli (const char *json, const char *command, const char *first, const char *second)
{
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "..", "src", "cli", "shardwise-cli",
                                                 NULL);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *out = NULL;
  JsonNode *node;

  process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE,
                              &error, path, command, "-", "--json", first,
                              first != NULL ? second : NULL, NULL);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (process, json, NULL, &out, NULL, &error));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 0);
  node = shardwise_json_parse (out, (gssize) strlen (out), &error);
  g_assert_no_error (error);
  return node;
}
