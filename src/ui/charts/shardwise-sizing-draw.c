/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing-chart-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-chart-draw.h"
#include "shardwise-texts.h"

#define UPPER_SHARE 0.62 /* of the height */
#define RADIUS SHARDWISE_SIZING_RADIUS

/* Layout */

int
shardwise_sizing_chart_plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  int line = shardwise_draw_line_height (chart);

  *minimum = MAX (300, 20 * line);
  return MAX (380, 25 * line);
}

static void
find_ranges (ShardwiseSizingChart *self)
{
  double low = G_MAXDOUBLE, high = 0, most = 1;

  for (guint i = 0; i < shardwise_sizing_chart_n_points (self); i++)
    {
      const ShardwiseSizingPoint *point = shardwise_sizing_chart_at (self, i);

      if (!point->estimate.fits)
        continue;
      low = MIN (low, point->estimate.tokens_per_s);
      high = MAX (high, MAX (point->estimate.tokens_per_s, self->ideal * point->gpus));
      most = MAX (most, shardwise_sizing_chart_efficiency (self, point));
    }
  self->gpus.min = shardwise_sizing_chart_at (self, 0)->gpus * 0.85;
  self->gpus.max = shardwise_sizing_chart_at (self, shardwise_sizing_chart_n_points (self) - 1)->gpus * 1.18;
  self->throughput.min = (high > 0 ? low : 1) * 0.7;
  self->throughput.max = (high > 0 ? high : 10) * 1.4;
  self->efficiency.min = 0;
  self->efficiency.max = most * 1.08;
}

void
shardwise_sizing_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  double left = plot->origin.x + shardwise_draw_text_width (chart, "000 M") + 8,
         right = plot->origin.x + plot->size.width - 4;
  double top = plot->origin.y + 2 * shardwise_draw_line_height (chart) + 8,
         bottom = plot->origin.y + plot->size.height - shardwise_draw_axis_height (chart);
  double middle = top + (bottom - top) * UPPER_SHARE;
  double gap = shardwise_draw_axis_height (chart); /* between the panels, for the lower one's title */

  if (shardwise_sizing_chart_n_points (self) == 0)
    return;
  self->gpus = (ShardwiseAxis){ SHARDWISE_SCALE_DOUBLINGS, 1, 2, left, right };
  self->throughput = (ShardwiseAxis){ SHARDWISE_SCALE_DECADES, 1, 2, middle - gap / 2, top };
  self->efficiency = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, 1, bottom, middle + gap / 2 };
  find_ranges (self);
}

/* Drawing */

static void
draw_gpu_ticks (ShardwiseSizingChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  double ticks[SHARDWISE_AXIS_MAX_TICKS];
  guint n = shardwise_axis_ticks (
    &self->gpus, (guint) CLAMP ((self->gpus.end - self->gpus.start) / (3.5 * shardwise_draw_line_height (SHARDWISE_CHART (self))), 2, 20), ticks);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = g_strdup_printf ("%'.0f", ticks[i]);
      double x = shardwise_sizing_chart_x (self, ticks[i]);

      shardwise_draw_line (snapshot, &style->grid, x, self->throughput.end, 1,
                           self->throughput.start - self->throughput.end);
      shardwise_draw_line (snapshot, &style->grid, x, self->efficiency.end, 1,
                           self->efficiency.start - self->efficiency.end);
      shardwise_draw_text (SHARDWISE_CHART (self), snapshot, label, &style->dim, x,
                           self->efficiency.start + 5, 0.5, 0);
    }
}

static void
draw_value_ticks (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                  const ShardwiseChartStyle *style, const ShardwiseAxis *axis,
                  char *(*format) (double value))
{
  double ticks[SHARDWISE_AXIS_MAX_TICKS];
  guint n =
    shardwise_axis_ticks (axis, (guint) CLAMP ((axis->start - axis->end) / (1.9 * shardwise_draw_line_height (SHARDWISE_CHART (self))), 2, 8), ticks);

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

static char *
whole_percent (double share)
{
  /* Translators: a percentage on an axis */
  return g_strdup_printf (_ ("%.0f %%"), share * 100);
}

/* Connects the sizes that fit; a size that does not breaks the line. */
static void
trace (ShardwiseSizingChart *self, cairo_t *cr, gboolean efficiency)
{
  gboolean open = FALSE;

  for (guint i = 0; i < shardwise_sizing_chart_n_points (self); i++)
    {
      const ShardwiseSizingPoint *point = shardwise_sizing_chart_at (self, i);
      double y = efficiency
                   ? shardwise_axis_to_pixel (&self->efficiency, shardwise_sizing_chart_efficiency (self, point))
                   : shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s);

      if (point->estimate.fits && open)
        cairo_line_to (cr, shardwise_sizing_chart_x (self, point->gpus), y);
      else if (point->estimate.fits)
        cairo_move_to (cr, shardwise_sizing_chart_x (self, point->gpus), y);
      open = point->estimate.fits;
    }
  cairo_stroke (cr);
}

