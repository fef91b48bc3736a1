/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-scatter-chart.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-axis.h"
#include "shardwise-candidate-view.h"
#include "shardwise-chart-draw.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "sw-search-result.h"

#define STAR_RADIUS 9
#define RING_RADIUS 13   /* of the selected point */
#define TITLE_LINES 1.25 /* of text: the title of the vertical axis, and a gap */

enum {
  SPOT = 5,   /* pixels: strategies closer than this are drawn as one spot */
  RADIUS = 4, /* of a point of the best choices, pixels */
  REACH = 14, /* from the pointer, pixels */
};

/* The strategies drawn as one dot. */
typedef struct {
  guint fastest, count;
} Spot;

struct _ShardwiseScatterChart {
  ShardwiseChart parent_instance;

  GObject *owner; /* (nullable) owner of the candidates */
  const SwCandidate *candidates;
  const guint *counts; /* (nullable) */
  gboolean is_partial; /* the complete search is still running */
  guint n, total;
  double usable_bytes, limit_bytes, least_memory_bytes, most_tokens_per_s;
  GArray *front;                       /* guint elements, indices of candidates */
  SwCandidate best, selected, pointed; /* marked */
  gboolean has_best, has_selected, has_pointed;
  SwCandidate pins[SHARDWISE_COMPARISON_MAX];
  guint letters[SHARDWISE_COMPARISON_MAX], n_pins;

  ShardwiseAxis memory, throughput;
  GArray *spots;    /* Spot elements */
  guint most_alike; /* largest number of strategies at one point */
};

G_DEFINE_FINAL_TYPE (ShardwiseScatterChart, shardwise_scatter_chart, SHARDWISE_TYPE_CHART)

static double
tokens_per_s (const SwCandidate *candidate)
{
  return 1 / (double) candidate->seconds_per_token;
}

/* The candidate at a point. */
static const SwCandidate *
candidate_at (ShardwiseScatterChart *self, guint point)
{
  if (point < self->front->len)
    return &self->candidates[g_array_index (self->front, guint, point)];
  return &self->candidates[g_array_index (self->spots, Spot, point - self->front->len).fastest];
}

/* The position of a strategy. */
static void
place (ShardwiseScatterChart *self, const SwCandidate *candidate, double *x, double *y)
{
  *x = shardwise_axis_to_pixel (&self->memory,
                                candidate->memory_bytes / shardwise_memory_unit_bytes ());
  *y = shardwise_axis_to_pixel (&self->throughput, tokens_per_s (candidate));
}

/* Layout */

static int
plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  int line = shardwise_draw_line_height (chart);

  *minimum = 13 * line;
  return MAX (290, 20 * line);
}

static guint
cells_across (ShardwiseScatterChart *self)
{
  return (guint) ((self->memory.end - self->memory.start) / SPOT) + 1;
}

static guint
cells_down (ShardwiseScatterChart *self)
{
  return (guint) ((self->throughput.start - self->throughput.end) / SPOT) + 1;
}

/* The grid cell of a candidate. */
static gsize
cell_of (ShardwiseScatterChart *self, guint candidate)
{
  guint across = cells_across (self), down = cells_down (self);
  double x, y;

  place (self, &self->candidates[candidate], &x, &y);
  return (gsize) CLAMP ((y - self->throughput.end) / SPOT, 0, down - 1) * across
         + (gsize) CLAMP ((x - self->memory.start) / SPOT, 0, across - 1);
}

/* The best choices keep their numbers; another point becomes the spot of the same strategy. */
static guint
number_now (ShardwiseChart *chart, guint point, gconstpointer before)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  const GArray *spots = before;
  guint i = 0;
  gsize cell;

  if (point < self->front->len)
    return point;
  cell = cell_of (self, g_array_index (spots, Spot, point - self->front->len).fastest);
  while (cell_of (self, g_array_index (self->spots, Spot, i).fastest) != cell)
    i++;
  return self->front->len + i;
}

/* Spots: a grid over the plot, so that the cost of drawing and pointing depends on the screen
 * instead of the number of strategies. */
