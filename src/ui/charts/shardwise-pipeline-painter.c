/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the tasks of a pipeline, in as much detail as a view has pixels for. */
#include "shardwise-pipeline-painter.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-palette.h"

/* The number of spans of the coarsest level, and the factor for each finer one: a span is a few
 * pixels in a view of the level before. */
#define COARSEST 128
#define FINER 4

static ShardwisePipelineRun *
run_at (const ShardwisePipelineLevel *level, guint index)
{
  return &g_array_index (level->runs, ShardwisePipelineRun, index);
}

/**
 * shardwise_pipeline_tasks_count:
 *
 * Returns: the number of tasks on all ranks
 */
guint
shardwise_pipeline_tasks_count (const ShardwisePipelineTasks *self)
{
  return self->pipeline.tasks != NULL ? self->pipeline.tasks->len : 0;
}

/**
 * shardwise_pipeline_tasks_get:
 * @index: below shardwise_pipeline_tasks_count()
 *
 * Returns: (transfer none): a task; by rank, then start
 */
const SwTask *
shardwise_pipeline_tasks_get (const ShardwisePipelineTasks *self, guint index)
{
  return &g_array_index (self->pipeline.tasks, SwTask, index);
}

/* The first of the items from `from` to before `to` that ends after a moment; `end` is the end of
 * the very first item, and `size` the distance of two; `to` if there is none. */
static guint
first_after (gconstpointer end, gsize size, guint from, guint to, double time_s)
{
  while (from < to)
    {
      guint middle = from + (to - from) / 2;

      if (*(const double *) ((const char *) end + middle * size) > time_s)
        to = middle;
      else
        from = middle + 1;
    }
  return from;
}

/**
 * shardwise_pipeline_tasks_first_after:
 * @rank: a rank of the pipeline
 * @time_s: a moment, seconds
 *
 * Returns: the first task of the rank that ends after it; one past the rank's last if there is none
 */
guint
shardwise_pipeline_tasks_first_after (const ShardwisePipelineTasks *self, guint rank, double time_s)
{
  return first_after (&shardwise_pipeline_tasks_get (self, 0)->end_s, sizeof (SwTask),
                      self->first[rank], self->first[rank + 1], time_s);
}

/**
 * shardwise_pipeline_tasks_level:
 * @least_s: minimum duration of separately visible tasks, seconds
 * @most_s: maximum duration of a combined task, seconds
 *
 * Returns: (transfer none) (nullable): the coarsest suitable level; %NULL: the tasks themselves
 */
const ShardwisePipelineLevel *
shardwise_pipeline_tasks_level (const ShardwisePipelineTasks *self, double least_s, double most_s)
{
  if (self->longest_s >= least_s)
    return NULL;
  for (guint i = 0; i < self->n_levels; i++)
    if (self->levels[i].span_s <= most_s)
      return &self->levels[i];
  return NULL;
}

/* Adds it to the last run of the rank, or to a new one if that would become too long. */
static void
add_task (ShardwisePipelineLevel *level, guint rank, const SwTask *task)
{
  ShardwisePipelineRun fresh = { task->start_s, task->start_s, { 0 } }, *run;

  if (level->runs->len == level->first[rank]
      || task->end_s - run_at (level, level->runs->len - 1)->start_s > level->span_s)
    g_array_append_val (level->runs, fresh);
  run = run_at (level, level->runs->len - 1);
  run->end_s = task->end_s;
  run->busy_s[task->kind] += task->end_s - task->start_s;
}

/**
 * shardwise_pipeline_tasks_init:
 * @self: (out caller-allocates): free with shardwise_pipeline_tasks_clear()
 * @pipeline: (transfer full): a simulated step, emptied by this; tasks by rank, then start
 * @ranks: the number of ranks
 *
 * Indexes the tasks, and sums them in levels with runs of several tasks.
 */
void
shardwise_pipeline_tasks_init (ShardwisePipelineTasks *self, SwPipeline *pipeline, guint ranks)
{
  double span_s = pipeline->total_s / COARSEST;
  guint after = 0, n;

  *self = (ShardwisePipelineTasks){ .pipeline = *pipeline, .ranks = ranks };
  *pipeline = (SwPipeline){ 0 };
  n = shardwise_pipeline_tasks_count (self);
  self->first = g_new0 (guint, ranks + 1);
  for (guint i = 0; i < n; i++)
    {
      const SwTask *task = shardwise_pipeline_tasks_get (self, i);

      while (after < task->rank && after < ranks)
        self->first[++after] = i;
      self->longest_s = MAX (self->longest_s, task->end_s - task->start_s);
    }
  while (after < ranks)
    self->first[++after] = n;
  for (guint i = 0; i < SHARDWISE_PIPELINE_LEVELS && span_s > 2 * self->longest_s; i++)
    {
      ShardwisePipelineLevel *level = &self->levels[self->n_levels++];

      *level = (ShardwisePipelineLevel){ span_s,
                                         g_array_new (FALSE, FALSE, sizeof (ShardwisePipelineRun)),
                                         g_new0 (guint, ranks + 1) };
      for (guint rank = 0; rank < ranks; rank++)
        {
          level->first[rank] = level->runs->len;
          for (guint task = self->first[rank]; task < self->first[rank + 1]; task++)
            add_task (level, rank, shardwise_pipeline_tasks_get (self, task));
        }
      level->first[ranks] = level->runs->len;
      span_s /= FINER;
    }
}

