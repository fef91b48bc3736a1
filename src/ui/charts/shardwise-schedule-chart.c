/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-schedule-chart.h"

#include <glib/gi18n.h>

#include <math.h>

#include "shardwise-chart-draw.h"
#include "shardwise-pipeline-painter.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "shardwise-text-estimate.h"

#define N_SCHEDULES 4
#define MOST_TASKS 100000u /* maximum drawn tasks of one schedule */
#define ROWS_HEIGHT 110.0  /* pixels for the ranks of one schedule */
#define RANK_LEAST 3.0
#define RANK_MOST 14.0
#define MOST_CHUNKS 8 /* maximum chunks that are tried for an interleaved schedule */

/* One schedule. */
typedef struct {
  gboolean runs, fits, chosen;
  guint title_lines; /* two if the name and the figures are too wide for one */
  double step_s, bubble_s, memory_bytes;
  char *name, *value; /* owned: its name, and its figures */
  char *note;         /* owned; why it cannot run, does not fit or is not drawn; or NULL */
  ShardwisePipelineTasks tasks; /* owned; empty if the schedule is not drawn */
} Row;

struct _ShardwiseScheduleChart {
  ShardwiseChart parent_instance;

  Row row[N_SCHEDULES];
  guint n, ranks;
  gboolean is_phase;  /* rows only contain the training of the policy */
  ShardwiseAxis time; /* of all schedules, in pixels */
  graphene_rect_t plot;
};

G_DEFINE_FINAL_TYPE (ShardwiseScheduleChart, shardwise_schedule_chart, SHARDWISE_TYPE_CHART)

/* The unit of the longest step, which rows and axis share. */
static double
unit_of (ShardwiseScheduleChart *self)
{
  double most = 0;

  for (guint i = 0; i < self->n; i++)
    most = MAX (most, self->row[i].step_s);
  return shardwise_seconds_unit (most);
}

/* Layout */

/* Every rank has a row; many ranks have thin ones. */
static double
rank_height (guint ranks)
{
  return CLAMP (ROWS_HEIGHT / MAX (ranks, 1), RANK_LEAST, RANK_MOST);
}

static gboolean
is_drawn (ShardwiseScheduleChart *self, guint row)
{
  return shardwise_pipeline_tasks_count (&self->row[row].tasks) > 0;
}

/* The rows of the ranks, or one line with the reason that there are none. */
static double
panel_height (ShardwiseScheduleChart *self, guint row)
{
  return is_drawn (self, row) ? self->ranks * rank_height (self->ranks)
                              : shardwise_draw_line_height (SHARDWISE_CHART (self));
}

/* The name at the start and the figures at the end neither overlap nor are truncated. */
static void
break_titles (ShardwiseScheduleChart *self, double width)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);

  for (guint i = 0; i < self->n; i++)
    {
      Row *row = &self->row[i];
      g_autoptr (PangoLayout) name = shardwise_draw_layout (chart, row->name, 1, row->chosen);
      int name_width;

      pango_layout_get_pixel_size (name, &name_width, NULL);
      row->title_lines = name_width + 12 + shardwise_draw_text_width (chart, row->value) > width
                             ? 2
                             : 1;
    }
}

static double
title_height (ShardwiseScheduleChart *self, guint row)
{
  return self->row[row].title_lines * shardwise_draw_line_height (SHARDWISE_CHART (self)) + 4;
}

/* From the top of the plot, each with its title, its panel and room below; of the number of rows: all
 * of them. */
static double
row_offset (ShardwiseScheduleChart *self, guint row)
{
  double offset = 0;

  for (guint i = 0; i < row; i++)
    offset += title_height (self, i) + panel_height (self, i) + 12;
  return offset;
}

static int
plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);

  break_titles (self, width);
  *minimum = (int) ceil (row_offset (self, self->n)) + shardwise_draw_axis_height (chart);
  return *minimum;
}

