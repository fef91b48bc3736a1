/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advisor.h"
#include "shardwise-sizing.h"

G_BEGIN_DECLS

/* How the job scales: the best strategies of smaller and larger clusters.
 *
 * Actions: sizing.use: applies the size selected in the chart to the scenario */
#define SHARDWISE_TYPE_SIZING_VIEW (shardwise_sizing_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseSizingView, shardwise_sizing_view, SHARDWISE, SIZING_VIEW, AdwBin)

gboolean shardwise_sizing_view_show (ShardwiseSizingView *self, ShardwiseScenario *scenario,
                                     ShardwiseAdvice *advice);
void shardwise_sizing_view_await (ShardwiseSizingView *self);

G_END_DECLS
