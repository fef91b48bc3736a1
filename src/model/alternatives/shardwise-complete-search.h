/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

/* Runs the complete search for a scenario in the background. Property "fraction" (of the work, 0 to
 * 1) is updated while it runs; "advice" is the answer, NULL until it ends. */
#define SHARDWISE_TYPE_COMPLETE_SEARCH (shardwise_complete_search_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseCompleteSearch, shardwise_complete_search, SHARDWISE,
                      COMPLETE_SEARCH, GObject)

ShardwiseCompleteSearch *shardwise_complete_search_new (void);
void shardwise_complete_search_start (ShardwiseCompleteSearch *self, ShardwiseScenario *scenario);
void shardwise_complete_search_stop (ShardwiseCompleteSearch *self);
gboolean shardwise_complete_search_is_running (ShardwiseCompleteSearch *self);
double shardwise_complete_search_get_fraction (ShardwiseCompleteSearch *self);
/* (nullable) */
ShardwiseAdvice *shardwise_complete_search_get_advice (ShardwiseCompleteSearch *self);

G_END_DECLS