static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  double most = 0;

  self->plot = *plot;
  break_titles (self, plot->size.width);
  for (guint i = 0; i < self->n; i++)
    most = MAX (most, self->row[i].tasks.pipeline.total_s);
  self->time = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, most > 0 ? most : 1, plot->origin.x,
                                plot->origin.x + plot->size.width - 1 };
  self->time.unit = unit_of (self);
}

static double
row_top (ShardwiseScheduleChart *self, guint row)
{
  return self->plot.origin.y + row_offset (self, row);
}

static double
panel_top (ShardwiseScheduleChart *self, guint row)
{
  return row_top (self, row) + title_height (self, row);
}

/* Drawing */

/* Only behind the rows of the ranks, so that the texts between them stay clear. */
static void
draw_axis (ShardwiseScheduleChart *self, const ShardwisePen *pen)
{
  ShardwiseTicks ticks = { .each = 4,
                           .most = 12,
                           .label_y = row_top (self, self->n),
                           .left = self->time.start,
                           .right = self->time.end,
                           .format = shardwise_format_seconds_in };

  for (guint row = 0; row < self->n; row++)
    if (is_drawn (self, row))
      {
        ticks.spans[row][0] = panel_top (self, row);
        ticks.spans[row][1] = ticks.spans[row][0] + panel_height (self, row);
      }
  shardwise_draw_level_axis (pen, &self->time, &ticks);
}

static void
draw (ShardwiseChart *chart, const ShardwisePen *pen)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);

  if (self->n == 0)
    return;
  draw_axis (self, pen);
  for (guint i = 0; i < self->n; i++)
    {
      const Row *row = &self->row[i];
      ShardwisePipelineView view = { &row->tasks, self->time, panel_top (self, i),
                                     rank_height (self->ranks) };
      g_autoptr (PangoLayout) name = shardwise_draw_layout (chart, row->name, 1, row->chosen);
      double x = self->plot.origin.x, y = row_top (self, i);

      shardwise_draw_layout_at (pen, name, &pen->text, x, y, 0, 0);
      if (row->title_lines == 1)
        shardwise_draw_text (pen, row->value, &pen->text, x + self->plot.size.width, y, 1, 0);
      else
        shardwise_draw_text (pen, row->value, &pen->text, x, y + shardwise_draw_line_height (chart),
                             0, 0);
      if (is_drawn (self, i))
        shardwise_pipeline_view_draw (&view, pen);
      else
        shardwise_draw_text_within (pen, row->note, &pen->dim, self->plot.origin.x, view.top,
                                    self->plot.size.width, 0);
    }
}

/* Schedules that split off weight gradients draw them as separate rectangles. */
static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  ShardwiseLegendEntry other[SHARDWISE_LEGEND_MAX];
  guint n = 0;

  for (guint i = 0; i < self->n; i++)
    {
      guint entries = shardwise_pipeline_legend (&self->row[i].tasks, other);

      if (entries <= n)
        continue;
      n = entries;
      memcpy (out, other, n * sizeof other[0]);
    }
  return n;
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
  double total = self->row[point].tasks.pipeline.total_s,
         end = total > 0 ? shardwise_axis_to_pixel (&self->time, total) : self->time.end;

  graphene_rect_init (out, (float) self->time.start, (float) panel_top (self, point),
                      (float) MAX (end - self->time.start, 2), (float) panel_height (self, point));
  return TRUE;
}

