/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window on the screen: its sizes, what moves in it, and what tells about the program. */
#include "shardwise-advice-page.h"
#include "shardwise-catalogue.h"
#include "shardwise-config.h"
#include "shardwise-release-notes.h"
#include "shardwise-shortcuts-window.h"
#include "shardwise-text-estimate.h"
#include "ui-fixture.h"
#include "window-fixture.h"

static void
test_sizes (Fixture *fixture, gconstpointer data)
{
  static const char *const pages[] = { "advice", "analysis", "alternatives", "scale" };
  int minimum;

  activate (fixture->window, "start", NULL);
  /* wider ones have a button more */
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 360, 640);
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      activate (fixture->window, "page", g_variant_new_string (pages[i]));
      gtk_widget_measure (GTK_WIDGET (fixture->window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum,
                          NULL, NULL, NULL);
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
  GdkMonitor *monitor = gdk_display_get_monitor_at_surface (
      gtk_widget_get_display (window), gtk_native_get_surface (GTK_NATIVE (window)));
  GdkRectangle area;

  gdk_monitor_get_geometry (monitor, &area);
  return area.width;
}

/* Shown without a complaint (warnings are fatal), and as wide as asked for. */
static void
show_at (Fixture *fixture, int width)
{
  ShardwiseWindow *window =
      shardwise_window_new (GTK_APPLICATION (fixture->application),
                            shardwise_application_get_settings (fixture->application));
  guint n_frames = 0;

  gtk_window_set_default_size (GTK_WINDOW (window), width, 700);
  activate (window, "start", NULL);
  gtk_window_present (GTK_WINDOW (window));
  wait_until (has_status (window, "ready") && gtk_widget_get_mapped (GTK_WIDGET (window)));
  g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "after-paint",
                    G_CALLBACK (frames_cb), &n_frames);
  gtk_widget_queue_draw (GTK_WIDGET (window));
  wait_until (n_frames > 0);
  g_signal_handlers_disconnect_by_func (gtk_widget_get_frame_clock (GTK_WIDGET (window)), frames_cb,
                                        &n_frames);
  /* Less the border that a window has where nothing composites, and no wider than the screen. */
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), <=, width);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (window)), >=,
                   MIN (width, screen_width (GTK_WIDGET (window))) - 20);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_shown (Fixture *fixture, gconstpointer data)
{
  show_at (fixture, 360);
  show_at (fixture, 1000);
  show_at (fixture, 1600);
}

/* Without animations what unfolds does so at once, and must not while sizes are given out. */
static void
test_still (Fixture *fixture, gconstpointer data)
{
  GtkSettings *settings = gtk_settings_get_default ();
  gboolean animates;

  g_object_get (settings, "gtk-enable-animations", &animates, NULL);
  g_object_set (settings, "gtk-enable-animations", FALSE, NULL);
  show_at (fixture, 700);
  show_at (fixture, 1600);
  g_object_set (settings, "gtk-enable-animations", animates, NULL);
}

/* A window with the requested width after the frames are drawn; the inputs are beside the page or
 * folded. */
static void
check_folds (Fixture *fixture, int width, gboolean folds)
{
  GtkWidget *flap = ui_child (GTK_WIDGET (fixture->window), "flap");

  gtk_window_set_default_size (GTK_WINDOW (fixture->window), width, 700);
  wait_until (gtk_widget_get_width (GTK_WIDGET (fixture->window)) <= width
              && gtk_widget_get_width (GTK_WIDGET (fixture->window)) > width - 20);
  g_assert_cmpint (adw_flap_get_folded (ADW_FLAP (flap)), ==, folds);
  g_assert_cmpint (adw_flap_get_reveal_flap (ADW_FLAP (flap)), ==, !folds);
  activate (fixture->window, "toggle-inputs", NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (fixture->window));
  activate (fixture->window, "toggle-inputs", NULL);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (fixture->window));
}

/* The inputs fold by the width of the window, before sizes are given out (warnings are fatal), and
 * hinder no window from becoming narrow. */
static void
test_folds (Fixture *fixture, gconstpointer data)
{
  GtkSettings *settings = gtk_settings_get_default ();
  gboolean animates;

  g_object_get (settings, "gtk-enable-animations", &animates, NULL);
  g_object_set (settings, "gtk-enable-animations", FALSE, NULL);
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 1000, 700);
  gtk_window_present (GTK_WINDOW (fixture->window));
  activate (fixture->window, "start", NULL);
  wait_until (has_status (fixture->window, "ready"));
  check_folds (fixture, 1000, FALSE);
  check_folds (fixture, 420, TRUE);
  check_folds (fixture, 859, TRUE);
  check_folds (fixture, 890, FALSE);
  check_folds (fixture, 1400, FALSE);
  check_folds (fixture, 360, TRUE);
  g_object_set (settings, "gtk-enable-animations", animates, NULL);
}

