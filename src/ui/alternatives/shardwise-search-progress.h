/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advisor.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The complete search behind a list: runs while visible, once for each advice, shows its progress
 * and can be stopped. Hidden if there is nothing to show.
 *
 * Signal "changed": the search started, finished or was stopped. */
#define SHARDWISE_TYPE_SEARCH_PROGRESS (shardwise_search_progress_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseSearchProgress, shardwise_search_progress, SHARDWISE,
                      SEARCH_PROGRESS, GtkWidget)

ShardwiseAdvice *
shardwise_search_progress_get_advice (ShardwiseSearchProgress *self); /* (nullable) */
gboolean shardwise_search_progress_is_searching (ShardwiseSearchProgress *self);
void shardwise_search_progress_follow (ShardwiseSearchProgress *self, ShardwiseAdvisor *advisor,
                                       gboolean is_seen);
void shardwise_search_progress_set_sorting (ShardwiseSearchProgress *self, gboolean sorts);
void shardwise_search_progress_set_patience (ShardwiseSearchProgress *self, guint milliseconds);

G_END_DECLS
