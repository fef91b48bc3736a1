/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-match.h"
#include "shardwise-ask-question.h"
G_BEGIN_DECLS

void shardwise_ask_weigh (GArray *features, double shares[SHARDWISE_N_INTENTS]);

/* Something of a question that says what it is after: "w:why", "b:does <value>", "^how many". */
typedef struct {
  char *name;
  double value; /* how much of it; the squares of all add up to one */
} ShardwiseAskFeature;

GArray *shardwise_ask_features_of (const char *text, ShardwiseScenario *scenario);

GArray *shardwise_ask_features (const ShardwiseAskReader *self);
void shardwise_ask_read_intent (ShardwiseAskReader *self);
void shardwise_ask_read_topic (ShardwiseAskReader *self);

G_END_DECLS
