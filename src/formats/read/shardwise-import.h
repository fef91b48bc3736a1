/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export.h"
#include "shardwise-import-result.h"

G_BEGIN_DECLS

/* One of the files of a job. */
typedef struct {
  const char *text;
  gsize length;
  const char *name; /* "" if unknown */
} ShardwiseImportText;

const char *shardwise_import_name (ShardwiseImportKind kind);  /* in JSON output: "megatron" */
const char *shardwise_import_title (ShardwiseImportKind kind); /* translated: "Megatron-LM launch
                                                                  script" */
/* Returns: (nullable): the format that writes such a job */
const ShardwiseFormatInfo *
shardwise_import_format (ShardwiseImportKind kind, ShardwiseScenario *scenario);
ShardwiseImportKind shardwise_import_detect (const char *text, gsize length, const char *name);
ShardwiseImport *shardwise_import_read_job (const ShardwiseImportText *files, guint n,
                                            ShardwiseScenario *base, GError **error);
ShardwiseImport *shardwise_import_read (const char *text, gsize length, const char *name,
                                        ShardwiseScenario *base, GError **error);
ShardwiseImport *shardwise_import_document (const char *text, gsize length, const char *name,
                                            ShardwiseScenario *base, GError **error);
ShardwiseImport *shardwise_import_files (GPtrArray *files, ShardwiseScenario *base,
                                         GCancellable *cancellable, GError **error);
ShardwiseImport *shardwise_import_file (GFile *file, ShardwiseScenario *base,
                                        GCancellable *cancellable, GError **error);
/* Includes the scenario; findings (nullable): of a diagnosis. */
JsonNode *shardwise_import_all_to_json (const ShardwiseImport *self, GPtrArray *findings);
char *shardwise_import_to_json (const ShardwiseImport *self);   /* warnings and findings only */
ShardwiseImport *shardwise_import_from_json (const char *text); /* (nullable) */

G_END_DECLS
