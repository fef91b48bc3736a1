/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report on pages, only with pango and cairo: the window and the command line print the same. */
#define _GNU_SOURCE /* for the paper size of a locale */

#include "shardwise-report-pages.h"

#include <cairo-pdf.h>
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <langinfo.h>

#define MARGIN 18.0   /* points, in addition to the printer's margins */
#define MARGIN_Y 36.0 /* for the head and the foot of a page */
#define CELL_GAP 10.0
#define STRONG_GAP 5.0 /* above a heading or a total */
#define EDGE 18.0      /* white edge of printers, as in GTK */
#define MM (72 / 25.4)

/* An item, or a line of an item that is longer than a page, with its height on the page. */
typedef struct {
  const ShardwiseReportItem *item; /* of the report */
  PangoLayout *layouts[SHARDWISE_REPORT_CELLS];
  double x[SHARDWISE_REPORT_CELLS];
  double height, before; /* points; before: above it, except at the top of a page */
  guint page;
  double y;
} Placed;

struct _ShardwiseReportPages {
  ShardwiseReport *report;
  PangoContext *context;
  double width, height;
  GArray *placed; /* Placed elements */
  guint n_pages;
};

static const struct {
  const char *font;
  double before;
} styles[] = {
  [SHARDWISE_REPORT_TITLE] = { "Sans Bold 20", 0 },
  [SHARDWISE_REPORT_HEADING] = { "Sans Bold 13", 18 },
  [SHARDWISE_REPORT_PARAGRAPH] = { "Sans 9.5", 6 },
  [SHARDWISE_REPORT_SMALL] = { "Sans 8", 6 },
  [SHARDWISE_REPORT_ROW] = { "Sans 9", 3 },
  [SHARDWISE_REPORT_CHART] = { "Sans 9", 8 },
};

/* The share of the width of each cell of a row of two, three or four. */
static const double shares[][SHARDWISE_REPORT_CELLS] = {
  { 1 }, { 1 }, { 0.36, 0.64 }, { 0.32, 0.26, 0.42 }, { 0.6, 0.14, 0.11, 0.15 },
};

/* ---- heights ---- */

static PangoLayout *
layout_new (const ShardwiseReportPages *self, const char *text, const char *font, gboolean bold,
            double width)
{
  g_autoptr (PangoFontDescription) description = pango_font_description_from_string (font);
  PangoLayout *layout = pango_layout_new (self->context);

  if (bold)
    pango_font_description_set_weight (description, PANGO_WEIGHT_BOLD);
  pango_layout_set_font_description (layout, description);
  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_text (layout, text, -1);
  return layout;
}

static double
layout_height (PangoLayout *layout)
{
  int height;

  pango_layout_get_size (layout, NULL, &height);
  return (double) height / PANGO_SCALE;
}

static double
content_width (const ShardwiseReportPages *self)
{
  return self->width - 2 * MARGIN;
}

static void
measure_item (const ShardwiseReportPages *self, Placed *placed)
{
  const ShardwiseReportItem *item = placed->item;
  double x = MARGIN;

  placed->before = styles[item->kind].before + (item->strong ? STRONG_GAP : 0);
  if (item->picture != NULL)
    placed->height = shardwise_picture_height (item->picture, self->context, content_width (self));
  for (guint i = 0; i < item->n_cells; i++)
    {
      double width = content_width (self) * shares[item->n_cells][i];

      placed->x[i] = x;
      placed->layouts[i] = layout_new (self, item->cells[i], styles[item->kind].font, item->strong,
                                       width - CELL_GAP);
      placed->height = MAX (placed->height, layout_height (placed->layouts[i]));
      x += width;
    }
}

/* A text that does not fit on one page is split between two lines. */
static void
append_item (ShardwiseReportPages *self, const ShardwiseReportItem *item)
{
  Placed placed = { .item = item };

  measure_item (self, &placed);
  if (item->n_cells != 1 || placed.height <= self->height - 2 * MARGIN_Y)
    {
      g_array_append_val (self->placed, placed);
      return;
    }
  for (GSList *line = pango_layout_get_lines_readonly (placed.layouts[0]); line != NULL;
       line = line->next)
    {
      const int start = pango_layout_line_get_start_index (line->data);
      g_autofree char *text = g_strndup (item->cells[0] + start,
                                         (gsize) pango_layout_line_get_length (line->data));
      Placed part = { .item = item, .before = start == 0 ? placed.before : 0 };

      part.x[0] = placed.x[0];
      part.layouts[0] = layout_new (self, text, styles[item->kind].font, FALSE,
                                    content_width (self) - CELL_GAP);
      part.height = layout_height (part.layouts[0]);
      g_array_append_val (self->placed, part);
    }
  g_object_unref (placed.layouts[0]);
}

