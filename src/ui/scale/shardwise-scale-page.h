/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"

G_BEGIN_DECLS

/* The Plan page, one section at a time with an index: how the job scales with the number of GPUs
 * (ShardwiseSizingView), its cost and deadline (ShardwiseCostSection), what the machine can train
 * and what the model needs (ShardwisePlanView), and the best strategies in general
 * (ShardwiseAtlasView). Shows a message if there is no advice yet.
 *
 * Searches run in worker threads and start when their section becomes visible.
 *
 * Signal "open-scenario" (ShardwiseScenario): the user wants to open this job */
#define SHARDWISE_TYPE_SCALE_PAGE (shardwise_scale_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseScalePage, shardwise_scale_page, SHARDWISE, SCALE_PAGE,
                      ShardwisePage)

gboolean shardwise_scale_page_show (ShardwiseScalePage *self, const char *section);

G_END_DECLS
