/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-chart-draw.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-format.h"

#define TEXTS "shardwise-chart-texts"
#define TEXT_SCALE 0.85 /* of the widget's font */
#define SWATCH 12       /* pixels */
#define LEGEND_GAP 14   /* between two entries */
#define LEGEND_MARGIN 8 /* under the legend */
#define PALE 0.35       /* opacity of a twin outside the sum */

/* PangoLayouts by content: of this drawing and of the previous one. */
typedef struct {
  GHashTable *now, *before;
} Texts;

static GHashTable *
new_table (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
}

static void
texts_free (gpointer data)
{
  Texts *self = data;

  g_hash_table_unref (self->now);
  g_hash_table_unref (self->before);
  g_free (self);
}

static Texts *
texts_of (ShardwiseChart *chart)
{
  Texts *self = g_object_get_data (G_OBJECT (chart), TEXTS);

  if (self == NULL)
    {
      self = g_new0 (Texts, 1);
      self->now = new_table ();
      self->before = new_table ();
      g_object_set_data_full (G_OBJECT (chart), TEXTS, self, texts_free);
    }
  return self;
}

/**
 * shardwise_draw_texts_begin:
 * @chart: a chart
 *
 * Begins a drawing: drops texts that the previous one did not use.
 */
void
shardwise_draw_texts_begin (ShardwiseChart *chart)
{
  Texts *self = texts_of (chart);

  g_hash_table_unref (self->before);
  self->before = self->now;
  self->now = new_table ();
}

/**
 * shardwise_draw_line_layout:
 * @chart: a chart with the font
 * @text: one line
 * @scale: of the font's size
 * @bold: emphasised
 *
 * Returns: (transfer none): a layout that must not be changed, valid until the drawing after the
 *   next; with the font at the time of use
 */
PangoLayout *
shardwise_draw_line_layout (ShardwiseChart *chart, const char *text, double scale, gboolean bold)
{
  Texts *self = texts_of (chart);
  g_autofree char *key = g_strdup_printf ("%d %g %s", bold, scale, text);
  PangoLayout *layout = g_hash_table_lookup (self->now, key);

  if (layout != NULL)
    return layout;
  layout = g_hash_table_lookup (self->before, key);
  layout = layout != NULL ? g_object_ref (layout)
                          : shardwise_draw_layout (chart, text, scale, bold);
  g_hash_table_insert (self->now, g_steal_pointer (&key), layout);
  return layout;
}

/**
 * shardwise_draw_layout:
 * @chart: a chart with the font
 * @text: one line
 * @scale: of the font's size
 * @bold: emphasised
 *
 * Returns: (transfer full): a new layout, with tabular figures
 */
PangoLayout *
shardwise_draw_layout (ShardwiseChart *chart, const char *text, double scale, gboolean bold)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (chart), text);
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
  pango_attr_list_insert (attributes, pango_attr_scale_new (scale));
  if (bold)
    pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  pango_layout_set_attributes (layout, attributes);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  return layout;
}

static PangoLayout *
small_line (ShardwiseChart *chart, const char *text)
{
  return shardwise_draw_line_layout (chart, text, TEXT_SCALE, FALSE);
}

/**
 * shardwise_draw_layout_at:
 * @pen: the pen
 * @layout: the text
 * @color: the color of the text
 * @x: the anchor
 * @y: the anchor
 * @xalign: 0: the anchor is the left edge, 1: the right one
 * @yalign: 0: the anchor is the upper edge, 1: the lower one
 */
void
shardwise_draw_layout_at (const ShardwisePen *pen, PangoLayout *layout, const GdkRGBA *color,
                          double x, double y, double xalign, double yalign)
{
  int width, height;

  pango_layout_get_pixel_size (layout, &width, &height);
  gtk_snapshot_save (pen->snapshot);
  gtk_snapshot_translate (pen->snapshot, &GRAPHENE_POINT_INIT (roundf (x - width * xalign),
                                                               roundf (y - height * yalign)));
  gtk_snapshot_append_layout (pen->snapshot, layout, color);
  gtk_snapshot_restore (pen->snapshot);
}

