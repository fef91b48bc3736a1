/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-waterfall-chart.h"

#include <glib/gi18n.h>
#include "shardwise-format.h"
#include "shardwise-step-parts.h"
#include "shardwise-text-estimate.h"

/* One row: the part in the sum, and the part hidden behind compute. */
typedef struct {
  ShardwiseColor color;
  const char *name; /* marked with N_(), or already translated */
  double from, seconds, hidden;
  double memory_bytes; /* of a phase: on the fullest GPU; otherwise 0 */
} Step;

struct _ShardwiseWaterfallChart {
  ShardwiseBarChart parent_instance;

  GArray *steps; /* Step elements; the last row is the sum */
  GArray *parts; /* (nullable) ShardwiseStepPart elements: all but the sum, if they are kinds */
  double step_s;
  gboolean has_phases; /* rows are phases, not kinds of work */
};

G_DEFINE_FINAL_TYPE (ShardwiseWaterfallChart, shardwise_waterfall_chart, SHARDWISE_TYPE_BAR_CHART)

static const Step *
step_at (ShardwiseWaterfallChart *self, guint row)
{
  return &g_array_index (self->steps, Step, row);
}

/* Drawing */

static void
set_range (ShardwiseBarChart *chart, ShardwiseAxis *axis)
{
  ShardwiseWaterfallChart *self = SHARDWISE_WATERFALL_CHART (chart);
  double most = self->step_s;

  for (guint i = 0; i < self->steps->len; i++)
    most = MAX (most, step_at (self, i)->from + step_at (self, i)->hidden);
  axis->max = most > 0 ? most : 1;
  axis->unit = shardwise_seconds_unit (self->step_s);
}

static void
draw_bars (ShardwiseBarChart *chart, const ShardwisePen *pen, const ShardwiseBarRows *rows)
{
  for (guint row = 0; row < rows->n; row++)
    {
      const Step *step = step_at (SHARDWISE_WATERFALL_CHART (chart), row);
      double y = shardwise_bar_rows_bar_y (rows, row), height = rows->bar_height;
      double from = shardwise_axis_to_pixel (&rows->axis, step->from),
             to = shardwise_axis_to_pixel (&rows->axis, step->from + step->seconds),
             hidden = shardwise_axis_to_pixel (&rows->axis, step->from + step->hidden);

      shardwise_draw_box (pen, step->color, TRUE, from, y + height * 0.7, hidden - from,
                          height * 0.3);
      if (step->seconds > 0 && step->color == SHARDWISE_COLOR_BUBBLE)
        shardwise_draw_hatched (pen, step->color, from, y, MAX (to - from, 1), height);
      else if (step->seconds > 0)
        shardwise_draw_box (pen, step->color, FALSE, from, y, MAX (to - from, 1),
                            step->hidden > 0 ? height * 0.7 : height);
      if (row + 2 < rows->n && !rows->narrow)
        shardwise_draw_line (pen, &pen->dim, to, y + height, 1,
                             shardwise_bar_rows_bar_y (rows, row + 1) - y - height);
    }
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  ShardwiseWaterfallChart *self = SHARDWISE_WATERFALL_CHART (chart);

  for (guint i = 0; i < self->steps->len; i++)
    if (step_at (self, i)->hidden > 0)
      {
        out[0] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_COMPUTE,
                                         _ ("Exposed; included in the sum") };
        out[1] = (ShardwiseLegendEntry){ step_at (self, i)->color,
                                         _ ("Hidden behind compute; not included in the sum"),
                                         .pale = TRUE };
        return 2;
      }
  return 0;
}

/* Points */

