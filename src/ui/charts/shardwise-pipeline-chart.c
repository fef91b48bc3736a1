/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-pipeline-chart-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"

#define MOST_TASKS 400000u /* 64 ranks, 512 micro-batches and 4 virtual stages: 262,144 */
#define ZOOM_STEP 1.5
#define DEEPEST 1e-4 /* of the step */
#define CLICK 50.0   /* pixels of a touchpad that zoom as far as a click of the wheel */

G_DEFINE_FINAL_TYPE (ShardwisePipelineChart, shardwise_pipeline_chart, SHARDWISE_TYPE_CHART)

static const char *
kind_name (const SwTask *task)
{
  switch (task->kind)
    {
    case SW_TASK_FORWARD: return _ ("Forward");
    case SW_TASK_BACKWARD_INPUT: return _ ("Backward (input)");
    case SW_TASK_BACKWARD_WEIGHT: return _ ("Backward (weight)");
    default: return _ ("Backward");
    }
}

/* The view */

/* Keeps the part that is seen within the step. */
void
shardwise_pipeline_chart_clamp_view (ShardwisePipelineChart *self)
{
  double total = self->tasks.pipeline.total_s;

  self->view_span = CLAMP (self->view_span, total * DEEPEST, total);
  self->view_start = CLAMP (self->view_start, 0, total - self->view_span);
}

/* Whether the whole step is seen. */
gboolean
shardwise_pipeline_chart_sees_all (ShardwisePipelineChart *self)
{
  return self->view_span >= self->tasks.pipeline.total_s * (1 - 1e-9);
}

static void
view_changed (ShardwisePipelineChart *self)
{
  shardwise_pipeline_chart_clamp_view (self);
  shardwise_chart_redraw (SHARDWISE_CHART (self));
}

/**
 * shardwise_pipeline_chart_zoom:
 * @self: a chart
 * @x: pixels: what is there stays there, as far as the step goes
 * @factor: how many times larger all is seen
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
 * @unit: which of them
 * @state: modifiers: with Ctrl it zooms around the pointer, with Shift down is right
 *
 * Returns: whether that means anything to it
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
  if (dx == 0 || width <= 0 || shardwise_pipeline_chart_sees_all (self))
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

  if (shardwise_pipeline_chart_sees_all (self) || width <= 0)
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
        _ ("Rank %u: %s of micro-batch %u through virtual stage %u takes %s, from %s on"),
        task->rank, kind_name (task), task->micro_batch, task->chunk, duration, start);
  /* Translators: rank of the pipeline, kind of work ("Forward"), number of the micro-batch, how
   * long it takes, when it begins */
  return g_strdup_printf (_ ("Rank %u: %s of micro-batch %u takes %s, from %s on"), task->rank,
                          kind_name (task), task->micro_batch, duration, start);
}

/* What an average GPU waits for, and how much of it is the bubble that the metrics show. */
static char *
waiting_sentence (const SwPipeline *pipeline)
{
  double total_s = pipeline->total_s > 0 ? pipeline->total_s : 1;
  g_autofree char *idle = shardwise_format_percent (pipeline->bubble_fraction);
  g_autofree char *waits = shardwise_format_seconds (pipeline->bubble_fraction * total_s);
  g_autofree char *total = shardwise_format_seconds (pipeline->total_s);
  g_autofree char *bubble = shardwise_format_percent (pipeline->bubble_s / total_s);
  g_autofree char *transfers = shardwise_format_percent (pipeline->transfer_s / total_s);
  g_autofree char *uneven = shardwise_format_percent (pipeline->uneven_s / total_s);

  return g_strdup_printf (
      /* Translators: a percentage, two times, and the three percentages that the first consists of
       */
      _ ("An average GPU is idle for %s, %s of the pipeline’s %s: %s bubble, %s waiting for "
         "transfers, %s because the slowest stage has more to do."),
      idle, waits, total, bubble, transfers, uneven);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  g_autofree char *total = NULL, *sentence = NULL;

  if (self->too_many)
    return g_strdup (
        _ ("This schedule has too many tasks to draw; the bubble is among the metrics."));
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
    sentence = waiting_sentence (&self->tasks.pipeline);
  if (!self->is_phase)
    return g_steal_pointer (&sentence);
  /* Translators: a phase of a step ("Policy training"), then a sentence on it */
  return g_strdup_printf (_ ("%s: %s"), shardwise_text_phase (SW_PHASE_POLICY), sentence);
}

