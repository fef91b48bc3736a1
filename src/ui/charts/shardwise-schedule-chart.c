/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-schedule-chart.h"

#include <glib/gi18n.h>

#include "shardwise-bar-rows.h"
#include "shardwise-texts.h"

#define N_SCHEDULES 4
#define MOST_CHUNKS 8 /* that are tried for an interleaved schedule */

/* One schedule. */
typedef struct {
  gboolean runs, fits, chosen;
  double step_s, bubble_s, memory_bytes;
  char *note; /* owned; why it cannot run, or does not fit; else NULL */
} Row;

struct _ShardwiseScheduleChart {
  ShardwiseChart parent_instance;

  Row row[N_SCHEDULES];
  guint n;
  GArray *labels; /* of ShardwiseBarLabel */
  ShardwiseBarRows rows;
};

G_DEFINE_FINAL_TYPE (ShardwiseScheduleChart, shardwise_schedule_chart, SHARDWISE_TYPE_CHART)

static const char *
name_of (ShardwiseScheduleChart *self, guint row)
{
  return g_array_index (self->labels, ShardwiseBarLabel, row).label;
}

/* Drawing */

static int
plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  *minimum = shardwise_bar_rows_height (chart, SHARDWISE_SCHEDULE_CHART (chart)->n, width);
  return *minimum;
}

static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  double most = 0;

  shardwise_bar_rows_layout (&self->rows, chart, self->labels, plot);
  for (guint i = 0; i < self->n; i++)
    most = MAX (most, self->row[i].step_s);
  self->rows.axis.max = most > 0 ? most : 1;
}

static void
draw_row (ShardwiseScheduleChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
          guint index)
{
  const Row *row = &self->row[index];
  double y = shardwise_bar_rows_bar_y (&self->rows, index), height = self->rows.bar_height,
         start = self->rows.axis.start;
  double bubble = shardwise_axis_to_pixel (&self->rows.axis, row->step_s - row->bubble_s),
         end = shardwise_axis_to_pixel (&self->rows.axis, row->step_s);

  if (!row->runs)
    {
      shardwise_draw_text_within (SHARDWISE_CHART (self), snapshot, row->note, &style->dim, start,
                                  y + height / 2, self->rows.axis.end - start, 0.5);
      return;
    }
  shardwise_draw_box (snapshot, style, SHARDWISE_COLOR_COMPUTE, !row->fits, start, y,
                      bubble - start, height);
  shardwise_draw_hatched (snapshot, style, SHARDWISE_COLOR_BUBBLE, bubble, y,
                          MAX (end - bubble, 0), height);
}

static void
draw (ShardwiseChart *chart, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);

  if (self->n == 0)
    return;
  shardwise_bar_rows_draw_grid (&self->rows, chart, snapshot, style, shardwise_draw_time_label);
  for (guint row = 0; row < self->n; row++)
    draw_row (self, snapshot, style, row);
  shardwise_bar_rows_draw_labels (&self->rows, chart, snapshot, style, self->labels);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  guint n = 2;

  out[0] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_COMPUTE, _ ("Rest of the step") };
  out[1] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_BUBBLE, _ ("Bubble"), .hatched = TRUE };
  for (guint i = 0; i < self->n && n < 3; i++)
    if (self->row[i].runs && !self->row[i].fits)
      out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_COMPUTE, _ ("Does not fit in memory"),
                                         .pale = TRUE };
  return self->n > 0 ? n : 0;
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  return SHARDWISE_SCHEDULE_CHART (chart)->n;
}

static gboolean
point_area (ShardwiseChart *chart, guint point, graphene_rect_t *out)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  double start = self->rows.axis.start,
         end = shardwise_axis_to_pixel (&self->rows.axis, self->row[point].step_s);

  graphene_rect_init (out, (float) start,
                      (float) shardwise_bar_rows_bar_y (&self->rows, point),
                      (float) MAX (end - start, 2), (float) self->rows.bar_height);
  return TRUE;
}

