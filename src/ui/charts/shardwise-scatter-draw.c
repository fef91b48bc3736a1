/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-scatter-chart-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-chart-draw.h"
#include "shardwise-memory-unit.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

#define RADIUS SHARDWISE_SCATTER_RADIUS
#define STAR_RADIUS 9
#define RING_RADIUS 13   /* of the selected one */
#define TITLE_LINES 1.25 /* of text: the title of the upright axis, and a gap */

/* Layout */

/* As #ShardwiseChartClass wants it. */
int
shardwise_scatter_chart_plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  int line = shardwise_draw_line_height (chart);

  *minimum = 13 * line;
  return MAX (290, 20 * line);
}

static guint
cells (double length)
{
  return (guint) (length / SHARDWISE_SCATTER_SPOT) + 1;
}

static guint
cells_across (ShardwiseScatterChart *self)
{
  return cells (self->memory.end - self->memory.start);
}

static guint
cells_down (ShardwiseScatterChart *self)
{
  return cells (self->throughput.start - self->throughput.end);
}

/* The cell of the grid that a candidate is in. */
static gsize
cell_of (ShardwiseScatterChart *self, guint candidate)
{
  guint across = cells_across (self), down = cells_down (self);
  double x, y;

  shardwise_scatter_chart_place (self, &self->candidates[candidate], &x, &y);
  return (gsize) CLAMP ((y - self->throughput.end) / SHARDWISE_SCATTER_SPOT, 0, down - 1) * across
         + (gsize) CLAMP ((x - self->memory.start) / SHARDWISE_SCATTER_SPOT, 0, across - 1);
}

/* The front stays; another point is now the spot of the strategy that it stood for. */
static guint
number_now (ShardwiseChart *chart, guint point, gconstpointer before)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  const GArray *spots = before;
  guint i = 0;
  gsize cell;

  if (point < self->front->len)
    return point;
  cell = cell_of (self,
                  g_array_index (spots, ShardwiseScatterSpot, point - self->front->len).fastest);
  while (cell_of (self, g_array_index (self->spots, ShardwiseScatterSpot, i).fastest) != cell)
    i++;
  return self->front->len + i;
}

/* Spots: a grid over the plot, so that drawing and pointing cost what the screen has, not what the
 * search found. */
static void
find_spots (ShardwiseScatterChart *self)
{
  g_autoptr (GArray) before = g_steal_pointer (&self->spots);
  gsize n_cells = (gsize) cells_across (self) * cells_down (self);
  g_autofree ShardwiseScatterSpot *grid = g_new0 (ShardwiseScatterSpot, n_cells);

  for (guint i = 0; i < self->n; i++)
    {
      guint count = self->counts != NULL ? self->counts[i] : 1;
      ShardwiseScatterSpot *spot;

      if (count == 0)
        continue;
      spot = &grid[cell_of (self, i)];
      if (spot->count == 0
          || self->candidates[i].seconds_per_token
                 < self->candidates[spot->fastest].seconds_per_token)
        spot->fastest = i;
      spot->count += count;
    }
  self->spots = g_array_new (FALSE, FALSE, sizeof (ShardwiseScatterSpot));
  self->most_alike = 1;
  for (gsize i = 0; i < n_cells; i++)
    if (grid[i].count > 0)
      {
        g_array_append_val (self->spots, grid[i]);
        self->most_alike = MAX (self->most_alike, grid[i].count);
      }
  shardwise_chart_renumber (SHARDWISE_CHART (self), number_now, before);
}

/* What is marked is seen, filtered out or not. */
static double
most_tokens_per_s (ShardwiseScatterChart *self)
{
  double most = self->most_tokens_per_s;

  if (self->has_best)
    most = MAX (most, 1 / (double) self->best.seconds_per_token);
  if (self->has_selected)
    most = MAX (most, 1 / (double) self->selected.seconds_per_token);
  for (guint i = 0; i < self->n_pins; i++)
    most = MAX (most, 1 / (double) self->pins[i].seconds_per_token);
  return most;
}

