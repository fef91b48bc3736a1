/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-pipeline-chart.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-chart-draw.h"
#include "shardwise-pipeline-painter.h"

#define MOST_TASKS 400000u /* 64 ranks, 512 micro-batches and 4 virtual stages: 262,144 */
#define ZOOM_STEP 1.5
#define DEEPEST 1e-4 /* of the step */
#define CLICK 50.0   /* touchpad pixels that zoom like one click of the wheel */
#define ROW_MOST 48
#define ROW_LEAST 9
#define NUMBERED 8.0      /* minimum pixels of a task with a number */
#define READABLE 15.0     /* initial pixels of a forward task */
#define SECONDS_SEEN 12.0 /* duration of playing the visible part */
#define SECONDS_STEP 1.0  /* between two tasks, without animations */

struct _ShardwisePipelineChart {
  ShardwiseChart parent_instance;

  ShardwisePipelineTasks tasks;
  guint micro_batches;
  gboolean too_many, fresh;
  gboolean is_phase; /* of a step of reinforcement learning: only the policy's training */
  double view_start, view_span; /* seconds */
  double now;                   /* the current moment of the player; -1: none */
  double pointer_x, drag_start, pinch_span;

  ShardwisePipelineView view; /* the visible part, in pixels */
  double label_width;
  graphene_rect_t plot;
};

G_DEFINE_FINAL_TYPE (ShardwisePipelineChart, shardwise_pipeline_chart, SHARDWISE_TYPE_CHART)

/* The view */

/* Keeps the visible part within the step. */
static void
clamp_view (ShardwisePipelineChart *self)
{
  double total = self->tasks.pipeline.total_s;

  self->view_span = CLAMP (self->view_span, total * DEEPEST, total);
  self->view_start = CLAMP (self->view_start, 0, total - self->view_span);
}

/* Whether the whole step is visible. */
static gboolean
sees_all (ShardwisePipelineChart *self)
{
  return self->view_span >= self->tasks.pipeline.total_s * (1 - 1e-9);
}

static void
view_changed (ShardwisePipelineChart *self)
{
  clamp_view (self);
  shardwise_chart_redraw (SHARDWISE_CHART (self));
}

/**
 * shardwise_pipeline_chart_zoom:
 * @self: a chart
 * @x: in pixels: the fixed point, within the limits of the step
 * @factor: the magnification
 */
void
shardwise_pipeline_chart_zoom (ShardwisePipelineChart *self, double x, double factor)
{
  double at, share;

  g_return_if_fail (SHARDWISE_IS_PIPELINE_CHART (self));

  at = shardwise_axis_to_value (&self->view.time,
                                CLAMP (x, self->view.time.start, self->view.time.end));
  share = self->view_span > 0 ? (at - self->view_start) / self->view_span : 0;
  self->view_span = CLAMP (self->view_span / factor, self->tasks.pipeline.total_s * DEEPEST,
                           self->tasks.pipeline.total_s);
  self->view_start = at - share * self->view_span;
  view_changed (self);
}

static void
zoom_action_cb (GtkWidget *widget, const char *action, GVariant *target)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (widget);
  int direction = g_variant_get_int32 (target);

  if (direction == 0)
    shardwise_pipeline_chart_set_view (self, 0, self->tasks.pipeline.total_s);
  else
    shardwise_pipeline_chart_zoom (self, (self->view.time.start + self->view.time.end) / 2,
                                   direction > 0 ? ZOOM_STEP : 1 / ZOOM_STEP);
}

/**
 * shardwise_pipeline_chart_scroll:
 * @self: a chart
 * @dx: to the right: clicks of a wheel, or pixels
 * @dy: downwards, likewise
 * @unit: the unit of both
 * @state: modifiers: with Ctrl it zooms around the pointer, with Shift down is right
 *
 * Returns: whether the chart handled it
 */
