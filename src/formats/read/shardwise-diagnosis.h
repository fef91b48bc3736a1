/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import.h"

G_BEGIN_DECLS

/* The findings of a job's scenario, in this order:
 *   validity  rules of the framework, and whether the parallel sizes match the number of processes
 *   memory    content of the fullest GPU, and why it does not fit
 *   time      of a step and its parts
 *   changes   those that gain the most, each with the effect that the engine computes
 * (transfer full) of ShardwiseFinding. */
GPtrArray *shardwise_diagnose (ShardwiseScenario *scenario, ShardwiseImportKind kind,
                               GCancellable *cancellable, GError **error);
void
shardwise_diagnose_async (ShardwiseScenario *scenario, ShardwiseImportKind kind,
                          GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
GPtrArray *shardwise_diagnose_finish (GAsyncResult *result, GError **error);
/* with the title of the input for its path */
/* the path of the error that a scenario names no model */
#define SHARDWISE_NO_MODEL "model"
char *shardwise_describe_error (const char *path, const char *message);

G_END_DECLS
