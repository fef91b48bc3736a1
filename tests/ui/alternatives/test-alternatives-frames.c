/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the Alternatives page takes to draw, and how it looks. */
#include "alternatives-fixture.h"

#include "shardwise-absence-view.h"
#include "ui-pace.h"

/* What the main thread works in a frame; other programs on the machine do not count. The times of
 * instrumented code say nothing: there it scrolls through fewer rows, for its memory. */
#ifdef __SANITIZE_ADDRESS__
#define LIMIT_S G_MAXDOUBLE
#define MANY_GPUS "8"
#define MANY_ROWS 1000
#else
/* The time of this machine's GTK; the list of a newer one (4.18) takes three times as long to fill
 * its rows. */
#define LIMIT_S (gtk_check_version (4, 10, 0) == NULL ? G_MAXDOUBLE : UI_LATE_FRAME_S)
#define MANY_GPUS "32"
#define MANY_ROWS 100000
#endif

typedef struct {
  double start;
  GArray *seconds; /* of double: what each frame took */
} Frames;

static void
before_cb (GdkFrameClock *clock, Frames *frames)
{
  frames->start = ui_computed_s ();
}

static void
after_cb (GdkFrameClock *clock, Frames *frames)
{
  const double took = ui_computed_s () - frames->start;

  if (frames->start > 0)
    g_array_append_val (frames->seconds, took);
}

static double
percentile (const GArray *sorted, guint percent)
{
  return g_array_index (sorted, double, (sorted->len - 1) * percent / 100);
}

/* A hundred thousand rows scroll, by lines and by leaps, in frames that take less than two
 * sixtieths of a second to make, on a machine as fast as ours. What is counted is the time of the
 * main thread on a processor; even that grows where other programs take the caches: so one frame
 * in twenty may be late, and half of them must have some room. */
static void
test_scroll (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-8b\"}, "
      "\"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": " MANY_GPUS "}, "
      "\"training\": {\"framework\": \"any\", \"allow_untried\": true}}");
  GtkWidget *window, *page = alternatives_page_with (advisor, 1600, &window);
  GtkWidget *scroller = gtk_widget_get_parent (GTK_WIDGET (alternatives_table_of (page)));
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);
  guint n = g_list_model_get_n_items (alternatives_rows_of (page));
  Frames frames = { 0, g_array_new (FALSE, FALSE, sizeof (double)) };
  double slowness;

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
  slowness = ui_slowness ();
  g_array_sort (frames.seconds, ui_compare_doubles);
  g_test_message (
      "%u rows, %u frames: %.1f ms in the middle, %.1f ms for 95 %%, the longest %.1f ms, slowness "
      "%.2f",
      n, frames.seconds->len, percentile (frames.seconds, 50) * 1e3,
      percentile (frames.seconds, 95) * 1e3, percentile (frames.seconds, 100) * 1e3, slowness);
  g_assert_cmpuint (frames.seconds->len, >=, 40);
  g_assert_cmpfloat (percentile (frames.seconds, 50) / slowness, <, 0.75 * LIMIT_S);
  /* One in ten jumps elsewhere in the table, where every row in sight is another: on a machine that
   * is idle between frames it takes half as long again. */
  g_assert_cmpfloat (percentile (frames.seconds, 95) / slowness, <, 1.5 * LIMIT_S);
  g_array_unref (frames.seconds);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Asks for the width until it is there: what needed more a moment ago keeps the window wide, and a size
 * that was asked for already changes nothing. */
static gboolean
has_width (GtkWidget *page, int width)
{
  const int height = gtk_widget_get_height (page);
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (page));

  if (gtk_widget_get_width (page) == width)
    return TRUE;
  gtk_window_set_default_size (window, width, height + 1);
  gtk_window_set_default_size (window, width, height);
  return FALSE;
}

/* Nothing is wider than the window, when all is there: before, GTK 4.18 once asked for more. */
static void
take_picture (GtkWidget *page, const char *state, int width, gboolean dark)
{
  g_autofree char *title = g_strdup_printf ("alternatives%s-%d%s", state, width,
                                            dark ? "-dark" : "");

  wait_until (has_width (page, width));
  cairo_surface_destroy (ui_picture (page, title));
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
          shardwise_alternatives_page_get_comparison (SHARDWISE_ALTERNATIVES_PAGE (page)),
          &strategy);
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
  const struct {
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
