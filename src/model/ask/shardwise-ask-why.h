/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-asking.h"

G_BEGIN_DECLS

/* What asks for reasons and for something better. Each function answers the questions of one intent,
 * by evaluating anew, and says what was found. */
void shardwise_asking_why (ShardwiseAsking *self);     /* "Why TP 8 rather than 4?" */
void shardwise_asking_what_if (ShardwiseAsking *self); /* "What if I use H200s?" */
void shardwise_asking_compare (ShardwiseAsking *self); /* "16 H100 or 8 H200?" */
void shardwise_asking_best (ShardwiseAsking *self);    /* "What is the best strategy?" */
void shardwise_asking_how_to (ShardwiseAsking *self);  /* "How do I save memory?" */
void shardwise_asking_oom (ShardwiseAsking *self);     /* "Why do I run out of memory?" */

G_END_DECLS