static void
find_spots (ShardwiseScatterChart *self)
{
  g_autoptr (GArray) before = g_steal_pointer (&self->spots);
  gsize n_cells = (gsize) cells_across (self) * cells_down (self);
  g_autofree Spot *grid = g_new0 (Spot, n_cells);

  for (guint i = 0; i < self->n; i++)
    {
      guint count = self->counts != NULL ? self->counts[i] : 1;
      Spot *spot;

      if (count == 0)
        continue;
      spot = &grid[cell_of (self, i)];
      if (spot->count == 0
          || self->candidates[i].seconds_per_token
                 < self->candidates[spot->fastest].seconds_per_token)
        spot->fastest = i;
      spot->count += count;
    }
  self->spots = g_array_new (FALSE, FALSE, sizeof (Spot));
  self->most_alike = 1;
  for (gsize i = 0; i < n_cells; i++)
    if (grid[i].count > 0)
      {
        g_array_append_val (self->spots, grid[i]);
        self->most_alike = MAX (self->most_alike, grid[i].count);
      }
  shardwise_chart_renumber (SHARDWISE_CHART (self), number_now, before);
}

/* Marked strategies are visible even if they are filtered out. */
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
static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
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
draw_limit (ShardwiseScatterChart *self, const ShardwisePen *pen)
{
  const double unit = shardwise_memory_unit_bytes ();
  double usable = shardwise_axis_to_pixel (&self->memory, self->usable_bytes / unit),
         limit = shardwise_axis_to_pixel (&self->memory, self->limit_bytes / unit),
         top = self->throughput.end - STAR_RADIUS, height = self->throughput.start - top;
  GdkRGBA red;

  shardwise_palette_get (SHARDWISE_COLOR_LIMIT, pen->dark, &red);
  if (limit < usable)
    {
      shardwise_draw_hatched (pen, SHARDWISE_COLOR_LIMIT, limit, top, usable - limit, height);
      shardwise_draw_line (pen, &red, limit, top, 1, height);
    }
  shardwise_draw_line (pen, &red, usable, top, 2, height);
}

/* Points that represent more strategies are darker. */
static void
draw_spots (ShardwiseScatterChart *self, cairo_t *cr, const ShardwisePen *pen)
{
  GdkRGBA grey;

  shardwise_palette_get (SHARDWISE_COLOR_OTHER, pen->dark, &grey);
  for (guint i = 0; i < self->spots->len; i++)
    {
      const Spot *spot = &g_array_index (self->spots, Spot, i);
      double share = log (spot->count) / log (MAX (self->most_alike, 2)), x, y;

      place (self, &self->candidates[spot->fastest], &x, &y);
      cairo_set_source_rgba (cr, grey.red, grey.green, grey.blue,
                             pen->high_contrast ? 1 : 0.35 + 0.5 * share);
      cairo_arc (cr, x, y, 1.6 + 0.9 * share, 0, 2 * G_PI);
      cairo_fill (cr);
    }
}

/* Steps: a point stays the fastest until the memory of the next one. */
static void
draw_front (ShardwiseScatterChart *self, cairo_t *cr, const ShardwisePen *pen)
{
  GdkRGBA blue;
  double x, y, last = 0;

  shardwise_palette_get (SHARDWISE_COLOR_COMPUTE, pen->dark, &blue);
  gdk_cairo_set_source_rgba (cr, &blue);
  cairo_set_line_width (cr, 2);
  for (guint i = 0; i < self->front->len; i++)
    {
      place (self, candidate_at (self, i), &x, &y);
      cairo_line_to (cr, x, i > 0 ? last : y);
      cairo_line_to (cr, x, y);
      last = y;
    }
  cairo_stroke (cr);
  for (guint i = 0; i < self->front->len; i++)
    {
      place (self, candidate_at (self, i), &x, &y);
      cairo_arc (cr, x, y, RADIUS, 0, 2 * G_PI);
      cairo_fill (cr);
    }
}

/* The name of the selected strategy is above the plot, where it does not cover another name. A line
 * leads down to its point. */
