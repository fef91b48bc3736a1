/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-tornado-chart.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-strategy.h"

#define NO_EFFECT 0.01 /* share of the throughput: smaller gains are summarized in the sentence */

typedef struct {
  SwResource resource;
  SwSensitivity gain;
} Row;

struct _ShardwiseTornadoChart {
  ShardwiseBarChart parent_instance;

  Row rows[SW_N_RESOURCES]; /* resources with an effect first, largest first */
  guint n, n_effect;        /* n_effect: the number with a bar */
  double factor;
  SwStrategy strategy;
};

G_DEFINE_FINAL_TYPE (ShardwiseTornadoChart, shardwise_tornado_chart, SHARDWISE_TYPE_BAR_CHART)

static const ShardwiseColor resource_colors[SW_N_RESOURCES] = {
  [SW_RESOURCE_COMPUTE] = SHARDWISE_COLOR_COMPUTE,
  [SW_RESOURCE_MEMORY] = SHARDWISE_COLOR_ACTIVATIONS,
  [SW_RESOURCE_HBM] = SHARDWISE_COLOR_BUFFERS,
  [SW_RESOURCE_INTRA] = SHARDWISE_COLOR_TENSOR,
  [SW_RESOURCE_NETWORK] = SHARDWISE_COLOR_DATA,
  [SW_RESOURCE_BATCH] = SHARDWISE_COLOR_PIPELINE,
};

static const char *
name_of (const Row *row)
{
  return shardwise_text_resource (row->resource);
}

/* A batch grows by whole micro-batches. If it grows by less than the other resources, the name
 * includes the amount. */
static char *
label_of (ShardwiseTornadoChart *self, const Row *row)
{
  g_autofree char *more = shardwise_text_more (row->gain.factor);

  if (fabs (row->gain.factor - self->factor) < 0.005)
    return g_strdup (name_of (row));
  return g_strdup_printf ("%s %s", name_of (row), more);
}

/* Drawing */

static void
set_range (ShardwiseBarChart *chart, ShardwiseAxis *axis)
{
  ShardwiseTornadoChart *self = SHARDWISE_TORNADO_CHART (chart);
  double least = 0, most = NO_EFFECT;

  for (guint i = 0; i < self->n_effect; i++)
    {
      least = MIN (least, self->rows[i].gain.held);
      most = MAX (most, self->rows[i].gain.reoptimised);
    }
  axis->min = least * 100;
  axis->max = most * 100;
}

static char *
tick_label (double value, double unit, double step)
{
  if (value == 0)
    return shardwise_format_significant (0);
  /* Translators: a change in percent on an axis: its sign, and the number */
  return g_strdup_printf (_ ("%s%.*f %%"), value < 0 ? "−" : "+",
                          (int) shardwise_axis_digits (step), fabs (value));
}

static void
draw_bars (ShardwiseBarChart *chart, const ShardwisePen *pen, const ShardwiseBarRows *rows)
{
  ShardwiseTornadoChart *self = SHARDWISE_TORNADO_CHART (chart);
  double zero = shardwise_axis_to_pixel (&rows->axis, 0);

  for (guint i = 0; i < rows->n; i++)
    {
      const SwSensitivity *gain = &self->rows[i].gain;
      ShardwiseColor color = resource_colors[self->rows[i].resource];
      double y = shardwise_bar_rows_bar_y (rows, i), height = rows->bar_height;
      double held = shardwise_axis_to_pixel (&rows->axis, gain->held * 100),
             best = shardwise_axis_to_pixel (&rows->axis, gain->reoptimised * 100),
             from = MAX (held, zero);

      shardwise_draw_box (pen, color, FALSE, MIN (zero, held), y, fabs (held - zero), height);
      if (best > from)
        shardwise_draw_box (pen, color, TRUE, from, y, best - from, height);
    }
  shardwise_draw_line (pen, &pen->dim, zero, rows->top, 1,
                       shardwise_bar_rows_bottom (rows) - rows->top);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  if (SHARDWISE_TORNADO_CHART (chart)->n_effect == 0)
    return 0;
  out[0] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_COMPUTE, _ ("With this strategy") };
  out[1] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_COMPUTE,
                                   _ ("More with the best strategy for it"), .pale = TRUE };
  return 2;
}

/* Points */

static ShardwiseBar
bar (ShardwiseBarChart *chart, guint point)
{
  const SwSensitivity *gain = &SHARDWISE_TORNADO_CHART (chart)->rows[point].gain;

  return (ShardwiseBar){ point, MIN (gain->held, 0) * 100, MAX (gain->reoptimised, 0) * 100 };
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwiseTornadoChart *self = SHARDWISE_TORNADO_CHART (chart);
  const Row *row = &self->rows[point];

  return shardwise_text_gain (row->resource, &row->gain, &self->strategy);
}

/* The gain from the first resource: with this strategy, and with the best one for it if that
 * differs. */