/**
 * shardwise_draw_text:
 *
 * Draws a line of small text; see shardwise_draw_layout_at().
 */
void
shardwise_draw_text (const ShardwisePen *pen, const char *text, const GdkRGBA *color, double x,
                     double y, double xalign, double yalign)
{
  shardwise_draw_layout_at (pen, small_line (pen->chart, text), color, x, y, xalign, yalign);
}

/**
 * shardwise_draw_text_within:
 *
 * Draws a line of small text from @x on, cut with an ellipsis after @width pixels.
 */
void
shardwise_draw_text_within (const ShardwisePen *pen, const char *text, const GdkRGBA *color,
                            double x, double y, double width, double yalign)
{
  g_autoptr (PangoLayout) layout = NULL;

  if (shardwise_draw_text_width (pen->chart, text) <= width)
    {
      shardwise_draw_text (pen, text, color, x, y, 0, yalign);
      return;
    }
  layout = shardwise_draw_layout (pen->chart, text, TEXT_SCALE, FALSE);
  pango_layout_set_width (layout, (int) (MAX (width, 1) * PANGO_SCALE));
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  shardwise_draw_layout_at (pen, layout, color, x, y, 0, yalign);
}

/* Small text in lines of @width pixels that break between its figures. */
static PangoLayout *
lines_layout (ShardwiseChart *chart, const char *text, double width)
{
  g_autofree char *unbroken = shardwise_format_unbroken (text);
  PangoLayout *layout = shardwise_draw_layout (chart, unbroken, TEXT_SCALE, FALSE);

  pango_layout_set_width (layout, (int) (MAX (width, 1) * PANGO_SCALE));
  return layout;
}

/**
 * shardwise_draw_line_count:
 *
 * Returns: the number of lines of shardwise_draw_text_lines()
 */
guint
shardwise_draw_line_count (ShardwiseChart *chart, const char *text, double width)
{
  g_autoptr (PangoLayout) layout = NULL;

  if (shardwise_draw_text_width (chart, text) <= width)
    return 1;
  layout = lines_layout (chart, text, width);
  return (guint) pango_layout_get_line_count (layout);
}

/**
 * shardwise_draw_text_lines:
 *
 * Draws small text from @x on, in lines of @width pixels that break between its figures.
 */
void
shardwise_draw_text_lines (const ShardwisePen *pen, const char *text, const GdkRGBA *color,
                           double x, double y, double width)
{
  g_autoptr (PangoLayout) layout = lines_layout (pen->chart, text, width);

  shardwise_draw_layout_at (pen, layout, color, x, y, 0, 0);
}

/**
 * shardwise_draw_text_width:
 *
 * Returns: the width of a line of small text, in pixels
 */
int
shardwise_draw_text_width (ShardwiseChart *chart, const char *text)
{
  int width;

  pango_layout_get_pixel_size (small_line (chart, text), &width, NULL);
  return width;
}

/**
 * shardwise_draw_line_height:
 *
 * Returns: the height of a line of small text, in pixels
 */
int
shardwise_draw_line_height (ShardwiseChart *chart)
{
  int height;

  pango_layout_get_pixel_size (small_line (chart, "0"), NULL, &height);
  return height;
}

/**
 * shardwise_draw_axis_height:
 *
 * Returns: the height of the ticks of a horizontal axis and their labels, in pixels
 */
int
shardwise_draw_axis_height (ShardwiseChart *chart)
{
  return shardwise_draw_line_height (chart) + 10;
}

/**
 * shardwise_draw_box:
 * @pen: the pen
 * @color: a category
 * @pale: whether it is a twin outside the sum
 *
 * Fills a rectangle with a category's color and, in high contrast, its pattern.
 */