static void
draw_name (ShardwiseScatterChart *self, const ShardwisePen *pen)
{
  g_autofree char *name = shardwise_text_strategy (&self->selected.strategy);
  int line = shardwise_draw_line_height (pen->chart),
      width = shardwise_draw_text_width (pen->chart, name);
  double x, y, top, left;

  place (self, &self->selected, &x, &y);
  width = MIN (width, (int) pen->plot.size.width);
  left = CLAMP (x - width / 2.0, pen->plot.origin.x,
                pen->plot.origin.x + pen->plot.size.width - width);
  top = pen->plot.origin.y + TITLE_LINES * line;
  shardwise_draw_text_within (pen, name, &pen->text, left, top, width, 0);
  shardwise_draw_line (pen, &pen->text, x, top + line + 1, 1,
                       MAX (y - RING_RADIUS - top - line - 1, 0));
}

/* Filled, with its letter in the color of the card. */
static void
draw_pins (ShardwiseScatterChart *self, const ShardwisePen *pen)
{
  float side = (float) shardwise_draw_line_height (pen->chart);

  for (guint i = 0; i < self->n_pins; i++)
    {
      const char letter[] = { (char) ('A' + self->letters[i]), '\0' };
      GskRoundedRect box;
      double x, y;

      place (self, &self->pins[i], &x, &y);
      gsk_rounded_rect_init_from_rect (
          &box, &GRAPHENE_RECT_INIT ((float) x - side / 2, (float) y - side / 2, side, side), 4);
      gtk_snapshot_push_rounded_clip (pen->snapshot, &box);
      gtk_snapshot_append_color (pen->snapshot, &pen->text, &box.bounds);
      gtk_snapshot_pop (pen->snapshot);
      shardwise_draw_text (pen, letter, &pen->card, x, y, 0.5, 0.5);
    }
}

/* A filled dot with a ring, and lines to both axes. */
static void
draw_cross (ShardwiseScatterChart *self, const ShardwisePen *pen, const SwCandidate *candidate)
{
  double x, y;
  cairo_t *cr;

  place (self, candidate, &x, &y);
  shardwise_draw_line (pen, &pen->dim, self->memory.start, y, x - self->memory.start, 1);
  shardwise_draw_line (pen, &pen->dim, x, y, 1, self->throughput.start - y);
  cr = gtk_snapshot_append_cairo (pen->snapshot, &pen->plot);
  gdk_cairo_set_source_rgba (cr, &pen->card);
  cairo_arc (cr, x, y, RADIUS + 3, 0, 2 * G_PI);
  cairo_fill (cr);
  gdk_cairo_set_source_rgba (cr, &pen->text);
  cairo_arc (cr, x, y, RADIUS + 1, 0, 2 * G_PI);
  cairo_fill (cr);
  cairo_destroy (cr);
}

/* A star with an outline in the color of the card, so that it is visible on the front. */
static void
draw_star (ShardwiseScatterChart *self, cairo_t *cr, const ShardwisePen *pen)
{
  GdkRGBA blue;
  double x, y;

  place (self, &self->best, &x, &y);
  for (guint i = 0; i < 10; i++)
    {
      double radius = i % 2 == 0 ? STAR_RADIUS : STAR_RADIUS * 0.45,
             angle = i * G_PI / 5 - G_PI / 2;

      cairo_line_to (cr, x + radius * cos (angle), y + radius * sin (angle));
    }
  cairo_close_path (cr);
  gdk_cairo_set_source_rgba (cr, &pen->card);
  cairo_set_line_width (cr, 3);
  cairo_stroke_preserve (cr);
  shardwise_palette_get (SHARDWISE_COLOR_COMPUTE, pen->dark, &blue);
  gdk_cairo_set_source_rgba (cr, &blue);
  cairo_fill (cr);
}

