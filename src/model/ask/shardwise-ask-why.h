/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-asking.h"

G_BEGIN_DECLS

/* What asks for reasons and for something better. Each function answers the questions of one intent:
 * it evaluates the scenario as it is and with what the question would change, says how the two
 * compare (shardwise_asking_against()), and offers the change where it could run. The answer is
 * `self->text`, its figures are facts, and `self->answer->page` is the page that shows more. Where
 * nothing fits, what is missing and the ways out are said in place of a comparison; where no key is
 * named, what can be named. */
void shardwise_asking_why (ShardwiseAsking *self);     /* "Why TP 8 rather than 4?" */
void shardwise_asking_what_if (ShardwiseAsking *self); /* "What if I use H200s?" */
void shardwise_asking_compare (ShardwiseAsking *self); /* "16 H100 or 8 H200?" */
void shardwise_asking_best (ShardwiseAsking *self);    /* "What is the best strategy?" */
void shardwise_asking_how_to (ShardwiseAsking *self);  /* "How do I save memory?" */
void shardwise_asking_oom (ShardwiseAsking *self);     /* "Why do I run out of memory?" */

G_END_DECLS
