/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "sw-pipeline.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* The schedule of one step, a row per pipeline rank: what runs when, with the bubble hatched.
 * Ctrl+scroll, pinch, + and - zoom around the pointer; dragging and horizontal scrolling move the
 * view; 0 shows the whole step.
 *
 * Action: chart.zoom(i): 1 in, -1 out, 0 all */
#define SHARDWISE_TYPE_PIPELINE_CHART (shardwise_pipeline_chart_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePipelineChart, shardwise_pipeline_chart, SHARDWISE, PIPELINE_CHART,
                      ShardwiseChart)

void shardwise_pipeline_chart_set_strategy (ShardwisePipelineChart *self, const SwProblem *problem,
                                            const SwStrategy *strategy);
void shardwise_pipeline_chart_set_pipeline (ShardwisePipelineChart *self, SwPipeline *pipeline,
                                            guint ranks, guint micro_batches);
void
shardwise_pipeline_chart_get_view (ShardwisePipelineChart *self, double *start_s, double *end_s);
void shardwise_pipeline_chart_set_view (ShardwisePipelineChart *self, double start_s, double end_s);
void shardwise_pipeline_chart_zoom (ShardwisePipelineChart *self, double x, double factor);
gboolean shardwise_pipeline_chart_scroll (ShardwisePipelineChart *self, double dx, double dy,
                                          GdkScrollUnit unit, GdkModifierType state);

/* The current moment of the playback, in seconds. */
double shardwise_pipeline_chart_get_now (ShardwisePipelineChart *self); /* -1: none */
gboolean shardwise_pipeline_chart_set_now (ShardwisePipelineChart *self, double now_s);
double shardwise_pipeline_chart_next_event (ShardwisePipelineChart *self, double after_s);

/* A button that plays the step of a pipeline chart in a few seconds: a line moves across and
 * outlines the current task of each rank. Without animations it jumps from task to task. */
#define SHARDWISE_TYPE_PIPELINE_PLAYER (shardwise_pipeline_player_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePipelinePlayer, shardwise_pipeline_player, SHARDWISE,
                      PIPELINE_PLAYER, ShardwiseContainer)

GtkWidget *shardwise_pipeline_player_new (ShardwisePipelineChart *chart);
void shardwise_pipeline_player_advance (ShardwisePipelinePlayer *self, double seconds);
gboolean shardwise_pipeline_player_is_playing (ShardwisePipelinePlayer *self);

G_END_DECLS
