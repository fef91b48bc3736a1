/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-report-pdf.h"

#include <cairo-pdf.h>
#include <gtk/gtk.h>

#include "shardwise-report-pages.h"

struct _ShardwiseReportPdf {
  ShardwiseReportPages *pages;
  GByteArray *bytes; /* what was drawn */
  cairo_surface_t *surface;
  cairo_t *cr;
  guint next; /* the page that is drawn next */
};

static cairo_status_t
append_cb (void *bytes, const unsigned char *data, unsigned length)
{
  g_byte_array_append (bytes, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* (transfer full): fonts for a page where one unit is a point, as GTK prints with. */
static PangoContext *
fonts_new (void)
{
  PangoContext *fonts = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  cairo_font_options_t *options = cairo_font_options_create ();

  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options (fonts, options);
  pango_cairo_context_set_resolution (fonts, 72);
  cairo_font_options_destroy (options);
  return fonts;
}

/**
 * shardwise_report_pdf_new:
 * @report: what is printed
 *
 * Lays the report out on the paper of the locale, with GTK's margins.
 *
 * Returns: (transfer full): its file, without a page yet
 */
ShardwiseReportPdf *
shardwise_report_pdf_new (ShardwiseReport *report)
{
  ShardwiseReportPdf *self = g_new0 (ShardwiseReportPdf, 1);
  g_autoptr (GtkPageSetup) paper = gtk_page_setup_new ();
  PangoContext *fonts = fonts_new ();

  self->pages = shardwise_report_pages_new (
      report, fonts, gtk_page_setup_get_page_width (paper, GTK_UNIT_POINTS),
      gtk_page_setup_get_page_height (paper, GTK_UNIT_POINTS));
  g_object_unref (fonts);
  self->bytes = g_byte_array_new ();
  self->surface = cairo_pdf_surface_create_for_stream (
      append_cb, self->bytes, gtk_page_setup_get_paper_width (paper, GTK_UNIT_POINTS),
      gtk_page_setup_get_paper_height (paper, GTK_UNIT_POINTS));
  cairo_pdf_surface_set_metadata (self->surface, CAIRO_PDF_METADATA_TITLE,
                                  shardwise_report_get_title (report));
  self->cr = cairo_create (self->surface);
  cairo_translate (self->cr, gtk_page_setup_get_left_margin (paper, GTK_UNIT_POINTS),
                   gtk_page_setup_get_top_margin (paper, GTK_UNIT_POINTS));
  return self;
}

/**
 * shardwise_report_pdf_draw_next:
 * @self: a file
 *
 * Draws the next page.
 *
 * Returns: whether there are more
 */
gboolean
shardwise_report_pdf_draw_next (ShardwiseReportPdf *self)
{
  g_return_val_if_fail (self->next < shardwise_report_pages_count (self->pages), FALSE);

  shardwise_report_pages_draw (self->pages, self->cr, self->next);
  cairo_show_page (self->cr);
  return ++self->next < shardwise_report_pages_count (self->pages);
}

/**
 * shardwise_report_pdf_finish:
 * @self: a file whose pages were drawn
 * @error: (out): what cairo could not draw
 *
 * Returns: (transfer full) (nullable): its content
 */
GBytes *
shardwise_report_pdf_finish (ShardwiseReportPdf *self, GError **error)
{
  cairo_status_t status = cairo_status (self->cr);

  cairo_surface_finish (self->surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (self->surface);
  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, cairo_status_to_string (status));
      return NULL;
    }
  return g_bytes_new (self->bytes->data, self->bytes->len);
}

/**
 * shardwise_report_pdf_free:
 * @self: a file
 */
void
shardwise_report_pdf_free (ShardwiseReportPdf *self)
{
  cairo_destroy (self->cr);
  cairo_surface_destroy (self->surface); /* which may write */
  g_byte_array_unref (self->bytes);
  shardwise_report_pages_free (self->pages);
  g_free (self);
}
