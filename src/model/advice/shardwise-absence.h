/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"

G_BEGIN_DECLS

void
shardwise_absence_async (ShardwiseAdvice *advice, const SwPins *degrees, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer data);
char *shardwise_absence_finish (GAsyncResult *result); /* (nullable) */

G_END_DECLS
