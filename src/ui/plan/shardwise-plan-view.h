/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* One of the two questions of the plan window: what it is about, and the answer, computed while it is
 * seen and whenever what it is about changes.
 *
 * # CSS nodes
 * `planview`
 *
 * properties: "of-gpus" (boolean, construct-only: what does this model need, else what can be trained on
 *   this machine), "scenario" (ShardwiseScenario, nullable: follows it)
 * signal "open-scenario" (ShardwiseScenario): the user wants this job
 * action: plan.open */
#define SHARDWISE_TYPE_PLAN_VIEW (shardwise_plan_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwisePlanView, shardwise_plan_view, SHARDWISE, PLAN_VIEW, AdwBin)

void shardwise_plan_view_set_scenario (ShardwisePlanView *self, ShardwiseScenario *scenario);
void shardwise_plan_view_ask_again (ShardwisePlanView *self);

G_END_DECLS
