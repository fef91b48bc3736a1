/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-asking.h"

G_BEGIN_DECLS

const char *shardwise_intent_title (ShardwiseIntent intent);

ShardwiseAnswer *
shardwise_answer_compute (ShardwiseScenario *scenario, const ShardwiseQuestion *question,
                          GCancellable *cancellable, GError **error);
void
shardwise_answer_async (ShardwiseScenario *scenario, ShardwiseQuestion *question,
                        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
ShardwiseAnswer *
shardwise_answer_finish (GAsyncResult *result, ShardwiseQuestion **question, GError **error);
void shardwise_answer_free (ShardwiseAnswer *self);
JsonNode *shardwise_answer_to_json (const ShardwiseAnswer *self, const ShardwiseQuestion *question);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseAnswer, shardwise_answer_free)

GPtrArray *
shardwise_ask_examples (ShardwiseScenario *scenario, ShardwiseAdvice *advice, const char *page);

G_END_DECLS