gboolean
shardwise_pipeline_chart_scroll (ShardwisePipelineChart *self, double dx, double dy,
                                 GdkScrollUnit unit, GdkModifierType state)
{
  gboolean pixels = unit == GDK_SCROLL_UNIT_SURFACE;
  double width = self->view.time.end - self->view.time.start;

  if (state & GDK_CONTROL_MASK)
    {
      shardwise_pipeline_chart_zoom (self, self->pointer_x,
                                     pow (ZOOM_STEP, -dy / (pixels ? CLICK : 1)));
      return GDK_EVENT_STOP;
    }
  if (state & GDK_SHIFT_MASK && dx == 0)
    dx = dy;
  if (dx == 0 || width <= 0 || sees_all (self))
    return GDK_EVENT_PROPAGATE;
  self->view_start += dx * self->view_span / (pixels ? width : 10);
  view_changed (self);
  return GDK_EVENT_STOP;
}

static gboolean
scroll_cb (ShardwisePipelineChart *self, double dx, double dy, GtkEventController *controller)
{
  return shardwise_pipeline_chart_scroll (
      self, dx, dy, gtk_event_controller_scroll_get_unit (GTK_EVENT_CONTROLLER_SCROLL (controller)),
      gtk_event_controller_get_current_event_state (controller));
}

static void
pointer_cb (ShardwisePipelineChart *self, double x, double y)
{
  self->pointer_x = x;
}

static void
drag_begin_cb (ShardwisePipelineChart *self)
{
  self->drag_start = self->view_start;
}

static void
drag_update_cb (ShardwisePipelineChart *self, double dx, double dy)
{
  double width = self->view.time.end - self->view.time.start;

  if (sees_all (self) || width <= 0)
    return;
  self->view_start = self->drag_start - dx / width * self->view_span;
  view_changed (self);
}

static void
pinch_begin_cb (ShardwisePipelineChart *self)
{
  self->pinch_span = self->view_span;
}

static void
pinch_cb (ShardwisePipelineChart *self, double scale, GtkGesture *gesture)
{
  double x = self->pointer_x;

  if (!(scale > 0) || !(self->pinch_span > 0))
    return;
  gtk_gesture_get_bounding_box_center (gesture, &x, NULL);
  shardwise_pipeline_chart_zoom (self, x, self->view_span / (self->pinch_span / scale));
}

/* Layout and drawing */

/* Shows the whole step, or as much of its beginning as is readable; once, when the width is known.
 * Before the first backward pass of the first rank ends, only the warm-up is visible. */
static void
choose_view (ShardwisePipelineChart *self)
{
  double sum = 0, warmed_up = 0, readable;
  guint n = 0;

  for (guint i = 0; i < shardwise_pipeline_tasks_count (&self->tasks); i++)
    {
      const SwTask *task = shardwise_pipeline_tasks_get (&self->tasks, i);

      if (task->kind == SW_TASK_FORWARD)
        {
          sum += task->end_s - task->start_s;
          n++;
        }
      else if (warmed_up <= 0 && i < self->tasks.first[1])
        {
          warmed_up = task->end_s;
        }
    }
  readable = (n > 0 ? sum / n : 0) / READABLE * (self->plot.size.width - self->label_width);
  self->view_start = 0;
  self->view_span = readable > 0 ? MAX (readable, warmed_up * 1.2) : self->tasks.pipeline.total_s;
  self->fresh = FALSE;
  clamp_view (self);
}

static char *
rank_label (guint rank)
{
  /* Translators: a rank of the pipeline, as the label of a row */
  return g_strdup_printf (_ ("Rank %u"), rank);
}

/* The width of the names of the rows. */
static double
names_width (ShardwisePipelineChart *self)
{
  g_autofree char *label = rank_label (self->tasks.ranks > 0 ? self->tasks.ranks - 1 : 0);

  return shardwise_draw_text_width (SHARDWISE_CHART (self), label) + 8;
}

static char *
describe_part (double start_s, double end_s, double total_s)
{
  g_autofree char *from = shardwise_format_seconds (start_s);
  g_autofree char *to = shardwise_format_seconds (end_s);
  g_autofree char *total = shardwise_format_seconds (total_s);

  /* Translators: three times: start and end of the visible part, and the length of the whole
   * step */
  return g_strdup_printf (
      _ ("Shown: %s to %s of %s. Press 0 to show all; zoom with Ctrl and scroll."), from, to,
      total);
}

/* The height of the axis and of the strip with the visible part of the step, including its text. */
static int
height_below (ShardwisePipelineChart *self, double width)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  const double total = self->tasks.pipeline.total_s;
  g_autofree char *seen = describe_part (total, total, total);
  guint lines = shardwise_draw_line_count (chart, seen, width - names_width (self));

  if (lines > 1)
    lines = shardwise_draw_line_count (chart, seen, width);
  return 2 * shardwise_draw_axis_height (chart)
         + (int) (lines - 1) * shardwise_draw_line_height (chart);
}

