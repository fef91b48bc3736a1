/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of text that a chart keeps from one drawing to the next, and the cells of its table. */
#include "shardwise-chart-draw.h"
#include "shardwise-chart-card.h"
#include "shardwise-sizing-chart.h"
#include "shardwise-waterfall-chart.h"

#include "chart-fixture.h"

static void
gone_cb (gpointer gone, GObject *layout)
{
  *(gboolean *) gone = TRUE;
}

/* What is written again is the same layout; what two drawings did not write is let go of, and the
 * rest with the chart. */
static void
test_kept (void)
{
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL));
  PangoLayout *first = shardwise_draw_line_layout (chart, "10 s", 0.85, FALSE);
  gboolean is_gone = FALSE, is_second_gone = FALSE;
  PangoLayout *second;

  g_object_weak_ref (G_OBJECT (first), gone_cb, &is_gone);
  g_assert_true (shardwise_draw_line_layout (chart, "10 s", 0.85, FALSE) == first);
  g_assert_true (shardwise_draw_line_layout (chart, "10 s", 0.85, TRUE) != first);
  g_assert_true (shardwise_draw_line_layout (chart, "10 s", 1, FALSE) != first);
  shardwise_draw_texts_begin (chart);
  g_assert_true (shardwise_draw_line_layout (chart, "10 s", 0.85, FALSE) == first);
  shardwise_draw_texts_begin (chart);
  second = shardwise_draw_line_layout (chart, "20 s", 0.85, FALSE);
  g_object_weak_ref (G_OBJECT (second), gone_cb, &is_second_gone);
  g_assert_false (is_gone);
  shardwise_draw_texts_begin (chart);
  g_assert_true (is_gone);
  g_assert_false (is_second_gone);
  g_object_unref (chart);
  g_assert_true (is_second_gone);
}

/* It is as wide as the font that holds now makes it. */
static void
test_font (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_WATERFALL_CHART, NULL);
  GtkWidget *window = ui_show (GTK_WIDGET (chart), 360, 240);
  PangoLayout *layout = shardwise_draw_line_layout (chart, "Attention", 0.85, FALSE);
  g_autofree char *font = NULL;
  int before, after;

  g_object_get (settings, "gtk-font-name", &font, NULL);
  pango_layout_get_pixel_size (layout, &before, NULL);
  g_object_set (settings, "gtk-font-name", "Sans 30", NULL);
  wait_until (shardwise_draw_text_width (chart, "Attention") > before);
  pango_layout_get_pixel_size (layout, &after, NULL);
  g_assert_cmpint (after, >, before * 3 / 2);
  g_assert_cmpint (after, ==, shardwise_draw_text_width (chart, "Attention"));
  g_object_set (settings, "gtk-font-name", font, NULL);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A small number is not rounded to nothing; a greater one has the digits of its column, and so has
 * what is nothing. */
static void
test_digits (void)
{
  ShardwiseSizingPoint small = { .gpus = 8,
                                 .estimate = { .tokens_per_s = 1234.5, .fits = TRUE },
                                 .bill = { .basis = SHARDWISE_BASIS_CLOUD },
                                 .days = 0.0123,
                                 .cost = 0.456 };
  const struct {
    guint column;
    const char *text;
  } cells[] = { { 1, "8" }, { 4, "1234" }, { 6, "0.0" }, { 8, "0.012" }, { 9, "0.46" } };
  g_autoptr (GPtrArray) points = g_ptr_array_new ();
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_SIZING_CHART, NULL));

  g_ptr_array_add (points, &small);
  shardwise_sizing_chart_set_points (SHARDWISE_SIZING_CHART (chart), points, "H100", "USD");
  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    {
      g_autofree char *text = shardwise_chart_cell_text (chart, 0, cells[i].column);

      g_assert_cmpstr (text, ==, cells[i].text);
    }
  g_assert_finalize_object (chart);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;
  g_test_add_func ("/chart-texts/kept", test_kept);
  g_test_add_func ("/chart-texts/font", test_font);
  g_test_add_func ("/chart-texts/digits", test_digits);
  return g_test_run ();
}