static int
pick (ShardwiseChart *chart, double x, double y)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);

  for (guint row = 0; row < self->n; row++)
    if (y >= row_top (self, row) && y < row_top (self, row + 1))
      return (int) row;
  return -1;
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  const Row *row = &self->row[point];
  g_autofree char *step = shardwise_format_seconds_in (row->step_s, unit_of (self), 0),
                  *bubble = shardwise_format_seconds_in (row->bubble_s, unit_of (self), 0),
                  *memory = shardwise_format_bytes (row->memory_bytes);

  if (!row->runs)
    /* Translators: a schedule ("1F1B"), and why it cannot run */
    return g_strdup_printf (_ ("%s: %s"), row->name, row->note);
  /* Translators: a schedule ("1F1B"), the time of a step, of the bubble in it, and an amount of
   * memory */
  return row->fits ? g_strdup_printf (
             _ ("%s: %s per step, including a bubble of %s; %s on the fullest GPU"), row->name,
             step, bubble, memory)
                   : g_strdup_printf (
                       /* Translators: likewise */
                       _ ("%s: %s per step, including a bubble of %s; %s on the fullest GPU does "
                          "not fit"),
                       row->name, step, bubble, memory);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  g_autofree char *here = NULL, *there = NULL, *sentence = NULL;
  const Row *chosen = NULL, *best = NULL;

  for (const Row *row = self->row; row < self->row + self->n; row++)
    {
      if (row->chosen)
        chosen = row;
      if (row->fits && (best == NULL || row->step_s < best->step_s))
        best = row;
    }
  if (chosen == NULL)
    return g_strdup ("");
  here = shardwise_format_seconds (chosen->step_s);
  if (best == NULL || best->step_s >= chosen->step_s)
    {
      sentence = g_strdup_printf (
          /* Translators: a schedule ("1F1B"), and the time of a step */
          _ ("With %s a step takes %s; no other schedule that fits is faster."), chosen->name,
          here);
    }
  else
    {
      there = shardwise_format_seconds_beside (best->step_s, chosen->step_s);
      /* Translators: a schedule ("1F1B"), the time of a step, a faster schedule, and its time */
      sentence = g_strdup_printf (
          _ ("With %s a step takes %s; with %s and no other change it would take %s."),
          chosen->name, here, best->name, there);
    }
  if (!self->is_phase)
    return g_steal_pointer (&sentence);
  /* Translators: a phase of a step ("Policy training"), then a sentence on it */
  return g_strdup_printf (_ ("%s: %s"), shardwise_text_phase (SW_PHASE_POLICY), sentence);
}

/* Table */

static const ShardwiseChartColumn columns[] = {
  { N_ ("Schedule"), -1 },   { N_ ("Step (ms)"), 2 },
  { N_ ("Bubble (ms)"), 2 }, { N_ ("Memory per GPU (GiB)"), 2 },
  { N_ ("Remark"), -1 },     { NULL, 0 },
};

static void
cell (ShardwiseChart *chart, guint index, guint column, ShardwiseChartCell *out)
{
  ShardwiseScheduleChart *self = SHARDWISE_SCHEDULE_CHART (chart);
  const Row *row = &self->row[index];
  const double numbers[] = { 0, row->step_s * 1e3, row->bubble_s * 1e3,
                             row->memory_bytes / SW_GIB };

  if (column == 0)
    out->text = g_strdup (row->name);
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
    {
      g_free (self->row[i].name);
      g_free (self->row[i].value);
      g_free (self->row[i].note);
      shardwise_pipeline_tasks_clear (&self->row[i].tasks);
    }
  self->n = 0;
}

/* The fewest chunks that the rules allow, or the strategy's own number if it already
 * interleaves. */
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
value_of (const Row *row, double unit)
{
  g_autofree char *step = shardwise_format_seconds_in (row->step_s, unit, 0),
                  *bubble = shardwise_format_percent (row->step_s > 0 ? row->bubble_s / row->step_s
                                                                      : 0);

  if (!row->runs)
    return g_strdup ("–");
  if (!row->fits)
    /* Translators: the time of a step, and the share of the bubble in it */
    return g_strdup_printf (_ ("%s · bubble %s · does not fit"), step, bubble);
  /* Translators: the time of a step, and the share of the bubble in it */
  return g_strdup_printf (_ ("%s · bubble %s"), step, bubble);
}

