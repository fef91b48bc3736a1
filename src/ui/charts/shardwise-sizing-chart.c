/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing-chart-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-chart-draw.h"
#include "shardwise-texts.h"

G_DEFINE_FINAL_TYPE (ShardwiseSizingChart, shardwise_sizing_chart, SHARDWISE_TYPE_CHART)

guint
shardwise_sizing_chart_n_points (ShardwiseSizingChart *self)
{
  return self->points != NULL ? self->points->len : 0;
}

const ShardwiseSizingPoint *
shardwise_sizing_chart_at (ShardwiseSizingChart *self, guint index)
{
  return g_ptr_array_index (self->points, index);
}

double
shardwise_sizing_chart_efficiency (ShardwiseSizingChart *self, const ShardwiseSizingPoint *point)
{
  return self->ideal > 0 ? point->estimate.tokens_per_s / point->gpus / self->ideal : 0;
}

double
shardwise_sizing_chart_x (ShardwiseSizingChart *self, double gpus)
{
  return shardwise_axis_to_pixel (&self->gpus, gpus);
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  return shardwise_sizing_chart_n_points (SHARDWISE_SIZING_CHART (chart));
}

static gboolean
point_area (ShardwiseChart *chart, guint index, graphene_rect_t *out)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const ShardwiseSizingPoint *point = shardwise_sizing_chart_at (self, index);
  double y = point->estimate.fits
               ? shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s)
               : self->throughput.start - SHARDWISE_SIZING_RADIUS - 1;

  graphene_rect_init (out, shardwise_sizing_chart_x (self, point->gpus) - SHARDWISE_SIZING_RADIUS - 2, y - SHARDWISE_SIZING_RADIUS - 2, 2 * SHARDWISE_SIZING_RADIUS + 4,
                      2 * SHARDWISE_SIZING_RADIUS + 4);
  return TRUE;
}

static void
draw_point (ShardwiseChart *chart, GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
            guint index)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);

  shardwise_draw_line (snapshot, &style->dim, shardwise_sizing_chart_x (self, shardwise_sizing_chart_at (self, index)->gpus),
                       self->throughput.end, 1, self->efficiency.start - self->throughput.end);
  SHARDWISE_CHART_CLASS (shardwise_sizing_chart_parent_class)
    ->draw_point (chart, snapshot, style, index);
}

/* The nearest size: a column of pixels belongs to each. */
static int
pick (ShardwiseChart *chart, double x, double y)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  double best = 40;
  int found = -1;

  for (guint i = 0; i < shardwise_sizing_chart_n_points (self); i++)
    {
      double distance = fabs (shardwise_sizing_chart_x (self, shardwise_sizing_chart_at (self, i)->gpus) - x);

      if (distance < best)
        {
          best = distance;
          found = (int) i;
        }
    }
  return found;
}

static char *
readout (ShardwiseChart *chart, guint index)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const ShardwiseSizingPoint *point = shardwise_sizing_chart_at (self, index);
  g_autofree char *speed = shardwise_format_count (point->estimate.tokens_per_s);
  g_autofree char *share = shardwise_format_percent (shardwise_sizing_chart_efficiency (self, point));
  g_autofree char *strategy = shardwise_text_strategy (&point->estimate.strategy);

  if (!point->estimate.fits)
    /* Translators: count of GPUs */
    return g_strdup_printf (_ ("%'u GPUs: nothing fits"), point->gpus);
  /* Translators: count of GPUs, tokens per second, a percentage, and the strategy ("TP 8 · PP 4 …") */
  return g_strdup_printf (_ ("%'u GPUs: %s tokens/s, %s of ideal scaling, with %s"), point->gpus,
                          speed, share, strategy);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const ShardwiseSizingPoint *first = NULL, *last = NULL;
  g_autofree char *from = NULL, *to = NULL, *share = NULL;

  if (shardwise_sizing_chart_n_points (self) == 0)
    return g_strdup ("");
  for (guint i = 0; i < shardwise_sizing_chart_n_points (self); i++)
    if (shardwise_sizing_chart_at (self, i)->estimate.fits)
      {
        first = first != NULL ? first : shardwise_sizing_chart_at (self, i);
        last = shardwise_sizing_chart_at (self, i);
      }
  if (first == NULL)
    return g_strdup (_ ("No size of the cluster in this range holds the job."));
  from = shardwise_format_count (first->estimate.tokens_per_s);
  to = shardwise_format_count (last->estimate.tokens_per_s);
  share = shardwise_format_percent (shardwise_sizing_chart_efficiency (self, last));
  /* Translators: GPUs of the smallest and of the largest cluster, tokens per second of both, and a percentage */
  return g_strdup_printf (
    _ (
      "%'u to %'u GPUs: %s to %s tokens/s; in the largest cluster each GPU does %s of what it does "
      "in the smallest."),
    first->gpus, last->gpus, from, to, share);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  if (shardwise_sizing_chart_n_points (SHARDWISE_SIZING_CHART (chart)) == 0)
    return 0;
  out[0] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_COMPUTE, _ ("Best strategy of each size") };
  out[1] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_OTHER, _ ("Ideal scaling"), .dashed = TRUE };
  return 2;
}

