/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-axis.h"
#include "shardwise-pipeline-chart.h"

G_BEGIN_DECLS

/* The pipeline chart is two files: what it shows and how one moves in it, and how it is drawn. */

struct _ShardwisePipelineChart {
  ShardwiseChart parent_instance;

  SwPipeline pipeline;
  guint ranks, micro_batches;
  guint *first;           /* [ranks + 1]: where a rank's tasks begin */
  gboolean too_many, split_backward, virtual_stages, fresh;
  double view_start, view_span; /* seconds */
  double now;                   /* the moment that is played; -1: none */
  double pointer_x, drag_start, pinch_span;

  ShardwiseAxis time;     /* of the view, in pixels */
  double top, row_height, label_width;
  graphene_rect_t plot;
};

const SwTask *shardwise_pipeline_chart_task (ShardwisePipelineChart *self, guint index);
guint shardwise_pipeline_chart_n_tasks (ShardwisePipelineChart *self);
guint shardwise_pipeline_chart_first_after (ShardwisePipelineChart *self, guint rank, double time);
double shardwise_pipeline_chart_row_top (ShardwisePipelineChart *self, guint rank);
void shardwise_pipeline_chart_draw_now (ShardwisePipelineChart *self, GtkSnapshot *snapshot);
void shardwise_pipeline_chart_clamp_view (ShardwisePipelineChart *self);
gboolean shardwise_pipeline_chart_sees_all (ShardwisePipelineChart *self);

int shardwise_pipeline_chart_plot_height (ShardwiseChart *chart, int width, int *minimum);
void shardwise_pipeline_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot);
void shardwise_pipeline_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot, const ShardwiseChartStyle *style);

G_END_DECLS
