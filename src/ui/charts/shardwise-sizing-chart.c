/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing-chart.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-format.h"
#include "shardwise-text-advice.h"
#include "shardwise-text-strategy.h"
#include <stdlib.h>
#include "shardwise-axis.h"
#include "shardwise-chart-draw.h"
#include "shardwise-scaling.h"

#define UPPER_SHARE 0.62 /* of the height */
#define RADIUS 4.5       /* of a point, pixels */
#define N_SERIES 2
#define MOST_LABELS 128 /* and leaders */
#define LINE_GAP 1.0    /* pixels between a label and a line */
#define LABEL_GAP 4     /* pixels between two labels */
#define LEADER_FROM 12  /* pixels between a point and its label */
#define LABEL_STEPS 5   /* half lines that a label may be away from its point */
#define PICK_WIDTH 40   /* pixels to either side that belong to a point */
/* of a pixel across: only at the same size it matters which line is nearer */
#define PICK_WEIGHT 1000

/* One line of the chart: the scenario's cluster, and the one that it is compared with. */
typedef struct {
  GPtrArray *points;                     /* (nullable) of ShardwiseSizingPoint */
  const ShardwiseSizingPoint *reference; /* (nullable): of scaling */
  char *name;
} Series;

struct _ShardwiseSizingChart {
  ShardwiseChart parent_instance;

  Series series[N_SERIES];
  char *currency;
  guint present, sensible;       /* GPUs; 0: not marked */
  SwLeastGpus least[SW_N_MEANS]; /* n_least of them */
  guint n_least;

  ShardwiseAxis gpus, throughput, efficiency;
};

G_DEFINE_FINAL_TYPE (ShardwiseSizingChart, shardwise_sizing_chart, SHARDWISE_TYPE_CHART)

static const ShardwiseColor series_colors[N_SERIES] = { SHARDWISE_COLOR_COMPUTE,
                                                        SHARDWISE_COLOR_TENSOR };
static const ShardwiseMark series_marks[N_SERIES] = { SHARDWISE_MARK_DISC, SHARDWISE_MARK_SQUARE };

static guint
series_length (const Series *series)
{
  return series->points != NULL ? series->points->len : 0;
}

/* The point of an index of one series. */
static const ShardwiseSizingPoint *
series_at (const Series *series, guint index)
{
  return g_ptr_array_index (series->points, index);
}

static guint
n_points (ShardwiseChart *chart)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);

  return series_length (&self->series[0]) + series_length (&self->series[1]);
}

/* The point of an index that counts through both series. */
static const ShardwiseSizingPoint *
point_at (ShardwiseSizingChart *self, guint index, const Series **series)
{
  guint n = series_length (&self->series[0]);

  *series = &self->series[index >= n];
  return series_at (*series, index >= n ? index - n : index);
}

/* The least GPUs, and the least of all, if that is with something in host memory; 0: there is none. */
static guint
least_gpus (ShardwiseSizingChart *self, gboolean offloads)
{
  const guint last = self->n_least - 1;

  if (self->n_least == 0)
    return 0;
  if (!offloads)
    return self->least[0].gpus;
  return last > 0 && self->least[last].host_bytes > 0 ? self->least[last].gpus : 0;
}

static gboolean
offloads (const ShardwiseSizingPoint *point)
{
  return point->estimate.fits && point->estimate.strategy.offload != SW_OFFLOAD_NONE;
}

/* Where a number of GPUs is on the axis. */
static double
x_of (ShardwiseSizingChart *self, double gpus)
{
  return shardwise_axis_to_pixel (&self->gpus, gpus);
}

static double
y_of (ShardwiseSizingChart *self, double tokens_per_s)
{
  return shardwise_axis_to_pixel (&self->throughput, tokens_per_s);
}

/* Layout */

/* Two plots, one above the other. */
static int
plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  int line = shardwise_draw_line_height (chart);

  *minimum = MAX (300, 20 * line);
  return MAX (380, 25 * line);
}

