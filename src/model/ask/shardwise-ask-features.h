/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-question.h"

G_BEGIN_DECLS

/* Something of a question that says what it is after: "w:why", "b:does <value>", "^how many". */
typedef struct {
  char *name;
  double value; /* how much of it; the squares of all add up to one */
} ShardwiseAskFeature;

GArray *shardwise_ask_features_of (const char *text, ShardwiseScenario *scenario);

G_END_DECLS