static int
pick (ShardwiseChart *chart, double x, double y)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  double row = (y - self->rows.top) / MAX (self->rows.row_height, 1);

  return row >= 0 && row < self->n ? (int) row : -1;
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  const Row *row = &self->row[point];
  g_autofree char *step = shardwise_format_seconds (row->step_s),
                  *bubble = shardwise_format_seconds (row->bubble_s),
                  *memory = shardwise_format_bytes (row->memory_bytes);

  if (!row->runs)
    return g_strdup_printf ("%s: %s", name_of (self, point), row->note);
  /* Translators: a schedule ("1F1B"), the time of a step, of the bubble in it, and an amount of memory */
  return row->fits ? g_strdup_printf (_ ("%s: %s a step, %s of it bubble, %s on the fullest GPU"),
                                      name_of (self, point), step, bubble, memory)
                   : g_strdup_printf (
                     /* Translators: likewise */
                     _ ("%s: %s a step, %s of it bubble, but %s on the fullest GPU do not fit"),
                     name_of (self, point), step, bubble, memory);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  g_autofree char *here = NULL, *there = NULL;
  int chosen = -1, best = -1;

  for (int i = 0; i < (int) self->n; i++)
    {
      const Row *row = &self->row[i];

      if (row->chosen)
        chosen = i;
      if (row->fits && (best < 0 || row->step_s < self->row[best].step_s))
        best = i;
    }
  if (chosen < 0)
    return g_strdup ("");
  here = shardwise_format_seconds (self->row[chosen].step_s);
  if (best < 0 || self->row[best].step_s >= self->row[chosen].step_s)
    /* Translators: a schedule ("1F1B"), and the time of a step */
    return g_strdup_printf (_ ("With %s a step takes %s; no other schedule that fits is faster."),
                            name_of (self, (guint) chosen), here);
  there = shardwise_format_seconds (self->row[best].step_s);
  /* Translators: a schedule ("1F1B"), the time of a step, a faster schedule, and its time */
  return g_strdup_printf (_ ("With %s a step takes %s; with %s and all else held it would take %s."),
                          name_of (self, (guint) chosen), here, name_of (self, (guint) best),
                          there);
}

/* Table */

static const ShardwiseChartColumn *
columns (ShardwiseChart *chart, guint *n)
{
  static const ShardwiseChartColumn described[] = {
    { N_ ("Schedule"), -1 },
    { N_ ("Step (ms)"), 2 },
    { N_ ("Bubble (ms)"), 2 },
    { N_ ("Memory per GPU (GiB)"), 2 },
    { N_ ("Remark"), -1 },
  };

  *n = G_N_ELEMENTS (described);
  return described;
}

static void
cell (ShardwiseChart *chart, guint index, guint column, ShardwiseChartCell *out)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  const Row *row = &self->row[index];
  const double numbers[] = { 0, row->step_s * 1e3, row->bubble_s * 1e3,
                             row->memory_bytes / SW_GIB };

  if (column == 0)
    out->text = g_strdup (name_of (self, index));
  else if (column == 4)
    out->text = g_strdup (row->note != NULL ? row->note : "");
  else if (!row->runs)
    out->text = g_strdup ("–");
  else
    out->number = numbers[column];
}

/* Data */

static void
clear (ShardwiseScheduleChart *self)
{
  for (guint i = 0; i < self->n; i++)
    g_free (self->row[i].note);
  self->n = 0;
  g_array_set_size (self->labels, 0);
}

/* The fewest chunks that the rules allow; the strategy's own where it interleaves already. */
static void
set_schedule (const SwProblem *problem, SwSchedule schedule, SwStrategy *strategy)
{
  const guint chunks = strategy->schedule == SW_SCHEDULE_INTERLEAVED ? strategy->vpp : 2;

  strategy->schedule = (guint8) schedule;
  strategy->vpp = schedule == SW_SCHEDULE_INTERLEAVED ? chunks : 1;
  if (schedule != SW_SCHEDULE_INTERLEAVED)
    return;
  while (sw_rules_check (problem, strategy) == SW_RULE_VPP_LAYERS && strategy->vpp < MOST_CHUNKS)
    strategy->vpp++;
  if (sw_rules_check (problem, strategy) == SW_RULE_VPP_LAYERS)
    strategy->vpp = chunks;
}