/* Places both plots on one axis of GPUs, which has all points of both series. */
static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  g_autofree char *count = shardwise_format_tick (888e6), *share = shardwise_draw_percent_label (1);
  int labels = MAX (shardwise_draw_text_width (chart, count),
                    shardwise_draw_text_width (chart, share));
  double left = plot->origin.x + labels + 8, right = plot->origin.x + plot->size.width - 4;
  double top = plot->origin.y + 2 * shardwise_draw_line_height (chart) + 8,
         bottom = plot->origin.y + plot->size.height - shardwise_draw_axis_height (chart);
  double middle = top + (bottom - top) * UPPER_SHARE;
  double gap = shardwise_draw_axis_height (chart); /* for the title of the lower panel */
  double fewest = G_MAXDOUBLE, greatest = 0, low = G_MAXDOUBLE, high = 0, most = 1;

  if (n_points (chart) == 0)
    return;
  for (guint i = 0; i < n_points (chart); i++)
    {
      const Series *series;
      const ShardwiseSizingPoint *point = point_at (self, i, &series);
      double ideal = series->reference != NULL
                         ? series->reference->estimate.tokens_per_s / series->reference->gpus
                         : 0;

      fewest = MIN (fewest, point->gpus);
      greatest = MAX (greatest, point->gpus);
      if (!point->estimate.fits)
        continue;
      low = MIN (low, point->estimate.tokens_per_s);
      high = MAX (high, MAX (point->estimate.tokens_per_s, ideal * point->gpus));
      most = MAX (most, shardwise_sizing_efficiency (series->reference, point));
    }
  self->gpus = (ShardwiseAxis){ SHARDWISE_SCALE_DOUBLINGS, fewest * 0.85, greatest * 1.18, left,
                                right };
  /* room for labels under the first points */
  self->throughput = (ShardwiseAxis){ SHARDWISE_SCALE_DECADES, (high > 0 ? low : 1) * 0.3,
                                      (high > 0 ? high : 10) * 1.4, middle - gap / 2, top };
  self->efficiency = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, most * 1.08, bottom,
                                      middle + gap / 2 };
}

/* Draws a line from top to bottom of both plots; between them is a title. */
static void
draw_upright (ShardwiseSizingChart *self, const ShardwisePen *pen, const GdkRGBA *color, double x)
{
  const ShardwiseAxis *axes[] = { &self->throughput, &self->efficiency };

  for (guint i = 0; i < G_N_ELEMENTS (axes); i++)
    shardwise_draw_line (pen, color, x, axes[i]->end, 1, axes[i]->start - axes[i]->end);
}

/* Labels at the lines: strategies where they change, and marked sizes */

/* Where labels are. */
typedef struct {
  graphene_rect_t areas[MOST_LABELS];
  guint n;
} Taken;

static gboolean
is_free (const Taken *taken, const graphene_rect_t *area)
{
  for (guint i = 0; i < taken->n; i++)
    if (graphene_rect_intersection (area, &taken->areas[i], NULL))
      return FALSE;
  return taken->n < MOST_LABELS;
}

/* Whether a piece of a line, from left to right, crosses or touches an area. */
static gboolean
meets (const graphene_rect_t *area, double x0, double y0, double x1, double y1)
{
  double left = area->origin.x - LINE_GAP, right = area->origin.x + area->size.width + LINE_GAP,
         from = MAX (x0, left), to = MIN (x1, right), at_from, at_to;

  if (from > to || !(x1 > x0))
    return FALSE;
  at_from = y0 + (y1 - y0) * (from - x0) / (x1 - x0);
  at_to = y0 + (y1 - y0) * (to - x0) / (x1 - x0);
  return MAX (at_from, at_to) >= area->origin.y - LINE_GAP
         && MIN (at_from, at_to) <= area->origin.y + area->size.height + LINE_GAP;
}

/* Whether a label would cover no line, no other label and nothing outside its panel. */
static gboolean
has_room (ShardwiseSizingChart *self, const graphene_rect_t *area, const Taken *taken)
{
  const guint marks[] = { least_gpus (self, FALSE), least_gpus (self, TRUE), self->sensible,
                          self->present };
  const ShardwiseSizingPoint *reference = self->series[0].reference;
  double each = reference != NULL ? reference->estimate.tokens_per_s / reference->gpus : 0;
  double left = area->origin.x, right = left + area->size.width;

  if (left < self->gpus.start || right > self->gpus.end || area->origin.y < self->throughput.end
      || area->origin.y + area->size.height > self->throughput.start || !is_free (taken, area))
    return FALSE;
  /* The dashed line is straight, as both axes are logarithmic. */
  if (each > 0
      && meets (area, self->gpus.start, y_of (self, each * self->gpus.min), self->gpus.end,
                y_of (self, each * self->gpus.max)))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      double x = marks[i] > 0 ? x_of (self, marks[i]) : -1;

      if (x >= left - LINE_GAP && x <= right + LINE_GAP)
        return FALSE;
    }
  for (const Series *series = self->series; series < self->series + N_SERIES; series++)
    for (guint i = 1; i < series_length (series); i++)
      {
        const ShardwiseSizingPoint *a = series_at (series, i - 1), *b = series_at (series, i);

        if (a->estimate.fits && b->estimate.fits
            && meets (area, x_of (self, a->gpus), y_of (self, a->estimate.tokens_per_s),
                      x_of (self, b->gpus), y_of (self, b->estimate.tokens_per_s)))
          return FALSE;
      }
  return TRUE;
}