static char *
gain_sentence (ShardwiseTornadoChart *self)
{
  const Row *row = &self->rows[0];
  g_autofree char *more = shardwise_text_more (row->gain.factor);
  g_autofree char *best = shardwise_format_change (row->gain.reoptimised),
                  *held = shardwise_format_change (row->gain.held);

  if (sw_strategy_equal (&row->gain.strategy, &self->strategy))
    return g_strdup_printf (
        /* Translators: a resource ("Network"), how much more of it and the change of the throughput
         ("+12 %") */
        _ ("%s is the main limit: %s of it gives %s tokens/s; this strategy is still the best."),
        name_of (row), more, best);
  if (!row->gain.runs)
    return g_strdup_printf (
        /* Translators: a resource ("Global batch"), how much more of it, and the change of the
         throughput ("+12 %") */
        _ ("%s is the main limit: %s of it gives %s tokens/s with the best strategy for it; this "
           "strategy cannot run with it."),
        name_of (row), more, best);
  return g_strdup_printf (
      /* Translators: a resource ("Network"), how much more of it, and two changes of the throughput
       ("+12 %") */
      _ ("%s is the main limit: %s of it gives %s tokens/s with this strategy and %s with the best "
         "strategy for it."),
      name_of (row), more, held, best);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseTornadoChart *self = SHARDWISE_TORNADO_CHART (chart);
  g_autofree char *more = shardwise_text_more (self->factor), *gain = NULL;
  g_autoptr (GString) without = g_string_new (NULL); /* names of the resources with almost no
                                                        effect */

  if (self->n == 0)
    return g_strdup ("");
  if (self->n_effect == 0)
    return g_strdup_printf (
        /* Translators: how much more of something ("+25 %") */
        _ ("%s of any one resource changes the throughput by less than 1 %%."), more);
  gain = gain_sentence (self);
  for (guint i = self->n_effect; i < self->n; i++)
    shardwise_text_items (without, "%s", name_of (&self->rows[i]));
  if (without->len == 0)
    return g_steal_pointer (&gain);
  /* Translators: a sentence on what limits most, and a list of resources */
  return g_strdup_printf (_ ("%s Less than 1 %% each: %s."), gain, without->str);
}

/* Table */

static const ShardwiseChartColumn columns[] = {
  { N_ ("Resource"), -1 },
  { N_ ("This strategy (%)"), 2 },
  { N_ ("Best strategy (%)"), 2 },
  { N_ ("Which one"), -1 },
  { NULL, 0 },
};

static guint
n_rows (ShardwiseChart *chart)
{
  return SHARDWISE_TORNADO_CHART (chart)->n;
}

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  const Row *shown = &SHARDWISE_TORNADO_CHART (chart)->rows[row];

  if (column == 0)
    out->text = label_of (SHARDWISE_TORNADO_CHART (chart), shown);
  else if (column == 1 && !shown->gain.runs)
    out->text = g_strdup (_ ("cannot run"));
  else if (column == 3)
    out->text = shardwise_text_strategy (&shown->gain.strategy);
  else
    out->number = (column == 1 ? shown->gain.held : shown->gain.reoptimised) * 100;
}

/* Data */

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  double left = fabs (((const Row *) a)->gain.reoptimised),
         right = fabs (((const Row *) b)->gain.reoptimised);

  return (left < right) - (left > right);
}

/**
 * shardwise_tornado_chart_set_gains:
 * @self: a chart
 * @gains: (nullable) (array fixed-size=6): by SwResource; %NULL: shows nothing
 * @factor: the factor of each resource; 1.25: a quarter more
 * @strategy: the fixed strategy
 */
void
shardwise_tornado_chart_set_gains (ShardwiseTornadoChart *self, const SwSensitivity *gains,
                                   double factor, const SwStrategy *strategy)
{
  g_return_if_fail (SHARDWISE_IS_TORNADO_CHART (self));

  self->factor = factor;
  self->strategy = *strategy;
  self->n = gains != NULL ? SW_N_RESOURCES : 0;
  for (guint i = 0; i < self->n; i++)
    self->rows[i] = (Row){ i, gains[i] };
  qsort (self->rows, self->n, sizeof self->rows[0], compare_rows);
  shardwise_bar_chart_clear (SHARDWISE_BAR_CHART (self));
  self->n_effect = 0;
  for (guint i = 0; i < self->n && fabs (self->rows[i].gain.reoptimised) >= NO_EFFECT; i++)
    {
      shardwise_bar_chart_add_row (
          SHARDWISE_BAR_CHART (self),
          (ShardwiseBarRow){ label_of (self, &self->rows[i]),
                             shardwise_format_change (self->rows[i].gain.reoptimised), i == 0 });
      self->n_effect++;
    }
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/* Type */

static void
shardwise_tornado_chart_class_init (ShardwiseTornadoChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);
  ShardwiseBarChartClass *bar_class = SHARDWISE_BAR_CHART_CLASS (klass);

  chart_class->is_whole = TRUE;
  chart_class->legend = legend;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->n_rows = n_rows;
  chart_class->cell = cell;
  bar_class->format = tick_label;
  bar_class->set_range = set_range;
  bar_class->draw_bars = draw_bars;
  bar_class->bar = bar;
}

static void
shardwise_tornado_chart_init (ShardwiseTornadoChart *self)
{}
