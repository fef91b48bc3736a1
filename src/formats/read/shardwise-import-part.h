/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-result.h"
#include "shardwise-node.h"

G_BEGIN_DECLS

typedef struct {
  ShardwiseImportKind kind; /* for a launch script: Megatron-LM's, whatever it starts */
  char *name;               /* name of the file, "" if unknown */
  char *text;               /* decoded; for a Kubernetes job, the corresponding script */
  ShardwiseNode *root;      /* NULL for a script */
  gboolean is_launcher;     /* a script that only starts the job of another file */
  guint hjson_line;         /* the first line that is Hjson but not JSON; 0: none */
} ShardwiseImportPart;

ShardwiseImportPart *
shardwise_import_part_new (const char *text, gsize length, const char *name, GError **error);
void shardwise_import_part_free (ShardwiseImportPart *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseImportPart, shardwise_import_part_free)

/* Returns: (nullable): the tool that a script starts. kind (out): the reader for it, or UNKNOWN */
const char *shardwise_foreign_command (const char *text, ShardwiseImportKind *kind);

G_END_DECLS
