/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-result.h"

G_BEGIN_DECLS

/* (nullable): whose it is, what it starts, what it is for; kind: what reads it, or UNKNOWN */
const char *shardwise_foreign_configuration (const char *text, ShardwiseImportKind *kind);
const char *shardwise_foreign_command (const char *text, ShardwiseImportKind *kind);
const char *shardwise_foreign_script (const char *text, ShardwiseImportKind *kind);

G_END_DECLS