/* ---- pages ---- */

/* Whether an item must not be the last on a page: a heading, the head of a table, or the words
 * about a chart. */
static gboolean
stays_with_next (const ShardwiseReportItem *item, const ShardwiseReportItem *next)
{
  if (item->kind == SHARDWISE_REPORT_HEADING)
    return TRUE;
  if (item->kind == SHARDWISE_REPORT_ROW)
    return item->strong && next->kind == SHARDWISE_REPORT_ROW;
  return item->kind == SHARDWISE_REPORT_PARAGRAPH && next->kind == SHARDWISE_REPORT_CHART;
}

static void
place_items (ShardwiseReportPages *self)
{
  double y = MARGIN_Y, bottom = self->height - MARGIN_Y;

  self->n_pages = 1;
  for (guint i = 0; i < self->placed->len; i++)
    {
      Placed *placed = &g_array_index (self->placed, Placed, i);
      /* the height of an item with everything that must follow it */
      double needed = placed->height;

      for (guint next = i; next + 1 < self->placed->len
                           && stays_with_next (placed[next - i].item, placed[next - i + 1].item);
           next++)
        needed += placed[next - i + 1].before + placed[next - i + 1].height;
      if (y > MARGIN_Y && y + placed->before + needed > bottom)
        {
          self->n_pages++;
          y = MARGIN_Y;
        }
      else if (y > MARGIN_Y)
        {
          y += placed->before;
        }
      placed->page = self->n_pages - 1;
      placed->y = y;
      y += placed->height;
    }
}

/**
 * shardwise_report_pages_new:
 * @report: the report to print
 * @context: for the fonts, with one unit a point
 * @width: of a page; points
 * @height: of a page; points
 *
 * Returns: (transfer full): the report on pages of that size
 */
ShardwiseReportPages *
shardwise_report_pages_new (ShardwiseReport *report, PangoContext *context, double width,
                            double height)
{
  ShardwiseReportPages *self = g_new0 (ShardwiseReportPages, 1);

  self->report = g_object_ref (report);
  self->context = g_object_ref (context);
  self->width = width;
  self->height = height;
  self->placed = g_array_new (FALSE, TRUE, sizeof (Placed));
  for (guint i = 0; i < shardwise_report_n_items (report); i++)
    append_item (self, shardwise_report_get_item (report, i));
  place_items (self);
  return self;
}

/**
 * shardwise_report_pages_free:
 * @self: pages
 */
void
shardwise_report_pages_free (ShardwiseReportPages *self)
{
  for (guint i = 0; i < self->placed->len; i++)
    for (guint j = 0; j < SHARDWISE_REPORT_CELLS; j++)
      g_clear_object (&g_array_index (self->placed, Placed, i).layouts[j]);
  g_array_unref (self->placed);
  g_object_unref (self->context);
  g_object_unref (self->report);
  g_free (self);
}

/**
 * shardwise_report_pages_count:
 * @self: pages
 *
 * Returns: their count, at least 1
 */
guint
shardwise_report_pages_count (const ShardwiseReportPages *self)
{
  return self->n_pages;
}

/* ---- drawing ---- */

static void
draw_rule (const ShardwiseReportPages *self, cairo_t *cr, double y)
{
  cairo_set_line_width (cr, 0.5);
  cairo_set_source_rgb (cr, 0.7, 0.7, 0.7);
  cairo_move_to (cr, MARGIN, y);
  cairo_line_to (cr, self->width - MARGIN, y);
  cairo_stroke (cr);
}

static void
draw_text (const ShardwiseReportPages *self, cairo_t *cr, const char *text, double y,
           PangoAlignment alignment)
{
  g_autoptr (PangoLayout) layout = layout_new (self, text, "Sans 8", FALSE, content_width (self));

  pango_layout_set_alignment (layout, alignment);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  cairo_set_source_rgb (cr, 0.35, 0.35, 0.35);
  cairo_move_to (cr, MARGIN, y);
  pango_cairo_show_layout (cr, layout);
}

static void
draw_item (const ShardwiseReportPages *self, cairo_t *cr, const Placed *placed)
{
  const ShardwiseReportItem *item = placed->item;
  double grey = item->kind == SHARDWISE_REPORT_SMALL ? 0.35 : 0;

  if (item->picture != NULL)
    {
      cairo_save (cr);
      cairo_translate (cr, MARGIN, placed->y);
      shardwise_picture_draw (item->picture, cr, self->context, content_width (self));
      cairo_restore (cr);
    }
  if (item->kind == SHARDWISE_REPORT_ROW && item->strong)
    draw_rule (self, cr, placed->y + placed->height + 1);
  cairo_set_source_rgb (cr, grey, grey, grey);
  for (guint i = 0; i < item->n_cells; i++)
    {
      cairo_move_to (cr, placed->x[i], placed->y);
      pango_cairo_show_layout (cr, placed->layouts[i]);
    }
}

