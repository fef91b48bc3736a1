/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-goodput-chart.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-curve-frame.h"
#include "shardwise-format.h"

#define N_SIDE 16    /* points on each side of the best interval */
#define STEP M_SQRT2 /* between two of them */
#define N_POINTS (2 * N_SIDE + 1)

struct _ShardwiseGoodputChart {
  ShardwiseChart parent_instance;

  gboolean has_goodput;
  ShardwiseGoodput goodput;
  double interval_s[N_POINTS], ratio[N_POINTS];
  ShardwiseCurveFrame frame;
};

G_DEFINE_FINAL_TYPE (ShardwiseGoodputChart, shardwise_goodput_chart, SHARDWISE_TYPE_CHART)

static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseGoodputChart *self = SHARDWISE_GOODPUT_CHART (chart);

  if (!self->has_goodput)
    return;
  self->frame.x = (ShardwiseAxis){ SHARDWISE_SCALE_DECADES, self->interval_s[0],
                                   self->interval_s[N_POINTS - 1], 0, 1 };
  self->frame.y = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, 1, 0, 1 };
  self->frame.mark_lines = 2; /* the two intervals are adjacent */
  shardwise_curve_frame_layout (&self->frame, chart, plot);
}

static void
draw (ShardwiseChart *chart, const ShardwisePen *pen)
{
  ShardwiseGoodputChart *self = SHARDWISE_GOODPUT_CHART (chart);
  graphene_point_t values[N_POINTS];

  if (!self->has_goodput)
    return;
  shardwise_curve_frame_draw (&self->frame, pen, shardwise_draw_percent_label,
                              _ ("Work between two checkpoints"), _ ("Time spent training"));
  shardwise_curve_frame_mark (&self->frame, pen, SHARDWISE_COLOR_OTHER, self->goodput.young_s,
                              _ ("Young"), 1);
  shardwise_curve_frame_mark (&self->frame, pen, SHARDWISE_COLOR_DATA, self->goodput.interval_s,
                              _ ("Daly, used here"), 0);
  for (guint i = 0; i < N_POINTS; i++)
    graphene_point_init (&values[i], (float) self->interval_s[i], (float) self->ratio[i]);
  shardwise_curve_frame_trace (&self->frame, pen, SHARDWISE_COLOR_COMPUTE, values, N_POINTS, FALSE);
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  return SHARDWISE_GOODPUT_CHART (chart)->has_goodput ? N_POINTS : 0;
}

static gboolean
point_area (ShardwiseChart *chart, guint point, graphene_rect_t *out)
{
  ShardwiseGoodputChart *self = SHARDWISE_GOODPUT_CHART (chart);
  double x = shardwise_axis_to_pixel (&self->frame.x, self->interval_s[point]),
         y = shardwise_axis_to_pixel (&self->frame.y, self->ratio[point]);

  graphene_rect_init (out, x - SHARDWISE_CURVE_RADIUS, y - SHARDWISE_CURVE_RADIUS,
                      2 * SHARDWISE_CURVE_RADIUS, 2 * SHARDWISE_CURVE_RADIUS);
  return TRUE;
}

/* The nearest interval: each has a column of pixels. */
static int
pick (ShardwiseChart *chart, double x, double y)
{
  ShardwiseGoodputChart *self = SHARDWISE_GOODPUT_CHART (chart);
  double at = log (shardwise_axis_to_value (&self->frame.x, x) / self->interval_s[0]) / log (STEP);

  if (!self->has_goodput || !isfinite (at) || at < -0.5 || at >= N_POINTS - 0.5)
    return -1;
  return (int) lround (at);
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwiseGoodputChart *self = SHARDWISE_GOODPUT_CHART (chart);
  g_autofree char *interval = shardwise_format_seconds (self->interval_s[point]),
                  *ratio = shardwise_format_percent (self->ratio[point]);

  /* Translators: a duration, a percentage */
  return g_strdup_printf (
      _ ("With a checkpoint after every %s of work, %s of the time is spent training"), interval,
      ratio);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseGoodputChart *self = SHARDWISE_GOODPUT_CHART (chart);
  g_autofree char *interval = shardwise_format_seconds (self->goodput.interval_s),
                  *ratio = shardwise_format_percent (self->goodput.ratio);

  if (!self->has_goodput)
    return g_strdup ("");
  /* Translators: a percentage, a duration */
  return g_strdup_printf (
      _ ("At best, %s of the time is spent training, with a checkpoint after every %s of work."),
      ratio, interval);
}

/* Table */

static const ShardwiseChartColumn columns[] = {
  { N_ ("Work between two checkpoints (s)"), 1 },
  { N_ ("Time spent training (%)"), 2 },
  { NULL, 0 },
};

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  ShardwiseGoodputChart *self = SHARDWISE_GOODPUT_CHART (chart);

  out->number = column == 0 ? self->interval_s[row] : self->ratio[row] * 100;
}

/* Public */

/**
 * shardwise_goodput_chart_set_goodput:
 * @self: a chart
 * @goodput: (nullable): the goodput of a job that makes progress
 *
 * Shows the curve around the best interval.
 */
void
shardwise_goodput_chart_set_goodput (ShardwiseGoodputChart *self, const ShardwiseGoodput *goodput)
{
  g_return_if_fail (SHARDWISE_IS_GOODPUT_CHART (self));

  self->has_goodput = goodput != NULL && goodput->ratio > 0 && goodput->interval_s > 0;
  if (self->has_goodput)
    self->goodput = *goodput;
  for (int i = 0; self->has_goodput && i < N_POINTS; i++)
    {
      self->interval_s[i] = goodput->interval_s * pow (STEP, i - N_SIDE);
      self->ratio[i] = shardwise_goodput_ratio (goodput->mtbf_s, goodput->write_s,
                                                goodput->restart_s, self->interval_s[i]);
    }
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/* Type */

static void
shardwise_goodput_chart_class_init (ShardwiseGoodputChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  chart_class->plot_height = shardwise_curve_frame_height;
  chart_class->layout = layout;
  chart_class->draw = draw;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->pick = pick;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->cell = cell;
}

static void
shardwise_goodput_chart_init (ShardwiseGoodputChart *self)
{}
