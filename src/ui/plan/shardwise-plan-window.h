/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* What can be trained on a machine, and what a model needs: two views of one question, which begins as
 * a scenario has it and is then its own.
 *
 * signal "open-scenario" (ShardwiseScenario): the user wants this job */
#define SHARDWISE_TYPE_PLAN_WINDOW (shardwise_plan_window_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlanWindow, shardwise_plan_window, SHARDWISE, PLAN_WINDOW, AdwWindow)

GtkWidget *shardwise_plan_window_new (ShardwiseScenario *scenario);

G_END_DECLS