void
shardwise_draw_box (const ShardwisePen *pen, ShardwiseColor color, gboolean pale, double x,
                    double y, double width, double height)
{
  GdkRGBA fill, line;

  if (width <= 0 || height <= 0)
    return;
  shardwise_palette_get (color, pen->dark, &fill);
  shardwise_palette_text_on (&fill, &line);
  if (pale)
    fill.alpha = PALE;
  gtk_snapshot_append_color (pen->snapshot, &fill, &GRAPHENE_RECT_INIT (x, y, width, height));

  if (pen->high_contrast && width > 2)
    {
      cairo_t *cr = gtk_snapshot_append_cairo (pen->snapshot,
                                               &GRAPHENE_RECT_INIT (x, y, width, height));

      line.alpha = 0.7f;
      shardwise_palette_hatch (cr, shardwise_ink_pattern (color), &line, x, y, width, height);
      cairo_destroy (cr);
      shardwise_draw_outline (pen, &pen->text, &GRAPHENE_RECT_INIT (x, y, width, height), 1);
    }
}

/**
 * shardwise_draw_hatched:
 *
 * Hatches a rectangle in a category's color over the card, for idle or reserved parts. Uses a
 * gradient, because stroking the lines of many cells takes twice the time.
 */
void
shardwise_draw_hatched (const ShardwisePen *pen, ShardwiseColor color, double x, double y,
                        double width, double height)
{
  const float half = (float) (G_SQRT2 / SHARDWISE_HATCH_STEP); /* a line of 1 pixel, smoothed */
  const float step = (float) (SHARDWISE_HATCH_STEP / 2);
  GskColorStop stops[] = { { .offset = 0 },
                           { .offset = 0.5f - half },
                           { .offset = 0.5f },
                           { .offset = 0.5f + half },
                           { .offset = 1 } };

  if (width <= 0 || height <= 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (stops); i++)
    {
      shardwise_palette_get (color, pen->dark, &stops[i].color);
      if (i != G_N_ELEMENTS (stops) / 2)
        stops[i].color.alpha = 0;
    }
  /* From the origin, so that neighbors join up. */
  gtk_snapshot_append_repeating_linear_gradient (
      pen->snapshot, &GRAPHENE_RECT_INIT (x, y, width, height), &GRAPHENE_POINT_INIT (0, 0),
      &GRAPHENE_POINT_INIT (step, step), stops, G_N_ELEMENTS (stops));
}

/**
 * shardwise_draw_line:
 *
 * Draws a horizontal or vertical line as a filled rectangle.
 */
void
shardwise_draw_line (const ShardwisePen *pen, const GdkRGBA *color, double x, double y,
                     double width, double height)
{
  gtk_snapshot_append_color (pen->snapshot, color,
                             &GRAPHENE_RECT_INIT (roundf (x), roundf (y), width, height));
}

/**
 * shardwise_draw_outline:
 *
 * Draws a frame just inside a rectangle.
 */
void
shardwise_draw_outline (const ShardwisePen *pen, const GdkRGBA *color, const graphene_rect_t *area,
                        double width)
{
  const float widths[4] = { width, width, width, width };
  const GdkRGBA colors[4] = { *color, *color, *color, *color };
  GskRoundedRect frame;

  gsk_rounded_rect_init_from_rect (&frame, area, 2);
  gtk_snapshot_append_border (pen->snapshot, &frame, widths, colors);
}

/**
 * shardwise_draw_mark:
 * @cr: where to draw, with the color of the mark set
 * @mark: the mark of a series
 * @x: the middle
 * @y: the middle
 * @radius: the radius of the disc; squares look equally large
 *
 * Draws a point of a series.
 */
