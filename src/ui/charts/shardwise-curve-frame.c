/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-curve-frame.h"

#include <math.h>

#include "shardwise-format.h"

/**
 * shardwise_curve_frame_height:
 * @chart: the chart, for its fonts
 * @width: the width of the plot; pixels
 * @minimum: (out): the minimum height; pixels
 *
 * Returns: the natural height of a chart of one curve; pixels
 */
int
shardwise_curve_frame_height (ShardwiseChart *chart, int width, int *minimum)
{
  int line = shardwise_draw_line_height (chart);

  *minimum = MAX (220, 13 * line);
  return MAX (280, 17 * line);
}

/**
 * shardwise_curve_frame_layout:
 * @self: a frame with ranges
 * @chart: the chart, for its fonts
 * @plot: the available area; pixels
 *
 * Places the axes, with room for labels, titles and marks. Durations have the unit of those in the
 * middle, at least a second.
 */
void
shardwise_curve_frame_layout (ShardwiseCurveFrame *self, ShardwiseChart *chart,
                              const graphene_rect_t *plot)
{
  int line = shardwise_draw_line_height (chart);

  self->x.unit = MAX (shardwise_seconds_unit (sqrt (self->x.min * self->x.max)), 1);
  self->x.start = plot->origin.x + shardwise_draw_text_width (chart, "000.0 M") + 8;
  self->x.end = plot->origin.x + plot->size.width - shardwise_draw_text_width (chart, "00") - 4;
  self->y.start = plot->origin.y + plot->size.height - shardwise_draw_axis_height (chart) - line;
  self->y.end = plot->origin.y + (self->mark_lines + 1) * line + 8;
}

/**
 * shardwise_curve_frame_draw:
 * @self: a frame after its layout
 * @pen: the pen
 * @y_format: formats a tick at the start
 * @x_title: the title of the axis below
 * @y_title: the title of the axis at the start
 *
 * Draws both axes with their grid and titles.
 */
void
shardwise_curve_frame_draw (const ShardwiseCurveFrame *self, const ShardwisePen *pen,
                            ShardwiseCurveFormat y_format, const char *x_title, const char *y_title)
{
  const ShardwiseTicks ticks = { .each = 4.5,
                                 .most = 12,
                                 .spans = { { self->y.end, self->y.start } },
                                 .label_y = self->y.start + 5,
                                 .format = shardwise_format_seconds_in };
  double right;

  shardwise_draw_level_axis (pen, &self->x, &ticks);
  shardwise_draw_upright_axis (pen, &self->y, 1.9, self->x.start, self->x.end, y_format);
  /* a long title gets all of the width */
  right = pen->plot.origin.x
          + MIN (shardwise_draw_text_width (pen->chart, x_title), pen->plot.size.width);
  shardwise_draw_text (pen, y_title, &pen->dim, pen->plot.origin.x, pen->plot.origin.y, 0, 0);
  shardwise_draw_text (pen, x_title, &pen->dim, MAX (self->x.end, right),
                       pen->plot.origin.y + pen->plot.size.height, 1, 1);
}

static double
x_of (const ShardwiseCurveFrame *self, const graphene_point_t *value)
{
  return shardwise_axis_to_pixel (&self->x, value->x);
}

static double
y_of (const ShardwiseCurveFrame *self, const graphene_point_t *value)
{
  return shardwise_axis_to_pixel (&self->y, value->y);
}

/**
 * shardwise_curve_frame_trace:
 * @self: a frame after its layout
 * @pen: the pen
 * @color: the color of the curve
 * @values: the data, in the order of the curve
 * @n: their number
 * @dots: whether each has a dot
 *
 * Draws the curve.
 */
void
shardwise_curve_frame_trace (const ShardwiseCurveFrame *self, const ShardwisePen *pen,
                             ShardwiseColor color, const graphene_point_t *values, guint n,
                             gboolean dots)
{
  graphene_rect_t area;
  GdkRGBA rgba;
  cairo_t *cr;

  if (n == 0)
    return;
  /* Only the part within the plot becomes an image. */
  for (guint i = 0; i < n; i++)
    {
      graphene_rect_t dot = GRAPHENE_RECT_INIT ((float) x_of (self, &values[i]),
                                                (float) y_of (self, &values[i]), 0, 0);

      graphene_rect_inset (&dot, -SHARDWISE_CURVE_RADIUS, -SHARDWISE_CURVE_RADIUS);
      if (i == 0)
        area = dot;
      else
        graphene_rect_union (&area, &dot, &area);
    }
  graphene_rect_round_extents (&area, &area);
  graphene_rect_intersection (&area, &pen->plot, &area);
  cr = gtk_snapshot_append_cairo (pen->snapshot, &area);
  shardwise_palette_get (color, pen->dark, &rgba);
  gdk_cairo_set_source_rgba (cr, &rgba);
  cairo_set_line_width (cr, 2);
  for (guint i = 0; i < n; i++)
    cairo_line_to (cr, x_of (self, &values[i]), y_of (self, &values[i]));
  cairo_stroke (cr);
  for (guint i = 0; dots && i < n; i++)
    {
      cairo_arc (cr, x_of (self, &values[i]), y_of (self, &values[i]), SHARDWISE_CURVE_RADIUS, 0,
                 2 * G_PI);
      cairo_fill (cr);
    }
  cairo_destroy (cr);
}

/**
 * shardwise_curve_frame_mark:
 * @self: a frame after its layout
 * @pen: the pen
 * @color: the color of the line
 * @x: a value of the data
 * @text: the name
 * @line: the line of the text above the curve, 0 or 1: adjacent marks use different ones
 *
 * Draws a line from top to bottom with its name; nothing if @x is outside.
 */
void
shardwise_curve_frame_mark (const ShardwiseCurveFrame *self, const ShardwisePen *pen,
                            ShardwiseColor color, double x, const char *text, guint line)
{
  double at = shardwise_axis_to_pixel (&self->x, x),
         half = shardwise_draw_text_width (pen->chart, text) / 2.0;
  double top = self->y.end - 4 - line * shardwise_draw_line_height (pen->chart);
  GdkRGBA rgba;

  if (at < self->x.start - 1 || at > self->x.end + 1)
    return;
  shardwise_palette_get (color, pen->dark, &rgba);
  /* From below the names, because it would cross the name in the lower line. */
  shardwise_draw_line (pen, &rgba, at, self->y.end - 4, 1.5, self->y.start - self->y.end + 4);
  shardwise_draw_text (
      pen, text, &rgba,
      CLAMP (at, self->x.start + half, MAX (self->x.start + half, self->x.end - half)), top, 0.5,
      1);
}