/* The height of readable rows and the axis. */
static int
plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  int below = height_below (self, width);

  *minimum = (int) self->tasks.ranks * ROW_LEAST + below;
  return (int) self->tasks.ranks * MAX (26, shardwise_draw_axis_height (chart)) + below;
}

/* The maximum height of the rows. */
static int
plot_most (ShardwiseChart *chart, int width)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);

  return (int) self->tasks.ranks * ROW_MOST + height_below (self, width);
}

/* Places the rows, the axis and the strip below it. */
static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  double height = plot->size.height - height_below (self, plot->size.width), unit;

  self->plot = *plot;
  self->label_width = names_width (self);
  self->view.top = plot->origin.y;
  self->view.row_height = self->tasks.ranks > 0 ? MIN (ROW_MOST, height / self->tasks.ranks)
                                                : ROW_MOST;
  if (self->fresh && shardwise_pipeline_tasks_count (&self->tasks) > 0)
    choose_view (self);
  /* A short part has labels in seconds, even if the step is long. */
  unit = MIN (shardwise_seconds_unit (self->view_start + self->view_span),
              MAX (1, shardwise_seconds_unit (self->view_span)));
  self->view.time = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR,
                                     self->view_start,
                                     self->view_start + self->view_span,
                                     plot->origin.x + self->label_width,
                                     plot->origin.x + plot->size.width - 1,
                                     unit };
}

static void
draw_overview (ShardwisePipelineChart *self, const ShardwisePen *pen)
{
  double y = shardwise_pipeline_view_row_top (&self->view, self->tasks.ranks)
             + shardwise_draw_axis_height (pen->chart) + 2,
         width = self->view.time.end - self->view.time.start;
  double total = self->tasks.pipeline.total_s;
  g_autofree char *seen = NULL;
  gboolean is_long;

  if (sees_all (self))
    return;
  seen = describe_part (self->view_start, self->view_start + self->view_span, total);
  is_long = shardwise_draw_text_width (pen->chart, seen) > width;
  shardwise_draw_text_lines (pen, seen, &pen->dim,
                             is_long ? self->plot.origin.x : self->view.time.start, y + 6,
                             is_long ? self->plot.size.width : width);
  shardwise_draw_line (pen, &pen->grid, self->view.time.start, y, width, 4);
  shardwise_draw_line (pen, &pen->dim, self->view.time.start + self->view_start / total * width, y,
                       MAX (self->view_span / total * width, 3), 4);
}

static void
draw_number (ShardwisePipelineChart *self, const ShardwisePen *pen, GHashTable *layouts,
             const SwTask *task)
{
  double start = shardwise_axis_to_pixel (&self->view.time, task->start_s);
  double end = shardwise_axis_to_pixel (&self->view.time, task->end_s);
  PangoLayout *number = g_hash_table_lookup (layouts, GUINT_TO_POINTER (task->micro_batch));
  GdkRGBA fill, text;
  int width;

  if (end - start < NUMBERED || start < self->view.time.start || end > self->view.time.end + 1)
    return;
  if (number == NULL)
    {
      g_autofree char *digits = g_strdup_printf ("%u", task->micro_batch);

      number = shardwise_draw_layout (pen->chart, digits, 0.75, FALSE);
      g_hash_table_insert (layouts, GUINT_TO_POINTER (task->micro_batch), number);
    }
  pango_layout_get_pixel_size (number, &width, NULL);
  if (width + 3 > end - start)
    return;
  shardwise_palette_get (shardwise_ink_of_task (task->kind), pen->dark, &fill);
  shardwise_palette_text_on (&fill, &text);
  if (pen->high_contrast) /* clear of the pattern */
    gtk_snapshot_append_color (
        pen->snapshot, &fill,
        &GRAPHENE_RECT_INIT ((start + end - width) / 2 - 1,
                             shardwise_pipeline_view_row_top (&self->view, task->rank) + 3,
                             width + 2, self->view.row_height - 6));
  shardwise_draw_layout_at (pen, number, &text, (start + end) / 2,
                            shardwise_pipeline_view_row_top (&self->view, task->rank)
                                + self->view.row_height / 2,
                            0.5, 0.5);
}