static char *
label_of (const SwStrategy *strategy)
{
  g_autofree char *name = shardwise_text_dimension_value (SW_DIM_SCHEDULE, strategy->schedule);

  if (strategy->schedule != SW_SCHEDULE_INTERLEAVED)
    return g_steal_pointer (&name);
  /* Translators: a schedule ("interleaved"), and the parts into which it cuts each stage */
  return g_strdup_printf (_ ("%s, %u chunks"), name, strategy->vpp);
}

static char *
value_of (const Row *row)
{
  g_autofree char *step = shardwise_format_seconds (row->step_s),
                  *bubble =
                    shardwise_format_percent (row->step_s > 0 ? row->bubble_s / row->step_s : 0);

  /* Translators: the time of a step, and the share of the bubble in it */
  return row->runs ? g_strdup_printf (_ ("%s · bubble %s"), step, bubble) : g_strdup ("–");
}

static void
add_schedule (ShardwiseScheduleChart *self, const SwProblem *problem, const SwStrategy *chosen,
              SwSchedule schedule)
{
  SwStrategy strategy = *chosen;
  Row *row = &self->row[self->n++];
  ShardwiseBarLabel label = { 0 };
  SwEstimate estimate;

  set_schedule (problem, schedule, &strategy);
  sw_estimate (problem, &strategy, &estimate);
  *row = (Row){ .fits = estimate.fits, .chosen = chosen->schedule == schedule };
  row->runs = estimate.fits || estimate.rule == SW_RULE_GPU_MEMORY
              || estimate.rule == SW_RULE_HOST_MEMORY;
  if (!row->fits)
    row->note =
      shardwise_text_rule (problem, &strategy, estimate.rule, estimate.missing_bytes);
  if (row->runs)
    {
      row->step_s = estimate.time.step_s;
      row->bubble_s = estimate.time.bubble_s;
      row->memory_bytes = estimate.memory.peak.total;
    }
  label = (ShardwiseBarLabel){ label_of (&strategy), value_of (row), row->chosen };
  g_array_append_val (self->labels, label);
}

/**
 * shardwise_schedule_chart_set_estimate:
 * @self: a chart
 * @problem: the question, prepared
 * @estimate: of the strategy of which the schedule is varied, all else held
 *
 * Returns: whether there is a pipeline, and so anything to compare
 */
gboolean
shardwise_schedule_chart_set_estimate (ShardwiseScheduleChart *self, const SwProblem *problem,
                                       const SwEstimate *estimate)
{
  SwProblem unpinned;

  g_return_val_if_fail (SHARDWISE_IS_SCHEDULE_CHART (self), FALSE);
  g_return_val_if_fail (problem != NULL && estimate != NULL, FALSE);

  clear (self);
  unpinned = *problem;
  /* What the user pinned is no reason not to show what the others would take. */
  unpinned.pins.mask &= ~(1u << SW_DIM_SCHEDULE | 1u << SW_DIM_VPP);
  for (guint i = 0; i < N_SCHEDULES && estimate->strategy.pp > 1; i++)
    add_schedule (self, &unpinned, &estimate->strategy, (SwSchedule) i);
  shardwise_chart_changed (SHARDWISE_CHART (self));
  return self->n > 0;
}

/* Type */

static void
shardwise_schedule_chart_finalize (GObject *object)
{
  clear (SHARDWISE_SCHEDULE_CHART (object));
  g_array_unref (SHARDWISE_SCHEDULE_CHART (object)->labels);
  G_OBJECT_CLASS (shardwise_schedule_chart_parent_class)->finalize (object);
}

static void
shardwise_schedule_chart_class_init (ShardwiseScheduleChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_schedule_chart_finalize;
  chart_class->plot_height = plot_height;
  chart_class->layout = layout;
  chart_class->draw = draw;
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
shardwise_schedule_chart_init (ShardwiseScheduleChart *self)
{
  self->labels = g_array_new (FALSE, TRUE, sizeof (ShardwiseBarLabel));
  g_array_set_clear_func (self->labels, (GDestroyNotify) shardwise_bar_label_clear);
}
