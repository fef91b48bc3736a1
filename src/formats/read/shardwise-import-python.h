/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"

G_BEGIN_DECLS

/* All of these look at what shardwise_node_from_python() gives. */

ShardwiseImportKind shardwise_import_kind_of_python (const ShardwiseNode *root);
/* (nullable): the last of that name, without its module */
const ShardwiseNode *shardwise_python_call (const ShardwiseNode *root, const char *name);
const char *shardwise_python_callee (const ShardwiseNode *call); /* its last part */
/* (nullable), also call and keyword */
const ShardwiseNode *
shardwise_python_argument (const ShardwiseNode *call, const char *keyword, guint index);
/* whether its last part is that name */
gboolean shardwise_python_refers (const ShardwiseNode *node, const char *name);
void shardwise_python_read_model (ShardwiseImportJob *job);
void shardwise_python_warn_condition (ShardwiseImportJob *job, const ShardwiseNode *root);

G_END_DECLS
