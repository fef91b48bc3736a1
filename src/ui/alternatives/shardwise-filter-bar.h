/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-candidate-filter.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* A chip for one dimension that opens a list of the values of the listed strategies, to be checked,
 * each with the number of strategies the list would show. Hidden if there is nothing to choose.
 *
 * Signals: "value-toggled" (guint value, gboolean chosen); "cleared": all values are allowed
 * again. */
#define SHARDWISE_TYPE_FACET_CHIP (shardwise_facet_chip_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseFacetChip, shardwise_facet_chip, SHARDWISE, FACET_CHIP, GtkWidget)

guint shardwise_facet_chip_get_facet (ShardwiseFacetChip *self);

/* The filters of a list of strategies: words, a chip for each dimension with more than one value,
 * and memory. Signal "changed": the filter has changed. */
#define SHARDWISE_TYPE_FILTER_BAR (shardwise_filter_bar_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseFilterBar, shardwise_filter_bar, SHARDWISE, FILTER_BAR,
                      ShardwiseContainer)

const ShardwiseCandidateFilter *shardwise_filter_bar_get_filter (ShardwiseFilterBar *self);
void shardwise_filter_bar_set_usable_bytes (ShardwiseFilterBar *self, double usable_bytes);
void
shardwise_filter_bar_set_facets (ShardwiseFilterBar *self, const ShardwiseCandidateFacets *facets);
void shardwise_filter_bar_set_text (ShardwiseFilterBar *self, const char *text);
void shardwise_filter_bar_append (ShardwiseFilterBar *self, GtkWidget *child);

G_END_DECLS
