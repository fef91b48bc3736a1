/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"

G_BEGIN_DECLS

/* Models. Each reader fills an SwModelSpec from the keys it knows, or has a model name, or a map
 * with the keys of a config.json. From there on, all models take the same path into the
 * scenario. */

/* Sets the model described by the config.json keys in `part`; type: its family, e.g. "llama". */
void
shardwise_import_model_keys (ShardwiseImportJob *job, const ShardwiseNode *part, const char *type);
/* keys: the file's names for q_lora_rank and for the head dimensions without position, with
 * position, and of values */
void shardwise_import_latent (ShardwiseImportJob *job, const char *const *keys, SwModelSpec *out);
/* Sets a model of the catalog if it is one; else its dimensions. */
void shardwise_import_put_model (ShardwiseImportJob *job, const SwModelSpec *model);
/* Returns: (nullable) (transfer none): the model of a checkpoint's name */
const SwModelSpec *shardwise_import_model_named (const char *name);
gboolean shardwise_import_put_model_named (ShardwiseImportJob *job, const char *name);
/* Returns: (nullable) (transfer none): the catalog model whose layers have the same dimensions */
const SwModelSpec *shardwise_import_match_but_vocabulary (const SwModelSpec *model,
                                                          const char *text, gboolean largest);

G_END_DECLS
