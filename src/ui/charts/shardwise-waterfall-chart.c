/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-waterfall-chart.h"

#include <glib/gi18n.h>
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"

#define LEAST_SHARE 0.0005 /* of the step, for a row: shares are told to a tenth of a per cent */

/* One row: what counts in the sum, and what runs hidden behind compute. */
typedef struct {
  ShardwiseColor color;
  const char *name; /* marked with N_(), or translated already */
  double from, seconds, hidden;
  double memory_bytes; /* of a phase: on the fullest GPU; else 0 */
} Step;

struct _ShardwiseWaterfallChart {
  ShardwiseBarChart parent_instance;

  GArray *steps;         /* of Step; the last row is the sum */
  double step_s, rest_s; /* rest_s: of the parts that have no row of their own */
  gboolean has_phases;   /* rows are phases, not kinds of work */
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
        out[0] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_COMPUTE, _ ("Counts in the step") };
        out[1] = (ShardwiseLegendEntry){ step_at (self, i)->color,
                                         _ ("Hidden behind compute, not in the sum"),
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

/* Of phases: how many, and the longest. */
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
  g_autofree char *step_s = NULL, *compute = NULL, *loss = NULL;
  int greatest = -1;
  double computing = 0;

  if (self->steps->len == 0)
    return g_strdup ("");
  if (self->has_phases)
    return summary_of_phases (self);
  for (int i = 0; i + 1 < (int) self->steps->len; i++)
    {
      const Step *step = step_at (self, i);
      gboolean useful = step->color == SHARDWISE_COLOR_COMPUTE
                        || step->color == SHARDWISE_COLOR_RECOMPUTE;

      computing += useful ? step->seconds : 0;
      if (!useful && (greatest < 0 || step->seconds > step_at (self, greatest)->seconds))
        greatest = i;
    }
  step_s = shardwise_format_seconds (self->step_s);
  compute = shardwise_format_percent (self->step_s > 0 ? computing / self->step_s : 0);
  if (greatest < 0 || step_at (self, greatest)->seconds < 0.001 * self->step_s)
    /* Translators: the time of a step, and a percentage */
    return g_strdup_printf (_ ("A step takes %s; the GPUs compute for %s of it."), step_s, compute);
  loss = shardwise_format_percent (
      self->step_s > 0 ? step_at (self, greatest)->seconds / self->step_s : 0);
  /* Translators: the time of a step, a percentage, what costs most of the rest ("Bubble"), and its
   * percentage */
  return g_strdup_printf (
      _ ("A step takes %s; the GPUs compute for %s of it. The greatest loss: %s, %s."), step_s,
      compute, _ (step_at (self, greatest)->name), loss);
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

/* A part follows the one above; one that takes no time that any digit of the step shows has no row
 * and counts among the rest. Returns: where it ends */
static double
add_part (ShardwiseWaterfallChart *self, double from, ShardwiseColor color, const char *name,
          double seconds, double hidden)
{
  const double least = LEAST_SHARE * self->step_s;

  if (seconds < least && hidden < least)
    {
      self->rest_s += seconds;
      return from;
    }
  add (self, &(Step){ color, name, from, seconds, hidden }, FALSE);
  return from + seconds;
}

/* Compute by kind, or as one row; then all else. */
static void
add_parts (ShardwiseWaterfallChart *self, const SwTime *time, const double *kernels)
{
  /* Translators: GEMM: multiplication of matrices, the work of a linear layer */
  static const char *const kernel_names[SW_N_KERNELS] = {
    [SW_KERNEL_ATTENTION] = N_ ("Attention core"),
    [SW_KERNEL_PROJECTION] = N_ ("Attention GEMMs"),
    [SW_KERNEL_MLP] = N_ ("MLP GEMMs"),
    [SW_KERNEL_EXPERTS] = N_ ("Expert GEMMs"),
    [SW_KERNEL_MEMORY] = N_ ("Memory-bound kernels"),
    [SW_KERNEL_VOCABULARY] = N_ ("Embedding and logits"),
    [SW_KERNEL_PREDICTION] = N_ ("Multi-token prediction"),
    [SW_KERNEL_LAUNCH] = N_ ("Waits for launches"),
    [SW_KERNEL_OTHER] = N_ ("Other phases"),
  };
  const Step rest[] = {
    { SHARDWISE_COLOR_RECOMPUTE, N_ ("Recomputation"), 0, time->recompute_s, 0 },
    { SHARDWISE_COLOR_BUBBLE, N_ ("Uneven stages"), 0, time->uneven_s, 0 },
    { SHARDWISE_COLOR_TENSOR, N_ ("Tensor parallel"), 0, time->tp_exposed_s, time->tp_hidden_s },
    { SHARDWISE_COLOR_CONTEXT, N_ ("Context parallel"), 0, time->cp_exposed_s, time->cp_hidden_s },
    { SHARDWISE_COLOR_EXPERT, N_ ("Expert parallel"), 0, time->ep_exposed_s, time->ep_hidden_s },
    { SHARDWISE_COLOR_PIPELINE, N_ ("Pipeline transfers"), 0, time->pp_exposed_s,
      time->pp_hidden_s },
    { SHARDWISE_COLOR_BUBBLE, N_ ("Bubble"), 0, time->bubble_s, 0 },
    { SHARDWISE_COLOR_DATA, N_ ("Data parallel"), 0, time->dp_exposed_s, time->dp_hidden_s },
    { SHARDWISE_COLOR_BUFFERS, N_ ("Offload"), 0, time->offload_exposed_s, time->offload_hidden_s },
    { SHARDWISE_COLOR_OPTIMIZER, N_ ("Optimizer"), 0, time->optimizer_s, 0 },
  };
  const double compute_s = time->compute_s - time->recompute_s;
  double from = 0;

  for (guint i = 0; kernels != NULL && i < SW_N_KERNELS; i++)
    from = add_part (self, from,
                     /* A GPU that waits does not compute. */
                     i == SW_KERNEL_LAUNCH ? SHARDWISE_COLOR_OTHER : SHARDWISE_COLOR_COMPUTE,
                     kernel_names[i], kernels[i], 0);
  if (kernels == NULL)
    from = add_part (self, from, SHARDWISE_COLOR_COMPUTE, N_ ("Compute"), compute_s, 0);
  else
    from = compute_s - self->rest_s; /* their sum, less what rounding made of it */
  for (guint i = 0; i < G_N_ELEMENTS (rest); i++)
    from = add_part (self, from, rest[i].color, rest[i].name, rest[i].seconds, rest[i].hidden);
  add_part (self, from, SHARDWISE_COLOR_OTHER, N_ ("Stragglers and other"),
            time->other_s + self->rest_s, 0);
}

static void
clear (ShardwiseWaterfallChart *self)
{
  g_array_set_size (self->steps, 0);
  shardwise_bar_chart_clear (SHARDWISE_BAR_CHART (self));
  self->step_s = self->rest_s = 0;
}

/**
 * shardwise_waterfall_chart_set_phases:
 * @self: a chart
 * @phases: of one step, which follow one another; where there are none nothing is shown
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
 * @time: (nullable): of one step; NULL: nothing is shown
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
      add_parts (self, time, kernels);
      add (self, &(Step){ SHARDWISE_COLOR_OTHER, N_ ("Whole step"), 0, time->step_s, 0 }, TRUE);
    }
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/* Type */

static void
shardwise_waterfall_chart_finalize (GObject *object)
{
  g_array_unref (SHARDWISE_WATERFALL_CHART (object)->steps);
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
