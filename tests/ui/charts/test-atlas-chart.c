/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart-fixture.h"
#include "shardwise-atlas-chart.h"
#include "shardwise-chart-card.h"

/* Two sizes on three numbers of nodes: 8 B does 50, 40 and 30 %; 80 B does not fit on one node. */
static GPtrArray *
cells_new (void)
{
  static const struct {
    double size;
    guint nodes;
    double mfu;
  } cells[] = {
    { 8, 1, 0.5 }, { 8, 2, 0.4 }, { 8, 4, 0.3 }, { 80, 1, 0 }, { 80, 2, 0.45 }, { 80, 4, 0.44 },
  };
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    {
      ShardwiseAtlasCell *cell = g_new0 (ShardwiseAtlasCell, 1);

      cell->parameters_b = cells[i].size;
      cell->nodes = cells[i].nodes;
      cell->gpus = 8 * cell->nodes;
      sw_strategy_init_default (&cell->estimate.strategy);
      cell->estimate.strategy.tp = 8;
      cell->estimate.fits = cells[i].mfu > 0;
      cell->estimate.mfu = cells[i].mfu;
      cell->estimate.missing_bytes = cell->estimate.fits ? 0 : 100 * SW_GIB;
      g_ptr_array_add (out, cell);
    }
  return out;
}

/* Near a corner, clear of the texts in the middle. */
static guint32
corner_at (cairo_surface_t *picture, graphene_rect_t area)
{
  return ui_pixel (picture, area.origin.x + 3, area.origin.y + 3);
}

static double
brightness (guint32 pixel)
{
  return 0.2126 * (pixel >> 16 & 0xff) + 0.7152 * (pixel >> 8 & 0xff) + 0.0722 * (pixel & 0xff);
}

/* More is brighter, and what does not fit is hatched rather than coloured. */
static void
test_drawing (void)
{
  g_autoptr (GPtrArray) cells = cells_new ();
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_ATLAS_CHART, NULL);
  GtkWidget *window;
  cairo_surface_t *picture;
  graphene_rect_t hatched;
  guint lines = 0;

  shardwise_atlas_chart_set_cells (SHARDWISE_ATLAS_CHART (chart), cells, "H100");
  window = ui_show (GTK_WIDGET (chart), 640, 320);
  picture = ui_picture (GTK_WIDGET (chart), "atlas");
  g_assert_cmpfloat (brightness (corner_at (picture, area_of (chart, 0))), >,
                     brightness (corner_at (picture, area_of (chart, 1))));
  g_assert_cmpfloat (brightness (corner_at (picture, area_of (chart, 1))), >,
                     brightness (corner_at (picture, area_of (chart, 2))));
  hatched = area_of (chart, 3);
  for (int x = 1; x < 40; x++)
    lines += ui_pixel (picture, hatched.origin.x + x, hatched.origin.y + 10)
             != ui_pixel (picture, hatched.origin.x + x + 1, hatched.origin.y + 10);
  g_assert_cmpuint (lines, >, 8);
  cairo_surface_destroy (picture);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The seven numbers of nodes of the benchmark fit a window of 360 pixels, which leaves 312 to the
 * chart, with the MFU of each cell. */
static void
test_narrow (void)
{
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_ATLAS_CHART, NULL));
  int least, most;

  for (guint i = 0; i < 7; i++)
    {
      ShardwiseAtlasCell *cell = g_new0 (ShardwiseAtlasCell, 1);

      cell->parameters_b = 8;
      cell->nodes = 1u << i;
      cell->gpus = 8 * cell->nodes;
      sw_strategy_init_default (&cell->estimate.strategy);
      cell->estimate.fits = TRUE;
      cell->estimate.mfu = 0.45;
      g_ptr_array_add (cells, cell);
    }
  shardwise_atlas_chart_set_cells (SHARDWISE_ATLAS_CHART (chart), cells, "H100");
  gtk_widget_measure (GTK_WIDGET (chart), GTK_ORIENTATION_HORIZONTAL, -1, &least, &most, NULL,
                      NULL);
  g_assert_cmpint (least, <=, 312);
  g_assert_cmpint (least, >, 240); /* so that the texts have room */
  g_assert_finalize_object (chart);
}

/* Arrows step as the cells lie, and stop at the edges. */
static void
test_keys (void)
{
  g_autoptr (GPtrArray) cells = cells_new ();
  ShardwiseChart *chart = g_object_new (SHARDWISE_TYPE_ATLAS_CHART, NULL);
  GtkWidget *window;
  static const struct {
    guint key;
    int point;
  } steps[] = {
    { GDK_KEY_Right, 0 }, { GDK_KEY_Right, 1 }, { GDK_KEY_Down, 4 }, { GDK_KEY_Down, 4 },
    { GDK_KEY_Right, 5 }, { GDK_KEY_Right, 5 }, { GDK_KEY_Up, 2 },   { GDK_KEY_Up, 2 },
    { GDK_KEY_Home, 0 },  { GDK_KEY_Left, 0 },  { GDK_KEY_End, 5 },
  };

  shardwise_atlas_chart_set_cells (SHARDWISE_ATLAS_CHART (chart), cells, "H100");
  window = ui_show (GTK_WIDGET (chart), 640, 320);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      ui_press (GTK_WIDGET (chart), steps[i].key);
      g_assert_cmpint (shardwise_chart_get_point (chart), ==, steps[i].point);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The sentence, what a cell says, the table and its CSV. */
static void
test_words (void)
{
  g_autoptr (GPtrArray) cells = cells_new ();
  ShardwiseChart *chart = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_ATLAS_CHART, NULL));
  g_autofree char *csv = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_cmpstr (shardwise_chart_get_summary (chart), ==, "");
  shardwise_atlas_chart_set_cells (SHARDWISE_ATLAS_CHART (chart), cells, "H100");
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "8 B on 1 node (8 GPUs): 50.0"));
  g_assert_nonnull (strstr (shardwise_chart_get_summary (chart), "80 B on 4 nodes (32 GPUs)"));
  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (chart), GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (chart), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       shardwise_chart_get_summary (chart));
  shardwise_chart_set_point (chart, 3);
  g_assert_nonnull (strstr (shardwise_chart_get_readout (chart), "nothing fits; 100 GiB"));
  shardwise_chart_set_point (chart, 4);
  g_assert_nonnull (strstr (shardwise_chart_get_readout (chart), "80 B on 2 nodes (16 GPUs): MFU "
                                                                 "45.0"));
  csv = shardwise_chart_to_csv (chart);
  lines = g_strsplit (csv, "\r\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 8); /* header, six cells, nothing */
  g_assert_cmpstr (lines[4], ==, "nothing fits,80,1,8,,,,100");
  g_assert_finalize_object (chart);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/atlas-chart/drawing", test_drawing);
  g_test_add_func ("/atlas-chart/narrow", test_narrow);
  g_test_add_func ("/atlas-chart/keys", test_keys);
  g_test_add_func ("/atlas-chart/words", test_words);
  return g_test_run ();
}