void
shardwise_draw_mark (cairo_t *cr, ShardwiseMark mark, double x, double y, double radius)
{
  double half = radius * 0.9; /* a square of about the disc's area */

  if (mark == SHARDWISE_MARK_SQUARE)
    cairo_rectangle (cr, x - half, y - half, 2 * half, 2 * half);
  else
    cairo_arc (cr, x, y, radius, 0, 2 * G_PI);
  cairo_fill (cr);
}

/**
 * shardwise_draw_hollow_mark:
 * @pen: what draws
 * @cr: where to draw, with the color of the mark
 * @mark: of a series
 * @x: the middle
 * @y: the middle
 * @radius: as of shardwise_draw_mark()
 *
 * Draws a point of a series that is to be told from the others.
 */
void
shardwise_draw_hollow_mark (const ShardwisePen *pen, cairo_t *cr, ShardwiseMark mark, double x,
                            double y, double radius)
{
  shardwise_draw_mark (cr, mark, x, y, radius);
  cairo_save (cr);
  gdk_cairo_set_source_rgba (cr, &pen->card);
  shardwise_draw_mark (cr, mark, x, y, radius * 0.55);
  cairo_restore (cr);
}

/**
 * shardwise_draw_level_axis:
 * @pen: the pen
 * @axis: from left to right
 * @ticks: the style of its ticks
 *
 * Draws the ticks of an axis below its plot, each with its lines and its label.
 */
void
shardwise_draw_level_axis (const ShardwisePen *pen, const ShardwiseAxis *axis,
                           const ShardwiseTicks *ticks)
{
  double values[SHARDWISE_AXIS_MAX_TICKS];
  double room = (axis->end - axis->start) / (ticks->each * shardwise_draw_line_height (pen->chart));
  guint n = shardwise_axis_ticks (axis, (guint) CLAMP (room, 2, ticks->most), values);

  for (guint i = 0; i < n; i++)
    {
      double x = shardwise_axis_to_pixel (axis, values[i]), step = values[i], half;
      g_autofree char *label = NULL;

      if (n == 1 && ticks->alone > 0)
        step = ticks->alone;
      else if (n > 1 && axis->scale == SHARDWISE_SCALE_LINEAR)
        step = values[1] - values[0];
      label = ticks->format != NULL ? ticks->format (values[i], axis->unit, step)
                                    : shardwise_format_whole (values[i]);
      half = shardwise_draw_text_width (pen->chart, label) / 2.0;
      for (guint span = 0; span < SHARDWISE_TICK_SPANS; span++)
        if (ticks->spans[span][0] != ticks->spans[span][1])
          shardwise_draw_line (pen, &pen->grid, x, ticks->spans[span][0], 1,
                               ticks->spans[span][1] - ticks->spans[span][0]);
      if (ticks->left < ticks->right)
        x = CLAMP (x, ticks->left + half, ticks->right - half);
      shardwise_draw_text (pen, label, &pen->dim, x, ticks->label_y, 0.5, 0);
    }
}

/**
 * shardwise_draw_upright_axis:
 * @pen: the pen
 * @axis: from bottom to top
 * @each: minimum lines of text per tick
 * @left: the start of the ticks' lines; their labels are to the left
 * @right: their end
 * @format: (scope call): formats a tick's label, (transfer full)
 *
 * Draws the ticks of an axis beside its plot.
 */
void
shardwise_draw_upright_axis (const ShardwisePen *pen, const ShardwiseAxis *axis, double each,
                             double left, double right, char *(*format) (double value))
{
  double ticks[SHARDWISE_AXIS_MAX_TICKS];
  double room = (axis->start - axis->end) / (each * shardwise_draw_line_height (pen->chart));
  guint n = shardwise_axis_ticks (axis, (guint) CLAMP (room, 2, 8), ticks);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = format (ticks[i]);
      double y = shardwise_axis_to_pixel (axis, ticks[i]);

      shardwise_draw_line (pen, &pen->grid, left, y, right - left, 1);
      shardwise_draw_text (pen, label, &pen->dim, left - 6, y, 1, 0.5);
    }
}

