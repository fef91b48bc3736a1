/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-pipeline-chart.h"
#include "shardwise-pipeline-painter.h"

G_BEGIN_DECLS

/* The pipeline chart is two files: what it shows and how one moves in it, and how it is drawn. */

struct _ShardwisePipelineChart {
  ShardwiseChart parent_instance;

  ShardwisePipelineTasks tasks;
  guint micro_batches;
  gboolean too_many, fresh;
  gboolean is_phase; /* of a step of reinforcement learning: the policy's training alone */
  double view_start, view_span; /* seconds */
  double now;                   /* the moment that is played; -1: none */
  double pointer_x, drag_start, pinch_span;

  ShardwisePipelineView view; /* what is seen, in pixels */
  double label_width;
  graphene_rect_t plot;
};

void shardwise_pipeline_chart_draw_now (ShardwisePipelineChart *self, GtkSnapshot *snapshot);
void shardwise_pipeline_chart_clamp_view (ShardwisePipelineChart *self);
gboolean shardwise_pipeline_chart_sees_all (ShardwisePipelineChart *self);
gboolean shardwise_pipeline_chart_scroll (ShardwisePipelineChart *self, double dx, double dy,
                                          GdkScrollUnit unit, GdkModifierType state);

int shardwise_pipeline_chart_plot_height (ShardwiseChart *chart, int width, int *minimum);
int shardwise_pipeline_chart_plot_most (ShardwiseChart *chart, int width);
void shardwise_pipeline_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot);
void shardwise_pipeline_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot,
                                    const ShardwiseChartStyle *style);

G_END_DECLS
