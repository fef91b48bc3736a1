/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-timeline-chart.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-axis.h"
#include "shardwise-chart-draw.h"
#include "shardwise-memory-chart.h"
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-strategy.h"
#include "sw-memory-timeline.h"

#define MOST_TASKS 400000u /* passes of all stages, as in the pipeline's chart */

struct _ShardwiseTimelineChart {
  ShardwiseChart parent_instance;

  SwMemoryTimeline timeline;        /* moments is NULL: empty */
  char *gpu;                        /* the GPU, as part of a sentence */
  double usable_bytes, limit_bytes; /* the target below which the reserve begins */
  ShardwiseAxis time, memory;
  GArray *drawn; /* guint elements: the moments of the outline */
};

G_DEFINE_FINAL_TYPE (ShardwiseTimelineChart, shardwise_timeline_chart, SHARDWISE_TYPE_CHART)

/* From bottom to top: permanent parts first, temporary ones above. */
static const SwMemoryPart order[SW_N_PARTS] = {
  SW_PART_FRAMEWORK, SW_PART_PARAMETERS,  SW_PART_GRADIENTS, SW_PART_OPTIMIZER,
  SW_PART_BUFFERS,   SW_PART_ACTIVATIONS, SW_PART_LOGITS,
};

static guint
n_points (ShardwiseChart *chart)
{
  const GArray *moments = SHARDWISE_TIMELINE_CHART (chart)->timeline.moments;

  return moments != NULL ? moments->len : 0;
}

static const SwMemoryMoment *
moment_at (ShardwiseTimelineChart *self, guint index)
{
  return &g_array_index (self->timeline.moments, SwMemoryMoment, index);
}

static double
peak_bytes (ShardwiseTimelineChart *self)
{
  return sw_memory_moment_total (moment_at (self, self->timeline.peak));
}

static double
x_of (ShardwiseTimelineChart *self, const SwMemoryMoment *moment)
{
  return shardwise_axis_to_pixel (&self->time, moment->time_s);
}

/* Layout */

/* Thousands of passes share fewer pixels: of the moments in a pixel, only the ends and the extremes
 * are drawn. */
static void
choose_drawn (ShardwiseTimelineChart *self)
{
  const guint n = n_points (SHARDWISE_CHART (self));

  g_array_set_size (self->drawn, 0);
  for (guint first = 0, end; first < n; first = end)
    {
      const double pixel = floor (x_of (self, moment_at (self, first)));
      guint least = first, most = first;

      for (end = first; end < n && floor (x_of (self, moment_at (self, end))) <= pixel; end++)
        {
          double total = sw_memory_moment_total (moment_at (self, end));

          if (total < sw_memory_moment_total (moment_at (self, least)))
            least = end;
          if (total > sw_memory_moment_total (moment_at (self, most)))
            most = end;
        }
      for (guint i = first; i < end; i++)
        if (i == first || i == least || i == most || i == end - 1)
          g_array_append_val (self->drawn, i);
    }
}

static int
plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  int line = shardwise_draw_line_height (chart);

  *minimum = 12 * line;
  return MAX (240, 15 * line);
}

static char *
memory_label (double size)
{
  /* Translators: a size on an axis */
  g_autofree char *text = g_strdup_printf (_ ("%.0f GiB"), size);

  return shardwise_memory_unit_text (text);
}

static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseTimelineChart *self = SHARDWISE_TIMELINE_CHART (chart);
  g_autofree char *widest = memory_label (888);
  double left = plot->origin.x + shardwise_draw_text_width (chart, widest) + 8;
  double right = MAX (plot->origin.x + plot->size.width - 4, left + 1);
  double bottom = plot->origin.y + plot->size.height - shardwise_draw_axis_height (chart);
  double most;

  if (n_points (chart) == 0)
    return;
  most = MAX (peak_bytes (self), self->usable_bytes) / shardwise_memory_unit_bytes ();
  self->time = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, self->timeline.total_s, left, right };
  self->time.unit = shardwise_seconds_unit (self->timeline.total_s);
  self->memory = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, most * 1.04, bottom,
                                  plot->origin.y + 4 };
  choose_drawn (self);
}

static double
y_of (ShardwiseTimelineChart *self, double bytes)
{
  return shardwise_axis_to_pixel (&self->memory, bytes / shardwise_memory_unit_bytes ());
}

/* Drawing */

