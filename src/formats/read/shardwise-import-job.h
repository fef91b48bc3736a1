/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-format.h"
#include "shardwise-import-part.h"
#include "shardwise-node.h"

G_BEGIN_DECLS

/* A file that is being read. The first error is kept; after it every call does nothing. */
typedef struct {
  ShardwiseImport *out;
  const char *text;
  const ShardwiseNode *root;              /* NULL for a launch script */
  ShardwiseScenario *base;                /* (nullable): provides what the file does not state */
  const char *(*spell) (const char *key); /* (nullable): maps keys to the file's own spelling */
  const char *name;                       /* of the file; "" if unknown */
  GHashTable *sources;                    /* (nullable): texts that a script may source, by name */
  const GPtrArray *parts;                 /* of ShardwiseImportPart: all files of the job */
  const ShardwiseImportPart *part;        /* the one being read */
  SwModelSpec model;                      /* the model found so far; no layers: none */
  char named[80];                         /* name of a model that is not in the catalog; "": none */
  const SwGpu *seen;                      /* (nullable): the GPU in an error message */
  gboolean has_model; /* from a file that only describes the model; takes precedence over the
                         other files */
  gboolean is_part;   /* `base` has the rest of the job, so its strategy is kept too */
  GError *error;
} ShardwiseImportJob;

/* Reads one kind of file. */
typedef struct {
  const char *name, *title; /* in JSON output; displayed, not translated */
  ShardwiseFormat format;   /* the format whose rules apply to the job; SHARDWISE_N_FORMATS: none */
  void (*read) (ShardwiseImportJob *job);
} ShardwiseImportReader;

extern const ShardwiseImportReader shardwise_import_config, shardwise_import_params,
    shardwise_import_deepspeed, shardwise_import_nanotron, shardwise_import_megatron,
    shardwise_import_torchtitan, shardwise_import_accelerate, shardwise_import_torchtitan_main,
    shardwise_import_bridge, shardwise_import_pytorch, shardwise_import_launcher,
    shardwise_import_trainer, shardwise_import_axolotl, shardwise_import_llama_factory,
    shardwise_import_torchtune, shardwise_import_unsloth, shardwise_import_verl,
    shardwise_import_openrlhf, shardwise_import_skypilot, shardwise_import_probe;

/* Returns: (transfer full) (nullable): the script in a Kubernetes manifest */
char *shardwise_import_kubernetes_script (const ShardwiseNode *root);
gboolean shardwise_import_is_megatron_yaml (const ShardwiseNode *root);
gboolean shardwise_import_is_megatron_script (const char *text, GHashTable *sources);
/* Returns: whether another file of the job is of that kind */
gboolean shardwise_import_has_part (const ShardwiseImportJob *job, ShardwiseImportKind kind);
/* Returns: whether another file belongs to a fine-tuning tool */
gboolean shardwise_import_has_tool (const ShardwiseImportJob *job);
/* fills in what the file does not state */
void shardwise_import_complete (ShardwiseImportJob *job);

/* ---- findings ---- */

/* warns of something that the file does not state, or that is approximated */
void shardwise_import_warn (ShardwiseImportJob *job, const char *format, ...) G_GNUC_PRINTF (2, 3);
void shardwise_import_assume (ShardwiseImportJob *job, ShardwiseKeyId id, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* reports something that the framework rejects or ignores */
void shardwise_import_find (ShardwiseImportJob *job, ShardwiseSeverity severity, const char *code,
                            const char *format, ...) G_GNUC_PRINTF (4, 5);
void shardwise_import_find_error (ShardwiseImportJob *job, const char *code, const char *text);
/* Fails with "line 3, column 7: parallelism.tp: …"; where: (nullable). */
void shardwise_import_fail (ShardwiseImportJob *job, const ShardwiseNode *where, const char *key,
                            const char *format, ...) G_GNUC_PRINTF (4, 5);

/* ---- from a file's key ("parallelism.tp") to a scenario's ("strategy.tp") ---- */

/* Returns: the value at key, or %NULL if it is absent or null */
const ShardwiseNode *shardwise_import_at (ShardwiseImportJob *job, const char *key);
gboolean shardwise_import_is_open (ShardwiseImportJob *job, const char *key);
gboolean shardwise_import_count_of (ShardwiseImportJob *job, const ShardwiseNode *node,
                                    const char *key, ShardwiseKeyId id, guint *out);
/* accepts only the range of the scenario's key */
gboolean
shardwise_import_count (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id, guint *out);
guint shardwise_import_count_or (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id,
                                 guint fallback);
guint shardwise_import_degree (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id);
gboolean shardwise_import_truth (ShardwiseImportJob *job, const char *key, gboolean fallback);
void shardwise_import_put_switch (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id);
/* Returns: (nullable): the string at key; fails on other types */
const char *shardwise_import_text (ShardwiseImportJob *job, const char *key);
gboolean shardwise_import_word_index (ShardwiseImportJob *job, const char *key,
                                      const char *const *words, guint *out);

void shardwise_import_put (ShardwiseImportJob *job, ShardwiseKeyId id, GVariant *value);
void shardwise_import_put_int (ShardwiseImportJob *job, ShardwiseKeyId id, gint64 value);
void shardwise_import_put_word (ShardwiseImportJob *job, ShardwiseKeyId id, const char *word);
void shardwise_import_put_bool (ShardwiseImportJob *job, ShardwiseKeyId id, gboolean value);
/* Returns: whether the key is there */
gboolean shardwise_import_copy_count (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id);

/* The product of parallel or batch sizes of at most 1e9 each, limited to 2^33. */
guint64 shardwise_import_product (guint a, guint b, guint c, guint d);
/* 0: unknown */
void shardwise_import_put_world (ShardwiseImportJob *job, guint gpus, guint per_node);

/* Reports each key that is not in the NULL-terminated `keys` as a finding. */
void
shardwise_import_check_keys (ShardwiseImportJob *job, const char *section, const char *const *keys,
                             ShardwiseSeverity severity, const char *code, const char *sentence);
char *shardwise_import_fill (const char *sentence, const char *word);

G_END_DECLS
