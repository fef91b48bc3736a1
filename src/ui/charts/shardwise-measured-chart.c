/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-measured-chart.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

/* Owns its texts. */
typedef struct {
  char *title, *measured, *predicted, *used, *readout;
  double share, spread; /* percent: of the prediction, and of the measurement */
} Row;

struct _ShardwiseMeasuredChart {
  ShardwiseBarChart parent_instance;

  GArray *rows;
  char *about; /* (nullable): the measurement with these rows */
};

G_DEFINE_FINAL_TYPE (ShardwiseMeasuredChart, shardwise_measured_chart, SHARDWISE_TYPE_BAR_CHART)

static void
row_clear (gpointer data)
{
  Row *row = data;

  g_free (row->title);
  g_free (row->measured);
  g_free (row->predicted);
  g_free (row->used);
  g_free (row->readout);
}

static const Row *
row_at (gpointer self, guint index)
{
  return &g_array_index (SHARDWISE_MEASURED_CHART (self)->rows, Row, index);
}

/* Drawing */

static void
set_range (ShardwiseBarChart *chart, ShardwiseAxis *axis)
{
  ShardwiseMeasuredChart *self = SHARDWISE_MEASURED_CHART (chart);

  axis->min = 0;
  axis->max = 100;
  for (guint i = 0; i < self->rows->len; i++)
    axis->max = MAX (axis->max, row_at (self, i)->share);
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
  const double zero = shardwise_axis_to_pixel (&rows->axis, 0),
               one = shardwise_axis_to_pixel (&rows->axis, 100);

  for (guint i = 0; i < rows->n; i++)
    shardwise_draw_box (
        pen, SHARDWISE_COLOR_COMPUTE, FALSE, MIN (zero, one), shardwise_bar_rows_bar_y (rows, i),
        fabs (shardwise_axis_to_pixel (&rows->axis, row_at (chart, i)->share) - zero),
        rows->bar_height);
  shardwise_draw_line (pen, &pen->dim, one, rows->top, 1,
                       shardwise_bar_rows_bottom (rows) - rows->top);
}

/* Points */

static ShardwiseBar
bar (ShardwiseBarChart *chart, guint point)
{
  return (ShardwiseBar){ point, 0, row_at (chart, point)->share };
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  return g_strdup (row_at (chart, point)->readout);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseMeasuredChart *self = SHARDWISE_MEASURED_CHART (chart);
  const Row *worst;
  g_autofree char *percent = NULL, *text = NULL;

  if (self->rows->len == 0)
    return g_strdup ("");
  worst = row_at (self, 0);
  for (guint i = 1; i < self->rows->len; i++)
    if (fabs (log (row_at (self, i)->share / 100)) > fabs (log (worst->share / 100)))
      worst = row_at (self, i);
  percent = shardwise_format_percent (worst->share / 100);
  /* Translators: what is measured ("GPU memory"), a percentage */
  text =
      g_strdup_printf (_ ("Largest deviation from the prediction: %s, %s of the predicted value."),
                       worst->title, percent);
  return self->about != NULL ? g_strdup_printf ("%s. %s", self->about, text)
                             : g_steal_pointer (&text);
}

/* Table */

static const ShardwiseChartColumn columns[] = {
  { N_ ("Figure"), -1 },
  { N_ ("Measured"), -1 },
  { N_ ("Spread (%)"), 1 },
  { N_ ("Predicted"), -1 },
  { N_ ("Measured over predicted (%)"), 1 },
  { N_ ("Used by the model"), -1 },
  { NULL, 0 },
};

static guint
n_rows (ShardwiseChart *chart)
{
  return SHARDWISE_MEASURED_CHART (chart)->rows->len;
}

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  const Row *shown = row_at (chart, row);
  const char *const texts[] = { shown->title, shown->measured, NULL, shown->predicted,
                                NULL,         shown->used };

  if (texts[column] != NULL)
    out->text = g_strdup (texts[column]);
  else
    out->number = column == 2 ? shown->spread : shown->share;
}

/* Data */

static void
begin (ShardwiseMeasuredChart *self, char *about)
{
  g_array_set_size (self->rows, 0);
  shardwise_bar_chart_clear (SHARDWISE_BAR_CHART (self));
  g_free (self->about);
  self->about = about;
}