/* The line from a point to its label if other things are between them; else empty. */
static void
find_leader (double x, double y, const graphene_rect_t *area, graphene_rect_t *out)
{
  double top = area->origin.y, bottom = top + area->size.height;

  graphene_rect_init (out, x, y, 0, 0);
  if (top > y + LEADER_FROM)
    graphene_rect_init (out, x, y + RADIUS + 1, 1, top - y - RADIUS - 1);
  else if (bottom < y - LEADER_FROM)
    graphene_rect_init (out, x, bottom, 1, y - RADIUS - 1 - bottom);
}

/* Whether a label has room with its leader, which may cross lines, but no other label. */
static gboolean
can_stand (ShardwiseSizingChart *self, double x, double y, const graphene_rect_t *area,
           const Taken *taken)
{
  graphene_rect_t leader;

  find_leader (x, y, area, &leader);
  return has_room (self, area, taken) && (leader.size.height <= 0 || is_free (taken, &leader));
}

/* Finds room for a label of this size: beside its point, to the right below a rising line or to the
 * left above it, else lower, else higher. */
static gboolean
place_label (ShardwiseSizingChart *self, double x, double y, int width, int height,
             const Taken *taken, graphene_rect_t *out)
{
  const double near[][2] = { { x + 5, y + 4 }, { x - 5 - width, y - 4 - height } };
  const double lefts[] = { x - width / 2.0, x + 5, x - width };

  for (guint i = 0; i < G_N_ELEMENTS (near); i++)
    {
      graphene_rect_init (out, near[i][0], near[i][1], width, height);
      if (can_stand (self, x, y, out, taken))
        return TRUE;
    }
  for (guint step = 0; step < 2 * LABEL_STEPS; step++)
    for (guint i = 0; i < G_N_ELEMENTS (lefts); i++)
      {
        double away = 8 + step % LABEL_STEPS * height / 2.0;

        graphene_rect_init (out, lefts[i], step < LABEL_STEPS ? y + away : y - away - height, width,
                            height);
        if (can_stand (self, x, y, out, taken))
          return TRUE;
      }
  return FALSE;
}

/* With a gap on both sides, so that two labels do not read as one. */
static void
take (Taken *taken, const graphene_rect_t *area)
{
  if (taken->n < MOST_LABELS)
    graphene_rect_inset_r (area, -LABEL_GAP, 0, &taken->areas[taken->n++]);
}

/* A label at each point whose parallel sizes differ from those of the previous label. If a neighbor
 * takes the room, only the readout and the table show it. */