/* The pipelined part: in reinforcement learning the training of the policy, not the whole step. */
static const SwTime *
time_of_pipeline (const SwEstimate *estimate)
{
  for (guint i = 0; i < estimate->phases.n; i++)
    if (estimate->phases.phase[i].kind == SW_PHASE_POLICY)
      return &estimate->phases.phase[i].time;
  return &estimate->time;
}

static void
add_schedule (ShardwiseScheduleChart *self, const SwProblem *problem, const SwStrategy *chosen,
              SwSchedule schedule)
{
  SwStrategy strategy = *chosen;
  Row *row = &self->row[self->n++];
  SwEstimate estimate;
  SwPipeline pipeline = { 0 };

  set_schedule (problem, schedule, &strategy);
  sw_estimate (problem, &strategy, &estimate);
  *row = (Row){ .fits = estimate.fits, .chosen = chosen->schedule == schedule };
  row->runs = estimate.fits || estimate.rule == SW_RULE_GPU_MEMORY
              || estimate.rule == SW_RULE_HOST_MEMORY;
  if (!row->fits)
    row->note = shardwise_text_rule (problem, &strategy, estimate.rule, estimate.missing_bytes);
  if (row->runs)
    {
      row->step_s = time_of_pipeline (&estimate)->step_s;
      row->bubble_s = time_of_pipeline (&estimate)->bubble_s;
      row->memory_bytes = estimate.memory.peak.total;
      /* With the engine's own time of every stage, as in the chart of the pipeline. */
      if (sw_pipeline_of_strategy (problem, &strategy, MOST_TASKS, &pipeline))
        shardwise_pipeline_tasks_init (&row->tasks, &pipeline, strategy.pp);
      else if (row->note == NULL)
        row->note = g_strdup (_ ("This schedule has too many tasks to draw."));
    }
  row->name = shardwise_text_dimension_value (SW_DIM_SCHEDULE, strategy.schedule);
  if (strategy.schedule == SW_SCHEDULE_INTERLEAVED)
    {
      g_autofree char *name = row->name;

      /* Translators: a schedule ("interleaved"), and the parts into which it cuts each stage */
      row->name = g_strdup_printf (_ ("%s, %u chunks"), name, strategy.vpp);
    }
}

/**
 * shardwise_schedule_chart_set_estimate:
 * @self: a chart
 * @problem: the question, prepared
 * @estimate: the strategy, of which only the schedule varies
 *
 * Returns: whether there is a pipeline, with schedules to compare
 */
gboolean
shardwise_schedule_chart_set_estimate (ShardwiseScheduleChart *self, const SwProblem *problem,
                                       const SwEstimate *estimate)
{
  SwProblem unpinned;

  g_return_val_if_fail (SHARDWISE_IS_SCHEDULE_CHART (self), FALSE);
  g_return_val_if_fail (problem != NULL && estimate != NULL, FALSE);

  clear (self);
  self->ranks = estimate->strategy.pp;
  self->is_phase = problem->training.type == SW_TRAINING_RLHF;
  unpinned = *problem;
  /* Pins do not hide the results of other schedules. */
  unpinned.pins.mask &= ~(1u << SW_DIM_SCHEDULE | 1u << SW_DIM_VPP);
  for (guint i = 0; i < N_SCHEDULES && estimate->strategy.pp > 1; i++)
    add_schedule (self, &unpinned, &estimate->strategy, (SwSchedule) i);
  for (guint i = 0; i < self->n; i++)
    self->row[i].value = value_of (&self->row[i], unit_of (self));
  shardwise_chart_changed (SHARDWISE_CHART (self));
  return self->n > 0;
}

/* Type */

static void
shardwise_schedule_chart_finalize (GObject *object)
{
  clear (SHARDWISE_SCHEDULE_CHART (object));
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
  chart_class->cell = cell;
}

static void
shardwise_schedule_chart_init (ShardwiseScheduleChart *self)
{}
