/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-pipeline-chart-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-chart-draw.h"
#include "shardwise-format.h"

#define ROW_MOST 48
#define ROW_LEAST 9
#define NUMBERED 8.0  /* pixels from which on a task may show its number */
#define READABLE 15.0 /* pixels of a forward task that is seen at first */

static double
mean_forward (ShardwisePipelineChart *self)
{
  double sum = 0;
  guint n = 0;

  for (guint i = 0; i < shardwise_pipeline_tasks_count (&self->tasks); i++)
    {
      const SwTask *task = shardwise_pipeline_tasks_get (&self->tasks, i);

      if (task->kind != SW_TASK_FORWARD)
        continue;
      sum += task->end_s - task->start_s;
      n++;
    }
  return n > 0 ? sum / n : 0;
}

/* When the first rank ends its first backward pass: before that there is no more than a warm-up to
 * see. */
static double
warmed_up (ShardwisePipelineChart *self)
{
  for (guint i = 0; i < self->tasks.first[1]; i++)
    if (shardwise_pipeline_tasks_get (&self->tasks, i)->kind != SW_TASK_FORWARD)
      return shardwise_pipeline_tasks_get (&self->tasks, i)->end_s;
  return 0;
}

/* The whole step, or as much of its beginning as can be read: once, when the width is known. */
static void
choose_view (ShardwisePipelineChart *self)
{
  double readable = mean_forward (self) / READABLE * (self->plot.size.width - self->label_width);

  self->view_start = 0;
  self->view_span = readable > 0 ? MAX (readable, warmed_up (self) * 1.2)
                                 : self->tasks.pipeline.total_s;
  self->fresh = FALSE;
  shardwise_pipeline_chart_clamp_view (self);
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

  /* Translators: three times: the ends of what is seen, and the length of the whole */
  return g_strdup_printf (_ ("Seen: %s to %s of %s. 0 shows all, Ctrl and scroll zooms."), from, to,
                          total);
}

/* The axis, and the strip that shows which part of the step is seen and says so, with room for that
 * whatever part it is. */
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

/* As #ShardwiseChartClass wants it: rows that can be read, and the axis. */
int
shardwise_pipeline_chart_plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);
  int below = height_below (self, width);

  *minimum = (int) self->tasks.ranks * ROW_LEAST + below;
  return (int) self->tasks.ranks * MAX (26, shardwise_draw_axis_height (chart)) + below;
}

/* The most height that the rows can fill. */
int
shardwise_pipeline_chart_plot_most (ShardwiseChart *chart, int width)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);

  return (int) self->tasks.ranks * ROW_MOST + height_below (self, width);
}

/* Places the rows, the axis and the strip below it. */
void
shardwise_pipeline_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot)
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
  /* A part that is looked at closely is told in seconds, however long the whole. */
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
draw_axis (ShardwisePipelineChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  double ticks[SHARDWISE_AXIS_MAX_TICKS],
      bottom = shardwise_pipeline_view_row_top (&self->view, self->tasks.ranks);
  guint most = (guint) CLAMP ((self->view.time.end - self->view.time.start)
                                  / (4 * shardwise_draw_line_height (SHARDWISE_CHART (self))),
                              2, 12);
  guint n = shardwise_axis_ticks (&self->view.time, most, ticks);
  double step = n > 1 ? ticks[1] - ticks[0] : self->view_span;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = shardwise_format_seconds_in (ticks[i], self->view.time.unit, step);
      double x = shardwise_axis_to_pixel (&self->view.time, ticks[i]);
      double half = shardwise_draw_text_width (SHARDWISE_CHART (self), label) / 2.0;

      shardwise_draw_line (snapshot, &style->grid, x, self->view.top, 1,
                           bottom - self->view.top + 4);
      shardwise_draw_text (SHARDWISE_CHART (self), snapshot, label, &style->dim,
                           CLAMP (x, self->view.time.start + half, self->view.time.end - half),
                           bottom + 5, 0.5, 0);
    }
}

