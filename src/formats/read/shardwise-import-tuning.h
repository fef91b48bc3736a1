/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"

G_BEGIN_DECLS

void shardwise_import_read_tuning (ShardwiseImportJob *job, ShardwiseImportKind kind);

G_END_DECLS
