/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-comparison.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* Up to four strategies side by side, including those of other scenarios: inputs, parallel sizes
 * and figures, and how each differs from the first.
 *
 * Signal "activated" (guint index): the user selects a pinned strategy. Other scenarios open with
 * "win.open-scenario". Its buttons return with the action "alternatives.list" and add the
 * recommended strategy with "alternatives.pin-recommended". */
#define SHARDWISE_TYPE_COMPARISON_VIEW (shardwise_comparison_view_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseComparisonView, shardwise_comparison_view, SHARDWISE,
                      COMPARISON_VIEW, ShardwiseContainer)

GtkWidget *shardwise_comparison_view_new (ShardwiseComparison *comparison);
void
shardwise_comparison_view_set_marks (ShardwiseComparisonView *self, const SwStrategy *recommended,
                                     const SwStrategy *selected);

G_END_DECLS
