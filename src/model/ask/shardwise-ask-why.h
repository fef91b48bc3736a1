/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-answer.h"

G_BEGIN_DECLS

/* Why this, why not that, what if, which of two, which at all, and how to better something: each
 * function answers the questions of one intent from the engine, by evaluating anew. */
void shardwise_asking_why (ShardwiseAsking *self);
void shardwise_asking_what_if (ShardwiseAsking *self);
void shardwise_asking_compare (ShardwiseAsking *self);
void shardwise_asking_best (ShardwiseAsking *self);
void shardwise_asking_levers (ShardwiseAsking *self, const char *goal, GVariant *base);
void shardwise_asking_how_to (ShardwiseAsking *self);

G_END_DECLS