/* Draws the cloud, the limits and the marked strategies. */
static void
draw (ShardwiseChart *chart, const ShardwisePen *pen)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  const ShardwiseTicks ticks = { .each = 3,
                                 .most = 12,
                                 .spans = { { self->throughput.end, self->throughput.start } },
                                 .label_y = self->throughput.start + 5 };
  g_autofree char *memory = NULL;
  double x, y;
  cairo_t *cr;

  if (self->n == 0)
    return;
  shardwise_draw_level_axis (pen, &self->memory, &ticks);
  shardwise_draw_upright_axis (pen, &self->throughput, 2.5, self->memory.start, self->memory.end,
                               shardwise_format_tick);
  draw_limit (self, pen);
  /* Translators: title of an upright axis */
  shardwise_draw_text (pen, _ ("tokens/s (higher is better)"), &pen->dim, pen->plot.origin.x,
                       pen->plot.origin.y, 0, 0);
  /* Translators: title of a level axis */
  memory = shardwise_memory_unit_text (_ ("memory per GPU, GiB (lower is better)"));
  shardwise_draw_text (pen, memory, &pen->dim, self->memory.end,
                       self->throughput.start + shardwise_draw_axis_height (chart), 1, 0);
  cr = gtk_snapshot_append_cairo (pen->snapshot, &pen->plot);
  draw_spots (self, cr, pen);
  draw_front (self, cr, pen);
  if (self->has_selected)
    {
      place (self, &self->selected, &x, &y);
      gdk_cairo_set_source_rgba (cr, &pen->text);
      cairo_set_line_width (cr, 2);
      cairo_arc (cr, x, y, RING_RADIUS, 0, 2 * G_PI);
      cairo_stroke (cr);
    }
  if (self->has_best)
    draw_star (self, cr, pen);
  cairo_destroy (cr);
  draw_pins (self, pen);
  if (self->has_pointed)
    draw_cross (self, pen, &self->pointed);
  if (self->has_selected)
    draw_name (self, pen);
}

/* The point under the pointer or cursor. */
static void
draw_point (ShardwiseChart *chart, const ShardwisePen *pen, guint point)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);

  draw_cross (self, pen, candidate_at (self, point));
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);

  return self->front->len + self->spots->len;
}

static gboolean
point_area (ShardwiseChart *chart, guint point, graphene_rect_t *out)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  double x, y;

  place (self, candidate_at (self, point), &x, &y);
  graphene_rect_init (out, x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS);
  return TRUE;
}

/* The keyboard walks along the best choices; from elsewhere it goes to the nearest one with less
 * memory. */
static int
step (ShardwiseChart *chart, guint point, GtkDirectionType direction)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  gboolean back = direction == GTK_DIR_LEFT || direction == GTK_DIR_DOWN;
  guint last = self->front->len - 1;
  float memory;

  if (point <= last)
    return back ? (int) point - 1 : (int) MIN (point + 1, last);
  memory = candidate_at (self, point)->memory_bytes;
  while (last > 0
         && self->candidates[g_array_index (self->front, guint, last)].memory_bytes > memory)
    last--;
  return (int) last;
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  const SwCandidate *candidate = candidate_at (self, point);
  g_autofree char *strategy = shardwise_text_strategy (&candidate->strategy);
  g_autofree char *speed = shardwise_format_count (tokens_per_s (candidate));
  g_autofree char *memory = shardwise_format_bytes (candidate->memory_bytes);
  guint alike;

  if (point < self->front->len)
    /* Translators: a strategy ("TP 8 · PP 4 …"), tokens per second, memory */
    return g_strdup_printf (
        _ ("%s: %s tokens/s with %s; no strategy is faster with as little memory"), strategy, speed,
        memory);
  alike = g_array_index (self->spots, Spot, point - self->front->len).count - 1;
  if (alike == 0)
    /* Translators: a strategy ("TP 8 · PP 4 …"), tokens per second, memory */
    return g_strdup_printf (_ ("%s: %s tokens/s with %s"), strategy, speed, memory);
  return g_strdup_printf (
      /* Translators: a strategy ("TP 8 · PP 4 …"), tokens per second, memory, and how many
         strategies more are drawn on the same spot */
      ngettext ("%s: %s tokens/s with %s; %'u more at this point",
                "%s: %s tokens/s with %s; %'u more at this point", alike),
      strategy, speed, memory, alike);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  const SwCandidate *small, *fast;
  g_autofree char *low = NULL, *high = NULL, *little = NULL, *much = NULL;

  if (self->n == 0)
    return g_strdup ("");
  small = &self->candidates[g_array_index (self->front, guint, 0)];
  fast = &self->candidates[g_array_index (self->front, guint, self->front->len - 1)];
  low = shardwise_format_count (tokens_per_s (small));
  high = shardwise_format_count (tokens_per_s (fast));
  little = shardwise_format_bytes (small->memory_bytes);
  much = shardwise_format_bytes (fast->memory_bytes);
  return g_strdup_printf (
      self->is_partial
          /* Translators: as the sentence without "so far"; not every strategy was tried yet, and
             more fit than these */
          ? _ ("%'u of the best strategies so far. %'u of them are not beaten in both throughput "
               "and memory, from %s tokens/s with %s to %s tokens/s with %s.")
          /* Translators: how many strategies fit, how many of them are on the Pareto front; then
             tokens per second and memory of its two ends */
          : _ ("%'u strategies fit. %'u of them are not beaten in both throughput and memory, from "
               "%s tokens/s with %s to %s tokens/s with %s."),
      self->total, self->front->len, low, little, high, much);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  const ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  guint n = 0;

  if (self->n == 0)
    return 0;
  out[n++] = (ShardwiseLegendEntry){
    SHARDWISE_COLOR_COMPUTE, _ ("Pareto front: no strategy is faster with as little memory")
  };
  out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_OTHER, _ ("Others that fit") };
  if (self->limit_bytes < self->usable_bytes)
    out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_LIMIT, _ ("Reserve"), .hatched = TRUE };
  out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_LIMIT, _ ("Usable memory") };
  return n;
}