static void
draw_strategies (ShardwiseSizingChart *self, const ShardwisePen *pen)
{
  int height = shardwise_draw_line_height (pen->chart);
  g_autofree char *last = NULL;
  const Series *last_series = NULL;
  Taken taken = { .n = 0 };

  for (guint i = 0; i < n_points (pen->chart); i++)
    {
      const Series *series;
      const ShardwiseSizingPoint *point = point_at (self, i, &series);
      g_autofree char *text = point->estimate.fits
                                  ? shardwise_sizing_strategy_text (&point->estimate.strategy)
                                  : NULL;
      double x = x_of (self, point->gpus), y = y_of (self, point->estimate.tokens_per_s);
      graphene_rect_t area, leader;

      if (text == NULL || (series == last_series && g_str_equal (text, last))
          || !place_label (self, x, y, shardwise_draw_text_width (pen->chart, text), height, &taken,
                           &area))
        continue;
      find_leader (x, y, &area, &leader);
      if (leader.size.height > 0)
        {
          gtk_snapshot_append_color (pen->snapshot, &pen->dim, &leader);
          take (&taken, &leader);
        }
      shardwise_draw_text (pen, text, &pen->text, area.origin.x, area.origin.y, 0, 0);
      take (&taken, &area);
      g_free (last);
      last = g_steal_pointer (&text);
      last_series = series;
    }
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

/* Lines at the minimum, the sensible and the present size. Each name is placed where it has room:
 * above its line in one of two rows, else beside the line, else it is omitted. */
static void
draw_marks (ShardwiseSizingChart *self, const ShardwisePen *pen)
{
  const guint least = least_gpus (self, FALSE), offloaded = least_gpus (self, TRUE);
  Mark marks[] = {
    { offloaded, SHARDWISE_COLOR_OTHER, _ ("least with offload") },
    { least == self->sensible ? 0 : least, SHARDWISE_COLOR_OTHER,
      offloaded > 0 ? _ ("least without offload") : _ ("least") },
    { self->sensible == self->present ? 0 : self->sensible, SHARDWISE_COLOR_DATA, _ ("sensible") },
    { self->present, SHARDWISE_COLOR_PIPELINE, _ ("now") },
  };
  /* The upper row begins with the title of the axis. */
  double taken[2] = { 0, shardwise_draw_text_width (pen->chart, _ ("tokens/s")) + 8 };
  int height = shardwise_draw_line_height (pen->chart);

  qsort (marks, G_N_ELEMENTS (marks), sizeof marks[0], compare_marks);
  for (const Mark *mark = marks; mark < marks + G_N_ELEMENTS (marks); mark++)
    {
      int width = shardwise_draw_text_width (pen->chart, mark->text);
      double x = x_of (self, mark->gpus);
      const double places[] = { CLAMP (x - width / 2.0, self->gpus.start,
                                       MAX (self->gpus.end - width, self->gpus.start)),
                                x + 3 };
      GdkRGBA rgba;

      if (mark->gpus == 0 || x < self->gpus.start || x > self->gpus.end)
        continue;
      shardwise_palette_get (mark->color, pen->dark, &rgba);
      draw_upright (self, pen, &rgba, x);
      for (guint i = 0; i < 2 * G_N_ELEMENTS (places); i++)
        {
          double left = places[i / 2];

          if (left < taken[i % 2] || left + width > self->gpus.end + 1)
            continue;
          shardwise_draw_text (pen, mark->text, &rgba, left,
                               self->throughput.end - 2 - i % 2 * height, 0, 1);
          taken[i % 2] = left + width + 8;
          break;
        }
    }
}

/* Drawing */

static double
place (ShardwiseSizingChart *self, const Series *series, const ShardwiseSizingPoint *point,
       gboolean efficiency)
{
  return efficiency ? shardwise_axis_to_pixel (
             &self->efficiency, shardwise_sizing_efficiency (series->reference, point))
                    : y_of (self, point->estimate.tokens_per_s);
}

/* Connects the sizes that fit; a size that does not breaks the line. */
static void
trace (ShardwiseSizingChart *self, cairo_t *cr, const Series *series, gboolean efficiency)
{
  gboolean open = FALSE;

  for (guint i = 0; i < series_length (series); i++)
    {
      const ShardwiseSizingPoint *point = series_at (series, i);
      double x = x_of (self, point->gpus);

      if (point->estimate.fits && open)
        cairo_line_to (cr, x, place (self, series, point, efficiency));
      else if (point->estimate.fits)
        cairo_move_to (cr, x, place (self, series, point, efficiency));
      open = point->estimate.fits;
    }
  cairo_stroke (cr);
}

static void
draw_ideal (ShardwiseSizingChart *self, cairo_t *cr, const ShardwisePen *pen)
{
  const double dashes[] = { 5, 4 };
  const ShardwiseSizingPoint *reference = self->series[0].reference;
  double one = shardwise_axis_to_pixel (&self->efficiency, 1);
  double ideal = reference->estimate.tokens_per_s / reference->gpus;

  cairo_save (cr);
  gdk_cairo_set_source_rgba (cr, &pen->dim);
  cairo_set_dash (cr, dashes, 2, 0);
  cairo_set_line_width (cr, 1.5);
  cairo_move_to (cr, self->gpus.start, one);
  cairo_line_to (cr, self->gpus.end, one);
  cairo_stroke (cr);
  cairo_rectangle (cr, self->gpus.start, self->throughput.end, self->gpus.end - self->gpus.start,
                   self->throughput.start - self->throughput.end);
  cairo_clip (cr);
  cairo_move_to (cr, self->gpus.start, y_of (self, ideal * self->gpus.min));
  cairo_line_to (cr, self->gpus.end, y_of (self, ideal * self->gpus.max));
  cairo_stroke (cr);
  cairo_restore (cr);
}

static void
draw_series (ShardwiseSizingChart *self, cairo_t *cr, const ShardwisePen *pen, guint index)
{
  const Series *series = &self->series[index];
  ShardwiseMark mark = series_marks[index];
  GdkRGBA color, red;

  shardwise_palette_get (series_colors[index], pen->dark, &color);
  shardwise_palette_get (SHARDWISE_COLOR_LIMIT, pen->dark, &red);
  gdk_cairo_set_source_rgba (cr, &color);
  cairo_set_line_width (cr, 2);
  trace (self, cr, series, FALSE);
  trace (self, cr, series, TRUE);
  for (guint i = 0; i < series_length (series); i++)
    {
      const ShardwiseSizingPoint *point = series_at (series, i);
      double x = x_of (self, point->gpus);

      gdk_cairo_set_source_rgba (cr, point->estimate.fits ? &color : &red);
      if (!point->estimate.fits)
        {
          double y = self->throughput.start - RADIUS - 1;

          cairo_move_to (cr, x - RADIUS, y - RADIUS);
          cairo_line_to (cr, x + RADIUS, y + RADIUS);
          cairo_move_to (cr, x - RADIUS, y + RADIUS);
          cairo_line_to (cr, x + RADIUS, y - RADIUS);
          cairo_stroke (cr);
          continue;
        }
      for (guint panel = 0; panel < 2; panel++)
        {
          const double y = place (self, series, point, panel == 1);

          if (offloads (point))
            shardwise_draw_hollow_mark (pen, cr, mark, x, y, RADIUS - panel);
          else
            shardwise_draw_mark (cr, mark, x, y, RADIUS - panel);
        }
    }
}

/* Draws the lines of both series with their marks. */
static void
draw (ShardwiseChart *chart, const ShardwisePen *pen)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const ShardwiseTicks ticks = { .each = 3.5,
                                 .most = 20,
                                 .spans = { { self->throughput.end, self->throughput.start },
                                            { self->efficiency.end, self->efficiency.start } },
                                 .label_y = self->efficiency.start + 5,
                                 .left = -G_MAXDOUBLE,
                                 .right = self->gpus.end + 4 };
  cairo_t *cr;

  if (n_points (chart) == 0)
    return;
  shardwise_draw_level_axis (pen, &self->gpus, &ticks);
  shardwise_draw_upright_axis (pen, &self->throughput, 1.9, self->gpus.start, self->gpus.end,
                               shardwise_format_tick);
  shardwise_draw_upright_axis (pen, &self->efficiency, 1.9, self->gpus.start, self->gpus.end,
                               shardwise_draw_percent_label);
  draw_marks (self, pen);
  cr = gtk_snapshot_append_cairo (pen->snapshot, &pen->plot);
  if (self->series[0].reference != NULL)
    draw_ideal (self, cr, pen);
  for (guint i = N_SERIES; i > 0; i--)
    draw_series (self, cr, pen, i - 1);
  cairo_destroy (cr);
  draw_strategies (self, pen);
  shardwise_draw_text (pen, _ ("tokens/s"), &pen->dim, pen->plot.origin.x, pen->plot.origin.y, 0,
                       0);
  shardwise_draw_text (pen, _ ("Efficiency per GPU"), &pen->dim, pen->plot.origin.x,
                       self->efficiency.end - 5, 0, 1);
}

