/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing-chart.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-chart-draw.h"
#include "shardwise-texts.h"

#define AXIS_HEIGHT 24
#define GAP 26            /* between the panels, for the lower one's title */
#define UPPER_SHARE 0.62  /* of the height */
#define RADIUS 4.5

struct _ShardwiseSizingChart {
  ShardwiseChart parent_instance;

  GPtrArray *points; /* (nullable) of ShardwiseSizingPoint */
  char *currency;
  guint present, least, sensible; /* GPUs; 0: not marked */
  double ideal;                   /* tokens per second and GPU of the smallest cluster that fits; 0: none fits */

  ShardwiseAxis gpus, throughput, efficiency;
};

G_DEFINE_FINAL_TYPE (ShardwiseSizingChart, shardwise_sizing_chart, SHARDWISE_TYPE_CHART)

static guint
count (ShardwiseSizingChart *self)
{
  return self->points != NULL ? self->points->len : 0;
}

static const ShardwiseSizingPoint *
point_at (ShardwiseSizingChart *self, guint index)
{
  return g_ptr_array_index (self->points, index);
}

static double
efficiency_of (ShardwiseSizingChart *self, const ShardwiseSizingPoint *point)
{
  return self->ideal > 0 ? point->estimate.tokens_per_s / point->gpus / self->ideal : 0;
}

/* Layout */

static int
plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  *minimum = 300;
  return 380;
}

static void
find_ranges (ShardwiseSizingChart *self)
{
  double low = G_MAXDOUBLE, high = 0, most = 1;

  for (guint i = 0; i < count (self); i++) {
    const ShardwiseSizingPoint *point = point_at (self, i);

    if (!point->estimate.fits)
      continue;
    low = MIN (low, point->estimate.tokens_per_s);
    high = MAX (high, MAX (point->estimate.tokens_per_s, self->ideal * point->gpus));
    most = MAX (most, efficiency_of (self, point));
  }
  self->gpus.min = point_at (self, 0)->gpus * 0.85;
  self->gpus.max = point_at (self, count (self) - 1)->gpus * 1.18;
  self->throughput.min = (high > 0 ? low : 1) * 0.7;
  self->throughput.max = (high > 0 ? high : 10) * 1.4;
  self->efficiency.min = 0;
  self->efficiency.max = most * 1.08;
}

static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  double left = plot->origin.x + shardwise_draw_text_width (chart, "000 M") + 8, right = plot->origin.x + plot->size.width - 4;
  double top = plot->origin.y + 2 * shardwise_draw_line_height (chart) + 8, bottom = plot->origin.y + plot->size.height - AXIS_HEIGHT;
  double middle = top + (bottom - top) * UPPER_SHARE;

  if (count (self) == 0)
    return;
  self->gpus = (ShardwiseAxis){ SHARDWISE_SCALE_DOUBLINGS, 1, 2, left, right };
  self->throughput = (ShardwiseAxis){ SHARDWISE_SCALE_DECADES, 1, 2, middle - GAP / 2.0, top };
  self->efficiency = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, 1, bottom, middle + GAP / 2.0 };
  find_ranges (self);
}

static double
x_of (ShardwiseSizingChart *self, double gpus)
{
  return shardwise_axis_to_pixel (&self->gpus, gpus);
}

/* Drawing */

static void
draw_gpu_ticks (ShardwiseSizingChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  double ticks[SHARDWISE_AXIS_MAX_TICKS];
  guint n = shardwise_axis_ticks (&self->gpus, (guint) CLAMP ((self->gpus.end - self->gpus.start) / 50, 2, 20), ticks);

  for (guint i = 0; i < n; i++) {
    g_autofree char *label = g_strdup_printf ("%'.0f", ticks[i]);
    double x = x_of (self, ticks[i]);

    shardwise_draw_line (snapshot, &style->grid, x, self->throughput.end, 1, self->throughput.start - self->throughput.end);
    shardwise_draw_line (snapshot, &style->grid, x, self->efficiency.end, 1, self->efficiency.start - self->efficiency.end);
    shardwise_draw_text (SHARDWISE_CHART (self), snapshot, label, &style->dim, x, self->efficiency.start + 5, 0.5, 0);
  }
}

