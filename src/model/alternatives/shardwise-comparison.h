/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-cost.h"

G_BEGIN_DECLS

enum { SHARDWISE_COMPARISON_MAX = 4 };

/* Compared strategies. Pinned ones are estimated for the current answer; if they no longer fit it,
 * they stay, with the reason. Those of other scenarios keep their own figures. Signal "changed":
 * the strategies or their figures have changed. */
#define SHARDWISE_TYPE_COMPARISON (shardwise_comparison_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseComparison, shardwise_comparison, SHARDWISE, COMPARISON, GObject)

ShardwiseComparison *shardwise_comparison_new (void);
void shardwise_comparison_set_advice (ShardwiseComparison *self, ShardwiseAdvice *advice,
                                      ShardwiseScenario *scenario);

gboolean shardwise_comparison_pin (ShardwiseComparison *self, const SwStrategy *strategy);
gboolean shardwise_comparison_add_scenario (ShardwiseComparison *self, const char *name,
                                            ShardwiseAdvice *advice, ShardwiseScenario *scenario,
                                            const SwStrategy *strategy);
gboolean shardwise_comparison_unpin (ShardwiseComparison *self, const SwStrategy *strategy);
void shardwise_comparison_remove (ShardwiseComparison *self, guint index);
void shardwise_comparison_clear (ShardwiseComparison *self);
gboolean shardwise_comparison_has (ShardwiseComparison *self, const SwStrategy *strategy);
guint shardwise_comparison_get_n (ShardwiseComparison *self);
const SwEstimate *shardwise_comparison_get_estimate (ShardwiseComparison *self, guint index);
gboolean shardwise_comparison_has_figures (ShardwiseComparison *self, guint index);
char *shardwise_comparison_get_obstacle (ShardwiseComparison *self, guint index);   /* (nullable) */
const char *shardwise_comparison_get_name (ShardwiseComparison *self, guint index); /* (nullable) */
/* (nullable) */
ShardwiseScenario *shardwise_comparison_get_scenario (ShardwiseComparison *self, guint index);
gboolean shardwise_comparison_get_cost (ShardwiseComparison *self, guint index, ShardwiseCost *out,
                                        const char **currency);

G_END_DECLS