/* The outline of the sum of the first `n` layers, forward or backward. */
static void
add_outline (ShardwiseTimelineChart *self, cairo_t *cr, guint n, gboolean back)
{
  for (guint i = 0; i < self->drawn->len; i++)
    {
      guint at = g_array_index (self->drawn, guint, back ? self->drawn->len - 1 - i : i);
      const SwMemoryMoment *moment = moment_at (self, at);
      double bytes = 0;

      for (guint layer = 0; layer < n; layer++)
        bytes += moment->part_bytes[order[layer]];
      cairo_line_to (cr, x_of (self, moment), y_of (self, bytes));
    }
}

static void
draw_area (ShardwiseTimelineChart *self, cairo_t *cr, const ShardwisePen *pen, guint layer)
{
  ShardwiseColor color = shardwise_ink_of_memory (order[layer]);
  GdkRGBA rgba;

  add_outline (self, cr, layer + 1, FALSE);
  add_outline (self, cr, layer, TRUE);
  cairo_close_path (cr);
  shardwise_palette_get (color, pen->dark, &rgba);
  gdk_cairo_set_source_rgba (cr, &rgba);
  cairo_fill_preserve (cr);
  if (pen->high_contrast)
    {
      double x1, y1, x2, y2;

      cairo_fill_extents (cr, &x1, &y1, &x2, &y2);
      cairo_save (cr);
      cairo_clip (cr);
      shardwise_palette_hatch (cr, shardwise_ink_pattern (color), &pen->card, x1, y1, x2 - x1,
                               y2 - y1);
      cairo_restore (cr);
    }
  cairo_new_path (cr);
}

/* The memory above the target. */
static void
draw_capacity (ShardwiseTimelineChart *self, const ShardwisePen *pen)
{
  double width = self->time.end - self->time.start, limit = y_of (self, self->limit_bytes),
         usable = y_of (self, self->usable_bytes);
  GdkRGBA red;

  shardwise_palette_get (SHARDWISE_COLOR_LIMIT, pen->dark, &red);
  if (self->limit_bytes < self->usable_bytes)
    {
      shardwise_draw_hatched (pen, SHARDWISE_COLOR_LIMIT, self->time.start, usable, width,
                              limit - usable);
      shardwise_draw_line (pen, &red, self->time.start, limit, width, 1);
    }
  shardwise_draw_line (pen, &red, self->time.start, usable - 1, width, 2);
}

/* Labels the peak beside its ring if there is room. */
static void
draw_peak_label (ShardwiseTimelineChart *self, const ShardwisePen *pen)
{
  g_autofree char *bytes = shardwise_format_bytes (peak_bytes (self));
  /* Translators: the most memory that a GPU holds */
  g_autofree char *label = g_strdup_printf (_ ("Peak %s"), bytes);
  double x = x_of (self, moment_at (self, self->timeline.peak)), y = y_of (self, peak_bytes (self));
  double width = shardwise_draw_text_width (pen->chart, label),
         line = shardwise_draw_line_height (pen->chart);
  gboolean before = x + 12 + width > self->time.end;
  double left = before ? x - 12 - width : x + 12, top = MAX (y - 6 - line, self->memory.end);

  gtk_snapshot_append_color (pen->snapshot, &pen->card,
                             &GRAPHENE_RECT_INIT (left - 3, top, width + 6, line));
  shardwise_draw_text (pen, label, &pen->text, left, top, 0, 0);
}

static void
draw (ShardwiseChart *chart, const ShardwisePen *pen)
{
  ShardwiseTimelineChart *self = SHARDWISE_TIMELINE_CHART (chart);
  const ShardwiseTicks ticks = { .each = 4,
                                 .most = 10,
                                 .label_y = self->memory.start + 5,
                                 .left = self->time.start,
                                 .right = self->time.end,
                                 .format = shardwise_format_seconds_in };
  cairo_t *cr;

  if (n_points (chart) == 0)
    return;
  shardwise_draw_level_axis (pen, &self->time, &ticks);
  shardwise_draw_upright_axis (pen, &self->memory, 2.5, self->time.start, self->time.end,
                               memory_label);
  cr = gtk_snapshot_append_cairo (pen->snapshot, &pen->plot);
  for (guint layer = 0; layer < SW_N_PARTS; layer++)
    draw_area (self, cr, pen, layer);
  /* A ring on the first moment at the peak. */
  gdk_cairo_set_source_rgba (cr, &pen->card);
  cairo_arc (cr, x_of (self, moment_at (self, self->timeline.peak)), y_of (self, peak_bytes (self)),
             6, 0, 2 * G_PI);
  cairo_fill_preserve (cr);
  gdk_cairo_set_source_rgba (cr, &pen->text);
  cairo_set_line_width (cr, 2);
  cairo_stroke (cr);
  cairo_destroy (cr);
  draw_capacity (self, pen);
  draw_peak_label (self, pen);
}