static void
draw_value_ticks (ShardwiseSizingChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
                  const ShardwiseAxis *axis, char *(*format) (double value))
{
  double ticks[SHARDWISE_AXIS_MAX_TICKS];
  guint n = shardwise_axis_ticks (axis, (guint) CLAMP ((axis->start - axis->end) / 28, 2, 8), ticks);

  for (guint i = 0; i < n; i++) {
    g_autofree char *label = format (ticks[i]);
    double y = shardwise_axis_to_pixel (axis, ticks[i]);

    shardwise_draw_line (snapshot, &style->grid, self->gpus.start, y, self->gpus.end - self->gpus.start, 1);
    shardwise_draw_text (SHARDWISE_CHART (self), snapshot, label, &style->dim, self->gpus.start - 6, y, 1, 0.5);
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

  for (guint i = 0; i < count (self); i++) {
    const ShardwiseSizingPoint *point = point_at (self, i);
    double y = efficiency ? shardwise_axis_to_pixel (&self->efficiency, efficiency_of (self, point))
                          : shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s);

    if (point->estimate.fits && open)
      cairo_line_to (cr, x_of (self, point->gpus), y);
    else if (point->estimate.fits)
      cairo_move_to (cr, x_of (self, point->gpus), y);
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
  cairo_move_to (cr, self->gpus.start, shardwise_axis_to_pixel (&self->throughput, self->ideal * self->gpus.min));
  cairo_line_to (cr, self->gpus.end, shardwise_axis_to_pixel (&self->throughput, self->ideal * self->gpus.max));
  cairo_stroke (cr);
  cairo_restore (cr);
}

static void
draw_dots (ShardwiseSizingChart *self, cairo_t *cr, const ShardwiseChartStyle *style)
{
  GdkRGBA blue, red;

  shardwise_palette_get (SHARDWISE_COLOR_COMPUTE, style->dark, &blue);
  shardwise_palette_get (SHARDWISE_COLOR_LIMIT, style->dark, &red);
  for (guint i = 0; i < count (self); i++) {
    const ShardwiseSizingPoint *point = point_at (self, i);
    double x = x_of (self, point->gpus), y = self->throughput.start - RADIUS - 1;

    if (point->estimate.fits) {
      gdk_cairo_set_source_rgba (cr, &blue);
      cairo_arc (cr, x, shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s), RADIUS, 0, 2 * G_PI);
      cairo_fill (cr);
      cairo_arc (cr, x, shardwise_axis_to_pixel (&self->efficiency, efficiency_of (self, point)), RADIUS - 1, 0, 2 * G_PI);
      cairo_fill (cr);
    } else {
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
  const struct { const char *name; guint value; } degrees[] = {
    { "TP", strategy->tp }, { "PP", strategy->pp }, { "CP", strategy->cp }, { "EP", strategy->ep },
  };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    if (degrees[i].value > 1)
      g_string_append_printf (text, "%s%s %u", text->len > 0 ? " " : "", degrees[i].name, degrees[i].value);
  if (text->len == 0)
    g_string_append_printf (text, "ZeRO %u", strategy->zero_stage);
  return g_string_free (text, FALSE);
}

static void
draw_strategies (ShardwiseSizingChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  g_autofree char *last = NULL;
  double free_x[2] = { 0, 0 }; /* from where on there is room below and above the line */
  int height = shardwise_draw_line_height (SHARDWISE_CHART (self));

  for (guint i = 0; i < count (self); i++) {
    const ShardwiseSizingPoint *point = point_at (self, i);
    g_autofree char *text = point->estimate.fits ? short_strategy (&point->estimate.strategy) : NULL;
    double x = x_of (self, point->gpus), y = shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s);
    int width, side;

    if (text == NULL || g_strcmp0 (text, last) == 0)
      continue;
    width = shardwise_draw_text_width (SHARDWISE_CHART (self), text);
    x = CLAMP (x, self->gpus.start + width / 2.0, self->gpus.end - width / 2.0);
    side = x - width / 2.0 >= free_x[0] && y + 8 + height < self->throughput.start ? 0 : 1;
    if (x - width / 2.0 < free_x[side])
      continue; /* its neighbours take the room; the readout and the table say it */
    shardwise_draw_text (SHARDWISE_CHART (self), snapshot, text, &style->text, x, y + (side == 0 ? 8 : -8), 0.5,
                         side == 0 ? 0 : 1);
    free_x[side] = x + width / 2.0 + 6;
    g_free (last);
    last = g_steal_pointer (&text);
  }
}

static void
draw_mark (ShardwiseSizingChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style, guint gpus,
           ShardwiseColor color, const char *text, double *taken)
{
  double x = x_of (self, gpus), top = self->throughput.end;
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

static void
draw (ShardwiseChart *chart, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  graphene_rect_t plot;

  if (count (self) == 0)
    return;
  shardwise_chart_get_plot (chart, &plot);
  draw_gpu_ticks (self, snapshot, style);
  draw_value_ticks (self, snapshot, style, &self->throughput, shardwise_format_count);
  draw_value_ticks (self, snapshot, style, &self->efficiency, whole_percent);
  draw_marks (self, snapshot, style);
  draw_curves (self, snapshot, style);
  draw_strategies (self, snapshot, style);
  shardwise_draw_text (chart, snapshot, _ ("tokens/s"), &style->dim, plot.origin.x, plot.origin.y, 0, 0);
  shardwise_draw_text (chart, snapshot, _ ("Efficiency per GPU"), &style->dim, plot.origin.x, self->efficiency.end - 5, 0, 1);
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  return count (SHARDWISE_SIZING_CHART (chart));
}

static gboolean
point_area (ShardwiseChart *chart, guint index, graphene_rect_t *out)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const ShardwiseSizingPoint *point = point_at (self, index);
  double y = point->estimate.fits ? shardwise_axis_to_pixel (&self->throughput, point->estimate.tokens_per_s)
                                  : self->throughput.start - RADIUS - 1;

  graphene_rect_init (out, x_of (self, point->gpus) - RADIUS - 2, y - RADIUS - 2, 2 * RADIUS + 4, 2 * RADIUS + 4);
  return TRUE;
}

static void
draw_point (ShardwiseChart *chart, GtkSnapshot *snapshot, const ShardwiseChartStyle *style, guint index)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);

  shardwise_draw_line (snapshot, &style->dim, x_of (self, point_at (self, index)->gpus), self->throughput.end, 1,
                       self->efficiency.start - self->throughput.end);
  SHARDWISE_CHART_CLASS (shardwise_sizing_chart_parent_class)->draw_point (chart, snapshot, style, index);
}

