/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-asking.h"

G_BEGIN_DECLS

/* Whether a job fits, what it takes, what holds it back and what is wrong with it. Each function
 * answers the questions of one intent about the job that the question names; where nothing fits it
 * says what is missing, and the ways out. */
void shardwise_asking_fits (ShardwiseAsking *self);   /* "Does a 70B fit?", "the largest model" */
void shardwise_asking_gpus (ShardwiseAsking *self);   /* "How many GPUs do I need?" */
void shardwise_asking_memory (ShardwiseAsking *self); /* "How much memory does it take?" */
void shardwise_asking_time (ShardwiseAsking *self);   /* "How long does it take?" */
void shardwise_asking_cost (ShardwiseAsking *self);   /* "What does it cost?" */
void shardwise_asking_throughput (ShardwiseAsking *self); /* "How fast is it?" */
void shardwise_asking_limit (ShardwiseAsking *self);      /* "What holds it back?" */
void shardwise_asking_slow (ShardwiseAsking *self);       /* "Why is it slow?" */
void shardwise_asking_fault (ShardwiseAsking *self);      /* what the engine cannot know */

G_END_DECLS
