/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advisor.h"
#include "shardwise-export.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_EXPORT_BEST,     /* the best strategy that the framework can run */
  SHARDWISE_EXPORT_SELECTED, /* only the strategy that the user selected */
  SHARDWISE_EXPORT_NEAREST,  /* the best strategy after dropping pins that the framework's rules
                                reject */
} ShardwiseExportMode;

/* An export and what the page shows with it. */
typedef struct {
  ShardwiseExport *files;
  SwEstimate shown; /* shown on the page when the export was requested */
} ShardwiseExportResult;

void
shardwise_export_async (ShardwiseAdvisor *advisor, ShardwiseFormat format, ShardwiseExportMode mode,
                        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
ShardwiseExportResult *shardwise_export_finish (GAsyncResult *result, GError **error);
void shardwise_export_result_free (ShardwiseExportResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseExportResult, shardwise_export_result_free)

gboolean shardwise_export_is_shown (const ShardwiseExportResult *self);
const char *shardwise_export_explain_refusal (const GError *error);
/* (nullable) */
char *shardwise_export_describe_difference (const ShardwiseExportResult *self);

G_END_DECLS
