/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-probe-value.h"
#include "shardwise-step.h"

G_BEGIN_DECLS

gboolean shardwise_import_is_step (const ShardwiseNode *root);
guint shardwise_import_read_step (ShardwiseImportJob *job, const ShardwiseNode *root,
                                  ShardwiseMeasuredStep *out);

G_END_DECLS