static void
draw_numbers (ShardwisePipelineChart *self, const ShardwisePen *pen)
{
  g_autoptr (GHashTable) layouts = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);

  double pixels_per_second = (self->view.time.end - self->view.time.start) / self->view_span;

  if (self->view.row_height < 13 || self->tasks.longest_s * pixels_per_second < NUMBERED)
    return;
  for (guint rank = 0; rank < self->tasks.ranks; rank++)
    for (guint i = shardwise_pipeline_tasks_first_after (&self->tasks, rank, self->view.time.min);
         i < self->tasks.first[rank + 1]; i++)
      {
        if (shardwise_pipeline_tasks_get (&self->tasks, i)->start_s > self->view.time.max)
          break;
        draw_number (self, pen, layouts, shardwise_pipeline_tasks_get (&self->tasks, i));
      }
}

/* Draws the visible part of the step. */
static void
draw (ShardwiseChart *chart, const ShardwisePen *pen)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  double bottom = shardwise_pipeline_view_row_top (&self->view, self->tasks.ranks);
  const ShardwiseTicks ticks = { .each = 4,
                                 .most = 12,
                                 .spans = { { self->view.top, bottom + 4 } },
                                 .label_y = bottom + 5,
                                 .left = self->view.time.start,
                                 .right = self->view.time.end,
                                 .alone = self->view_span,
                                 .format = shardwise_format_seconds_in };
  guint every = (guint) MAX (1, ceil (shardwise_draw_line_height (chart) / self->view.row_height));

  if (shardwise_pipeline_tasks_count (&self->tasks) == 0)
    return;
  for (guint rank = 0; rank < self->tasks.ranks; rank += every)
    {
      g_autofree char *label = rank_label (rank);

      shardwise_draw_text (
          pen, label, &pen->text, self->plot.origin.x,
          shardwise_pipeline_view_row_top (&self->view, rank) + self->view.row_height / 2, 0, 0.5);
    }
  shardwise_pipeline_view_draw (&self->view, pen);
  draw_numbers (self, pen);
  shardwise_draw_level_axis (pen, &self->view.time, &ticks);
  draw_overview (self, pen);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  return shardwise_pipeline_legend (&SHARDWISE_PIPELINE_CHART (chart)->tasks, out);
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  return shardwise_pipeline_tasks_count (&SHARDWISE_PIPELINE_CHART (chart)->tasks);
}

static gboolean
point_area (ShardwiseChart *chart, guint point, graphene_rect_t *out)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  const SwTask *task = shardwise_pipeline_tasks_get (&self->tasks, point);
  double start = MAX (shardwise_axis_to_pixel (&self->view.time, task->start_s),
                      self->view.time.start);
  double end = MIN (shardwise_axis_to_pixel (&self->view.time, task->end_s), self->view.time.end);

  if (end < start)
    return FALSE;
  graphene_rect_init (out, start, shardwise_pipeline_view_row_top (&self->view, task->rank),
                      MAX (end - start, 1), self->view.row_height);
  return TRUE;
}

static int
pick (ShardwiseChart *chart, double x, double y)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  double time = shardwise_axis_to_value (&self->view.time, x);
  int rank = self->view.row_height > 0 ? (int) floor ((y - self->view.top) / self->view.row_height)
                                       : -1;
  guint found;

  if (shardwise_pipeline_tasks_count (&self->tasks) == 0 || rank < 0
      || rank >= (int) self->tasks.ranks || x < self->view.time.start || x > self->view.time.end)
    return -1;
  found = shardwise_pipeline_tasks_first_after (&self->tasks, (guint) rank, time);
  return found < self->tasks.first[rank + 1]
                 && shardwise_pipeline_tasks_get (&self->tasks, found)->start_s <= time
             ? (int) found
             : -1;
}