/* Pages and panels that come within one frame, before they were given a size. */
static void
before_paint_cb (GdkFrameClock *clock, Fixture *fixture)
{
  g_signal_handlers_disconnect_by_func (clock, before_paint_cb, fixture);
  activate (fixture->window, "start", NULL);
  activate (fixture->window, "toggle-ask", NULL);
  activate (fixture->window, "toggle-inputs", NULL);
}

/* They are drawn without a warning, which is fatal. */
static void
test_folds_at_once (Fixture *fixture, gconstpointer data)
{
  GtkWidget *window = GTK_WIDGET (fixture->window);
  AdwFlap *inputs = ADW_FLAP (ui_child (window, "flap"));
  AdwFlap *ask = ADW_FLAP (ui_child (window, "ask_flap"));

  gtk_window_set_default_size (GTK_WINDOW (window), 1000, 700);
  gtk_window_present (GTK_WINDOW (window));
  gtk_test_widget_wait_for_draw (window);
  g_signal_connect (gtk_widget_get_frame_clock (window), "before-paint",
                    G_CALLBACK (before_paint_cb), fixture);
  gtk_widget_queue_draw (window);
  wait_until (adw_flap_get_reveal_progress (ask) == 1);
  wait_until (adw_flap_get_reveal_progress (inputs) == 0);
  wait_until (has_status (fixture->window, "ready"));
}

static void
dimmed_cb (GtkWidget *widget, GParamSpec *pspec, guint *n)
{
  *n += gtk_widget_get_opacity (widget) < 1;
}

/* How often the first figure was drawn fainter while it became another. */
static guint
count_dimmed (Fixture *fixture, gboolean animates, int gpus)
{
  GtkWidget *page = ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_ADVICE_PAGE);
  GtkWidget *card = ui_find (page, g_type_from_name ("ShardwiseMetricCard"));
  GtkWidget *figure = ui_child (card, "figure");
  g_autofree char *before = g_strdup (gtk_label_get_label (GTK_LABEL (figure)));
  guint n = 0;

  wait_until (gtk_widget_get_opacity (figure) >= 1); /* what came before is over */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", animates, NULL);
  g_signal_connect (figure, "notify::opacity", G_CALLBACK (dimmed_cb), &n);
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (gpus)));
  wait_until (has_status (fixture->window, "stale"));
  g_assert_false (gtk_widget_has_css_class (page, "late")); /* nor does the page flicker */
  wait_until (!g_str_equal (gtk_label_get_label (GTK_LABEL (figure)), before));
  wait_until (!animates || n > 0);
  gtk_test_widget_wait_for_draw (GTK_WIDGET (fixture->window));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (fixture->window));
  g_assert_false (gtk_widget_has_css_class (page, "late"));
  g_signal_handlers_disconnect_by_data (figure, &n);
  return n;
}

/* A figure that changes fades in, unless the desktop asks for less motion. */
static void
test_motion (Fixture *fixture, gconstpointer data)
{
  GtkSettings *settings = gtk_settings_get_default ();
  gboolean animates;

  g_object_get (settings, "gtk-enable-animations", &animates, NULL);
  gtk_window_present (GTK_WINDOW (fixture->window));
  activate (fixture->window, "start", NULL);
  wait_until (has_status (fixture->window, "ready"));
  gtk_test_widget_wait_for_draw (GTK_WIDGET (fixture->window));
  g_assert_cmpuint (count_dimmed (fixture, FALSE, 16), ==, 0);
  g_assert_cmpuint (count_dimmed (fixture, TRUE, 64), >, 0);
  g_object_set (settings, "gtk-enable-animations", animates, NULL);
}