/**
 * shardwise_pipeline_tasks_clear:
 *
 * Frees and resets its contents.
 */
void
shardwise_pipeline_tasks_clear (ShardwisePipelineTasks *self)
{
  if (self->pipeline.tasks != NULL)
    sw_pipeline_clear (&self->pipeline);
  g_free (self->first);
  for (guint i = 0; i < self->n_levels; i++)
    {
      g_array_unref (self->levels[i].runs);
      g_free (self->levels[i].first);
    }
  *self = (ShardwisePipelineTasks){ 0 };
}

#define WIDE 2.0 /* minimum width in pixels at which a task has its own rectangle */
#define RUN 8.0  /* pixels of a run of narrower tasks */
#define GAP 2    /* pixels between rows */
#define N_KINDS (SW_TASK_BACKWARD_WEIGHT + 1)

/* Tasks narrower than two pixels are merged into runs: the color is the mean of the tasks, and the
 * opacity is the share of time with a task. Wider tasks are collected and filled together, color by
 * color. */
typedef struct {
  const ShardwisePipelineView *view;
  cairo_t *cr;
  const ShardwisePen *pen;
  GdkRGBA colors[SHARDWISE_N_COLORS];
  GArray *boxes[SHARDWISE_N_COLORS]; /* cairo_rectangle_t elements */
  double y, height;
  double start, end, busy[N_KINDS]; /* the open run, pixels */
  double last_end; /* of the last task with a rectangle, pixels; negative: none in the row */
} Painter;

/**
 * shardwise_pipeline_view_row_top:
 * @rank: a rank of the pipeline
 *
 * Returns: the top of its row, pixels
 */
double
shardwise_pipeline_view_row_top (const ShardwisePipelineView *self, guint rank)
{
  return self->top + rank * self->row_height;
}

/**
 * shardwise_pipeline_legend:
 * @tasks: the drawn tasks
 * @out: (out): the legend
 *
 * Returns: the number of entries
 */
guint
shardwise_pipeline_legend (const ShardwisePipelineTasks *tasks,
                           ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  const guint n_tasks = shardwise_pipeline_tasks_count (tasks);
  gboolean split = FALSE;
  guint n = 0;

  if (n_tasks == 0)
    return 0;
  for (guint i = 0; i < n_tasks && !split; i++)
    split = shardwise_pipeline_tasks_get (tasks, i)->kind == SW_TASK_BACKWARD_WEIGHT;
  out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_COMPUTE, _ ("Forward") };
  out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_BACKWARD,
                                     split ? _ ("Backward (input)") : _ ("Backward") };
  if (split)
    out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_BACKWARD_WEIGHT, _ ("Backward (weight)") };
  if (tasks->pipeline.send_s > 0)
    out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_PIPELINE, _ ("Send") };
  out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_BUBBLE, _ ("Bubble"), .hatched = TRUE };
  return n;
}

static void
flush (Painter *self)
{
  double left = round (self->start), width = MAX (round (self->end) - left, 1);
  double red = 0, green = 0, blue = 0, busy = 0;

  for (guint kind = 0; kind < N_KINDS; kind++)
    {
      const GdkRGBA *rgba = &self->colors[shardwise_ink_of_task (kind)];

      red += rgba->red * self->busy[kind];
      green += rgba->green * self->busy[kind];
      blue += rgba->blue * self->busy[kind];
      busy += self->busy[kind];
      self->busy[kind] = 0;
    }
  if (busy <= 0)
    return;
  cairo_set_source_rgba (self->cr, red / busy, green / busy, blue / busy,
                         MIN (busy / MAX (self->end - self->start, 1), 1));
  cairo_rectangle (self->cr, left, self->y, width, self->height);
  cairo_fill (self->cr);
}

/* `busy`: pixels, by kind; between start and end. */
static void
merge (Painter *self, double start, double end, const double busy[N_KINDS])
{
  double open = 0;

  for (guint kind = 0; kind < N_KINDS; kind++)
    open += self->busy[kind];
  if (open > 0 && (start - self->end > 1 || end - self->start > RUN))
    {
      flush (self);
      open = 0;
    }
  if (open <= 0)
    self->start = start;
  self->end = end;
  for (guint kind = 0; kind < N_KINDS; kind++)
    self->busy[kind] += busy[kind];
}