/* Points */

static gboolean
point_area (ShardwiseChart *chart, guint index, graphene_rect_t *out)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const Series *series;
  const ShardwiseSizingPoint *point = point_at (self, index, &series);
  const double radius = RADIUS + 2;
  double y = point->estimate.fits ? y_of (self, point->estimate.tokens_per_s)
                                  : self->throughput.start - RADIUS - 1;

  graphene_rect_init (out, x_of (self, point->gpus) - radius, y - radius, 2 * radius, 2 * radius);
  return TRUE;
}

static void
draw_point (ShardwiseChart *chart, const ShardwisePen *pen, guint index)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const Series *series;
  double x = x_of (self, point_at (self, index, &series)->gpus);

  draw_upright (self, pen, &pen->dim, x);
  SHARDWISE_CHART_CLASS (shardwise_sizing_chart_parent_class)->draw_point (chart, pen, index);
}

/* The nearest size: a column of pixels belongs to each; of two series the one that is nearer
 * there. */
static int
pick (ShardwiseChart *chart, double x, double y)
{
  double best = PICK_WIDTH * PICK_WEIGHT;
  int found = -1;

  for (guint i = 0; i < n_points (chart); i++)
    {
      graphene_rect_t area;
      graphene_point_t middle;
      double distance;

      point_area (chart, i, &area);
      graphene_rect_get_center (&area, &middle);
      if (fabs (middle.x - x) >= PICK_WIDTH)
        continue;
      distance = fabs (middle.x - x) * PICK_WEIGHT + MIN (fabs (middle.y - y), PICK_WEIGHT - 1);
      if (found < 0 || distance < best)
        {
          best = distance;
          found = (int) i;
        }
    }
  return found;
}