/* Places the axes in the plot. */
void
shardwise_scatter_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  double left = plot->origin.x + shardwise_draw_text_width (chart, "000.0 M") + 8;
  double right = MAX (plot->origin.x + plot->size.width - 12, left + 1);
  double top = plot->origin.y + (TITLE_LINES + 1.25) * shardwise_draw_line_height (chart)
               + RING_RADIUS;
  double bottom = MAX (plot->origin.y + plot->size.height - shardwise_draw_axis_height (chart)
                           - shardwise_draw_line_height (chart),
                       top + 1);

  self->memory = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0,
                                  self->usable_bytes / shardwise_memory_unit_bytes () * 1.02, left,
                                  right };
  self->throughput = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, most_tokens_per_s (self), bottom,
                                      top };
  if (self->n > 0)
    find_spots (self);
}

/* Drawing */

static void
draw_grid (ShardwiseScatterChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  double ticks[SHARDWISE_AXIS_MAX_TICKS], line = shardwise_draw_line_height (chart);
  double width = self->memory.end - self->memory.start,
         height = self->throughput.start - self->throughput.end;
  guint n = shardwise_axis_ticks (&self->memory, (guint) CLAMP (width / (3 * line), 2, 12), ticks);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = shardwise_format_whole (ticks[i]);
      double x = shardwise_axis_to_pixel (&self->memory, ticks[i]);

      shardwise_draw_line (snapshot, &style->grid, x, self->throughput.end, 1, height);
      shardwise_draw_text (chart, snapshot, label, &style->dim, x, self->throughput.start + 5, 0.5,
                           0);
    }
  n = shardwise_axis_ticks (&self->throughput, (guint) CLAMP (height / (2.5 * line), 2, 8), ticks);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = shardwise_format_tick (ticks[i]);
      double y = shardwise_axis_to_pixel (&self->throughput, ticks[i]);

      shardwise_draw_line (snapshot, &style->grid, self->memory.start, y, width, 1);
      shardwise_draw_text (chart, snapshot, label, &style->dim, self->memory.start - 6, y, 1, 0.5);
    }
}

static void
draw_titles (ShardwiseScatterChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  g_autofree char *memory = NULL;
  graphene_rect_t plot;

  shardwise_chart_get_plot (chart, &plot);
  /* Translators: title of an upright axis */
  shardwise_draw_text (chart, snapshot, _ ("tokens/s (higher is better)"), &style->dim,
                       plot.origin.x, plot.origin.y, 0, 0);
  /* Translators: title of a level axis */
  memory = shardwise_memory_unit_text (_ ("memory of one GPU, GiB (less is better)"));
  shardwise_draw_text (chart, snapshot, memory, &style->dim, self->memory.end,
                       self->throughput.start + shardwise_draw_axis_height (chart), 1, 0);
}

static void
draw_limit (ShardwiseScatterChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  const double unit = shardwise_memory_unit_bytes ();
  double usable = shardwise_axis_to_pixel (&self->memory, self->usable_bytes / unit),
         limit = shardwise_axis_to_pixel (&self->memory, self->limit_bytes / unit),
         top = self->throughput.end - STAR_RADIUS, height = self->throughput.start - top;
  GdkRGBA red;

  shardwise_palette_get (SHARDWISE_COLOR_LIMIT, style->dark, &red);
  if (limit < usable)
    {
      shardwise_draw_hatched (snapshot, style, SHARDWISE_COLOR_LIMIT, limit, top, usable - limit,
                              height);
      shardwise_draw_line (snapshot, &red, limit, top, 1, height);
    }
  shardwise_draw_line (snapshot, &red, usable, top, 2, height);
}