static int
step (ShardwiseChart *chart, guint point, GtkDirectionType direction)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  const SwTask *task = shardwise_pipeline_tasks_get (&self->tasks, point);
  gboolean vertical = direction == GTK_DIR_UP || direction == GTK_DIR_DOWN;
  int rank = task->rank + (direction == GTK_DIR_DOWN ? 1 : -1);

  if (!vertical)
    return direction == GTK_DIR_LEFT ? (int) point - 1 : (int) point + 1;
  if (rank < 0 || rank >= (int) self->tasks.ranks)
    return (int) point;
  return (int) MIN (shardwise_pipeline_tasks_first_after (&self->tasks, (guint) rank,
                                                          (task->start_s + task->end_s) / 2),
                    self->tasks.first[rank + 1] - 1);
}

static void
reveal (ShardwiseChart *chart, guint point)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  const SwTask *task = shardwise_pipeline_tasks_get (&self->tasks, point);

  if (task->start_s >= self->view_start && task->end_s <= self->view_start + self->view_span)
    return;
  self->view_start = (task->start_s + task->end_s) / 2 - self->view_span / 2;
  view_changed (self);
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  const SwTask *task = shardwise_pipeline_tasks_get (&self->tasks, point);
  g_autofree char *duration = shardwise_format_seconds (task->end_s - task->start_s);
  g_autofree char *start = shardwise_format_seconds (task->start_s);

  if (self->tasks.pipeline.stages > self->tasks.ranks)
    /* Translators: rank of the pipeline, kind of work ("Forward"), number of the micro-batch,
     * number of the virtual stage on this rank, how long it takes, when it begins */
    return g_strdup_printf (
        _ ("Rank %u: %s of micro-batch %u in virtual stage %u takes %s, starting at %s"),
        task->rank, shardwise_text_task ((SwTaskKind) task->kind), task->micro_batch, task->chunk,
        duration, start);
  /* Translators: rank of the pipeline, kind of work ("Forward"), number of the micro-batch, how
   * long it takes, when it begins */
  return g_strdup_printf (_ ("Rank %u: %s of micro-batch %u takes %s, starting at %s"), task->rank,
                          shardwise_text_task ((SwTaskKind) task->kind), task->micro_batch,
                          duration, start);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  g_autofree char *total = NULL, *sentence = NULL;

  if (self->too_many)
    return g_strdup (
        _ ("This schedule has too many tasks to draw. The metrics include the bubble."));
  if (shardwise_pipeline_tasks_count (&self->tasks) == 0)
    return g_strdup ("");
  total = shardwise_format_seconds (self->tasks.pipeline.total_s);
  if (self->tasks.ranks == 1)
    /* Translators: count of micro-batches, and the time that they take */
    sentence = g_strdup_printf (
        ngettext ("No pipeline, so no bubble: one rank works through %u micro-batch in %s.",
                  "No pipeline, so no bubble: one rank works through %u micro-batches in %s.",
                  self->micro_batches),
        self->micro_batches, total);
  else
    sentence = shardwise_text_pipeline (&self->tasks.pipeline);
  if (!self->is_phase)
    return g_steal_pointer (&sentence);
  /* Translators: a phase of a step ("Policy training"), then a sentence on it */
  return g_strdup_printf (_ ("%s: %s"), shardwise_text_phase (SW_PHASE_POLICY), sentence);
}

static const ShardwiseChartColumn columns[] = {
  { N_ ("Work"), -1 },         { N_ ("Rank"), 0 },
  { N_ ("Micro-batch"), 0 },   { N_ ("Virtual stage"), 0 },
  { N_ ("Start (ms)"), 3 },    { N_ ("End (ms)"), 3 },
  { N_ ("Duration (ms)"), 3 }, { NULL, 0 },
};

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  const SwTask *task = shardwise_pipeline_tasks_get (&SHARDWISE_PIPELINE_CHART (chart)->tasks, row);
  const double numbers[] = { 0,
                             task->rank,
                             task->micro_batch,
                             task->chunk,
                             task->start_s * 1e3,
                             task->end_s * 1e3,
                             (task->end_s - task->start_s) * 1e3 };

  if (column == 0)
    out->text = g_strdup (shardwise_text_task ((SwTaskKind) task->kind));
  else
    out->number = numbers[column];
}

/* Public */

static void
clear (ShardwisePipelineChart *self)
{
  shardwise_pipeline_tasks_clear (&self->tasks);
  self->now = -1;
  self->too_many = FALSE;
}

