/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing-chart-private.h"

#include <glib/gi18n.h>
#include "shardwise-chart-draw.h"
#include "shardwise-format.h"

#define UPPER_SHARE 0.62 /* of the height */
#define RADIUS SHARDWISE_SIZING_RADIUS

/* Layout */

/* As #ShardwiseChartClass wants it: two plots, one above the other. */
int
shardwise_sizing_chart_plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  int line = shardwise_draw_line_height (chart);

  *minimum = MAX (300, 20 * line);
  return MAX (380, 25 * line);
}

/* Widens the ranges by one line. */
static void
include (ShardwiseSizingChart *self, const ShardwiseSizingSeries *series, double *low, double *high,
         double *most)
{
  double ideal = series->reference != NULL
                     ? series->reference->estimate.tokens_per_s / series->reference->gpus
                     : 0;

  for (guint i = 0; i < shardwise_sizing_series_length (series); i++)
    {
      const ShardwiseSizingPoint *point = shardwise_sizing_series_at (series, i);

      self->gpus.min = MIN (self->gpus.min, point->gpus);
      self->gpus.max = MAX (self->gpus.max, point->gpus);
      if (!point->estimate.fits)
        continue;
      *low = MIN (*low, point->estimate.tokens_per_s);
      *high = MAX (*high, MAX (point->estimate.tokens_per_s, ideal * point->gpus));
      *most = MAX (*most, shardwise_sizing_efficiency (series->reference, point));
    }
}

static void
find_ranges (ShardwiseSizingChart *self)
{
  double low = G_MAXDOUBLE, high = 0, most = 1;

  self->gpus.min = G_MAXDOUBLE;
  self->gpus.max = 0;
  for (guint i = 0; i < SHARDWISE_SIZING_SERIES; i++)
    include (self, &self->series[i], &low, &high, &most);
  self->gpus.min *= 0.85;
  self->gpus.max *= 1.18;
  self->throughput.min = (high > 0 ? low : 1) * 0.3; /* room for labels under the first points */
  self->throughput.max = (high > 0 ? high : 10) * 1.4;
  self->efficiency.min = 0;
  self->efficiency.max = most * 1.08;
}

/* The room that the labels of both panels need beside them. */
static int
label_width (ShardwiseChart *chart)
{
  g_autofree char *count = shardwise_format_tick (888e6), *share = shardwise_draw_percent_label (1);

  return MAX (shardwise_draw_text_width (chart, count), shardwise_draw_text_width (chart, share));
}

/* Places both plots on one axis of GPUs. */
void
shardwise_sizing_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  double left = plot->origin.x + label_width (chart) + 8,
         right = plot->origin.x + plot->size.width - 4;
  double top = plot->origin.y + 2 * shardwise_draw_line_height (chart) + 8,
         bottom = plot->origin.y + plot->size.height - shardwise_draw_axis_height (chart);
  double middle = top + (bottom - top) * UPPER_SHARE;
  double gap = shardwise_draw_axis_height (chart); /* between the panels, for the lower one's
                                                      title */

  if (shardwise_sizing_chart_n_points (self) == 0)
    return;
  self->gpus = (ShardwiseAxis){ SHARDWISE_SCALE_DOUBLINGS, 1, 2, left, right };
  self->throughput = (ShardwiseAxis){ SHARDWISE_SCALE_DECADES, 1, 2, middle - gap / 2, top };
  self->efficiency = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, 1, bottom, middle + gap / 2 };
  find_ranges (self);
}

/* Draws a line from top to bottom of both plots; between them is a title. */
void
shardwise_sizing_chart_draw_upright (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                                     const GdkRGBA *color, double x)
{
  const ShardwiseAxis *axes[] = { &self->throughput, &self->efficiency };

  for (guint i = 0; i < G_N_ELEMENTS (axes); i++)
    shardwise_draw_line (snapshot, color, x, axes[i]->end, 1, axes[i]->start - axes[i]->end);
}

/* Drawing */

static void
draw_gpu_ticks (ShardwiseSizingChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  double ticks[SHARDWISE_AXIS_MAX_TICKS];
  guint n = shardwise_axis_ticks (
      &self->gpus,
      (guint) CLAMP ((self->gpus.end - self->gpus.start)
                         / (3.5 * shardwise_draw_line_height (SHARDWISE_CHART (self))),
                     2, 20),
      ticks);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = shardwise_format_whole (ticks[i]);
      double x = shardwise_sizing_chart_x (self, ticks[i]);
      int width;

      shardwise_sizing_chart_draw_upright (self, snapshot, &style->grid, x);
      width = shardwise_draw_text_width (SHARDWISE_CHART (self), label);
      shardwise_draw_text (SHARDWISE_CHART (self), snapshot, label, &style->dim,
                           MIN (x - width / 2.0, self->gpus.end + 4 - width),
                           self->efficiency.start + 5, 0, 0);
    }
}

static void
draw_value_ticks (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                  const ShardwiseChartStyle *style, const ShardwiseAxis *axis,
                  char *(*format) (double value))
{
  double ticks[SHARDWISE_AXIS_MAX_TICKS];
  guint n = shardwise_axis_ticks (
      axis,
      (guint) CLAMP ((axis->start - axis->end)
                         / (1.9 * shardwise_draw_line_height (SHARDWISE_CHART (self))),
                     2, 8),
      ticks);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = format (ticks[i]);
      double y = shardwise_axis_to_pixel (axis, ticks[i]);

      shardwise_draw_line (snapshot, &style->grid, self->gpus.start, y,
                           self->gpus.end - self->gpus.start, 1);
      shardwise_draw_text (SHARDWISE_CHART (self), snapshot, label, &style->dim,
                           self->gpus.start - 6, y, 1, 0.5);
    }
}