/* The more strategies a spot stands for, the darker it is. */
static void
draw_spots (ShardwiseScatterChart *self, cairo_t *cr, const ShardwiseChartStyle *style)
{
  GdkRGBA grey;

  shardwise_palette_get (SHARDWISE_COLOR_OTHER, style->dark, &grey);
  for (guint i = 0; i < self->spots->len; i++)
    {
      const ShardwiseScatterSpot *spot = &g_array_index (self->spots, ShardwiseScatterSpot, i);
      double share = log (spot->count) / log (MAX (self->most_alike, 2)), x, y;

      shardwise_scatter_chart_place (self, &self->candidates[spot->fastest], &x, &y);
      cairo_set_source_rgba (cr, grey.red, grey.green, grey.blue,
                             style->high_contrast ? 1 : 0.35 + 0.5 * share);
      cairo_arc (cr, x, y, 1.6 + 0.9 * share, 0, 2 * G_PI);
      cairo_fill (cr);
    }
}

/* Steps: with a little more memory than a point needs, that point is still the fastest. */
static void
draw_front (ShardwiseScatterChart *self, cairo_t *cr, const ShardwiseChartStyle *style)
{
  GdkRGBA blue;
  double x, y, last = 0;

  shardwise_palette_get (SHARDWISE_COLOR_COMPUTE, style->dark, &blue);
  gdk_cairo_set_source_rgba (cr, &blue);
  cairo_set_line_width (cr, 2);
  for (guint i = 0; i < self->front->len; i++)
    {
      shardwise_scatter_chart_place (self, shardwise_scatter_chart_candidate_at (self, i), &x, &y);
      cairo_line_to (cr, x, i > 0 ? last : y);
      cairo_line_to (cr, x, y);
      last = y;
    }
  cairo_stroke (cr);
  for (guint i = 0; i < self->front->len; i++)
    {
      shardwise_scatter_chart_place (self, shardwise_scatter_chart_candidate_at (self, i), &x, &y);
      cairo_arc (cr, x, y, RADIUS, 0, 2 * G_PI);
      cairo_fill (cr);
    }
}

/* Five points, edged in the colour of the card so that it stands off the front. */
static void
draw_star (cairo_t *cr, double x, double y, const GdkRGBA *fill, const GdkRGBA *edge)
{
  for (guint i = 0; i < 10; i++)
    {
      double radius = i % 2 == 0 ? STAR_RADIUS : STAR_RADIUS * 0.45,
             angle = i * G_PI / 5 - G_PI / 2;

      cairo_line_to (cr, x + radius * cos (angle), y + radius * sin (angle));
    }
  cairo_close_path (cr);
  gdk_cairo_set_source_rgba (cr, edge);
  cairo_set_line_width (cr, 3);
  cairo_stroke_preserve (cr);
  gdk_cairo_set_source_rgba (cr, fill);
  cairo_fill (cr);
}

static void
draw_selected (ShardwiseScatterChart *self, cairo_t *cr, const ShardwiseChartStyle *style)
{
  double x, y;

  shardwise_scatter_chart_place (self, &self->selected, &x, &y);
  gdk_cairo_set_source_rgba (cr, &style->text);
  cairo_set_line_width (cr, 2);
  cairo_arc (cr, x, y, RING_RADIUS, 0, 2 * G_PI);
  cairo_stroke (cr);
}

/* The name of the selected strategy stands above the plot, where it covers no other, and a line
 * leads down to it. */
static void
draw_name (ShardwiseScatterChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  g_autofree char *name = shardwise_text_strategy (&self->selected.strategy);
  int line = shardwise_draw_line_height (chart), width = shardwise_draw_text_width (chart, name);
  graphene_rect_t plot;
  double x, y, top, left;

  shardwise_chart_get_plot (chart, &plot);
  shardwise_scatter_chart_place (self, &self->selected, &x, &y);
  width = MIN (width, (int) plot.size.width);
  left = CLAMP (x - width / 2.0, plot.origin.x, plot.origin.x + plot.size.width - width);
  top = plot.origin.y + TITLE_LINES * line;
  shardwise_draw_text_within (chart, snapshot, name, &style->text, left, top, width, 0);
  shardwise_draw_line (snapshot, &style->text, x, top + line + 1, 1,
                       MAX (y - RING_RADIUS - top - line - 1, 0));
}

