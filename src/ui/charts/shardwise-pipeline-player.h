/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-pipeline-chart.h"

G_BEGIN_DECLS

/* A button that plays the step of a pipeline chart: a line moves through it and outlines what every
 * rank works on. What is seen takes some seconds. Where animations are turned off it goes from task
 * to task, without moving in between. */
#define SHARDWISE_TYPE_PIPELINE_PLAYER (shardwise_pipeline_player_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePipelinePlayer, shardwise_pipeline_player, SHARDWISE,
                      PIPELINE_PLAYER, GtkWidget)

GtkWidget *shardwise_pipeline_player_new (ShardwisePipelineChart *chart);
void shardwise_pipeline_player_advance (ShardwisePipelinePlayer *self, double seconds);
gboolean shardwise_pipeline_player_is_playing (ShardwisePipelinePlayer *self);

G_END_DECLS
