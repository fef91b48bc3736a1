/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* One of two questions, in its own window or as a section of Plan: its inputs and the answer, which
 * is computed while visible and whenever the inputs change.
 *
 * # CSS nodes
 * `planview`
 *
 * Properties: "of-gpus" (boolean, construct-only: what this model needs; else what this machine can
 * train), "scenario" (ShardwiseScenario, nullable: followed)
 * Signal "open-scenario" (ShardwiseScenario): the user wants to open this job
 * Actions: plan.open, plan.prices */
#define SHARDWISE_TYPE_PLAN_VIEW (shardwise_plan_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlanView, shardwise_plan_view, SHARDWISE, PLAN_VIEW, AdwBin)

void shardwise_plan_view_set_scenario (ShardwisePlanView *self, ShardwiseScenario *scenario);

/* What a machine can train, and what a model needs: two views of one question, which starts with
 * the scenario's values and is then independent.
 *
 * Signal "open-scenario" (ShardwiseScenario): the user wants to open this job */
#define SHARDWISE_TYPE_PLAN_WINDOW (shardwise_plan_window_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlanWindow, shardwise_plan_window, SHARDWISE, PLAN_WINDOW, AdwWindow)

GtkWidget *shardwise_plan_window_new (ShardwiseScenario *scenario);

G_END_DECLS
