/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-part.h"

G_BEGIN_DECLS

/* The files of one job. */
typedef struct {
  GPtrArray *parts;    /* of ShardwiseImportPart, in the order in which they are read */
  GHashTable *sources; /* name of a file -> its text: scripts that another one sources */
  guint main;          /* index of the part that says what kind of job it is */
} ShardwiseImportSet;

ShardwiseImportSet *shardwise_import_set_new (GPtrArray *parts, GError **error);
void shardwise_import_set_free (ShardwiseImportSet *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseImportSet, shardwise_import_set_free)

G_END_DECLS