/**
 * shardwise_pipeline_chart_set_pipeline:
 * @self: a chart
 * @pipeline: (transfer full): a simulated step, emptied by this; tasks by rank, then start
 * @ranks: rows
 * @micro_batches: micro-batches per step and replica
 *
 * Shows a simulated step.
 */
void
shardwise_pipeline_chart_set_pipeline (ShardwisePipelineChart *self, SwPipeline *pipeline,
                                       guint ranks, guint micro_batches)
{
  g_return_if_fail (SHARDWISE_IS_PIPELINE_CHART (self));

  clear (self);
  shardwise_pipeline_tasks_init (&self->tasks, pipeline, ranks);
  self->micro_batches = micro_batches;
  self->fresh = TRUE;
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/**
 * shardwise_pipeline_chart_set_strategy:
 * @self: a chart
 * @problem: (nullable): the question
 * @strategy: (nullable): the strategy to simulate, with the engine's times of every stage
 *
 * Shows the step of a strategy; an empty chart without one.
 */
void
shardwise_pipeline_chart_set_strategy (ShardwisePipelineChart *self, const SwProblem *problem,
                                       const SwStrategy *strategy)
{
  SwPipeline pipeline = { 0 };

  g_return_if_fail (SHARDWISE_IS_PIPELINE_CHART (self));

  self->is_phase = problem != NULL && problem->training.type == SW_TRAINING_RLHF;
  if (problem != NULL && strategy != NULL
      && sw_pipeline_of_strategy (problem, strategy, MOST_TASKS, &pipeline))
    {
      shardwise_pipeline_chart_set_pipeline (self, &pipeline, strategy->pp,
                                             sw_strategy_micro_batches (problem, strategy));
      return;
    }
  clear (self);
  self->too_many = problem != NULL && strategy != NULL;
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/**
 * shardwise_pipeline_chart_get_view:
 * @self: a chart
 * @start_s: (out): the left end, seconds
 * @end_s: (out): the right end, seconds
 */
void
shardwise_pipeline_chart_get_view (ShardwisePipelineChart *self, double *start_s, double *end_s)
{
  g_return_if_fail (SHARDWISE_IS_PIPELINE_CHART (self));

  *start_s = self->view_start;
  *end_s = self->view_start + self->view_span;
}

/**
 * shardwise_pipeline_chart_set_view:
 * @self: a chart
 * @start_s: the left end, seconds
 * @end_s: the right end, seconds; both are clamped to the step
 */
void
shardwise_pipeline_chart_set_view (ShardwisePipelineChart *self, double start_s, double end_s)
{
  g_return_if_fail (SHARDWISE_IS_PIPELINE_CHART (self));

  self->view_start = start_s;
  self->view_span = end_s - start_s;
  view_changed (self);
}

/* The player's moment: a line through the ranks, and the work of each of them */

/**
 * shardwise_pipeline_chart_get_now:
 *
 * Returns: the current moment, seconds; -1: none
 */
double
shardwise_pipeline_chart_get_now (ShardwisePipelineChart *self)
{
  g_return_val_if_fail (SHARDWISE_IS_PIPELINE_CHART (self), -1);
  return self->now;
}

/**
 * shardwise_pipeline_chart_set_now:
 * @self: a chart
 * @now_s: a moment of the step, seconds; after its end, or negative: none
 *
 * Marks a moment; if the view ends before it, it moves on by its width.
 *
 * Returns: whether the moment is in the step
 */
gboolean
shardwise_pipeline_chart_set_now (ShardwisePipelineChart *self, double now_s)
{
  gboolean within = now_s >= 0 && now_s < self->tasks.pipeline.total_s;

  g_return_val_if_fail (SHARDWISE_IS_PIPELINE_CHART (self), FALSE);

  self->now = within ? now_s : -1;
  if (within && (now_s < self->view_start || now_s >= self->view_start + self->view_span))
    shardwise_pipeline_chart_set_view (self, now_s, now_s + self->view_span);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  return within;
}

/**
 * shardwise_pipeline_chart_next_event:
 * @self: a chart
 * @after_s: a moment, seconds
 *
 * Returns: the end of the next task on any rank; the end of the step if none is left
 */
double
shardwise_pipeline_chart_next_event (ShardwisePipelineChart *self, double after_s)
{
  double next = self->tasks.pipeline.total_s;

  g_return_val_if_fail (SHARDWISE_IS_PIPELINE_CHART (self), 0);

  for (guint rank = 0; rank < self->tasks.ranks; rank++)
    {
      guint task = shardwise_pipeline_tasks_first_after (&self->tasks, rank, after_s);

      if (task < self->tasks.first[rank + 1])
        next = MIN (next, shardwise_pipeline_tasks_get (&self->tasks, task)->end_s);
    }
  return next;
}

/* Type */

static void
shardwise_pipeline_chart_finalize (GObject *object)
{
  clear (SHARDWISE_PIPELINE_CHART (object));
  G_OBJECT_CLASS (shardwise_pipeline_chart_parent_class)->finalize (object);
}

/* A readout above the step with the player's moment and the work of every rank. */
static void
shardwise_pipeline_chart_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (widget);
  ShardwisePen pen;

  GTK_WIDGET_CLASS (shardwise_pipeline_chart_parent_class)->snapshot (widget, snapshot);
  if (self->now < self->view_start || self->now > self->view_start + self->view_span)
    return;
  shardwise_chart_get_pen (SHARDWISE_CHART (self), snapshot, &pen);
  for (guint rank = 0; rank < self->tasks.ranks; rank++)
    {
      guint index = shardwise_pipeline_tasks_first_after (&self->tasks, rank, self->now);
      graphene_rect_t area;

      if (index < self->tasks.first[rank + 1]
          && shardwise_pipeline_tasks_get (&self->tasks, index)->start_s <= self->now
          && point_area (pen.chart, index, &area))
        shardwise_draw_outline (&pen, &pen.text, &area, 2);
    }
  shardwise_draw_line (&pen, &pen.text, shardwise_axis_to_pixel (&self->view.time, self->now),
                       self->view.top, 2, self->tasks.ranks * self->view.row_height);
}

static void
shardwise_pipeline_chart_class_init (ShardwisePipelineChartClass *klass)
{
  const struct {
    guint key;
    int direction;
  } keys[] = {
    { GDK_KEY_plus, 1 },         { GDK_KEY_equal, 1 }, { GDK_KEY_KP_Add, 1 }, { GDK_KEY_minus, -1 },
    { GDK_KEY_KP_Subtract, -1 }, { GDK_KEY_0, 0 },     { GDK_KEY_KP_0, 0 },
  };
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_pipeline_chart_finalize;
  GTK_WIDGET_CLASS (klass)->snapshot = shardwise_pipeline_chart_snapshot;
  chart_class->plot_height = plot_height;
  chart_class->plot_most = plot_most;
  chart_class->layout = layout;
  chart_class->draw = draw;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->readout = readout;
  chart_class->pick = pick;
  chart_class->step = step;
  chart_class->reveal = reveal;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->cell = cell;

  gtk_widget_class_install_action (GTK_WIDGET_CLASS (klass), "chart.zoom", "i", zoom_action_cb);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), keys[i].key, 0, "chart.zoom",
                                         "i", keys[i].direction);
}

