/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-candidate-filter.h"

G_BEGIN_DECLS

/* What a list of strategies is filtered by: words, a chip for each dimension with more than one
 * value, and memory. Signal "changed": another filter. */
#define SHARDWISE_TYPE_FILTER_BAR (shardwise_filter_bar_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseFilterBar, shardwise_filter_bar, SHARDWISE, FILTER_BAR, GtkWidget)

const ShardwiseCandidateFilter *shardwise_filter_bar_get_filter (ShardwiseFilterBar *self);
void shardwise_filter_bar_set_usable_bytes (ShardwiseFilterBar *self, double usable_bytes);
void
shardwise_filter_bar_set_facets (ShardwiseFilterBar *self, const ShardwiseCandidateFacets *facets);
void shardwise_filter_bar_append (ShardwiseFilterBar *self, GtkWidget *child);

G_END_DECLS
