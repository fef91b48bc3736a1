/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-plan-chart.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-curve-frame.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

#define DAY_S 86400.0
#define REACH 24 /* maximum distance from the pointer, pixels */

struct _ShardwisePlanChart {
  ShardwiseChart parent_instance;

  GPtrArray *points; /* ShardwiseSizingPoint elements with days, ascending; not owned */
  GPtrArray *all;    /* (nullable): owns them */
  char *currency;
  gboolean has_deadline, has_cost;
  double deadline_days;
  const ShardwiseSizingPoint *smallest, *cheapest; /* (nullable) */
  ShardwiseCurveFrame frame;
};

G_DEFINE_FINAL_TYPE (ShardwisePlanChart, shardwise_plan_chart, SHARDWISE_TYPE_CHART)

static const ShardwiseSizingPoint *
at (ShardwisePlanChart *self, guint index)
{
  return g_ptr_array_index (self->points, index);
}

static double
seconds (const ShardwiseSizingPoint *point)
{
  return point->days * DAY_S;
}

static double
amount (ShardwisePlanChart *self, const ShardwiseSizingPoint *point)
{
  return shardwise_deadline_amount (point, self->has_cost);
}

static void
place (ShardwisePlanChart *self, const ShardwiseSizingPoint *point, double *x, double *y)
{
  *x = shardwise_axis_to_pixel (&self->frame.x, seconds (point));
  *y = shardwise_axis_to_pixel (&self->frame.y, amount (self, point));
}

static void
widen (ShardwiseAxis *axis, double value)
{
  axis->min = MIN (axis->min, value);
  axis->max = MAX (axis->max, value);
}

static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwisePlanChart *self = SHARDWISE_PLAN_CHART (chart);
  ShardwiseAxis empty = { SHARDWISE_SCALE_DECADES, G_MAXDOUBLE, 0, 0, 1 };

  if (self->points->len == 0)
    return;
  self->frame = (ShardwiseCurveFrame){ empty, empty, self->has_deadline ? 1 : 0 };
  for (guint i = 0; i < self->points->len; i++)
    {
      widen (&self->frame.x, seconds (at (self, i)));
      widen (&self->frame.y, amount (self, at (self, i)));
    }
  if (self->has_deadline && self->deadline_days > 0)
    widen (&self->frame.x, self->deadline_days * DAY_S);
  self->frame.x.min /= 1.3;
  self->frame.x.max *= 1.3;
  self->frame.y.min /= 1.5;
  self->frame.y.max *= 1.5;
  shardwise_curve_frame_layout (&self->frame, chart, plot);
}

/* Drawing */

static void
draw_ring (ShardwisePlanChart *self, const ShardwisePen *pen, const ShardwiseSizingPoint *point,
           const char *text, gboolean above)
{
  int half = shardwise_draw_text_width (pen->chart, text) / 2;
  double x, y;

  place (self, point, &x, &y);
  shardwise_draw_outline (pen, &pen->text, &GRAPHENE_RECT_INIT (x - 8, y - 8, 16, 16), 2);
  shardwise_draw_text (pen, text, &pen->text,
                       CLAMP (x, self->frame.x.start + half,
                              MAX (self->frame.x.start + half, self->frame.x.end - half)),
                       above ? y - 12 : y + 12, 0.5, above ? 1 : 0);
}

/* The best choices as a line with dots, the others as gray dots. */
static void
draw_clusters (ShardwisePlanChart *self, const ShardwisePen *pen, gboolean dominated)
{
  g_autofree graphene_point_t *values = g_new (graphene_point_t, self->points->len);
  guint n = 0;

  for (guint i = 0; i < self->points->len; i++)
    if (shardwise_deadline_is_dominated (self->points, at (self, i), self->has_cost) == dominated)
      graphene_point_init (&values[n++], (float) seconds (at (self, i)),
                           (float) amount (self, at (self, i)));
  for (guint i = 0; dominated && i < n; i++)
    shardwise_curve_frame_trace (&self->frame, pen, SHARDWISE_COLOR_OTHER, &values[i], 1, TRUE);
  if (!dominated)
    shardwise_curve_frame_trace (&self->frame, pen, SHARDWISE_COLOR_COMPUTE, values, n, TRUE);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  if (SHARDWISE_PLAN_CHART (chart)->points->len == 0)
    return 0;
  out[0] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_COMPUTE, _ ("Cluster with its best strategy") };
  out[1] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_OTHER,
                                   _ ("Another cluster is as fast but costs less") };
  return 2;
}

static void
draw (ShardwiseChart *chart, const ShardwisePen *pen)
{
  ShardwisePlanChart *self = SHARDWISE_PLAN_CHART (chart);

  if (self->points->len == 0)
    return;
  if (self->has_deadline)
    {
      /* Clusters right of the deadline are late. */
      double from = MAX (shardwise_axis_to_pixel (&self->frame.x, self->deadline_days * DAY_S),
                         self->frame.x.start);

      if (from < self->frame.x.end)
        shardwise_draw_line (pen, &pen->grid, from, self->frame.y.end, self->frame.x.end - from,
                             self->frame.y.start - self->frame.y.end);
    }
  shardwise_curve_frame_draw (&self->frame, pen, shardwise_format_tick, _ ("Duration"),
                              self->has_cost ? self->currency : _ ("GPU-hours"));
  if (self->has_deadline)
    shardwise_curve_frame_mark (&self->frame, pen, SHARDWISE_COLOR_LIMIT,
                                self->deadline_days * DAY_S, _ ("deadline"), 0);
  draw_clusters (self, pen, TRUE);
  draw_clusters (self, pen, FALSE);
  if (self->smallest != NULL)
    draw_ring (self, pen, self->smallest,
               self->smallest == self->cheapest ? _ ("smallest and cheapest") : _ ("smallest"),
               TRUE);
  if (self->cheapest != NULL && self->cheapest != self->smallest)
    draw_ring (self, pen, self->cheapest, _ ("cheapest"), FALSE);
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  return SHARDWISE_PLAN_CHART (chart)->points->len;
}

