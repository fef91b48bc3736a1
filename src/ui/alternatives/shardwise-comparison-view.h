/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-comparison.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* Up to four strategies side by side, also of other scenarios: their inputs, degrees and figures,
 * and how each differs from the first.
 *
 * Signal "activated" (guint index): one of the pinned is to be looked at. Other scenarios open by
 * "win.open-scenario". Its buttons go back by the action "alternatives.list" and add the
 * recommended strategy by "alternatives.pin-recommended". */
#define SHARDWISE_TYPE_COMPARISON_VIEW (shardwise_comparison_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseComparisonView, shardwise_comparison_view, SHARDWISE,
                      COMPARISON_VIEW, ShardwiseContainer)

GtkWidget *shardwise_comparison_view_new (ShardwiseComparison *comparison);
void
shardwise_comparison_view_set_marks (ShardwiseComparisonView *self, const SwStrategy *recommended,
                                     const SwStrategy *selected);

G_END_DECLS