static void
add_box (Painter *self, ShardwiseColor color, double start, double end, double y, double height)
{
  double left = round (start);
  cairo_rectangle_t box = { left, y, MAX (round (end) - left - (end - start > 4 ? 1 : 0), 1),
                            height };

  g_array_append_val (self->boxes[color], box);
}

static void
fill_color (Painter *self, ShardwiseColor color)
{
  GArray *boxes = self->boxes[color];
  GdkRGBA line;

  if (boxes->len == 0)
    return;
  gdk_cairo_set_source_rgba (self->cr, &self->colors[color]);
  for (guint i = 0; i < boxes->len; i++)
    {
      const cairo_rectangle_t *box = &g_array_index (boxes, cairo_rectangle_t, i);

      cairo_rectangle (self->cr, box->x, box->y, box->width, box->height);
    }
  cairo_fill (self->cr);
  shardwise_palette_text_on (&self->colors[color], &line);
  for (guint i = 0; self->pen->high_contrast && i < boxes->len; i++)
    {
      const cairo_rectangle_t *box = &g_array_index (boxes, cairo_rectangle_t, i);

      if (box->width > 4)
        shardwise_palette_hatch (self->cr, shardwise_ink_pattern (color), &line, box->x, box->y,
                                 box->width, box->height);
    }
  g_array_set_size (boxes, 0);
}

/* If the result of a task goes to another stage, a stripe at the bottom of the row begins at the
 * end of the task: the link is busy while the rank continues with its work. */
static void
add_send (Painter *self, const SwTask *task)
{
  const ShardwisePipelineTasks *tasks = self->view->tasks;
  const ShardwiseAxis *time = &self->view->time;
  double stripe = MAX (floor (self->height / 5), 2);
  double start = shardwise_axis_to_pixel (time, task->end_s),
         end = shardwise_axis_to_pixel (time, task->end_s + tasks->pipeline.send_s);
  guint stage = task->chunk * tasks->ranks + task->rank;
  gboolean sends = task->kind == SW_TASK_FORWARD
                       ? stage + 1 < tasks->pipeline.stages
                       : task->kind != SW_TASK_BACKWARD_WEIGHT && stage > 0;

  if (end - start >= 1 && self->height > 2 * stripe && sends)
    add_box (self, SHARDWISE_COLOR_PIPELINE, start, MIN (end, time->end),
             self->y + self->height - stripe, stripe);
}

static void
paint_task (Painter *self, const SwTask *task)
{
  const ShardwiseAxis *time = &self->view->time;
  double start = shardwise_axis_to_pixel (time, task->start_s),
         end = shardwise_axis_to_pixel (time, task->end_s);
  double busy[N_KINDS] = { 0 };

  if (end - start >= WIDE)
    {
      flush (self);
      /* Waits shorter than a pixel are not drawn, because rounding would show only some of them. */
      if (self->last_end >= 0 && start - self->last_end < 1)
        start = self->last_end;
      add_box (self, shardwise_ink_of_task (task->kind), start, end, self->y, self->height);
      add_send (self, task);
      self->last_end = end;
      return;
    }
  busy[task->kind] = end - start;
  merge (self, start, end, busy);
}

static void
paint_row (Painter *self, const ShardwisePipelineLevel *level, guint rank)
{
  const ShardwisePipelineView *view = self->view;
  const ShardwisePipelineTasks *tasks = view->tasks;
  const ShardwiseAxis *time = &view->time;
  double per_second = (time->end - time->start) / (time->max - time->min);

  self->y = round (shardwise_pipeline_view_row_top (view, rank)) + GAP / 2;
  self->height = MAX (floor (view->row_height) - GAP, 1);
  self->last_end = -1;
  if (level != NULL)
    for (guint i = first_after (&run_at (level, 0)->end_s, sizeof (ShardwisePipelineRun),
                                level->first[rank], level->first[rank + 1], time->min);
         i < level->first[rank + 1]; i++)
      {
        const ShardwisePipelineRun *run = &g_array_index (level->runs, ShardwisePipelineRun, i);
        double busy[N_KINDS];

        if (run->start_s > time->max)
          break;
        for (guint kind = 0; kind < N_KINDS; kind++)
          busy[kind] = run->busy_s[kind] * per_second;
        merge (self, shardwise_axis_to_pixel (time, run->start_s),
               shardwise_axis_to_pixel (time, run->end_s), busy);
      }
  else
    for (guint i = shardwise_pipeline_tasks_first_after (tasks, rank, view->time.min);
         i < tasks->first[rank + 1]; i++)
      {
        const SwTask *task = shardwise_pipeline_tasks_get (tasks, i);

        if (task->start_s > view->time.max)
          break;
        paint_task (self, task);
      }
  flush (self);
  for (guint color = 0; color < SHARDWISE_N_COLORS; color++)
    if (color != SHARDWISE_COLOR_PIPELINE)
      fill_color (self, color);
  fill_color (self, SHARDWISE_COLOR_PIPELINE); /* sends are above other work */
}