static ShardwiseBar
bar (ShardwiseBarChart *chart, guint point)
{
  const Step *step = step_at (SHARDWISE_WATERFALL_CHART (chart), point);

  return (ShardwiseBar){ point, step->from, step->from + MAX (step->seconds, step->hidden) };
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwiseWaterfallChart *self = SHARDWISE_WATERFALL_CHART (chart);
  const Step *step = step_at (self, point);
  const double unit = shardwise_seconds_unit (self->step_s);
  g_autofree char *time = shardwise_format_seconds_in (step->seconds, unit, 0);
  g_autofree char *share = shardwise_format_percent (self->step_s > 0 ? step->seconds / self->step_s
                                                                      : 0);
  g_autofree char *hidden = shardwise_format_seconds_in (step->hidden, unit, 0);
  g_autofree char *memory = shardwise_format_bytes (step->memory_bytes);

  if (step->memory_bytes > 0)
    /* Translators: a phase of the step ("Generation"), its time, its share, the memory meanwhile */
    return g_strdup_printf (_ ("%s: %s, %s of the step, with %s per GPU"), _ (step->name), time,
                            share, memory);
  if (step->hidden > 0)
    /* Translators: a part of the step ("Tensor parallel"), its time, its share, and the time that
     * does not count */
    return g_strdup_printf (_ ("%s: %s exposed, %s of the step; %s more are hidden behind compute"),
                            _ (step->name), time, share, hidden);
  /* Translators: a part of the step ("Compute"), its time and its share */
  return g_strdup_printf (_ ("%s: %s, %s of the step"), _ (step->name), time, share);
}

/* For phases: their number, and the longest. */
static char *
summary_of_phases (ShardwiseWaterfallChart *self)
{
  const guint n = self->steps->len - 1;
  g_autofree char *step_s = shardwise_format_seconds (self->step_s), *share = NULL;
  guint longest = 0;

  for (guint i = 1; i < n; i++)
    if (step_at (self, i)->seconds > step_at (self, longest)->seconds)
      longest = i;
  share = shardwise_format_percent (
      self->step_s > 0 ? step_at (self, longest)->seconds / self->step_s : 0);
  return g_strdup_printf (
      /* Translators: the time of a step, a number of phases, the longest one ("Generation"), its
         percentage */
      ngettext ("A step takes %s in %u phase. The longest: %s, %s.",
                "A step takes %s in %u phases, one after the other. The longest: %s, %s.", n),
      step_s, n, _ (step_at (self, longest)->name), share);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseWaterfallChart *self = SHARDWISE_WATERFALL_CHART (chart);

  if (self->steps->len == 0)
    return g_strdup ("");
  return self->has_phases ? summary_of_phases (self)
                          : shardwise_step_parts_text (self->parts, self->step_s);
}

/* Table */

static const ShardwiseChartColumn columns[] = {
  { N_ ("Part"), -1 },
  { N_ ("Time (ms)"), 2 },
  { N_ ("Of the step (%)"), 2 },
  { N_ ("Hidden (ms)"), 2 },
  { NULL, 0 },
};
static const ShardwiseChartColumn columns_of_phases[] = {
  { N_ ("Phase"), -1 },
  { N_ ("Time (ms)"), 2 },
  { N_ ("Of the step (%)"), 2 },
  { N_ ("Memory per GPU (GiB)"), 2 },
  { NULL, 0 },
};

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  ShardwiseWaterfallChart *self = SHARDWISE_WATERFALL_CHART (chart);
  const Step *step = step_at (self, row);

  if (column == 0)
    out->text = g_strdup (_ (step->name));
  else if (column == 1)
    out->number = step->seconds * 1e3;
  else if (column == 2)
    out->number = self->step_s > 0 ? step->seconds / self->step_s * 100 : 0;
  else
    out->number = self->has_phases ? step->memory_bytes / SW_GIB : step->hidden * 1e3;
}

/* Data */

static void
add (ShardwiseWaterfallChart *self, const Step *step, gboolean strong)
{
  const double unit = shardwise_seconds_unit (self->step_s); /* of every value */

  g_array_append_val (self->steps, *step);
  shardwise_bar_chart_add_row (
      SHARDWISE_BAR_CHART (self),
      (ShardwiseBarRow){ g_strdup (_ (step->name)),
                         shardwise_format_seconds_in (step->seconds, unit, 0), strong });
}

