/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"

G_BEGIN_DECLS

/* The page of plans, a section at a time with an index: how the job scales with the number of GPUs
 * (ShardwiseSizingView), what it costs and when it is done (ShardwiseCostSection), what can be trained on
 * the machine and what the model needs (ShardwisePlanView), and what is best in general
 * (ShardwiseAtlasView). Without advice it says that there is none yet.
 *
 * Its searches run on threads and begin when someone looks at their section.
 *
 * signal "open-scenario" (ShardwiseScenario): the user wants this job */
#define SHARDWISE_TYPE_SCALE_PAGE (shardwise_scale_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseScalePage, shardwise_scale_page, SHARDWISE, SCALE_PAGE,
                      ShardwisePage)

gboolean shardwise_scale_page_show (ShardwiseScalePage *self, const char *section);

G_END_DECLS