static void
draw_overview (ShardwisePipelineChart *self, GtkSnapshot *snapshot,
               const ShardwiseChartStyle *style)
{
  double y = shardwise_pipeline_view_row_top (&self->view, self->tasks.ranks)
             + shardwise_draw_axis_height (SHARDWISE_CHART (self)) + 2,
         width = self->view.time.end - self->view.time.start;
  double total = self->tasks.pipeline.total_s;
  g_autofree char *seen = NULL;
  gboolean is_long;

  if (shardwise_pipeline_chart_sees_all (self))
    return;
  seen = describe_part (self->view_start, self->view_start + self->view_span, total);
  is_long = shardwise_draw_text_width (SHARDWISE_CHART (self), seen) > width;
  shardwise_draw_text_lines (SHARDWISE_CHART (self), snapshot, seen, &style->dim,
                             is_long ? self->plot.origin.x : self->view.time.start, y + 6,
                             is_long ? self->plot.size.width : width);
  shardwise_draw_line (snapshot, &style->grid, self->view.time.start, y, width, 4);
  shardwise_draw_line (snapshot, &style->dim,
                       self->view.time.start + self->view_start / total * width, y,
                       MAX (self->view_span / total * width, 3), 4);
}

static PangoLayout *
number_layout (ShardwisePipelineChart *self, GHashTable *layouts, guint number)
{
  PangoLayout *found = g_hash_table_lookup (layouts, GUINT_TO_POINTER (number));
  g_autofree char *text = NULL;

  if (found != NULL)
    return found;
  text = g_strdup_printf ("%u", number);
  found = shardwise_draw_layout (SHARDWISE_CHART (self), text, 0.75, FALSE);
  g_hash_table_insert (layouts, GUINT_TO_POINTER (number), found);
  return found;
}

static void
draw_number (ShardwisePipelineChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
             GHashTable *layouts, const SwTask *task)
{
  double start = shardwise_axis_to_pixel (&self->view.time, task->start_s);
  double end = shardwise_axis_to_pixel (&self->view.time, task->end_s);
  PangoLayout *number;
  GdkRGBA fill, text;
  int width;

  if (end - start < NUMBERED || start < self->view.time.start || end > self->view.time.end + 1)
    return;
  number = number_layout (self, layouts, task->micro_batch);
  pango_layout_get_pixel_size (number, &width, NULL);
  if (width + 3 > end - start)
    return;
  shardwise_palette_get (shardwise_pipeline_color (task), style->dark, &fill);
  shardwise_palette_text_on (&fill, &text);
  if (style->high_contrast) /* clear of the pattern */
    gtk_snapshot_append_color (
        snapshot, &fill,
        &GRAPHENE_RECT_INIT ((start + end - width) / 2 - 1,
                             shardwise_pipeline_view_row_top (&self->view, task->rank) + 3,
                             width + 2, self->view.row_height - 6));
  shardwise_draw_layout_at (snapshot, number, &text, (start + end) / 2,
                            shardwise_pipeline_view_row_top (&self->view, task->rank)
                                + self->view.row_height / 2,
                            0.5, 0.5);
}

static void
draw_numbers (ShardwisePipelineChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
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
        draw_number (self, snapshot, style, layouts,
                     shardwise_pipeline_tasks_get (&self->tasks, i));
      }
}

static void
draw_row_labels (ShardwisePipelineChart *self, GtkSnapshot *snapshot,
                 const ShardwiseChartStyle *style)
{
  guint every = (guint) MAX (
      1, ceil (shardwise_draw_line_height (SHARDWISE_CHART (self)) / self->view.row_height));

  for (guint rank = 0; rank < self->tasks.ranks; rank += every)
    {
      g_autofree char *label = rank_label (rank);

      shardwise_draw_text (
          SHARDWISE_CHART (self), snapshot, label, &style->text, self->plot.origin.x,
          shardwise_pipeline_view_row_top (&self->view, rank) + self->view.row_height / 2, 0, 0.5);
    }
}

/* Draws the part of the step that is seen. */
void
shardwise_pipeline_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot,
                               const ShardwiseChartStyle *style)
{
  ShardwisePipelineChart *self = SHARDWISE_PIPELINE_CHART (chart);

  if (shardwise_pipeline_tasks_count (&self->tasks) == 0)
    return;
  draw_row_labels (self, snapshot, style);
  shardwise_pipeline_view_draw (&self->view, chart, snapshot, style);
  draw_numbers (self, snapshot, style);
  draw_axis (self, snapshot, style);
  draw_overview (self, snapshot, style);
}
