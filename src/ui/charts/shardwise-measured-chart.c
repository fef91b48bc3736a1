/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-measured-chart.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-format.h"

typedef struct {
  ShardwiseFigureId id;
  ShardwiseMachineRow figure;
} Row;

struct _ShardwiseMeasuredChart {
  ShardwiseBarChart parent_instance;

  Row rows[SHARDWISE_N_FIGURES];
  guint n;
};

G_DEFINE_FINAL_TYPE (ShardwiseMeasuredChart, shardwise_measured_chart, SHARDWISE_TYPE_BAR_CHART)

static double
share (double value, const Row *row)
{
  return value / row->figure.expected * 100;
}

/* Drawing */

static void
set_range (ShardwiseBarChart *chart, ShardwiseAxis *axis)
{
  ShardwiseMeasuredChart *self = SHARDWISE_MEASURED_CHART (chart);

  axis->min = 0;
  axis->max = 100;
  for (guint i = 0; i < self->n; i++)
    axis->max = MAX (axis->max, share (self->rows[i].figure.measured, &self->rows[i]));
}

static char *
tick_label (double value, double unit, double step)
{
  /* Translators: a percentage on an axis */
  return g_strdup_printf (_ ("%.*f %%"), (int) shardwise_axis_digits (step), value);
}

static void
draw_bars (ShardwiseBarChart *chart, const ShardwisePen *pen, const ShardwiseBarRows *rows)
{
  ShardwiseMeasuredChart *self = SHARDWISE_MEASURED_CHART (chart);
  const double zero = shardwise_axis_to_pixel (&rows->axis, 0),
               one = shardwise_axis_to_pixel (&rows->axis, 100);

  for (guint i = 0; i < rows->n; i++)
    shardwise_draw_box (
        pen, SHARDWISE_COLOR_COMPUTE, FALSE, MIN (zero, one), shardwise_bar_rows_bar_y (rows, i),
        fabs (shardwise_axis_to_pixel (&rows->axis,
                                       share (self->rows[i].figure.measured, &self->rows[i]))
              - zero),
        rows->bar_height);
  shardwise_draw_line (pen, &pen->dim, one, rows->top, 1,
                       shardwise_bar_rows_bottom (rows) - rows->top);
}

/* Points */

static ShardwiseBar
bar (ShardwiseBarChart *chart, guint point)
{
  const Row *row = &SHARDWISE_MEASURED_CHART (chart)->rows[point];

  return (ShardwiseBar){ point, 0, share (row->figure.measured, row) };
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  const Row *row = &SHARDWISE_MEASURED_CHART (chart)->rows[point];
  g_autofree char *measured = shardwise_figure_text (row->id, row->figure.measured),
                  *spread = shardwise_format_percent (row->figure.spread),
                  *expected = shardwise_figure_text (row->id, row->figure.expected),
                  *used = shardwise_figure_text (row->id, row->figure.used);

  /* Translators: what is measured ("GPU memory"), its value, its spread in percent, what was
     predicted, and what the model takes */
  return g_strdup_printf (_ ("%s: %s (± %s) measured, %s by the catalogue; the model takes %s"),
                          shardwise_figure_title (row->id), measured, spread, expected, used);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseMeasuredChart *self = SHARDWISE_MEASURED_CHART (chart);
  const Row *worst = self->rows;
  g_autofree char *percent = NULL;

  if (self->n == 0)
    return g_strdup ("");
  for (guint i = 1; i < self->n; i++)
    if (fabs (log (share (self->rows[i].figure.measured, &self->rows[i]) / 100))
        > fabs (log (share (worst->figure.measured, worst) / 100)))
      worst = &self->rows[i];
  percent = shardwise_format_percent (worst->figure.measured / worst->figure.expected);
  /* Translators: what is measured ("GPU memory"), a percentage */
  return g_strdup_printf (_ ("Farthest from the catalogue: %s, %s of it."),
                          shardwise_figure_title (worst->id), percent);
}

/* Table */

static const ShardwiseChartColumn columns[] = {
  { N_ ("Figure"), -1 },
  { N_ ("Measured"), -1 },
  { N_ ("Spread (%)"), 1 },
  { N_ ("Predicted by the catalogue"), -1 },
  { N_ ("Measured over predicted (%)"), 1 },
  { N_ ("The model takes"), -1 },
  { NULL, 0 },
};

static guint
n_rows (ShardwiseChart *chart)
{
  return SHARDWISE_MEASURED_CHART (chart)->n;
}

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  const Row *shown = &SHARDWISE_MEASURED_CHART (chart)->rows[row];
  const ShardwiseMachineRow *figure = &shown->figure;

  if (column == 0)
    out->text = g_strdup (shardwise_figure_title (shown->id));
  else if (column == 2)
    out->number = figure->spread * 100;
  else if (column == 4)
    out->number = share (figure->measured, shown);
  else
    out->text = shardwise_figure_text (shown->id, column == 1   ? figure->measured
                                                  : column == 3 ? figure->expected
                                                                : figure->used);
}

/* Data */

/**
 * shardwise_measured_chart_set_machine:
 * @self: a chart
 * @machine: (nullable): what was measured; %NULL: nothing is shown
 * @base: of its cluster, with the catalogue's constants
 *
 * Returns: whether there is anything to show
 */
gboolean
shardwise_measured_chart_set_machine (ShardwiseMeasuredChart *self, const ShardwiseMachine *machine,
                                      const SwProblem *base)
{
  g_return_val_if_fail (SHARDWISE_IS_MEASURED_CHART (self), FALSE);

  self->n = 0;
  shardwise_bar_chart_clear (SHARDWISE_BAR_CHART (self));
  for (guint i = 0; machine != NULL && i < SHARDWISE_N_FIGURES; i++)
    {
      Row *row = &self->rows[self->n];

      if (!shardwise_machine_row (machine, base, (ShardwiseFigureId) i, &row->figure))
        continue;
      row->id = (ShardwiseFigureId) i;
      self->n++;
      shardwise_bar_chart_add_row (
          SHARDWISE_BAR_CHART (self),
          (ShardwiseBarRow){ g_strdup (shardwise_figure_title (row->id)),
                             shardwise_figure_text (row->id, row->figure.measured), FALSE });
    }
  shardwise_chart_changed (SHARDWISE_CHART (self));
  return self->n > 0;
}

/* Type */

static void
shardwise_measured_chart_class_init (ShardwiseMeasuredChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);
  ShardwiseBarChartClass *bar_class = SHARDWISE_BAR_CHART_CLASS (klass);

  chart_class->is_whole = TRUE;
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
shardwise_measured_chart_init (ShardwiseMeasuredChart *self)
{}