static void
draw_ideal (ShardwiseSizingChart *self, cairo_t *cr, const ShardwiseChartStyle *style)
{
  const double dashes[] = { 5, 4 };
  double one = shardwise_axis_to_pixel (&self->efficiency, 1);

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
                 shardwise_axis_to_pixel (&self->throughput, self->ideal * self->gpus.min));
  cairo_line_to (cr, self->gpus.end,
                 shardwise_axis_to_pixel (&self->throughput, self->ideal * self->gpus.max));
  cairo_stroke (cr);
  cairo_restore (cr);
}

static void
draw_dots (ShardwiseSizingChart *self, cairo_t *cr, const ShardwiseChartStyle *style)
{
  GdkRGBA blue, red;

  shardwise_palette_get (SHARDWISE_COLOR_COMPUTE, style->dark, &blue);
  shardwise_palette_get (SHARDWISE_COLOR_LIMIT, style->dark, &red);
  for (guint i = 0; i < shardwise_sizing_chart_n_points (self); i++)
    {
      const ShardwiseSizingPoint *point = shardwise_sizing_chart_at (self, i);
      double x = shardwise_sizing_chart_x (self, point->gpus), y = self->throughput.start - RADIUS - 1;

      if (point->estimate.fits)
        {
          gdk_cairo_set_source_rgba (cr, &blue);
          cairo_arc (cr, x,
                     shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s),
                     RADIUS, 0, 2 * G_PI);
          cairo_fill (cr);
          cairo_arc (cr, x,
                     shardwise_axis_to_pixel (&self->efficiency, shardwise_sizing_chart_efficiency (self, point)),
                     RADIUS - 1, 0, 2 * G_PI);
          cairo_fill (cr);
        }
      else
        {
          gdk_cairo_set_source_rgba (cr, &red);
          cairo_move_to (cr, x - RADIUS, y - RADIUS);
          cairo_line_to (cr, x + RADIUS, y + RADIUS);
          cairo_move_to (cr, x - RADIUS, y + RADIUS);
          cairo_line_to (cr, x + RADIUS, y - RADIUS);
          cairo_stroke (cr);
        }
    }
}

static void
draw_curves (ShardwiseSizingChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  graphene_rect_t area;
  cairo_t *cr;
  GdkRGBA blue;

  shardwise_chart_get_plot (SHARDWISE_CHART (self), &area);
  cr = gtk_snapshot_append_cairo (snapshot, &area);
  if (self->ideal > 0)
    draw_ideal (self, cr, style);
  shardwise_palette_get (SHARDWISE_COLOR_COMPUTE, style->dark, &blue);
  gdk_cairo_set_source_rgba (cr, &blue);
  cairo_set_line_width (cr, 2);
  trace (self, cr, FALSE);
  trace (self, cr, TRUE);
  draw_dots (self, cr, style);
  cairo_destroy (cr);
}

/* The degrees that are not one, but for the replicas, which grow with the cluster. */
static char *
short_strategy (const SwStrategy *strategy)
{
  const struct {
    const char *name;
    guint value;
  } degrees[] = {
    { "TP", strategy->tp },
    { "PP", strategy->pp },
    { "CP", strategy->cp },
    { "EP", strategy->ep },
  };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    if (degrees[i].value > 1)
      g_string_append_printf (text, "%s%s %u", text->len > 0 ? " " : "", degrees[i].name,
                              degrees[i].value);
  if (text->len == 0)
    g_string_append_printf (text, "ZeRO %u", strategy->zero_stage);
  return g_string_free (text, FALSE);
}

/* Where a label of this size has room beside its point, clear of a rising line: to the right under it, else to the left
 * above it. */