/* Up and down go to the other cluster of the same size, left and right along the line. */
static int
step (ShardwiseChart *chart, guint index, GtkDirectionType direction)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  guint first = series_length (&self->series[0]);
  const Series *series;
  guint gpus = point_at (self, index, &series)->gpus;

  if (direction == GTK_DIR_LEFT)
    return (int) (index == first || index == 0 ? index : index - 1);
  if (direction == GTK_DIR_RIGHT)
    return (int) (index + 1 == first ? index : index + 1);
  for (guint i = 0; i < n_points (chart); i++)
    if ((i < first) != (index < first) && point_at (self, i, &series)->gpus == gpus)
      return (int) i;
  return (int) index;
}

static char *
readout (ShardwiseChart *chart, guint index)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const Series *series;
  const ShardwiseSizingPoint *point = point_at (self, index, &series);
  g_autofree char *speed = shardwise_format_count (point->estimate.tokens_per_s),
                  *share = shardwise_format_percent (
                      shardwise_sizing_efficiency (series->reference, point)),
                  *strategy = shardwise_text_strategy (&point->estimate.strategy),
                  *gpus = shardwise_format_gpus (point->gpus),
                  *gain = shardwise_sizing_gain_text (series->reference, point),
                  *dip = shardwise_sizing_dip_text (series->points, point),
                  *time = shardwise_format_seconds (point->days * 86400),
                  *cost = shardwise_format_money (point->cost, self->currency);
  g_autofree char *place = self->series[1].points == NULL
                               ? g_strdup (gpus)
                               /* Translators: the name of a cluster, and "8 GPUs" */
                               : g_strdup_printf (_ ("%s, %s"), series->name, gpus);
  GString *text;

  if (!point->estimate.fits)
    /* Translators: "8 GPUs" */
    return g_strdup_printf (_ ("%s: nothing fits"), place);
  text = g_string_new (NULL);
  /* Translators: "8 GPUs", tokens per second, a percentage, and the strategy ("TP 8 · PP 4 …") */
  g_string_append_printf (text, _ ("%s: %s tokens/s, %s of ideal scaling, with %s"), place, speed,
                          share, strategy);
  if (point->days > 0)
    shardwise_text_list (text, "%s", time);
  if (point->days > 0 && shardwise_cost_bill (&point->bill) != NULL)
    shardwise_text_items (text, "%s", cost);
  if (gain != NULL)
    g_string_append_printf (text, ". %s", gain);
  if (dip != NULL)
    g_string_append_printf (text, ". %s", dip);
  return g_string_free (text, FALSE);
}

static const ShardwiseSizingPoint *
find_size (const Series *series, guint gpus)
{
  for (guint i = 0; i < series_length (series); i++)
    if (series_at (series, i)->gpus == gpus)
      return series_at (series, i);
  return NULL;
}

