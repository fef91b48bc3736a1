/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advisor.h"

G_BEGIN_DECLS

/* The best strategies in general: models of each size on each number of nodes. Controls above the
 * chart select the GPU, the numbers of nodes, and the training of the benchmark or of the scenario.
 * A cell opens as a scenario with win.open-scenario.
 *
 * Computed in worker threads when first shown; for the scenario's training, again with each
 * answer. */
#define SHARDWISE_TYPE_ATLAS_VIEW (shardwise_atlas_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAtlasView, shardwise_atlas_view, SHARDWISE, ATLAS_VIEW, AdwBin)

void shardwise_atlas_view_show (ShardwiseAtlasView *self, ShardwiseScenario *scenario,
                                ShardwiseAdvice *advice);

G_END_DECLS
