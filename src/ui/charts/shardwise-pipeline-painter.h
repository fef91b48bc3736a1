/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-pipeline.h"
#include "shardwise-axis.h"
#include "shardwise-chart.h"

G_BEGIN_DECLS

#define SHARDWISE_PIPELINE_LEVELS 4

/* Consecutive tasks of one rank, combined. */
typedef struct {
  double start_s, end_s;
  double busy_s[SW_TASK_BACKWARD_WEIGHT + 1]; /* by SwTaskKind */
} ShardwisePipelineRun;

/* One level of detail of a step: its tasks combined into runs that are no longer than a share of
 * the step. */
typedef struct {
  double span_s; /* maximum duration of a run */
  GArray *runs;  /* of ShardwisePipelineRun, by rank, then start; owned */
  guint *first;  /* [ranks + 1]: index of each rank's first run; owned */
} ShardwisePipelineLevel;

/* A simulated step, indexed for searching and for drawing at low zoom. A value struct that owns its
 * members. */
typedef struct {
  SwPipeline pipeline; /* tasks is NULL: empty */
  guint ranks;
  guint *first;     /* [ranks + 1]: index of each rank's first task */
  double longest_s; /* longest task */
  guint n_levels;
  ShardwisePipelineLevel levels[SHARDWISE_PIPELINE_LEVELS]; /* coarsest first */
} ShardwisePipelineTasks;

void
shardwise_pipeline_tasks_init (ShardwisePipelineTasks *self, SwPipeline *pipeline, guint ranks);
void shardwise_pipeline_tasks_clear (ShardwisePipelineTasks *self);
guint shardwise_pipeline_tasks_count (const ShardwisePipelineTasks *self);
const SwTask *shardwise_pipeline_tasks_get (const ShardwisePipelineTasks *self, guint index);
guint shardwise_pipeline_tasks_first_after (const ShardwisePipelineTasks *self, guint rank,
                                            double time_s);
const ShardwisePipelineLevel *
shardwise_pipeline_tasks_level (const ShardwisePipelineTasks *self, double least_s, double most_s);

/* The rows of a simulated step, one per rank. Coordinates are pixels of the widget. */
typedef struct {
  const ShardwisePipelineTasks *tasks;
  ShardwiseAxis time; /* seconds */
  double top, row_height;
} ShardwisePipelineView;

double shardwise_pipeline_view_row_top (const ShardwisePipelineView *self, guint rank);
guint shardwise_pipeline_legend (const ShardwisePipelineTasks *tasks,
                                 ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX]);
void shardwise_pipeline_view_draw (const ShardwisePipelineView *self, const ShardwisePen *pen);

G_END_DECLS