static void
draw_point (ShardwiseChart *chart, const ShardwisePen *pen, guint point)
{
  ShardwiseTimelineChart *self = SHARDWISE_TIMELINE_CHART (chart);
  double x = x_of (self, moment_at (self, point)), top = self->memory.end,
         height = self->memory.start - top;

  shardwise_draw_line (pen, &pen->card, x - 1, top, 3, height);
  shardwise_draw_line (pen, &pen->text, x, top, 1, height);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  ShardwiseTimelineChart *self = SHARDWISE_TIMELINE_CHART (chart);
  guint n = 0;

  if (n_points (chart) == 0)
    return 0;
  for (guint part = 0; part < SW_N_PARTS; part++)
    {
      gboolean seen = FALSE;

      for (guint i = 0; i < n_points (chart) && !seen; i++)
        seen = moment_at (self, i)->part_bytes[part] > 0;
      if (seen)
        out[n++] = (ShardwiseLegendEntry){ shardwise_ink_of_memory (part),
                                           shardwise_text_memory_part (part) };
    }
  if (self->limit_bytes < self->usable_bytes)
    out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_LIMIT, _ ("Reserve"), .hatched = TRUE };
  out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_LIMIT, _ ("Usable memory") };
  return n;
}

/* Points */

static gboolean
point_area (ShardwiseChart *chart, guint point, graphene_rect_t *out)
{
  ShardwiseTimelineChart *self = SHARDWISE_TIMELINE_CHART (chart);
  double x = x_of (self, moment_at (self, point));

  graphene_rect_init (out, x - 1, self->memory.end, 2, self->memory.start - self->memory.end);
  return TRUE;
}

/* The last moment up to the pointer, by binary search, because there may be thousands. */
static int
pick (ShardwiseChart *chart, double x, double y)
{
  ShardwiseTimelineChart *self = SHARDWISE_TIMELINE_CHART (chart);
  guint low = 0, high = n_points (chart);

  if (high == 0 || x < self->time.start || x > self->time.end)
    return -1;
  while (high - low > 1)
    {
      guint middle = (low + high) / 2;

      if (x_of (self, moment_at (self, middle)) <= x)
        low = middle;
      else
        high = middle;
    }
  return (int) low;
}

/* "activations of 4 micro-batches" */
static char *
activations_text (const SwMemoryMoment *moment)
{
  g_autofree char *bytes = shardwise_format_bytes (moment->part_bytes[SW_PART_ACTIVATIONS]);
  g_autofree char *count = g_strdup_printf ("%.3g", moment->micro_batches);

  if (moment->micro_batches == 1)
    /* Translators: a size in memory */
    return g_strdup_printf (_ ("%s of activations (one micro-batch)"), bytes);
  /* Translators: a size in memory, and a count that may have a fraction ("2.5") */
  return g_strdup_printf (_ ("%s of activations (%s micro-batches)"), bytes, count);
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwiseTimelineChart *self = SHARDWISE_TIMELINE_CHART (chart);
  const SwMemoryMoment *moment = moment_at (self, point);
  g_autofree char *time = shardwise_format_seconds (moment->time_s);
  g_autofree char *total = shardwise_format_bytes (sw_memory_moment_total (moment));
  g_autofree char *activations = activations_text (moment);
  g_autofree char *logits = shardwise_format_bytes (moment->part_bytes[SW_PART_LOGITS]);

  if (moment->time_s >= self->timeline.passes_s)
    /* Translators: a time, and memory then */
    return g_strdup_printf (_ ("%s: %s, in the optimizer step"), time, total);
  if (moment->part_bytes[SW_PART_LOGITS] > 0)
    /* Translators: a time, memory then, its activations ("… of activations (…)"),
       and a size */
    return g_strdup_printf (_ ("%s: %s, including %s and %s of logits"), time, total, activations,
                            logits);
  /* Translators: a time, memory then, and its activations ("… of activations (…)") */
  return g_strdup_printf (_ ("%s: %s, including %s"), time, total, activations);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseTimelineChart *self = SHARDWISE_TIMELINE_CHART (chart);
  const SwMemoryMoment *moment;
  g_autofree char *total = NULL, *time = NULL, *activations = NULL, *least = NULL;

  if (n_points (chart) == 0)
    return g_strdup ("");
  moment = moment_at (self, self->timeline.peak);
  total = shardwise_format_bytes (peak_bytes (self));
  time = shardwise_format_seconds (moment->time_s);
  activations = activations_text (moment);
  least = shardwise_format_bytes (sw_memory_moment_total (moment_at (self, 0)));
  if (moment->time_s >= self->timeline.passes_s)
    /* Translators: "a GPU of stage 3", memory, and memory at the start of the step */
    return g_strdup_printf (
        _ ("In the optimizer step, %s reaches its peak of %s, after %s at the start."), self->gpu,
        total, least);
  return g_strdup_printf (
      /* Translators: a time in the step, "a GPU of stage 3", memory, its activations
       ("… of activations (…)"), and memory at the start of the step */
      _ ("After %s of the step, %s reaches its peak of %s, including %s; it starts with %s."), time,
      self->gpu, total, activations, least);
}