/* Filled, with its letter in the colour of the card. */
static void
draw_pins (ShardwiseScatterChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  float side = (float) shardwise_draw_line_height (chart);

  for (guint i = 0; i < self->n_pins; i++)
    {
      const char letter[] = { (char) ('A' + self->letters[i]), '\0' };
      GskRoundedRect box;
      double x, y;

      shardwise_scatter_chart_place (self, &self->pins[i], &x, &y);
      gsk_rounded_rect_init_from_rect (
          &box, &GRAPHENE_RECT_INIT ((float) x - side / 2, (float) y - side / 2, side, side), 4);
      gtk_snapshot_push_rounded_clip (snapshot, &box);
      gtk_snapshot_append_color (snapshot, &style->text, &box.bounds);
      gtk_snapshot_pop (snapshot);
      shardwise_draw_text (chart, snapshot, letter, &style->card, x, y, 0.5, 0.5);
    }
}

static void
draw_star_of_best (ShardwiseScatterChart *self, cairo_t *cr, const ShardwiseChartStyle *style)
{
  GdkRGBA blue;
  double x, y;

  shardwise_palette_get (SHARDWISE_COLOR_COMPUTE, style->dark, &blue);
  shardwise_scatter_chart_place (self, &self->best, &x, &y);
  draw_star (cr, x, y, &blue, &style->card);
}

/* A filled dot with a ring, and lines to both axes. */
static void
draw_cross (ShardwiseScatterChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
            const SwCandidate *candidate)
{
  graphene_rect_t plot;
  double x, y;
  cairo_t *cr;

  shardwise_scatter_chart_place (self, candidate, &x, &y);
  shardwise_draw_line (snapshot, &style->dim, self->memory.start, y, x - self->memory.start, 1);
  shardwise_draw_line (snapshot, &style->dim, x, y, 1, self->throughput.start - y);
  shardwise_chart_get_plot (SHARDWISE_CHART (self), &plot);
  cr = gtk_snapshot_append_cairo (snapshot, &plot);
  gdk_cairo_set_source_rgba (cr, &style->card);
  cairo_arc (cr, x, y, RADIUS + 3, 0, 2 * G_PI);
  cairo_fill (cr);
  gdk_cairo_set_source_rgba (cr, &style->text);
  cairo_arc (cr, x, y, RADIUS + 1, 0, 2 * G_PI);
  cairo_fill (cr);
  cairo_destroy (cr);
}

/* Draws the cloud, the limits and the strategies that are marked. */
void
shardwise_scatter_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot,
                              const ShardwiseChartStyle *style)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  graphene_rect_t plot;
  cairo_t *cr;

  if (self->n == 0)
    return;
  draw_grid (self, snapshot, style);
  draw_limit (self, snapshot, style);
  draw_titles (self, snapshot, style);
  shardwise_chart_get_plot (chart, &plot);
  cr = gtk_snapshot_append_cairo (snapshot, &plot);
  draw_spots (self, cr, style);
  draw_front (self, cr, style);
  if (self->has_selected)
    draw_selected (self, cr, style);
  if (self->has_best)
    draw_star_of_best (self, cr, style);
  cairo_destroy (cr);
  draw_pins (self, snapshot, style);
  if (self->has_pointed)
    draw_cross (self, snapshot, style, &self->pointed);
  if (self->has_selected)
    draw_name (self, snapshot, style);
}

/* What is pointed at. */
void
shardwise_scatter_chart_draw_point (ShardwiseChart *chart, GtkSnapshot *snapshot,
                                    const ShardwiseChartStyle *style, guint point)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);

  draw_cross (self, snapshot, style, shardwise_scatter_chart_candidate_at (self, point));
}