static void
clear (ShardwiseWaterfallChart *self)
{
  g_array_set_size (self->steps, 0);
  shardwise_bar_chart_clear (SHARDWISE_BAR_CHART (self));
  g_clear_pointer (&self->parts, g_array_unref);
  self->step_s = 0;
}

/**
 * shardwise_waterfall_chart_set_phases:
 * @self: a chart
 * @phases: the consecutive phases of one step; shows nothing without phases
 */
void
shardwise_waterfall_chart_set_phases (ShardwiseWaterfallChart *self, const SwPhases *phases)
{
  double most = 0, from = 0;

  g_return_if_fail (SHARDWISE_IS_WATERFALL_CHART (self) && phases != NULL);

  clear (self);
  self->has_phases = TRUE;
  shardwise_chart_set_columns (SHARDWISE_CHART (self), columns_of_phases);
  for (guint i = 0; i < phases->n; i++)
    self->step_s += phases->phase[i].time.step_s;
  for (guint i = 0; i < phases->n; i++)
    {
      const SwPhase *phase = &phases->phase[i];

      add (self,
           &(Step){ SHARDWISE_COLOR_COMPUTE, shardwise_text_phase (phase->kind), from,
                    phase->time.step_s, 0, phase->memory.total },
           FALSE);
      from += phase->time.step_s;
      most = MAX (most, phase->memory.total);
    }
  if (phases->n > 0)
    add (self, &(Step){ SHARDWISE_COLOR_OTHER, N_ ("Whole step"), 0, self->step_s, 0, most }, TRUE);
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/**
 * shardwise_waterfall_chart_set_time:
 * @self: a chart
 * @time: (nullable): of one step; NULL: shows nothing
 * @kernels: (nullable) (array fixed-size=SW_N_KERNELS): its compute by kind, by sw_kernels(); NULL:
 * compute is one row
 */
void
shardwise_waterfall_chart_set_time (ShardwiseWaterfallChart *self, const SwTime *time,
                                    const double *kernels)
{
  g_return_if_fail (SHARDWISE_IS_WATERFALL_CHART (self));

  clear (self);
  self->has_phases = FALSE;
  shardwise_chart_set_columns (SHARDWISE_CHART (self), NULL);
  self->step_s = time != NULL ? time->step_s : 0;
  if (time != NULL)
    {
      self->parts = shardwise_step_parts (time, kernels);
      for (guint i = 0; i < self->parts->len; i++)
        {
          const ShardwiseStepPart *part = &g_array_index (self->parts, ShardwiseStepPart, i);

          add (self,
               &(Step){ part->color, part->name, part->from_s, part->seconds, part->hidden_s },
               FALSE);
        }
      add (self, &(Step){ SHARDWISE_COLOR_OTHER, N_ ("Whole step"), 0, time->step_s, 0 }, TRUE);
    }
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/* Type */

static void
shardwise_waterfall_chart_finalize (GObject *object)
{
  g_array_unref (SHARDWISE_WATERFALL_CHART (object)->steps);
  g_clear_pointer (&SHARDWISE_WATERFALL_CHART (object)->parts, g_array_unref);
  G_OBJECT_CLASS (shardwise_waterfall_chart_parent_class)->finalize (object);
}

static void
shardwise_waterfall_chart_class_init (ShardwiseWaterfallChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);
  ShardwiseBarChartClass *bar_class = SHARDWISE_BAR_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_waterfall_chart_finalize;
  chart_class->is_whole = TRUE;
  chart_class->legend = legend;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->cell = cell;
  bar_class->format = shardwise_format_seconds_in;
  bar_class->set_range = set_range;
  bar_class->draw_bars = draw_bars;
  bar_class->bar = bar;
}

static void
shardwise_waterfall_chart_init (ShardwiseWaterfallChart *self)
{
  self->steps = g_array_new (FALSE, TRUE, sizeof (Step));
}