/* The notes are of the newest release, in the elements that an about window takes. */
static void
test_release_notes (void)
{
  static const struct {
    const char *metainfo, *version, *notes;
  } cases[] = {
    { "<component><description><p>No.</p></description><releases>"
      "<release version='2'><url>No</url><description><p>\n  It\n  isn't &amp; &lt;is</p>"
      "<ul><li>A <em>b</em> <code>c</code></li>\n<li>D</li></ul></description></release>"
      "<release version='1'><description><p>Old</p></description></release>"
      "</releases></component>",
      "2", "<p>It isn't &amp; &lt;is</p><ul><li>A <em>b</em> <code>c</code></li><li>D</li></ul>" },
    { "<component><releases><release version='2'/><release version='1'><description><p>Old</p>"
      "</description></release></releases></component>",
      NULL, NULL },
    { "<component><releases><release version='2'><description><p>Broken", NULL, NULL },
    { "<component/>", NULL, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *version = NULL,
                      *notes = shardwise_release_notes_read (cases[i].metainfo, -1, &version);

      g_assert_cmpstr (version, ==, cases[i].version);
      g_assert_cmpstr (notes, ==, cases[i].notes);
    }
}

/* About states the accuracy, and tells what is new in this very version; libadwaita warns of notes that it cannot read. */
static void
test_about (Fixture *fixture, gconstpointer data)
{
  GListModel *windows = gtk_window_get_toplevels ();
  g_autofree char *accuracy = shardwise_text_accuracy (
      &shardwise_catalogue_calibration (shardwise_catalogue_get ())->accuracy[0]);
  guint n = 0;

  g_action_group_activate_action (G_ACTION_GROUP (fixture->application), "about", NULL);
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GObject) window = g_list_model_get_item (windows, i);

      if (!ADW_IS_ABOUT_WINDOW (window))
        continue;
      n++;
      g_assert_cmpstr (adw_about_window_get_release_notes_version (ADW_ABOUT_WINDOW (window)), ==,
                       PACKAGE_VERSION);
      g_assert_true (
          g_str_has_prefix (adw_about_window_get_release_notes (ADW_ABOUT_WINDOW (window)), "<p>"));
      g_assert_nonnull (
          strstr (adw_about_window_get_comments (ADW_ABOUT_WINDOW (window)), accuracy));
    }
  g_assert_cmpuint (n, ==, 1);
}

/* A window that was hidden, then closed, is not asked for its size; events may hold its surface. */
static void
test_last_layout (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GdkSurface) surface = NULL;
  gboolean is_asked = FALSE, is_over = FALSE;

  activate (fixture->window, "start", NULL);
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready")
              && gtk_widget_get_mapped (GTK_WIDGET (fixture->window)));
  surface = g_object_ref (gtk_native_get_surface (GTK_NATIVE (fixture->window)));
  gtk_widget_set_visible (GTK_WIDGET (fixture->window), FALSE);
  gdk_surface_request_layout (surface);              /* as by the server's word for its last size */
  gtk_window_destroy (GTK_WINDOW (fixture->window)); /* which the fixture still holds */
  g_signal_connect_swapped (surface, "compute-size", G_CALLBACK (ui_set_true), &is_asked);
  g_idle_add_once (ui_set_true, &is_over);
  wait_until (is_over);
  g_assert_false (is_asked);
  g_clear_object (&fixture->window);
}

/* The window of shortcuts, behind the window that it belongs to. */
static void
show_shortcuts (Fixture *fixture)
{
  GtkApplication *application = GTK_APPLICATION (fixture->application);
  GtkWindow *window = GTK_WINDOW (fixture->window);

  gtk_window_present (window);
  wait_until (gtk_window_is_active (window));
  g_action_group_activate_action (G_ACTION_GROUP (application), "shortcuts", NULL);
  wait_until (gtk_window_is_active (GTK_WINDOW (ui_find_window (SHARDWISE_TYPE_SHORTCUTS_WINDOW))));
  gtk_window_present (window);
  wait_until (gtk_application_get_windows (application)->data == window);
  g_assert_cmpuint (g_list_length (gtk_application_get_windows (application)), ==, 2);
}

/* The window of shortcuts goes with the last document, and the program ends. */
static void
test_shortcuts (Fixture *fixture, gconstpointer data)
{
  show_shortcuts (fixture);
  gtk_window_close (GTK_WINDOW (fixture->window));
  g_clear_object (&fixture->window);
  wait_until (gtk_application_get_windows (GTK_APPLICATION (fixture->application)) == NULL);
  g_assert_null (ui_find_window (SHARDWISE_TYPE_SHORTCUTS_WINDOW));
}

/* Quitting closes windows that take others with them. */
static void
test_quit (Fixture *fixture, gconstpointer data)
{
  show_shortcuts (fixture);
  g_clear_object (&fixture->window); /* which would keep what goes with it */
  g_action_group_activate_action (G_ACTION_GROUP (fixture->application), "quit", NULL);
  wait_until (gtk_application_get_windows (GTK_APPLICATION (fixture->application)) == NULL);
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;

  g_test_add_func ("/window-shown/release-notes", test_release_notes);
  ADD ("/window-shown/about", test_about);
  ADD ("/window-shown/sizes", test_sizes);
  ADD ("/window-shown/shown", test_shown);
  ADD ("/window-shown/still", test_still);
  ADD ("/window-shown/folds", test_folds);
  ADD ("/window-shown/folds-at-once", test_folds_at_once);
  ADD ("/window-shown/shortcuts", test_shortcuts);
  ADD ("/window-shown/quit", test_quit);
  ADD ("/window-shown/last-layout", test_last_layout);
  ADD ("/window-shown/motion", test_motion);
  return g_test_run ();
}