/* Both clusters in one sentence, at the present size. */
static char *
comparison (ShardwiseSizingChart *self)
{
  const ShardwiseSizingPoint *own = find_size (&self->series[0], self->present),
                             *other = find_size (&self->series[1], self->present);
  g_autofree char *first = NULL, *second = NULL, *gpus = NULL;

  if (own == NULL || other == NULL || !own->estimate.fits || !other->estimate.fits)
    return NULL;
  first = shardwise_format_count (own->estimate.tokens_per_s);
  second = shardwise_format_count (other->estimate.tokens_per_s);
  gpus = shardwise_format_gpus (self->present);
  /* Translators: "8 GPUs", then twice the name of a cluster and its tokens per second */
  return g_strdup_printf (_ ("With %s, %s does %s tokens/s and %s %s tokens/s."), gpus,
                          self->series[0].name, first, self->series[1].name, second);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  GString *text = g_string_new (NULL);
  char *scaling = shardwise_sizing_text (self->series[0].points);

  if (scaling != NULL)
    {
      shardwise_text_append (text, scaling);
      shardwise_text_append (text, shardwise_text_least_sentence (self->least, self->n_least));
      shardwise_text_append (text, self->series[0].reference != NULL ? comparison (self) : NULL);
    }
  return g_string_free (text, FALSE);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  gboolean compared = self->series[1].points != NULL;
  guint n = 0;

  if (n_points (chart) == 0)
    return 0;
  for (guint i = 0; i <= (guint) compared; i++)
    out[n++] = (ShardwiseLegendEntry){ series_colors[i],
                                       compared ? self->series[i].name
                                                : _ ("Best strategy of each size"),
                                       .mark = series_marks[i] };
  for (guint i = 0; i < n_points (chart); i++)
    {
      const Series *series;

      if (!offloads (point_at (self, i, &series)))
        continue;
      out[n++] = (ShardwiseLegendEntry){ series_colors[0], _ ("With offload"),
                                         .mark = series_marks[0], .hollow = TRUE };
      break;
    }
  out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_OTHER, _ ("Ideal scaling"), .dashed = TRUE };
  return n;
}

/* Table */

enum {
  COLUMN_STRATEGY,
  COLUMN_GPUS,
  COLUMN_CLUSTER,
  COLUMN_BATCH,
  COLUMN_RATE,
  COLUMN_IDEAL,
  COLUMN_MFU,
  COLUMN_MEMORY,
  COLUMN_DAYS,
  COLUMN_COST,
  COLUMN_CURRENCY,
  N_COLUMNS
};

static const ShardwiseChartColumn columns[] = {
  { N_ ("Strategy"), -1 },    { N_ ("GPUs"), 0 },         { N_ ("Cluster"), -1 },
  { N_ ("Global batch"), 0 }, { N_ ("Tokens/s"), 0 },     { N_ ("Share of ideal scaling (%)"), 1 },
  { N_ ("MFU (%)"), 1 },      { N_ ("Memory (GiB)"), 1 }, { N_ ("Days"), 1 },
  { N_ ("Cost"), 0 },         { N_ ("Currency"), -1 },    { NULL, 0 },
};

static gboolean
is_known (const ShardwiseSizingPoint *point, guint column)
{
  if (column == COLUMN_GPUS || column == COLUMN_BATCH)
    return TRUE;
  if (column == COLUMN_DAYS)
    return point->days > 0;
  if (column == COLUMN_COST)
    return point->days > 0 && shardwise_cost_bill (&point->bill) != NULL;
  return point->estimate.fits;
}

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const Series *series;
  const ShardwiseSizingPoint *point = point_at (self, row, &series);
  const double numbers[N_COLUMNS] = {
    [COLUMN_GPUS] = point->gpus,
    [COLUMN_BATCH] = point->global_batch,
    [COLUMN_RATE] = point->estimate.tokens_per_s,
    [COLUMN_IDEAL] = shardwise_sizing_efficiency (series->reference, point) * 100,
    [COLUMN_MFU] = point->estimate.mfu * 100,
    [COLUMN_MEMORY] = point->estimate.memory.peak.total / SW_GIB,
    [COLUMN_DAYS] = point->days,
    [COLUMN_COST] = point->cost,
  };

  if (column == COLUMN_STRATEGY)
    out->text = point->estimate.fits ? shardwise_text_strategy (&point->estimate.strategy)
                                     : g_strdup (_ ("nothing fits"));
  else if (column == COLUMN_CLUSTER)
    out->text = g_strdup (series->name);
  else if (column == COLUMN_CURRENCY)
    out->text = g_strdup (self->currency != NULL ? self->currency : "");
  else if (!is_known (point, column))
    out->text = g_strdup ("–");
  else
    out->number = numbers[column];
}

