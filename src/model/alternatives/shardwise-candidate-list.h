/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "shardwise-candidate-view.h"

G_BEGIN_DECLS

/* A GListModel of ShardwiseStrategy over all candidates of an answer; creates objects on demand.
 * Filters and sorts large lists in a worker thread and keeps the old rows meanwhile. An object
 * represents a row: after a change of answer, filter or order, existing objects become the
 * strategies now in their rows ("changed"), and items-changed reports only rows added or removed at
 * the end. A table therefore keeps its widgets and its scroll position.
 *
 * Properties: "view" (ShardwiseCandidateView, nullable, notifies after items-changed), "pending"
 * (boolean) */
#define SHARDWISE_TYPE_CANDIDATE_LIST (shardwise_candidate_list_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseCandidateList, shardwise_candidate_list, SHARDWISE, CANDIDATE_LIST,
                      GObject)

ShardwiseCandidateList *shardwise_candidate_list_new (void);
void shardwise_candidate_list_set_advice (ShardwiseCandidateList *self, ShardwiseAdvice *advice);
void shardwise_candidate_list_set_first (ShardwiseCandidateList *self, ShardwiseAdvice *advice);
gboolean shardwise_candidate_list_is_whole (ShardwiseCandidateList *self);
void shardwise_candidate_list_set_filter (ShardwiseCandidateList *self,
                                          const ShardwiseCandidateFilter *filter);
void shardwise_candidate_list_set_sort (ShardwiseCandidateList *self, ShardwiseSort sort,
                                        gboolean descending);
ShardwiseCandidateView *shardwise_candidate_list_get_view (ShardwiseCandidateList *self);
gboolean shardwise_candidate_list_is_pending (ShardwiseCandidateList *self);

G_END_DECLS