static void
shardwise_pipeline_chart_init (ShardwisePipelineChart *self)
{
  GtkEventController *pointer = gtk_event_controller_motion_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkGesture *drag = gtk_gesture_drag_new (), *pinch = gtk_gesture_zoom_new ();

  self->now = -1;
  self->view.tasks = &self->tasks;
  g_signal_connect_swapped (pointer, "motion", G_CALLBACK (pointer_cb), self);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  g_signal_connect_swapped (pinch, "begin", G_CALLBACK (pinch_begin_cb), self);
  g_signal_connect_swapped (pinch, "scale-changed", G_CALLBACK (pinch_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), pointer);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (pinch));
}

/* The player */

struct _ShardwisePipelinePlayer {
  ShardwiseContainer parent_instance;

  ShardwisePipelineChart *chart; /* weak: its page owns both */
  GtkToggleButton *button;
  guint tick_id;
  gint64 last_us; /* frame clock; 0: before the first frame */
  double waited;  /* seconds since the last step, without animations */
};

G_DEFINE_FINAL_TYPE (ShardwisePipelinePlayer, shardwise_pipeline_player, SHARDWISE_TYPE_CONTAINER)

/**
 * shardwise_pipeline_player_advance:
 * @self: a running player
 * @seconds: the elapsed time
 *
 * Advances; stops at the end of the step, or if another step is shown.
 */