static gboolean
place_label (ShardwiseSizingChart *self, double x, double y, int width, int height,
             const graphene_rect_t *last, graphene_rect_t *out)
{
  const double tops[2] = { y + 4, y - 4 - height };
  const double lefts[2] = { x + 5, x - 5 - width };

  for (guint i = 0; i < 2; i++)
    {
      graphene_rect_init (out, lefts[i], tops[i], width, height);
      if (lefts[i] >= self->gpus.start && lefts[i] + width <= self->gpus.end
          && tops[i] >= self->throughput.end && tops[i] + height <= self->throughput.start
          && !graphene_rect_intersection (out, last, NULL))
        return TRUE;
    }
  return FALSE;
}

/* A label at each point whose degrees differ from those of the label before. Where its neighbour takes the room, the
 * readout and the table say it. */
static void
draw_strategies (ShardwiseSizingChart *self, GtkSnapshot *snapshot,
                 const ShardwiseChartStyle *style)
{
  int height = shardwise_draw_line_height (SHARDWISE_CHART (self));
  g_autofree char *last = NULL;
  graphene_rect_t taken = GRAPHENE_RECT_INIT (-1000, -1000, 1, 1), area;

  for (guint i = 0; i < shardwise_sizing_chart_n_points (self); i++)
    {
      const ShardwiseSizingPoint *point = shardwise_sizing_chart_at (self, i);
      g_autofree char *text =
        point->estimate.fits ? short_strategy (&point->estimate.strategy) : NULL;
      double x = shardwise_sizing_chart_x (self, point->gpus),
             y = shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s);

      if (text == NULL || g_strcmp0 (text, last) == 0
          || !place_label (self, x, y, shardwise_draw_text_width (SHARDWISE_CHART (self), text),
                           height, &taken, &area))
        continue;
      shardwise_draw_text (SHARDWISE_CHART (self), snapshot, text, &style->text, area.origin.x,
                           area.origin.y, 0, 0);
      taken = area;
      g_free (last);
      last = g_steal_pointer (&text);
    }
}

static void
draw_mark (ShardwiseSizingChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
           guint gpus, ShardwiseColor color, const char *text, double *taken)
{
  double x = shardwise_sizing_chart_x (self, gpus), top = self->throughput.end;
  int width = shardwise_draw_text_width (SHARDWISE_CHART (self), text);
  double at = CLAMP (x, self->gpus.start + width / 2.0, self->gpus.end - width / 2.0);
  GdkRGBA rgba;

  if (gpus == 0 || x < self->gpus.start || x > self->gpus.end)
    return;
  shardwise_palette_get (color, style->dark, &rgba);
  shardwise_draw_line (snapshot, &rgba, x, top, 1, self->efficiency.start - top);
  if (at - width / 2.0 < *taken)
    return;
  shardwise_draw_text (SHARDWISE_CHART (self), snapshot, text, &rgba, at, top - 2, 0.5, 1);
  *taken = at + width / 2.0 + 8;
}

typedef struct {
  guint gpus;
  ShardwiseColor color;
  const char *text;
} Mark;

static int
compare_marks (gconstpointer a, gconstpointer b)
{
  guint left = ((const Mark *) a)->gpus, right = ((const Mark *) b)->gpus;

  return (left > right) - (left < right);
}

static void
draw_marks (ShardwiseSizingChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  Mark marks[] = {
    { self->least == self->sensible ? 0 : self->least, SHARDWISE_COLOR_OTHER, _ ("least") },
    { self->sensible == self->present ? 0 : self->sensible, SHARDWISE_COLOR_DATA, _ ("sensible") },
    { self->present, SHARDWISE_COLOR_PIPELINE, _ ("now") },
  };
  double taken = 0;

  qsort (marks, G_N_ELEMENTS (marks), sizeof marks[0], compare_marks);
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    draw_mark (self, snapshot, style, marks[i].gpus, marks[i].color, marks[i].text, &taken);
}

void
shardwise_sizing_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  graphene_rect_t plot;

  if (shardwise_sizing_chart_n_points (self) == 0)
    return;
  shardwise_chart_get_plot (chart, &plot);
  draw_gpu_ticks (self, snapshot, style);
  draw_value_ticks (self, snapshot, style, &self->throughput, shardwise_format_tick);
  draw_value_ticks (self, snapshot, style, &self->efficiency, whole_percent);
  draw_marks (self, snapshot, style);
  draw_curves (self, snapshot, style);
  draw_strategies (self, snapshot, style);
  shardwise_draw_text (chart, snapshot, _ ("tokens/s"), &style->dim, plot.origin.x, plot.origin.y,
                       0, 0);
  shardwise_draw_text (chart, snapshot, _ ("Efficiency per GPU"), &style->dim, plot.origin.x,
                       self->efficiency.end - 5, 0, 1);
}
