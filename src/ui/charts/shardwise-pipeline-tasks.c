/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-pipeline-tasks.h"

/* Into how many spans the coarsest level cuts the step, and how many times more each finer one: a
 * span is a few pixels in a view of the level before. */
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
 * Returns: how many tasks there are on all ranks
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

/**
 * shardwise_pipeline_tasks_first_after:
 * @rank: a rank of the pipeline
 * @time_s: a moment, seconds
 *
 * Returns: the first task of the rank that ends after it; one past the rank's last where none does
 */
guint
shardwise_pipeline_tasks_first_after (const ShardwisePipelineTasks *self, guint rank, double time_s)
{
  guint low = self->first[rank], high = self->first[rank + 1];

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (shardwise_pipeline_tasks_get (self, middle)->end_s > time_s)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

/**
 * shardwise_pipeline_level_first_after:
 * @rank: a rank of the pipeline
 * @time_s: a moment, seconds
 *
 * Returns: the first run of the rank that ends after it; one past the rank's last where none does
 */
guint
shardwise_pipeline_level_first_after (const ShardwisePipelineLevel *level, guint rank,
                                      double time_s)
{
  guint low = level->first[rank], high = level->first[rank + 1];

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (run_at (level, middle)->end_s > time_s)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

/**
 * shardwise_pipeline_tasks_level:
 * @least_s: tasks that are no shorter are to be seen one by one, seconds
 * @most_s: what may be seen as one, seconds
 *
 * Returns: (transfer none) (nullable): the coarsest level that serves; %NULL: the tasks themselves
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

static void
add_level (ShardwisePipelineTasks *self, double span_s)
{
  ShardwisePipelineLevel *level = &self->levels[self->n_levels++];

  *level = (ShardwisePipelineLevel){ span_s,
                                     g_array_new (FALSE, FALSE, sizeof (ShardwisePipelineRun)),
                                     g_new0 (guint, self->ranks + 1) };
  for (guint rank = 0; rank < self->ranks; rank++)
    {
      level->first[rank] = level->runs->len;
      for (guint i = self->first[rank]; i < self->first[rank + 1]; i++)
        add_task (level, rank, shardwise_pipeline_tasks_get (self, i));
    }
  level->first[self->ranks] = level->runs->len;
}

static void
index_tasks (ShardwisePipelineTasks *self)
{
  guint rank = 0, n = shardwise_pipeline_tasks_count (self);

  self->first = g_new0 (guint, self->ranks + 1);
  for (guint i = 0; i < n; i++)
    {
      const SwTask *task = shardwise_pipeline_tasks_get (self, i);

      while (rank < task->rank && rank < self->ranks)
        self->first[++rank] = i;
      self->longest_s = MAX (self->longest_s, task->end_s - task->start_s);
    }
  while (rank < self->ranks)
    self->first[++rank] = n;
}

/**
 * shardwise_pipeline_tasks_init:
 * @self: (out caller-allocates): free with shardwise_pipeline_tasks_clear()
 * @pipeline: (transfer full): a simulated step, emptied by this; tasks by rank, then start
 * @ranks: of the pipeline
 *
 * Indexes the tasks, and sums them in the levels of which a run holds several.
 */
void
shardwise_pipeline_tasks_init (ShardwisePipelineTasks *self, SwPipeline *pipeline, guint ranks)
{
  double span_s = pipeline->total_s / COARSEST;

  *self = (ShardwisePipelineTasks){ .pipeline = *pipeline, .ranks = ranks };
  *pipeline = (SwPipeline){ 0 };
  index_tasks (self);
  for (guint i = 0; i < SHARDWISE_PIPELINE_LEVELS && span_s > 2 * self->longest_s; i++)
    {
      add_level (self, span_s);
      span_s /= FINER;
    }
}

/**
 * shardwise_pipeline_tasks_clear:
 *
 * Frees what it holds; it holds nothing then.
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
