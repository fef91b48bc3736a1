/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-asking.h"

G_BEGIN_DECLS

/* Sentences with the figures of a job in braces: "{gpus} GPUs hold {states}". What they name are
 * facts of the answer, too. */
char *shardwise_asking_fill (ShardwiseAsking *self, ShardwiseAdvice *advice, const char *sentence);
void
shardwise_asking_tell_of (ShardwiseAsking *self, ShardwiseAdvice *advice, const char *sentence);
double shardwise_asking_figure (ShardwiseAsking *self, ShardwiseAdvice *advice, const char *name);

/* One strategy beside that of an advice, whatever is pinned. */
gboolean shardwise_asking_estimate (ShardwiseAdvice *advice, SwStrategy *strategy, SwEstimate *out);
guint shardwise_asking_micro_batches (ShardwiseAsking *self, guint sizes[8]);

G_END_DECLS