/**
 * shardwise_report_pages_draw:
 * @self: pages
 * @cr: where to draw, with one unit a point
 * @page: its index, from 0
 *
 * Draws a page with its header and page number.
 */
void
shardwise_report_pages_draw (const ShardwiseReportPages *self, cairo_t *cr, guint page)
{
  g_return_if_fail (page < self->n_pages);

  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%x");
  /* Translators: a page and the number of pages */
  g_autofree char *number = g_strdup_printf (_ ("Page %u of %u"), page + 1, self->n_pages);

  draw_text (self, cr, shardwise_report_get_title (self->report), 8, PANGO_ALIGN_LEFT);
  draw_rule (self, cr, 22);
  draw_rule (self, cr, self->height - 24);
  /* Translators: %s is a date */
  g_autofree char *made = g_strdup_printf (_ ("Shardwise, %s"), date);

  draw_text (self, cr, made, self->height - 20, PANGO_ALIGN_LEFT);
  draw_text (self, cr, number, self->height - 20, PANGO_ALIGN_RIGHT);
  for (guint i = 0; i < self->placed->len; i++)
    if (g_array_index (self->placed, Placed, i).page == page)
      draw_item (self, cr, &g_array_index (self->placed, Placed, i));
}

struct _ShardwiseReportPdf {
  ShardwiseReportPages *pages;
  GByteArray *bytes; /* the output */
  cairo_surface_t *surface;
  cairo_t *cr;
  guint next; /* the next page to draw */
};

static cairo_status_t
append_cb (void *bytes, const unsigned char *data, unsigned length)
{
  g_byte_array_append (bytes, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* From the locale; A4 by default. */
static void
paper_size (double *width, double *height)
{
  const int mm_wide = GPOINTER_TO_INT (nl_langinfo (_NL_PAPER_WIDTH)),
            mm_high = GPOINTER_TO_INT (nl_langinfo (_NL_PAPER_HEIGHT));
  const gboolean known = mm_wide > 100 && mm_wide < 1000 && mm_high > 100 && mm_high < 1000;

  *width = (known ? mm_wide : 210) * MM;
  *height = (known ? mm_high : 297) * MM;
}

/**
 * shardwise_report_pdf_new:
 * @report: the report to print
 *
 * Lays out the report on the paper of the locale.
 *
 * Returns: (transfer full): a PDF file without pages
 */
ShardwiseReportPdf *
shardwise_report_pdf_new (ShardwiseReport *report)
{
  ShardwiseReportPdf *self = g_new0 (ShardwiseReportPdf, 1);
  double width, height;
  PangoContext *fonts = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  cairo_font_options_t *options = cairo_font_options_create ();

  /* Fonts for a page with one unit a point, as in GTK's printing. */
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options (fonts, options);
  pango_cairo_context_set_resolution (fonts, 72);
  cairo_font_options_destroy (options);
  paper_size (&width, &height);
  self->pages = shardwise_report_pages_new (report, fonts, width - 2 * EDGE, height - 2 * EDGE);
  g_object_unref (fonts);
  self->bytes = g_byte_array_new ();
  self->surface = cairo_pdf_surface_create_for_stream (append_cb, self->bytes, width, height);
  cairo_pdf_surface_set_metadata (self->surface, CAIRO_PDF_METADATA_TITLE,
                                  shardwise_report_get_title (report));
  self->cr = cairo_create (self->surface);
  cairo_translate (self->cr, EDGE, EDGE);
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
 * @self: a file after all pages were drawn
 * @error: (out): an error of cairo
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
  cairo_surface_destroy (self->surface); /* may still write */
  g_byte_array_unref (self->bytes);
  shardwise_report_pages_free (self->pages);
  g_free (self);
}

/**
 * shardwise_report_to_pdf:
 * @report: the report to print
 * @n_pages: (out): their count
 * @error: (out): an error of cairo
 *
 * Returns: (transfer full) (nullable): its file; blocks
 */
GBytes *
shardwise_report_to_pdf (ShardwiseReport *report, guint *n_pages, GError **error)
{
  g_autoptr (ShardwiseReportPdf) pdf = shardwise_report_pdf_new (report);

  *n_pages = shardwise_report_pages_count (pdf->pages);
  while (shardwise_report_pdf_draw_next (pdf))
    ;
  return shardwise_report_pdf_finish (pdf, error);
}
