/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advisor.h"

G_BEGIN_DECLS

/* What is best in general: models of each size on each number of nodes. It is computed when it is
 * first shown; a cell opens as a scenario by win.open-scenario. Whether cells are of the benchmark's training
 * or of the scenario's, of which GPU and of how many nodes, is chosen above the chart.
 *
 * It is computed on worker threads, and again with each answer where it is of the scenario. */
#define SHARDWISE_TYPE_ATLAS_VIEW (shardwise_atlas_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAtlasView, shardwise_atlas_view, SHARDWISE, ATLAS_VIEW, AdwBin)

void shardwise_atlas_view_show (ShardwiseAtlasView *self, ShardwiseScenario *scenario,
                                ShardwiseAdvice *advice);

G_END_DECLS