/* Public */

static void
series_set (Series *series, GPtrArray *points, const char *name)
{
  if (points != NULL)
    g_ptr_array_ref (points);
  g_clear_pointer (&series->points, g_ptr_array_unref);
  g_free (series->name);
  series->points = points;
  series->name = g_strdup (name != NULL ? name : "");
  series->reference = points != NULL ? shardwise_sizing_reference (points) : NULL;
}

/**
 * shardwise_sizing_chart_set_points:
 * @self: a chart
 * @points: (nullable): of ShardwiseSizingPoint, ascending
 * @name: (nullable): of the cluster
 * @currency: (nullable): of the costs
 *
 * Shows one cluster; what it was compared with is forgotten.
 */
void
shardwise_sizing_chart_set_points (ShardwiseSizingChart *self, GPtrArray *points, const char *name,
                                   const char *currency)
{
  g_return_if_fail (SHARDWISE_IS_SIZING_CHART (self));

  series_set (&self->series[0], points, name);
  series_set (&self->series[1], NULL, NULL);
  g_free (self->currency);
  self->currency = g_strdup (currency);
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/**
 * shardwise_sizing_chart_set_compared:
 * @self: a chart
 * @points: (nullable): of ShardwiseSizingPoint, ascending; %NULL: nothing is compared
 * @name: (nullable): of the other cluster
 *
 * Shows another cluster beside the first.
 */
void
shardwise_sizing_chart_set_compared (ShardwiseSizingChart *self, GPtrArray *points,
                                     const char *name)
{
  g_return_if_fail (SHARDWISE_IS_SIZING_CHART (self));

  series_set (&self->series[1], points, name);
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/**
 * shardwise_sizing_chart_set_marks:
 * @self: a chart
 * @present: GPUs of the scenario
 * @least: (array length=n_least): of sw_least_gpus_by(): the fewest that hold the job
 * @n_least: at most SW_N_MEANS; 0: not known
 * @sensible: 0: not known
 */
void
shardwise_sizing_chart_set_marks (ShardwiseSizingChart *self, guint present,
                                  const SwLeastGpus *least, guint n_least, guint sensible)
{
  g_return_if_fail (SHARDWISE_IS_SIZING_CHART (self));
  g_return_if_fail (n_least <= SW_N_MEANS);

  self->present = present;
  for (guint i = 0; i < n_least; i++)
    self->least[i] = least[i];
  self->n_least = n_least;
  self->sensible = sensible;
  shardwise_chart_redraw (SHARDWISE_CHART (self));
}

/**
 * shardwise_sizing_chart_get_sizing_point:
 * @self: a chart
 * @index: of a point
 *
 * Returns: (transfer none): the size of the cluster there
 */
const ShardwiseSizingPoint *
shardwise_sizing_chart_get_sizing_point (ShardwiseSizingChart *self, guint index)
{
  const Series *series;

  g_return_val_if_fail (SHARDWISE_IS_SIZING_CHART (self), NULL);
  g_return_val_if_fail (index < n_points (SHARDWISE_CHART (self)), NULL);

  return point_at (self, index, &series);
}

/**
 * shardwise_sizing_chart_is_compared:
 * @self: a chart
 * @index: of a point
 *
 * Returns: whether it is of the other cluster
 */
gboolean
shardwise_sizing_chart_is_compared (ShardwiseSizingChart *self, guint index)
{
  g_return_val_if_fail (SHARDWISE_IS_SIZING_CHART (self), FALSE);

  return index >= series_length (&self->series[0]);
}

/* Type */

static void
shardwise_sizing_chart_finalize (GObject *object)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (object);

  for (guint i = 0; i < N_SERIES; i++)
    {
      g_clear_pointer (&self->series[i].points, g_ptr_array_unref);
      g_free (self->series[i].name);
    }
  g_free (self->currency);
  G_OBJECT_CLASS (shardwise_sizing_chart_parent_class)->finalize (object);
}

static void
shardwise_sizing_chart_class_init (ShardwiseSizingChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_sizing_chart_finalize;
  chart_class->plot_height = plot_height;
  chart_class->layout = layout;
  chart_class->draw = draw;
  chart_class->draw_point = draw_point;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->pick = pick;
  chart_class->step = step;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->cell = cell;
}

static void
shardwise_sizing_chart_init (ShardwiseSizingChart *self)
{}
