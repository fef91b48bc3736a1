/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-answer.h"

G_BEGIN_DECLS

/* Whether a job fits, what it takes, what holds it back and what is wrong with it: each function
 * answers the questions of one intent. */
void shardwise_asking_fits (ShardwiseAsking *self);
void shardwise_asking_gpus (ShardwiseAsking *self);
void shardwise_asking_memory (ShardwiseAsking *self);
void shardwise_asking_time (ShardwiseAsking *self);
void shardwise_asking_cost (ShardwiseAsking *self);
void shardwise_asking_throughput (ShardwiseAsking *self);
void shardwise_asking_limit (ShardwiseAsking *self);
void shardwise_asking_oom (ShardwiseAsking *self);
void shardwise_asking_slow (ShardwiseAsking *self);
void shardwise_asking_fault (ShardwiseAsking *self);

/* FALSE: the question asks for nothing that is searched for */

G_END_DECLS
