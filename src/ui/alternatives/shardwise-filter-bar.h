/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-candidate-filter.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* A chip that opens to the values that the listed strategies have of one dimension, each with how
 * many strategies the list would show, to be ticked. Hidden where there is nothing to choose.
 *
 * Signals: "value-toggled" (guint value, gboolean chosen); "cleared": any value again. */
#define SHARDWISE_TYPE_FACET_CHIP (shardwise_facet_chip_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseFacetChip, shardwise_facet_chip, SHARDWISE, FACET_CHIP, GtkWidget)

guint shardwise_facet_chip_get_facet (ShardwiseFacetChip *self);

/* What a list of strategies is filtered by: words, a chip for each dimension with more than one
 * value, and memory. Signal "changed": another filter. */
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
