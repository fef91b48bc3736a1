/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing-chart-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-format.h"
#include "shardwise-money.h"
#include "shardwise-text-strategy.h"

#define PICK_WIDTH 40 /* pixels to either side that belong to a point */
/* of a pixel across: only at the same size it matters which line is nearer */
#define PICK_WEIGHT 1000

G_DEFINE_FINAL_TYPE (ShardwiseSizingChart, shardwise_sizing_chart, SHARDWISE_TYPE_CHART)

const ShardwiseColor shardwise_sizing_colors[] = { SHARDWISE_COLOR_COMPUTE,
                                                   SHARDWISE_COLOR_TENSOR };
const ShardwiseMark shardwise_sizing_marks[] = { SHARDWISE_MARK_DISC, SHARDWISE_MARK_SQUARE };

guint
shardwise_sizing_series_length (const ShardwiseSizingSeries *series)
{
  return series->points != NULL ? series->points->len : 0;
}

/* The point of an index of one series. */
const ShardwiseSizingPoint *
shardwise_sizing_series_at (const ShardwiseSizingSeries *series, guint index)
{
  return g_ptr_array_index (series->points, index);
}

guint
shardwise_sizing_chart_n_points (ShardwiseSizingChart *self)
{
  return shardwise_sizing_series_length (&self->series[0])
         + shardwise_sizing_series_length (&self->series[1]);
}

/* The point of an index that counts through both series. */
static const ShardwiseSizingPoint *
point_at (ShardwiseSizingChart *self, guint index, const ShardwiseSizingSeries **series)
{
  guint n = shardwise_sizing_series_length (&self->series[0]);

  *series = &self->series[index >= n];
  return shardwise_sizing_series_at (*series, index >= n ? index - n : index);
}

/* Where a number of GPUs is on the axis. */
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
  const ShardwiseSizingSeries *series;
  const ShardwiseSizingPoint *point = point_at (self, index, &series);
  const double radius = SHARDWISE_SIZING_RADIUS + 2;
  double y = point->estimate.fits
                 ? shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s)
                 : self->throughput.start - SHARDWISE_SIZING_RADIUS - 1;

  graphene_rect_init (out, shardwise_sizing_chart_x (self, point->gpus) - radius, y - radius,
                      2 * radius, 2 * radius);
  return TRUE;
}

static void
draw_point (ShardwiseChart *chart, GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
            guint index)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const ShardwiseSizingSeries *series;
  double x = shardwise_sizing_chart_x (self, point_at (self, index, &series)->gpus);

  shardwise_sizing_chart_draw_upright (self, snapshot, &style->dim, x);
  SHARDWISE_CHART_CLASS (shardwise_sizing_chart_parent_class)
      ->draw_point (chart, snapshot, style, index);
}

/* The nearest size: a column of pixels belongs to each; of two series the one that is nearer
 * there. */
static int
pick (ShardwiseChart *chart, double x, double y)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  double best = PICK_WIDTH * PICK_WEIGHT;
  int found = -1;

  for (guint i = 0; i < shardwise_sizing_chart_n_points (self); i++)
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
  guint first = shardwise_sizing_series_length (&self->series[0]);
  const ShardwiseSizingSeries *series;
  guint gpus = point_at (self, index, &series)->gpus;

  if (direction == GTK_DIR_LEFT)
    return (int) (index == first || index == 0 ? index : index - 1);
  if (direction == GTK_DIR_RIGHT)
    return (int) (index + 1 == first ? index : index + 1);
  for (guint i = 0; i < shardwise_sizing_chart_n_points (self); i++)
    if ((i < first) != (index < first) && point_at (self, i, &series)->gpus == gpus)
      return (int) i;
  return (int) index;
}

/* Time and cost, where they are known. */
static void
append_bill (ShardwiseSizingChart *self, GString *text, const ShardwiseSizingPoint *point)
{
  g_autofree char *time = shardwise_format_seconds (point->days * 86400),
                  *cost = shardwise_format_money (point->cost, self->currency);

  if (!(point->days > 0))
    return;
  g_string_append_printf (text, "; %s", time);
  if (shardwise_cost_bill (&point->bill) != NULL)
    g_string_append_printf (text, ", %s", cost);
}

static char *
readout (ShardwiseChart *chart, guint index)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const ShardwiseSizingSeries *series;
  const ShardwiseSizingPoint *point = point_at (self, index, &series);
  g_autofree char *speed = shardwise_format_count (point->estimate.tokens_per_s),
                  *share = shardwise_format_percent (
                      shardwise_sizing_efficiency (series->reference, point)),
                  *strategy = shardwise_text_strategy (&point->estimate.strategy),
                  *gpus = shardwise_format_gpus (point->gpus),
                  *gain = shardwise_sizing_gain_text (series->reference, point);
  GString *text = g_string_new (NULL);

  if (self->series[1].points != NULL)
    /* Translators: the name of a cluster, before what is said of it */
    g_string_append_printf (text, _ ("%s, "), series->name);
  if (!point->estimate.fits)
    {
      /* Translators: "8 GPUs" */
      g_string_append_printf (text, _ ("%s: nothing fits"), gpus);
      return g_string_free (text, FALSE);
    }
  /* Translators: "8 GPUs", tokens per second, a percentage, and the strategy ("TP 8 · PP 4 …") */
  g_string_append_printf (text, _ ("%s: %s tokens/s, %s of ideal scaling, with %s"), gpus, speed,
                          share, strategy);
  append_bill (self, text, point);
  if (gain != NULL)
    g_string_append_printf (text, ". %s", gain);
  return g_string_free (text, FALSE);
}