/* Takes ownership of the texts of @row. */
static void
add (ShardwiseMeasuredChart *self, Row row)
{
  g_array_append_val (self->rows, row);
  shardwise_bar_chart_add_row (
      SHARDWISE_BAR_CHART (self),
      (ShardwiseBarRow){ g_strdup (row.title), g_strdup (row.measured), FALSE });
}

static gboolean
end (ShardwiseMeasuredChart *self)
{
  shardwise_chart_changed (SHARDWISE_CHART (self));
  return self->rows->len > 0;
}

/**
 * shardwise_measured_chart_set_machine:
 * @self: a chart
 * @machine: (nullable): the measurements; %NULL: shows nothing
 * @base: its cluster, with the catalog's constants
 *
 * Returns: whether there is anything to show
 */
gboolean
shardwise_measured_chart_set_machine (ShardwiseMeasuredChart *self, const ShardwiseMachine *machine,
                                      const SwProblem *base)
{
  g_return_val_if_fail (SHARDWISE_IS_MEASURED_CHART (self), FALSE);

  begin (self, NULL);
  for (guint i = 0; machine != NULL && i < SHARDWISE_N_FIGURES; i++)
    {
      const ShardwiseFigureId id = (ShardwiseFigureId) i;
      ShardwiseMachineRow figure;
      g_autofree char *spread = NULL;
      Row row = { .title = NULL };

      if (!shardwise_machine_row (machine, base, id, &figure))
        continue;
      spread = shardwise_format_percent (figure.spread);
      row = (Row){ g_strdup (shardwise_figure_title (id)),
                   shardwise_figure_text (id, figure.measured),
                   shardwise_figure_text (id, figure.expected),
                   shardwise_figure_text (id, figure.used),
                   NULL,
                   figure.measured / figure.expected * 100,
                   figure.spread * 100 };
      /* Translators: a measured quantity ("GPU memory"), its value, its spread in percent, the
       * prediction, and the value that the model uses */
      row.readout =
          g_strdup_printf (_ ("%s: %s (± %s) measured, %s in the catalog; the model uses %s"),
                           row.title, row.measured, spread, row.predicted, row.used);
      add (self, row);
    }
  return end (self);
}

/**
 * shardwise_measured_chart_set_step:
 * @self: a chart
 * @step: the measurements of a layer
 * @problem: source of the machine and constants of the prediction
 *
 * Returns: whether there is anything to show
 */
gboolean
shardwise_measured_chart_set_step (ShardwiseMeasuredChart *self, const ShardwiseMeasuredStep *step,
                                   const SwProblem *problem)
{
  ShardwiseStepRow rows[SHARDWISE_N_STEP_ROWS];
  const guint n = shardwise_step_rows (step, problem, rows);

  g_return_val_if_fail (SHARDWISE_IS_MEASURED_CHART (self), FALSE);

  begin (self,
         n > 0 ? shardwise_step_describe (step, shardwise_text_framework (step->framework)) : NULL);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *spread = shardwise_format_percent (rows[i].spread);
      Row row = { shardwise_step_title (rows[i].id),
                  shardwise_step_text (rows[i].id, rows[i].measured),
                  shardwise_step_text (rows[i].id, rows[i].predicted),
                  shardwise_step_text (rows[i].id, rows[i].predicted),
                  NULL,
                  rows[i].measured / rows[i].predicted * 100,
                  rows[i].spread * 100 };

      /* Translators: what is measured ("Attention, forward"), its value, its spread in percent, what
         was predicted */
      row.readout = g_strdup_printf (_ ("%s: %s (± %s) measured, %s predicted"), row.title,
                                     row.measured, spread, row.predicted);
      add (self, row);
    }
  return end (self);
}

/* Type */

static void
shardwise_measured_chart_finalize (GObject *object)
{
  ShardwiseMeasuredChart *self = SHARDWISE_MEASURED_CHART (object);

  g_array_unref (self->rows);
  g_free (self->about);
  G_OBJECT_CLASS (shardwise_measured_chart_parent_class)->finalize (object);
}

static void
shardwise_measured_chart_class_init (ShardwiseMeasuredChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);
  ShardwiseBarChartClass *bar_class = SHARDWISE_BAR_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_measured_chart_finalize;
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
{
  self->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (self->rows, row_clear);
}
