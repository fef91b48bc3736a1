/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-curve-frame.h"

#include <math.h>

#include "shardwise-format.h"

/**
 * shardwise_curve_frame_height:
 * @chart: whose fonts count
 * @width: of the plot; pixels
 * @minimum: (out): the least height; pixels
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
 * @self: a frame whose ranges are set
 * @chart: whose fonts count
 * @plot: the room; pixels
 *
 * Puts the axes where labels, titles and marks leave room. The durations are told in the unit of
 * those in the middle, not below a second.
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
 * @self: a frame that was laid out
 * @chart: whose fonts count
 * @snapshot: where to draw
 * @style: colours
 * @y_format: of a tick at the start
 *
 * Draws both axes with their grid.
 */
void
shardwise_curve_frame_draw (const ShardwiseCurveFrame *self, ShardwiseChart *chart,
                            GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
                            ShardwiseCurveFormat y_format)
{
  double ticks[SHARDWISE_AXIS_MAX_TICKS];
  int line = shardwise_draw_line_height (chart);
  double width = self->x.end - self->x.start, height = self->y.start - self->y.end;
  guint n = shardwise_axis_ticks (&self->x, (guint) CLAMP (width / (4.5 * line), 2, 12), ticks);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = shardwise_format_seconds_in (ticks[i], self->x.unit, ticks[i]);
      double x = shardwise_axis_to_pixel (&self->x, ticks[i]);

      shardwise_draw_line (snapshot, &style->grid, x, self->y.end, 1, height);
      shardwise_draw_text (chart, snapshot, label, &style->dim, x, self->y.start + 5, 0.5, 0);
    }
  n = shardwise_axis_ticks (&self->y, (guint) CLAMP (height / (1.9 * line), 2, 8), ticks);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = y_format (ticks[i]);
      double y = shardwise_axis_to_pixel (&self->y, ticks[i]);

      shardwise_draw_line (snapshot, &style->grid, self->x.start, y, width, 1);
      shardwise_draw_text (chart, snapshot, label, &style->dim, self->x.start - 6, y, 1, 0.5);
    }
}

/**
 * shardwise_curve_frame_titles:
 * @self: a frame that was laid out
 * @chart: whose fonts count
 * @snapshot: where to draw
 * @style: colours
 * @x_title: of the axis below
 * @y_title: of the axis at the start
 *
 * Names the axes.
 */
void
shardwise_curve_frame_titles (const ShardwiseCurveFrame *self, ShardwiseChart *chart,
                              GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
                              const char *x_title, const char *y_title)
{
  graphene_rect_t plot;
  double right;

  shardwise_chart_get_plot (chart, &plot);
  /* a long one has all of the width */
  right = plot.origin.x + MIN (shardwise_draw_text_width (chart, x_title), plot.size.width);
  shardwise_draw_text (chart, snapshot, y_title, &style->dim, plot.origin.x, plot.origin.y, 0, 0);
  shardwise_draw_text (chart, snapshot, x_title, &style->dim, MAX (self->x.end, right),
                       plot.origin.y + plot.size.height, 1, 1);
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

/* Where a curve is drawn inside the plot: an image is made of that. */
static void
find_trace (const ShardwiseCurveFrame *self, ShardwiseChart *chart, const graphene_point_t *values,
            guint n, graphene_rect_t *area)
{
  graphene_rect_t plot;

  for (guint i = 0; i < n; i++)
    {
      graphene_rect_t dot = GRAPHENE_RECT_INIT ((float) x_of (self, &values[i]),
                                                (float) y_of (self, &values[i]), 0, 0);

      graphene_rect_inset (&dot, -SHARDWISE_CURVE_RADIUS, -SHARDWISE_CURVE_RADIUS);
      if (i == 0)
        *area = dot;
      else
        graphene_rect_union (area, &dot, area);
    }
  graphene_rect_round_extents (area, area);
  shardwise_chart_get_plot (chart, &plot);
  graphene_rect_intersection (area, &plot, area);
}

/**
 * shardwise_curve_frame_trace:
 * @self: a frame that was laid out
 * @chart: whose plot is drawn into
 * @snapshot: where to draw
 * @style: colours
 * @color: of the curve
 * @values: of the data, in the order in which they are connected
 * @n: their count
 * @dots: whether each has a dot
 *
 * Draws the curve.
 */
void
shardwise_curve_frame_trace (const ShardwiseCurveFrame *self, ShardwiseChart *chart,
                             GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
                             ShardwiseColor color, const graphene_point_t *values, guint n,
                             gboolean dots)
{
  graphene_rect_t area;
  GdkRGBA rgba;
  cairo_t *cr;

  if (n == 0)
    return;
  find_trace (self, chart, values, n, &area);
  cr = gtk_snapshot_append_cairo (snapshot, &area);
  shardwise_palette_get (color, style->dark, &rgba);
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
 * @self: a frame that was laid out
 * @chart: whose fonts count
 * @snapshot: where to draw
 * @style: colours
 * @color: of the line
 * @x: of the data
 * @text: what lies there
 * @line: of the text above the curve, 0 or 1: marks beside each other take different ones
 *
 * Draws a line from above to below with its name; nothing where @x is outside.
 */
void
shardwise_curve_frame_mark (const ShardwiseCurveFrame *self, ShardwiseChart *chart,
                            GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
                            ShardwiseColor color, double x, const char *text, guint line)
{
  double at = shardwise_axis_to_pixel (&self->x, x),
         half = shardwise_draw_text_width (chart, text) / 2.0;
  double top = self->y.end - 4 - line * shardwise_draw_line_height (chart);
  GdkRGBA rgba;

  if (at < self->x.start - 1 || at > self->x.end + 1)
    return;
  shardwise_palette_get (color, style->dark, &rgba);
  /* From under the names on: it would go through the one in the lower line. */
  shardwise_draw_line (snapshot, &rgba, at, self->y.end - 4, 1.5, self->y.start - self->y.end + 4);
  shardwise_draw_text (
      chart, snapshot, text, &rgba,
      CLAMP (at, self->x.start + half, MAX (self->x.start + half, self->x.end - half)), top, 0.5,
      1);
}
