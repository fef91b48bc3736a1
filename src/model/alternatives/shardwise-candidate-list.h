/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "shardwise-candidate-view.h"

G_BEGIN_DECLS

/* A GListModel of ShardwiseStrategy over all candidates of an answer; the objects are made when
 * asked for. Filter and order of a great list are worked out on a worker thread; the rows of before
 * stay until then. An object is a row: of another answer, filter or order the objects in use become
 * the strategies that stand there then ("changed"), and only rows that come or go at the end are
 * told by items-changed: a table makes no widgets anew, and stays where it is scrolled to.
 *
 * properties: "view" (ShardwiseCandidateView, nullable, notifies after items-changed), "pending"
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
