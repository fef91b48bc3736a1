/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-asking.h"

G_BEGIN_DECLS

/* Each function answers one intent about the named job; if nothing fits, it states what is missing and what would fit. */
void shardwise_asking_fits (ShardwiseAsking *self);   /* "Does a 70B fit?", "the largest model" */
void shardwise_asking_gpus (ShardwiseAsking *self);   /* "How many GPUs do I need?" */
void shardwise_asking_memory (ShardwiseAsking *self); /* "How much memory does it take?" */
void shardwise_asking_oom (ShardwiseAsking *self);    /* "Why do I run out of memory?" */
void shardwise_asking_misfit (ShardwiseAsking *self, ShardwiseAdvice *advice);
void shardwise_asking_ways_out (ShardwiseAsking *self, ShardwiseAdvice *advice);
void shardwise_asking_methods (ShardwiseAsking *self, gboolean least);

void shardwise_asking_time (ShardwiseAsking *self);       /* "How long does it take?" */
void shardwise_asking_cost (ShardwiseAsking *self);       /* "What does it cost?" */
void shardwise_asking_throughput (ShardwiseAsking *self); /* "How fast is it?" */
void shardwise_asking_limit (ShardwiseAsking *self);      /* "What holds it back?" */
void shardwise_asking_slow (ShardwiseAsking *self);       /* "Why is it slow?" */
void shardwise_asking_fault (ShardwiseAsking *self);      /* faults that the engine cannot know */

void shardwise_asking_why (ShardwiseAsking *self);     /* "Why TP 8 rather than 4?" */
void shardwise_asking_what_if (ShardwiseAsking *self); /* "What if I use H200s?" */
void shardwise_asking_compare (ShardwiseAsking *self); /* "16 H100 or 8 H200?" */
void shardwise_asking_best (ShardwiseAsking *self);    /* "What is the best strategy?" */
void shardwise_asking_how_to (ShardwiseAsking *self);  /* "How do I save memory?" */
void shardwise_asking_allowed (ShardwiseAsking *self); /* "May a pipeline have ZeRO 2?" */

/* Paragraphs about one job. */
void shardwise_asking_sum (ShardwiseAsking *self, ShardwiseAdvice *advice);
void shardwise_asking_parts (ShardwiseAsking *self, ShardwiseAdvice *advice);
void shardwise_asking_sharding (ShardwiseAsking *self, ShardwiseAdvice *advice);
void shardwise_asking_stages (ShardwiseAsking *self, ShardwiseAdvice *advice);

G_END_DECLS
