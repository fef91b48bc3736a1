/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-ask-answer.h"

G_BEGIN_DECLS

/* What words mean, with their figure here; and what can be asked where a question is not
 * understood. */
void shardwise_asking_define (ShardwiseAsking *self);
gboolean shardwise_asking_define_slots (ShardwiseAsking *self);
void shardwise_asking_unknown (ShardwiseAsking *self);
void shardwise_asking_suggest (ShardwiseAsking *self);

G_END_DECLS