/* Table */

static const ShardwiseChartColumn *
columns (ShardwiseChart *chart, guint *n)
{
  static const ShardwiseChartColumn described[] = {
    { N_ ("Strategy"), -1 }, { N_ ("GPUs"), 0 },
    { N_ ("Tokens/s"), 0 },  { N_ ("Of ideal scaling (%)"), 1 },
    { N_ ("MFU (%)"), 1 },   { N_ ("Memory (GiB)"), 1 },
    { N_ ("Days"), 1 },      { N_ ("Cost"), -1 },
  };

  *n = G_N_ELEMENTS (described);
  return described;
}

static char *
cost_text (ShardwiseSizingChart *self, double cost)
{
  if (!(cost > 0))
    return g_strdup ("–");
  /* Translators: a sum of money and its currency */
  return g_strdup_printf (_ ("%'.0f %s"), cost, self->currency != NULL ? self->currency : "");
}

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const ShardwiseSizingPoint *point = shardwise_sizing_chart_at (self, row);
  const double numbers[] = { 0,
                             point->gpus,
                             point->estimate.tokens_per_s,
                             shardwise_sizing_chart_efficiency (self, point) * 100,
                             point->estimate.mfu * 100,
                             point->estimate.memory.peak.total / SW_GIB,
                             point->days,
                             0 };

  if (column == 0)
    out->text = point->estimate.fits ? shardwise_text_strategy (&point->estimate.strategy)
                                     : g_strdup (_ ("nothing fits"));
  else if (column == 7)
    out->text = cost_text (self, point->estimate.fits ? point->cost : 0);
  else if (column > 1 && (!point->estimate.fits || (column == 6 && !(point->days > 0))))
    out->text = g_strdup ("–");
  else
    out->number = numbers[column];
}

/* Public */

/**
 * shardwise_sizing_chart_set_points:
 * @self: a chart
 * @points: (nullable): of ShardwiseSizingPoint, ascending
 * @currency: (nullable): of the costs
 */
void
shardwise_sizing_chart_set_points (ShardwiseSizingChart *self, GPtrArray *points,
                                   const char *currency)
{
  g_return_if_fail (SHARDWISE_IS_SIZING_CHART (self));

  if (points != NULL)
    g_ptr_array_ref (points);
  g_clear_pointer (&self->points, g_ptr_array_unref);
  self->points = points;
  g_free (self->currency);
  self->currency = g_strdup (currency);
  self->ideal = 0;
  for (guint i = 0; i < shardwise_sizing_chart_n_points (self) && !(self->ideal > 0); i++)
    if (shardwise_sizing_chart_at (self, i)->estimate.fits)
      self->ideal = shardwise_sizing_chart_at (self, i)->estimate.tokens_per_s / shardwise_sizing_chart_at (self, i)->gpus;
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/**
 * shardwise_sizing_chart_set_marks:
 * @self: a chart
 * @present: GPUs of the scenario
 * @least: the fewest that hold the job; 0: not known
 * @sensible: 0: not known
 */
void
shardwise_sizing_chart_set_marks (ShardwiseSizingChart *self, guint present, guint least,
                                  guint sensible)
{
  g_return_if_fail (SHARDWISE_IS_SIZING_CHART (self));

  self->present = present;
  self->least = least;
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
  g_return_val_if_fail (SHARDWISE_IS_SIZING_CHART (self), NULL);
  g_return_val_if_fail (index < shardwise_sizing_chart_n_points (self), NULL);

  return shardwise_sizing_chart_at (self, index);
}

/* Type */

static void
shardwise_sizing_chart_finalize (GObject *object)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (object);

  g_clear_pointer (&self->points, g_ptr_array_unref);
  g_free (self->currency);
  G_OBJECT_CLASS (shardwise_sizing_chart_parent_class)->finalize (object);
}

static void
shardwise_sizing_chart_class_init (ShardwiseSizingChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_sizing_chart_finalize;
  chart_class->plot_height = shardwise_sizing_chart_plot_height;
  chart_class->layout = shardwise_sizing_chart_layout;
  chart_class->draw = shardwise_sizing_chart_draw;
  chart_class->draw_point = draw_point;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->pick = pick;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->n_rows = n_points;
  chart_class->cell = cell;
}

static void
shardwise_sizing_chart_init (ShardwiseSizingChart *self)
{
}