/* Table */

static const ShardwiseChartColumn columns[] = {
  { N_ ("Time (ms)"), 2 },        { N_ ("Total (GiB)"), 2 },
  { N_ ("Parameters (GiB)"), 2 }, { N_ ("Gradients (GiB)"), 2 },
  { N_ ("Optimizer (GiB)"), 2 },  { N_ ("Activations (GiB)"), 2 },
  { N_ ("Logits (GiB)"), 2 },     { N_ ("Buffers (GiB)"), 2 },
  { N_ ("Framework (GiB)"), 2 },  { NULL, 0 },
};

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  const SwMemoryMoment *moment = moment_at (SHARDWISE_TIMELINE_CHART (chart), row);

  if (column == 0)
    out->number = moment->time_s * 1e3;
  else
    out->number = (column == 1 ? sw_memory_moment_total (moment) : moment->part_bytes[column - 2])
                  / SW_GIB;
}

/* Data */

/**
 * shardwise_timeline_chart_set_strategy:
 * @self: a chart
 * @problem: (nullable): the question; %NULL: shows nothing
 * @estimate: of the selected strategy
 *
 * Returns: whether there is a line: not if the step has too many passes to simulate, nor in
 *   reinforcement learning
 */
gboolean
shardwise_timeline_chart_set_strategy (ShardwiseTimelineChart *self, const SwProblem *problem,
                                       const SwEstimate *estimate)
{
  gboolean there;

  g_return_val_if_fail (SHARDWISE_IS_TIMELINE_CHART (self), FALSE);

  sw_memory_timeline_clear (&self->timeline);
  there = problem != NULL
          && sw_memory_timeline (problem, &estimate->strategy, estimate->memory.peak_stage,
                                 MOST_TASKS, &self->timeline);
  if (there)
    {
      g_free (self->gpu);
      self->gpu = shardwise_text_gpu_of_stage (&estimate->strategy, estimate->memory.peak_stage);
      self->usable_bytes = estimate->usable_bytes;
      self->limit_bytes = estimate->memory_limit_bytes;
    }
  shardwise_chart_changed (SHARDWISE_CHART (self));
  return there;
}

/* Type */

static void
shardwise_timeline_chart_finalize (GObject *object)
{
  sw_memory_timeline_clear (&SHARDWISE_TIMELINE_CHART (object)->timeline);
  g_array_unref (SHARDWISE_TIMELINE_CHART (object)->drawn);
  g_free (SHARDWISE_TIMELINE_CHART (object)->gpu);
  G_OBJECT_CLASS (shardwise_timeline_chart_parent_class)->finalize (object);
}

static void
shardwise_timeline_chart_class_init (ShardwiseTimelineChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_timeline_chart_finalize;
  chart_class->plot_height = plot_height;
  chart_class->layout = layout;
  chart_class->draw = draw;
  chart_class->draw_point = draw_point;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->pick = pick;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->cell = cell;
}

static void
shardwise_timeline_chart_init (ShardwiseTimelineChart *self)
{
  self->drawn = g_array_new (FALSE, FALSE, sizeof (guint));
}