/* The nearest size: a column of pixels belongs to each. */
static int
pick (ShardwiseChart *chart, double x, double y)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  double best = 40;
  int found = -1;

  for (guint i = 0; i < count (self); i++) {
    double distance = fabs (x_of (self, point_at (self, i)->gpus) - x);

    if (distance < best) {
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
  const ShardwiseSizingPoint *point = point_at (self, index);
  g_autofree char *speed = shardwise_format_count (point->estimate.tokens_per_s);
  g_autofree char *share = shardwise_format_percent (efficiency_of (self, point));
  g_autofree char *strategy = shardwise_text_strategy (&point->estimate.strategy);

  if (!point->estimate.fits)
    /* Translators: count of GPUs */
    return g_strdup_printf (_ ("%'u GPUs: nothing fits"), point->gpus);
  /* Translators: count of GPUs, tokens per second, a percentage, and the strategy ("TP 8 · PP 4 …") */
  return g_strdup_printf (_ ("%'u GPUs: %s tokens/s, %s of ideal scaling, with %s"), point->gpus, speed, share, strategy);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseSizingChart *self = SHARDWISE_SIZING_CHART (chart);
  const ShardwiseSizingPoint *first = NULL, *last = NULL;
  g_autofree char *from = NULL, *to = NULL, *share = NULL;

  if (count (self) == 0)
    return g_strdup ("");
  for (guint i = 0; i < count (self); i++)
    if (point_at (self, i)->estimate.fits) {
      first = first != NULL ? first : point_at (self, i);
      last = point_at (self, i);
    }
  if (first == NULL)
    return g_strdup (_ ("No size of the cluster in this range holds the job."));
  from = shardwise_format_count (first->estimate.tokens_per_s);
  to = shardwise_format_count (last->estimate.tokens_per_s);
  share = shardwise_format_percent (efficiency_of (self, last));
  /* Translators: GPUs of the smallest and of the largest cluster, tokens per second of both, and a percentage */
  return g_strdup_printf (_ ("%'u to %'u GPUs: %s to %s tokens/s; in the largest cluster each GPU does %s of what it does "
                             "in the smallest."), first->gpus, last->gpus, from, to, share);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  if (count (SHARDWISE_SIZING_CHART (chart)) == 0)
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
    { N_ ("Strategy"), -1 }, { N_ ("GPUs"), 0 }, { N_ ("Tokens/s"), 0 }, { N_ ("Of ideal scaling (%)"), 1 },
    { N_ ("MFU (%)"), 1 }, { N_ ("Memory (GiB)"), 1 }, { N_ ("Days"), 1 }, { N_ ("Cost"), -1 },
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
  const ShardwiseSizingPoint *point = point_at (self, row);
  const double numbers[] = { 0, point->gpus, point->estimate.tokens_per_s, efficiency_of (self, point) * 100,
                             point->estimate.mfu * 100, point->estimate.memory.peak.total / SW_GIB, point->days, 0 };

  if (column == 0)
    out->text = point->estimate.fits ? shardwise_text_strategy (&point->estimate.strategy) : g_strdup (_ ("nothing fits"));
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
shardwise_sizing_chart_set_points (ShardwiseSizingChart *self, GPtrArray *points, const char *currency)
{
  g_return_if_fail (SHARDWISE_IS_SIZING_CHART (self));

  if (points != NULL)
    g_ptr_array_ref (points);
  g_clear_pointer (&self->points, g_ptr_array_unref);
  self->points = points;
  g_free (self->currency);
  self->currency = g_strdup (currency);
  self->ideal = 0;
  for (guint i = 0; i < count (self) && !(self->ideal > 0); i++)
    if (point_at (self, i)->estimate.fits)
      self->ideal = point_at (self, i)->estimate.tokens_per_s / point_at (self, i)->gpus;
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
shardwise_sizing_chart_set_marks (ShardwiseSizingChart *self, guint present, guint least, guint sensible)
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
  g_return_val_if_fail (index < count (self), NULL);

  return point_at (self, index);
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
  chart_class->n_rows = n_points;
  chart_class->cell = cell;
}

static void
shardwise_sizing_chart_init (ShardwiseSizingChart *self)
{
}