static double
place (ShardwiseSizingChart *self, const ShardwiseSizingSeries *series,
       const ShardwiseSizingPoint *point, gboolean efficiency)
{
  return efficiency ? shardwise_axis_to_pixel (
             &self->efficiency, shardwise_sizing_efficiency (series->reference, point))
                    : shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s);
}

/* Connects the sizes that fit; a size that does not breaks the line. */
static void
trace (ShardwiseSizingChart *self, cairo_t *cr, const ShardwiseSizingSeries *series,
       gboolean efficiency)
{
  gboolean open = FALSE;

  for (guint i = 0; i < shardwise_sizing_series_length (series); i++)
    {
      const ShardwiseSizingPoint *point = shardwise_sizing_series_at (series, i);
      double x = shardwise_sizing_chart_x (self, point->gpus);

      if (point->estimate.fits && open)
        cairo_line_to (cr, x, place (self, series, point, efficiency));
      else if (point->estimate.fits)
        cairo_move_to (cr, x, place (self, series, point, efficiency));
      open = point->estimate.fits;
    }
  cairo_stroke (cr);
}

static void
draw_ideal (ShardwiseSizingChart *self, cairo_t *cr, const ShardwiseChartStyle *style)
{
  const double dashes[] = { 5, 4 };
  const ShardwiseSizingPoint *reference = self->series[0].reference;
  double one = shardwise_axis_to_pixel (&self->efficiency, 1);
  double ideal = reference->estimate.tokens_per_s / reference->gpus;

  cairo_save (cr);
  gdk_cairo_set_source_rgba (cr, &style->dim);
  cairo_set_dash (cr, dashes, 2, 0);
  cairo_set_line_width (cr, 1.5);
  cairo_move_to (cr, self->gpus.start, one);
  cairo_line_to (cr, self->gpus.end, one);
  cairo_stroke (cr);
  cairo_rectangle (cr, self->gpus.start, self->throughput.end, self->gpus.end - self->gpus.start,
                   self->throughput.start - self->throughput.end);
  cairo_clip (cr);
  cairo_move_to (cr, self->gpus.start,
                 shardwise_axis_to_pixel (&self->throughput, ideal * self->gpus.min));
  cairo_line_to (cr, self->gpus.end,
                 shardwise_axis_to_pixel (&self->throughput, ideal * self->gpus.max));
  cairo_stroke (cr);
  cairo_restore (cr);
}

static void
draw_cross (cairo_t *cr, double x, double y)
{
  cairo_move_to (cr, x - RADIUS, y - RADIUS);
  cairo_line_to (cr, x + RADIUS, y + RADIUS);
  cairo_move_to (cr, x - RADIUS, y + RADIUS);
  cairo_line_to (cr, x + RADIUS, y - RADIUS);
  cairo_stroke (cr);
}

static void
draw_series (ShardwiseSizingChart *self, cairo_t *cr, const ShardwiseChartStyle *style, guint index)
{
  const ShardwiseSizingSeries *series = &self->series[index];
  ShardwiseMark mark = shardwise_sizing_marks[index];
  GdkRGBA color, red;

  shardwise_palette_get (shardwise_sizing_colors[index], style->dark, &color);
  shardwise_palette_get (SHARDWISE_COLOR_LIMIT, style->dark, &red);
  gdk_cairo_set_source_rgba (cr, &color);
  cairo_set_line_width (cr, 2);
  trace (self, cr, series, FALSE);
  trace (self, cr, series, TRUE);
  for (guint i = 0; i < shardwise_sizing_series_length (series); i++)
    {
      const ShardwiseSizingPoint *point = shardwise_sizing_series_at (series, i);
      double x = shardwise_sizing_chart_x (self, point->gpus);

      gdk_cairo_set_source_rgba (cr, point->estimate.fits ? &color : &red);
      if (!point->estimate.fits)
        {
          draw_cross (cr, x, self->throughput.start - RADIUS - 1);
          continue;
        }
      shardwise_draw_mark (cr, mark, x, place (self, series, point, FALSE), RADIUS);
      shardwise_draw_mark (cr, mark, x, place (self, series, point, TRUE), RADIUS - 1);
    }
}

static void
draw_curves (ShardwiseSizingChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  graphene_rect_t area;
  cairo_t *cr;

  shardwise_chart_get_plot (SHARDWISE_CHART (self), &area);
  cr = gtk_snapshot_append_cairo (snapshot, &area);
  if (self->series[0].reference != NULL)
    draw_ideal (self, cr, style);
  for (guint i = SHARDWISE_SIZING_SERIES; i > 0; i--)
    draw_series (self, cr, style, i - 1);
  cairo_destroy (cr);
}

/* Draws the lines of both series with their marks. */
void
shardwise_sizing_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot,
                             const ShardwiseChartStyle *style)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  graphene_rect_t plot;

  if (shardwise_sizing_chart_n_points (self) == 0)
    return;
  shardwise_chart_get_plot (chart, &plot);
  draw_gpu_ticks (self, snapshot, style);
  draw_value_ticks (self, snapshot, style, &self->throughput, shardwise_format_tick);
  draw_value_ticks (self, snapshot, style, &self->efficiency, shardwise_draw_percent_label);
  shardwise_sizing_chart_draw_marks (self, snapshot, style);
  draw_curves (self, snapshot, style);
  shardwise_sizing_chart_draw_strategies (self, snapshot, style);
  shardwise_draw_text (chart, snapshot, _ ("tokens/s"), &style->dim, plot.origin.x, plot.origin.y,
                       0, 0);
  shardwise_draw_text (chart, snapshot, _ ("Efficiency per GPU"), &style->dim, plot.origin.x,
                       self->efficiency.end - 5, 0, 1);
}