/* What the best of the sizes gains over ideal scaling, if any does. */
static char *
best_gain (const ShardwiseSizingSeries *series)
{
  const ShardwiseSizingPoint *best = series->reference;

  for (guint i = 0; i < shardwise_sizing_series_length (series); i++)
    if (shardwise_sizing_efficiency (series->reference, shardwise_sizing_series_at (series, i))
        > shardwise_sizing_efficiency (series->reference, best))
      best = shardwise_sizing_series_at (series, i);
  return shardwise_sizing_gain_text (series->reference, best);
}

static const ShardwiseSizingPoint *
find_size (const ShardwiseSizingSeries *series, guint gpus)
{
  for (guint i = 0; i < shardwise_sizing_series_length (series); i++)
    if (shardwise_sizing_series_at (series, i)->gpus == gpus)
      return shardwise_sizing_series_at (series, i);
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

static void
append_sentence (GString *text, char *sentence)
{
  if (sentence != NULL)
    g_string_append_printf (text, " %s", sentence);
  g_free (sentence);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const ShardwiseSizingSeries *series = &self->series[0];
  const ShardwiseSizingPoint *first = NULL, *last = NULL;
  g_autofree char *from = NULL, *to = NULL, *share = NULL;
  GString *text;

  if (shardwise_sizing_series_length (series) == 0)
    return g_strdup ("");
  if (series->reference == NULL)
    return g_strdup (_ ("No size of the cluster in this range holds the job."));
  for (guint i = 0; i < shardwise_sizing_series_length (series); i++)
    if (shardwise_sizing_series_at (series, i)->estimate.fits)
      {
        last = shardwise_sizing_series_at (series, i);
        first = first != NULL ? first : last;
      }
  from = shardwise_format_count (first->estimate.tokens_per_s);
  to = shardwise_format_count (last->estimate.tokens_per_s);
  share = shardwise_format_percent (shardwise_sizing_efficiency (series->reference, last));
  text = g_string_new (NULL);
  g_string_append_printf (
      text,
      /* Translators: GPUs of the smallest and of the largest cluster, tokens per second of both, a
     * percentage, and GPUs of another cluster */
      _ ("%'u to %'u GPUs: %s to %s tokens/s; in the largest cluster each GPU does %s of what it "
         "does in one of %'u."),
      first->gpus, last->gpus, from, to, share, series->reference->gpus);
  append_sentence (text, shardwise_sizing_least_text (series->points));
  append_sentence (text, best_gain (series));
  append_sentence (text, comparison (self));
  return g_string_free (text, FALSE);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  gboolean compared = self->series[1].points != NULL;
  guint n = 0;

  if (shardwise_sizing_chart_n_points (self) == 0)
    return 0;
  for (guint i = 0; i <= (guint) compared; i++)
    out[n++] = (ShardwiseLegendEntry){ shardwise_sizing_colors[i],
                                       compared ? self->series[i].name
                                                : _ ("Best strategy of each size"),
                                       .mark = shardwise_sizing_marks[i] };
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

static const ShardwiseChartColumn *
columns (ShardwiseChart *chart, guint *n)
{
  static const ShardwiseChartColumn described[N_COLUMNS] = {
    { N_ ("Strategy"), -1 },    { N_ ("GPUs"), 0 },         { N_ ("Cluster"), -1 },
    { N_ ("Global batch"), 0 }, { N_ ("Tokens/s"), 0 },     { N_ ("Of ideal scaling (%)"), 1 },
    { N_ ("MFU (%)"), 1 },      { N_ ("Memory (GiB)"), 1 }, { N_ ("Days"), 1 },
    { N_ ("Cost"), 0 },         { N_ ("Currency"), -1 },
  };

  *n = G_N_ELEMENTS (described);
  return described;
}

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
  const ShardwiseSizingSeries *series;
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
series_set (ShardwiseSizingSeries *series, GPtrArray *points, const char *name)
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
  const ShardwiseSizingSeries *series;

  g_return_val_if_fail (SHARDWISE_IS_SIZING_CHART (self), NULL);
  g_return_val_if_fail (index < shardwise_sizing_chart_n_points (self), NULL);

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

  return index >= shardwise_sizing_series_length (&self->series[0]);
}

/* Type */

static void
shardwise_sizing_chart_finalize (GObject *object)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (object);

  for (guint i = 0; i < SHARDWISE_SIZING_SERIES; i++)
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
  chart_class->plot_height = shardwise_sizing_chart_plot_height;
  chart_class->layout = shardwise_sizing_chart_layout;
  chart_class->draw = shardwise_sizing_chart_draw;
  chart_class->draw_point = draw_point;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->pick = pick;
  chart_class->step = step;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->n_rows = n_points;
  chart_class->cell = cell;
}

static void
shardwise_sizing_chart_init (ShardwiseSizingChart *self)
{}
