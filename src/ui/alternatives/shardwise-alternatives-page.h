/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-candidate-list.h"
#include "shardwise-comparison.h"
#include "shardwise-page.h"

G_BEGIN_DECLS

/* A comparison of pinned strategies; or the strategies that fit, as a table with filters and
 * sorting and as a chart of throughput against memory; or why none fits.
 *
 * Actions: alternatives.back, alternatives.pin, alternatives.pin-selected,
 * alternatives.pin-recommended, alternatives.compare, alternatives.list */
#define SHARDWISE_TYPE_ALTERNATIVES_PAGE (shardwise_alternatives_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAlternativesPage, shardwise_alternatives_page, SHARDWISE,
                      ALTERNATIVES_PAGE, ShardwisePage)

gboolean shardwise_alternatives_page_show (ShardwiseAlternativesPage *self, const char *part);
ShardwiseComparison *shardwise_alternatives_page_get_comparison (ShardwiseAlternativesPage *self);
ShardwiseCandidateList *shardwise_alternatives_page_get_list (ShardwiseAlternativesPage *self);

void shardwise_alternatives_page_group (ShardwiseAlternativesPage *self);

G_END_DECLS
