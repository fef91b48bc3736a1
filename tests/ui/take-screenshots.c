/* SPDX-License-Identifier: GPL-3.0-or-later */
/* take-screenshots SCENARIO FOLDER: pictures of the real window, a page each, for the README, the
 * manual and the software centres; ninja screenshots. */
#include "charts-ready.h"
#include "application-fixture.h"
#include "shardwise-key.h"
#include "shardwise-search-progress.h"

#define FONT "Cantarell 11" /* GNOME's, with its hinting */
#define REST_MS 1000        /* for what fades in, and for sections that wake one after the other */

static const char *const pages[] = { "advice", "analysis", "alternatives", "scale" };

/* (transfer full): what the window drew last; what asks to be drawn anew has no picture until it
 * is. */
static GskRenderNode *
draw (GtkWidget *window)
{
  GskRenderNode *node;

  do
    {
      g_autoptr (GdkPaintable) paintable = NULL;
      GtkSnapshot *snapshot = gtk_snapshot_new ();

      gtk_test_widget_wait_for_draw (window);
      paintable = gtk_widget_paintable_new (window);
      gdk_paintable_snapshot (paintable, snapshot, gtk_widget_get_width (window),
                              gtk_widget_get_height (window));
      node = gtk_snapshot_free_to_node (snapshot);
    }
  while (node == NULL);
  return node;
}

/* Whether all strategies are still sought for the table that is seen. */
static gboolean
is_searching (ShardwiseWindow *window)
{
  GtkWidget *progress = ui_find (GTK_WIDGET (window), SHARDWISE_TYPE_SEARCH_PROGRESS);

  return progress != NULL
         && shardwise_search_progress_is_searching (SHARDWISE_SEARCH_PROGRESS (progress));
}

/* Two other GPUs beside the recommended strategy. */
static void
add_columns (ShardwiseWindow *window)
{
  static const char *const gpus[] = { "h200-141-sxm", "b200-180-sxm" };
  GVariantBuilder columns;

  g_variant_builder_init (&columns, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < G_N_ELEMENTS (gpus); i++)
    {
      GVariantDict gpu;

      g_variant_dict_init (&gpu, NULL);
      g_variant_dict_insert (&gpu, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPU), "s", gpus[i]);
      g_variant_builder_add_value (&columns, g_variant_dict_end (&gpu));
    }
  activate (window, "compare", g_variant_builder_end (&columns));
  ui_run_for (10 * REST_MS); /* both are computed on a thread */
}

static void
take (ShardwiseWindow *window, const char *page, const char *folder)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.png", folder, page);
  cairo_surface_t *surface;
  cairo_t *cr;
  GskRenderNode *node;

  activate (window, "page", g_variant_new_string (page));
  wait_until (ui_charts_are_ready (GTK_WIDGET (window)) && !is_searching (window));
  ui_run_for (REST_MS);
  wait_until (!is_searching (window));
  node = draw (GTK_WIDGET (window));
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24,
                                        gtk_widget_get_width (GTK_WIDGET (window)),
                                        gtk_widget_get_height (GTK_WIDGET (window)));
  cr = cairo_create (surface);
  gsk_render_node_draw (node, cr);
  gsk_render_node_unref (node);
  cairo_destroy (cr);
  g_assert_cmpint (cairo_surface_write_to_png (surface, path), ==, CAIRO_STATUS_SUCCESS);
  cairo_surface_destroy (surface);
}

int
main (int argc, char *argv[])
{
  g_autoptr (ShardwiseApplication) application = NULL;
  g_autoptr (GFile) file = NULL;
  ShardwiseWindow *window;

  isolate_directories ();
  if (argc != 3 || !gtk_init_check ())
    {
      g_printerr ("usage: take-screenshots SCENARIO FOLDER, with a display\n");
      return 2;
    }
  g_object_set (gtk_settings_get_default (), "gtk-font-name", FONT, "gtk-xft-antialias", 1,
                "gtk-xft-hinting", 1, "gtk-xft-hintstyle", "hintslight", "gtk-hint-font-metrics",
                FALSE, NULL);
  application = start_application ();
  window = shardwise_window_new (GTK_APPLICATION (application),
                                 shardwise_application_get_settings (application));
  gtk_window_set_default_size (GTK_WINDOW (window), 1280, 900);
  file = g_file_new_for_path (argv[1]);
  shardwise_window_open_file (window, file);
  gtk_window_present (GTK_WINDOW (window));
  wait_until (shardwise_window_get_advisor (window) != NULL && has_status (window, "ready"));
  add_columns (window);
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    take (window, pages[i], argv[2]);
  gtk_window_destroy (GTK_WINDOW (window));
  return 0;
}
