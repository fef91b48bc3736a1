/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-result.h"
#include "shardwise-node.h"

G_BEGIN_DECLS

typedef struct {
  ShardwiseImportKind kind; /* of a launch script: Megatron-LM's, whatever it starts */
  char *name;               /* name of the file, "" if unknown */
  char *text;               /* decoded; for a Kubernetes job, the corresponding script */
  ShardwiseNode *root;      /* NULL of a script */
  gboolean is_launcher;     /* a script that starts what another file says */
  guint hjson_line;         /* the first that is Hjson and no JSON; 0: none */
} ShardwiseImportPart;

ShardwiseImportPart *
shardwise_import_part_new (const char *text, gsize length, const char *name, GError **error);
void shardwise_import_part_free (ShardwiseImportPart *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseImportPart, shardwise_import_part_free)

/* (nullable): the tool that a script starts; kind: what reads that, or UNKNOWN */
const char *shardwise_foreign_command (const char *text, ShardwiseImportKind *kind);

G_END_DECLS
