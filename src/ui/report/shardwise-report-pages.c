/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-report-pages.h"

#include <glib/gi18n.h>

#define MARGIN 18.0   /* points, beside those of the printer */
#define MARGIN_Y 36.0 /* holds the head and the foot of a page */
#define CELL_GAP 10.0
#define STRONG_GAP 5.0   /* above a head or a total */
#define CHART_PIXELS 760 /* width that charts are laid out at */

/* An item, or a line of one that is longer than a page, with its height on the page. */
typedef struct {
  const ShardwiseReportItem *item; /* of the report */
  PangoLayout *layouts[SHARDWISE_REPORT_CELLS];
  double x[SHARDWISE_REPORT_CELLS];
  double height, before; /* points; before: above it, unless it begins a page */
  guint page;
  double y;
} Placed;

struct _ShardwiseReportPages {
  ShardwiseReport *report;
  PangoContext *context;
  double width, height;
  GArray *placed; /* of Placed */
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

/* Measured at a width in pixels, drawn at the width of the page. */
static double
chart_height (const ShardwiseReportPages *self, ShardwiseChart *chart)
{
  int natural;

  gtk_widget_measure (GTK_WIDGET (chart), GTK_ORIENTATION_VERTICAL, CHART_PIXELS, NULL, &natural,
                      NULL, NULL);
  gtk_widget_size_allocate (GTK_WIDGET (chart), &(GtkAllocation){ 0, 0, CHART_PIXELS, natural },
                            -1);
  return natural * content_width (self) / CHART_PIXELS;
}

static void
measure_item (const ShardwiseReportPages *self, Placed *placed)
{
  const ShardwiseReportItem *item = placed->item;
  double x = MARGIN;

  placed->before = styles[item->kind].before + (item->strong ? STRONG_GAP : 0);
  if (item->chart != NULL)
    placed->height = chart_height (self, item->chart);
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

static void
append_line (ShardwiseReportPages *self, const Placed *whole, PangoLayoutLine *line)
{
  const int start = pango_layout_line_get_start_index (line);
  g_autofree char *text = g_strndup (whole->item->cells[0] + start,
                                     (gsize) pango_layout_line_get_length (line));
  Placed placed = { .item = whole->item, .before = start == 0 ? whole->before : 0 };

  placed.x[0] = whole->x[0];
  placed.layouts[0] = layout_new (self, text, styles[whole->item->kind].font, FALSE,
                                  content_width (self) - CELL_GAP);
  placed.height = layout_height (placed.layouts[0]);
  g_array_append_val (self->placed, placed);
}

/* A text that no page can hold goes on where one ends, between two lines. */
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
    append_line (self, &placed, line->data);
  g_object_unref (placed.layouts[0]);
}

/* ---- pages ---- */

/* Whether an item must not be the last of a page: a heading, the head of a table, and the words
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

/* The height of an item with all that must stay with it. */
static double
needed (const ShardwiseReportPages *self, guint index)
{
  const Placed *placed = &g_array_index (self->placed, Placed, index);
  double height = placed->height;

  for (; index + 1 < self->placed->len && stays_with_next (placed[0].item, placed[1].item);
       index++, placed++)
    height += placed[1].before + placed[1].height;
  return height;
}

static void
place_items (ShardwiseReportPages *self)
{
  double y = MARGIN_Y, bottom = self->height - MARGIN_Y;

  self->n_pages = 1;
  for (guint i = 0; i < self->placed->len; i++)
    {
      Placed *placed = &g_array_index (self->placed, Placed, i);

      if (y > MARGIN_Y && y + placed->before + needed (self, i) > bottom)
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
 * @report: what is printed
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
draw_frame (const ShardwiseReportPages *self, cairo_t *cr, guint page)
{
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
}

static void
draw_chart (const ShardwiseReportPages *self, cairo_t *cr, const Placed *placed)
{
  double scale = content_width (self) / CHART_PIXELS;

  cairo_save (cr);
  cairo_translate (cr, MARGIN, placed->y);
  cairo_rectangle (cr, 0, 0, content_width (self), placed->height);
  cairo_clip (cr);
  cairo_scale (cr, scale, scale);
  shardwise_chart_render (placed->item->chart, cr);
  cairo_restore (cr);
}

static void
draw_item (const ShardwiseReportPages *self, cairo_t *cr, const Placed *placed)
{
  const ShardwiseReportItem *item = placed->item;
  double grey = item->kind == SHARDWISE_REPORT_SMALL ? 0.35 : 0;

  if (item->chart != NULL)
    draw_chart (self, cr, placed);
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
 * @cr: where to draw, one unit a point
 * @page: which, from 0
 *
 * Draws a page with its head and its number.
 */
void
shardwise_report_pages_draw (const ShardwiseReportPages *self, cairo_t *cr, guint page)
{
  g_return_if_fail (page < self->n_pages);

  draw_frame (self, cr, page);
  for (guint i = 0; i < self->placed->len; i++)
    if (g_array_index (self->placed, Placed, i).page == page)
      draw_item (self, cr, &g_array_index (self->placed, Placed, i));
}
