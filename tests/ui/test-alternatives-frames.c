/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the Alternatives page takes to draw, and how it looks. */
#include "alternatives-fixture.h"

#include <time.h>

#include "shardwise-absence-view.h"

/* What the main thread works in a frame; other programs on the machine do not count. The times of
 * instrumented code say nothing: there it scrolls through fewer rows, for its memory. */
#ifdef __SANITIZE_ADDRESS__
#define FRAME_US G_MAXINT64
#define MANY_GPUS "8"
#define MANY_ROWS 1000
#else
/* The time of this machine's GTK; the list of a newer one (4.18) takes three times as long to fill
 * its rows. */
#define FRAME_US (gtk_check_version (4, 10, 0) == NULL ? G_MAXINT64 : 33000)
#define MANY_GPUS "32"
#define MANY_ROWS 100000
#endif

typedef struct {
  gint64 start;
  GArray *worked_us; /* of gint64: what each frame took */
} Frames;

static gint64
worked_us (void)
{
  struct timespec time;

  g_assert_cmpint (clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time), ==, 0);
  return time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

static void
before_cb (GdkFrameClock *clock, Frames *frames)
{
  frames->start = worked_us ();
}

static void
after_cb (GdkFrameClock *clock, Frames *frames)
{
  const gint64 took = worked_us () - frames->start;

  if (frames->start > 0)
    g_array_append_val (frames->worked_us, took);
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

static gint64
percentile (const GArray *sorted, guint percent)
{
  return g_array_index (sorted, gint64, (sorted->len - 1) * percent / 100);
}

/* A hundred thousand rows scroll, by lines and by leaps, in frames that take less than 33 ms to
 * make. What is counted is the time of the main thread on a processor; even that grows where other
 * programs take the caches: so one frame in twenty may be late, and half of them must have twice
 * the room. */
static void
test_scroll (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
    "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"llama-3-8b\"}, "
    "\"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": " MANY_GPUS "}, "
    "\"training\": {\"framework\": \"any\"}}");
  GtkWidget *window, *page = alternatives_page_with (advisor, 1600, &window);
  GtkWidget *scroller = gtk_widget_get_parent (GTK_WIDGET (alternatives_table_of (page)));
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);
  guint n = g_list_model_get_n_items (alternatives_rows_of (page));
  Frames frames = { 0, g_array_new (FALSE, FALSE, sizeof (gint64)) };

  g_assert_cmpuint (n, >, MANY_ROWS);
  gtk_test_widget_wait_for_draw (window);
  g_signal_connect (clock, "before-paint", G_CALLBACK (before_cb), &frames);
  g_signal_connect (clock, "after-paint", G_CALLBACK (after_cb), &frames);
  for (guint i = 1; i <= 40; i++)
    {
      gtk_adjustment_set_value (adjustment,
                                gtk_adjustment_get_upper (adjustment) * (i / 10) / 8.0 + i * 120);
      gtk_test_widget_wait_for_draw (window);
    }
  g_signal_handlers_disconnect_by_data (clock, &frames);
  g_array_sort (frames.worked_us, by_time);
  g_test_message (
    "%u rows, %u frames: %.1f ms in the middle, %.1f ms for 95 %%, the longest %.1f ms", n,
    frames.worked_us->len, percentile (frames.worked_us, 50) / 1000.0,
    percentile (frames.worked_us, 95) / 1000.0, percentile (frames.worked_us, 100) / 1000.0);
  g_assert_cmpuint (frames.worked_us->len, >=, 40);
  g_assert_cmpint (percentile (frames.worked_us, 50), <, FRAME_US / 2);
  g_assert_cmpint (percentile (frames.worked_us, 95), <, FRAME_US);
  g_array_unref (frames.worked_us);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
take_picture (GtkWidget *page, const char *state, int width, gboolean dark)
{
  g_autofree char *title =
    g_strdup_printf ("alternatives%s-%d%s", state, width, dark ? "-dark" : "");

  cairo_surface_destroy (ui_picture (page, title));
  g_assert_cmpint (gtk_widget_get_width (page), ==, width); /* nothing is wider than the window */
}

/* One page after another, each in all of its states: every strategy is sought once for each
 * width. */
static void
take_pictures (ShardwiseAdvisor *advisor, int width, gboolean dark)
{
  GtkWidget *window, *page = alternatives_page_with (advisor, width, &window),
  *chart = alternatives_button_of (page, "Chart");

  take_picture (page, "", width, dark);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (chart), TRUE);
  take_picture (page, "-chart", width, dark);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (chart), FALSE);
  for (guint i = 0; i < 4; i++)
    {
      SwStrategy strategy = alternatives_strategy_at (alternatives_rows_of (page), i * 40);

      shardwise_comparison_pin (
        shardwise_alternatives_page_get_comparison (SHARDWISE_ALTERNATIVES_PAGE (page)), &strategy);
    }
  gtk_widget_activate_action (page, "alternatives.compare", NULL);
  take_picture (page, "-comparison", width, dark);
  gtk_widget_activate_action (page, "alternatives.list", NULL);
  alternatives_rows_with (page, "TP 7 PP 3");
  wait_until (!shardwise_absence_view_is_asking (ui_child (page, "absence_view")));
  take_picture (page, "-absent", width, dark);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_pictures (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  const struct
  {
    int width;
    gboolean dark;
  } pictures[] = { { 360, FALSE }, { 360, TRUE }, { 1000, FALSE }, { 1600, TRUE } };
  AdwStyleManager *manager = adw_style_manager_get_default ();
  GtkSettings *settings = gtk_settings_get_default ();
  int dpi;

  shardwise_advisor_set_selected (
    advisor, shardwise_advice_get_alternative (shardwise_advisor_get_advice (advisor), 1));
  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++)
    {
      adw_style_manager_set_color_scheme (manager, pictures[i].dark ? ADW_COLOR_SCHEME_FORCE_DARK
                                                                    : ADW_COLOR_SCHEME_FORCE_LIGHT);
      take_pictures (advisor, pictures[i].width, pictures[i].dark);
    }
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_DEFAULT);
  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  take_pictures (advisor, 720, FALSE);
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/alternatives-frames/scroll", test_scroll);
  g_test_add_func ("/alternatives-frames/pictures", test_pictures);
  return g_test_run ();
}
