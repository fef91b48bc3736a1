/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-cli.h"

G_BEGIN_DECLS

/* The part of scale that looks at models of many sizes. Lists as they were typed; (nullable): the
 * defaults. */
typedef struct {
  char *sizes, *nodes;
} ShardwiseCliAtlas;

const char *shardwise_cli_atlas_check (const ShardwiseCliAtlas *self); /* (nullable) */
int shardwise_cli_atlas (ShardwiseCliInput *input, const ShardwiseCliAtlas *self, gboolean csv);
void shardwise_cli_atlas_clear (ShardwiseCliAtlas *self);

G_END_DECLS
