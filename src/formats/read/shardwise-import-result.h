/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-finding.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_IMPORT_SCENARIO,
  SHARDWISE_IMPORT_CONFIG, /* Hugging Face config.json */
  SHARDWISE_IMPORT_PARAMS, /* Llama params.json */
  SHARDWISE_IMPORT_ERROR,  /* the error message of a run */
  SHARDWISE_IMPORT_PROBE,  /* measurements of a cluster */
  SHARDWISE_IMPORT_DEEPSPEED,
  SHARDWISE_IMPORT_NANOTRON,
  SHARDWISE_IMPORT_MEGATRON,
  SHARDWISE_IMPORT_TORCHTITAN,
  SHARDWISE_IMPORT_ACCELERATE,
  SHARDWISE_IMPORT_SKYPILOT,
  SHARDWISE_IMPORT_AXOLOTL, /* fine-tuning tools: configurations, scripts or commands */
  SHARDWISE_IMPORT_LLAMA_FACTORY,
  SHARDWISE_IMPORT_TORCHTUNE,
  SHARDWISE_IMPORT_VERL,
  SHARDWISE_IMPORT_OPENRLHF,
  SHARDWISE_IMPORT_TRAINER, /* Hugging Face Trainer and TRL */
  SHARDWISE_IMPORT_UNSLOTH,
  SHARDWISE_IMPORT_TORCHTITAN_MAIN, /* Python from here on */
  SHARDWISE_IMPORT_BRIDGE,          /* Megatron-Bridge and NeMo 2 */
  SHARDWISE_IMPORT_PYTORCH,         /* FSDP 1 or 2 */
  SHARDWISE_N_IMPORTS,
  SHARDWISE_IMPORT_UNKNOWN = SHARDWISE_N_IMPORTS,
} ShardwiseImportKind;

/* A value assumed because the file does not set it, until the user chooses one. */
typedef struct {
  char *warning; /* the warning that states the assumption */
  ShardwiseKeyId key;
  char *value; /* as text of a GVariant */
} ShardwiseImportAssumption;

/* The result of reading a file. */
typedef struct {
  ShardwiseImportKind kind;
  ShardwiseScenario *scenario;
  GPtrArray *warnings; /* of char*: what the file does not state, or what is approximated */
  GPtrArray *assumed;  /* of ShardwiseImportAssumption: warnings that a choice removes */
  GPtrArray *findings; /* of ShardwiseFinding: what the framework would reject or ignore in the
                          file itself */
} ShardwiseImport;

gboolean shardwise_import_is_job (ShardwiseImportKind kind); /* whether it describes training */
ShardwiseImport *shardwise_import_new (ShardwiseImportKind kind); /* without a scenario */
void shardwise_import_free (ShardwiseImport *self);
void shardwise_import_add_assumption (ShardwiseImport *self, const char *warning, ShardwiseKeyId id,
                                      const char *value);
/* Records the assumed values, after all of them are set. */
void shardwise_import_keep_assumed (ShardwiseImport *self);
gboolean
shardwise_assumptions_hold (GPtrArray *assumed, const char *warning, ShardwiseScenario *scenario);
gboolean shardwise_names_model (ShardwiseScenario *scenario); /* or some of its dimensions */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseImport, shardwise_import_free)

G_END_DECLS
