/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import.h"

G_BEGIN_DECLS

/* The findings of a job's scenario, in this order:
 *   validity  rules of the framework, and whether the parallel sizes match the number of processes
 *   memory    contents of the fullest GPU, and why it does not fit
 *   time      the step and its parts
 *   changes   the most useful changes, each with its computed effect
 *
 * Returns: (transfer full): of ShardwiseFinding; NULL with an error */
GPtrArray *shardwise_diagnose (ShardwiseScenario *scenario, ShardwiseImportKind kind,
                               GCancellable *cancellable, GError **error);
void
shardwise_diagnose_async (ShardwiseScenario *scenario, ShardwiseImportKind kind,
                          GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
GPtrArray *shardwise_diagnose_finish (GAsyncResult *result, GError **error);
/* the error path of a scenario without a model */
#define SHARDWISE_NO_MODEL "model"
/* Returns: (transfer full): the error, with the title of the input instead of its path */
char *shardwise_describe_error (const char *path, const char *message);

G_END_DECLS