/**
 * shardwise_draw_percent_label:
 * @share: a tick, a fraction of 1
 *
 * Returns: (transfer full): the tick's label
 */
char *
shardwise_draw_percent_label (double share)
{
  /* Translators: a percentage on an axis */
  return g_strdup_printf (_ ("%.0f %%"), share * 100);
}

static void
draw_swatch (const ShardwisePen *pen, const ShardwiseLegendEntry *entry, int x, int y)
{
  GdkRGBA color;

  shardwise_palette_get (entry->color, pen->dark, &color);
  if (entry->mark != SHARDWISE_MARK_NONE)
    {
      /* A piece of the series' line with one of its points. */
      cairo_t *cr = gtk_snapshot_append_cairo (pen->snapshot,
                                               &GRAPHENE_RECT_INIT (x, y, SWATCH, SWATCH));

      gdk_cairo_set_source_rgba (cr, &color);
      cairo_rectangle (cr, x, y + SWATCH / 2 - 1, SWATCH, 2);
      cairo_fill (cr);
      if (entry->hollow)
        shardwise_draw_hollow_mark (pen, cr, entry->mark, x + SWATCH / 2.0, y + SWATCH / 2.0,
                                    SWATCH / 3.0);
      else
        shardwise_draw_mark (cr, entry->mark, x + SWATCH / 2.0, y + SWATCH / 2.0, SWATCH / 3.0);
      cairo_destroy (cr);
    }
  else if (entry->dashed)
    {
      for (int dash = 0; dash < SWATCH; dash += 5)
        shardwise_draw_line (pen, &pen->dim, x + dash, y + SWATCH / 2, 3, 2);
    }
  else if (entry->hatched)
    {
      shardwise_draw_hatched (pen, entry->color, x, y, SWATCH, SWATCH);
      shardwise_draw_outline (pen, &color, &GRAPHENE_RECT_INIT (x, y, SWATCH, SWATCH), 1);
    }
  else
    {
      shardwise_draw_box (pen, entry->color, entry->pale, x, y, SWATCH, SWATCH);
    }
}

/* Lays out a wrapping legend and draws it if there is a pen. Returns: its height */
static int
lay_out_legend (ShardwiseChart *chart, const ShardwisePen *pen, const ShardwiseLegendEntry *entries,
                guint n, int width)
{
  const int height = MAX (SWATCH, shardwise_draw_line_height (chart)) + 3;
  int x = 0, y = 0;

  for (guint i = 0; i < n; i++)
    {
      const int needed = SWATCH + 5 + shardwise_draw_text_width (chart, entries[i].label);

      if (x > 0 && x + needed > width)
        {
          x = 0;
          y += height;
        }
      if (pen != NULL)
        {
          draw_swatch (pen, &entries[i], x, y + (height - SWATCH) / 2);
          shardwise_draw_text_within (pen, entries[i].label, &pen->text, x + SWATCH + 5,
                                      y + height / 2.0, width - x - SWATCH - 5, 0.5);
        }
      x += needed + LEGEND_GAP;
    }
  return y + height;
}

/**
 * shardwise_draw_legend_height:
 *
 * Returns: the height of a legend that wraps at @width, including the margin below; 0: no entries
 */
int
shardwise_draw_legend_height (ShardwiseChart *chart, const ShardwiseLegendEntry *entries, guint n,
                              int width)
{
  return n > 0 ? lay_out_legend (chart, NULL, entries, n, width) + LEGEND_MARGIN : 0;
}

/**
 * shardwise_draw_legend:
 *
 * Draws a legend from the widget's upper left corner, wrapping at @width.
 */
void
shardwise_draw_legend (const ShardwisePen *pen, const ShardwiseLegendEntry *entries, guint n,
                       int width)
{
  lay_out_legend (pen->chart, pen, entries, n, width);
}