/* The table lists the best choices; the list of strategies next to the chart has the others. */

static const ShardwiseChartColumn columns[] = {
  { N_ ("Strategy"), -1 },
  { N_ ("Memory (GiB)"), 1 },
  { N_ ("Tokens/s"), 0 },
  { N_ ("Step (s)"), 3 },
  { NULL, 0 },
};

static guint
n_rows (ShardwiseChart *chart)
{
  return SHARDWISE_SCATTER_CHART (chart)->front->len;
}

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  const SwCandidate *candidate = &self->candidates[g_array_index (self->front, guint, row)];
  const double numbers[] = { 0, candidate->memory_bytes / SW_GIB, tokens_per_s (candidate),
                             candidate->step_s };

  if (column == 0)
    out->text = shardwise_text_strategy (&candidate->strategy);
  else
    out->number = numbers[column];
}

/* Public */

/**
 * shardwise_scatter_chart_set_candidates:
 * @self: a chart
 * @candidates: (array length=n): strategies that fit
 * @counts: (array length=n) (nullable): number of strategies at each point; 0: counted at another
 * point and included only for the front; %NULL: 1 each
 * @n: their number; 0 empties the chart
 * @owner: (nullable): the owner of @candidates and @counts
 * @usable_bytes: memory of one GPU
 * @limit_bytes: the part that a strategy may use; the rest is a reserve
 */
