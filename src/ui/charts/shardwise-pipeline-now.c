/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The moment of the step that is played: a line through the ranks, and what each of them works
 * on. */
#include "shardwise-chart-draw.h"
#include "shardwise-pipeline-chart-private.h"

/**
 * shardwise_pipeline_chart_get_now:
 *
 * Returns: the moment that is shown, seconds; -1: none
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
 * Marks a moment; a view that ends before it is turned like a page.
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
 * Returns: when the next task on any rank ends; the end of the step where none is left
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

/* What a rank works on at the moment that is shown. */
static void
draw_running (ShardwisePipelineChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
              guint rank)
{
  guint index = shardwise_pipeline_tasks_first_after (&self->tasks, rank, self->now);
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  graphene_rect_t area;

  if (index < self->tasks.first[rank + 1]
      && shardwise_pipeline_tasks_get (&self->tasks, index)->start_s <= self->now
      && SHARDWISE_CHART_GET_CLASS (chart)->point_area (chart, index, &area))
    shardwise_draw_outline (snapshot, &style->text, &area, 2);
}

/* Draws where the player is, on every rank. */
void
shardwise_pipeline_chart_draw_now (ShardwisePipelineChart *self, GtkSnapshot *snapshot)
{
  ShardwiseChartStyle style;

  if (self->now < self->view_start || self->now > self->view_start + self->view_span)
    return;
  shardwise_chart_get_style (SHARDWISE_CHART (self), &style);
  for (guint rank = 0; rank < self->tasks.ranks; rank++)
    draw_running (self, snapshot, &style, rank);
  shardwise_draw_line (snapshot, &style.text, shardwise_axis_to_pixel (&self->view.time, self->now),
                       self->view.top, 2, self->tasks.ranks * self->view.row_height);
}
