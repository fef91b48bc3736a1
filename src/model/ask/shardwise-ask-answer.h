/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-question.h"

G_BEGIN_DECLS

/* A number of an answer, as `ask --json` gives it. */
typedef struct {
  char *name;
  double value;
  const char *unit;
} ShardwiseAskFact;

/* What is said to a question: a few sentences, all numbers from the engine. */
typedef struct {
  char *text;             /* translated */
  GPtrArray *facts;       /* of ShardwiseAskFact */
  GVariant *changes;      /* (nullable): a{sv} for win.apply */
  char *change;           /* (nullable): what they do, translated: "64 GPUs" */
  const char *page;       /* (nullable): of the window, that shows it */
  double confidence;      /* 0-1 */
  GPtrArray *suggestions; /* of char*: further questions, translated */
} ShardwiseAnswer;

ShardwiseAnswer *
shardwise_answer_compute (ShardwiseScenario *scenario, const ShardwiseQuestion *question,
                          GCancellable *cancellable, GError **error);
void shardwise_answer_async (ShardwiseScenario *scenario, const char *text,
                             const ShardwiseQuestion *before, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer data);
ShardwiseAnswer *
shardwise_answer_finish (GAsyncResult *result, ShardwiseQuestion **question, GError **error);
void shardwise_answer_free (ShardwiseAnswer *self);
JsonNode *shardwise_answer_to_json (const ShardwiseAnswer *self, const ShardwiseQuestion *question);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseAnswer, shardwise_answer_free)

G_END_DECLS