static gboolean
point_area (ShardwiseChart *chart, guint point, graphene_rect_t *out)
{
  ShardwisePlanChart *self = SHARDWISE_PLAN_CHART (chart);
  const double radius = SHARDWISE_CURVE_RADIUS + 2;
  double x, y;

  place (self, at (self, point), &x, &y);
  graphene_rect_init (out, x - radius, y - radius, 2 * radius, 2 * radius);
  return TRUE;
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwisePlanChart *self = SHARDWISE_PLAN_CHART (chart);
  const ShardwiseSizingPoint *sized = at (self, point);
  g_autofree char *time = shardwise_format_seconds (seconds (sized)),
                  *money = shardwise_deadline_amount_text (sized, self->currency),
                  *strategy = shardwise_text_strategy (&sized->estimate.strategy),
                  *gpus = shardwise_format_gpus (sized->gpus);

  /* Translators: "8 GPUs", a duration, an amount of money, a strategy ("TP 8 · PP 4 …") */
  return g_strdup_printf (_ ("%s: %s, %s, with %s"), gpus, time, money, strategy);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwisePlanChart *self = SHARDWISE_PLAN_CHART (chart);
  char *text = shardwise_deadline_extremes_text (self->points, self->currency);

  return text != NULL ? text : g_strdup ("");
}

/* Table */

static const ShardwiseChartColumn columns[] = {
  { N_ ("GPUs"), 0 },     { N_ ("Days"), 1 },      { N_ ("Cost"), -1 }, { N_ ("GPU-hours"), 0 },
  { N_ ("In time"), -1 }, { N_ ("Strategy"), -1 }, { NULL, 0 },
};

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  ShardwisePlanChart *self = SHARDWISE_PLAN_CHART (chart);
  const ShardwiseSizingPoint *point = at (self, row);

  if (column == 0)
    out->number = point->gpus;
  else if (column == 1)
    out->number = point->days;
  else if (column == 2)
    out->text = point->cost > 0 ? shardwise_format_price (point->cost, self->currency)
                                : g_strdup ("–");
  else if (column == 3)
    out->number = point->bill.gpu_hours;
  else if (column == 4)
    out->text = g_strdup (!self->has_deadline                  ? "–"
                          : point->days <= self->deadline_days ? _ ("yes")
                                                               : _ ("no"));
  else
    out->text = shardwise_text_strategy (&point->estimate.strategy);
}

/* Public */

/**
 * shardwise_plan_chart_set_plan:
 * @self: a chart
 * @points: (nullable) (element-type ShardwiseSizingPoint): ascending
 * @plan: (nullable): from @points; %NULL: there is no deadline
 * @currency: the currency of the costs
 *
 * Shows the clusters that fit.
 */
void
shardwise_plan_chart_set_plan (ShardwisePlanChart *self, GPtrArray *points,
                               const ShardwiseDeadlinePlan *plan, const char *currency)
{
  g_return_if_fail (SHARDWISE_IS_PLAN_CHART (self));

  if (points != NULL)
    g_ptr_array_ref (points);
  g_ptr_array_set_size (self->points, 0);
  g_clear_pointer (&self->all, g_ptr_array_unref);
  self->all = points;
  g_free (self->currency);
  self->currency = g_strdup (currency != NULL ? currency : "");
  self->has_deadline = plan != NULL;
  self->deadline_days = plan != NULL ? plan->days : 0;
  self->smallest = plan != NULL && plan->smallest >= 0
                       ? g_ptr_array_index (points, (guint) plan->smallest)
                       : NULL;
  self->cheapest = plan != NULL && plan->cheapest >= 0
                       ? g_ptr_array_index (points, (guint) plan->cheapest)
                       : NULL;
  if (points != NULL)
    {
      self->has_cost = points->len > 0;
      for (guint i = 0; i < points->len; i++)
        {
          const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);

          if (!point->estimate.fits || !(point->days > 0))
            continue;
          g_ptr_array_add (self->points, (gpointer) point);
          self->has_cost = self->has_cost && point->cost > 0;
        }
    }
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/* Type */

static void
shardwise_plan_chart_finalize (GObject *object)
{
  ShardwisePlanChart *self = SHARDWISE_PLAN_CHART (object);

  g_ptr_array_unref (self->points);
  g_clear_pointer (&self->all, g_ptr_array_unref);
  g_free (self->currency);
  G_OBJECT_CLASS (shardwise_plan_chart_parent_class)->finalize (object);
}

static void
shardwise_plan_chart_class_init (ShardwisePlanChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_plan_chart_finalize;
  chart_class->plot_height = shardwise_curve_frame_height;
  chart_class->layout = layout;
  chart_class->draw = draw;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->reach = REACH;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->cell = cell;
}

static void
shardwise_plan_chart_init (ShardwisePlanChart *self)
{
  self->points = g_ptr_array_new ();
}
