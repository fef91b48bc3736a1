/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import-job.h"

G_BEGIN_DECLS

/* Models: each reader fills an SwModelSpec from the keys that it knows, or has a name or a map with
 * the keys of a config.json; from there on all models go the same way into the scenario. */

/* The model that the keys of a config.json in part describe, of the family "llama", say. */
void
shardwise_import_model_keys (ShardwiseImportJob *job, const ShardwiseNode *part, const char *type);
/* keys: what the file calls q_lora_rank, and the dimensions of a head without and with positions,
 * and of a value */
void shardwise_import_latent (ShardwiseImportJob *job, const char *const *keys, SwModelSpec *out);
/* As a model of the catalogue where it is one, else as its dimensions. */
void shardwise_import_put_model (ShardwiseImportJob *job, const SwModelSpec *model);
/* by a checkpoint's name: (nullable) (transfer none) */
const SwModelSpec *shardwise_import_model_named (const char *name);
gboolean shardwise_import_put_model_named (ShardwiseImportJob *job, const char *name);
/* (nullable) (transfer none) */
const SwModelSpec *shardwise_import_match_but_vocabulary (const SwModelSpec *model,
                                                          const char *text, gboolean largest);

G_END_DECLS
