/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-private.h"

G_BEGIN_DECLS

/* The architecture that the keys of job->root describe; family: (nullable) of families.json. */
void shardwise_import_architecture (ShardwiseImportJob *job, const ShardwiseNode *family,
                                    SwModelSpec *out);

void
shardwise_import_model_keys (ShardwiseImportJob *job, const ShardwiseNode *part, const char *type);

G_END_DECLS
