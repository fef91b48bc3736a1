/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* One of two questions, in a window of their own or in sections of Plan: what it is about, and the answer, computed while it is
 * seen and whenever what it is about changes.
 *
 * # CSS nodes
 * `planview`
 *
 * properties: "of-gpus" (boolean, construct-only: what does this model need, else what can be trained on
 *   this machine), "scenario" (ShardwiseScenario, nullable: follows it)
 * signal "open-scenario" (ShardwiseScenario): the user wants this job
 * actions: plan.open, plan.prices */
#define SHARDWISE_TYPE_PLAN_VIEW (shardwise_plan_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlanView, shardwise_plan_view, SHARDWISE, PLAN_VIEW, AdwBin)

void shardwise_plan_view_set_scenario (ShardwisePlanView *self, ShardwiseScenario *scenario);

/* What can be trained on a machine, and what a model needs: two views of one question, which begins as
 * a scenario has it and is then its own.
 *
 * signal "open-scenario" (ShardwiseScenario): the user wants this job */
#define SHARDWISE_TYPE_PLAN_WINDOW (shardwise_plan_window_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlanWindow, shardwise_plan_window, SHARDWISE, PLAN_WINDOW, AdwWindow)

GtkWidget *shardwise_plan_window_new (ShardwiseScenario *scenario);

G_END_DECLS
