/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"

G_BEGIN_DECLS

/* These functions take the result of shardwise_node_from_python(). */

ShardwiseImportKind shardwise_import_kind_of_python (const ShardwiseNode *root);
/* Returns: (nullable): the last call of a function with this name, without its module */
const ShardwiseNode *shardwise_python_call (const ShardwiseNode *root, const char *name);
const char *shardwise_python_callee (const ShardwiseNode *call); /* Returns: the last part of the
                                                                    callee's dotted name */
/* Returns: (nullable): an argument by keyword or position; call and keyword may be NULL */
const ShardwiseNode *
shardwise_python_argument (const ShardwiseNode *call, const char *keyword, guint index);
/* Returns: whether the last part of the dotted name is `name` */
gboolean shardwise_python_refers (const ShardwiseNode *node, const char *name);
void shardwise_python_read_model (ShardwiseImportJob *job);
void shardwise_python_warn_condition (ShardwiseImportJob *job, const ShardwiseNode *root);

G_END_DECLS