static const ShardwiseChartColumn *
columns (ShardwiseChart *chart, guint *n)
{
  static const ShardwiseChartColumn described[] = {
    { N_ ("Work"), -1 },         { N_ ("Rank"), 0 },       { N_ ("Micro-batch"), 0 },
    { N_ ("Virtual stage"), 0 }, { N_ ("Start (ms)"), 3 }, { N_ ("End (ms)"), 3 },
    { N_ ("Takes (ms)"), 3 },
  };

  *n = G_N_ELEMENTS (described);
  return described;
}

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
    out->text = g_strdup (kind_name (task));
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
 * @micro_batches: of one step and replica
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
 * @strategy: (nullable): the strategy whose step is simulated, with the engine's times of every
 * stage
 *
 * Shows the step of a strategy; nothing where there is none.
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
 * @end_s: the right end, seconds; both are kept within the step
 */
void
shardwise_pipeline_chart_set_view (ShardwisePipelineChart *self, double start_s, double end_s)
{
  g_return_if_fail (SHARDWISE_IS_PIPELINE_CHART (self));

  self->view_start = start_s;
  self->view_span = end_s - start_s;
  view_changed (self);
}

/* Type */

static void
shardwise_pipeline_chart_finalize (GObject *object)
{
  clear (SHARDWISE_PIPELINE_CHART (object));
  G_OBJECT_CLASS (shardwise_pipeline_chart_parent_class)->finalize (object);
}

static void
shardwise_pipeline_chart_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  GTK_WIDGET_CLASS (shardwise_pipeline_chart_parent_class)->snapshot (widget, snapshot);
  shardwise_pipeline_chart_draw_now (SHARDWISE_PIPELINE_CHART (widget), snapshot);
}

static void
add_zoom_keys (GtkWidgetClass *klass)
{
  const struct {
    guint key;
    int direction;
  } keys[] = {
    { GDK_KEY_plus, 1 },         { GDK_KEY_equal, 1 }, { GDK_KEY_KP_Add, 1 }, { GDK_KEY_minus, -1 },
    { GDK_KEY_KP_Subtract, -1 }, { GDK_KEY_0, 0 },     { GDK_KEY_KP_0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding_action (klass, keys[i].key, 0, "chart.zoom", "i",
                                         keys[i].direction);
}

static void
shardwise_pipeline_chart_class_init (ShardwisePipelineChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_pipeline_chart_finalize;
  GTK_WIDGET_CLASS (klass)->snapshot = shardwise_pipeline_chart_snapshot;
  chart_class->plot_height = shardwise_pipeline_chart_plot_height;
  chart_class->plot_most = shardwise_pipeline_chart_plot_most;
  chart_class->layout = shardwise_pipeline_chart_layout;
  chart_class->draw = shardwise_pipeline_chart_draw;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->readout = readout;
  chart_class->pick = pick;
  chart_class->step = step;
  chart_class->reveal = reveal;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->n_rows = n_points;
  chart_class->cell = cell;

  gtk_widget_class_install_action (GTK_WIDGET_CLASS (klass), "chart.zoom", "i", zoom_action_cb);
  add_zoom_keys (GTK_WIDGET_CLASS (klass));
}

static void
add_gestures (ShardwisePipelineChart *self)
{
  GtkEventController *pointer = gtk_event_controller_motion_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkGesture *drag = gtk_gesture_drag_new (), *pinch = gtk_gesture_zoom_new ();

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

static void
shardwise_pipeline_chart_init (ShardwisePipelineChart *self)
{
  self->now = -1;
  self->view.tasks = &self->tasks;
  add_gestures (self);
}