/* Idle time: the rows between the ends of the step, hatched below the tasks. One period of the
 * hatching, at the resolution of the target, is repeated. */
static void
paint_bubble (const ShardwisePipelineView *self, cairo_t *cr, const ShardwisePen *pen)
{
  double from = MAX (shardwise_axis_to_pixel (&self->time, 0), self->time.start);
  double to = MIN (shardwise_axis_to_pixel (&self->time, self->tasks->pipeline.total_s),
                   self->time.end);
  const int period = (int) SHARDWISE_HATCH_STEP;
  cairo_surface_t *tile = cairo_surface_create_similar (cairo_get_target (cr),
                                                        CAIRO_CONTENT_COLOR_ALPHA, period, period);
  cairo_t *on_tile = cairo_create (tile);
  cairo_pattern_t *pattern = cairo_pattern_create_for_surface (tile);
  GdkRGBA line;

  shardwise_palette_get (SHARDWISE_COLOR_BUBBLE, pen->dark, &line);
  cairo_set_antialias (on_tile, CAIRO_ANTIALIAS_NONE); /* 45 degrees: already smooth */
  shardwise_palette_hatch (on_tile, SHARDWISE_PATTERN_RISING, &line, 0, 0, period, period);
  cairo_destroy (on_tile);
  cairo_surface_destroy (tile);
  cairo_pattern_set_extend (pattern, CAIRO_EXTEND_REPEAT);
  cairo_pattern_set_filter (pattern, CAIRO_FILTER_NEAREST);
  cairo_set_source (cr, pattern);
  for (guint rank = 0; rank < self->tasks->ranks; rank++)
    cairo_rectangle (cr, round (from),
                     round (shardwise_pipeline_view_row_top (self, rank)) + GAP / 2,
                     round (to - from), MAX (floor (self->row_height) - GAP, 1));
  cairo_fill (cr);
  cairo_pattern_destroy (pattern);
}

static void
paint (const ShardwisePipelineView *self, cairo_t *cr, const ShardwisePen *pen)
{
  double pixel_s = (self->time.max - self->time.min) / MAX (self->time.end - self->time.start, 1);
  const ShardwisePipelineLevel *level = shardwise_pipeline_tasks_level (self->tasks, WIDE * pixel_s,
                                                                        RUN / 2 * pixel_s);
  Painter painter = { self, cr, pen };

  for (guint i = 0; i < SHARDWISE_N_COLORS; i++)
    {
      shardwise_palette_get (i, pen->dark, &painter.colors[i]);
      painter.boxes[i] = g_array_new (FALSE, FALSE, sizeof (cairo_rectangle_t));
    }
  paint_bubble (self, cr, pen);
  for (guint rank = 0; rank < self->tasks->ranks; rank++)
    paint_row (&painter, level, rank);
  for (guint i = 0; i < SHARDWISE_N_COLORS; i++)
    g_array_unref (painter.boxes[i]);
}

/**
 * shardwise_pipeline_view_draw:
 * @self: the view with the rows
 * @pen: the pen
 *
 * Draws tasks and bubbles. On the screen the thousands of rectangles are painted once, so that
 * something moving above them only costs a copy of the visible pixels. (A texture would be
 * converted as a whole in each frame by the cairo renderer.)
 */
void
shardwise_pipeline_view_draw (const ShardwisePipelineView *self, const ShardwisePen *pen)
{
  graphene_rect_t area =
      GRAPHENE_RECT_INIT (floorf (self->time.start), floorf (self->top),
                          MAX (ceilf (self->time.end) - floorf (self->time.start), 1),
                          MAX (ceilf (self->tasks->ranks * self->row_height), 1));
  int scale = gtk_widget_get_scale_factor (GTK_WIDGET (pen->chart));
  cairo_t *cr = gtk_snapshot_append_cairo (pen->snapshot, &area), *on_image;
  cairo_surface_t *image;

  if (pen->vector)
    {
      paint (self, cr, pen);
      cairo_destroy (cr);
      return;
    }
  image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) area.size.width * scale,
                                      (int) area.size.height * scale);
  cairo_surface_set_device_scale (image, scale, scale);
  cairo_surface_set_device_offset (image, -area.origin.x * scale, -area.origin.y * scale);
  on_image = cairo_create (image);
  paint (self, on_image, pen);
  cairo_destroy (on_image);
  cairo_set_source_surface (cr, image, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_destroy (cr);
  cairo_surface_destroy (image);
}