void
shardwise_scatter_chart_set_candidates (ShardwiseScatterChart *self, const SwCandidate *candidates,
                                        const guint *counts, guint n, GObject *owner,
                                        double usable_bytes, double limit_bytes)
{
  g_return_if_fail (SHARDWISE_IS_SCATTER_CHART (self));

  g_set_object (&self->owner, owner);
  self->candidates = candidates;
  self->counts = counts;
  self->n = n;
  self->usable_bytes = usable_bytes;
  self->limit_bytes = limit_bytes;
  self->total = 0;
  for (guint i = 0; i < n; i++)
    self->total += counts != NULL ? counts[i] : 1;
  g_array_set_size (self->spots, 0);
  g_array_unref (self->front);
  self->front = sw_pareto_front (candidates, n);
  self->most_tokens_per_s = 0;
  self->least_memory_bytes = self->usable_bytes;
  for (guint i = 0; i < self->n; i++)
    {
      self->most_tokens_per_s = MAX (self->most_tokens_per_s, tokens_per_s (&self->candidates[i]));
      self->least_memory_bytes = MIN (self->least_memory_bytes, self->candidates[i].memory_bytes);
    }
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/**
 * shardwise_scatter_chart_set_partial:
 * @self: a chart
 * @is_partial: whether not every strategy was tried yet
 *
 * Sets whether the summary describes the next candidates as all that fit, or as those found so far.
 */
void
shardwise_scatter_chart_set_partial (ShardwiseScatterChart *self, gboolean is_partial)
{
  g_return_if_fail (SHARDWISE_IS_SCATTER_CHART (self));

  self->is_partial = is_partial;
}

static void
set_mark (SwCandidate *mark, gboolean *has, const SwCandidate *candidate)
{
  *has = candidate != NULL;
  if (candidate != NULL)
    *mark = *candidate;
}

/**
 * shardwise_scatter_chart_set_marks:
 * @self: a chart
 * @best: (nullable): gets a star; copied
 * @selected: (nullable): drawn large, with its name; copied
 *
 * Neither needs to be among the candidates: a filter may hide them.
 */
void
shardwise_scatter_chart_set_marks (ShardwiseScatterChart *self, const SwCandidate *best,
                                   const SwCandidate *selected)
{
  g_return_if_fail (SHARDWISE_IS_SCATTER_CHART (self));

  set_mark (&self->best, &self->has_best, best);
  set_mark (&self->selected, &self->has_selected, selected);
  shardwise_chart_redraw (SHARDWISE_CHART (self));
}

/**
 * shardwise_scatter_chart_set_pointed:
 * @self: a chart
 * @pointed: (nullable): gets a line to each axis, like the point under the pointer; copied
 *
 * Marks the point of a row in the list beside the chart.
 */
void
shardwise_scatter_chart_set_pointed (ShardwiseScatterChart *self, const SwCandidate *pointed)
{
  g_return_if_fail (SHARDWISE_IS_SCATTER_CHART (self));

  if (pointed == NULL && !self->has_pointed)
    return;
  set_mark (&self->pointed, &self->has_pointed, pointed);
  shardwise_chart_redraw (SHARDWISE_CHART (self));
}

/**
 * shardwise_scatter_chart_set_pins:
 * @self: a chart
 * @comparison: its strategies for the current inputs get their letters; not kept
 */
void
shardwise_scatter_chart_set_pins (ShardwiseScatterChart *self, ShardwiseComparison *comparison)
{
  g_return_if_fail (SHARDWISE_IS_SCATTER_CHART (self) && SHARDWISE_IS_COMPARISON (comparison));

  self->n_pins = 0;
  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    {
      const SwEstimate *estimate = shardwise_comparison_get_estimate (comparison, i);

      if (!estimate->fits || shardwise_comparison_get_name (comparison, i) != NULL)
        continue;
      self->letters[self->n_pins] = i;
      self->pins[self->n_pins++] = shardwise_candidate_of (estimate);
    }
  shardwise_chart_redraw (SHARDWISE_CHART (self));
}

/**
 * shardwise_scatter_chart_get_candidate:
 * @self: a chart
 * @point: a point of the chart
 *
 * Returns: (transfer none): its strategy
 */
const SwCandidate *
shardwise_scatter_chart_get_candidate (ShardwiseScatterChart *self, guint point)
{
  g_return_val_if_fail (SHARDWISE_IS_SCATTER_CHART (self), NULL);
  g_return_val_if_fail (point < n_points (SHARDWISE_CHART (self)), NULL);

  return candidate_at (self, point);
}

/* Type */

static void
shardwise_scatter_chart_finalize (GObject *object)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (object);

  g_clear_object (&self->owner);
  g_array_unref (self->front);
  g_array_unref (self->spots);
  G_OBJECT_CLASS (shardwise_scatter_chart_parent_class)->finalize (object);
}

static void
shardwise_scatter_chart_class_init (ShardwiseScatterChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_scatter_chart_finalize;
  chart_class->plot_height = plot_height;
  chart_class->layout = layout;
  chart_class->draw = draw;
  chart_class->draw_point = draw_point;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->reach = REACH; /* the best choices have priority over spots */
  chart_class->step = step;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->n_rows = n_rows;
  chart_class->cell = cell;
}

static void
shardwise_scatter_chart_init (ShardwiseScatterChart *self)
{
  self->front = g_array_new (FALSE, FALSE, sizeof (guint));
  self->spots = g_array_new (FALSE, FALSE, sizeof (Spot));
}