void
shardwise_pipeline_player_advance (ShardwisePipelinePlayer *self, double seconds)
{
  gboolean animated = TRUE;
  double now, from, to;

  g_return_if_fail (SHARDWISE_IS_PIPELINE_PLAYER (self));

  if (self->chart == NULL || !shardwise_pipeline_player_is_playing (self))
    return;
  now = shardwise_pipeline_chart_get_now (self->chart);
  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-enable-animations", &animated,
                NULL);
  if (now >= 0 && animated)
    {
      shardwise_pipeline_chart_get_view (self->chart, &from, &to);
      now += (to - from) * seconds / SECONDS_SEEN;
    }
  else if (now >= 0)
    {
      self->waited += seconds;
      if (self->waited >= SECONDS_STEP)
        {
          self->waited = 0;
          now = shardwise_pipeline_chart_next_event (self->chart, now);
        }
    }
  if (now < 0 || !shardwise_pipeline_chart_set_now (self->chart, now))
    gtk_toggle_button_set_active (self->button, FALSE);
}

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ShardwisePipelinePlayer *self = SHARDWISE_PIPELINE_PLAYER (widget);
  gint64 now_us = gdk_frame_clock_get_frame_time (clock), last_us = self->last_us;

  self->last_us = now_us;
  if (last_us > 0)
    shardwise_pipeline_player_advance (self, (double) (now_us - last_us) / G_USEC_PER_SEC);
  return G_SOURCE_CONTINUE;
}

static void
stop (ShardwisePipelinePlayer *self)
{
  if (self->tick_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick_id);
  self->tick_id = 0;
}

static void
toggled_cb (ShardwisePipelinePlayer *self)
{
  gboolean plays = gtk_toggle_button_get_active (self->button);
  double from, to;
  const char *label = plays ? _ ("Pause") : _ ("Play the Step");

  gtk_button_set_icon_name (GTK_BUTTON (self->button), plays ? "media-playback-pause-symbolic"
                                                             : "media-playback-start-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->button), label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
  if (!plays)
    stop (self);
  if (!plays || self->chart == NULL)
    return;
  /* Continues after a pause, otherwise starts at the first visible moment. */
  shardwise_pipeline_chart_get_view (self->chart, &from, &to);
  if (shardwise_pipeline_chart_get_now (self->chart) < 0)
    shardwise_pipeline_chart_set_now (self->chart, from);
  self->last_us = 0;
  self->waited = 0;
  if (self->tick_id == 0)
    self->tick_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), tick_cb, NULL, NULL);
}

/**
 * shardwise_pipeline_player_is_playing:
 *
 * Returns: whether it is running
 */
gboolean
shardwise_pipeline_player_is_playing (ShardwisePipelinePlayer *self)
{
  g_return_val_if_fail (SHARDWISE_IS_PIPELINE_PLAYER (self), FALSE);
  return gtk_toggle_button_get_active (self->button);
}

static void
shardwise_pipeline_player_dispose (GObject *object)
{
  ShardwisePipelinePlayer *self = SHARDWISE_PIPELINE_PLAYER (object);

  stop (self);
  g_clear_weak_pointer (&self->chart);
  G_OBJECT_CLASS (shardwise_pipeline_player_parent_class)->dispose (object);
}

static void
shardwise_pipeline_player_class_init (ShardwisePipelinePlayerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_pipeline_player_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
shardwise_pipeline_player_init (ShardwisePipelinePlayer *self)
{
  self->button = GTK_TOGGLE_BUTTON (gtk_toggle_button_new ());
  g_signal_connect_object (self->button, "toggled", G_CALLBACK (toggled_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_set_parent (GTK_WIDGET (self->button), GTK_WIDGET (self));
  toggled_cb (self);
}

/**
 * shardwise_pipeline_player_new:
 * @chart: the chart to play
 *
 * Returns: (transfer floating): a stopped player
 */
GtkWidget *
shardwise_pipeline_player_new (ShardwisePipelineChart *chart)
{
  ShardwisePipelinePlayer *self = g_object_new (SHARDWISE_TYPE_PIPELINE_PLAYER, NULL);

  g_set_weak_pointer (&self->chart, chart);
  return GTK_WIDGET (self);
}
